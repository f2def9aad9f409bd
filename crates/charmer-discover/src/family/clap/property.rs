//! Random programs, built with clap itself: what is read from their help and their errors is what they were built from.

use std::{collections::BTreeMap, ffi::OsString};

use charmer_core::model::{
    Command, CommandPath, Flag, FlagValue, Positional, Repetition, Syntax, ValueType,
};
use clap::{Arg, ArgAction, value_parser};
use proptest::prelude::*;

use super::{
    answer, globals, page, refine,
    wrong_values::{Round, ValueQuestion},
};
use crate::{build::build, sketch::CommandSketch, walk::Found};

#[derive(Debug, Clone, PartialEq)]
enum RandomValue {
    Switch,
    Count,
    Text,
    NamedLikePath,
    Path,
    Byte,
    Int,
    Size,
    Port,
    Float,
    Letter,
    Truth,
    Choice,
    ChoiceWithHelp,
    Texts,
    Ints,
    Choices,
    Optional,
    OptionalEquals,
    Pair,
    Many,
}

#[derive(Debug, Clone)]
struct Opt {
    word: &'static str,
    long: bool,
    short: bool,
    takes: RandomValue,
    help: String,
    default: bool,
    required: bool,
    global: bool,
    env: bool,
    alias: bool,
    heading: bool,
    hidden: bool,
}

#[derive(Debug, Clone)]
struct Pos {
    takes: RandomValue,
    required: bool,
    help: String,
}

#[derive(Debug, Clone)]
struct Cmd {
    about: String,
    opts: Vec<Opt>,
    positionals: Vec<Pos>,
    many: u8,
    subs: Vec<Cmd>,
    sub_required: bool,
    aliases: bool,
}

const WORDS: [&str; 8] = [
    "heat", "no-glaze", "clay", "file", "jobs", "color", "x-y", "shelf2",
];

fn help() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        "[A-Z][a-z]{1,8}( [a-z]{1,9}){0,30}",
        Just("Fire it. See --other for more, or [this].".to_owned()),
        Just("A text\n\n--heat is no flag here\n- nor is this".to_owned()),
        Just("First paragraph\n\nNote: the second\n  indented more".to_owned()),
    ]
}

fn takes() -> impl Strategy<Value = RandomValue> {
    use RandomValue::*;
    prop::sample::select(vec![
        Switch,
        Switch,
        Count,
        Text,
        NamedLikePath,
        Path,
        Byte,
        Int,
        Size,
        Port,
        Float,
        Letter,
        Truth,
        Choice,
        ChoiceWithHelp,
        Texts,
        Ints,
        Choices,
        Optional,
        OptionalEquals,
        Pair,
        Many,
    ])
}

prop_compose! {
    fn opt()(
        word in prop::sample::select(&WORDS[..]), names in 0..3u8, takes in takes(), help in help(),
        bits in any::<[bool; 7]>(), rare in 0..8u8,
    ) -> Opt {
        let [default, required, global, env, alias, heading, _] = bits;
        Opt {
            word, long: names != 0, short: names != 1, takes, help, default,
            required: required && rare.is_multiple_of(2), global, env, alias, heading, hidden: rare == 7,
        }
    }
}

prop_compose! {
    fn pos()(takes in takes(), required in any::<bool>(), help in help()) -> Pos {
        Pos { takes, required, help }
    }
}

fn cmd() -> impl Strategy<Value = Cmd> {
    let leaf = (
        help(),
        prop::collection::vec(opt(), 0..6),
        prop::collection::vec(pos(), 0..4),
        0..4u8,
        any::<[bool; 2]>(),
    )
        .prop_map(
            |(about, opts, positionals, many, [sub_required, aliases])| Cmd {
                about,
                opts,
                positionals,
                many,
                subs: Vec::new(),
                sub_required,
                aliases,
            },
        );
    leaf.prop_recursive(2, 12, 3, |inner| {
        (inner.clone(), prop::collection::vec(inner, 1..4)).prop_map(|(mut cmd, subs)| {
            cmd.subs = subs;
            cmd.positionals.clear();
            cmd
        })
    })
}

/// The model that is expected and the program, from the same description. `depth` and `serial` keep names apart.
struct RandomCli {
    serial: usize,
}

