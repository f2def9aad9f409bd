//! A spell's call path: its tool, its program, and the policy that decides where it runs and what it sees.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_core::{
    call::{Bound, MAX_ELEMENT_BYTES, Refusal, Violation},
    model::ValueType,
    tool::Tool,
};
use charmer_run::{
    AskRule, AskWhen, CallError, CallPath, ErrorCode, HookLevel, Policy, Rule, RunPlace,
    ServedTool, SharedSteps,
    folder::{Denied, HeldFolder, is_beneath, settle},
    process::Launcher,
};

use crate::{
    SpellOptions, confine, environment,
    load::{LoadedSpell, find_program},
    state::is_gone,
};

/// A spell that is about to be served or cast.
#[derive(Debug, Clone)]
pub(crate) struct Cast {
    pub(crate) entry: Arc<LoadedSpell>,
    pub(crate) options: Arc<SpellOptions>,
    pub(crate) base: PathBuf,
    /// The folder for what one call writes down, where it may write nothing else.
    pub(crate) scratch: Option<PathBuf>,
}

impl Cast {
    /// The spell's own tool with its call path, behind these steps.
    pub(crate) fn serve(self, shared: &SharedSteps) -> ServedTool {
        let (entry, options) = (Arc::clone(&self.entry), Arc::clone(&self.options));
        let spell = &entry.spell;
        // One that is not there yet is looked for again when it is called.
        let named = PathBuf::from(&spell.command[0]);
        let program = entry.program.clone().unwrap_or(named);
        let launcher = Launcher::new(
            program,
            entry.environment.clone(),
            None,
            options.engine.clone(),
        );
        let launcher = match confine::drafting(&self) {
            Some(drafting) => launcher.drafting(drafting),
            None => launcher,
        };
        let limits = options.limits.clone().timeout(options.time_of(spell));
        let target = confine::target(&self, launcher);
        let hooks = options.hooks.clone();
        let hooks = match spell.hooks.is_empty() {
            true => hooks,
            false => hooks.within(self.own_hooks()),
        };
        let asks = options.asks.as_ref();
        let mut asks = asks.map_or_else(Vec::new, |rules| rules.of(&spell.name));
        if spell.confirmed_by_person {
            let said = format!("`confirm: person` of the spell `{}`", spell.name);
            asks.insert(0, AskRule::new(AskWhen::Always, said));
        }
        CallPath::new(Arc::clone(&entry.tool), target)
            .policy(Arc::new(self))
            .rule(Rule::new(format!(
                "the spell `{}` ({})",
                spell.name,
                entry.file.display()
            )))
            .structure(entry.structure.clone())
            .hooks(hooks)
            .asks(asks)
            .redactor(options.engine.redactor().clone())
            .limits(limits)
            // It looks at folders before it runs.
            .may_block(true)
            .serve(shared)
    }

    /// Returns true if its calls can be drafts.
    pub(crate) fn can_be_drafted(&self) -> bool {
        confine::drafting(self).is_some()
    }

    /// The programs that its file names in `hooks`. Where only accepted spells run, they are looked at before they are
    /// started: the policy decides after them.
    fn own_hooks(&self) -> HookLevel {
        let runner = self.options.hook_runner(&self.base);
        let level = self.entry.spell.hooks.level(&runner);
        if self.options.locked.is_none() {
            return level;
        }
        let cast = self.clone();
        level.guarded_by(Arc::new(move || {
            cast.check_files(&cast.program()?, &cast.base)
        }))
    }

    /// Refuses files that are not as they were accepted, for a run of this program in this folder.
    fn check_files(&self, program: &Path, folder: &Path) -> Result<(), CallError> {
        match self.entry.files.changed(program, folder) {
            Some(word) => Err(changed_file(&self.entry.spell.name, &word)),
            None => Ok(()),
        }
    }

