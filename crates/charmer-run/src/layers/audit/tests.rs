//! Tests of the log, and of one that cannot be written.

use std::{fs, path::Path, sync::Mutex};

use serde_json::json;

use super::*;
use crate::{
    ErrorCode, Execute, Handler, HandlerCall, Hooks, Outcome, Reply, Target, into_service,
    layers::{Retry, tests::call},
    wrap,
};

const PATIENCE: Duration = Duration::from_secs(60);

/// A call path that really binds and writes an argv, with a log around it and a hook between.
fn path(
    audit: &Audit,
    hook: impl Fn(&mut Call) -> Result<(), CallError> + Send + Sync + 'static,
    handler: impl Fn(HandlerCall) -> Result<Reply, CallError> + Send + Sync + 'static,
) -> CallService {
    let handler: Arc<dyn Handler> = Arc::new(handler);
    let execute = Execute::new(call("get", json!({})).tool, Target::Handler(handler));
    let path = wrap(&Retry::new(2, Duration::ZERO), into_service(execute));
    wrap(audit, wrap(&Hooks::new().before(hook), path))
}

fn fine(_: HandlerCall) -> Result<Reply, CallError> {
    Ok(Reply::from("hello"))
}

fn lines(file: &Path) -> Vec<Value> {
    let text = fs::read_to_string(file).expect("the log is there");
    text.lines()
        .map(|line| serde_json::from_str(line).expect("every line is JSON"))
        .collect()
}

fn heard() -> (
    Arc<Mutex<Vec<String>>>,
    impl Fn(&str) + Send + Sync + 'static,
) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let ears = Arc::clone(&heard);
    (heard, move |text: &str| {
        ears.lock().expect("no panic").push(text.to_owned());
    })
}

#[tokio::test]
async fn a_line_says_what_was_run_and_what_came_of_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.jsonl");
    let redactor = Redactor::new(["hunter2"], [""; 0]).expect("no patterns");
    let audit = Audit::new(&file).redact(redactor);
    let hook = |call: &mut Call| {
        if call.tool.path.words() == ["delete"] {
            return Err(CallError::refused("not hunter2"));
        }
        call.input.insert("kind".into(), "changed".into());
        Ok(())
    };
    let path = path(&audit, hook, fine);
    let input = json!({"namespace": "a-hunter2", "kind": "pods"});
    path.clone()
        .call(call("get", input))
        .await
        .expect("it runs");
    let _ = path
        .clone()
        .call(call("delete", json!({"namespace": "hunter2"})))
        .await;
    let _ = path
        .clone()
        .call(call("get", json!({"nonsense": "x".repeat(9000)})))
        .await;
    assert!(audit.flush(PATIENCE));

    let found = lines(&file);
    assert_eq!(found.len(), 3, "{found:?}");
    let ran = &found[0];
    assert_eq!(ran["event"], "ended");
    assert_eq!(
        (&ran["tool"], &ran["command"]),
        (&json!("kube_get"), &json!(["get"]))
    );
    // As the hook left it, and without the secret.
    assert_eq!(
        ran["argv"],
        json!(["get", "--namespace=a-[redacted]", "changed"])
    );
    assert_eq!(
        (&ran["outcome"], &ran["exitCode"]),
        (&json!("exited"), &json!(0))
    );
    assert_eq!(
        (&ran["stdoutBytes"], &ran["stderrBytes"]),
        (&json!(5), &json!(0))
    );
    assert!(ran["durationMs"].is_u64() && ran.get("input").is_none() && ran.get("tries").is_none());
    let time = ran["time"].as_str().expect("a time");
    assert!(
        humantime::parse_rfc3339(time).is_ok() && time.ends_with('Z'),
        "{time}"
    );

    let refused = &found[1];
    assert_eq!(
        (&refused["outcome"], &refused["message"]),
        (&json!("not_permitted"), &json!("not [redacted]"))
    );
    assert_eq!(refused["input"], json!({"namespace": "[redacted]"}));
    assert!(refused.get("argv").is_none());
    assert_ne!(ran["id"], refused["id"]);
    assert_eq!(found[2]["outcome"], "invalid_arguments");
    assert!(found[2].to_string().len() < 6000);
    assert_eq!(audit.lost(), 0);

    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn tries_are_counted_and_what_is_abandoned_is_on_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.jsonl");
    let audit = Audit::new(&file);
    let failing = path(
        &audit,
        |_| Ok(()),
        |_| Err(CallError::new(ErrorCode::Busy, "no")),
    );
    let _ = failing.clone().call(call("get", json!({}))).await;
    let stuck = wrap(
        &audit,
        into_service(tower::service_fn(|_: Call| {
            std::future::pending::<Result<Outcome, CallError>>()
        })),
    );
    let waited = tokio::time::timeout(
        Duration::from_millis(20),
        stuck.clone().call(call("get", json!({}))),
    )
    .await;
    assert!(waited.is_err());
    assert!(audit.flush(PATIENCE));
    let found = lines(&file);
    assert_eq!(
        (&found[0]["outcome"], &found[0]["tries"]),
        (&json!("busy"), &json!(3))
    );
    assert_eq!(found[1]["outcome"], "abandoned");
}

