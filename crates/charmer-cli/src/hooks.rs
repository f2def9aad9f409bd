//! The operator's programs that are asked about calls: where they run, and which of them are not there.

use std::path::Path;

use charmer_config::{Config, FilePlace, HookRules, SelectEntry, SourceEntry};
use charmer_run::{
    HookPrograms, HookRunner,
    process::{Engine, Environment, MODE},
};

use crate::settings::Settings;

/// The runner of the hooks of a charmer.yaml: with the server's environment, in the folder of the file.
pub(crate) fn runner(settings: &Settings, mark: &str, engine: &Engine) -> HookRunner {
    let variables = std::env::vars_os().filter(|(name, _)| name != MODE);
    let environment = Environment::inherit(variables).marked(mark, false);
    HookRunner::new(environment, settings.folder.clone(), engine.clone())
}

/// Returns true if a file, or one that it includes, names any.
pub(crate) fn has_any(config: &Config) -> bool {
    let files = std::iter::successors(Some(config), |config| config.baseline.as_deref());
    files.flat_map(all).any(|(_, rules)| !rules.is_empty())
}

/// One level of hooks: where it stands, and what it says.
pub(crate) type HookLevel<'s> = (String, &'s HookRules);

/// The hooks that are asked about calls: each level that has some, the outermost first. Those of an included file are asked
/// within all of the including one, so that they judge the call as it will be run and see what was printed.
pub(crate) fn levels<'s>(
    config: &'s Config,
    source: Option<&'s SourceEntry>,
    selector: Option<&'s SelectEntry>,
) -> Vec<HookLevel<'s>> {
    let of_file = |level: &str, rules: &'s HookRules| {
        let level = match &rules.folder {
            Some(folder) => format!("{level} in {}", folder.display()),
            None => level.to_owned(),
        };
        (level, rules)
    };
    let own = [
        Some(of_file("file", &config.hooks)),
        source.map(|source| of_file("source", &source.hooks)),
        selector.map(|selector| of_file("select", &selector.hooks)),
    ];
    let own = own.into_iter().flatten();
    let mut all: Vec<HookLevel<'s>> = own.filter(|(_, rules)| !rules.is_empty()).collect();
    if let Some(baseline) = &config.baseline {
        let source = source.and_then(|source| source.baseline.as_deref());
        let selector = selector.and_then(|selector| selector.baseline.as_deref());
        all.extend(levels(baseline, source, selector));
    }
    all
}

/// The same as what can be asked.
pub(crate) fn programs(levels: &[HookLevel<'_>], runner: &HookRunner) -> HookPrograms {
    let levels = levels.iter();
    levels.fold(HookPrograms::default(), |all, (_, rules)| {
        all.within(rules.level(runner))
    })
}

/// A hook that cannot be asked, and where the file names it.
#[derive(Debug)]
pub(crate) struct MissingHook {
    pub(crate) place: FilePlace,
    pub(crate) message: String,
}

/// The next step for whoever reads it.
pub(crate) const MISSING: &str =
    "install it, or correct the path: until then each of these calls is refused";

/// The hooks of a file whose programs are not there. Relative paths start in this folder.
pub(crate) fn missing(config: &Config, folder: &Path) -> Vec<MissingHook> {
    let variables = Environment::inherit(std::env::vars_os());
    let runner = HookRunner::new(variables, folder.to_owned(), Engine::default());
    all(config)
        .flat_map(|(steps, rules)| missing_of(rules, &runner, &steps))
        .collect()
}

/// The same, as sentences for whoever starts a server.
pub(crate) fn warnings(settings: &Settings, runner: &HookRunner) -> Vec<String> {
    let config = &settings.config;
    let files = std::iter::successors(Some(config), |config| config.baseline.as_deref());
    let all = files.flat_map(all);
    let missing = all.flat_map(|(steps, rules)| missing_of(rules, runner, &steps));
    missing
        .map(|hook| format!("{} ({MISSING})", hook.message))
        .collect()
}

fn missing_of(rules: &HookRules, runner: &HookRunner, level_at: &[String]) -> Vec<MissingHook> {
    let level = rules.level(runner);
    let missing = level.missing().map(|(moment, error)| MissingHook {
        place: FilePlace::of(["hooks", moment.as_str()])
            .within(level_at.iter().map(String::as_str)),
        message: format!("the hook `{moment}` cannot be asked: {}", error.message),
    });
    missing.collect()
}

/// The hooks of every level, and the steps that lead to it in the file.
fn all(config: &Config) -> impl Iterator<Item = (Vec<String>, &HookRules)> {
    let sources = config.sources.iter().enumerate();
    let within = sources.flat_map(|(at, source)| {
        let steps = vec!["sources".to_owned(), at.to_string()];
        let own = (steps.clone(), &source.hooks);
        let selectors = source.select.iter().enumerate();
        // An entry stands here several times where a file includes another.
        let selectors = selectors.filter(|(at, selector)| {
            let mut before = source.select[..*at].iter();
            !before.any(|one| one.is_same_entry(selector))
        });
        let selectors = selectors.map(move |(_, selector)| {
            let mut steps = steps.clone();
            steps.extend(["select".to_owned(), selector.number.to_string()]);
            (steps, &selector.hooks)
        });
        [own].into_iter().chain(selectors)
    });
    [(Vec::new(), &config.hooks)].into_iter().chain(within)
}
