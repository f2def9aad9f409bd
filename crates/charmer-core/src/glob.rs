//! Globs for paths of commands: `*` and `?` stay within a level, `**` crosses levels, `[a-z]` is one of several characters,
//! `{a,b}` one of several texts, and `!` in front the opposite of all that follows.

/// Returns true if the path matches the glob.
pub(crate) fn glob_match(glob: &str, path: &str) -> bool {
    let opposite = glob.bytes().take_while(|byte| *byte == b'!').count();
    let glob: Vec<char> = glob[opposite..].chars().collect();
    let path: Vec<char> = path.chars().collect();
    (opposite % 2 == 1) != any_alternative(&glob, &path)
}

/// Tries what the first pair of braces can stand for, each with all that follows.
fn any_alternative(glob: &[char], path: &[char]) -> bool {
    let Some((before, inside, behind)) = first_braces(glob) else {
        return matches(glob, path, true);
    };
    alternatives(inside).any(|alternative| {
        let glob = [before, alternative, behind].concat();
        any_alternative(&glob, path)
    })
}

/// The text before, in and behind the first pair of braces.
fn first_braces(glob: &[char]) -> Option<(&[char], &[char], &[char])> {
    let opening = outside(glob).find(|(_, c, _)| *c == '{')?.0;
    let closing = outside(glob).find(|(at, c, depth)| *at > opening && *c == '}' && *depth == 0)?;
    let inside = &glob[opening + 1..closing.0];
    Some((&glob[..opening], inside, &glob[closing.0 + 1..]))
}

fn alternatives(inside: &[char]) -> impl Iterator<Item = &[char]> {
    let mut commas = outside(inside).filter(|(_, c, depth)| *c == ',' && *depth == 0);
    let mut begin = Some(0);
    std::iter::from_fn(move || {
        let from = begin?;
        let comma = commas.next().map(|(at, ..)| at);
        begin = comma.map(|at| at + 1);
        Some(&inside[from..comma.unwrap_or(inside.len())])
    })
}

/// The characters that are neither escaped nor in brackets, each with its place and the number of braces that are open
/// behind it.
fn outside(glob: &[char]) -> impl Iterator<Item = (usize, char, usize)> {
    let (mut at, mut depth) = (0, 0_usize);
    std::iter::from_fn(move || {
        loop {
            let c = *glob.get(at)?;
            let here = at;
            at += 1;
            match c {
                '\\' => {
                    at += 1;
                    continue;
                }
                '[' => at += class(&glob[at..]).map_or(0, |(_, length)| length),
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            return Some((here, c, depth));
        }
    })
}

/// `level_begins` says that a level of the path begins here, where `**` stands for any number of them.
fn matches(glob: &[char], path: &[char], level_begins: bool) -> bool {
    match glob {
        [] => path.is_empty(),
        ['*', '*'] if level_begins => true,
        ['*', '*', '/', behind @ ..] if level_begins => {
            let mut levels = path.iter().enumerate().filter(|(_, c)| **c == '/');
            matches(behind, path, true)
                || levels.any(|(at, _)| matches(behind, &path[at + 1..], true))
        }
        ['*', behind @ ..] => {
            let level = path.iter().take_while(|c| **c != '/').count();
            (0..=level).any(|length| matches(behind, &path[length..], false))
        }
        [first, behind @ ..] => {
            let Some((c, rest)) = path.split_first() else {
                return false;
            };
            match (first, class(behind), behind) {
                ('?', ..) => *c != '/' && matches(behind, rest, false),
                ('[', Some((class, length)), _) => {
                    *c != '/' && class.has(*c) && matches(&behind[length..], rest, false)
                }
                ('\\', _, [escaped, behind @ ..]) => {
                    c == escaped && matches(behind, rest, *c == '/')
                }
                (first, ..) => c == first && matches(behind, rest, *c == '/'),
            }
        }
    }
}

/// A set of characters in brackets.
struct CharacterClass<'a> {
    opposite: bool,
    members: &'a [char],
}

/// The class that begins behind an opening bracket, and its length up to the closing one.
fn class(behind: &[char]) -> Option<(CharacterClass<'_>, usize)> {
    let opposite = matches!(behind.first(), Some('!' | '^'));
    let begin = usize::from(opposite);
    let mut at = begin;
    // A closing bracket that comes first is a member.
    loop {
        match behind.get(at)? {
            ']' if at > begin => break,
            '\\' => at += 2,
            _ => at += 1,
        }
    }
    let members = &behind[begin..at];
    Some((CharacterClass { opposite, members }, at + 1))
}

impl CharacterClass<'_> {
    fn has(&self, c: char) -> bool {
        let mut members = self.members;
        let mut found = false;
        while let Some((first, rest)) = one(members) {
            members = rest;
            let mut last = first;
            if let ['-', range @ ..] = members
                && let Some((end, rest)) = one(range)
            {
                (last, members) = (end, rest);
            }
            found |= (first..=last).contains(&c);
        }
        found != self.opposite
    }
}

/// The next character of a class, and what follows it.
fn one(members: &[char]) -> Option<(char, &[char])> {
    match members {
        ['\\', escaped, rest @ ..] => Some((*escaped, rest)),
        [first, rest @ ..] => Some((*first, rest)),
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn globs_match_paths_of_commands() {
        for (glob, path, expected) in [
            ("container/*", "container/ls", true),
            ("container/*", "container/ls/all", false),
            ("container/**", "container/ls/all", true),
            ("**", "", true),
            ("**/rm", "rm", true),
            ("**/rm", "volume/rm", true),
            ("**/rm", "volume/rmi", false),
            ("docker/**/rm", "docker/a/b/rm", true),
            ("a**b", "a/b", false),
            ("image/{ls,prune-*}", "image/prune-all", true),
            ("image/{ls,{x,y}z}", "image/yz", true),
            ("image/{ls,{x,y}z}", "image/lsz", false),
            ("get-[a-c]?", "get-bz", true),
            ("get-[!a-c]*", "get-b", false),
            (r"a\*", "a*", true),
            (r"a\*", "ab", false),
            ("!image/*", "image/ls", false),
            ("!image/*", "volume/ls", true),
        ] {
            assert_eq!(glob_match(glob, path), expected, "{glob} {path}");
            assert_eq!(
                fast_glob::glob_match(glob, path),
                expected,
                "{glob} {path}: as others read it"
            );
        }
    }

    proptest! {
        #[test]
        fn they_mean_what_they_mean_elsewhere(
            glob in prop::collection::vec(prop::sample::select(vec!["a", "b", "/", "*", "?", "/**/", "[ab]", "{a,/b}", "-"]), 0..6),
            path in "[ab/-]{0,6}",
        ) {
            let glob = glob.concat();
            // Levels without a name, and stars in a row that are not a level, are no paths of commands.
            prop_assume!(!glob.contains("//") && !glob.contains("***") && !path.contains("//"));
            prop_assume!(!path.starts_with('/') && !path.ends_with('/') && !glob.ends_with('/'));
            prop_assert_eq!(glob_match(&glob, &path), fast_glob::glob_match(&glob, &path), "{} {}", glob, path);
        }

        #[test]
        fn no_text_is_too_odd(glob in r"[a*?\[\]{},!\\/-]{0,8}", path in "[a/]{0,6}") {
            glob_match(&glob, &path);
        }
    }
}
