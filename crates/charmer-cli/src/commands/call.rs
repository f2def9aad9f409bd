//! `charmer call`: a tool called as an assistant would.

use std::{
    io::Read,
    path::{Path, PathBuf},
    process::ExitCode,
};

use charmer_core::{call::from_words, text::nearest};
use charmer_run::{CallResult, Caller, DraftRequest, DraftedBy, META_TOOLS, ServedTool};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{
    args::{CallArgs, ResultsName},
    assemble::{Assembler, Purpose},
    commands::call_options::{DRY_RUN, JSON, moved, split},
    output::{self, print_raw, warn},
    problem::{FAILED, INTERRUPTED, Problem},
    programs,
    read::read,
    runtime,
    settings::{OWN_FILE, Settings},
    spells,
    wrap::wrapped,
};

pub(crate) fn run(args: &CallArgs) -> Result<ExitCode, Problem> {
    let (tool, words) = args.words.split_first().expect("a tool is required");
    if tool.starts_with('-') {
        return Err(
            Problem::mistake(format!("`charmer call` has no option `{tool}`")).hint(
                "what belongs to the tool stands after its name; `charmer call --help` says more",
            ),
        );
    }
    let mut named_by = 1;
    let found = match found_by(args) {
        // What it takes itself is known now.
        Ok((assembler, served, by)) => {
            named_by = by;
            let split = split(Some(&served.tool), &args.words[by..]);
            (Some((assembler, served)), split)
        }
        Err(problem) if problem.code == INTERRUPTED => return Err(problem),
        // What follows may say where it is.
        Err(problem) => {
            let split = split(None, words);
            if split.only_shows() {
                return Err(problem);
            }
            (None, split)
        }
    };
    let (assembler, mut served, args, words) = match found {
        (Some((assembler, served)), split) if split.only_shows() => {
            let mut args = args.clone();
            args.json |= split.has(JSON);
            args.dry_run |= split.has(DRY_RUN);
            (assembler, served, args, split.theirs)
        }
        (_, split) => {
            let args = moved(args, named_by, &split);
            let (assembler, served, _) = found_by(&args)?;
            (assembler, served, args, split.theirs)
        }
    };
    let input = input(&served, &words)?;
    if let Some(timeout) = args.timeout {
        // A spell's own time may be longer.
        served.limits.timeout = served.limits.timeout.min(timeout);
    }
    served.dry_run = args.dry_run;
    served.draft = args.draft.as_deref().map(|id| {
        let wish = DraftRequest::new(DraftedBy::Caller);
        match id.is_empty() {
            true => wish,
            false => wish.within(id),
        }
    });
    if served.draft.is_some() && assembler.engine.drafts().is_none() {
        return Err(Problem::failed("it cannot be run as a draft here").hint(
            "drafts need Linux, `--confine auto`, and a program that is not served read-only",
        ));
    }
    let form = match (args.json, args.selection.results) {
        (true, Some(ResultsName::Text)) => {
            return Err(
                Problem::mistake("--json prints what `--results text` leaves out")
                    .hint("remove one of them"),
            );
        }
        (true, _) | (_, Some(ResultsName::Structured)) => CallForm::Structured,
        (_, Some(ResultsName::Auto)) => CallForm::AsRead,
        (_, Some(ResultsName::Text) | None) => CallForm::Text,
    };
    call_and_show(&assembler, &served, input, form)
}

/// The form in which a result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// The text, which is for people.
    Text,
    /// The structured form.
    Structured,
    /// The one that an assistant's model would read.
    AsRead,
}

