//! Whether a program takes `--flag=value`, and how it reads its first word, is found out by asking it, where probes are
//! confined.

use charmer_core::model::LongValue;
use charmer_discover::{Discovery, probe::ProbeOptions};

use crate::support::{patient, read_script, sandboxed};

/// A program with a text, a number and a switch. `KNOWN` are the flags that it
/// takes the next word for, and `ATTACHED` is what it does with `--flag=value`.
const POST: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case "$1" in
        --help)
            echo "Usage: post [OPTION]... URL"
            echo "Post a letter to somebody."
            echo
            echo "  -d, --data <text>     what the letter says"
            echo "      --tries <number>  how often to try"
            echo "  -q, --quiet           say nothing"
            echo "      --help            display this help and exit"
            exit 0 ;;
        --version) echo "post 1.0"; exit 0 ;;
        KNOWN) shift 2 ;;
        --data=*|--tries=*) ATTACHED ;;
        -q|--quiet) shift ;;
        --*) echo "post: option $1: is unknown" >&2; exit 2 ;;
        *) exit 0 ;;
    esac
done
"#;
const UNKNOWN: &str = r#"echo "post: option $1: is unknown" >&2; exit 2"#;

/// A program that reads its first word as letters, with a dash or without.
const PACK: &str = r#"#!/bin/sh
case "$1" in
    --help) ;;
    --version) echo "pack 1.0"; exit 0 ;;
    --*) echo "pack: unrecognized option '$1'" >&2; exit 2 ;;
    *[!xf-]*) echo "pack: invalid option -- '$1'" >&2; exit 2 ;;
esac
echo "Usage: pack [OPTION]... [FILE]..."
echo "Packs files."
echo
echo "  -f, --file=FILE   the archive"
echo "  -x, --extract     take them out"
"#;

#[tokio::test]
async fn a_first_word_that_is_read_as_letters_is_found_out() {
    let pack = read_script("pack", PACK, sandboxed()).await;
    assert!(pack.cli.syntax.first_word_is_letters);
    let post = read("--data|--tries", "shift", sandboxed()).await;
    assert!(!post.cli.syntax.first_word_is_letters);
}

async fn read(known: &str, attached: &str, options: ProbeOptions) -> Discovery {
    read_script(
        "post",
        &POST.replace("KNOWN", known).replace("ATTACHED", attached),
        options,
    )
    .await
}

#[tokio::test]
async fn a_program_that_knows_no_flag_with_equals_takes_separate_values() {
    let found = read("--data|--tries", UNKNOWN, sandboxed()).await;
    assert_eq!(found.cli.syntax.long_value, LongValue::Separate);
    let flags: Vec<&str> = found.cli.root.flags.iter().map(|flag| &*flag.id).collect();
    assert_eq!(flags, ["data", "tries", "quiet"]);
}

#[tokio::test]
async fn a_program_that_takes_equals_is_asked_once_for_it_and_no_further() {
    let equals = read("--data|--tries", "shift", sandboxed()).await;
    let unasked = read("--data|--tries", "shift", patient()).await;
    assert_eq!(equals.cli.syntax.long_value, LongValue::Equals);
    // Once for `=`, and once for how it reads its first word.
    assert_eq!(equals.spawned, unasked.spawned + 2);
}

#[tokio::test]
async fn a_flag_that_is_not_known_at_all_says_nothing() {
    let found = read("--nothing", UNKNOWN, sandboxed()).await;
    assert_eq!(found.cli.syntax.long_value, LongValue::Equals);
}

#[tokio::test]
async fn a_program_that_is_not_confined_is_not_asked() {
    let found = read("--data|--tries", UNKNOWN, patient()).await;
    assert_eq!(found.cli.syntax.long_value, LongValue::Equals);
}
