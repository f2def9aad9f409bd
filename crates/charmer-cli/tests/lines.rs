//! Command lines as people write them: does a call stand for what the line means?
//!
//! `cargo test -p charmer-cli --test lines -- --ignored --nocapture` takes each row of `tests/lines/*.yaml` in two ways, as
//! words and as the JSON that an assistant would send, asks `charmer` what it would run (nothing is run), and prints what
//! came instead of what was meant. A file is about one program:
//!
//! ```yaml
//! program: git
//! syntax:
//!   options:
//!     git commit: -m/--message= -a/--all
//! rows:
//! - line: git commit -am wip
//!   call: {command: git commit, arguments: {all: true, message: wip}}
//!   argv: [git, commit, --all, --message=wip]
//! ```
//!
//! `argv` is written from knowledge of the program, not from what `charmer` says; [`argv`] tells which spellings are the
//! same. `refused`, with the reason, stands in its place where the line is not to be run. A row that is known to go
//! wrong has `known`, with the reason, and counts as wrong.

#![expect(
    clippy::print_stdout,
    reason = "whoever runs it wants to see what came instead"
)]

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

use serde::Deserialize;
use serde_json::{Value, json};

use argv::Syntax;
use support::{Session, charmer, err, out};

#[path = "lines/argv.rs"]
mod argv;
#[path = "it/support.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod support;

/// Programs that CI does not install: their lines are tried where they are.
const OPTIONAL: [&str; 2] = ["docker", "kubectl"];

/// The share of rows that must be right in both ways, over all programs, and over each: npm, whose help leaves flags out
/// and calls arguments required that are not, is the lowest.
const RIGHT: f64 = 0.97;
const RIGHT_OF_EACH: f64 = 0.80;
/// The number of rows that there must be, and the share that may be refusals.
const ROWS: usize = 220;
const REFUSED: f64 = 0.08;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    program: String,
    #[serde(default)]
    syntax: Syntax,
    rows: Vec<Row>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    line: String,
    call: Call,
    argv: Option<Vec<String>>,
    refused: Option<String>,
    known: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    command: String,
    arguments: Value,
}

impl Row {
    fn words(&self) -> Vec<String> {
        let words = shlex::split(&self.line);
        words.unwrap_or_else(|| panic!("a quote is open in `{}`", self.line))
    }

    /// The words of the line without those of the command: what follows the tool's name.
    fn input(&self) -> Vec<String> {
        let mut command = self.call.command.split(' ').peekable();
        let words = self.words().into_iter();
        let input: Vec<String> = words
            .filter(|word| command.next_if_eq(&word.as_str()).is_none())
            .collect();
        let left = command.next();
        assert!(left.is_none(), "`{}` has no {left:?}", self.line);
        input
    }

    fn tool(&self) -> String {
        self.call.command.replace(' ', "_")
    }

    /// What is wrong with an answer: the arguments that would be run, or why none would be.
    fn judge(&self, table: &Table, answer: &Result<Vec<String>, String>) -> Option<String> {
        match (&self.argv, answer) {
            (None, Err(_)) => None,
            (None, Ok(argv)) => Some(format!("would run {}", shown(argv))),
            (Some(_), Err(reason)) => Some(format!("refused: {}", first_words(reason))),
            (Some(expected), Ok(argv)) => {
                let command = &self.call.command;
                let expected = table.syntax.meaning(expected, command);
                let expected = expected.expect("the table is consistent").words();
                let same = match table.syntax.meaning(argv, command) {
                    Ok(meaning) => meaning.words() == expected,
                    Err(_) => false,
                };
                (!same).then(|| shown(argv))
            }
        }
    }

    fn expectation(&self) -> String {
        match (&self.argv, &self.refused) {
            (Some(argv), _) => shown(argv),
            (None, reason) => format!("refused: {}", reason.as_deref().unwrap_or_default()),
        }
    }
}

/// As much of an error as tells what is wrong, on one line.
fn first_words(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(240).collect()
}

