//! A page whose example gives a value to an option that its row shows as a switch.

use charmer_core::model::FlagValue;

use crate::support::{read_script, sandboxed};

/// A watcher of pots: each option that takes a value takes the next word, whatever it is.
const WATCH: &str = r#"#!/bin/sh
[ "$1" = --help ] && [ "$2" = options ] && {
    echo "  --mark ............ marks to put on"
    echo "  --loud ............ say more"
    exit 0
}
while [ $# -gt 0 ]; do
    case "$1" in
        -g|--glaze|-p|--plan|--mark) shift ;;
        -h|--help) help=1 ;;
        --odd) exit 3 ;;
        --version) echo "watch 1.0"; exit 0 ;;
    esac
    [ $# -gt 0 ] && shift
done
[ "$help" ] || { echo "Usage: potwatch [options] [pot]"; exit 0; }
cat <<END
  Usage: potwatch [options] [pot]

  Options:

  -p, --plan file ... the plan
  -g, --glaze ....... colours to put on
  -d, --dry ......... dry first
  --odd ............. be odd

  Examples:

  $ potwatch -g "red blue" pot

  All options are told by: potwatch --help options
END
"#;

#[tokio::test]
async fn options_of_a_page_that_is_wrong_about_one_are_tried() {
    let found = read_script("potwatch", WATCH, sandboxed()).await;
    let flags = found.cli.root.flags.iter();
    let shown: Vec<String> = flags
        .map(|flag| format!("{} {}", flag.id, flag.value == FlagValue::Required))
        .collect();
    let expected = [
        "plan true",
        "glaze true",
        "dry false",
        "odd false",
        "mark true",
        "loud false",
    ];
    assert_eq!(shown, expected);
    let said: Vec<&str> = found.warnings.iter().map(|it| &*it.message).collect();
    assert!(
        said.iter()
            .any(|it| it.contains("that `-g` takes a value") && it.contains("; 1 of its")),
        "{said:?}"
    );
}

/// A strict program whose page shows no value of any option, and its command's neither.
const STRICT: &str = r#"#!/bin/sh
[ "$1 $2" = "fire --help" ] && {
    echo "Usage: strict fire [options]"; echo; echo "Options:"; echo "  --glaze    Colours"; echo "  --hot      Hotter"
    exit 0
}
while [ $# -gt 0 ]; do
    case "$1" in
        --potDir|--glaze) case "$2" in -*|"") echo "option requires argument: $1" >&2; exit 1 ;; esac; shift ;;
        --help) help=1 ;;
        --version) echo "strict 1.0"; exit 0 ;;
        --dry) ;;
        -*) echo "unknown option: $1" >&2; exit 1 ;;
    esac
    shift
done
[ "$help" ] || exit 0
echo "Usage: strict [options] <command>"
echo
echo "Commands:"
echo "  fire   Fires pots"
echo "  cool   Cools them"
echo
echo "Options:"
echo "  --potDir   Where pots stand"
echo "  --glaze    Colours"
echo "  --dry      Dry first"
"#;

#[tokio::test]
async fn a_name_that_stands_for_a_value_is_tried_and_then_all_others() {
    let found = read_script("strict", STRICT, sandboxed()).await;
    let flags = found.cli.root.flags.iter();
    let shown: Vec<String> = flags
        .map(|flag| format!("{} {}", flag.id, flag.value == FlagValue::Required))
        .collect();
    assert_eq!(shown, ["potDir true", "glaze true", "dry false"]);
    let fire = found.cli.root.commands.iter().find(|it| it.name == "fire");
    let flags = fire.expect("it is there").flags.iter();
    let shown: Vec<String> = flags
        .map(|flag| format!("{} {}", flag.id, flag.value == FlagValue::Required))
        .collect();
    assert_eq!(shown, ["glaze true", "hot false"]);
}
