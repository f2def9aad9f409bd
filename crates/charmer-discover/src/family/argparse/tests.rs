//! Help texts of invented programs, in the layouts of old and new argparse.

use charmer_core::model::{GroupKind, Repetition};

use super::*;
use crate::{binary::Binary, probe::ProbeAnswer, sketch::KindSketch};

fn page(family: &Argparse, text: &str, path: &[&str]) -> Option<CommandSketch> {
    let path: CommandPath = path.iter().map(|word| (*word).to_owned()).collect();
    let answer = ProbeAnswer {
        stdout: text.into(),
        code: Some(0),
        started: true,
        ..ProbeAnswer::default()
    };
    family.read(&Page {
        program: "kiln",
        path: &path,
        answer: &answer,
    })
}

fn read(text: &str, path: &[&str]) -> CommandSketch {
    page(&Argparse::default(), text, path).expect("a sketch")
}

const FIRE: &str = "usage: kiln fire [-h] [--heat HEAT] [-o FILE] --clay {red,white}
                 [--pair A B] [--slow | --fast] [--vent | --no-vent]
                 [--glaze GLAZE [GLAZE ...]] [-v]
                 pot [pot ...]

Fires pots. Slowly.

positional arguments:
  pot                   what to fire

optional arguments:
  -h, --help            show this help message and exit
  --heat HEAT           how hot (default: 900)
  -o FILE, --output FILE
                        where to write (default: None)
  --clay {red,white}    which clay
  --pair A B            two of them
  --slow
  --fast
  --vent, --no-vent     open the vent (default: True)
  -v                    say more (may be given multiple times)

glazes and their kin:
  --glaze GLAZE [GLAZE ...]
                        which glazes (default: ['a', 'b c'])

Examples:
  --wood                burn wood
";

#[test]
fn a_command_of_an_old_python() {
    let sketch = read(FIRE, &["fire"]);
    let names: Vec<_> = sketch.flags.iter().map(FlagSketch::written).collect();
    assert_eq!(
        names,
        [
            "--help", "--heat", "--output", "--clay", "--pair", "--slow", "--fast", "--vent", "-v",
            "--glaze"
        ]
    );
    let flag = |name: &str| {
        let found = sketch.flags.iter().find(|flag| flag.id() == name);
        found.expect("a flag").clone()
    };
    let default = |name: &str| flag(name).default.map(|fact| fact.value.join("|"));
    assert_eq!(default("heat").as_deref(), Some("900"));
    assert_eq!(default("output"), None);
    assert_eq!(default("vent").as_deref(), Some("true"));
    assert_eq!(default("glaze").as_deref(), Some("a|b c"));
    assert_eq!(flag("vent").negation.as_deref(), Some("no-vent"));
    assert_eq!(flag("clay").choices.expect("choices").value.len(), 2);
    let required: Vec<_> = sketch
        .flags
        .iter()
        .filter(|flag| flag.required.as_ref().is_some_and(|fact| fact.value))
        .map(FlagSketch::id)
        .collect();
    assert_eq!(required, ["clay"]);
    assert_eq!(flag("v").kind.expect("a kind").value, KindSketch::count());
    let repetition = |name: &str| flag(name).kind.expect("a kind").value.repetition;
    assert_eq!(
        repetition("pair"),
        Repetition::Fixed {
            count: 2,
            repeat: false
        }
    );
    assert_eq!(repetition("glaze"), Repetition::Span { min: 1, max: None });
    let groups: Vec<_> = sketch
        .groups
        .iter()
        .map(|fact| fact.value.clone())
        .collect();
    assert_eq!(groups, [Group::new(GroupKind::Exclusive, ["slow", "fast"])]);
    assert_eq!(sketch.about.expect("a line").value, "Fires pots.");
    assert!(sketch.examples.is_some());
}

const ROOT: &str = "usage: kiln [-h] [-q, --quiet] {fire,f,cool,tools} ...

options:
  -h, --help           show this help message and exit

commands:
  What to do.

  {fire,f,cool,tools}
    fire (f)           fire pots
    tools              look after tools
