//! Clap's notes behind the text of an entry: its default, variable, aliases and possible values.

use charmer_core::model::Choice;

/// An entry's text, taken apart.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ClapNotes {
    /// The author's text.
    pub(super) text: String,
    pub(super) default: Option<Vec<String>>,
    pub(super) env: Option<String>,
    /// Names with or without dashes, as they stand.
    pub(super) aliases: Vec<String>,
    pub(super) short_aliases: Vec<char>,
    pub(super) choices: Vec<Choice>,
}

const KEYS: [&str; 6] = [
    "[env: ",
    "[default: ",
    "[aliases: ",
    "[alias: ",
    "[short aliases: ",
    "[possible values: ",
];

/// Takes the text of an entry apart; its lines are without their indentation.
pub(super) fn take_apart(lines: &[&str]) -> ClapNotes {
    let mut notes = ClapNotes::default();
    let (text, choices) = without_block(lines);
    notes.choices = choices;
    // A note may be broken across lines.
    let text = paragraphs(&text);
    let mut rest = text.as_str();
    while rest.ends_with(']') {
        let last = KEYS
            .iter()
            .filter_map(|key| rest.rfind(key).map(|at| (at, *key)))
            .max();
        let Some((at, key)) = last else { break };
        let inner = &rest[at + key.len()..rest.len() - 1];
        // A bracket that was closed before is no note at the end.
        if key != "[default: " && key != "[env: " && inner.contains(']') {
            break;
        }
        notes.take(key, inner);
        rest = rest[..at].trim_end();
    }
    notes.text = rest.to_owned();
    notes
}

impl ClapNotes {
    fn take(&mut self, key: &str, inner: &str) {
        match key {
            "[env: " => {
                let name: String = inner
                    .trim_start_matches(['"', '`'])
                    .chars()
                    .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
                    .collect();
                if !name.is_empty() {
                    self.env = Some(name);
                }
            }
            "[default: " => self.default = default_values(inner),
            "[short aliases: " => {
                self.short_aliases.extend(
                    inner
                        .split(", ")
                        .filter_map(|name| name.trim_start_matches('-').chars().next()),
                );
            }
            "[possible values: " => {
                self.choices = quoted_list(inner, ",")
                    .into_iter()
                    .map(Choice::new)
                    .collect();
            }
            _ => {
                for name in inner.split(", ") {
                    match name.strip_prefix('-') {
                        Some(short) if !short.starts_with('-') => {
                            self.short_aliases.extend(short.chars().next());
                        }
                        _ => self.aliases.push(name.trim_start_matches('-').to_owned()),
                    }
                }
            }
        }
    }
}

/// The values of a default: separated by spaces, quoted where they hold some. `None` for prose.
fn default_values(inner: &str) -> Option<Vec<String>> {
    let values = quoted_list(inner, " ");
    let prose = values.len() > 1
        && values
            .iter()
            .any(|word| matches!(word.as_str(), "the" | "your" | "current" | "of" | "is"));
    (!prose && !values.is_empty()).then_some(values)
}

/// A list whose elements may be quoted as Rust quotes them.
fn quoted_list(text: &str, separator: &str) -> Vec<String> {
    let mut values = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let quoted = rest.strip_prefix('"').and_then(|inner| {
            let mut escaped = false;
            inner.char_indices().find_map(|(at, c)| {
                let closes = c == '"' && !escaped;
                escaped = c == '\\' && !escaped;
                closes.then_some(at)
            })
        });
        let value;
        (value, rest) = match quoted {
            Some(end) => (unescape(&rest[1..=end]), &rest[end + 2..]),
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                (rest[..end].trim().to_owned(), &rest[end..])
            }
        };
        values.push(value);
        rest = rest.trim_start_matches([',', ' ']);
    }
    values
}

fn unescape(text: &str) -> String {
    serde_json::from_str(&format!("\"{text}\"")).unwrap_or_else(|_| text.to_owned())
}

