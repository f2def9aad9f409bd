//! Output as data: asked for where a program can print JSON, read where it is data beyond doubt, checked where its
//! schema was declared.

use std::{
    io,
    sync::Arc,
    task::{Context, Poll},
};

use charmer_core::{
    output::{Format, ITEMS_KEY, Read, ReadOptions, VALUE_KEY, clean, json_input, read},
    schema::OutputSchema,
};
use serde_json::Value;
use tower::{Layer, Service};

use crate::{Call, CallError, CallService, ErrorCode, Outcome, Redactor, process::Captured};

use super::Answer;

/// Output that is longer is read apart from the thread that speaks with the client.
const LONG: usize = 64 << 10;
/// How many mismatches are told.
const TOLD: usize = 5;

/// What is done to have output as data.
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

    /// Whether it does nothing at all.
    pub fn is_idle(&self) -> bool {
        self.mode == StructureMode::Off && self.output.is_none()
    }

    /// Whether a program that can print JSON is asked to: it is not where another format was declared.
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
        if outcome.stdout.head.len() <= LONG {
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
        found = found.map(|(data, total)| (self.plain(data, &mut hidden), total));
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
        let text = clean(&text);
        let text = self.redactor.text(&text);
        let mut options = ReadOptions::default();
        options.max_items = self.max_items;
        // What was declared is checked as a whole, however much of it can be shown.
        options.max_bytes = self.output.is_none().then_some(most);
        options.declared = self.format.or(self.output.as_ref().map(|_| Format::Json));
        let Read { data, total, .. } = read(&text, &options)?;
        Some((data.into(), total))
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

    /// Without what must not be seen: an escape in JSON can stand for what a terminal would have obeyed, or for a part
    /// of a secret. Says whether there was any.
    fn plain(&self, value: Value, hidden: &mut bool) -> Value {
        let text = |text: String, hidden: &mut bool| {
            let plain = self.redactor.text(&clean(&text)).into_owned();
            *hidden |= plain != text;
            plain
        };
        match value {
            Value::String(string) => text(string, hidden).into(),
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.plain(item, hidden))
                .collect(),
            Value::Object(entries) => entries
                .into_iter()
                .map(|(key, value)| (text(key, hidden), self.plain(value, hidden)))
                .collect(),
            other => other,
        }
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

/// Cuts the list in some data until an assistant can take it, and says how long it was if it had to. `None` where
/// nothing can be cut and it is too long.
fn fit(data: &mut Value, most: usize) -> Option<Option<usize>> {
    let all = size(data);
    if all <= most {
        return Some(None);
    }
    let Some(Value::Array(items)) = data.get_mut(ITEMS_KEY) else {
        return None;
    };
    let mut left =
        most.saturating_sub(all - items.iter().map(|item| size(item) + 1).sum::<usize>());
    let total = items.len();
    let fitting = items.iter().take_while(|item| {
        let size = size(item) + 1;
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits
    });
    let kept = fitting.count();
    if kept == 0 {
        return None;
    }
    items.truncate(kept);
    Some(Some(total))
}

/// How many bytes a value has as JSON.
fn size(value: &Value) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, value) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX / 2,
    }
}

impl Layer<CallService> for Structure {
    type Service = StructureService;

    fn layer(&self, inner: CallService) -> StructureService {
        StructureService {
            structure: Arc::new(self.clone()),
            inner,
        }
    }
}

/// A call path with a [`Structure`].
#[derive(Debug, Clone)]
pub struct StructureService {
    structure: Arc<Structure>,
    inner: CallService,
}

