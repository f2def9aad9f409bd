//! A perfect reading is right in every figure, and each kind of damage is seen in its own figure and no other.

mod properties;

use charmer_core::model::{
    Choice, Cli, Command, CommandPath, Flag, FlagValue, Group, GroupKind, MapValue, Repetition,
    Syntax, ValueType,
};

use super::{Report, Score, TrueFlag, Truth, compare};

const INVENTED: &str = r#"{
    "": {"runnable": false, "flags": {
        "--config": {"type": "string", "default": "$HOME/.books", "persistent": true},
        "--token": {"type": "string", "hidden": true, "persistent": true}
    }},
    "tree": {"runnable": false, "flags": {}},
    "tree list": {"runnable": true, "options_end": false, "aliases": ["tree list", "tree ls"], "flags": {
        "--config": {"type": "string", "inherited": true},
        "--depth": {"short": "-d", "type": "int64", "default": "3", "persistent": false, "aliases": ["--deep"]},
        "--width": {"type": "uint8", "default": "0"},
        "--sort": {"type": "string", "enum": ["age", "name"], "required": true},
        "--label": {"type": "stringToString", "default": "[a=1,b=2]"},
        "--names": {"type": "stringSlice", "default": "[\"x,y\",z]"},
        "--notes": {"type": "stringArray", "default": "[]"},
        "--ratio": {"type": "float64", "default": "0.500000"},
        "--size": {"type": "bytes", "default": "0"},
        "--port": {"type": "port"},
        "--tag": {"type": "string", "repeat": true},
        "--colour": {"type": "string", "no_opt_default": "always"},
        "--ask": {"type": "bool", "default": "true"},
        "--loud": {"type": "count"},
        "--old": {"type": "bool", "deprecated": "gone"}
    }, "groups": [{"kind": "exclusive", "members": ["--depth", "--width"]}]},
    "tree cellar": {"runnable": true, "hidden": true, "flags": {"--key": {"type": "string"}}},
    "seasons": {"runnable": false, "flags": {}},
    "images": {"runnable": true, "aliases": ["tree images"], "flags": {"--all": {"type": "bool"}}}
}"#;

fn truth() -> Truth {
    serde_json::from_str(INVENTED).expect("the invented truth is well formed")
}

/// The model that a perfect reading of a truth gives.
fn read(truth: &Truth) -> Cli {
    let mut cli = Cli::new(Command::new("books"), Syntax::pflag());
    for (path, command) in &truth.commands {
        if !truth.is_expected(path) {
            continue;
        }
        let words = CommandPath::parse(path);
        if let Some((name, above)) = words.words().split_last() {
            let mut child = Command::new(name);
            child.aliases = command.alias_words(path, truth);
            child.aliases.retain(|alias| alias != name);
            let parent = cli.command_mut(&above.iter().collect());
            parent.expect("parents come first").commands.push(child);
        }
        let found = cli.command_mut(&words).expect("it was just added");
        found.runnable = command.runnable.unwrap_or(true);
        found.options_end_behind = command.options_end.unwrap_or(false).then_some(1);
        for (name, flag) in &command.flags {
            if !flag.hidden && flag.deprecated.is_none() && !flag.inherited {
                found
                    .flags
                    .push(read_flag(name.trim_start_matches('-'), flag).into());
            }
        }
        for group in &command.groups {
            let members = group
                .members
                .iter()
                .map(|name| name.trim_start_matches('-'));
            found.groups.push(Group::new(group.kind, members));
        }
    }
    cli
}

