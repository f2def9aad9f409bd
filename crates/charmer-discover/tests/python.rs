//! Reads our Python programs and compares what was found with what they say of themselves.
//!
//! `CHARMER_PYTHON=/path/to/python cargo test -p charmer-discover --test python -- --ignored --nocapture`, with a
//! Python that has click, rich-click and typer. `CHARMER_FIXTURES` chooses some of them: `kiln` needs nothing but Python.
#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "the report is for people")]

use std::{
    collections::{BTreeMap, BTreeSet},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::Command,
};

use charmer_core::model::{Cli, CommandPath, Flag, FlagValue, Repetition, ValueType};
use charmer_discover::{DiscoverOptions, discover};
use serde::Deserialize;

#[derive(Deserialize)]
struct TrueCommand {
    aliases: Vec<String>,
    flags: BTreeMap<String, TrueFlag>,
}

#[derive(Deserialize)]
struct TrueFlag {
    short: String,
    #[serde(rename = "type")]
    kind: String,
    repetition: String,
    default: Vec<String>,
    required: bool,
    choices: Vec<String>,
}

/// How many were right of how many, and which were not.
#[derive(Default)]
struct Score {
    right: usize,
    all: usize,
    wrong: Vec<String>,
}

impl Score {
    fn note(&mut self, right: bool, what: impl FnOnce() -> String) {
        self.all += 1;
        if right {
            self.right += 1;
        } else {
            self.wrong.push(what());
        }
    }

    fn reaches(&self, least: usize) -> bool {
        self.right * 1000 >= self.all * least
    }
}

#[tokio::test]
#[ignore = "needs Python with click, rich-click and typer; .ci/run runs it"]
async fn fixtures_are_read_as_they_are() {
    let python = std::env::var("CHARMER_PYTHON")
        .expect("CHARMER_PYTHON names a Python with click, rich-click and typer");
    let chosen = std::env::var("CHARMER_FIXTURES")
        .unwrap_or_else(|_| "kiln tea spice letters loom rigid dye post".into());
    for fixture in chosen.split_whitespace() {
        let runs = match fixture {
            "kiln" => vec!["cool"],
            "tea" | "spice" => vec!["strain-with-a-very-long-name"],
            "loom" | "rigid" | "post" => vec!["a"],
            "dye" => vec!["rinse"],
            _ => vec!["stamps", "list"],
        };
        check(&python, fixture, &runs).await;
    }
}

async fn check(python: &str, fixture: &str, runs: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let program = install(folder.path(), python, fixture);
    let said = Command::new(&program)
        .env("CHARMER_FIXTURE_TRUTH", "1")
        .output()
        .expect("it starts");
    assert!(
        said.status.success(),
        "{fixture}: {}",
        String::from_utf8_lossy(&said.stderr)
    );
    let mut truth: BTreeMap<String, TrueCommand> =
        serde_json::from_slice(&said.stdout).expect("a tree");
    // The root's version is no part of the model, like help.
    if let Some(root) = truth.get_mut("") {
        root.flags.remove("--version");
    }
    let found = discover(&program, &DiscoverOptions::default())
        .await
        .expect("it is read");

    // No probe has run a command; and one that is run leaves its note.
    let note = folder.path().join("was-run");
    let noted = std::fs::read_to_string(&note).unwrap_or_default();
    assert_eq!(noted, "", "{fixture} was run");
    let ran = Command::new(&program).args(runs).status();
    assert!(
        ran.expect("it starts").success() && note.exists(),
        "{fixture} leaves no note"
    );

    let mut scores: BTreeMap<&str, Score> = BTreeMap::new();
    compare(&found.cli, &truth, &mut scores);
    println!(
        "{fixture}: read as {}, {} commands, {} spawns",
        found.family,
        truth.len(),
        found.spawned
    );
    for (name, score) in &scores {
        println!("  {name:9} {}/{}", score.right, score.all);
        for wrong in &score.wrong {
            println!("    {wrong}");
        }
    }
    let floors = [
        ("commands", 1000),
        ("flags", 1000),
        ("aliases", 1000),
        ("short", 1000),
        ("type", 995),
        ("repeats", 995),
        ("choices", 995),
        ("default", 980),
        ("required", 990),
    ];
    for (name, least) in floors {
        assert!(
            scores[name].reaches(least),
            "{fixture}: {name}: {:#?}",
            scores[name].wrong
        );
    }
    assert!(
        found.spawned * 2 <= truth.len() * 5 + 40,
        "{} spawns",
        found.spawned
    );
}

