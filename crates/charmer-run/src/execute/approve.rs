//! The step between a finished command line and its process: a person allows the call, or does not.

use std::{path::Path, sync::Arc};

use charmer_core::{call::Prepared, model::Effect};

use crate::{
    Call, CallError, DryRun, Outcome, RunPlace,
    approval::{
        ApprovalSubject, ApprovalVerdict, AskWay, Binding, NeedOfApproval, ShownCall, ToolApproval,
        need,
    },
    folder::here,
};

use super::{Execute, Target};

/// The variable that names the scratch folder of one run, which is another one each time.
const SCRATCH: &str = "TMPDIR";

impl Execute {
    /// The rules on a call, and whoever asks.
    fn approval(&self, call: &Call) -> Arc<ToolApproval> {
        call.approval
            .clone()
            .unwrap_or_else(|| Arc::clone(&self.approval))
    }

    /// Returns why a person must be asked about a call before it runs.
    pub(super) fn need(&self, call: &Call, prepared: &Prepared) -> Option<NeedOfApproval> {
        // What is run without the right to write reads, whatever its label says; so does what is only proposed, because that
        // is asked about when it is to be applied.
        let effect = match call.reads || call.draft.is_some() {
            true => Effect::Read,
            false => prepared.bound.effect(&call.tool),
        };
        need(&self.approval(call).rules, call, effect)
    }

    /// Returns why a person must be asked before what a call has proposed is applied.
    #[cfg(all(feature = "drafts", target_os = "linux"))]
    pub(super) fn need_to_apply(&self, call: &Call, effect: Effect) -> Option<NeedOfApproval> {
        need(&self.approval(call).rules, call, effect)
    }

    /// The plan of a dry run, which says why a person must be asked.
    pub(super) fn with_need(
        &self,
        call: &Call,
        prepared: &Prepared,
        mut planned: DryRun,
    ) -> DryRun {
        let reasons = self.need(call, prepared).map(|need| need.reasons);
        let notes = reasons.into_iter().flatten();
        let notes = notes.map(|reason| format!("a person is asked first: {reason}"));
        planned.notes.extend(notes);
        planned
    }

    /// Lets a call go on that nobody has to allow, or that somebody has; otherwise, what its client has to ask first.
    pub(super) async fn approved(
        &self,
        call: &Call,
        prepared: &Prepared,
        place: &RunPlace,
    ) -> Result<Option<Outcome>, CallError> {
        let Some(need) = self.need(call, prepared) else {
            return Ok(None);
        };
        let approval = self.approval(call);
        let subject = self.subject(call, prepared, place, need)?;
        if let Some(verdict) = approval.settled(call, &subject)? {
            return asked(verdict).await;
        }
        let is_proposed = self.is_drafted_by_rule(call, prepared);
        let way = match approval.way(call, &subject.need) {
            // Nothing is changed before a person applies it.
            Err(_) if is_proposed => return Ok(None),
            way => way?,
        };
        let bound_to = subject.binding.clone();
        let need = subject.need.clone();
        let mut subject = subject;
        call.live.keeps_caller(way == AskWay::Client);
        (subject.shown.detail, subject.draft) = self.foreseen(call, prepared, place).await;
        if is_proposed && subject.draft.is_none() {
            call.live.keeps_caller(false);
            return Ok(None);
        }
        let verdict = approval.ask(call, subject, way).await?;
        if matches!(verdict, ApprovalVerdict::Allowed(_)) {
            // It may have taken minutes.
            let now = self.subject(call, prepared, place, need)?;
            if now.binding != bound_to {
                let message = "this call is refused: what would run is not what was shown any more";
                return Err(CallError::refused(message)
                    .hint("nothing was run; call it again, and the person is asked anew"));
            }
        }
        asked(verdict).await
    }

