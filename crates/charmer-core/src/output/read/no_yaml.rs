//! YAML where it is not read: a feature that is off leaves it the text that it is.

use serde_json::Value;

/// Nothing: the text stays text.
pub(super) fn read(_text: &str, _declared: bool) -> Option<Value> {
    None
}
