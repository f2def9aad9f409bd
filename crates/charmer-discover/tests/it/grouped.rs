//! A program that lists its commands under headings of any words, one of which calls itself by its other name.

use crate::support::{read_script, sandboxed};

const SHOP: &str = r#"#!/bin/sh
case "$1" in
    list) echo "Usage: shop ls [pot]"; exit 0 ;;
    add|fire) echo "Usage: shop $1 <pot>"; exit 0 ;;
    shelf) [ "$2" = "--help" ] && echo "Usage: shop shelf <command>" || echo "Usage: shop shelf $2"; exit 0 ;;
esac
cat <<END
Usage: shop [command] [flags]

Manage your pots:
      add          Puts one in
  ls, list         Shows them all

The rest:
      fire         Fires them
      shelf tidy   Tidies the shelf

Options:
  -r, --raw        Raw ones
END
"#;

#[tokio::test]
async fn commands_in_groups_are_found() {
    let found = read_script("shop", SHOP, sandboxed()).await;
    let root = &found.cli.root;
    let mut names: Vec<&str> = root.commands.iter().map(|it| &*it.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["add", "fire", "list", "shelf"]);
    let shelf = root.commands.iter().find(|it| it.name == "shelf");
    assert_eq!(shelf.map(|it| it.commands.len()), Some(1));
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
}

/// A program whose group answers for its commands, whatever they are called.
const TOPICS: &str = r#"#!/bin/sh
case "$1" in
    oven) echo "Usage: bakery oven [options] [command]"
        echo; echo "Commands:"; echo "  light   light it"; echo "  heat    heat it"; echo "  cool    cool it" ;;
    bake) echo "Usage: bakery bake [options]" ;;
    *) echo "Usage: bakery [options] [command]"; echo; echo "Commands:"
        echo "  oven    look after the oven"; echo "  bake    bake bread" ;;
esac
echo; echo "Options:"; echo "  -h, --help  display help for command"
"#;

#[tokio::test]
async fn a_list_of_which_nothing_was_found_is_said() {
    let found = read_script("bakery", TOPICS, sandboxed()).await;
    let said: Vec<String> = found
        .gaps()
        .map(|gap| format!("{}: {}", gap.path, gap.message))
        .collect();
    assert_eq!(
        said,
        ["oven: its help lists commands, but none of them could be read"]
    );
}
