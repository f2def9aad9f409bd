//! `charmer cache`: what is kept of programs, shown and removed.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::SystemTime,
};

use charmer_discover::cache::{Cache, KeptCondition, KeptProgram};
use serde_json::{Value, json};

use crate::{
    args::{CacheArgs, CacheCommand},
    output::{DIM, GREEN, Style, YELLOW, note, print, print_raw, width},
    problem::Problem,
    programs, read,
    table::{Cell, Last, table},
};

pub(crate) fn run(args: &CacheArgs) -> Result<ExitCode, Problem> {
    let cache = read::cache().ok_or_else(|| {
        Problem::failed("there is no folder to keep anything in").hint("set HOME or CHARMER_CACHE")
    })?;
    match &args.command {
        CacheCommand::Show { programs, json } => show(&cache, programs, *json)?,
        CacheCommand::Clear { programs } => clear(&cache, programs)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn show(cache: &Cache, wanted: &[PathBuf], as_json: bool) -> Result<(), Problem> {
    let kept = chosen(cache, wanted);
    let folder = cache.folder();
    if as_json {
        let programs: Vec<Value> = kept.iter().map(in_json).collect();
        let all = json!({ "folder": folder, "programs": programs });
        return print_raw(format!("{all:#}\n").as_bytes());
    }
    let bytes: u64 = kept.iter().map(|kept| kept.bytes).sum();
    let folder = folder.display();
    if kept.is_empty() {
        return print(&format!("Nothing is kept in {folder}.\n"));
    }
    let rows = kept.iter().map(|kept| {
        let (state, style) = state(kept.condition);
        vec![
            Cell::new(kept.program.to_string_lossy()),
            Cell::new(state).style(style),
            Cell::number(kept.commands),
            Cell::new(size(kept.bytes)),
            Cell::new(kept.kept.map(age).unwrap_or_default()),
            Cell::new(kept.version.clone().unwrap_or_default()).style(DIM),
        ]
    });
    let headings = ["program", "state", "commands", "size", "read", "version"];
    let text = table(&headings, rows.collect(), Last::Clipped, width());
    print(&format!("{text}\n{} in {folder}\n", size(bytes)))
}

fn clear(cache: &Cache, wanted: &[PathBuf]) -> Result<(), Problem> {
    let folder = cache.folder().display();
    if wanted.is_empty() {
        let files = cache.clear().map_err(|error| {
            Problem::failed(format!("{folder} cannot be cleared: {error}"))
                .hint("check that you may write to it")
        })?;
        let files = match files {
            0 => "nothing was".to_owned(),
            1 => "1 file was".to_owned(),
            files => format!("{files} files were"),
        };
        note(&format!("{files} removed from {folder}"));
        return Ok(());
    }
    for name in wanted {
        let kept = chosen(cache, std::slice::from_ref(name));
        if kept.is_empty() {
            note(&format!("nothing is kept of {}", name.display()));
        }
        for kept in kept {
            cache.forget(&kept.program);
            let program = kept.program.display();
            note(&format!("{program} is read anew at the next start"));
        }
    }
    Ok(())
}

/// The kept readings of these programs; of all, where none is named.
fn chosen(cache: &Cache, wanted: &[PathBuf]) -> Vec<KeptProgram> {
    let mut kept = cache.programs();
    kept.retain(|kept| wanted.is_empty() || wanted.iter().any(|name| is(&kept.program, name)));
    kept
}

/// Returns true if a program is meant. One that is gone is still known by its name.
fn is(program: &Path, name: &Path) -> bool {
    match programs::is_path(name) {
        true => std::path::absolute(name).is_ok_and(|path| path == program),
        false => programs::name(program) == name.to_string_lossy(),
    }
}

fn in_json(kept: &KeptProgram) -> Value {
    let time = kept
        .kept
        .and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
    json!({
        "program": kept.program,
        "state": state(kept.condition).0,
        "version": kept.version,
        "commands": kept.commands,
        "watched": kept.watched,
        "bytes": kept.bytes,
        "read": time.map(|time| time.as_secs()),
    })
}

/// A condition in a word, as doctor says it in more.
fn state(condition: KeptCondition) -> (&'static str, Style) {
    match condition {
        KeptCondition::Current => ("current", GREEN),
        KeptCondition::Incomplete => ("incomplete", YELLOW),
        KeptCondition::Gone => ("gone", DIM),
        KeptCondition::Begun => ("begun", YELLOW),
        _ => ("changed", YELLOW),
    }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// The time since then, in its largest unit.
fn age(then: SystemTime) -> String {
    let seconds = then.elapsed().unwrap_or_default().as_secs();
    let (number, unit) = match seconds {
        0..120 => return "just now".to_owned(),
        120..7_200 => (seconds / 60, "minutes"),
        7_200..172_800 => (seconds / 3_600, "hours"),
        _ => (seconds / 86_400, "days"),
    };
    format!("{number} {unit} ago")
}
