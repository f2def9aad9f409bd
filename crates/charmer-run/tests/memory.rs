//! Output that does not fit into memory. How much the process takes is the same for all its threads, so these tests stand
//! in a binary of their own, and run one after the other.

#![cfg(target_os = "linux")]

use charmer_run::{Ended, Redactor, process::Engine};
use tokio::sync::Mutex;

use support::{
    fixture, impatient, launcher_of, patient, redacting, request, result, run, run_within, try_run,
};

#[path = "it/support.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod support;

/// What they may take more, in kB: less than the output, more than what is kept of it.
const BOUND: u64 = 150_000;

static ALONE: Mutex<()> = Mutex::const_new(());

/// The most memory that this process ever had, in kB. Other tests run beside, so only large differences say anything.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("procfs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok())
        .expect("a number")
}

#[tokio::test]
async fn endless_output_is_answered_after_the_timeout_in_bounded_memory() {
    let _alone = ALONE.lock().await;
    let before = peak_memory();
    let limits = impatient().capture_bytes(1 << 18);
    let outcome = run_within(&["flood", "stdout", "for ever"], &limits).await;
    assert_eq!(outcome.ended, Ended::TimedOut);
    assert!(outcome.stdout.head.len() + outcome.stdout.tail.len() <= limits.capture_bytes);
    assert!(outcome.stdout.is_cut() && outcome.stdout.total > limits.capture_bytes as u64);
    let total = outcome.stdout.total;
    let result = result(outcome, &limits);
    assert_eq!(result.structured["truncated"]["stdout"]["bytes"], total);
    assert_eq!(result.structured["error"]["code"], "timeout");
    assert!(result.text.chars().count() < limits.output_chars + 1000);
    let grown = peak_memory() - before;
    assert!(grown < BOUND, "{grown} kB");
}

#[tokio::test]
async fn a_line_of_300_megabytes_is_counted_and_not_kept() {
    let _alone = ALONE.lock().await;
    let before = peak_memory();
    let outcome = run(&["line", "300000000"]).await;
    assert_eq!(outcome.ended, Ended::Exited(0));
    assert!(
        outcome.stdout.total > 299_900_000,
        "{}",
        outcome.stdout.total
    );
    let grown = peak_memory() - before;
    assert!(grown < BOUND, "{grown} kB");
}

#[tokio::test]
async fn a_long_line_is_not_kept_for_the_sake_of_redaction_either() {
    let _alone = ALONE.lock().await;
    let redactor = Redactor::new(["hunter2"], [""; 0]).expect("patterns");
    let launcher = launcher_of(fixture(), Engine::new(redacting(&redactor)));
    let before = peak_memory();
    let outcome = try_run(&launcher, request(&["line", "200000000"], &patient())).await;
    assert!(outcome.expect("it starts").stdout.total > 199_900_000);
    let grown = peak_memory() - before;
    assert!(grown < BOUND, "{grown} kB");
}
