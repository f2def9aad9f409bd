//! The words that random commands and random input are made of.

use proptest::{collection::vec, prelude::*, sample::select};
use serde_json::Value;

pub(super) const LONGS: [&str; 11] = [
    "a", "ab", "a-b", "a_b", "name", "sub", "file", "flags", "args", "x-y_z", "no-a",
];
pub(super) const SHORTS: [char; 5] = ['a', 'b', 'x', 'A', '5'];
pub(super) const COMMANDS: [&str; 6] = ["sub", "name", "a", "a-b", "get", "args"];
pub(super) const POSITIONALS: [&str; 6] = ["file", "name", "sub", "a", "flags", "rest"];
/// Texts that no program can take for anything else.
pub(super) const CALM: [&str; 4] = ["v", "word1", "Zz9", "42"];
/// Texts that are easily taken for something else.
#[rustfmt::skip]
pub(super) const NASTY: [&str; 25] = [
    "", "-", "--", "-x", "-5", "-a", "---", "--flag=value", "--a", "a,b", ",", "a=b", "=", "=x", "\"q\"", "'",
    "two words", "line\nbreak", "–dash", "—", "-a=b", "help", "--help", "-1e-5", "ü",
];

/// Every key and name that a random command can have.
pub(super) fn all_names() -> Vec<String> {
    let longs = LONGS.iter().chain(&COMMANDS).chain(&POSITIONALS);
    let longs = longs.flat_map(|name| {
        [
            name.to_string(),
            format!("--{name}"),
            format!("--{name}=v"),
            format!("{name}_arg"),
            format!("app_{name}"),
        ]
    });
    let shorts = SHORTS.iter().flat_map(|short| {
        [
            short.to_string(),
            format!("-{short}"),
            format!("-{short}=v"),
        ]
    });
    longs.chain(shorts).collect()
}

/// JSON of any kind, with keys and texts that mean something to somebody.
pub(super) fn any_json(names: Vec<String>) -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        select(NASTY.to_vec()).prop_map(str::to_owned),
        select(CALM.to_vec()).prop_map(str::to_owned),
        select(names.clone()),
        "\\PC{0,8}",
        Just("nul\0".to_owned()),
    ];
    let scalar = prop_oneof![
        text.prop_map(Value::from),
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3..300_i64).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
    ];
    scalar.prop_recursive(2, 8, 3, move |inner| {
        let key = select(names.clone());
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((key, inner), 0..3)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}
