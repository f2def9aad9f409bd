//! Random JSON Schemas of every kind, and random values that share their few words.

use serde_json::{Map, Value, json};

use super::dice::Dice;

const KEYS: [&str; 5] = ["a", "b", "c", "kind", "f g"];
const TYPES: [&str; 7] = [
    "null", "boolean", "number", "integer", "string", "array", "object",
];

pub(super) fn value(dice: &mut Dice, depth: usize) -> Value {
    match dice.below(if depth == 0 { 8 } else { 13 }) {
        0 | 1 => Value::Null,
        2 => dice.one_in(2).into(),
        3 => (*dice.pick(&[-1, 0, 1, 2, 5, 9_007_199_254_740_993_i64])).into(),
        4 => dice.pick(&[json!(0.5), json!(1.0), json!(1e300)]).clone(),
        5..=7 => (*dice.pick(&["", "a", "b", "abc", "2026-11-16"])).into(),
        8 | 9 => (0..dice.below(4)).map(|_| value(dice, depth - 1)).collect(),
        _ => {
            let entries =
                (0..dice.below(5)).map(|_| (dice.pick(&KEYS).to_string(), value(dice, depth - 1)));
            Value::Object(entries.collect::<Vec<_>>().into_iter().collect())
        }
    }
}

pub(super) fn schema(dice: &mut Dice, depth: usize) -> Value {
    if dice.one_in(12) {
        return dice
            .pick(&[json!(true), json!(true), json!(false), json!({})])
            .clone();
    }
    let mut map = Map::new();
    let name = *dice.pick(&TYPES);
    match dice.below(6) {
        0 => {}
        1 => drop(map.insert("type".into(), json!([name, "null"]))),
        2 if name != "object" => drop(map.insert("type".into(), json!([name, "object"]))),
        _ => drop(map.insert("type".into(), name.into())),
    }
    let free = !map.contains_key("type");
    if name == "string" || free {
        let own = [
            ("minLength", json!(1)),
            ("maxLength", json!(2)),
            ("pattern", json!("^a")),
            ("pattern", json!("(?=a)")),
            ("format", json!("date")),
            ("format", json!("odd")),
            ("enum", json!(["a", "b", null])),
            ("const", json!("a")),
            ("enum", json!(["a", 1, 2, 0.5])),
        ];
        some(dice, &own, &mut map);
    }
    if matches!(name, "number" | "integer") || free {
        let own = [
            ("minimum", json!(0)),
            ("maximum", json!(1.5)),
            ("exclusiveMinimum", json!(0)),
            ("exclusiveMaximum", json!(5)),
            ("multipleOf", json!(2)),
            ("enum", json!([1, 5, true])),
            ("const", json!(1.0)),
            ("exclusiveMinimum", json!(0.5)),
            ("maximum", json!(9_007_199_254_740_999_i64)),
        ];
        some(dice, &own, &mut map);
    }
    if depth == 0 {
        return Value::Object(map);
    }
    if name == "array" || free {
        array(dice, depth, &mut map);
    }
    if name == "object" || free || dice.one_in(3) {
        object(dice, depth, &mut map);
    }
    combine(dice, depth, &mut map);
    Value::Object(map)
}

fn some(dice: &mut Dice, from: &[(&str, Value)], map: &mut Map<String, Value>) {
    for _ in 0..dice.below(3) {
        let (key, value) = dice.pick(from);
        map.insert((*key).into(), value.clone());
    }
}

fn array(dice: &mut Dice, depth: usize, map: &mut Map<String, Value>) {
    some(
        dice,
        &[
            ("minItems", json!(1)),
            ("maxItems", json!(2)),
            ("uniqueItems", json!(true)),
        ],
        map,
    );
    if dice.one_in(2) {
        map.insert("items".into(), schema(dice, depth - 1));
    }
    if dice.one_in(3) {
        let prefix: Value = (0..1 + dice.below(2))
            .map(|_| schema(dice, depth - 1))
            .collect();
        map.insert("prefixItems".into(), prefix);
    }
}

fn object(dice: &mut Dice, depth: usize, map: &mut Map<String, Value>) {
    let mut properties = Map::new();
    for key in KEYS {
        if dice.one_in(3) {
            properties.insert(key.into(), schema(dice, depth - 1));
        }
    }
    map.insert("properties".into(), properties.into());
    if dice.one_in(2) {
        let required: Vec<&str> = KEYS.into_iter().filter(|_| dice.one_in(4)).collect();
        map.insert("required".into(), json!(required));
    }
    if dice.one_in(3) {
        map.insert("additionalProperties".into(), schema(dice, depth - 1));
    }
    if dice.one_in(8) {
        map.insert(
            "patternProperties".into(),
            json!({"^[ab]$": schema(dice, depth - 1)}),
        );
    }
    some(
        dice,
        &[
            ("additionalProperties", json!(false)),
            ("unevaluatedProperties", json!(false)),
            ("minProperties", json!(1)),
            ("propertyNames", json!({"maxLength": 1})),
            ("dependentRequired", json!({"a": ["b"]})),
            ("title", json!("T")),
            ("default", json!({"a": null})),
        ],
        map,
    );
}

fn combine(dice: &mut Dice, depth: usize, map: &mut Map<String, Value>) {
    for keyword in ["anyOf", "oneOf", "allOf"] {
        if dice.one_in(5) {
            let each: Value = (0..1 + dice.below(3))
                .map(|_| schema(dice, depth - 1))
                .collect();
            map.insert(keyword.into(), each);
        }
    }
    match dice.below(16) {
        0 => drop(map.insert("not".into(), schema(dice, 0))),
        1 => {
            map.insert("if".into(), schema(dice, 0));
            map.insert("then".into(), schema(dice, depth - 1));
        }
        2 | 3 => drop(map.insert(
            "$ref".into(),
            (*dice.pick(&["#/$defs/A", "#/$defs/B", "#"])).into(),
        )),
        _ => {}
    }
}