fn read_flag(name: &str, truth: &TrueFlag) -> Flag {
    let kind = truth.value_type.as_deref().unwrap_or("bool");
    let mut flag = Flag::new(name).pflag(kind);
    match kind {
        "list" => flag.repetition = Repetition::Repeat { delimiter: None },
        "map" => flag = flag.pflag("stringToString"),
        "decimal" => flag = flag.pflag("float"),
        _ => {}
    }
    if truth.repeat == Some(true) {
        flag.repetition = Repetition::Repeat { delimiter: None };
    }
    if let Some(text) = &truth.default {
        // Enough for these tests: only one invented default needs CSV.
        flag = match text.as_str() {
            "[\"x,y\",z]" => {
                flag.default = vec!["x,y".into(), "z".into()];
                flag
            }
            "map[]" => flag,
            text => flag.default_text(text),
        };
    }
    flag.short = truth.short.as_ref().and_then(|short| short.chars().nth(1));
    flag.aliases = truth
        .aliases
        .iter()
        .map(|alias| alias[2..].to_owned())
        .collect();
    flag.required = truth.required == Some(true);
    flag.global = truth.persistent == Some(true);
    flag.choices = truth.values.iter().flatten().map(Choice::new).collect();
    if let Some(bare) = &truth.no_opt_default {
        flag = flag.optional_value(Some(bare));
    }
    flag
}

/// The names of the figures in which something is wrong.
fn damaged(report: &Report) -> Vec<String> {
    let json = serde_json::to_value(report).expect("a report serializes");
    let figures = json.as_object().expect("a report is an object");
    figures
        .iter()
        .filter(|(_, score)| score["right"] != score["total"])
        .map(|(name, score)| {
            let wrong = score["wrong"].as_array().map_or(0, Vec::len) as u64;
            let right = score["right"].as_u64().unwrap_or_default();
            assert_eq!(Some(right + wrong), score["total"].as_u64(), "{name}");
            name.clone()
        })
        .collect()
}

#[test]
fn a_perfect_reading_is_right_everywhere() {
    let report = compare(&read(&truth()), &truth());
    assert_eq!(damaged(&report), [""; 0], "{report}");
    assert_eq!(report.floors(), Ok(()));
    let totals = |score: &Score| score.total;
    assert_eq!(totals(&report.command_recall), 3);
    assert_eq!(totals(&report.command_precision), 3);
    assert_eq!(totals(&report.flag_recall), 15);
    assert_eq!(totals(&report.types), 15);
    // All but two switches, a size and a port, of which nobody knows.
    assert_eq!(totals(&report.repeat), 11);
    assert_eq!(totals(&report.defaults), 6);
    assert_eq!(totals(&report.required), 1);
    assert_eq!(totals(&report.enums), 1);
    assert_eq!(totals(&report.aliases), 2);
    assert_eq!(totals(&report.groups), 1);
    assert_eq!(totals(&report.optional_values), 1);
}

#[test]
fn the_truth_of_docker_can_be_read_and_reached() {
    let text = include_str!("../../fixtures/truth/docker-28.2.2.json");
    let truth: Truth = serde_json::from_str(text).expect("the truth of docker is well formed");
    let report = compare(&read(&truth), &truth);
    assert_eq!(damaged(&report), [""; 0], "{report}");
    assert_eq!(report.command_recall.total, 188);
    // Of 1,121; the four that are `--help` are left out.
    assert_eq!(report.flag_recall.total, 1117);
    // It says nothing of required flags, so nothing can be wrong about them.
    assert_eq!(report.required.total, 0);
}

