//! What a person sees in terminals of several widths: no word is cut, and no flag's name.

use crate::support::{charmer, err, out, ship};

/// What is printed for so many columns.
fn seen(words: &[&str], columns: usize) -> String {
    let mut command = charmer(words);
    let output = command.env("COLUMNS", columns.to_string()).output();
    let output = output.expect("it was built");
    out(&output) + &err(&output)
}

/// The lines that are longer than a terminal although they could be broken.
fn broken(text: &str, columns: usize) -> Vec<&str> {
    let long = text.lines().filter(|line| line.chars().count() > columns);
    long.filter(|line| line.trim().contains(' ')).collect()
}

#[test]
fn lines_fit_and_break_between_words() {
    let ship = ship();
    let missing =
        "sources: [{binary: no-such-program-at-all-xyz, read_only: maybe, layout: of my own}]";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    std::fs::write(&file, missing).expect("it can be written");
    let file = file.to_string_lossy();
    for columns in [60, 80, 120] {
        for words in [
            &["tools", &ship][..],
            &["tools", &ship, "--expose", "all"],
            &["tools", &ship, "--expose", "index", "--deny", "crew/dismis"],
            &["inspect", &ship],
            &["inspect", &ship, "list"],
            &["call", "ship_nothing", "--binary", &ship],
            &["--help"],
            &["serve", "--help"],
            &["check", "--help"],
            &["doctor", "--help"],
        ] {
            let text = seen(words, columns);
            let broken = broken(&text, columns);
            assert!(broken.is_empty(), "{words:?} at {columns}: {broken:#?}");
        }
        let text = seen(&["check", &file], columns);
        assert!(text.contains("charmer.yaml:1:"), "{text}");
    }
}

#[test]
fn names_are_whole_however_narrow_it_is() {
    let ship = ship();
    for columns in [40, 60, 80] {
        let text = seen(&["inspect", &ship, "list"], columns);
        for name in ["-a, --all", "--limit", "--fleet"] {
            assert!(text.contains(name), "{name} at {columns}: {text}");
        }
        let text = seen(&["tools", &ship, "--expose", "all"], columns);
        assert!(text.contains("ship_crew_dismiss"), "{columns}: {text}");
    }
}

#[test]
fn tools_are_grouped_by_command_and_counted() {
    let text = seen(&["tools", &ship(), "--expose", "all"], 100);
    let group = text.split("\n\n").find(|part| part.contains("ship crew ("));
    let group = group.unwrap_or_else(|| panic!("{text}"));
    let rows = group
        .lines()
        .filter(|line| line.starts_with("ship_crew_"))
        .count();
    assert!(
        group.contains(&format!("ship crew ({rows} commands)")),
        "{group}"
    );
    assert!(!group.contains("ship_list"), "{group}");
}
