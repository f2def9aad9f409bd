//! Durations and sizes as people write them: `1h30m`, `8MiB`.

use std::time::Duration;

use serde::Serializer;

/// The units of a duration, longest first, in milliseconds.
const DURATIONS: [(&str, u64); 5] = [
    ("d", 86_400_000),
    ("h", 3_600_000),
    ("m", 60_000),
    ("s", 1_000),
    ("ms", 1),
];

/// The units of a size.
const SIZES: [(&str, u64); 8] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1_000),
    ("KB", 1_000),
    ("B", 1),
];

/// A duration as every file of Charmer's takes it: a number of seconds, or numbers with units, one after the other. `None`
/// if it is written otherwise; what is too long to count becomes the longest there is.
///
/// ```
/// use charmer_config::parse_duration;
/// let seconds = |text| parse_duration(text).map(|duration| duration.as_secs());
/// assert_eq!([seconds("30"), seconds("30s"), seconds("5m")], [Some(30), Some(30), Some(300)]);
/// assert_eq!(seconds("1m 30s"), None);
/// ```
pub fn parse_duration(text: &str) -> Option<Duration> {
    if let Some((seconds, "")) = split_number(text) {
        return Some(Duration::from_secs(seconds));
    }
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let (number, after) = split_number(rest)?;
        let end = after
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(after.len());
        let (_, scale) = DURATIONS.iter().find(|(unit, _)| *unit == &after[..end])?;
        total = total.saturating_add(number.saturating_mul(*scale));
        rest = &after[end..];
    }
    (!text.is_empty()).then(|| Duration::from_millis(total))
}

/// A number of bytes with a unit. `None` if it is written otherwise.
pub(crate) fn parse_size(text: &str) -> Option<u64> {
    let (number, unit) = split_number(text)?;
    let unit = unit.strip_prefix(' ').unwrap_or(unit);
    let (_, scale) = SIZES.iter().find(|(name, _)| *name == unit)?;
    Some(number.saturating_mul(*scale))
}

/// The number at the start, the largest there is if it is larger, and what follows it.
fn split_number(text: &str) -> Option<(u64, &str)> {
    let end = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    (!digits.is_empty()).then(|| (digits.parse().unwrap_or(u64::MAX), rest))
}

/// A duration in the form that [`parse_duration`] reads.
pub(crate) fn format_duration(duration: Duration) -> String {
    let mut rest = u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
    if rest == 0 {
        return "0s".into();
    }
    let mut text = String::new();
    for (unit, scale) in DURATIONS {
        if rest >= scale {
            text.push_str(&format!("{}{unit}", rest / scale));
            rest %= scale;
        }
    }
    text
}

/// A size in the largest binary unit that leaves nothing over.
pub(crate) fn format_size(bytes: u64) -> String {
    SIZES[..3]
        .iter()
        .find(|(_, scale)| bytes >= *scale && bytes.is_multiple_of(*scale))
        .map_or_else(
            || format!("{bytes} bytes"),
            |(unit, scale)| format!("{}{unit}", bytes / scale),
        )
}

pub(crate) fn write_duration<S: Serializer>(
    duration: &Duration,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format_duration(*duration))
}

pub(crate) fn write_optional_duration<S: Serializer>(
    duration: &Option<Duration>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match duration {
        Some(duration) => write_duration(duration, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn durations_and_sizes_are_read_as_people_write_them() {
        let seconds = |text| parse_duration(text).map(|duration| duration.as_secs_f64());
        assert_eq!(seconds("1h30m"), Some(5400.0));
        assert_eq!(seconds("1500ms"), Some(1.5));
        assert_eq!(seconds("1d"), Some(86400.0));
        assert_eq!(seconds("90"), Some(90.0));
        for text in ["", "s", "-1s", "1.5s", "1 h", "5M", "5 s", "5s ", "1s2"] {
            assert_eq!(seconds(text), None, "{text:?}");
        }
        assert_eq!(parse_size("8MiB"), Some(8 << 20));
        assert_eq!(parse_size("64 kB"), Some(64_000));
        assert_eq!(parse_size("99999999999999999999GB"), Some(u64::MAX));
        for text in ["", "8", "MiB", "8mib", "-1kB", "8 MiB "] {
            assert_eq!(parse_size(text), None, "{text:?}");
        }
        assert_eq!(format_size(1 << 20), "1MiB");
    }

    proptest! {
        #[test]
        fn a_written_duration_is_read_again(millis in 0u64..1 << 40) {
            let duration = Duration::from_millis(millis);
            prop_assert_eq!(parse_duration(&format_duration(duration)), Some(duration));
        }
    }
}
