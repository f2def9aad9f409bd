//! A program whose own page is its author's work, and whose commands are parsed by a parser that is known.

use std::os::unix::fs::symlink;

use charmer_core::model::ValueType;
use tempfile::TempDir;

use crate::support::{patient, read_script};

/// The page of its command is optparse's, and so is what it says to wrong values.
const LOOM: &str = r#"
case "$*" in
    *--rows=charmer*) echo "option --rows: invalid integer value: 'x'" >&2; exit 1 ;;
    *--charmer-probe*) echo "no such option: --charmer-probe" >&2; exit 1 ;;
    weave*--help* | help*weave)
        printf 'Usage: loom weave [options] YARN\n\nWeave a cloth.\n\nOptions:\n'
        printf '  --name=NAME  Its name.\n  --rows=N     How many rows.\n  -h, --help   Get help on this command.\n' ;;
    *) printf 'Loom, version 1.0\nusage: loom <command> [options] [args]\n\nCommands:\n    weave      Weave a cloth.\n' ;;
esac
"#;

#[tokio::test]
async fn the_types_of_a_commands_flags_are_asked_for() {
    let folder = TempDir::new().expect("a folder");
    let python = folder.path().join("python");
    symlink("/bin/sh", &python).expect("a link");
    let text = format!("#!{}\n{LOOM}", python.display());
    let found = read_script("loom", &text, patient()).await;
    assert_eq!(found.family, "other");
    let weave = &found.cli.root.commands[0];
    let types = weave
        .flags
        .iter()
        .map(|flag| (flag.id.as_str(), &flag.value_type));
    let types: Vec<_> = types.filter(|(id, _)| *id != "help").collect();
    assert_eq!(
        types,
        [("name", &ValueType::String), ("rows", &ValueType::INT)]
    );
}