";

#[test]
fn commands_and_their_aliases() {
    let family = Argparse::default();
    let root = page(&family, ROOT, &[]).expect("the root");
    let children: Vec<_> = root
        .children
        .iter()
        .map(|child| (child.name.as_str(), child.aliases.join(",")))
        .collect();
    assert_eq!(
        children,
        [
            ("fire", "f".to_owned()),
            ("tools", String::new()),
            ("cool", String::new())
        ]
    );
    assert!(
        page(&family, ROOT, &["cool"]).is_none(),
        "the root's own help"
    );
    assert!(page(&family, FIRE, &["cool"]).is_none(), "a sibling's help");
    assert!(page(&family, FIRE, &["fire"]).is_some());
}

#[test]
fn commands_under_a_word_of_their_own() {
    let text = "usage: kiln tools [-h] TOOL ...\n\npositional arguments:\n  TOOL\n    list      show them\n    sharpen   make them\n              sharp\n\noptions:\n  -h, --help  show this help message and exit\n";
    let sketch = read(text, &["tools"]);
    let names: Vec<_> = sketch
        .children
        .iter()
        .map(|child| child.name.as_str())
        .collect();
    assert_eq!(names, ["list", "sharpen"]);
    let Some(Fact {
        value: arguments, ..
    }) = sketch.arguments
    else {
        panic!("no arguments")
    };
    assert!(arguments.listed().is_empty());
}

#[test]
fn the_rest_of_the_line() {
    let text = "usage: kiln run [-h] [--n N] program ...\n\npositional arguments:\n  program     what to run\n  args        what to give it\n\noptions:\n  -h, --help  show this help message and exit\n  -n, --n N   how often\n";
    let sketch = read(text, &["run"]);
    let arguments = sketch.arguments.expect("arguments").value;
    let [program, args] = arguments.listed() else {
        panic!("two arguments")
    };
    assert!(program.required && args.variadic && args.allow_hyphen);
    assert_eq!(args.id, "args");
    assert_eq!(sketch.flags[1].short, Some('n'));
}

#[test]
fn a_usage_of_the_authors_does_not_hide_flags() {
    let text = "usage: kiln [-h] [-q] [more options; see below] [-k KILN] [pots ...]\n\nOptional arguments:\n  -h, --help  Show this help message and exit\n  -q, --quiet  Say little\n\nHeat:\n  Say how hot it gets. This is\n  prose.\n\n  --degrees DEGREES  How hot (default 900)\n  --slow             Slowly\n                     (inverse: --fast)\n\nPlaces:\n  -k KILN, --kiln KILN\n                     Which kiln\n  --shelf {top|bottom}\n                     Which shelf\n  --no-lid           Without one (inverse: --lid)\n";
    let sketch = read(text, &[]);
    let names: Vec<_> = sketch.flags.iter().map(FlagSketch::written).collect();
    assert_eq!(
        names,
        [
            "--help",
            "--quiet",
            "--degrees",
            "--slow",
            "--kiln",
            "--shelf",
            "--no-lid"
        ]
    );
    assert_eq!(sketch.flags[3].negation.as_deref(), None);
    assert_eq!(sketch.flags[6].negation.as_deref(), Some("lid"));
    let choices = sketch.flags[5].choices.as_ref().expect("choices");
    assert_eq!(choices.value.len(), 2);
    let arguments = sketch.arguments.expect("arguments").value;
    assert_eq!(arguments.listed().len(), 1);
}

#[test]
fn letters_behind_one_dash_are_another_name() {
    let text = "usage: kiln [-h] [-ts] [-kb {gas,wood}] [-vv]\n\noptions:\n  -h, --help  show this help message and exit\n  -ts, --time-stamp  say when\n  -kb {gas,wood}, --kiln-burner {gas,wood}\n                     what burns\n  -vv, --verbose     say more\n";
    let sketch = read(text, &[]);
    let ids: Vec<String> = sketch.flags.iter().map(FlagSketch::id).collect();
    assert_eq!(ids, ["help", "time-stamp", "kiln-burner", "verbose"]);
    let arguments = sketch.arguments.expect("arguments").value;
    assert!(arguments.listed().is_empty());
}

