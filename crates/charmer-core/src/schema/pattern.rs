//! Which regular expressions mean the same in every client's language.

/// Returns true if a pattern is made only of what ECMAScript, Python, Go and Rust all read alike: ASCII, classes,
/// groups without names or looks, counts up to a thousand.
pub(super) fn is_portable(pattern: &str) -> bool {
    let mut scanner = Scanner {
        rest: pattern.as_bytes(),
    };
    pattern.len() <= 500
        && pattern.bytes().all(|b| b.is_ascii_graphic() || b == b' ')
        && scanner.alternatives(0)
        && scanner.rest.is_empty()
}

struct Scanner<'a> {
    rest: &'a [u8],
}

impl Scanner<'_> {
    fn next(&mut self) -> Option<u8> {
        let (&first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(first)
    }

    fn take(&mut self, text: &[u8]) -> bool {
        let rest = self.rest.strip_prefix(text);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    /// Reads to the end or to the parenthesis that closes the group.
    fn alternatives(&mut self, depth: usize) -> bool {
        if depth > 20 {
            return false;
        }
        while let Some(&byte) = self.rest.first() {
            if byte == b')' {
                return depth > 0;
            }
            self.next();
            let quantifiable = match byte {
                b'|' | b'^' | b'$' => false,
                b'(' => {
                    if self.rest.starts_with(b"?") && !self.take(b"?:") {
                        return false;
                    }
                    if !self.alternatives(depth + 1) || !self.take(b")") {
                        return false;
                    }
                    true
                }
                b'[' if self.class() => true,
                b'\\' if self.escape().is_some() => true,
                b'[' | b'\\' | b']' | b'{' | b'}' | b'*' | b'+' | b'?' => return false,
                _ => true,
            };
            if quantifiable && !self.quantifier() {
                return false;
            }
        }
        depth == 0
    }

    fn quantifier(&mut self) -> bool {
        let counted = match self.rest.first() {
            Some(b'*' | b'+' | b'?') => {
                self.next();
                true
            }
            Some(b'{') => {
                self.next();
                let Some(least) = self.count() else {
                    return false;
                };
                if self.take(b",") && !self.rest.starts_with(b"}") {
                    match self.count() {
                        Some(most) if most >= least => {}
                        _ => return false,
                    }
                }
                if !self.take(b"}") {
                    return false;
                }
                true
            }
            _ => false,
        };
        if counted {
            // A lazy one matches the same.
            self.take(b"?");
        }
        true
    }

    fn count(&mut self) -> Option<u32> {
        let digits = self.rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = self.rest.split_at(digits);
        self.rest = rest;
        let number: u32 = std::str::from_utf8(number).ok()?.parse().ok()?;
        // The engine of Go takes no more.
        (number <= 1000).then_some(number)
    }

    /// Reads the character behind a backslash: a literal, or `None` inside for a class such as `\d`.
    fn escape(&mut self) -> Option<Option<u8>> {
        match self.next()? {
            b'd' | b'D' | b'w' | b'W' | b's' | b'S' => Some(None),
            b'n' => Some(Some(b'\n')),
            b'r' => Some(Some(b'\r')),
            b't' => Some(Some(b'\t')),
            byte if b"\\/.-()[]{}*+?|^$".contains(&byte) => Some(Some(byte)),
            _ => None,
        }
    }

    fn class(&mut self) -> bool {
        self.take(b"^");
        let mut members = 0;
        loop {
            let Some(from) = self.member() else {
                return false;
            };
            let Some(from) = from else {
                return members > 0;
            };
            members += 1;
            if !self.rest.starts_with(b"-") || self.rest.starts_with(b"-]") {
                continue;
            }
            self.next();
            match (from, self.member()) {
                (Some(from), Some(Some(Some(to)))) if from <= to => {}
                _ => return false,
            }
        }
    }

    /// The next member of a class: `Some(None)` at its end, and a literal or a class of its own inside.
    fn member(&mut self) -> Option<Option<Option<u8>>> {
        match self.next()? {
            b']' => Some(None),
            b'\\' => self.escape().map(Some),
            // Sets within sets, and what may come to mean operations on them.
            b'[' | b'&' | b'~' | b'^' => None,
            byte => Some(Some(Some(byte))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_everyone_reads_alike_are_kept() {
        for pattern in [
            "",
            "^[a-z0-9-]+$",
            r"^\d{4}-\d{2}-\d{2}$",
            r"^(?:a|b)*?c{2,}$",
            r"^v?[0-9]+(\.[0-9]+){0,2}$",
            r"[\w.+-]+@[^@\s]+",
            r"^\/[^\/]*$",
            "é".replace('é', "e").as_str(),
        ] {
            assert!(is_portable(pattern), "{pattern}");
            assert!(regex_lite::Regex::new(pattern).is_ok(), "{pattern}");
            assert!(regex::Regex::new(pattern).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn patterns_that_some_do_not_read_are_not() {
        for pattern in [
            "(?=a)b",
            "(?<name>a)",
            r"\p{L}",
            r"\bword",
            r"(a)\1",
            "a**",
            "a++",
            "a{2",
            "a{,3}",
            "a{3,2}",
            "a{5000}",
            "[",
            "[]",
            "[^]",
            "[z-a]",
            "[a&&b]",
            "[[:alpha:]]",
            "(a",
            "a)",
            "*a",
            "^*",
            "é",
            r"\",
            "a]",
            "}",
            r"[\d-z]",
        ] {
            assert!(!is_portable(pattern), "{pattern}");
        }
    }
}
