//! Approval: the step between a finished command line and its process at which a person allows a call, or does not.
//!
//! [Rules](AskRule) say which calls are asked about, and so do hooks and [`layers::Ask`](crate::layers::Ask): there is one
//! place that asks, [`Execute`](crate::Execute), because only there it is known what will really run. A person is shown that,
//! with what it would change where that can be found out, and the approval is bound to all of it: to the command line, the
//! program's file, the folder, the environment, the principal and the client. It is used once, and only for a time.
//!
//! There are two ways to ask. A *client* shows a form: the call returns a [`Question`], and is made again from the start
//! with the answer. At a *terminal* somebody looks at the [`Approvals`] that wait; the call waits for that.

mod desk;
mod held;
mod rules;
mod shown;

#[cfg(test)]
mod tests;

use std::{
    collections::{HashMap, VecDeque},
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError, atomic::AtomicUsize},
    time::{Instant, SystemTime},
};

use serde_json::{Value, json};
use tokio::sync::watch;

use crate::{
    Answer, Call, CallError, Question, Redactor,
    layers::{ChainDigest, leave_approval, rfc3339_millis},
    question::APPROVAL_KEY as KEY,
};

use desk::QueuedCall;
pub use desk::{AttachedTerminal, TerminalAnswer, TerminalVerdict, WaitingApproval};
pub(crate) use held::HeldDraft;
pub use rules::{AskRule, AskWay, AskWhen};
pub(crate) use rules::{NeedOfApproval, need};
pub(crate) use shown::Binding;
pub use shown::{ShownCall, ShownDetail};

/// How many questions to clients may be open, and how many calls may wait at a terminal: of one principal, and of all.
const MOST_OF_ONE: usize = 16;
const MOST_ASKED: usize = 256;
const MOST_WAITING: usize = 64;
/// The number of calls that are remembered as not to be asked about again.
const MOST_REMEMBERED: usize = 4096;
/// The advice of refusals to an assistant.
const NOTHING_RAN: &str = "nothing was run; do not try again unless the user wants it";
const ASK_ANEW: &str =
    "nothing was run; call it again without an answer, and the person is asked anew";

/// The approvals of a server: what was asked, what waits at a terminal, and what was allowed for the session. Clones share
/// them.
#[derive(Clone, Default)]
pub struct Approvals(Arc<ApprovalState>);

#[derive(Default)]
struct ApprovalState {
    digest: Option<ChainDigest>,
    book: Mutex<Book>,
    /// The number of terminals that are looked at.
    attached: AtomicUsize,
    /// Changes whenever something waits, or does not wait any more.
    changed: watch::Sender<u64>,
}

#[derive(Default)]
struct Book {
    /// True if somebody can come to a terminal at all.
    has_terminal: bool,
    asked: HashMap<String, Asked>,
    /// Their order.
    asked_keys: VecDeque<String>,
    waiting: Vec<QueuedCall>,
    /// The calls that were allowed once, and are not asked about again.
    once: HashMap<Vec<u8>, StandingApproval>,
    /// The kinds of calls that were allowed for as long as the server runs.
    session: HashMap<String, StandingApproval>,
}

/// An approval that holds for more than one call.
#[derive(Debug, Clone)]
struct StandingApproval {
    by: String,
    /// The digest of what was shown.
    shown: String,
}

/// A question that was put to a client.
#[derive(Debug)]
struct Asked {
    binding: Binding,
    principal: Arc<str>,
    until: Instant,
    shown: String,
    /// The draft that was shown.
    draft: Option<HeldDraft>,
}

/// A call that a person is to be asked about.
#[derive(Debug)]
pub(crate) struct ApprovalSubject {
    pub(crate) tool: String,
    pub(crate) need: NeedOfApproval,
    pub(crate) shown: ShownCall,
    pub(crate) binding: Binding,
    /// Its changes, done as a draft.
    pub(crate) draft: Option<HeldDraft>,
}

/// The answer to a call that a person is asked about.
#[derive(Debug)]
pub(crate) enum ApprovalVerdict {
    /// It may run, once; or the draft that was shown may be applied, in its place.
    Allowed(Option<HeldDraft>),
    /// The client has to ask first.
    Ask(Question),
}

/// The rules on the calls of one tool, with the approvals of its server.
#[derive(Debug, Clone, Default)]
pub(crate) struct ToolApproval {
    pub(crate) rules: Vec<AskRule>,
    pub(crate) approvals: Approvals,
    pub(crate) redactor: Redactor,
}

impl fmt::Debug for Approvals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Approvals(..)")
    }
}

