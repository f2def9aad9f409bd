//! Which commands become tools, and which of their flags can be reached at all.
//!
//! A list of [`ToolSelector`]s is tried in order; the first whose command rule matches decides. A flag that its flag
//! rules leave out is not part of the tool, and since an argv is only ever built from a tool's own flags, no input
//! can reach it.

use std::{fmt, sync::Arc};

use crate::{
    glob::glob_match,
    model::{Command, CommandPath, Flag},
};

/// A command that a rule looks at.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Candidate<'a> {
    /// The program's name.
    pub program: &'a str,
    /// The path of the command.
    pub path: &'a CommandPath,
    /// The command.
    pub command: &'a Command,
}

impl<'a> Candidate<'a> {
    /// A command of a program.
    pub fn new(program: &'a str, path: &'a CommandPath, command: &'a Command) -> Self {
        Self {
            program,
            path,
            command,
        }
    }

    /// The path in the two forms that rules may be written in: with the program's name and without.
    fn forms(&self) -> [String; 2] {
        let bare = self.path.glob_form();
        let full = if bare.is_empty() {
            self.program.to_owned()
        } else {
            format!("{}/{bare}", self.program)
        };
        [bare, full]
    }
}

type CommandTest = dyn Fn(&Candidate<'_>) -> bool + Send + Sync;
type FlagTest = dyn Fn(&Flag) -> bool + Send + Sync;

/// A rule for commands. Paths are written with or without the program's name: `container ls`, `docker/container/*`.
#[derive(Clone)]
pub struct CommandRule(Arc<CommandTest>);

impl CommandRule {
    /// A rule of one's own.
    pub fn new(test: impl Fn(&Candidate<'_>) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(test))
    }

    /// Every command.
    pub fn all() -> Self {
        Self::new(|_| true)
    }

    /// No command.
    pub fn none() -> Self {
        Self::new(|_| false)
    }

    /// The commands at exactly these paths.
    pub fn allow<P: Into<CommandPath>>(paths: impl IntoIterator<Item = P>) -> Self {
        let paths: Vec<String> = paths
            .into_iter()
            .map(|path| path.into().glob_form())
            .collect();
        Self::new(move |candidate| candidate.forms().iter().any(|form| paths.contains(form)))
    }

    /// All but the commands at exactly these paths.
    pub fn exclude<P: Into<CommandPath>>(paths: impl IntoIterator<Item = P>) -> Self {
        Self::allow(paths).negated()
    }

    /// The commands whose path matches one of these globs; `*` stays within a level, `**` crosses levels.
    pub fn allow_glob<S: Into<String>>(globs: impl IntoIterator<Item = S>) -> Self {
        let globs: Vec<String> = globs.into_iter().map(Into::into).collect();
        Self::new(move |candidate| {
            let forms = candidate.forms();
            globs
                .iter()
                .any(|glob| forms.iter().any(|form| glob_match(glob, form)))
        })
    }

    /// All but the commands whose path matches one of these globs.
    pub fn exclude_glob<S: Into<String>>(globs: impl IntoIterator<Item = S>) -> Self {
        Self::allow_glob(globs).negated()
    }

    /// The commands that have one of these words in their path; words are compared whole.
    pub fn allow_containing<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        let words: Vec<String> = words.into_iter().map(Into::into).collect();
        Self::new(move |candidate| {
            candidate
                .path
                .words()
                .iter()
                .any(|word| words.contains(word))
        })
    }

    /// All but the commands that have one of these words in their path.
    pub fn exclude_containing<S: Into<String>>(words: impl IntoIterator<Item = S>) -> Self {
        Self::allow_containing(words).negated()
    }

    /// The opposite rule.
    #[must_use]
    pub(crate) fn negated(self) -> Self {
        Self::new(move |candidate| !(self.0)(candidate))
    }

    /// Returns true if the rule matches.
    pub fn matches(&self, candidate: &Candidate<'_>) -> bool {
        (self.0)(candidate)
    }
}

impl fmt::Debug for CommandRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CommandRule(..)")
    }
}

/// A rule for flags. Names are written with or without dashes, long or short.
#[derive(Clone)]
pub struct FlagRule(Arc<FlagTest>);

impl FlagRule {
    /// A rule of one's own.
    pub fn new(test: impl Fn(&Flag) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(test))
    }

    /// Every flag.
    pub fn all() -> Self {
        Self::new(|_| true)
    }

    /// No flag.
    pub fn none() -> Self {
        Self::new(|_| false)
    }

    /// Only these flags.
    pub fn allow<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let names: Vec<String> = names.into_iter().map(Into::into).collect();
        Self::new(move |flag| names.iter().any(|name| names_flag(name, flag)))
    }

    /// All but these flags.
    pub fn exclude<S: Into<String>>(names: impl IntoIterator<Item = S>) -> Self {
        let allowed = Self::allow(names);
        Self::new(move |flag| !allowed.matches(flag))
    }

    /// Returns true if the rule lets a flag in.
    pub fn matches(&self, flag: &Flag) -> bool {
        (self.0)(flag)
    }
}

impl fmt::Debug for FlagRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FlagRule(..)")
    }
}

