//! Writing the command line of a call: level by level, flags before positionals, `--` where it is needed and allowed.

use std::borrow::Cow;

use crate::{
    model::{DoubleDash, Syntax},
    order,
    tool::{FlagProperty, Input, PositionalProperty, Tool},
};

use super::{
    argv::{Argv, ElementKind},
    bind::{Bound, Given},
    violation::Violation,
    write_flag::{delimiter_refused, hyphen_refused, is_greedy, looks_like_flag, write_flag},
};

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
    refuse_letters(tool, bound, &argv)?;
    Ok(argv)
}

/// Refuses a caller's word in the first place where the program would read it as letters of flags.
fn refuse_letters(tool: &Tool, bound: &Bound, argv: &Argv) -> Result<(), Violation> {
    let first = argv.elements().first();
    let Some(first) = first.filter(|first| first.kind == ElementKind::Positional) else {
        return Ok(());
    };
    if !tool.syntax.first_word_is_letters {
        return Ok(());
    }
    let given = bound.positionals.first();
    let key = given.map(|(at, _)| tool.input.positionals[*at].key.as_str());
    let pattern = || tool.input.pattern.as_ref().map(|(key, _)| key.as_str());
    let key = key.or_else(pattern).unwrap_or_default();
    Err(Violation::new(key, "a flag before it")
        .found(&first.text.as_str().into())
        .hint("the program reads a first word as letters of flags"))
}

struct LevelWriter<'a> {
    input: &'a Input,
    syntax: Syntax,
    bound: &'a Bound,
    depth: usize,
}

type GivenFlags<'a> = Vec<(&'a FlagProperty, &'a Given)>;

/// Values of one positional, with how they may be written.
struct ArgvPlace<'a> {
    property: &'a PositionalProperty,
    values: Cow<'a, [String]>,
}

impl<'a> LevelWriter<'a> {
    fn flags(&self) -> impl Iterator<Item = (&'a FlagProperty, &'a Given)> {
        let (input, depth) = (self.input, self.depth);
        let pinned = input.pinned.iter();
        let given = self.bound.flags.iter();
        pinned
            .map(|pinned| (&pinned.property, &pinned.given))
            .chain(given.map(move |(at, given)| (&input.flags[*at], given)))
            .filter(move |(property, _)| property.level == depth)
    }

    fn places(&self) -> Result<Vec<ArgvPlace<'a>>, Violation> {
        let mut places: Vec<(usize, ArgvPlace<'a>)> = Vec::new();
        for (at, values) in &self.bound.positionals {
            let property = &self.input.positionals[*at];
            if property.level == self.depth {
                let values = joined(property, values)?;
                places.push((*at, ArgvPlace { property, values }));
            }
        }
        order::sort_by_key(&mut places, |(at, _)| *at);
        Ok(places.into_iter().map(|(_, place)| place).collect())
    }

