//! The key `expose`: how commands are shown, at the top of the file and in a selector.

use charmer_core::{
    expose::{Expose, Visibility},
    tool::Descriptions,
};
use serde::{Serialize, Serializer};

pub(crate) const MODES: &[(&str, Expose)] = &[
    ("all", Expose::All),
    ("index", Expose::Index),
    ("auto", Expose::Auto),
];
pub(crate) const DESCRIPTIONS: &[(&str, Descriptions)] = &[
    ("full", Descriptions::Full),
    ("short", Descriptions::Short),
    ("none", Descriptions::None),
];
pub(crate) const WISHES: &[(&str, Visibility)] =
    &[("pin", Visibility::Pin), ("hide", Visibility::Hide)];

/// The key `expose`: which commands are tools of their own, and how much is said of them.
///
/// ```
/// # use charmer_config::Config;
/// # use charmer_core::expose::Expose;
/// let text = "
/// expose:
///   mode: auto
///   budget: 2500
///   descriptions: short
///   pin: [get, 'rollout/*']
///   hide: [proxy]
///   promote: true
/// ";
/// let expose = Config::parse(text, "charmer.yaml").unwrap().expose;
/// assert_eq!(expose.budget, Some(2500));
/// // Just the mode, for short:
/// let expose = Config::parse("expose: index", "charmer.yaml").unwrap().expose;
/// assert_eq!(expose.mode, Some(Expose::Index));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ExposeRules {
    /// The way commands are shown as tools: `auto`, if it is not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<Expose>,
    /// The number of tokens that the list may take in `auto`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<usize>,
    /// The amount that is said in definitions.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_descriptions"
    )]
    pub descriptions: Option<Descriptions>,
    /// Commands that are always tools of their own, as globs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pin: Vec<String>,
    /// Commands that never are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hide: Vec<String>,
    /// Commands that were described become tools of their own.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub promote: bool,
}

fn name_of<T: PartialEq>(names: &'static [(&'static str, T)], value: &T) -> Option<&'static str> {
    let found = names.iter().find(|(_, known)| known == value);
    found.map(|(name, _)| *name)
}

fn write_descriptions<S: Serializer>(
    value: &Option<Descriptions>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    value
        .as_ref()
        .and_then(|value| name_of(DESCRIPTIONS, value))
        .serialize(serializer)
}

/// Writes the wish of a selector.
pub(crate) fn write_visibility<S: Serializer>(
    visibility: &Visibility,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    name_of(WISHES, visibility).serialize(serializer)
}

pub(crate) fn is_free(visibility: &Visibility) -> bool {
    *visibility == Visibility::Free
}
