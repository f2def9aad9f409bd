//! Counts tokens for the checks with assistants: a JSON array of texts on standard input, an array of counts on standard
//! output, by the vocabulary that `charmer tools --tokens` counts with.

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::{error::Error, io};

fn main() -> Result<(), Box<dyn Error>> {
    let texts: Vec<String> = serde_json::from_reader(io::stdin().lock())?;
    let vocabulary = tiktoken_rs::o200k_base_singleton();
    let counts = texts
        .iter()
        .map(|text| vocabulary.encode_ordinary(text).len());
    println!("{}", serde_json::to_string(&counts.collect::<Vec<_>>())?);
    Ok(())
}
