//! The JSON Schema of a tool's input, written when it is asked for: of ten thousand tools a client is shown a few.

use std::{
    ops::{Deref, DerefMut},
    sync::{Arc, OnceLock},
};

use serde_json::{Map, Value};

use crate::model::Shared;

use super::{property::Input, schema::input_schema};

/// A schema that is known, or the input that it is written from at the first look.
#[derive(Debug, Clone, Default)]
pub struct InputSchema {
    of: Option<Shared<Input>>,
    written: OnceLock<Arc<Map<String, Value>>>,
}

impl InputSchema {
    /// The schema of an input.
    pub(super) fn of(input: &Shared<Input>) -> Self {
        Self {
            of: Some(input.clone()),
            written: OnceLock::new(),
        }
    }

    /// The schema, to be kept by others too.
    pub fn shared(&self) -> &Arc<Map<String, Value>> {
        self.written.get_or_init(|| Arc::new(self.write()))
    }

    /// A copy. If nobody has looked at the schema yet, it is not kept.
    pub(crate) fn copied(&self) -> Map<String, Value> {
        match self.written.get() {
            Some(written) => (**written).clone(),
            None => self.write(),
        }
    }

    fn write(&self) -> Map<String, Value> {
        let input = self.of.as_deref();
        input.map(|input| input_schema(input).0).unwrap_or_default()
    }
}

impl Deref for InputSchema {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Map<String, Value> {
        self.shared()
    }
}

impl DerefMut for InputSchema {
    fn deref_mut(&mut self) -> &mut Map<String, Value> {
        self.shared();
        let written = self.written.get_mut();
        Arc::make_mut(written.expect("it was written in the line above"))
    }
}

impl From<Map<String, Value>> for InputSchema {
    fn from(schema: Map<String, Value>) -> Self {
        Self {
            of: None,
            written: Arc::new(schema).into(),
        }
    }
}
