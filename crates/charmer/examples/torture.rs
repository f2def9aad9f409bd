//! The torture CLI: everything that clap can do to a bridge, a subcommand for each kind of trouble.
//!
//! It prints what clap handed to it as one JSON object: the command, and every argument that was given (of `defaults`,
//! those that were not, too). An ancestor's own arguments stand in an object under the ancestor's name. An argument of
//! one value is that value, one of several is an array, and one that repeats several is an array of arrays; `null` is
//! a flag without its optional value.
//!
//! It is served in three lines: `charmer::command()` is added to the CLI, the matches go to `run`, and what is left is
//! the program as it was. A `Bridge` stands in for `charmer::run` because `TORTURE_LAYOUT=nested` switches the layout,
//! and `TORTURE_READS=yes` says of every command that it changes nothing.
//!
//! Try it: `cargo run -p charmer --example torture -- lists --tag a --tag b`

#![expect(clippy::print_stdout, reason = "an example's output is its purpose")]

use std::{ffi::OsString, net::IpAddr, path::PathBuf, process::ExitCode};

use charmer::{Bridge, CommandPath, Hints, Layout, StructureMode};
use clap::{
    Arg, ArgAction, ArgGroup, ArgMatches, Args, Command, ValueEnum, parser::ValueSource,
    value_parser,
};
use serde_json::{Map, Value, json};

fn main() -> ExitCode {
    let matches = cli().subcommand(charmer::command()).get_matches();
    let nested = std::env::var_os("TORTURE_LAYOUT").is_some_and(|layout| layout == "nested");
    let layout = if nested { Layout::Nested } else { Layout::Flat };
    // What arrived is to be seen as it was printed.
    let mut bridge = Bridge::new(cli()).structure(StructureMode::Off);
    if std::env::var_os("TORTURE_READS").is_some() {
        bridge = reading(bridge, &cli(), &[]);
    }
    if let Some(done) = bridge.layout(layout).run(&matches) {
        return done;
    }
    println!("{}", Value::Object(seen(&matches)));
    ExitCode::SUCCESS
}

/// Says of every command that it changes nothing.
fn reading(mut bridge: Bridge, command: &Command, above: &[&str]) -> Bridge {
    if above.is_empty() {
        bridge = bridge.annotate(CommandPath::root(), Hints::reads());
    }
    for child in command.get_subcommands() {
        let path = [above, &[child.get_name()]].concat();
        let words: CommandPath = path.iter().map(|word| (*word).to_owned()).collect();
        bridge = bridge.annotate(words, Hints::reads());
        bridge = reading(bridge, child, &path);
    }
    bridge
}

