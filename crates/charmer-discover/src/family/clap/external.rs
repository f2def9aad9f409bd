//! Commands that hand on to another program (`cargo fmt` runs `cargo-fmt`), read from that program's own help.
//!
//! They are asked for `--help` and for nothing else, and only where probes are confined: such a program is not the one
//! that is read, and need not be built with clap.

use charmer_core::model::{Arguments, CommandPath};

use super::{Clap, Sketches};
use crate::{
    fact::Fact,
    family::fallback,
    sketch::{CommandSketch, FlagScope, FlagSketch},
};

/// Reads the help of a program that is not built with clap.
pub(super) fn read(text: &str, program: &str, path: &CommandPath) -> Option<CommandSketch> {
    let mut sketch = fallback::read(&without_prose(text), program, path)?;
    // Another program's command rows are not commands of this one.
    sketch.children.clear();
    let dashed = |fact: &Fact<String>| fact.value.contains("[--] ");
    if sketch.usage.as_ref().is_some_and(dashed)
        && let Some(Fact {
            value: Arguments::Listed(listed),
            ..
        }) = &mut sketch.arguments
        && let [only] = listed.as_mut_slice()
    {
        // What it hands on once more stands behind the dashes, where it may be anything.
        only.last = true;
        only.allow_hyphen = true;
    }
    Some(sketch)
}

/// A text without the rows that stand below prose: they may be the options of something else.
fn without_prose(text: &str) -> String {
    let mut kept = true;
    let lines = text.lines().filter(|line| {
        let unindented = line.starts_with(|c: char| !c.is_whitespace());
        if unindented {
            let heading = line.trim_end().ends_with(':');
            let lower = line.to_lowercase();
            let usual = ["option", "flag", "usage", "argument"];
            let about_options = usual.iter().any(|word| lower.contains(word));
            kept = about_options && (heading || lower.starts_with("usage"));
        }
        kept || unindented
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns true if a help text says that the options of another command are to be had as well: `See all options with p
/// check --help`, `Other options are the same as p check`.
fn borrows_from(text: &str, program: &str, name: &str) -> bool {
    let whole = format!("{program} {name}");
    text.lines().any(|line| {
        let plain = line.replace(['`', '\'', '"'], "");
        let lower = plain.to_lowercase();
        let Some(at) = plain.find(&whole).filter(|_| lower.contains("options")) else {
            return false;
        };
        let behind = plain[at + whole.len()..].trim_start();
        let ends =
            plain[at + whole.len()..].starts_with(|c: char| !c.is_alphanumeric() && c != '-');
        let all = ["all ", "other ", "same "]
            .iter()
            .any(|word| lower.contains(word));
        all && (behind.starts_with("--help")
            || lower.contains("same as") && (ends || behind.is_empty()))
    })
}

impl Clap {
    /// Gives commands the options that their help only points to.
    pub(super) fn borrow_options(&self, sketches: &mut Sketches) {
        let texts = std::mem::take(&mut self.memory().external_pages);
        let root = sketches.get(&CommandPath::root());
        let Some(program) = root.and_then(|root| root.program.clone()) else {
            return;
        };
        for (path, text) in texts {
            let lenders = sketches
                .values()
                .filter(|sketch| match sketch.path.words() {
                    [name] => sketch.path != path && borrows_from(&text, &program, name),
                    _ => false,
                });
            let lent: Vec<FlagSketch> = lenders.flat_map(|sketch| sketch.flags.clone()).collect();
            let Some(sketch) = sketches.get_mut(&path) else {
                continue;
            };
            // Another program, which knows its own options and no others.
            sketch.stands_alone = lent.is_empty();
            for mut flag in lent {
                let own = |scope: &Fact<FlagScope>| scope.value != FlagScope::Inherited;
                if flag.scope.as_ref().is_none_or(own) {
                    flag.scope = None;
                }
                flag.required = None;
                sketch.add_flag(flag);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POLISH: &str = "Polishes a thing.\n\nUsage:\n    kiln polish [OPTIONS] [--] [<ARGS>...]\n\nCommon options:\n    --no-deps            Only this one\n    -h, --help           Print this message\n\nSee all options with kiln check --help.\n\nSetting grades\n\nUse kiln polish -- with:\n\n    -G / --grade [GRADE]     Set a grade\n\nManifest Options:\n    --manifest-path <PATH>  Path to the list\n";

    #[test]
    fn options_of_something_else_are_left_out() {
        let path = CommandPath::root().child("polish");
        let sketch = read(POLISH, "kiln", &path).expect("its help");
        let names: Vec<String> = sketch.flags.iter().map(FlagSketch::id).collect();
        assert_eq!(names, ["no-deps", "help", "manifest-path"]);
        let Some(Arguments::Listed(listed)) = sketch.arguments.map(|fact| fact.value) else {
            panic!("one list");
        };
        assert!(listed[0].last && listed[0].variadic && listed[0].allow_hyphen);
    }

    #[test]
    fn a_text_may_point_to_the_options_of_another_command() {
        assert!(borrows_from(POLISH, "kiln", "check"));
        assert!(!borrows_from(POLISH, "kiln", "polish"));
        let same = "Other options are the same as `kiln check`.";
        assert!(borrows_from(same, "kiln", "check"));
        assert!(!borrows_from(same, "kiln", "che"));
        assert!(!borrows_from(
            "kiln check --help shows a text",
            "kiln",
            "check"
        ));
    }
}