#[tokio::test]
async fn a_file_can_be_moved_away_and_the_end_of_the_log_writes_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, moved) = (folder.path().join("a"), folder.path().join("b"));
    let audit = Audit::new(&file);
    let path = path(&audit, |_| Ok(()), fine);
    path.clone()
        .call(call("get", json!({})))
        .await
        .expect("it runs");
    assert!(audit.flush(PATIENCE));
    fs::rename(&file, &moved).expect("it is there");
    for _ in 0..200 {
        path.clone()
            .call(call("get", json!({})))
            .await
            .expect("it runs");
    }
    drop((audit, path));
    assert_eq!((lines(&moved).len(), lines(&file).len()), (1, 200));
}

/// Row 69: a full disk.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_reported_once_and_fails_no_call() {
    let (heard, ears) = heard();
    let audit = Audit::new("/dev/full").report_to(ears);
    let path = path(&audit, |_| Ok(()), fine);
    for _ in 0..50 {
        path.clone()
            .call(call("get", json!({})))
            .await
            .expect("it runs");
    }
    assert!(audit.flush(PATIENCE));
    assert_eq!(audit.lost(), 50);
    assert_eq!(heard.lock().expect("no panic").len(), 1);
    drop((audit, path));
    let heard = heard.lock().expect("no panic");
    assert!(heard[0].contains("/dev/full: No space left"), "{heard:?}");
    assert!(heard[1].contains("its last 50 lines"), "{heard:?}");
}

