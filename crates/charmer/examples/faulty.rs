//! A CLI whose commands give a server trouble: floods, sleepers, process trees, daemons. The tests call it.
//!
//! Try it: `cargo run -p charmer --example faulty -- mcp tools -o -`

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::{io::Write, process::Stdio, time::Duration};

use charmer::{Bridge, CommandRule, Limits, Redactor, Selector};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

fn cli() -> Command {
    let number = |name: &'static str, default: &'static str| {
        Arg::new(name)
            .long(name)
            .value_parser(value_parser!(u64))
            .default_value(default)
    };
    Command::new("faulty")
        .version("1.0.0")
        .about("Gives trouble")
        .subcommand_required(true)
        .subcommand(
            Command::new("say")
                .about("Says something")
                .arg(Arg::new("text").required(true)),
        )
        .subcommand(
            Command::new("lines")
                .about("Counts lines")
                .arg(number("count", "10"))
                .arg(number("pause", "0").help("Milliseconds between two lines")),
        )
        .subcommand(
            Command::new("sleep")
                .about("Sleeps")
                .arg(number("milliseconds", "600000")),
        )
        .subcommand(
            Command::new("tree")
                .about("Starts sleepers, and sleeps")
                .arg(number("children", "5")),
        )
        .subcommand(
            Command::new("ask")
                .about("Asks before it does anything")
                .arg(Arg::new("yes").long("yes").action(ArgAction::SetTrue))
                .arg(
                    Arg::new("patient")
                        .long("patient")
                        .action(ArgAction::SetTrue),
                ),
        )
        .subcommand(
            Command::new("daemonise").about("Leaves a process in a session of its own behind"),
        )
        .subcommand(Command::new("descriptors").about("Lists what is open"))
        .subcommand(Command::new("terminal").about("Says whether there is a terminal to ask on"))
        .subcommand(Command::new("daemon").hide(true))
}

fn bridge() -> Bridge {
    let limits = Limits::default()
        .timeout(Duration::from_secs(120))
        .grace(Duration::from_millis(500));
    let bridge = Bridge::new(cli())
        .limits(limits)
        .concurrency(64)
        .selector(Selector::new(CommandRule::allow(["ask"])).timeout(Duration::from_secs(2)))
        .selector(Selector::new(CommandRule::all()))
        .redact(Redactor::new(["hunter2"], [""; 0]).expect("no pattern at all"));
    // Calls with an author's code on their path run on other threads.
    match std::env::var_os("FAULTY_HOOKED") {
        Some(_) => bridge.before(|_| ()),
        None => bridge,
    }
}

fn main() {
    let matches = bridge().get_matches();
    let number =
        |matches: &ArgMatches, name: &str| matches.get_one::<u64>(name).copied().unwrap_or(0);
    let sleep = |milliseconds| std::thread::sleep(Duration::from_millis(milliseconds));
    match matches.subcommand() {
        Some(("ask", ask)) if ask.get_flag("yes") => println!("done"),
        Some(("ask", ask)) => {
            print!("Really? [y/N] ");
            // A question without a line's end stays in the buffer otherwise.
            let _ = std::io::stdout().flush();
            if ask.get_flag("patient") {
                sleep(600_000);
            }
            std::process::exit(1);
        }
        Some(("say", say)) => println!(
            "{}",
            say.get_one::<String>("text").map_or("", String::as_str)
        ),
        Some(("lines", lines)) => {
            let mut out = std::io::stdout().lock();
            for at in 1..=number(lines, "count") {
                if writeln!(out, "line {at} of hunter2").is_err() {
                    return;
                }
                sleep(number(lines, "pause"));
            }
        }
        Some(("sleep", asleep)) => sleep(number(asleep, "milliseconds")),
        Some(("tree", tree)) => {
            (0..number(tree, "children")).for_each(|_| _ = again("sleep"));
            sleep(600_000);
        }
        Some(("daemonise", _)) => {
            let daemon = again("daemon");
            println!("process {daemon}");
            // It must have left the group before its parent's end ends that.
            while !leads_its_group(daemon) {
                sleep(5);
            }
        }
        Some(("daemon", _)) => {
            // What a server does to be without a terminal is what makes a daemon: a session of its own.
            charmer_run::process::harden().expect("it leads no group");
            sleep(600_000);
        }
        Some(("descriptors", _)) => println!("{}", descriptors()),
        Some(("terminal", _)) => println!("{}", std::fs::File::open("/dev/tty").is_ok()),
        _ => {}
    }
}

/// Starts this program once more, in the same group; its id.
fn again(command: &str) -> u32 {
    std::process::Command::new(std::env::current_exe().expect("it has a path"))
        .arg(command)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it has been started before")
        .id()
}

fn leads_its_group(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    // Behind the name: the state, the parent, the group.
    let group = stat.rsplit(')').next().unwrap_or_default();
    group.split_whitespace().nth(2) == Some(process.to_string().as_str())
}

fn descriptors() -> String {
    let listed = std::fs::read_dir("/proc/self/fd").expect("procfs");
    let mut open: Vec<u32> = listed
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    // The one that listed them is closed by now.
    open.retain(|number| std::fs::metadata(format!("/proc/self/fd/{number}")).is_ok());
    open.sort_unstable();
    format!("{open:?}")
}