/// The text without the block of possible values (`- name: help`), and the values.
fn without_block(lines: &[&str]) -> (String, Vec<Choice>) {
    let begin = lines
        .iter()
        .position(|line| line.trim().eq_ignore_ascii_case("possible values:"));
    let Some(begin) = begin else {
        return (lines.join("\n"), Vec::new());
    };
    let mut choices: Vec<Choice> = Vec::new();
    let mut at = begin + 1;
    while let Some(line) = lines.get(at) {
        let content = line.trim();
        match content.strip_prefix("- ") {
            Some(item) => choices.push(bullet(item)),
            None if content.is_empty() => break,
            // A line that continues a bullet's text.
            None => {
                let help = choices.last_mut().and_then(|choice| choice.help.as_mut());
                if let Some(help) = help {
                    help.push(' ');
                    help.push_str(content);
                }
            }
        }
        at += 1;
    }
    let kept: Vec<&str> = lines[..begin].iter().chain(&lines[at..]).copied().collect();
    (kept.join("\n"), choices)
}

fn bullet(item: &str) -> Choice {
    let (name, help) = match item.split_once(": ") {
        Some((name, help)) => (name, Some(help.trim().to_owned())),
        None => (item.strip_suffix(':').unwrap_or(item), None),
    };
    let name = quoted_list(name, "\n")
        .into_iter()
        .next()
        .unwrap_or_default();
    let mut choice = Choice::new(name);
    choice.help = help.filter(|help| !help.is_empty());
    choice
}

/// Lines joined to paragraphs, with an empty line between them.
pub(super) fn paragraphs(text: &str) -> String {
    let mut found: Vec<String> = vec![String::new()];
    for line in text.lines() {
        let line = line.trim();
        let last = found.len() - 1;
        if line.is_empty() {
            if !found[last].is_empty() {
                found.push(String::new());
            }
            continue;
        }
        if !found[last].is_empty() {
            found[last].push(' ');
        }
        found[last].push_str(line);
    }
    found.retain(|paragraph| !paragraph.is_empty());
    found.join("\n\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_behind_a_text() {
        let notes = take_apart(&[
            "How hot [env: KILN_HEAT=] [default: \"very hot\"] [aliases: --warmth, -w]",
        ]);
        assert_eq!(notes.text, "How hot");
        assert_eq!(notes.env.as_deref(), Some("KILN_HEAT"));
        assert_eq!(notes.default, Some(vec!["very hot".to_owned()]));
        assert_eq!(notes.aliases, ["warmth"]);
        assert_eq!(notes.short_aliases, ['w']);
    }

    #[test]
    fn older_ways_to_show_aliases() {
        let notes = take_apart(&["Heat [aliases: warmth, glow] [short aliases: w, g]"]);
        assert_eq!(notes.aliases, ["warmth", "glow"]);
        assert_eq!(notes.short_aliases, ['w', 'g']);
    }

    #[test]
    fn a_block_of_possible_values() {
        let notes = take_apart(&[
            "When to glaze",
            "",
            "Possible values:",
            "- early: Before the first",
            "  firing",
            "- late",
            "",
            "[default: early]",
        ]);
        assert_eq!(notes.text, "When to glaze");
        assert_eq!(notes.default, Some(vec!["early".to_owned()]));
        assert_eq!(notes.choices.len(), 2);
        assert_eq!(notes.choices[0].value, "early");
        assert_eq!(
            notes.choices[0].help.as_deref(),
            Some("Before the first firing")
        );
        assert_eq!(notes.choices[1].help, None);
    }

    #[test]
    fn wrapped_possible_values_and_several_defaults() {
        let notes = take_apart(&[
            "Clay [default: red \"off white\"] [possible",
            "values: red, \"off white\", grey]",
        ]);
        // A key that was broken across lines is put together again.
        assert_eq!(notes.choices.len(), 3);
        assert_eq!(
            notes.default,
            Some(vec!["red".to_owned(), "off white".to_owned()])
        );
    }

    #[test]
    fn prose_is_no_default() {
        assert_eq!(
            take_apart(&["Where [default: the current folder]"]).default,
            None
        );
        assert_eq!(
            take_apart(&["Where [default: .]"]).default,
            Some(vec![".".to_owned()])
        );
        assert_eq!(take_apart(&["As in [a] or [b]"]).text, "As in [a] or [b]");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([\\PC]|\\[default: |\\[env: |\\[possible values: |[\\]\"\\\\,\\n]|- ){0,80}") {
            let lines: Vec<&str> = text.lines().collect();
            take_apart(&lines);
        }
    }
}
