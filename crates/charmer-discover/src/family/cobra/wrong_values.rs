//! A value that is wrong for nearly every type, and what the program says to it.
//!
//! `__complete PATH --flag="@ -` parses flags without running the command. An open quotation mark is no
//! number, no duration, no address and no CSV, but it is a text; so the complaint, or its absence, tells the type. Flags are
//! asked about together: each complaint settles one, which from then on gets a right value, until nobody complains.
//! Flags that are still listed at the end may be given again.

use std::sync::Arc;

use charmer_core::model::{Choice, FlagValue, MapValue, Repetition, ValueType};

use crate::{
    fact::{Fact, Field, Origin},
    family::{Asker, Sketches},
    flag_places::FlagPlaces,
    help::is_decimal,
    sketch::{CommandSketch, FlagScope, FlagSketch, KindSketch},
};

use super::{Cobra, complete::Complaint, flag_lines};

/// A quotation mark, and behind it something for those lists that drop quotation marks.
const JUNK: &str = "\"@";
/// The number of complaints that are followed in one command.
const ROUNDS: usize = 48;

/// The finding on a flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ValueLearnt {
    /// Its kind.
    Kind(KindSketch),
    /// An application's own type that refuses junk, and the values that it suggests.
    Strict(Vec<String>),
}

/// The number of a command's flags whose kinds are asked for.
pub(super) fn open_flags(sketch: &CommandSketch) -> usize {
    sketch.flags.iter().filter(|flag| is_own_open(flag)).count()
}

/// Returns true if a flag's kind is to be learnt from this command. What an ancestor owns is learnt once, when all is
/// known that help says of it.
fn is_own_open(flag: &FlagSketch) -> bool {
    is_open(flag) && !is_inherited(flag)
}

impl Cobra {
    /// Learns the kinds of flags whose help does not show them.
    pub(super) async fn learn_types(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        self.learn(asker, sketch, is_own_open).await;
    }

    /// Learns the kinds of some flags of a command, from memory where another command has the same.
    async fn learn(
        &self,
        asker: &Asker<'_>,
        sketch: &mut CommandSketch,
        wanted: impl Fn(&FlagSketch) -> bool,
    ) {
        let mut keys: Vec<String> = sketch
            .flags
            .iter()
            .filter(|flag| wanted(flag))
            .filter(|flag| self.recall(flag).is_none())
            .map(|flag| type_key(flag).map_or_else(|| said_of(flag), Into::into))
            .collect();
        keys.sort();
        keys.dedup();
        // In a fixed order, so that no two commands wait for each other.
        let mut held = Vec::new();
        for key in keys {
            held.push(self.turn(key).lock_owned().await);
        }
        let mut pending: Vec<FlagSketch> = Vec::new();
        for flag in &mut sketch.flags {
            if !wanted(flag) {
                continue;
            }
            match self.recall(flag) {
                Some(learnt) => learnt.tell(flag),
                None => pending.push(FlagSketch::clone(flag)),
            }
        }
        if pending.is_empty() {
            return;
        }
        let settled = self.interrogate(asker, sketch, pending).await;
        for (asked, learnt) in settled {
            self.remember(&asked, &learnt);
            if let Some(flag) = sketch.flag_mut(&asked) {
                learnt.tell(flag);
            }
        }
    }

    fn turn(&self, key: String) -> Arc<tokio::sync::Mutex<()>> {
        let mut asking = self
            .asking
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        Arc::clone(asking.entry(key).or_default())
    }

    /// Asks every text of a command whether it takes any text, and those that do not for what they take.
    pub(super) async fn learn_values(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let text = |flag: &FlagSketch| {
            let kind = flag.kind.as_ref().map(|kind| &kind.value);
            kind.is_some_and(|kind| {
                kind.value_type == ValueType::String && kind.repetition == Repetition::Single
            })
        };
        let wanted = |flag: &FlagSketch| {
            text(flag) && flag.long.is_some() && flag.choices.is_none() && !is_inherited(flag)
        };
        self.learn(asker, sketch, wanted).await;
    }

