//! Programs that start others: nobody in their group survives the call.

use std::time::{Duration, Instant};

use charmer_run::{Ended, process::Engine};

use crate::support::{
    HANG, Running, eventually, fixture, group, launcher_of, patient, request, stubborn,
};

/// The group stays empty, not only for a moment.
async fn assert_deserted(leader: i32) {
    eventually("the end of the group", || group(leader).is_empty()).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(group(leader), Vec::<i32>::new());
}

#[tokio::test]
async fn who_is_being_forked_during_the_kill_is_killed_too() {
    // Nobody listens to the request to end, so that the kill is what ends them.
    let launcher = launcher_of("/bin/sh", Engine::default());
    for pause in [0, 3, 7, 20] {
        let limits = patient().grace(Duration::from_millis(100));
        let mut running = Running::start(&launcher, stubborn(&["relay"], &limits));
        let leader = running.process().await;
        tokio::time::sleep(Duration::from_millis(pause)).await;
        running.cancel.cancel();
        assert_eq!(running.outcome().await.ended, Ended::Cancelled);
        assert_deserted(leader).await;
    }
}

#[tokio::test]
async fn a_fork_bomb_ends_with_its_group() {
    let launcher = launcher_of("/bin/sh", Engine::default());
    let limits = patient().grace(Duration::from_millis(100));
    let mut running = Running::start(&launcher, stubborn(&["storm", "5"], &limits));
    let some_member = running.process().await;
    let leader = leader_of(some_member);
    eventually("the whole tree", || group(leader).len() == 63).await;
    running.cancel.cancel();
    assert_eq!(running.outcome().await.ended, Ended::Cancelled);
    assert_deserted(leader).await;

    // And while it still grows.
    let mut running = Running::start(&launcher, stubborn(&["storm", "7"], &limits));
    let leader = leader_of(running.process().await);
    running.cancel.cancel();
    assert_eq!(running.outcome().await.ended, Ended::Cancelled);
    assert_deserted(leader).await;
}

/// The group of whoever spoke first.
fn leader_of(member: i32) -> i32 {
    let member = rustix::process::Pid::from_raw(member);
    let group = rustix::process::getpgid(member).expect("it sleeps");
    group.as_raw_nonzero().get()
}

/// From cancelling to the death of the last of twenty. What it takes is printed; a bound would be a timed test.
#[tokio::test]
#[expect(
    clippy::print_stderr,
    reason = "a measurement for whoever runs it with --nocapture"
)]
async fn a_tree_of_twenty_ends_when_its_call_is_cancelled() {
    let launcher = launcher_of(fixture(), Engine::default());
    let mut running = Running::start(&launcher, request(&["children", "20"], &patient()));
    let leader = running.process().await;
    eventually("twenty children", || group(leader).len() == 21).await;
    let began = Instant::now();
    running.cancel.cancel();
    let outcome = running.outcome().await;
    while !group(leader).is_empty() {
        assert!(began.elapsed() < patient().grace + HANG);
    }
    eprintln!(
        "a tree of 21 processes ended {:?} after it was cancelled",
        began.elapsed()
    );
    assert_eq!(outcome.ended, Ended::Cancelled);
    assert_deserted(leader).await;
}
