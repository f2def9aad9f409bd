//! One cast: input checked, folder opened, command line and environment built, program run.

use std::{
    path::PathBuf,
    sync::Arc,
    task::{Context, Poll},
};

use charmer_core::{
    call::{MAX_ELEMENT_BYTES, Refusal, Violation},
    output::chooses_look,
};
use charmer_run::{
    Call, CallError, ErrorCode, Limits, Outcome, Progress,
    layers::Audit,
    process::{Launcher, Request},
};
use tokio_util::sync::CancellationToken;
use tower::Service;

use crate::{
    SpellOptions, confine,
    directory::{self, Denied, Directory},
    environment,
    input::Given,
    load::{Entry, find_program},
    spell::{ArgType, Spell},
    state::is_gone,
    template::Part,
};

/// What a cast goes by besides the spell.
#[derive(Debug, Clone)]
pub(crate) struct How {
    pub(crate) limits: Limits,
    pub(crate) cancel: CancellationToken,
    pub(crate) progress: Progress,
}

impl How {
    pub(crate) fn of(call: &Call) -> Self {
        Self {
            limits: call.limits.clone(),
            cancel: call.cancel.clone(),
            progress: call.progress.clone(),
        }
    }
}

/// The call path of one spell's own tool.
#[derive(Debug, Clone)]
pub(crate) struct Cast {
    pub(crate) entry: Arc<Entry>,
    pub(crate) options: Arc<SpellOptions>,
    pub(crate) base: PathBuf,
}

impl Service<Call> for Cast {
    type Response = Outcome;
    type Error = CallError;
    type Future = std::pin::Pin<Box<dyn Future<Output = Result<Outcome, CallError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, call: Call) -> Self::Future {
        let cast = self.clone();
        Box::pin(async move {
            let given = Given::of_tool(&cast.entry.spell, &call.input)?;
            cast.run(&given, How::of(&call)).await
        })
    }
}

impl Cast {
    /// Runs the spell.
    pub(crate) async fn run(&self, given: &Given, mut how: How) -> Result<Outcome, CallError> {
        let entry = &*self.entry;
        let spell = &entry.spell;
        // The watcher may not have seen it yet, but what is deleted is gone.
        let there = entry.file.symlink_metadata();
        if there.is_err_and(|error| is_gone(&error)) {
            return Err(not_registered(&spell.name));
        }
        permitted(spell, given)?;
        let arguments = given.checked(spell)?;
        let folder = self.folder(given)?;
        let values = self.values(&arguments, &folder)?;
        let program = self.program()?;
        let mut environment = entry.environment.clone();
        for (name, value) in &values {
            environment.set(environment::variable(name), value);
        }
        let json = entry.structure.asks_for_json();
        let argv = argv(spell, &given.flags, json, &values)?;
        let lookup = |name: &str| value_of(&values, name);
        let stdin = spell
            .stdin
            .as_ref()
            .and_then(|template| template.fill(lookup));
        if how.cancel.is_cancelled() {
            return Err(CallError::new(
                ErrorCode::Cancelled,
                "the call was cancelled before it began",
            ));
        }
        how.limits.timeout = how.limits.timeout.min(self.options.time_of(spell));
        let most = how.limits.output_chars;
        let words = argv.iter().cloned();
        Audit::leave_argv([program.display().to_string()].into_iter().chain(words));
        let mut request = Request::new(argv.into_iter().map(Into::into).collect(), how.limits)
            .progress(how.progress);
        request.stdin = stdin.map(String::into_bytes);
        let mut launcher = Launcher::new(
            program.clone(),
            environment,
            Some(folder.current_dir()),
            self.options.engine.clone(),
        );
        if spell.confine {
            let roots = entry.roots.clone();
            launcher = launcher.confined_by(Arc::new(move || {
                confine::keep_to(&roots, &program).map_err(|reason| {
                    CallError::refused(format!("`confine` cannot be enforced here: {reason}"))
                })
            }));
        }
        let outcome = launcher.run(request, how.cancel).await;
        // It must be open until the program has started in it.
        drop(folder);
        let outcome = outcome?;
        Ok(match entry.structure.is_idle() {
            true => outcome,
            false => entry.structure.apply(outcome, most).await,
        })
    }