impl Service<Call> for StructureService {
    type Response = Outcome;
    type Error = CallError;
    type Future = Answer;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), CallError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, mut call: Call) -> Answer {
        let structure = Arc::clone(&self.structure);
        let mut inner = self.inner.clone();
        Box::pin(async move {
            structure.ask(&mut call);
            let most = call.limits.output_chars;
            let outcome = inner.call(call).await?;
            Ok(structure.apply(outcome, most).await)
        })
    }
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Flag, Syntax},
        schema::convert,
        tool::{CatalogueOptions, Layout, catalogue},
    };
    use serde_json::json;

    use super::*;
    use crate::{CallResult, Limits, into_service, wrap};

    fn call(layout: Layout, input: Value) -> Call {
        let list = Command::new("list").flag(
            Flag::new("output")
                .pflag("string")
                .help("Output format. One of: (json, yaml, wide)"),
        );
        let mut options = CatalogueOptions::default();
        options.layout = layout;
        let mut found = catalogue(&Cli::new(list, Syntax::pflag()), &options);
        let Value::Object(input) = input else {
            panic!("input is an object")
        };
        Call::new(found.tools.remove(0), input)
    }

    /// What an assistant gets of a program that prints this; the input that reached it stands in standard error.
    async fn answer(structure: &Structure, call: Call, stdout: &str) -> CallResult {
        let stdout = stdout.to_owned();
        let program = tower::service_fn(move |call: Call| {
            let mut outcome = Outcome::success(stdout.clone());
            outcome.stderr = Captured::whole(Value::from(call.input).to_string());
            async { Ok::<_, CallError>(outcome) }
        });
        let limits = call.limits.clone();
        let mut path = wrap(structure, into_service(program));
        CallResult::new(&path.call(call).await, &limits, &Redactor::default())
    }

    #[tokio::test]
    async fn data_beyond_doubt_is_read_and_text_stays_text() {
        let auto = Structure::default();
        let flat = || call(Layout::Flat, json!({}));
        let table = answer(&auto, flat(), "NAME    AGE\nweb-0   5d\n").await;
        assert_eq!(
            table.structured["data"],
            json!({"items": [{"NAME": "web-0", "AGE": "5d"}]})
        );
        assert_eq!(table.structured.get("stdout"), None);
        assert!(table.text.starts_with("NAME    AGE\nweb-0   5d\n"));
        let prose = answer(&auto, flat(), "Nothing to see here.\n").await;
        assert_eq!(prose.structured["stdout"], "Nothing to see here.\n");
        assert_eq!(prose.structured.get("data"), None);
        let off = Structure::new(StructureMode::Off);
        assert!(off.is_idle());
        let off = answer(&off, flat(), "[1]").await;
        assert_eq!(off.structured["stdout"], "[1]");
    }

    #[tokio::test]
    async fn json_is_asked_for_unless_the_caller_chose() {
        let force = Structure::new(StructureMode::Force);
        for (layout, input, reached) in [
            (Layout::Flat, json!({}), json!({"output": "json"})),
            (
                Layout::Flat,
                json!({"output": "wide"}),
                json!({"output": "wide"}),
            ),
            (
                Layout::Nested,
                json!({}),
                json!({"flags": {"output": "json"}}),
            ),
            (
                Layout::Nested,
                json!({"flags": {"output": "yaml"}}),
                json!({"flags": {"output": "yaml"}}),
            ),
        ] {
            let result = answer(&force, call(layout, input), "{}").await;
            assert_eq!(result.structured["stderr"], reached.to_string());
        }
        let auto = answer(&Structure::default(), call(Layout::Flat, json!({})), "{}").await;
        assert_eq!(auto.structured["stderr"], "{}");
    }

    #[tokio::test]
    async fn long_lists_are_cut_and_the_true_count_is_said() {
        let items: Vec<Value> = (0..5000)
            .map(|n| json!({"n": n, "text": "x".repeat(20)}))
            .collect();
        let text = Value::from(items).to_string();
        assert!(text.len() > LONG);
        let mut long = call(Layout::Flat, json!({}));
        long.limits = Limits::default().output_chars(10_000);
        let result = answer(&Structure::default(), long, &text).await;
        let shown = result.structured["data"]["items"]
            .as_array()
            .expect("a list");
        assert_eq!(
            result.structured["truncated"]["items"],
            json!({"shown": shown.len(), "total": 5000})
        );
        let data = result.structured["data"].to_string();
        assert!((9_000..=10_000).contains(&data.len()), "{}", data.len());
        assert!(result.text.contains(&data) && result.text.contains("of 5000 items"));

        let few = Structure::default().max_items(2);
        let result = answer(&few, call(Layout::Flat, json!({})), "[1, 2, 3]").await;
        assert_eq!(result.structured["data"], json!({"items": [1, 2]}));
        assert_eq!(result.structured["truncated"]["items"]["total"], 3);

        // What cannot be cut is text.
        let mut long = call(Layout::Flat, json!({}));
        long.limits = Limits::default().output_chars(1000);
        let text = json!({"text": "x".repeat(2000)}).to_string();
        let result = answer(&Structure::default(), long, &text).await;
        assert_eq!(result.structured.get("data"), None);
        assert_eq!(
            result.structured["truncated"]["stdout"]["bytes"],
            text.len()
        );
    }

    #[tokio::test]
    async fn a_declared_output_is_checked_and_a_mismatch_keeps_the_text() {
        let schema = json!({"type": "array", "items": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "age": {"type": ["integer", "null"]}},
            "required": ["name"],
        }});
        let declared = Structure::new(StructureMode::Off).output(Arc::new(convert(&schema)));
        let good = r#"[{"name": "a", "age": null}]"#;
        let result = answer(&declared, call(Layout::Flat, json!({})), good).await;
        assert_eq!(result.structured["data"], json!({"items": [{"name": "a"}]}));
        assert!(!result.is_error);
        for bad in [r#"[{"age": 3}]"#, "no data at all", "{}"] {
            let result = answer(&declared, call(Layout::Flat, json!({})), bad).await;
            assert!(result.is_error, "{bad}");
            assert_eq!(result.structured["error"]["code"], "output_mismatch");
            assert_eq!(result.structured["exitCode"], 0);
            assert_eq!(result.structured["stdout"], bad);
            assert_eq!(result.structured.get("data"), None);
        }
    }

    #[tokio::test]
    async fn a_failure_need_not_print_what_was_declared() {
        let schema = json!({"type": "object", "required": ["name"]});
        let declared = Structure::default().output(Arc::new(convert(&schema)));
        for (printed, data) in [
            (r#"{"message": "gone"}"#, None),
            (r#"{"name": "a"}"#, Some(json!({"name": "a"}))),
        ] {
            let mut outcome = Outcome::success(printed);
            outcome.ended = crate::Ended::Exited(1);
            let outcome = declared.apply(outcome, 1000).await;
            assert_eq!((&outcome.data, outcome.complaint.is_none()), (&data, true));
            assert_eq!(outcome.stdout_text(), printed);
        }
    }

    #[tokio::test]
    async fn json_is_not_asked_for_where_something_else_was_declared() {
        let table = Structure::new(StructureMode::Force).format(Format::Table);
        let call = || call(Layout::Flat, json!({}));
        let result = answer(&table, call(), "NAME   AGE\na      1\n").await;
        assert_eq!(result.structured["stderr"], "{}");
        assert_eq!(result.structured["data"]["items"][0]["AGE"], "1");
        let off = table.mode(StructureMode::Off);
        assert!(off.is_idle());
    }

    #[tokio::test]
    async fn what_is_too_long_to_be_data_is_not_lost() {
        let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
        let long = json!({"text": "x".repeat(2000)}).to_string();
        for structure in [
            Structure::default(),
            Structure::default().output(Arc::new(convert(&schema))),
        ] {
            let mut call = call(Layout::Flat, json!({}));
            call.limits = Limits::default().output_chars(1000);
            let result = answer(&structure, call, &long).await;
            assert!(!result.is_error, "{}", result.text);
            assert_eq!(result.structured.get("data"), None);
            assert_eq!(
                result.structured["truncated"]["stdout"]["bytes"],
                long.len()
            );
            // The same from a handler, which prints nothing.
            let mut outcome = Outcome::success("");
            outcome.data = serde_json::from_str(&long).ok();
            let outcome = structure.apply(outcome, 1000).await;
            assert_eq!(outcome.data, None);
            assert_eq!(outcome.stdout_text(), long);
        }
    }

    #[tokio::test]
    async fn what_is_hidden_in_escapes_is_cleaned_and_redacted() {
        let redactor = Redactor::new(["hunter2"], [] as [&str; 0]).expect("patterns");
        let structure = Structure::default().redactor(redactor);
        let text = r#"{"a": "\u001b[31mred\u001b[0m", "b": "\u0068unter2", "c": "x\u202ey"}"#;
        let result = answer(&structure, call(Layout::Flat, json!({})), text).await;
        let data = &result.structured["data"];
        assert_eq!(
            (&data["a"], &data["c"]),
            (&json!("red"), &json!("x⟨U+202E⟩y"))
        );
        assert!(!data.to_string().contains("hunter2"), "{data}");
        assert!(!result.text.contains("unter2"), "{}", result.text);
    }
}
