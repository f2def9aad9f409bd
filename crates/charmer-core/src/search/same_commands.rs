//! The same command under several names, found by what its help says.

use std::collections::HashMap;

use super::{document::SearchedTool, reader::FlagTerms};

/// No command has more names than this; what is alike more often says nothing of itself.
const MOST_NAMES: usize = 12;

/// For each tool the one that is the same command under a shorter or earlier path, if there is one.
pub(super) fn fold(documents: &[SearchedTool], flags: &[FlagTerms]) -> Vec<Option<u32>> {
    let mut groups: HashMap<_, Vec<usize>> = HashMap::new();
    for (at, document) in documents.iter().enumerate() {
        if document.described && !document.program.is_empty() {
            groups
                .entry(likeness(document, flags))
                .or_default()
                .push(at);
        }
    }
    let mut same = vec![None; documents.len()];
    let several = |group: &Vec<usize>| (2..=MOST_NAMES).contains(&group.len());
    for mut group in groups.into_values().filter(several) {
        group.sort_by_key(|at| (documents[*at].path.len(), *at));
        for later in 1..group.len() {
            let mut earlier = group[..later].iter().filter(|at| same[**at].is_none());
            let best = earlier.find(|at| related(&documents[**at], &documents[group[later]]));
            same[group[later]] = best.and_then(|at| u32::try_from(*at).ok());
        }
    }
    same
}

/// The traits that two names of one command share. Summaries are compared word by word: a number tells two apart.
fn likeness<'d>(
    document: &'d SearchedTool,
    flags: &'d [FlagTerms],
) -> (&'d str, &'d [String], &'d [u32], Vec<&'d str>) {
    let all = document.flags.iter().map(|place| &flags[*place as usize]);
    let own = all.filter(|flag| flag.own);
    let mut flags: Vec<&str> = own.map(|flag| &*flag.key).collect();
    flags.sort_unstable();
    let program = document.program.as_str();
    (program, &document.first, &document.rest.plain, flags)
}

/// Returns true if the last word of one calls the other, or is in its path: `ps` and `container ls` with the alias
/// `ps`, `images` and `image ls`, `rmi` and `image rm`.
fn related(a: &SearchedTool, b: &SearchedTool) -> bool {
    let (Some(last_a), Some(last_b)) = (a.path.last(), b.path.last()) else {
        return false;
    };
    let (short, long) = match a.path.len() <= b.path.len() {
        true => (a, b),
        false => (b, a),
    };
    let above = &short.path[..short.path.len() - 1];
    if !long.path.starts_with(above) {
        return false;
    }
    let calls = |word: &String, document: &SearchedTool| document.aliases.contains(word);
    let in_path = |name: &SearchedTool, path: &SearchedTool| {
        let parents = &path.parents.plain;
        name.path.len() < path.path.len() && name.name.plain.iter().any(|t| parents.contains(t))
    };
    let shortened = |long: &str, short: &str| {
        let rest = long.strip_prefix(short);
        short.len() > 1 && rest.is_some_and(|rest| rest.len() == 1)
    };
    last_a == last_b
        || calls(last_a, b)
        || calls(last_b, a)
        || in_path(a, b)
        || in_path(b, a)
        || shortened(last_a, last_b)
        || shortened(last_b, last_a)
}
