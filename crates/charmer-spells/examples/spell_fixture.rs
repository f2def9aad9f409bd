//! The program that the spells of the tests run: it does what its first word says, or shows its words.

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::{io::Read, path::Path};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["sleep"] => std::thread::sleep(std::time::Duration::from_secs(600)),
        ["environment"] => {
            for (name, value) in std::env::vars_os() {
                println!("{}={}", name.to_string_lossy(), value.to_string_lossy());
            }
        }
        ["directory"] => println!("{}", std::env::current_dir().unwrap_or_default().display()),
        ["wait", file] => {
            println!("waiting");
            // For tests, which cannot see what is printed before it has ended.
            let _ = std::fs::write(Path::new(file).with_extension("waiting"), "");
            while !Path::new(file).exists() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            println!("done");
        }
        ["read", file] => match std::fs::read_to_string(file) {
            Ok(text) => println!("{text}"),
            Err(error) => println!("{error}"),
        },
        ["write", file] => match std::fs::write(file, "written") {
            Ok(()) => println!("written"),
            Err(error) => println!("{error}"),
        },
        ["fail"] => std::process::exit(3),
        ["stdin"] => {
            let mut text = String::new();
            let _ = std::io::stdin().read_to_string(&mut text);
            println!("<{text}>");
        }
        // One element a line, so that a test sees where each begins.
        rest => rest.iter().for_each(|word| println!("[{word}]")),
    }
}
