//! The layers around call paths, alone and together, and tower's own beside them.

use std::{
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use charmer_core::{
    model::{Cli, Command, Flag, Hints, Positional, Syntax, ValueType},
    tool::{CatalogueOptions, Layout, catalogue},
};
use serde_json::Value;
use tokio::time::Instant;
use tower::Service;

use super::*;
use crate::{
    Call, CallError, CallService, Ended, ErrorCode, Hooks, Outcome, Progress, into_service, wrap,
};

/// A call of a small program: `get` reads, `delete` does not.
pub(super) fn call(command: &str, input: Value) -> Call {
    call_in(Layout::Flat, command, input)
}

pub(super) fn nested_call(command: &str, input: Value) -> Call {
    call_in(Layout::Nested, command, input)
}

fn call_in(layout: Layout, command: &str, input: Value) -> Call {
    let namespace = || {
        Flag::new("namespace")
            .short('n')
            .value_type(ValueType::String)
    };
    let root = Command::new("kube")
        .not_runnable()
        .command(
            Command::new("get")
                .hints(Hints::reads())
                .flag(namespace())
                .positional(Positional::new("kind"))
                .positional(Positional::new("names").variadic()),
        )
        .command(
            Command::new("delete")
                .hints(Hints::destroys())
                .flag(namespace()),
        );
    let mut options = CatalogueOptions::default();
    options.layout = layout;
    let found = catalogue(&Cli::new(root, Syntax::pflag()), &options);
    let tool = found
        .tools
        .iter()
        .find(|tool| tool.path.words() == [command])
        .expect("there is such a command");
    let Value::Object(input) = input else {
        panic!("input is an object")
    };
    Call::new(Arc::clone(tool), input)
}

/// A call path that answers in turn, the last answer again and again, and keeps the calls that it got.
#[derive(Clone)]
struct ScriptedPath {
    answers: Arc<Mutex<Vec<Result<Outcome, CallError>>>>,
    calls: Arc<Mutex<Vec<Call>>>,
}

impl ScriptedPath {
    fn new(answers: impl IntoIterator<Item = Result<Outcome, CallError>>) -> Self {
        let mut answers: Vec<_> = answers.into_iter().collect();
        answers.reverse();
        Self {
            answers: Arc::new(Mutex::new(answers)),
            calls: Arc::default(),
        }
    }

    fn path(&self) -> CallService {
        let script = self.clone();
        into_service(tower::service_fn(move |call: Call| {
            script.calls.lock().expect("no panic").push(call);
            let mut answers = script.answers.lock().expect("no panic");
            let answer = if answers.len() > 1 {
                answers.pop()
            } else {
                answers.last().cloned()
            };
            async move { answer.expect("there is an answer") }
        }))
    }

    fn count(&self) -> usize {
        self.calls.lock().expect("no panic").len()
    }
}

fn fine() -> Result<Outcome, CallError> {
    Ok(Outcome::success("fine"))
}

fn ended(ended: Ended) -> Result<Outcome, CallError> {
    let mut outcome = Outcome::success("");
    outcome.ended = ended;
    Ok(outcome)
}

fn failed(code: ErrorCode) -> Result<Outcome, CallError> {
    Err(CallError::new(code, "no"))
}

async fn run(path: &CallService, command: &str) -> Result<Outcome, CallError> {
    path.clone()
        .call(call(command, Value::Object(Default::default())))
        .await
}

#[tokio::test]
async fn a_timeout_is_lowered_and_never_raised() {
    let script = ScriptedPath::new([fine()]);
    for (layer, expected) in [(5, 5), (7200, 1800)] {
        let path = wrap(&Timeout::new(Duration::from_secs(layer)), script.path());
        run(&path, "get").await.expect("it runs");
        let last = script
            .calls
            .lock()
            .expect("no panic")
            .pop()
            .expect("it was called");
        assert_eq!(last.limits.timeout, Duration::from_secs(expected));
    }
}

#[tokio::test(start_paused = true)]
async fn over_the_rate_is_busy_at_once_with_a_time_to_come_back() {
    let script = ScriptedPath::new([fine()]);
    let limit = RateLimit::new(2, Duration::from_secs(3));
    // Two paths, one bucket.
    let (one, other) = (wrap(&limit, script.path()), wrap(&limit, script.path()));
    let began = Instant::now();
    assert!(run(&one, "get").await.is_ok() && run(&other, "delete").await.is_ok());
    let refused = run(&one, "get").await.expect_err("the third is too many");
    assert_eq!(refused.code, ErrorCode::Busy);
    assert_eq!(refused.hint.as_deref(), Some("try again after 1.5s"));
    assert_eq!((began.elapsed(), script.count()), (Duration::ZERO, 2));
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert!(run(&other, "get").await.is_ok());
}

#[tokio::test(start_paused = true)]
async fn what_may_pass_is_tried_again_and_only_for_reads() {
    let retry = Retry::new(2, Duration::from_secs(1));
    for answer in [
        ended(Ended::Exited(1)),
        ended(Ended::Signalled(9)),
        ended(Ended::TimedOut),
        failed(ErrorCode::Busy),
        failed(ErrorCode::Timeout),
        failed(ErrorCode::Failed),
    ] {
        let began = Instant::now();
        let script = ScriptedPath::new([answer.clone(), fine()]);
        let found = run(&wrap(&retry, script.path()), "get").await;
        assert!(
            found.is_ok_and(|outcome| outcome.is_success()),
            "{answer:?}"
        );
        assert_eq!(
            (script.count(), began.elapsed()),
            (2, Duration::from_secs(1))
        );

        let hopeless = ScriptedPath::new([answer.clone()]);
        let _ = run(&wrap(&retry, hopeless.path()), "get").await;
        assert_eq!(hopeless.count(), 3, "{answer:?}");

        let write = ScriptedPath::new([answer.clone()]);
        let _ = run(&wrap(&retry, write.path()), "delete").await;
        assert_eq!(write.count(), 1, "{answer:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_will_not_pass_is_answered_at_once() {
    let mut asks = Outcome::success("");
    asks.ended = Ended::Exited(1);
    asks.advice = Some("it waits for an answer".into());
    for answer in [
        fine(),
        Ok(asks),
        ended(Ended::Cancelled),
        failed(ErrorCode::InvalidArguments),
        failed(ErrorCode::NotPermitted),
        failed(ErrorCode::NotStarted),
        failed(ErrorCode::Cancelled),
        failed(ErrorCode::Internal),
    ] {
        let script = ScriptedPath::new([answer.clone()]);
        let _ = run(&wrap(&Retry::new(5, Duration::ZERO), script.path()), "get").await;
        assert_eq!(script.count(), 1, "{answer:?}");
    }
}

#[tokio::test]
async fn what_a_person_has_answered_is_tried_once() {
    let script = ScriptedPath::new([ended(Ended::Exited(1)), failed(ErrorCode::NotPermitted)]);
    let mut path = wrap(&Retry::new(2, Duration::ZERO), script.path());
    let said = [("approve-1".to_owned(), crate::Answer::Declined)];
    let call = call("get", Value::Object(Default::default()));
    let came = path.call(call.answers(said.into_iter().collect())).await;
    assert_eq!(came.expect("it ran").ended, Ended::Exited(1));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_call_is_not_tried_again() {
    let script = ScriptedPath::new([failed(ErrorCode::Busy)]);
    let mut path = wrap(&Retry::new(9, Duration::from_secs(3600)), script.path());
    let call = call("get", Value::Object(Default::default()));
    let cancel = call.cancel.clone();
    let began = Instant::now();
    let (answer, ()) = tokio::join!(path.call(call), async move {
        tokio::time::sleep(Duration::from_secs(1)).await;
        cancel.cancel();
    });
    assert_eq!(
        answer.map(|_| ()).map_err(|error| error.code),
        Err(ErrorCode::Cancelled)
    );
    assert_eq!(
        (script.count(), began.elapsed()),
        (1, Duration::from_secs(1))
    );
}

#[tokio::test]
async fn a_check_refuses_before_anything_starts_and_a_filter_changes_the_answer() {
    let script = ScriptedPath::new([Ok(Outcome::success("token=abc"))]);
    let path = wrap(
        &Filter::new("token=[a-z]+", "token=...").expect("a pattern"),
        script.path(),
    );
    let path = wrap(
        &Validate::pattern("namespace", "team-.*", "not yours").expect("a pattern"),
        path,
    );
    let ask = |namespace: &str| {
        path.clone()
            .call(call("get", serde_json::json!({"namespace": namespace})))
    };
    let refused = ask("kube-system").await.expect_err("it does not fit");
    assert_eq!((refused.message.as_str(), script.count()), ("not yours", 0));
    let found = ask("team-a").await.expect("it fits");
    assert_eq!(found.stdout_text(), "token=...");
}

#[tokio::test]
async fn what_a_filter_changes_is_not_told_while_the_program_runs() {
    let inner = CallService::new(|call: Call| async move {
        call.progress.report(9, Some("token=abc"));
        Ok::<_, CallError>(Outcome::success("token=abc"))
    });
    let filter = Filter::new("token=[a-z]+", "token=...").expect("a pattern");
    let (progress, told) = Progress::watched();
    let mut asked = call("get", serde_json::json!({}));
    asked.progress = progress;
    let found = wrap(&filter, inner).call(asked).await;
    assert_eq!(found.expect("it runs").stdout_text(), "token=...");
    assert_eq!((told.borrow().bytes, &*told.borrow().line), (9, ""));
}

#[tokio::test]
async fn text_alone_is_a_refusal_before_a_call() {
    let script = ScriptedPath::new([Ok(Outcome::success("done"))]);
    let hook = Hooks::new().before(|call| match call.tool.path.words() {
        [word] if word == "delete" => Err("not today"),
        _ => Ok(()),
    });
    let mut path = wrap(&hook, script.path());
    let error = path.call(call("delete", serde_json::json!({}))).await;
    let error = error.expect_err("it is refused");
    assert_eq!(
        (error.code, error.message.as_str()),
        (ErrorCode::NotPermitted, "not today")
    );
    let got = path.call(call("get", serde_json::json!({}))).await;
    assert!(got.is_ok());
}

#[tokio::test(start_paused = true)]
async fn layers_of_tower_fit() {
    use tower::{
        Layer,
        limit::ConcurrencyLimitLayer,
        load_shed::LoadShedLayer,
        timeout::TimeoutLayer,
        util::{MapRequestLayer, MapResponseLayer},
    };

    let script = ScriptedPath::new([fine()]);
    let path = wrap(
        &MapRequestLayer::new(|mut call: Call| {
            call.input.insert("namespace".into(), "pinned".into());
            call
        }),
        script.path(),
    );
    let path = wrap(
        &MapResponseLayer::new(|_: Outcome| Outcome::success("mapped")),
        path,
    );
    assert_eq!(
        run(&path, "get").await.expect("it runs").stdout_text(),
        "mapped"
    );
    assert_eq!(
        script.calls.lock().expect("no panic")[0].input["namespace"],
        "pinned"
    );

    // A slow program, to see what overlaps.
    let (now, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let slow = {
        let (now, most) = (Arc::clone(&now), Arc::clone(&most));
        into_service(tower::service_fn(move |_: Call| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::time::sleep(Duration::from_secs(1)).await;
                now.fetch_sub(1, Ordering::SeqCst);
                Ok::<_, CallError>(Outcome::success("slow"))
            }
        }))
    };

    // A permit that is waited for in `poll_ready` is waited for in the call.
    let limited = wrap(&ConcurrencyLimitLayer::new(2), slow.clone());
    let began = Instant::now();
    let (a, b, c) = tokio::join!(
        run(&limited, "get"),
        run(&limited, "get"),
        run(&limited, "get")
    );
    assert!(a.is_ok() && b.is_ok() && c.is_ok());
    assert_eq!(
        (most.load(Ordering::SeqCst), began.elapsed()),
        (2, Duration::from_secs(2))
    );

    let shedding =
        into_service(LoadShedLayer::new().layer(ConcurrencyLimitLayer::new(1).layer(slow.clone())));
    let (first, second) = tokio::join!(run(&shedding, "get"), run(&shedding, "get"));
    assert!(first.is_ok());
    let shed = second.expect_err("there is one place");
    assert_eq!(shed.code, ErrorCode::Internal);
    assert!(shed.message.contains("overloaded"), "{shed}");

    let timed = wrap(&TimeoutLayer::new(Duration::from_millis(10)), slow);
    let error = run(&timed, "get").await.expect_err("it takes a second");
    assert!(error.message.contains("timed out"), "{error}");
    // An error of ours comes through tower's boxes as it was.
    let refusing = wrap(
        &Hooks::new().before(|_| Err(CallError::refused("no"))),
        script.path(),
    );
    let boxed = wrap(&TimeoutLayer::new(Duration::from_secs(1)), refusing);
    assert_eq!(
        run(&boxed, "get").await.expect_err("refused").code,
        ErrorCode::NotPermitted
    );
}

#[tokio::test]
async fn a_dry_run_spends_nothing_and_asks_nobody() {
    let ran = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&ran);
    let handler = move |_: crate::HandlerCall| {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok(crate::Reply::from("ran"))
    };
    let tool = call("delete", Value::Object(Default::default())).tool;
    let execute = crate::Execute::new(tool, crate::Target::Handler(Arc::new(handler)));
    let asks = Ask::when(|_| Some(crate::Question::new("sure", "Delete it?")));
    let path = wrap(&asks, into_service(execute));
    let path = wrap(&RateLimit::new(1, Duration::from_secs(3600)), path);
    let path = wrap(&Retry::new(3, Duration::ZERO), path);
    for _ in 0..3 {
        let dry = call("delete", serde_json::json!({"namespace": "a b"})).dry_run(true);
        let outcome = path.clone().call(dry).await.expect("nothing refuses it");
        assert_eq!(outcome.ended, Ended::NotRun);
        let plan = outcome.dry_run.expect("it was a dry run");
        assert_eq!(plan.argv, ["kube", "delete", "--namespace=a b"]);
        assert_eq!(plan.notes, ["a person is asked first: Delete it?"]);
        assert_eq!(plan.effect, charmer_core::model::Effect::Destroy);
    }
    // What would be refused is.
    let wrong = call("delete", serde_json::json!({"nonsense": 1})).dry_run(true);
    let refused = path.clone().call(wrong).await.expect_err("no such flag");
    assert_eq!(refused.code, ErrorCode::InvalidArguments);
    // Nothing was taken from the bucket, and the question is still to be asked.
    let mut client = crate::Client::new("claude", "1");
    client.elicitation = true;
    let mut real = call("delete", Value::Object(Default::default()));
    real.caller = real.caller.client(Arc::new(client));
    let real = path.clone().call(real).await.expect("it is the first");
    assert_eq!(real.ended, Ended::NeedsInput);
    assert_eq!(ran.load(Ordering::SeqCst), 0);
}
