//! Effects of commands on the world, and the effects of flags and positionals on top.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The effect of a command on the world, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It changes nothing.
    Read,
    /// It adds or changes.
    Write,
    /// It deletes or overwrites what the program cannot give back.
    Destroy,
    /// Nobody knows, so the worst is assumed.
    #[default]
    Unknown,
}

impl Effect {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destroy => "destroy",
            Self::Unknown => "unknown",
        }
    }
}

/// The effect of a flag or positional that a call does not have without it.
///
/// ```
/// use charmer_core::model::{Effect, GivenEffect};
/// let method = GivenEffect::of(Effect::Write)
///     .for_value("GET", Effect::Read)
///     .for_value("HEAD", None)
///     .for_value("DEL*", Effect::Destroy);
/// assert_eq!(method.given(&["GET"]), Some(Effect::Read));
/// assert_eq!(method.given(&["HEAD"]), None);
/// assert_eq!(method.given(&["DELETE"]), Some(Effect::Destroy));
/// assert_eq!(method.given(&["PUT"]), Some(Effect::Write));
/// assert_eq!(GivenEffect::default().given(&["x"]), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct GivenEffect {
    /// With any value, or without one; `None` if it changes nothing about the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub any: Option<Effect>,
    /// With these values, of which each may begin or end with a `*`; `None` as above.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub values: BTreeMap<String, Option<Effect>>,
    /// A command that does more without it does no more than `any` with it. Reading always lowers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub lowers: bool,
}

impl GivenEffect {
    /// The effect, whatever the value.
    pub fn of(effect: Effect) -> Self {
        Self {
            any: Some(effect),
            ..Self::default()
        }
    }

    /// The effect that a call has with it at most, as far as the command and its positionals are concerned.
    ///
    /// ```
    /// use charmer_core::model::{Effect, GivenEffect};
    /// let staged = GivenEffect::at_most(Effect::Write);
    /// assert_eq!(staged.lowered(Effect::Destroy), Effect::Write);
    /// assert_eq!(staged.lowered(Effect::Read), Effect::Read);
    /// assert_eq!(GivenEffect::of(Effect::Write).lowered(Effect::Destroy), Effect::Destroy);
    /// ```
    pub fn at_most(effect: Effect) -> Self {
        Self {
            lowers: true,
            ..Self::of(effect)
        }
    }

    /// Returns what is left of a command's own effect when it is given.
    pub fn lowered(&self, command: Effect) -> Effect {
        let most = self.any.filter(|_| self.lowers);
        most.map_or(command, |most| command.min(most))
    }

    /// Says it for one value, or for all that begin or end alike.
    #[must_use]
    pub fn for_value(
        mut self,
        value: impl Into<String>,
        effect: impl Into<Option<Effect>>,
    ) -> Self {
        self.values.insert(value.into(), effect.into());
        self
    }

    /// Returns its effect with these values: the worst of them.
    pub fn given<S: AsRef<str>>(&self, values: &[S]) -> Option<Effect> {
        match values.is_empty() {
            true => self.any,
            false => values
                .iter()
                .filter_map(|value| self.with(value.as_ref()))
                .max(),
        }
    }

    /// Returns its effect with one value: the longest pattern that fits it decides.
    fn with(&self, value: &str) -> Option<Effect> {
        if let Some(effect) = self.values.get(value) {
            return *effect;
        }
        let fits = |pattern: &str| match (pattern.strip_suffix('*'), pattern.strip_prefix('*')) {
            (Some(start), _) => value.starts_with(start),
            (None, Some(end)) => value.ends_with(end),
            (None, None) => false,
        };
        let fitting = self.values.iter().filter(|(pattern, _)| fits(pattern));
        let longest = fitting.max_by_key(|(pattern, _)| pattern.len());
        longest.map_or(self.any, |(_, effect)| *effect)
    }

    fn all(&self) -> impl Iterator<Item = Effect> {
        self.values.values().copied().flatten().chain(self.any)
    }

    /// The worst that it can be.
    pub fn worst(&self) -> Option<Effect> {
        self.all().max()
    }

    /// Returns true if a command that does more only reads with it, or with some value of it.
    pub(crate) fn may_lower(&self) -> bool {
        self.all().any(|effect| effect == Effect::Read)
    }

    /// Returns true if a command that reads may do more than that with it.
    pub(crate) fn may_raise(&self) -> bool {
        self.worst() > Some(Effect::Read)
    }

    /// Returns true if a command that reads does more than that with it, whatever its value.
    pub fn always_writes(&self) -> bool {
        let writes = |effect: Option<Effect>| effect > Some(Effect::Read);
        writes(self.any) && self.values.values().copied().all(writes)
    }
}

/// Returns the effect of a call: the command's own, lowered to reading by a flag that says so (`--list`, `--dry-run`),
/// and raised by every flag that does more.
///
/// ```
/// use charmer_core::model::{Effect, effect_with};
/// assert_eq!(effect_with(Effect::Write, [Effect::Destroy]), Effect::Destroy);
/// assert_eq!(effect_with(Effect::Destroy, [Effect::Read]), Effect::Read);
/// assert_eq!(effect_with(Effect::Write, [Effect::Read, Effect::Destroy]), Effect::Destroy);
/// ```
pub fn effect_with(command: Effect, flags: impl IntoIterator<Item = Effect>) -> Effect {
    let mut lowered = command;
    let mut raised = Effect::Read;
    for effect in flags {
        match effect {
            Effect::Read => lowered = Effect::Read,
            more => raised = raised.max(more),
        }
    }
    lowered.max(raised)
}
