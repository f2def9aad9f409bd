//! A clap CLI with the library's bridge, whose author has something to say of it: read by tests from inside and outside.

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use charmer::{ArgSpec, Bridge, CommandRule, Effect, FlagRule, Hints, Selector, ServerInfo};
use clap::{Arg, ArgAction, Command};
use serde_json::json;

fn main() {
    let ships = Command::new("ships")
        .about("List the ships")
        .arg(
            Arg::new("limit")
                .long("limit")
                .value_parser(clap::value_parser!(u8))
                .default_value("10"),
        )
        .arg(Arg::new("secret").long("secret").action(ArgAction::SetTrue));
    let moor = Command::new("moor")
        .about("Moor a ship, whose papers are read from stdin")
        .arg(Arg::new("ship").required(true))
        .arg(
            Arg::new("berth")
                .long("berth")
                .value_parser(["north", "south"]),
        );
    let reckon = Command::new("reckon")
        .about("Reckon the tides")
        .arg(Arg::new("day"));
    let cli = Command::new("harbour")
        .version("2.1.0")
        .about("Runs a harbour")
        .subcommand_required(true)
        .arg(
            Arg::new("quiet")
                .long("quiet")
                .global(true)
                .action(ArgAction::SetTrue),
        )
        .subcommands([
            ships,
            moor,
            reckon,
            Command::new("drain").about("Drain the harbour"),
        ]);
    let printed = json!({"type": "array", "items": {"type": "string"}});
    let info = ServerInfo::new("The harbour", "2.1.0")
        .instructions("Ask for the tides before you moor a ship.");
    let matches = Bridge::new(cli)
        .server_info(info)
        .annotate("reckon", Hints::new(Effect::Read).title("Tides"))
        .args(
            "reckon",
            [ArgSpec::new("day").description("A day of the week")],
        )
        .output_schema("ships", printed)
        .selector(
            Selector::new(CommandRule::exclude(["drain"]))
                .local_flags(FlagRule::exclude(["secret"])),
        )
        .get_matches();
    println!("{:?}", matches.subcommand_name());
}
