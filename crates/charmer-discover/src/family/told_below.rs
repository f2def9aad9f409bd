//! Options at the margin with nothing beside their names, and below each what is said of it: a sentence, then lines such as
//! `type: boolean`, `one of: red, green` and `default: red`.
//!
//! No placeholder shows there which options take a value. Where such lines say nothing of an option either, the program is
//! asked for its help with the option as the last word: one that takes a value is said to lack it.

use charmer_core::model::{Choice, Repetition, ValueType};
use futures_util::future::join_all;

use crate::{
    fact::{Fact, Field, Origin},
    help::flag_names,
    probe::ProbeAnswer,
    sketch::{CommandSketch, FlagSketch, KindSketch},
};

use super::{Asker, printed};

/// The number of options with such lines that a page must have: a single one may be a sentence.
const FEWEST: usize = 2;

/// The certainty of a kind that no line tells.
const UNTOLD: u8 = 20;

/// The maximum number of options that are asked about, each of which is a start.
const MOST: usize = 64;

/// The way programs say that a value is missing, in small letters.
const LACKS: [&str; 6] = [
    "expects a", // an argument, a value
    "requires a",
    "needs a",
    "missing argument",
    "missing value",
    "argument missing",
];

/// Tells the flags of a page what its lines below them say; nothing where a page has no such lines.
pub(super) fn tell(text: &str, flags: &mut [FlagSketch]) {
    let paragraphs: Vec<(&str, Vec<&str>)> = paragraphs(text);
    let told = paragraphs.iter().filter(|(_, below)| kind(below).is_some());
    if told.count() < FEWEST {
        return;
    }
    for (head, below) in paragraphs {
        let Some(names) = flag_names(head).filter(|names| names.value.is_none()) else {
            continue;
        };
        let known = flags.iter_mut().find(|flag| match &flag.long {
            Some(long) => names.longs.contains(long),
            None => flag
                .short
                .is_some_and(|short| names.shorts.contains(&short)),
        });
        let Some(flag) = known.filter(|flag| flag.placeholder.is_none()) else {
            continue;
        };
        let said = below.iter().filter(|line| attribute(line).is_none());
        let said = said.copied().collect::<Vec<_>>().join(" ");
        if !said.is_empty() {
            flag.help = Some(Fact::new(said, Origin::Help));
        }
        let told = kind(&below);
        let is_told = told.is_some();
        let (kind, choices) = told.unwrap_or_else(|| (KindSketch::switch(), Vec::new()));
        let takes_value = kind != KindSketch::switch();
        flag.kind = Some(match is_told {
            true => Fact::new(kind, Origin::Help),
            false => Fact::with(kind, Origin::Help, UNTOLD),
        });
        if !choices.is_empty() {
            flag.choices = Some(Fact::new(choices, Origin::Help));
        } else if takes_value && let Some(default) = default(&below) {
            flag.default = Some(Fact::new(vec![default], Origin::Help));
        }
    }
}

/// The options at the margin, each with the lines below it.
fn paragraphs(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut found: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_open = false;
    for line in text.lines().map(str::trim_end) {
        if line.starts_with("--") || line.starts_with('-') && !line.starts_with("- ") {
            found.push((line, Vec::new()));
            is_open = true;
        } else if line.is_empty() {
            is_open = false;
        } else if is_open && let Some((_, below)) = found.last_mut() {
            below.push(line.trim());
        }
    }
    found
}

/// The name and the text of a line such as `type: boolean`.
fn attribute(line: &str) -> Option<(&str, &str)> {
    let (name, text) = line.split_once(": ")?;
    let known = matches!(name, "type" | "one of" | "one or more" | "default");
    known.then(|| (name, text.trim()))
}

/// The kind that lines below an option tell, and the values that it takes.
fn kind(below: &[&str]) -> Option<(KindSketch, Vec<Choice>)> {
    let mut attributes = below.iter().filter_map(|line| attribute(line));
    attributes.find_map(|(name, text)| match name {
        "type" => {
            let kind = match text {
                "boolean" | "bool" | "flag" | "switch" => KindSketch::switch(),
                "integer" | "int" => KindSketch::single(ValueType::INT),
                "number" | "float" => KindSketch::single(ValueType::Number),
                _ => KindSketch::single(ValueType::String),
            };
            Some((kind, Vec::new()))
        }
        "one of" => Some((KindSketch::single(ValueType::String), choices(text))),
        "one or more" => {
            let mut kind = KindSketch::single(ValueType::String);
            kind.repetition = Repetition::Joined { delimiter: ',' };
            Some((kind, choices(text)))
        }
        _ => None,
    })
}

/// The values of a list; none if one of them is more than a word, as `red/crimson` is, which may be one value or two. A
/// single one is the name of a type.
fn choices(text: &str) -> Vec<Choice> {
    let words: Vec<&str> = text.split(',').map(str::trim).collect();
    let plain = |word: &&str| {
        let inner = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
        !word.is_empty() && word.chars().all(inner)
    };
    match words.len() > 1 && words.iter().all(plain) {
        true => words.into_iter().map(Choice::new).collect(),
        false => Vec::new(),
    }
}

/// The default of a value, if it is one: a word, and not one that says that there is none.
fn default(below: &[&str]) -> Option<String> {
    let attributes = below.iter().filter_map(|line| attribute(line));
    let mut defaults = attributes.filter(|(name, _)| *name == "default");
    let (_, text) = defaults.next()?;
    let none = matches!(text, "undefined" | "none" | "null" | "[]");
    (!none && !text.contains([' ', '`'])).then(|| text.to_owned())
}

