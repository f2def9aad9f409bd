//! Knowledge of single commands, put into the model; the parts of it that the program does not have.

use charmer_core::{
    model::{Cli, Command, CommandPath, Flag, FlagValue, Repetition},
    select::names_flag,
};

use crate::{FilePlace, Knowledge, ModelMismatch, SourceEntry};

use super::{at_mut, canonical, without_program};

/// A line of a list or a mapping: a command, and flags behind it, each with a value if it has one.
struct KnowledgeLine<'l> {
    words: Vec<&'l str>,
    flags: Vec<(&'l str, Option<&'l str>)>,
}

impl<'l> KnowledgeLine<'l> {
    fn new(line: &'l str) -> Self {
        let mut words = line.split_whitespace().peekable();
        let mut path = Vec::new();
        while let Some(word) = words.next_if(|word| !word.starts_with('-')) {
            path.push(word);
        }
        let mut flags = Vec::new();
        while let Some(flag) = words.next() {
            flags.push(match flag.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (flag, words.next_if(|word| !word.starts_with('-'))),
            });
        }
        Self { words: path, flags }
    }

    fn path(&self, cli: &Cli) -> Option<CommandPath> {
        let path = without_program(cli, &self.words.join(" "));
        canonical(&cli.root, path.words())
    }
}

impl SourceEntry {
    /// The mismatches of what is said beside `override`: commands and flags that the program does not have.
    pub(crate) fn unknown_commands(&self, cli: &Cli) -> Vec<ModelMismatch> {
        let known = &self.known;
        let lists = [
            ("prints_secrets", &known.prints_secrets),
            ("long_running", &known.long_running),
            ("common", &known.common),
        ];
        let mut mismatches = Vec::new();
        let mut look = |key: &str, line: &str, flags: &str| {
            let at = FilePlace::of([key, line]);
            let read = KnowledgeLine::new(line);
            let Some(path) = read.path(cli) else {
                if self.need_not_exist(&read.words.iter().copied().collect()) {
                    return;
                }
                let mismatch = ModelMismatch::no_command(cli, line, &format!("`{key}`"));
                mismatches.push(mismatch.at(at));
                return;
            };
            let more = KnowledgeLine::new(flags);
            // Another command that shows what this one would do.
            if !more.words.is_empty()
                && more.path(cli).is_none()
                && !self.need_not_exist(&more.words.iter().copied().collect())
            {
                let mismatch = ModelMismatch::no_command(cli, flags, &format!("`{key}`"));
                mismatches.push(mismatch.at(at.clone()));
            }
            let path = match more.words.is_empty() {
                true => path,
                false => more.path(cli).unwrap_or(path),
            };
            for (name, _) in read.flags.iter().chain(&more.flags) {
                let known: Vec<&Flag> = flags_of(cli, &path).collect();
                if !known.iter().any(|flag| names_flag(name, flag))
                    && !self.flag_need_not_exist(cli, &path, name)
                {
                    let shown = path.to_string();
                    let mismatch = ModelMismatch::no_flag(key, &shown, name, known.into_iter());
                    mismatches.push(mismatch.at(at.clone()));
                }
            }
        };
        for (key, list) in lists {
            list.iter().for_each(|line| look(key, line, ""));
        }
        known
            .phrases
            .keys()
            .for_each(|line| look("phrases", line, ""));
        for (line, flags) in known.repeated.iter().filter(|(line, _)| *line != "*") {
            look("repeated", line, &flags.join(" "));
        }
        for (key, map) in [("json", &known.json), ("preview", &known.preview)] {
            let of_commands = map.iter().filter(|(line, _)| *line != "*");
            of_commands.for_each(|(line, flags)| look(key, line, flags));
        }
        mismatches
    }
}

impl SourceEntry {
    /// Returns true if a command, or one above it, is said to be optional.
    pub(super) fn need_not_exist(&self, wanted: &CommandPath) -> bool {
        let optional = self.overrides.iter().filter(|(_, said)| said.optional);
        let mut optional = optional.map(|(name, _)| CommandPath::parse(name));
        optional.any(|path| wanted.words().starts_with(path.words()))
    }

