//! Secrets in texts and streams.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

fn through(redactor: &Redactor, text: &[u8], piece: usize) -> Vec<u8> {
    let mut stream = redactor.stream().expect("there is something to redact");
    let mut out: Vec<u8> = text
        .chunks(piece.max(1))
        .flat_map(|piece| stream.feed(piece))
        .collect();
    out.extend(stream.finish());
    out
}

#[test]
fn a_secret_is_found_wherever_the_pieces_end() {
    let redactor = Redactor::new(["hunter2", "two\nlines"], ["tok_[a-z]+"]).expect("patterns");
    let text = b"a hunter2 b\ntwo\nlines\ntok_abc \xff hunter2hunter2\nend hunter";
    let expected = b"a [redacted] b\n[redacted]\n[redacted] \xff [redacted][redacted]\nend hunter";
    for piece in 1..text.len() {
        let out = through(&redactor, text, piece);
        assert_eq!(
            String::from_utf8_lossy(&out),
            String::from_utf8_lossy(expected),
            "pieces of {piece}"
        );
    }
}

#[test]
fn a_secret_is_found_where_a_long_line_is_cut() {
    let redactor = Redactor::new(["hunter2", "aa"], ["tok_[a-z]+"]).expect("patterns");
    for (secret, piece) in [("hunter2-", 65_536), ("é-tok_abcdef ", 4096), ("a", 65_536)] {
        let text = secret.repeat(400_000 / secret.len());
        let out = String::from_utf8(through(&redactor, text.as_bytes(), piece)).expect("UTF-8");
        let whole = redactor.text(&text);
        assert!(out == whole, "{secret}: {} and {}", out.len(), whole.len());
    }
}

#[test]
fn a_secret_across_lines_is_found_wherever_the_pieces_end() {
    let redactor = Redactor::new(["two\nlines", "a\nb\nc"], [""; 0]).expect("patterns");
    let text = "two\nlines two\nlines\n\na\nb\na\nb\nc\ntwo\ntwo\nlines and the end of it\nx\ny\n";
    for piece in 1..text.len() {
        let out = through(&redactor, text.as_bytes(), piece);
        assert_eq!(
            String::from_utf8_lossy(&out),
            redactor.text(text),
            "pieces of {piece}"
        );
    }
}

#[test]
fn a_line_without_an_end_is_not_kept_for_ever() {
    let redactor = Redactor::new(["secret"], [""; 0]).expect("patterns");
    let mut stream = redactor.stream().expect("there is something to redact");
    let given: usize = (0..100).map(|_| stream.feed(&[b'x'; 10_000]).len()).sum();
    assert!(given > 900_000 && stream.pending() <= BLOCK + 10_000);
}

#[test]
fn a_longer_secret_goes_as_a_whole() {
    let redactor = Redactor::new(["abc", "abcdef", ""], [""; 0]).expect("patterns");
    assert_eq!(redactor.text("abcdef abc"), "[redacted] [redacted]");
    assert!(Redactor::new([""; 0], ["("]).is_err());
}

/// The same by the patterns alone: every match within a line, or within the text if it can go across lines.
pub(super) fn slowly(values: &[&str], patterns: &[&str], text: &str) -> String {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    for value in values {
        for value in BTreeSet::from([value.to_string(), value.replace('\n', "\r\n")]) {
            let found = text.match_indices(&value);
            spans.extend(found.map(|(at, _)| (at, at + value.len())));
        }
    }
    for pattern in patterns {
        let compiled = Regex::new(pattern).expect("a pattern");
        let crosses = ByteShape::of_pattern(pattern).map(|shape| shape.crosses_lines());
        let mut parts: Vec<&str> = Vec::new();
        if crosses != Some(false) {
            parts.push(text);
        }
        if crosses != Some(true) {
            parts.extend(text.split('\n'));
        }
        for part in parts {
            let offset = part.as_ptr() as usize - text.as_ptr() as usize;
            let found = compiled.find_iter(part).filter(|found| !found.is_empty());
            spans.extend(found.map(|found| (offset + found.start(), offset + found.end())));
        }
    }
    spans.sort_unstable();
    let (mut out, mut at) = (String::new(), 0);
    for (start, end) in spans {
        if start >= at {
            out.push_str(&text[at..start]);
            out.push_str(REDACTED);
        }
        at = at.max(end);
    }
    out + &text[at..]
}

/// What a stream gives if the text arrives in pieces of these lengths, again and again.
pub(super) fn in_pieces(redactor: &Redactor, text: &str, pieces: &[usize]) -> String {
    let mut stream = redactor.stream().expect("there are secrets");
    let (mut out, mut rest) = (Vec::new(), text.as_bytes());
    for length in pieces.iter().cycle() {
        let (piece, later) = rest.split_at(rest.len().min(*length));
        out.extend(stream.feed(piece));
        rest = later;
        if rest.is_empty() {
            break;
        }
    }
    out.extend(stream.finish());
    String::from_utf8(out).expect("UTF-8")
}

