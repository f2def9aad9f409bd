//! Stands in for the programs that the README names and that a machine with only Rust does not have: under the name `git`,
//! `gh` or `kubectl` it has a few of that program's commands, with their real flags. A command that runs prints what it
//! was called with, and touches nothing.

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::path::Path;

use clap::{Arg, ArgAction, Command};

fn main() {
    let path = std::env::args().next().unwrap_or_default();
    let stem = Path::new(&path).file_stem().unwrap_or_default();
    let program = match stem.to_str() {
        Some("gh") => gh(),
        Some("kubectl") => kubectl(),
        _ => git(),
    };
    let mut called = vec![program.get_name().to_owned()];
    let matches = program.version("1.0.0").get_matches();
    let mut level = &matches;
    while let Some((command, below)) = level.subcommand() {
        called.push(command.to_owned());
        level = below;
    }
    println!("{} was called", called.join(" "));
}

fn git() -> Command {
    Command::new("git")
        .about("A content tracker")
        .subcommand_required(true)
        .subcommand(
            Command::new("log")
                .about("Show commit logs")
                .arg(number("max-count", "Stop after this many commits"))
                .arg(switch("oneline", "Show each commit on one line")),
        )
        .subcommand(Command::new("status").about("Show the working tree status"))
        .subcommand(
            Command::new("commit")
                .about("Record changes to the repository")
                .arg(text("message", "The commit message")),
        )
}

fn kubectl() -> Command {
    Command::new("kubectl")
        .about("Controls a Kubernetes cluster")
        .subcommand_required(true)
        .arg(text("context", "The name of the kubeconfig context to use").global(true))
        .subcommand(
            Command::new("get")
                .about("Display one or many resources")
                .arg(Arg::new("TYPE").required(true))
                .arg(Arg::new("NAME")),
        )
        .subcommand(
            Command::new("logs")
                .about("Print the logs for a container in a pod")
                .arg(Arg::new("POD").required(true)),
        )
        .subcommand(
            Command::new("delete")
                .about("Delete resources")
                .arg(Arg::new("TYPE").required(true))
                .arg(Arg::new("NAME").required(true)),
        )
}

fn gh() -> Command {
    let group = |name: &'static str, about: &'static str| {
        let list = Command::new("list").about(format!("List {name}s"));
        let delete = Command::new("delete").about(format!("Delete a {name}"));
        Command::new(name)
            .about(about)
            .subcommand_required(true)
            .subcommand(list.arg(number("limit", "Maximum number of items to fetch")))
            .subcommand(delete.arg(Arg::new("NUMBER").required(true)))
    };
    Command::new("gh")
        .about("Work with GitHub from the command line")
        .subcommand_required(true)
        .subcommand(group("pr", "Manage pull requests"))
        .subcommand(group("issue", "Manage issues"))
        .subcommand(group("run", "View details about workflow runs"))
        .subcommand(group("repo", "Manage repositories"))
}

fn text(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help)
}

fn number(name: &'static str, help: &'static str) -> Arg {
    text(name, help).value_parser(clap::value_parser!(u32))
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    text(name, help).action(ArgAction::SetTrue)
}
