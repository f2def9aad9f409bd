//! Values that redirect a program where the argument itself cannot be left out: a positional, or a flag that is what the
//! program is for.
//!
//! A database's name may be a whole connection string, and the name of a remote may describe one with its own options.
//! Such values are refused, and whoever serves the program can let them in by the argument's name. A positional that is
//! called as a flag which is left out is another way to give the same, and takes no value at all.

use crate::model::{Arguments, Command, Flag};
use serde::{Deserialize, Serialize};

use super::{redirects, row_names};
use crate::assessment::effect::{
    flags::names,
    words::{kebab, mentions, words},
};

/// The values of one argument that are refused unless it was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedValue {
    /// The argument as `--with-flag` names it: a positional's name, or a flag's long name.
    pub name: String,
    /// The id of the flag or of the positional; `args` where positionals are not known one by one.
    pub argument: String,
    /// A regular expression that no value may match; the empty one matches all.
    pub pattern: String,
    /// The number of the argument's values that come before those that are meant, where a list holds several
    /// positionals.
    #[serde(default, skip_serializing_if = "is_none_before")]
    pub behind: usize,
    /// The reason, for people.
    pub reason: String,
    /// They are refused only where nothing but reading is offered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub read_only: bool,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature that serde asks for"
)]
fn is_none_before(behind: &usize) -> bool {
    *behind == 0
}

/// A row of the table: arguments, and those of their values that redirect.
struct RedirectingValues {
    /// Names of positionals; `*` at one end stands for any beginning or end.
    positionals: &'static str,
    /// Long names of flags.
    flags: &'static str,
    /// Phrases of which the flag's help must have one; nothing if its name is enough.
    help: &'static [&'static str],
    /// The arguments that the command's usage must show, or must not.
    usage: UsageArguments,
    pattern: &'static str,
    reason: &'static str,
    read_only: bool,
}

/// The arguments of a usage line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum UsageArguments {
    Any,
    /// An image's name, which has a colon too: `REPOSITORY[:TAG]`.
    Image,
    /// Neither that nor a name that is configured and has a colon behind it: `remote:`.
    NoColon,
}

impl UsageArguments {
    fn fits(self, command: &Command) -> bool {
        let usage = command.usage.as_deref().unwrap_or_default();
        let usage = usage.to_lowercase();
        let is_image = usage.contains(":tag") || usage.contains("@digest");
        match self {
            Self::Any => true,
            Self::Image => is_image,
            Self::NoColon => !is_image && !usage.contains("remote:"),
        }
    }
}

const ELSEWHERE: &str = "it is a place on the network, and only what is configured is reached where only reading is offered";

const SHAPES: &[RedirectingValues] = &[
    RedirectingValues {
        positionals: "dbname database conninfo dsn connection-string connstring",
        flags: "dbname",
        help: &[],
        usage: UsageArguments::Any,
        pattern: "=|://",
        reason: "it is a connection string, which chooses the server and the files that the program reads",
        read_only: false,
    },
    RedirectingValues {
        positionals: "remote: *:path",
        flags: "",
        help: &[],
        usage: UsageArguments::Any,
        // `:backend,option=value:path`, and `name,option=value:path` for a remote that is configured.
        pattern: "^:|^[^/:]+,.*:",
        reason: "it describes a remote with options of its own, which can name programs to run",
        read_only: false,
    },
    RedirectingValues {
        positionals: "sql",
        flags: "command cmd",
        help: &["sql", "before reading stdin"],
        usage: UsageArguments::Any,
        pattern: r"^\s*[\\.]",
        reason: "it is a command of the program itself and not SQL, and can run other programs",
        read_only: false,
    },
    RedirectingValues {
        positionals: "",
        flags: "output out-file output-file",
        help: &["or pipe", "pipe to"],
        usage: UsageArguments::Any,
        pattern: r"^\s*\|",
        reason: "it runs another program, which the output goes to",
        read_only: false,
    },
    RedirectingValues {
        positionals: "",
        flags: "file",
        help: &["archive"],
        usage: UsageArguments::Any,
        pattern: "^[^/]*:",
        reason: "it is a file of another machine, which a remote shell is started for",
        read_only: false,
    },
    RedirectingValues {
        positionals: "repository repo-url repository-url remote remote-url",
        flags: "",
        help: &[],
        usage: UsageArguments::NoColon,
        // What has a colon before any slash is a machine and a path there (`host:path`), or an address.
        pattern: "^[^/]*:",
        reason: ELSEWHERE,
        read_only: true,
    },
    RedirectingValues {
        positionals: "repository repo-url",
        flags: "",
        help: &[],
        usage: UsageArguments::Image,
        // `nginx:1.25` and `nginx@sha256:...` stay.
        pattern: r"://|::|^([\w.-]+@)?[\w-]+(\.[\w-]+)+:[^/]*/",
        reason: ELSEWHERE,
        read_only: true,
    },
    RedirectingValues {
        // An image's manifest is asked of the registry that its name begins with; without one, of the usual registry.
        positionals: "manifest manifest-list",
        flags: "",
        help: &[],
        usage: UsageArguments::Any,
        pattern: r"://|^[\w-]+([.:][\w-]+)+/|^localhost/",
        reason: ELSEWHERE,
        read_only: true,
    },
    RedirectingValues {
        positionals: "",
        flags: "filename",
        help: &["url"],
        usage: UsageArguments::Any,
        pattern: "://",
        reason: ELSEWHERE,
        read_only: true,
    },
    RedirectingValues {
        positionals: "",
        flags: "kustomize",
        help: &[],
        usage: UsageArguments::Any,
        pattern: r"://|::|@|[?]ref=|^[\w-]+(\.[\w-]+)+/",
        reason: ELSEWHERE,
        read_only: true,
    },
];

