//! The command line of a call: deterministic, each element a list item, nothing ever split or quoted for a shell.

use std::{borrow::Cow, ffi::OsString};

use crate::{
    model::{DoubleDash, Flag, FlagValue, Repetition, ShortValue, Syntax, ValueType},
    tool::{FlagProperty, Input, PositionalProperty, Tool},
};

use super::{
    bind::{Bound, Given},
    violation::Violation,
};

/// The longest element that Linux starts a program with; one byte more is for the NUL that ends it.
pub const MAX_ELEMENT_BYTES: usize = 131_071;

/// What an element of a command line is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ElementKind {
    /// A subcommand's name.
    Word,
    /// A flag, with its value where that is attached.
    Flag,
    /// A flag's value that stands for itself.
    Value,
    /// A positional.
    Positional,
    /// An argument of an external command, which the program passes on unread.
    PassedOn,
    /// The `--` that ends the flags.
    DoubleDash,
}

/// One element of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Element {
    /// Its text.
    pub text: String,
    /// What it is.
    pub kind: ElementKind,
    /// Whether its owner lets it begin with `-`.
    pub hyphen_allowed: bool,
}

/// A command line without its program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Argv(Vec<Element>);

impl Argv {
    /// The elements with what they are.
    pub fn elements(&self) -> &[Element] {
        &self.0
    }

    /// The elements as a program receives them.
    pub fn to_os_strings(&self) -> Vec<OsString> {
        self.0
            .iter()
            .map(|element| OsString::from(&element.text))
            .collect()
    }

    /// The elements as text.
    pub fn to_strings(&self) -> Vec<&str> {
        self.0.iter().map(|element| element.text.as_str()).collect()
    }

    fn push(&mut self, text: impl Into<String>, kind: ElementKind) {
        self.0.push(Element {
            text: text.into(),
            kind,
            hyphen_allowed: false,
        });
    }

    fn push_value(&mut self, text: &str, kind: ElementKind, hyphen_allowed: bool) {
        self.0.push(Element {
            text: text.to_owned(),
            kind,
            hyphen_allowed,
        });
    }
}

pub(super) fn write(tool: &Tool, bound: &Bound) -> Result<Argv, Violation> {
    let mut argv = Argv::default();
    let input = &tool.input;
    let leaf = input.leaf();
    for (depth, level) in input.levels.iter().enumerate() {
        if depth > 0 {
            argv.push(level.word.as_str(), ElementKind::Word);
        }
        let writer = LevelWriter {
            input,
            syntax: tool.syntax,
            bound,
            depth,
        };
        if depth == leaf {
            writer.leaf(&mut argv)?
        } else {
            writer.ancestor(&mut argv)?
        }
    }
    Ok(argv)
}

struct LevelWriter<'a> {
    input: &'a Input,
    syntax: Syntax,
    bound: &'a Bound,
    depth: usize,
}

type GivenFlags<'a> = Vec<(&'a FlagProperty, &'a Given)>;

/// Values of one positional, with how they may be written.
struct Place<'a> {
    property: &'a PositionalProperty,
    values: Cow<'a, [String]>,
}

impl<'a> LevelWriter<'a> {
    fn flags(&self) -> impl Iterator<Item = (&'a FlagProperty, &'a Given)> {
        let (input, depth) = (self.input, self.depth);
        self.bound
            .flags
            .iter()
            .map(move |(at, given)| (&input.flags[*at], given))
            .filter(move |(property, _)| property.level == depth)
    }

    fn places(&self) -> Result<Vec<Place<'a>>, Violation> {
        let mut places: Vec<(usize, Place<'a>)> = Vec::new();
        for (at, values) in &self.bound.positionals {
            let property = &self.input.positionals[*at];
            if property.level == self.depth {
                let values = joined(property, values)?;
                places.push((*at, Place { property, values }));
            }
        }
        places.sort_by_key(|(at, _)| *at);
        Ok(places.into_iter().map(|(_, place)| place).collect())
    }

    /// The flags, those that would go on taking elements apart from the others.
    fn greedy_and_plain(&self) -> (GivenFlags<'a>, GivenFlags<'a>) {
        self.flags()
            .partition(|(property, given)| is_greedy(&property.flag, given))
    }

