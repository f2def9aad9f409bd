//! Switches whose text says that they mean more each time they are given.

use super::may_repeat;

/// Words that say it of any switch.
const SAID: [&str; 12] = [
    "be used up to",
    "every time it is",
    "each time it is",
    "repeat this option",
    "repeat this flag",
    "repeat the option",
    "repeat the flag",
    "repeating the argument",
    "repeating the option",
    "repeating the flag",
    "repeating this",
    "stackable",
];
/// Verbs of what is done twice.
const TWICE: [&str; 10] = [
    "give",
    "given",
    "pass",
    "passed",
    "provide",
    "provided",
    "specify",
    "specified",
    "use",
    "used",
];
/// Phrases for what a switch does by one step each time.
const STEPS: [&str; 6] = [
    "increase",
    "decrease",
    "raise",
    "lower",
    "reduce",
    "increment",
];
const LEVELS: [&str; 5] = [
    "verbosity",
    "verboseness",
    "log level",
    "logging level",
    "debug level",
];

/// Returns true if a switch of these names (`-v`, `--verbose`) is counted, by its text. A switch that is taken for a
/// counted one can still be given once, so that little is lost by it.
pub(crate) fn is_counted(text: &str, names: &[String]) -> bool {
    let lower = text.to_lowercase();
    may_repeat(text)
        || SAID.iter().any(|words| lower.contains(words))
        || TWICE.iter().any(|verb| says(&lower, &[verb, "twice"]))
        || steps(&lower)
        || names.iter().any(|name| shows_more(text, name))
}

/// `Increase verbosity`, `decreases the output verbosity`: the step and its level stand near each other.
fn steps(lower: &str) -> bool {
    STEPS.iter().any(|step| {
        lower.match_indices(step).any(|(at, _)| {
            let apart = !lower[..at].ends_with(char::is_alphanumeric);
            let sentence = lower[at..].split(['.', ';', ',', '(']).next();
            let near = sentence.map_or("", |sentence| {
                let end = sentence
                    .char_indices()
                    .nth(40)
                    .map_or(sentence.len(), |(end, _)| end);
                &sentence[..end]
            });
            apart && LEVELS.iter().any(|level| near.contains(level))
        })
    })
}

/// `multiple -v`, ``a single `-v` `` and `-vv`.
fn shows_more(text: &str, name: &str) -> bool {
    let marks = ['`', '\'', '"', '(', ')', ',', '.', ';', ':'];
    let words: Vec<&str> = text.split_whitespace().collect();
    let bare = |word: &str| word.trim_matches(marks).to_owned();
    let number = |word: &str| {
        matches!(
            bare(word).to_lowercase().as_str(),
            "single" | "multiple" | "several" | "two" | "more"
        )
    };
    let is_name = |word: &str| word.split('/').any(|part| bare(part) == name);
    let counted = words
        .windows(2)
        .any(|two| number(two[0]) && is_name(two[1]));
    let mut letters = name.chars().skip(1);
    let doubled = match (letters.next(), letters.next()) {
        (Some(letter), None) if letter != '-' => {
            let doubled = |part: &str| {
                let part = bare(part);
                let run = part.strip_prefix('-').unwrap_or_default();
                run.len() > 1 && run.chars().all(|c| c == letter)
            };
            words
                .iter()
                .any(|word| word.split(['/', ',', '|']).any(doubled))
        }
        _ => false,
    };
    counted || doubled
}

/// Returns true if these words follow each other.
fn says(lower: &str, wanted: &[&str]) -> bool {
    let words = lower.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.windows(wanted.len()).any(|part| part == wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_counted_switches_say() {
        let names = ["-v".to_owned(), "--verbose".to_owned()];
        for (text, expected) in [
            ("Say more; multiple -v say still more", true),
            ("With a single `-v`/`--verbose`, say what is baked", true),
            ("Say more (`-vv` says all)", true),
            ("Say more, with -v/-vv/-vvv", true),
            ("It is *stackable*", true),
            ("Can be forced by repeating the argument", true),
            ("Say nothing. Provide twice to hide warnings", true),
            ("Increase verbosity", true),
            ("decreases the verbosity of the oven", true),
            ("Say more. May be given several times", true),
            ("Be verbose", false),
            ("Print the verbosity", false),
            ("Increase the heat. Says nothing of verbosity", false),
            ("Sends the bread to -vvienna", false),
            ("Not with -v", false),
            ("Misused twice", false),
            ("Show more output", false),
        ] {
            assert_eq!(is_counted(text, &names), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "([\\PC]|increase|verbosity|-vv|single| |`){0,60}") {
            is_counted(&text, &["-v".to_owned(), "-é".to_owned()]);
        }
    }
}
