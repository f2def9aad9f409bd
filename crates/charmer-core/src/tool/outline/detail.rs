//! The detail in which properties are described, step by step less, and their spelling.

use std::collections::HashMap;

use crate::{
    text::shorten,
    tool::prose::{first_sentence, opening},
};

use super::told_properties::{Rank, ToldProperty};

/// The amount that is said. Lengths are in bytes.
#[derive(Debug)]
pub(super) struct Detail {
    /// Of what the command does.
    pub(super) about: usize,
    /// The number of examples that are shown.
    pub(super) examples: usize,
    /// The length of each example.
    pub(super) example: usize,
    /// Of properties that a caller needs, or should know.
    needed: usize,
    /// Of properties that are used often.
    common: usize,
    /// Of other properties.
    own: usize,
    /// Of properties that come from an ancestor.
    inherited: usize,
    /// The number of choices that are told.
    choices: usize,
    /// The length of a default.
    default: usize,
    /// Names that begin alike are written as one.
    pub(super) fold: bool,
    /// The number of inherited ones of them that are told by name.
    alike: usize,
}

const fn step(
    about: usize,
    examples: [usize; 2],
    helps: [usize; 4],
    choices: usize,
    default: usize,
) -> Detail {
    let [needed, common, own, inherited] = helps;
    Detail {
        about,
        examples: examples[0],
        example: examples[1],
        needed,
        common,
        own,
        inherited,
        choices,
        default,
        fold: needed < 100,
        alike: usize::MAX,
    }
}

/// From all to little. No step loses what is required, or a name or type of the command's own; only the last ones cut
/// lists of choices, and the very last the names of inherited properties that begin alike.
pub(super) const STEPS: [Detail; 20] = [
    step(600, [2, 160], [300, 240, 240, 160], usize::MAX, 80),
    step(400, [2, 120], [200, 160, 160, 100], usize::MAX, 60),
    step(300, [2, 120], [160, 110, 100, 80], usize::MAX, 60),
    step(250, [1, 100], [160, 100, 90, 70], usize::MAX, 60),
    step(250, [1, 100], [140, 100, 80, 60], usize::MAX, 60),
    step(200, [1, 100], [140, 90, 70, 50], usize::MAX, 50),
    step(200, [1, 80], [120, 90, 60, 40], usize::MAX, 40),
    step(200, [1, 80], [120, 80, 55, 30], usize::MAX, 40),
    step(200, [1, 80], [120, 80, 50, 0], usize::MAX, 40),
    step(160, [1, 80], [120, 80, 45, 0], usize::MAX, 40),
    step(160, [1, 80], [120, 80, 40, 0], usize::MAX, 40),
    step(160, [1, 80], [120, 70, 35, 0], usize::MAX, 40),
    step(160, [1, 80], [120, 70, 30, 0], usize::MAX, 40),
    step(160, [1, 60], [120, 60, 25, 0], usize::MAX, 40),
    step(160, [1, 60], [120, 60, 0, 0], usize::MAX, 40),
    step(120, [0, 0], [100, 40, 0, 0], usize::MAX, 40),
    step(120, [0, 0], [80, 0, 0, 0], usize::MAX, 40),
    step(100, [0, 0], [60, 0, 0, 0], 12, 30),
    step(80, [0, 0], [40, 0, 0, 0], 6, 20),
    // A program with a thousand flags that every command takes.
    Detail {
        alike: 2,
        ..step(80, [0, 0], [40, 0, 0, 0], 6, 20)
    },
];
/// So many names that begin alike are worth writing as one.
const WORTH_FOLDING: usize = 4;
/// Below this, what is told of the less common properties is told whole or not at all: a few words of each of them say
/// less than a sentence on some.
const WHOLE: usize = 100;

/// Writes properties, a line each where it is needed or there is something to say of it; the others stand together, by
/// type.
pub(super) fn write_properties(
    text: &mut String,
    properties: &[ToldProperty],
    detail: &Detail,
    depth: usize,
) {
    let indent = " ".repeat(depth);
    let mut plain: Vec<(String, bool, Vec<String>)> = Vec::new();
    for property in properties {
        let name = name(property, detail);
        let kind = property.kind.told(detail.choices);
        let help = help(property, detail);
        if help.is_empty() && property.within.is_empty() && property.rank != Rank::Needed {
            let inherited = property.rank == Rank::Inherited;
            let mut same = plain.iter_mut();
            match same.find(|(known, from, _)| *known == kind && *from == inherited) {
                Some((.., names)) => names.push(name),
                None => plain.push((kind, inherited, vec![name])),
            }
            continue;
        }
        let help = if help.is_empty() {
            help
        } else {
            format!("  {help}")
        };
        text.push_str(&format!("{indent}{name}: {kind}{help}\n"));
        write_properties(text, &property.within, detail, depth + 1);
    }
    for (kind, inherited, names) in plain {
        let most = if inherited { detail.alike } else { usize::MAX };
        let names = if detail.fold {
            fold(names, most)
        } else {
            names
        };
        text.push_str(&format!("{indent}{}: {kind}\n", names.join(", ")));
    }
}

/// Names that begin alike in one: `s3-acl, s3-region` as `s3-{acl, region}`, with at most so many of them told.
fn fold(names: Vec<String>, most: usize) -> Vec<String> {
    fn start(name: &str) -> &str {
        let key = name.split('=').next().unwrap_or_default();
        &key[..key.find(['-', '_']).map_or(0, |at| at + 1)]
    }
    let mut alike: Vec<Vec<String>> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for name in names {
        match places.get(start(&name)) {
            Some(&at) if !start(&name).is_empty() => alike[at].push(name),
            _ => {
                places.insert(start(&name).to_owned(), alike.len());
                alike.push(vec![name]);
            }
        }
    }
    let mut folded = Vec::new();
    for names in alike {
        if names.len() < WORTH_FOLDING {
            folded.extend(names);
            continue;
        }
        let start = start(&names[0]).to_owned();
        let ends = names.iter().map(|name| name[start.len()..].to_owned());
        let mut ends: Vec<String> = ends.take(most).collect();
        if names.len() > ends.len() {
            ends.push(format!("… {} more", names.len() - ends.len()));
        }
        folded.push(format!("{start}{{{}}}", ends.join(", ")));
    }
    folded
}

/// `name`, `name*` if it is required, `name=5` if it has a default.
fn name(property: &ToldProperty, detail: &Detail) -> String {
    let mark = if property.required { "*" } else { "" };
    let default = property.default.as_deref();
    let default = default.map(|text| format!("={}", shorten(text, detail.default)));
    format!("{}{mark}{}", property.key, default.unwrap_or_default())
}

fn help(property: &ToldProperty, detail: &Detail) -> String {
    let limit = match property.rank {
        Rank::Needed => detail.needed,
        Rank::Common => detail.common,
        Rank::Own => detail.own,
        Rank::Inherited => detail.inherited,
    };
    let whole = limit < WHOLE && property.rank >= Rank::Own;
    if limit == 0 || (whole && first_sentence(&property.help).len() > limit) {
        return String::new();
    }
    opening(&property.help, limit)
}
