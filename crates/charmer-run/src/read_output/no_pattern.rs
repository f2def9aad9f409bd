//! Programs that cannot search outputs: whoever asks is told so.

use std::{
    convert::Infallible,
    io::{self, Read},
};

use crate::CallError;

/// There are none.
pub(super) struct LinePattern(Infallible);

impl LinePattern {
    pub(super) fn new(_: &str) -> Result<Self, CallError> {
        Err(CallError::refused("this program cannot search outputs")
            .hint("read it in parts, by `offset`"))
    }

    pub(super) fn lines_of(&self, _: impl Read, _: usize, _: u64) -> io::Result<String> {
        match self.0 {}
    }
}