    /// Learns the kinds of flags that no help shows, from the first command that takes them.
    pub(super) async fn learn_inherited(&self, asker: &Asker<'_>, sketches: &mut Sketches) {
        let all = sketches.values().flat_map(|sketch| &sketch.flags);
        let mut known = FlagPlaces::of(all.filter(|flag| !is_open(flag)));
        let paths: Vec<_> = sketches.keys().cloned().collect();
        for path in paths {
            let Some(sketch) = sketches.get(&path) else {
                continue;
            };
            let open: Vec<FlagSketch> = sketch
                .flags
                .iter()
                .filter(|flag| is_open(flag) && is_inherited(flag) && flag.id() != "help")
                .filter(|flag| !known.has(flag))
                .cloned()
                .collect();
            if open.is_empty() {
                continue;
            }
            for flag in &open {
                known.add(flag, 0);
            }
            let settled = self.interrogate(asker, sketch, open).await;
            for sketch in sketches.values_mut() {
                let places = FlagPlaces::of(&sketch.flags);
                for (asked, learnt) in &settled {
                    let flag = places.place(asked).map(|at| &mut sketch.flags[at]);
                    if let Some(flag) = flag.filter(|flag| is_open(flag)) {
                        learnt.tell(flag);
                    }
                }
            }
        }
    }

    async fn interrogate(
        &self,
        asker: &Asker<'_>,
        sketch: &CommandSketch,
        mut pending: Vec<FlagSketch>,
    ) -> Vec<(FlagSketch, ValueLearnt)> {
        // Those that likely take any text come first: a complaint about one behind them settles them, too.
        pending.sort_by_key(|flag| !speaks_of_pairs(flag));
        let mut settled: Vec<(FlagSketch, ValueLearnt)> = Vec::new();
        // Flags that took what no list takes.
        let mut texts: Vec<FlagSketch> = Vec::new();
        for _ in 0..ROUNDS {
            // What is left to see in a last list is which of the single values may be given again.
            let open = settled.iter().any(|(_, learnt)| learnt.may_repeat());
            if pending.is_empty() && !open && texts.iter().all(is_shown_as_list) {
                let kind = KindSketch::repeated(ValueType::String);
                let lists = texts.into_iter();
                settled.extend(lists.map(|flag| (flag, ValueLearnt::Kind(kind.clone()))));
                return settled;
            }
            let mut given: Vec<String> = texts.iter().chain(&pending).map(junk).collect();
            given.extend(settled.iter().filter_map(|(flag, learnt)| match learnt {
                ValueLearnt::Kind(kind) => {
                    right_value(kind).map(|value| format!("{}={value}", flag.written()))
                }
                ValueLearnt::Strict(_) => None,
            }));
            // Whatever else is required, so that all flags are listed.
            let known = settled.iter().map(|(flag, _)| flag);
            let asked = FlagPlaces::of(texts.iter().chain(&pending).chain(known));
            let required = sketch.flags.iter().filter(|flag| {
                flag.required.as_ref().is_some_and(|fact| fact.value) && !asked.has(flag)
            });
            given.extend(required.filter_map(valid));
            let Some(answer) = self.complete(asker, &sketch.path, &given, "-").await else {
                return settled;
            };
            match answer.complaint {
                Some(complaint) => {
                    let Some(at) = pending.iter().position(|flag| complaint.is_about(flag)) else {
                        // It is about a value that was thought right: what is left stays as help has it.
                        return settled;
                    };
                    // Values are read in their order.
                    texts.extend(pending.drain(..at));
                    let flag = pending.remove(0);
                    let learnt = match complaint.kind() {
                        Some(kind) if has_own_type(&flag) => ValueLearnt::Kind(
                            self.kind_of_own_type(asker, sketch, &flag, kind).await,
                        ),
                        Some(kind) => ValueLearnt::Kind(kind),
                        None => ValueLearnt::Strict(self.suggested(asker, sketch, &flag).await),
                    };
                    // What has the same type by name need not be asked.
                    if let Some(key) = type_key(&flag).filter(|_| learnt.is_of_the_type()) {
                        let same = |other: &mut FlagSketch| type_key(other) == Some(key);
                        for other in pending.extract_if(.., same) {
                            settled.push((other, learnt.clone()));
                        }
                    }
                    settled.push((flag, learnt));
                }
                None => {
                    let listed = FlagPlaces::of(&flag_lines(&answer));
                    let again = |flag: &FlagSketch| listed.has(flag);
                    for flag in texts.into_iter().chain(pending) {
                        let kind = if again(&flag) {
                            KindSketch::repeated(ValueType::String)
                        } else {
                            KindSketch::single(ValueType::String)
                        };
                        settled.push((flag, ValueLearnt::Kind(kind)));
                    }
                    for (flag, learnt) in &mut settled {
                        if let ValueLearnt::Kind(kind) = learnt
                            && kind.repetition == Repetition::Single
                            && again(flag)
                        {
                            kind.value = FlagValue::Required;
                            kind.repetition = Repetition::Joined { delimiter: ',' };
                        }
                    }
                    return settled;
                }
            }
        }
        settled
    }

