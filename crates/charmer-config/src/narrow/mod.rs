//! A file that includes another: the stricter of both counts, and what the including file would widen is a mistake.
//!
//! The rule is one for all keys: with the pair, nothing is let through that the included file alone refuses. What the
//! included file leaves out has its default there, and the default is the bound; only programs are free where it has no
//! `sources` at all. Every type is taken apart completely, so that a new key cannot be forgotten here.

mod bounds;
mod drafts;
mod people;
mod select;
mod source;

use std::{path::Path, sync::Arc};

use charmer_run::{Limits, SpoolLimits};

use crate::{
    AuditSettings, Config, Confine, ConfineMode, ExposeRules, FilePlace, Finding, LimitSettings,
    Log, Redact, ServerRules, SpoolKey, SpoolSettings,
    yaml::{Node, YamlKind},
};

/// The comparison of a file with the one that it includes.
pub(crate) struct Narrowing<'t> {
    /// The tree of the including file, for places.
    tree: &'t Node,
    /// The included file, as it is shown.
    base: String,
    pub(crate) findings: Vec<Finding>,
}

impl<'t> Narrowing<'t> {
    pub(crate) fn new(tree: &'t Node, base: &Path) -> Self {
        Self {
            tree,
            base: base.display().to_string(),
            findings: Vec::new(),
        }
    }

    /// Returns the rules that hold where `own` includes `base`.
    pub(crate) fn config(&mut self, base: Config, own: Config) -> Config {
        let Config {
            include,
            sources,
            server,
            limits,
            structure,
            results,
            expose,
            prompts,
            confine,
            drafts,
            hooks,
            ask,
            redact,
            audit,
            spool,
            http,
            principals,
            log,
            advice,
            baseline: _,
        } = own;
        let principals = self.principals(&base, principals);
        let sources = self.sources(&base, sources, &limits);
        Config {
            include,
            sources,
            server: both_servers(&base.server, server),
            limits: self.limits(&base.limits, limits),
            structure: structure.or(base.structure),
            results: results.or(base.results),
            expose: both_exposures(&base.expose, expose),
            prompts: match self.said(&["prompts"]) {
                true => prompts,
                false => base.prompts,
            },
            confine: self.confine(&["confine"], &base.confine, confine),
            drafts: self.drafts(&base.drafts, drafts),
            // Those of the included file are asked within these.
            hooks,
            // What the included file asks about is asked as well, whatever these say.
            ask,
            redact: both_redacted(&base.redact, redact),
            audit: self.audit(base.audit.as_ref(), audit),
            spool: self.spool(&base.spool, spool),
            http: self.http(&base.http, http),
            principals,
            log: self.log(&base.log, log),
            advice,
            baseline: Some(Arc::new(base)),
        }
    }

    /// Returns true if the including file has a key.
    fn said(&self, steps: &[&str]) -> bool {
        let mut node = self.tree;
        for step in steps {
            let next = match &node.kind {
                YamlKind::Map(entries) => entries.iter().find_map(|(key, value)| {
                    let is_it = matches!(&key.kind, YamlKind::Text(text) if text == step);
                    is_it.then_some(value)
                }),
                YamlKind::List(list) => step.parse().ok().and_then(|at: usize| list.get(at)),
                _ => None,
            };
            match next {
                Some(next) => node = next,
                None => return false,
            }
        }
        true
    }

    /// Notes what the including file would widen.
    fn widens(&mut self, steps: &[&str], message: impl Into<String>) {
        let hint = format!(
            "remove it, or change `{}`: a file can only narrow what it includes",
            self.base
        );
        self.mistake(steps, message, hint);
    }

    fn mistake(&mut self, steps: &[&str], message: impl Into<String>, hint: impl Into<String>) {
        let place = FilePlace::of(steps.iter().copied());
        self.findings
            .push(Finding::mistake(place, message).hint(hint));
    }

