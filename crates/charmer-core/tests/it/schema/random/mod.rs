//! The promise on random types and random schemas: whatever was valid stays valid.

mod dice;
mod schemas;
mod types;

use charmer_core::schema::{Converter, check, convert};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{assert_kept, converted, dialect, is_valid};
use dice::Dice;

/// A seed says nothing when it is made smaller.
fn config() -> ProptestConfig {
    ProptestConfig {
        cases: 96,
        max_shrink_iters: 0,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config())]

    /// Types as Rust has them, with schemas as `schemars` writes them, and values of those types.
    #[test]
    fn values_of_rust_like_types_stay_valid(seed: u64, old: bool) {
        let mut dice = Dice::new(seed);
        let world = types::World::new(&mut dice, old);
        let schema = world.schema();
        let outputs = converted(&schema);
        for _ in 0..6 {
            let value = world.value(&mut dice);
            for output in &outputs {
                assert_kept(&schema, output, &value);
            }
        }
    }

    /// Any schema and any value: properties that nobody declared, types that nobody said. Only what is taken on trust
    /// (a root without a type, undeclared properties that do not appear) is left out.
    #[test]
    fn every_value_that_is_valid_stays_valid(seed: u64) {
        let mut dice = Dice::new(seed);
        let inner = schemas::schema(&mut dice, 4);
        let mut schema = json!({"type": "object", "properties": {"x": inner}, "$defs": {}});
        for name in ["A", "B"] {
            schema["$defs"][name] = schemas::schema(&mut dice, 3);
        }
        let output = convert(&schema);
        prop_assert_eq!(dialect::breaches(output.schema()), Vec::<String>::new());
        let Ok(original) = jsonschema::options().should_validate_formats(true).build(&schema) else {
            return Ok(());
        };
        let published = jsonschema::options().should_validate_formats(true).build(output.schema()).expect("the schema is one");
        for _ in 0..40 {
            let data = json!({"x": schemas::value(&mut dice, 4)});
            if original.is_valid(&data) {
                let prepared = output.prepare(data.clone());
                let said = format!("{data:#}\nas {prepared:#}\nof {schema:#}\nto {:#}", output.schema());
                prop_assert!(published.is_valid(&prepared), "not kept: {said}");
                prop_assert_eq!(output.check(&prepared), Vec::new(), "wrongly reported: {}", said);
            }
        }
    }

    /// Our check of the portable dialect against a validator that is not ours, on data that mostly does not fit.
    #[test]
    fn the_check_agrees_with_an_independent_validator(seed: u64) {
        let mut dice = Dice::new(seed);
        let schema = schemas::schema(&mut dice, 4);
        let schema = json!({"type": "object", "properties": {"x": schema}});
        let output = Converter::new().only_declared(true).convert(&schema);
        let theirs = jsonschema::options().should_validate_formats(true).build(output.schema()).expect("the schema is one");
        for _ in 0..40 {
            let data = json!({"x": schemas::value(&mut dice, 4)});
            let ours = check(output.schema(), &data);
            prop_assert_eq!(ours.is_empty(), theirs.is_valid(&data), "{:?} {:#} {:#}", ours, data, output.schema());
            for mismatch in ours {
                prop_assert!(data.pointer(&mismatch.pointer).is_some(), "{}", mismatch);
            }
        }
    }

    /// The full dialect changes nothing, and its references still lead to the same places inside another schema.
    #[test]
    fn the_full_dialect_is_the_original(seed: u64) {
        let mut dice = Dice::new(seed);
        let world = types::World::new(&mut dice, false);
        let schema = world.schema();
        let output = Converter::new().dialect(charmer_core::schema::Dialect::Full).convert(&schema);
        if output.field().is_none() {
            prop_assert_eq!(output.schema(), &schema);
        }
        let embedded = json!({"type": "object", "properties": {"data": output.embedded("/properties/data")}});
        for _ in 0..3 {
            let value = world.value(&mut dice);
            let prepared = output.prepare(value.clone());
            prop_assert!(is_valid(output.schema(), &prepared));
            let whole = json!({"data": prepared});
            prop_assert!(is_valid(&embedded, &whole));
            prop_assert_eq!(output.check(&prepared), Vec::new());
            match output.field() {
                Some(field) => prop_assert_eq!(&prepared[field], &value),
                None => prop_assert_eq!(&prepared, &value),
            }
        }
    }
}

/// The random schemas are not so strange that nothing is ever valid, nor so lax that everything is.
#[test]
fn random_schemas_tell_values_apart() {
    let (mut valid, mut all, mut typed) = (0, 0, 0);
    for seed in 0..300 {
        let mut dice = Dice::new(seed);
        let schema = schemas::schema(&mut dice, 4);
        let Ok(validator) =
            jsonschema::validator_for(&json!({"allOf": [schema], "$defs": {"A": {}, "B": {}}}))
        else {
            continue;
        };
        let output = convert(&json!({"type": "object", "properties": {"x": schema}}));
        typed += usize::from(
            output.schema()["properties"]["x"]
                .get("type")
                .is_some_and(Value::is_string),
        );
        for _ in 0..10 {
            all += 1;
            valid += usize::from(validator.is_valid(&schemas::value(&mut dice, 4)));
        }
    }
    assert!(valid * 10 > all && valid * 10 < all * 9, "{valid} of {all}");
    assert!(typed > 40, "{typed}");
}
