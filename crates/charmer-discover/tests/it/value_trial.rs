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
            .any(|it| it.contains("that `-g` takes a value") && it.contains("1 of its other")),
        "{said:?}"
    );
}