/// The tool that the words begin with, and the number of words that name it, among those of the programs and spells that the
/// options name.
fn found_by(args: &CallArgs) -> Result<(Assembler, ServedTool, usize), Problem> {
    let tool = args.words.first().expect("a tool is required");
    let mut binaries = args.binaries.clone();
    if binaries.is_empty() && !is_said(args) && !Path::new(OWN_FILE).is_file() {
        binaries.push(program_of(tool)?);
    }
    let settings = Settings::load(&binaries, &args.selection, &args.spells, args.timeout)?;
    let found = runtime::block_on(read(&settings.programs, args.selection.refresh))?;
    let found: Vec<_> = found.into_iter().map(Some).collect();
    let (assembler, warnings) = Assembler::new(settings, Purpose::Call);
    warnings.iter().for_each(|message| warn(message));
    let tools = assembler.callable(&assembler.assemble(&found)?.tools);
    let Some((served, named_by)) = tools.find_typed(&args.words) else {
        if let Some(book) = &assembler.spells {
            spells::warn_of(&book.problems());
        }
        if let Some(refusal) = tools.refusal(tool) {
            return Err(Problem::mistake(refusal.message));
        }
        let names = tools.iter().map(|served| served.tool.name.as_str());
        let names: Vec<&str> = names.collect();
        let typed = args.words.get(1).filter(|word| !word.starts_with('-'));
        let typed = typed.map(|command| format!("{tool}_{command}"));
        let tool = typed
            .filter(|_| !tool.contains('_'))
            .unwrap_or(tool.clone());
        let problem = no_tool(&tool, &names, assembler.loosen());
        return Err(match binaries.is_empty() && !is_said(args) {
            // The file of the folder was read without being asked for, and may be about something else.
            true => {
                problem.or_hint("`charmer call --binary PROGRAM TOOL` passes ./charmer.yaml by")
            }
            false => problem,
        });
    };
    Ok((assembler, served.clone(), named_by))
}

/// Returns true if the command line says where the tool is to be found, other than by the tool's name.
fn is_said(args: &CallArgs) -> bool {
    args.selection.config.is_some() || args.spells.spells.is_some()
}

/// Calls the tool to the end, and prints what came of it.
pub(crate) fn call_and_show(
    assembler: &Assembler,
    served: &ServedTool,
    input: Map<String, Value>,
    form: CallForm,
) -> Result<ExitCode, Problem> {
    let _meeting = assembler.meet_terminals()?;
    let (result, interrupted) = runtime::new()?.block_on(async {
        // Whoever calls is asked where they are.
        #[cfg(unix)]
        if assembler.may_ask() {
            super::approve::ask_here(&assembler.approvals);
        }
        let caller = Caller::default().folders(assembler.folders().clone());
        let result = call(served, caller, input).await;
        assembler.engine.finish().await;
        result
    });
    assembler.finish();
    show(&result, form)?;
    Ok(ExitCode::from(match (interrupted, result.is_error) {
        (true, _) => INTERRUPTED,
        (false, true) => FAILED,
        (false, false) => 0,
    }))
}

/// Calls the tool; Ctrl-C cancels the call, and whatever it started is ended before this is.
async fn call(
    served: &ServedTool,
    caller: Caller,
    input: Map<String, Value>,
) -> (CallResult, bool) {
    let cancel = CancellationToken::new();
    let call = served.call_as(caller, input, cancel.clone());
    tokio::pin!(call);
    tokio::select! {
        result = &mut call => (result, false),
        () = runtime::stopped() => {
            cancel.cancel();
            (call.await, true)
        }
    }
}

fn show(result: &CallResult, form: CallForm) -> Result<(), Problem> {
    let structured = match form {
        CallForm::Text => false,
        CallForm::Structured => true,
        CallForm::AsRead => !result.text_alone,
    };
    let text = if structured {
        format!("{:#}\n", Value::Object(result.structured.clone()))
    } else if result.text.is_empty() {
        String::new()
    } else {
        // What a program printed stays as it is; what charmer says is for the width of the terminal.
        let ours = !result.structured.contains_key("exitCode");
        let width = output::width().filter(|_| ours);
        format!("{}\n", wrapped(&result.text, width, 2))
    };
    print_raw(text.as_bytes())
}

