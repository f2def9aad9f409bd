//! The tool `draft`: what was proposed is applied, shown or dropped.

use std::sync::Arc;

use charmer_core::{
    model::{Effect, Hints},
    tool::{Annotations, Tool, ToolName},
};
use serde_json::{Map, Value, json};

use crate::{
    Call, CallError, CallPath, CallService, DryRun, ErrorCode, Outcome, ServedTool, SharedSteps,
    Target,
    approval::{
        ApprovalSubject, ApprovalVerdict, Binding, NeedOfApproval, ShownCall, ToolApproval,
    },
};

use super::{Applier, DRAFT_TOOL, Draft, Drafts, apart};

/// The number of characters of a file's diff that are shown at once.
const PAGE: usize = 20_000;

/// The tool for these drafts.
pub(crate) fn tool(drafts: &Drafts, shared: &SharedSteps) -> ServedTool {
    let schema = json!({
        "type": "object",
        "properties": {
            "action": {"type": "string", "enum": ["apply", "show", "drop"]},
            "id": {"type": "string"},
            "path": {"type": "string", "description": "One file, for show"},
            "offset": {"type": "integer"},
        },
        "required": ["action", "id"],
    });
    let Value::Object(schema) = schema else {
        unreachable!("the literal is an object")
    };
    let about = "Applies, shows or drops a draft that run_write has made.";
    let name = ToolName::exact(DRAFT_TOOL).expect("a literal");
    let hints = Hints::default().open_world(false);
    let mut tool = Tool::custom(name, about, schema, Annotations::new(&hints));
    tool.title = "Apply or drop a draft".to_owned();
    // Whoever may make one may apply it: what is in it was allowed when its commands were.
    tool.help.effect = Effect::Write;
    tool.output_schema = Arc::new(Map::new());
    let drafts = drafts.clone();
    let approval = Arc::new(shared.approval_of(drafts.redactor()));
    let service = CallService::new(move |call: Call| {
        let (drafts, approval) = (drafts.clone(), Arc::clone(&approval));
        async move { answer(&drafts, &approval, &call).await }
    });
    CallPath::new(Arc::new(tool), Target::Answer(service))
        .may_block(true)
        .serve(shared)
}

async fn answer(
    drafts: &Drafts,
    approval: &ToolApproval,
    call: &Call,
) -> Result<Outcome, CallError> {
    let wrong = |message: &str| Err(CallError::new(ErrorCode::InvalidArguments, message));
    let text = |key: &str| call.input.get(key).and_then(Value::as_str);
    let Some(id) = text("id") else {
        return wrong("`id`: expected the id of a draft");
    };
    let known = ["action", "id", "path", "offset"];
    if let Some(key) = call.input.keys().find(|key| !known.contains(&key.as_str())) {
        return wrong(&format!("`{}`: expected no such key", key.escape_debug()));
    }
    if call.dry_run {
        return Err(crate::path::runs_no_program(DRAFT_TOOL));
    }
    match text("action") {
        Some("apply") if call.caller.permissions.only_read() => {
            Err(CallError::refused("your token is for reading"))
        }
        Some("apply") => apply(drafts, approval, call, id).await,
        Some("drop") => {
            let dropped = on(drafts, call, id, |drafts, id, own| drafts.discard(id, own));
            dropped.await.map(Outcome::success)
        }
        Some("show") => match text("path").map(str::to_owned) {
            None => {
                let draft = on(drafts, call, id, |drafts, id, own| drafts.show(id, own));
                let draft = draft.await?;
                let mut outcome = Outcome::success("");
                outcome.draft = Some(Arc::new(draft));
                Ok(outcome)
            }
            Some(path) => {
                let whole = on(drafts, call, id, move |drafts, id, own| {
                    drafts.show_file(id, own, &path)
                });
                page(&whole.await?, call.input.get("offset"))
            }
        },
        _ => wrong("`action`: expected apply, show or drop"),
    }
}