#[tokio::test]
async fn the_next_line_that_can_be_written_says_how_many_are_missing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("later/calls.jsonl");
    let (heard, ears) = heard();
    let audit = Audit::new(&file).report_to(ears);
    let path = path(&audit, |_| Ok(()), fine);
    for _ in 0..3 {
        path.clone()
            .call(call("get", json!({})))
            .await
            .expect("it runs");
    }
    assert!(audit.flush(PATIENCE));
    fs::create_dir(folder.path().join("later")).expect("a folder");
    for _ in 0..2 {
        path.clone()
            .call(call("get", json!({})))
            .await
            .expect("it runs");
    }
    assert!(audit.flush(PATIENCE));
    let found = lines(&file);
    assert_eq!(
        (&found[0]["lostBefore"], found[1].get("lostBefore")),
        (&json!(3), None)
    );
    assert_eq!(
        heard.lock().expect("no panic").len(),
        2,
        "lost, and written again"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn failing_closed_starts_nothing_that_is_not_on_record() {
    let ran = Arc::new(AtomicU64::new(0));
    let count = |ran: &Arc<AtomicU64>| {
        let ran = Arc::clone(ran);
        move |call: HandlerCall| {
            ran.fetch_add(1, Ordering::SeqCst);
            fine(call)
        }
    };
    for bad in ["/dev/full", "/nowhere/calls.jsonl"] {
        let audit = Audit::new(bad).fail_closed(true).report_to(|_| ());
        let path = path(&audit, |_| Ok(()), count(&ran));
        let refused = path
            .clone()
            .call(call("get", json!({})))
            .await
            .expect_err("it is refused");
        assert_eq!(refused.code, ErrorCode::NotPermitted);
        assert!(refused.message.contains(bad), "{refused}");
    }
    assert_eq!(ran.load(Ordering::SeqCst), 0);

    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.jsonl");
    let audit = Audit::new(&file).fail_closed(true);
    let seen = file.clone();
    let path = path(
        &audit,
        |_| Ok(()),
        move |call| {
            // Its beginning is on record while it runs.
            assert_eq!(lines(&seen).len(), 1);
            fine(call)
        },
    );
    path.clone()
        .call(call("get", json!({"kind": "pods"})))
        .await
        .expect("it runs");
    assert!(audit.flush(PATIENCE));
    let found = lines(&file);
    assert_eq!(
        (&found[0]["event"], &found[1]["event"]),
        (&json!("begun"), &json!("ended"))
    );
    assert_eq!(found[0]["id"], found[1]["id"]);
    assert_eq!(
        (&found[0]["input"], &found[1]["argv"]),
        (&json!({"kind": "pods"}), &json!(["get", "pods"]))
    );
}

/// A disk that does not answer: a pipe that nobody reads.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stuck_disk_delays_no_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pipe");
    let status = std::process::Command::new("mkfifo").arg(&file).status();
    assert!(status.is_ok_and(|status| status.success()));
    let (heard, ears) = heard();
    let audit = Audit::new(&file).report_to(ears);
    let open = wrap(
        &audit,
        into_service(tower::service_fn(|_: Call| async {
            Ok::<_, CallError>(Outcome::success(""))
        })),
    );
    // A call that waited for the disk would wait for ever: nobody reads yet.
    for _ in 0..1100 {
        open.clone()
            .call(call("get", json!({})))
            .await
            .expect("it runs");
    }
    assert!(audit.lost() >= 70, "{}", audit.lost());
    assert!(heard.lock().expect("no panic")[0].contains("too slow"));
    assert!(!audit.flush(Duration::from_millis(10)));

    let closed = wrap(&audit.clone().fail_closed(true), open.clone());
    let mut hurried = call("get", json!({}));
    hurried.limits.timeout = Duration::from_millis(50);
    let refused = closed
        .clone()
        .call(hurried)
        .await
        .expect_err("it is refused");
    assert_eq!(refused.code, ErrorCode::NotPermitted);
    let cancelled = call("get", json!({}));
    cancelled.cancel.cancel();
    let cancelled = closed
        .clone()
        .call(cancelled)
        .await
        .expect_err("it was cancelled");
    assert_eq!(cancelled.code, ErrorCode::Cancelled);
    // Somebody reads at last, so that the thread can end.
    let reader = std::thread::spawn(move || fs::read_to_string(file));
    drop((audit, open, closed));
    let text = reader.join().expect("no panic").expect("it can be read");
    assert!(text.lines().count() >= 1024);
}

#[tokio::test]
async fn a_dry_run_is_on_record_as_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("calls.jsonl");
    let audit = Audit::new(&file).fail_closed(true);
    let path = path(&audit, |_| Ok(()), |_| panic!("nothing is run"));
    let dry = call("get", json!({"kind": "pods"})).dry_run(true);
    path.clone().call(dry).await.expect("it is told");
    assert!(audit.flush(PATIENCE));
    let found = lines(&file);
    assert_eq!(found.len(), 2, "{found:?}");
    for line in &found {
        assert_eq!(line["dryRun"], true, "{line}");
    }
    assert_eq!(found[1]["outcome"], "dry_run");
    assert_eq!(found[1]["argv"], json!(["get", "pods"]));
}
