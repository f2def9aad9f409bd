//! The little of roff that manual pages are written in, as plain text: escapes, arguments of macros, and the macros of
//! `man` and `mdoc` pages as far as they say what a tag and what a text is.

use super::mdoc;

/// A paragraph with a tag, as options have it, or the text of a section (its tag empty).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct TaggedText {
    /// The heading that it stands below, in capitals.
    pub(super) section: String,
    pub(super) tag: String,
    pub(super) text: String,
    /// The depth of its nesting in other entries.
    pub(super) depth: usize,
}

/// The role of the next line of text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Text,
    /// The tag of a paragraph, behind `.TP`.
    Tag,
}

/// Reads the source of a page.
pub(super) fn entries(source: &str) -> Vec<TaggedText> {
    let mut reader = RoffReader {
        found: vec![TaggedText::default()],
        section: String::new(),
        next: Next::Text,
        depth: 0,
        alone: String::new(),
        skipped: false,
    };
    for line in source.lines() {
        reader.line(line);
    }
    for entry in &mut reader.found {
        entry.text = squeeze(&entry.text);
        entry.tag = squeeze(&entry.tag);
    }
    let kept = |entry: &TaggedText| !entry.tag.is_empty() || !entry.text.is_empty();
    reader.found.into_iter().filter(kept).collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

struct RoffReader {
    found: Vec<TaggedText>,
    section: String,
    next: Next,
    depth: usize,
    /// A paragraph of one line, which is a tag if an indented text follows: `\fB--all\fR` before `.RS 4`.
    alone: String,
    /// Lines are left out: a definition of a macro, or an example.
    skipped: bool,
}

impl RoffReader {
    fn line(&mut self, line: &str) {
        let Some(request) = line.strip_prefix(['.', '\'']) else {
            if !self.skipped {
                self.text(&plain(line));
            }
            return;
        };
        let request = request.trim_start();
        let end = request.find([' ', '\t']).unwrap_or(request.len());
        let (name, rest) = request.split_at(end);
        if name.starts_with("\\\"") {
            return;
        }
        if self.skipped {
            self.skipped = !matches!(name, "." | "fi" | "EE" | "Ed");
            return;
        }
        self.request(name, rest.trim());
    }

    fn request(&mut self, name: &str, rest: &str) {
        match name {
            "SH" | "Sh" => {
                self.section = plain(&arguments(rest).join(" ")).to_uppercase();
                self.depth = 0;
                self.begin(String::new());
            }
            // `.Pp` inside a list goes on with its entry.
            "Pp" => self.next = Next::Text,
            "SS" | "Ss" | "PP" | "P" | "LP" | "HP" => {
                self.next = Next::Text;
                self.begin(String::new());
            }
            "TP" | "TQ" => self.next = Next::Tag,
            "IP" => {
                let tag = arguments(rest).into_iter().next().unwrap_or_default();
                match plain(&tag) {
                    tag if tag.is_empty() => {}
                    tag => self.begin(tag),
                }
                self.next = Next::Text;
            }
            "RS" => {
                let alone = std::mem::take(&mut self.alone);
                if !alone.is_empty() {
                    self.take_back(&alone);
                    self.begin(alone);
                }
                self.depth += 1;
            }
            "RE" => self.depth = self.depth.saturating_sub(1),
            "Bl" => self.depth += 1,
            "El" => self.depth = self.depth.saturating_sub(1),
            "It" => {
                let tag = mdoc::line(rest);
                self.begin(tag);
            }
            "de" | "ig" | "nf" | "EX" | "Bd" => self.skipped = true,
            "B" | "I" | "SM" | "SB" => self.text(&plain(&arguments(rest).join(" "))),
            "BR" | "RB" | "BI" | "IB" | "IR" | "RI" => self.text(&plain(&arguments(rest).concat())),
            _ if mdoc::is_macro(name) => {
                let line = mdoc::line(&format!("{name} {rest}"));
                self.text(&line);
            }
            // Layout, and what only a formatter understands.
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.next == Next::Tag {
            // A tag may stand on several lines with `.TQ`; each is one of its own.
            self.begin(text.to_owned());
            self.next = Next::Text;
            return;
        }
        if text.trim().is_empty() {
            self.alone.clear();
            return;
        }
        self.alone = match self.alone.is_empty() && self.starts_paragraph() {
            true => text.to_owned(),
            false => String::new(),
        };
        let last = self.last();
        last.text.push(' ');
        last.text.push_str(text);
    }

    fn last(&mut self) -> &mut TaggedText {
        if self.found.is_empty() {
            self.found.push(TaggedText::default());
        }
        let at = self.found.len() - 1;
        &mut self.found[at]
    }

    /// Returns true if what comes next is the first line of a paragraph.
    fn starts_paragraph(&mut self) -> bool {
        let last = self.last();
        last.tag.is_empty() && last.text.is_empty()
    }

    fn take_back(&mut self, alone: &str) {
        let last = self.last();
        if let Some(before) = last.text.strip_suffix(alone) {
            last.text = before.to_owned();
        }
    }

    fn begin(&mut self, tag: String) {
        self.alone.clear();
        let (section, depth) = (self.section.clone(), self.depth);
        self.found.push(TaggedText {
            section,
            tag,
            text: String::new(),
            depth,
        });
    }
}

/// The arguments of a macro: words, or texts in quotes.
pub(super) fn arguments(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut chars = text.chars().peekable();
    while let Some(&c) = chars.peek() {
        if c == ' ' || c == '\t' {
            chars.next();
            continue;
        }
        let mut word = String::new();
        if c == '"' {
            chars.next();
            while let Some(c) = chars.next() {
                match c {
                    // Two quotes are one.
                    '"' if chars.peek() == Some(&'"') => {
                        chars.next();
                        word.push('"');
                    }
                    '"' => break,
                    c => word.push(c),
                }
            }
        } else {
            while let Some(&c) = chars.peek() {
                if c == ' ' || c == '\t' {
                    break;
                }
                chars.next();
                word.push(c);
                // An escaped space is part of its word.
                if c == '\\' {
                    match chars.peek() {
                        Some('"') => return found_and(found, word),
                        Some(_) => word.extend(chars.next()),
                        None => {}
                    }
                }
            }
        }
        found.push(word);
    }
    found
}

/// The arguments before a comment.
fn found_and(mut found: Vec<String>, word: String) -> Vec<String> {
    let word = word.trim_end_matches('\\');
    if !word.is_empty() {
        found.push(word.to_owned());
    }
    found
}

/// A text without its escapes.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('-') => out.push('-'),
            Some('e' | '\\') => out.push('\\'),
            Some(' ' | '~' | '0') => out.push(' '),
            Some('\'') => out.push('\''),
            Some('`') => out.push('`'),
            Some('"') => return out,
            Some('f' | 'F' | 'm' | 'M' | 'n' | 'g' | 'k') => {
                name(&mut chars);
            }
            Some('*') => out.push_str(glyph(&name(&mut chars))),
            Some('(') => {
                let two: String = chars.by_ref().take(2).collect();
                out.push_str(glyph(&two));
            }
            Some('[') => {
                let named: String = chars.by_ref().take_while(|c| *c != ']').collect();
                out.push_str(glyph(&named));
            }
            Some('s') => size(&mut chars),
            Some('w' | 'h' | 'v' | 'X' | 'Z' | 'o' | 'l' | 'L' | 'D' | 'b') => {
                let quote = chars.next();
                let _: String = chars.by_ref().take_while(|c| Some(*c) != quote).collect();
            }
            // `\&`, `\|`, `\^`, `\%`, `\:`, `\/`, `\,`, `\c` and others are about looks.
            _ => {}
        }
    }
    out
}

