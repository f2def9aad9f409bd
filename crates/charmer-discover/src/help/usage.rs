//! Usage statements: what stands behind `usage:`, one text for each way to call a command.

use super::rows::expand_tabs;

/// Returns true if a line is at least a usage line.
pub(crate) fn says_usage(line: &str) -> bool {
    behind_mark(line, "usage:").is_some_and(|rest| !rest.is_empty())
}

/// The usage statements of a help text, each on one line and without what comes before the program's name.
///
/// A statement begins behind `usage:`, behind `or:`, or where the program's name begins a line again; deeper indented
/// lines continue it. A text that has no `usage:` may begin with the program's name instead.
pub(crate) fn usage_statements(text: &str, program: &str) -> Vec<String> {
    let lines: Vec<String> = text.lines().map(expand_tabs).collect();
    // A prompt may stand before statements, `$ tool [FILE]`, or a sign of the program's own, which marks its usage.
    let stated = format!("{program} ");
    let sign = |line: &str| {
        let (sign, rest) = line.trim_start().split_once(' ')?;
        let mut signs = sign.chars();
        let sign = signs.next().filter(|_| signs.next().is_none())?;
        let is_sign = sign == '$' || !sign.is_ascii() && !sign.is_alphanumeric();
        (is_sign && rest.starts_with(&stated)).then_some(sign)
    };
    let signs: Vec<Option<char>> = lines.iter().map(|line| sign(line)).collect();
    let own_sign = signs
        .iter()
        .position(|it| it.is_some_and(|sign| sign != '$'));
    let lines = lines.iter().zip(signs).map(|(line, sign)| match sign {
        Some(sign) => line.replacen(&format!("{sign} "), "", 1),
        None => line.clone(),
    });
    let lines: Vec<String> = lines.collect();
    let lines: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let marked = lines
        .iter()
        .position(|line| behind_mark(line, "usage:").is_some())
        .or_else(|| {
            let syntax = |line: &&str| {
                behind_mark(line, "syntax:").is_some_and(|rest| first_word(rest) == program)
            };
            lines.iter().position(syntax)
        })
        .or_else(|| heading_of_usage(&lines, program));
    let (start, first) = match marked {
        Some(at) => {
            let behind = behind_mark(lines[at], "usage:");
            let behind = behind.or_else(|| behind_mark(lines[at], "syntax:"));
            (at, behind.unwrap_or_default())
        }
        None => {
            let first = || lines.iter().position(|line| !line.trim().is_empty());
            let at = own_sign.or_else(first);
            match at {
                // `tool - what it is for` states no usage.
                Some(at)
                    if first_word(lines[at]) == program
                        && lines[at]
                            .split_whitespace()
                            .nth(1)
                            .is_some_and(|it| it != "-") =>
                {
                    (at, lines[at])
                }
                _ => return Vec::new(),
            }
        }
    };
    let mut found: Vec<String> = Vec::new();
    let mut home = 0;
    if !first.is_empty() {
        found.push(first.to_owned());
    }
    // A sentence may stand before the statements.
    let block = lines[start + 1..].iter();
    let block = block
        .skip_while(|line| line.trim().is_empty())
        .take_while(|line| !line.trim().is_empty());
    let stated = found.is_empty() && block.clone().any(|line| first_word(line) == program);
    for (at, line) in lines.iter().enumerate().skip(start + 1) {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if content.is_empty() {
            // A bare `Usage:` may have a blank line below it.
            // Statements may stand in several blocks, as far in as the first of them.
            let next = lines[at..].iter().find(|line| !line.trim().is_empty());
            let goes_on = next.is_some_and(|next| {
                let indent = next.len() - next.trim_start().len();
                let states = first_word(next) == program && !next.ends_with('.');
                first.is_empty() && states && indent == home && indent > 0
            });
            if found.is_empty() || goes_on {
                continue;
            }
            break;
        }
        if let Some(rest) = behind_mark(line, "or:") {
            found.push(rest.to_owned());
            continue;
        }
        let name = found.first().map_or(program, |first| first_word(first));
        if found.is_empty() && stated && first_word(content) != program {
            continue;
        }
        if found.is_empty() {
            home = indent;
            found.push(content.to_owned());
        } else if first_word(content) == name && (indent > 0 || first.is_empty()) {
            found.push(content.to_owned());
        } else if indent > home && indent >= 3 && !begins_row(content) {
            if let Some(last) = found.last_mut() {
                last.push(' ');
                last.push_str(content);
            }
        } else {
            break;
        }
    }
    for statement in &mut found {
        *statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    found
}

/// Returns true if a line is a row of options: it begins with one, and a text stands in a column behind it.
fn begins_row(content: &str) -> bool {
    content.starts_with("--") || content.starts_with('-') && content.contains("  ")
}

/// `Usage` without a colon, or at the end of a sentence (`Tool 3.0. Usage:`), where a statement follows.
fn heading_of_usage(lines: &[&str], program: &str) -> Option<usize> {
    let heads = |line: &str| {
        let line = line.trim().to_lowercase();
        line == "usage" || line.ends_with(" usage:")
    };
    let follows = |at: usize| {
        let mut below = lines[at + 1..].iter();
        let next = below.find(|line| !line.trim().is_empty());
        next.is_some_and(|next| first_word(next) == program)
    };
    (0..lines.len()).find(|&at| heads(lines[at]) && follows(at))
}

fn behind_mark<'t>(line: &'t str, mark: &str) -> Option<&'t str> {
    let line = line.trim_start();
    let head = line.get(..mark.len())?;
    head.eq_ignore_ascii_case(mark)
        .then(|| line[mark.len()..].trim())
}

fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or_default()
}

/// The part of a usage statement behind a command's path: the program's name first, then the path's words in their
/// order, with nothing but bracketed groups between them. `None` if the statement is another command's.
pub(crate) fn behind_path<'t>(statement: &'t str, path: &[String]) -> Option<&'t str> {
    let name = first_word(statement);
    let mut rest = statement[name.len()..].trim_start();
    for word in path {
        loop {
            let next = group_end(rest);
            if next == 0 {
                break;
            }
            rest = rest[next..].trim_start();
        }
        let found = first_word(rest);
        if found != word {
            return None;
        }
        rest = rest[found.len()..].trim_start();
    }
    Some(rest)
}

/// The length of the bracketed group at the start of a text, 0 if there is none.
fn group_end(text: &str) -> usize {
    let mut depth = 0usize;
    for (at, c) in text.char_indices() {
        match c {
            '[' => depth += 1,
            ']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    let end = at + 1;
                    let dots = text[end..].len() - text[end..].trim_start_matches('.').len();
                    return end + dots;
                }
            }
            _ if depth == 0 => return 0,
            _ => {}
        }
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(Into::into).collect()
    }

    #[test]
    fn where_a_statement_ends() {
        let text = "Usage: tool [-a x] [-b y]\n\t[-c z] device [count]\n   -h, --help     this\n   -n, --numeric  numbers\n";
        assert_eq!(
            usage_statements(text, "tool"),
            ["tool [-a x] [-b y] [-c z] device [count]"]
        );
        let text = "tool (GNU) 2.2\n\nSyntax: tool [options] [files]\nSigns.\n";
        assert_eq!(usage_statements(text, "tool"), ["tool [options] [files]"]);
    }

    #[test]
    fn statements_in_several_blocks() {
        let text = "Usage:\n  tool box list\n  \n  tool box put <thing>\n\n  tool is good.\n";
        assert_eq!(
            usage_statements(text, "tool"),
            ["tool box list", "tool box put <thing>"]
        );
        let text = "Usage:\n  tool [options]\n\ntool packs things\n";
        assert_eq!(usage_statements(text, "tool"), ["tool [options]"]);
    }

    #[test]
    fn headings_without_a_colon_and_behind_a_sentence() {
        for text in [
            "Usage\n\n  tool [options] <path>\n\nOptions\n",
            "Tool 3.0 (1999). Usage:\ntool [options] <path>\n  It packs.\n",
            "This is the tool.  Usage:\n\n    tool [options] <path>\n\nMore:\n",
        ] {
            assert_eq!(
                usage_statements(text, "tool"),
                ["tool [options] <path>"],
                "{text}"
            );
        }
        assert!(usage_statements("Usage\n\nThere is none.\n", "tool").is_empty());
    }

    #[test]
    fn a_sentence_may_stand_before_the_statement() {
        let text = "Usage:\n  Pack some files.\n  tool pack [flags] <file>\n\nFlags:\n";
        assert_eq!(usage_statements(text, "tool"), ["tool pack [flags] <file>"]);
    }

    #[test]
    fn statements_of_every_kind() {
        for (text, expected) in [
            (
                "Usage: pack [OPTION]... [FILE]...\nPacks.\n",
                vec!["pack [OPTION]... [FILE]..."],
            ),
            (
                "Usage: pack A\n  or:  pack -t B\nPacks.\n",
                vec!["pack A", "pack -t B"],
            ),
            (
                "usage: vcs [-v]\n           [-q] <command>\n\nThese are\n",
                vec!["vcs [-v] [-q] <command>"],
            ),
            (
                "Usage:\n\n\tpack <command>\n\nThe\n",
                vec!["pack <command>"],
            ),
            (
                "pack [OPTIONS...] COMMAND\n\nPacks.\n",
                vec!["pack [OPTIONS...] COMMAND"],
            ),
            ("Usage: pack a\n       pack b\n\n", vec!["pack a", "pack b"]),
            ("usage: pack [flags]\n  -d\tshow\n", vec!["pack [flags]"]),
            ("Does things.\n", vec![]),
            ("pack - packs things\n\n  -a  all\n", vec![]),
            (
                "Pack 2\n\n  ▲ pack add [FILE]\n\n  Adds.\n\n    $ pack add x\n",
                vec!["pack add [FILE]"],
            ),
            (
                "pack - packs\n\nUSAGE\n\n  $ pack --all\n  $ pack [FILE]\n\nBy default\n",
                vec!["pack --all", "pack [FILE]"],
            ),
        ] {
            assert_eq!(usage_statements(text, "pack"), expected, "{text}");
        }
    }

    #[test]
    fn the_path_may_have_groups_between_its_words() {
        let rest = |statement, path: &str| behind_path(statement, &words(path));
        assert_eq!(
            rest("vcs remote [-v] add <name>", "remote add"),
            Some("<name>")
        );
        assert_eq!(
            rest("vcs [global options] plan [options]", "plan"),
            Some("[options]")
        );
        assert_eq!(rest("vcs log <range>", "show"), None);
        assert_eq!(rest("vcs", ""), Some(""));
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([a-z\\[\\]\\-: \\n\\t]|usage:|or:|[\\PC]){0,120}") {
            for statement in usage_statements(&text, "a") {
                behind_path(&statement, &["a".to_owned()]);
            }
        }
    }
}
