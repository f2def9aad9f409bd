//! No text breaks the parser or keeps it busy.

use allocation_counter::measure;
use charmer_config::Config;
use proptest::prelude::*;

/// Reads text and shows its mistakes; gives whether it has some.
fn is_explained(text: &str) -> bool {
    let Err(mistakes) = Config::parse(text, "charmer.yaml") else {
        return false;
    };
    assert!(!mistakes.is_empty());
    assert!(!mistakes.to_string().is_empty());
    true
}

/// How many bytes reading a file may hold at once, and allocate in all.
const MOST_MEMORY: u64 = 64 << 20;
const MOST_WORK: u64 = 256 << 20;

#[test]
fn bombs_are_bounded() {
    let laughs: String = std::iter::once("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned())
        .chain((1..30).map(|n| {
            let before = n - 1;
            let uses = format!("*a{before}, ").repeat(10);
            format!("a{n}: &a{n} [{uses}]\n")
        }))
        .collect();
    let many_mistakes: String = (0..60_000).map(|n| format!("k{n}: 1\n")).collect();
    let merges = format!("a: &a {{x: 1}}\nb:\n{}", "  <<: *a\n".repeat(5_000));
    let one_line = format!(
        "{{{}}}",
        (0..20_000)
            .map(|n| format!("k{n}: 1, "))
            .collect::<String>()
    );
    let quotes = format!("redact: {{values: [\"{}\"]}}", "\\u202e".repeat(100_000));
    for (name, text) in [
        ("aliases", laughs),
        ("depth of lists", "[".repeat(500_000)),
        ("depth of mappings", "{a: ".repeat(200_000)),
        (
            "depth of blocks",
            (0..1_000)
                .map(|n| format!("{}a:\n", " ".repeat(n)))
                .collect(),
        ),
        ("dashes", "- ".repeat(400_000)),
        ("size", "a".repeat(64 << 20)),
        ("mistakes", many_mistakes),
        ("merges", merges),
        ("one line", one_line),
        ("escapes", quotes),
        (
            "anchors",
            (0..50_000).map(|n| format!("- &a{n} x\n")).collect(),
        ),
        ("question marks", "? ".repeat(300_000)),
        ("documents", "---\n".repeat(200_000)),
    ] {
        let mut explained = false;
        let work = measure(|| explained = is_explained(&text));
        assert!(explained || name == "escapes", "{name} was taken");
        // Not how long it takes, which another machine would see differently, but what it takes.
        assert!(work.bytes_max < MOST_MEMORY, "{name}: {work:?}");
        assert!(work.bytes_total < MOST_WORK, "{name}: {work:?}");
    }
}

/// Pieces of files, so that random texts get past the first line.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("sources:\n  - binary: x\n    select:\n      - ".to_owned()),
        Just("limits: ".into()),
        Just("{timeout: ".into()),
        Just("commands: {allow: [".into()),
        Just("&a ".into()),
        Just("*a".into()),
        Just("<<: ".into()),
        Just("\n".into()),
        Just("\r\n".into()),
        Just("  ".into()),
        Just("]}".into()),
        Just("- ".into()),
        Just("? ".into()),
        Just(": ".into()),
        Just("'".into()),
        Just("\"".into()),
        Just("|\n".into()),
        Just("é\u{feff}\u{202e}".into()),
        Just("!!str ".into()),
        Just("---\n".into()),
        "[ -~]{0,8}",
        "\\PC{0,4}",
    ]
}

proptest! {
    #[test]
    fn any_text_is_read_or_explained(text in any::<String>()) {
        is_explained(&text);
    }

    #[test]
    fn pieces_of_files_are_read_or_explained(pieces in prop::collection::vec(piece(), 0..40)) {
        let text = pieces.concat();
        if let Err(mistakes) = Config::parse(&text, "charmer.yaml") {
            prop_assert!(!mistakes.to_string().is_empty());
            for mistake in mistakes.iter() {
                prop_assert!(mistake.line >= 1 && mistake.column >= 1);
                prop_assert!(mistake.line <= text.lines().count() + 1);
            }
        }
    }

    #[test]
    fn an_example_with_a_piece_cut_out_is_read_or_explained(start in 0usize..5000, length in 0usize..300) {
        let example = include_str!("../../../../docs/charmer.example.yaml");
        let start = example.floor_char_boundary(start.min(example.len()));
        let end = example.floor_char_boundary((start + length).min(example.len()));
        is_explained(&format!("{}{}", &example[..start], &example[end..]));
    }
}
