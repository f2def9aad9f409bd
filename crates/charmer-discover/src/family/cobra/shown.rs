//! The positionals in a command's examples: how many there are, and what `--` does before them.

use charmer_core::model::{Arguments, FlagValue};

use crate::flags::Flags;
use crate::sketch::{CommandSketch, FlagScope, FlagSketch};

use super::Sketches;

/// A line that calls the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ShownLine {
    /// The number of positionals before a `--`, or of all.
    pub(super) positionals: usize,
    /// There is a `--`.
    pub(super) dashes: bool,
}

/// Lets the last positional take several where an example gives more words than the usage has places for: `search repos
/// [<query>]`, and `search repos cli shell` below it.
pub(super) fn take_several(sketches: &mut Sketches) {
    let program = program(sketches);
    let globals = globals(sketches);
    for sketch in sketches.values_mut() {
        let lines = shown(sketch, &program, &globals);
        let Some(Arguments::Listed(listed)) = sketch.arguments.as_mut().map(|fact| &mut fact.value)
        else {
            continue;
        };
        let most = lines.iter().map(|line| line.positionals).max();
        let more = most.is_some_and(|most| most > listed.len());
        let several = listed.iter().any(|one| one.variadic || one.last);
        if let Some(last) = listed.last_mut().filter(|_| more && !several) {
            last.variadic = true;
        }
    }
}

/// The lines in a command's examples that call it and could be read.
pub(super) fn shown(
    sketch: &CommandSketch,
    program: &str,
    globals: &[FlagSketch],
) -> Vec<ShownLine> {
    let examples = sketch.examples.as_ref();
    let lines = examples.map_or("", |fact| fact.value.as_str()).lines();
    let path: Vec<&str> = std::iter::once(program)
        .chain(sketch.path.words().iter().map(String::as_str))
        .collect();
    lines
        .filter_map(|line| {
            let line = line.trim();
            let words = split(line.strip_prefix("$ ").unwrap_or(line))?;
            let names = words.iter().map(String::as_str);
            let called =
                words.len() >= path.len() && names.take(path.len()).eq(path.iter().copied());
            called.then(|| read(&words[path.len()..], &sketch.flags, globals))?
        })
        .collect()
}

/// Reads the words behind the command's path; `None` where a flag is not known.
fn read(words: &[String], own: &Flags, globals: &[FlagSketch]) -> Option<ShownLine> {
    let mut shown = ShownLine::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == "--" {
            shown.dashes = true;
            break;
        }
        if !word.starts_with('-') || word == "-" {
            shown.positionals += 1;
            continue;
        }
        let (name, attached) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word.as_str(), false),
        };
        let mut flags = own.iter().chain(globals);
        let flag = flags.find(|flag| is_named(flag, name))?;
        let kind = flag.kind.as_ref().map(|kind| &kind.value.value);
        if !attached && kind == Some(&FlagValue::Required) {
            words.next();
        }
    }
    Some(shown)
}

fn is_named(flag: &FlagSketch, name: &str) -> bool {
    match name.strip_prefix("--") {
        Some(long) => flag.long.as_deref() == Some(long),
        None => flag
            .short
            .is_some_and(|short| name[1..].chars().eq([short])),
    }
}

/// The words of a line as a shell reads them; `None` where it has anything but plain and quoted words.
fn split(line: &str) -> Option<Vec<String>> {
    let mut words: Vec<String> = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, ' ' | '\t') => words.extend(word.take()),
            // Placeholders, variables, pipes and lines that go on are not what is counted here.
            (None, '<' | '>' | '|' | '&' | ';' | '$' | '`' | '\\' | '(' | '[' | '{' | '…') => {
                return None;
            }
            (None, _) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    let dots = words.iter().any(|word| word.ends_with("..."));
    (quote.is_none() && !dots).then_some(words)
}

/// The flags that commands inherit.
pub(super) fn globals(sketches: &Sketches) -> Vec<FlagSketch> {
    let flags = sketches.values().flat_map(|sketch| &sketch.flags);
    let global = |flag: &&FlagSketch| {
        let scope = flag.scope.as_ref().map(|scope| scope.value);
        scope == Some(FlagScope::Global)
    };
    let mut found: Vec<FlagSketch> = Vec::new();
    for flag in flags.filter(global) {
        if !found.iter().any(|known| known.is_same(flag)) {
            found.push(flag.clone());
        }
    }
    found
}

/// The program's name, as its usage has it.
pub(super) fn program(sketches: &Sketches) -> String {
    let root = sketches.values().find(|sketch| sketch.path.is_root());
    root.and_then(|root| root.program.clone())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use charmer_core::model::{CommandPath, parse_usage};

    use super::*;
    use crate::fact::{Fact, Origin};

    #[test]
    fn examples_tell_how_many_words_there_are() {
        for (pattern, examples, expected) in [
            ("[<query>]", "# Several\n$ p find cli shell --all\n", true),
            ("[<query>]", "p find \"cli shell\" # two words", false),
            ("[<query>]", "p find --from here there", false),
            ("[<query>]", "p find --other here there", false),
            ("[<query>]", "p find a | less", false),
            ("[<query>]", "p find -- -a b", false),
            ("[<query>]", "q find a b", false),
            ("NAME VALUE", "p find a b", false),
        ] {
            let path = CommandPath::root().child("find");
            let mut sketch = CommandSketch::new(path.clone());
            let rows = ["      --all           All", "      --from string   From"];
            sketch.flags = super::super::pflag::flags(&rows).into();
            sketch.arguments = Some(Fact::new(parse_usage(pattern), Origin::Usage));
            sketch.examples = Some(Fact::new(examples.into(), Origin::Help));
            let mut root = CommandSketch::new(CommandPath::root());
            root.program = Some("p".into());
            let mut sketches = Sketches::from([(root.path.clone(), root), (path.clone(), sketch)]);
            take_several(&mut sketches);
            let arguments = sketches[&path].arguments.as_ref().map(|fact| &fact.value);
            let listed = arguments.map_or(&[][..], Arguments::listed);
            let several = listed.iter().any(|one| one.variadic);
            assert_eq!(several, expected, "{examples}");
        }
    }
}
