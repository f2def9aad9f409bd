//! Checks in the full dialect, by a validator for all of JSON Schema.

use std::sync::{Arc, OnceLock};

use jsonschema::{Retrieve, Uri, Validator};
use serde_json::Value;

use super::check::{MISMATCH_LIMIT, Mismatch};
use crate::text::shorten;

/// The greatest length that a message may have; those of enums list all their values.
const MESSAGE_LIMIT: usize = 300;

/// The validator of a schema, made when it is first used.
#[derive(Debug, Clone, Default)]
pub(super) struct FullCheck {
    validator: Arc<OnceLock<Option<Validator>>>,
}

impl FullCheck {
    /// Returns the mismatches between data and a schema; `None` where the schema itself is not one.
    pub(super) fn check(&self, schema: &Value, data: &Value) -> Option<Vec<Mismatch>> {
        let validator = self.validator.get_or_init(|| {
            jsonschema::options()
                .should_validate_formats(true)
                .with_retriever(Nowhere)
                .build(schema)
                .ok()
        });
        let found = validator.as_ref()?.iter_errors(data).take(MISMATCH_LIMIT);
        let mismatch = |error: jsonschema::ValidationError<'_>| {
            let message = shorten(&error.masked().to_string(), MESSAGE_LIMIT);
            Mismatch::new(error.instance_path().as_str(), message)
        };
        Some(found.map(mismatch).collect())
    }
}

/// Fetches nothing, also where another crate of the program switches fetching on.
struct Nowhere;

impl Retrieve for Nowhere {
    fn retrieve(
        &self,
        uri: &Uri<String>,
    ) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        Err(format!("{uri} is not in the schema, and nothing is fetched").into())
    }
}
