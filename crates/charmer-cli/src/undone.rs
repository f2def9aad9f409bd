//! Flags that undo what a pinned flag restricts: `--all-namespaces` where `--namespace` is pinned.
//!
//! The file can name them (`undone_by`). Beside that there are rules that hold for all programs: what the names of two
//! flags say of each other, and what the help of one says of the other.

use std::collections::{BTreeMap, BTreeSet};

use charmer_config::{Redirects, SourceEntry};
use charmer_core::{
    model::{Cli, Command, CommandPath, Flag},
    select::names_flag,
    text::nearest,
};

use crate::{
    args::Selection,
    policy::{self, LeftOut},
    settings::ServedProgram,
};

/// Words behind which a flag is named that loses what it was set to.
const BEATS: [&str; 13] = [
    "override",
    "overrides",
    "overriding",
    "ignore",
    "ignores",
    "ignoring",
    "regardless of",
    "precedence over",
    "supersede",
    "supersedes",
    "disregards",
    "bypass",
    "bypasses",
];
/// Words behind a flag's name where it loses what it was set to.
const BEATEN: [&str; 8] = [
    "is ignored",
    "are ignored",
    "will be ignored",
    "is overridden",
    "will be overridden",
    "is disregarded",
    "has no effect",
    "is not used",
];
/// Words that turn the meaning of such a sentence around.
const NEGATIONS: [&str; 7] = [
    "not", "never", "cannot", "can't", "doesn't", "won't", "without",
];
/// Words that a raw request is made of.
const REQUESTED: [&str; 5] = ["uri", "url", "request", "endpoint", "requests"];

/// Hides the flags that undo what is pinned, unless somebody asks for one by its name, and says so.
pub(crate) fn withhold(
    cli: &mut Cli,
    program: &ServedProgram,
    selection: &Selection,
    warnings: &mut Vec<String>,
) -> Vec<LeftOut> {
    let source = &program.source;
    if source.set.is_empty() {
        warnings.extend(idle(cli, source));
        return Vec::new();
    }
    let mut found: Vec<(LeftOut, String)> = Vec::new();
    cli.walk(&mut |path, lineage| {
        for (out, pin) in undone_at(path, lineage, program) {
            let known = |(other, _): &(LeftOut, String)| {
                (&other.command, &other.id) == (&out.command, &out.id)
            };
            if !found.iter().any(known) {
                found.push((out, pin));
            }
        }
    });
    let asked_for = |out: &LeftOut| {
        let flags = cli.command(&out.command).into_iter();
        let mut flags = flags.flat_map(|command| &command.flags);
        let flag = flags.find(|flag| flag.id == out.id);
        let by_option = |flag: &Flag| {
            selection
                .with_flags
                .iter()
                .any(|name| names_flag(name, flag))
        };
        let by_file = |flag: &Flag| {
            matches!(source.redirects, Redirects::Only(_)) && source.redirects.lets_in(flag)
        };
        flag.is_some_and(|flag| by_option(flag) || by_file(flag))
    };
    let (offered, withheld): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|(out, _)| asked_for(out));
    for (list, what) in [
        (&withheld, "is pinned, so what undoes it is withheld"),
        (
            &offered,
            "is pinned, but what undoes it was asked for and is offered",
        ),
    ] {
        let mut by_pin: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (out, pin) in list {
            by_pin.entry(pin).or_default().insert(&out.flag);
        }
        for (pin, flags) in by_pin {
            let flags: Vec<String> = flags.iter().map(|flag| format!("`{flag}`")).collect();
            warnings.push(format!(
                "{}: `{pin}` {what}: {}",
                cli.root.name,
                flags.join(", ")
            ));
        }
    }
    warnings.extend(idle(cli, source));
    let withheld: Vec<LeftOut> = withheld.into_iter().map(|(out, _)| out).collect();
    withheld.iter().for_each(|out| policy::withhold(cli, out));
    withheld
}

/// The flags of a command and its ancestors that undo a pin, each with the pin. Either stands at the command itself: pairs of
/// its ancestors are theirs.
fn undone_at(
    path: &CommandPath,
    lineage: &[&Command],
    program: &ServedProgram,
) -> Vec<(LeftOut, String)> {
    let is_pinned = |flag: &Flag| program.source.set.keys().any(|name| names_flag(name, flag));
    let leaf = lineage.len() - 1;
    let all = || {
        let levels = lineage.iter().enumerate();
        levels.flat_map(|(depth, command)| command.flags.iter().map(move |flag| (depth, flag)))
    };
    let mut found = Vec::new();
    for (level, pinned) in all().filter(|(_, flag)| is_pinned(flag)) {
        let others = all().filter(|(depth, flag)| {
            (*depth == leaf || level == leaf) && !flag.hidden && !is_pinned(flag)
        });
        for (depth, flag) in others {
            if let Some(reason) = undoes(flag, pinned, &program.undone_by) {
                let out = LeftOut {
                    command: path.words()[..depth].iter().cloned().collect(),
                    id: flag.id.clone(),
                    flag: flag.display_name(),
                    told: LeftOut::told(flag, &reason),
                    reason,
                };
                found.push((out, pinned.display_name()));
            }
        }
    }
    found
}

