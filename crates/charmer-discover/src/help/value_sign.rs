//! Signs in the text of an option that it takes a value, for pages that show no placeholders: `-p --port  Port [8080]`.

/// The beginnings of texts that speak of a value, in small letters. Other texts may begin with `specify` (`specify recursive
/// download`).
const BEGINNINGS: [&str; 7] = [
    "path to ",
    "optional path to ",
    "specify a ",
    "specify an ",
    "specify the ",
    "specify custom ",
    "specify which ",
];

/// Returns true if a text says that its option takes a value. `names` are the option's, as they are written.
pub(crate) fn tells_value(text: &str, names: &[String]) -> bool {
    let lower = text.to_lowercase();
    BEGINNINGS.iter().any(|start| lower.starts_with(start))
        || has_default(&lower)
        || has_instance(&lower, names)
}

/// `[8080]`, `[none]`, `(default: cert.pem)`, `(default 100)`: a default that no switch has.
fn has_default(lower: &str) -> bool {
    let bracketed = lower.split('[').skip(1);
    let mut bracketed = bracketed.filter_map(|rest| rest.split_once(']'));
    if bracketed.any(|(inner, _)| inner == "none" || is_number(inner)) {
        return true;
    }
    let stated = lower.split("(default").skip(1);
    let mut stated = stated.filter_map(|rest| rest.split_once(')'));
    stated.any(|(inner, _)| {
        let value = inner.trim_start_matches([':', '=']).trim();
        let value = value.trim_matches(['"', '\'', '`']);
        is_number(value) || is_file_name(value)
    })
}

/// A number or an address of numbers.
fn is_number(word: &str) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    word.starts_with(digit) && word.chars().all(|c| digit(c) || c == '.')
}

fn is_file_name(word: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || matches!(c, '.' | '/' | '-' | '_');
    word.trim_end_matches('.').contains(['.', '/']) && word.chars().all(inner)
}

/// `e.g. -c10` of `-c`, and `e.g.: http://...`.
fn has_instance(lower: &str, names: &[String]) -> bool {
    let instances = lower.split("e.g.").skip(1);
    let mut instances = instances.filter_map(|rest| {
        rest.trim_start_matches([':', ' '])
            .split_whitespace()
            .next()
    });
    instances.any(|word| {
        let glued = |name: &String| {
            let value = word.strip_prefix(&name.to_lowercase());
            name.len() == 2
                && value.is_some_and(|value| value.starts_with(|c: char| c.is_ascii_digit()))
        };
        word.starts_with("http") && word.contains("://") || names.iter().any(glued)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_speak_of_a_value() {
        let names = ["-c".to_owned(), "--cool".to_owned()];
        for text in [
            "Shelf to use. If 0, any. [8]",
            "Where to listen [0.0.0.0]",
            "The mark, if any [none]",
            "Plan to follow (default: plan.txt)",
            "Often (default 100)",
            "Path to a plan",
            "Optional path to a plan",
            "Specify custom shelf",
            "Time in hours, e.g. -c10 for ten",
            "Where else to look. e.g.: http://pots.example",
        ] {
            assert!(tells_value(text, &names), "{text}");
        }
        for text in [
            "Show shelves [true]",
            "Only here [kiln only]",
            "Dry first (default: false)",
            "Dry first (default is on)",
            "Specify that it is dry",
            "specify dry firing",
            "e.g. -cx",
            "Paths are dry",
        ] {
            assert!(!tells_value(text, &names), "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_looked_at(text in "(e\\.g\\.|\\(default|specify |[\\[\\]():. a-z0-9]|[\\PC]){0,60}") {
            tells_value(&text, &["-c".to_owned()]);
        }
    }
}
