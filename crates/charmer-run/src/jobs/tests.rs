//! Jobs over a path whose end the test decides.

use std::{sync::Arc, time::Duration};

use charmer_core::{
    model::{Cli, Command, Hints, Syntax},
    tool::{CatalogueOptions, Tool, catalogue},
};
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tower_service::Service;

use crate::{
    Call, CallError, CallService, Caller, Ended, Outcome, Redactor, ServedTool, SharedSteps,
    SpoolLimits, Transport, process::Captured, wrap,
};

use super::*;

/// What only a hang takes longer than.
const HANG: Duration = Duration::from_secs(60);

/// A path whose calls end when the test says so, or when they are cancelled.
struct Bench {
    jobs: Jobs,
    service: CallService,
    tool: Arc<Tool>,
    go: watch::Sender<bool>,
}

impl Bench {
    fn new(rules: JobRules) -> Self {
        let jobs = Jobs::new(rules, None);
        Self::printing(jobs, Captured::whole("all of it"))
    }

    /// The same, with calls that print this.
    fn printing(jobs: Jobs, stdout: Captured) -> Self {
        let command = Command::new("build").hints(Hints::reads());
        let cli = Cli::new(command, Syntax::pflag());
        let tool = catalogue(&cli, &CatalogueOptions::default())
            .tools
            .remove(0);
        let (go, gone) = watch::channel(false);
        let inner = CallService::new(move |call: Call| {
            let (mut gone, stdout) = (gone.clone(), stdout.clone());
            async move {
                call.live.start();
                let ended = tokio::select! {
                    _ = gone.wait_for(|go| *go) => Ended::Exited(3),
                    () = call.cancel.cancelled() => Ended::Cancelled,
                };
                Ok::<_, CallError>(Outcome {
                    ended,
                    stdout,
                    ..Outcome::success("")
                })
            }
        });
        let step = Detach {
            jobs: jobs.clone(),
            redactor: Redactor::default(),
            runs: true,
        };
        Self {
            service: wrap(&step, inner),
            jobs,
            tool,
            go,
        }
    }

    fn call(&self, principal: &str) -> Call {
        let caller = Caller::new(principal, Transport::Direct);
        Call::by(caller, Arc::clone(&self.tool), Map::new())
    }

    async fn make(&self, call: Call) -> Result<Outcome, CallError> {
        let mut service = self.service.clone();
        tokio::time::timeout(HANG, service.call(call))
            .await
            .expect("it does not hang")
    }

    /// A job that was asked for.
    async fn job(&self, principal: &str) -> Arc<Job> {
        let made = self.make(self.call(principal).background(true)).await;
        let id = made.expect("it is let in").job.expect("a job");
        self.jobs.find(&id, principal).expect("it is there")
    }

    async fn ask(&self, principal: &str, input: Value) -> crate::CallResult {
        let tool: ServedTool = self.jobs.tool(&SharedSteps::default());
        let caller = Caller::new(principal, Transport::Direct);
        let Value::Object(input) = input else {
            panic!("an object")
        };
        let asked = tool.call_as(caller, input, CancellationToken::new());
        tokio::time::timeout(HANG * 10, asked)
            .await
            .expect("it does not hang")
    }
}

fn soon() -> JobRules {
    JobRules::default().background_after(Duration::from_millis(1))
}

#[tokio::test]
async fn a_call_that_takes_longer_becomes_a_job_with_the_result_that_it_would_have_had() {
    let bench = Bench::new(soon());
    let outcome = bench.make(bench.call("ann")).await.expect("it is let in");
    assert_eq!(outcome.ended, Ended::Running);
    let answer = outcome.answer.expect("an answer");
    let id = outcome.job.expect("a job");
    assert_eq!(answer.structured["job"], *id);
    assert_eq!(answer.structured["state"], "running");
    assert_eq!(answer.structured["stdout"], "");
    assert!(!answer.text_alone && !answer.is_error);
    assert!(answer.text.contains(&*id), "{}", answer.text);

    bench.go.send_replace(true);
    let waited = bench.ask("ann", json!({"action": "wait", "id": *id})).await;
    assert!(waited.is_error && waited.text_alone);
    assert_eq!(waited.structured["exitCode"], 3);
    assert_eq!(waited.structured["stdout"], "all of it");
    let read = json!({"action": "output", "id": *id, "offset": 4});
    assert_eq!(bench.ask("ann", read).await.text, "of it");
}

#[tokio::test]
async fn a_job_does_not_exist_for_another_principal() {
    let bench = Bench::new(soon());
    let job = bench.job("ann").await;
    for action in ["wait", "output", "cancel"] {
        let asked = json!({"action": action, "id": *job.id});
        let refused = bench.ask("bob", asked).await;
        assert!(refused.is_error, "{action}");
        let said = &refused.structured["error"]["message"];
        assert_eq!(*said, format!("there is no job `{}`", job.id));
        assert!(
            refused.text.contains("there are no jobs"),
            "{}",
            refused.text
        );
    }
    let listed = bench.ask("bob", json!({"action": "list"})).await;
    assert_eq!(listed.structured["jobs"], json!([]));
    assert_eq!(job.state(), JobState::Running);
    bench.jobs.end().await;
}