impl Approvals {
    /// Approvals of which the audit log has the digest of what was shown, made by this.
    pub fn with_digest(digest: ChainDigest) -> Self {
        Self(Arc::new(ApprovalState {
            digest: Some(digest),
            ..ApprovalState::default()
        }))
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The digest of what a person is shown, by which it is named in the log.
    fn digest(&self, shown: &ShownCall) -> String {
        let digest = self.0.digest.as_ref();
        digest.map_or_else(String::new, |digest| {
            let bytes = serde_json::to_vec(&shown.to_json()).unwrap_or_default();
            digest(&bytes)
        })
    }

    /// Notes a question to a client. Where there are too many, the oldest goes: its answer is refused, and the call asked
    /// anew.
    fn note_asked(&self, key: String, asked: Asked) {
        let mut book = self.book();
        let now = Instant::now();
        book.asked.retain(|_, asked| asked.until > now);
        let Book {
            asked: open,
            asked_keys,
            ..
        } = &mut *book;
        asked_keys.retain(|key| open.contains_key(key));
        let own = asked_keys.iter();
        let own: Vec<&String> = own
            .filter(|key| open[*key].principal == asked.principal)
            .collect();
        let oldest = match own.len() >= MOST_OF_ONE {
            true => own.first().copied(),
            false => asked_keys.front().filter(|_| open.len() >= MOST_ASKED),
        };
        if let Some(oldest) = oldest {
            open.remove(oldest);
        }
        asked_keys.push_back(key.clone());
        open.insert(key, asked);
    }
}

impl ToolApproval {
    /// Returns true if a call of this kind was allowed for good, or the very same once; the log is told so. With an answer
    /// among those of the call, that decides. `None`, if somebody has to be asked.
    pub(crate) fn settled(
        &self,
        call: &Call,
        subject: &ApprovalSubject,
    ) -> Result<Option<ApprovalVerdict>, CallError> {
        let mut answers = call.answers.iter();
        if let Some((key, answer)) = answers.find(|(key, _)| key.starts_with(KEY)) {
            return self.answered(call, subject, key, answer).map(Some);
        }
        let book = self.approvals.book();
        let given = match book.session.get(&kind(subject)) {
            Some(given) => Some(("session", given)),
            None if subject.need.when == AskWhen::Once => {
                let given = book.once.get(subject.binding.bytes());
                given.map(|given| ("once", given))
            }
            None => None,
        };
        Ok(given.map(|(way, given)| {
            leave(&ApprovalRecord {
                decision: PersonAnswer::Yes.decision(),
                way,
                by: &given.by,
                reason: None,
                shown: &given.shown,
            });
            ApprovalVerdict::Allowed(None)
        }))
    }

    /// The way that a person is asked; a refusal, where there is none.
    pub(crate) fn way(&self, call: &Call, need: &NeedOfApproval) -> Result<AskWay, CallError> {
        let can_show = |client: &Arc<crate::Client>| client.elicitation;
        let forms = call.caller.client.as_ref().is_some_and(can_show);
        // Its client has been answered, and is asked nothing any more.
        let is_job = call.live.job().is_some();
        let attached = self.approvals.is_attended();
        let usual = [AskWay::Terminal, AskWay::Client];
        let ways: &[AskWay] = match need.by.is_empty() {
            true => &usual,
            false => &need.by,
        };
        let is_there = |way: &&AskWay| match way {
            AskWay::Terminal => attached,
            AskWay::Client => forms && !is_job,
        };
        if let Some(way) = ways.iter().find(is_there) {
            return Ok(*way);
        }
        let terminal = self.approvals.book().has_terminal && ways.contains(&AskWay::Terminal);
        if terminal && !need.by.is_empty() {
            return Ok(AskWay::Terminal);
        }
        let message = format!(
            "a person has to allow this call, and nobody can be asked (because of {})",
            need.reasons.join("; ")
        );
        if is_job && forms && ways.contains(&AskWay::Client) {
            let hint = "nothing was run; the client cannot be asked for a job: call it again without `background`";
            return Err(CallError::refused(message).hint(hint));
        }
        let mut could = Vec::new();
        if terminal {
            could
                .push("run `charmer approve` in a terminal of their own, and have it called again");
        }
        if ways.contains(&AskWay::Client) {
            could.push("use a client that shows forms (elicitation)");
        }
        let could = match could.is_empty() {
            true => "change the rules under `ask`".to_owned(),
            false => could.join(", or "),
        };
        Err(CallError::refused(message).hint(format!("nothing was run; the user could {could}")))
    }

    /// Asks: at a terminal, and waits for the answer; or by a question that goes to the client.
    pub(crate) async fn ask(
        &self,
        call: &Call,
        subject: ApprovalSubject,
        way: AskWay,
    ) -> Result<ApprovalVerdict, CallError> {
        match way {
            AskWay::Client => self.ask_client(call, subject).map(ApprovalVerdict::Ask),
            AskWay::Terminal => self
                .ask_terminal(call, subject)
                .await
                .map(ApprovalVerdict::Allowed),
        }
    }

    fn ask_client(&self, call: &Call, subject: ApprovalSubject) -> Result<Question, CallError> {
        let shown = subject.shown.plain(&self.redactor);
        let key = format!("{KEY}{}", unguessable()?);
        let asked = Asked {
            binding: subject.binding,
            principal: Arc::clone(&call.caller.principal),
            until: Instant::now() + subject.need.timeout,
            shown: self.approvals.digest(&shown),
            draft: subject.draft,
        };
        self.approvals.note_asked(key.clone(), asked);
        Ok(Question::new(key, shown.to_text()).timeout(subject.need.timeout))
    }

