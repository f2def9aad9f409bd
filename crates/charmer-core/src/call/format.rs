//! The form of one value, and its spelling on a command line.
//!
//! The published patterns and the checks here accept the same texts; a property test holds them together.

use std::net::{IpAddr, Ipv4Addr};

use serde_json::{Number, Value};

use crate::model::{Choice, JsonKind, ValueType};

/// The greatest count: clap counts in a `u8`, and more repetitions would only lengthen the command line.
pub(crate) const COUNT_LIMIT: u64 = 255;

/// The maximum number of choices that an error names.
const MOST_CHOICES: usize = 8;

const OCTET: &str = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";

/// The pattern that a type publishes, if it has one. Only constructs that every regular-expression dialect shares.
pub(crate) fn pattern(value_type: &ValueType) -> Option<String> {
    let v4 = format!(r"({OCTET}\.){{3}}{OCTET}");
    Some(match value_type {
        ValueType::Duration => r"^-?([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$".into(),
        ValueType::Ip => format!("^({v4}|{})$", ipv6_pattern(&v4)),
        ValueType::IpNet => format!(
            "^({v4}/([0-9]|[12][0-9]|3[0-2])|{}/([0-9]|[1-9][0-9]|1[01][0-9]|12[0-8]))$",
            ipv6_pattern(&v4)
        ),
        ValueType::IpMask => format!("^({v4}|[0-9a-fA-F]{{8}})$"),
        ValueType::Hex => "^([0-9a-fA-F]{2})*$".into(),
        ValueType::Base64 => "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$".into(),
        ValueType::BigInteger { signed: true } => "^-?[0-9]+$".into(),
        ValueType::BigInteger { signed: false } => "^[0-9]+$".into(),
        _ => return None,
    })
}

/// IPv6 in full, compressed and IPv4-mapped form.
fn ipv6_pattern(v4: &str) -> String {
    const H: &str = "[0-9a-fA-F]{1,4}";
    let mut forms = vec![format!("({H}:){{7}}{H}"), format!("({H}:){{6}}{v4}")];
    // `::` stands for one group or more, so the groups around it are at most seven.
    for before in 0..=7usize {
        let head = match before {
            0 => String::from(":"),
            n => format!("({H}:){{{n}}}"),
        };
        let room = 7 - before;
        let groups = match room {
            0 => String::new(),
            1 => format!("({H})?"),
            n => format!("({H}(:{H}){{0,{}}})?", n - 1),
        };
        forms.push(format!("{head}:{groups}"));
        if room >= 2 {
            forms.push(format!("{head}:({H}:){{0,{}}}{v4}", room - 2));
        }
    }
    format!("({})", forms.join("|"))
}

/// The words for a value of this type in an error message.
pub(crate) fn expectation(value_type: &ValueType, choices: &[Choice]) -> String {
    if *value_type != ValueType::Bool && !choices.is_empty() {
        let offered = || choices.iter().filter(|choice| !choice.hidden);
        let shown: Vec<String> = offered()
            .take(MOST_CHOICES)
            .map(|choice| format!("{:?}", choice.value))
            .collect();
        let more = match offered().count().saturating_sub(MOST_CHOICES) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        return format!("one of {}{more}", shown.join(", "));
    }
    match value_type {
        ValueType::Bool => "true or false".into(),
        ValueType::Integer { min, max } => match value_type {
            _ if *min <= i64::MIN.into() && *max >= i64::MAX.into() => "an integer".into(),
            other if *other == ValueType::UINT => "an integer of 0 or more".into(),
            _ => format!("an integer from {min} to {max}"),
        },
        ValueType::BigInteger { .. } => "a string of decimal digits".into(),
        ValueType::Number => "a number".into(),
        ValueType::String | ValueType::Path => "a string".into(),
        ValueType::Char => "a string of one character".into(),
        ValueType::Count => format!("an integer from 0 to {COUNT_LIMIT}"),
        ValueType::Duration => "a duration such as \"30s\" or \"1h30m\"".into(),
        ValueType::Ip => "an IPv4 or IPv6 address".into(),
        ValueType::IpMask => "an IPv4 mask such as \"255.255.255.0\"".into(),
        ValueType::IpNet => "a network in CIDR notation such as \"192.168.1.0/24\"".into(),
        ValueType::Hex => "a string of hexadecimal digits, two a byte".into(),
        ValueType::Base64 => "a base64 string".into(),
        ValueType::Time => "a string with a date and time".into(),
        ValueType::Map(_) => "an object of key-value pairs".into(),
        ValueType::Json(JsonKind::Array) => "an array".into(),
        ValueType::Json(JsonKind::Object) => "an object".into(),
    }
}

