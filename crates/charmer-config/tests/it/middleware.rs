//! The keys that stand around calls, from the text of a file to a call path that does what they say.

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use charmer_config::Config;
use charmer_core::tool::Layout;
use charmer_run::{
    Call, CallError, CallService, Ended, ErrorCode, Outcome, Redactor, into_service, wrap,
};
use serde_json::{Value, json};
use tower::{ServiceExt, service_fn};

use crate::meaning::{parse, tool};

/// What only a hang takes longer than.
const HANG: Duration = Duration::from_secs(60);

const FILE: &str = "
sources:
  - binary: kubectl
    select:
      - commands: {allow: [get]}
        assume_effect: read
        timeout: 20ms
        rate_limit: {calls: 5, per: 1h}
        validate:
          - {argument: namespace, pattern: '[a-z-]+', message: a lower-case name}
          - {argument: kind, forbid: secret}
          - {argument: names, max_items: 2}
        filter:
          - {pattern: 'password: .*', replace: 'password: ***'}
          - {pattern: '\\*\\*\\*', replace: hidden}
redact:
  values: [hunter2]
audit:
  file: calls.jsonl
limits:
  timeout: 1h
";

/// A call path in the place of a program, and the kinds that it was asked for. `slow` takes all the time there is,
/// and `flaky` fails until it was asked for it twice.
fn program() -> (CallService, Arc<Mutex<Vec<String>>>) {
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kinds = Arc::clone(&asked);
    let path = into_service(service_fn(move |call: Call| {
        let kind = call.input["kind"].as_str().unwrap_or_default().to_owned();
        let mut kinds = kinds.lock().expect("no panic");
        let again = kinds.contains(&kind);
        kinds.push(kind.clone());
        async move {
            let mut outcome = Outcome::success(format!("kind: {kind}\npassword: hunter2\n"));
            if kind == "slow" {
                tokio::time::sleep(call.limits.timeout).await;
                outcome.ended = Ended::TimedOut;
            } else if kind == "flaky" && !again {
                outcome.ended = Ended::Exited(1);
            }
            Ok::<_, CallError>(outcome)
        }
    }));
    (path, asked)
}

async fn run(config: &Config, path: &CallService, input: Value) -> Result<Outcome, CallError> {
    let tool = tool(config, Layout::Flat).expect("the command is served");
    let limits = config.sources[0].select[0].limits(&config.limits(), tool.name.as_str());
    let input = input.as_object().cloned().expect("an object");
    path.clone()
        .oneshot(Call::new(tool, input).limits(limits))
        .await
}

#[tokio::test]
async fn every_key_does_what_it_says() {
    let config = parse(FILE);
    let directory = tempfile::tempdir().expect("a directory");
    let (redactor, _) = config.redactor(|_| None);
    let section = config.audit.as_ref().expect("there is a log");
    let audit = section.layer(redactor, directory.path());
    let (program, asked) = program();
    let path = wrap(&config.sources[0].select[0].layers(), program);
    let path = wrap(&audit, path);
    let run = |input| run(&config, &path, input);

    // filter: the second pattern finds what the first left.
    let outcome = run(json!({"kind": "pods"})).await.expect("it runs");
    assert_eq!(outcome.stdout_text(), "kind: pods\npassword: hidden\n");

    // timeout: the selector's, not the hour of the file.
    let slow = tokio::time::timeout(HANG, run(json!({"kind": "slow"}))).await;
    let slow = slow.expect("it was ended").expect("it ran");
    assert_eq!(slow.ended, Ended::TimedOut);
    assert_eq!(slow.stdout_text(), "kind: slow\npassword: hidden\n");

    // validate: nothing is started.
    for (input, message) in [
        (
            json!({"kind": "pods", "namespace": "hunter2"}),
            "`namespace`: a lower-case name",
        ),
        (
            json!({"kind": "secrets"}),
            "`kind` must not contain the pattern `secret`",
        ),
        (
            json!({"kind": "pods", "names": ["a", "b", "c"]}),
            "`names` takes at most 2 values here",
        ),
    ] {
        let error = run(input).await.expect_err("it is refused");
        assert_eq!(
            (error.code, error.message.as_str()),
            (ErrorCode::InvalidArguments, message)
        );
    }

    // rate_limit: five calls were made, two of them run.
    let busy = run(json!({"kind": "pods"}))
        .await
        .expect_err("it is the sixth");
    assert_eq!(busy.code, ErrorCode::Busy);
    assert_eq!(*asked.lock().expect("no panic"), ["pods", "slow"]);

    // audit: every call has its line, refused or not, and no secret is in it.
    assert!(audit.finish(HANG));
    let log = std::fs::read_to_string(directory.path().join("calls.jsonl")).expect("a log");
    assert!(!log.contains("hunter2") && log.contains("[redacted]"));
    let outcomes: Vec<Value> = log
        .lines()
        .map(|line| {
            let mut line: Value = serde_json::from_str(line).expect("a line is JSON");
            line["outcome"].take()
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            "exited",
            "timeout",
            "invalid_arguments",
            "invalid_arguments",
            "invalid_arguments",
            "busy"
        ]
    );
}

#[tokio::test]
async fn a_call_is_refused_that_cannot_be_put_on_record() {
    let config = parse(&FILE.replace("audit:\n", "audit:\n  fail_closed: true\n"));
    let section = config.audit.as_ref().expect("there is a log");
    let missing = Path::new("/nonexistent/directory");
    let (program, asked) = program();
    let path = wrap(&section.layer(Redactor::default(), missing), program);
    let error = run(&config, &path, json!({"kind": "pods"})).await;
    assert_eq!(
        error.expect_err("it is refused").code,
        ErrorCode::NotPermitted
    );
    assert!(asked.lock().expect("no panic").is_empty());
}

#[tokio::test]
async fn tries_are_within_a_call_and_commands_share_the_rate() {
    let config = parse(
        "sources: [{binary: kubectl, select: [{commands: {allow: [get]}, assume_effect: read, \
         rate_limit: {calls: 2, per: 1h}, retry: {times: 1, wait: 0s}, validate: [{argument: kind, forbid: secret}]}]}]",
    );
    let layers = config.sources[0].select[0].layers();
    let (program, asked) = program();
    let (one, other) = (wrap(&layers, program.clone()), wrap(&layers, program));

    let outcome = run(&config, &one, json!({"kind": "flaky"})).await;
    assert!(outcome.expect("it runs").is_success());
    let refused = run(&config, &other, json!({"kind": "secret"})).await;
    assert_eq!(
        refused.expect_err("it is refused").code,
        ErrorCode::InvalidArguments
    );
    let busy = run(&config, &one, json!({"kind": "pods"})).await;
    assert_eq!(busy.expect_err("it is the third").code, ErrorCode::Busy);
    assert_eq!(*asked.lock().expect("no panic"), ["flaky", "flaky"]);
}
