//! Command lines in plain words, so that one can be told from a question.

use super::{
    index::Index,
    words::{for_each_word, is_filler},
};

/// The tools that are called by exactly this line, and those that are called by how it begins. Flags end the line.
pub(super) fn command_lines(text: &str, index: &Index) -> (Vec<u32>, Vec<u32>) {
    let head = text
        .split_whitespace()
        .take_while(|word| !word.starts_with('-'))
        .take(12);
    let line = plain_line(head);
    let of = |line: &str| index.lines.get(line).cloned().unwrap_or_default();
    let exact = of(&line);
    if !exact.is_empty() {
        return (exact, Vec::new());
    }
    let words: Vec<&str> = line.split(' ').collect();
    let names_program = words
        .first()
        .is_some_and(|w| index.programs.iter().any(|p| p == w));
    if !names_program {
        return (exact, Vec::new());
    }
    for length in (2..words.len()).rev() {
        let begins = of(&words[..length].join(" "));
        // What follows a command is a value; little words are those of a sentence.
        if !begins.is_empty() {
            let sentence = words[length..].iter().any(|word| is_filler(word));
            return (exact, if sentence { Vec::new() } else { begins });
        }
    }
    (exact, Vec::new())
}

/// A command line in plain words: `git_cherry-pick` is `git cherry pick`.
pub(super) fn plain_line<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    let mut line = String::new();
    for word in words {
        for_each_word(word, |word, _| {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        });
    }
    line
}