/// Writes one JSON value as the program reads it; the error is what was expected.
pub(crate) fn to_text(
    value: &Value,
    value_type: &ValueType,
    choices: &[Choice],
    ignore_case: bool,
) -> Result<String, String> {
    let expected = || expectation(value_type, choices);
    if *value_type != ValueType::Bool && !choices.is_empty() {
        let Value::String(text) = value else {
            return Err(expected());
        };
        let same = |other: &str| {
            other == text || (ignore_case && other.to_lowercase() == text.to_lowercase())
        };
        let known = choices
            .iter()
            .any(|choice| same(&choice.value) || choice.aliases.iter().any(|alias| same(alias)));
        return if known {
            Ok(text.clone())
        } else {
            Err(expected())
        };
    }
    match (value_type, value) {
        (ValueType::Bool, Value::Bool(yes)) => Ok(yes.to_string()),
        (ValueType::Integer { min, max }, Value::Number(number)) => integer(number)
            .filter(|whole| (min..=max).contains(&whole))
            .map(|whole| whole.to_string())
            .ok_or_else(expected),
        (ValueType::Count, Value::Number(number)) => integer(number)
            .filter(|whole| (0..=i128::from(COUNT_LIMIT)).contains(whole))
            .map(|whole| whole.to_string())
            .ok_or_else(expected),
        (ValueType::Number, Value::Number(number)) => Ok(plain_number(number)),
        (ValueType::Json(JsonKind::Array), Value::Array(_))
        | (ValueType::Json(JsonKind::Object), Value::Object(_)) => Ok(value.to_string()),
        (_, Value::String(text)) => {
            if text.contains('\0') {
                return Err(format!("{} without NUL characters", expected()));
            }
            if well_formed(value_type, text) {
                Ok(text.clone())
            } else {
                Err(expected())
            }
        }
        _ => Err(expected()),
    }
}

/// A number without an exponent: clap takes `-1e+21` for a flag where it takes `-1000000000000000000000` for a number,
/// and both are the same one.
fn plain_number(number: &Number) -> String {
    let text = number.to_string();
    match number.as_f64() {
        Some(float) if text.contains('e') => float.to_string(),
        _ => text,
    }
}

/// The whole number that a JSON number is, if it is one that JSON carries exactly.
fn integer(number: &Number) -> Option<i128> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = || {
        number
            .as_f64()
            // At the limit itself the next whole number has already been rounded to it.
            .filter(|float| float.fract() == 0.0 && float.abs() < EXACT)
    };
    number
        .as_i64()
        .map(i128::from)
        .or_else(|| number.as_u64().map(i128::from))
        .or_else(|| float().map(|whole| whole as i128))
}

fn well_formed(value_type: &ValueType, text: &str) -> bool {
    match value_type {
        ValueType::String | ValueType::Path | ValueType::Time => true,
        ValueType::Char => text.chars().count() == 1,
        ValueType::Duration => is_duration(text),
        ValueType::Ip => text.parse::<IpAddr>().is_ok(),
        ValueType::IpMask => {
            text.parse::<Ipv4Addr>().is_ok()
                || (text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit()))
        }
        ValueType::IpNet => is_network(text),
        ValueType::Hex => {
            text.len().is_multiple_of(2) && text.bytes().all(|b| b.is_ascii_hexdigit())
        }
        ValueType::Base64 => is_base64(text),
        ValueType::BigInteger { signed } => {
            let digits = if *signed {
                text.strip_prefix('-').unwrap_or(text)
            } else {
                text
            };
            !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
        }
        ValueType::Bool
        | ValueType::Integer { .. }
        | ValueType::Number
        | ValueType::Count
        | ValueType::Map(_)
        | ValueType::Json(_) => false,
    }
}

fn is_duration(text: &str) -> bool {
    let mut rest = text.strip_prefix('-').unwrap_or(text);
    if rest.is_empty() {
        return false;
    }
    while !rest.is_empty() {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let whole = digits(rest);
        if whole == 0 {
            return false;
        }
        rest = &rest[whole..];
        if let Some(fraction) = rest.strip_prefix('.') {
            let length = digits(fraction);
            if length == 0 {
                return false;
            }
            rest = &fraction[length..];
        }
        let unit = ["ns", "us", "µs", "ms", "s", "m", "h"]
            .into_iter()
            .find(|unit| {
                // `m` must not take the first letter of `ms`.
                rest.starts_with(unit) && !(*unit == "m" && rest.starts_with("ms"))
            });
        let Some(unit) = unit else { return false };
        rest = &rest[unit.len()..];
    }
    true
}

fn is_network(text: &str) -> bool {
    let Some((address, bits)) = text.split_once('/') else {
        return false;
    };
    let canonical =
        bits.bytes().all(|b| b.is_ascii_digit()) && (bits.len() == 1 || !bits.starts_with('0'));
    let (Ok(address), Ok(bits), true) = (address.parse::<IpAddr>(), bits.parse::<u8>(), canonical)
    else {
        return false;
    };
    bits <= if address.is_ipv4() { 32 } else { 128 }
}

