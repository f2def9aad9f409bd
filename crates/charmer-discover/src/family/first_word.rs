//! Programs that read their first word as letters of flags without a dash, as `tar xf FILE` does: there a caller's word
//! in the first place would be flags.

use std::sync::OnceLock;

use super::{Asker, long_value::is_unknown};

/// A word that is a letter of no flag.
const NO_LETTER: &str = ",";

/// The way a program reads its first word, once it was asked.
#[derive(Debug, Default)]
pub(super) struct AskedFirstWord(OnceLock<bool>);

impl AskedFirstWord {
    /// Returns true if the first word was seen to be read as letters.
    pub(super) fn is_letters(&self) -> bool {
        self.0.get().copied().unwrap_or_default()
    }

    /// Asks the program for its help behind a word that is no letter, if `asks`: once, where its root is read, and not
    /// where the word would be run.
    pub(super) async fn ask(&self, asker: &Asker<'_>, asks: bool) {
        // A program may look for `--help` only in the first place, and then it would do its work.
        if !asks || !asker.prober.is_confined() {
            return;
        }
        let answer = asker.prober.run(&[NO_LETTER, "--help"]).await;
        let complains = is_unknown(&answer, NO_LETTER) || is_unknown(&answer, "','");
        // Others take it for an unknown command or file, and say so in other words.
        let _ = self.0.set(complains && said_option(&answer.stderr));
    }
}

/// Returns true if it is an option that the program does not know, and not a command.
fn said_option(stderr: &str) -> bool {
    let lower = stderr.to_lowercase();
    lower.contains("option") && !lower.contains("command")
}
