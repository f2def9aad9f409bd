//! Promises about time: pages that are made to keep readers busy are read, by every family, in a bearable time.
//!
//! Families differ in what they compare with what, so every kind of page is read by all of them, each time below the
//! first lines by which the family is known.

use std::time::{Duration, Instant};

use charmer_core::model::CommandPath;

use super::{Page, Signs, families};
use crate::{
    binary::Binary,
    probe::{ProbeAnswer, bounded},
};

/// The length of a page: an eighth of what is kept of an answer.
const LENGTH: usize = 512 << 10;
/// The time in which it must be read, by a program that was not optimised.
const SOON: Duration = Duration::from_secs(3);

/// A head, lines that are made from their numbers, and a foot.
fn filled(head: &str, line: impl Fn(usize) -> String, foot: &str) -> String {
    let mut text = head.to_owned();
    for number in 0.. {
        text.push_str(&line(number));
        if text.len() + foot.len() > LENGTH {
            break;
        }
    }
    text + foot
}

/// The first lines of pages, in the order of the families.
const HEADS: [&str; 8] = [
    "Does.\n\nUsage:\n  odd [flags]\n  odd [command]\n\nFlags:\n",
    "usage: odd [<options>]\n\n",
    "Usage: odd [OPTIONS] COMMAND [ARGS]...\n\n  Does.\n\nOptions:\n",
    "usage: odd [-h] [--all]\n\nDoes.\n\noptions:\n",
    "Does.\n\nUsage: odd [OPTIONS] [COMMAND]\n\nOptions:\n",
    "Usage of odd:\n",
    "Usage: odd [OPTION]... FILE\nDoes.\n\n",
    "Usage: odd <command>\n\nCommands:\n",
];

/// The last lines of pages: by these their family is known.
const FOOT: &str = "\n  -h, --help   Print help\n  --help  Show this message and exit.\n\nUse \"odd [command] --help\" for more information about a command.\n";

