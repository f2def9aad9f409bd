//! The options for loading and running spells.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use charmer_core::model::Effect;
use charmer_run::{
    AskRule, HookPrograms, HookRunner, Limits, SharedSteps,
    layers::Structure,
    process::{ConfinedPool, Engine, Environment, MODE},
};

use crate::spell::{Spell, TIMES};

/// A rule on the names that are let through.
#[derive(Clone)]
pub struct NameRule(Arc<dyn Fn(&str) -> bool + Send + Sync>);

impl NameRule {
    /// A rule of one's own.
    pub fn new(rule: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(rule))
    }

    /// Returns true if it lets a name through.
    pub fn matches(&self, name: &str) -> bool {
        (self.0)(name)
    }
}

impl fmt::Debug for NameRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("NameRule(..)")
    }
}

/// The secrets that are hidden from a confined program.
#[derive(Clone)]
pub struct HiddenSecrets(Arc<HiddenFrom>);

type HiddenFrom = dyn Fn(&str, &[PathBuf]) -> Vec<PathBuf> + Send + Sync;

impl HiddenSecrets {
    /// A rule: which files and folders are hidden from a program of this name, in a spell that names these.
    ///
    /// ```
    /// use charmer_spells::{HiddenSecrets, SpellOptions};
    /// let hidden = HiddenSecrets::new(|program, _| match program {
    ///     "aws" => Vec::new(),
    ///     _ => vec!["/home/me/.aws".into()],
    /// });
    /// let options = SpellOptions::default().secrets(hidden);
    /// assert!(options.secrets.is_some());
    /// ```
    pub fn new(rule: impl Fn(&str, &[PathBuf]) -> Vec<PathBuf> + Send + Sync + 'static) -> Self {
        Self(Arc::new(rule))
    }

    pub(crate) fn hidden(&self, program: &str, named: &[PathBuf]) -> Vec<PathBuf> {
        (self.0)(program, named)
    }
}

impl fmt::Debug for HiddenSecrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets(..)")
    }
}

/// The rules on which calls of a spell a person must allow, by its name.
#[derive(Clone)]
pub struct SpellAskRules(Arc<AskRulesOf>);

type AskRulesOf = dyn Fn(&str) -> Vec<AskRule> + Send + Sync;

impl SpellAskRules {
    /// The rules that this says.
    pub fn new(rules: impl Fn(&str) -> Vec<AskRule> + Send + Sync + 'static) -> Self {
        Self(Arc::new(rules))
    }

    pub(crate) fn of(&self, name: &str) -> Vec<AskRule> {
        (self.0)(name)
    }
}

impl fmt::Debug for SpellAskRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SpellAskRules(..)")
    }
}

/// The way spells are loaded and run.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct SpellOptions {
    /// The server's own environment: `${NAME}` is looked up in it, programs are searched on its `PATH`, and a few of its
    /// variables are handed on.
    pub variables: Environment,
    /// The engine that runs the programs.
    pub engine: Engine,
    /// The steps that all calls take.
    pub shared: SharedSteps,
    /// The programs that are asked about every call, around those of its spell.
    pub hooks: HookPrograms,
    /// The rules on which calls of a spell a person must allow, by its name; none by default.
    pub asks: Option<SpellAskRules>,
    /// The limits on the size of a call; how long it may take is the spell's to say.
    pub limits: Limits,
    /// The effort to have output as data, where a spell does not say. A spell's program is asked for JSON only with the
    /// words that its author wrote for that.
    pub structure: Structure,
    /// Names that other tools have.
    pub reserved: Vec<String>,
    /// The file that holds what was accepted. With it, only accepted spells are served.
    pub locked: Option<PathBuf>,
    /// Only spells are served that declare to change nothing.
    pub read_only: bool,
    /// A spell that declares to read is believed, and not kept from writing by the system: `--confine names`.
    pub names_only: bool,
    /// The confined processes that run spells which are kept in. Without them only files are kept from such a spell, and
    /// one that names its network is not run.
    pub pool: Option<Arc<ConfinedPool>>,
    /// Calls of this effect and worse are drafts, whatever was asked for. The engine keeps them.
    pub drafted: Option<Effect>,
    /// The files and folders that are hidden from a program of this name that a spell confines, where the spell does
    /// not name them; none by default.
    pub secrets: Option<HiddenSecrets>,
    /// The rule on the names of spells that are served; all, if it is not set. Of the tools `cast_spell` and
    /// `list_spells`, too, only those are offered that it lets through.
    pub offered: Option<NameRule>,
    /// The longest that a spell may run, whatever its file says.
    pub longest: Option<Duration>,
    /// The mark of the server's children, in `CHARMER_TOOL`.
    pub mark: Option<String>,
}