/// The warnings about names under `undone_by` of the file that no flag has, and about those that stand for a pin and
/// are none: such an entry does nothing.
fn idle(cli: &Cli, source: &SourceEntry) -> Vec<String> {
    let mut flags: Vec<&Flag> = Vec::new();
    cli.walk(&mut |_, lineage| {
        let own = lineage.last().into_iter();
        let own = own.flat_map(|command| &command.flags);
        flags.extend(own.map(AsRef::as_ref));
    });
    let is_pinned = |flag: &Flag| source.set.keys().any(|name| names_flag(name, flag));
    let (pins, others): (Vec<&Flag>, Vec<&Flag>) = flags.iter().partition(|flag| is_pinned(flag));
    let has = |flags: &[&Flag], name: &str| flags.iter().any(|flag| names_flag(name, flag));
    let near = |name: &str, flags: &[&Flag]| {
        let known = flags.iter().filter_map(|flag| flag.long.as_deref());
        nearest(name.trim_start_matches('-'), known)
            .map(|near| format!("; did you mean `--{near}`?"))
    };
    let program = &cli.root.name;
    let mut told = Vec::new();
    for (pin, names) in &source.undone_by {
        let meant = near(pin, &pins);
        if has(&others, pin) && !has(&pins, pin) {
            let meant = meant.unwrap_or_else(|| ": pin it there, or remove the entry".to_owned());
            told.push(format!(
                "`undone_by` has an entry for `{pin}` of `{program}`, which `set` does not pin{meant}"
            ));
        } else if !has(&pins, pin) {
            let meant = meant.or_else(|| near(pin, &others)).unwrap_or_default();
            told.push(format!(
                "`undone_by` has an entry for `{pin}`, which is no flag of `{program}`{meant}"
            ));
        }
        for name in names.iter().filter(|name| !has(&flags, name)) {
            let meant = near(name, &flags).unwrap_or_default();
            told.push(format!(
                "`undone_by` names `{name}`, which is no flag of `{program}`{meant}"
            ));
        }
    }
    told
}

/// The reason why a flag undoes a pinned one, if it does. `named` is what the file says under `undone_by`.
pub(crate) fn undoes(
    flag: &Flag,
    pinned: &Flag,
    named: &BTreeMap<String, Vec<String>>,
) -> Option<String> {
    let pin = pinned.display_name();
    let mut entries = named.iter().filter(|(name, _)| names_flag(name, pinned));
    if entries.any(|(_, flags)| flags.iter().any(|name| names_flag(name, flag))) {
        return Some(format!("undoes the pinned `{pin}` (`undone_by`)"));
    }
    let by_name = names(flag).any(|one| names(pinned).any(|other| turns_off(one, other)));
    if by_name || help_says_so(flag, pinned) {
        return Some(format!("undoes the pinned `{pin}`"));
    }
    is_raw_request(flag).then(|| format!("asks for anything, past the pinned `{pin}`"))
}

fn names(flag: &Flag) -> impl Iterator<Item = &str> {
    let aliases = flag.aliases.iter().map(String::as_str);
    flag.long.as_deref().into_iter().chain(aliases)
}

/// Returns true if a flag of the first name takes away what one of the second restricts: `all-pods` of `pod`,
/// `no-color` of `color` and the other way round.
fn turns_off(name: &str, pinned: &str) -> bool {
    if pinned.strip_prefix("no-") == Some(name) || name.strip_prefix("no-") == Some(pinned) {
        return true;
    }
    let Some(rest) = name.strip_prefix("all-") else {
        return false;
    };
    let ending = pinned.strip_suffix('y');
    rest == pinned
        || rest
            .strip_prefix(pinned)
            .is_some_and(|end| matches!(end, "s" | "es"))
        || ending.is_some_and(|stem| rest.strip_prefix(stem) == Some("ies"))
}

/// Returns true if the help of a flag says that the pinned one loses what it was set to.
fn help_says_so(flag: &Flag, pinned: &Flag) -> bool {
    let help = flag.help.as_deref().unwrap_or_default().to_lowercase();
    let sentences = help.split(['.', ';', '\n']).filter(|s| s.contains("--"));
    sentences.into_iter().any(|sentence| {
        names(pinned).any(|name| loses(sentence, &format!("--{}", name.to_lowercase())))
    })
}

