//! Hooks before and after a run, as a layer.
//!
//! A hook before may change or refuse the call; a refusal starts nothing. A hook after may change what came of it.

use std::sync::Arc;

use tower_service::Service;

use crate::{Call, CallError, CallService, ErrorCode, Outcome, layers::Around};

/// Runs before a call; may change it, or refuse it with an error.
pub type Before = Arc<dyn Fn(&mut Call) -> Result<(), CallError> + Send + Sync>;
/// Runs after a call that got past the hooks before it; may change what came of it.
pub type After =
    Arc<dyn Fn(&Call, Result<Outcome, CallError>) -> Result<Outcome, CallError> + Send + Sync>;

/// The answer of a hook before a call: `()` lets it through, and so does `Ok(())`; an error refuses it, as text alone or
/// as a [`CallError`].
///
/// ```
/// use charmer_run::{CallError, Hooks};
/// let hooks = Hooks::new()
///     .before(|call| {
///         call.input.remove("verbose");
///     })
///     .before(|call| if call.input.contains_key("force") { Err("not by force") } else { Ok(()) })
///     // With `?` the closure says what its errors become.
///     .before(|call| -> Result<(), CallError> {
///         call.input.get("key").ok_or("there is no key")?;
///         Ok(())
///     });
/// # let _ = hooks;
/// ```
pub trait HookAnswer {
    /// The answer with its error as calls carry it.
    fn into_result(self) -> Result<(), CallError>;
}

impl HookAnswer for () {
    fn into_result(self) -> Result<(), CallError> {
        Ok(())
    }
}

impl<E: Into<CallError>> HookAnswer for Result<(), E> {
    fn into_result(self) -> Result<(), CallError> {
        self.map_err(|error| {
            let mut error = error.into();
            // Nothing has run that could have failed, so text alone is a refusal.
            if error.code == ErrorCode::Failed {
                error.code = ErrorCode::NotPermitted;
            }
            error
        })
    }
}

/// A layer of hooks: those before run in order, those after too.
#[derive(Clone, Default)]
pub struct Hooks {
    before: Vec<Before>,
    after: Vec<After>,
    /// Those after change nothing.
    only_looks: bool,
}

impl Hooks {
    /// No hooks.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a hook that runs before.
    #[must_use]
    pub fn before<A: HookAnswer>(
        mut self,
        hook: impl Fn(&mut Call) -> A + Send + Sync + 'static,
    ) -> Self {
        self.before
            .push(Arc::new(move |call| hook(call).into_result()));
        self
    }

    /// Adds a hook that runs after.
    #[must_use]
    pub fn after(
        mut self,
        hook: impl Fn(&Call, Result<Outcome, CallError>) -> Result<Outcome, CallError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        self.after.push(Arc::new(hook));
        self
    }

    /// Says that those after only look at what came of a call.
    #[must_use]
    pub(crate) fn only_looking(mut self) -> Self {
        self.only_looks = true;
        self
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.before.is_empty() && self.after.is_empty()
    }
}

impl std::fmt::Debug for Hooks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Hooks(before: {}, after: {})",
            self.before.len(),
            self.after.len()
        )
    }
}

impl Around for Hooks {
    async fn around(
        self: Arc<Self>,
        mut call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        for before in &self.before {
            before(&mut call)?;
        }
        if self.after.is_empty() {
            return inner.call(call).await;
        }
        if !self.only_looks {
            // What it prints until then is what nobody has looked at.
            call.progress = call.progress.wordless();
            call.live.hide_output();
        }
        let seen = call.clone();
        let outcome = inner.call(call).await;
        let after = self.after.iter();
        after.fold(outcome, |outcome, after| after(&seen, outcome))
    }
}
