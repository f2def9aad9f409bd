//! A program that shows its help as Cobra's programs do, for the tests of `charmer`. Every command prints what it was
//! called with.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a CLI prints")]

use std::{process::ExitCode, time::Duration};

/// Path, whether it runs, arguments in the usage line, what it does, flags.
type Row = (
    &'static str,
    bool,
    &'static str,
    &'static str,
    &'static [FlagRow],
);
/// Long name, short name, type (empty for a switch), default, what it does.
type FlagRow = (
    &'static str,
    Option<char>,
    &'static str,
    &'static str,
    &'static str,
);

const GLOBAL: FlagRow = ("fleet", None, "string", "", "the fleet to work on");

const COMMANDS: [Row; 8] = [
    ("", false, "", "Ship keeps track of ships", &[]),
    (
        "list",
        true,
        "",
        "List the ships",
        &[
            ("all", Some('a'), "", "", "show ships that have sunk, too"),
            ("limit", None, "int", "10", "how many at most"),
        ],
    ),
    (
        "sail",
        true,
        "<port>",
        "Sail to a port",
        &[
            ("knots", Some('k'), "int", "", "how fast"),
            ("cargo", None, "stringArray", "", "what to carry"),
        ],
    ),
    ("crew", false, "", "Manage the crew", &[]),
    ("crew show", true, "[name]", "Show the crew", &[]),
    (
        "crew dismiss",
        true,
        "<name>",
        "Dismiss somebody",
        &[("yes", Some('y'), "", "", "do not ask")],
    ),
    ("sink", true, "", "Fail with a message", &[]),
    ("drift", true, "", "Wait until somebody ends it", &[]),
];

fn find(words: &[String]) -> Option<&'static Row> {
    COMMANDS.iter().find(|row| row.0 == words.join(" "))
}

fn children(path: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let path = path.to_owned();
    COMMANDS.iter().filter_map(move |row| {
        let (parent, name) = row.0.rsplit_once(' ').unwrap_or(("", row.0));
        (parent == path && !name.is_empty()).then_some((name, row.3))
    })
}

fn flag_line(flag: &FlagRow) -> String {
    let short = flag
        .1
        .map_or("    ".to_owned(), |short| format!("-{short}, "));
    let default = match flag.3 {
        "" => String::new(),
        default => format!(" (default {default})"),
    };
    let left = format!("  {short}--{} {}", flag.0, flag.2);
    format!("{left:<26}   {}{default}\n", flag.4)
}

fn help(row: &Row) -> String {
    let full = format!("ship {}", row.0);
    let full = full.trim_end();
    let mut text = format!("{}\n\nUsage:\n", row.3);
    let parent = children(row.0).next().is_some();
    if row.1 {
        let arguments = format!("{full} {} [flags]", row.2).replace("  ", " ");
        text.push_str(&format!("  {arguments}\n"));
    }
    if row.0 == "sail" {
        text.push_str("\nExamples:\n  # Sail to Oslo, not too fast\n  ship sail oslo --knots 5\n");
    }
    if parent {
        text.push_str(&format!("  {full} [command]\n\nAvailable Commands:\n"));
        for (name, about) in children(row.0) {
            text.push_str(&format!("  {name:<11} {about}\n"));
        }
    }
    text.push_str("\nFlags:\n");
    for flag in row.4 {
        text.push_str(&flag_line(flag));
    }
    if row.0.is_empty() {
        text.push_str(&flag_line(&GLOBAL));
    }
    text.push_str(&format!("{:<26}   help for {}\n", "  -h, --help", full));
    if !row.0.is_empty() {
        text.push_str(&format!("\nGlobal Flags:\n{}", flag_line(&GLOBAL)));
    }
    if parent {
        text.push_str(&format!(
            "\nUse \"{full} [command] --help\" for more information about a command.\n"
        ));
    }
    text
}

/// Cobra's completion: subcommands, flags, and what a value of the wrong type is answered with.
fn complete(words: &[String]) {
    let (last, before) = words.split_last().expect("there is a last word");
    let path: Vec<String> = before
        .iter()
        .take_while(|word| !word.starts_with('-'))
        .cloned()
        .collect();
    if let Some(row) = find(&path) {
        for word in before.iter().filter_map(|word| word.strip_prefix("--")) {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            let flag = row.4.iter().find(|flag| flag.0 == name && flag.2 == "int");
            if flag.is_some() && value.parse::<i64>().is_err() {
                eprintln!(
                    "Error: invalid argument {value:?} for \"--{name}\" flag: strconv.ParseInt: parsing {value:?}: \
                     invalid syntax"
                );
                println!(":1");
                return;
            }
        }
        if last.starts_with('-') {
            for flag in [&GLOBAL].into_iter().chain(row.4) {
                println!("--{}\t{}", flag.0, flag.4);
            }
        } else if last.is_empty() {
            for (name, about) in children(row.0) {
                println!("{name}\t{about}");
            }
        }
    }
    println!(":4");
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.first().map(String::as_str) {
        Some("__complete") => {
            complete(&words[1..]);
            return ExitCode::SUCCESS;
        }
        Some("--version") => {
            println!("ship version 1.4.0");
            return ExitCode::SUCCESS;
        }
        Some("help") => {
            print!("{}", help(find(&words[1..]).unwrap_or(&COMMANDS[0])));
            return ExitCode::SUCCESS;
        }
        _ => {}
    }
    let length = (0..=words.len())
        .rev()
        .find(|&length| find(&words[..length]).is_some());
    let row = find(&words[..length.unwrap_or(0)]).unwrap_or(&COMMANDS[0]);
    if !row.1 || words.iter().any(|word| word == "--help" || word == "-h") {
        print!("{}", help(row));
        return ExitCode::SUCCESS;
    }
    match row.0 {
        "sink" => {
            eprintln!("the ship has sunk");
            ExitCode::from(3)
        }
        "drift" => {
            println!("drifting as process {}", std::process::id());
            std::thread::sleep(Duration::from_secs(600));
            ExitCode::SUCCESS
        }
        _ => {
            println!("{words:?}");
            println!(
                "secret is {}",
                std::env::var("SHIP_SECRET").unwrap_or_default()
            );
            println!("marked {}", std::env::var_os("CHARMER_TOOL").is_some());
            if let (Some(_), Ok(folder)) = (std::env::var_os("SHIP_TELLS"), std::env::current_dir())
            {
                println!("in {}", folder.display());
            }
            ExitCode::SUCCESS
        }
    }
}
