//! Bounds of numbers: compared exactly, and only those that every client holds exactly.

use std::cmp::Ordering;

use serde_json::{Number, Value};

/// The largest whole number up to which a JSON number means the same to everyone.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Compares two numbers by value.
pub(super) fn compare(a: &Number, b: &Number) -> Ordering {
    match (a.as_i128(), b.as_i128()) {
        (Some(a), Some(b)) => a.cmp(&b),
        _ => {
            let float = |n: &Number| n.as_f64().unwrap_or(0.0);
            float(a).total_cmp(&float(b))
        }
    }
}

/// A bound, if it is one that every client holds exactly.
pub(super) fn bound(value: Option<&Value>) -> Option<Number> {
    let number = value?.as_number()?;
    let float = number.as_f64()?;
    (float.abs() <= EXACT).then(|| number.clone())
}

/// Returns true if it is a whole number, also when it is written as `1.0`.
pub(super) fn is_whole(number: &Number) -> bool {
    number.is_i64() || number.is_u64() || number.as_f64().is_some_and(|n| n.fract() == 0.0)
}
