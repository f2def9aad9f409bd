//! The commands of an invented pottery.

use std::{net::IpAddr, path::PathBuf};

use clap::{
    Arg, ArgAction, ArgGroup, Args, Command, ValueEnum, ValueHint, builder::PossibleValue,
    value_parser,
};

pub(crate) fn cli() -> Command {
    Command::new("kiln")
        .version("2.1.0")
        .about("Runs a pottery")
        .long_about(
            "Runs a pottery, from clay to glaze.\n\nA pot is made in stages:\n  \
             knead       Work the clay\n  throw       Shape it on the wheel\n\n\
             Old versions had more:\n      --ghost <NAME>   Was taken out in 1.2",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .arg(
            Arg::new("verbose")
                .short('v')
                .long("verbose")
                .action(ArgAction::Count)
                .global(true)
                .help("Say more; repeat it to hear everything"),
        )
        .arg(
            Arg::new("config")
                .short('c')
                .long("config")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .value_hint(ValueHint::FilePath)
                .env("KILN_CONFIG")
                .default_value("kiln.toml")
                .global(true)
                .help("Where the settings are"),
        )
        .arg(
            Arg::new("color")
                .long("color")
                .visible_alias("colour")
                .value_name("WHEN")
                .value_parser(["auto", "always", "never"])
                .default_value("auto")
                .global(true)
                .help("When to use colours"),
        )
        .arg(
            switch("offline", "Use no network")
                .global(true)
                .help_heading("Network"),
        )
        .arg(
            switch("no-offline", "Use the network again")
                .overrides_with("offline")
                .global(true)
                .help_heading("Network"),
        )
        .subcommands([fire(), clay(), glaze(), paint(), plugin(), list(), smoke()])
}

fn switch(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name)
        .long(name)
        .action(ArgAction::SetTrue)
        .help(help)
}

fn option(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).help(help)
}

/// Numbers, lists, values that may be left out, and every kind of positional.
fn fire() -> Command {
    Command::new("fire")
        .about("Fires a batch")
        .visible_alias("burn")
        .arg(
            option("temperature", "How hot, in degrees")
                .short('t')
                .value_parser(value_parser!(u16).range(100..=1300))
                .value_name("DEGREES")
                .required(true),
        )
        .arg(
            option("hold", "How long the heat is held, such as 90m")
                .value_name("DURATION")
                .default_value("1h30m"),
        )
        .arg(
            option("curve", "How the heat rises")
                .value_parser([
                    PossibleValue::new("gentle").help("Slowly, for thick walls"),
                    PossibleValue::new("steady").help("Evenly"),
                    PossibleValue::new("steep").help("Fast, for small pieces"),
                ])
                .default_value("steady"),
        )
        .arg(
            option("shelf", "A shelf to use; may be repeated")
                .value_parser(value_parser!(i64))
                .action(ArgAction::Append),
        )
        .arg(
            option("tag", "Words to find the batch by")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .default_values(["new", "mine"]),
        )
        .arg(
            option("size", "Width and height of the chamber")
                .num_args(2)
                .value_names(["WIDTH", "HEIGHT"])
                .value_parser(value_parser!(u32)),
        )
        .arg(
            option("ratio", "Air against gas")
                .value_parser(value_parser!(f64))
                .default_value("0.5"),
        )
        .arg(
            option("cones", "How many cones stand in the chamber")
                .value_parser(value_parser!(u8))
                .default_value("3"),
        )
        .arg(option("sensor", "The address of the sensor").value_parser(value_parser!(IpAddr)))
        .arg(
            option("glow", "Show the glow")
                .value_name("HOW")
                .num_args(0..=1)
                .require_equals(true)
                .default_missing_value("bright"),
        )
        .arg(switch("dry", "Dry the pieces first").short('d'))
        .arg(switch("wet", "Take the pieces wet"))
        .group(ArgGroup::new("state").args(["dry", "wet"]))
        .arg(option("secret", "Is not shown").hide(true))
        .arg(switch("trace", "Is only in the long help").hide_short_help(true))
        .arg(Arg::new("batch").required(true).help("The batch to fire"))
        .arg(Arg::new("pieces").num_args(0..).help("Only these pieces"))
        .arg(
            Arg::new("extra")
                .last(true)
                .num_args(0..)
                .allow_hyphen_values(true)
                .help("Words for the burner"),
        )
}