#[test]
fn each_damage_is_seen_in_its_own_figure() {
    fn list(cli: &mut Cli) -> &mut Command {
        cli.command_mut(&"tree list".into()).expect("it is there")
    }
    fn flag<'a>(cli: &'a mut Cli, name: &str) -> &'a mut Flag {
        let flags = list(cli).flags.iter_mut();
        flags
            .into_iter()
            .find(|flag| flag.is_named(name))
            .expect("it is there")
    }
    type Damage = (&'static str, fn(&mut Cli));
    let damages: [Damage; 37] = [
        ("command_recall", |cli| {
            cli.root.commands.retain(|child| child.name != "images")
        }),
        ("command_recall", |cli| list(cli).hidden = true),
        ("command_precision", |cli| {
            cli.root.commands.push(Command::new("weigh"))
        }),
        ("command_precision", |cli| {
            cli.root.commands.push(Command::new("seasons"))
        }),
        ("flag_recall", |cli| {
            list(cli).flags.retain(|flag| !flag.is_named("--size"))
        }),
        ("flag_precision", |cli| {
            list(cli).flags.push(Flag::new("ghost").into())
        }),
        ("flag_precision", |cli| {
            cli.root.flags.push(Flag::new("port").global().into())
        }),
        ("types", |cli| {
            flag(cli, "--depth").value_type = ValueType::String
        }),
        ("types", |cli| {
            flag(cli, "--depth").value_type = ValueType::UINT
        }),
        ("types", |cli| {
            flag(cli, "--depth").value_type = ValueType::signed(32)
        }),
        ("types", |cli| flag(cli, "--depth").value = FlagValue::None),
        ("types", |cli| {
            flag(cli, "--width").value_type = ValueType::INT
        }),
        ("types", |cli| {
            flag(cli, "--size").value_type = ValueType::INT
        }),
        ("types", |cli| {
            flag(cli, "--port").value_type = ValueType::Bool
        }),
        ("types", |cli| {
            flag(cli, "--names").repetition = Repetition::Repeat { delimiter: None }
        }),
        ("types", |cli| {
            flag(cli, "--notes").repetition = Repetition::Joined { delimiter: ',' }
        }),
        ("types", |cli| {
            flag(cli, "--label").value_type = ValueType::Map(MapValue::Integer)
        }),
        ("types", |cli| {
            flag(cli, "--ask").value_type = ValueType::String
        }),
        ("types", |cli| {
            flag(cli, "--tag").value_type = ValueType::INT
        }),
        ("repeat", |cli| {
            flag(cli, "--tag").repetition = Repetition::Single
        }),
        ("repeat", |cli| {
            flag(cli, "--loud").value_type = ValueType::Bool
        }),
        ("repeat", |cli| {
            flag(cli, "--ask").value_type = ValueType::Count
        }),
        ("defaults", |cli| flag(cli, "--depth").default.clear()),
        ("defaults", |cli| {
            flag(cli, "--names").default = vec!["\"x,y\",z".into()]
        }),
        ("defaults", |cli| {
            flag(cli, "--width").default = vec!["8".into()]
        }),
        ("defaults", |cli| {
            cli.root.flags[0].default = vec!["/tmp/scratch/.books".into()]
        }),
        ("required", |cli| flag(cli, "--sort").required = false),
        ("required", |cli| flag(cli, "--size").required = true),
        ("enums", |cli| flag(cli, "--sort").choices.clear()),
        ("enums", |cli| {
            flag(cli, "--port").choices = vec![Choice::new("80")]
        }),
        ("shorts", |cli| flag(cli, "--depth").short = None),
        ("aliases", |cli| list(cli).aliases.clear()),
        ("runnable", |cli| list(cli).runnable = false),
        ("persistent", |cli| cli.root.flags[0].global = false),
        ("optional_values", |cli| {
            flag(cli, "--colour").value = FlagValue::Required
        }),
        ("options_end", |cli| list(cli).options_end_behind = Some(1)),
        ("groups", |cli| {
            list(cli).groups[0].kind = GroupKind::Together
        }),
    ];
    for (index, (figure, damage)) in damages.into_iter().enumerate() {
        let mut cli = read(&truth());
        damage(&mut cli);
        let report = compare(&cli, &truth());
        assert_eq!(damaged(&report), [figure], "damage {index}\n{report}");
    }
}

#[test]
fn a_flag_that_is_offered_where_its_program_rejects_it_is_made_up_there() {
    let truth: Truth = serde_json::from_str(
        r#"{"": {"flags": {"--draft": {"type": "bool", "persistent": false},
                           "--quiet": {"type": "bool", "persistent": true}}},
            "build": {"flags": {"--draft": {"type": "bool"}}},
            "list": {"flags": {}}}"#,
    )
    .expect("it is well formed");
    let mut cli = read(&truth);
    assert_eq!(compare(&cli, &truth).flag_precision.wrong, [""; 0]);
    for flag in &mut cli.root.flags {
        flag.global = true;
    }
    let report = compare(&cli, &truth);
    assert_eq!(report.flag_precision.wrong, ["list --draft"], "{report}");
}

