//! The operator's programs that are asked about calls: where they run, and which of them are not there.

use std::path::Path;

use charmer_config::{Config, FilePlace, HookRules};
use charmer_run::{
    HookRunner,
    process::{Engine, Environment, MODE},
};

use crate::settings::{ServedProgram, Settings};

/// Who runs the hooks of a charmer.yaml: with the server's environment, in the folder of the file.
pub(crate) fn runner(settings: &Settings, mark: &str, engine: &Engine) -> HookRunner {
    let variables = std::env::vars_os().filter(|(name, _)| name != MODE);
    let environment = Environment::inherit(variables).marked(mark, false);
    HookRunner::new(environment, settings.folder.clone(), engine.clone())
}

/// Returns true if a file names any.
pub(crate) fn has_any(config: &Config) -> bool {
    all(config).any(|(_, rules)| !rules.is_empty())
}

/// The hooks that are asked about calls of a program's command: each level that has some, the outermost first. Without a
/// selector, those of the program as a whole.
pub(crate) fn levels<'s>(
    settings: &'s Settings,
    program: &'s ServedProgram,
    selector: Option<usize>,
) -> Vec<(&'static str, &'s HookRules)> {
    let selector = selector.and_then(|at| program.source.select.get(at));
    let levels = [
        Some(("file", &settings.config.hooks)),
        Some(("source", &program.source.hooks)),
        selector.map(|selector| ("select", &selector.hooks)),
    ];
    let levels = levels.into_iter().flatten();
    levels.filter(|(_, rules)| !rules.is_empty()).collect()
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
    let all = all(&settings.config);
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
        let selectors = selectors.map(move |(number, selector)| {
            let mut steps = steps.clone();
            steps.extend(["select".to_owned(), number.to_string()]);
            (steps, &selector.hooks)
        });
        [own].into_iter().chain(selectors)
    });
    [(Vec::new(), &config.hooks)].into_iter().chain(within)
}
