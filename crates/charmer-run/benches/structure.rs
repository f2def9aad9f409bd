//! What it costs to have output as data: calls that print a megabyte of JSON or a table, with `structure: auto` and
//! with `structure: off`, in the same run, samples interleaved. The bar is 2.
//!
//! `cargo bench -p charmer-run --bench structure` prints it. With a file as its argument this file is the program that
//! is run: it prints the file.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]
#![expect(
    clippy::unwrap_used,
    reason = "a benchmark that cannot run says so by stopping"
)]

use std::{
    io::Write,
    path::Path,
    time::{Duration, Instant},
};

use charmer_core::{
    model::{Cli, Command, Positional, Syntax},
    tool::{CatalogueOptions, catalogue},
};
use charmer_run::{
    CallPath, ServedTool, SharedSteps, Target,
    layers::{Structure, StructureMode},
    process::{Engine, Environment, Launcher},
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

const SAMPLES: usize = 60;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["--bench", ..] => {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build();
            runtime.unwrap().block_on(measure());
        }
        [file] => {
            let bytes = std::fs::read(file).unwrap();
            std::io::stdout().lock().write_all(&bytes).unwrap();
        }
        _ => {}
    }
}

fn tool(mode: StructureMode) -> ServedTool {
    let root = Command::new("print").positional(Positional::new("file").required());
    let mut found = catalogue(
        &Cli::new(root, Syntax::clap()),
        &CatalogueOptions::default(),
    );
    let launcher = Launcher::new(
        std::env::current_exe().unwrap(),
        Environment::inherit(std::env::vars_os()),
        None,
        Engine::default(),
    );
    CallPath::new(found.tools.remove(0), Target::Process(launcher))
        .structure(Structure::new(mode))
        .serve(&SharedSteps::default())
}

async fn measure() {
    let folder = tempfile::tempdir().unwrap();
    let rows = |count: usize| -> Vec<Value> {
        (0..count)
            .map(|n| json!({"name": format!("web-{n}"), "ready": n % 3 == 0, "age": n, "labels": {"app": "web", "tier": "front"}}))
            .collect()
    };
    let list = serde_json::to_string_pretty(&rows(6500)).unwrap();
    let lines: Vec<String> = rows(10_000).iter().map(ToString::to_string).collect();
    let object = json!({"text": "x".repeat(100), "rows": rows(10_000)}).to_string();
    let mut table = String::from("NAME          READY   AGE\n");
    for n in 0..40_000 {
        table.push_str(&format!("{:<14}{:<8}{n}d\n", format!("web-{n}"), "1/1"));
    }
    let prose = "Nothing to see here, and it goes on for long.\n".repeat(22_000);
    println!("{SAMPLES} samples each, medians            bytes        off       auto   ratio");
    for (name, text) in [
        ("a list in JSON", list),
        ("JSON lines", lines.join("\n")),
        ("an object in JSON", object),
        ("a table", table),
        ("plain text", prose),
    ] {
        let file = folder.path().join("output");
        std::fs::write(&file, &text).unwrap();
        let tools = [tool(StructureMode::Off), tool(StructureMode::Auto)];
        let mut times = [Vec::new(), Vec::new()];
        for _ in 0..SAMPLES {
            for (tool, times) in tools.iter().zip(&mut times) {
                times.push(call(tool, &file).await);
            }
        }
        let [off, auto] = times.map(|mut times: Vec<Duration>| {
            times.sort();
            times[times.len() / 2]
        });
        println!(
            "{name:<30} {:>14} {off:>10.1?} {auto:>10.1?}   {:.2}",
            text.len(),
            auto.as_secs_f64() / off.as_secs_f64()
        );
    }
}

/// One call, with its answer as it goes to a client.
async fn call(tool: &ServedTool, file: &Path) -> Duration {
    let mut input = Map::new();
    input.insert("file".into(), file.to_str().unwrap().into());
    let began = Instant::now();
    let result = tool.call(input, CancellationToken::new()).await;
    assert!(!result.is_error);
    std::hint::black_box(serde_json::to_string(&result.structured).unwrap());
    began.elapsed()
}