    /// Flags and positionals of an ancestor stand before the next word, so no `--` can protect them. Something that
    /// would take that word for one more value comes first, for a flag behind it to stop it.
    fn ancestor(&self, argv: &mut Argv) -> Result<(), Violation> {
        let (greedy, plain) = self.greedy_and_plain();
        let places = self.places()?;
        let open = places
            .iter()
            .any(|place| place.property.positional.variadic);
        let write_places = |argv: &mut Argv| {
            places.iter().try_for_each(|place| {
                place.values.iter().try_for_each(|value| {
                    self.refuse_subcommand_name(value, &place.property.key)?;
                    self.push_bare(argv, value, place)
                })
            })
        };
        if open {
            write_places(argv)?;
        }
        for (property, given) in greedy.into_iter().chain(plain) {
            write_flag(argv, &property.flag, given, self.syntax, &property.key)?;
        }
        if !open {
            write_places(argv)?;
        }
        Ok(())
    }

    fn leaf(&self, argv: &mut Argv) -> Result<(), Violation> {
        let (behind, before): (Vec<_>, Vec<_>) = self
            .places()?
            .into_iter()
            .partition(|place| place.property.positional.last);
        let has_last = self
            .input
            .positionals
            .iter()
            .any(|property| property.level == self.depth && property.positional.last);
        let external = before
            .iter()
            .any(|place| place.property.positional.external);
        let protectable = self.syntax.double_dash == DoubleDash::Neutral && !has_last && !external;
        let (mut greedy, plain) = self.greedy_and_plain();
        // One that takes anything would take the flags behind it too.
        greedy.sort_by_key(|(property, _)| property.flag.allow_hyphen);
        // A positional that takes anything would also take the greedy flags that stand behind it otherwise.
        let takes_flags =
            |place: &Place<'_>| !greedy.is_empty() && place.property.positional.allow_hyphen;
        let misread = |value: &String| looks_like_flag(value) || self.may_name_subcommand(value);
        let first = before
            .iter()
            .position(|place| takes_flags(place) || place.values.iter().any(misread))
            .filter(|_| protectable);
        // The `--` stands where it is needed and not before: behind it a list takes the positionals that follow as
        // well, and clap may skip an optional one. But a positional that takes anything would take it too.
        let from = first.map_or(before.len(), |first| {
            let mut earlier = before[..first].iter();
            if earlier.any(|place| place.property.positional.allow_hyphen) {
                0
            } else {
                first
            }
        });
        let (bare, protected) = before.split_at(from);

        let write_all = |argv: &mut Argv, flags: GivenFlags<'_>| {
            flags.into_iter().try_for_each(|(property, given)| {
                write_flag(argv, &property.flag, given, self.syntax, &property.key)
            })
        };
        write_all(argv, plain)?;
        for place in bare {
            self.write_undashed(argv, place)?;
        }
        self.write_unlisted(argv)?;
        write_all(argv, greedy)?;
        write_behind_dashes(argv, protected);
        write_behind_dashes(argv, &behind);
        Ok(())
    }

    fn write_undashed(&self, argv: &mut Argv, place: &Place<'_>) -> Result<(), Violation> {
        let key = &place.property.key;
        if !place.property.positional.external {
            for value in place.values.iter() {
                self.refuse_subcommand_name(value, key)?;
                self.push_bare(argv, value, place)?;
            }
            return Ok(());
        }
        // The program takes everything behind the name of an external command unread.
        let [name, rest @ ..] = place.values.as_ref() else {
            return Ok(());
        };
        if self.names_subcommand(name) {
            return Err(Violation::new(key, "the name of an external command")
                .found(&name.as_str().into())
                .hint("this is a command of the program itself; use its own tool"));
        }
        if looks_like_flag(name) {
            return Err(
                Violation::new(key, "the name of an external command").found(&name.as_str().into())
            );
        }
        argv.push(name, ElementKind::Positional);
        rest.iter()
            .for_each(|value| argv.push(value, ElementKind::PassedOn));
        Ok(())
    }

    /// Positionals of a pattern that nobody could read: bare, and never a flag.
    fn write_unlisted(&self, argv: &mut Argv) -> Result<(), Violation> {
        let Some((key, _)) = &self.input.pattern else {
            return Ok(());
        };
        for (at, value) in self.bound.unlisted.iter().enumerate() {
            if looks_like_flag(value) {
                return Err(hyphen_refused(&format!("{key}[{at}]"), value));
            }
            self.refuse_subcommand_name(value, key)?;
            argv.push(value, ElementKind::Positional);
        }
        Ok(())
    }

    fn push_bare(&self, argv: &mut Argv, value: &str, place: &Place<'_>) -> Result<(), Violation> {
        let positional = &place.property.positional;
        let allowed =
            positional.allow_hyphen || (positional.allow_negative && is_negative_number(value));
        let is_flag = self.input.levels[self.depth].knows_flag(value);
        if looks_like_flag(value) && (!allowed || is_flag) {
            return Err(hyphen_refused(&place.property.key, value));
        }
        argv.push_value(value, ElementKind::Positional, allowed);
        Ok(())
    }

    fn names_subcommand(&self, value: &str) -> bool {
        self.input.levels[self.depth]
            .subcommands
            .iter()
            .any(|name| name == value)
    }

    /// Whether a value could call a subcommand, of a program that takes abbreviations too.
    fn may_name_subcommand(&self, value: &str) -> bool {
        let mut names = self.input.levels[self.depth].subcommands.iter();
        !value.is_empty() && names.any(|name| name.starts_with(value))
    }

    fn refuse_subcommand_name(&self, value: &str, key: &str) -> Result<(), Violation> {
        if !self.names_subcommand(value) {
            return Ok(());
        }
        Err(
            Violation::new(key, "a value that is not the name of a subcommand")
                .found(&value.into())
                .hint("the program would run that subcommand instead"),
        )
    }
}