    /// A key that must stay as the included file has it.
    fn fixed<T: PartialEq + Clone>(&mut self, steps: &[&str], base: &T, own: T) -> T {
        if self.said(steps) && own != *base {
            let key = steps.last().copied().unwrap_or_default();
            let message = format!("`{key}` is not as `{}` has it", self.base);
            self.widens(steps, message);
        }
        base.clone()
    }

    fn limits(&mut self, base: &LimitSettings, own: LimitSettings) -> LimitSettings {
        let LimitSettings {
            timeout,
            job,
            background_after,
            grace,
            capture,
            output,
            media,
            max_items,
            concurrency,
            queue,
        } = own;
        let usual = Limits::default();
        let bytes = |bytes: usize| Some(bytes as u64);
        let at = |key: &'static str| ["limits", key];
        LimitSettings {
            timeout: self.duration(&at("timeout"), (base.timeout, Some(usual.timeout)), timeout),
            job: self.duration(&at("job"), (base.job, Some(usual.timeout)), job),
            // It says when a client is answered, and not what may be done.
            background_after: background_after.or(base.background_after),
            grace: self.duration(&at("grace"), (base.grace, Some(usual.grace)), grace),
            capture: self.size(
                &at("capture"),
                (base.capture, bytes(usual.capture_bytes)),
                capture,
            ),
            output: self.number(
                &at("output"),
                (base.output, Some(usual.output_chars)),
                output,
            ),
            media: self.size(&at("media"), (base.media, bytes(usual.media_bytes)), media),
            max_items: self.number(&at("max_items"), (base.max_items, None), max_items),
            // Their defaults depend on the machine.
            concurrency: self.number(&at("concurrency"), (base.concurrency, None), concurrency),
            queue: self.number(&at("queue"), (base.queue, None), queue),
        }
    }

    fn spool(&mut self, base: &SpoolKey, own: SpoolKey) -> SpoolKey {
        if !self.said(&["spool"]) {
            return base.clone();
        }
        let (bounds, own) = match (base, own) {
            (_, SpoolKey::Off) => return SpoolKey::Off,
            (SpoolKey::Off, SpoolKey::On(_)) => {
                let message = format!("`{}` keeps nothing on disk", self.base);
                self.widens(&["spool"], message);
                return SpoolKey::Off;
            }
            (SpoolKey::On(bounds), SpoolKey::On(own)) => (bounds, own),
        };
        let SpoolSettings {
            size,
            files,
            lifetime,
        } = own;
        let usual = SpoolLimits::default();
        SpoolKey::On(SpoolSettings {
            size: self.size(
                &["spool", "size"],
                (bounds.size, Some(usual.file_bytes)),
                size,
            ),
            files: self.number(
                &["spool", "files"],
                (bounds.files, Some(usual.files)),
                files,
            ),
            lifetime: self.duration(
                &["spool", "lifetime"],
                (bounds.lifetime, Some(usual.lifetime)),
                lifetime,
            ),
        })
    }

    /// The log of the included file stays where it is and is kept as long; it may become stricter.
    fn audit(
        &mut self,
        base: Option<&AuditSettings>,
        own: Option<AuditSettings>,
    ) -> Option<AuditSettings> {
        let (Some(base), Some(own)) = (base, own.clone()) else {
            return base.cloned().or(own);
        };
        let AuditSettings {
            file,
            fail_closed,
            rotate,
            keep,
        } = own;
        if file != base.file {
            let message = format!(
                "the calls are on record in `{}`, as `{}` says",
                base.file.display(),
                self.base
            );
            self.widens(&["audit", "file"], message);
        }
        if base.fail_closed && !fail_closed && self.said(&["audit", "fail_closed"]) {
            let message = format!("`fail_closed` is on in `{}`", self.base);
            self.widens(&["audit", "fail_closed"], message);
        }
        let rotate = self.fixed(&["audit", "rotate"], &base.rotate, rotate);
        if self.said(&["audit", "keep"]) && keep < base.keep {
            let message = format!("`{}` keeps {} of them", self.base, base.keep);
            self.widens(&["audit", "keep"], message);
        }
        Some(AuditSettings {
            file: base.file.clone(),
            fail_closed: fail_closed || base.fail_closed,
            rotate,
            keep: keep.max(base.keep),
        })
    }