    /// The flags before the positionals, those that would go on taking elements apart from the others.
    fn greedy_and_plain(&self) -> (GivenFlags<'a>, GivenFlags<'a>) {
        self.flags()
            .filter(|(property, _)| !property.flag.behind_positionals)
            .partition(|(property, given)| is_greedy(&property.flag, given, self.syntax))
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

    /// The meaning of `--` at this level.
    fn double_dash(&self) -> DoubleDash {
        let here = self.input.levels[self.depth].double_dash;
        here.unwrap_or(self.syntax.double_dash)
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
        let protectable = self.double_dash() == DoubleDash::Neutral && !has_last && !external;
        let (mut greedy, plain) = self.greedy_and_plain();
        let end = self.input.levels[self.depth].options_end_behind;
        if let Some(end) = end.filter(|_| !has_last && !external) {
            for (property, given) in greedy.into_iter().chain(plain) {
                write_flag(argv, &property.flag, given, self.syntax, &property.key)?;
            }
            return self.write_unread(argv, &before, end.max(1), protectable);
        }
        // One that takes anything would take the flags behind it too.
        order::sort_by_key(&mut greedy, |(property, _)| property.flag.allow_hyphen);
        // A positional that takes anything would also take the greedy flags that stand behind it otherwise.
        let takes_flags =
            |place: &ArgvPlace<'_>| !greedy.is_empty() && place.property.positional.allow_hyphen;
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
        let expressions = self.flags();
        let expressions = expressions.filter(|(property, _)| property.flag.behind_positionals);
        let mut expressions: GivenFlags<'_> = expressions.collect();
        // What does more than read stands behind what may hold it back, also where somebody has pinned it.
        order::sort_by_key(&mut expressions, |(property, _)| property.flag.may_raise());
        write_all(argv, expressions)?;
        write_behind_dashes(argv, protected);
        write_behind_dashes(argv, &behind);
        Ok(())
    }

    /// Positionals of a command that reads no options behind the first few of them: those must not be taken for one,
    /// and all others may be anything.
    fn write_unread(
        &self,
        argv: &mut Argv,
        places: &[ArgvPlace<'_>],
        end: usize,
        protectable: bool,
    ) -> Result<(), Violation> {
        let keyed = places.iter().flat_map(|place| {
            let values = place.values.iter();
            values.map(|value| (place.property.key.as_str(), value))
        });
        let pattern = self.input.pattern.iter();
        let unlisted = pattern.flat_map(|(key, _)| {
            let values = self.bound.unlisted.iter();
            values.map(|value| (key.as_str(), value))
        });
        let mut dashed = false;
        for (at, (key, value)) in keyed.chain(unlisted).enumerate() {
            let misread = looks_like_flag(value) || self.may_name_subcommand(value);
            if at == 0 && misread && protectable {
                argv.push("--", ElementKind::DoubleDash);
                dashed = true;
            }
            if at == 0 && !dashed {
                self.refuse_subcommand_name(value, key)?;
            }
            if at < end && !dashed && looks_like_flag(value) {
                return Err(hyphen_refused(key, value));
            }
            argv.push_value(value, ElementKind::Positional, at >= end);
        }
        Ok(())
    }

    fn write_undashed(&self, argv: &mut Argv, place: &ArgvPlace<'_>) -> Result<(), Violation> {
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

    /// Positionals of a pattern that nobody could read: bare, and never a flag, unless a `--` stands before them that
    /// the pattern shows, or that only ends the flags.
    fn write_unlisted(&self, argv: &mut Argv) -> Result<(), Violation> {
        let Some((key, _)) = &self.input.pattern else {
            return Ok(());
        };
        let shown = self.input.pattern_has_dashes();
        let neutral = !shown && self.double_dash() == DoubleDash::Neutral;
        let mut ended = false;
        for (at, value) in self.bound.unlisted.iter().enumerate() {
            if shown && !ended && value == "--" {
                argv.push("--", ElementKind::DoubleDash);
                ended = true;
                continue;
            }
            if !ended && neutral && looks_like_flag(value) {
                argv.push("--", ElementKind::DoubleDash);
                ended = true;
            }
            if !ended && looks_like_flag(value) {
                return Err(hyphen_refused(&format!("{key}[{at}]"), value));
            }
            if !ended {
                self.refuse_subcommand_name(value, key)?;
            }
            argv.push(value, ElementKind::Positional);
        }
        Ok(())
    }

    fn push_bare(
        &self,
        argv: &mut Argv,
        value: &str,
        place: &ArgvPlace<'_>,
    ) -> Result<(), Violation> {
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

    /// Returns true if a value could call a subcommand, of a program that takes abbreviations too.
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

fn write_behind_dashes(argv: &mut Argv, places: &[ArgvPlace<'_>]) {
    if places.is_empty() {
        return;
    }
    argv.push("--", ElementKind::DoubleDash);
    for value in places.iter().flat_map(|place| place.values.iter()) {
        argv.push(value, ElementKind::Positional);
    }
}

fn is_negative_number(value: &str) -> bool {
    value.parse::<f64>().is_ok_and(f64::is_finite)
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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::{
        call::prepare,
        model::{
            Cli, Command, Effect, Flag, GivenEffect, Positional, Repetition, SingleDash, Syntax,
            ValueType,
        },
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
        let input = json!({"many": ["m", "n"], "words": ["a", "b"]});
        assert_eq!(written(run, input), "--many m n -- a b");
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
    fn names_with_one_dash_take_their_values_as_they_say() {
        let one = |name: &str, takes| text(name).single_dash(takes);
        let root = Command::new("p")
            .flag(one("out", SingleDash::Separate))
            .flag(one("std", SingleDash::Equals))
            .flag(one("heap", SingleDash::Glued))
            .flag(Flag::new("brief").single_dash(SingleDash::Separate))
            .positional(Positional::new("file"));
        let input = json!({"file": "f", "out": "o", "std": "c", "heap": "4m", "brief": true});
        assert_eq!(
            written(root.clone(), input),
            "-out o -std=c -heap4m -brief f"
        );
        let refused = written(root, json!({"out": "-brief"}));
        assert!(refused.contains("does not begin with `-`"), "{refused}");
    }

    #[test]
    fn expressions_stand_behind_the_positionals_as_they_were_given() {
        let expression = |name: &str| {
            text(name)
                .single_dash(SingleDash::Separate)
                .behind_positionals()
        };
        let root = Command::new("p")
            .flag(expression("named"))
            .flag(Flag::short_only('L'))
            .flag(expression("kind"))
            .positional(Positional::new("paths").variadic());
        let given = json!({"kind": "f", "paths": ["a", "b"], "named": "x*", "L": true});
        assert_eq!(written(root, given), "-L a b -kind f -named x*");
    }

    #[test]
    fn what_does_more_than_read_stands_behind_what_may_hold_it_back() {
        let expression = |flag: Flag| flag.single_dash(SingleDash::Separate).behind_positionals();
        let mut delete = expression(Flag::new("delete"));
        delete.effect = Some(GivenEffect::of(Effect::Destroy));
        let root = Command::new("p")
            .flag(delete)
            .flag(expression(text("named")))
            .positional(Positional::new("paths").variadic());
        let given = json!({"delete": true, "named": "*.o", "paths": ["."]});
        assert_eq!(written(root, given), ". -named *.o -delete");
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