/// A kind of page: what it is called, and its lines by their numbers.
type PageBody = (&'static str, Box<dyn Fn(usize) -> String>);

/// The bodies that pages are made of.
fn bodies() -> Vec<PageBody> {
    fn body(name: &'static str, line: impl Fn(usize) -> String + 'static) -> PageBody {
        (name, Box::new(line))
    }
    let plain = |text: &'static str| move |_: usize| text.to_owned();
    vec![
        body("flags", |n| format!("      --flag{n} string   Flag {n}\n")),
        body("flags with equals", |n| {
            format!("  -f, --flag{n}=WORD   Flag {n}\n")
        }),
        body("flags with one dash", |n| {
            format!("  -flag{n} string\n    \tFlag {n} (default \"x\")\n")
        }),
        body("flags with texts below", |n| {
            format!(
                "  --flag{n} <X>\n          Flag {n} [default: {n}] [possible values: a, b]\n\n"
            )
        }),
        body("flags with choices", |n| {
            format!(
                "  --flag{n} {{{}}}  Flag\n",
                (0..n % 500)
                    .map(|c| format!("c{c}"))
                    .collect::<Vec<_>>()
                    .join(",")
            )
        }),
        body("flags without a gap", |n| format!("  --flag{n} Flag\n")),
        body("names of one flag", |n| {
            if n == 0 {
                "  --a".into()
            } else {
                format!(", --a{n}")
            }
        }),
        body("names of flags in lines", |n| {
            format!(
                "  {}\n",
                (0..500)
                    .map(|m| format!("--f{n}x{m}"))
                    .collect::<Vec<_>>()
                    .join(", ")
            )
        }),
        body("the same flag", plain("  --same string   The same\n")),
        body("switches in brackets", |n| format!("[--flag{n} <x>] ")),
        body("switches in brackets and lines", |n| {
            format!("            [--flag{n} FLAG]\n")
        }),
        body("brackets in lines", |n| {
            format!("[-{}\n", "[".repeat(n % 2_000))
        }),
        body("brackets that close", |n| {
            format!(
                "  odd {}x{}\n",
                "[".repeat(n % 4_000),
                "]".repeat(n % 4_000)
            )
        }),
        body("open brackets", plain("[")),
        body("open angles", plain("<")),
        body("open braces", plain("{a|")),
        body("parentheses", plain("(a|b) ")),
        body(
            "nested parentheses in lines",
            plain("  (a | (b | (c | (d\n"),
        ),
        body("defaults", plain("(default ")),
        body("defaults below a flag", |n| {
            if n == 0 {
                "  --a X   Text\n".into()
            } else {
                "        (default (default [default: \n".into()
            }
        }),
        body("values below a flag", |n| {
            if n == 0 {
                "  --a X   Text\n".into()
            } else {
                format!("        one of: v{n}, w{n}, (x{n}|y{n}) {{a{n}\n")
            }
        }),
        body("one line", plain("word ")),
        body("one word", plain("x")),
        body("bars", plain("a|")),
        body("dots", plain(".")),
        body("quotes", plain("\"'`")),
        body("spaces", plain("  ")),
        body("tabs", plain("\t")),
        body("dashes", plain("-")),
        body("lines of dashes", plain("--\n-\n---\n")),
        body("blank lines", plain("\n")),
        body("letters", plain("a\n")),
        body("commands", |n| format!("  cmd{n}   The command {n}\n")),
        body("commands with aliases", |n| {
            format!("  cmd{n}, c{n}, d{n}   The command {n}\n")
        }),
        body("one command", plain("  add   Adds\n")),
        body("names between commas", |n| format!("    cmd{n},\n")),
        body("names between commas in one line", |n| {
            format!("odd a{n}, ")
        }),
        body(
            "headings",
            plain("Commands:\n  add  Adds\nOPTIONS\n  -a  All\n"),
        ),
        body("usages", |n| format!("Usage: odd cmd{n} <a{n}> [b]\n")),
        body("usages in lines", |n| {
            format!("   or: odd cmd{n} <a{n}> [b] (--x{n} | --y)\n")
        }),
        body("positionals", |n| format!(" <pos{n}>")),
        body("positionals in lines", |n| {
            format!("        <pos{n}> [opt{n}]\n")
        }),
        body("positionals with texts", |n| {
            format!("  <pos{n}>  The positional {n}\n")
        }),
        body("braces of commands", |n| {
            format!("    {{cmd{n},sub{n}}} ...\n")
        }),
        body("boxes", |n| format!("│ --flag{n}  TEXT  Flag {n} │\n")),
        body("deeper and deeper", |n| {
            format!("{}x\n", " ".repeat(n % 3_000))
        }),
        body("flags deeper and deeper", |n| {
            format!("{}--flag{n}  Flag {n}\n", " ".repeat(n % 3_000))
        }),
        body("wide characters", |n| {
            format!("  --flägg{n}　　字字  Flag ⟨U+\n")
        }),
    ]
}

#[test]
#[ignore = "looks at the clock"]
fn no_page_keeps_a_family_busy() {
    let binary = Binary::new("/bin/true".as_ref());
    let child = CommandPath::parse("add");
    let mut slow = Vec::new();
    for (name, line) in bodies() {
        for (head, family) in HEADS.iter().zip(families()) {
            let kept = bounded(filled(head, &line, FOOT));
            let answer = ProbeAnswer {
                stdout: kept.text,
                code: Some(0),
                started: true,
                ..ProbeAnswer::default()
            };
            let signs = Signs {
                help: &answer,
                binary: &binary,
            };
            let began = Instant::now();
            family.recognise(&signs);
            for path in [&CommandPath::root(), &child] {
                family.read(&Page {
                    program: "odd",
                    path,
                    answer: &answer,
                });
            }
            let took = began.elapsed();
            if took > SOON {
                slow.push(format!("{}: {name} took {took:?}", family.name()));
            }
        }
    }
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}