/// The fixture as a program of its own.
fn install(folder: &Path, python: &str, fixture: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/python");
    let read = |name: &str| std::fs::read_to_string(fixtures.join(name)).expect("a fixture");
    for module in ["truth.py", "loom.py", "tea.py"] {
        std::fs::write(folder.join(module), read(module)).expect("written");
    }
    let program = folder.join(fixture);
    let script = format!("#!{python}\n{}", read(&format!("{fixture}.py")));
    std::fs::write(&program, script).expect("written");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("executable");
    program
}

fn compare(cli: &Cli, truth: &BTreeMap<String, TrueCommand>, scores: &mut BTreeMap<&str, Score>) {
    let mut paths = BTreeSet::new();
    collect(&cli.root, &CommandPath::root(), &mut paths);
    let all: BTreeSet<String> = truth
        .keys()
        .cloned()
        .chain(paths.iter().map(text))
        .collect();
    for path in &all {
        let there = truth.contains_key(path) && paths.iter().any(|found| text(found) == *path);
        let score = scores.entry("commands").or_default();
        score.note(there, || format!("`{path}`"));
    }
    for (path, command) in truth {
        let words: CommandPath = path.split_whitespace().map(String::from).collect();
        let found = words.words().iter().try_fold(&cli.root, |command, word| {
            command.commands.iter().find(|child| child.name == *word)
        });
        let Some(found) = found else { continue };
        let mut note = |field, right, what: String| {
            scores
                .entry(field)
                .or_default()
                .note(right, || format!("`{path}` {what}"));
        };
        let mut aliases = found.aliases.clone();
        aliases.sort();
        note(
            "aliases",
            aliases == command.aliases,
            format!("{aliases:?}"),
        );
        let names: BTreeSet<String> = found.flags.iter().map(|flag| flag.display_name()).collect();
        for name in names
            .iter()
            .chain(command.flags.keys())
            .collect::<BTreeSet<_>>()
        {
            let there = names.contains(name) && command.flags.contains_key(name);
            note("flags", there, name.clone());
        }
        for (name, truth) in &command.flags {
            let flag = found.flags.iter().find(|flag| flag.display_name() == *name);
            let Some(flag) = flag else { continue };
            let short = flag.short.filter(|_| flag.long.is_some()).map(String::from);
            let short = short.unwrap_or_default();
            note("short", short == truth.short, format!("{name}: {short}"));
            let kind = kind(flag);
            note(
                "type",
                kind == truth.kind,
                format!("{name}: {kind}, not {}", truth.kind),
            );
            let repeats = repeats(flag);
            let right = repeats == truth.repetition;
            note(
                "repeats",
                right,
                format!("{name}: {repeats}, not {}", truth.repetition),
            );
            let default = &flag.default;
            note(
                "default",
                *default == truth.default,
                format!("{name}: {default:?}, not {:?}", truth.default),
            );
            note(
                "required",
                flag.required == truth.required,
                format!("{name}: {}", flag.required),
            );
            let choices: Vec<_> = flag
                .choices
                .iter()
                .map(|choice| choice.value.clone())
                .collect();
            note(
                "choices",
                choices == truth.choices,
                format!("{name}: {choices:?}"),
            );
        }
    }
}

fn collect(
    command: &charmer_core::model::Command,
    path: &CommandPath,
    paths: &mut BTreeSet<CommandPath>,
) {
    for child in &command.commands {
        collect(child, &path.child(child.name.as_str()), paths);
    }
    paths.insert(path.clone());
}

fn text(path: &CommandPath) -> String {
    path.words().join(" ")
}

fn kind(flag: &Flag) -> &'static str {
    match &flag.value_type {
        ValueType::Bool => "bool",
        ValueType::Count => "count",
        ValueType::Integer { .. } => "int",
        ValueType::Number => "float",
        ValueType::Path => "path",
        ValueType::String => "string",
        _ => "another",
    }
}

fn repeats(flag: &Flag) -> String {
    if matches!(flag.value, FlagValue::Optional { .. }) {
        return "optional".into();
    }
    match &flag.repetition {
        Repetition::Single => "single".into(),
        Repetition::Repeat { .. } => "repeat".into(),
        Repetition::Fixed { count, .. } => format!("fixed {count}"),
        Repetition::Span { min, .. } => format!("span {min}"),
        Repetition::Joined { .. } => "joined".into(),
    }
}
