//! Objects whose keys are changed, without losing one of them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

/// Changes the keys and values of an object. A changed key that is another's already gets a number, so that no entry is
/// lost and what needs no change stays as it is.
pub(super) fn map_entries(
    entries: Map<String, Value>,
    mut change_key: impl FnMut(&str) -> String,
    mut change_value: impl FnMut(Value) -> Value,
) -> Map<String, Value> {
    let keys: Vec<String> = entries.keys().map(|key| change_key(key)).collect();
    let unchanged: HashSet<String> = entries
        .keys()
        .zip(&keys)
        .filter(|(old, new)| old == new)
        .map(|(old, _)| old.clone())
        .collect();
    let mut used: HashMap<String, usize> = HashMap::new();
    let mut changed = Map::with_capacity(keys.len());
    for ((old, value), new) in entries.into_iter().zip(keys) {
        let mut key = new.clone();
        while old != new && unchanged.contains(&key) || changed.contains_key(&key) {
            let number = used.entry(new.clone()).or_insert(1);
            *number += 1;
            key = format!("{new} ({number})");
        }
        changed.insert(key, change_value(value));
    }
    changed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn no_entry_is_lost_and_unchanged_keys_stay() {
        let Value::Object(entries) = json!({"a1": 1, "a2": 2, "a": 3, "a (2)": 4, "b": 5}) else {
            panic!("an object")
        };
        let without_digits = |key: &str| {
            key.trim_end_matches(|c: char| c.is_ascii_digit())
                .to_owned()
        };
        let changed = map_entries(entries, without_digits, |value| value);
        let expected = json!({"a (3)": 1, "a (4)": 2, "a": 3, "a (2)": 4, "b": 5});
        assert_eq!(Value::Object(changed), expected);
    }
}
