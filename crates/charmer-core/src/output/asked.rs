//! The format that a command line asks for in so many words: `-o yaml`, `--output=yaml`.

use super::Format;

/// The names of flags that choose how output looks.
const NAMES: [&str; 4] = ["--output", "--format", "--output-format", "-o"];

/// The format that the elements of a command line ask for. Only YAML need be known from there: JSON is recognised by how
/// it begins.
///
/// ```
/// use charmer_core::output::{Format, asked_format};
/// assert_eq!(asked_format(["get", "pods", "--output=yaml"]), Some(Format::Yaml));
/// assert_eq!(asked_format(["get", "pods", "-o", "yaml"]), Some(Format::Yaml));
/// assert_eq!(asked_format(["get", "pods", "-oyaml"]), Some(Format::Yaml));
/// assert_eq!(asked_format(["get", "yaml"]), None);
/// ```
pub fn asked_format<'a>(elements: impl IntoIterator<Item = &'a str>) -> Option<Format> {
    let mut expected = false;
    for element in elements {
        let attached = NAMES.iter().find_map(|name| {
            let rest = element.strip_prefix(name)?;
            match rest.strip_prefix('=') {
                Some(value) => Some(value),
                // Only a letter has its value glued to it.
                None => (name.len() == 2 && !rest.is_empty()).then_some(rest),
            }
        });
        let value = attached.or(expected.then_some(element));
        if value.is_some_and(|value| matches!(value, "yaml" | "yml" | "YAML")) {
            return Some(Format::Yaml);
        }
        expected = NAMES.contains(&element);
    }
    None
}
