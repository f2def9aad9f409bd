//! `charmer spell`: spells made, checked, listed, tried and accepted.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use charmer_config::reading;
use charmer_core::text::nearest;
use charmer_spells::{
    Context, Spell, SpellBook, SpellOptions, SpellReport, Trust, check, check_folder, create,
};
use serde_json::{Map, Value, json};

use crate::{
    args::{CastArgs, Selection, SpellArgs, SpellCommand, Spells},
    assemble::{Assembler, Purpose},
    commands::{
        call::{CallForm, call_and_show},
        check::{spell_parts, spell_sum},
        check_config::is_error,
        tools::effect_cell,
    },
    output::{self, BOLD, print, print_raw, styled},
    problem::{FAILED, Problem},
    settings::Settings,
    spells,
    table::{Cell, Last, table},
};

pub(crate) fn run(args: &SpellArgs) -> Result<ExitCode, Problem> {
    let folder = &args.spells;
    match &args.command {
        SpellCommand::New { name } => new(folder, name),
        SpellCommand::Check { files, json } => check_all(folder, files, *json),
        SpellCommand::List { locked, json } => list(folder, *locked, *json),
        SpellCommand::Cast(cast_args) => cast(folder, cast_args),
        SpellCommand::Trust {
            spells_or_files,
            forget,
        } => trust(folder, spells_or_files, *forget),
    }
}

fn new(folder: &Path, name: &str) -> Result<ExitCode, Problem> {
    let file = create(folder, name).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => Problem::mistake(format!(
            "there is a spell `{name}` in `{}` already",
            folder.display()
        ))
        .hint("change it, or take another name"),
        io::ErrorKind::InvalidInput => Problem::mistake(error.to_string()),
        _ => Problem::failed(format!("the spell cannot be written: {error}")).hint(format!(
            "check that you may write to `{}`",
            folder.display()
        )),
    })?;
    print(&format!("{}\n", file.display()))?;
    output::note(&format!(
        "it says hello; change it to what you need, then try `charmer spell cast {name} somebody=you`{}",
        where_it_is(folder)
    ));
    Ok(ExitCode::SUCCESS)
}

/// The options that have to be added to a command that is suggested.
fn where_it_is(folder: &Path) -> String {
    if folder == Path::new("spells") {
        String::new()
    } else {
        format!(" with `--spells {}`", folder.display())
    }
}

fn check_all(folder: &Path, files: &[PathBuf], as_json: bool) -> Result<ExitCode, Problem> {
    let options = spells::options();
    let unreadable = |file: &Path, error: &io::Error| {
        Problem::mistake(format!("`{}` cannot be read: {error}", file.display()))
            .hint("check the path")
    };
    let (reports, problems) = if files.is_empty() {
        spells::must_exist(folder)?;
        check_folder(folder, &options).map_err(|error| unreadable(folder, &error))?
    } else {
        let reports: Result<Vec<SpellReport>, Problem> = files
            .iter()
            .map(|file| check(file, &options).map_err(|error| unreadable(file, &error)))
            .collect();
        (reports?, Vec::new())
    };
    let ok = reports.iter().all(SpellReport::is_ok) && !problems.iter().any(is_error);
    if as_json {
        let files: Vec<Value> = reports
            .iter()
            .map(|report| {
                let mut shown = json!(report);
                shown["ok"] = report.is_ok().into();
                shown
            })
            .collect();
        let all = json!({"ok": ok, "files": files, "problems": problems});
        print_raw(format!("{all:#}\n").as_bytes())?;
    } else {
        let mut parts = spell_parts(&reports, &problems);
        parts.push(spell_sum(&reports));
        print(&(parts.join("\n\n") + "\n"))?;
    }
    Ok(ExitCode::from(if ok { 0 } else { FAILED }))
}

