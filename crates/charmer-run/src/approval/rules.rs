//! The rules that say which calls a person must allow. The first that matches a call decides.

use std::{collections::BTreeMap, time::Duration};

use charmer_core::{model::Effect, tool::Tool};
use regex_lite::Regex;
use serde::{Deserialize, Serialize};

use crate::{BadPattern, Call, layers::Validate};

/// The time that a person has for an answer, if nothing is said.
const APPROVAL_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// The frequency with which a person is asked about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AskWhen {
    /// Each time.
    #[default]
    Always,
    /// Once for calls that are alike to the last byte, as long as the server runs.
    Once,
    /// Not at all.
    Never,
}

/// A way to ask a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum AskWay {
    /// At a terminal, with `charmer approve`.
    Terminal,
    /// By a form of the client, which is as trustworthy as that client.
    Client,
}

impl AskWay {
    /// Its name in files and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Terminal => "terminal",
            Self::Client => "client",
        }
    }
}

/// A rule on the calls of one tool.
///
/// ```
/// use charmer_core::model::Effect;
/// use charmer_run::{AskRule, AskWhen};
///
/// let rule = AskRule::new(AskWhen::Always, "`--ask destroy`").effect(Effect::Destroy);
/// # let _ = rule;
/// ```
#[derive(Debug, Clone)]
pub struct AskRule {
    when: AskWhen,
    effect: Option<Effect>,
    argument: Option<(Validate, Option<Regex>)>,
    by: Vec<AskWay>,
    timeout: Duration,
    /// The list that it belongs to.
    list: usize,
    /// Where it stands, for whoever is asked.
    said: String,
}

impl AskRule {
    /// A rule for every call. `said` names it to whoever is asked.
    pub fn new(when: AskWhen, said: impl Into<String>) -> Self {
        Self {
            when,
            effect: None,
            argument: None,
            by: Vec::new(),
            timeout: APPROVAL_TIMEOUT,
            list: 0,
            said: said.into(),
        }
    }

    /// Puts it into another list than the first. In each list the first rule that matches decides, and what any of them asks
    /// about is asked.
    #[must_use]
    pub fn in_list(mut self, list: usize) -> Self {
        self.list = list;
        self
    }

    /// Narrows it to calls of this effect. One that asks is for what is worse, too; one that does not ask is for what is
    /// milder. So neither lets anything through that its author did not think of.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = Some(effect);
        self
    }

    /// Narrows it to calls that give this argument; with a pattern, one that a value of it matches as a whole, or, where the
    /// rule does not ask, all of them. It is named as for [`Validate`].
    pub fn argument(mut self, name: &str, pattern: Option<&str>) -> Result<Self, BadPattern> {
        let values = Validate::at_most(name, 0);
        let pattern = pattern.map(Validate::whole).transpose()?;
        self.argument = Some((values, pattern));
        Ok(self)
    }

    /// Sets the ways to ask, the first that is there being used; the terminal is waited for, then.
    #[must_use]
    pub fn by(mut self, ways: impl IntoIterator<Item = AskWay>) -> Self {
        self.by = ways.into_iter().collect();
        self
    }

    /// Sets the time that a person has.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Returns true if a tool can have calls that it is for.
    pub fn applies_to(&self, tool: &Tool) -> bool {
        let named = |(values, _): &(Validate, _)| values.applies_to(tool);
        self.argument.as_ref().is_none_or(named)
    }

    /// Returns true if a person may be asked because of it.
    pub fn asks(&self) -> bool {
        self.when != AskWhen::Never
    }

    fn matches(&self, call: &Call, done: Effect) -> bool {
        let of_effect = |effect: Effect| match self.asks() {
            true => done >= effect,
            false => done <= effect,
        };
        self.effect.is_none_or(of_effect)
            && self.argument.as_ref().is_none_or(|(values, pattern)| {
                let values = values.values(call);
                let fits =
                    |value: &String| pattern.as_ref().is_none_or(|fits| fits.is_match(value));
                match self.asks() {
                    true => values.iter().any(fits),
                    false => !values.is_empty() && values.iter().all(fits),
                }
            })
    }
}

/// The reasons for asking a person about a call, and the terms on which that is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NeedOfApproval {
    /// Who wants it, in words.
    pub(crate) reasons: Vec<String>,
    pub(crate) when: AskWhen,
    /// The ways to ask that somebody named; empty, if nobody did.
    pub(crate) by: Vec<AskWay>,
    pub(crate) timeout: Duration,
}

/// Returns why a person must be asked about a call that has this effect; `None`, if that is not so. What a step on the way
/// asked for is asked, whatever a rule says.
pub(crate) fn need(rules: &[AskRule], call: &Call, done: Effect) -> Option<NeedOfApproval> {
    let mut decides: BTreeMap<usize, &AskRule> = BTreeMap::new();
    for rule in rules.iter().filter(|rule| rule.matches(call, done)) {
        decides.entry(rule.list).or_insert(rule);
    }
    let mut asking = decides.into_values().filter(|rule| rule.asks()).peekable();
    let mut need = NeedOfApproval {
        reasons: call.asks.clone(),
        when: AskWhen::Always,
        by: Vec::new(),
        timeout: APPROVAL_TIMEOUT,
    };
    if let Some(first) = asking.peek() {
        need.timeout = first.timeout;
        if call.asks.is_empty() {
            need.when = AskWhen::Once;
        }
    }
    for rule in asking {
        need.reasons.push(rule.said.clone());
        need.timeout = need.timeout.min(rule.timeout);
        if rule.when == AskWhen::Always {
            need.when = AskWhen::Always;
        }
        need.only_by(&rule.by);
    }
    (!need.reasons.is_empty()).then_some(need)
}

impl NeedOfApproval {
    /// Leaves the ways that others name, too. A way that only one of two lets through is none; where nothing is left, the
    /// last of them has its say.
    fn only_by(&mut self, ways: &[AskWay]) {
        let shared = self.by.iter().copied();
        let shared: Vec<AskWay> = shared
            .filter(|way| ways.is_empty() || ways.contains(way))
            .collect();
        self.by = match (self.by.is_empty() || shared.is_empty(), ways.is_empty()) {
            (true, false) => ways.to_vec(),
            (true, true) => Vec::new(),
            (false, _) => shared,
        };
    }

    /// Both of them, for what was done together.
    #[cfg(all(feature = "drafts", target_os = "linux"))]
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.only_by(&other.by);
        self.timeout = self.timeout.min(other.timeout);
        self.when = AskWhen::Always;
        let new = other.reasons.into_iter();
        let new: Vec<String> = new
            .filter(|reason| !self.reasons.contains(reason))
            .collect();
        self.reasons.extend(new);
        self
    }
}