/// The name behind an escape: a letter, two behind `(`, or any number in brackets.
fn name(chars: &mut std::str::Chars<'_>) -> String {
    match chars.next() {
        Some('(') => chars.by_ref().take(2).collect(),
        Some('[') => chars.by_ref().take_while(|c| *c != ']').collect(),
        Some(c) => c.to_string(),
        None => String::new(),
    }
}

/// Leaves out a size: `\s-1`, `\s0`, `\s+2`.
fn size(chars: &mut std::str::Chars<'_>) {
    let rest = chars.as_str();
    let signed = rest.strip_prefix(['-', '+']).unwrap_or(rest);
    let digits = signed.len()
        - signed
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let length = rest.len() - signed.len() + digits.min(2);
    *chars = rest[length..].chars();
}

fn glyph(name: &str) -> &'static str {
    match name {
        "aq" | "Aq" | "oq" | "cq" => "'",
        "dq" | "lq" | "rq" | "Lq" | "Rq" => "\"",
        "hy" | "en" | "em" | "mi" | "-" => "-",
        "ha" => "^",
        "ti" => "~",
        "rs" => "\\",
        "ga" => "`",
        "lB" => "[",
        "rB" => "]",
        "lC" => "{",
        "rC" => "}",
        "ba" | "or" => "|",
        "sl" => "/",
        "at" => "@",
        "sh" => "#",
        "Do" => "$",
        "la" => "<",
        "ra" => ">",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(source: &str) -> Vec<String> {
        let found = entries(source).into_iter();
        let show = |entry: TaggedText| format!("{}|{}|{}", entry.section, entry.tag, entry.text);
        found.map(show).collect()
    }

    #[test]
    fn escapes() {
        for (text, expected) in [
            (r"\fB\-\-all\fR[=\fIwhat\fP]", "--all[=what]"),
            (r"\f[CB]\-x\f[R] it\[aq]s \(aqso\(aq", "-x it's 'so'"),
            (r"\s-1SMALL\s0 a\ b\&. \*(Aqx\*(Aq", "SMALL a b. 'x'"),
            (r#"shown \w'hidden'u \" a comment"#, "shown u "),
            ("ends in \\", "ends in "),
        ] {
            assert_eq!(plain(text), expected, "{text}");
        }
        assert_eq!(
            arguments("a \"b c\" d\\ e \"f\"\"g\""),
            ["a", "b c", "d\\ e", "f\"g"]
        );
    }

    #[test]
    fn tagged_paragraphs_of_every_kind() {
        let source = ".TH SIFT 1\n.SH NAME\nsift \\- sifts flour\n.SH OPTIONS\n.TP\n\\fB\\-a\\fR, \\fB\\-\\-all\\fR\nTakes\n.B all\nof it.\n.TP\n.BI \\-m \" size\"\nThe mesh.\n.RS\n.IP fine\nVery fine.\n.RE\n.IP \"\\-n \\fIcount\\fR\" 4\nStops.\n.PP\nNot an option.\n.PP\n\\fB\\-\\-dry\\fR\n.RS 4\nDoes nothing\\&.\n.RE\n.PP\nMore.\n";
        assert_eq!(
            show(source),
            [
                "NAME||sift - sifts flour",
                "OPTIONS|-a, --all|Takes all of it.",
                "OPTIONS|-m size|The mesh.",
                "OPTIONS|fine|Very fine.",
                "OPTIONS|-n count|Stops.",
                "OPTIONS||Not an option.",
                "OPTIONS|--dry|Does nothing.",
                "OPTIONS||More.",
            ]
        );
    }

    #[test]
    fn examples_and_definitions_are_left_out() {
        let source = ".de X\n.B no\n..\n.SH NAME\na \\- b\n.nf\n  sift --not\n.fi\n";
        assert_eq!(show(source), ["NAME||a - b"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(\\.(SH|TP|IP|PP|RS|RE|It|Fl|Bl|de) ?|\\\\(f|s|\\*|\\(|\\[|w)|[a-z\"'\\-\\n ]|[\\PC]){0,120}") {
            entries(&text);
        }
    }
}