#[test]
fn what_nobody_can_see_is_no_mistake() {
    let mut cli = read(&truth());
    cli.root.flags[0].default = vec!["~/.books".into()];
    cli.root.flags.push(Flag::new("version").into());
    cli.root
        .commands
        .push(Command::new("completion").command(Command::new("bash")));
    cli.root
        .commands
        .push(Command::new("seasons").not_runnable());
    let tree = cli.command_mut(&"tree".into()).expect("it is there");
    tree.commands
        .push(Command::new("cellar").flag(Flag::new("key").pflag("string")));
    let list = tree
        .commands
        .iter_mut()
        .find(|child| child.name == "list")
        .expect("it is there");
    for flag in &mut list.flags {
        match flag.id.as_str() {
            "width" => flag.value_type = ValueType::UINT,
            "port" => flag.repetition = Repetition::Repeat { delimiter: None },
            "ratio" => flag.default = vec!["0.5".into()],
            "label" => flag.default.reverse(),
            _ => {}
        }
    }
    list.flags.push(Flag::new("config").pflag("string").into());
    let report = compare(&cli, &truth());
    assert_eq!(damaged(&report), [""; 0], "{report}");
}

#[test]
fn a_command_may_be_found_under_an_alias_in_another_place() {
    let mut cli = read(&truth());
    let images = cli
        .root
        .commands
        .iter()
        .position(|child| child.name == "images");
    let images = cli.root.commands.remove(images.expect("it is there"));
    cli.command_mut(&"tree".into())
        .expect("it is there")
        .commands
        .push(images);
    let report = compare(&cli, &truth());
    assert_eq!(damaged(&report), [""; 0], "{report}");
    assert_eq!(report.command_recall.total, 3);
}

#[test]
fn a_switch_that_turns_another_off_may_be_its_negation() {
    let truth: Truth = serde_json::from_str(
        r#"{"": {"flags": {"--fast": {"short": "-f"}, "--no-fast": {"type": "bool"}}}}"#,
    )
    .expect("it is well formed");
    let mut fast = Flag::new("fast").short('f');
    fast.negation = Some("no-fast".into());
    let cli = Cli::new(Command::new("run").flag(fast), Syntax::clap());
    let report = compare(&cli, &truth);
    assert_eq!(damaged(&report), [""; 0], "{report}");
    assert_eq!((report.flag_recall.total, report.shorts.total), (2, 1));
}

#[test]
fn floors_name_the_figure_and_an_empty_truth_is_no_success() {
    let mut cli = read(&truth());
    cli.root.commands.retain(|child| child.name != "images");
    let broken = compare(&cli, &truth())
        .floors()
        .expect_err("a command is missing");
    assert_eq!(broken, ["commands, recall: 0.6667 is below 0.995"]);
    assert!(compare(&cli, &Truth::default()).floors().is_err());
}

#[test]
fn the_table_shows_the_figures_and_the_first_mistakes() {
    let mut cli = read(&truth());
    for index in 0..10 {
        cli.root
            .commands
            .push(Command::new(format!("ghost{index}")));
    }
    let table = compare(&cli, &truth()).to_string();
    let line = |start: &str| {
        table
            .lines()
            .find(|line| line.starts_with(start))
            .unwrap_or_default()
    };
    assert!(line("commands, precision").contains("0.2308"), "{table}");
    assert!(line("commands, precision").ends_with("below"), "{table}");
    assert!(
        table.contains("commands, precision: 10 wrong\n  ghost0\n"),
        "{table}"
    );
    assert!(table.contains("  and 2 more\n"), "{table}");
}
