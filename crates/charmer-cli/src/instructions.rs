//! The instructions that an assistant gets before it sees the tools.

use crate::{read, settings::Settings};

/// The number of programs that are named, and how long a name may be that is worth its tokens.
const NAMED: usize = 5;
const LONGEST: usize = 24;

/// A sentence on what is here.
pub(crate) fn what_is_here(settings: &Settings) -> String {
    let names: Vec<String> = settings.programs.iter().map(|p| p.name()).collect();
    sentence(&names, settings.spells.is_some())
}

/// Instructions that say which programs could not be read whole by now.
pub(crate) fn with_unread(instructions: &str, settings: &Settings) -> String {
    let cache = read::cache_or_none();
    let programs = settings.programs.iter();
    let unread = programs.filter(|program| cache.has_incomplete(&program.path));
    let names: Vec<String> = unread.map(|program| program.name()).collect();
    format!("{instructions}{}", unread_sentence(&names))
}

fn unread_sentence(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] if name.len() <= LONGEST => {
            format!(" Some commands of {name} could not be read yet.")
        }
        _ => " Some commands could not be read yet.".to_owned(),
    }
}

fn sentence(names: &[String], spells: bool) -> String {
    let short = names.iter().filter(|name| name.len() <= LONGEST);
    let named: Vec<&str> = short.map(String::as_str).take(NAMED).collect();
    let of = match (named.join(", "), names.len() - named.len()) {
        (named, 0) => named,
        (named, 1) if named.is_empty() => "a program".to_owned(),
        (named, more) if named.is_empty() => format!("{more} programs"),
        (named, 1) => format!("{named} and another program"),
        (named, more) => format!("{named} and {more} other programs"),
    };
    match (names.is_empty(), spells) {
        (true, _) => "Runs this project's spells.".to_owned(),
        (false, false) => format!("Runs commands of {of}."),
        (false, true) => format!("Runs commands of {of}, and this project's spells."),
    }
}

#[cfg(test)]
mod tests {
    use charmer_core::expose::Expose;
    use charmer_run::Exposure;

    use super::*;
    use crate::tokens;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn programs_and_spells_are_named() {
        let two = names(&["docker", "gh"]);
        assert_eq!(sentence(&two, false), "Runs commands of docker, gh.");
        let spells = "Runs commands of docker, gh, and this project's spells.";
        assert_eq!(sentence(&two, true), spells);
        assert_eq!(sentence(&[], true), "Runs this project's spells.");
        let long = names(&["a-program-with-a-name-that-nobody-would-read"]);
        assert_eq!(sentence(&long, false), "Runs commands of a program.");
    }

    #[test]
    fn instructions_are_short_whatever_is_served() {
        let odd: Vec<String> = (0..300)
            .map(|at| format!("Xq-{at:06}_zWk.{at:06}"))
            .collect();
        for mode in [Expose::All, Expose::Index, Expose::Auto] {
            let text = Exposure::new(mode).instructions(&sentence(&odd, true));
            let text = text + &unread_sentence(&odd);
            assert!(
                tokens::count(&text) <= 150,
                "{} for {text}",
                tokens::count(&text)
            );
        }
    }
}
