//! Questions to click besides help: how many values an option takes, and whether it may be repeated.
//!
//! Every command line has `--help` where nothing can take it for a value, so that no command is run: click reads the
//! whole line, then answers `--help` before it looks at any value.

use std::{
    collections::HashMap,
    ffi::OsString,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use charmer_core::model::{FlagValue, Repetition, ValueType};

use super::option::split_default;
use crate::{
    fact::{Fact, Origin},
    family::{Asker, printed},
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

/// The number of options of one command that are asked about one by one.
const ROUNDS: usize = 4;

/// Remembers what was said: commands often share options.
#[derive(Default)]
pub(super) struct ClickQuestions {
    /// The program's name as its usage has it, and the word that asks for completion.
    program: Mutex<Option<(String, &'static str)>>,
    silent: AtomicBool,
    known: Mutex<HashMap<String, KindSketch>>,
}

impl ClickQuestions {
    /// Notes what the root's help says.
    pub(super) fn begin(&self, program: &str, root: &CommandSketch) {
        // typer has its own way to ask.
        let typer = root
            .flags
            .iter()
            .any(|flag| flag.long.as_deref() == Some("install-completion"));
        let word = if typer {
            "complete_bash"
        } else {
            "bash_complete"
        };
        let named = root.program.as_deref().unwrap_or(program);
        *self.program.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((named.to_owned(), word));
    }

    /// Asks about the options of a command.
    pub(super) async fn ask(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let mut open: Vec<usize> = Vec::new();
        for (at, flag) in sketch.flags.iter_mut().enumerate() {
            if !is_open(flag) {
                continue;
            }
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            match known.get(&key(flag)) {
                Some(kind) => settle(flag, kind.clone(), Origin::Completion),
                None => open.push(at),
            }
        }
        if open.is_empty() {
            return;
        }
        count_values(asker, sketch).await;
        self.complete(asker, sketch, &open).await;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for at in open {
            if let Some(kind) = &sketch.flags[at].kind {
                known.insert(key(&sketch.flags[at]), kind.value.clone());
            }
        }
    }

    /// Completion offers an option that is already there only if it may be repeated.
    async fn complete(&self, asker: &Asker<'_>, sketch: &mut CommandSketch, open: &[usize]) {
        let program = self
            .program
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let Some((program, instruction)) = program else {
            return;
        };
        let single = |at: &&usize| {
            let kind = sketch.flags[**at].kind.as_ref();
            kind.is_some_and(|kind| {
                kind.value.value == FlagValue::Required
                    && kind.value.repetition == Repetition::Single
            })
        };
        let asked: Vec<usize> = open.iter().filter(single).copied().collect();
        if asked.is_empty() || self.silent.load(Ordering::Relaxed) {
            return;
        }
        let mut words = vec![program.clone()];
        words.extend(sketch.path.words().iter().cloned());
        for &at in &asked {
            let flag = &sketch.flags[at];
            let joint = if flag.long.is_some() { "=" } else { "" };
            words.push(format!("{}{joint}x", flag.written()));
        }
        words.push("-".into());
        let variable = format!("_{program}_COMPLETE")
            .replace(['-', '.'], "_")
            .to_uppercase();
        let environment: Vec<(OsString, OsString)> = [
            (variable, instruction.to_owned()),
            ("COMP_CWORD".into(), (words.len() - 1).to_string()),
            ("COMP_WORDS".into(), words.join(" ")),
        ]
        .map(|(name, value)| (name.into(), value.into()))
        .into();
        let mut request = sketch.path.words().to_vec();
        request.push("--help".into());
        let prober = asker.prober.with_environment(environment);
        let answer = prober.run(&request).await;
        let offered: Vec<&str> = answer
            .stdout
            .lines()
            .map(|line| line.rsplit(',').next().unwrap_or(line).trim())
            .collect();
        if !offered.contains(&"--help") {
            self.silent.store(true, Ordering::Relaxed);
            return;
        }
        for at in asked {
            let flag = &mut sketch.flags[at];
            let Some(kind) = &flag.kind else { continue };
            let mut kind = kind.value.clone();
            if offered.contains(&flag.written().as_str()) {
                kind = KindSketch::repeated(kind.value_type);
            }
            settle(flag, kind, Origin::Completion);
        }
    }
}

/// Returns true if an option takes a value and help does not say how often.
fn is_open(flag: &FlagSketch) -> bool {
    let Some(kind) = &flag.kind else { return false };
    kind.value.value == FlagValue::Required
        && !matches!(kind.value.repetition, Repetition::Repeat { .. })
}

fn key(flag: &FlagSketch) -> String {
    let help = flag.help.as_ref().map_or("", |help| &help.value);
    let value = flag.placeholder.as_deref().unwrap_or_default();
    format!("{}\0{value}\0{help}", flag.written())
}

fn settle(flag: &mut FlagSketch, kind: KindSketch, origin: Origin) {
    if kind.repetition != Repetition::Single
        && let Some(default) = &mut flag.default
        && default.value.len() == 1
    {
        default.value = split_default(&default.value[0]);
    }
    if kind.value_type == ValueType::Count {
        flag.default = None;
    }
    flag.kind = Some(Fact::new(kind, origin));
}

/// Options that show a number but may be counted (typer), and those that take several values (`FLOAT...`): one value is
/// too many for the former and not enough for the latter.
async fn count_values(asker: &Asker<'_>, sketch: &mut CommandSketch) {
    let doubtful = |flag: &FlagSketch| {
        let Some(kind) = &flag.kind else { return false };
        let zero = flag
            .default
            .as_ref()
            .is_some_and(|default| default.value == ["0"]);
        let number = matches!(kind.value.value_type, ValueType::Integer { .. });
        let fixed = matches!(kind.value.repetition, Repetition::Fixed { .. });
        let tuple = flag
            .placeholder
            .as_deref()
            .is_some_and(|value| value.starts_with('<'));
        flag.long.is_some() && (fixed && !tuple || number && zero)
    };
    let mut open: Vec<usize> = (0..sketch.flags.len())
        .filter(|&at| doubtful(&sketch.flags[at]))
        .collect();
    for _ in 0..ROUNDS {
        if open.is_empty() {
            return;
        }
        let mut request = sketch.path.words().to_vec();
        request.push("--help".into());
        request.extend(
            open.iter()
                .map(|&at| format!("{}=1", sketch.flags[at].written())),
        );
        let answer = asker.prober.run(&request).await;
        if answer.succeeded() {
            return;
        }
        let said = format!("{}\n{}", answer.stderr, printed(&answer));
        let Some((index, verdict)) = open
            .iter()
            .enumerate()
            .find_map(|(index, &at)| Some((index, complaint(&said, &sketch.flags[at].written())?)))
        else {
            return;
        };
        let flag = &mut sketch.flags[open.remove(index)];
        let Some(kind) = &flag.kind else { return };
        let kind = match verdict {
            ClickVerdict::NoValue => KindSketch::count(),
            ClickVerdict::Values(count) => KindSketch {
                repetition: Repetition::Fixed {
                    count,
                    repeat: false,
                },
                ..kind.value.clone()
            },
        };
        settle(flag, kind, Origin::Probe);
    }
}

#[derive(Debug, PartialEq, Eq)]
enum ClickVerdict {
    NoValue,
    Values(usize),
}

/// The verdict on this option in click's words.
fn complaint(said: &str, flag: &str) -> Option<ClickVerdict> {
    let line = said.lines().find(|line| {
        line.split(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | '│'))
            .any(|word| word == flag)
            && (line.contains("does not take a value") || line.contains("requires "))
    })?;
    if line.contains("does not take a value") {
        return Some(ClickVerdict::NoValue);
    }
    let (_, behind) = line.split_once("requires ")?;
    let count = behind.split(' ').next()?.parse().ok()?;
    Some(ClickVerdict::Values(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_of_old_and_new_versions() {
        let said = |line: &str| complaint(line, "--name");
        assert_eq!(
            said("Error: Option '--name' requires 2 arguments."),
            Some(ClickVerdict::Values(2))
        );
        assert_eq!(
            said("Error: --name option does not take a value"),
            Some(ClickVerdict::NoValue)
        );
        assert_eq!(
            said("│ Option '--name' does not take a value.  │"),
            Some(ClickVerdict::NoValue)
        );
        assert_eq!(said("Error: Option '--name2' requires 2 arguments."), None);
        assert_eq!(said("Error: No such option: --name"), None);
    }

    #[test]
    fn a_repeated_option_has_several_defaults() {
        let mut flag = FlagSketch::long("tag");
        flag.default = Some(Fact::new(vec!["a, b".into()], Origin::Help));
        settle(
            &mut flag,
            KindSketch::repeated(ValueType::String),
            Origin::Completion,
        );
        assert_eq!(flag.default.expect("a default").value, ["a", "b"]);
    }
}
