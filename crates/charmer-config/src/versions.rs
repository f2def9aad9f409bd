//! Which versions of a program something holds for.

use std::{cmp::Ordering, fmt, str::FromStr};

/// A range of versions: `>=2.30, <3`.
///
/// Versions are compared number by number; what one lacks is zero, and what follows the numbers does not matter.
///
/// ```
/// use charmer_config::Versions;
/// let range: Versions = ">=2.30, <3".parse().unwrap();
/// assert!(range.include("2.30.1") && range.include("v2.51.0-rc1") && !range.include("2.9") && !range.include("3"));
/// assert!("2.30".parse::<Versions>().is_err());
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    text: String,
    bounds: Vec<(VersionBound, Vec<u64>)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum VersionBound {
    AtLeast,
    Below,
}

/// A text that is no range of versions.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no range of versions")]
pub struct NoVersions(String);

impl Versions {
    /// Returns true if a version is within. One without a number is not known to be without.
    pub fn include(&self, version: &str) -> bool {
        let Some(version) = numbers(version) else {
            return true;
        };
        self.bounds.iter().all(|(bound, limit)| {
            let order = compare(&version, limit);
            match bound {
                VersionBound::AtLeast => order != Ordering::Less,
                VersionBound::Below => order == Ordering::Less,
            }
        })
    }
}

impl FromStr for Versions {
    type Err = NoVersions;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let bound = |part: &str| {
            let part = part.trim();
            let (bound, rest) = match (part.strip_prefix(">="), part.strip_prefix('<')) {
                (Some(rest), _) => (VersionBound::AtLeast, rest),
                (None, Some(rest)) => (VersionBound::Below, rest),
                (None, None) => return None,
            };
            let rest = rest.trim();
            let is_plain = rest.chars().all(|c| c.is_ascii_digit() || c == '.');
            Some((bound, numbers(rest).filter(|_| is_plain)?))
        };
        let bounds: Option<Vec<_>> = text.split(',').map(bound).collect();
        Ok(Self {
            text: text.to_owned(),
            bounds: bounds.ok_or_else(|| NoVersions(text.to_owned()))?,
        })
    }
}

impl fmt::Display for Versions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The first numbers in a text that are joined by dots.
fn numbers(text: &str) -> Option<Vec<u64>> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let end = text[start..]
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map_or(text.len(), |at| start + at);
    let parts = text[start..end].split('.').filter(|part| !part.is_empty());
    parts.map(|part| part.parse().ok()).collect()
}

fn compare(one: &[u64], other: &[u64]) -> Ordering {
    let at = |numbers: &[u64], place: usize| numbers.get(place).copied().unwrap_or(0);
    let places = 0..one.len().max(other.len());
    places
        .map(|place| at(one, place).cmp(&at(other, place)))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}
