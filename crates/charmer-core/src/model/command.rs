//! A program and its tree of commands.

use serde::{Deserialize, Serialize};

use super::{
    Arguments, CommandPath, DoubleDash, Effect, Flag, Network, Pool, Positional, Shared, Syntax,
    parse_usage,
};

/// An author's hints about a command's behaviour; the rest follows from its [`Effect`].
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Hints {
    /// A title for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its effect.
    #[serde(default)]
    pub effect: Effect,
    /// Running it twice is the same as running it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotent: Option<bool>,
    /// It reaches beyond this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open_world: Option<bool>,
    /// The network that it may reach beyond its process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Its place among the commands that people use most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common: Option<usize>,
    /// It takes minutes, or goes on until it is stopped.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub long_running: bool,
    /// It prints secrets.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub prints_secrets: bool,
    /// The way people ask for it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phrases: Vec<String>,
}

impl Hints {
    /// Hints for a command with this effect.
    pub fn new(effect: Effect) -> Self {
        Self {
            effect,
            ..Self::default()
        }
    }

    /// Hints for a command that changes nothing.
    pub fn reads() -> Self {
        Self::new(Effect::Read)
    }

    /// Hints for a command that adds or changes.
    pub fn writes() -> Self {
        Self::new(Effect::Write)
    }

    /// Hints for a command that may delete or overwrite.
    pub fn destroys() -> Self {
        Self::new(Effect::Destroy)
    }

    /// Sets the title.
    #[must_use]
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Says whether running it twice is the same as running it once.
    #[must_use]
    pub fn idempotent(mut self, yes: bool) -> Self {
        self.idempotent = Some(yes);
        self
    }

    /// Says whether it reaches beyond this machine.
    #[must_use]
    pub fn open_world(mut self, yes: bool) -> Self {
        self.open_world = Some(yes);
        self
    }

    /// Says that it is one of the commands that people use most; lists of tools begin with the lowest place.
    #[must_use]
    pub fn common(mut self, place: usize) -> Self {
        self.common = Some(place);
        self
    }

    /// Says that it takes minutes, or goes on until it is stopped.
    #[must_use]
    pub fn long_running(mut self) -> Self {
        self.long_running = true;
        self
    }

    /// Says that it prints secrets.
    #[must_use]
    pub fn prints_secrets(mut self) -> Self {
        self.prints_secrets = true;
        self
    }

    /// Says how people ask for it whose words are not those of its help.
    ///
    /// ```
    /// use charmer_core::model::Hints;
    /// let log = Hints::reads().common(0).phrases(["what happened lately"]);
    /// assert_eq!((log.common, log.phrases.len()), (Some(0), 1));
    /// ```
    #[must_use]
    pub fn phrases<S: Into<String>>(mut self, phrases: impl IntoIterator<Item = S>) -> Self {
        self.phrases = phrases.into_iter().map(Into::into).collect();
        self
    }
}

/// The demand of a group on its members.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum GroupKind {
    /// At most one of them.
    Exclusive,
    /// All of them or none.
    Together,
    /// At least one of them.
    OneOf,
}

/// A relation between flags and positionals of one command.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group {
    /// The rule that holds between its members.
    pub kind: GroupKind,
    /// The ids of flags and positionals.
    pub members: Vec<String>,
}

impl Group {
    /// A group of these ids.
    pub fn new<S: Into<String>>(kind: GroupKind, members: impl IntoIterator<Item = S>) -> Self {
        Self {
            kind,
            members: members.into_iter().map(Into::into).collect(),
        }
    }
}

/// The place of a command on the help page of its parent.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Listing {
    /// The number of commands that stand before it there.
    pub place: usize,
    /// The heading that it stands under, as it is written; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub group: String,
}

impl Listing {
    /// The place behind so many commands, under a heading.
    pub fn new(place: usize, group: impl Into<String>) -> Self {
        Self {
            place,
            group: group.into(),
        }
    }
}

