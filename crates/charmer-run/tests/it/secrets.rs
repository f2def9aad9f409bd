//! Row 56: a secret that a program echoes is seen nowhere.

use charmer_run::{
    CallResult, LOCAL, Outcome, Progress, Redactor, Spool, SpoolLimits,
    process::{Engine, Launcher},
};

use crate::support::{fixture, launcher_of, patient, redacting, request, try_run};

const SECRET: &str = "hunter2";

fn redactor() -> Redactor {
    Redactor::new(
        [SECRET, "first line\nsecond line"],
        [r"ghp_[0-9a-zA-Z]{8,}"],
    )
    .expect("patterns")
}

fn launcher(spool: &Spool, redactor: &Redactor) -> Launcher {
    let mut options = redacting(redactor);
    options.spool = Some(spool.clone());
    launcher_of(fixture(), Engine::new(options))
}

/// Everything that is kept of an outcome: what an assistant gets, what is in memory, and what is on disk.
fn everything(outcome: Outcome, spool: &Spool) -> String {
    let mut seen = format!("{:?}", String::from_utf8_lossy(&outcome.stdout.head));
    seen.push_str(&String::from_utf8_lossy(&outcome.stdout.tail));
    if let Some(spooled) = &outcome.stdout.spool {
        let part = spool
            .read(spooled.hand_out(), LOCAL, 0, usize::MAX >> 1)
            .expect("it is kept")
            .expect("it can be read");
        seen.push_str(&String::from_utf8_lossy(&part.bytes));
    }
    let limits = patient().output_chars(100);
    let result = CallResult::new(&Ok(outcome), &limits, &redactor());
    seen.push_str(&result.text);
    seen.push_str(&serde_json::Value::Object(result.structured).to_string());
    seen
}

#[tokio::test]
async fn a_manifest_is_masked_though_nothing_was_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let spool = Spool::new(folder.path(), SpoolLimits::default());
    let yaml = "apiVersion: v1\ndata:\n  password: czNjcjN0\nkind: Secret\nmetadata:\n  name: db\n";
    let json = r#"{"apiVersion":"v1","data":{"password":"czNjcjN0"},"kind":"Secret","metadata":{"name":"db"}}"#;
    let long = format!("{yaml}---\n").repeat(5);
    let rows: [&[&str]; 4] = [
        &["say", yaml],
        &["say", json],
        &[
            "say-slowly",
            "data:\n  password: czNj",
            "cjN0\nki",
            "nd: Secret\n",
        ],
        &["say", &long],
    ];
    for args in rows {
        let limits = patient().output_chars(100);
        let nothing = Redactor::default();
        let outcome = try_run(&launcher(&spool, &nothing), request(args, &limits)).await;
        let outcome = outcome.expect("it starts");
        assert_eq!(outcome.stdout.spool.is_some(), outcome.stdout.total > 100);
        let seen = everything(outcome, &spool);
        assert!(!seen.contains("czNjcjN0"), "{args:?}:\n{seen}");
        assert!(seen.contains("[redacted]") && seen.contains("password"));
    }
}

#[tokio::test]
async fn an_echoed_secret_is_not_in_the_result_or_on_disk() {
    let folder = tempfile::tempdir().expect("a folder");
    let spool = Spool::new(folder.path(), SpoolLimits::default());
    let long = "hunter2 ".repeat(12_000);
    let seam = format!("{}hunter2", "-".repeat(11));
    let rows: [&[&str]; 8] = [
        &["say", "password: hunter2\n"],
        // In two reads, and in seven.
        &["say-slowly", "password: hun", "ter2\n"],
        &["say-slowly", "h", "u", "n", "t", "e", "r", "2"],
        // At the end, without a line's end.
        &["say-slowly", "token ghp_0123", "456789abc"],
        &[
            "say-slowly",
            "first line\n",
            "second line\n",
            "and more of it\n",
        ],
        // Where a line is too long to be waited for, and where long output goes to disk.
        &["say", &long],
        &["repeat", &seam, "30000"],
        // With a terminal's sequence in it.
        &["say", "hun\x1b[0mter2\n"],
    ];
    for args in rows {
        let limits = patient().output_chars(100);
        let outcome = try_run(&launcher(&spool, &redactor()), request(args, &limits)).await;
        let outcome = outcome.expect("it starts");
        let spooled = outcome.stdout.spool.is_some();
        assert_eq!(spooled, outcome.stdout.total > 100);
        let seen = everything(outcome, &spool);
        let secrets = [SECRET, "ghp_0123456", "first line\nsecond", "456789abc"];
        for secret in secrets {
            assert!(!seen.contains(secret), "{secret} after {:?}", &args[..1]);
        }
        assert!(seen.contains("[redacted]"));
    }
}

#[tokio::test]
async fn an_echoed_secret_is_not_in_the_progress() {
    let folder = tempfile::tempdir().expect("a folder");
    let spool = Spool::new(folder.path(), SpoolLimits::default());
    // Without secrets that go across lines a line is shown as soon as it has ended.
    let redactor = Redactor::new([SECRET], [""; 0]).expect("patterns");
    let launcher = launcher(&spool, &redactor);
    let (progress, mut news) = Progress::watched();
    let args = [
        "say-slowly",
        "one hun",
        "ter2\n",
        "two hunter2",
        "\n",
        "three\n",
    ];
    let asked = request(&args, &patient()).progress(progress);
    let watched = tokio::spawn(async move {
        let mut lines = Vec::new();
        while news.changed().await.is_ok() {
            lines.push(news.borrow_and_update().line.clone());
        }
        lines
    });
    try_run(&launcher, asked).await.expect("it starts");
    let lines = watched.await.expect("no panic").join("\n");
    assert!(
        lines.contains("one [redacted]") && lines.ends_with("three"),
        "{lines}"
    );
    assert!(!lines.contains("hun") && !lines.contains("ter2"), "{lines}");
}
