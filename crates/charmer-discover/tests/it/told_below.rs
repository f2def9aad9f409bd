//! A page at the margin that names further help, and options of which only the program can say that they take a value.

use charmer_core::model::{FlagValue, LongValue};

use crate::support::{read_script, sandboxed};

/// A compiler of pots: its first page shows the common options, and `--all` the rest.
const KILN: &str = r#"#!/bin/sh
option() { printf '%s\n' "$@"; echo; }
last=
for word; do last=$word; done
case "$last" in
    --plan|--cellar) echo "error 64: Option '${last#--}' expects an argument."; exit 1 ;;
    --*=*) echo "error 23: Unknown option '$last'."; exit 1 ;;
    --version) echo "kiln 1.0"; exit 0 ;;
esac
case "$1" in --*=*) echo "error 23: Unknown option '$1'."; exit 1 ;; esac
echo "kiln: fires pots"
echo
echo "COMMON COMMANDS"
echo
option "  kiln --help --all" "  An expanded version of this."
echo "COMMON OPTIONS"
echo
option "--glaze, -g" "Puts a colour on." "one of: red, green"
option "--dry" "Dries first." "type: boolean" "default: false"
option "--plan" "The plan to follow."
option "--watch, -w" "Goes on for ever."
case "$*" in *--all*) option "--cellar" "Where pots are put."; option "--heat" "type: number" ;; esac
"#;

#[tokio::test]
async fn help_that_a_page_names_is_followed_and_values_that_no_line_tells_are_asked_for() {
    let kiln = read_script("kiln", KILN, sandboxed()).await;
    let shown: Vec<String> = kiln
        .cli
        .root
        .flags
        .iter()
        .map(|flag| {
            let value = flag.value == FlagValue::Required;
            format!("{} {value}", flag.id)
        })
        .collect();
    let expected = [
        "glaze true",
        "dry false",
        "plan true",
        "watch false",
        "cellar true",
        "heat true",
    ];
    assert_eq!(shown, expected);
    assert_eq!(kiln.cli.syntax.long_value, LongValue::Separate);
}

/// A program that runs its first word for ever is not asked what it makes of a word that is none.
const SPY: &str = r#"#!/bin/sh
case "$1" in
    --help) ;;
    --version) echo "spy 1.0"; exit 0 ;;
    -*) echo "spy: unrecognized option '$1'" >&2; exit 1 ;;
    *) exec sleep 600 ;;
esac
echo "Usage: spy [options] command"
echo
echo "Options:"
echo "  -n, --interval <secs>  seconds to wait"
echo "  -b, --beep             make a noise"
"#;

#[tokio::test]
async fn a_program_that_runs_its_first_word_is_read_whole() {
    let spy = read_script("spy", SPY, sandboxed()).await;
    assert!(spy.complete, "{:?}", spy.warnings);
}
