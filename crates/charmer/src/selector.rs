//! Selectors of the library: which commands, which of their flags, and what stands around their calls.

use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use charmer_core::{
    expose::Visibility,
    select::{self, CommandRule, FlagRule},
};
#[cfg(feature = "data")]
use charmer_run::layers::StructureMode;
use charmer_run::{
    BoxError, Call, CallError, CallService, HookAnswer, Hooks, Limits, Outcome, Step,
    layers::{RateLimit, Retry},
    process::ConcurrencyGroup,
    step,
};
use tower_layer::Layer;
use tower_service::Service;

/// One entry of an ordered list; the first that matches a command decides on its flags, middleware and limits.
///
/// ```
/// use charmer::{CommandRule, FlagRule, Limits, Selector};
/// use std::time::Duration;
///
/// let builds = Selector::new(CommandRule::allow(["build", "test"]))
///     .local_flags(FlagRule::exclude(["config"]))
///     .limits(Limits::default().timeout(Duration::from_secs(600)))
///     .before(|call| {
///         if call.input.contains_key("release") { Err("no release builds") } else { Ok(()) }
///     });
/// # let _ = builds;
/// ```
#[derive(Clone)]
pub struct Selector {
    pub(crate) rules: select::ToolSelector,
    limits: Option<Limits>,
    timeout: Option<Duration>,
    concurrency_group: Option<ConcurrencyGroup>,
    #[cfg(feature = "data")]
    pub(crate) structure: Option<StructureMode>,
    pub(crate) visibility: Visibility,
    pub(crate) layers: Vec<Step>,
    /// There is an author's own code among the layers.
    pub(crate) may_block: bool,
}

impl Selector {
    /// A selector for these commands, with all their flags.
    pub fn new(commands: CommandRule) -> Self {
        Self {
            rules: select::ToolSelector::new(commands),
            limits: None,
            timeout: None,
            concurrency_group: None,
            #[cfg(feature = "data")]
            structure: None,
            visibility: Visibility::Free,
            layers: Vec::new(),
            may_block: false,
        }
    }

    /// Sets which of a command's own flags can be reached.
    #[must_use]
    pub fn local_flags(mut self, rule: FlagRule) -> Self {
        self.rules = self.rules.local_flags(rule);
        self
    }

    /// Sets which flags of its ancestors can be reached.
    #[must_use]
    pub fn inherited_flags(mut self, rule: FlagRule) -> Self {
        self.rules = self.rules.inherited_flags(rule);
        self
    }

    /// Sets the limits of these commands' calls.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Sets how long these commands may take, whatever the other limits are.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets what is done to have the output of these commands as data, whatever the bridge does.
    #[cfg(feature = "data")]
    #[must_use]
    pub fn structure(mut self, mode: StructureMode) -> Self {
        self.structure = Some(mode);
        self
    }

    /// Makes these commands always tools of their own, or never, where not all are.
    #[cfg(feature = "search")]
    #[must_use]
    pub fn expose(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }

    /// Lets these commands run one after the other, with whatever else has the same key.
    #[must_use]
    pub fn serialize(mut self, key: impl Into<String>) -> Self {
        self.concurrency_group = Some(ConcurrencyGroup::serial(key));
        self
    }

    /// Lets so many of these commands' calls run at once. A selector has one lane: this or
    /// [`serialize`](Self::serialize), whichever was said last.
    #[must_use]
    pub fn concurrency(mut self, limit: usize) -> Self {
        static SELECTORS: AtomicUsize = AtomicUsize::new(0);
        // A key that no other selector has, and that nobody would choose.
        let number = SELECTORS.fetch_add(1, Ordering::Relaxed);
        self.concurrency_group = Some(ConcurrencyGroup::new(format!("\0selector {number}"), limit));
        self
    }

    /// Lets so many calls of these commands through in a time, all together; beyond that an assistant is told to come
    /// back later.
    #[must_use]
    pub fn rate_limit(mut self, calls: u32, per: Duration) -> Self {
        self.layers.push(step(RateLimit::new(calls, per)));
        self
    }

    /// Tries a failed call again, at most so many times and with this wait before each; only of commands that are
    /// [annotated](crate::Bridge::annotate) as reading.
    #[must_use]
    pub fn retry(mut self, times: u32, wait: Duration) -> Self {
        self.layers.push(step(Retry::new(times, wait)));
        self
    }

    /// The limits of these commands' calls, where a bridge has these.
    pub(crate) fn limits_within(&self, bridge: &Limits) -> Limits {
        let mut limits = self.limits.as_ref().unwrap_or(bridge).clone();
        if let Some(timeout) = self.timeout {
            limits.timeout = timeout;
        }
        if self.concurrency_group.is_some() {
            limits.concurrency_group.clone_from(&self.concurrency_group);
        }
        limits
    }

    /// Adds a hook that runs before these commands, as [`Bridge::before`](crate::Bridge::before) does before all.
    #[must_use]
    pub fn before<A: HookAnswer>(
        self,
        hook: impl Fn(&mut Call) -> A + Send + Sync + 'static,
    ) -> Self {
        self.layer(Hooks::new().before(hook))
    }

    /// Adds a hook that runs after these commands.
    #[must_use]
    pub fn after(
        self,
        hook: impl Fn(&Call, Result<Outcome, CallError>) -> Result<Outcome, CallError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.layer(Hooks::new().after(hook))
    }

    /// Puts a `tower` layer around these commands' calls; the one added first is the outermost.
    #[must_use]
    pub fn layer<L>(mut self, layer: L) -> Self
    where
        L: Layer<CallService> + Send + Sync + 'static,
        L::Service: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
        <L::Service as Service<Call>>::Error: Into<BoxError>,
        <L::Service as Service<Call>>::Future: Send + 'static,
    {
        self.layers.push(step(layer));
        self.may_block = true;
        self
    }
}

impl fmt::Debug for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Selector")
            .field("limits", &self.limits)
            .field("layers", &self.layers.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_selector_changes_only_the_limits_that_it_names() {
        let bridge = Limits::default()
            .timeout(Duration::from_secs(9))
            .output_chars(7);
        let plain = Selector::new(CommandRule::all());
        assert_eq!(plain.limits_within(&bridge), bridge);
        let found = plain
            .clone()
            .timeout(Duration::from_secs(600))
            .serialize("database")
            .limits_within(&bridge);
        assert_eq!(
            found,
            bridge
                .clone()
                .timeout(Duration::from_secs(600))
                .concurrency_group(ConcurrencyGroup::serial("database"))
        );
        // Lanes of one's own are not shared.
        let concurrency_group = || {
            plain
                .clone()
                .concurrency(3)
                .limits_within(&bridge)
                .concurrency_group
        };
        assert_eq!(
            concurrency_group().map(|concurrency_group| concurrency_group.limit),
            Some(3)
        );
        assert_ne!(concurrency_group(), concurrency_group());
    }

    #[test]
    fn layers_that_come_with_charmer_do_not_count_as_an_authors_code() {
        let ours = Selector::new(CommandRule::all())
            .rate_limit(1, Duration::from_secs(1))
            .retry(1, Duration::ZERO);
        assert!(ours.layers.len() == 2 && !ours.may_block);
        assert!(ours.before(|_| ()).may_block);
    }
}
