//! Whether a program reads options behind the command that it runs is found out by asking it, where probes are confined.

use charmer_discover::{Discovery, probe::ProbeOptions};

use crate::support::{patient, read_script, sandboxed};

/// A program that runs another. `LAST` is what it does when it has come to the command.
const AFTER: &str = r#"#!/bin/sh
first="$1"
while [ $# -gt 0 ]; do
    case "$1" in
        --help)
            echo "Usage: after [OPTION]... DELAY COMMAND [ARG]..."
            echo "Run COMMAND after a DELAY."
            echo
            echo "  -k, --keep=FILE      read DELAY from FILE"
            echo "  -e, --each=WORD      say WORD as well"
            echo "      --help           display this help and exit"
            echo "      --version        output version information and exit"
            exit 0 ;;
        --version) echo "after 1.0"; exit 0 ;;
        --*) echo "after: unrecognized option '$1'" >&2; exit 125 ;;
        *) LAST ;;
    esac
done
echo "after: missing operand" >&2
exit 125
"#;

async fn read(last: &str, options: ProbeOptions) -> Discovery {
    read_script("after", &AFTER.replace("LAST", last), options).await
}

const RUNS: &str = r#"shift; exec "$@""#;

#[tokio::test]
async fn what_stands_behind_a_command_is_that_commands() {
    let found = read(RUNS, sandboxed()).await;
    let names: Vec<&str> = found
        .cli
        .root
        .arguments
        .listed()
        .iter()
        .map(|p| &*p.id)
        .collect();
    assert_eq!(names, ["delay", "command", "arg"]);
    assert_eq!(found.cli.root.options_end_behind, Some(2));
}

#[tokio::test]
async fn a_program_that_reads_options_everywhere_is_known_by_its_help() {
    let found = read("shift", sandboxed()).await;
    assert_eq!(found.cli.root.options_end_behind, None);
}

#[tokio::test]
async fn nothing_is_tried_where_it_could_do_harm() {
    let found = read(RUNS, patient()).await;
    assert_eq!(found.cli.root.options_end_behind, None);
}

#[tokio::test]
async fn an_option_may_stand_for_a_positional_and_be_given_again() {
    let found = read(RUNS, sandboxed()).await;
    let delay = &found.cli.root.arguments.listed()[0];
    assert_eq!(delay.replaced_by, ["keep"]);
    let each = found.cli.root.flags.iter().find(|flag| flag.id == "each");
    assert!(each.expect("it is shown").may_repeat);
}
