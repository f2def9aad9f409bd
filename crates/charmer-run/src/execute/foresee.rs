//! The changes of a call, found out before a person is asked about it: by a draft of it, or by the program's own preview.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use charmer_core::{
    call::{Given, Prepared, write},
    model::{Effect, FlagValue},
};

use crate::{
    Call, Limits, Outcome, RunPlace,
    approval::{HeldDraft, ShownDetail},
    process::{Launcher, Request},
};

use super::{Execute, Target};

/// The longest time that a trial may take: a person waits for it, and a client, which gives up after a minute or so.
const LONGEST: Duration = Duration::from_secs(30);
/// The time that a preview has at least, where a trial took long.
const LEAST: Duration = Duration::from_secs(5);
/// The amount of its output that is kept.
const MOST_BYTES: usize = 256 << 10;

impl Execute {
    /// The changes that a call would make, and the draft that does it, where there is one. Nothing of it is done.
    pub(super) async fn foreseen(
        &self,
        call: &Call,
        prepared: &Prepared,
        place: &RunPlace,
    ) -> (Option<ShownDetail>, Option<HeldDraft>) {
        let Target::Process(launcher) = &self.target else {
            return (None, None);
        };
        if call.reads || prepared.bound.effect(&call.tool) == Effect::Read {
            return (None, None);
        }
        let began = Instant::now();
        let limits = call.limits.clone();
        let limits = Limits {
            timeout: limits.timeout.min(LONGEST),
            ..limits
        };
        let limits = limits.capture_bytes(MOST_BYTES);
        let mut request = Request::new(prepared.argv.to_os_strings(), limits)
            .principal(Arc::clone(&call.caller.principal))
            .place(place.clone());
        request.stdin = prepared.bound.stdin.clone().map(String::into_bytes);
        let tried = match drafted(launcher, call, request.clone()).await {
            Some((detail, Some(draft))) => return (Some(detail), Some(draft)),
            Some((detail, None)) => Some(detail),
            None => None,
        };
        let preview = self.previewed(call, prepared);
        let preview = preview.filter(|_| can_confine(launcher));
        let Some(preview) = preview else {
            return (tried, None);
        };
        request.argv = preview.argv.to_os_strings();
        request.reads = true;
        let left = LONGEST.saturating_sub(began.elapsed()).max(LEAST);
        request.limits.timeout = request.limits.timeout.min(left);
        let outcome = launcher.run(request, call.cancel.clone()).await;
        (outcome.ok().map(|outcome| shown(&outcome)).or(tried), None)
    }

    /// The call with the flag that makes its program only show what it would do; none, where it has none.
    fn previewed(&self, call: &Call, prepared: &Prepared) -> Option<Prepared> {
        let flags = &call.tool.input.flags;
        let mut previews = flags.iter().enumerate();
        let (at, values) = previews.find_map(|(at, property)| {
            let values = property.flag.previews.as_ref()?;
            Some((at, values))
        })?;
        let given = match (values.first(), &flags[at].flag.value) {
            (Some(value), _) => Given::Values(vec![vec![value.clone()]]),
            (None, FlagValue::Optional { .. }) => Given::Bare,
            (None, _) => Given::Switch(true),
        };
        let mut bound = prepared.bound.clone();
        bound.flags.retain(|(other, _)| *other != at);
        bound.flags.push((at, given));
        bound.flags.sort_by_key(|(at, _)| *at);
        let preview = write(&call.tool, &self.tool, bound).ok()?;
        (preview.bound.effect(&call.tool) == Effect::Read).then_some(preview)
    }
}

/// The output of a preview.
fn shown(outcome: &Outcome) -> ShownDetail {
    let title = match outcome.is_success() {
        true => "what the program says that it would do (its preview)",
        false => "the program's preview failed",
    };
    let (stdout, stderr) = (outcome.stdout_text(), outcome.stderr.to_text());
    let text = [stdout.trim_end(), stderr.trim_end()];
    ShownDetail::new(title, text.join("\n").trim())
}

/// Returns true if a run that is meant to read can be kept from writing.
fn can_confine(launcher: &Launcher) -> bool {
    #[cfg(feature = "sandbox")]
    {
        launcher.confinement(true).is_some()
    }
    #[cfg(not(feature = "sandbox"))]
    {
        let _ = launcher;
        false
    }
}

/// The changes of the call as a draft; and the draft itself, if that is all of it: it ended well, changed something, and tried
/// nothing else. Otherwise what was seen of it is still worth more than a command line.
#[cfg(all(feature = "drafts", target_os = "linux"))]
async fn drafted(
    launcher: &Launcher,
    call: &Call,
    request: Request,
) -> Option<(ShownDetail, Option<HeldDraft>)> {
    let drafts = launcher.drafts()?.clone();
    launcher.drafting_way()?;
    if call.draft.is_some() {
        return None;
    }
    let wish = crate::DraftRequest::new(crate::DraftedBy::Trial);
    let folders = &call.caller.folders;
    let line = format!("{} (to be approved)", call.tool.name);
    let run = launcher.run_drafted(request, call.cancel.clone(), &wish, folders, line);
    let outcome = run.await.ok()?;
    let draft = outcome.draft.clone();
    let is_success = outcome.is_success();
    // From here on it is dropped when it is not applied.
    let held = HeldDraft::new(drafts, outcome)?;
    let draft = draft?;
    let is_all = draft.denied.is_empty() && draft.blocked.is_none();
    if is_success && is_all && draft.counts.all() > 0 {
        return Some((draft.detail("allowing it applies just this"), Some(held)));
    }
    let why = match (is_success, &draft.blocked) {
        (false, _) => "; the trial, offline and kept to the folder, did not end well".to_owned(),
        (true, Some(blocked)) => format!("; as a draft it could not be applied: {blocked}"),
        (true, None) => String::new(),
    };
    let is_told = draft.counts.all() > 0 || !draft.denied.is_empty();
    let title = format!("allowing it runs the command itself, of which a trial did this{why}");
    is_told.then(|| (draft.detail(&title), None))
}

#[cfg(not(all(feature = "drafts", target_os = "linux")))]
async fn drafted(_: &Launcher, _: &Call, _: Request) -> Option<(ShownDetail, Option<HeldDraft>)> {
    None
}
