//! The file as the parts that run calls need it: selection, bounds, environments and secrets.

use std::{ffi::OsString, fmt};

use charmer_core::{
    model::Hints,
    select::{self, CommandRule, FlagRule},
};
use charmer_run::{
    Limits as CallLimits, Redactor, SpoolLimits,
    jobs::{JobRules, LONG_RUNNING},
    process::{ConcurrencyGroup, EngineOptions, Environment},
};

use crate::{
    CommandSelection, Config, EnvironmentRules, FilePlace, FlagSelection, Inherit, Pattern, Secret,
    SelectEntry, SourceEntry, SpoolKey,
};

/// Secrets shorter than this are likely to be found where they are none.
const SHORT_SECRET: usize = 4;

/// Something in a valid file that may not be as it was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileWarning {
    /// The possible mistake, for people.
    pub message: String,
    /// The next step for whoever reads it.
    pub hint: String,
    /// Its place in the file: within the source, or in the file where it is about no source.
    pub place: FilePlace,
}

impl FileWarning {
    fn new(message: String, hint: &str) -> Self {
        Self {
            message,
            hint: hint.to_owned(),
            place: FilePlace::of(["redact"]),
        }
    }
}

impl fmt::Display for FileWarning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.hint)
    }
}

impl Config {
    /// The bounds of calls whose selector sets none.
    pub fn limits(&self) -> CallLimits {
        let set = &self.limits;
        let mut limits = CallLimits::default();
        // Who says how long a call may run says it of one that became a job, too.
        let most = match (set.timeout, set.job) {
            (Some(timeout), Some(job)) => Some(timeout.min(job)),
            (timeout, job) => timeout.or(job),
        };
        limits.timeout = most.unwrap_or(limits.timeout);
        limits.grace = set.grace.unwrap_or(limits.grace);
        limits.output_chars = set.output.unwrap_or(limits.output_chars);
        if let Some(bytes) = set.capture {
            limits.capture_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        if let Some(bytes) = set.media {
            limits.media_bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        limits
    }

    /// The same for a command that is known to take long.
    ///
    /// ```
    /// # use charmer_config::Config;
    /// let of = |text| Config::parse(text, "charmer.yaml").unwrap().long_limits().timeout.as_secs();
    /// assert_eq!(of("limits: {grace: 2s}"), 2 * 60 * 60);
    /// assert_eq!(of("limits: {job: 10m}"), 10 * 60);
    /// ```
    pub fn long_limits(&self) -> CallLimits {
        let limits = self.limits();
        match (self.limits.timeout, self.limits.job) {
            (None, None) => limits.timeout(LONG_RUNNING),
            _ => limits,
        }
    }

    /// The rules of calls that take long.
    pub fn job_rules(&self) -> JobRules {
        let rules = JobRules::default();
        match self.limits.background_after {
            Some(time) => rules.background_after(time),
            None => rules,
        }
    }

    /// Sets how many programs run at once and how many calls wait; sixteen times as many wait if only the first is
    /// set.
    ///
    /// ```
    /// # use charmer_config::Config;
    /// let mut options = charmer_run::process::EngineOptions::default();
    /// Config::parse("limits: {concurrency: 2}", "charmer.yaml").unwrap().set_load(&mut options);
    /// assert_eq!((options.concurrency, options.queue), (Some(2), None));
    /// ```
    pub fn set_load(&self, options: &mut EngineOptions) {
        options.concurrency = self.limits.concurrency.or(options.concurrency);
        options.queue = self.limits.queue.or(options.queue);
    }

    /// The redactor of what must not be seen. Variables are looked up by the caller; one that is not set is a warning,
    /// because a secret that is not there cannot be shown.
    ///
    /// ```
    /// # use charmer_config::Config;
    /// let config = Config::parse("redact: {environment: [TOKEN, OTHER]}", "charmer.yaml").unwrap();
    /// let (redactor, warnings) = config.redactor(|name| (name == "TOKEN").then(|| "s3cret".into()));
    /// assert_eq!(redactor.text("it is s3cret"), "it is [redacted]");
    /// assert_eq!(
    ///     warnings[0].to_string(),
    ///     "the variable `OTHER` that `redact` names is not set (set it, or remove it from the list)"
    /// );
    /// ```
    pub fn redactor(
        &self,
        lookup: impl Fn(&str) -> Option<String>,
    ) -> (Redactor, Vec<FileWarning>) {
        const SHORT: &str = "it is replaced wherever it stands, also where it is no secret";
        let mut warnings = Vec::new();
        let mut values: Vec<String> = Vec::new();
        for value in self.redact.values.iter().map(Secret::reveal) {
            if value.chars().count() < SHORT_SECRET {
                let message = "`redact` holds a value of less than four characters".into();
                warnings.push(FileWarning::new(message, SHORT));
            }
            values.push(value.to_owned());
        }
        for name in &self.redact.environment {
            match lookup(name).filter(|value| !value.is_empty()) {
                Some(value) => {
                    if value.chars().count() < SHORT_SECRET {
                        let message = format!(
                            "the variable `{name}` that `redact` names has less than four characters"
                        );
                        warnings.push(FileWarning::new(message, SHORT));
                    }
                    values.push(value);
                }
                None => warnings.push(FileWarning::new(
                    format!("the variable `{name}` that `redact` names is not set"),
                    "set it, or remove it from the list",
                )),
            }
        }
        let patterns = self.redact.patterns.iter().map(Pattern::as_str);
        let redactor = Redactor::new(values, patterns)
            .expect("the patterns were compiled when the file was read");
        (redactor, warnings)
    }

    /// The limits of long output on disk; `None` for nothing.
    pub fn spool_limits(&self) -> Option<SpoolLimits> {
        let SpoolKey::On(set) = &self.spool else {
            return None;
        };
        let mut limits = SpoolLimits::default();
        limits.file_bytes = set.size.unwrap_or(limits.file_bytes);
        limits.files = set.files.unwrap_or(limits.files);
        limits.lifetime = set.lifetime.unwrap_or(limits.lifetime);
        Some(limits)
    }
}

impl SourceEntry {
    /// The rules of its selectors, in order; their places are those of `select`.
    pub fn selectors(&self) -> Vec<select::ToolSelector> {
        let entries = self.select.iter();
        entries
            .map(|selector| {
                let place = format!("entry {} of `select`", selector.number + 1);
                selector.rules().place(place)
            })
            .collect()
    }
}

impl EnvironmentRules {
    /// Returns the variables of the server that children see.
    ///
    /// A variable that makes loaders run something else, or that names an editor or a pager, is handed on if the list
    /// names it: that is asking by name.
    pub fn resolve(&self, vars: impl IntoIterator<Item = (OsString, OsString)>) -> Environment {
        let mut environment = match &self.inherit {
            Inherit::All => Environment::inherit(vars).unattended::<&str>(&[]),
            Inherit::Only(names) => {
                let mut named = Environment::empty();
                for (name, value) in vars {
                    if names.iter().any(|wanted| name == wanted.as_str()) {
                        named.set(name, value);
                    }
                }
                named.unattended(names)
            }
        };
        for name in &self.remove {
            environment.remove(name);
        }
        for (name, value) in &self.set {
            environment.set(name, value.reveal());
        }
        environment
    }
}

impl SelectEntry {
    /// The selector of core: the commands, and those of their flags that can be reached.
    pub fn rules(&self) -> select::ToolSelector {
        let commands = match &self.commands {
            None => CommandRule::all(),
            Some(CommandSelection::Allow(paths)) => {
                CommandRule::allow(paths.iter().map(String::as_str))
            }
            Some(CommandSelection::Exclude(paths)) => {
                CommandRule::exclude(paths.iter().map(String::as_str))
            }
            Some(CommandSelection::AllowGlob(globs)) => CommandRule::allow_glob(globs.clone()),
            Some(CommandSelection::ExcludeGlob(globs)) => CommandRule::exclude_glob(globs.clone()),
            Some(CommandSelection::AllowContaining(words)) => {
                CommandRule::allow_containing(words.clone())
            }
            Some(CommandSelection::ExcludeContaining(words)) => {
                CommandRule::exclude_containing(words.clone())
            }
        };
        let rules = select::ToolSelector::new(commands)
            .local_flags(self.flags.rule())
            .inherited_flags(self.inherited_flags.rule());
        match &self.baseline {
            Some(baseline) => rules.within(baseline.rules()),
            None => rules,
        }
    }

    /// The bounds of a tool's calls: its own, and for the rest those given.
    ///
    /// ```
    /// # use charmer_config::Config;
    /// let text = "limits: {grace: 5s}\nsources: [{binary: gh, select: [{timeout: 9s, serialize: gh}]}]";
    /// let config = Config::parse(text, "charmer.yaml").unwrap();
    /// let limits = config.sources[0].select[0].limits(&config.limits(), "gh_pr_list");
    /// assert_eq!((limits.timeout.as_secs(), limits.grace.as_secs()), (9, 5));
    /// assert_eq!(limits.concurrency_group.unwrap().key, "gh");
    /// ```
    pub fn limits(&self, others: &CallLimits, tool: &str) -> CallLimits {
        let mut limits = others.clone();
        limits.timeout = self.timeout.unwrap_or(limits.timeout);
        limits.grace = self.grace.unwrap_or(limits.grace);
        if let Some(key) = &self.serialize {
            limits.concurrency_group = Some(ConcurrencyGroup::serial(key.clone()));
        } else if let Some(concurrency) = self.concurrency {
            limits.concurrency_group =
                Some(ConcurrencyGroup::new(format!("tool:{tool}"), concurrency));
        }
        limits
    }

    /// The hints on the commands' effect, if one was said.
    pub fn hints(&self) -> Option<Hints> {
        self.assume_effect.map(Hints::new)
    }
}

impl FlagSelection {
    fn rule(&self) -> FlagRule {
        match self {
            Self::All => FlagRule::all(),
            Self::None => FlagRule::none(),
            Self::Allow(names) => FlagRule::allow(names.clone()),
            Self::Exclude(names) => FlagRule::exclude(names.clone()),
        }
    }
}