/// Returns true if a name, with or without dashes, long or short, is one of the flag's.
pub fn names_flag(name: &str, flag: &Flag) -> bool {
    if name.starts_with('-') {
        return flag.is_named(name);
    }
    flag.id == name || flag.is_named(&format!("--{name}")) || flag.is_named(&format!("-{name}"))
}

/// One entry of the ordered list: which commands it speaks for, and which of their flags it lets in.
///
/// ```
/// use charmer_core::select::{CommandRule, FlagRule, ToolSelector};
/// let readers = ToolSelector::new(CommandRule::allow_glob(["kubectl/get", "kubectl/logs"]))
///     .local_flags(FlagRule::exclude(["--raw"]))
///     .inherited_flags(FlagRule::allow(["namespace"]));
/// # let _ = readers;
/// ```
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolSelector {
    /// The commands that it speaks for.
    pub commands: CommandRule,
    /// The flags of the command's own that it lets in.
    pub local_flags: FlagRule,
    /// The flags of its ancestors that it lets in.
    pub inherited_flags: FlagRule,
    /// The place where it was written, for whoever misses a flag that it leaves out.
    pub place: Option<String>,
}

impl ToolSelector {
    /// A selector for these commands, with all their flags.
    pub fn new(commands: CommandRule) -> Self {
        Self {
            commands,
            local_flags: FlagRule::all(),
            inherited_flags: FlagRule::all(),
            place: None,
        }
    }

    /// Sets the rule for a command's own flags.
    #[must_use]
    pub fn local_flags(mut self, rule: FlagRule) -> Self {
        self.local_flags = rule;
        self
    }

    /// Says where it was written.
    #[must_use]
    pub fn place(mut self, place: impl Into<String>) -> Self {
        self.place = Some(place.into());
        self
    }

    /// Sets the rule for the flags of its ancestors.
    #[must_use]
    pub fn inherited_flags(mut self, rule: FlagRule) -> Self {
        self.inherited_flags = rule;
        self
    }

    /// The same for what another one lets in as well. It stays where it was written.
    #[must_use]
    pub fn within(self, other: Self) -> Self {
        let both = |one: FlagRule, other: FlagRule| {
            FlagRule::new(move |flag| one.matches(flag) && other.matches(flag))
        };
        let (one, another) = (self.commands, other.commands);
        Self {
            commands: CommandRule::new(move |candidate| {
                one.matches(candidate) && another.matches(candidate)
            }),
            local_flags: both(self.local_flags, other.local_flags),
            inherited_flags: both(self.inherited_flags, other.inherited_flags),
            place: self.place,
        }
    }
}

impl Default for ToolSelector {
    fn default() -> Self {
        Self::new(CommandRule::all())
    }
}

/// The first selector that speaks for a command, and its place in the list.
pub fn first_match<'s>(
    selectors: &'s [ToolSelector],
    candidate: &Candidate<'_>,
) -> Option<(usize, &'s ToolSelector)> {
    selectors
        .iter()
        .enumerate()
        .find(|(_, selector)| selector.commands.matches(candidate))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(rule: &CommandRule, path: &str) -> bool {
        let command = Command::new("x");
        let path = CommandPath::parse(path);
        rule.matches(&Candidate {
            program: "docker",
            path: &path,
            command: &command,
        })
    }

    #[test]
    fn rules_compare_whole_words_and_levels() {
        assert!(matches(
            &CommandRule::allow(["container ls"]),
            "container ls"
        ));
        assert!(matches(
            &CommandRule::allow(["docker container ls"]),
            "container ls"
        ));
        assert!(!matches(&CommandRule::allow(["container"]), "container ls"));
        assert!(matches(
            &CommandRule::allow_glob(["container/*"]),
            "container ls"
        ));
        assert!(!matches(&CommandRule::allow_glob(["*"]), "container ls"));
        assert!(matches(
            &CommandRule::allow_glob(["docker/**"]),
            "container ls"
        ));
        assert!(matches(
            &CommandRule::exclude_containing(["help"]),
            "helper"
        ));
        assert!(!matches(
            &CommandRule::exclude_containing(["rm"]),
            "image rm"
        ));
    }

    #[test]
    fn the_first_match_wins() {
        let list = [
            ToolSelector::new(CommandRule::allow(["a"])),
            ToolSelector::new(CommandRule::all()),
        ];
        let command = Command::new("a");
        for (path, place) in [("a", 0), ("b", 1)] {
            let path = CommandPath::parse(path);
            let candidate = Candidate {
                program: "p",
                path: &path,
                command: &command,
            };
            assert_eq!(
                first_match(&list, &candidate).map(|(at, _)| at),
                Some(place)
            );
        }
    }

    #[test]
    fn flag_rules_know_every_name_of_a_flag() {
        let mut flag = Flag::new("output").short('o');
        flag.aliases.push("out".into());
        for name in ["output", "--output", "-o", "o", "out"] {
            assert!(!FlagRule::exclude([name]).matches(&flag), "{name}");
        }
        assert!(FlagRule::exclude(["outp", "-output"]).matches(&flag));
    }
}
