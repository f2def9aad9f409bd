//! The revisions of the protocol that are spoken here.

/// A revision, by its date.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(&'static str);

impl Version {
    /// The revision that streams can be taken up again since.
    #[cfg(feature = "http")]
    pub(crate) const RESUMABLE: Self = Self("2025-11-25");
    /// The first of the modern era: no handshake, and every request says of itself what it needs.
    pub(crate) const MODERN: Self = Self("2026-07-28");
    /// The newest that begins with a handshake.
    const NEWEST_LEGACY: Self = Self("2025-11-25");
    /// All of them, oldest first.
    pub(crate) const ALL: [Self; 5] = [
        Self("2024-11-05"),
        Self("2025-03-26"),
        Self("2025-06-18"),
        Self::NEWEST_LEGACY,
        Self::MODERN,
    ];

    /// The revision of this name, if it is spoken here.
    pub(crate) fn known(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.0 == name)
    }

    /// The revision in which a client that asks for this one by a handshake is answered.
    pub(crate) fn for_handshake(asked: &str) -> Self {
        let known = Self::known(asked).filter(|version| !version.is_modern());
        known.unwrap_or(Self::NEWEST_LEGACY)
    }

    /// Returns true if it is of the era that has no handshake.
    pub(crate) fn is_modern(self) -> bool {
        self >= Self::MODERN
    }

    /// Returns true if a name would be one of that era, whether it is spoken here or not.
    pub(crate) fn names_modern(name: &str) -> bool {
        name >= Self::MODERN.0
    }

    pub(crate) fn as_str(self) -> &'static str {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handshake_is_answered_in_what_was_asked_for_or_in_the_newest_that_has_one() {
        for (asked, answered) in [
            ("2024-11-05", "2024-11-05"),
            ("2025-06-18", "2025-06-18"),
            ("2025-11-25", "2025-11-25"),
            ("2026-07-28", "2025-11-25"),
            ("1999-01-01", "2025-11-25"),
            ("", "2025-11-25"),
        ] {
            assert_eq!(Version::for_handshake(asked).as_str(), answered, "{asked}");
        }
        assert!(Version::ALL.is_sorted());
    }
}