const VALUES: [&str; 3] = ["hunter2", "two\nlines", "héé"];
const PATTERNS: [&str; 5] = [
    "tok_[a-z]+",
    r"(?i)password\s*=\s*\S+",
    "BEGIN[^E]*END",
    r"\b\d{3,5}\b",
    "é+x?$",
];

fn printed() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "hunter2", "hun", "ter2", "two", "lines", "h", "é", "x", "tok_", "abc", "password",
        "PASSWORD", "=", " ", "\n", "\r\n", "BEGIN", "END", "E", "12", "345", "\t", "日",
    ]);
    prop::collection::vec(words, 0..60).prop_map(|words| words.concat())
}

proptest! {
    #[test]
    fn a_stream_says_the_same_in_any_pieces(text in printed(), pieces in prop::collection::vec(1usize..40, 1..20)) {
        let redactor = Redactor::new(VALUES, PATTERNS).expect("patterns");
        let whole = slowly(&VALUES, &PATTERNS, &text);
        prop_assert_eq!(&*redactor.text(&text), &whole);
        prop_assert_eq!(in_pieces(&redactor, &text, &pieces), whole);
    }

    #[test]
    fn a_pattern_is_asked_wherever_it_may_match(text in "[abAB1 \n\u{e9}xk_-]{0,24}") {
        for pattern in [
            "(?i)a", "[^a]b", "a{2,3}?b", "[[:digit:]]+x", r"\x41+", "(?s)a.b", "(a|b)*1", "a|b1|", "[]a]+", r"[a\-1]+",
            r"\u{e9}+", "(?P<name>ab)+", "x*", "(?x) a b", r"\bab\b", "^ab", "ab$", "(?i:É)B", "[à-ü]+", ".", "a.b",
            r"\Bx", r"\W\D\S", "[[:^alpha:]]b", "a(?i)b|k", "(?:a{2}){2,}", "a{0}b", "(a?){3}1", "[a-b-]x", r"\d{1,}k",
            "a{70}", "(?i)K[^_]*_", r"\s+a", "_+?_", "a[^[:blank:]]+", "a[^[:cntrl:]]+", "a[[:^blank:]]+",
            "a[^[:graph:]]+[a-z]", "[^--z ]+b", "[--a]+", "(?x) a [^b]* b", r"\b{start}a\s\S+", "(?i)[^M-c]", "xa(?i)*k",
            "[!-[:x]+", r"a\b{1}", "^a[^b]*$",
        ] {
            let redactor = Redactor::new([""; 0], [pattern]).expect("a pattern");
            prop_assert_eq!(&*redactor.text(&text), &slowly(&[], &[pattern], &text), "{}", pattern);
        }
    }

    #[test]
    fn nothing_of_a_secret_is_seen_where_a_long_line_is_cut(
        words in prop::collection::vec(("[a-z ]{0,50}", "[A-Z]{5,90}"), 1..8),
        piece in 1usize..60,
    ) {
        // Only secrets have capitals here.
        let text: String = words.iter().map(|(plain, secret)| format!("{plain}Kq{secret} ")).collect();
        let redactor = Redactor::new(["HUNTER2"], ["Kq[A-Z]{5,}"]).expect("patterns");
        let mut stream = redactor.stream().expect("there are secrets").with_limit(32);
        let mut out: Vec<u8> = text.as_bytes().chunks(piece).flat_map(|piece| stream.feed(piece)).collect();
        out.extend(stream.finish());
        let out = String::from_utf8(out).expect("UTF-8");
        prop_assert_eq!(out, redactor.text(&text));
    }
}

#[test]
fn the_work_grows_as_the_output_does() {
    let secrets = [
        "tok_[a-z]+",
        r"key\s*[=:]\s*\S+",
        "[0-9a-f]{32}",
        "-----BEGIN[^-]*-----END",
    ];
    let redactor = Redactor::new(["hunter2", "two\nlines"], secrets).expect("patterns");
    let lines = "a line with a key = value and hunter2, and tok_abc\n".repeat(4000);
    let kept_back = format!("-----BEGIN{}", "not the end of it\n".repeat(12_000));
    let one_line = "0123456789abcdef tok_abc ".repeat(8000);
    let endless = format!("key={}", "x".repeat(200_000));
    for (text, piece) in [
        (&lines, 7),
        (&lines, 65_536),
        (&kept_back, 18),
        (&kept_back, 65_536),
        (&one_line, 11),
        (&one_line, 65_536),
        (&endless, 13),
        (&endless, 4096),
    ] {
        let mut stream = redactor.stream().expect("there are secrets");
        for piece in text.as_bytes().chunks(piece) {
            stream.feed(piece);
        }
        stream.finish();
        let read = stream.read;
        assert!(
            read < 8 * text.len(),
            "{read} bytes read of {} in pieces of {piece}",
            text.len()
        );
    }
}

#[test]
fn a_secret_without_an_end_is_replaced_to_its_end() {
    let redactor = Redactor::new([""; 0], ["password=.*"]).expect("patterns");
    let text = format!("user=x password={}\nnext\n", "S".repeat(300_000));
    for piece in [100, 4096, 65_536, 200_000] {
        let out = through(&redactor, text.as_bytes(), piece);
        assert_eq!(
            String::from_utf8_lossy(&out),
            "user=x [redacted]\nnext\n",
            "pieces of {piece}"
        );
    }
}