#[tokio::test]
async fn no_more_than_sixteen_run_for_one_principal() {
    let bench = Bench::new(soon());
    let asked: Vec<_> = (0..40)
        .map(|_| bench.make(bench.call("ann").background(true)))
        .collect();
    let mut came = Vec::new();
    for one in asked {
        came.push(one.await);
    }
    assert_eq!(came.iter().filter(|one| one.is_ok()).count(), 16);
    let refused = came.into_iter().find_map(Result::err).expect("one is not");
    assert_eq!(refused.code, ErrorCode::Busy);
    // Another's place is its own.
    let bobs = bench.job("bob").await;
    // A call without a place is not lost: it goes on, and becomes a job when there is one.
    let (jobs, first) = (bench.jobs.clone(), bench.jobs.of("ann").remove(0));
    let late = bench.make(bench.call("ann"));
    let ending = async {
        tokio::task::yield_now().await;
        first.cancel();
        first.ended().await;
    };
    let (late, ()) = tokio::join!(late, ending);
    assert!(late.expect("it is let in").job.is_some());
    let running = |jobs: &Jobs| {
        let own = jobs.of("ann");
        let running = own.iter().filter(|job| job.state() == JobState::Running);
        running.count()
    };
    assert_eq!(running(&jobs), 16);
    bobs.cancel();
    jobs.end().await;
    assert_eq!(running(&jobs), 0);
}

#[tokio::test]
async fn a_call_is_cancelled_by_its_client_and_a_job_is_not() {
    let bench = Bench::new(JobRules::default());
    let cancel = CancellationToken::new();
    let call = bench.call("ann").cancelled_by(cancel.clone());
    let ending = async {
        tokio::task::yield_now().await;
        cancel.cancel();
    };
    let (came, ()) = tokio::join!(bench.make(call), ending);
    assert_eq!(came.expect("it ran").ended, Ended::Cancelled);

    let gone = CancellationToken::new();
    let call = bench
        .call("ann")
        .background(true)
        .cancelled_by(gone.clone());
    let id = bench.make(call).await.expect("let in").job.expect("a job");
    gone.cancel();
    tokio::task::yield_now().await;
    let job = bench.jobs.find(&id, "ann").expect("it is there");
    assert_eq!(job.state(), JobState::Running);
    let said = bench
        .ask("ann", json!({"action": "cancel", "id": *id}))
        .await;
    assert!(!said.is_error);
    assert_eq!(said.structured["state"], "cancelled");
    let waited = bench.ask("ann", json!({"action": "wait", "id": *id})).await;
    assert_eq!(
        waited.structured["error"]["message"],
        "the job was cancelled"
    );
}

