//! Positionals that were given another way: all of them as `args`, or one by what people call such a thing.

use serde_json::{Map, Value};

use crate::{
    call::violation::Violation,
    text::shorten,
    tool::{ARGS_KEY, Input, PositionalProperty},
};

use super::{
    InputReader,
    names::{KeyNames, LONGEST, fold, names_of},
    usage::{UsageLine, UsagePattern, UsageWord},
    values,
};

/// Words for the same sort of thing, of which a usage line has one and a caller may say another. They hold for programs
/// of all kinds: a row is for words that a reader of the usage would take for one another.
const KIN: [&[&str]; 8] = [
    &["path", "file", "pathspec", "filepath"],
    &["path", "directory", "dir", "folder"],
    &[
        "commit",
        "object",
        "revision",
        "rev",
        "ref",
        "revisionrange",
        "commitish",
        "treeish",
        "branch",
        "tag",
    ],
    &["repository", "repo", "remote"],
    &["repository", "repo", "url"],
    &["package", "pkg", "crate", "dependency", "dep", "spec"],
    &["type", "kind", "resource"],
    &["pattern", "regex", "regexp", "expression"],
];

/// The nearness of two names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    Kin,
    Same,
}

impl InputReader<'_> {
    /// The command's positionals from `args`, where they have names of their own. Those that come first may have been
    /// given by name: then the list is what follows them.
    pub(super) fn spread_args(&mut self, names: &KeyNames<'_>, strict: &mut Map<String, Value>) {
        let input = self.input;
        if input.template.is_some() || input.pattern.is_some() {
            return;
        }
        if names.is_key(ARGS_KEY) && !self.means_all(strict) {
            return;
        }
        let is_set = |key: &str| strict.get(key).is_some_and(|value| !value.is_null());
        let replaced = |own: &PositionalProperty| {
            input.flags.iter().any(|flag| {
                flag.owner == own.level
                    && own.positional.replaced_by.contains(&flag.flag.id)
                    && is_set(&flag.key)
            })
        };
        let own = own_positionals(input).filter(|own| !replaced(own));
        let own: Vec<&PositionalProperty> = own.collect();
        if own.is_empty() {
            return;
        }
        match strict.get(ARGS_KEY) {
            Some(Value::String(_) | Value::Number(_) | Value::Bool(_)) => {
                self.list_of_words(ARGS_KEY, strict);
            }
            Some(Value::Null) => {
                strict.remove(ARGS_KEY);
                return;
            }
            _ => {}
        }
        let Some(Value::Array(items)) = strict.get(ARGS_KEY) else {
            return;
        };
        let items = items.clone();
        let by_name = |property: &&PositionalProperty| {
            let value = strict.get(&property.key).filter(|value| !value.is_null());
            value.filter(|_| property.key != ARGS_KEY)
        };
        let leading = own.iter().map_while(|property| {
            let single = !property.positional.variadic && !property.positional.last;
            by_name(property).filter(|_| single)
        });
        let leading: Vec<Value> = leading.cloned().collect();
        let (named, rest) = own.split_at(leading.len());
        // A list that begins with them again may be of all.
        let again = !leading.is_empty() && items.starts_with(&leading);
        let other = rest.iter().find(|property| by_name(property).is_some());
        let twice = match rest.is_empty() || again {
            true => named.first(),
            false => other,
        };
        if let Some(named) = twice.filter(|_| !items.is_empty()) {
            let key = named.key.clone();
            return self.given_twice(&key, ARGS_KEY);
        }
        let shares = match shares(rest, &items, leading.is_empty()) {
            Ok(shares) => shares,
            Err(expected) => {
                let keys: Vec<&str> = rest.iter().map(|property| property.key.as_str()).collect();
                let hint = format!("they are `{}`", keys.join("`, `"));
                return self
                    .violations
                    .push(Violation::new(ARGS_KEY, expected).hint(hint));
            }
        };
        strict.remove(ARGS_KEY);
        let mut taken = Vec::new();
        for (property, share) in shares {
            taken.push(format!("`{}`", property.key));
            let value = match property.positional.variadic {
                true => Value::Array(share.to_vec()),
                false => share[0].clone(),
            };
            strict.insert(property.key.clone(), value);
        }
        if !taken.is_empty() {
            let note = format!("`{ARGS_KEY}` was taken as {}", taken.join(", "));
            self.notes.push(note);
        }
    }

    /// Returns true if `args` are all positionals of a command that calls something of its own so: no switch is a list
    /// of words (`go test -args`), and a list that stands behind `--` (`npm run COMMAND -- ARGS`) does not go without
    /// what must stand before it.
    fn means_all(&self, strict: &Map<String, Value>) -> bool {
        let Some(value @ Value::Array(items)) = strict.get(ARGS_KEY) else {
            return false;
        };
        let begins = |text: &str| !text.starts_with('-');
        if !items.first().and_then(Value::as_str).is_some_and(begins) {
            return false;
        }
        let mut flags = self.input.flags.iter();
        if let Some(flag) = flags.find(|property| property.key == ARGS_KEY) {
            return flag.flag.is_switch() && values::switch(value) == values::ValueReading::AsItIs;
        }
        let own: Vec<&PositionalProperty> = own_positionals(self.input).collect();
        let mut behind = own.iter().filter(|own| own.positional.last);
        let missing = |own: &&PositionalProperty| {
            let required = own.positional.required && own.key != ARGS_KEY;
            required && strict.get(&own.key).is_none_or(Value::is_null)
        };
        behind.any(|own| own.key == ARGS_KEY) && own.iter().any(missing)
    }

    /// Positionals under another name for the same sort of thing, or under one that a usage pattern has.
    pub(super) fn usage_names(&mut self, names: &KeyNames<'_>, strict: &mut Map<String, Value>) {
        let input = self.input;
        if input.template.is_some() {
            return;
        }
        let is_words = |value: &Value| match value {
            Value::String(_) | Value::Number(_) => true,
            Value::Array(items) => items
                .iter()
                .all(|item| item.is_string() || item.is_number()),
            _ => false,
        };
        let others = strict.iter().filter(|(key, value)| {
            // What is typed like a flag is none of them.
            let word = !key.starts_with('-') && *key != ARGS_KEY && key.len() <= LONGEST;
            let unknown =
                || !names.is_key(key) && names.meaning(key, value) == super::Meaning::Unknown;
            word && is_words(value) && (unknown() || self.is_no_switch(key, value))
        });
        let others: Vec<String> = others.map(|(key, _)| key.clone()).collect();
        if others.is_empty() {
            return;
        }
        match &input.pattern {
            Some((key, pattern)) => self.by_pattern(key, pattern, &others, strict),
            None => others.iter().for_each(|key| self.by_kin(key, strict)),
        }
    }

    /// Returns true if a switch was given words, and a positional has the same name: `commit` of
    /// `git merge [--commit] <commit>`.
    fn is_no_switch(&self, key: &str, value: &Value) -> bool {
        let input = self.input;
        let mut flags = input.flags.iter();
        let switch = flags.any(|property| property.key == key && property.flag.is_switch());
        if !switch || value.is_number() || values::switch(value) != values::ValueReading::AsItIs {
            return false;
        }
        let is_it = |name: &str| nearness(key, name) == Some(Nearness::Same);
        match &input.pattern {
            Some((_, pattern)) => UsagePattern::read(pattern, input)
                .words()
                .any(|word| is_it(&word.name)),
            None => own_positionals(input).any(|own| names_of(own).any(is_it)),
        }
    }

    fn by_kin(&mut self, key: &str, strict: &mut Map<String, Value>) {
        let own = own_positionals(self.input);
        let free = own.filter(|property| strict.get(&property.key).is_none_or(Value::is_null));
        let near = |property: &PositionalProperty| {
            names_of(property)
                .filter_map(|name| nearness(key, name))
                .max()
        };
        let near: Vec<(Nearness, String)> = free
            .filter_map(|property| Some((near(property)?, property.key.clone())))
            .collect();
        let Some(best) = near.iter().map(|(near, _)| *near).max() else {
            return;
        };
        let best: Vec<&str> = near
            .iter()
            .filter(|(near, _)| *near == best)
            .map(|(_, key)| key.as_str())
            .collect();
        match best[..] {
            [own] => {
                if let Some(value) = strict.remove(key) {
                    self.notes.push(format!("`{key}` was taken as `{own}`"));
                    strict.insert(own.to_owned(), value);
                }
            }
            _ => self.two_meanings(key, &best),
        }
    }

    /// The words of a usage pattern in its order, where all ways to read it agree on that.
    fn by_pattern(
        &mut self,
        list: &str,
        pattern: &str,
        keys: &[String],
        strict: &mut Map<String, Value>,
    ) {
        let usage = UsagePattern::read(pattern, self.input);
        let known = |key: &&String| {
            let mut words = usage.words();
            words.any(|word| nearness(key, &word.name).is_some())
        };
        let keys: Vec<&String> = keys.iter().filter(known).collect();
        if keys.is_empty() {
            return;
        }
        let given = |key: &str| match &strict[key] {
            Value::Array(items) => items.clone(),
            one => vec![one.clone()],
        };
        if strict.get(list).is_some_and(|value| !value.is_null()) {
            return self.given_twice(list, keys[0]);
        }
        let mut readings: Vec<Vec<Value>> = Vec::new();
        // Without its flag a line is another command: `(-m | -M) <old> <new>` renames, `<name> <start>` makes one.
        let is_set = |name: &String| self.is_set(name, strict);
        let possible: Vec<&UsageLine> = usage
            .lines()
            .filter(|line| line.flags.iter().all(is_set))
            .collect();
        let mut lines: Vec<&UsageLine> = Vec::new();
        for line in &possible {
            if let Some(reading) = in_order(&line.words, &keys, &given) {
                lines.push(line);
                if !readings.contains(&reading) {
                    readings.push(reading);
                }
            }
        }
        // A word that the usage has, but not where it could be told from the others.
        if readings.len() != 1 {
            let usage = shorten(pattern, 120);
            let violation = Violation::new(keys[0], format!("it in `{list}`, in its place"));
            return self
                .violations
                .push(violation.hint(format!("usage: {usage}")));
        }
        if let [reading] = &readings[..] {
            // `[-l] [<pattern>...]` without its flag is another command where that one wants a word: `<name> [<start>]`.
            let plain = !reading.contains(&"--".into());
            let other = possible
                .iter()
                .find(|line| plain && !lines.contains(line) && line.wants_words(reading.len()));
            let sure = lines
                .iter()
                .any(|line| line.wants_words(reading.len()) || line.options.iter().any(is_set));
            if let (Some(other), false) = (other, sure) {
                let name = &other.words[0].name;
                let options = lines.iter().flat_map(|line| &line.options);
                let options: Vec<String> = options.map(|name| format!("`{name}`")).collect();
                let expected = match options.is_empty() {
                    true => format!("it in `{list}`, in its place"),
                    false => format!("it together with {}", options.join(" or ")),
                };
                let hint = format!("by itself it would be read as `{name}`");
                let violation = Violation::new(keys[0], expected).hint(hint);
                return self.violations.push(violation);
            }
            let named: Vec<String> = keys.iter().map(|key| format!("`{key}`")).collect();
            let note = format!("{} was taken as `{list}`", named.join(", "));
            let reading = reading.clone();
            keys.iter().for_each(|key| drop(strict.remove(*key)));
            strict.insert(list.to_owned(), reading.into());
            self.notes.push(note);
        }
    }

    /// Returns true if a flag stands in the command line, by a name of it as it is typed.
    fn is_set(&self, name: &str, strict: &Map<String, Value>) -> bool {
        let given = |key: &str| match strict.get(key) {
            None | Some(Value::Null | Value::Bool(false)) => false,
            Some(value) => value != "false",
        };
        let mut offered = self.input.flags.iter();
        let mut pinned = self.input.pinned.iter();
        offered.any(|property| property.flag.is_named(name) && given(&property.key))
            || pinned.any(|pinned| pinned.property.flag.is_named(name))
    }
}

