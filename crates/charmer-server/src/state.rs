//! The state that goes with a question to a client of the modern era and comes back with its answer: sealed, bound to whose
//! call it is, to its tool and its arguments, and good for a time. That an answer counts once is seen to where it is judged.

#[cfg(feature = "request-state")]
use rmcp::model::{RequestStateCodec, SealOptions};

use charmer_run::Question;
use serde_json::{Map, Value};

#[cfg(feature = "request-state")]
use crate::ask::PATIENCE;

/// The seal of a server. Its key is made with it and lives no longer.
#[derive(Clone, Default)]
pub(crate) struct StateSeal {
    #[cfg(feature = "request-state")]
    codec: std::sync::Arc<std::sync::OnceLock<Option<RequestStateCodec>>>,
}

impl std::fmt::Debug for StateSeal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("StateSeal(..)")
    }
}

/// The call that a state belongs to.
pub(crate) struct StateOf<'c> {
    pub(crate) principal: &'c str,
    pub(crate) tool: &'c str,
    pub(crate) input: &'c Map<String, Value>,
}

#[cfg(feature = "request-state")]
impl StateOf<'_> {
    fn bytes(&self) -> Vec<u8> {
        let Self {
            principal,
            tool,
            input,
        } = self;
        // It cannot fail: every key is a string.
        serde_json::to_vec(&(principal, tool, input)).unwrap_or_default()
    }
}

#[cfg(feature = "request-state")]
impl StateSeal {
    fn codec(&self) -> Option<&RequestStateCodec> {
        let made = self.codec.get_or_init(|| {
            let mut key = vec![0; RequestStateCodec::MIN_KEY_LENGTH];
            getrandom::fill(&mut key).ok()?;
            RequestStateCodec::try_new(key).ok()
        });
        made.as_ref()
    }

    /// The state of a question about a call; none, where there is no randomness to make a key from.
    pub(crate) fn seal(&self, of: &StateOf<'_>, question: &Question) -> Option<String> {
        let bytes = of.bytes();
        let options = SealOptions::new()
            .associated_data(&bytes)
            .ttl(question.timeout.unwrap_or(PATIENCE));
        let codec = self.codec()?;
        Some(codec.seal_with(question.key.as_bytes(), &options))
    }

    /// The key of the question that a state belongs to, if it is one of ours for this very call, and still good.
    pub(crate) fn open(&self, of: &StateOf<'_>, state: Option<&str>) -> Option<StateKey> {
        let opened = self.codec()?.open_with(state?, &of.bytes()).ok()?;
        String::from_utf8(opened).ok().map(StateKey::Only)
    }
}

#[cfg(not(feature = "request-state"))]
impl StateSeal {
    pub(crate) fn seal(&self, _: &StateOf<'_>, _: &Question) -> Option<String> {
        None
    }

    pub(crate) fn open(&self, of: &StateOf<'_>, _: Option<&str>) -> Option<StateKey> {
        let _ = (of.principal, of.tool, of.input);
        Some(StateKey::Any)
    }
}

/// The questions that answers may be to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StateKey {
    /// This one.
    #[cfg_attr(not(feature = "request-state"), expect(dead_code))]
    Only(String),
    /// Any that was asked.
    #[cfg_attr(feature = "request-state", expect(dead_code))]
    Any,
}

impl StateKey {
    /// Returns true if an answer by this key may be meant.
    pub(crate) fn allows(&self, key: &str) -> bool {
        match self {
            Self::Only(own) => own == key,
            Self::Any => true,
        }
    }
}

#[cfg(all(test, feature = "request-state"))]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_state_is_good_for_its_own_call_alone_unchanged_and_in_time() {
        let seal = StateSeal::default();
        let input = |name: &str| {
            json!({ "file": name })
                .as_object()
                .cloned()
                .expect("object")
        };
        let (paper, other) = (input("paper"), input("other"));
        let of = |principal, tool, input| StateOf {
            principal,
            tool,
            input,
        };
        let own = of("ann", "burn", &paper);
        let question = Question::new("approve-1", "Burn it?");
        let state = seal.seal(&own, &question).expect("there is randomness");
        let opens = |of: &StateOf<'_>, state: &str| seal.open(of, Some(state)).is_some();
        assert!(opens(&own, &state));
        assert!(
            seal.open(&own, Some(&state))
                .expect("ours")
                .allows("approve-1")
        );
        assert!(
            !seal
                .open(&own, Some(&state))
                .expect("ours")
                .allows("approve-2")
        );
        assert!(!opens(&of("bob", "burn", &paper), &state));
        assert!(!opens(&of("ann", "show", &paper), &state));
        assert!(!opens(&of("ann", "burn", &other), &state));
        assert_eq!(seal.open(&own, None), None);
        let mut changed = state.clone();
        let last = changed.pop().expect("it is not empty");
        changed.push(if last == 'A' { 'B' } else { 'A' });
        assert!(!opens(&own, &changed));
        assert!(StateSeal::default().open(&own, Some(&state)).is_none());
        let short = question.timeout(Duration::ZERO);
        let expired = seal.seal(&own, &short).expect("there is randomness");
        std::thread::sleep(Duration::from_millis(5));
        assert!(!opens(&own, &expired));
    }
}
