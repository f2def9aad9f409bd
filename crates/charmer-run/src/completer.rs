//! Asking a program's own completion, where that is allowed.

use std::{fmt, future::Future, pin::Pin, sync::Arc};

/// A question to a program's own completion: the words that it would offer at the end of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Complete {
    /// The words before the one that is completed, without the program's name.
    pub words: Vec<String>,
    /// The beginning of the word.
    pub begun: String,
}

impl Complete {
    /// Asks how `begun` could go on behind these words.
    pub fn new(words: Vec<String>, begun: impl Into<String>) -> Self {
        Self {
            words,
            begun: begun.into(),
        }
    }
}

type Completing = Pin<Box<dyn Future<Output = Vec<String>> + Send>>;

/// Asks a program for completions; whatever goes wrong, there are just none.
#[derive(Clone)]
pub struct Completer(Arc<dyn Fn(Complete) -> Completing + Send + Sync>);

impl Completer {
    /// A completer that asks like this.
    pub fn new<F>(ask: impl Fn(Complete) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = Vec<String>> + Send + 'static,
    {
        Self(Arc::new(move |question| Box::pin(ask(question))))
    }

    /// The words that fit.
    pub async fn ask(&self, question: Complete) -> Vec<String> {
        (self.0)(question).await
    }
}

impl fmt::Debug for Completer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Completer")
    }
}