fn own_positionals(input: &Input) -> impl Iterator<Item = &PositionalProperty> {
    let leaf = input.levels.len().saturating_sub(1);
    let keyed = input.keyed_positionals().map(|(_, property)| property);
    keyed.filter(move |property| property.level == leaf)
}

/// Shares a list out among the positionals, if there is only one way to do so; `--` parts off what stands behind one.
/// It goes without saying where the command has nothing that could stand before it: `all` says that these are all.
fn shares<'p, 'v>(
    own: &[&'p PositionalProperty],
    items: &'v [Value],
    all: bool,
) -> Result<Vec<(&'p PositionalProperty, &'v [Value])>, &'static str> {
    let (last, before): (Vec<&PositionalProperty>, Vec<&PositionalProperty>) =
        own.iter().partition(|own| own.positional.last);
    let dashes = items.iter().position(|item| item == "--");
    let (mut items, behind) = match dashes.filter(|_| !last.is_empty()) {
        Some(at) => (&items[..at], &items[at + 1..]),
        None if all && before.is_empty() && last.len() == 1 => (&[][..], items),
        None => (items, &[][..]),
    };
    let lists = before.iter().filter(|own| own.positional.variadic).count();
    let each = lists == 0 && items.len() == before.len();
    let in_order = before
        .windows(2)
        .all(|pair| pair[0].positional.required || !pair[1].positional.required);
    // Behind a list everything must be there, or nobody can say where the list ends.
    let behind_list = before.iter().skip_while(|own| !own.positional.variadic);
    let closed = behind_list.skip(1).all(|own| own.positional.required);
    if lists > 1 || !closed || !(each || in_order) {
        return Err("each by its name, because the list could be shared out in several ways");
    }
    let mut shares = Vec::new();
    for (place, own) in before.iter().enumerate() {
        let rest = &before[place + 1..];
        let needed = rest.iter().filter(|own| own.positional.required).count();
        let share = match own.positional.variadic {
            true => items.len().saturating_sub(needed),
            false => items.len().min(1),
        };
        let (mine, others) = items.split_at(share);
        items = others;
        if !mine.is_empty() {
            shares.push((*own, mine));
        }
    }
    let mut fits = items.is_empty();
    if let (Some(own), false) = (last.first(), behind.is_empty()) {
        fits &= own.positional.variadic || behind.len() == 1;
        shares.push((*own, behind));
    }
    // What is left over has no place.
    match fits {
        true => Ok(shares),
        false => Err("fewer elements"),
    }
}

