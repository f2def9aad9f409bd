//! `charmer profile`: the profiles that there are, and a new one to begin with.

use std::{collections::BTreeMap, fmt::Write, path::Path, process::ExitCode};

use charmer_config::Profile;
use charmer_core::{
    model::{CommandPath, Effect},
    text::nearest,
};
use charmer_discover::Discovery;
use serde_json::{Value, json};

use crate::{
    args::{ProfileArgs, ProfileCommand, Selection, Spells},
    output::{DIM, fail, print, print_raw, width},
    problem::Problem,
    profiles::{self, LoadedProfile, ProfileOrigin},
    programs,
    read::read,
    runtime,
    settings::Settings,
    table::{Cell, Last, table},
};

pub(crate) fn run(args: &ProfileArgs) -> Result<ExitCode, Problem> {
    match &args.command {
        ProfileCommand::List { json } => list(*json)?,
        ProfileCommand::Show { name, json } => show(name, *json)?,
        ProfileCommand::New { program } => new(program)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn list(as_json: bool) -> Result<(), Problem> {
    let (all, broken) = profiles::all();
    if as_json {
        let profiles: Vec<Value> = all.iter().map(in_json).collect();
        let folder = profiles::user_folder();
        let broken: Vec<&str> = broken.iter().map(Problem::message).collect();
        let all = json!({ "folder": folder, "profiles": profiles, "broken": broken });
        return print_raw(format!("{all:#}\n").as_bytes());
    }
    let rows = all.iter().map(|known| {
        let source = &known.profile.source;
        let versions = known.profile.versions.as_ref();
        vec![
            Cell::new(known.profile.programs.join(", ")),
            Cell::number(source.overrides.len()),
            Cell::new(source.network.map_or("", |network| network.name())),
            Cell::new(versions.map(ToString::to_string).unwrap_or_default()),
            Cell::new(known.from()).style(DIM),
        ]
    });
    let headings = ["PROGRAM", "COMMANDS", "NETWORK", "VERSIONS", "FROM"];
    print(&table(&headings, rows.collect(), Last::Clipped, width()))?;
    broken.iter().for_each(fail);
    Ok(())
}

fn in_json(known: &LoadedProfile) -> Value {
    let profile = &known.profile;
    let from = match &known.origin {
        ProfileOrigin::Charmer => json!("charmer"),
        ProfileOrigin::User(path) => json!(path),
    };
    json!({
        "name": known.name,
        "program": profile.programs,
        "versions": profile.versions.as_ref().map(ToString::to_string),
        "from": from,
    })
}

fn show(name: &str, as_json: bool) -> Result<(), Problem> {
    let found = profiles::of(name)?;
    let Some(nearest_one) = found.last() else {
        let (all, _) = profiles::all();
        let names = all.iter().flat_map(|known| &known.profile.programs);
        let near = nearest(name, names.map(String::as_str)).map(str::to_owned);
        let problem = Problem::mistake(format!("there is no profile of `{name}`"));
        return Err(match near {
            Some(near) => problem.hint(format!("did you mean `{near}`?")),
            None => problem.hint(format!(
                "`charmer profile list` shows those that there are, `charmer profile new {name}` writes one to begin with"
            )),
        });
    };
    if as_json {
        let mut told = in_json(nearest_one);
        let source = serde_json::to_value(&nearest_one.profile.source);
        let source = source.map_err(|error| Problem::failed(error.to_string()))?;
        let own = source.as_object().into_iter().flatten();
        for (key, value) in own.filter(|(key, _)| Profile::KEYS.contains(&key.as_str())) {
            told[key] = value.clone();
        }
        return print_raw(format!("{told:#}\n").as_bytes());
    }
    // What goes before others is shown first.
    let texts: Vec<String> = found
        .iter()
        .rev()
        .map(|known| match found.len() {
            1 => known.text.clone(),
            _ => format!("# {}\n{}", known.from(), known.text),
        })
        .collect();
    print(&texts.join("\n---\n"))
}

fn new(program: &Path) -> Result<(), Problem> {
    let selection = Selection::default();
    let binaries = [program.to_owned()];
    let settings = Settings::load(&binaries, &selection, &Spells::default(), None)?;
    let found = runtime::block_on(read(&settings.programs, false))?.remove(0);
    print(&beginning(
        &programs::name(&settings.programs[0].path),
        &found,
    ))
}

/// A profile to begin with: what is thought of each command, with why, and what is not known as questions.
fn beginning(name: &str, found: &Discovery) -> String {
    let mut cli = found.cli.clone();
    found.assessment.apply(&mut cli);
    let mut text = format!(
        "# What is known of {name} and its help does not say. `charmer check` compares it with the program.\n"
    );
    let _ = writeln!(text, "program: {name}");
    if let Some(version) = &cli.version {
        let _ = writeln!(text, "versions: '>={}'", numbers(version));
    }
    text.push_str("\n# Does it need the network to read, and which: none, tcp, socket (a daemon's) or all?\n# network: none\n");
    text.push_str("# Which files and folders hold its own secrets?\n# credentials: [~/.config/");
    let _ = writeln!(text, "{name}]");
    text.push_str("# Which commands do people use most, the first one first?\n# common: []\n");
    text.push_str(
        "# How do people ask for a command whose help uses other words?\n# phrases: {}\n",
    );
    text.push_str("# Which commands print secrets, and which take minutes?\n# prints_secrets: []\n# long_running: []\n");
    let (mut known, mut unknown) = (BTreeMap::new(), Vec::new());
    cli.walk(&mut |path, lineage| {
        let Some(command) = lineage.last().filter(|command| command.runnable) else {
            return;
        };
        match command.hints.effect {
            Effect::Unknown => unknown.push(path.clone()),
            effect => drop(known.insert(path.clone(), effect)),
        }
    });
    text.push_str("\n# What commands do: `read` changes nothing, `write` adds or changes, `destroy` deletes or overwrites what the\n# program cannot give back. A flag that changes that says so: `flags: {force: {effect: destroy}}`.\noverride:\n");
    for (path, effect) in &known {
        let _ = writeln!(
            text,
            "  {}: {{effect: {}}}{}",
            written(name, path),
            effect.name(),
            why(found, path)
        );
    }
    if !unknown.is_empty() {
        text.push_str("  # Nobody knows these yet: what do they do?\n");
    }
    for path in &unknown {
        let _ = writeln!(
            text,
            "  # {}: {{effect: write}}{}",
            written(name, path),
            why(found, path)
        );
    }
    text
}

/// A command as the file names it.
fn written(program: &str, path: &CommandPath) -> String {
    match path.is_root() {
        true => program.to_owned(),
        false => path.to_string(),
    }
}

/// The reason for a command's effect, as a comment.
fn why(found: &Discovery, path: &CommandPath) -> String {
    let thought = found.assessment.command(path);
    let first = thought.and_then(|thought| thought.evidence.first());
    first
        .map(|reason| format!(" # {reason}"))
        .unwrap_or_default()
}

/// The numbers of a version.
fn numbers(version: &str) -> &str {
    let start = version.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
    let rest = &version[start..];
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'));
    rest[..end.unwrap_or(rest.len())].trim_end_matches('.')
}
