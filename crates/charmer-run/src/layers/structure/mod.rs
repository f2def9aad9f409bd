//! Output as data: asked for where a program can print JSON, read where it is data beyond doubt, checked where its
//! schema was declared.

#[cfg(test)]
mod tests;

use std::{borrow::Cow, sync::Arc};

use charmer_core::{
    call::prepare,
    output::{
        Format, ITEMS_KEY, Read, ReadOptions, VALUE_KEY, asked_format, clean, json_input, read,
    },
    schema::OutputSchema,
};
use serde_json::Value;
use tower_service::Service;

use crate::{Call, CallError, CallService, ErrorCode, Outcome, Redactor, process::Captured};

use super::{
    Around,
    data::{fit, plain},
};

/// Text that is longer, and neither JSON nor declared, is not read: it would not be taken for data in any case.
const LONGEST_TEXT: usize = 1 << 20;
/// The number of bytes that tell whether a text begins as JSON does.
const BEGINNING: usize = 4 << 10;
/// The number of mismatches that are told.
const TOLD: usize = 5;

/// The effort that is made to have output as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum StructureMode {
    /// Nothing: output is text.
    Off,
    /// Output that is data beyond doubt is read as such.
    #[default]
    Auto,
    /// A program that can print JSON is asked to, where the caller did not choose another way.
    Force,
}

/// Reads what a program prints as data.
///
/// ```
/// use charmer_core::output::Format;
/// use charmer_run::layers::{Structure, StructureMode};
///
/// let structure = Structure::new(StructureMode::Force).max_items(100);
/// let declared = Structure::new(StructureMode::Auto).format(Format::Yaml);
/// # let _ = (structure, declared);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Structure {
    mode: StructureMode,
    format: Option<Format>,
    /// The format that the call's own command line asks for.
    asked: Option<Format>,
    max_items: Option<usize>,
    output: Option<Arc<OutputSchema>>,
    redactor: Redactor,
}

impl Structure {
    /// Data as far as this goes.
    pub fn new(mode: StructureMode) -> Self {
        Self {
            mode,
            ..Self::default()
        }
    }

    /// Does nothing: output stays text.
    pub fn off() -> Self {
        Self::new(StructureMode::Off)
    }

    /// Sets how far it goes.
    #[must_use]
    pub fn mode(mut self, mode: StructureMode) -> Self {
        self.mode = mode;
        self
    }

    /// Says what the output is, so that it need not be certain by itself.
    #[must_use]
    pub fn format(mut self, format: Format) -> Self {
        self.format = Some(format);
        self
    }

    /// Keeps at most so many items of a list.
    #[must_use]
    pub fn max_items(mut self, count: usize) -> Self {
        self.max_items = Some(count);
        self
    }

    /// Says what the data of a success looks like. Output that is no such data is delivered as text, with an error.
    #[must_use]
    pub fn output(mut self, schema: Arc<OutputSchema>) -> Self {
        self.output = Some(schema);
        self
    }

    /// Sets what must not be seen in the data.
    #[must_use]
    pub fn redactor(mut self, redactor: Redactor) -> Self {
        self.redactor = redactor;
        self
    }

    /// Returns true if it does nothing at all.
    pub fn is_idle(&self) -> bool {
        self.mode == StructureMode::Off && self.output.is_none()
    }

    /// Returns true if a program that can print JSON is asked to: it is not where another format was declared.
    pub fn asks_for_json(&self) -> bool {
        let json = matches!(self.format, None | Some(Format::Json | Format::JsonLines));
        self.mode == StructureMode::Force && json
    }

    /// Asks for JSON, if neither the caller nor who declared the output has said how it should look.
    fn ask(&self, call: &mut Call) {
        if self.asks_for_json()
            && let Some((key, value)) = json_input(&call.tool.input, &call.input)
        {
            call.tool.input.set_flag(&mut call.input, key, value);
        }
    }

    /// The outcome with its output as data, if it is data. An assistant gets at most so many characters of it.
    pub async fn apply(&self, outcome: Outcome, most: usize) -> Outcome {
        if !outcome.stdout.is_long() {
            return self.read(outcome, most);
        }
        let (structure, kept) = (self.clone(), outcome.clone());
        let reading = tokio::task::spawn_blocking(move || structure.read(outcome, most));
        reading.await.unwrap_or(kept)
    }

    fn read(&self, mut outcome: Outcome, most: usize) -> Outcome {
        let success = outcome.is_success();
        let mut complaint = None;
        let mut found = match outcome.data.take() {
            Some(data) => Some((data, None)),
            None => self.read_stdout(&outcome, most),
        };
        let mut hidden = false;
        found = found.map(|(data, total)| (plain(data, &self.redactor, &mut hidden), total));
        // What a handler gave as data was never printed, and must not be lost.
        let unprinted = found.as_ref().filter(|_| outcome.stdout.head.is_empty());
        let unprinted = unprinted.map(|(data, _)| data.clone());
        if let Some(schema) = &self.output {
            (found, complaint) = self.fit_schema(schema, found);
            // A failure need not print what was declared; what is not that is text then.
            complaint = complaint.filter(|_| success);
        }
        if let Some((mut data, total)) = found
            && let Some(cut) = fit(&mut data, most)
        {
            outcome.items = total.or(cut);
            outcome.data = Some(data);
            if hidden {
                // What was printed holds it still.
                outcome.stdout = Captured::default();
            }
        } else if let Some(data) = unprinted {
            outcome.stdout = Captured::whole(data.to_string());
        }
        outcome.complaint = complaint;
        outcome
    }

