//! Generated patterns, however odd: whatever `regex-lite` finds by itself is found here too.

use proptest::{prelude::*, sample::select, strategy::Union};

use super::{
    tests::{in_pieces, slowly},
    *,
};

/// A class of characters; not each can be compiled.
fn class() -> impl Strategy<Value = String> {
    let item = select(vec![
        "a", "b", "z", "A", "k", "-", "_", "^", ":", " ", "#", "é", "a-z", "A-z", "M-c", "+-/",
        "!-[", "!-[:k:", "a-b-", "à-ü", r"\n", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\-",
        r"\]", r"\[", r"\^", r"\x61", r"\x{e9}", r"\u00e9", r"\t-\r", r"a-\x7a", "&", "~", ".",
        "$", "(", "|",
    ])
    .prop_map(String::from);
    let name = (
        any::<bool>(),
        select(vec![
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print",
            "punct", "space", "upper", "word", "xdigit",
        ]),
    )
        .prop_map(|(negated, name)| format!("[:{}{name}:]", if negated { "^" } else { "" }));
    let items = prop::collection::vec(prop_oneof![3 => item, 1 => name], 1..4);
    let start = select(vec![
        "[", "[", "[^", "[^", "[-", "[^-", "[--", "[^--", "[]", "[^]", "[ ^",
    ]);
    let end = select(vec!["]", "]", "]", "-]"]);
    (start, items, end).prop_map(|(start, items, end)| format!("{start}{}{end}", items.concat()))
}

/// A pattern; not each can be compiled.
fn pattern(with_anchors: bool) -> impl Strategy<Value = String> {
    let mut parts = vec![
        "a", "b", "ab", "A", "k", "-", "]", "}", " ", "#", "é", ".", ".", "()", r"\n", r"\r",
        r"\x41", r"\.", r"\-", r"\#", r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\b", r"\B",
        r"\<", r"\>", r"\b{2}", "(?i)", "(?s)", "(?m)", "(?U)", "(?R)", "(?x)", "(?-i)", "(?is)",
        "(?i-s)", "(?u)",
    ];
    parts.extend([
        r"\b{start}",
        r"\b{end}",
        r"\b{start-half}",
        r"\b{end-half}",
        r"\x{e9}",
        r"\u0061",
    ]);
    if with_anchors {
        parts.extend(["^", "$", "^", "$", r"\A", r"\z"]);
    }
    let atom = prop_oneof![3 => select(parts).prop_map(String::from), 2 => class()];
    atom.prop_recursive(4, 24, 4, |inner| {
        let repetitions = vec![
            "*",
            "+",
            "?",
            "*?",
            "+?",
            "??",
            "**",
            "{2}",
            "{0}",
            "{1}",
            "{0,2}",
            "{1,}",
            "{2,3}?",
            "{ 1 , 2 }",
            "{70}",
        ];
        let groups = vec![
            "(",
            "(?:",
            "(?i:",
            "(?s:",
            "(?x:",
            "(?ms-i:",
            "(?P<name>",
            "(?<n>",
        ];
        let sequence = prop::collection::vec(inner.clone(), 1..5).prop_map(|parts| parts.concat());
        let either = prop::collection::vec(
            prop_oneof![4 => inner.clone(), 1 => Just(String::new())],
            2..4,
        );
        Union::new_weighted(vec![
            (4, sequence.boxed()),
            (
                2,
                (inner.clone(), select(repetitions))
                    .prop_map(|(part, count)| part + count)
                    .boxed(),
            ),
            (
                2,
                (select(groups), inner)
                    .prop_map(|(group, part)| format!("{group}{part})"))
                    .boxed(),
            ),
            (1, either.prop_map(|parts| parts.join("|")).boxed()),
        ])
    })
}

fn text() -> impl Strategy<Value = String> {
    let printed = "[abkmzABMZ19 \n\r\t.:^_#&éü日{}\\[\\]-]{0,24}";
    prop_oneof![2 => printed, 1 => "[ab\n]{0,12}", 1 => "[aA \n-]{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig { max_global_rejects: 10_000_000, ..ProptestConfig::default() })]

    #[test]
    fn whatever_a_pattern_matches_is_found(pattern in pattern(true), texts in prop::collection::vec(text(), 4)) {
        let compiled = Regex::new(&pattern);
        prop_assume!(compiled.is_ok());
        let (Ok(compiled), Ok(redactor)) = (compiled, Redactor::new([""; 0], [&pattern])) else { unreachable!() };
        let stays_in_line = ByteShape::of_pattern(&pattern).is_some_and(|shape| !shape.crosses_lines());
        for text in texts {
            if stays_in_line {
                let across = compiled.find_iter(&text).find(|found| found.as_str().contains('\n'));
                prop_assert_eq!(across, None, "across lines in {:?}", text);
            }
            prop_assert_eq!(&*redactor.text(&text), &slowly(&[], &[&pattern], &text), "in {:?}", text);
        }
    }

    // Without `^` and `$`, which take the end of what was printed so far for the end of everything.
    #[test]
    fn whatever_a_pattern_matches_is_found_in_any_pieces(
        pattern in pattern(false),
        texts in prop::collection::vec(text(), 4),
        pieces in prop::collection::vec(1usize..9, 1..9),
    ) {
        prop_assume!(Regex::new(&pattern).is_ok());
        let redactor = Redactor::new(["ab\nk"], [&pattern]).expect("it compiles");
        for text in texts {
            let whole = slowly(&["ab\nk"], &[&pattern], &text);
            prop_assert_eq!(in_pieces(&redactor, &text, &pieces), whole, "in {:?}", text);
        }
    }
}
