//! What an assistant is told of what is served, before it sees the tools.

use crate::settings::Settings;

/// How many programs are named.
const NAMED: usize = 8;
/// A longer name is not worth its tokens.
const LONGEST: usize = 40;

/// What is here, in one sentence.
pub(crate) fn what_is_here(settings: &Settings) -> String {
    let mut names: Vec<String> = settings.programs.iter().map(|p| p.name()).collect();
    names.dedup();
    names.retain(|name| name.len() <= LONGEST);
    let more = settings.programs.len() - names.len().min(NAMED);
    names.truncate(NAMED);
    let mut of = names.join(", ");
    if more > 0 {
        of.push_str(&format!(" and {more} more programs"));
    }
    match (settings.programs.is_empty(), settings.spells.is_some()) {
        (true, _) => "Runs this project's spells.".to_owned(),
        (false, false) => format!("Runs commands of {}.", of.trim_start_matches(" and ")),
        (false, true) => format!(
            "Runs commands of {}, and this project's spells.",
            of.trim_start_matches(" and ")
        ),
    }
}
