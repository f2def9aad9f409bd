//! Selectors of the library: which commands, which of their flags, and what stands around their calls.

use std::{fmt, sync::Arc};

use charmer_core::select::{self, CommandRule, FlagRule};
use charmer_run::{Call, CallError, CallService, Hooks, Limits, Outcome, wrap};
use tower::{BoxError, Layer, Service};

/// Puts a layer around a call path.
pub(crate) type Wrap = Arc<dyn Fn(CallService) -> CallService + Send + Sync>;

/// One entry of an ordered list; the first that matches a command decides on its flags, middleware and limits.
///
/// ```
/// use charmer::{CallError, CommandRule, FlagRule, Limits, Selector};
/// use std::time::Duration;
///
/// let builds = Selector::new(CommandRule::allow(["build", "test"]))
///     .local_flags(FlagRule::exclude(["config"]))
///     .limits(Limits::default().timeout(Duration::from_secs(600)))
///     .before(|call| {
///         if call.input.contains_key("release") { Err(CallError::refused("no release builds")) } else { Ok(()) }
///     });
/// # let _ = builds;
/// ```
#[derive(Clone)]
pub struct Selector {
    pub(crate) rules: select::Selector,
    pub(crate) limits: Option<Limits>,
    pub(crate) layers: Vec<Wrap>,
}

impl Selector {
    /// A selector for these commands, with all their flags.
    pub fn new(commands: CommandRule) -> Self {
        Self {
            rules: select::Selector::new(commands),
            limits: None,
            layers: Vec::new(),
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

    /// Adds a hook that runs before these commands.
    #[must_use]
    pub fn before(
        self,
        hook: impl Fn(&mut Call) -> Result<(), CallError> + Send + Sync + 'static,
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
        self.layers.push(wrapper(layer));
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

pub(crate) fn wrapper<L>(layer: L) -> Wrap
where
    L: Layer<CallService> + Send + Sync + 'static,
    L::Service: Service<Call, Response = Outcome> + Clone + Send + Sync + 'static,
    <L::Service as Service<Call>>::Error: Into<BoxError>,
    <L::Service as Service<Call>>::Future: Send + 'static,
{
    Arc::new(move |inner| wrap(&layer, inner))
}