    /// The kind of a flag whose type is the application's own, although its complaint is that of a known type.
    ///
    /// Such a type may split its text in any way and may take more than the known one does. One that reads a single record
    /// with commas (`type=bind,source=a`) has nothing to read in an empty text; a list has no elements then.
    async fn kind_of_own_type(
        &self,
        asker: &Asker<'_>,
        sketch: &CommandSketch,
        flag: &FlagSketch,
        kind: KindSketch,
    ) -> KindSketch {
        match (&kind.value_type, &kind.repetition) {
            (ValueType::Map(_), _) => KindSketch::repeated(ValueType::String),
            (ValueType::Duration, _) => KindSketch::single(ValueType::String),
            (ValueType::String, Repetition::Joined { .. }) => {
                let empty = [format!("{}=", flag.written())];
                let answer = self.complete(asker, &sketch.path, &empty, "-").await;
                let complaint = answer.and_then(|answer| answer.complaint);
                match complaint.is_some_and(|complaint| complaint.is_about(flag)) {
                    true => KindSketch::repeated(ValueType::String),
                    false => kind,
                }
            }
            _ => kind,
        }
    }

    /// The values that completion suggests for a flag, unless they are names of files.
    async fn suggested(
        &self,
        asker: &Asker<'_>,
        sketch: &CommandSketch,
        flag: &FlagSketch,
    ) -> Vec<String> {
        // With `=` the value belongs to the flag even where it may be left out.
        let last = format!("{}=", flag.written());
        let Some(answer) = self.complete(asker, &sketch.path, &[], &last).await else {
            return Vec::new();
        };
        // `core=` is how a value begins.
        let begins = |value: &str| value.ends_with(['=', ':', '/', ',']) && value != last;
        if answer.failed || answer.unfinished || answer.lines.iter().any(|(v, _)| begins(v)) {
            return Vec::new();
        }
        let values = answer.lines.into_iter().map(|(value, _)| value);
        let values = values.map(|value| match value.strip_prefix(&last) {
            Some(bare) => bare.to_owned(),
            None => value,
        });
        values
            .filter(|value| !value.is_empty() && !value.starts_with('-'))
            .take(100)
            .collect()
    }

    pub(super) fn recall(&self, flag: &FlagSketch) -> Option<ValueLearnt> {
        let learnt = self.learnt.lock().ok()?;
        let by_type = type_key(flag).and_then(|key| learnt.get(key));
        by_type.or_else(|| learnt.get(&said_of(flag))).cloned()
    }

    fn remember(&self, flag: &FlagSketch, what: &ValueLearnt) {
        // Where help shows no type at all, the same words may stand for a map here and for a list there.
        if flag.placeholder.is_none() && flag.short.is_none() && what.takes_pairs_or_texts() {
            return;
        }
        let key = match type_key(flag) {
            Some(name) if what.is_of_the_type() => name.to_owned(),
            _ => said_of(flag),
        };
        if let Ok(mut learnt) = self.learnt.lock() {
            learnt.insert(key, what.clone());
        }
    }
}

/// Returns true if help leaves the kind open: an author's word in the place of the type, or nothing at all.
fn is_open(flag: &FlagSketch) -> bool {
    flag.long.is_some() && flag.kind.as_ref().is_none_or(|kind| kind.source.sure <= 20)
}