    /// The same for an answer of the bridge's own, which runs no program.
    pub(super) async fn approved_answer(&self, call: &Call) -> Result<Option<Outcome>, CallError> {
        let approval = self.approval(call);
        let Some(need) = need(&approval.rules, call, call.tool.help.effect) else {
            return Ok(None);
        };
        let input = serde_json::Value::Object(call.input.clone()).to_string();
        let run = DryRun {
            argv: vec![call.tool.name.to_string(), input],
            folder: here()?,
            effect: call.tool.help.effect,
            confinement: crate::Confined::not(call.reads),
            rule: String::new(),
            notes: call.notes.clone(),
        };
        let mut binding = self.binding(call, &run, &need);
        binding.add("");
        let shown = ShownCall::new(run, &call.caller, need.reasons.clone());
        let subject = ApprovalSubject {
            tool: call.tool.name.to_string(),
            need,
            shown,
            binding,
            draft: None,
        };
        if let Some(verdict) = approval.settled(call, &subject)? {
            return asked(verdict).await;
        }
        let way = approval.way(call, &subject.need)?;
        asked(approval.ask(call, subject, way).await?).await
    }

    /// The call as it is shown, and what an approval of it is bound to.
    fn subject(
        &self,
        call: &Call,
        prepared: &Prepared,
        place: &RunPlace,
        need: NeedOfApproval,
    ) -> Result<ApprovalSubject, CallError> {
        let run = self.planned(call, prepared, place.clone())?;
        let mut binding = self.binding(call, &run, &need);
        let stdin = prepared.bound.stdin.clone();
        binding.add(stdin.as_deref().unwrap_or_default());
        for word in prepared.argv.to_os_strings() {
            binding.add(word.as_encoded_bytes());
        }
        binding.add("");
        if let Some(folder) = &place.folder {
            binding.add(file_mark(&folder.current_dir()));
        }
        if let Target::Process(launcher) = &self.target {
            let own = launcher.variables_of(&call.caller.principal)?;
            let added = place.variables.iter().filter(|(name, _)| name != SCRATCH);
            for (name, value) in own.iter().chain(added) {
                binding.add(name.as_encoded_bytes());
                binding.add(value.as_encoded_bytes());
            }
            binding.add(file_mark(launcher.program_of(place)));
        }
        let mut shown = ShownCall::new(run, &call.caller, need.reasons.clone());
        shown.stdin = stdin;
        let variables = place.variables.iter().filter(|(name, _)| name != SCRATCH);
        let variables = variables
            .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()));
        shown.variables = variables.collect();
        Ok(ApprovalSubject {
            tool: call.tool.name.to_string(),
            need,
            shown,
            binding,
            draft: None,
        })
    }

    /// The things that every approval is bound to.
    fn binding(&self, call: &Call, run: &DryRun, need: &NeedOfApproval) -> Binding {
        let mut binding = Binding::default();
        binding.add(&*call.caller.principal);
        binding.add(call.tool.name.as_str());
        binding.add(run.effect.name());
        binding.add(run.confinement.to_text());
        binding.add(run.folder.as_os_str().as_encoded_bytes());
        if let Some(client) = &call.caller.client {
            binding.add(&client.name);
            binding.add(&client.version);
        }
        for word in run.argv.iter().chain(&need.reasons) {
            binding.add(word);
        }
        binding.add([u8::from(call.reads)]);
        let draft = call.draft.as_ref();
        binding.add(draft.map_or_else(String::new, |wish| format!("draft {:?}", wish.id)));
        binding
    }
}

/// The question to a client, if that is the verdict; or the outcome of the draft that a person was shown, which is
/// applied in the place of another run.
async fn asked(verdict: ApprovalVerdict) -> Result<Option<Outcome>, CallError> {
    match verdict {
        ApprovalVerdict::Allowed(None) => Ok(None),
        ApprovalVerdict::Allowed(Some(draft)) => draft.apply().await.map(Some),
        ApprovalVerdict::Ask(question) => Ok(Some(Outcome::needs_input(question))),
    }
}

/// The marks by which a file or folder is told from another one in its place.
fn file_mark(path: &Path) -> String {
    let Ok(there) = std::fs::metadata(path) else {
        return "missing".into();
    };
    let changed = there
        .modified()
        .ok()
        .filter(|_| there.is_file())
        .map(|time| format!("{time:?}"));
    let size = there.is_file().then_some(there.len());
    #[cfg(unix)]
    let number = {
        use std::os::unix::fs::MetadataExt;
        (there.dev(), there.ino())
    };
    #[cfg(not(unix))]
    let number = ();
    format!("{number:?} {size:?} {changed:?}")
}