/// The values in the order of one line of usage: every word that must be there is given, and a word that is left out
/// stands before none that is given, unless a `--` parts them.
fn in_order(
    line: &[UsageWord],
    keys: &[&String],
    given: &impl Fn(&str) -> Vec<Value>,
) -> Option<Vec<Value>> {
    let mut reading = Vec::new();
    let mut placed = 0;
    let mut dashed = false;
    // Before the dashes, and behind them.
    let mut left_out = [false; 2];
    for word in line {
        // A key means the word that it is nearest to, and no other that it could stand for as well.
        let near = |key: &&&String| {
            let nearest = line.iter().filter_map(|word| nearness(key, &word.name));
            let nearest = nearest.max();
            nearness(key, &word.name).filter(|near| Some(*near) == nearest)
        };
        let best = keys.iter().filter_map(|key| near(&key)).max();
        let mut fitting = keys
            .iter()
            .filter(|key| best.is_some() && near(key) == best);
        match (fitting.next(), fitting.next()) {
            (None, _) if word.least > 0 => return None,
            (None, _) => left_out[usize::from(word.behind_dashes)] = true,
            (Some(_), Some(_)) => return None,
            (Some(_), None) if left_out[usize::from(word.behind_dashes)] => return None,
            (Some(key), None) => {
                let values = given(key);
                if values.len() < word.least.max(1) || values.len() > word.most {
                    return None;
                }
                if word.behind_dashes && !dashed {
                    reading.push("--".into());
                    dashed = true;
                }
                reading.extend(values);
                placed += 1;
            }
        }
    }
    (placed == keys.len()).then_some(reading)
}