/// Returns true if help shows of a flag that it takes a list, and not of which kind.
pub(super) fn is_open_list(flag: &FlagSketch) -> bool {
    is_open(flag) && is_shown_as_list(flag) && !has_own_type(flag) && !is_inherited(flag)
}

/// Takes the author's word for it that a list is written with commas. One of pairs is asked about.
pub(super) fn believe_commas(sketch: &mut CommandSketch) {
    let says = |flag: &FlagSketch| {
        let help = flag.help.as_ref().map_or("", |help| &help.value);
        let text = help.to_lowercase().replace('-', " ");
        text.contains("comma separated") && !text.contains('=')
    };
    for flag in &mut sketch.flags {
        if is_open_list(flag) && says(flag) {
            let kind = KindSketch {
                repetition: Repetition::Joined { delimiter: ',' },
                ..KindSketch::single(ValueType::String)
            };
            flag.kind = Some(Fact::new(kind, Origin::Help));
        }
    }
}

/// A flag with a value that no kind of list takes but one of texts as they are.
pub(super) fn junk(flag: &FlagSketch) -> String {
    format!("{}={JUNK}", flag.written())
}

/// Returns true if help shows of a flag that it takes a list, if nothing else.
fn is_shown_as_list(flag: &FlagSketch) -> bool {
    let kind = flag.kind.as_ref();
    kind.is_some_and(|kind| kind.value.repetition != Repetition::Single)
}

/// Returns true if the text on a flag shows something like `key=value`, which is hardly split at commas.
fn speaks_of_pairs(flag: &FlagSketch) -> bool {
    let help = flag.help.as_ref();
    help.is_some_and(|help| help.value.contains('='))
}

fn is_inherited(flag: &FlagSketch) -> bool {
    flag.scope
        .as_ref()
        .is_some_and(|scope| scope.value == FlagScope::Inherited)
}

/// The name of an application's own type.
fn type_key(flag: &FlagSketch) -> Option<&str> {
    let name = flag.placeholder.as_deref()?;
    (flag.named_type && is_open(flag)).then_some(name)
}

/// Returns true if help names a type that is none of pflag's.
fn has_own_type(flag: &FlagSketch) -> bool {
    flag.named_type && flag.placeholder.is_some()
}

fn has_decimal_default(flag: &FlagSketch) -> bool {
    let mut defaults = flag.default.iter().flat_map(|fact| &fact.value);
    defaults.all(|text| is_decimal(text))
}

/// The help of a flag, in one text.
pub(super) fn said_of(flag: &FlagSketch) -> String {
    let shown = flag.placeholder.as_deref().unwrap_or_default();
    // Whoever gives a flag the same letter as well means the same flag, in whatever words.
    let words = match (&flag.long, flag.short) {
        (Some(_), Some(short)) => short.to_string(),
        _ => {
            let help = flag.help.as_ref();
            help.map_or_else(String::new, |help| help.value.clone())
        }
    };
    format!("{}\0{shown}\0{words}", flag.written())
}

impl ValueLearnt {
    /// Returns true if the complaint leaves open how often the flag may be given.
    fn may_repeat(&self) -> bool {
        matches!(self, Self::Kind(kind) if kind.repetition == Repetition::Single)
    }

    fn takes_pairs_or_texts(&self) -> bool {
        let Self::Kind(kind) = self else { return false };
        matches!(kind.value_type, ValueType::Map(_))
            || kind.repetition == Repetition::Repeat { delimiter: None }
    }

    /// Returns true if it holds for every flag whose type has the same name. Many programs have one type for all their
    /// enums, each flag with values of its own.
    fn is_of_the_type(&self) -> bool {
        match self {
            Self::Kind(_) => true,
            Self::Strict(values) => values.is_empty(),
        }
    }