fn cli() -> Command {
    Command::new("torture")
        .version("1.0.0")
        .about("Every way to be hard to call")
        .subcommand_required(true)
        // Names that the bridge's own `mcp` has flags of.
        .arg(
            Arg::new("log-level")
                .long("log-level")
                .global(true)
                .help("How much to log"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .global(true)
                .help("Where to write"),
        )
        .subcommands(flags_and_values())
        .subcommands(positionals())
        .subcommands(relations())
        .subcommands(types())
        .subcommands(trees())
}

/// A flag that takes one text.
fn option(name: &'static str) -> Arg {
    Arg::new(name).long(name)
}

fn switch(name: &'static str) -> Arg {
    option(name).action(ArgAction::SetTrue)
}

fn flags_and_values() -> Vec<Command> {
    vec![
        Command::new("flags").args([
            Arg::new("dry_run")
                .long("dry-run")
                .action(ArgAction::SetTrue),
            Arg::new("jobs").short('j').value_parser(value_parser!(u32)),
            Arg::new("extract").short('x').action(ArgAction::SetTrue),
            Arg::new("trace").short('T').action(ArgAction::Count),
            Arg::new("original").long("new-name"),
            option("colour")
                .visible_alias("color")
                .alias("farbe")
                .short_alias('C'),
            Arg::new("cache")
                .long("no-cache")
                .action(ArgAction::SetFalse),
            option("strict")
                .action(ArgAction::Set)
                .value_parser(value_parser!(bool)),
            option("verbose").short('v').action(ArgAction::Count),
            option("effort").action(ArgAction::Count).default_value("2"),
            switch("checks").default_value("true"),
            option("preset")
                .action(ArgAction::Set)
                .num_args(0)
                .value_parser(value_parser!(String))
                .default_missing_value("standard"),
        ]),
        Command::new("lists").args([
            option("tag").action(ArgAction::Append),
            option("label")
                .action(ArgAction::Append)
                .value_delimiter(','),
            option("csv").value_delimiter(','),
            Arg::new("ports")
                .short('p')
                .action(ArgAction::Append)
                .value_parser(value_parser!(u16)),
            option("span").num_args(2),
            option("point")
                .num_args(2)
                .allow_negative_numbers(true)
                .value_parser(value_parser!(f64)),
            option("pair").num_args(2).action(ArgAction::Append),
            option("cells").num_args(2).value_delimiter(','),
            option("some").num_args(2..=3),
            option("loose").num_args(0..).action(ArgAction::Append),
        ]),
        Command::new("optional").args([
            option("color")
                .num_args(0..=1)
                .default_missing_value("always"),
            option("maybe").num_args(0..=1),
            option("level")
                .num_args(0..=1)
                .value_parser(value_parser!(u8)),
            option("exact").require_equals(true),
            option("exact-or-bare")
                .require_equals(true)
                .num_args(0..=1)
                .default_missing_value("bare"),
            Arg::new("zip")
                .short('z')
                .num_args(0..=1)
                .default_missing_value("gzip"),
            option("toggle")
                .value_parser(value_parser!(bool))
                .require_equals(true)
                .num_args(0..=1)
                .default_missing_value("true"),
            Arg::new("file"),
        ]),
        Command::new("greedy").args([
            option("many").num_args(1..),
            option("more")
                .num_args(1..)
                .value_parser(value_parser!(i64))
                .allow_negative_numbers(true),
            option("raw").num_args(1..).allow_hyphen_values(true),
            option("plain"),
            Arg::new("source").required(true),
            Arg::new("rest").num_args(0..),
        ]),
        Command::new("greedy-trailing").args([
            option("many").num_args(1..),
            Arg::new("words")
                .num_args(0..)
                .trailing_var_arg(true)
                .allow_hyphen_values(true),
        ]),
        Command::new("text").args([
            option("value"),
            Arg::new("brief").short('t'),
            switch("abc").short('a'),
            switch("bcd").short('b'),
            Arg::new("text"),
            Arg::new("more").num_args(0..),
        ]),
        Command::new("hyphen").args([
            option("opt").allow_hyphen_values(true),
            option("two").num_args(2).allow_hyphen_values(true),
            switch("known"),
            Arg::new("value").allow_hyphen_values(true),
        ]),
    ]
}

fn positionals() -> Vec<Command> {
    vec![
        Command::new("last-only").arg(Arg::new("words").last(true).num_args(0..)),
        Command::new("last-one").arg(Arg::new("word").last(true).required(true)),
        Command::new("last-mixed").args([
            option("many").num_args(1..),
            switch("stdin"),
            Arg::new("pod").required(true),
            Arg::new("container"),
            Arg::new("words").last(true).num_args(0..),
        ]),
        Command::new("trailing").args([
            switch("known"),
            Arg::new("program").required(true),
            Arg::new("words").num_args(0..).trailing_var_arg(true),
        ]),
        Command::new("terminated").args([
            Arg::new("words").num_args(1..).value_terminator(";"),
            Arg::new("after"),
            option("exec").num_args(1..).value_terminator(";"),
        ]),
        Command::new("delimited").args([
            Arg::new("pair").value_delimiter('='),
            Arg::new("fields").num_args(0..).value_delimiter(','),
        ]),
        // With one required positional behind an optional one, `VALUE` and `KEY VALUE` are both fine.
        Command::new("missing")
            .allow_missing_positional(true)
            .args([Arg::new("key"), Arg::new("value").required(true)]),
        Command::new("two").arg(
            Arg::new("corners")
                .num_args(2)
                .value_parser(value_parser!(i32))
                .required(true),
        ),
        Command::new("ordered").args([
            Arg::new("first"),
            Arg::new("second"),
            Arg::new("third").action(ArgAction::Append).num_args(0..),
        ]),
        Command::new("sandwich").args([
            Arg::new("sources").num_args(1..).required(true),
            Arg::new("target").required(true),
        ]),
        Command::new("names").args([
            option("args"),
            option("flags"),
            Arg::new("out_flag").long("out"),
            Arg::new("out").help("Called like the flag"),
            Arg::new("args_positional").last(true).num_args(0..),
        ]),
    ]
}

/// Where something is.
#[derive(Args)]
struct Location {
    /// The city
    #[arg(long)]
    city: Option<String>,
    /// The house number
    #[arg(long, default_value_t = 1)]
    number: u16,
}

/// The arguments of `flattened`.
#[derive(Args)]
struct Flattened {
    #[command(flatten)]
    location: Location,
    /// Whom to ask for
    name: String,
}

fn relations() -> Vec<Command> {
    vec![
        Flattened::augment_args(Command::new("flattened")),
        Command::new("required").args([
            option("name").required(true),
            option("kind").value_parser(["file", "url"]),
            option("path").required_if_eq("kind", "file"),
            option("user").requires("password"),
            option("password"),
            option("config").required_unless_present("inline"),
            option("inline"),
        ]),
        Command::new("conflicts").args([
            switch("left").conflicts_with("right"),
            switch("right"),
            option("json").conflicts_with_all(["left", "yaml"]),
            option("yaml"),
        ]),
        // clap looks up the conflicts of a global argument differently.
        Command::new("global-conflict")
            .args([
                option("red"),
                option("calm").global(true).conflicts_with("loud"),
            ])
            .group(ArgGroup::new("loud").arg("red")),
        Command::new("one-of")
            .args([switch("red"), switch("green"), option("hex")])
            .group(
                ArgGroup::new("paint")
                    .args(["red", "green", "hex"])
                    .required(true),
            ),
        Command::new("any-of")
            .args([switch("salt"), option("pepper"), Arg::new("spice")])
            .group(
                ArgGroup::new("taste")
                    .args(["salt", "pepper", "spice"])
                    .required(true)
                    .multiple(true),
            ),
        Command::new("any-of-env")
            .args([option("pepper").env("TORTURE_PEPPER"), switch("salt")])
            .group(
                ArgGroup::new("taste")
                    .args(["salt", "pepper"])
                    .required(true)
                    .multiple(true),
            ),
        Command::new("exclusive").args([
            switch("list").exclusive(true),
            option("size"),
            Arg::new("name").required(true),
        ]),
        Command::new("rivals").args([
            option("name").required(true).conflicts_with("all"),
            switch("all"),
            option("depth"),
        ]),
        Command::new("overrides").args([
            option("fast").overrides_with("slow"),
            option("slow").overrides_with("fast"),
            option("again").overrides_with("again"),
        ]),
        Command::new("needs")
            .arg_required_else_help(true)
            .args([option("one"), switch("two")]),
    ]
}

/// How fast.
#[derive(Clone, Copy, ValueEnum)]
enum Speed {
    /// As fast as it gets
    #[value(alias = "quick")]
    Fast,
    VerySlow,
    #[value(hide = true)]
    Ludicrous,
}

/// `12`, or `12k` for thousands.
fn size(text: &str) -> Result<u64, String> {
    let (digits, unit) = text
        .strip_suffix('k')
        .map_or((text, 1), |digits| (digits, 1000));
    digits
        .parse::<u64>()
        .map(|number| number * unit)
        .map_err(|error| error.to_string())
}

fn even(text: &str) -> Result<u32, String> {
    let number = text.parse::<u32>().map_err(|error| error.to_string())?;
    if number % 2 == 0 {
        Ok(number)
    } else {
        Err("it is odd".to_owned())
    }
}

fn types() -> Vec<Command> {
    let speed = || value_parser!(Speed);
    vec![
        Command::new("choices").args([
            option("speed").value_parser(speed()),
            option("any-case").value_parser(speed()).ignore_case(true),
            option("each")
                .value_parser(speed())
                .action(ArgAction::Append),
            Arg::new("pace").value_parser(speed()),
        ]),
        Command::new("numbers").args([
            option("signed").value_parser(value_parser!(i64)),
            option("negative")
                .value_parser(value_parser!(i64))
                .allow_negative_numbers(true),
            option("unsigned").value_parser(value_parser!(u64)),
            option("big").value_parser(value_parser!(u128)),
            option("big-signed").value_parser(value_parser!(i128)),
            option("ratio").value_parser(value_parser!(f64)),
            option("small").value_parser(value_parser!(i8)),
            Arg::new("whole")
                .value_parser(value_parser!(i64))
                .allow_negative_numbers(true),
            Arg::new("part")
                .value_parser(value_parser!(f64))
                .allow_negative_numbers(true),
        ]),
        Command::new("plain-number").arg(
            Arg::new("whole")
                .value_parser(value_parser!(i64))
                .required(true),
        ),
        Command::new("limits").args([
            option("port").value_parser(value_parser!(u16).range(1..=100)),
            option("size").value_parser(size).default_value("1k"),
            option("raw-size").value_parser(size),
            option("even").value_parser(even),
        ]),
        Command::new("kinds").args([
            option("path").value_parser(value_parser!(PathBuf)),
            option("os").value_parser(value_parser!(OsString)),
            option("letter").value_parser(value_parser!(char)),
            option("address").value_parser(value_parser!(IpAddr)),
            Arg::new("file").value_parser(value_parser!(PathBuf)),
        ]),
        Command::new("defaults").args([
            switch("switch"),
            Arg::new("keep").long("no-keep").action(ArgAction::SetFalse),
            option("bool")
                .value_parser(value_parser!(bool))
                .default_value("true"),
            option("int")
                .value_parser(value_parser!(i64))
                .default_value("-9223372036854775808"),
            option("uint")
                .value_parser(value_parser!(u64))
                .default_value("18446744073709551615"),
            option("big")
                .value_parser(value_parser!(u128))
                .default_value("340282366920938463463374607431768211455"),
            option("float")
                .value_parser(value_parser!(f64))
                .default_value("0.1"),
            option("text").default_value("a b"),
            option("empty").default_value(""),
            option("letter")
                .value_parser(value_parser!(char))
                .default_value("ß"),
            option("address")
                .value_parser(value_parser!(IpAddr))
                .default_value("::1"),
            option("path")
                .value_parser(value_parser!(PathBuf))
                .default_value("/tmp"),
            option("speed").value_parser(speed()).default_value("fast"),
            option("secret-speed")
                .value_parser(speed())
                .default_value("ludicrous"),
            option("many")
                .action(ArgAction::Append)
                .default_values(["a", "b"]),
            option("count").action(ArgAction::Count),
            Arg::new("place").default_value("here"),
        ]),
        Command::new("environment").args([
            option("token").env("TORTURE_TOKEN").required(true),
            option("region")
                .env("TORTURE_REGION")
                .default_value("nowhere"),
            option("unset").env("TORTURE_UNSET"),
            switch("color").env("TORTURE_COLOR"),
            Arg::new("plain")
                .long("no-plain")
                .action(ArgAction::SetFalse)
                .env("TORTURE_PLAIN"),
        ]),
        Command::new("unicode")
            .about("Größe, 大きさ und “Anführungszeichen” — ✓")
            .args([
                option("größe").help("Wie groß? ½ m"),
                Arg::new("tilde").short('ñ'),
                Arg::new("名前").help("名前は何ですか"),
            ]),
    ]
}

fn trees() -> Vec<Command> {
    vec![
        Command::new("deep")
            .subcommand_required(true)
            .arg(option("project").required(true))
            .subcommand(
                Command::new("mid")
                    .subcommand_required(true)
                    .arg(option("zone"))
                    .arg(
                        Arg::new("zone-all")
                            .long("all")
                            .global(true)
                            .action(ArgAction::SetTrue),
                    )
                    .subcommand(
                        Command::new("leaf")
                            .arg(option("zone").id("leaf-zone"))
                            .arg(Arg::new("item")),
                    ),
            ),
        Command::new("place")
            .subcommand_required(true)
            .arg(Arg::new("area").required(true))
            .subcommand(Command::new("visit").arg(Arg::new("area").id("visited")))
            .subcommand(Command::new("leave")),
        Command::new("wide")
            .subcommand_required(true)
            .args([
                option("many").num_args(1..),
                option("maybe").num_args(0..=1),
                option("plain"),
            ])
            .subcommand(Command::new("go").arg(option("fast"))),
        Command::new("several")
            .subcommand_required(true)
            .args([
                Arg::new("areas").num_args(1..).required(true),
                option("plain"),
            ])
            .subcommand(Command::new("go")),
        // All three want the tool name `torture_a_b`.
        Command::new("a")
            .subcommand_required(true)
            .subcommand(Command::new("b").arg(Arg::new("from_a"))),
        Command::new("a_b").arg(Arg::new("from_a_b")),
        Command::new("a.b").arg(Arg::new("from_dot")),
        Command::new("external")
            .allow_external_subcommands(true)
            .arg(switch("known"))
            .subcommand(Command::new("inner")),
        Command::new("secret")
            .hide(true)
            .arg(option("value"))
            .subcommand(Command::new("open")),
        Command::new("visible").args([option("shown"), option("unshown").hide(true)]),
        Command::new("tools").subcommand_required(true).subcommand(
            Command::new("mcp")
                .about("The user's own")
                .arg(Arg::new("verb").required(true)),
        ),
        Command::new("choose")
            .arg(Arg::new("word"))
            .arg(option("plain"))
            .subcommand(Command::new("test").visible_alias("check"))
            .subcommand(Command::new("list")),
        Command::new("negates")
            .subcommand_negates_reqs(true)
            .arg(option("name").required(true))
            .args([switch("red"), switch("green")])
            .group(ArgGroup::new("paint").args(["red", "green"]).required(true))
            .subcommand(Command::new("now").arg(option("name").id("own-name"))),
        Command::new("either")
            .args_conflicts_with_subcommands(true)
            .args([option("flag"), Arg::new("word")])
            .subcommand(Command::new("sub").arg(option("flag").id("sub-flag"))),
        Command::new("shadow").args([
            option("output").value_parser(value_parser!(i64)),
            Arg::new("yes").value_parser(value_parser!(bool)),
        ]),
        Command::new("precedence")
            .subcommand_precedence_over_arg(true)
            .args([option("many").num_args(1..), Arg::new("word")])
            .subcommand(Command::new("stop")),
        Command::new("infer")
            .infer_subcommands(true)
            .infer_long_args(true)
            .args([Arg::new("word"), option("verbosity"), option("version-of")])
            .subcommand(Command::new("status")),
    ]
}

/// What clap understood, from the root down.
fn seen(matches: &ArgMatches) -> Map<String, Value> {
    let mut built = cli();
    built.build();
    let (mut command, mut matches) = (&built, matches);
    let mut words: Vec<String> = Vec::new();
    let mut outer = Map::new();
    loop {
        let next = matches.subcommand();
        let child = next.and_then(|(name, _)| command.find_subcommand(name));
        let own = arguments(command, matches, child.is_none());
        let (Some((name, below)), Some(child)) = (next, child) else {
            outer.insert("command".into(), words.join(" ").into());
            outer.extend(own);
            if let Some((name, below)) = next {
                let rest = below.get_many::<OsString>("").into_iter().flatten();
                let rest = rest.map(|value| Value::from(value.to_string_lossy()));
                let all: Vec<Value> = std::iter::once(name.into()).chain(rest).collect();
                outer.insert("external".into(), all.into());
            }
            return outer;
        };
        if !own.is_empty() {
            outer.insert(command.get_name().to_owned(), own.into());
        }
        words.push(name.to_owned());
        (command, matches) = (child, below);
    }
}

fn arguments(command: &Command, matches: &ArgMatches, is_leaf: bool) -> Map<String, Value> {
    let with_defaults = command.get_name() == "defaults";
    let mut found = Map::new();
    for arg in command
        .get_arguments()
        .filter(|arg| is_leaf || !arg.is_global_set())
    {
        let id = arg.get_id().as_str();
        let given = match matches.try_contains_id(id) {
            Ok(true) => matches
                .value_source(id)
                .is_some_and(|source| source != ValueSource::DefaultValue),
            _ => continue,
        };
        if given || with_defaults {
            found.insert(id.to_owned(), value(arg, matches));
        }
    }
    found
}

/// One argument as the program has it, in the type that its parser made.
fn value(arg: &Arg, matches: &ArgMatches) -> Value {
    let id = arg.get_id().as_str();
    match arg.get_action() {
        ArgAction::SetTrue | ArgAction::SetFalse => return matches.get_flag(id).into(),
        ArgAction::Count => return matches.get_count(id).into(),
        _ => {}
    }
    fn typed<T: Clone + Send + Sync + 'static>(
        matches: &ArgMatches,
        id: &str,
        show: impl Fn(&T) -> Value,
    ) -> Option<Vec<Vec<Value>>> {
        let occurrences = matches.try_get_occurrences::<T>(id).ok()??;
        Some(
            occurrences
                .map(|values| values.map(&show).collect())
                .collect(),
        )
    }
    let occurrences = typed::<String>(matches, id, |text| text.as_str().into())
        .or_else(|| typed::<bool>(matches, id, |yes| (*yes).into()))
        .or_else(|| typed::<i8>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<i32>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<i64>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<u8>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<u16>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<u32>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<u64>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<f64>(matches, id, |number| (*number).into()))
        .or_else(|| typed::<u128>(matches, id, |number| number.to_string().into()))
        .or_else(|| typed::<i128>(matches, id, |number| number.to_string().into()))
        .or_else(|| typed::<char>(matches, id, |letter| letter.to_string().into()))
        .or_else(|| typed::<IpAddr>(matches, id, |address| address.to_string().into()))
        .or_else(|| typed::<PathBuf>(matches, id, |path| path.to_string_lossy().into()))
        .or_else(|| typed::<OsString>(matches, id, |text| text.to_string_lossy().into()))
        .or_else(|| {
            typed::<Speed>(matches, id, |speed| {
                let shown = speed.to_possible_value().expect("no variant is skipped");
                shown.get_name().into()
            })
        })
        .expect("every type of this CLI is in the list");
    let most = arg.get_num_args().map_or(1, |range| range.max_values());
    let repeats = matches!(arg.get_action(), ArgAction::Append);
    if repeats && most == 2 {
        return json!(occurrences);
    }
    let values = occurrences.concat();
    if repeats || most > 1 || arg.get_value_delimiter().is_some() {
        return values.into();
    }
    values.into_iter().next().unwrap_or(Value::Null)
}