/// Does this with the draft of an id, for the principal of a call. It reads files, and others' calls do not wait for that.
async fn on<T: Send + 'static>(
    drafts: &Drafts,
    call: &Call,
    id: &str,
    work: impl FnOnce(&Drafts, &str, Option<&str>) -> Result<T, CallError> + Send + 'static,
) -> Result<T, CallError> {
    let (drafts, id) = (drafts.clone(), id.to_owned());
    let principal = Arc::clone(&call.caller.principal);
    apart(move || work(&drafts, &id, Some(&principal))).await
}

/// Applies a draft; where a person must be asked about its commands, that person is shown what it changes, and allows just
/// that.
async fn apply(
    drafts: &Drafts,
    approval: &ToolApproval,
    call: &Call,
    id: &str,
) -> Result<Outcome, CallError> {
    let draft = on(drafts, call, id, |drafts, id, own| drafts.show(id, own));
    let draft = draft.await?;
    let need = draft.need.clone();
    let (by, shown) = match need.filter(|_| draft.counts.all() > 0) {
        None => (Applier::Assistant, None),
        Some(need) => {
            let subject = subject(call, &draft, need);
            let verdict = match approval.settled(call, &subject)? {
                Some(verdict) => verdict,
                None => {
                    let way = approval.way(call, &subject.need)?;
                    approval.ask(call, subject, way).await?
                }
            };
            if let ApprovalVerdict::Ask(question) = verdict {
                return Ok(Outcome::needs_input(question));
            }
            (Applier::Person, Some(draft.digest))
        }
    };
    let applied = on(drafts, call, id, move |drafts, id, own| {
        drafts.apply(id, own, by, shown.as_deref())
    });
    Ok(Outcome::success(applied.await?.told()))
}

/// A draft that is to be applied, as a person is shown it, and what an approval of that is bound to.
fn subject(call: &Call, draft: &Draft, need: NeedOfApproval) -> ApprovalSubject {
    let commands = draft.commands.iter();
    let run = DryRun {
        argv: [DRAFT_TOOL, "apply", &draft.id].map(str::to_owned).to_vec(),
        folder: draft.folders.join(", ").into(),
        effect: Effect::Write,
        confinement: crate::Confined::not(false),
        rule: String::new(),
        notes: commands.map(|line| format!("made by `{line}`")).collect(),
    };
    let mut binding = Binding::default();
    binding.add(&*call.caller.principal);
    if let Some(client) = &call.caller.client {
        binding.add(&client.name);
        binding.add(&client.version);
    }
    for part in [&draft.id, &draft.digest].into_iter().chain(&need.reasons) {
        binding.add(part);
    }
    let mut shown = ShownCall::new(run, &call.caller, need.reasons.clone());
    shown.detail = Some(draft.detail("what it changes, and nothing else is done"));
    ApprovalSubject {
        tool: DRAFT_TOOL.to_owned(),
        need,
        shown,
        binding,
        draft: None,
    }
}

/// A part of a text that may be long.
fn page(whole: &str, offset: Option<&Value>) -> Result<Outcome, CallError> {
    let offset = match offset {
        None | Some(Value::Null) => Some(0),
        Some(Value::String(text)) => text.parse().ok(),
        Some(other) => other.as_u64(),
    };
    let Some(offset) = offset.and_then(|offset| usize::try_from(offset).ok()) else {
        let message = "`offset`: expected a number from 0 on";
        return Err(CallError::new(ErrorCode::InvalidArguments, message));
    };
    let part: String = whole.chars().skip(offset).take(PAGE).collect();
    let shown = offset.saturating_add(part.chars().count());
    let all = whole.chars().count();
    let mut outcome = Outcome::success(part);
    if shown < all {
        outcome.note([format!(
            "{shown} of {all} characters; offset {shown} shows more"
        )]);
    }
    Ok(outcome)
}
