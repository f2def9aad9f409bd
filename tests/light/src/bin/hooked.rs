//! A CLI whose hook blocks until a file is there, as an author's own code may.

use std::{path::Path, time::Duration};

use charmer::Bridge;
use clap::{CommandFactory as _, Parser};

/// Waits
#[derive(Parser)]
#[command(name = "hooked")]
enum Hooked {
    /// Show a word
    Show { word: String },
}

fn main() {
    let bridge = Bridge::new(Hooked::command()).before(|call| {
        let gate = call.input.get("word").and_then(|word| word.as_str());
        let gate = gate.unwrap_or_default().to_owned();
        match gate.as_str() {
            "never" => Err("not today"),
            "panic" => panic!("a mistake of the author's"),
            _ => {
                while !Path::new(&gate).exists() {
                    std::thread::sleep(Duration::from_millis(5));
                }
                Ok(())
            }
        }
    });
    let Hooked::Show { word } = bridge.parse();
    println!("{word}");
}
