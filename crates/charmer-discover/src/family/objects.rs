//! Programs whose help is a grammar: `Usage: net [ OPTIONS ] OBJECT { COMMAND | help }`, with `OBJECT := { link | route }`
//! or rows below `OBJECT`, and a `help` word behind each object that shows how its commands are written.

use charmer_core::model::{Arguments, Choice, CommandPath, SingleDash, Syntax, ValueType};

use super::{
    Asker, Family, Page, Refining, Signs,
    getopt::getopt_flags,
    pattern::{bars, usage_flags, words},
};
use crate::{
    fact::{Fact, Origin},
    help::{behind_path, rows, usage_statements},
    manual,
    sketch::{ChildSketch, CommandSketch, FlagSketch, KindSketch},
};

/// The family.
#[derive(Default)]
pub(crate) struct Objects;

impl Family for Objects {
    fn name(&self) -> &'static str {
        "objects and commands"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let usage = usage_statements(signs.text(), &signs.binary.name());
        let is_object = usage.iter().any(|line| placeholder(line).is_some());
        let page = Page {
            program: &signs.binary.name(),
            path: &CommandPath::root(),
            answer: signs.help,
        };
        let read = || {
            self.read(&page)
                .is_some_and(|root| !root.children.is_empty())
        };
        if is_object && read() { 55 } else { 0 }
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt()
    }

    fn lists_only_commands(&self) -> bool {
        true
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        if path.is_root() {
            return vec![vec!["--help".into()]];
        }
        // Commands are told by their object.
        match path.words() {
            [object] => vec![vec![object.clone(), "help".into()]],
            _ => Vec::new(),
        }
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        let usage = usage_statements(page.text(), page.program);
        match page.path.words() {
            [] => root(page.text(), &usage),
            [_] => object(page.text(), &usage, page.path),
            _ => None,
        }
    }

    /// An object that cannot be asked may have a manual page of its own.
    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async move {
            if !sketch.path.is_root() {
                return;
            }
            for child in &mut sketch.children {
                let path = CommandPath::root().child(child.name.as_str());
                let usage = manual::statements_of(asker.binary, &child.name);
                let told = object("", &usage, &path).filter(|told| !told.children.is_empty());
                child.told = told.map(|mut told| {
                    mark_manual(&mut told);
                    Box::new(told)
                });
            }
        })
    }
}

/// Notes that all statements are from a manual page.
fn mark_manual(told: &mut CommandSketch) {
    let children = told.children.iter_mut();
    let below = children.filter_map(|child| child.told.as_mut()?.usage.as_mut());
    for usage in below.chain(&mut told.usage) {
        *usage = Fact::new(usage.value.clone(), Origin::Manual);
    }
}

/// The word that stands for an object, where the statement shows `{ COMMAND | help }` behind it.
fn placeholder(statement: &str) -> Option<&str> {
    let all = words(statement);
    let at = all.iter().position(|word| {
        let inner = word
            .strip_prefix('{')
            .and_then(|word| word.strip_suffix('}'));
        inner.is_some_and(|inner| bars(inner) == ["COMMAND", "help"])
    })?;
    let word = all.get(at.checked_sub(1)?)?;
    word.chars().all(char::is_uppercase).then_some(*word)
}

fn root(text: &str, usage: &[String]) -> Option<CommandSketch> {
    let word = usage.iter().find_map(|line| placeholder(line))?;
    let mut sketch = CommandSketch::new(CommandPath::root());
    sketch.usage = Some(Fact::new(usage.join("\n"), Origin::Usage));
    sketch.runnable = Some(Fact::new(false, Origin::Usage));
    let mut named = defined(text, word);
    if named.is_empty() {
        named = rows_below(text, word);
    }
    for (name, about) in named {
        let (name, alias) = unfold(&name);
        let plain = name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        if name == "help" || !plain {
            continue;
        }
        sketch.add_child(ChildSketch {
            name,
            aliases: alias.into_iter().collect(),
            about: about.map(|about| Fact::new(about, Origin::Help)),
            listed: Some(Fact::new(word.to_owned(), Origin::Help)),
            ..ChildSketch::default()
        });
    }
    let mut flags = defined_flags(text);
    if flags.is_empty() {
        flags = getopt_flags(text).0;
    }
    for flag in flags {
        sketch.add_flag(flag);
    }
    Some(sketch)
}