    fn folder(&self, asked: Option<&str>) -> Result<HeldFolder, CallError> {
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
        HeldFolder::open(&self.entry.roots, asked).map_err(|denied| match denied {
            Denied::Outside => CallError::refused(format!(
                "the path `{}` is not beneath a permitted folder",
                asked.unwrap_or_default().escape_debug()
            ))
            .hint(format!(
                "permitted are {}; `~`, variables and URLs have no meaning",
                permitted()
            )),
            Denied::Missing(path) if asked.is_some() => {
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

    /// A path that a caller gave, with its links resolved, if it is beneath a permitted folder.
    fn settled(&self, name: &str, path: &str, folder: &Path) -> Result<String, CallError> {
        let settled = settle(&folder.join(path));
        let settled = settled
            .ok()
            .filter(|path| is_beneath(path, &self.entry.roots));
        let text = settled.and_then(|path| path.into_os_string().into_string().ok());
        text.ok_or_else(|| {
            CallError::refused(format!(
                "`{name}`: the path `{}` is not beneath a permitted folder",
                path.escape_debug()
            ))
        })
    }

    fn program(&self) -> Result<PathBuf, CallError> {
        // What could not be found when the spell was loaded may have been installed since.
        self.entry.program.clone().or_else(|_| {
            let search_path = environment::search_path(&self.options.variables);
            find_program(&self.entry.spell.command[0], &search_path, &self.base)
        })
    }
}

impl Policy for Cast {
    fn decide(
        &self,
        tool: &Tool,
        bound: &mut Bound,
        place: &mut RunPlace,
    ) -> Result<(), CallError> {
        let spell = &self.entry.spell;
        // The watcher may not have seen it yet, but what is deleted is gone.
        let there = self.entry.file.symlink_metadata();
        if there.is_err_and(|error| is_gone(&error)) {
            return Err(not_registered(&spell.name));
        }
        if spell.confirm && !bound.confirmed {
            return Err(CallError::refused(
                "this spell must be confirmed: `confirm` says that the user has agreed to this very run",
            )
            .hint("ask the user, then give `confirm: true`"));
        }
        let folder = self.folder(bound.folder.as_deref())?;
        for (at, values) in &mut bound.positionals {
            let Some(property) = tool.input.positionals.get(*at) else {
                continue;
            };
            if property.positional.value_type == ValueType::Path {
                for value in values {
                    *value = self.settled(&property.key, value, &folder.path)?;
                }
            }
        }
        place.variables = variables(bound.arguments(&tool.input))?;
        if let Some(scratch) = &self.scratch {
            place.variables.push(("TMPDIR".into(), scratch.into()));
        }
        let program = self.program()?;
        if self.options.locked.is_some() {
            self.check_files(&program, &folder.path)?;
        }
        place.program = Some(program);
        place.folder = Some(Arc::new(folder));
        Ok(())
    }
}

/// The variables that hold the arguments; none may be longer than what a system takes.
fn variables<'a>(
    arguments: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<(std::ffi::OsString, std::ffi::OsString)>, CallError> {
    let mut variables = Vec::new();
    let mut wrong = Vec::new();
    for (name, value) in arguments {
        let variable = environment::variable(name);
        let most = MAX_ELEMENT_BYTES - variable.len() - 1;
        if value.len() > most {
            let violation = Violation::new(name, format!("at most {most} bytes"));
            wrong.push(violation.hint(format!("it has {}", value.len())));
        }
        variables.push((variable.into(), value.into()));
    }
    match wrong.is_empty() {
        true => Ok(variables),
        false => Err(Refusal::Invalid(wrong).into()),
    }
}

/// A file that a spell names is not the one that was accepted with it.
fn changed_file(name: &str, word: &str) -> CallError {
    CallError::refused(format!(
        "`{}`, which the spell `{name}` names, was not accepted as it is now",
        word.escape_debug()
    ))
    .hint("a person has to look at it and accept it with `charmer spell trust`")
}

/// There is no such spell.
pub(crate) fn not_registered(name: &str) -> CallError {
    CallError::new(
        ErrorCode::NotRegistered,
        format!("there is no spell `{}`", name.escape_debug()),
    )
    .hint("`list_spells` shows those that there are")
}
