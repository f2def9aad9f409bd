//! A draft that a person is shown before a call may run: applied if they allow it, and dropped if they do not.

use crate::{CallError, Outcome};

#[cfg(all(feature = "drafts", target_os = "linux"))]
pub(crate) use linux::HeldDraft;

#[cfg(all(feature = "drafts", target_os = "linux"))]
mod linux {
    use crate::{Applier, Drafts, ErrorCode};

    use super::{CallError, Outcome};

    /// The draft, and what came of running it.
    #[derive(Debug)]
    pub(crate) struct HeldDraft {
        drafts: Drafts,
        id: String,
        /// The digest of what it changes.
        digest: String,
        outcome: Option<Box<Outcome>>,
    }

    impl HeldDraft {
        /// Holds the draft that an outcome is of; none, if it is of none.
        pub(crate) fn new(drafts: Drafts, mut outcome: Outcome) -> Option<Self> {
            let draft = outcome.draft.take()?;
            Some(Self {
                drafts,
                id: draft.id.clone(),
                digest: draft.digest.clone(),
                outcome: Some(Box::new(outcome)),
            })
        }

        /// Changes what the person was shown, and nothing else; returns what the program printed.
        pub(crate) async fn apply(mut self) -> Result<Outcome, CallError> {
            let outcome = self.outcome.take();
            let (drafts, id) = (self.drafts.clone(), self.id.clone());
            let digest = self.digest.clone();
            let apply = move || drafts.apply(&id, None, Applier::Person, Some(&digest));
            let applied = tokio::task::spawn_blocking(apply).await.map_err(|_| {
                let message = "applying what was shown panicked";
                CallError::new(ErrorCode::Internal, message).hint("this is a bug")
            })??;
            let mut outcome = outcome.map_or_else(|| Outcome::success(""), |outcome| *outcome);
            let told = format!(
                "what the user was shown is applied: {}",
                applied.counts.told()
            );
            outcome.notes.push(told);
            Ok(outcome)
        }
    }

    impl Drop for HeldDraft {
        fn drop(&mut self) {
            // One that was applied is not there any more. Files are removed, which may take a while.
            let (drafts, id) = (self.drafts.clone(), std::mem::take(&mut self.id));
            std::thread::spawn(move || drop(drafts.discard(&id, None)));
        }
    }
}

/// There are no drafts here.
#[cfg(not(all(feature = "drafts", target_os = "linux")))]
#[derive(Debug)]
pub(crate) enum HeldDraft {}

#[cfg(not(all(feature = "drafts", target_os = "linux")))]
impl HeldDraft {
    pub(crate) async fn apply(self) -> Result<Outcome, CallError> {
        match self {}
    }
}