#[test]
fn secrets_that_overlap_are_replaced_together_and_the_mark_is_no_secret() {
    let redactor = Redactor::new(["red", "abcd"], ["cd[e-g]+"]).expect("patterns");
    assert_eq!(redactor.text("abcdefgh red"), "[redacted]h [redacted]");
}

#[test]
fn patterns_that_need_too_many_states_still_match() {
    // Each of the bytes before a `x` or a `y` may be the first.
    let patterns = ["x.{60}q", "y[^z]{50}[0-9]"];
    let redactor = Redactor::new(["hunter2"], patterns).expect("patterns");
    let mut seed = 1u32;
    let mut text = String::new();
    for at in 0..150_000 {
        seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
        text.push(char::from(b"xyqab0"[(seed >> 16) as usize % 6]));
        if at % 300 == 299 {
            text.push_str("hunter2\n");
        }
    }
    let out = through(&redactor, text.as_bytes(), 10_000);
    assert!(String::from_utf8_lossy(&out) == slowly(&["hunter2"], &patterns, &text));
}

#[test]
fn a_value_over_lines_is_found_whichever_way_they_end() {
    let values = ["one\ntwo\nthree", "dos\r\nfile", "left over\r"];
    let redactor = Redactor::new(values, [""; 0]).expect("values");
    let text = "one\r\ntwo\r\nthree\r\none\ntwo\nthree one\ntwo\r\nthree\ndos\nfile dos\r\nfile left over\r\none\r\ntwo\r\n";
    let expected =
        "[redacted]\r\n[redacted] [redacted]\n[redacted] [redacted] [redacted]\r\none\r\ntwo\r\n";
    assert_eq!(redactor.text(text), expected);
    for piece in 1..text.len() {
        assert_eq!(in_pieces(&redactor, text, &[piece]), expected, "{piece}");
    }
}

#[test]
fn each_of_thousands_of_values_is_found() {
    let values: Vec<String> = (0..2000)
        .map(|at| format!("{at:x}-{}\n{at}.", "é".repeat(at % 50)))
        .collect();
    let redactor = Redactor::new(values.clone(), [""; 0]).expect("values");
    let text: String = values
        .iter()
        .map(|value| format!("{value} and\n"))
        .collect();
    let whole = in_pieces(&redactor, &text, &[4096]);
    assert!(whole == "[redacted] and\n".repeat(values.len()));
    assert!(redactor.text(&text) == whole);
}

#[test]
fn values_that_begin_with_each_other_are_all_found() {
    let values = ["a", "ab", "abc", "abd", "b", "abcdef"];
    let redactor = Redactor::new(values, [""; 0]).expect("values");
    assert_eq!(redactor.text("x abcde y"), "x [redacted]de y");
    assert_eq!(redactor.text("abdabcdef."), "[redacted][redacted].");
}

#[test]
fn patterns_that_are_not_told_apart_still_match_across_lines() {
    let key = "-----BEGIN K-----\nQUJD\nREVG\n-----END K-----";
    let text = format!("{}{key}\nafter\n", "before\n".repeat(600));
    let expected = format!("{}[redacted]\nafter\n", "before\n".repeat(600));
    let plain = "-----BEGIN[^-]*-----[^-]*-----END[^-]*-----";
    // Those before it leave no room for its bytes.
    let long = r"(?:(?:\d\d){60}){40}";
    let full = vec![long, long, long, r"(?:\d{60}){33}", plain];
    assert!(Redactor::new([""; 0], &full).expect("patterns").0.patterns[4].is_unknown);
    for patterns in [
        vec![plain],
        vec!["(?x)-----BEGIN[^-]*-----[^-]*-----END[^-]*-----"],
        full,
    ] {
        let redactor = Redactor::new([""; 0], &patterns).expect("patterns");
        assert_eq!(redactor.text(&text), expected);
        for piece in [1000, 4225, 4240] {
            assert_eq!(in_pieces(&redactor, &text, &[piece]), expected, "{piece}");
        }
    }
}

#[test]
fn a_key_in_two_writes_is_kept_back_though_too_many_states_are_needed() {
    let patterns = ["x.{60}q", "y[^z]{50}[0-9]", "BEGIN[^-]*-END"];
    let redactor = Redactor::new([""; 0], patterns).expect("patterns");
    let mut stream = redactor.stream().expect("there are patterns");
    let mut seed = 1u32;
    for _ in 0..200 {
        let line: String = (0..1000)
            .map(|_| {
                seed = seed.wrapping_mul(1_103_515_245).wrapping_add(12_345);
                char::from(b"xyqab0"[(seed >> 16) as usize % 6])
            })
            .collect();
        stream.feed(format!("{line}\n").as_bytes());
    }
    let mut out = stream.feed(format!("BEGIN\n{}", "SECRET\n".repeat(1000)).as_bytes());
    out.extend(stream.feed(b"SECRET\n-END\n"));
    out.extend(stream.finish());
    let out = String::from_utf8_lossy(&out);
    assert!(!out.contains("SECRET"), "{out}");
}