/// The commands of an object, each told by the statements that show it: what stands behind it is a pattern, because
/// such programs read words, not options.
fn object(text: &str, usage: &[String], path: &CommandPath) -> Option<CommandSketch> {
    let mut sketch = CommandSketch::new(path.clone());
    let program = usage.first()?.split(' ').next()?;
    let mut told: Vec<(String, Vec<String>)> = Vec::new();
    let mut tell = |name: &str, rest: String| {
        if !is_word(name) || name == "help" {
            return;
        }
        match told.iter_mut().find(|(known, _)| known == name) {
            Some((_, rests)) => rests.push(rest),
            None => told.push((name.to_owned(), vec![rest])),
        }
    };
    let rests: Vec<&str> = usage
        .iter()
        .filter_map(|line| behind_path(line, path.words()))
        .collect();
    if rests.is_empty() {
        return None;
    }
    for rest in &rests {
        let (names, behind) = commands_at(rest);
        for name in names {
            tell(name, behind.clone());
        }
    }
    for (name, _) in defined(text, "COMMAND") {
        let rests = rows_of(text, &name);
        if rests.is_empty() {
            tell(&name, String::new());
        }
        rests.into_iter().for_each(|rest| tell(&name, rest));
    }
    let group = Some(Fact::new(String::new(), Origin::Help));
    for (name, rests) in told {
        let mut child = CommandSketch::new(path.child(name.as_str()));
        let lines = rests
            .iter()
            .map(|rest| format!("{program} {path} {name} {rest}"));
        let lines: Vec<String> = lines.map(|line| line.trim().to_owned()).collect();
        child.usage = Some(Fact::new(lines.join("\n"), Origin::Usage));
        let rests: Vec<String> = rests
            .iter()
            .map(|rest| take_options(rest, &mut child))
            .collect();
        let said: Vec<&str> = rests
            .iter()
            .map(String::as_str)
            .filter(|rest| !rest.is_empty())
            .collect();
        let arguments = match said.is_empty() {
            true => Arguments::Listed(Vec::new()),
            false => Arguments::Pattern(said.join(" | ")),
        };
        child.arguments = Some(Fact::new(arguments, Origin::Usage));
        child.runnable = Some(Fact::new(true, Origin::Usage));
        sketch.children.push(ChildSketch {
            name,
            listed: group.clone(),
            told: Some(Box::new(child)),
            ..ChildSketch::default()
        });
    }
    sketch.usage = Some(Fact::new(usage.join("\n"), Origin::Usage));
    if sketch.children.is_empty() {
        let pattern = Arguments::Pattern(rests.join(" | "));
        sketch.arguments = Some(Fact::new(pattern, Origin::Usage));
    }
    sketch.runnable = Some(Fact::new(sketch.children.is_empty(), Origin::Usage));
    Some(sketch)
}

/// Takes the options at the start of what stands behind a command, `[--brief] [--order <how>]`, and gives what is left.
fn take_options(rest: &str, child: &mut CommandSketch) -> String {
    let all = words(rest);
    let options = all.iter().take_while(|word| word.starts_with("[--"));
    let (options, left) = all.split_at(options.count());
    for flag in usage_flags(&options.join(" ")) {
        child.add_flag(flag);
    }
    left.join(" ")
}

/// The commands at the start of a statement, and what stands behind them: `{ add | del } NAME`, `show [ NAME ]`, or
/// all of it in brackets, where the command may be left out.
fn commands_at(rest: &str) -> (Vec<&str>, String) {
    let mut rest = rest.trim();
    if words(rest).len() == 1
        && let Some(inner) = rest
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
    {
        rest = inner.trim();
    }
    let all = words(rest);
    let Some((first, behind)) = all.split_first() else {
        return (Vec::new(), String::new());
    };
    let inner = [('{', '}'), ('[', ']')]
        .into_iter()
        .find_map(|(open, close)| first.strip_prefix(open)?.strip_suffix(close));
    let names = match inner {
        Some(inner) => bars(inner),
        None => first.split('|').collect(),
    };
    // `{ COMMAND | help }` names none, and where a word is followed by others it is no name alone.
    let names = names.into_iter().filter(|name| is_word(name)).collect();
    (names, behind.join(" "))
}

fn is_word(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_'))
}

/// The alternatives of `WORD := { a | b }`, over several lines.
fn defined(text: &str, word: &str) -> Vec<(String, Option<String>)> {
    let Some(body) = definition(text, word) else {
        return Vec::new();
    };
    // `{ [ on | off ] }`, where none need be given.
    let inner = body
        .strip_prefix('[')
        .and_then(|body| body.strip_suffix(']'));
    let inner = inner.filter(|_| words(&body).len() == 1).unwrap_or(&body);
    let names = bars(inner)
        .into_iter()
        .map(str::trim)
        .filter(|name| !name.is_empty());
    names.map(|name| (name.to_owned(), None)).collect()
}