/// Three levels deep.
fn clay() -> Command {
    let add = Command::new("add")
        .about("Adds clay to the stock")
        .arg(
            option("weight", "How much, in kg")
                .short('w')
                .value_parser(value_parser!(u64))
                .required(true),
        )
        .arg(
            option("from", "Where it comes from")
                .visible_short_alias('F')
                .default_value("the pit by the river"),
        )
        .arg(
            Arg::new("kind")
                .required(true)
                .value_parser(["red", "white"])
                .help("What clay"),
        );
    let remove = Command::new("remove-everything-that-is-left")
        .about("Empties the stock")
        .visible_aliases(["rm", "clear"])
        .arg(switch("yes", "Do not ask").short('y'));
    let stock = Command::new("stock")
        .about("Looks after the stock")
        .subcommand_required(true)
        .subcommands([add, remove]);
    Command::new("clay")
        .about("Looks after the clay")
        .subcommand_required(true)
        .subcommand(stock)
        .subcommand(
            Command::new("dig")
                .about("Digs for more")
                .arg(
                    option("depth", "How deep")
                        .value_parser(value_parser!(i32))
                        .default_value("-2")
                        .allow_negative_numbers(true),
                )
                .arg(Arg::new("where").default_value("pit").help("Where to dig")),
        )
}

/// Help on the line after each flag.
fn glaze() -> Command {
    Command::new("glaze")
        .about("Mixes a glaze")
        .next_line_help(true)
        .arg(
            option("ash", "How much ash")
                .value_parser(value_parser!(f32))
                .long_help(
                    "How much ash.\n\nMore ash makes it greener:\n  --greener   is not a flag",
                ),
        )
        .arg(
            option("salt", "A pinch of salt each time")
                .short('s')
                .action(ArgAction::Count),
        )
        .arg(
            option("layer", "A layer; may be repeated")
                .value_parser(["thin", "thick"])
                .action(ArgAction::Append),
        )
        .arg(
            Arg::new("recipe")
                .num_args(1..)
                .required(true)
                .help("The recipes to mix"),
        )
}

#[derive(Clone, Copy, ValueEnum)]
enum Brush {
    /// For large areas
    Wide,
    /// For lines
    Fine,
}

/// What several commands of a real program would share.
#[derive(Args)]
struct Paint {
    /// How many coats
    #[arg(long, default_value_t = 2, help_heading = "Paint")]
    coats: u8,
    /// What to paint with
    #[arg(long, short, value_enum, required = true, help_heading = "Paint")]
    brush: Option<Brush>,
}

#[derive(Args)]
struct Painting {
    #[command(flatten)]
    paint: Paint,
    /// Leave the foot of the pot bare
    #[arg(long)]
    bare_foot: bool,
    /// The pot
    pot: PathBuf,
}

/// Derived, with shared arguments flattened in.
fn paint() -> Command {
    Painting::augment_args(Command::new("paint").about("Paints a pot"))
}

/// Hands what it does not know on to other programs.
fn plugin() -> Command {
    Command::new("plugin")
        .about("Runs a plugin")
        .allow_external_subcommands(true)
        .subcommand(
            Command::new("search")
                .about("Looks for plugins")
                .arg(Arg::new("words")),
        )
}

fn list() -> Command {
    Command::new("list")
        .about("Lists the batches")
        .visible_alias("ls")
        .alias("dir")
        .arg(
            option("sort", "What to sort by")
                .visible_alias("order")
                .value_parser(["age", "name"]),
        )
        .arg(
            option("limit", "How many to show")
                .short('n')
                .value_parser(value_parser!(usize)),
        )
        .arg(switch("long_form", "With all details").short('l'))
}

fn smoke() -> Command {
    Command::new("smoke").about("Is not shown").hide(true)
}
