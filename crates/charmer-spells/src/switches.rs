//! Options that take no value, so that a `--` behind them ends the options. There is no general rule to tell them by, so here
//! are the usual ones; any other option may take what follows it.

use crate::interpreters::base_name;

/// Long options that take no element as their value, whichever program has them.
const LONG: [&str; 33] = [
    "all",
    "brief",
    "cached",
    "count",
    "dry-run",
    "extended-regexp",
    "files-with-matches",
    "fixed-strings",
    "follow",
    "force",
    "hidden",
    "human-readable",
    "ignore-case",
    "invert-match",
    "line-number",
    "long",
    "name-only",
    "no-pager",
    "no-verify",
    "null",
    "numeric-sort",
    "oneline",
    "parents",
    "quiet",
    "recursive",
    "reverse",
    "short",
    "silent",
    "staged",
    "stat",
    "unique",
    "verbose",
    "word-regexp",
];
/// The letters that are switches of a program.
const LETTERS: [(&[&str], &str); 10] = [
    (&["grep", "egrep", "fgrep"], "EFGHILPRTUZabchilnoqrsvwxz"),
    (&["rg"], "FHILNPSUabchilnopqsuvwxz0"),
    (&["ls"], "ABCDFGHLNQRSUXZabcdfghiklmnopqrstuvx1"),
    (&["cat", "tac"], "AETbenstuv"),
    (&["wc"], "Lclmw"),
    (&["sort"], "CMRVbcdfghimnrsuz"),
    (&["rm", "rmdir", "mkdir"], "IRdfiprv"),
    (&["cp", "mv", "ln"], "HLPRTabdfilnprsuvx"),
    (&["stat", "du", "df", "file"], "LHbhiksv"),
    (&["diff", "cmp"], "BENPTZabceilnpqrsuvwy"),
];

/// Returns true if an option of a program may take the next element as its value.
pub(crate) fn may_take_next(program: &str, option: &str) -> bool {
    if let Some(name) = option.strip_prefix("--") {
        // `--` itself, and `--name=value`, are complete.
        return !name.is_empty() && !name.contains('=') && !LONG.contains(&name);
    }
    let Some(letters) = option.strip_prefix('-').filter(|rest| !rest.is_empty()) else {
        return false;
    };
    let program = base_name(program);
    let mut known = LETTERS.iter().filter(|(names, _)| names.contains(&program));
    !known.any(|(_, switches)| letters.chars().all(|letter| switches.contains(letter)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_switches_and_complete_options_take_nothing() {
        for (program, option) in [
            ("grep", "--line-number"),
            ("/bin/grep", "-rn"),
            ("ls", "-la"),
            ("x", "--color=never"),
            ("x", "--"),
            ("x", "-"),
            ("x", "word"),
        ] {
            assert!(!may_take_next(program, option), "{program} {option}");
        }
        for (program, option) in [
            ("git", "-c"),
            ("npm", "-c"),
            ("cargo", "--config"),
            ("zip", "-TT"),
            ("grep", "-re"),
            ("x", "-r"),
        ] {
            assert!(may_take_next(program, option), "{program} {option}");
        }
    }
}
