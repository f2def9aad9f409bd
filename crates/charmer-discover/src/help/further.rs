//! Help that names further help: `use "tool --help all"`, `--help-all  Show all help options`.

/// Long names of switches that show more help than `--help` does.
const MORE_HELP: [&str; 4] = ["help-all", "help-full", "full-help", "long-help"];

/// The maximum number of kinds of help that are asked for.
const MOST_KINDS: usize = 8;

/// The way the text of such a switch begins, where its name says nothing (`-X  print help on extra options`).
const PRINTS_HELP: [&str; 6] = [
    "print help on extra",
    "print help on advanced",
    "show help for all",
    "display help for all",
    "print help on all",
    "show all help",
];

/// The command lines that show all the help which a page says there is; none if it speaks of no other.
pub(crate) fn further_help(text: &str) -> Vec<Vec<String>> {
    if let Some(request) = all_help(text) {
        return vec![request];
    }
    // `tool help commands   list all of them`
    let lists = text.lines().any(|line| {
        let mut words = line.split_whitespace().skip(1);
        let row = line.starts_with(' ') && line.trim().contains("  ");
        row && words.next() == Some("help") && words.next() == Some("commands")
    });
    if lists {
        return vec![vec!["help".to_owned(), "commands".to_owned()]];
    }
    kinds_of_help(text)
}

/// `--help={common|target|[^]{joined}}`: help by kinds, each of which is asked for.
fn kinds_of_help(text: &str) -> Vec<Vec<String>> {
    let Some((_, rest)) = text.split_once("--help={") else {
        return Vec::new();
    };
    let kinds = rest.split(['|', '}', '\n']).map(str::trim);
    let plain = |kind: &&str| {
        let word = kind.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        word && !kind.is_empty()
    };
    let kinds = kinds.take_while(plain).take(MOST_KINDS);
    kinds.map(|kind| vec![format!("--help={kind}")]).collect()
}

fn all_help(text: &str) -> Option<Vec<String>> {
    let all = || vec!["--help".to_owned(), "all".to_owned()];
    if text.contains("--help all") {
        return Some(all());
    }
    // `tool --help --all`, in a line of its own
    let expanded = text.lines().find_map(|line| {
        let (_, rest) = line.trim().split_once(" --help --")?;
        ["all", "full"].into_iter().find(|word| *word == rest)
    });
    if let Some(word) = expanded {
        return Some(vec!["--help".to_owned(), format!("--{word}")]);
    }
    // `All options are documented under: tool --help options`
    let named = text.lines().find_map(|line| {
        let (said, word) = line.trim().rsplit_once(" --help ")?;
        let word = word.trim_end_matches(['.', '"', '\'', '`']);
        let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase());
        (plain && said.to_lowercase().contains("all options")).then_some(word)
    });
    if let Some(word) = named {
        return Some(vec!["--help".to_owned(), word.to_owned()]);
    }
    // `-h full -- print all options`
    let full = |line: &str| {
        let mut words = line.split_whitespace();
        let named = words.next() == Some("-h") && words.next() == Some("full");
        named && words.any(|word| word == "all")
    };
    if text.lines().any(full) {
        return Some(vec!["-h".to_owned(), "full".to_owned()]);
    }
    // `tool --help <simple|list|all>`
    let mut choices = text.split("--help <").skip(1);
    let offers_all = choices.any(|rest| {
        let inner = rest.split_once('>').map(|(inner, _)| inner);
        inner.is_some_and(|inner| inner.len() < 200 && inner.split('|').any(|one| one == "all"))
    });
    if offers_all {
        return Some(all());
    }
    text.lines().find_map(|line| {
        let content = line.trim();
        let name = content
            .split_whitespace()
            .find(|word| word.starts_with('-'))?;
        if !content.starts_with('-') {
            return None;
        }
        let words = content.split([' ', ',']);
        let mut longs = words.filter_map(|word| word.strip_prefix("--"));
        if let Some(long) = longs.find(|long| MORE_HELP.contains(long)) {
            return Some(vec![format!("--{long}")]);
        }
        let said = content.split("  ").last()?.trim().to_lowercase();
        let prints = PRINTS_HELP.iter().any(|start| said.starts_with(start));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-';
        (prints && name.chars().all(plain)).then(|| vec![name.to_owned()])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_that_name_more() {
        for (text, expected) in [
            (
                "Usage: pull\nFor all options use \"pull --help all\".\n",
                "--help all",
            ),
            (
                "Usage:\n pq [options]\n\n Try 'pq --help <short|long|all>'\n",
                "--help all",
            ),
            (
                "  -h, --help     Show help\n  --help-all     Show all help options\n",
                "--help-all",
            ),
            (
                "    -X            print help on extra options to the error stream\n",
                "-X",
            ),
            (
                "    --help        print help\n    -x <what>     print it\n",
                "",
            ),
            ("See --help <topic> for more, not all\n", ""),
            (
                "EXAMPLES\n\n  kiln --help --all\n  More than this.\n",
                "--help --all",
            ),
            ("  kiln --help --all-kilns\n", ""),
            (
                "  All options are told by: kiln --help options\n",
                "--help options",
            ),
            ("  For pots: kiln --help pots\n", ""),
            (
                "    -h long -- print more\n    -h full -- print all options\n",
                "-h full",
            ),
            (
                "  Further help:\n    tool help commands    list all commands\n",
                "help commands",
            ),
        ] {
            let found = further_help(text).concat().join(" ");
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn help_by_kinds() {
        let text = "  --help={common|kiln|[^]{joined|apart}}[,...].\n        Show some kinds of options.\n";
        assert_eq!(further_help(text), [["--help=common"], ["--help=kiln"]]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(--help <|--help=\\{|--help-all|[a-z<>|\\- \\n]|[\\PC]){0,120}") {
            further_help(&text);
        }
    }
}
