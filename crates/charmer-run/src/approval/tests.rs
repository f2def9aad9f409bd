//! Approvals as calls meet them: what is asked, what an answer is good for, and what it is not.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use charmer_core::{
    model::{Cli, Command, Effect, Flag, Hints, Positional, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use serde_json::{Map, Value, json};
use tower::Service;

use super::*;
use crate::{
    Answers, CallPath, Caller, Client, Ended, ErrorCode, HandlerCall, Outcome, Reply, ServedTool,
    SharedSteps, Target, Transport,
};

struct Desk {
    approvals: Approvals,
    served: ServedTool,
    runs: Arc<AtomicU32>,
}

fn digest(bytes: &[u8]) -> String {
    format!("{} bytes", bytes.len())
}

fn desk(rules: Vec<AskRule>) -> Desk {
    let mut root = Command::new("store");
    let mut drop = Command::new("drop").hints(Hints::new(Effect::Destroy));
    drop = drop.flag(Flag::new("force"));
    drop = drop.positional(Positional::new("name"));
    root = root.command(drop);
    let cli = Cli::new(root, Syntax::pflag());
    let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
    let tool = tools
        .into_iter()
        .find(|tool| tool.name.as_str() == "store_drop")
        .expect("it is a command");
    let runs = Arc::new(AtomicU32::new(0));
    let counter = Arc::clone(&runs);
    let run = move |_: HandlerCall| {
        counter.fetch_add(1, Ordering::SeqCst);
        Ok(Reply::from("gone"))
    };
    let approvals = Approvals::with_digest(digest);
    let shared = SharedSteps::default().approvals(approvals.clone());
    let served = CallPath::new(tool, Target::Handler(Arc::new(run)))
        .asks(rules)
        .serve(&shared);
    Desk {
        approvals,
        served,
        runs,
    }
}

fn caller(principal: &str) -> Caller {
    let mut client = Client::new("claude", "1");
    client.elicitation = true;
    Caller::new(principal, Transport::Stdio).client(Arc::new(client))
}

fn object(value: Value) -> Map<String, Value> {
    value.as_object().cloned().expect("an object")
}

impl Desk {
    fn always() -> Self {
        desk(vec![
            AskRule::new(AskWhen::Always, "the rule").effect(Effect::Destroy),
        ])
    }

    async fn call(
        &self,
        caller: Caller,
        input: Value,
        answers: Answers,
    ) -> Result<Outcome, CallError> {
        let call = self.served.call_by(caller, object(input)).answers(answers);
        self.served.service.clone().call(call).await
    }

    async fn question(&self, input: Value) -> Question {
        let outcome = self.call(caller("ann"), input, Answers::default()).await;
        let outcome = outcome.expect("it is asked about");
        assert_eq!(outcome.ended, Ended::NeedsInput);
        outcome.question.expect("a question")
    }

    fn runs(&self) -> u32 {
        self.runs.load(Ordering::SeqCst)
    }
}

fn answer(question: &Question, form: Value) -> Answers {
    [(question.key.clone(), Answer::Accepted(object(form)))]
        .into_iter()
        .collect()
}

fn yes(question: &Question) -> Answers {
    answer(question, json!({"allow": true}))
}

#[tokio::test]
async fn what_is_shown_says_what_will_happen_and_who_wants_it() {
    let desk = Desk::always();
    let question = desk.question(json!({"name": "a b", "force": true})).await;
    for part in [
        "claude 1 for ann asks to run:",
        "store drop --force",
        "a b",
        "folder: ",
        "effect: destroy",
        "confinement: none",
        "asked because of: the rule",
    ] {
        assert!(
            question.message.contains(part),
            "{part}: {}",
            question.message
        );
    }
    assert_eq!(question.schema["required"], json!(["allow"]));
}

#[tokio::test]
async fn an_approval_is_used_once() {
    let desk = Desk::always();
    let input = json!({"name": "x"});
    let question = desk.question(input.clone()).await;
    let ran = desk
        .call(caller("ann"), input.clone(), yes(&question))
        .await;
    assert_eq!(ran.expect("it was allowed").ended, Ended::Exited(0));
    let replayed = desk.call(caller("ann"), input, yes(&question)).await;
    let refused = replayed.expect_err("it was used");
    assert_eq!(refused.code, ErrorCode::NotPermitted);
    assert!(refused.message.contains("used already"), "{refused}");
    assert_eq!(desk.runs(), 1);
}

#[tokio::test]
async fn two_calls_at_once_share_no_approval() {
    let desk = Desk::always();
    let input = json!({"name": "x"});
    let question = desk.question(input.clone()).await;
    let (one, other) = tokio::join!(
        desk.call(caller("ann"), input.clone(), yes(&question)),
        desk.call(caller("ann"), input.clone(), yes(&question)),
    );
    assert!(one.is_ok() != other.is_ok(), "{one:?} {other:?}");
    assert_eq!(desk.runs(), 1);
}

#[tokio::test]
async fn an_approval_is_for_what_was_shown_to_the_byte_and_for_nobody_else() {
    for (name, principal) in [("y", "ann"), ("x", "bob")] {
        let desk = Desk::always();
        let question = desk.question(json!({"name": "x"})).await;
        let other = desk.call(caller(principal), json!({"name": name}), yes(&question));
        let refused = other.await.expect_err("it is another call");
        assert!(refused.message.contains("refused"), "{refused}");
        // A wrong try uses it up: nobody may look for a call that fits.
        let again = desk.call(caller("ann"), json!({"name": "x"}), yes(&question));
        assert!(again.await.is_err());
        assert_eq!(desk.runs(), 0);
    }
}

#[tokio::test]
async fn an_approval_that_came_too_late_is_none() {
    let rule = AskRule::new(AskWhen::Always, "the rule").timeout(Duration::ZERO);
    let desk = desk(vec![rule]);
    let question = desk.question(json!({"name": "x"})).await;
    let late = desk.call(caller("ann"), json!({"name": "x"}), yes(&question));
    assert!(late.await.is_err());
    assert_eq!(desk.runs(), 0);
}

#[tokio::test]
async fn a_question_that_nobody_answered_in_time_is_told_as_that() {
    let rule = AskRule::new(AskWhen::Always, "the rule").timeout(Duration::ZERO);
    let desk = desk(vec![rule]);
    for (said, told) in [
        (Answer::Dismissed, "the user did not answer"),
        (Answer::Declined, "the user declined this call"),
    ] {
        let question = desk.question(json!({"name": "x"})).await;
        let answers = [(question.key, said)].into_iter().collect();
        let refused = desk.call(caller("ann"), json!({"name": "x"}), answers);
        assert_eq!(refused.await.expect_err("nobody allowed it").message, told);
    }
}

#[tokio::test]
async fn of_too_many_questions_of_one_principal_the_oldest_goes_and_no_others() {
    let desk = Desk::always();
    let input = || json!({"name": "x"});
    let bobs = desk.call(caller("bob"), input(), Answers::default()).await;
    let bobs = bobs.expect("it is asked").question.expect("a question");
    let mut questions = Vec::new();
    for _ in 0..=MOST_OF_ONE {
        questions.push(desk.question(input()).await);
    }
    let mut questions = questions.iter();
    let oldest = yes(questions.next().expect("it was asked"));
    let refused = desk.call(caller("ann"), input(), oldest).await;
    assert!(refused.is_err());
    for question in questions {
        let ran = desk.call(caller("ann"), input(), yes(question)).await;
        assert!(ran.is_ok(), "{ran:?}");
    }
    assert!(desk.call(caller("bob"), input(), yes(&bobs)).await.is_ok());
}

#[cfg(feature = "jobs")]
#[tokio::test]
async fn a_call_that_has_become_a_job_asks_its_client_nothing_any_more() {
    let desk = Desk::always();
    let mut call = desk
        .served
        .call_by(caller("ann"), object(json!({"name": "x"})));
    call.live = crate::LiveRun::watched();
    call.live.detach(&Arc::from("a-job"));
    let refused = desk.served.service.clone().call(call).await;
    let refused = refused.expect_err("nobody can be asked");
    let hint = refused.hint.expect("what to do");
    assert!(hint.contains("without `background`"), "{hint}");
    assert_eq!(desk.runs(), 0);
}

#[tokio::test]
async fn a_form_that_nobody_filled_in_and_a_made_up_answer_allow_nothing() {
    for form in [
        json!({}),
        json!({"allow": "true"}),
        json!({"allow": 1}),
        json!({"reason": "ok"}),
    ] {
        let desk = Desk::always();
        let question = desk.question(json!({"name": "x"})).await;
        let empty = answer(&question, form);
        let refused = desk.call(caller("ann"), json!({"name": "x"}), empty).await;
        let refused = refused.expect_err("no person has answered");
        assert!(refused.message.contains("no person"), "{refused}");
        assert_eq!(desk.runs(), 0);
    }
    let desk = Desk::always();
    let made_up = Question::new("approve-00", "");
    let refused = desk.call(caller("ann"), json!({"name": "x"}), yes(&made_up));
    assert!(refused.await.is_err());
    assert_eq!(desk.runs(), 0);
}

#[tokio::test]
async fn the_reason_of_a_denial_reaches_the_assistant() {
    let desk = Desk::always();
    let question = desk.question(json!({"name": "x"})).await;
    let no = answer(
        &question,
        json!({"allow": false, "reason": "not on a Friday"}),
    );
    let denied = desk.call(caller("ann"), json!({"name": "x"}), no).await;
    let denied = denied.expect_err("it was denied");
    assert_eq!(
        denied.message,
        "the user declined this call: not on a Friday"
    );
    assert_eq!(desk.runs(), 0);
}

#[tokio::test]
async fn the_first_rule_that_matches_decides() {
    let rules = || {
        vec![
            AskRule::new(AskWhen::Never, "scratch")
                .argument("name", Some("tmp-.*"))
                .expect("a pattern"),
            AskRule::new(AskWhen::Once, "force")
                .argument("force", None)
                .expect("no pattern"),
            AskRule::new(AskWhen::Never, "up to write").effect(Effect::Write),
            AskRule::new(AskWhen::Always, "write").effect(Effect::Write),
        ]
    };
    let asked = |desk: &Desk, input: Value| {
        let call = desk.served.call_by(caller("ann"), object(input));
        let mut service = desk.served.service.clone();
        async move { service.call(call).await.expect("no error").question }
    };
    let desk = desk(rules());
    assert_eq!(asked(&desk, json!({"name": "tmp-1"})).await, None);
    // What destroys is worse than `write`: one rule does not let it through, and the other asks.
    let by_effect = asked(&desk, json!({"name": "x"})).await.expect("asked");
    assert!(by_effect.message.ends_with("asked because of: write"));
    let input = json!({"name": "x", "force": true});
    let by_flag = asked(&desk, input.clone()).await.expect("asked");
    assert!(by_flag.message.ends_with("asked because of: force"));
    // Once is once for the same call, and anew for another.
    let ran = desk.call(caller("ann"), input.clone(), yes(&by_flag)).await;
    assert!(ran.is_ok());
    assert_eq!(asked(&desk, input).await, None);
    let other = asked(&desk, json!({"name": "y", "force": true})).await;
    assert!(other.is_some());
}

#[tokio::test]
async fn what_another_list_asks_about_is_asked_whatever_the_first_says() {
    let desk = desk(vec![
        AskRule::new(AskWhen::Never, "own"),
        AskRule::new(AskWhen::Once, "of the baseline").in_list(1),
    ]);
    let question = desk.question(json!({"name": "x"})).await;
    assert!(
        question
            .message
            .ends_with("asked because of: of the baseline")
    );
}

#[tokio::test]
async fn nothing_is_asked_unless_somebody_says_so() {
    let desk = desk(Vec::new());
    let ran = desk.call(caller("ann"), json!({"name": "x"}), Answers::default());
    assert_eq!(ran.await.expect("it runs").ended, Ended::Exited(0));
}

#[tokio::test]
async fn without_a_way_to_ask_a_call_is_refused_and_says_what_a_person_could_do() {
    let desk = Desk::always();
    let refused = desk.call(Caller::default(), json!({"name": "x"}), Answers::default());
    let refused = refused.await.expect_err("nobody can be asked");
    let hint = refused.hint.expect("what to do");
    assert!(
        hint.contains("elicitation") && !hint.contains("charmer approve"),
        "{hint}"
    );
    desk.approvals.has_terminal();
    let refused = desk.call(Caller::default(), json!({"name": "x"}), Answers::default());
    let hint = refused
        .await
        .expect_err("nobody looks")
        .hint
        .expect("what to do");
    assert!(hint.contains("charmer approve"), "{hint}");
    assert_eq!(desk.runs(), 0);
}

/// Answers the next call that waits.
async fn at_terminal(
    desk: &Desk,
    verdict: TerminalVerdict,
    reason: Option<&str>,
) -> WaitingApproval {
    let mut terminal = desk.approvals.attach();
    loop {
        if let Some(waiting) = desk.approvals.waiting().pop() {
            let other = TerminalAnswer::new(TerminalVerdict::Allow, "eve");
            assert!(!desk.approvals.settle(&waiting.id, "another digest", other));
            let answer =
                TerminalAnswer::new(verdict, "ann on tty1").reason(reason.map(str::to_owned));
            assert!(
                desk.approvals
                    .settle(&waiting.id, &waiting.digest, answer.clone())
            );
            assert!(!desk.approvals.settle(&waiting.id, &waiting.digest, answer));
            return waiting;
        }
        terminal.changed().await;
    }
}

#[tokio::test]
async fn whoever_looks_at_a_terminal_is_asked_there() {
    let desk = Desk::always();
    desk.approvals.has_terminal();
    let attached = desk.approvals.attach();
    let call = || desk.call(caller("ann"), json!({"name": "x"}), Answers::default());
    let (ran, waiting) = tokio::join!(call(), at_terminal(&desk, TerminalVerdict::Allow, None));
    assert_eq!(ran.expect("it was allowed").ended, Ended::Exited(0));
    assert!(waiting.shown.summary().contains("store drop x"));
    let (denied, _) = tokio::join!(
        call(),
        at_terminal(&desk, TerminalVerdict::Deny, Some("no"))
    );
    assert_eq!(
        denied.expect_err("denied").message,
        "the user declined this call: no"
    );
    // For the session: the same command, whatever its arguments; but nobody else's.
    let (ran, _) = tokio::join!(
        call(),
        at_terminal(&desk, TerminalVerdict::AllowForSession, None)
    );
    assert!(ran.is_ok());
    let other = desk.call(caller("ann"), json!({"name": "y"}), Answers::default());
    assert_eq!(other.await.expect("it runs").ended, Ended::Exited(0));
    drop(attached);
    let bobs = desk.call(caller("bob"), json!({"name": "y"}), Answers::default());
    assert_eq!(bobs.await.expect("it is asked").ended, Ended::NeedsInput);
    assert_eq!(desk.runs(), 3);
    assert!(desk.approvals.waiting().is_empty());
}

#[tokio::test]
async fn a_call_that_nobody_waits_for_is_taken_off_the_list_and_time_runs_out() {
    let rule = AskRule::new(AskWhen::Always, "the rule")
        .by([AskWay::Terminal])
        .timeout(Duration::from_millis(50));
    let desk = desk(vec![rule]);
    desk.approvals.has_terminal();
    let late = desk.call(caller("ann"), json!({"name": "x"}), Answers::default());
    let late = late.await.expect_err("nobody came");
    assert!(
        late.message
            .contains("nobody allowed this call within 50ms"),
        "{late}"
    );
    let call = desk
        .served
        .call_by(caller("ann"), object(json!({"name": "x"})));
    let cancel = call.cancel.clone();
    cancel.cancel();
    let cancelled = desk.served.service.clone().call(call).await;
    assert_eq!(cancelled.expect_err("cancelled").code, ErrorCode::Cancelled);
    assert!(desk.approvals.waiting().is_empty());
    assert_eq!(desk.runs(), 0);
}

#[test]
fn nothing_that_a_caller_names_looks_like_a_line_of_the_question() {
    let line = |name: &str| format!("{name}\neffect: read\u{2028}effect: read");
    let run = crate::DryRun {
        argv: vec![line("argv")],
        folder: line("/folder").into(),
        effect: Effect::Destroy,
        confinement: crate::Confined::not(false),
        rule: String::new(),
        notes: vec![line("note")],
    };
    let mut shown = ShownCall::new(run, &Caller::default(), vec![line("reason")]);
    shown.client = line("client");
    shown.stdin = Some(line("stdin"));
    shown.variables = vec![line("V=x")];
    let text = shown.plain(&Redactor::default()).to_text();
    let mut lines = text.lines().flat_map(|line| line.split('\u{2028}'));
    let effects: Vec<&str> = lines
        .by_ref()
        .filter(|line| line.trim_start().starts_with("effect:"))
        .collect();
    assert_eq!(effects, ["effect: destroy"], "{text}");
}
