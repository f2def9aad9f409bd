//! The result of a request, as the era of its client has it.

use serde_json::{Map, Value};

/// The result of a request: the text of a JSON object.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RpcAnswer(String);

impl RpcAnswer {
    /// An answer that says nothing but that it was done.
    pub(crate) fn empty() -> Self {
        Self("{}".into())
    }

    /// This object, as it is.
    pub(crate) fn object(object: &Map<String, Value>) -> Self {
        Self(serde_json::to_string(object).expect("every key is a string"))
    }

    /// A result that stands for itself. In the modern era it says so.
    pub(crate) fn complete(modern: bool, mut object: Map<String, Value>) -> Self {
        if modern {
            object.insert("resultType".into(), "complete".into());
        }
        Self::object(&object)
    }

    /// The same of something that a client might keep: it is told not to, because nobody tells how long it stays true.
    pub(crate) fn cacheable(modern: bool, mut object: Map<String, Value>) -> Self {
        if modern {
            object.insert("ttlMs".into(), 0.into());
            object.insert("cacheScope".into(), "private".into());
        }
        Self::complete(modern, object)
    }

    /// The same of a list whose items are JSON already.
    pub(crate) fn list(modern: bool, key: &str, items: &str) -> Self {
        let hints = match modern {
            true => r#","ttlMs":0,"cacheScope":"private","resultType":"complete""#,
            false => "",
        };
        Self(format!(r#"{{"{key}":{items}{hints}}}"#))
    }

    pub(crate) fn json(&self) -> &str {
        &self.0
    }
}
