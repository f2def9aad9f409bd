//! The layers that come with Charmer: time, rate, retries, checks of input, filters of output, output as data, and the
//! audit log.
//!
//! Each is a `tower::Layer` on a [`CallService`](crate::CallService) and goes around a call path with
//! [`wrap`](crate::wrap). The outermost sees a call first and its outcome last, so that this order is a good one, from
//! the outside: [`Audit`], [`Structure`], [`RateLimit`], [`Validate`], [`Filter`], [`Retry`], [`Timeout`]. A call that the rate
//! limit or a check refuses is then in the audit log, and is neither run nor tried again; what is added to the input is
//! checked, and what a filter takes out is not in the data.
//!
//! tower's own layers fit too; ours exist where tower's would lose output (timeout) or cannot be cloned (rate limit).
//!
//! ```
//! use std::time::Duration;
//! use charmer_run::{Call, CallError, Outcome, into_service, layers::{RateLimit, Timeout}, wrap};
//!
//! let path = into_service(tower::service_fn(|_: Call| async { Ok::<_, CallError>(Outcome::success("hello")) }));
//! let path = wrap(&Timeout::new(Duration::from_secs(30)), path);
//! let path = wrap(&RateLimit::new(10, Duration::from_secs(1)), path);
//! # let _ = path;
//! ```

mod around;
#[cfg(feature = "approval")]
mod ask;
mod audit;
mod data;
mod entries;
mod filter;
mod log;
mod rate_limit;
mod retry;
#[cfg(feature = "data")]
mod structure;
mod timeout;
mod validate;

#[cfg(test)]
mod tests;

pub use around::Around;
#[cfg(feature = "approval")]
pub use ask::Ask;
pub(crate) use audit::leave_argv;
pub use audit::{Audit, AuditBreak, AuditVerified, ChainDigest, verify_audit};
#[cfg(feature = "approval")]
pub(crate) use audit::{leave_approval, rfc3339_millis};
pub(crate) use data::GivenData;
pub use filter::Filter;
pub use log::log_calls;
pub use rate_limit::RateLimit;
pub use retry::Retry;
#[cfg(feature = "data")]
pub use structure::{Structure, StructureMode};
pub use timeout::Timeout;
pub use validate::Validate;