fn write_behind_dashes(argv: &mut Argv, places: &[Place<'_>]) {
    if places.is_empty() {
        return;
    }
    argv.push("--", ElementKind::DoubleDash);
    for value in places.iter().flat_map(|place| place.values.iter()) {
        argv.push(value, ElementKind::Positional);
    }
}

fn hyphen_refused(path: &str, value: &str) -> Violation {
    Violation::new(path, "a value that does not begin with `-`")
        .found(&value.into())
        .hint("the program would read it as a flag, and has no safe way to say otherwise")
}

/// Whether a program would take a bare element for a flag; a lone `-` means standard input.
pub(super) fn looks_like_flag(value: &str) -> bool {
    value.len() > 1 && value.starts_with('-')
}

fn is_negative_number(value: &str) -> bool {
    value.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Whether a flag would go on taking elements that stand behind its values.
fn is_greedy(flag: &Flag, given: &Given) -> bool {
    match (&flag.repetition, given) {
        (Repetition::Span { min, max }, Given::Values(lists)) => lists.iter().any(|list| {
            let attached = list.len() == 1 && *min <= 1;
            !attached && max.is_none_or(|max| list.len() < max)
        }),
        (_, Given::Bare) => true,
        _ => false,
    }
}

/// The values of a positional as they are written: a list that the program splits is one element, unless it counts
/// elements.
fn joined<'a>(
    property: &PositionalProperty,
    values: &'a [String],
) -> Result<Cow<'a, [String]>, Violation> {
    let positional = &property.positional;
    let Some(delimiter) = positional.delimiter else {
        return Ok(values.into());
    };
    if let Some(value) = values.iter().find(|value| value.contains(delimiter)) {
        return Err(delimiter_refused(
            &property.key,
            value,
            &format!("`{delimiter}`"),
        ));
    }
    if positional.min_values.is_some() {
        return Ok(values.into());
    }
    Ok(vec![values.join(delimiter.encode_utf8(&mut [0; 4]))].into())
}

fn delimiter_refused(key: &str, value: &str, what: &str) -> Violation {
    Violation::new(key, format!("elements without {what}"))
        .found(&value.into())
        .hint("the program splits the value there and has no way to quote it")
}

