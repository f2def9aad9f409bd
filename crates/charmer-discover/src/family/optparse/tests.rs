//! Pages in the layouts that optparse and its authors' formatters print, with words of our own.

use charmer_core::model::{CommandPath, ValueType};

use super::*;
use crate::{probe::ProbeAnswer, sketch::FlagSketch};

const NESTED: &str = "Usage: loom [OPTIONS] YARN [YARN...]

Options:

  General Options:
    -h, --help                      Print this text and stop
    -q, --quiet                     Say little
    --no-quiet                      Say everything (default)
    --switch-to [SHED]@[ROW]        Weave on another shed. SHED may be
                                    left out, e.g. --switch-to @4

  Weaving Options:
    -p, --picks N                   Picks in a row (default is 12)
    --warp-colour COLOUR            Colour of the warp. Can be used multiple
                                    times
";

const GROUPED: &str = "
Usage:   
  loom <command> [options]

Commands:
  weave                       Weave a cloth.
  unpick                      Take a cloth apart, row by row and
thread by thread.
  list                        List cloths.

 -V, --version                Show version and stop.

General Options:
  -h, --help                  Show help.
  --log <path>                Where to write.
  -v, --verbose               Say more. Option is additive, and can be
                              used up to 3 times.
";

fn read(text: &str) -> CommandSketch {
    let answer = ProbeAnswer {
        stdout: text.into(),
        ..ProbeAnswer::default()
    };
    let page = Page {
        program: "loom",
        path: &CommandPath::root(),
        answer: &answer,
    };
    Optparse::default().read(&page).expect("its page")
}

fn names(sketch: &CommandSketch) -> Vec<String> {
    sketch.flags.iter().map(FlagSketch::written).collect()
}

#[test]
fn groups_below_the_heading_of_all_options() {
    assert_eq!(score(NESTED), 85);
    let sketch = read(NESTED);
    assert_eq!(
        names(&sketch),
        [
            "--help",
            "--quiet",
            "--no-quiet",
            "--switch-to",
            "--picks",
            "--warp-colour"
        ]
    );
    let kind = |at: usize| sketch.flags[at].kind.clone().expect("a kind").value;
    assert_eq!(kind(3).value, FlagValue::Required);
    assert_eq!(kind(4).value_type, ValueType::String);
    assert!(sketch.flags[1].is_switch() && sketch.flags[2].is_switch());
}

#[test]
fn commands_beside_an_option_of_the_program() {
    assert_eq!(score(GROUPED), 45);
    let sketch = read(GROUPED);
    let children: Vec<_> = sketch.children.iter().map(|child| &child.name).collect();
    assert_eq!(children, ["weave", "unpick", "list"]);
    assert_eq!(
        names(&sketch),
        ["--version", "--help", "--log", "--verbose"]
    );
}

#[test]
fn headings_that_are_underlined() {
    let titled = "Usage\n=====\n  loom [options] <yarn>\n\nWeaves.\n\nOptions\n=======\n--picks=<picks>         Picks in a row.\n--help, -h              Show help and stop.\n\nWarp Options\n------------\n--colour=<colour>       Its colour.\n";
    assert_eq!(score(titled), 85);
    assert_eq!(names(&read(titled)), ["--picks", "--help", "--colour"]);
    assert_eq!(score("Usage\n=====\n  loom\n"), 0);
}

#[test]
fn other_layouts_are_others() {
    let plain = "Usage: loom [options]\n\nOptions:\n  -h, --help  show this help message and exit\n  -n NAME, --name=NAME\n              its name\n";
    assert_eq!(score(plain), 85);
    assert_eq!(names(&read(plain)), ["--help", "--name"]);
    assert_eq!(
        score("usage: loom [-h]\n\noptions:\n  -h, --help  show this help message and exit\n"),
        0
    );
    assert_eq!(
        score("Usage: loom COMMAND\n\nCommands:\n  weave  Weave.\n"),
        0
    );
}

#[test]
fn pages_of_others_in_the_same_words() {
    let page = |row: &str| {
        format!(
            "Usage: loom [options]\n\nCommon options:\n  -h, --help  show this help message and exit\n  {row}\n"
        )
    };
    assert_eq!(score(&page("-p N, --picks=N  Picks")), 85);
    // argparse's, which scores more than this by its own marks.
    assert_eq!(score(&page("-p <n>, --picks <n>  Picks")), 45);
    assert_eq!(score(&page("-p [N], --picks[=N]  Picks")), 0);
}