#[test]
fn commands_that_a_sentence_lists() {
    let text = "usage: kiln [-h] [command]\n\npositional arguments:\n  command     Command to run. Available: cool, fire, take-\n              out, help\n\noptions:\n  -h, --help  show this help message and exit\n";
    let sketch = read(text, &[]);
    let names: Vec<&str> = sketch
        .children
        .iter()
        .map(|child| child.name.as_str())
        .collect();
    assert_eq!(names, ["cool", "fire", "take-out"]);
    assert!(
        sketch
            .arguments
            .expect("arguments")
            .value
            .listed()
            .is_empty()
    );
}

#[test]
fn a_module_and_words_for_flags_are_no_positionals() {
    let text = "usage: python -m kiln [-h] [more options, see -h]\n                      [-k KILN] [pots ...]\n\noptions:\n  -h, --help  show this help message and exit\n  -k KILN     which\n";
    let sketch = read(text, &[]);
    let arguments = sketch.arguments.expect("arguments").value;
    let ids: Vec<&str> = arguments
        .listed()
        .iter()
        .map(|one| one.id.as_str())
        .collect();
    assert_eq!(ids, ["pots"]);
}

#[test]
fn rows_below_all_groups() {
    let text = "usage: kiln [options] [<pot>]\n\noptions:\n  -h, --help  show this help message and exit\n\nExample: use `--help --clay=red` for more.\n\n--clay=<clay>    Which clay.\n--wood=<wood>    Which wood.\n";
    let sketch = read(text, &[]);
    let ids: Vec<String> = sketch.flags.iter().map(FlagSketch::id).collect();
    assert_eq!(ids, ["help", "clay", "wood"]);
}

#[test]
fn commands_below_a_heading_without_a_word_for_them() {
    let text = "Usage: kiln [-h] [-q]\n ...\n\nOptions:\n  -h, --help            Show this help message and exit.\n  -q, --quiet           Say little\n\nCommands:\n  fire                  Fire pots.\n                        Ways:\n                        - slow: `kiln fire`\n  cool                  Cool down\n";
    let sketch = read(text, &[]);
    let names: Vec<_> = sketch.children.iter().map(|child| &child.name).collect();
    assert_eq!(names, ["fire", "cool"]);
    let arguments = sketch.arguments.expect("arguments").value;
    assert!(arguments.listed().is_empty());
}

#[test]
fn recognised_by_its_shape() {
    let family = Argparse::default();
    let binary = Binary::new(std::path::Path::new("no-such-file"));
    let score = |text: &str| {
        let help = ProbeAnswer {
            stdout: text.into(),
            ..ProbeAnswer::default()
        };
        family.recognise(&Signs {
            help: &help,
            binary: &binary,
        })
    };
    assert!(score(ROOT) > 60);
    assert!(score(FIRE) > 60);
    assert_eq!(
        score("Usage: tool [OPTIONS]\n\nOptions:\n  -h, --help  Print help\n"),
        0
    );
    assert_eq!(
        score("usage: tool [-v | --version] <command> [<args>]\n"),
        0
    );
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "usage: tool \\[-h\\] [\\PC]{0,30}\\n\\noptions:\\n([a-z\\[\\]{}:,\\n \\-]|[\\PC]){0,200}") {
        page(&Argparse::default(), &text, &[]);
    }
}

#[test]
fn values_as_old_pythons_write_them() {
    let text = "usage: kiln [-h] [--marks [MARKS [MARKS ...]]]\n\noptional arguments:\n  -h, --help            show this help message and exit\n  --marks [MARKS [MARKS ...]]\n                        numbers\n";
    let sketch = read(text, &[]);
    let kind = sketch.flags[1].kind.as_ref().expect("a kind");
    assert_eq!(
        kind.value.repetition,
        Repetition::Span { min: 0, max: None }
    );
    let arguments = sketch.arguments.expect("arguments").value;
    assert!(arguments.listed().is_empty());
}
