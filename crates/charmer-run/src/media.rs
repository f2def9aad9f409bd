//! Pictures and sounds: standard output that a client gets as what it is, and not as words about it.

use charmer_core::output::MediaType;

use crate::{Limits, Outcome, REDACTED, Redactor};

/// A picture or a sound on standard output.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Media {
    /// Its form.
    pub media_type: MediaType,
    /// All of it, as the program printed it.
    pub bytes: Vec<u8>,
}

impl Media {
    /// The picture or the sound that an outcome is; an error says why it is not shown.
    ///
    /// A failure has none: what was printed before it is likely not to be whole, and assistants' services take nothing
    /// but text with one.
    pub(crate) fn of(
        outcome: &Outcome,
        limits: &Limits,
        redactor: &Redactor,
    ) -> Option<Result<Self, String>> {
        let stdout = &outcome.stdout;
        let succeeded = outcome.is_success() && outcome.complaint.is_none();
        let media_type = stdout.media_type().filter(|_| succeeded)?;
        if stdout.is_cut() || stdout.total > limits.media_bytes as u64 {
            let most = limits.media_bytes.min(limits.capture_bytes);
            return Some(Err(format!(
                "it is larger than the {most} bytes that are shown: have it made smaller or written to a file, or have \
                 `limits.media` raised"
            )));
        }
        let bytes = [&stdout.head[..], &stdout.tail].concat();
        // Output was redacted on its way, which spoils a picture; a handler's own has not been.
        let mark = REDACTED.as_bytes();
        if redactor.changes(&bytes) || bytes.windows(mark.len()).any(|part| part == mark) {
            let why = "it is not shown, because there is a secret in it";
            return Some(Err(why.into()));
        }
        Some(Ok(Self { media_type, bytes }))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{CallError, CallResult, Ended, ErrorCode};

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR and so on";

    fn result(outcome: Outcome, limits: &Limits, redactor: &Redactor) -> CallResult {
        CallResult::new(&Ok(outcome), limits, redactor)
    }

    #[test]
    fn a_picture_is_given_as_such_and_named_in_words() {
        let (limits, redactor) = (Limits::default(), Redactor::default());
        let given = result(Outcome::success(PNG), &limits, &redactor);
        assert_eq!(given.text, "[PNG image, 26 bytes]");
        assert_eq!(
            json!(given.structured),
            json!({"exitCode": 0, "stdout": "[PNG image, 26 bytes]"})
        );
        // An assistant that is given structure shows its model nothing else.
        assert!(given.text_alone && !given.is_error);
        let media = given.media.expect("it is a picture");
        assert_eq!((media.media_type, &media.bytes[..]), (MediaType::Png, PNG));
        assert_eq!(
            result(Outcome::success("plain"), &limits, &redactor).media,
            None
        );
    }

    #[test]
    fn what_is_too_large_says_how_large_it_is_and_what_to_do() {
        let limits = Limits::default().media_bytes(25);
        let given = result(Outcome::success(PNG), &limits, &Redactor::default());
        assert_eq!(given.media, None);
        let said = "[PNG image, 26 bytes]\n[it is larger than the 25 bytes that are shown: ";
        assert!(given.text.starts_with(said), "{}", given.text);
        let mut cut = Outcome::success(PNG);
        cut.stdout.total = 1 << 30;
        let given = result(cut, &Limits::default(), &Redactor::default());
        assert!(given.media.is_none() && given.text.contains("1073741824 bytes"));
    }

    #[test]
    fn a_picture_with_a_secret_in_it_is_not_shown() {
        let limits = Limits::default();
        let named = Redactor::new(["and so"], [""; 0]).expect("no patterns");
        let spoiled = [PNG, REDACTED.as_bytes()].concat();
        for (bytes, redactor) in [(PNG, &named), (&spoiled, &Redactor::default())] {
            let given = result(Outcome::success(bytes), &limits, redactor);
            assert_eq!(given.media, None);
            assert!(given.text.contains("a secret in it"), "{}", given.text);
        }
    }

    #[test]
    fn a_failure_has_no_picture() {
        let (limits, redactor) = (Limits::default(), Redactor::default());
        let mut failed = Outcome::success(PNG);
        failed.ended = Ended::Exited(1);
        let mut wrong = Outcome::success(PNG);
        wrong.complaint = Some(CallError::new(ErrorCode::Failed, "it is no JSON"));
        for outcome in [failed, wrong] {
            let given = result(outcome, &limits, &redactor);
            assert!(given.media.is_none() && given.is_error);
            assert!(
                given.text.starts_with("[PNG image, 26 bytes]"),
                "{}",
                given.text
            );
        }
    }
}
