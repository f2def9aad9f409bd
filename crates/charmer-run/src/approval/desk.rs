//! Approvals that wait for somebody at a terminal: listed, looked at and answered, by whatever connects the two.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use tokio::sync::{oneshot, watch};

use crate::{Call, CallError, ErrorCode};

use super::{
    ApprovalRecord, ApprovalSubject, Approvals, AskWay, HeldDraft, MOST_OF_ONE, MOST_WAITING,
    NOTHING_RAN, PersonAnswer, ShownCall, StandingApproval, ToolApproval, kind, leave, unguessable,
};

/// A call that waits for somebody at a terminal.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WaitingApproval {
    /// Its name, which an answer is given by.
    pub id: String,
    /// The digest of what is shown; an answer repeats it.
    pub digest: String,
    /// The call, without secrets.
    pub shown: Arc<ShownCall>,
}

/// The same with whoever waits for the answer.
pub(super) struct QueuedCall {
    about: WaitingApproval,
    principal: Arc<str>,
    answer: oneshot::Sender<TerminalAnswer>,
}

/// The decision of somebody at a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TerminalVerdict {
    /// This call may run.
    Allow,
    /// So may others of its kind, as long as the server runs: the same command with the same effect, of the same principal
    /// and client, in the same folder.
    AllowForSession,
    /// It may not.
    Deny,
}

/// An answer from a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TerminalAnswer {
    /// The decision.
    pub verdict: TerminalVerdict,
    /// The words to the assistant on it.
    pub reason: Option<String>,
    /// Who answered, and where.
    pub by: String,
}

impl TerminalAnswer {
    /// An answer of this person.
    pub fn new(verdict: TerminalVerdict, by: impl Into<String>) -> Self {
        Self {
            verdict,
            reason: None,
            by: by.into(),
        }
    }

    /// Sets what the assistant is told of it.
    #[must_use]
    pub fn reason(mut self, reason: Option<String>) -> Self {
        self.reason = reason;
        self
    }
}

/// A terminal that somebody looks at, until it is dropped.
pub struct AttachedTerminal {
    approvals: Approvals,
    changed: watch::Receiver<u64>,
}

impl AttachedTerminal {
    /// Waits until something else waits than before.
    pub async fn changed(&mut self) {
        // The sender lives as long as the approvals, which this has.
        let _ = self.changed.changed().await;
    }
}

impl Drop for AttachedTerminal {
    fn drop(&mut self) {
        self.approvals.0.attached.fetch_sub(1, Ordering::AcqRel);
    }
}

impl Approvals {
    /// Says that somebody can come to a terminal, so that calls may wait for that.
    pub fn has_terminal(&self) {
        self.book().has_terminal = true;
    }

    /// Returns true if somebody looks at a terminal now.
    pub(crate) fn is_attended(&self) -> bool {
        self.0.attached.load(Ordering::Acquire) > 0
    }

    /// Says that somebody looks at a terminal.
    pub fn attach(&self) -> AttachedTerminal {
        self.0.attached.fetch_add(1, Ordering::AcqRel);
        AttachedTerminal {
            approvals: self.clone(),
            changed: self.0.changed.subscribe(),
        }
    }

    /// The calls that wait, the oldest first.
    pub fn waiting(&self) -> Vec<WaitingApproval> {
        let book = self.book();
        book.waiting.iter().map(|one| one.about.clone()).collect()
    }

    /// Answers a call that waits, by its name and the digest of what was shown; returns false if it does not wait any more,
    /// or is not what was looked at.
    pub fn settle(&self, id: &str, digest: &str, answer: TerminalAnswer) -> bool {
        let mut book = self.book();
        let found = book
            .waiting
            .iter()
            .position(|one| one.about.id == id && one.about.digest == digest);
        let Some(at) = found else {
            return false;
        };
        let waiting = book.waiting.remove(at);
        drop(book);
        self.tell();
        waiting.answer.send(answer).is_ok()
    }