impl RandomCli {
    fn command(&mut self, name: String, cmd: &Cmd) -> (clap::Command, Command) {
        let mut real = clap::Command::new(name.clone()).term_width(90);
        let mut model = Command::new(name);
        if !cmd.about.is_empty() {
            real = real.about(cmd.about.clone());
        }
        for (at, opt) in cmd.opts.iter().enumerate() {
            let (arg, flag) = self.option(at, opt, !cmd.subs.is_empty());
            real = real.arg(arg);
            model.flags.extend(flag.map(Into::into));
        }
        let mut listed = Vec::new();
        let count = cmd.positionals.len();
        let mut optional = false;
        for (at, pos) in cmd.positionals.iter().enumerate() {
            optional |= !pos.required;
            let last = at + 1 == count;
            let many = if last { cmd.many } else { 0 };
            let asked = cmd.many == 0;
            let (arg, positional) = positional(at, pos, !optional, many, asked);
            real = real.arg(arg);
            listed.push(positional);
        }
        model.arguments = charmer_core::model::Arguments::Listed(listed);
        if !cmd.subs.is_empty() {
            real = real.subcommand_required(cmd.sub_required);
            model.runnable = !cmd.sub_required;
        }
        for sub in &cmd.subs {
            self.serial += 1;
            let (mut child, mut expected) = self.command(format!("sub{}", self.serial), sub);
            if sub.aliases {
                let alias = format!("s{}", self.serial);
                child = child.visible_alias(alias.clone());
                expected.aliases.push(alias);
            }
            real = real.subcommand(child);
            model.commands.push(expected);
        }
        (real, model)
    }

    fn option(&mut self, at: usize, opt: &Opt, has_subs: bool) -> (Arg, Option<Flag>) {
        self.serial += 1;
        let long = format!("{}-{}", opt.word, self.serial);
        let mut arg = Arg::new(long.clone());
        let mut flag = Flag::new(long.clone());
        // Letters are told apart within a command and from the globals of its ancestors by their serial number.
        let letter = char::from_u32(0x4e00 + self.serial as u32).expect("a letter");
        let short_only = opt.short && !opt.long;
        if opt.short {
            arg = arg.short(letter);
            flag.short = Some(letter);
        }
        if short_only {
            flag.long = None;
            flag.id = letter.to_string();
        } else {
            arg = arg.long(long.clone());
        }
        if !opt.help.is_empty() {
            arg = arg.help(opt.help.clone());
        }
        if opt.heading {
            arg = arg.help_heading(if at.is_multiple_of(2) {
                "Shaping options"
            } else {
                "Other"
            });
        }
        if opt.alias && !short_only {
            arg = arg.visible_alias(format!("{long}-too"));
            flag.aliases.push(format!("{long}-too"));
        }
        let (mut arg, default) = shape(arg, &mut flag, &opt.takes, &opt.help);
        let takes_value = flag.value != FlagValue::None;
        if opt.env && takes_value {
            let name = format!("PROPERTY_TEST_{}", self.serial);
            arg = arg.env(name.clone());
            flag.env = Some(name);
        }
        let required = opt.required && takes_value && !opt.global && !opt.hidden;
        if required {
            arg = arg.required(true);
            flag.required = true;
        } else if opt.default && !default.is_empty() {
            arg = arg.default_values(default.clone());
            flag.default = default.iter().map(ToString::to_string).collect();
        }
        if opt.global {
            arg = arg.global(true);
            flag.global = has_subs;
        }
        if opt.hidden {
            arg = arg.hide(true);
            return (arg, None);
        }
        (arg, Some(flag))
    }
}

