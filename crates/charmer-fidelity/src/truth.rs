//! The true tree of a program, from a file.

use std::collections::BTreeMap;

use charmer_core::model::GroupKind;
use serde::{Deserialize, Serialize};

/// The true tree of a program: each command by its path without the program's name, the root under `""`.
///
/// It is a JSON object. What a file does not say of any command or flag (`required`, `enum`, `runnable`...) is not
/// measured. Where the program prints the user's home, the file says `$HOME`.
///
/// ```
/// use charmer_fidelity::Truth;
/// let truth: Truth = serde_json::from_str(r#"{
///     "": {"flags": {"--config": {"type": "string", "default": "$HOME/.books", "persistent": true}}},
///     "tree": {"runnable": false, "flags": {}},
///     "tree list": {
///         "aliases": ["tree ls"],
///         "flags": {
///             "--config": {"type": "string", "inherited": true},
///             "--sort": {"short": "-s", "type": "string", "enum": ["age", "name"], "required": true}
///         }
///     }
/// }"#)?;
/// assert!(truth.commands["tree list"].flags["--sort"].required == Some(true));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(transparent)]
#[non_exhaustive]
pub struct Truth {
    /// The commands by path: `""`, `tree`, `tree list`.
    pub commands: BTreeMap<String, TrueCommand>,
}

/// The truth about a command.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TrueCommand {
    /// Other paths that lead to the same command; its own path may be among them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// It does something by itself. One that does not and has no commands below it is a page of help.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runnable: Option<bool>,
    /// Help leaves it out; then it need not be found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The reason why it should not be used any more; then it need not be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// Its flags as they are typed: `--name`, or `-n` for one that has no long name.
    pub flags: BTreeMap<String, TrueFlag>,
    /// The relations between its flags.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<TrueGroup>,
    /// It reads no flags behind its first positional.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options_end: Option<bool>,
}

/// The truth about a flag.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TrueFlag {
    /// The short name with its dash.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub short: Option<String>,
    /// Other names with their dashes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// A type of pflag (`stringSlice`), `integer` for any whole number, `numeric` for any number, `value` for any value
    /// at all, `any` where nobody knows, `list`, `map`, or the application's own name; a switch where there is none.
    #[serde(rename = "type", default, skip_serializing_if = "Option::is_none")]
    pub value_type: Option<String>,
    /// Several values can be given, where the type does not say it; then the type is that of one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repeat: Option<bool>,
    /// The type of an element of a `list`, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub element: Option<String>,
    /// The default as text; lists and maps as `[a,b]`, elements with commas or quotes as CSV has them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// The command refuses to run without it. A truth that says so of no flag, not even `false`, does not know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Help leaves it out; then it need not be found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub hidden: bool,
    /// The reason why it should not be used any more; then it need not be found.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
    /// The commands below take it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persistent: Option<bool>,
    /// It is a persistent flag of a command above, where it is measured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inherited: bool,
    /// Its value when it stands without one, if it can and that is not just `true` or one more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_opt_default: Option<String>,
    /// It can stand without a value although nobody can see what it means then.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional_value: bool,
    /// The only values that it takes.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub values: Option<Vec<String>>,
}

/// A relation between flags of one command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct TrueGroup {
    /// The rule that holds between its members.
    pub kind: GroupKind,
    /// The flags as they are typed.
    pub members: Vec<String>,
}

impl Truth {
    /// The true path that a path of words leads to, through the aliases of every command on the way.
    pub(super) fn resolve(&self, words: &[String]) -> Option<&str> {
        let whole = words.join(" ");
        if whole.is_empty() {
            return Some("");
        }
        if let Some((path, _)) = self.commands.get_key_value(&whole) {
            return Some(path);
        }
        let (last, above) = words.split_last()?;
        let near = join(self.resolve(above)?, last);
        self.commands.iter().find_map(|(path, command)| {
            let leads = |alias: &String| *alias == near || *alias == whole;
            (*path == near || command.aliases.iter().any(leads)).then_some(path.as_str())
        })
    }

    /// Returns true if reading from outside should find a command. Pages of help and what parsers add by themselves
    /// (`help`, `completion`) are no commands, and what is not advertised cannot be found.
    pub(super) fn is_expected(&self, path: &str) -> bool {
        let shown = |path: &str| {
            self.commands
                .get(path)
                .is_none_or(|command| !command.hidden && command.deprecated.is_none())
        };
        !is_added_by_parsers(path)
            && !self.is_topic(path)
            && path
                .match_indices(' ')
                .map(|(end, _)| &path[..end])
                .chain([path])
                .all(shown)
    }

    /// Returns true if a path leads to a page of help: nothing to run, and nothing below it.
    pub(super) fn is_topic(&self, path: &str) -> bool {
        let below = format!("{path} ");
        !path.is_empty()
            && self.commands.get(path).and_then(|command| command.runnable) == Some(false)
            && !self.commands.keys().any(|other| other.starts_with(&below))
    }

    /// Returns true if any flag says something that most flags do not; what no flag says is not measured.
    pub(super) fn says(&self, has: impl Fn(&TrueFlag) -> bool) -> bool {
        self.commands
            .values()
            .flat_map(|command| command.flags.values())
            .any(has)
    }
}

impl TrueCommand {
    /// The words that call it instead of its own, below the same parent.
    pub(super) fn alias_words(&self, path: &str, truth: &Truth) -> Vec<String> {
        let parent = path.rsplit_once(' ').map_or("", |(parent, _)| parent);
        self.aliases
            .iter()
            .filter(|alias| !truth.commands.contains_key(*alias))
            .filter_map(|alias| match alias.rsplit_once(' ') {
                Some((above, word)) => (above == parent).then_some(word),
                None => parent.is_empty().then_some(alias.as_str()),
            })
            .map(str::to_owned)
            .collect()
    }
}

/// Returns true if a path is one that a parser library adds to every program.
pub(super) fn is_added_by_parsers(path: &str) -> bool {
    path.split(' ').next() == Some("completion") || path.split(' ').any(|word| word == "help")
}

/// A path and one more word.
fn join(path: &str, word: &str) -> String {
    if path.is_empty() {
        return word.to_owned();
    }
    format!("{path} {word}")
}
