//! Reports on a program that could not be read whole: the missing commands, and the reasons.

use charmer_discover::{Discovery, DiscoveryWarning, Gap};

use crate::read::TRIES;

/// The number of commands that are named.
const NAMED: usize = 5;

/// The commands of one program that could not be read.
pub(crate) struct Unread {
    program: String,
    /// A sentence without its full stop.
    pub(crate) sentence: String,
    /// It may be there when the program is asked again.
    passing: bool,
    /// It was missing so often that only a server asks again by itself.
    often: bool,
}

/// The gaps of a program that was read to the end; nothing of one that is whole, or is still being read.
pub(crate) fn sentence(program: &str, found: &Discovery) -> Option<Unread> {
    let gaps: Vec<&DiscoveryWarning> = found.gaps().collect();
    let (whole, commands): (Vec<&DiscoveryWarning>, Vec<&DiscoveryWarning>) =
        gaps.iter().partition(|gap| gap.path.is_root());
    let first = gaps.first()?;
    let mut sentence = format!("`{program}` could not be read whole: ");
    if let Some(gap) = commands.first() {
        let names = commands.iter().take(NAMED);
        let names: Vec<String> = names.map(|gap| format!("`{}`", gap.path)).collect();
        let more = match commands.len().saturating_sub(NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        // Why, of the first: others mostly have the same reason. What it said may have colons of its own.
        let why = gap.message.find(": it ").map_or(0, |at| at + 2);
        let why = &gap.message[why..];
        sentence.push_str(&format!("{}{more} ({why})", names.join(", ")));
    } else {
        sentence.push_str(&whole.first().unwrap_or(first).message);
    }
    Some(Unread {
        program: program.to_owned(),
        sentence,
        passing: gaps.iter().any(|gap| gap.gap == Some(Gap::Passing)),
        often: found.tries >= TRIES,
    })
}

/// The same for people, with what can be done about it.
pub(crate) fn advised(unread: &Unread) -> String {
    let Unread {
        program,
        sentence,
        passing,
        often,
    } = unread;
    let again = match (passing, often) {
        (true, false) => {
            "; it is asked for what is missing again, by a server that runs or at the next start"
        }
        (true, true) => "; a server that runs asks for it again, and so does `--refresh`",
        (false, _) => "",
    };
    format!("{sentence}{again} (`charmer inspect {program}` says more)")
}

#[cfg(test)]
mod tests {
    use charmer_core::model::{Cli, Command, CommandPath, Syntax};
    use serde_json::json;

    use super::*;

    fn found(gaps: &[(&str, &str, &str)]) -> Discovery {
        let mut found = Discovery::of(Cli::new(Command::new("shop"), Syntax::pflag()));
        let gaps = gaps.iter().map(|(path, message, gap)| {
            let path: CommandPath = path.split_whitespace().map(str::to_owned).collect();
            let gap = json!({"path": path, "message": message, "gap": gap});
            serde_json::from_value(gap).expect("a warning")
        });
        found.warnings = gaps.collect();
        found
    }

    #[test]
    fn a_whole_program_needs_no_words() {
        assert!(sentence("shop", &found(&[])).is_none());
    }

    #[test]
    fn missing_commands_are_named_with_the_reason() {
        let late = "its help could not be read: it did not answer in time";
        let two = found(&[("buy", late, "passing"), ("cart add", late, "passing")]);
        let unread = sentence("shop", &two).expect("two are missing");
        assert_eq!(
            unread.sentence,
            "`shop` could not be read whole: `buy`, `cart add` (it did not answer in time)"
        );
        assert!(advised(&unread).contains("asked for what is missing again"));
        let mut often = two;
        often.tries = TRIES;
        let unread = sentence("shop", &often).expect("two are missing");
        assert!(advised(&unread).contains("`--refresh`"));
        let many: Vec<String> = (0..8).map(|at| format!("c{at}")).collect();
        let many: Vec<_> = many.iter().map(|name| (&**name, late, "lasting")).collect();
        let unread = sentence("shop", &found(&many)).expect("all are missing");
        assert!(
            unread.sentence.contains("`c4` and 3 more ("),
            "{}",
            unread.sentence
        );
        assert!(!advised(&unread).contains("again"));
    }

    #[test]
    fn what_it_said_is_not_cut() {
        let said = "its help could not be read: it said `Error: no clay: none` (exit code 1)";
        let unread = sentence("shop", &found(&[("buy", said, "lasting")])).expect("it is missing");
        let end = "`buy` (it said `Error: no clay: none` (exit code 1))";
        assert!(unread.sentence.ends_with(end), "{}", unread.sentence);
    }

    #[test]
    fn what_is_missing_of_the_whole_is_said_in_its_own_words() {
        let gap = (
            "",
            "it said too much: 7 of its commands are missing",
            "lasting",
        );
        let unread = sentence("shop", &found(&[gap])).expect("some are missing");
        assert!(unread.sentence.ends_with("7 of its commands are missing"));
    }
}
