//! The calls that a person must allow: the rules of the file and of `--ask`, for each command and each spell.

use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Mutex, PoisonError},
};

use charmer_config::{AskEntry, Config, SelectEntry, SourceEntry};
use charmer_core::{model::Effect, select::Candidate, tool::Tool};
use charmer_run::{Approvals, AskRule, AskWay, AskWhen};

#[cfg(unix)]
use crate::meeting;
#[cfg(unix)]
pub(crate) use crate::meeting::MeetingPlace;
use crate::{
    args::AskName,
    output,
    policy::{PreparedProgram, globs, names_spell},
    problem::Problem,
    rule::placed,
    settings::{ServedProgram, Settings},
    spells::SpellFolder,
};

/// The rules of a server, and which of them are for a command or spell that there is.
#[derive(Debug, Default)]
pub(crate) struct AskRules {
    met: Mutex<BTreeSet<String>>,
}

impl AskRules {
    /// The rules on the calls of a command, the first first.
    pub(crate) fn of_command(
        &self,
        settings: &Settings,
        program: &ServedProgram,
        prepared: &PreparedProgram,
        tool: &Tool,
    ) -> Vec<AskRule> {
        let selector = tool.selector.and_then(|at| program.source.select.get(at));
        let lists = lists(&settings.config, Some(&program.source), selector);
        let is_for = |entry: &AskEntry| {
            let command = prepared.cli.command(&tool.path);
            entry.command.is_empty()
                || command.is_some_and(|command| {
                    let name = &prepared.cli.root.name;
                    globs(&entry.command).matches(&Candidate::new(name, &tool.path, command))
                })
        };
        self.rules(settings, &lists, &is_for, Some(tool))
    }

    /// The rules on the calls of a spell.
    pub(crate) fn of_spell(
        &self,
        settings: &Settings,
        folder: Option<&SourceEntry>,
        name: &str,
    ) -> Vec<AskRule> {
        let lists = lists(&settings.config, folder, None);
        let is_for = |entry: &AskEntry| {
            entry.command.is_empty() || names_spell(&globs(&entry.command), name)
        };
        self.rules(settings, &lists, &is_for, None)
    }

    fn rules(
        &self,
        settings: &Settings,
        lists: &[Vec<&AskEntry>],
        is_for: &dyn Fn(&AskEntry) -> bool,
        tool: Option<&Tool>,
    ) -> Vec<AskRule> {
        let file = settings.selection.config.as_deref();
        let mut rules: Vec<AskRule> = of_option(settings.selection.ask).into_iter().collect();
        let mut met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        for (number, list) in lists.iter().enumerate() {
            for entry in list.iter().filter(|entry| is_for(entry)) {
                let said = said(entry, file);
                // The first list is that of the command line.
                let rule = entry.rule(said.clone()).in_list(number + 1);
                if tool.is_none_or(|tool| rule.applies_to(tool)) {
                    met.insert(said);
                    rules.push(rule);
                }
            }
        }
        rules
    }

    /// Rules that are for no command: whoever wrote them believes that somebody is asked.
    pub(crate) fn unmet(&self, settings: &Settings) -> Vec<String> {
        // A spell of that name may come while it is served, and other sources may be served by others.
        if settings.spells.is_some() || settings.programs.len() < settings.config.sources.len() {
            return Vec::new();
        }
        let file = settings.selection.config.as_deref();
        let met = self.met.lock().unwrap_or_else(PoisonError::into_inner);
        let narrow = |entry: &&AskEntry| !entry.command.is_empty() || entry.argument.is_some();
        let all = all(&settings.config).into_iter().filter(narrow);
        let said = all.map(|entry| said(entry, file));
        let unmet = said.filter(|said| !met.contains(said));
        unmet
            .map(|said| {
                format!(
                    "{said} is for no call: no command that is offered has such a name or argument"
                )
            })
            .collect()
    }
}

/// The rules on a command, a list for each file: an included one has its own say.
fn lists<'s>(
    config: &'s Config,
    source: Option<&'s SourceEntry>,
    selector: Option<&'s SelectEntry>,
) -> Vec<Vec<&'s AskEntry>> {
    let of_selector = selector.into_iter().flat_map(|selector| &selector.ask);
    let of_source = source.into_iter().flat_map(|source| &source.ask);
    let own = of_selector.chain(of_source).chain(&config.ask).collect();
    let mut all = vec![own];
    if let Some(baseline) = &config.baseline {
        let source = source.and_then(|source| source.baseline.as_deref());
        let selector = selector.and_then(|selector| selector.baseline.as_deref());
        all.extend(lists(baseline, source, selector));
    }
    all
}