    /// Standard output as data, and how many items there were if not all of them are kept.
    fn read_stdout(&self, outcome: &Outcome, most: usize) -> Option<(Value, Option<usize>)> {
        let stdout = &outcome.stdout;
        if self.mode == StructureMode::Off && self.output.is_none()
            || stdout.is_cut()
            || stdout.head.is_empty()
        {
            return None;
        }
        let text = stdout.to_text();
        let mut options = ReadOptions::default();
        options.max_items = self.max_items;
        // What was declared is checked as a whole, however much of it can be shown.
        options.max_bytes = self.output.is_none().then_some(most);
        options.declared = self.format.or(self.output.as_ref().map(|_| Format::Json));
        if options.declared.is_none()
            && let Some(format) = self.asked
        {
            // What was asked for need not be what came: an error, or a file of that name.
            options.declared = Some(format);
            if let Some(Read { data, total, .. }) =
                read(&self.redactor.text(&clean(&text)), &options)
            {
                return Some((data.into(), total));
            }
            options.declared = None;
        }
        let found = |text: &str| {
            let Read { data, total, .. } = read(&self.redactor.text(text), &options)?;
            Some((data.into(), total))
        };
        let begins = clean(&text[..text.floor_char_boundary(BEGINNING)]);
        let is_json = match options.declared {
            Some(format) => matches!(format, Format::Json | Format::JsonLines),
            None => begins.trim_start().starts_with(['{', '[']),
        };
        // JSON is not drawn by a terminal, so it is read as it was printed, unless it is coloured.
        if is_json && let Some(found) = found(&text) {
            return Some(found);
        }
        if !is_json && options.declared.is_none() && text.len() > LONGEST_TEXT {
            return None;
        }
        match clean(&text) {
            Cow::Borrowed(_) if is_json => None,
            drawn => found(&drawn),
        }
    }

    /// Data as the schema has it, or what is wrong with it.
    fn fit_schema(
        &self,
        schema: &OutputSchema,
        found: Option<(Value, Option<usize>)>,
    ) -> (Option<(Value, Option<usize>)>, Option<CallError>) {
        let Some((data, total)) = found else {
            let said = "the command succeeded, but its output is not the data that was declared";
            return (None, Some(mismatch(said)));
        };
        let data = schema.prepare(unwrapped(data, schema));
        let wrong = schema.check(&data);
        if wrong.is_empty() {
            return (Some((data, total)), None);
        }
        let told: Vec<String> = wrong.iter().take(TOLD).map(ToString::to_string).collect();
        let said = format!(
            "the command succeeded, but its output is not as it was declared: {}",
            told.join("; ")
        );
        (None, Some(mismatch(&said)))
    }
}

fn mismatch(said: &str) -> CallError {
    CallError::new(ErrorCode::OutputMismatch, said)
        .hint("the output itself is in `stdout`; whoever declared it should know")
}

/// The value that a reading put under a key of its own, where the schema would do that itself.
fn unwrapped(data: Value, schema: &OutputSchema) -> Value {
    match data {
        Value::Object(mut data) if data.len() == 1 && schema.field().is_some() => {
            let key = data.keys().next().cloned().unwrap_or_default();
            match data.remove(&key) {
                Some(value) if [ITEMS_KEY, VALUE_KEY].contains(&&*key) => value,
                Some(value) => {
                    data.insert(key, value);
                    Value::Object(data)
                }
                None => Value::Object(data),
            }
        }
        other => other,
    }
}

/// The format that a call's command line asks for. What cannot be written is not run either.
fn asked_by(call: &Call) -> Option<Format> {
    let input = &call.tool.input;
    // A tool that is no command of a program has no command line.
    if input.levels.is_empty() && input.template.is_none() {
        return None;
    }
    let prepared = prepare(&call.tool, &call.input).ok()?;
    asked_format(prepared.argv.to_strings())
}

impl Around for Structure {
    async fn around(
        self: Arc<Self>,
        mut call: Call,
        mut inner: CallService,
    ) -> Result<Outcome, CallError> {
        self.ask(&mut call);
        let most = call.limits.output_chars;
        let asked = asked_by(&call);
        let outcome = inner.call(call).await?;
        if asked.is_none() {
            return Ok(self.apply(outcome, most).await);
        }
        let mut structure = Self::clone(&self);
        structure.asked = asked;
        Ok(structure.apply(outcome, most).await)
    }
}