/// One command: a program's root or a subcommand.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Command {
    /// The word that calls it.
    pub name: String,
    /// Other words that call it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The path of the command that this one repeats under another name; it is no tool where that one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_as: Option<CommandPath>,
    /// Its usage line, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<String>,
    /// One line on what it does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<String>,
    /// All that its help says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_about: Option<String>,
    /// Examples of its use, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<String>,
    /// Its place on the help page of its parent; none where that does not list it, or no page was read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub listing: Option<Listing>,
    /// It does something by itself, and is not only a place for subcommands.
    pub runnable: bool,
    /// It is left out of help, and so of tools.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The reason why it should not be used any more; a deprecated command is no tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// Its own flags; the global ones of its ancestors are not repeated here.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(with = "Vec<Flag>"))]
    pub flags: Vec<Shared<Flag>>,
    /// Its positionals.
    #[serde(default)]
    #[cfg_attr(test, schemars(with = "Vec<super::Positional>"))]
    pub arguments: Arguments,
    /// Relations between its flags and positionals.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<Group>,
    /// Its own flags and positionals cannot be used together with a subcommand.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub arguments_exclude_subcommands: bool,
    /// The number of positionals behind which it reads no options any more, so that whatever follows is taken as it
    /// stands; `None` where options may stand anywhere, or nobody knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options_end_behind: Option<usize>,
    /// The meaning of `--` here, where that is not its meaning in the rest of the program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub double_dash: Option<DoubleDash>,
    /// It takes no flags of the commands above it: they hand on to another program.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stands_alone: bool,
    /// A subcommand lifts the requirements of this command.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub subcommand_lifts_required: bool,
    /// The known facts of its behaviour.
    #[serde(default)]
    pub hints: Hints,
    /// The switch that answers its question beforehand (`--yes`): a tool then wants `confirm: true` instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirm: Option<String>,
    /// It reads standard input, which a tool then takes as text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub stdin: bool,
    /// Its subcommands.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<Command>,
}

impl Command {
    /// A runnable command without flags.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            runnable: true,
            ..Self::default()
        }
    }

    /// Says in one line what it does.
    #[must_use]
    pub fn about(mut self, text: impl Into<String>) -> Self {
        self.about = Some(text.into());
        self
    }

    /// Says where its parent's help page lists it.
    #[must_use]
    pub fn listing(mut self, listing: Listing) -> Self {
        self.listing = Some(listing);
        self
    }

    /// Says all that there is to say.
    #[must_use]
    pub fn long_about(mut self, text: impl Into<String>) -> Self {
        self.long_about = Some(text.into());
        self
    }

    /// Gives examples.
    #[must_use]
    pub fn examples(mut self, text: impl Into<String>) -> Self {
        self.examples = Some(text.into());
        self
    }

    /// Sets the usage line and reads the positionals from it.
    #[must_use]
    pub fn usage(mut self, usage: impl Into<String>) -> Self {
        let usage = usage.into();
        self.arguments = parse_usage(
            usage
                .split_once(char::is_whitespace)
                .map_or("", |(_, rest)| rest),
        );
        self.usage = Some(usage);
        self
    }

    /// Adds a flag.
    #[must_use]
    pub fn flag(mut self, flag: Flag) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// Adds a positional; a pattern that could not be read is dropped.
    #[must_use]
    pub fn positional(mut self, positional: Positional) -> Self {
        match &mut self.arguments {
            Arguments::Listed(listed) => listed.push(positional),
            Arguments::Pattern(_) => self.arguments = Arguments::Listed(vec![positional]),
        }
        self
    }

    /// Adds a group.
    #[must_use]
    pub fn group(mut self, group: Group) -> Self {
        self.groups.push(group);
        self
    }

    /// Adds a subcommand.
    #[must_use]
    pub fn command(mut self, command: Command) -> Self {
        self.commands.push(command);
        self
    }

    /// Says that it only holds subcommands.
    #[must_use]
    pub fn not_runnable(mut self) -> Self {
        self.runnable = false;
        self
    }

    /// Sets what is known of its behaviour.
    #[must_use]
    pub fn hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    /// Makes a tool want `confirm: true`, which gives this switch. A model can set it: it is a guard against accidents,
    /// not an approval by a person.
    #[must_use]
    pub fn confirm(mut self, switch: impl Into<String>) -> Self {
        self.confirm = Some(switch.into());
        self
    }

    /// Says that it reads standard input.
    #[must_use]
    pub fn reads_stdin(mut self) -> Self {
        self.stdin = true;
        self
    }

    /// Its own flags that may be given together with a subcommand.
    pub fn flags_beside_subcommands(&self) -> impl Iterator<Item = &Flag> {
        let shut_out = self.arguments_exclude_subcommands;
        let flags = self.flags.iter().map(AsRef::as_ref);
        flags.filter(move |flag: &&Flag| flag.global || !shut_out)
    }

    /// The child that a word calls: the one of that name, else the first that has it for an alias.
    ///
    /// ```
    /// use charmer_core::model::Command;
    /// let mut add = Command::new("add");
    /// add.aliases = vec!["show".into()];
    /// let root = Command::new("ship").command(add).command(Command::new("show"));
    /// assert_eq!(root.child("show").unwrap().name, "show");
    /// ```
    pub fn child(&self, word: &str) -> Option<&Command> {
        self.place_of(word).map(|at| &self.commands[at])
    }

    fn place_of(&self, word: &str) -> Option<usize> {
        let mut children = self.commands.iter();
        let named = children.position(|child| child.name == word);
        named.or_else(|| self.commands.iter().position(|child| child.is_called(word)))
    }

    /// Returns true if a word calls this command.
    pub fn is_called(&self, word: &str) -> bool {
        self.name == word || self.aliases.iter().any(|alias| alias == word)
    }
}