    fn folder(&self, given: &Given) -> Result<Directory, CallError> {
        let spell = &self.entry.spell;
        if !spell.can_run() {
            return Err(CallError::refused(format!(
                "the spell `{}` may run nowhere, because its `paths` is empty",
                spell.name
            ))
            .hint("its author has to list the folders, like `paths: [.]` for the one that holds `spells/`"));
        }
        let permitted = || {
            let list: Vec<String> = self
                .entry
                .roots
                .iter()
                .map(|root| format!("`{}`", root.display()))
                .collect();
            list.join(", ")
        };
        Directory::open(&self.entry.roots, given.path.as_deref()).map_err(|denied| match denied {
            Denied::Outside => CallError::refused(format!(
                "the path `{}` is not beneath a permitted folder",
                given.path.as_deref().unwrap_or_default().escape_debug()
            ))
            .hint(format!(
                "permitted are {}; `~`, variables and URLs have no meaning",
                permitted()
            )),
            Denied::Missing(path) if given.path.is_some() => {
                CallError::refused(format!("the path `{}` does not exist", path.display()))
                    .hint(format!("folders beneath {} can be given", permitted()))
            }
            Denied::Missing(path) => CallError::new(
                ErrorCode::NotStarted,
                format!("the working directory `{}` does not exist", path.display()),
            )
            .hint("create it, or change the spell's `paths`"),
            Denied::Unusable(path, reason) => {
                CallError::refused(format!("`{}` cannot be run in: {reason}", path.display()))
                    .hint("it must be a folder that may be entered")
            }
        })
    }

    /// The arguments as text, with paths resolved and checked.
    fn values(
        &self,
        arguments: &[(String, serde_json::Value)],
        folder: &Directory,
    ) -> Result<Vec<(String, String)>, CallError> {
        let mut values = Vec::new();
        for (name, value) in arguments {
            let mut text = environment::text(value);
            let kind = self.entry.spell.arg(name).map(|arg| arg.kind);
            if kind == Some(ArgType::Path) {
                let settled = directory::settle(&folder.path.join(&text));
                let settled = settled
                    .ok()
                    .filter(|path| directory::is_beneath(path, &self.entry.roots));
                let Some(path) = settled.and_then(|path| path.into_os_string().into_string().ok())
                else {
                    return Err(CallError::refused(format!(
                        "`{name}`: the path `{}` is not beneath a permitted folder",
                        text.escape_debug()
                    )));
                };
                text = path;
            }
            values.push((name.clone(), text));
        }
        Ok(values)
    }

    fn program(&self) -> Result<PathBuf, CallError> {
        // What could not be found when the spell was loaded may have been installed since.
        self.entry.program.clone().or_else(|_| {
            let search_path = environment::search_path(&self.options.variables);
            find_program(&self.entry.spell.command[0], &search_path, &self.base)
        })
    }
}

/// There is no such spell.
pub(crate) fn not_registered(name: &str) -> CallError {
    CallError::new(
        ErrorCode::NotRegistered,
        format!("there is no spell `{}`", name.escape_debug()),
    )
    .hint("`list_spells` shows those that there are")
}

/// Every element that a caller adds is one of the list, as a whole.
fn permitted(spell: &Spell, given: &Given) -> Result<(), CallError> {
    if let Some(flag) = given.flags.iter().find(|flag| !spell.flags.contains(flag)) {
        let hint = if spell.flags.is_empty() {
            "this spell permits none".to_owned()
        } else {
            format!(
                "permitted are `{}`, each as it stands",
                spell.flags.join("`, `")
            )
        };
        let shown: String = flag.chars().take(80).collect();
        return Err(CallError::refused(format!(
            "the flag `{}` is not permitted",
            shown.escape_debug()
        ))
        .hint(hint));
    }
    if spell.confirm && !given.confirm {
        return Err(CallError::refused("this spell must be confirmed")
            .hint("give `confirm: true` once the user has agreed"));
    }
    Ok(())
}