    fn flag_need_not_exist(&self, cli: &Cli, path: &CommandPath, flag: &str) -> bool {
        let same = |name: &str| name.trim_start_matches('-') == flag.trim_start_matches('-');
        self.overrides.iter().any(|(name, said)| {
            let mut flags = said.flags.iter();
            let named = canonical(&cli.root, without_program(cli, name).words());
            named.as_ref() == Some(path) && flags.any(|(name, said)| said.optional && same(name))
        })
    }
}

/// The flags that a command takes: its own, and those of its ancestors that hold for all below.
fn flags_of<'c>(cli: &'c Cli, path: &CommandPath) -> impl Iterator<Item = &'c Flag> {
    let mut command = Some(&cli.root);
    let mut lineage = vec![&cli.root];
    for word in path.words() {
        let mut children = command.into_iter().flat_map(|command| &command.commands);
        command = children.find(|child| child.name == *word);
        lineage.extend(command);
    }
    let own = lineage.len() - 1;
    lineage
        .into_iter()
        .enumerate()
        .flat_map(move |(at, command)| {
            let flags = command.flags.iter().map(AsRef::as_ref);
            flags.filter(move |flag: &&Flag| at == own || flag.global)
        })
}

impl Knowledge {
    /// Puts what is known of single commands into a program's model, as far as the program has them.
    pub fn apply(&self, cli: &mut Cli) {
        for (rank, line) in self.common.iter().enumerate() {
            with(cli, line, |command| command.hints.common = Some(rank));
        }
        for (line, phrases) in &self.phrases {
            with(cli, line, |command| {
                command.hints.phrases.clone_from(phrases)
            });
        }
        for line in &self.long_running {
            // With a flag it is the call that is long, not the command.
            if KnowledgeLine::new(line).flags.is_empty() {
                with(cli, line, |command| command.hints.long_running = true);
            }
        }
        for line in &self.prints_secrets {
            let flags = KnowledgeLine::new(line).flags;
            if flags.is_empty() {
                with(cli, line, |command| command.hints.prints_secrets = true);
            }
            for (name, _) in flags {
                with_flag(cli, line, name, &|flag| flag.prints_secrets = true);
            }
        }
        for (line, flags) in &self.repeated {
            for name in flags {
                with_flag(cli, line, name, &|flag| {
                    if flag.value == FlagValue::Required && flag.repetition == Repetition::Single {
                        flag.repetition = Repetition::Repeat { delimiter: None };
                        flag.may_repeat = false;
                    }
                });
            }
        }
        for (line, flags) in &self.json {
            for (name, value) in KnowledgeLine::new(flags).flags {
                with_flag(cli, line, name, &|flag| {
                    flag.asks_for_json = Some(value.unwrap_or_default().to_owned());
                });
            }
        }
        for (line, flags) in &self.preview {
            for (name, value) in KnowledgeLine::new(flags).flags {
                let values = value.into_iter().flat_map(|value| value.split('|'));
                let values: Vec<String> = values.map(str::to_owned).collect();
                with_flag(cli, line, name, &|flag| {
                    flag.previews = Some(values.clone());
                });
            }
        }
    }
}

fn with(cli: &mut Cli, line: &str, set: impl FnOnce(&mut Command)) {
    if let Some(path) = KnowledgeLine::new(line).path(cli)
        && let Some(command) = at_mut(cli, &path)
    {
        set(command);
    }
}

/// Changes a flag of a command; `*` stands for every command that has it.
fn with_flag(cli: &mut Cli, line: &str, name: &str, set: &dyn Fn(&mut Flag)) {
    fn descend(command: &mut Command, name: &str, set: &dyn Fn(&mut Flag)) {
        let flags = command.flags.iter_mut();
        flags
            .filter(|flag| names_flag(name, flag))
            .for_each(|flag| set(flag));
        for child in &mut command.commands {
            descend(child, name, set);
        }
    }
    if line == "*" {
        return descend(&mut cli.root, name, set);
    }
    let Some(path) = KnowledgeLine::new(line).path(cli) else {
        return;
    };
    let inherited = flags_of(cli, &path)
        .find(|flag| names_flag(name, flag))
        .cloned();
    with(cli, line, |command| {
        let own = command.flags.iter().position(|flag| names_flag(name, flag));
        let own = own.or_else(|| {
            // A copy at this command stands for the one of the ancestor.
            command.flags.push(inherited?.into());
            Some(command.flags.len() - 1)
        });
        if let Some(at) = own {
            set(&mut command.flags[at]);
        }
    });
}