/// Asks about the options that no line tells of.
pub(super) async fn ask(asker: &Asker<'_>, root: &mut CommandSketch) {
    let untold = |flag: &FlagSketch| {
        let kind = flag.kind.as_ref();
        kind.is_some_and(|kind| kind.source.sure == UNTOLD && kind.source.origin == Origin::Help)
    };
    let open: Vec<FlagSketch> = root
        .flags
        .iter()
        .filter(|flag| untold(flag))
        .map(FlagSketch::clone)
        .collect();
    if open.is_empty() || !root.path.is_root() {
        return;
    }
    // A program may act on the option instead of showing its help.
    let most = match asker.prober.is_confined() {
        true => MOST,
        false => 0,
    };
    let questions = open.iter().take(most).map(|flag| async move {
        let answer = asker.prober.run(&["--help", flag.written().as_str()]).await;
        (flag, kind_by(flag, &answer))
    });
    let mut unknown = open.len().saturating_sub(most);
    for (asked, kind) in join_all(questions).await {
        match (root.flag_mut(asked), kind) {
            (Some(flag), Some(kind)) => flag.kind.learn(Fact::new(kind, Origin::Probe)),
            _ => unknown += 1,
        }
    }
    if unknown > 0 {
        root.warnings.push(format!(
            "whether {unknown} of its options take a value could not be found out; they are taken for switches"
        ));
    }
}

/// The kind of an option by the answer to a command line that ends with it.
fn kind_by(flag: &FlagSketch, answer: &ProbeAnswer) -> Option<KindSketch> {
    if says_lacking(flag, answer) {
        return Some(KindSketch::single(ValueType::String));
    }
    let shows_help = paragraphs(printed(answer)).len() > FEWEST;
    (answer.succeeded() && shows_help).then_some(KindSketch::switch())
}

/// Returns true if a program failed because this option has no value.
pub(super) fn says_lacking(flag: &FlagSketch, answer: &ProbeAnswer) -> bool {
    let names_it = |line: &str| {
        let mut words = line.split(|c: char| !c.is_alphanumeric() && !matches!(c, '-' | '_'));
        words.any(|word| word.trim_start_matches('-') == flag.id())
    };
    let lacks = |line: &str| {
        let lower = line.to_lowercase();
        LACKS.iter().any(|it| lower.contains(it))
    };
    let failed = answer.code.is_some_and(|code| code != 0);
    let mut lines = answer.stderr.lines().chain(answer.stdout.lines());
    failed && lines.any(|line| names_it(line) && lacks(line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::getopt::getopt_flags;

    const PAGE: &str = "kiln: fires pots\n\nFLAGS\n\n--glaze, -g\nPuts a colour on.\none of: red, green\n\
        default: red\n\n--marks\nStamps.\none or more: star, moon\n\n--heat\nThe heat.\ntype: number\ndefault: 900\n\n\
        --dry\nDries first.\ntype: boolean\ndefault: false\n\n--tone\none of: warm/hot, cold\n\n--shelf\none or more: string\n\n--plan, -p\nThe plan.\n";

    #[test]
    fn lines_below_an_option_tell_what_it_takes() {
        let (flags, _) = getopt_flags(PAGE);
        let shown: Vec<String> = flags
            .iter()
            .map(|flag| {
                let kind = flag.kind.as_ref().expect("each has one");
                let choices = flag.choices.as_ref().map_or(0, |all| all.value.len());
                let default = flag.default.as_ref().map(|fact| fact.value.concat());
                format!(
                    "{} {:?} {choices} {default:?} {}",
                    flag.id(),
                    kind.value.value_type,
                    kind.source.sure == UNTOLD
                )
            })
            .collect();
        let expected = [
            "glaze String 2 None false",
            "marks String 2 None false",
            "heat Number 0 Some(\"900\") false",
            "dry Bool 0 None false",
            "tone String 0 None false",
            "shelf String 0 None false",
            "plan Bool 0 None true",
        ];
        assert_eq!(shown, expected);
        let glaze = &flags[0];
        let said = glaze.help.as_ref().map(|help| help.value.as_str());
        assert_eq!(said, Some("Puts a colour on."));
        let marks = flags[1].kind.as_ref().map(|kind| &kind.value.repetition);
        assert_eq!(marks, Some(&Repetition::Joined { delimiter: ',' }));
    }

    #[test]
    fn a_page_without_such_lines_is_left_as_it_is() {
        let (flags, _) =
            getopt_flags("FLAGS\n\n--glaze\nPuts a colour on.\n\n--dry\nDries first.\n");
        let sure = flags.iter().filter_map(|flag| flag.kind.as_ref());
        assert!(sure.clone().count() == 2 && sure.clone().all(|kind| kind.source.sure != UNTOLD));
    }

    #[test]
    fn the_answer_to_an_option_without_its_value_tells_whether_it_takes_one() {
        let answer = |code, text: &str| ProbeAnswer {
            code: Some(code),
            stdout: text.to_owned(),
            started: true,
            ..ProbeAnswer::default()
        };
        let plan = FlagSketch::long("plan");
        let lacks = answer(1, "error 64: Option 'plan' expects an argument.\n");
        let kind = kind_by(&plan, &lacks);
        assert_eq!(kind, Some(KindSketch::single(ValueType::String)));
        assert_eq!(kind_by(&plan, &answer(0, PAGE)), Some(KindSketch::switch()));
        let other = answer(1, "error 64: Option 'planned' expects an argument.\n");
        assert_eq!(kind_by(&plan, &other), None);
        assert_eq!(kind_by(&plan, &answer(0, "done\n")), None);
    }
}