#[tokio::test(start_paused = true)]
async fn a_job_that_reads_ends_when_nobody_asks_and_its_result_is_forgotten_in_time() {
    let minute = Duration::from_secs(60);
    // The time of the runtime is ours, that of the store is the machine's: what it measures is over at once.
    let bench = Bench::new(soon().unasked(Duration::ZERO));
    let job = bench.job("ann").await;
    tokio::time::timeout(minute, job.ended())
        .await
        .expect("it ends");
    assert_eq!(job.state(), JobState::Cancelled);
    let end = job.end().expect("it has ended");
    let said = end.result.structured["error"]["message"].to_string();
    assert!(said.contains("nobody asked"), "{said}");

    let bench = Bench::new(soon().kept(Duration::ZERO));
    let job = bench.job("ann").await;
    bench.go.send_replace(true);
    job.ended().await;
    assert!(bench.jobs.find(&job.id, "ann").is_none());
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_before_clients_give_up_and_says_how_far_it_is() {
    let bench = Bench::new(soon());
    let job = bench.job("ann").await;
    let began = tokio::time::Instant::now();
    let waited = bench
        .ask("ann", json!({"action": "wait", "id": *job.id}))
        .await;
    assert_eq!(began.elapsed().as_secs(), 50);
    assert_eq!(waited.structured["state"], "running");
    assert!(!waited.is_error);
    bench.jobs.end().await;
}

#[tokio::test]
async fn the_end_of_a_job_is_mentioned_once_to_its_principal_alone() {
    let bench = Bench::new(soon());
    let job = bench.job("ann").await;
    let known = bench.job("ann").await;
    bench.go.send_replace(true);
    job.ended().await;
    known.ended().await;
    // Who has asked for it knows.
    bench
        .ask("ann", json!({"action": "wait", "id": *known.id}))
        .await;
    let notes = async |principal: &str| {
        let call = bench.call(principal);
        bench.make(call).await.expect("it is let in").notes
    };
    assert!(notes("bob").await.is_empty());
    let said = notes("ann").await;
    let expected = format!(
        "job {} (build) has ended with exit code 3; `job` with action wait and its id gives the result",
        job.id
    );
    assert_eq!(said, [expected]);
    assert!(notes("ann").await.is_empty());
}

#[tokio::test]
async fn dry_runs_and_calls_that_end_before_never_become_jobs() {
    let bench = Bench::new(soon());
    bench.go.send_replace(true);
    let mut dry = bench.call("ann").background(true);
    dry.dry_run = true;
    assert!(bench.make(dry).await.expect("let in").job.is_none());
    let mut short = bench.call("ann").background(true);
    short.limits.timeout = Duration::from_micros(10);
    let outcome = bench.make(short).await.expect("let in");
    assert!(outcome.job.is_none());
    assert!(outcome.notes[0].contains("not run in the background"));
    assert!(bench.jobs.of("ann").is_empty());
}

#[tokio::test]
async fn a_panic_on_the_path_ends_the_job() {
    let bench = Bench::new(soon());
    let (go, gone) = tokio::sync::oneshot::channel::<()>();
    let gone = Arc::new(Mutex::new(Some(gone)));
    let inner = CallService::new(move |call: Call| {
        let gone = gone.lock().expect("no panic").take().expect("one call");
        async move {
            call.live.start();
            let _ = gone.await;
            if call.input.is_empty() {
                panic!("as a hook may");
            }
            Ok::<_, CallError>(Outcome::success(""))
        }
    });
    let step = Detach {
        jobs: bench.jobs.clone(),
        redactor: Redactor::default(),
        runs: true,
    };
    let call = bench.call("ann").background(true);
    let made = wrap(&step, inner).call(call).await;
    let id = made.expect("it is let in").job.expect("a job");
    drop(go);
    let job = bench.jobs.find(&id, "ann").expect("it is there");
    tokio::time::timeout(HANG, job.ended())
        .await
        .expect("it ends");
    let error = job.end().and_then(|end| end.error).expect("an error");
    assert_eq!(error.code, ErrorCode::Internal);
}

#[test]
fn the_definition_takes_little_and_ids_are_plain() {
    let jobs = Jobs::new(JobRules::default(), None);
    let tool = jobs.tool(&SharedSteps::default()).tool;
    let tokens = charmer_core::tool::estimate_tokens(&tool.definition().to_string());
    assert!(tokens <= 115, "{tokens}");
    let id = new_id().expect("randomness");
    assert!(id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    assert_ne!(new_id().expect("randomness"), id);
}

#[tokio::test]
async fn a_reading_is_of_what_is_kept_and_never_longer_than_it_may_be() {
    let folder = tempfile::tempdir().expect("a folder");
    let spool = Spool::new(folder.path(), SpoolLimits::default().files(1));
    let ann = Arc::from("ann");
    let mut file = spool.create(&ann).expect("room");
    file.write(b"on disk\n");
    let mut long = Captured::whole("in memory\n");
    long.spool = Some(file.into_spooled());
    let binary = Captured::whole(*b"\x7fELF\0\x01");
    let wide = Captured::whole("é".repeat(100_000));
    let read = async |stdout: &Captured, more: Value| {
        let jobs = Jobs::new(soon(), Some(spool.clone()));
        let bench = Bench::printing(jobs, stdout.clone());
        let id = Arc::clone(&bench.job("ann").await.id);
        bench.go.send_replace(true);
        bench.ask("ann", json!({"action": "wait", "id": *id})).await;
        let mut input = json!({"action": "output", "id": *id});
        for (key, value) in more.as_object().into_iter().flatten() {
            input[key] = value.clone();
        }
        bench.ask("ann", input).await.text
    };
    assert_eq!(read(&long, json!({})).await, "on disk");
    // Another output has taken its place.
    let _other = spool.create(&ann).expect("room");
    assert_eq!(read(&long, json!({})).await, "in memory");
    for more in [json!({}), json!({"tail": 2}), json!({"search": "E"})] {
        let text = read(&binary, more).await;
        assert!(text.starts_with("[binary output of 6 bytes"), "{text}");
    }
    let text = read(&wide, json!({"tail": 2})).await;
    assert!(text.ends_with("é\n[the end of 200000 bytes]"), "{text}");
}

#[tokio::test]
async fn what_is_wrong_is_said_of_the_action_first() {
    let bench = Bench::new(soon());
    for input in [json!({}), json!({"action": "stop"}), json!({"action": 1})] {
        let answer = bench.ask("ann", input).await;
        assert!(
            answer.text.starts_with("`action`: expected"),
            "{}",
            answer.text
        );
    }
}

#[tokio::test]
async fn a_search_that_takes_long_keeps_nobody_waiting() {
    let printed = format!("{}\n", "x".repeat(60)).repeat(2000);
    let bench = Bench::printing(Jobs::new(soon(), None), Captured::whole(printed));
    let id = Arc::clone(&bench.job("ann").await.id);
    bench.go.send_replace(true);
    bench.ask("ann", json!({"action": "wait", "id": *id})).await;
    let search = json!({"action": "output", "id": *id, "search": "(x{0,20}){0,5}[^x]$"});
    tokio::select! {
        biased;
        found = bench.ask("ann", search) => panic!("{}", found.text),
        listed = bench.ask("bob", json!({"action": "list"})) => assert_eq!(listed.text, "no jobs"),
    }
}
