//! Drafts: a local write as a proposal. The real command runs over a view of the served folders of its own, confined and
//! offline, and what it did is the answer; applying it is a second step, which can be another's.
//!
//! A call becomes one by [`Call::draft`](crate::Call::draft), or by the rule of its launcher
//! ([`Drafting`](crate::process::Drafting)); [`Execute`](crate::Execute) then runs it so, and the outcome has the [`Draft`]:
//!
//! ```ignore
//! let outcome = service.call(call.draft(Some(DraftRequest::new(DraftedBy::Rule)))).await?;
//! let draft = outcome.draft.expect("it was run as one");   // its id, paths, diff, and the digest of all that
//! // Somebody looks at it, and then exactly that is applied, or nothing:
//! drafts.apply(&draft.id, &principal, Applier::Person, Some(&draft.digest))?;
//! ```
//!
//! - [`Drafts`] is where they are kept: on disk, a folder each, which belongs to a principal and goes after an hour or
//!   with its server.
//! - [`changes`] reads what was changed, from what the kernel has kept or from a copy of the folder.
//! - [`diff`] says it for people.
//! - [`apply`] does it: staged beside, renamed in order, undone on failure. A [`journal`] is kept meanwhile, so that a
//!   crash in the middle is told, and can be finished or undone.

#[cfg(all(feature = "drafts", target_os = "linux"))]
mod apply;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod changes;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod copy;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod denied;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod diff;
#[cfg(all(feature = "drafts", not(target_os = "linux")))]
mod elsewhere;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod journal;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod keep;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod record;
mod rules;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod run;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod state;
#[cfg(all(feature = "drafts", target_os = "linux"))]
mod store;
#[cfg(all(test, feature = "drafts", target_os = "linux"))]
mod tests;
#[cfg(feature = "drafts")]
mod tool;
mod wish;

#[cfg(all(feature = "drafts", not(target_os = "linux")))]
pub use elsewhere::Drafts;
pub use rules::{Applier, DraftRules};
#[cfg(all(feature = "drafts", target_os = "linux"))]
pub use store::Drafts;
#[cfg(feature = "drafts")]
pub(crate) use tool::tool;
pub use wish::{draft_properties, wanted_draft};

/// The name of the tool that applies, shows and drops drafts. No other tool should have it.
pub const DRAFT_TOOL: &str = "draft";

use std::time::SystemTime;

use serde_json::{Map, Value, json};

#[cfg(feature = "drafts")]
use crate::{
    CallError, ErrorCode,
    approval::{NeedOfApproval, ShownDetail},
};

/// The wish that a call is run as a draft.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DraftRequest {
    /// The draft that it goes on with; a new one, if there is none.
    pub id: Option<String>,
    /// The one who wants it.
    pub by: DraftedBy,
    /// The reasons for asking a person about the call, which hold for applying what it changes.
    #[cfg(feature = "drafts")]
    pub(crate) need: Option<NeedOfApproval>,
}

impl DraftRequest {
    /// A new draft.
    pub fn new(by: DraftedBy) -> Self {
        Self {
            id: None,
            by,
            #[cfg(feature = "drafts")]
            need: None,
        }
    }

    /// Goes on with a draft that is there.
    #[must_use]
    pub fn within(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }
}

/// The one who wanted a draft.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DraftedBy {
    /// Whoever made the call.
    Caller,
    /// A rule, whatever the caller wanted.
    Rule,
    /// The step that asks a person about a call, to show what it does. Nobody else knows of it, and only that person's
    /// word applies it.
    Trial,
}

