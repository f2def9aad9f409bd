//! A project with a folder of spells, and what the tests do with it.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::{Duration, Instant},
};

use charmer_run::{Call, CallResult, ServedTool, ToolSet, process::Engine};
use charmer_spells::{Context, Spell, SpellBook, SpellOptions};
use serde_json::{Value, json};
use tower::Service;

/// The fixture program, which cargo builds with the tests.
pub(crate) fn fixture() -> PathBuf {
    let mut folder = std::env::current_exe().expect("a test runs");
    folder.pop();
    folder.pop();
    folder
        .join("examples")
        .join(format!("spell_fixture{}", std::env::consts::EXE_SUFFIX))
}

/// A folder with a folder `spells`.
pub(crate) struct Project {
    _folder: tempfile::TempDir,
    pub(crate) base: PathBuf,
    pub(crate) spells: PathBuf,
    pub(crate) variables: Vec<(OsString, OsString)>,
}

impl Project {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let base = fs::canonicalize(folder.path()).expect("it exists");
        let spells = base.join("spells");
        fs::create_dir(&spells).expect("it can");
        let variables = std::env::vars_os().collect();
        let project = Self {
            _folder: folder,
            base,
            spells,
            variables,
        };
        project.set("FIXTURE", fixture())
    }

    /// Sets a variable of the server's.
    pub(crate) fn set(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.retain(|(other, _)| other != name);
        self.variables.push((name.into(), value.into()));
        self
    }

    pub(crate) fn spell(&self, name: &str, keys: &str) -> PathBuf {
        let file = self.spells.join(format!("{name}.yaml"));
        fs::write(&file, text(name, keys)).expect("it can");
        file
    }

    pub(crate) fn folder(&self, path: &str) -> PathBuf {
        let folder = self.base.join(path);
        fs::create_dir_all(&folder).expect("it can");
        folder
    }

    pub(crate) fn options(&self) -> SpellOptions {
        SpellOptions::new(self.variables.clone()).engine(Engine::default())
    }

    pub(crate) fn book(&self) -> SpellBook {
        SpellBook::open(&self.spells, self.options())
    }

    /// Casts through the spell's own tool.
    pub(crate) async fn call(&self, name: &str, input: Value) -> CallResult {
        call(&self.book(), name, input).await
    }
}

pub(crate) fn text(name: &str, keys: &str) -> String {
    format!("name: {name}\ndescription: A spell of the tests\n{keys}\n")
}

/// A file's text read with no variables at all.
pub(crate) fn read(keys: &str) -> charmer_config::reading::TextRead<Spell> {
    Spell::parse(&text("t", keys), "t.yaml", &Context::default())
}

/// Calls a tool of a book.
pub(crate) async fn call(book: &SpellBook, tool: &str, input: Value) -> CallResult {
    let set = ToolSet::new(book.tools());
    let served = set
        .get(tool)
        .unwrap_or_else(|| panic!("no tool `{tool}`: {:?}", book.problems()));
    call_served(served, input).await
}

pub(crate) async fn call_served(served: &ServedTool, input: Value) -> CallResult {
    let input = input.as_object().expect("an object").clone();
    let call = Call::new(Arc::clone(&served.tool), input).limits(served.limits.clone());
    let outcome = served.service.clone().call(call).await;
    CallResult::new(&outcome, &served.limits, &served.redactor)
}

/// The code of a failed call.
pub(crate) fn code(result: &CallResult) -> &str {
    assert!(result.is_error, "{result:?}");
    result.structured["error"]["code"].as_str().expect("a code")
}

/// What a call that went well printed.
pub(crate) fn stdout(result: &CallResult) -> &str {
    assert!(!result.is_error, "{result:?}");
    result
        .structured
        .get("stdout")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The elements that the fixture was given.
pub(crate) fn elements(result: &CallResult) -> Vec<&str> {
    stdout(result)
        .lines()
        .map(|line| line.trim_start_matches('[').trim_end_matches(']'))
        .collect()
}

/// Waits for something that must come.
pub(crate) fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(
            began.elapsed() < Duration::from_secs(60),
            "it never came: {what}"
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until the fixture waits for this file.
pub(crate) async fn waited_for(file: &Path) {
    let (waiting, began) = (file.with_extension("waiting"), Instant::now());
    while !waiting.exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "it never began");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}

pub(crate) fn nothing() -> Value {
    json!({})
}

pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