    fn tell(&self, flag: &mut FlagSketch) {
        match self {
            Self::Kind(kind) => {
                let optional = match &flag.kind {
                    Some(known) => match &known.value.value {
                        FlagValue::Optional { bare } => Some(bare.clone()),
                        _ => None,
                    },
                    None => None,
                };
                let mut kind = kind.clone();
                if let (Some(bare), FlagValue::Required) = (optional, &kind.value) {
                    kind = kind.optional(bare);
                }
                // A number whose default is `0750` is read in base 8, and means something else in JSON.
                let whole = matches!(kind.value_type, ValueType::Integer { .. });
                if whole && has_own_type(flag) && !has_decimal_default(flag) {
                    kind = KindSketch::single(ValueType::String);
                }
                if kind.value_type != ValueType::String {
                    flag.choices = None;
                }
                flag.kind.learn(Fact::new(kind, Origin::Probe));
                // A default was read before the kind was known.
                if let Some(default) = flag.default.take() {
                    super::pflag::set_default(
                        flag,
                        &default.value.join(","),
                        default.source.origin,
                    );
                }
            }
            Self::Strict(values) => {
                if values.len() > 1 {
                    let choices = values.iter().map(Choice::new).collect();
                    flag.choices.learn(Fact::new(choices, Origin::Completion));
                }
                // An application's own type: several values unless help shows that it holds one.
                let one = flag.choices.is_some() || flag.default.is_some() || is_scalar(flag);
                let kind = if one {
                    KindSketch::single(ValueType::String)
                } else {
                    KindSketch::repeated(ValueType::String)
                };
                let kind = match flag.kind.take().map(|known| known.value.value) {
                    Some(FlagValue::Optional { bare }) => kind.optional(bare),
                    _ => kind,
                };
                flag.kind.learn(Fact::with(kind, Origin::Probe, 50));
            }
        }
    }
}

/// Returns true if the name of an application's type stands for one value.
fn is_scalar(flag: &FlagSketch) -> bool {
    let word = flag
        .placeholder
        .as_deref()
        .unwrap_or_default()
        .to_lowercase();
    const SCALARS: [&str; 18] = [
        "size",
        "url",
        "uri",
        "level",
        "mode",
        "format",
        "version",
        "file",
        "path",
        "percent",
        "regexp",
        "date",
        "time",
        "timestamp",
        "enum",
        "type",
        "policy",
        "number",
    ];
    SCALARS.iter().any(|scalar| word.contains(scalar))
}

impl Complaint {
    pub(super) fn is_about(&self, flag: &FlagSketch) -> bool {
        let names = self.flag.split(", ");
        let long = flag.written();
        names.into_iter().any(|name| name == long)
    }

    /// The kind that a reason tells, `None` for an application's own type.
    pub(super) fn kind(&self) -> Option<KindSketch> {
        let reason = self.reason.as_str();
        let has = |text: &str| reason.contains(text);
        let list = |value_type| KindSketch {
            repetition: Repetition::Joined { delimiter: ',' },
            ..KindSketch::single(value_type)
        };
        Some(if has("strconv.ParseInt") {
            KindSketch::single(ValueType::INT)
        } else if has("strconv.Atoi") {
            list(ValueType::INT)
        } else if has("strconv.ParseUint") {
            KindSketch::single(ValueType::UINT)
        } else if has("strconv.ParseFloat") {
            KindSketch::single(ValueType::Number)
        } else if has("strconv.ParseBool") {
            KindSketch::switch()
        } else if has("invalid duration") {
            KindSketch::single(ValueType::Duration)
        } else if has("must be formatted as key=value") {
            list(ValueType::Map(MapValue::Text))
        } else if has("invalid string being converted to IP") {
            list(ValueType::Ip)
        } else if has("failed to parse IP mask") {
            KindSketch::single(ValueType::IpMask)
        } else if has("failed to parse IP") {
            KindSketch::single(ValueType::Ip)
        } else if has("invalid string being converted to CIDR") {
            list(ValueType::IpNet)
        } else if has("invalid CIDR address") {
            KindSketch::single(ValueType::IpNet)
        } else if has("encoding/hex") {
            KindSketch::single(ValueType::Hex)
        } else if has("illegal base64 data") {
            KindSketch::single(ValueType::Base64)
        } else if has("parse error on line") || reason == "EOF" {
            list(ValueType::String)
        } else {
            return None;
        })
    }
}

