//! The question to a program's own completion for a place of an example: the command line up to there, with the pins.

use super::{Example, Tool};

/// A command line up to the word that is completed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct CompletionLine {
    /// The words before it, without the program's name.
    pub words: Vec<String>,
    /// The way the word begins before the place that is completed: `--port=`.
    pub prefix: String,
}

/// The line that completes a placeholder of an example. `None` if a place before it has no value, or if a value could
/// be taken for a flag: what an input cannot reach must not be reached this way either.
///
/// ```
/// use charmer_core::model::{Cli, Command, Flag, Syntax};
/// use charmer_core::tool::{CatalogueOptions, Pin, Pins, catalogue, completion_line, examples};
///
/// let root = Command::new("ship").flag(Flag::new("sea").pflag("string")).examples("ship <port> --crew=<name>");
/// let cli = Cli::new(root, Syntax::pflag());
/// let mut options = CatalogueOptions::default();
/// options.pins = Pins::resolve(&cli, &[Pin::text("sea", "baltic")]).unwrap();
/// let tool = catalogue(&cli, &options).tools.remove(0);
/// let example = examples(&tool).remove(0);
/// let line = completion_line(&tool, &example, "name", "a", |_| Some("oslo")).unwrap();
/// assert_eq!((line.words, line.prefix), (vec!["--sea=baltic".into(), "oslo".into()], "--crew=".into()));
/// assert_eq!(completion_line(&tool, &example, "port", "--sea=", |_| None), None);
/// ```
pub fn completion_line<'v>(
    tool: &Tool,
    example: &Example,
    placeholder: &str,
    begun: &str,
    value: impl Fn(&str) -> Option<&'v str>,
) -> Option<CompletionLine> {
    let plain = |value: &&str| !value.starts_with('-') && !value.contains('\0');
    let (words, prefix) = example.up_to(placeholder, |name| value(name).filter(plain))?;
    if !plain(&begun) {
        return None;
    }
    let words = with_pins(tool, words)?;
    Some(CompletionLine { words, prefix })
}

/// The words with what is always written, each flag at its level. `None` if the line does not get to its command.
fn with_pins(tool: &Tool, words: Vec<String>) -> Option<Vec<String>> {
    let levels = &tool.input.levels;
    let leaf = levels.len().checked_sub(1)?;
    let pins = |depth: usize| {
        let pinned = tool.input.pinned.iter();
        let pinned = pinned.filter(move |pinned| pinned.property.level == depth);
        pinned
            .flat_map(|pinned| &pinned.elements)
            .map(|element| element.text.to_string())
    };
    let mut line: Vec<String> = pins(0).collect();
    let mut depth = 0;
    for word in words {
        let next = levels.get(depth + 1);
        let alias = depth + 1 == leaf && tool.help.aliases.contains(&word);
        let steps = next.is_some_and(|level| level.word == word || alias);
        line.push(word);
        if steps {
            depth += 1;
            line.extend(pins(depth));
        }
    }
    (depth == leaf).then_some(line)
}