/// The part of a lineage whose commands share flags: from the last on that takes none of those above it.
pub fn heirs<'l, 'c>(lineage: &'l [&'c Command]) -> &'l [&'c Command] {
    let first = lineage.iter().rposition(|command| command.stands_alone);
    &lineage[first.unwrap_or(0)..]
}

/// A whole program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cli {
    /// The root command; its name is the one that the program's usage shows.
    pub root: Command,
    /// The program's version, where it says one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The way it reads its command line.
    pub syntax: Syntax,
}

impl Cli {
    /// A program with this root command.
    pub fn new(root: Command, syntax: Syntax) -> Self {
        Self {
            root,
            version: None,
            syntax,
        }
    }

    /// Makes flags that are alike one, so that they take the room of one.
    pub fn share_flags(&mut self) {
        fn descend(command: &mut Command, pool: &mut Pool<Flag>) {
            for flag in &mut command.flags {
                let key = (flag.id.clone(), flag.help.clone());
                pool.share(flag, key);
            }
            let below = &mut command.commands;
            below.iter_mut().for_each(|child| descend(child, pool));
        }
        descend(&mut self.root, &mut Pool::default());
    }

    /// The command at a path.
    pub fn command(&self, path: &CommandPath) -> Option<&Command> {
        path.words()
            .iter()
            .try_fold(&self.root, |command, word| command.child(word))
    }

    /// The command at a path, to change it.
    pub fn command_mut(&mut self, path: &CommandPath) -> Option<&mut Command> {
        path.words()
            .iter()
            .try_fold(&mut self.root, |command, word| {
                let at = command.place_of(word)?;
                command.commands.get_mut(at)
            })
    }

    /// Visits every command, parents first, with the commands that lead to it (the root first, itself last).
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&CommandPath, &[&'a Command])) {
        fn descend<'a>(
            path: &CommandPath,
            lineage: &mut Vec<&'a Command>,
            visit: &mut dyn FnMut(&CommandPath, &[&'a Command]),
        ) {
            visit(path, lineage);
            let command = *lineage
                .last()
                .expect("a lineage ends with the command visited");
            for child in &command.commands {
                lineage.push(child);
                descend(&path.child(child.name.as_str()), lineage, visit);
                lineage.pop();
            }
        }
        descend(&CommandPath::root(), &mut vec![&self.root], visit);
    }
}
