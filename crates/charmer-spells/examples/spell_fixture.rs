//! Programs that the tests need and a machine may not have, by the name that this file is called by: `curl URL` and
//! `python3 [-u] FILE`. Under any other name it does what its first word says.

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
};

fn main() {
    let words: Vec<String> = std::env::args().collect();
    let name = Path::new(&words[0])
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let rest: Vec<&str> = words[1..].iter().map(String::as_str).collect();
    match (name.as_deref(), rest.as_slice()) {
        (Some("curl"), rest) => get(rest.last().copied().unwrap_or_default()),
        (Some("python3"), _) => println!("processed {}", variable("SPELL_ARG_FILE")),
        (_, ["sleep"]) => std::thread::sleep(std::time::Duration::from_secs(600)),
        (_, ["environment"]) => {
            for (name, value) in std::env::vars_os() {
                println!("{}={}", name.to_string_lossy(), value.to_string_lossy());
            }
        }
        (_, ["directory"]) => println!("{}", std::env::current_dir().unwrap_or_default().display()),
        (_, ["wait", file]) => {
            println!("waiting");
            while !Path::new(file).exists() {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            println!("done");
        }
        (_, ["read", file]) => match std::fs::read_to_string(file) {
            Ok(text) => println!("{text}"),
            Err(error) => println!("{error}"),
        },
        (_, ["write", file]) => match std::fs::write(file, "written") {
            Ok(()) => println!("written"),
            Err(error) => println!("{error}"),
        },
        (_, ["fail"]) => std::process::exit(3),
        (_, ["stdin"]) => {
            let mut text = String::new();
            let _ = std::io::stdin().read_to_string(&mut text);
            println!("<{text}>");
        }
        // One element a line, so that a test sees where each begins.
        (_, rest) => rest.iter().for_each(|word| println!("[{word}]")),
    }
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The body of a page.
fn get(url: &str) {
    let Some((host, path)) = url.trim_start_matches("http://").split_once('/') else {
        return;
    };
    let Ok(mut stream) = TcpStream::connect(host) else {
        std::process::exit(7);
    };
    let _ = write!(stream, "GET /{path} HTTP/1.0\r\nHost: {host}\r\n\r\n");
    let mut answer = String::new();
    let _ = stream.read_to_string(&mut answer);
    print!(
        "{}",
        answer.split_once("\r\n\r\n").map_or("", |(_, body)| body)
    );
}
