//! So many calls in a time, and "busy" beyond that.
//!
//! tower's rate limit cannot be cloned, and makes callers wait where an assistant is better told to come back later.
//! This one never waits: a call is let through or refused at once.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::time::Instant;
use tower_service::Service;

use crate::{Call, CallError, CallService, ErrorCode, Outcome};

use super::Around;

/// Longer than any server runs, and short enough that no sum of times overflows.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// A bucket of calls that refills steadily. Clones, and every path that it is put around, share one bucket.
///
/// ```
/// use std::time::Duration;
/// use charmer_run::layers::RateLimit;
///
/// // Ten at once, and then one a second.
/// let limit = RateLimit::new(1, Duration::from_secs(1)).burst(10);
/// # let _ = limit;
/// ```
#[derive(Debug, Clone)]
pub struct RateLimit {
    /// The time in which one call is refilled.
    interval: Duration,
    burst: u32,
    /// The moment at which the bucket will be full again, if nobody calls; in the past if it is full.
    full_at: Arc<Mutex<Option<Instant>>>,
}

impl RateLimit {
    /// So many calls in this time, at least one; as many may come at once.
    pub fn new(calls: u32, per: Duration) -> Self {
        let calls = calls.max(1);
        Self {
            interval: per.min(LONGEST) / calls,
            burst: calls,
            full_at: Arc::default(),
        }
    }

    /// Sets how many may come at once, at least one.
    #[must_use]
    pub fn burst(mut self, calls: u32) -> Self {
        self.burst = calls.max(1);
        self
    }

    /// Takes a call out of the bucket, or says after how long there will be one.
    fn take(&self) -> Result<(), Duration> {
        let now = Instant::now();
        let mut full_at = self.full_at.lock().unwrap_or_else(PoisonError::into_inner);
        let then = full_at.map_or(now, |at| at.max(now)) + self.interval;
        let empty = now + self.interval.saturating_mul(self.burst).min(LONGEST);
        if then > empty {
            return Err(then - empty);
        }
        *full_at = Some(then);
        Ok(())
    }

    fn refusal(&self, wait: Duration) -> CallError {
        let message = if self.burst == 1 {
            "this was called a moment ago".to_owned()
        } else {
            "this was called too often in a short time".to_owned()
        };
        CallError::new(ErrorCode::Busy, message)
            .hint(format!("try again after {:?}", rounded_up(wait)))
    }
}

/// A time that people can read, and that is never too short.
fn rounded_up(time: Duration) -> Duration {
    let step = if time >= Duration::from_secs(1) {
        100
    } else {
        1
    };
    let millis = time.as_nanos().div_ceil(step * 1_000_000) * step;
    Duration::from_millis(millis.try_into().unwrap_or(u64::MAX))
}

impl Around for RateLimit {
    async fn around(
        self: Arc<Self>,
        call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        if !call.dry_run {
            self.take().map_err(|wait| self.refusal(wait))?;
        }
        inner.call(call).await
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn the_bucket_refills_steadily() {
        let limit = RateLimit::new(2, Duration::from_secs(1));
        assert_eq!(limit.take(), Ok(()));
        assert_eq!(limit.clone().take(), Ok(()));
        assert_eq!(limit.take(), Err(Duration::from_millis(500)));
        advance(Duration::from_millis(499)).await;
        assert_eq!(limit.take(), Err(Duration::from_millis(1)));
        advance(Duration::from_millis(1)).await;
        assert_eq!(limit.take(), Ok(()));
        // It holds no more than its burst, however long nobody called.
        advance(Duration::from_secs(3600)).await;
        assert_eq!([(); 3].map(|()| limit.take().is_ok()), [true, true, false]);
    }

    #[tokio::test(start_paused = true)]
    async fn a_burst_is_apart_from_the_rate() {
        let limit = RateLimit::new(1, Duration::from_secs(1)).burst(10);
        assert_eq!((0..20).filter(|_| limit.take().is_ok()).count(), 10);
        advance(Duration::from_secs(3)).await;
        assert_eq!((0..20).filter(|_| limit.take().is_ok()).count(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn extreme_settings_neither_panic_nor_shut() {
        for (calls, per, burst) in [
            (0, Duration::MAX, 0),
            (u32::MAX, Duration::ZERO, u32::MAX),
            (1, Duration::MAX, u32::MAX),
        ] {
            let limit = RateLimit::new(calls, per).burst(burst);
            assert_eq!(limit.take(), Ok(()), "{limit:?}");
        }
    }

    #[test]
    fn a_wait_is_never_said_too_short() {
        assert_eq!(
            rounded_up(Duration::from_micros(1)),
            Duration::from_millis(1)
        );
        assert_eq!(
            rounded_up(Duration::from_millis(1501)),
            Duration::from_millis(1600)
        );
        assert_eq!(
            rounded_up(Duration::from_millis(2000)),
            Duration::from_secs(2)
        );
    }
}