/// The text between the braces of a definition, on one line.
fn definition(text: &str, word: &str) -> Option<String> {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mark = format!("{word} := {{");
    let at = joined.find(&mark)? + mark.len();
    let mut depth = 1usize;
    let end = joined[at..].char_indices().find_map(|(place, c)| {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (depth == 0).then_some(place)
    })?;
    Some(joined[at..at + end].trim().to_owned())
}

/// Rows below a line that is the word alone.
fn rows_below(text: &str, word: &str) -> Vec<(String, Option<String>)> {
    let lines = text.lines().skip_while(|line| line.trim() != word).skip(1);
    let lines: Vec<&str> = lines.take_while(|line| line.starts_with(' ')).collect();
    let found = rows(&lines, |indent, _| indent <= 2).into_iter();
    found.map(|row| (row.name, Some(row.text))).collect()
}

/// The words behind a command on an object's page, on lines of its own: `  hostname [<hostname>]`, for several commands
/// alike `  all | wifi [ on | off ]`, and with lines further in that go on with it.
fn rows_of(text: &str, name: &str) -> Vec<String> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let all = words(line.trim());
        let is_name = |word: &&&str| is_word(word) || **word == "|";
        let names = all.iter().take_while(is_name).enumerate();
        // A bar stands between any two.
        let names = names.take_while(|(at, word)| (at % 2 == 1) == (**word == "|"));
        let names: Vec<&str> = names.map(|(_, word)| *word).collect();
        if !line.starts_with("  ")
            || indent(line) > 4
            || !names.iter().step_by(2).any(|one| *one == name)
        {
            continue;
        }
        let more = lines[at + 1..].iter();
        let more = more.take_while(|more| !more.trim().is_empty() && indent(more) > indent(line));
        let behind = all[names.len()..].iter().copied();
        let behind = behind.chain(more.map(|more| more.trim()));
        found.push(behind.collect::<Vec<_>>().join(" "));
    }
    found
}

/// `g[eneral]` is `general`, and `g` for short.
fn unfold(name: &str) -> (String, Option<String>) {
    match name.split_once('[') {
        Some((short, rest)) if rest.ends_with(']') => {
            let whole = format!("{short}{}", rest.trim_end_matches(']'));
            (whole, Some(short.to_owned()))
        }
        _ => (name.to_owned(), None),
    }
}