fn is_base64(text: &str) -> bool {
    let body = text.trim_end_matches('=');
    let padding = text.len() - body.len();
    let alphabet = |b: u8| b.is_ascii_alphanumeric() || b == b'+' || b == b'/';
    body.bytes().all(alphabet)
        && text.len().is_multiple_of(4)
        && matches!((body.len() % 4, padding), (0, 0) | (2, 2) | (3, 1))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use regex::Regex;

    use super::*;

    const PATTERNED: [ValueType; 8] = [
        ValueType::Duration,
        ValueType::Ip,
        ValueType::IpNet,
        ValueType::IpMask,
        ValueType::Hex,
        ValueType::Base64,
        ValueType::BigInteger { signed: true },
        ValueType::BigInteger { signed: false },
    ];

    #[test]
    fn addresses_in_every_form() {
        let ip = Regex::new(&pattern(&ValueType::Ip).expect("has one")).expect("compiles");
        for good in [
            "127.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "1::",
            "2001:db8::1",
            "fe80::1:2:3:4",
            "1:2:3:4:5:6:7:8",
            "::ffff:10.0.0.1",
            "1::2:3:4:5:6:7",
            "1:2:3:4:5:6:7::",
            "64:ff9b::192.0.2.33",
            "1:2:3:4:5:6:1.2.3.4",
        ] {
            assert!(ip.is_match(good), "{good} by pattern");
            assert!(well_formed(&ValueType::Ip, good), "{good} by code");
        }
        for bad in [
            "256.1.1.1",
            "1.2.3",
            ":::",
            "1::2::3",
            "g::1",
            "1:2:3:4:5:6:7",
            "1.2.3.4.5",
            "",
            "01.2.3.4",
        ] {
            assert!(!ip.is_match(bad), "{bad} by pattern");
            assert!(!well_formed(&ValueType::Ip, bad), "{bad} by code");
        }
    }

    #[test]
    fn a_whole_number_that_may_have_been_rounded() {
        let whole = |float: f64| to_text(&float.into(), &ValueType::INT, &[], false);
        assert_eq!(
            whole(9_007_199_254_740_991.0),
            Ok("9007199254740991".into())
        );
        // This is also what 9007199254740993.0 reads as.
        assert_eq!(whole(9_007_199_254_740_992.0), Err("an integer".into()));
    }

    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            "-?[0-9]{1,3}(\\.[0-9])?(ns|us|µs|ms|s|m|h|x)?([0-9]{1,2}(m|ms|s))?",
            "[0-9]{1,3}(\\.[0-9]{1,3}){2,4}(/[0-9]{1,3})?",
            "[0-9a-f:]{0,24}(/[0-9]{1,3})?",
            "(::)?([0-9a-f]{1,5}:){0,8}(:[0-9a-f]{1,4}){0,4}(1\\.2\\.3\\.4)?(/0?[0-9]{1,2})?",
            "[A-Za-z0-9+/]{0,9}={0,3}",
            "\\PC{0,12}",
        ]
    }

    proptest! {
        #[test]
        fn the_pattern_and_the_check_agree(text in texts()) {
            for value_type in PATTERNED {
                let pattern = Regex::new(&pattern(&value_type).expect("has one")).expect("compiles");
                prop_assert_eq!(
                    pattern.is_match(&text), well_formed(&value_type, &text), "{:?} {:?}", value_type, text
                );
            }
        }

        #[test]
        fn std_addresses_are_accepted(v4: [u8; 4], v6: [u16; 8]) {
            let pattern = Regex::new(&pattern(&ValueType::Ip).expect("has one")).expect("compiles");
            for address in [IpAddr::from(v4), IpAddr::from(v6)] {
                prop_assert!(pattern.is_match(&address.to_string()), "{}", address);
            }
        }

        #[test]
        fn numbers_are_written_plainly_and_stay_the_same(bits: u64) {
            let float = f64::from_bits(bits);
            prop_assume!(float.is_finite());
            let text = to_text(&float.into(), &ValueType::Number, &[], false).expect("a number");
            prop_assert_eq!(text.parse::<f64>().map(f64::to_bits), Ok(bits));
            prop_assert!(!text.contains(['e', 'E', '+']), "{}", text);
        }

        #[test]
        fn whole_numbers_keep_every_digit(signed: i64, unsigned: u64) {
            prop_assert_eq!(to_text(&signed.into(), &ValueType::INT, &[], false), Ok(signed.to_string()));
            prop_assert_eq!(to_text(&unsigned.into(), &ValueType::UINT, &[], false), Ok(unsigned.to_string()));
        }
    }
}
