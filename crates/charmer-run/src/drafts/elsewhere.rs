//! Systems without drafts: there is nothing to keep, and whoever asks is told so.

use std::{convert::Infallible, path::PathBuf};

use crate::{CallError, Redactor};

use super::{AppliedDraft, Applier, Draft, DraftRules, DraftSummary};

/// There are none.
#[derive(Debug, Clone)]
pub struct Drafts(Infallible);

#[allow(
    missing_docs,
    reason = "never called: there are no drafts to call it on"
)]
impl Drafts {
    pub fn new(_: Vec<PathBuf>, _: DraftRules, _: Redactor, _: bool) -> Self {
        unreachable!("there are none on this system")
    }

    pub fn rules(&self) -> &DraftRules {
        match self.0 {}
    }

    pub(super) fn redactor(&self) -> &Redactor {
        match self.0 {}
    }

    pub fn list(&self, _: Option<&str>) -> Vec<DraftSummary> {
        match self.0 {}
    }

    pub fn show(&self, _: &str, _: Option<&str>) -> Result<Draft, CallError> {
        match self.0 {}
    }

    pub fn show_file(&self, _: &str, _: Option<&str>, _: &str) -> Result<String, CallError> {
        match self.0 {}
    }

    pub fn apply(
        &self,
        _: &str,
        _: Option<&str>,
        _: Applier,
        _: Option<&str>,
    ) -> Result<AppliedDraft, CallError> {
        match self.0 {}
    }

    pub fn discard(&self, _: &str, _: Option<&str>) -> Result<String, CallError> {
        match self.0 {}
    }

    pub fn sweep(&self) {
        match self.0 {}
    }

    pub fn end(&self) {
        match self.0 {}
    }

    pub fn interrupted(&self) -> Vec<String> {
        match self.0 {}
    }
}
