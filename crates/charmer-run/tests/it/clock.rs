//! The promise about time: an answer arrives within the timeout, the grace period and half a second, whatever
//! descendants do. It can only be seen on a quiet machine, so `.ci/run clock` runs these tests, one at a time.

use std::time::{Duration, Instant};

use charmer_run::{Ended, process::Engine};

use crate::support::{
    Running, fixture, group, impatient, launcher_of, patient, request, run, stubborn, try_run,
};

/// What an answer may take beyond its limits.
const SMALL: Duration = Duration::from_millis(500);

#[tokio::test]
#[ignore = "looks at the clock: `.ci/run clock` runs it alone"]
async fn a_timeout_is_answered_soon_after_the_grace_period() {
    let launcher = launcher_of("/bin/sh", Engine::default());
    let limits = impatient();
    for args in [
        &["sleep"][..],
        &["flood", "stdout", "for ever"],
        &["children", "20"],
    ] {
        let began = Instant::now();
        let outcome = try_run(&launcher, stubborn(args, &limits)).await;
        let took = began.elapsed();
        assert_eq!(outcome.expect("it starts").ended, Ended::TimedOut);
        let most = limits.timeout + limits.grace + SMALL;
        assert!(took < most, "{args:?}: {took:?} instead of {most:?}");
    }
}

#[tokio::test]
#[ignore = "looks at the clock: `.ci/run clock` runs it alone"]
async fn a_grandchild_with_the_pipe_delays_the_answer_by_less_than_half_a_second() {
    for args in [&["leak"][..], &["daemonise", "leaky"]] {
        let began = Instant::now();
        let outcome = run(args).await;
        let took = began.elapsed();
        assert_eq!(outcome.ended, Ended::Exited(0));
        assert!(took < SMALL, "{args:?}: {took:?}");
        let said = outcome.stdout_text();
        if let Some(id) = said
            .trim()
            .rsplit(' ')
            .next()
            .and_then(|id| id.parse().ok())
        {
            crate::support::end(id);
        }
    }
}

#[tokio::test]
#[ignore = "looks at the clock: `.ci/run clock` runs it alone"]
async fn a_cancelled_tree_of_twenty_ends_in_less_than_half_a_second() {
    let launcher = launcher_of(fixture(), Engine::default());
    let mut running = Running::start(&launcher, request(&["children", "20"], &patient()));
    let leader = running.process().await;
    let began = Instant::now();
    running.cancel.cancel();
    assert_eq!(running.outcome().await.ended, Ended::Cancelled);
    while !group(leader).is_empty() {
        assert!(began.elapsed() < SMALL, "{:?}", group(leader));
    }
}
