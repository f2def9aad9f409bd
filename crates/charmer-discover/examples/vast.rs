//! A program of ten thousand commands that answers as Cobra programs do (`--help`, `help PATH`, `__complete`), for tests and
//! measurements of large readings.
//!
//! Its commands are `AREA-THING VERB-PART`: 100 groups of 99 leaves, each with a paragraph, examples, seven flags of its own
//! and the eleven of the root that its page repeats. A file beside it that is named like it with `.groups` behind says how
//! many groups it has; one with `.asked` is lengthened by a byte whenever it is started.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a CLI prints")]

use std::{
    env,
    fmt::Write as _,
    fs::{self, OpenOptions},
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

const AREAS: [&str; 10] = [
    "cloud", "edge", "batch", "media", "fleet", "audit", "trade", "field", "rural", "polar",
];
const THINGS: [&str; 10] = [
    "bucket", "cluster", "queue", "table", "router", "vault", "sensor", "ledger", "tunnel",
    "archive",
];
const VERBS: [&str; 10] = [
    "list", "show", "create", "delete", "update", "export", "import", "enable", "disable", "watch",
];
const PARTS: [&str; 10] = [
    "keys", "policy", "members", "tags", "quota", "events", "backup", "schedule", "limits", "owner",
];

/// A flag: its letter, its name, its type (empty for a switch), and what is said of it.
type Flag<'a> = (Option<char>, &'a str, &'a str, &'a str);

const GLOBAL: [Flag<'_>; 11] = [
    (
        None,
        "account",
        "string",
        "Account that is charged for the request",
    ),
    (
        None,
        "api-endpoint",
        "string",
        "Address of the service to speak with",
    ),
    (
        None,
        "cache-dir",
        "string",
        "Folder for what was fetched before (default \"/var/tmp/vast\")",
    ),
    (
        None,
        "color",
        "string",
        "When to use colours: always, never, auto (default \"auto\")",
    ),
    (None, "config", "string", "File with the settings"),
    (
        None,
        "log-level",
        "int",
        "How much is written to the log (default 2)",
    ),
    (None, "no-headers", "", "Leave out the headings of tables"),
    (
        None,
        "profile",
        "string",
        "Which of the profiles in the settings to use",
    ),
    (
        None,
        "region",
        "string",
        "Region that the request is sent to",
    ),
    (
        None,
        "request-timeout",
        "duration",
        "How long to wait for an answer (default 30s)",
    ),
    (Some('v'), "verbose", "", "Say what is being done"),
];

/// The command that tells what kind of program this is.
const COMPLETION: &str = "completion";

const HELP: Flag<'_> = (Some('h'), "help", "", "help for this command");

pub(crate) fn main() -> ExitCode {
    let mut args = env::args_os();
    let program = PathBuf::from(args.next().unwrap_or_default());
    let words: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    count_a_start(&program);
    let vast = Vast {
        groups: groups(&program),
    };
    match words.split_first() {
        Some((&"__complete", [given @ .., last])) => vast.complete(given, last),
        Some((&("--version" | "version"), _)) => println!("vast version 1.0.0"),
        _ => vast.help(&words),
    }
    ExitCode::SUCCESS
}

/// How many groups there are.
fn groups(program: &Path) -> usize {
    let said = fs::read_to_string(program.with_extension("groups")).ok();
    said.and_then(|said| said.trim().parse().ok())
        .unwrap_or(100)
}

fn count_a_start(program: &Path) {
    let mut options = OpenOptions::new();
    if let Ok(mut file) = options.append(true).open(program.with_extension("asked")) {
        let _ = file.write_all(b".");
    }
}

struct Vast {
    groups: usize,
}

impl Vast {
    fn groups(&self) -> Vec<String> {
        let all = (0..self.groups).map(|at| {
            let name = format!("{}-{}", AREAS[at / 10 % 10], THINGS[at % 10]);
            match at / 100 {
                0 => name,
                more => format!("{name}{more}"),
            }
        });
        all.collect()
    }