/// The program that a tool's name begins with: the shortest beginning that is one.
fn program_of(tool: &str) -> Result<PathBuf, Problem> {
    if META_TOOLS.contains(&tool) {
        return Err(Problem::mistake(format!(
            "`{tool}` is for all commands of a program, and none is named"
        ))
        .hint(format!("write `charmer call {tool} --binary PROGRAM ...`")));
    }
    let here = Path::new("");
    let ends = tool.match_indices('_').map(|(at, _)| at);
    let beginnings = ends.chain([tool.len()]).map(|end| &tool[..end]);
    let mut first = None;
    for name in beginnings.filter(|name| !name.is_empty() && !name.contains(['/', '\\'])) {
        match programs::find(Path::new(name), here) {
            Ok(path) => return Ok(path),
            Err(problem) => first = first.or(Some(problem)),
        }
    }
    let unknown = Problem::mistake(format!("`{tool}` names no program"));
    Err(match first {
        Some(_) if tool.contains('_') => {
            let (name, command) = tool.split_once('_').unwrap_or((tool, ""));
            let problem = Problem::mistake(format!(
                "the tool `{tool}` would belong to the program `{name}`, which is not on your PATH"
            ));
            match swapped(name).find(|name| programs::find(Path::new(name), here).is_ok()) {
                Some(meant) => problem.hint(format!("did you mean `{meant}_{command}`?")),
                None => problem
                    .hint("name the program, as in `charmer call --binary ./path/to/program TOOL`"),
            }
        }
        Some(problem) => problem,
        None => {
            unknown.hint("tools are called PROGRAM_COMMAND; `charmer tools PROGRAM` lists them")
        }
    })
}

/// A word with two neighbouring letters in each other's place, one pair after the other.
fn swapped(word: &str) -> impl Iterator<Item = String> {
    let letters: Vec<char> = word.chars().collect();
    (1..letters.len()).map(move |at| {
        let mut letters = letters.clone();
        letters.swap(at - 1, at);
        letters.into_iter().collect()
    })
}

fn no_tool(name: &str, names: &[&str], loosen: &str) -> Problem {
    let problem = Problem::mistake(format!("there is no tool `{name}`"));
    match nearest(name, names.iter().copied()) {
        Some(near) => problem.hint(format!("did you mean `{near}`?")),
        None if names.is_empty() => problem.hint(format!("no command is offered: {loosen}")),
        None => {
            // Names that begin alike are most likely what was looked for.
            let alike = |start: &str| names.iter().filter(|n| n.starts_with(start)).count() > 0;
            let start = name.rsplit_once('_').map_or(name, |(start, _)| start);
            let shown: Vec<String> = names
                .iter()
                .filter(|other| !alike(start) || other.starts_with(start))
                .take(8)
                .map(|name| format!("`{name}`"))
                .collect();
            problem.hint(format!(
                "there are {}{}; `charmer tools` lists them all",
                shown.join(", "),
                if names.len() > shown.len() {
                    " and more"
                } else {
                    ""
                }
            ))
        }
    }
}

/// The input: a JSON object, one on standard input, or words.
fn input(served: &ServedTool, words: &[String]) -> Result<Map<String, Value>, Problem> {
    match words {
        [word] if word == "-" => {
            let mut text = String::new();
            std::io::stdin()
                .read_to_string(&mut text)
                .map_err(|error| {
                    Problem::failed(format!("standard input cannot be read: {error}"))
                })?;
            object(&text)
        }
        [word] if word.trim_start().starts_with('{') => object(word),
        words => Ok(from_words(&served.tool, words)?),
    }
}

fn object(text: &str) -> Result<Map<String, Value>, Problem> {
    match serde_json::from_str(text) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(Problem::mistake("the input is JSON, but no object")
            .hint(r#"write it as '{"key": "value"}'"#)),
        Err(error) => Err(Problem::mistake(format!("the input is no JSON: {error}"))
            .hint(r#"write it as '{"key": "value"}', or as words: --key value"#)),
    }
}

#[cfg(test)]
mod tests {
    use crate::confine::LOOSEN;

    use super::*;

    #[test]
    fn a_tool_that_is_not_there_is_named_with_the_nearest() {
        let names = ["docker_ps", "docker_image_ls", "docker_image_rm"];
        let told = |name| no_tool(name, &names, "").to_string();
        assert!(told("docker_pss").contains("did you mean `docker_ps`?"));
        let alike = told("docker_image_unheardof");
        assert!(alike.contains("`docker_image_ls`, `docker_image_rm`") && !alike.contains("_ps`"));
        assert!(
            no_tool("x", &[], LOOSEN)
                .to_string()
                .contains("--read-only")
        );
    }

    #[test]
    fn input_is_an_object() {
        assert!(object(r#"{"a": 1}"#).is_ok_and(|object| object["a"] == 1));
        assert!(object("[1]").is_err_and(|problem| problem.to_string().contains("no object")));
        assert!(object("{a: 1}").is_err_and(|problem| problem.to_string().contains("no JSON")));
    }
}
