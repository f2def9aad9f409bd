//! Reading scalars: words, switches, choices, numbers, durations, sizes and patterns.

use std::{ops::RangeInclusive, time::Duration};

use charmer_core::text::nearest;

use crate::{
    Pattern,
    read::{Problems, listed},
    units::{format_duration, format_size, parse_duration, parse_size},
    yaml::{Node, Quoted, YamlKind},
};

impl Problems<'_> {
    /// Text that is not empty; numbers are text as they were written.
    pub fn word(&mut self, node: &Node, what: &str) -> Option<String> {
        let text = self.text_of(node, what)?;
        if text.trim().is_empty() {
            self.add(node.span.clone(), format!("`{what}` is empty"))
                .hint("write a value, or remove it");
            return None;
        }
        Some(text)
    }

    /// Text; numbers are text as they were written.
    pub fn text_of(&mut self, node: &Node, what: &str) -> Option<String> {
        let text = match &node.kind {
            YamlKind::Text(text) => text.clone(),
            YamlKind::Integer(_) | YamlKind::Float => node.raw.clone(),
            YamlKind::Bool(_) => {
                self.wrong(node, what, "text").hint("put it in quotes");
                return None;
            }
            _ => {
                self.wrong(node, what, "text");
                return None;
            }
        };
        if text.contains('\0') {
            self.add(
                node.span.clone(),
                format!("`{what}` contains a NUL character"),
            )
            .hint("no program can be given one");
            return None;
        }
        Some(text)
    }

    /// `true` or `false`.
    pub fn switch(&mut self, node: &Node, what: &str) -> Option<bool> {
        match &node.kind {
            YamlKind::Bool(on) => Some(*on),
            YamlKind::Text(text) => {
                let hint = match text.to_ascii_lowercase().as_str() {
                    "yes" | "y" | "on" | "true" => "write `true`",
                    "no" | "n" | "off" | "false" => "write `false`",
                    _ => "write one of the two, without quotes",
                };
                self.wrong(node, what, "`true` or `false`").hint(hint);
                None
            }
            _ => {
                self.wrong(node, what, "`true` or `false`");
                None
            }
        }
    }

    /// One of a few words.
    pub fn choice<T: Copy>(&mut self, node: &Node, what: &str, choices: &[(&str, T)]) -> Option<T> {
        let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
        let expected = format!("one of {}", listed(&names));
        let YamlKind::Text(text) = &node.kind else {
            self.wrong(node, what, &expected);
            return None;
        };
        let found = choices.iter().find(|(name, _)| name == text);
        if found.is_none() {
            let hint = match nearest(text, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("write {expected}"),
            };
            self.add(
                node.span.clone(),
                format!("`{what}` cannot be {}", Quoted(text)),
            )
            .hint(hint);
        }
        found.map(|(_, choice)| *choice)
    }

    /// A whole number within bounds.
    pub fn count(&mut self, node: &Node, what: &str, bounds: RangeInclusive<u64>) -> Option<u64> {
        let YamlKind::Integer(number) = node.kind else {
            self.wrong(node, what, "a whole number");
            return None;
        };
        let fits = u64::try_from(number)
            .ok()
            .filter(|number| bounds.contains(number));
        if fits.is_none() {
            self.add(
                node.span.clone(),
                format!(
                    "`{what}` must be between {} and {}",
                    bounds.start(),
                    bounds.end()
                ),
            );
        }
        fits
    }

    /// A whole number within bounds, where memory is counted.
    pub(crate) fn amount(
        &mut self,
        node: &Node,
        what: &str,
        bounds: RangeInclusive<u64>,
    ) -> Option<usize> {
        let count = self.count(node, what, bounds)?;
        usize::try_from(count).ok()
    }

    /// A duration within bounds, both of which belong to it; a number alone counts seconds.
    pub fn duration(
        &mut self,
        node: &Node,
        what: &str,
        (least, most): (Duration, Duration),
    ) -> Option<Duration> {
        const EXAMPLE: &str = "write it like `30` (seconds), `30s`, `5m` or `1h30m`";
        let text = match &node.kind {
            YamlKind::Text(text) => text,
            // As it is written: a number with a base of its own, as `0x10`, is no duration.
            YamlKind::Integer(_) => &node.raw,
            _ => {
                self.wrong(node, what, "a duration").hint(EXAMPLE);
                return None;
            }
        };
        let Some(duration) = parse_duration(text) else {
            self.add(
                node.span.clone(),
                format!("{} is no duration", Quoted(text)),
            )
            .hint(EXAMPLE);
            return None;
        };
        if duration < least || duration > most {
            self.add(
                node.span.clone(),
                format!(
                    "`{what}` must be between {} and {}",
                    format_duration(least),
                    format_duration(most)
                ),
            );
            return None;
        }
        Some(duration)
    }

    /// A size within bounds, both of which belong to it.
    pub(crate) fn size(
        &mut self,
        node: &Node,
        what: &str,
        (least, most): (u64, u64),
    ) -> Option<u64> {
        const EXAMPLE: &str = "write it like `64kB`, `8MiB` or `1GiB`, or as a number of bytes";
        let size = match &node.kind {
            YamlKind::Integer(number) => u64::try_from(*number).unwrap_or(0),
            YamlKind::Text(text) => match parse_size(text) {
                Some(size) => size,
                None => {
                    self.add(node.span.clone(), format!("{} is no size", Quoted(text)))
                        .hint(EXAMPLE);
                    return None;
                }
            },
            _ => {
                self.wrong(node, what, "a size").hint(EXAMPLE);
                return None;
            }
        };
        if size < least || size > most {
            self.add(
                node.span.clone(),
                format!(
                    "`{what}` must be between {} and {}",
                    format_size(least),
                    format_size(most)
                ),
            );
            return None;
        }
        Some(size)
    }

    /// A regular expression.
    pub(crate) fn pattern(
        &mut self,
        node: &Node,
        what: &str,
        make: fn(&str) -> Result<Pattern, String>,
    ) -> Option<Pattern> {
        let text = self.word(node, what)?;
        match make(&text) {
            Ok(pattern) => Some(pattern),
            Err(reason) => {
                self.add(
                    node.span.clone(),
                    format!("`{what}` is no regular expression: {reason}"),
                )
                .hint("put it in single quotes, and write `\\` before a character that is meant as such");
                None
            }
        }
    }
}