    /// The names below a command; `None` where there is no such command.
    fn children(&self, path: &[&str]) -> Option<Vec<String>> {
        match path {
            [] => Some(
                self.groups()
                    .into_iter()
                    .chain([COMPLETION.to_owned()])
                    .collect(),
            ),
            [COMPLETION] => Some(Vec::new()),
            [group] => self
                .groups()
                .iter()
                .any(|name| name == group)
                .then(|| (0..99).map(leaf).collect()),
            [group, name] => {
                let leaves = self.children(&[group])?;
                leaves.iter().any(|leaf| leaf == name).then(Vec::new)
            }
            _ => None,
        }
    }

    fn help(&self, words: &[&str]) {
        let path = words.iter().skip_while(|word| **word == "help").copied();
        let path: Vec<&str> = path.take_while(|word| !word.starts_with('-')).collect();
        // As Cobra has it: what is not there is answered by what would be above.
        let known = (0..=path.len()).rev().map(|length| &path[..length]);
        let mut known = known.filter_map(|path| Some((path, self.children(path)?)));
        let (path, children) = known.next().unwrap_or((&[], Vec::new()));
        let shown = [&["vast"], path].concat().join(" ");
        let mut text = String::new();
        let mut say = |line: &str| text.push_str(line);
        if let [group, name] = path {
            say(&paragraph(group, name));
            say(&format!(
                "\n\nUsage:\n  {shown} NAME [flags]\n\nExamples:\n"
            ));
            say(&format!(
                "  # The usual way\n  {shown} main --batch-size 20\n\n"
            ));
            say(&format!(
                "  # What would happen\n  {shown} main --dry-run --zone north\n"
            ));
        } else if children.is_empty() {
            say(&format!("{}\n\nUsage:\n  {shown} [flags]\n", about(path)));
        } else {
            say(&format!(
                "{}\n\nUsage:\n  {shown} [command]\n\nAvailable Commands:\n",
                about(path)
            ));
            for child in &children {
                let below = [path, &[child.as_str()]].concat();
                say(&format!("  {child:<18} {}\n", about(&below)));
            }
        }
        let own = own_flags(path);
        say(&section(
            "\nFlags:\n",
            &own.iter().map(own_flag).collect::<Vec<_>>(),
        ));
        if path.is_empty() {
            text.push_str(&section("", &GLOBAL));
        } else {
            text.push_str(&section("\nGlobal Flags:\n", &GLOBAL));
        }
        if !children.is_empty() {
            let _ = writeln!(
                text,
                "\nUse \"{shown} [command] --help\" for more information about a command."
            );
        }
        let _ = io::stdout().write_all(text.as_bytes());
    }

    fn complete(&self, given: &[&str], last: &str) {
        let words = given.iter().copied().filter(|word| !word.starts_with('-'));
        let words: Vec<&str> = words.collect();
        let known = (0..=words.len()).rev().map(|length| &words[..length]);
        let mut known = known.filter(|path| self.children(path).is_some());
        let path = known.next().unwrap_or_default();
        let own = own_flags(path);
        let flags: Vec<Flag<'_>> = own.iter().map(own_flag).chain(GLOBAL).collect();
        let set: Vec<(&str, &str)> = given
            .iter()
            .filter_map(|word| word.strip_prefix("--"))
            .map(|word| word.split_once('=').unwrap_or((word, "true")))
            .collect();
        for (name, value) in &set {
            let Some((_, _, kind, _)) = flags.iter().find(|flag| flag.1 == *name) else {
                eprintln!("Error: unknown flag: --{name}");
                println!(":1");
                return;
            };
            if *kind == "int" && value.parse::<i64>().is_err() {
                eprintln!(
                    "invalid argument {value:?} for \"--{name}\" flag: strconv.ParseInt: parsing {value:?}: invalid syntax"
                );
                println!(":1");
                return;
            }
        }
        let is_set = |flag: &Flag<'_>| set.iter().any(|(name, _)| *name == flag.1);
        let mut text = String::new();
        if last.starts_with('-') {
            // What is required comes before everything else.
            let wanted = |flag: &&Flag<'_>| flag.1 == "reason" && !is_set(flag);
            let listed = match flags.iter().find(wanted) {
                Some(flag) => std::slice::from_ref(flag),
                None => &flags[..],
            };
            for (short, name, _, about) in listed.iter().filter(|flag| !is_set(flag)) {
                let _ = writeln!(text, "--{name}\t{about}");
                if let Some(short) = short {
                    let _ = writeln!(text, "-{short}\t{about}");
                }
            }
        } else if words.len() == path.len() {
            for child in self.children(path).unwrap_or_default() {
                let below = [path, &[child.as_str()]].concat();
                let _ = writeln!(text, "{child}\t{}", about(&below));
            }
        }
        println!("{text}:4");
    }
}

