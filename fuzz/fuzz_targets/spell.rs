//! Any text is a spell or is explained; none breaks the parser.

#![no_main]

use charmer_spells::{Context, Spell};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let read = Spell::parse(text, "t.yaml", &Context::default());
    assert!(read.value.is_some() != read.mistakes.is_some());
    for diagnostics in read.mistakes.iter().chain(&read.advice) {
        assert!(!diagnostics.to_string().is_empty());
    }
});