/// A list of arguments as a shell would read it.
fn shown(argv: &[String]) -> String {
    let words = argv.iter().map(String::as_str);
    shlex::try_join(words).unwrap_or_else(|_| format!("{argv:?}"))
}

#[test]
fn each_line_means_its_argv() {
    let tables = tables();
    let mut wrong = Vec::new();
    for table in &tables {
        let mut lines = BTreeSet::new();
        for row in &table.rows {
            row.input();
            if !lines.insert(&row.line) {
                wrong.push(format!("`{}` stands there twice", row.line));
            }
            let meaning = |argv: &[String]| table.syntax.meaning(argv, &row.call.command);
            match (&row.argv, &row.refused) {
                (Some(argv), None) => match (meaning(&row.words()), meaning(argv)) {
                    (Ok(line), Ok(argv)) => {
                        let (line, argv) =
                            (line.words_without_levels(), argv.words_without_levels());
                        if line != argv {
                            wrong.push(format!("`{}`: {line:?} is not {argv:?}", row.line));
                        }
                    }
                    (line, argv) => wrong.push(format!("`{}`: {line:?}, {argv:?}", row.line)),
                },
                (None, Some(_)) => {}
                _ => wrong.push(format!("`{}` wants `argv` or `refused`", row.line)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let rows = || tables.iter().flat_map(|table| &table.rows);
    let refused = rows().filter(|row| row.refused.is_some()).count();
    assert!(rows().count() >= ROWS);
    assert!(share(refused, rows().count()) <= REFUSED);
}

#[test]
fn only_spellings_are_levelled_out() {
    let table = |text: &str| serde_saphyr::from_str::<Syntax>(text).expect("it is a table's head");
    let git = table(
        "options: {git: -C=, git log: '-n/--max-count= -p/--patch --stat[=]'}\ndigits: {git log: --max-count}",
    );
    let docker = table(
        "options: {docker run: -i/--interactive -t/--tty -e/--env=}\nverbatim: {docker run: 1}",
    );
    let same = |syntax: &Syntax, command: &str, one: &str, other: &str| {
        let words = |line: &str| shlex::split(line).expect("no quote is open");
        let meaning = |line: &str| syntax.meaning(&words(line), command).expect("it is read");
        meaning(one).words() == meaning(other).words()
    };
    let log = |one: &str, other: &str| same(&git, "git log", one, other);
    assert!(log(
        "git log -n5 -p",
        "/usr/bin/git log --patch --max-count 5"
    ));
    assert!(log("git log -5", "git log --max-count=5"));
    assert!(log("git log main -p -- src", "git log --patch main -- src"));
    assert!(!log("git log main -- src", "git log main src"));
    assert!(!log("git log -- main src", "git log main -- src"));
    assert!(!log("git -C a log", "git log -C a"));
    assert!(!log("git log --stat 5", "git log --stat=5"));
    assert!(!log("git log -n 5 -n 6", "git log -n 6 -n 5"));
    let run = |one: &str, other: &str| same(&docker, "docker run", one, other);
    assert!(run(
        "docker run -ite A=1 img ls -t",
        "docker run -e A=1 -t -i img ls -t"
    ));
    assert!(!run("docker run -t img ls", "docker run img ls -t"));
    assert!(!run("docker run img -- ls", "docker run img ls"));
}

#[test]
#[ignore = "needs the programs that the lines are about"]
fn lines_are_called_as_they_are_meant() {
    let mut failures = Vec::new();
    let (mut rows, mut right) = (0, 0);
    for table in tables() {
        let program = &table.program;
        let Some(path) = found(program) else {
            assert!(
                OPTIONAL.contains(&program.as_str()),
                "`{program}` is not installed"
            );
            println!("{program}: not here");
            continue;
        };
        let own = right_rows(&table, &path);
        println!(
            "{program}: {own} of {} right in both ways",
            table.rows.len()
        );
        if share(own, table.rows.len()) < RIGHT_OF_EACH {
            failures.push(format!("{program}: {own} of {}", table.rows.len()));
        }
        rows += table.rows.len();
        right += own;
    }
    println!(
        "{right} of {rows} rows right in both ways: {:.1} %",
        100.0 * share(right, rows)
    );
    if share(right, rows) < RIGHT {
        failures.push(format!("{right} of {rows} rows"));
    }
    assert!(
        failures.is_empty(),
        "too few rows are right: {}",
        failures.join(", ")
    );
}

/// Tries the rows of a program in both ways, prints what is wrong, and gives the number of those that are right.
fn right_rows(table: &Table, path: &Path) -> usize {
    let folder = tempfile::tempdir().expect("there is room for a folder");
    let words = [Path::new("serve"), Path::new("--expose=index"), path];
    let mut server = charmer(&words);
    let mut server = Session::start(server.env("CHARMER_CACHE", cache()).current_dir(&folder));
    // A program that is still being read is known in part, and rows would be judged by that.
    server.settle();
    let rows = table.rows.iter().filter(|row| {
        let ways = [
            ("words", from_words(row, path, folder.path())),
            ("JSON", from_json(row, &mut server)),
        ];
        let wrong: Vec<_> = ways
            .iter()
            .filter_map(|(way, answer)| Some((way, row.judge(table, answer)?)))
            .collect();
        let Some((_, first)) = wrong.first() else {
            if let Some(reason) = &row.known {
                println!(
                    "[{}] `{}` is right, against: {reason}",
                    table.program, row.line
                );
            }
            return row.known.is_none();
        };
        println!("[{}] {}", table.program, row.line);
        println!("    expected  {}", row.expectation());
        match wrong.iter().all(|(_, got)| got == first) && wrong.len() == ways.len() {
            true => println!("    both      {first}"),
            false => wrong
                .iter()
                .for_each(|(way, got)| println!("    {way:<9} {got}")),
        }
        if wrong.iter().any(|(way, _)| **way == "JSON") {
            println!("    sent      {}", row.call.arguments);
        }
        if let Some(reason) = &row.known {
            println!("    known     {reason}");
        }
        false
    });
    rows.count()
}

/// `charmer call --dry-run` with the words of the line.
fn from_words(row: &Row, path: &Path, folder: &Path) -> Result<Vec<String>, String> {
    let mut call = charmer(&["call", "--dry-run", "--json", "--binary"]);
    call.arg(path).arg(row.tool()).args(row.input());
    let call = call.env("CHARMER_CACHE", cache()).current_dir(folder);
    let output = call.output().expect("it was built");
    match output.status.success() {
        true => argv_of(&serde_json::from_str(&out(&output)).unwrap_or_default()),
        false => Err(format!("{}{}", err(&output), out(&output))),
    }
}

/// `run_write` with `dry_run`, as an assistant calls it.
fn from_json(row: &Row, server: &mut Session) -> Result<Vec<String>, String> {
    let Call { command, arguments } = &row.call;
    let input = json!({"command": command, "arguments": arguments, "dry_run": true});
    let result = server.call("run_write", input);
    match result["isError"] == true {
        true => Err(result["content"][0]["text"]
            .as_str()
            .map_or_else(|| result.to_string(), str::to_owned)),
        false => argv_of(&result["structuredContent"]),
    }
}

fn argv_of(answer: &Value) -> Result<Vec<String>, String> {
    let argv = Vec::deserialize(&answer["argv"]);
    argv.map_err(|error| format!("no argv ({error}): {answer}"))
}

fn share(part: usize, all: usize) -> f64 {
    part as f64 / all.max(1) as f64
}

/// What is known of programs, kept from one run to the next.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs")
}

fn tables() -> Vec<Table> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/lines");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the lines are there")
        .map(|entry| entry.expect("it can be listed").path())
        .collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let text = fs::read_to_string(path).expect("it can be read");
        serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    paths.iter().map(read).collect()
}

fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path);
    folders.find_map(|folder| Some(folder.join(program)).filter(|file| file.is_file()))
}
