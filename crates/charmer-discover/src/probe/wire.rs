//! What a prober and its warden say to each other.
//!
//! Orders are lines of JSON. An answer is a line of JSON and, behind it, the bytes of the output that the line counts:
//! they are many, and not always text.

use std::{ffi::OsString, io, time::Duration};

use charmer_run::{CallError, Ended, ErrorCode, Outcome, process::Captured};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

/// How long a line of the warden's may be.
pub(super) const LINE: u64 = 64 << 10;

/// What came of a program.
pub(super) type Ran = Result<Outcome, CallError>;

/// The warden's first line: what could be had, and what not and why.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    /// A network of its own with nobody in it.
    pub(super) network: Result<(), String>,
    /// The version of Landlock that keeps it from writing outside of its room.
    pub(super) files: Result<u32, String>,
}

/// What the warden is told to do.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Order {
    /// Run a program, under a number of the prober's choice.
    Run(u64, Job),
    /// End the program with this number.
    Cancel(u64),
}

/// A program to run.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Job {
    pub(super) program: Word,
    pub(super) argv: Vec<Word>,
    pub(super) environment: Vec<(Word, Word)>,
    pub(super) directory: Word,
    pub(super) timeout: Duration,
    pub(super) grace: Duration,
    /// How many bytes of each stream are kept.
    pub(super) output: usize,
}

/// A word of the system's: plain where it is text, and as it is where not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Word {
    Text(String),
    Other(OsString),
}

impl<W: Into<OsString>> From<W> for Word {
    fn from(word: W) -> Self {
        let text = word.into().into_string();
        text.map_or_else(Self::Other, Self::Text)
    }
}

impl Word {
    pub(super) fn into_os(self) -> OsString {
        match self {
            Self::Text(text) => text.into(),
            Self::Other(word) => word,
        }
    }
}

/// The line of an answer.
#[derive(Serialize, Deserialize)]
struct Head {
    id: u64,
    ended: Result<End, String>,
    stdout: Sizes,
    stderr: Sizes,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum End {
    Exited(i32),
    Signalled(i32),
    TimedOut,
    Cancelled,
}

/// How much there is of a stream.
#[derive(Default, Serialize, Deserialize)]
struct Sizes {
    head: usize,
    tail: usize,
    total: u64,
}

impl Sizes {
    fn of(captured: &Captured) -> Self {
        Self {
            head: captured.head.len(),
            tail: captured.tail.len(),
            total: captured.total,
        }
    }
}

/// A value as a line.
pub(super) fn line(value: &impl Serialize) -> Vec<u8> {
    let mut line = serde_json::to_vec(value).expect("it is made of numbers, words and lists");
    line.push(b'\n');
    line
}

/// An answer as it is sent.
pub(super) fn answer(id: u64, ran: &Ran) -> Vec<u8> {
    let outcome = match ran {
        Ok(outcome) => outcome,
        Err(error) => {
            return line(&Head {
                id,
                ended: Err(error.message.clone()),
                stdout: Sizes::default(),
                stderr: Sizes::default(),
            });
        }
    };
    let (stdout, stderr) = (&outcome.stdout, &outcome.stderr);
    let mut bytes = line(&Head {
        id,
        ended: Ok(match outcome.ended {
            Ended::Exited(code) => End::Exited(code),
            Ended::Signalled(signal) => End::Signalled(signal),
            Ended::TimedOut => End::TimedOut,
            Ended::Cancelled => End::Cancelled,
            // It is not known here, and no success.
            _ => End::Exited(-1),
        }),
        stdout: Sizes::of(stdout),
        stderr: Sizes::of(stderr),
    });
    for part in [&stdout.head, &stdout.tail, &stderr.head, &stderr.tail] {
        bytes.extend_from_slice(part);
    }
    bytes
}

/// Reads the next answer, whose streams hold so many bytes at most; `None` at the end.
pub(super) async fn read_answer(
    reader: &mut (impl AsyncBufRead + Unpin),
    most: usize,
) -> io::Result<Option<(u64, Ran)>> {
    let mut line = Vec::new();
    reader.take(LINE).read_until(b'\n', &mut line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    let head: Head = serde_json::from_slice(&line)?;
    let stdout = read_stream(reader, &head.stdout, most).await?;
    let stderr = read_stream(reader, &head.stderr, most).await?;
    let ran = match head.ended {
        Err(message) => Err(CallError::new(ErrorCode::NotStarted, message)),
        Ok(end) => {
            let mut outcome = Outcome::success("");
            (outcome.stdout, outcome.stderr) = (stdout, stderr);
            outcome.ended = match end {
                End::Exited(code) => Ended::Exited(code),
                End::Signalled(signal) => Ended::Signalled(signal),
                End::TimedOut => Ended::TimedOut,
                End::Cancelled => Ended::Cancelled,
            };
            Ok(outcome)
        }
    };
    Ok(Some((head.id, ran)))
}

async fn read_stream(
    reader: &mut (impl AsyncBufRead + Unpin),
    sizes: &Sizes,
    most: usize,
) -> io::Result<Captured> {
    if sizes.head.saturating_add(sizes.tail) > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    let mut captured = Captured::default();
    captured.total = sizes.total;
    for (part, size) in [
        (&mut captured.head, sizes.head),
        (&mut captured.tail, sizes.tail),
    ] {
        part.resize(size, 0);
        reader.read_exact(part).await?;
    }
    Ok(captured)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn answers_arrive_as_they_were_sent() {
        let mut long = Outcome::success(b"\xff\n\0".to_vec());
        long.ended = Ended::Signalled(11);
        long.stderr.head = b"{\"id\":1}\n".to_vec();
        long.stderr.tail = b"end".to_vec();
        long.stderr.total = 1 << 40;
        let error = CallError::new(ErrorCode::NotStarted, "it is\nnot there");
        let mut sent = answer(7, &Ok(long.clone()));
        sent.extend(answer(8, &Err(error.clone())));

        let mut reader = sent.as_slice();
        let (id, ran) = read_answer(&mut reader, 12)
            .await
            .expect("read")
            .expect("one");
        let ran = ran.expect("it ran");
        assert_eq!((id, ran.ended), (7, long.ended));
        assert_eq!((ran.stdout, ran.stderr), (long.stdout, long.stderr));
        let (id, ran) = read_answer(&mut reader, 12)
            .await
            .expect("read")
            .expect("two");
        assert_eq!((id, ran.expect_err("it did not")), (8, error));
        assert!(read_answer(&mut reader, 12).await.expect("read").is_none());

        assert!(
            read_answer(&mut sent.as_slice(), 11).await.is_err(),
            "too long"
        );
        assert!(read_answer(&mut &sent[..sent.len() - 5], 12).await.is_ok());
        assert!(read_answer(&mut &b"nonsense\n"[..], 12).await.is_err());
    }

    #[cfg(unix)]
    #[test]
    fn words_that_are_no_text_survive() {
        use std::os::unix::ffi::OsStringExt;
        for bytes in [
            &b"plain"[..],
            b"",
            b"\xff\xfe and \"more\"\n",
            "é".as_bytes(),
        ] {
            let word = Word::from(OsString::from_vec(bytes.to_vec()));
            let sent = line(&word);
            assert_eq!(sent.iter().filter(|&&byte| byte == b'\n').count(), 1);
            let got: Word = serde_json::from_slice(&sent).expect("a word");
            assert_eq!(got.into_os().into_vec(), bytes);
        }
    }
}