fn leaf(at: usize) -> String {
    format!("{}-{}", VERBS[at / 10], PARTS[at % 10])
}

fn about(path: &[&str]) -> String {
    let title = |verb: &str| verb[..1].to_uppercase() + &verb[1..];
    match path {
        [] => "Vast manages more than anybody can know.".to_owned(),
        [COMPLETION] => "Generate the autocompletion script for the specified shell".to_owned(),
        [group] => format!("Manage what belongs to a {}", group.replace('-', " ")),
        [group, name, ..] => {
            let (verb, part) = name.split_once('-').unwrap_or((name, ""));
            format!(
                "{} the {part} of a {}",
                title(verb),
                group.replace('-', " ")
            )
        }
    }
}

fn paragraph(group: &str, name: &str) -> String {
    let (_, part) = name.split_once('-').unwrap_or((name, ""));
    let thing = group.replace('-', " ");
    format!(
        "{}.\n\nThe {thing} is named by its full name, as other commands print it, and the {part}\n\
         are those of the account that is set. A change takes effect when the {thing} has\n\
         answered; until then the earlier {part} are in force, and can be seen beside it.",
        about(&[group, name])
    )
}

/// The flags of a command's own, by their names.
fn own_flags(path: &[&str]) -> Vec<(Option<char>, String, &'static str, String)> {
    let help = (HELP.0, HELP.1.to_owned(), HELP.2, HELP.3.to_owned());
    let [group, name] = path else {
        return vec![help];
    };
    let (verb, part) = name.split_once('-').unwrap_or((name, ""));
    let thing = group.split_once('-').map_or(*group, |(_, thing)| thing);
    let flag = |short, name: &str, kind, about: String| (short, name.to_owned(), kind, about);
    let mut all = vec![
        flag(
            None,
            "batch-size",
            "int",
            format!("How many {part} to ask for at once (default 100)"),
        ),
        flag(
            None,
            "dry-run",
            "",
            "Say what would be done, and do nothing".to_owned(),
        ),
        flag(
            Some('f'),
            "filter",
            "string",
            format!("Only {part} that match this when the {group} answers {name}"),
        ),
        help,
        flag(
            None,
            "label",
            "strings",
            format!("Labels that a {group} must have for {name}"),
        ),
        flag(
            Some('o'),
            "output",
            "string",
            "How to print it: json, yaml, table (default \"table\")".to_owned(),
        ),
        flag(
            None,
            &format!("{thing}-version"),
            "int",
            format!("Which version of the {thing} is meant"),
        ),
        flag(
            None,
            "zone",
            "string",
            format!("Zone of the {group} to {verb} the {part} in, if it has several"),
        ),
    ];
    if verb == "delete" && part == "backup" {
        all.push(flag(
            None,
            "reason",
            "string",
            "Why it is deleted, for the record".to_owned(),
        ));
        all.sort_by(|one, other| one.1.cmp(&other.1));
    }
    all
}

fn own_flag<'a>(flag: &'a (Option<char>, String, &'static str, String)) -> Flag<'a> {
    (flag.0, &flag.1, flag.2, &flag.3)
}

fn section(heading: &str, flags: &[Flag<'_>]) -> String {
    let mut text = heading.to_owned();
    for (short, name, kind, about) in flags {
        let short = short.map_or("    ".to_owned(), |short| format!("-{short}, "));
        let named = format!("{name} {kind}");
        let _ = writeln!(text, "  {short}--{:<26} {about}", named.trim_end());
    }
    text
}