    fn tell(&self) {
        self.0.changed.send_modify(|version| *version += 1);
    }
}

/// Takes a call off the list when nobody waits for its answer any more, for whatever reason.
struct TakenBack<'a>(&'a Approvals, String);

impl Drop for TakenBack<'_> {
    fn drop(&mut self) {
        let mut book = self.0.book();
        let before = book.waiting.len();
        book.waiting.retain(|one| one.about.id != self.1);
        let is_gone = book.waiting.len() < before;
        drop(book);
        if is_gone {
            self.0.tell();
        }
    }
}

impl ToolApproval {
    /// Waits until somebody at a terminal has decided, for as long as the rule says.
    pub(super) async fn ask_terminal(
        &self,
        call: &Call,
        subject: ApprovalSubject,
    ) -> Result<Option<HeldDraft>, CallError> {
        let id = unguessable()?;
        let shown = subject.shown.clone().plain(&self.redactor);
        let digest = self.approvals.digest(&shown);
        let (answer, answered) = oneshot::channel();
        self.enqueue(QueuedCall {
            about: WaitingApproval {
                id: id.clone(),
                digest: digest.clone(),
                shown: Arc::new(shown),
            },
            principal: Arc::clone(&call.caller.principal),
            answer,
        })?;
        let _taken_back = TakenBack(&self.approvals, id);
        call.progress.wait(match self.approvals.is_attended() {
            true => "waiting for a person to allow this call",
            false => {
                "waiting for a person to allow this call: `charmer approve` in a terminal asks"
            }
        });
        call.live.waits_for_person(true);
        let timeout = subject.need.timeout;
        let said = tokio::select! {
            answer = answered => answer.ok(),
            () = call.cancel.cancelled() => {
                let message = "the call was cancelled before anybody allowed it";
                return Err(CallError::new(ErrorCode::Cancelled, message));
            }
            () = tokio::time::sleep(timeout) => None,
        };
        call.live.waits_for_person(false);
        call.progress.go_on();
        let Some(said) = said else {
            return Err(nobody_came(timeout, &digest));
        };
        let judged = match said.verdict {
            TerminalVerdict::Allow | TerminalVerdict::AllowForSession => PersonAnswer::Yes,
            TerminalVerdict::Deny => PersonAnswer::No(said.reason.clone()),
        };
        leave(&ApprovalRecord {
            decision: judged.decision(),
            way: AskWay::Terminal.as_str(),
            by: &said.by,
            reason: judged.reason(),
            shown: &digest,
        });
        judged.verdict()?;
        if said.verdict == TerminalVerdict::AllowForSession {
            let given = StandingApproval {
                by: said.by.clone(),
                shown: digest.clone(),
            };
            let mut book = self.approvals.book();
            book.session.insert(kind(&subject), given);
        }
        self.remember(&subject, said.by, digest);
        Ok(subject.draft)
    }

    fn enqueue(&self, waiting: QueuedCall) -> Result<(), CallError> {
        let mut book = self.approvals.book();
        let own = book.waiting.iter();
        let own = own.filter(|other| other.principal == waiting.principal);
        if own.count() >= MOST_OF_ONE || book.waiting.len() >= MOST_WAITING {
            let message = "too many calls wait for a person already";
            return Err(CallError::new(ErrorCode::Busy, message)
                .hint("nothing was run; wait until those are decided"));
        }
        book.waiting.push(waiting);
        drop(book);
        self.approvals.tell();
        Ok(())
    }
}

/// The refusal of a call that nobody has answered in time.
fn nobody_came(timeout: Duration, shown: &str) -> CallError {
    leave(&ApprovalRecord {
        decision: PersonAnswer::Nothing.decision(),
        way: AskWay::Terminal.as_str(),
        by: "",
        reason: None,
        shown,
    });
    let message = format!("nobody allowed this call within {timeout:?}");
    CallError::refused(message).hint(format!(
        "{NOTHING_RAN}: `charmer approve` in a terminal of theirs asks"
    ))
}
