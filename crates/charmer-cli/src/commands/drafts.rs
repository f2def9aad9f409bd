//! `charmer drafts`: proposals looked at, applied and dropped by a person.

use std::{path::Path, process::ExitCode, time::SystemTime};

use charmer_config::Config;
use charmer_run::{Applier, CallError, DraftSummary, Drafts, process::MARK};
use serde_json::{Value, json};

use crate::{
    args::{DraftsArgs, DraftsCommand},
    beneath::beneath_server,
    drafts,
    output::{print, print_raw},
    problem::Problem,
    settings::OWN_FILE,
};

pub(crate) fn run(args: &DraftsArgs) -> Result<ExitCode, Problem> {
    if !cfg!(target_os = "linux") {
        return Err(Problem::failed(
            "there are no drafts on this system: they need Linux",
        ));
    }
    let drafts = all()?;
    match &args.command {
        DraftsCommand::List { json } => {
            let list = drafts.list(None);
            match json {
                true => {
                    let list: Vec<Value> = list.iter().map(in_json).collect();
                    print_raw(format!("{:#}\n", Value::from(list)).as_bytes())?;
                }
                false => print(&in_words(&list))?,
            }
        }
        DraftsCommand::Show { id, path, json } => {
            let text = match path {
                Some(path) => drafts.show_file(id, None, path).map_err(failed)?,
                None => {
                    let draft = drafts.show(id, None).map_err(failed)?;
                    match json {
                        true => format!("{:#}", Value::Object(draft.to_json())),
                        false => {
                            let commands: String = draft
                                .commands
                                .iter()
                                .map(|line| format!("$ {line}\n"))
                                .collect();
                            format!("{commands}{}", draft.to_text())
                        }
                    }
                }
            };
            print_raw(format!("{}\n", text.trim_end()).as_bytes())?;
        }
        DraftsCommand::Apply { id } => {
            // An assistant could run this through a program that is served.
            let beneath = beneath_server(std::process::id(), &[]);
            if std::env::var_os(MARK).is_some() || beneath.is_some() {
                return Err(Problem::failed(
                    "a draft is applied by a person, and this was started by a Charmer server",
                ));
            }
            let applied = drafts
                .apply(id, None, Applier::Person, None)
                .map_err(failed)?;
            print(&format!("{}\n", applied.told()))?;
        }
        DraftsCommand::Drop { id } => {
            let told = drafts.discard(id, None).map_err(failed)?;
            print(&format!("{told}\n"))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// The drafts of this user, by the rules of the folder's own file, if it has one.
fn all() -> Result<Drafts, Problem> {
    let file = Path::new(OWN_FILE);
    let config = match file.is_file() {
        true => Config::load(file).map_err(|error| Problem::mistake(error.to_string()))?,
        false => Config::default(),
    };
    let (redactor, _) = config.redactor(|name| std::env::var(name).ok());
    Ok(drafts::of(&config, redactor, false))
}

fn failed(error: CallError) -> Problem {
    let problem = Problem::failed(error.message);
    match error.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}

fn age(draft: &DraftSummary) -> u64 {
    let age = SystemTime::now().duration_since(draft.begun);
    age.map_or(0, |age| age.as_secs())
}

fn in_json(draft: &DraftSummary) -> Value {
    json!({
        "id": draft.id,
        "principal": draft.principal,
        "ageSeconds": age(draft),
        "folders": draft.folders,
        "commands": draft.commands,
        "created": draft.counts.created,
        "changed": draft.counts.changed,
        "deleted": draft.counts.deleted,
        "interrupted": draft.interrupted,
    })
}

fn in_words(list: &[DraftSummary]) -> String {
    if list.is_empty() {
        return "there are no drafts\n".into();
    }
    let lines = list.iter().map(|draft| {
        let minutes = age(draft) / 60;
        let interrupted = match draft.interrupted {
            true => "  applying it was interrupted: `apply` finishes it, `drop` undoes it\n",
            false => "",
        };
        let commands: String = draft
            .commands
            .iter()
            .map(|line| format!("  $ {line}\n"))
            .collect();
        format!(
            "{}  {}, {minutes} min old, of {} in {}\n{commands}{interrupted}",
            draft.id,
            draft.counts.told(),
            draft.principal,
            draft.folders.join(", "),
        )
    });
    lines.collect()
}