    fn log(&mut self, base: &Log, own: Log) -> Log {
        let Log { calls, format } = own;
        if base.calls && !calls && self.said(&["log", "calls"]) {
            let message = format!("`{}` has every call logged", self.base);
            self.widens(&["log", "calls"], message);
        }
        Log {
            calls: calls || base.calls,
            format: match self.said(&["log", "format"]) {
                true => format,
                false => base.format,
            },
        }
    }

    /// `confine` of a file or a source, where `base` is what held without it.
    fn confine(&mut self, steps: &[&str], base: &Confine, own: Confine) -> Confine {
        let Confine { mode, writable } = own;
        let strictness = |mode: ConfineMode| match mode {
            ConfineMode::Auto => 2,
            ConfineMode::Names => 1,
            ConfineMode::Off => 0,
        };
        let least = base.mode.unwrap_or(ConfineMode::Auto);
        let mut merged = base.clone();
        if let Some(mode) = mode {
            if strictness(mode) < strictness(least) {
                let message = format!(
                    "`{}` is less than `{}`, which holds by `{}`",
                    mode.name(),
                    least.name(),
                    self.base
                );
                let at_mode: Vec<&str> = steps.iter().copied().chain(["mode"]).collect();
                let steps = match self.said(&at_mode) {
                    true => at_mode,
                    false => steps.to_vec(),
                };
                self.widens(&steps, message);
            } else {
                merged.mode = Some(mode);
            }
        }
        if writable.is_empty() {
            return merged;
        }
        let mut at: Vec<&str> = steps.to_vec();
        at.push("writable");
        for path in &writable {
            // Beneath is not enough: a link there could lead anywhere.
            if !base.writable.is_empty() && !base.writable.contains(path) {
                let message = format!(
                    "`{}` is none of the places that `{}` lets calls write to",
                    path.display(),
                    self.base
                );
                self.widens(&at, message);
            }
        }
        merged.writable = writable;
        merged
    }
}

/// The name is the including file's own; its instructions stand behind those of the other.
fn both_servers(base: &ServerRules, own: ServerRules) -> ServerRules {
    let ServerRules {
        name,
        version,
        instructions,
    } = own;
    ServerRules {
        name: name.or_else(|| base.name.clone()),
        version: version.or_else(|| base.version.clone()),
        instructions: match (&base.instructions, instructions) {
            (Some(first), Some(then)) => Some(format!("{}\n\n{then}", first.trim_end())),
            (first, then) => then.or_else(|| first.clone()),
        },
    }
}

/// Puts both together, the including file's word first: what is shown decides nothing about what can be run.
fn both_exposures(base: &ExposeRules, own: ExposeRules) -> ExposeRules {
    let ExposeRules {
        mode,
        budget,
        descriptions,
        mut pin,
        mut hide,
        promote,
    } = own;
    pin.extend(base.pin.iter().cloned());
    hide.extend(base.hide.iter().cloned());
    ExposeRules {
        mode: mode.or(base.mode),
        budget: budget.or(base.budget),
        descriptions: descriptions.or(base.descriptions),
        pin,
        hide,
        promote: promote || base.promote,
    }
}

fn both_redacted(base: &Redact, own: Redact) -> Redact {
    let Redact {
        values,
        environment,
        patterns,
    } = own;
    Redact {
        values: both(&base.values, values),
        environment: both(&base.environment, environment),
        patterns: both(&base.patterns, patterns),
    }
}

/// One list behind the other, each element once.
fn both<T: Clone + PartialEq>(base: &[T], own: Vec<T>) -> Vec<T> {
    let mut all = base.to_vec();
    for one in own {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    all
}
