//! Pages in the layout of each framework, with words of our own.

use charmer_core::model::{Arguments, FlagValue, Repetition};

use super::*;
use crate::{binary::Binary, probe::ProbeAnswer, sketch::ChildSketch};

/// A page as the family reads it: a line for the positionals, one for each command, one for each flag.
fn read<D: HelpStyle>(text: &str, path: &str) -> Vec<String> {
    let text = page::normal(text);
    let sketch = D::read(&text, "bakery", &CommandPath::parse(path)).expect("its page");
    let mut shown = Vec::new();
    if let Some(Arguments::Listed(listed)) = sketch.arguments.map(|fact| fact.value) {
        let words = listed.iter().map(|one| {
            let dots = if one.variadic { "..." } else { "" };
            let mark = if one.required { "!" } else { "" };
            format!("{}{dots}{mark}", one.id)
        });
        let words: Vec<String> = words.collect();
        if !words.is_empty() {
            shown.push(format!("({})", words.join(" ")));
        }
    }
    for child in &sketch.children {
        let names = std::iter::once(&child.name).chain(&child.aliases);
        let names: Vec<&str> = names.map(String::as_str).collect();
        let about = child.about.as_ref().map(|about| about.value.as_str());
        shown.push(format!("{}: {}", names.join("|"), about.unwrap_or("?")));
        shown.extend(below(child, &child.name));
    }
    shown.extend(sketch.flags.iter().map(flag));
    shown
}

/// The commands below one that its parent's page lists.
fn below(child: &ChildSketch, path: &str) -> Vec<String> {
    let inner = child.below.iter().flat_map(|child| {
        let path = format!("{path} {}", child.name);
        let mut shown = below(child, &path);
        shown.insert(0, path);
        shown
    });
    inner.collect()
}

fn flag(flag: &FlagSketch) -> String {
    let mut line: String = flag
        .short
        .map(|short| format!("-{short} "))
        .unwrap_or_default();
    line += &flag.written();
    for alias in &flag.aliases {
        line += &format!("|{alias}");
    }
    if let Some(kind) = flag.kind.as_ref().map(|fact| &fact.value) {
        let dots = match kind.repetition {
            Repetition::Single => "",
            Repetition::Repeat { delimiter: None } => "...",
            Repetition::Repeat { .. } => ",...",
            _ => "+",
        };
        let kind_of = format!("{:?}", kind.value_type);
        let kind_of = kind_of.split([' ', '(']).next().unwrap_or_default();
        line += &match kind.value {
            FlagValue::None => format!(" {kind_of}"),
            FlagValue::Required => format!(" <{kind_of}{dots}>"),
            _ => format!(" [{kind_of}{dots}]"),
        };
    }
    line.extend(flag.negation.iter().map(|name| format!(" not:{name}")));
    line.extend(
        flag.default
            .iter()
            .map(|fact| format!(" ={}", fact.value.join(","))),
    );
    if let Some(choices) = &flag.choices {
        let values: Vec<&str> = choices.value.iter().map(|one| one.value.as_str()).collect();
        line += &format!(" {{{}}}", values.join(","));
    }
    if flag.required.as_ref().is_some_and(|fact| fact.value) {
        line += " required";
    }
    line.extend(flag.env.iter().map(|fact| format!(" ${}", fact.value)));
    line
}

/// The family that would be chosen for a program with this help.
fn chosen(text: &str) -> &'static str {
    let answer = ProbeAnswer {
        stdout: text.to_owned(),
        started: true,
        code: Some(0),
        ..ProbeAnswer::default()
    };
    let signs = Signs {
        help: &answer,
        binary: &Binary::new("/no/such/bakery".as_ref()),
    };
    let all = crate::family::families();
    let best = all
        .iter()
        .map(|family| (family.recognise(&signs), family.name()));
    // Of equals the first is taken.
    best.rev()
        .max_by_key(|(score, _)| *score)
        .map_or("", |(_, name)| name)
}

const URFAVE: &str = "NAME:
   bakery - bake and sell

USAGE:
   bakery [global options] command [command options]

VERSION:
   1.2.3

COMMANDS:
   bake, b  bake some bread
   help, h  Shows a list of commands or help for one command
   counter:
     sell  sell bread
     oven  look after the oven

