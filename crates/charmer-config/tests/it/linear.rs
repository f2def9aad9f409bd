//! Twice as many mistakes take twice the work, whatever they are made of. Work is counted in bytes that are allocated,
//! which are the same on every machine; a message, a parsed name and a compared copy all need some.

use allocation_counter::measure;
use charmer_config::Config;

/// How many bytes are allocated while a text is read and its mistakes are shown.
fn work(text: &str) -> u64 {
    let read = || {
        let mistakes = Config::parse(text, "charmer.yaml").expect_err("it is all mistakes");
        assert!(!mistakes.to_string().is_empty());
    };
    measure(read).bytes_total
}

fn numbered(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

/// A file with so many mistakes of one sort.
type Shape = fn(usize) -> String;

const SHAPES: [(&str, Shape); 14] = [
    ("unknown keys", |n| numbered(n, |k| format!("k{k}: 1\n"))),
    ("unknown keys on one line", |n| {
        format!("{{{}}}", numbered(n, |k| format!("k{k}: 1, ")))
    }),
    ("keys beyond ASCII", |n| {
        numbered(n, |k| format!("schlüssel{k}: ü\n"))
    }),
    ("sources of the wrong type", |n| {
        format!("sources: [{}]", "1, ".repeat(n))
    }),
    ("sources with a slip", |n| {
        format!("sources:\n{}", "  - binary: x\n    selct: 1\n".repeat(n))
    }),
    ("selectors", |n| {
        let entries = "      - {comands: 1, timeout: x}\n".repeat(n);
        format!("sources:\n  - binary: x\n    select:\n{entries}")
    }),
    ("variables", |n| {
        let names = numbered(n, |k| format!("$K{k}, "));
        format!("redact: {{environment: [{names}]}}")
    }),
    ("corrected commands", |n| {
        let entries = numbered(n, |k| format!("      k{k}: {{x: 1}}\n"));
        format!("sources:\n  - binary: x\n    override:\n{entries}")
    }),
    ("corrected flags", |n| {
        let entries = numbered(n, |k| format!("          k{k}: {{x: 1}}\n"));
        format!("sources:\n  - binary: x\n    override:\n      a:\n        flags:\n{entries}")
    }),
    ("corrected arguments", |n| {
        let entries = numbered(n, |k| format!("{{name: a{k}, x: 1}}, "));
        format!("sources:\n  - binary: x\n    override: {{a: {{args: [{entries}]}}}}")
    }),
    ("commands twice", |n| {
        let entries = numbered(n, |k| format!("      a {}{k}:\n", "/".repeat(k % 3)));
        format!("sources:\n  - binary: x\n    override:\n{entries}")
    }),
    ("duplicate keys", |n| "a: 1\n".repeat(n)),
    // The longer the name, the more mistakes below it: each must not hold the whole name.
    ("values of a long name", |n| {
        let values = "null, ".repeat(n);
        format!(
            "sources: [{{binary: x, set: {{{}: [{values}]}}}}]",
            "n".repeat(n)
        )
    }),
    ("a long command with slips", |n| {
        let slips = numbered(n, |k| format!("k{k}: 1, "));
        format!(
            "sources: [{{binary: x, override: {{{}: {{{slips}}}}}}}]",
            "n".repeat(n)
        )
    }),
];

#[test]
fn twice_as_many_mistakes_take_twice_the_work() {
    const FEW: usize = 500;
    const TIMES: u64 = 4;
    for (name, shape) in SHAPES {
        let few = work(&shape(FEW));
        let many = work(&shape(FEW * TIMES as usize));
        // Tables that grow by doubling and the bounded pictures make it a little more or less than exact; work for each
        // pair would make it sixteen times as much.
        assert!(
            many < few * TIMES * 3 / 2,
            "{name}: {many} bytes for {TIMES} times the mistakes of {few}"
        );
    }
}
