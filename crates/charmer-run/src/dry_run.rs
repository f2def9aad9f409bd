//! A dry run: the command line that a call would run, where and with which rights, without running it.
//!
//! It takes the whole call path and stops where the process would start, so that what would be refused is refused. What
//! the steps on the way do with it:
//!
//! - The audit log has its line, with `dryRun: true` and the outcome `dry_run`; where calls must be on record, so must it.
//! - A rate limit does not count it and does not refuse it, and it waits for no place among other calls.
//! - A person is not asked, whoever wants it; that one would be asked is a note.
//! - Nothing is tried again.
//! - Hooks, before and after, and an author's own layers run: they may refuse a call, and a hook before may have a
//!   counterpart after. One that counts or spends something looks at [`Call::dry_run`](crate::Call::dry_run).
//!
//! - Hooks that are programs are asked before it, with `dryRun: true`: they judge, so what they refuse is refused, and that
//!   one allows it is a note. None is asked after it: nothing was run.
//!
//! That the program can be started, and confined, is not tried.

use std::path::PathBuf;

use charmer_core::{
    model::{Effect, Network},
    tool::quoted,
};
use serde_json::{Map, Value, json};

use crate::Redactor;

/// The command line that a call would run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DryRun {
    /// The command line, the program first: by its name, if that is found on the search path, else by its path.
    pub argv: Vec<String>,
    /// The folder that it would run in.
    pub folder: PathBuf,
    /// The worst that the command, with the flags that were given, is known to do.
    pub effect: Effect,
    /// The confinement that it would run in.
    pub confinement: Confined,
    /// The rule that lets it run so: a selector, an option, a label.
    pub rule: String,
    /// Further notes for its caller, in short sentences.
    pub notes: Vec<String>,
}

impl DryRun {
    /// As an object, with exactly the keys `argv`, `folder`, `effect`, `confinement`, `rule` and `notes`.
    pub fn to_json(&self, redactor: &Redactor) -> Map<String, Value> {
        let plain = |text: &str| redactor.text(text).into_owned();
        let all = |texts: &[String]| texts.iter().map(|text| plain(text)).collect::<Vec<_>>();
        let Value::Object(object) = json!({
            "argv": all(&self.argv),
            "folder": plain(&self.folder.to_string_lossy()),
            "effect": self.effect,
            "confinement": self.confinement.to_json(),
            "rule": plain(&self.rule),
            "notes": all(&self.notes),
        }) else {
            unreachable!("it is an object")
        };
        object
    }

    /// The command line as people type it.
    pub fn command_line(&self) -> String {
        let words: Vec<String> = self.argv.iter().map(|word| quoted(word)).collect();
        words.join(" ")
    }

    /// The same for people.
    pub(crate) fn to_text(&self, redactor: &Redactor) -> String {
        let effect = json!(self.effect);
        let mut lines = vec![
            self.command_line(),
            format!("folder: {}", self.folder.display()),
            format!("effect: {}", effect.as_str().unwrap_or_default()),
            format!("confinement: {}", self.confinement.to_text()),
            format!("rule: {}", self.rule),
        ];
        lines.extend(self.notes.iter().map(|note| format!("note: {note}")));
        lines.push("(dry run: nothing was run)".into());
        redactor.text(&lines.join("\n")).into_owned()
    }
}

/// The confinement of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Confined {
    /// The means that keep it from that.
    pub by: ConfinedBy,
    /// The network that it can reach beyond its process.
    pub network: Network,
    /// The places that it can write to.
    pub writable: Writable,
}

/// The means that keep a run from what it must not do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfinedBy {
    /// The kernel.
    Kernel,
    /// Nobody, but the names of the command and of its flags say that it only reads.
    Names,
    /// Nobody: it has the rights of its user.
    Nobody,
}

/// The places that a run can write to.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Writable {
    /// Wherever its user can.
    Anywhere,
    /// Beneath these folders, and in a scratch folder of its own.
    Only(Vec<PathBuf>),
}

impl Confined {
    /// A run with the rights of its user, which is meant to read or not.
    pub fn not(reads: bool) -> Self {
        Self {
            by: match reads {
                true => ConfinedBy::Names,
                false => ConfinedBy::Nobody,
            },
            network: Network::All,
            writable: Writable::Anywhere,
        }
    }

    /// As `{"mode", "network", "writable"}`: `kernel`, `names` or `none`; `none`, `tcp`, `socket` or `all`; a list of
    /// folders, or `"anywhere"`.
    fn to_json(&self) -> Value {
        json!({
            "mode": match self.by {
                ConfinedBy::Kernel => "kernel",
                ConfinedBy::Names => "names",
                ConfinedBy::Nobody => "none",
            },
            "network": self.network.name(),
            "writable": match &self.writable {
                Writable::Anywhere => "anywhere".into(),
                Writable::Only(folders) => folders.iter().map(|folder| folder.to_string_lossy()).collect::<Value>(),
            },
        })
    }

    /// The same for people.
    pub(crate) fn to_text(&self) -> String {
        let by = match self.by {
            ConfinedBy::Kernel => "by the kernel",
            ConfinedBy::Names => "by names alone",
            ConfinedBy::Nobody => "none",
        };
        let writable = match &self.writable {
            Writable::Anywhere => "writes anywhere".to_owned(),
            Writable::Only(folders) if folders.is_empty() => "writes nothing".to_owned(),
            Writable::Only(folders) => {
                let folders = folders.iter().map(|folder| folder.display().to_string());
                format!("writes beneath {}", folders.collect::<Vec<_>>().join(", "))
            }
        };
        format!("{by}, network {}, {writable}", self.network.name())
    }
}

/// The rules by which the calls of a tool may run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rule {
    /// The reason why the tool is offered: the selector or option that let it in, with its place in the file.
    pub offered: String,
    /// The reason why a call of it may run as one that only reads; empty where nothing is to be said of that.
    pub reads: String,
}

impl Rule {
    /// A rule that let a tool in.
    pub fn new(offered: impl Into<String>) -> Self {
        Self {
            offered: offered.into(),
            reads: String::new(),
        }
    }

    /// Says why a call of it may run as one that only reads.
    #[must_use]
    pub fn reads(mut self, why: impl Into<String>) -> Self {
        self.reads = why.into();
        self
    }

    /// The rule for a call, which is meant to read or not.
    pub(crate) fn told(&self, reads: bool) -> String {
        match reads && !self.reads.is_empty() {
            true => format!("{}; {}", self.offered, self.reads),
            false => self.offered.clone(),
        }
    }
}