/// The values that redirect the last command of a lineage, by what its flags and positionals are called.
pub(crate) fn refused_values(lineage: &[&Command]) -> Vec<RefusedValue> {
    let Some(command) = lineage.last() else {
        return Vec::new();
    };
    let mut refused = stand_ins(lineage, command);
    for shape in SHAPES.iter().filter(|shape| shape.usage.fits(command)) {
        let mut add = |name: &str, argument: &str| {
            refused.push(RefusedValue {
                name: name.to_owned(),
                argument: argument.to_owned(),
                pattern: shape.pattern.to_owned(),
                behind: 0,
                reason: shape.reason.to_owned(),
                read_only: shape.read_only,
            });
        };
        // With and without the signs in it: `remote:path`.
        let fits = |name: &str| {
            let names = [kebab(name), name.to_lowercase()];
            row_names(shape.positionals, &names)
        };
        match &command.arguments {
            Arguments::Listed(listed) => {
                for positional in listed {
                    let name = positional.name.as_deref().unwrap_or(&positional.id);
                    if fits(name) || fits(&positional.id) {
                        add(name, &positional.id);
                    }
                }
            }
            Arguments::Pattern(pattern) => {
                if let Some(word) = placeholders(pattern).find(|word| fits(word)) {
                    add(&word.to_lowercase(), "args");
                }
            }
        }
        for flag in command.flags.iter().filter(|flag| takes_shape(shape, flag)) {
            add(flag.long.as_deref().unwrap_or(&flag.id), &flag.id);
        }
    }
    refused
}

/// The names of positionals in a usage pattern, in order.
fn placeholders(pattern: &str) -> impl Iterator<Item = &str> {
    pattern
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | ':')))
        .filter(|word| !word.is_empty() && !word.starts_with('-'))
        .filter(|word| !row_names("option options flag flags", &[kebab(word)]))
}

/// The positionals that are called as a flag of the command which is left out: `psql [DBNAME [USERNAME]]`, `--username`.
fn stand_ins(lineage: &[&Command], command: &Command) -> Vec<RefusedValue> {
    let mut found = Vec::new();
    for flag in &command.flags {
        let Some(redirect) = redirects(lineage, flag).filter(|redirect| !redirect.required) else {
            continue;
        };
        let names = names(flag);
        let Some(name) = names.first() else {
            continue;
        };
        let mut add = |argument: &str, behind: usize| {
            found.push(RefusedValue {
                name: name.clone(),
                argument: argument.to_owned(),
                pattern: String::new(),
                behind,
                reason: redirect.reason.clone(),
                read_only: false,
            });
        };
        match &command.arguments {
            Arguments::Listed(listed) => {
                let optional = listed.iter().filter(|positional| !positional.required);
                for positional in optional {
                    let name = positional.name.as_deref().unwrap_or(&positional.id);
                    if names.contains(&kebab(name)) {
                        add(&positional.id, 0);
                    }
                }
            }
            // Only the order says whose a value is: all from its place on are refused.
            Arguments::Pattern(pattern) => {
                if let Some(place) =
                    placeholders(pattern).position(|word| names.contains(&kebab(word)))
                {
                    add("args", place);
                }
            }
        }
    }
    found
}

fn takes_shape(shape: &RedirectingValues, flag: &Flag) -> bool {
    let help = words(flag.help.as_deref().unwrap_or_default());
    row_names(shape.flags, &names(flag)) && (shape.help.is_empty() || mentions(&help, shape.help))
}