fn value_of<'v>(values: &'v [(String, String)], name: &str) -> Option<&'v str> {
    values
        .iter()
        .find(|(other, _)| other == name)
        .map(|(_, value)| value.as_str())
}

/// Whether the author wrote this very value: as a choice or as the default.
fn is_authors(spell: &Spell, name: &str, values: &[(String, String)]) -> bool {
    let given = value_of(values, name);
    spell.arg(name).is_some_and(|arg| {
        let default = arg.default.as_ref().map(environment::text);
        !arg.choices.is_empty() || given.is_some() && default.as_deref() == given
    })
}

/// The command line: the command's words, what the caller added, what asks for JSON if that is wanted, what the author
/// wrote. An element with a place for an argument that was not given is left out.
pub(crate) fn argv(
    spell: &Spell,
    flags: &[String],
    json: bool,
    values: &[(String, String)],
) -> Result<Vec<String>, CallError> {
    let written = written(spell, values)?;
    let mut argv: Vec<String> = spell.command[1..].to_vec();
    argv.extend(flags.iter().cloned());
    if json && !flags.iter().chain(&written).any(|word| looks(spell, word)) {
        argv.extend(spell.json.iter().cloned());
    }
    argv.extend(written);
    Ok(argv)
}

/// Whether a word chooses how the output looks: with a flag that programs have for that, or with the spell's own for JSON.
fn looks(spell: &Spell, word: &str) -> bool {
    let name = |word: &str| word.split('=').next().map(str::to_owned);
    let mut own = spell.json.iter().filter(|word| word.starts_with('-'));
    chooses_look(word) || own.any(|own| name(own) == name(word))
}

/// What the author wrote behind the command, filled in.
fn written(spell: &Spell, values: &[(String, String)]) -> Result<Vec<String>, CallError> {
    let mut argv = Vec::new();
    let mut wrong = Vec::new();
    for template in &spell.argv {
        for name in template.names() {
            let is_number = spell
                .arg(name)
                .is_some_and(|arg| matches!(arg.kind, ArgType::Integer | ArgType::Number));
            let dashed = value_of(values, name).is_some_and(|value| value.starts_with('-'));
            let chosen = is_authors(spell, name, values);
            // A number behind `--offset=` may be negative, and what the author lists is the author's.
            let leads = matches!(template.parts.first(), Some(Part::Arg(_)))
                || matches!(template.start(), "-" | "--");
            if dashed && !chosen && (leads || !is_number) {
                wrong.push(
                    Violation::new(name, "a value that does not begin with `-`")
                        .hint("the program would take it for an option"),
                );
            }
        }
        let Some(element) = template.fill(|name| value_of(values, name)) else {
            continue;
        };
        // Values that are empty must not let the next one begin the element.
        let fixed_start = !template.start().is_empty();
        let author_dash = template.names().any(|name| is_authors(spell, name, values));
        if element.starts_with('-') && !fixed_start && !author_dash && wrong.is_empty() {
            let name = template.names().next().unwrap_or_default();
            wrong.push(Violation::new(
                name,
                "an element that does not begin with `-`",
            ));
        }
        if element.len() > MAX_ELEMENT_BYTES {
            let name = template.names().next().unwrap_or_default();
            wrong.push(Violation::new(
                name,
                format!("at most {MAX_ELEMENT_BYTES} bytes in one element"),
            ));
        }
        argv.push(element);
    }
    if wrong.is_empty() {
        Ok(argv)
    } else {
        Err(Refusal::Invalid(wrong).into())
    }
}
