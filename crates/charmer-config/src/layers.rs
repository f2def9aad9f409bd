//! The file's keys as layers of `charmer_run` around calls.
//!
//! `timeout` is not among them: a selector may also allow more time than the file's `limits` do, which the layer, that
//! only lowers, cannot say. It is in [`SelectEntry::limits`], with the other bounds of a call.

use std::path::Path;

use charmer_core::tool::Tool;
use charmer_run::{CallService, Redactor, layers, wrap};
use tower::Layer;

use crate::{
    AuditSettings, Check, FilterSettings, RateLimitSettings, RetrySettings, SelectEntry,
    SourceEntry, Validation,
};

/// The reason why a pattern of the file is one.
const COMPILED: &str = "the pattern was compiled when the file was read";

/// The layers around the calls of a selector's commands, as one.
///
/// From the outside: `rate_limit`, `validate` (the first entry first), `filter` (the first entry first), `retry`, and
/// then the call. So what is refused counts as a call and is not tried again, another try does not count, and output
/// is filtered once. An [audit log](AuditSettings::layer) goes around all of it.
///
/// Clones, and all call paths that it is put around, share the rate limit: they are the selector's commands.
///
/// ```
/// # use charmer_config::Config;
/// # use charmer_run::{Call, CallError, Outcome, into_service, wrap};
/// let text = "sources: [{binary: gh, select: [{assume_effect: read, rate_limit: {calls: 10, per: 1m}, retry: {times: 2}}]}]";
/// let layers = Config::parse(text, "charmer.yaml").unwrap().sources[0].select[0].layers();
/// let inner = into_service(tower::service_fn(|_: Call| async { Ok::<_, CallError>(Outcome::success("")) }));
/// let path = wrap(&layers, inner);
/// # let _ = path;
/// ```
#[derive(Debug, Clone)]
pub struct Layers {
    rate_limit: Option<layers::RateLimit>,
    validate: Vec<layers::Validate>,
    filter: Vec<layers::Filter>,
    retry: Option<layers::Retry>,
    /// Those of the entry of an included file, which see what will be run and what was printed.
    baseline: Option<Box<Self>>,
}

impl Layer<CallService> for Layers {
    type Service = CallService;

    fn layer(&self, mut path: CallService) -> CallService {
        if let Some(baseline) = &self.baseline {
            path = wrap(&**baseline, path);
        }
        if let Some(retry) = &self.retry {
            path = wrap(retry, path);
        }
        // An outcome meets the innermost first, a call the outermost.
        for filter in &self.filter {
            path = wrap(filter, path);
        }
        for validate in self.validate.iter().rev() {
            path = wrap(validate, path);
        }
        if let Some(rate_limit) = &self.rate_limit {
            path = wrap(rate_limit, path);
        }
        path
    }
}

impl SelectEntry {
    /// The layers around its commands' calls. They are made once for all of them: each has a rate limit of its own.
    pub fn layers(&self) -> Layers {
        Layers {
            rate_limit: self.rate_limit.as_ref().map(RateLimitSettings::layer),
            validate: self.validate.iter().map(Validation::layer).collect(),
            filter: self.filter.iter().map(FilterSettings::layer).collect(),
            retry: self.retry.as_ref().map(RetrySettings::layer),
            baseline: None,
        }
    }
}

impl SourceEntry {
    /// The layers around the calls of each entry of `select`, in order. Entries that hold together with one of an
    /// included file share its layers, and so its rate.
    pub fn layers(&self) -> Vec<Layers> {
        let mut shared: Vec<(*const SelectEntry, Layers)> = Vec::new();
        let entries = self.select.iter();
        entries
            .map(|entry| Layers {
                baseline: within(entry, &mut shared),
                ..entry.layers()
            })
            .collect()
    }
}

/// The layers of the entry that this one holds together with.
fn within(
    entry: &SelectEntry,
    shared: &mut Vec<(*const SelectEntry, Layers)>,
) -> Option<Box<Layers>> {
    let baseline = entry.baseline.as_ref()?;
    let place = std::sync::Arc::as_ptr(baseline);
    if let Some((_, layers)) = shared.iter().find(|(known, _)| *known == place) {
        return Some(Box::new(layers.clone()));
    }
    let layers = Layers {
        // Further tries are counted once, by the entry itself.
        retry: None,
        baseline: within(baseline, shared),
        ..baseline.layers()
    };
    shared.push((place, layers.clone()));
    Some(Box::new(layers))
}

impl RateLimitSettings {
    /// A bucket of its own for these calls; they may come at once.
    pub fn layer(&self) -> layers::RateLimit {
        layers::RateLimit::new(self.calls, self.per)
    }
}

impl RetrySettings {
    /// The further tries.
    pub fn layer(&self) -> layers::Retry {
        layers::Retry::new(self.times, self.wait)
    }
}

impl Validation {
    /// The check, which refuses calls.
    pub fn layer(&self) -> layers::Validate {
        let name = self.argument.as_str();
        let check = match &self.check {
            Check::Pattern(pattern) => {
                let pattern = pattern.as_str();
                let message = format!("`{name}` must match the pattern `{pattern}`");
                layers::Validate::pattern(name, pattern, message).expect(COMPILED)
            }
            Check::Forbid(pattern) => {
                let pattern = pattern.as_str();
                let message = format!("`{name}` must not contain the pattern `{pattern}`");
                layers::Validate::forbid(name, pattern, message).expect(COMPILED)
            }
            Check::MaxItems(most) => layers::Validate::at_most(name, *most),
        };
        match &self.message {
            Some(message) => check.message(format!("`{name}`: {message}")),
            None => check,
        }
    }

    /// Returns true if a tool has the argument at all. An argument that no tool has is a mistake of whoever wrote the
    /// file.
    pub fn applies_to(&self, tool: &Tool) -> bool {
        self.layer().applies_to(tool)
    }
}

impl FilterSettings {
    /// The replacement, which changes what came of calls.
    pub fn layer(&self) -> layers::Filter {
        layers::Filter::new(self.pattern.as_str(), self.replace.as_str()).expect(COMPILED)
    }
}

impl AuditSettings {
    /// The log, without these secrets. A relative file is one in this directory: usually that of `charmer.yaml`.
    ///
    /// It is made once for a server, and goes around every call path.
    pub fn layer(&self, redactor: Redactor, directory: &Path) -> layers::Audit {
        let audit = layers::Audit::new(directory.join(&self.file))
            .redact(redactor)
            .fail_closed(self.fail_closed);
        match self.rotate {
            Some(size) => audit.rotate(size, self.keep),
            None => audit,
        }
    }
}