fn write_flag(
    argv: &mut Argv,
    flag: &Flag,
    given: &Given,
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    match given {
        Given::Switch(on) => write_switch(argv, flag, *on, syntax, key),
        Given::Count(0) if flag.default.first().is_some_and(|text| text != "0") => Err(
            Violation::new(key, "at least 1, or nothing for the default")
                .found(&0.into())
                .hint("it counts from its default and the program has no way to set it to 0"),
        ),
        Given::Count(times) => {
            (0..*times).for_each(|_| argv.push(flag.display_name(), ElementKind::Flag));
            Ok(())
        }
        Given::Bare => {
            argv.push(flag.display_name(), ElementKind::Flag);
            Ok(())
        }
        Given::Values(lists) => lists
            .iter()
            .try_for_each(|values| write_values(argv, flag, values, syntax, key)),
    }
}

fn write_switch(
    argv: &mut Argv,
    flag: &Flag,
    on: bool,
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    let default_on = flag.default.first().is_some_and(|text| text == "true");
    match (on, default_on) {
        (true, false) | (true, true) => argv.push(flag.display_name(), ElementKind::Flag),
        (false, false) => {}
        (false, true) => match &flag.negation {
            Some(negation) => argv.push(format!("--{negation}"), ElementKind::Flag),
            None if syntax.switch_takes_value => {
                argv.push(attached(flag, "false", syntax), ElementKind::Flag);
            }
            None => {
                return Err(Violation::new(key, "true or nothing")
                    .found(&false.into())
                    .hint("it is on by default and the program has no way to turn it off"));
            }
        },
    }
    Ok(())
}

fn write_values(
    argv: &mut Argv,
    flag: &Flag,
    values: &[String],
    syntax: Syntax,
    key: &str,
) -> Result<(), Violation> {
    match flag.repetition {
        // One value can be attached, and then nothing that follows is taken for another.
        Repetition::Span { min: 0..=1, .. } if values.len() == 1 => {
            values
                .iter()
                .for_each(|value| write_attached(argv, flag, value, syntax));
        }
        Repetition::Fixed { .. } | Repetition::Span { .. } => {
            argv.push(flag.display_name(), ElementKind::Flag);
            for value in values {
                if looks_like_flag(value) && !flag.allow_hyphen {
                    return Err(hyphen_refused(key, value));
                }
                argv.push_value(value, ElementKind::Value, flag.allow_hyphen);
            }
        }
        Repetition::Joined { delimiter } => {
            let quoted: Vec<String> = values
                .iter()
                .map(|value| protect(value, delimiter, flag, syntax, key))
                .collect::<Result<_, _>>()?;
            write_attached(
                argv,
                flag,
                &quoted.join(delimiter.encode_utf8(&mut [0; 4])),
                syntax,
            );
        }
        Repetition::Repeat { delimiter } => {
            for value in values {
                let value = match delimiter {
                    Some(delimiter) => protect(value, delimiter, flag, syntax, key)?,
                    None => value.clone(),
                };
                write_attached(argv, flag, &value, syntax);
            }
        }
        Repetition::Single => values
            .iter()
            .for_each(|value| write_attached(argv, flag, value, syntax)),
    }
    Ok(())
}

fn write_attached(argv: &mut Argv, flag: &Flag, value: &str, syntax: Syntax) {
    let glued = flag.long.is_none() && syntax.short_value == ShortValue::Glued;
    if glued && value.is_empty() && !matches!(flag.value, FlagValue::Optional { .. }) {
        // `-j` with nothing glued to it would take the next element; so the empty value is that element.
        argv.push(flag.display_name(), ElementKind::Flag);
        argv.push("", ElementKind::Value);
        return;
    }
    argv.push(attached(flag, value, syntax), ElementKind::Flag);
}

fn attached(flag: &Flag, value: &str, syntax: Syntax) -> String {
    let name = flag.display_name();
    if flag.long.is_none() && syntax.short_value == ShortValue::Glued {
        format!("{name}{value}")
    } else {
        format!("{name}={value}")
    }
}

