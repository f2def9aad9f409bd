//! A trial of `--flag=value` on a program that only its help describes: most take it, but some read every long flag as a whole
//! word and take its value only from the next element.

use std::sync::OnceLock;

use charmer_core::model::{FlagValue, LongValue, ValueType};

use super::Asker;
use crate::{flags::Flags, probe::ProbeAnswer, sketch::CommandSketch};

/// The way programs say that they do not know a flag, in small letters.
const UNKNOWN: [&str; 8] = [
    "unknown",
    "unrecognized",
    "unrecognised",
    "not recognized",
    "invalid option",
    "invalid argument",
    "illegal option",
    "no such option",
];

/// A flag that no program has.
const NO_FLAG: &str = "--charmer-no-such-flag";

/// The way a program takes the values of long flags, once it was asked.
#[derive(Debug, Default)]
pub(super) struct AskedLongValue(OnceLock<LongValue>);

impl AskedLongValue {
    /// The form that the program was seen to take; `=` as long as nothing speaks against it.
    pub(super) fn get(&self) -> LongValue {
        self.0.get().copied().unwrap_or_default()
    }

    /// Asks the program with one of its root's flags. Where values are elements of their own, they may begin with `-` if
    /// the program takes the next element whatever it is.
    pub(super) async fn ask(&self, asker: &Asker<'_>, root: &mut CommandSketch) {
        // A program may look for `--help` only in the first place, and then it would do its work.
        if !root.path.is_root() || !asker.prober.is_confined() {
            return;
        }
        let Some(long) = flag_to_try(&root.flags) else {
            return;
        };
        let (name, attached) = (format!("--{long}"), format!("--{long}=x"));
        let with_equals = asker.prober.run(&[attached.as_str(), "--help"]).await;
        if !is_unknown(&with_equals, &attached) {
            return;
        }
        // Where the flag is not known at all, `=` is not what is wrong.
        let separate = asker.prober.run(&[name.as_str(), "x", "--help"]).await;
        if separate.code.is_none() || is_unknown(&separate, &name) {
            return;
        }
        let _ = self.0.set(LongValue::Separate);
        let dashed = asker.prober.run(&[name.as_str(), NO_FLAG, "--help"]).await;
        let alone = asker.prober.run(&[NO_FLAG, "--help"]).await;
        if dashed.code == separate.code && is_unknown(&alone, NO_FLAG) {
            for flag in &mut root.flags {
                let kind = flag.kind.as_ref().map(|kind| &kind.value);
                flag.allow_hyphen |= kind.is_some_and(|kind| kind.value == FlagValue::Required);
            }
        }
    }
}

/// The long name of a flag that must have a value: a plain text before a number or a file.
fn flag_to_try(flags: &Flags) -> Option<&str> {
    let valued = flags.iter().filter_map(|flag| {
        let (long, kind) = (flag.long.as_deref()?, &flag.kind.as_ref()?.value);
        let usable = kind.value == FlagValue::Required && !matches!(long, "help" | "version");
        let plain = kind.value_type == ValueType::String && flag.choices.is_none();
        usable.then_some((!plain, long))
    });
    // Of equals the first is taken.
    valued
        .min_by_key(|(not_plain, _)| *not_plain)
        .map(|(_, long)| long)
}

/// Returns true if a program failed and said of this very word that it does not know it.
pub(super) fn is_unknown(answer: &ProbeAnswer, word: &str) -> bool {
    let mut lines = answer.stderr.lines().chain(answer.stdout.lines());
    answer.code.is_some_and(|code| code != 0)
        && lines.any(|line| {
            let lower = line.to_lowercase();
            has_word(line, word) && UNKNOWN.iter().any(|unknown| lower.contains(unknown))
        })
}

/// Returns true if a line names a flag in full: not as the beginning of a longer one, nor with a value.
fn has_word(line: &str, word: &str) -> bool {
    let in_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '=');
    line.match_indices(word).any(|(at, _)| {
        let behind = &line[at + word.len()..];
        !line[..at].ends_with(in_word) && !behind.starts_with(in_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::FlagSketch;
    use crate::{
        fact::{Fact, Origin},
        sketch::KindSketch,
    };

    #[test]
    fn a_plain_text_is_tried_first() {
        let flag = |long: &str, kind| FlagSketch {
            kind: Some(Fact::new(kind, Origin::Help)),
            ..FlagSketch::long(long)
        };
        let text = || KindSketch::single(ValueType::String);
        let mut flags = Flags::from([
            flag("all", KindSketch::switch()),
            flag("help", text()),
            flag("colour", text().optional(None)),
        ]);
        assert_eq!(flag_to_try(&flags), None);
        flags.push(flag("output", KindSketch::single(ValueType::Path)));
        assert_eq!(flag_to_try(&flags), Some("output"));
        flags.push(flag("data", text()));
        flags.push(flag("header", text()));
        assert_eq!(flag_to_try(&flags), Some("data"));
    }

    #[test]
    fn only_a_complaint_about_the_whole_word_counts() {
        let said = |code, stderr: &str| ProbeAnswer {
            stderr: stderr.to_owned(),
            code: Some(code),
            started: true,
            ..ProbeAnswer::default()
        };
        for (code, line, expected) in [
            (2, "p: option --data=x: is unknown", true),
            (1, "p: unrecognized option '--data=x'", true),
            (1, "Invalid option \"--data=x\"\nTry p --help", true),
            (0, "p: option --data=x: is unknown", false),
            (1, "p: unrecognized option '--data'", false),
            (1, "p: option '--data' doesn't allow an argument", false),
            (1, "p: cannot open --data=x", false),
            (1, "p: unknown option --data=xy", false),
            (1, "p: unknown option --no--data=x", false),
        ] {
            assert_eq!(
                is_unknown(&said(code, line), "--data=x"),
                expected,
                "{line}"
            );
        }
        assert!(!is_unknown(&said(1, "unknown option --data=x"), "--data"));
        assert!(!is_unknown(&said(1, "unknown option --data-raw"), "--data"));
    }
}
