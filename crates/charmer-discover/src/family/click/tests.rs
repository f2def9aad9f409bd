//! Help texts of invented programs, in the layouts of click and typer.

use super::*;

fn read(text: &str, path: &[&str]) -> CommandSketch {
    let path: CommandPath = path.iter().map(|word| (*word).to_owned()).collect();
    sketch(&page::read(text).expect("a page"), &path).expect("a sketch")
}

fn flags(sketch: &CommandSketch) -> Vec<String> {
    let shown = sketch.flags.iter().map(|flag| {
        let mut text = flag.written();
        text.extend(
            flag.short
                .filter(|_| flag.long.is_some())
                .map(|short| format!(" -{short}")),
        );
        text.extend(flag.negation.iter().map(|long| format!(" !{long}")));
        text.extend(flag.placeholder.iter().map(|value| format!(" {value}")));
        text.extend(
            flag.default
                .iter()
                .map(|fact| format!(" ={}", fact.value.join(","))),
        );
        if flag.required.as_ref().is_some_and(|fact| fact.value) {
            text.push_str(" required");
        }
        text
    });
    shown.collect()
}

const PLAIN: &str = "Usage: brew-tea pour [OPTIONS] CUP... [SAUCER]

  Pours tea.

  It is hot.

Options:
  -t, --temperature INTEGER RANGE
                                  How hot it is, in degrees of a thermometer
                                  [default: 90; 1<=x<=100]
  --milk / --no-milk              [default: no-milk]
  -s, --sweet / -b, --bitter
  --leaf [green|black]            [env var: TEA_LEAF; required]
  --help                          Show this message and exit.
";

#[test]
fn plain_rows() {
    let sketch = read(PLAIN, &["pour"]);
    assert_eq!(
        flags(&sketch),
        [
            "--temperature -t INTEGER RANGE =90",
            "--milk !no-milk",
            "--sweet -s !bitter",
            "--leaf [green|black] required",
            "--help",
        ]
    );
    assert_eq!(sketch.about.expect("a line").value, "Pours tea.");
    assert_eq!(
        sketch.flags[3].env.as_ref().expect("a variable").value,
        "TEA_LEAF"
    );
}

#[test]
fn commands_and_their_aliases() {
    let text = "Usage: brew-tea [OPTIONS] COMMAND [ARGS]...\n\nOptions:\n  --help  Show this message and exit.\n\nCommands:\n  pour        Pours tea. (DEPRECATED)\n  strain (s)  Strains it with a sieve that has holes which are\n              small.\n";
    let sketch = read(text, &[]);
    let names: Vec<_> = sketch
        .children
        .iter()
        .map(|child| (child.name.as_str(), child.aliases.join(",")))
        .collect();
    assert_eq!(names, [("pour", String::new()), ("strain", "s".into())]);
    assert_eq!(sketch.program.as_deref(), Some("brew-tea"));
}

const BOXED: &str = "
 Usage: brew-tea pour [OPTIONS] {cup} [spoons]...

 Pours tea.

╭─ Arguments ──────────────────────────────────────────────────────────╮
│ *    cup            <str>        The cup [required]                  │
│      spoons...      <list[int]>  How many                            │
╰──────────────────────────────────────────────────────────────────────╯
╭─ Options ────────────────────────────────────────────────────────────╮
│    --heat          -h              <int range> [1<=x<=9]  How hot    │
│                                                           it is      │
│                                                           [default:  │
│                                                           3]         │
│    --milk          -m  --no-milk   <bool>                 [default:  │
│                                                           milk]      │
│ *  --leaf,--sort                   <green|black>          [required] │
│    --help                          <bool>                 Show this  │
│                                                           message    │
│                                                           and exit.  │
╰──────────────────────────────────────────────────────────────────────╯
";

#[test]
fn rows_below_no_heading_are_options() {
    let text = "    Brewing\n\nUsage: brew-tea <CUP> [OPTIONS]      \n\n -m, --milk TEXT                 How much milk, and\n                                 which.\n\n -p, --pour <FROM TO> ...        Where to.\n\n -s, --sugar-and-spice <A B> ... Full.\n\n --help                          Show this message and exit.\n";
    let sketch = read(text, &[]);
    assert_eq!(
        flags(&sketch),
        [
            "--milk -m TEXT",
            "--pour -p <FROM TO> ...",
            "--sugar-and-spice -s <A B> ...",
            "--help"
        ]
    );
    assert!(sketch.long_about.is_none());
}

#[test]
fn a_star_marks_the_command_that_is_run_without_a_name() {
    let text = "Usage: brew-tea [OPTIONS] COMMAND [ARGS]...\n\nOptions:\n  --help  Show this message and exit.\n\nCommands:\n  pour*   Pours tea\n  strain  Strains it\n";
    let sketch = read(text, &[]);
    let names: Vec<_> = sketch.children.iter().map(|child| &child.name).collect();
    assert_eq!(names, ["pour", "strain"]);
}

#[test]
fn boxes_of_new_versions() {
    let sketch = read(BOXED, &["pour"]);
    assert_eq!(
        flags(&sketch),
        [
            "--heat -h <int range> =3",
            "--milk -m !no-milk =true",
            "--leaf <green|black> required",
            "--help",
        ]
    );
    assert_eq!(sketch.flags[2].aliases, ["sort"]);
    assert_eq!(
        sketch.flags[2]
            .choices
            .as_ref()
            .expect("choices")
            .value
            .len(),
        2
    );
    let arguments = sketch.arguments.expect("arguments").value;
    let [cup, spoons] = arguments.listed() else {
        panic!("two arguments")
    };
    assert!(cup.required && !spoons.required && spoons.variadic);
    assert_eq!(spoons.value_type, charmer_core::model::ValueType::INT);
    assert_eq!(cup.help.as_deref(), Some("The cup"));
}

#[test]
fn boxes_of_old_versions() {
    let text = "
 Usage: brew-tea [OPTIONS] COMMAND [ARGS]...

╭─ Options ────────────────────────────────────────────╮
│ --size            TEXT  Of the pot [default: None]   │
│ --warm/--cold           [default: warm]              │
│ --help                  Show this message and exit.  │
╰──────────────────────────────────────────────────────╯
╭─ Commands ───────────────────────────────────────────╮
│ pour    Pours tea.                                   │
│ strain  Strains it.                   (deprecated)   │
╰──────────────────────────────────────────────────────╯
╭─ More ───────────────────────────────────────────────╮
│ wash  Washes up                                      │
╰──────────────────────────────────────────────────────╯
";
    let sketch = read(text, &[]);
    assert_eq!(
        flags(&sketch),
        ["--size TEXT", "--warm !cold =true", "--help"]
    );
    let names: Vec<_> = sketch
        .children
        .iter()
        .map(|child| child.name.as_str())
        .collect();
    assert_eq!(names, ["pour", "strain", "wash"]);
}

#[test]
fn a_help_of_another_path_is_refused() {
    let path: CommandPath = ["strain".to_owned()].into_iter().collect();
    assert!(sketch(&page::read(PLAIN).expect("a page"), &path).is_none());
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "Usage: tool [\\PC]{0,20}\\n\\n([╭─│╰*a-z\\[\\]:\\n \\-]|[\\PC]){0,200}") {
        if let Some(page) = page::read(&text) {
            sketch(&page, &CommandPath::root());
        }
    }
}