/// Returns true if a sentence says that the flag of this name loses what it was set to.
fn loses(sentence: &str, name: &str) -> bool {
    let whole = |at: usize| {
        let next = sentence[at + name.len()..].chars().next();
        next.is_none_or(|c| !c.is_alphanumeric() && c != '-' && c != '_')
    };
    let mut places = sentence
        .match_indices(name)
        .map(|(at, _)| at)
        .filter(|at| whole(*at));
    places.any(|at| {
        let (before, after) = (&sentence[..at], &sentence[at + name.len()..]);
        let negated = |text: &str| words(text).any(|word| NEGATIONS.contains(&word));
        let beaten = {
            let after = after.trim_start_matches(|c: char| !c.is_alphanumeric());
            BEATEN.iter().any(|end| after.starts_with(end))
        };
        // The verb must be about this name: nothing but a few words, and no other clause, stands in between.
        let beats = BEATS.iter().any(|verb| {
            let found = before
                .rfind(verb)
                .filter(|found| is_word(before, *found, verb));
            found.is_some_and(|found| {
                let between = &before[found + verb.len()..];
                let earlier = &before[..found];
                let clause = earlier.rsplit([',', '(']).next().unwrap_or_default();
                words(between).count() <= 5 && !has_clause(between) && !negated(clause)
            })
        });
        // "ignored even if specified with --name": it is the name's value that is ignored.
        let even_if = before
            .rfind("ignored even ")
            .is_some_and(|found| !negated(&before[..found]));
        (beaten && !negated(before)) || beats || even_if
    })
}

/// Returns true if the text names a condition or another actor, so that a verb before it is not about what follows.
fn has_clause(text: &str) -> bool {
    words(text).any(|word| {
        matches!(
            word,
            "if" | "when" | "unless" | "by" | "with" | "use" | "to"
        )
    })
}

fn is_word(text: &str, at: usize, word: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    edge(text[..at].chars().next_back()) && edge(text[at + word.len()..].chars().next())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '\'' && c != '-');
    words.filter(|word| !word.is_empty())
}

/// Returns true if a flag sends a request of the caller's own to the server: it takes one as its value, and says so.
fn is_raw_request(flag: &Flag) -> bool {
    let named = names(flag).any(|name| name.split('-').any(|part| part == "raw"));
    let help = flag.help.as_deref().unwrap_or_default().to_lowercase();
    named && !flag.is_switch() && words(&help).any(|word| REQUESTED.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, help: &str) -> Flag {
        Flag::new(name).pflag("string").help(help)
    }

    fn switch(name: &str, help: &str) -> Flag {
        Flag::new(name).help(help)
    }

    fn undone(flag: &Flag, pinned: &str) -> bool {
        undoes(flag, &text(pinned, ""), &BTreeMap::new()).is_some()
    }

    #[test]
    fn names_tell() {
        for (name, pinned) in [
            ("all-namespaces", "namespace"),
            ("all-namespace", "namespace"),
            ("all-branches", "branch"),
            ("all-registries", "registry"),
            ("no-color", "color"),
            ("color", "no-color"),
        ] {
            assert!(undone(&switch(name, ""), pinned), "{name}");
        }
        for (name, pinned) in [
            ("all", "namespace"),
            ("namespaces-all", "namespace"),
            ("all-contexts", "namespace"),
            ("all-namespace-events", "namespace"),
            ("notify", "tify"),
        ] {
            assert!(!undone(&switch(name, ""), pinned), "{name}");
        }
    }

    #[test]
    fn help_tells_whose_value_is_lost() {
        for help in [
            "Across all. The one in the context is ignored even if it is given with --namespace",
            "Overrides --namespace",
            "The scope (overrides the value of --namespace)",
            "Search everywhere, regardless of --namespace",
            "With this, --namespace is ignored",
            "Takes precedence over `--namespace`",
        ] {
            assert!(undone(&switch("wide", help), "namespace"), "{help}");
        }
        for help in [
            "Ignored if --namespace is given",
            "Overridden by --namespace",
            "Does not override --namespace",
            "Use --namespace to override it",
            "Overrides --namespace-file",
            "Ignore errors; see --namespace",
            "Ignores the cache if --namespace is given",
            "A name. --namespace overrides it",
            "Like --namespace",
        ] {
            assert!(!undone(&switch("wide", help), "namespace"), "{help}");
        }
    }

    #[test]
    fn a_raw_request_goes_past_every_pin() {
        let raw = text("raw", "Raw URI to ask the server for");
        assert!(undone(&raw, "namespace") && undone(&raw, "context"));
        assert!(!undone(
            &switch("raw", "Show the bytes of a URL as they are"),
            "namespace"
        ));
        assert!(!undone(
            &text("raw-output", "A file for the output"),
            "namespace"
        ));
    }

    #[test]
    fn the_file_can_name_more() {
        let named = BTreeMap::from([("-n".to_owned(), vec!["cluster".to_owned()])]);
        let pinned = text("namespace", "").short('n');
        let reason = undoes(&text("cluster", ""), &pinned, &named);
        assert_eq!(
            reason.as_deref(),
            Some("undoes the pinned `--namespace` (`undone_by`)")
        );
        assert_eq!(undoes(&text("user", ""), &pinned, &named), None);
    }
}
