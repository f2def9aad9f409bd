//! The file's words on a program's commands, put into the model before tools are made of it.
//!
//! Corrections first, then what selectors say of their commands (`assume_effect`, `stdin`, `confirm`), where no correction has
//! said it. A name that the program does not have is an error: a correction that reaches nothing protects nobody.

mod argument;
mod correct;
mod knowledge;
mod mismatch;
mod names;
mod select;

use charmer_core::model::{Cli, Command, CommandPath};
use serde::Serialize;

pub use mismatch::{Mismatches, ModelMismatch};

use crate::{CommandOverride, FilePlace, FileWarning, Position, SourceEntry};

/// One field of the model that the file has set, so that it can be shown where a fact comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Applied {
    /// The command.
    pub path: CommandPath,
    /// The id of its flag or positional; `None` for the command itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub argument: Option<String>,
    /// The field, as the file calls it: `type`, `description`, `effect`.
    pub field: &'static str,
    /// The entry of the file that has set it.
    #[serde(skip)]
    pub position: Position,
}

/// The result of putting a source's words into the model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ApplyReport {
    /// The changes that were made, command by command.
    pub applied: Vec<Applied>,
    /// The warnings of what may not be as it was meant.
    pub warnings: Vec<FileWarning>,
    /// The entry whose words are being put into the model.
    current: Position,
}

impl ApplyReport {
    fn note(&mut self, path: &CommandPath, argument: Option<&str>, field: &'static str) {
        self.applied.push(Applied {
            path: path.clone(),
            argument: argument.map(str::to_owned),
            field,
            position: self.current.clone(),
        });
    }

    /// Returns true if a field of a command itself was set.
    fn has(&self, path: &CommandPath, field: &str) -> bool {
        let mut applied = self.applied.iter();
        applied.any(|entry| entry.argument.is_none() && entry.field == field && entry.path == *path)
    }
}

impl SourceEntry {
    /// Puts the corrections under `override`, and what `select` says of its commands, into a program's model. Either all
    /// of it is done or nothing is.
    ///
    /// ```
    /// use charmer_config::Config;
    /// use charmer_core::model::{Cli, Command, Effect, Flag, Syntax};
    ///
    /// let text = "
    /// sources:
    ///   - binary: ship
    ///     override:
    ///       status: {flags: {format: {enum: [table, json]}}}
    ///     select:
    ///       - {commands: {allow: [status]}, assume_effect: read}
    /// ";
    /// let source = &Config::parse(text, "charmer.yaml").unwrap().sources[0];
    /// let status = Command::new("status").flag(Flag::new("format").pflag("string"));
    /// let mut cli = Cli::new(Command::new("ship").not_runnable().command(status), Syntax::pflag());
    ///
    /// let report = source.apply(&mut cli).unwrap();
    /// assert_eq!(cli.root.commands[0].flags[0].choices.len(), 2);
    /// assert_eq!(cli.root.commands[0].hints.effect, Effect::Read);
    /// assert_eq!((report.applied[0].field, report.applied[1].field), ("enum", "effect"));
    /// ```
    pub fn apply(&self, cli: &mut Cli) -> Result<ApplyReport, Mismatches> {
        let mut corrected = cli.clone();
        let (report, mut mismatches) = self.apply_what_fits(&mut corrected);
        mismatches.extend(self.unknown_commands(&corrected));
        if !mismatches.is_empty() {
            return Err(Mismatches(mismatches));
        }
        *cli = corrected;
        Ok(report)
    }

    /// The same as far as the program has what is spoken of; the rest is told.
    pub(crate) fn apply_what_fits(&self, cli: &mut Cli) -> (ApplyReport, Vec<ModelMismatch>) {
        let mut report = ApplyReport::default();
        let mut mismatches = Vec::new();
        for (path, name, correction) in self.resolved(cli, &mut mismatches) {
            report.current = correction.position.clone();
            let known = mismatches.len();
            correct::command(cli, &path, correction, &mut report, &mut mismatches);
            for new in &mut mismatches[known..] {
                new.place = new.place.within(["override", name]);
            }
        }
        select::apply(self, cli, &mut report, &mut mismatches);
        (report, mismatches)
    }

    /// The corrections by path, parents first; what names no command, and is not to be added, is a mismatch.
    pub(crate) fn resolved(
        &self,
        cli: &Cli,
        mismatches: &mut Vec<ModelMismatch>,
    ) -> Vec<(CommandPath, &str, &CommandOverride)> {
        let mut found: Vec<(CommandPath, &str, &CommandOverride)> = Vec::new();
        let mut written: Vec<(CommandPath, &String, &CommandOverride)> = self
            .overrides
            .iter()
            .map(|(name, correction)| (without_program(cli, name), name, correction))
            .collect();
        written.sort_by(|(one, ..), (other, ..)| one.cmp(other));
        for (path, name, correction) in written {
            let known = canonical(&cli.root, path.words());
            let parent_added = || {
                let parent = &path.words()[..path.words().len().saturating_sub(1)];
                canonical(&cli.root, parent).is_some()
                    || found
                        .iter()
                        .any(|(other, _, correction)| correction.add && other.words() == parent)
            };
            let path = match known {
                Some(path) => path,
                None if !correction.add && self.need_not_exist(&path) => continue,
                None if !correction.add => {
                    let mismatch = ModelMismatch::no_command(cli, name, "`override`");
                    mismatches.push(mismatch.at(FilePlace::of(["override", name])));
                    continue;
                }
                None if !parent_added() => {
                    mismatches.push(
                        ModelMismatch::new(
                            format!(
                                "`override` adds `{name}`, whose parent command does not exist"
                            ),
                            "add the parent too, with `add: true` and `runnable: false`",
                        )
                        .at(FilePlace::of(["override", name])),
                    );
                    continue;
                }
                None => path,
            };
            if found.iter().any(|(other, ..)| *other == path) {
                mismatches.push(
                    ModelMismatch::new(
                        format!("`override` has two entries for the command `{name}`"),
                        "put all corrections of a command into one entry",
                    )
                    .at(FilePlace::of(["override", name])),
                );
                continue;
            }
            found.push((path, name, correction));
        }
        found
    }
}

/// A path as it is written, less the program's name, unless the program has a command of that name.
fn without_program(cli: &Cli, written: &str) -> CommandPath {
    let path = CommandPath::parse(written);
    match path.words() {
        [first, rest @ ..]
            if *first == cli.root.name && canonical(&cli.root, path.words()).is_none() =>
        {
            rest.iter().map(String::as_str).collect()
        }
        _ => path,
    }
}

/// The path under the commands' own names, aliases replaced.
fn canonical(root: &Command, words: &[String]) -> Option<CommandPath> {
    let mut command = root;
    let mut path = CommandPath::root();
    for word in words {
        let mut children = command.commands.iter();
        command = children
            .find(|child| child.name == *word)
            .or_else(|| command.child(word))?;
        path = path.child(command.name.as_str());
    }
    Some(path)
}

/// The command at a path of names.
fn at_mut<'c>(cli: &'c mut Cli, path: &CommandPath) -> Option<&'c mut Command> {
    path.words()
        .iter()
        .try_fold(&mut cli.root, |command, word| {
            let mut children = command.commands.iter_mut();
            children.find(|child| child.name == *word)
        })
}
