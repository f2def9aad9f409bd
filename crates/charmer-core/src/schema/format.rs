//! Validation of text against the formats that stay in schemas.

use std::{net, str::FromStr};

/// Returns true if text is of a format; of one that is not known, always.
pub(super) fn matches(format: &str, text: &str) -> bool {
    match format {
        "date" => is_date(text),
        "time" => is_time(text),
        "date-time" => text
            .split_once(['T', 't', ' '])
            .is_some_and(|(date, time)| is_date(date) && is_time(time)),
        "ipv4" => net::Ipv4Addr::from_str(text).is_ok(),
        "ipv6" => net::Ipv6Addr::from_str(text).is_ok(),
        "uuid" => is_uuid(text),
        // What exactly is an address or a URI is disputed; this is what nobody disputes.
        "email" => text
            .rsplit_once('@')
            .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty()),
        "uri" => is_uri(text),
        _ => true,
    }
}

fn number(text: &str, digits: usize) -> Option<u32> {
    let all_digits = text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
    all_digits.then(|| text.parse().ok())?
}

fn is_date(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(year), Some(month), Some(day), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (Some(year), Some(month), Some(day)) = (number(year, 4), number(month, 2), number(day, 2))
    else {
        return false;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => 0,
    };
    (1..=days).contains(&day)
}

/// `23:20:50.52Z`, `23:20:50+02:00`; a second of 60 is one that leaps.
fn is_time(text: &str) -> bool {
    let Some(split) = text.find(['Z', 'z', '+', '-']) else {
        return false;
    };
    let (clock, zone) = text.split_at(split);
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let within = |text: &str, limit: u32| number(text, 2).is_some_and(|n| n <= limit);
    let mut parts = clock.split(':');
    let (Some(hour), Some(minute), Some(second), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let offset = &zone[1..];
    let zone = match zone.as_bytes()[0] {
        b'Z' | b'z' => offset.is_empty(),
        _ => offset
            .split_once(':')
            .is_some_and(|(hour, minute)| within(hour, 23) && within(minute, 59)),
    };
    zone && within(hour, 23)
        && within(minute, 59)
        && within(second, 60)
        && !fraction.is_empty()
        && fraction.bytes().all(|b| b.is_ascii_digit())
}

fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    parts.len() == lengths.len()
        && parts.iter().zip(lengths).all(|(part, length)| {
            part.len() == length && part.bytes().all(|b| b.is_ascii_hexdigit())
        })
}

fn is_uri(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once(':') else {
        return false;
    };
    let letter = scheme
        .bytes()
        .next()
        .is_some_and(|b| b.is_ascii_alphabetic());
    let valid = |b: u8| b.is_ascii_alphanumeric() || b"+-.".contains(&b);
    letter && scheme.bytes().all(valid) && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the `jsonschema` crate takes for a format is taken here, and the other way round.
    #[test]
    fn formats_are_judged_as_by_an_independent_validator() {
        for (format, texts) in [
            (
                "date",
                vec![
                    "2026-11-16",
                    "2024-02-29",
                    "2026-02-29",
                    "2026-13-01",
                    "26-1-1",
                    "2026-11-1",
                    "",
                ],
            ),
            (
                "time",
                vec![
                    "23:20:50Z",
                    "23:20:50.52+02:00",
                    "24:00:00Z",
                    "12:00Z",
                    "12:00:00",
                    "12:00:00.Z",
                ],
            ),
            (
                "date-time",
                vec![
                    "2026-11-16T03:24:08Z",
                    "2026-11-16",
                    "2026-11-16T03:24:08",
                    "x",
                ],
            ),
            ("ipv4", vec!["127.0.0.1", "127.0.0", "256.1.1.1", "::1"]),
            ("ipv6", vec!["::1", "fe80::1", "1.2.3.4", "g::"]),
            (
                "uuid",
                vec![
                    "2eb8aa08-aa98-11ea-b4aa-73b441d16380",
                    "2eb8aa08-aa98-11ea-b4aa",
                    "",
                ],
            ),
            (
                "uri",
                vec![
                    "https://example.com/a",
                    "mailto:a@b.c",
                    "/relative",
                    "a b:c",
                    "1a:b",
                ],
            ),
            ("email", vec!["a@example.com", "a", "@", "a@"]),
        ] {
            let schema = serde_json::json!({"type": "string", "format": format});
            let validator = jsonschema::options()
                .should_validate_formats(true)
                .build(&schema)
                .expect("the schema is one");
            for text in texts {
                let theirs = validator.is_valid(&text.into());
                assert_eq!(matches(format, text), theirs, "{format} {text:?}");
            }
        }
        assert!(matches("odd", "anything"));
    }
}