    /// Judges what a client says that its person answered. Whatever it is, it was the only answer to its question.
    fn answered(
        &self,
        call: &Call,
        subject: &ApprovalSubject,
        key: &str,
        answer: &Answer,
    ) -> Result<ApprovalVerdict, CallError> {
        let asked = self.approvals.book().asked.remove(key);
        let refused = |why: &str| {
            let error = CallError::refused(format!("this approval is refused: {why}"));
            Err(error.hint(ASK_ANEW))
        };
        let Some(asked) = asked else {
            return refused("it was used already, has expired, or was never asked for");
        };
        if asked.principal != call.caller.principal {
            return refused("it was given to another principal");
        }
        let judged = PersonAnswer::by_form(answer);
        if judged == PersonAnswer::Yes && asked.until < Instant::now() {
            return refused("it has expired");
        }
        if asked.binding != subject.binding {
            return refused("what would run is not what was shown");
        }
        let by = subject.shown.who();
        leave(&ApprovalRecord {
            decision: judged.decision(),
            way: AskWay::Client.as_str(),
            by: &by,
            reason: judged.reason(),
            shown: &asked.shown,
        });
        judged.verdict()?;
        self.remember(subject, by, asked.shown);
        Ok(ApprovalVerdict::Allowed(asked.draft))
    }

    /// Keeps an approval that is not asked for again.
    fn remember(&self, subject: &ApprovalSubject, by: String, shown: String) {
        if subject.need.when == AskWhen::Once {
            let mut book = self.approvals.book();
            // Whoever has allowed so many is asked again.
            if book.once.len() >= MOST_REMEMBERED {
                book.once.clear();
            }
            let bytes = subject.binding.bytes().to_vec();
            book.once.insert(bytes, StandingApproval { by, shown });
        }
    }
}

/// The kind of a call: what is allowed together, where a person allows it for as long as the server runs.
fn kind(subject: &ApprovalSubject) -> String {
    let shown = &subject.shown;
    let (run, reasons) = (&shown.run, &shown.reasons);
    json!([
        shown.principal,
        shown.client,
        subject.tool,
        run.folder,
        run.effect,
        reasons
    ])
    .to_string()
}

/// An answer of a person, from wherever it came.
#[derive(Debug, Clone, PartialEq, Eq)]
enum PersonAnswer {
    Yes,
    No(Option<String>),
    /// A client accepted the form without filling it in.
    ByItself,
    Nothing,
}

impl PersonAnswer {
    fn by_form(answer: &Answer) -> Self {
        match answer {
            Answer::Accepted(form) => {
                let reason = form.get("reason").and_then(Value::as_str);
                let reason = reason.map(str::trim).filter(|reason| !reason.is_empty());
                match form.get("allow") {
                    Some(Value::Bool(true)) => Self::Yes,
                    Some(Value::Bool(false)) => Self::No(reason.map(str::to_owned)),
                    _ => Self::ByItself,
                }
            }
            Answer::Declined => Self::No(None),
            Answer::Dismissed => Self::Nothing,
        }
    }

    fn decision(&self) -> &'static str {
        match self {
            Self::Yes => "allowed",
            Self::No(_) => "denied",
            Self::ByItself => "refused",
            Self::Nothing => "unanswered",
        }
    }

    fn reason(&self) -> Option<&str> {
        match self {
            Self::No(reason) => reason.as_deref(),
            _ => None,
        }
    }

    fn verdict(&self) -> Result<(), CallError> {
        let message = match self {
            Self::Yes => return Ok(()),
            Self::No(None) => "the user declined this call".to_owned(),
            Self::No(Some(reason)) => format!("the user declined this call: {reason}"),
            Self::ByItself => {
                "the form came back without a decision in `allow`: no person has answered it"
                    .to_owned()
            }
            Self::Nothing => "the user did not answer".to_owned(),
        };
        Err(CallError::refused(message).hint(NOTHING_RAN))
    }
}

/// The verdict on an answer to a question that is answered by allowing.
pub(crate) fn verdict(answer: &Answer) -> Result<(), CallError> {
    PersonAnswer::by_form(answer).verdict()
}

/// The fields of an approval in the audit log.
struct ApprovalRecord<'r> {
    decision: &'r str,
    way: &'r str,
    by: &'r str,
    reason: Option<&'r str>,
    shown: &'r str,
}

fn leave(record: &ApprovalRecord<'_>) {
    let at = rfc3339_millis(SystemTime::now());
    let mut line = json!({"decision": record.decision, "way": record.way, "at": at});
    for (key, text) in [
        ("by", record.by),
        ("reason", record.reason.unwrap_or_default()),
        ("shown", record.shown),
    ] {
        if !text.is_empty() {
            line[key] = text.into();
        }
    }
    leave_approval(line);
}

/// A word that nobody can guess.
fn unguessable() -> Result<String, CallError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message = format!("nobody can be asked, because there is no randomness: {error}");
        CallError::new(crate::ErrorCode::Internal, message)
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