/// Keeps one list element whole where the program splits at a delimiter.
fn protect(
    value: &str,
    delimiter: char,
    flag: &Flag,
    syntax: Syntax,
    key: &str,
) -> Result<String, Violation> {
    // pflag reads these lists as CSV; its number lists are split plainly, but numbers hold no delimiter.
    let csv = syntax.csv_lists && delimiter == ',';
    let refuse = |what: &str| Err(delimiter_refused(key, value, what));
    if csv {
        if value.contains("\r\n") || value.contains('\r') && flag.value_type == ValueType::String {
            return refuse("carriage returns");
        }
        let special = value.is_empty() || value.contains([',', '"', '\n', '\r']);
        return Ok(if special {
            format!("\"{}\"", value.replace('"', "\"\""))
        } else {
            value.to_owned()
        });
    }
    if value.contains(delimiter) {
        return refuse(&format!("`{delimiter}`"));
    }
    Ok(value.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        call::prepare,
        model::{Cli, Command, Flag, Positional, Repetition, Syntax, ValueType},
        tool::{CatalogueOptions, catalogue},
    };

    /// The argv of the last command under a clap program, or why there is none.
    fn written(root: Command, input: Value) -> String {
        let tools = catalogue(
            &Cli::new(root, Syntax::clap()),
            &CatalogueOptions::default(),
        )
        .tools;
        let tool = tools.last().expect("the command is a tool");
        match prepare(tool, input.as_object().expect("an object")) {
            Ok(prepared) => prepared.argv.to_strings().join(" "),
            Err(refusal) => refusal.to_string(),
        }
    }

    fn text(name: &str) -> Flag {
        Flag::new(name).value_type(ValueType::String)
    }

    fn greedy(name: &str) -> Flag {
        text(name).repetition(Repetition::Span { min: 1, max: None })
    }

    #[test]
    fn a_bare_flag_takes_no_positional() {
        let root = || {
            Command::new("p")
                .flag(text("maybe").optional_value(None))
                .flag(text("plain"))
                .positional(Positional::new("file"))
        };
        let input = |file: &str| json!({"maybe": "", "plain": "x", "file": file});
        assert_eq!(written(root(), input("f")), "--plain=x f --maybe");
        assert_eq!(written(root(), input("-f")), "--plain=x --maybe -- -f");
    }

    #[test]
    fn an_ancestors_greedy_flag_is_stopped_by_another() {
        let root = Command::new("p")
            .not_runnable()
            .flag(text("plain"))
            .flag(greedy("many"))
            .command(Command::new("go"));
        let input = json!({"plain": "x", "many": ["a", "b"]});
        assert_eq!(written(root, input), "--many a b --plain=x go");
    }

    #[test]
    fn a_positional_that_is_split_is_one_element() {
        let mut fields = Positional::new("fields").variadic();
        fields.delimiter = Some(',');
        let root = || Command::new("p").positional(fields.clone());
        assert_eq!(written(root(), json!({"fields": ["a", "", "b"]})), "a,,b");
        let refused = written(root(), json!({"fields": ["a,b"]}));
        assert!(refused.contains("elements without `,`"), "{refused}");
    }

    #[test]
    fn dashes_stand_no_earlier_than_needed() {
        let mut trailing = Positional::new("words").variadic();
        trailing.allow_hyphen = true;
        let copy = Command::new("p")
            .positional(Positional::new("sources").variadic().required())
            .positional(Positional::new("target").required());
        let input = json!({"sources": ["a", "b"], "target": "-t"});
        assert_eq!(written(copy, input), "a b -- -t");
        let run = Command::new("p").flag(greedy("many")).positional(trailing);
        let input = json!({"many": ["m"], "words": ["a", "b"]});
        assert_eq!(written(run, input), "--many m -- a b");
    }

    #[test]
    fn an_abbreviated_subcommand_is_protected() {
        let root = Command::new("p")
            .command(Command::new("status"))
            .positional(Positional::new("word"));
        let tools = catalogue(
            &Cli::new(root, Syntax::clap()),
            &CatalogueOptions::default(),
        )
        .tools;
        let input = json!({"word": "stat"});
        let prepared = prepare(&tools[0], input.as_object().expect("an object")).expect("it fits");
        assert_eq!(prepared.argv.to_strings(), ["--", "stat"]);
    }

    #[test]
    fn a_count_cannot_go_below_its_default() {
        let count = Flag::new("effort").value_type(ValueType::Count);
        let root = || Command::new("p").flag(count.clone().default_text("2"));
        assert!(written(root(), json!({"effort": 0})).contains("at least 1"));
        assert_eq!(written(root(), json!({"effort": 1})), "--effort");
        let plain = Command::new("p").flag(count.clone());
        assert_eq!(written(plain, json!({"effort": 0})), "");
    }
}
