//! The state that goes with a question to a client of the modern era and comes back with its answer: sealed, bound to whose
//! call it is, to its tool and its arguments, and good for a time. That an answer counts once is seen to where it is judged.

use charmer_run::Question;
use serde_json::{Map, Value};

#[cfg(feature = "request-state")]
use crate::ask::PATIENCE;

/// The seal of a server. Its key is made with it and lives no longer.
#[derive(Clone, Default)]
pub(crate) struct StateSeal {
    #[cfg(feature = "request-state")]
    sealer: std::sync::Arc<std::sync::OnceLock<Option<Sealer>>>,
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

/// A key, and the clock by which a seal expires.
#[cfg(feature = "request-state")]
struct Sealer {
    key: hmac::Hmac<sha2::Sha256>,
    began: std::time::Instant,
}

#[cfg(feature = "request-state")]
impl Sealer {
    fn new() -> Option<Self> {
        use hmac::Mac as _;
        let mut key = [0; 32];
        getrandom::fill(&mut key).ok()?;
        Some(Self {
            key: hmac::Hmac::new_from_slice(&key).ok()?,
            began: std::time::Instant::now(),
        })
    }

    /// The milliseconds since the seal was made.
    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// The digest over what is said and what it is said of, which only this server can make.
    fn digest(&self, said: &str, of: &StateOf<'_>) -> hmac::Hmac<sha2::Sha256> {
        use hmac::Mac as _;
        let mut digest = self.key.clone();
        // Where the one ends and the other begins is part of it.
        let length = u64::try_from(said.len()).unwrap_or(u64::MAX);
        digest.update(&length.to_be_bytes());
        digest.update(said.as_bytes());
        digest.update(&of.bytes());
        digest
    }
}

/// A state is written `EXPIRY.DIGEST.KEY`: when it expires and the digest in hexadecimal digits, then the question's key. It
/// is no secret, and whoever changes it has another one than was sealed.
#[cfg(feature = "request-state")]
impl StateSeal {
    fn sealer(&self) -> Option<&Sealer> {
        self.sealer.get_or_init(Sealer::new).as_ref()
    }

    /// The state of a question about a call; none, where there is no randomness to make a key from.
    pub(crate) fn seal(&self, of: &StateOf<'_>, question: &Question) -> Option<String> {
        use hmac::Mac as _;
        let sealer = self.sealer()?;
        let good_for = question.timeout.unwrap_or(PATIENCE).as_millis();
        let good_for = u64::try_from(good_for).unwrap_or(u64::MAX);
        let expiry = format!("{:x}", sealer.now().saturating_add(good_for));
        let said = format!("{expiry}.{}", question.key);
        let digest = sealer.digest(&said, of).finalize().into_bytes();
        let digest: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Some(format!("{expiry}.{digest}.{}", question.key))
    }

    /// The key of the question that a state belongs to, if it is one of ours for this very call, and still good.
    pub(crate) fn open(&self, of: &StateOf<'_>, state: Option<&str>) -> Option<StateKey> {
        use hmac::Mac as _;
        let sealer = self.sealer()?;
        let mut parts = state?.splitn(3, '.');
        let (expiry, digest, key) = (parts.next()?, parts.next()?, parts.next()?);
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let (pairs, rest) = digest.as_bytes().as_chunks::<2>();
        let digest: Option<Vec<u8>> = pairs.iter().map(|pair| byte(pair)).collect();
        let expected = sealer.digest(&format!("{expiry}.{key}"), of);
        // In the same time whatever it is.
        expected.verify_slice(&digest?).ok()?;
        let expires = u64::from_str_radix(expiry, 16).ok()?;
        let good = rest.is_empty() && sealer.now() < expires;
        good.then(|| StateKey::Only(key.to_owned()))
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