/// The folder as a server would open it.
fn open(folder: &Path, locked: bool) -> Result<(Assembler, SpellBook), Problem> {
    let spells = Spells {
        spells: Some(folder.to_owned()),
        locked,
    };
    let settings = Settings::load(&[], &Selection::default(), &spells, None)?;
    let (assembler, _) = Assembler::new(settings, Purpose::Call);
    let book = assembler.spells.clone();
    Ok((assembler, book.expect("a folder was named")))
}

fn list(folder: &Path, locked: bool, as_json: bool) -> Result<ExitCode, Problem> {
    let (_, book) = open(folder, locked)?;
    if as_json {
        print_raw(format!("{:#}\n", book.listing()).as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    spells::warn_of(&book.problems());
    let rows: Vec<Vec<Cell>> = book
        .spells()
        .iter()
        .map(|spell| {
            let args = spell.args.iter().flatten().map(|arg| {
                if arg.required {
                    arg.name.clone()
                } else {
                    format!("[{}]", arg.name)
                }
            });
            vec![
                Cell::new(spell.name.as_str()).style(BOLD),
                effect_cell(spell.effect),
                Cell::new(args.collect::<Vec<_>>().join(" ")),
                Cell::new(spell.description.as_str()),
            ]
        })
        .collect();
    if rows.is_empty() {
        print(&format!(
            "No spell can be served from `{}`.\n",
            folder.display()
        ))?;
    } else {
        let headings = ["SPELL", "EFFECT", "ARGUMENTS", "WHAT IT DOES"];
        print(&table(&headings, rows, Last::Clipped, output::width()))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn cast(folder: &Path, args: &CastArgs) -> Result<ExitCode, Problem> {
    let (assembler, book) = open(folder, args.locked)?;
    let spells = book.spells();
    let arguments = match spells.iter().find(|spell| spell.name == args.name) {
        Some(spell) => charmer_spells::arguments(spell, &args.arguments).map_err(|message| {
            Problem::mistake(message).hint(format!(
                "as in `charmer spell cast {} {}`",
                args.name,
                spell
                    .args
                    .iter()
                    .flatten()
                    .next()
                    .map_or("key=value".to_owned(), |arg| format!("{}=value", arg.name))
            ))
        })?,
        // The answer to a spell that is there but not served says why.
        None if exists(folder, &args.name) => Map::new(),
        None => return Err(no_spell(&args.name, folder, &spells)),
    };
    let mut input = json!({"spell_name": args.name, "arguments": arguments, "flags": args.flags});
    if let Some(path) = &args.path {
        input["path"] = path.as_str().into();
    }
    if args.confirm {
        input["confirm"] = true.into();
    }
    let Value::Object(input) = input else {
        unreachable!("it is written as an object above")
    };
    let tools = book.tools();
    let tool = tools
        .iter()
        .find(|served| served.tool.name.as_str() == "cast_spell")
        .expect("every book has this tool");
    let tool = tool.clone().dry_run(args.dry_run);
    let form = match args.json {
        true => CallForm::Structured,
        false => CallForm::Text,
    };
    call_and_show(&assembler, &tool, input, form)
}

fn no_spell(name: &str, folder: &Path, spells: &[Spell]) -> Problem {
    let problem = Problem::mistake(format!(
        "there is no spell `{name}` in `{}`",
        folder.display()
    ));
    match nearest(name, spells.iter().map(|spell| spell.name.as_str())) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None => problem.hint("`charmer spell list` shows those that there are"),
    }
}

/// The file of a spell, if there is one.
fn file_of(folder: &Path, name: &str) -> Option<PathBuf> {
    let files = ["yaml", "yml"].map(|ending| folder.join(format!("{name}.{ending}")));
    files.into_iter().find(|file| file.is_file())
}

fn exists(folder: &Path, name: &str) -> bool {
    !name.contains(['/', '\\']) && file_of(folder, name).is_some()
}

fn trust(folder: &Path, named: &[PathBuf], forget: bool) -> Result<ExitCode, Problem> {
    let files = if named.is_empty() {
        spells::must_exist(folder)?;
        let reports = check_folder(folder, &spells::options()).map_err(|error| {
            Problem::failed(format!("`{}` cannot be read: {error}", folder.display()))
        })?;
        reports.0.into_iter().map(|report| report.file).collect()
    } else {
        let found = named.iter().map(|named| find(folder, named, forget));
        found.collect::<Result<Vec<_>, _>>()?
    };
    let store = spells::trust_file()?;
    let mut trust = Trust::load(&store).map_err(|error| {
        Problem::failed(format!("`{}` cannot be read: {error}", store.display()))
            .hint("remove the file to begin anew; nothing is accepted then")
    })?;
    let options = spells::options();
    let mut lines = String::new();
    let mut refused = Vec::new();
    for file in &files {
        if forget {
            trust.forget(file);
            lines.push_str(&format!("forgot {}\n", file.display()));
            continue;
        }
        // Read once: what is shown is what is accepted.
        match readable(file, &options) {
            Ok((text, spell)) => {
                let word = if trust.is_accepted(file, &text, &options) {
                    "still accepted"
                } else {
                    "accepted"
                };
                let named = match trust.accept(file, &text, &options) {
                    Ok(named) => named,
                    Err(error) => {
                        let reason = format!("a file that it names cannot be read: {error}");
                        refused.push(unacceptable(file, reason));
                        continue;
                    }
                };
                let argv = spell.argv.iter().map(ToString::to_string);
                let command: Vec<String> = spell.command.iter().cloned().chain(argv).collect();
                let command = charmer_core::output::clean(&command.join(" ")).into_owned();
                let named = match named.is_empty() {
                    true => String::new(),
                    false => format!(", and what is in {}", named.join(", ")),
                };
                let named = charmer_core::output::clean(&named).into_owned();
                lines.push_str(&format!(
                    "{word} {}: {command}{named}\n",
                    styled(BOLD, &spell.name)
                ));
            }
            Err(problem) => refused.push(problem),
        }
    }
    trust.save().map_err(|error| {
        Problem::failed(format!("`{}` cannot be written: {error}", store.display()))
    })?;
    print(&lines)?;
    refused.iter().for_each(output::fail);
    Ok(ExitCode::from(if refused.is_empty() { 0 } else { FAILED }))
}

/// A spell by its name or its file's path.
fn find(folder: &Path, named: &Path, gone_too: bool) -> Result<PathBuf, Problem> {
    let is_path = named.components().count() > 1 || named.extension().is_some();
    if is_path && (named.is_file() || gone_too) {
        return Ok(named.to_owned());
    }
    let name = named.to_string_lossy();
    match file_of(folder, &name) {
        Some(file) => Ok(file),
        None if gone_too => Ok(folder.join(format!("{name}.yaml"))),
        None if is_path => {
            Err(Problem::mistake(format!("there is no file `{name}`")).hint("check the path"))
        }
        None => Err(no_spell(&name, folder, &[])),
    }
}

fn unacceptable(file: &Path, reason: String) -> Problem {
    Problem::failed(format!("`{}` cannot be accepted: {reason}", file.display()))
}

/// A spell that can be accepted, with its text.
fn readable(file: &Path, options: &SpellOptions) -> Result<(String, Spell), Problem> {
    let unreadable = |reason: String| unacceptable(file, reason);
    if !file.is_file() {
        return Err(unreadable("it is no regular file".to_owned()));
    }
    let text = File::open(file)
        .and_then(reading::text_of)
        .map_err(|error| unreadable(error.to_string()))?;
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let folder = absolute.parent().unwrap_or(&absolute);
    let context = Context::default()
        .stem(&stem)
        .variables(&options.variables)
        .folder(folder.parent().unwrap_or(folder));
    let read = Spell::parse(&text, &file.display().to_string(), &context);
    match (read.value, read.mistakes) {
        (Some(spell), None) => Ok((text, spell)),
        _ => Err(unreadable("it has mistakes".to_owned()).hint(format!(
            "`charmer spell check {}` shows them",
            file.display()
        ))),
    }
}