/// Everything that somebody said, in whatever place.
fn all(config: &Config) -> Vec<&AskEntry> {
    let of_sources = config.sources.iter().flat_map(|source| {
        let selectors = source.select.iter();
        let of_selectors = selectors.flat_map(|selector| &selector.ask);
        source.ask.iter().chain(of_selectors)
    });
    let mut all: Vec<&AskEntry> = config.ask.iter().chain(of_sources).collect();
    if let Some(baseline) = &config.baseline {
        all.extend(self::all(baseline));
    }
    all
}

/// Returns true if a person may be asked about some call.
pub(crate) fn may_ask(settings: &Settings) -> bool {
    let selectors = settings.programs.iter().flat_map(|one| &one.source.select);
    settings.selection.ask.is_some()
        || settings
            .spells
            .as_ref()
            .is_some_and(SpellFolder::asks_persons)
        || selectors.into_iter().any(|one| one.confirmed_by_person)
        || crate::hooks::has_any(&settings.config)
        || all(&settings.config)
            .iter()
            .any(|entry| entry.when != AskWhen::Never)
}

/// The rules that nobody but a person at a terminal can answer, named.
pub(crate) fn need_terminal(settings: &Settings) -> Option<String> {
    let file = settings.selection.config.as_deref();
    let all = all(&settings.config);
    let mut needs = all.iter().filter(|entry| entry.by == [AskWay::Terminal]);
    needs.next().map(|entry| said(entry, file))
}

/// Where there are no terminals to approve at.
#[cfg(not(unix))]
pub(crate) struct MeetingPlace;

/// Opens the place where terminals come to a server that may ask. One that could never ask is refused; one that cannot be
/// come to, and may still ask a client, is told of.
pub(crate) fn meet(
    settings: &Settings,
    approvals: &Approvals,
) -> Result<Option<MeetingPlace>, Problem> {
    if !may_ask(settings) {
        return Ok(None);
    }
    #[cfg(unix)]
    let opened = meeting::open(approvals);
    #[cfg(not(unix))]
    let opened: Result<MeetingPlace, String> = {
        let _ = approvals;
        Err("there is no `charmer approve` on this system".into())
    };
    match (opened, need_terminal(settings)) {
        (Ok(place), _) => Ok(Some(place)),
        (Err(why), Some(rule)) => {
            let message = format!("nobody could ever be asked, although {rule} wants it: {why}");
            Err(Problem::mistake(message).hint(
                "set CHARMER_DATA to the absolute path of a folder of yours, or write `by: [client]`",
            ))
        }
        (Err(why), None) => {
            output::warn(&format!(
                "`charmer approve` cannot come to this server: {why}"
            ));
            Ok(None)
        }
    }
}

/// The rule of `--ask`, which goes before those of the file: what a person says last is asked in any case.
fn of_option(option: Option<AskName>) -> Option<AskRule> {
    let rule = |name: &str| AskRule::new(AskWhen::Always, format!("`--ask {name}`"));
    Some(match option? {
        AskName::Destroy => rule("destroy").effect(Effect::Destroy),
        AskName::Write => rule("write").effect(Effect::Write),
        AskName::All => rule("all"),
    })
}

/// The words by which a rule is named to whoever is asked.
fn said(entry: &AskEntry, file: Option<&Path>) -> String {
    let mut about = Vec::new();
    if let Some(effect) = entry.effect {
        about.push(format!("effect {}", effect.name()));
    }
    if !entry.command.is_empty() {
        about.push(format!("command {}", entry.command.join(", ")));
    }
    match (&entry.argument, &entry.pattern) {
        (Some(argument), Some(pattern)) => {
            about.push(format!("argument {argument} like `{}`", pattern.as_str()));
        }
        (Some(argument), None) => about.push(format!("argument {argument}")),
        (None, _) => {}
    }
    let about = match about.is_empty() {
        true => "every call".to_owned(),
        false => about.join(", "),
    };
    format!("the rule `ask`{} on {about}", placed(file, &entry.position))
}
