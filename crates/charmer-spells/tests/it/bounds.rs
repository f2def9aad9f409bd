//! No text breaks the parser: the fuzz target's body, with random texts and random pieces of spells.

use charmer_spells::{Context, Spell};
use proptest::prelude::*;

fn parse(text: &str) {
    let read = Spell::parse(text, "t.yaml", &Context::default());
    assert!(
        read.value.is_some() != read.mistakes.is_some(),
        "one of the two"
    );
    for diagnostics in read.mistakes.iter().chain(&read.advice) {
        assert!(!diagnostics.to_string().is_empty());
        assert!(
            diagnostics
                .iter()
                .all(|one| one.line >= 1 && one.column >= 1)
        );
    }
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("name: t\ndescription: d\n".to_owned()),
        Just("command: ".into()),
        Just("bash -c 'echo {{x}}'".into()),
        Just("argv: [".into()),
        Just("args: [{name: ".into()),
        Just("x, type: ".into()),
        Just("default: ".into()),
        Just("env: {".into()),
        Just("'{{x}}'".into()),
        Just("${HOME}".into()),
        Just("$${".into()),
        Just("]\n".into()),
        Just("}]\n".into()),
        Just("\n".into()),
        Just("- ".into()),
        Just("'".into()),
        Just("\"".into()),
        Just("{{".into()),
        Just("*a &a ".into()),
        Just("é\u{202e}".into()),
        "[ -~]{0,8}",
        "\\PC{0,4}",
    ]
}

proptest! {
    #[test]
    fn any_text_is_read_or_explained(text in any::<String>()) {
        parse(&text);
    }

    #[test]
    fn pieces_of_spells_are_read_or_explained(pieces in prop::collection::vec(piece(), 0..30)) {
        parse(&pieces.concat());
    }

    #[test]
    fn an_example_with_a_piece_cut_out_is_read_or_explained(start in 0usize..4000, length in 0usize..200) {
        let example = include_str!("../../../../docs/spell.example.yaml");
        let start = example.floor_char_boundary(start.min(example.len()));
        let end = example.floor_char_boundary((start + length).min(example.len()));
        parse(&format!("{}{}", &example[..start], &example[end..]));
    }
}
