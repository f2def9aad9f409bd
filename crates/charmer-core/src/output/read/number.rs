//! Numbers that survive, as they are written, being a JSON number of ours: an `i64`, a `u64` or an `f64`.

use serde_json::{Number, Value};

/// As many digits as a double can need: no program that writes doubles writes more, so more are not a double.
const DOUBLE_DIGITS: usize = 17;

/// The number that a text in JSON's notation stands for, unless it would become another one.
pub(super) fn exact(text: &str) -> Option<Value> {
    if let Ok(number) = text.parse::<i64>()
        && text != "-0"
    {
        return Some(number.into());
    }
    if let Ok(number) = text.parse::<u64>() {
        return Some(number.into());
    }
    let double = text
        .parse::<f64>()
        .ok()
        .filter(|double| double.is_finite())?;
    let (digits, exponent) = significant(text)?;
    let shortest = format!("{double:e}");
    let same = significant(&shortest)? == (digits.clone(), exponent);
    // A double written with more digits than it needs (`0.10000000000000001`) is still that double. One that was too
    // small to be told from zero is not.
    let written_double =
        text.contains(['.', 'e', 'E']) && digits.len() <= DOUBLE_DIGITS && double != 0.0;
    if same || written_double {
        Number::from_f64(double).map(Value::Number)
    } else {
        None
    }
}

/// The digits of a number without zeros around them, and the power of ten of the last one.
fn significant(text: &str) -> Option<(String, i64)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all: String = whole
        .trim_start_matches(['-', '+'])
        .chars()
        .chain(fraction.chars())
        .collect();
    let kept = all.trim_end_matches('0');
    let places = i64::try_from(fraction.len()).ok()?;
    let trailing = i64::try_from(all.len() - kept.len()).ok()?;
    let digits = kept.trim_start_matches('0').to_owned();
    if digits.is_empty() {
        return Some((digits, 0));
    }
    let exponent = exponent.checked_sub(places)?.checked_add(trailing)?;
    Some((digits, exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_itself_or_none() {
        for (text, expected) in [
            ("0", Some("0")),
            ("-0", Some("-0.0")),
            ("18446744073709551615", Some("18446744073709551615")),
            ("-9223372036854775808", Some("-9223372036854775808")),
            ("18446744073709551616", None),
            ("100000000000000000000", Some("1e+20")),
            ("0.10", Some("0.1")),
            ("1e3", Some("1000.0")),
            ("0.10000000000000001", Some("0.1")),
            ("3.14159265358979323846", None),
            ("1e400", None),
            ("1e-400", None),
            ("0e-400", Some("0.0")),
            ("123456789012345678901234567890", None),
        ] {
            let read = exact(text).map(|value| value.to_string());
            assert_eq!(read.as_deref(), expected, "{text}");
        }
    }
}