/// A draft as it is shown: what a call, or several, would change. Its texts hold no secrets that are known.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Draft {
    /// The name by which it is applied, shown, dropped or gone on with.
    pub id: String,
    /// Files that are new; by paths relative to the first folder, or absolute in another.
    pub created: Vec<String>,
    /// Files that have other content, another mode or another target.
    pub changed: Vec<String>,
    /// Files that are gone.
    pub deleted: Vec<String>,
    /// Files that are among the deleted by the first name and among the new by the second, with the same content.
    pub renamed: Vec<(String, String)>,
    /// Modes that have changed, and those of new files that can be run: path, before, now.
    pub modes: Vec<(String, Option<u32>, u32)>,
    /// Symbolic links that are new or lead elsewhere: path and target.
    pub links: Vec<(String, String)>,
    /// The numbers of files in each of the lists, which may be cut.
    pub counts: DraftCounts,
    /// The changes of texts as a unified diff, cut to a budget; of other files their size and digest.
    pub diff: String,
    /// There is more of the diff or of the lists.
    pub cut: bool,
    /// Paths outside of the folders that it seems to have tried to write, as far as its output tells.
    pub denied: Vec<String>,
    /// The digest of all changes, also of those that are not shown: of paths, kinds, modes, targets and contents.
    pub digest: String,
    /// The one who may apply it.
    pub applied_by: Applier,
    /// The reason why it cannot be applied, if it cannot.
    pub blocked: Option<String>,
    /// Further notes.
    pub notes: Vec<String>,
    /// The command lines that made it.
    pub commands: Vec<String>,
    /// The folders that it is of.
    pub folders: Vec<String>,
    /// The reasons for asking a person before it is applied.
    #[cfg(feature = "drafts")]
    pub(crate) need: Option<NeedOfApproval>,
}

/// The numbers of files that are changed in each way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DraftCounts {
    /// New ones.
    pub created: usize,
    /// Changed ones.
    pub changed: usize,
    /// Deleted ones.
    pub deleted: usize,
}

impl DraftCounts {
    /// All of them.
    pub fn all(self) -> usize {
        self.created + self.changed + self.deleted
    }

    /// In words.
    pub fn told(self) -> String {
        match self.all() {
            0 => "nothing changed".into(),
            _ => format!(
                "{} created, {} changed, {} deleted",
                self.created, self.changed, self.deleted
            ),
        }
    }
}

impl Draft {
    /// As an object: `id`, `created`, `changed`, `deleted`, `diff`, `counts`, `apply`, and what else there is to say.
    pub fn to_json(&self) -> Map<String, Value> {
        let mut object = Map::new();
        let mut put = |key: &str, value: Value| drop(object.insert(key.into(), value));
        put("id", self.id.as_str().into());
        for (key, paths) in [
            ("created", &self.created),
            ("changed", &self.changed),
            ("deleted", &self.deleted),
        ] {
            put(key, paths.clone().into());
        }
        let renamed = self.renamed.iter();
        let renamed = renamed.map(|(from, to)| json!({"from": from, "to": to}));
        let modes = self.modes.iter().map(|(path, before, now)| {
            let mut mode = json!({"path": path, "to": format!("{now:o}")});
            if let Some(before) = before {
                mode["from"] = format!("{before:o}").into();
            }
            mode
        });
        let links = self.links.iter();
        let links = links.map(|(path, target)| json!({"path": path, "target": target}));
        for (key, values) in [
            ("renamed", renamed.collect::<Vec<Value>>()),
            ("modes", modes.collect()),
            ("links", links.collect()),
            (
                "denied",
                self.denied
                    .iter()
                    .map(|path| path.as_str().into())
                    .collect(),
            ),
            (
                "notes",
                self.notes.iter().map(|note| note.as_str().into()).collect(),
            ),
        ] {
            if !values.is_empty() {
                put(key, values.into());
            }
        }
        let DraftCounts {
            created,
            changed,
            deleted,
        } = self.counts;
        put(
            "counts",
            json!({"created": created, "changed": changed, "deleted": deleted}),
        );
        put("diff", self.diff.as_str().into());
        if self.cut {
            put("cut", true.into());
        }
        put("apply", self.applied_by.name().into());
        if let Some(reason) = &self.blocked {
            put("blocked", reason.as_str().into());
        }
        object
    }