/// The options of `OPTIONS := { -s[tatistics] | -f[amily] { inet | link } | -n[etns] name }`.
fn defined_flags(text: &str) -> Vec<FlagSketch> {
    let Some(body) = definition(text, "OPTIONS") else {
        return Vec::new();
    };
    let flag = |part: &str| {
        let all = words(part);
        let (first, values) = all.split_first()?;
        let (name, short) = unfold(
            first
                .strip_prefix('-')
                .filter(|name| !name.starts_with('-'))?,
        );
        // `-c[olor][={always|never}]` may go without.
        let name = name.split(['[', '=']).next().unwrap_or_default().to_owned();
        let mut letters = name.chars();
        let mut flag = match (letters.next(), letters.next()) {
            (Some(letter), None) => FlagSketch {
                short: Some(letter),
                ..FlagSketch::default()
            },
            (Some(_), Some(_)) => FlagSketch {
                single_dash: Some(SingleDash::Separate),
                short: short
                    .filter(|short| short.chars().count() == 1)
                    .and_then(|s| s.chars().next()),
                ..FlagSketch::long(name)
            },
            _ => return None,
        };
        let kind = match values {
            [] => KindSketch::switch(),
            [value] => {
                let inner = value.trim_matches(['{', '}', '[', ']', ' ']);
                let choices = bars(inner);
                if choices.len() > 1 {
                    let choices = choices.into_iter().map(Choice::new).collect();
                    flag.choices = Some(Fact::new(choices, Origin::Help));
                }
                flag.placeholder = Some(inner.to_owned());
                let path = matches!(inner, "file" | "filename");
                KindSketch::single(if path {
                    ValueType::Path
                } else {
                    ValueType::String
                })
            }
            _ => return None,
        };
        flag.kind = Some(Fact::new(kind, Origin::Help));
        Some(flag)
    };
    bars(&body).into_iter().filter_map(flag).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PIPES: &str = "Usage: pipes [ OPTIONS ] OBJECT { COMMAND | help }\n       pipes [ -hard ] -script filename\nwhere  OBJECT := { valve | tank |\n                   help | bend-pipe }\n       OPTIONS := { -V[ersion] | -j[son] | -4 | -br[ief] |\n                    -k[ind] { lead | tin } | -x[tra] [size] | -r[oom] name |\n                    -c[olour]}\n";

    fn names(sketch: &CommandSketch) -> Vec<&str> {
        sketch
            .children
            .iter()
            .map(|child| child.name.as_str())
            .collect()
    }

    #[test]
    fn objects_and_options_of_a_grammar() {
        let usage = usage_statements(PIPES, "pipes");
        let sketch = root(PIPES, &usage).expect("a root");
        assert_eq!(names(&sketch), ["valve", "tank", "bend-pipe"]);
        let shown: Vec<String> = sketch
            .flags
            .iter()
            .map(|flag| {
                let value = if flag.is_switch() { "" } else { "=" };
                format!("{}{value}", flag.written())
            })
            .collect();
        assert_eq!(
            shown,
            [
                "-Version", "-json", "-4", "-brief", "-kind=", "-xtra=", "-room=", "-colour"
            ]
        );
        assert_eq!(sketch.flags[1].short, Some('j'));
        assert_eq!(
            sketch.flags[4]
                .choices
                .as_ref()
                .map(|fact| fact.value.len()),
            Some(2)
        );
    }

    #[test]
    fn commands_of_an_object() {
        let text = "Usage: pipes valve {add|change} NAME size SIZE [ LIFE ]\n                                   [ MORE ]\n       pipes valve del NAME\n       pipes valve [ show [ NAME ] [ up ] ]\n       pipes valve del all\nLIFE := forever\n";
        let usage = usage_statements(text, "pipes");
        let sketch = object(text, &usage, &CommandPath::parse("valve")).expect("its page");
        assert_eq!(names(&sketch), ["add", "change", "del", "show"]);
        let told = |at: usize| {
            let told = sketch.children[at].told.as_ref().expect("told");
            match told.arguments.as_ref().map(|fact| &fact.value) {
                Some(Arguments::Pattern(text)) => text.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(told(0), "NAME size SIZE [ LIFE ] [ MORE ]");
        assert_eq!(told(2), "NAME | all");
        assert_eq!(told(3), "[ NAME ] [ up ]");
        let other = "Usage: pipes tank show\n";
        let usage = usage_statements(other, "pipes");
        assert!(object(other, &usage, &CommandPath::parse("valve")).is_none());
    }

    #[test]
    fn objects_in_rows_with_names_cut_short() {
        let text = "Usage: lines [OPTIONS] OBJECT { COMMAND | help }\n\nOPTIONS\n  -a, --ask                 ask for it\n  -m, --mode tab|long       how\n\nOBJECT\n  p[oles]         all about poles\n  w[ire]          wires\n";
        let usage = usage_statements(text, "lines");
        let sketch = root(text, &usage).expect("a root");
        assert_eq!(names(&sketch), ["poles", "wire"]);
        assert_eq!(sketch.children[0].aliases, ["p"]);
        assert_eq!(sketch.flags.len(), 2);
        let text = "Usage: lines poles { COMMAND | help }\n\nCOMMAND := { status | name }\n\n  status\n\n  name [<name>]\n";
        let usage = usage_statements(text, "lines");
        let sketch = object(text, &usage, &CommandPath::parse("poles")).expect("its page");
        assert_eq!(names(&sketch), ["status", "name"]);
    }

    #[test]
    fn rows_speak_for_several_commands_and_commands_have_several_rows() {
        let text = "Usage: lines wire { COMMAND | help }\n\nCOMMAND := { [ on | off | test ] }\n\n  on | off [ now | later ]\n\n  test [--brief] [<name>]\n  test all <kind>\n       [twice]\n";
        let usage = usage_statements(text, "lines");
        let sketch = object(text, &usage, &CommandPath::parse("wire")).expect("its page");
        assert_eq!(names(&sketch), ["on", "off", "test"]);
        let pattern = |at: usize| {
            let told = sketch.children[at].told.as_ref().expect("told");
            match told.arguments.as_ref().map(|fact| &fact.value) {
                Some(Arguments::Pattern(text)) => text.clone(),
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(pattern(1), "[ now | later ]");
        assert_eq!(pattern(2), "[<name>] | all <kind> [twice]");
        let flags = &sketch.children[2].told.as_ref().expect("told").flags;
        assert!(flags.len() == 1 && flags[0].is_switch());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(usage: a|OBJECT|:= \\{|[a-z|\\[\\]{} \\-\\n]|[\\PC]){0,120}") {
            let usage = usage_statements(&text, "a");
            root(&text, &usage);
            object(&text, &usage, &CommandPath::parse("b"));
            defined_flags(&text);
        }
    }
}