GLOBAL OPTIONS:
   --shop NAME, -s NAME, --store NAME  NAME of the shop (default: \"corner\") [$BAKERY_SHOP]
   --loud                              say more (default: false)
   --help, -h                          show help
";

#[test]
fn urfave() {
    assert_eq!(chosen(URFAVE), "urfave/cli");
    assert_eq!(
        read::<urfave::Urfave>(URFAVE, ""),
        [
            "bake|b: bake some bread",
            "sell: sell bread",
            "oven: look after the oven",
            "-s --shop|store <String> =corner $BAKERY_SHOP",
            "--loud Bool =false",
            "-h --help Bool",
        ]
    );
    let bake = "NAME:
   bakery bake - bake some bread

USAGE:
   bakery bake [options] RECIPE [EXTRA...]

OPTIONS:
   --customer string                for whom
   --loaves int                     how many (default: 4)
   --seed string [ --seed string ]  seeds on top

   oven

   --heat value     how hot (default: 0.5)
   --rest value     how long it rests (default: 1m30s)
";
    assert_eq!(
        read::<urfave::Urfave>(bake, "bake"),
        [
            "(recipe! extra...)",
            "--customer <String>",
            "--loaves <Integer> =4",
            "--seed <String,...>",
            "--heat <Number> =0.5",
            "--rest <Duration> =1m30s",
        ]
    );
    assert!(urfave::Urfave::read(bake, "bakery", &CommandPath::parse("sell")).is_none());
}

#[test]
fn kong() {
    let root = "Usage: bakery <command> [flags]

Bake and sell.

Flags:
  -h, --help             Show context-sensitive help.
  -s, --shop=\"corner\"    Name of the shop ($BAKERY_SHOP).

Commands:
  bake (b) --customer=STRING <recipe> [<extras> ...] [flags]
    Bake some bread.

  oven light [flags]
    Light it.

  oven clean (wipe) [flags]
    Clean it.

Run \"bakery <command> --help\" for more information on a command.
";
    assert_eq!(chosen(root), "kong");
    assert_eq!(
        read::<kong::Kong>(root, ""),
        [
            "bake|b: Bake some bread.",
            "oven: ?",
            "-h --help Bool",
            "-s --shop <String> =corner",
        ]
    );
    let bake = "Usage: bakery bake (b) --customer=STRING <recipe> [<extras> ...] [flags]

Bake some bread.

Arguments:
  <recipe>          What to bake.

Flags:
  -s, --shop=\"corner\"          Name of the shop.

      --loaves=4               How many.
      --price=INT              How much.
      --rest=90s               How long it rests.
      --seed=SEED,...          Seeds on top.
      --label=KEY=VALUE;...    Labels.
      --[no-]salt              With salt.
      --customer=STRING        For whom.
";
    assert_eq!(
        read::<kong::Kong>(bake, "bake"),
        [
            "(recipe! extras...)",
            "-s --shop <String> =corner",
            "--loaves <Integer> =4",
            "--price <Integer>",
            "--rest <Duration> =90s",
            "--seed <String,...>",
            "--label <Map...>",
            "--salt Bool not:no-salt",
            "--customer <String> required",
        ]
    );
    let oven = "Usage: bakery oven <command> [flags]\n\nCommands:\n  oven light [flags]\n    Light it.\n\n  oven clean (wipe) [flags]\n    Clean it.\n";
    assert_eq!(
        read::<kong::Kong>(oven, "oven"),
        ["light: Light it.", "clean|wipe: Clean it."]
    );
}

#[test]
fn kingpin() {
    let root = "usage: bakery [<flags>] <command> [<args> ...]

Bake and sell.


Flags:
      --[no-]help      Show context-sensitive help (also try --help-long and
                       --help-man).
  -s, --shop=\"corner\"  Name of the shop. ($BAKERY_SHOP)

Commands:
help [<command>...]
    Show help.

bake --customer=CUSTOMER [<flags>] <recipe> [<extras>...]
    Bake some bread.

oven light [<flags>]
    Light it.


";
    assert_eq!(chosen(root), "kingpin");
    assert_eq!(
        read::<kong::Kingpin>(root, ""),
        [
            "bake: Bake some bread.",
            "oven: ?",
            "--help Bool not:no-help",
            "-s --shop <String> =corner $BAKERY_SHOP",
        ]
    );
    let bake = "usage: bakery bake --customer=CUSTOMER [<flags>] <recipe> [<extras>...]

Bake some bread.


Flags:
  -f, --flour=\"rye\"        Kind of flour.
      --seed=SEED ...      Seeds on top.
      --customer=CUSTOMER  For whom.

Args:
  <recipe>    What to bake.
";
    assert_eq!(
        read::<kong::Kingpin>(bake, "bake"),
        [
            "(recipe! extras...)",
            "-f --flour <String> =rye",
            "--seed <String...>",
            "--customer <String> required",
        ]
    );
}

#[test]
fn commander() {
    let root = "Usage: bakery [options] [command]

Bake and sell.

Options:
  -V, --version                          output the version number
  -s, --shop <name>                      name of the shop (default: \"corner\")
  -h, --help                             display help for command

Commands:
  bake|b [options] <recipe> [extras...]  bake some bread
  oven                                   look after the oven, which takes a whole
                                         morning
  help [command]                         display help for command
";
    assert_eq!(chosen(root), "commander");
    assert_eq!(
        read::<commander::Commander>(root, ""),
        [
            "bake|b: bake some bread",
            "oven: look after the oven, which takes a whole morning",
            "-V --version Bool",
            "-s --shop <String> =corner",
            "-h --help Bool",
        ]
    );
    let bake = "Usage: bakery bake|b [options] <recipe> [extras...]

Arguments:
  recipe              what to bake

Options:
  --grain <grain>     how it is ground (choices: \"fine\", \"coarse\", default:
                      \"fine\")
  --seeds <seed...>   seeds on top
  --colour [colour]   which colour
  --no-salt           without salt
  --oven <name>       which oven (env: BAKERY_OVEN)

Global Options:
  --loud              say more
";
    assert_eq!(
        read::<commander::Commander>(bake, "bake"),
        [
            "(recipe! extras...)",
            "--grain <String> =fine {fine,coarse}",
            "--seeds <String...>",
            "--colour [String]",
            "--no-salt Bool",
            "--oven <String> $BAKERY_OVEN",
            "--loud Bool",
        ]
    );
}

#[test]
fn an_older_commander_shows_a_commands_own_name() {
    let page = "\n  Usage: light [options] <oven>\n\n  Light it\n\n  Options:\n\n    -g --gently  not too hot\n    -h, --help   output usage information\n";
    assert_eq!(chosen(page), "commander");
    assert_eq!(
        read::<commander::Commander>(page, "oven light"),
        ["(oven!)", "-g --gently Bool", "-h --help Bool"]
    );
    let text = page::normal(page);
    let other = CommandPath::parse("oven clean");
    assert!(commander::Commander::read(&text, "bakery", &other).is_none());
}

#[test]
fn cac() {
    let root = "bakery/1.2.3\n\nUsage:\n  $ bakery [folder]\n\nCommands:\n  [folder]        open the shop\n  bake [recipe]   bake some bread\n\nFor more info, run any command with the `--help` flag:\n  $ bakery bake --help\n\nOptions:\n  -p, --price <n>  [number] how much \n  -h, --help       Display this message \n";
    assert_eq!(chosen(root), "cac");
    assert_eq!(
        read::<commander::Cac>(root, ""),
        [
            "(folder)",
            "bake: bake some bread",
            "-p --price <Number>",
            "-h --help Bool",
        ]
    );
}

#[test]
fn yargs() {
    let root = "bakery <command>

Commands:
  bakery bake <recipe> [extras..]  bake some bread                  [aliases: b]
  bakery oven <command>            look after the oven

Options:
      --help     Show help                                             [boolean]
      --version  Show version number                                   [boolean]
  -s, --shop     name of the shop                   [string] [default: \"corner\"]
";
    assert_eq!(chosen(root), "yargs");
    assert_eq!(
        read::<yargs::Yargs>(root, ""),
        [
            "bake|b: bake some bread",
            "oven: look after the oven",
            "--help Bool",
            "-s --shop <String> =corner",
        ]
    );
    let bake = "bakery bake <recipe> [extras..]

bake some bread

Positionals:
  recipe  what to bake                                       [string] [required]

Baking
      --grain     how it is ground, in words that are long enough for the next
                  line    [string] [choices: \"fine\", \"coarse\"] [default: \"fine\"]
      --loaves    how many                                 [number] [default: 4]
      --seed      seeds on top                                           [array]
  -t, --turn      turn it                                                [count]

Options:
      --customer  for whom                                   [string] [required]
      --words     anything
";
    assert_eq!(
        read::<yargs::Yargs>(bake, "bake"),
        [
            "(recipe! extras...)",
            "--grain <String> =fine {fine,coarse}",
            "--loaves <Number> =4",
            "--seed <String+>",
            "-t --turn Count",
            "--customer <String> required",
            "--words [String]",
        ]
    );
}

#[test]
fn yargs_with_commands_under_headings_of_the_author() {
    let root = "bakery

COMMANDS
  bakery recipes [search..]  open the book

SHOP & COUNTER
  bakery sell [loaf]         sell some bread
  bakery till                count the money

EXAMPLES
  bakery sell rye            sell rye

GLOBAL FLAGS
  -s, --shop  name of the shop  [string]
  -h, --help  Show help  [boolean]
";
    assert_eq!(chosen(root), "yargs");
    assert_eq!(
        read::<yargs::Yargs>(root, ""),
        [
            "recipes: open the book",
            "sell: sell some bread",
            "till: count the money",
            "-s --shop <String>",
            "-h --help Bool",
        ]
    );
}

#[test]
fn oclif() {
    let root = "Bake and sell

VERSION
  bakery/1.2.3

USAGE
  $ bakery [COMMAND]

TOPICS
  oven  look after the oven

COMMANDS
  bake  bake some bread
";
    assert_eq!(chosen(root), "oclif");
    assert_eq!(
        read::<oclif::Oclif>(root, ""),
        ["oven: look after the oven", "bake: bake some bread"]
    );
    let bake = "bake some bread

USAGE
  $ bakery bake RECIPE [EXTRA] --customer <value> [-f <value>]
    [--grain fine|coarse] [--seed <value>...] [--salt]

FLAGS
  -f, --flour=<value>     [default: rye] kind of flour
      --customer=<value>  (required) for whom
      --grain=<option>    how it is ground
                          <options: fine|coarse>
      --[no-]salt         with salt
      --seed=<value>...   seeds on top

ALIASES
  $ bakery b
";
    assert_eq!(
        read::<oclif::Oclif>(bake, "bake"),
        [
            "(recipe! extra)",
            "-f --flour <String> =rye",
            "--customer <String> required",
            "--grain <String> {fine,coarse}",
            "--salt Bool not:no-salt",
            "--seed <String+>",
        ]
    );
    let oven = "look after the oven\n\nUSAGE\n  $ bakery oven COMMAND\n\nCOMMANDS\n  oven light  light it\n";
    assert_eq!(read::<oclif::Oclif>(oven, "oven"), ["light: light it"]);
}

#[test]
fn a_name_that_holds_its_topic_is_called_alone() {
    let light = CommandPath::parse("oven oven:light");
    let asked = commander::Commander::help_requests(&light);
    assert_eq!(asked, [["oven:light", "--help"]]);
    let plain = CommandPath::parse("oven shelf:light");
    let asked = commander::Commander::help_requests(&plain);
    assert_eq!(asked, [["oven", "shelf:light", "--help"]]);
    let page = "Usage: bakery oven:light [options]\n\nlight it\n\nOptions:\n  --hot       very\n  -h, --help  display help for command\n";
    let found = read::<commander::Commander>(page, "oven oven:light");
    assert_eq!(found, ["--hot Bool", "-h --help Bool"]);
    let mut sketches: Sketches = [CommandPath::parse("oven"), light.clone()]
        .into_iter()
        .map(|path| (path.clone(), CommandSketch::new(path)))
        .collect();
    commander::Commander::finish(&mut sketches);
    let paths: Vec<String> = sketches.keys().map(ToString::to_string).collect();
    assert_eq!(paths, ["oven", "oven:light"]);
}

#[test]
fn options_without_room_before_their_texts() {
    let page = "bake it\n\nUSAGE\n  $ bakery bake [options]\n\nOPTIONS\n  -d, --dir <path>The folder that the\n       loaves are in\n  -h, --helpdisplay help for command\n  --dry-runOnly look (default: false)\n  --tell [who]Tell somebody\n";
    assert_eq!(
        read::<oclif::Oclif>(page, "bake"),
        [
            "-d --dir <Path>",
            "-h --help Bool",
            "--dry-run Bool =false",
            "--tell [String]",
        ]
    );
}

#[test]
fn topics_with_colons_are_called_by_one_word() {
    let page = "look after the oven\n\nUSAGE\n  $ bakery oven:COMMAND\n\nCOMMANDS\n  oven:light  light it\n";
    assert_eq!(read::<oclif::Oclif>(page, "oven"), ["oven:light: light it"]);
    let light = CommandPath::parse("oven oven:light");
    let asked = oclif::Oclif::help_requests(&light);
    assert_eq!(asked, [["oven:light", "--help"]]);
    let page =
        "light it\n\nUSAGE\n  $ bakery oven:light [-g]\n\nFLAGS\n  -g, --gently  not too hot\n";
    assert_eq!(
        read::<oclif::Oclif>(page, "oven oven:light"),
        ["-g --gently Bool"]
    );
    let mut sketches = Sketches::new();
    for (path, runs) in [
        ("oven", Some(false)),
        ("oven oven:light", None),
        ("sell", Some(true)),
        ("sell sell:all", None),
    ] {
        let path = CommandPath::parse(path);
        let mut sketch = CommandSketch::new(path.clone());
        sketch.runnable = runs.map(|runs| Fact::new(runs, Origin::Usage));
        sketches.insert(path, sketch);
    }
    oclif::Oclif::finish(&mut sketches);
    let left: Vec<String> = sketches.keys().map(ToString::to_string).collect();
    assert_eq!(left, ["oven:light", "sell", "sell:all"]);
}

#[test]
fn picocli() {
    let root = "Usage: bakery [-hV] [--loud] [-s=<shop>] [COMMAND]
Bake and sell.
  -h, --help          Show this help message and exit.
      --loud          Say more.
  -s, --shop=<shop>   Name of the shop.
  -V, --version       Print version information and exit.
Commands:
  bake, b  Bake some bread.
  oven     Look after the oven.
";
    assert_eq!(chosen(root), "picocli");
    assert_eq!(
        read::<picocli::Picocli>(root, ""),
        [
            "bake|b: Bake some bread.",
            "oven: Look after the oven.",
            "-h --help Bool",
            "--loud Bool",
            "-s --shop <String>",
        ]
    );
    let bake = "Usage: bakery bake [-hV] [--[no-]salt] [--colour[=<colour>]]
                   --customer=<customer> [-f=<flour>]
                   [--seed=<seed>]... <recipe> [<extras>...]
Bake some bread.
      <recipe>              What to bake.
      [<extras>...]         What else goes in.
      --colour[=<colour>]   Which colour.
      --customer=<customer> For whom.
  -f, --flour=<flour>       Kind of flour.
                              Default: rye
      --[no-]salt           With salt.
      --seed=<seed>         Seeds on top.
";
    assert_eq!(
        read::<picocli::Picocli>(bake, "bake"),
        [
            "(recipe! extras...)",
            "--colour [String]",
            "--customer <String> required",
            "-f --flour <String> =rye",
            "--salt Bool not:no-salt",
            "--seed <String...>",
        ]
    );
}

#[test]
fn symfony() {
    let help = "Description:\n  List commands\n\nUsage:\n  list [options] [--] [<namespace>]\n\nOptions:\n  -h, --help            Display help for the given command. When no command is given display help for the list command\n  -v|vv|vvv, --verbose  Increase the verbosity\n";
    assert_eq!(chosen(help), "Symfony console");
    let root = "Bakery 1.2.3

Usage:
  command [options] [arguments]

Options:
      --ansi|--no-ansi      Force (or disable --no-ansi) colours
  -v|vv|vvv, --verbose      Increase the verbosity

Available commands:
  bake        [b|bk] Bakes some bread
  help        Display help for a command
  list        List commands
 oven
  oven:light  Lights it
";
    assert_eq!(
        read::<symfony::Symfony>(root, ""),
        [
            "bake|b|bk: Bakes some bread",
            "oven:light: Lights it",
            "--ansi Bool not:no-ansi",
            "-v --verbose Count",
        ]
    );
    let bake = "Description:
  Bakes some bread

Usage:
  bake [options] [--] <recipe> [<extras>...]
  b

Arguments:
  recipe                What to bake

Options:
      --flour=FLOUR     Kind of flour [default: \"rye\"]
      --colour[=COLOUR]  Which colour
      --seed=SEED       Seeds on top (multiple values allowed)
";
    assert_eq!(
        read::<symfony::Symfony>(bake, "bake"),
        [
            "(recipe! extras...)",
            "--flour <String> =rye",
            "--colour [String]",
            "--seed <String...>",
        ]
    );
}

#[test]
fn cleo() {
    let root = "Bakery (version 1.2.3)

Usage:
  command [options] [arguments]

Options:
  -h, --help            Display help for the given command. When no command is given display help for the list command.
  -v|vv|vvv, --verbose  Increase the verbosity

Available commands:
  bake        Bakes some bread
  list        Lists commands.

 oven
  oven clean  Cleans it
  oven light  Lights it
  oven light all  Lights all of them
";
    let below = ["oven clean", "oven light", "oven light", "oven light all"];
    assert_eq!(
        read::<symfony::Symfony>(root, "")[..6],
        [&["bake: Bakes some bread", "oven: ?"], below.as_slice()].concat()
    );
    let oven = "Bakery (version 1.2.3)

Usage:
  command [options] [arguments]

Options:
  -v|vv|vvv, --verbose  Increase the verbosity

Available commands for the \"oven\" namespace:
  oven clean  Cleans it
  oven light  Lights it
";
    assert_eq!(
        read::<symfony::Symfony>(oven, "oven"),
        ["clean: Cleans it", "light: Lights it"]
    );
}

#[test]
fn thor() {
    let root = "Commands:
  bakery bake RECIPE [EXTRA...] --customer=CUSTOMER  # Bake some bread
  bakery help [COMMAND]                              # Describe available com...
  bakery oven SUBCOMMAND                             # Look after the oven

Options:
  [--loud], [--no-loud]  # Say more
";
    assert_eq!(chosen(root), "Thor");
    assert_eq!(
        read::<thor::Thor>(root, ""),
        ["bake: Bake some bread", "oven: Look after the oven"]
    );
    let bake = "Usage:
  bakery bake RECIPE [EXTRA...] --customer=CUSTOMER

Options:
  -f, [--flour=FLOUR]         # Kind of flour
                              # Default: rye
      [--grain=GRAIN]         # How it is ground
                              # Possible values: fine, coarse
      [--loaves=N]            # How many
      [--seed=one two three]  # Seeds on top
      [--salt], [--no-salt], [--skip-salt]   # With salt
                              # Default: true
      --customer=CUSTOMER     # For whom
      [--words=WORDS]         

Bake some bread
";
    assert_eq!(
        read::<thor::Thor>(bake, "bake"),
        [
            "(recipe! extra...)",
            "-f --flour <String> =rye",
            "--grain <String> {fine,coarse}",
            "--loaves <Number>",
            "--seed <String+>",
            "--salt Bool not:no-salt =true",
            "--customer <String> required",
            "--words <String>",
        ]
    );
    let oven = "Commands:\n  bakery oven clean           # Clean it\n  bakery oven help [COMMAND]  # Describe subcommands\n";
    assert_eq!(read::<thor::Thor>(oven, "oven"), ["clean: Clean it"]);
    assert!(thor::Thor::read(oven, "bakery", &CommandPath::parse("sell")).is_none());
}

#[test]
fn a_command_that_is_listed_under_two_names_is_kept_once() {
    let mut sketches = Sketches::new();
    for (path, aliases) in [
        ("", ""),
        ("bake", "b"),
        ("b", "b"),
        ("b now", ""),
        ("sell", "vend"),
        ("vend", "sell"),
    ] {
        let path = CommandPath::parse(path);
        let mut sketch = CommandSketch::new(path.clone());
        sketch.aliases = aliases.split_whitespace().map(Into::into).collect();
        sketches.insert(path, sketch);
    }
    drop_aliases(&mut sketches);
    let left: Vec<String> = sketches.keys().map(ToString::to_string).collect();
    assert_eq!(left, ["", "bake", "sell"]);
}

#[test]
fn other_help_is_left_to_others() {
    for text in [
        "Usage: sieve [OPTION]... [FILE]...\nSieves flour.\n\n  -a, --all   take all\n      --help  display this help and exit\n",
        "\n  serve - shows files\n\n  USAGE\n\n    $ serve --help\n    $ serve folder\n\n  OPTIONS\n\n    --help     Shows this\n    -s, --single  One\n",
        "tool <command>\n\nThe commands are:\n\n  add   Add a thing\n  list  List them\n",
        "usage: kiln [-h] [--hot]\n\noptions:\n  -h, --help  show this help message and exit\n  --hot       heat it\n",
    ] {
        for family in frameworks() {
            assert_ne!(chosen(text), family.name(), "{text}");
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_read(text in "([a-z\\[\\]<>(),|:=#$\\- \\n\\t]|Usage:|USAGE|COMMANDS|Commands:|OPTIONS|[\\PC]){0,160}") {
        let answer = ProbeAnswer { stdout: text, started: true, code: Some(0), ..ProbeAnswer::default() };
        let binary = Binary::new("/no/such/bakery".as_ref());
        for family in frameworks() {
            family.recognise(&Signs { help: &answer, binary: &binary });
            for path in ["", "a"] {
                let path = CommandPath::parse(path);
                let page = Page { program: "bakery", path: &path, answer: &answer };
                family.read(&page);
            }
        }
    }
}