    /// The same for people; it ends with what to do.
    pub fn to_text(&self) -> String {
        let mut parts = vec![format!("[draft {}: {}]", self.id, self.counts.told())];
        let lists = [
            ("created", &self.created, self.counts.created),
            ("changed", &self.changed, self.counts.changed),
            ("deleted", &self.deleted, self.counts.deleted),
        ];
        for (name, paths, count) in lists.iter().filter(|(_, paths, _)| !paths.is_empty()) {
            let more = match count - paths.len() {
                0 => String::new(),
                more => format!(", and {more} more"),
            };
            parts.push(format!("{name}: {}{more}", paths.join(", ")));
        }
        let renamed = self.renamed.iter();
        parts.extend(renamed.map(|(from, to)| format!("renamed: {from} to {to}")));
        let modes = self.modes.iter();
        parts.extend(modes.map(|(path, before, now)| match before {
            Some(before) => format!("mode: {path} {before:o} to {now:o}"),
            None => format!("mode: {path} {now:o}"),
        }));
        if !self.denied.is_empty() {
            let denied = self.denied.join(", ");
            parts.push(format!("out of its reach: {denied}"));
        }
        if !self.diff.is_empty() {
            parts.push(self.diff.trim_end().to_owned());
        }
        if self.cut {
            let id = &self.id;
            parts.push(format!(
                "[cut: the tool `draft` with the action show, id {id} and a path shows more]"
            ));
        }
        parts.extend(self.notes.iter().map(|note| format!("[{note}]")));
        parts.push(self.what_now());
        parts.join("\n")
    }

    /// The change, as a person is shown it who decides on it.
    #[cfg(all(feature = "drafts", target_os = "linux"))]
    pub(crate) fn detail(&self, title: &str) -> ShownDetail {
        let lists = [
            ("created", &self.created),
            ("changed", &self.changed),
            ("deleted", &self.deleted),
            ("out of its reach", &self.denied),
        ];
        let lists = lists.iter().filter(|(_, paths)| !paths.is_empty());
        let mut text: Vec<String> = lists
            .map(|(name, paths)| format!("{name}: {}", paths.join(", ")))
            .collect();
        text.extend(self.notes.iter().map(|note| format!("[{note}]")));
        text.push(self.diff.clone());
        ShownDetail::new(
            format!("{title} ({})", self.counts.told()),
            &text.join("\n"),
        )
    }

    fn what_now(&self) -> String {
        let id = &self.id;
        #[cfg(feature = "drafts")]
        if self.need.is_some() && self.blocked.is_none() && self.counts.all() > 0 {
            return format!(
                "[not applied yet: the tool `draft` with the action apply and the id {id} asks a person first, or \
                 `charmer drafts apply {id}` does it]"
            );
        }
        match (&self.blocked, self.applied_by, self.counts.all()) {
            (Some(reason), ..) => format!("[it cannot be applied: {reason}]"),
            (None, _, 0) => "[there is nothing to apply]".into(),
            (None, Applier::Assistant, _) => format!(
                "[not applied yet: the tool `draft` with the action apply and the id {id} does that, or `charmer drafts \
                 apply {id}`]"
            ),
            (None, Applier::Person, _) => {
                format!("[not applied yet: a person does that, with `charmer drafts apply {id}`]")
            }
        }
    }
}

/// A draft in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DraftSummary {
    /// Its name.
    pub id: String,
    /// Whom it belongs to.
    pub principal: String,
    /// The time at which it was begun.
    pub begun: SystemTime,
    /// The folders that it is of.
    pub folders: Vec<String>,
    /// The command lines that made it.
    pub commands: Vec<String>,
    /// The numbers of its changes.
    pub counts: DraftCounts,
    /// Applying it was interrupted.
    pub interrupted: bool,
}

/// The outcome of a draft that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppliedDraft {
    /// Its name.
    pub id: String,
    /// The numbers of files that were changed.
    pub counts: DraftCounts,
    /// Further notes.
    pub notes: Vec<String>,
}

impl AppliedDraft {
    /// In a sentence.
    pub fn told(&self) -> String {
        let notes: String = self
            .notes
            .iter()
            .map(|note| format!("\n[{note}]"))
            .collect();
        format!(
            "draft {} is applied: {}{notes}",
            self.id,
            self.counts.told()
        )
    }
}

/// Does work that blocks on a thread for it.
#[cfg(feature = "drafts")]
async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, CallError> + Send + 'static,
) -> Result<T, CallError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|_| {
        Err(CallError::new(
            ErrorCode::Internal,
            "work on a draft panicked: a bug",
        ))
    })
}
