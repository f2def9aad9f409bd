//! How long it takes to find the mistakes of a large file, and to show them: a thousand, ten thousand, and a hundred
//! thousand, which is more than a file may hold and so is found out early.
//!
//! `cargo bench -p charmer-config` prints it.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use std::{hint::black_box, time::Instant};

use charmer_config::Config;

const ROUNDS: u32 = 5;

fn main() {
    // A test run only builds it.
    if !std::env::args().any(|word| word == "--bench") {
        return;
    }
    type Shape = fn(usize) -> String;
    let shapes: [(&str, Shape); 3] = [
        ("unknown keys", |count| {
            (0..count).map(|n| format!("k{n}: 1\n")).collect()
        }),
        ("sources of the wrong type", |count| {
            format!("sources: [{}]", "1, ".repeat(count))
        }),
        ("corrections of commands", |count| {
            let entries: String = (0..count).map(|n| format!("      k{n}: 1\n")).collect();
            format!("sources:\n  - binary: x\n    override:\n{entries}")
        }),
    ];
    for (name, shape) in shapes {
        for count in [1_000, 10_000, 100_000] {
            let text = shape(count);
            let began = Instant::now();
            for _ in 0..ROUNDS {
                black_box(Config::parse(&text, "charmer.yaml").map_err(|found| found.to_string()))
                    .expect_err("it is all mistakes");
            }
            let took = began.elapsed() / ROUNDS;
            println!(
                "{name}: {count:>6} in {took:>9.1?}, {:.2?} each",
                took / count as u32
            );
        }
    }
}
