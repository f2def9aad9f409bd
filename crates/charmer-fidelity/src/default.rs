//! The comparison of a flag's default with the truth.

use charmer_core::model::{Flag, Repetition, ValueType};

use super::TrueFlag;

/// Defaults that programs leave out of their help because they are nothing.
const ZERO: [&str; 11] = [
    "", "[]", "map[]", "\"\"", "false", "0", "0s", "<nil>", "{}", "0.0", "0B",
];

/// Tells whether the default is right; `None` where there is none to find and none was found.
pub(super) fn is_right(truth: &TrueFlag, found: &Flag) -> Option<bool> {
    let text = truth.default.as_deref().unwrap_or_default();
    if is_zero(truth, text) {
        let made_up = found.default.iter().any(|value| !is_zero(truth, value));
        return made_up.then_some(false);
    }
    let name = truth.value_type.as_deref().unwrap_or("bool");
    let (many, own) = match ValueType::from_pflag(name) {
        Some((_, repetition)) => (repetition != Repetition::Single, false),
        None => (matches!(name, "list" | "map" | "array"), true),
    };
    let whole = found.default.len() == 1 && is_same(text, &found.default[0], found);
    let split = || {
        let mut expected = elements(text);
        let mut given = found.default.clone();
        // Go prints maps in any order.
        if matches!(found.value_type, ValueType::Map(_)) {
            expected.sort();
            given.sort();
        }
        expected.len() == given.len()
            && expected
                .iter()
                .zip(&given)
                .all(|(expected, given)| is_same(expected, given, found))
    };
    Some((!many && whole) || ((many || own) && split()))
}

/// Any text but the empty one is a default of a text.
fn is_zero(truth: &TrueFlag, text: &str) -> bool {
    if truth.value_type.as_deref() == Some("string") {
        return text.is_empty();
    }
    ZERO.contains(&text)
}

fn is_same(truth: &str, found: &str, flag: &Flag) -> bool {
    if flag.value_type == ValueType::Number
        && let (Ok(truth), Ok(found)) = (truth.parse::<f64>(), found.parse::<f64>())
    {
        return truth == found;
    }
    at_home(truth) == at_home(found)
}

/// A path in the user's home, however home is written.
fn at_home(text: &str) -> String {
    for home in ["~/", "${HOME}/"] {
        if let Some(rest) = text.strip_prefix(home) {
            return format!("$HOME/{rest}");
        }
    }
    text.to_owned()
}

/// The elements of `[a,"b,c"]`: CSV, as pflag prints it.
fn elements(text: &str) -> Vec<String> {
    let inner = text
        .strip_prefix("map")
        .unwrap_or(text)
        .strip_prefix('[')
        .and_then(|inner| inner.strip_suffix(']'))
        .unwrap_or(text);
    let mut elements = vec![String::new()];
    let mut quoted = false;
    let mut letters = inner.chars().peekable();
    while let Some(letter) = letters.next() {
        let element = elements
            .last_mut()
            .expect("the list starts with an element and only grows");
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                element.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if element.is_empty() => quoted = true,
            ',' if !quoted => elements.push(String::new()),
            letter => element.push(letter),
        }
    }
    elements
}