/// Gives an option its action and parser; the second is a default that fits.
fn shape(arg: Arg, flag: &mut Flag, takes: &RandomValue, help: &str) -> (Arg, Vec<&'static str>) {
    const REPEAT: Repetition = Repetition::Repeat { delimiter: None };
    flag.value = FlagValue::Required;
    flag.value_type = ValueType::String;
    let strings = |values: &[&str]| {
        values
            .iter()
            .map(|value| charmer_core::model::Choice::new(*value))
            .collect()
    };
    let int = |min: i128, max: i128| ValueType::Integer { min, max };
    match takes {
        RandomValue::Switch => {
            flag.value = FlagValue::None;
            flag.value_type = ValueType::Bool;
            (arg.action(ArgAction::SetTrue), vec![])
        }
        RandomValue::Count => {
            flag.value = FlagValue::None;
            flag.value_type = ValueType::Count;
            (arg.action(ArgAction::Count), vec![])
        }
        RandomValue::Text => (arg.value_name("NAME"), vec!["two words"]),
        RandomValue::NamedLikePath => (arg.value_name("FILE"), vec!["a.txt"]),
        RandomValue::Path => {
            flag.value_type = ValueType::Path;
            (
                arg.value_name("PATH")
                    .value_parser(value_parser!(std::path::PathBuf)),
                vec!["a/b"],
            )
        }
        RandomValue::Byte => {
            flag.value_type = ValueType::unsigned(8);
            (arg.value_parser(value_parser!(u8)), vec!["7"])
        }
        RandomValue::Int => {
            flag.value_type = ValueType::INT;
            (arg.value_parser(value_parser!(i64)), vec!["-7"])
        }
        RandomValue::Size => {
            flag.value_type = ValueType::UINT;
            (
                arg.value_name("N").value_parser(value_parser!(usize)),
                vec!["7"],
            )
        }
        RandomValue::Port => {
            flag.value_type = int(1, 1024);
            (
                arg.value_parser(value_parser!(u16).range(1..=1024)),
                vec!["80"],
            )
        }
        RandomValue::Float => {
            flag.value_type = ValueType::Number;
            (arg.value_parser(value_parser!(f64)), vec!["0.5"])
        }
        RandomValue::Letter => {
            flag.value_type = ValueType::Char;
            (arg.value_parser(value_parser!(char)), vec!["c"])
        }
        RandomValue::Truth => {
            flag.value_type = ValueType::Bool;
            flag.choices = strings(&["true", "false"]);
            (arg.value_parser(value_parser!(bool)), vec!["true"])
        }
        RandomValue::Choice => {
            flag.choices = strings(&["low", "off white", "high"]);
            (
                arg.value_name("LEVEL")
                    .value_parser(["low", "off white", "high"]),
                vec!["off white"],
            )
        }
        RandomValue::ChoiceWithHelp => {
            let values = [
                clap::builder::PossibleValue::new("low").help("Not hot"),
                clap::builder::PossibleValue::new("high"),
            ];
            flag.choices = strings(&["low", "high"]);
            flag.choices[0].help = Some("Not hot".into());
            (arg.value_parser(values), vec!["high"])
        }
        RandomValue::Texts => {
            flag.repetition = REPEAT;
            (arg.action(ArgAction::Append), vec!["a", "b c"])
        }
        RandomValue::Ints => {
            flag.repetition = REPEAT;
            flag.value_type = ValueType::signed(32);
            (
                arg.action(ArgAction::Append)
                    .value_parser(value_parser!(i32)),
                vec!["1", "2"],
            )
        }
        RandomValue::Choices => {
            flag.repetition = REPEAT;
            flag.choices = strings(&["low", "high"]);
            (
                arg.action(ArgAction::Append).value_parser(["low", "high"]),
                vec!["low"],
            )
        }
        RandomValue::Optional | RandomValue::OptionalEquals => {
            flag.value = FlagValue::Optional { bare: None };
            let equals = *takes == RandomValue::OptionalEquals;
            let arg = arg
                .value_name("WHEN")
                .num_args(0..=1)
                .require_equals(equals);
            (arg.default_missing_value("now"), vec!["later"])
        }
        RandomValue::Pair => {
            flag.repetition = Repetition::Fixed {
                count: 2,
                repeat: false,
            };
            let arg = if help.is_empty() {
                arg.value_name("V")
            } else {
                arg.value_names(["X", "Y"])
            };
            (arg.num_args(2), vec!["1", "2"])
        }
        RandomValue::Many => {
            flag.repetition = Repetition::Span { min: 1, max: None };
            (arg.value_name("V").num_args(1..), vec!["a"])
        }
    }
}

fn positional(at: usize, pos: &Pos, required: bool, many: u8, asked: bool) -> (Arg, Positional) {
    let like_path = asked && matches!(pos.takes, RandomValue::Path | RandomValue::NamedLikePath);
    let id = format!("{}_{at}", if like_path { "file" } else { "arg" });
    let mut arg = Arg::new(id.clone()).value_name(id.to_uppercase());
    let mut expected = Positional::new(id);
    expected.required = required;
    if !pos.help.is_empty() {
        arg = arg.help(pos.help.clone());
    }
    match (&pos.takes, asked) {
        (RandomValue::Choice | RandomValue::ChoiceWithHelp, _) => {
            arg = arg.value_parser(["low", "high"]);
            expected.choices = ["low", "high"]
                .map(charmer_core::model::Choice::new)
                .to_vec();
        }
        // Where one takes several values none is asked about, so types stay hidden.
        (RandomValue::Path, true) => {
            arg = arg.value_parser(value_parser!(std::path::PathBuf));
            expected.value_type = ValueType::Path;
        }
        (RandomValue::Byte, true) => {
            arg = arg.value_parser(value_parser!(u8));
            expected.value_type = ValueType::unsigned(8);
        }
        (RandomValue::Size, true) => {
            arg = arg.value_parser(value_parser!(u64));
            expected.value_type = ValueType::UINT;
        }
        (RandomValue::Float, true) => {
            arg = arg.value_parser(value_parser!(f32));
            expected.value_type = ValueType::Number;
        }
        _ => {}
    }
    arg = arg.required(required);
    match many {
        1 => {
            arg = arg.num_args(1..);
            expected.variadic = true;
        }
        2 => {
            arg = arg.num_args(1..).last(true);
            expected.variadic = true;
            expected.last = true;
        }
        3 => {
            arg = arg.num_args(2);
            expected.variadic = true;
            expected.min_values = Some(2);
            expected.max_values = Some(2);
        }
        _ => {}
    }
    (arg, expected)
}