/// Tells whether a caller's word and one of the program's stand for the same sort of thing.
fn nearness(said: &str, own: &str) -> Option<Nearness> {
    let said = noun(said);
    let kin = |own: &str| {
        let both = |row: &&&[&str]| row.contains(&said.as_str()) && row.contains(&own);
        KIN.iter().find(both).map(|_| Nearness::Kin)
    };
    // `number-or-url` takes either.
    let lower = own.to_lowercase().replace('_', "-");
    let each = lower.split("-or-").chain([lower.as_str()]).map(noun);
    each.filter_map(|own| match said == own {
        true => Some(Nearness::Same),
        false => kin(&own),
    })
    .max()
}

/// A name of a thing without what says nothing: `branch-name`, `branches` and `BRANCH` are one.
fn noun(name: &str) -> String {
    let folded = fold(name);
    let stem = |text: &str, end: &str| {
        let stem = text.strip_suffix(end)?;
        (stem.len() > 2).then(|| stem.to_owned())
    };
    let single = stem(&folded, "ches")
        .map(|stem| stem + "ch")
        .or_else(|| stem(&folded, "ies").map(|stem| stem + "y"))
        .or_else(|| stem(&folded, "s").filter(|stem| !stem.ends_with('s')))
        .unwrap_or(folded);
    stem(&single, "name")
        .or_else(|| stem(&single, "id"))
        .unwrap_or(single)
}
