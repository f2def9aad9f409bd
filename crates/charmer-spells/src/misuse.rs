//! Misuse of `SPELL_ARG_*` in scripts: a value that a shell evaluates or splits is no longer data.
//!
//! This looks at lines, not at a shell's grammar; it finds the usual slips, and its silence proves nothing.

use regex_lite::Regex;

use crate::environment::PREFIX;

/// One slip.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Misuse {
    pub(crate) what: String,
    /// A value would be run; otherwise it would only be split or expanded.
    pub(crate) evaluates: bool,
    /// The line, from 0.
    pub(crate) line: usize,
}

/// The slips in a piece of code. Variables that can only hold numbers, switches or choices are `harmless`.
pub(crate) fn misuses(code: &str, harmless: impl Fn(&str) -> bool) -> Vec<Misuse> {
    if !code.contains(PREFIX) {
        return Vec::new();
    }
    let mut found = Vec::new();
    for (line, text) in code.lines().enumerate() {
        let used: Vec<(usize, &str)> = uses(text).filter(|(_, name)| !harmless(name)).collect();
        let Some((_, variable)) = used.first() else {
            continue;
        };
        if text.trim_start().starts_with('#') {
            continue;
        }
        let evaluated = EVALUATED
            .iter()
            .find(|(pattern, _)| Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text)));
        if let Some((_, why)) = evaluated {
            found.push(Misuse {
                what: format!("`{variable}` would be evaluated: {why}"),
                evaluates: true,
                line,
            });
        } else if let Some((_, variable)) = used.iter().find(|(at, _)| is_bare(text, *at)) {
            found.push(Misuse {
                what: format!("`{variable}` is used without quotes, so a shell splits it and expands `*` in it"),
                evaluates: false,
                line,
            });
        }
    }
    found
}

/// The constructs by which a line evaluates a value that it names.
const EVALUATED: [(&str, &str); 5] = [
    (
        r"(^|[;&|({\s])(eval|source|\.)\s.*SPELL_ARG_",
        "`eval` and `source` run it",
    ),
    (r"\(\(.*SPELL_ARG_", "arithmetic runs `a[$(command)]`"),
    (
        r"\[\[.*SPELL_ARG_.*\s-(eq|ne|lt|le|gt|ge)\s|\[\[.*\s-(eq|ne|lt|le|gt|ge)\s.*SPELL_ARG_",
        "`[[ ... -eq ... ]]` is arithmetic, which runs `a[$(command)]`",
    ),
    (
        r"(sh|bash|zsh|python3?|perl|ruby|node|ssh)\s.*-[a-zA-Z]*[ce]\s.*SPELL_ARG_",
        "another interpreter is given it as code",
    ),
    (
        r"(exec|eval|system|popen|Popen|spawn)\s*\(.*SPELL_ARG_",
        "it is run",
    ),
];

/// The variables that a line names, and where.
fn uses(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.match_indices(PREFIX).map(|(at, _)| {
        let name = &line[at..];
        let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        (at, &name[..end.unwrap_or(name.len())])
    })
}

/// Returns true if a shell's variable at this place stands outside of quotes.
fn is_bare(line: &str, at: usize) -> bool {
    let before = &line[..at];
    let dollar = before.trim_end_matches('{');
    if !dollar.ends_with('$') {
        return false;
    }
    // An assignment does not split.
    let name = dollar.trim_end_matches('$');
    if name.ends_with('=') && !name.ends_with("==") {
        return false;
    }
    let (mut single, mut double, mut escaped) = (false, false, false);
    for c in before.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !single => escaped = true,
            '\'' if !double => single = !single,
            '"' if !single => double = !double,
            _ => {}
        }
    }
    !single && !double
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(code: &str) -> Vec<bool> {
        let found = misuses(code, |name| name == "SPELL_ARG_COUNT");
        found.into_iter().map(|misuse| misuse.evaluates).collect()
    }

    #[test]
    fn what_is_evaluated_is_found() {
        for code in [
            "eval echo $SPELL_ARG_X",
            "echo $((SPELL_ARG_X + 1))",
            "((n = SPELL_ARG_X))",
            "if [[ $SPELL_ARG_X -eq 1 ]]; then",
            "bash -c \"$SPELL_ARG_X\"",
            "python3 -c 'import os; os.system(os.environ[\"SPELL_ARG_X\"])'",
            "echo a; eval \"$SPELL_ARG_X\"",
        ] {
            assert_eq!(kinds(code), [true], "{code}");
        }
    }

    #[test]
    fn what_is_split_is_found() {
        assert_eq!(kinds("echo $SPELL_ARG_X"), [false]);
        assert_eq!(
            kinds("rm -f ${SPELL_ARG_X}\necho 'a'$SPELL_ARG_X"),
            [false, false]
        );
    }

    #[test]
    fn careful_code_is_left_alone() {
        for code in [
            "echo \"$SPELL_ARG_X\" '$SPELL_ARG_X'",
            "x=$SPELL_ARG_X",
            "# eval $SPELL_ARG_X",
            "echo $((SPELL_ARG_COUNT + 1)) $SPELL_ARG_COUNT",
            "[[ \"$SPELL_ARG_X\" == a ]]",
            "eval echo hi",
        ] {
            assert_eq!(kinds(code), [false; 0], "{code}");
        }
    }
}