impl SpellOptions {
    /// Options with this environment, whole.
    pub fn new(
        variables: impl IntoIterator<Item = (std::ffi::OsString, std::ffi::OsString)>,
    ) -> Self {
        let mut all = Environment::empty();
        for (name, value) in variables {
            all.set(name, value);
        }
        Self {
            variables: all,
            ..Self::default()
        }
    }

    /// Sets what runs the programs.
    #[must_use]
    pub fn engine(mut self, engine: Engine) -> Self {
        self.engine = engine;
        self
    }

    /// Sets the steps that all calls take, those of other tools as well.
    #[must_use]
    pub fn behind(mut self, shared: SharedSteps) -> Self {
        self.shared = shared;
        self
    }

    /// Sets the programs that are asked about every call, around those of its spell.
    #[must_use]
    pub fn hooks(mut self, hooks: HookPrograms) -> Self {
        self.hooks = hooks;
        self
    }

    /// Sets which calls a person must allow.
    #[must_use]
    pub fn asks(mut self, rules: SpellAskRules) -> Self {
        self.asks = Some(rules);
        self
    }

    /// The runner of the programs that spells name in `hooks`, in the folder that relative paths start in.
    pub(crate) fn hook_runner(&self, base: &Path) -> HookRunner {
        let variables = self.variables.iter().filter(|(name, _)| *name != MODE);
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let mut environment = Environment::inherit(variables);
        if let Some(mark) = &self.mark {
            environment = environment.marked(mark, false);
        }
        HookRunner::new(environment, base.to_owned(), self.engine.clone())
    }

    /// Sets how large a call may become.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how far it goes to have output as data, where a spell does not say.
    #[must_use]
    pub fn structure(mut self, structure: Structure) -> Self {
        self.structure = structure;
        self
    }

    /// Sets the names that other tools have.
    #[must_use]
    pub fn reserved(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.reserved = names.into_iter().collect();
        self
    }

    /// Serves only what was accepted in this file.
    #[must_use]
    pub fn locked(mut self, accepted: impl Into<PathBuf>) -> Self {
        self.locked = Some(accepted.into());
        self
    }

    /// Serves only spells that declare to change nothing, if it is set.
    #[must_use]
    pub fn read_only(mut self, only: bool) -> Self {
        self.read_only = only;
        self
    }

    /// Believes spells that declare to read, if it is set. Otherwise the system keeps them from writing, and one that
    /// cannot be kept from it is not run.
    #[must_use]
    pub fn names_only(mut self, only: bool) -> Self {
        self.names_only = only;
        self
    }

    /// Sets what is hidden from programs that are kept in.
    #[must_use]
    pub fn secrets(mut self, secrets: HiddenSecrets) -> Self {
        self.secrets = Some(secrets);
        self
    }

    /// Sets the confined processes that run spells which are kept in.
    #[must_use]
    pub fn pool(mut self, pool: Option<Arc<ConfinedPool>>) -> Self {
        self.pool = pool;
        self
    }

    /// Sets from which effect on calls are drafts.
    #[must_use]
    pub fn drafted(mut self, effect: Option<Effect>) -> Self {
        self.drafted = effect;
        self
    }

    /// Sets which spells are served, by name.
    ///
    /// ```
    /// use charmer_spells::{NameRule, SpellOptions};
    /// let options = SpellOptions::default().offered(NameRule::new(|name| name != "deploy"));
    /// assert!(options.offers("build") && !options.offers("deploy"));
    /// ```
    #[must_use]
    pub fn offered(mut self, rule: NameRule) -> Self {
        self.offered = Some(rule);
        self
    }

    /// Returns true if a spell of this name may be served.
    pub fn offers(&self, name: &str) -> bool {
        self.offered.as_ref().is_none_or(|rule| rule.matches(name))
    }

    /// Sets the longest that a spell may run, whatever its file says.
    #[must_use]
    pub fn longest(mut self, time: Duration) -> Self {
        self.longest = Some(time);
        self
    }

    /// The longest time that a spell may run.
    pub(crate) fn time_of(&self, spell: &Spell) -> Duration {
        self.longest
            .map_or(spell.timeout, |longest| longest.min(spell.timeout))
    }

    /// The limits that a cast begins with whose spell is not known yet; it lowers them to its own.
    pub(crate) fn longest_limits(&self) -> Limits {
        let (_, most) = TIMES;
        let most = self.longest.map_or(most, |longest| longest.min(most));
        self.limits.clone().timeout(most)
    }

    /// Sets what marks the server's children.
    #[must_use]
    pub fn mark(mut self, mark: impl Into<String>) -> Self {
        self.mark = Some(mark.into());
        self
    }
}