/// A value that a kind takes.
fn right_value(kind: &KindSketch) -> Option<&'static str> {
    Some(match &kind.value_type {
        ValueType::Bool => "true",
        ValueType::Integer { .. } | ValueType::BigInteger { .. } | ValueType::Count => "1",
        ValueType::Number => "1.5",
        ValueType::Duration => "1s",
        ValueType::Ip => "127.0.0.1",
        ValueType::IpMask => "255.255.255.0",
        ValueType::IpNet => "127.0.0.0/8",
        ValueType::Hex => "00",
        ValueType::Base64 => "AA==",
        ValueType::Map(_) => "a=1",
        ValueType::String | ValueType::Path | ValueType::Char => "x",
        _ => return None,
    })
}

/// A flag with a value that it takes, as one element of a command line.
pub(super) fn valid(flag: &FlagSketch) -> Option<String> {
    let written = flag.written();
    let choice = flag
        .choices
        .as_ref()
        .and_then(|choices| choices.value.first());
    if let Some(choice) = choice {
        return Some(format!("{written}={}", choice.value));
    }
    // A default is surely accepted; a guess may not be.
    let one = flag
        .default
        .as_ref()
        .filter(|default| default.value.len() == 1);
    if let Some(default) = one {
        return Some(format!("{written}={}", default.value[0]));
    }
    let value = match &flag.kind {
        Some(kind) => right_value(&kind.value)?,
        None => "1",
    };
    Some(format!("{written}={value}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flag(long: &str, placeholder: &str, named_type: bool) -> FlagSketch {
        FlagSketch {
            placeholder: Some(placeholder.into()),
            named_type,
            help: Some(Fact::new(format!("The {long}"), Origin::Help)),
            ..FlagSketch::long(long)
        }
    }

    #[test]
    fn a_type_is_learnt_once_but_the_values_of_an_enum_for_each_flag() {
        let cobra = Cobra::default();
        let size = ValueLearnt::Kind(KindSketch::single(ValueType::INT));
        cobra.remember(&flag("width", "Size", true), &size);
        assert_eq!(
            cobra.recall(&flag("height", "Size", true)),
            Some(size.clone())
        );
        assert_eq!(cobra.recall(&flag("height", "Size", false)), None);

        let untold = FlagSketch {
            placeholder: None,
            ..flag("env", "", false)
        };
        cobra.remember(&untold, &size);
        assert_eq!(cobra.recall(&untold), Some(size));
        let other = FlagSketch::long("label");
        let pairs = ValueLearnt::Kind(KindSketch::repeated(ValueType::Map(MapValue::Text)));
        cobra.remember(&other, &pairs);
        assert_eq!(cobra.recall(&other), None);

        let values = ValueLearnt::Strict(vec!["red".into(), "green".into()]);
        cobra.remember(&flag("colour", "enum", true), &values);
        assert_eq!(cobra.recall(&flag("colour", "enum", true)), Some(values));
        assert_eq!(cobra.recall(&flag("taste", "enum", true)), None);
    }

    #[test]
    fn lists_that_are_said_to_have_commas_are_not_asked_about() {
        let open = |row: &str| {
            let mut sketch = CommandSketch::default();
            let lines: Vec<&str> = row.lines().collect();
            sketch.flags = super::super::pflag::flags(&lines).into();
            assert!(is_open_list(&sketch.flags[0]), "{row}");
            believe_commas(&mut sketch);
            is_open_list(&sketch.flags[0])
        };
        assert!(!open("    --keys=[]:\n\tComma-separated list of keys"));
        assert!(open("    --keys=[]:\n\tKeys to take"));
        assert!(open("    --set=[]:\n\tComma separated list of name=value"));
    }

    #[test]
    fn the_same_letter_means_the_same_flag_in_other_words() {
        let cobra = Cobra::default();
        let lettered = |help: &str, short| FlagSketch {
            short,
            help: Some(Fact::new(help.into(), Origin::Help)),
            ..flag("from", "file", false)
        };
        let list = ValueLearnt::Kind(KindSketch::repeated(ValueType::String));
        cobra.remember(&lettered("Where from", Some('f')), &list);
        assert_eq!(
            cobra.recall(&lettered("What to read", Some('f'))),
            Some(list)
        );
        assert_eq!(cobra.recall(&lettered("What to read", Some('g'))), None);
        assert_eq!(cobra.recall(&lettered("What to read", None)), None);
    }
}
