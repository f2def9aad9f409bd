//! Phrases by which people ask for commands that many programs have: the table `common_phrases.txt`.
//!
//! It goes by the words of commands: a line holds wherever a path ends so and one of the words of its context is there.
//! How people ask for the commands of one program is not known here; commands bring such phrases with them.

use std::{collections::HashMap, sync::OnceLock};

use super::{
    document::SearchedTool,
    words::{for_each_word, stem},
};

const TABLE: &str = include_str!("common_phrases.txt");

/// A line of the table.
#[derive(Debug)]
struct Saying {
    /// Stems of which one must be there; none asks for nothing. `system-wide` is two words, and both must be there.
    context: Vec<Vec<String>>,
    phrases: &'static str,
}

/// The end of a path, and the place that it leads to.
#[derive(Debug)]
struct End {
    /// The words before the last.
    before: Vec<&'static str>,
    saying: usize,
}

#[derive(Debug, Default)]
struct Sayings {
    common_phrases: Vec<Saying>,
    /// By the last word of their ends.
    ends: HashMap<&'static str, Vec<End>>,
}

/// The number of a line, for those who want to read it once.
pub(super) type PhraseLine = usize;

/// The lines that hold for a command: of those whose end it has, the ones with the longest.
pub(super) fn of(document: &SearchedTool) -> Vec<PhraseLine> {
    let common_phrases = common_phrases();
    let mut found: Vec<(usize, PhraseLine)> = Vec::new();
    let mut words: Option<Vec<String>> = None;
    let (last, parents) = match document.path.split_last() {
        Some((last, parents)) => (last.as_str(), parents),
        None => return Vec::new(),
    };
    let names = std::iter::once(last).chain(document.aliases.iter().map(String::as_str));
    for name in names {
        for end in common_phrases.ends.get(name).into_iter().flatten() {
            let above = std::iter::once(&document.program).chain(parents);
            let mut pairs = end.before.iter().rev().zip(above.rev());
            let fits = end.before.len() <= parents.len() + 1 && pairs.all(|(a, b)| a == b);
            if !fits {
                continue;
            }
            let context = &common_phrases.common_phrases[end.saying].context;
            let words = words.get_or_insert_with(|| document.context_words());
            let has = |parts: &Vec<String>| parts.iter().all(|part| words.contains(part));
            if context.is_empty() || context.iter().any(has) {
                found.push((end.before.len(), end.saying));
            }
        }
    }
    let longest = found.iter().map(|(length, _)| *length).max();
    found.retain(|(length, _)| Some(*length) == longest);
    let mut lines: Vec<PhraseLine> = found.into_iter().map(|(_, line)| line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// The phrases of a line.
pub(super) fn phrases(line: PhraseLine) -> impl Iterator<Item = &'static str> {
    common_phrases().common_phrases[line]
        .phrases
        .split(';')
        .map(str::trim)
}

fn common_phrases() -> &'static Sayings {
    static SAYINGS: OnceLock<Sayings> = OnceLock::new();
    SAYINGS.get_or_init(|| {
        let mut common_phrases = Sayings::default();
        for (_, line) in lines() {
            let [ends, context, phrases] = fields(line).expect("the table is well-formed");
            let saying = common_phrases.common_phrases.len();
            for end in ends.split(',') {
                let mut before: Vec<&str> = end.split_whitespace().collect();
                if let Some(last) = before.pop() {
                    let ends = common_phrases.ends.entry(last).or_default();
                    ends.push(End { before, saying });
                }
            }
            let context = context.split(',').map(str::trim);
            let context = context.filter(|word| !word.is_empty()).map(parts).collect();
            common_phrases
                .common_phrases
                .push(Saying { context, phrases });
        }
        common_phrases
    })
}

fn parts(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for_each_word(text, |word, _| parts.push(stem(word)));
    parts
}

/// The lines without comments, each with where it stands.
fn lines() -> impl Iterator<Item = (usize, &'static str)> {
    let lines = TABLE.lines().enumerate();
    lines.filter(|(_, line)| !line.trim().is_empty() && !line.starts_with('#'))
}

fn fields(line: &str) -> Option<[&str; 3]> {
    let mut fields = line.split('|').map(str::trim);
    let found = [fields.next()?, fields.next()?, fields.next()?];
    fields.next().is_none().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_word(word: &str) -> bool {
        let usual = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_.:+/".contains(c);
        !word.is_empty() && word.chars().all(usual)
    }

    #[test]
    fn every_line_is_well_formed() {
        for (at, line) in lines() {
            let at = at + 1;
            let [ends, context, phrases] =
                fields(line).unwrap_or_else(|| panic!("line {at} has no three fields: {line}"));
            for end in ends.split(',') {
                let words: Vec<&str> = end.split_whitespace().collect();
                assert!(
                    !words.is_empty() && words.iter().all(|w| is_word(w)),
                    "{at}: {line}"
                );
            }
            for word in context.split(',').map(str::trim) {
                let fine = is_word(word) || (word.is_empty() && context.is_empty());
                assert!(fine, "line {at} has the context `{word}`: {line}");
            }
            let mut seen = std::collections::HashSet::new();
            for phrase in phrases.split(';').map(str::trim) {
                let mut words = phrase.split(' ');
                assert!(
                    words.all(is_word),
                    "line {at} has the phrase `{phrase}`: {line}"
                );
                assert!(
                    seen.insert(phrase),
                    "line {at} says `{phrase}` twice: {line}"
                );
            }
        }
    }
}