/// Runs the program in this process: what it prints, and whether it succeeds.
fn run(program: &clap::Command, argv: impl IntoIterator<Item = OsString>) -> (String, bool) {
    let argv = std::iter::once(OsString::from("tool")).chain(argv);
    match program.clone().try_get_matches_from(argv) {
        Ok(_) => panic!("a probe got through"),
        Err(error) => (error.render().to_string(), error.exit_code() == 0),
    }
}

/// The walk, without processes.
fn read(program: &clap::Command) -> Command {
    let mut found = Found::default();
    let mut open = vec![(CommandPath::root(), Vec::new())];
    while let Some((path, aliases)) = open.pop() {
        let words = || path.words().iter().map(OsString::from);
        let (text, succeeded) = run(program, words().chain(["--help".into()]));
        assert!(succeeded, "{text}");
        assert!(super::shape(&text) >= 80, "{text}");
        let mut sketch = page::read(&text, &path).expect("its own help").sketch;
        sketch.aliases = aliases;
        ask(program, &mut sketch);
        let order: Vec<String> = sketch
            .children
            .iter()
            .map(|child| child.name.clone())
            .collect();
        for child in &sketch.children {
            open.push((path.child(child.name.as_str()), child.aliases.clone()));
        }
        found.order.insert(path.clone(), order);
        found.commands.insert(path, sketch);
    }
    globals::mark(&mut found.commands);
    let Found {
        commands, order, ..
    } = found;
    build(
        commands,
        &order,
        "tool",
        Syntax::clap(),
        "/no/such/home",
        usize::MAX,
    )
    .0
    .root
}

fn ask(program: &clap::Command, sketch: &mut CommandSketch) {
    let words: Vec<OsString> = sketch.path.words().iter().map(OsString::from).collect();
    let probe = |elements: Vec<OsString>| {
        run(
            program,
            words
                .iter()
                .cloned()
                .chain(elements)
                .chain(["--help".into()]),
        )
    };
    let flags = sketch.flags.clone();
    let mut round = Round::new(flags.iter().filter_map(ValueQuestion::about).collect());
    for _ in 0..100 {
        if round.is_done() {
            break;
        }
        let (text, succeeded) = probe(round.elements());
        round.learn(answer::heard(&text, succeeded, &flags), true);
    }
    for question in &round.questions {
        let flag = sketch
            .flags
            .iter_mut()
            .find(|flag| flag.written() == question.name);
        refine::apply(flag.expect("it was asked about"), &question.verdict);
    }
    sketch
        .flags
        .iter_mut()
        .for_each(|flag| refine::settle_default(flag));
    if let Some(mut questions) = refine::positional_questions(sketch) {
        while questions.iter().any(|question| !question.is_done()) {
            let (text, succeeded) = probe(refine::positional_values(&questions));
            let heard = answer::heard(&text, succeeded, &flags);
            assert!(refine::learn_positionals(&mut questions, heard), "{text}");
        }
        refine::apply_positionals(sketch, &questions);
    }
}

/// Everything about a command that is compared, by path.
fn flatten(command: &Command, path: &str, all: &mut BTreeMap<String, Vec<String>>) {
    let mut facts = vec![format!(
        "runnable {} aliases {:?}",
        command.runnable, command.aliases
    )];
    for positional in command.arguments.listed() {
        let mut positional = positional.clone();
        positional.help = None;
        positional.allow_hyphen = false;
        facts.push(format!("{positional:?}"));
    }
    let mut flags: Vec<String> = Vec::new();
    for flag in &command.flags {
        let mut flag = flag.clone();
        flag.help = None;
        flags.push(format!("{flag:?}"));
    }
    flags.sort();
    facts.extend(flags);
    all.insert(path.to_owned(), facts);
    for child in &command.commands {
        flatten(child, &format!("{path} {}", child.name), all);
    }
}

proptest! {
    // Each case is a program that is asked a few hundred questions; `PROPTEST_CASES` asks for more of them.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases / 8,
        ..ProptestConfig::default()
    })]

    #[test]
    fn what_clap_shows_is_read_back(cmd in cmd()) {
        let (program, expected) = RandomCli { serial: 0 }.command("tool".into(), &cmd);
        let found = read(&program);
        let (mut left, mut right) = (BTreeMap::new(), BTreeMap::new());
        flatten(&found, "tool", &mut left);
        flatten(&expected, "tool", &mut right);
        prop_assert_eq!(left, right);
    }
}
