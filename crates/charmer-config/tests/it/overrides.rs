//! What corrections, selectors and pins do to a program's model and its tools.

use charmer_config::{Applied, ApplyReport, Config, SourceEntry};
use charmer_core::{
    call::prepare,
    model::{
        Arguments, Cli, Command, CommandPath, Effect, Flag, FlagValue, Positional, Repetition,
        Syntax, ValueType,
    },
    tool::{Catalogue, CatalogueOptions, catalogue},
};
use serde_json::{Value, json};

use super::meaning::parse;

fn source(keys: &str) -> SourceEntry {
    parse(&format!("sources:\n- binary: ship\n{keys}")).sources[0].clone()
}

/// A program with flags at every level.
fn ship() -> Cli {
    let load = Command::new("load")
        .about("loads")
        .long_about("It loads.")
        .usage("load CARGO [BERTH]")
        .flag(Flag::new("format").short('f').pflag("string"))
        .flag(Flag::new("dry").pflag("bool"))
        .flag(Flag::new("yes").pflag("bool"));
    let mut secret = Command::new("scuttle");
    secret.hidden = true;
    let quay = Command::new("quay").not_runnable().command(load);
    let root = Command::new("ship")
        .not_runnable()
        .flag(Flag::new("context").pflag("string"))
        .flag(Flag::new("region").pflag("string").global())
        .command(quay)
        .command(Command::new("status").positional(Positional::new("names").variadic()))
        .command(Command::new("help"))
        .command(secret);
    Cli::new(root, Syntax::pflag())
}

fn applied(keys: &str) -> (Cli, ApplyReport) {
    let mut cli = ship();
    let report = source(keys)
        .apply(&mut cli)
        .unwrap_or_else(|mismatches| panic!("{mismatches}"));
    (cli, report)
}

fn refused(keys: &str) -> String {
    let mut cli = ship();
    let mismatches = source(keys)
        .apply(&mut cli)
        .expect_err("it does not fit the program");
    assert_eq!(cli, ship(), "what is refused changes nothing");
    mismatches.to_string()
}

fn at<'c>(cli: &'c Cli, path: &str) -> &'c Command {
    cli.command(&CommandPath::parse(path)).expect("it is there")
}

fn tools(keys: &str) -> (SourceEntry, Catalogue) {
    let source = source(keys);
    let mut cli = ship();
    source.apply(&mut cli).unwrap_or_else(|m| panic!("{m}"));
    let options = source.catalogue_options(&cli);
    let found = catalogue(&cli, &options.unwrap_or_else(|m| panic!("{m}")));
    (source, found)
}

fn names(found: &Catalogue) -> Vec<&str> {
    found.tools.iter().map(|tool| tool.name.as_str()).collect()
}

fn argv(found: &Catalogue, name: &str, input: Value) -> Result<String, String> {
    let tool = found.get(name).expect("it is a tool");
    prepare(tool, input.as_object().expect("an object"))
        .map(|prepared| prepared.argv.to_strings().join(" "))
        .map_err(|refusal| refusal.to_string())
}

#[test]
fn everything_about_a_command_can_be_corrected() {
    let (cli, report) = applied(
        "  override:
    ship quay load:
      description: Loads cargo.
      title: Loading
      examples: ship quay load coal
      effect: write
      idempotent: true
      open_world: false
      stdin: true
      confirm: --yes
      args:
        - {name: cargo, type: enum, enum: [coal, tea], description: What to load}
        - {name: berths, type: int, variadic: true, default: [1]}
        - {name: crew, variadic: true, last: true}
",
    );
    let load = at(&cli, "quay load");
    assert_eq!(
        (load.about.as_deref(), &load.long_about),
        (Some("Loads cargo."), &None)
    );
    assert_eq!(load.hints.title.as_deref(), Some("Loading"));
    assert_eq!(load.hints.effect, Effect::Write);
    assert_eq!(
        (load.hints.idempotent, load.hints.open_world),
        (Some(true), Some(false))
    );
    assert!(load.stdin && load.confirm.as_deref() == Some("--yes"));
    let [cargo, berths, crew] = load.arguments.listed() else {
        panic!("{:?}", load.arguments);
    };
    // What was found and is not said stays.
    assert!(cargo.required && cargo.choices.len() == 2);
    assert_eq!(cargo.help.as_deref(), Some("What to load"));
    assert!(!berths.required && berths.variadic && berths.value_type == ValueType::INT);
    assert_eq!(berths.default, ["1"]);
    assert!(crew.last);
    let field = |argument: Option<&str>, field: &str| {
        let mut entries = report.applied.iter();
        entries.any(|entry: &Applied| {
            entry.path == CommandPath::parse("quay load")
                && entry.argument.as_deref() == argument
                && entry.field == field
        })
    };
    for name in ["description", "title", "effect", "args", "confirm", "stdin"] {
        assert!(field(None, name), "{name}");
    }
    assert!(field(Some("cargo"), "enum") && field(Some("berths"), "type"));
    assert!(!field(Some("cargo"), "required") && !field(None, "usage"));
    assert!(report.warnings.is_empty());
}

#[test]
fn everything_about_a_flag_can_be_corrected() {
    let (cli, report) = applied(
        "  override:
    quay load:
      flags:
        -f: {enum: [table, json], default: table, required: true, description: How it looks}
        dry: {type: stringArray, short: d}
        yes: {exclude: true}
        region: {type: enum, enum: [north, south]}
        --watch: {add: true, type: duration, bare: 1s}
        tags: {add: true, repeat: comma}
        force: {add: true}
        j: {add: true, type: int}
",
    );
    let load = at(&cli, "quay load");
    let flag = |name: &str| {
        let mut flags = load.flags.iter();
        flags.find(|flag| flag.id == name).expect("it is there")
    };
    let format = flag("format");
    assert!(format.required && format.choices.len() == 2 && format.default == ["table"]);
    assert_eq!(format.help.as_deref(), Some("How it looks"));
    let dry = flag("dry");
    assert_eq!((dry.short, &dry.value), (Some('d'), &FlagValue::Required));
    assert_eq!(dry.repetition, Repetition::Repeat { delimiter: None });
    assert!(flag("yes").hidden);
    let bare = Some("1s".to_owned());
    assert_eq!(flag("watch").value, FlagValue::Optional { bare });
    assert_eq!(flag("watch").value_type, ValueType::Duration);
    assert_eq!(
        flag("tags").repetition,
        Repetition::Joined { delimiter: ',' }
    );
    assert!(flag("force").is_switch());
    assert_eq!((&flag("j").long, flag("j").short), (&None, Some('j')));
    // For this command only; the program's others keep theirs.
    assert_eq!(flag("region").choices.len(), 2);
    assert!(cli.root.flags[1].choices.is_empty());
    let added = Applied::clone(
        report
            .applied
            .iter()
            .find(|entry| entry.field == "add" && entry.argument.as_deref() == Some("watch"))
            .expect("it is reported"),
    );
    assert_eq!(added.path, CommandPath::parse("quay load"));

    let (_, found) = tools("  override: {quay load: {flags: {region: {enum: [north, south]}}}}\n");
    assert_eq!(
        argv(
            &found,
            "ship_quay_load",
            json!({"cargo": "x", "region": "north"})
        )
        .as_deref(),
        Ok("quay load --region=north x")
    );
    assert!(
        argv(
            &found,
            "ship_quay_load",
            json!({"cargo": "x", "region": "west"})
        )
        .is_err()
    );
}

#[test]
fn commands_come_and_go() {
    let (_, found) = tools(
        "  override:
    status: {exclude: true}
    scuttle: {exclude: false}
    quay: {runnable: true}
    crew: {add: true, runnable: false}
    crew list: {add: true, description: Lists the crew., usage: 'ship crew list [NAME]'}
",
    );
    assert_eq!(
        names(&found),
        [
            "ship_quay",
            "ship_quay_load",
            "ship_scuttle",
            "ship_crew_list"
        ]
    );
    assert_eq!(
        argv(&found, "ship_crew_list", json!({"name": "anna"})).as_deref(),
        Ok("crew list anna")
    );
}

#[test]
fn a_usage_line_may_begin_anywhere_in_the_path() {
    for usage in ["ship quay load A B", "quay load A B", "load A B", "A B"] {
        let (cli, _) = applied(&format!("  override: {{quay load: {{usage: {usage}}}}}\n"));
        let Arguments::Listed(listed) = &at(&cli, "quay load").arguments else {
            panic!("{usage}");
        };
        assert_eq!(listed.len(), 2, "{usage}");
        assert_eq!(at(&cli, "quay load").usage.as_deref(), Some("load A B"));
    }
}

#[test]
fn a_name_that_the_program_does_not_have_is_an_error() {
    let refusal = refused(
        "  override:
    quay laod: {effect: read}
    anchor: {effect: read}
    sea wreck: {add: true}
    status: {flags: {regoin: {type: int}, context: {type: int}, speed: {type: int}}}
    quay load: {confirm: --format}
",
    );
    let lines: Vec<&str> = refusal.lines().collect();
    assert_eq!(
        lines,
        [
            "`override` names the command `anchor`, which `ship` does not have (correct its name, or write `add: true` to add it)",
            "`override` names the command `quay laod`, which `ship` does not have (did you mean `quay load`?)",
            "`override` adds `sea wreck`, whose parent command does not exist (add the parent too, with `add: true` and `runnable: false`)",
            "`confirm` names `--format`, which is no switch of `quay load` (name the flag that answers the command's question, or remove `confirm`)",
            "`override` names the flag `--context` of `status`, which is one of `ship` (correct it under `ship`)",
            "`override` names the flag `regoin` of `status`, which it does not have (did you mean `--region`?)",
            "`override` names the flag `speed` of `status`, which it does not have (correct its name, or write `add: true` to add it)",
        ]
    );
    let twice = refused("  override: {status: {effect: read}, ship status: {stdin: true}}\n");
    assert!(
        twice.contains("two entries for the command `ship status`")
            || twice.contains("two entries for the command `status`"),
        "{twice}"
    );
}

#[test]
fn the_first_selector_that_matches_sets_what_it_says() {
    let (cli, _) = applied(
        "  override:
    quay load: {effect: destroy}
  select:
    - {commands: {allow: [quay load]}, assume_effect: read, confirm: --yes, stdin: true}
    - {assume_effect: read, flags: none}
",
    );
    let load = at(&cli, "quay load");
    // A correction knows better than a selector.
    assert_eq!(load.hints.effect, Effect::Destroy);
    assert!(load.stdin && load.confirm.as_deref() == Some("--yes"));
    let status = at(&cli, "status");
    assert_eq!((status.hints.effect, status.stdin), (Effect::Read, false));
    assert_eq!(at(&cli, "quay").hints.effect, Effect::Unknown);
}

#[test]
fn a_confirmation_that_cannot_be_asked_for_is_refused() {
    let refusal = refused("  select: [{confirm: --yes}]\n");
    assert_eq!(
        refusal,
        "`confirm` names `--yes`, which is no switch that entry 1 of `select` lets in for `status` (give these commands an \
         entry of their own, without `confirm`, or let the flag in)"
    );
    let load = "commands: {allow: [quay load]}";
    assert!(refused(&format!("  select: [{{{load}, confirm: --format}}]\n")).contains("quay load"));
    let hidden = format!("  select: [{{{load}, confirm: --yes, flags: {{exclude: ['yes']}}}}]\n");
    assert!(refused(&hidden).contains("`--yes`"));
    let own = "  override: {quay load: {confirm: --yes}}\n  select: [{flags: none}]\n";
    assert!(refused(own).contains("`--yes`"));

    let (_, found) = tools(&format!("  select: [{{{load}, confirm: --yes}}]\n"));
    let call = |input| argv(&found, "ship_quay_load", input);
    assert!(call(json!({"cargo": "x"})).is_err());
    assert_eq!(
        call(json!({"cargo": "x", "confirm": true})).as_deref(),
        Ok("quay load --yes x")
    );
    // A pin would take the question away.
    let pinned = source(&format!(
        "  set: {{'yes': true}}\n  select: [{{{load}, confirm: --yes}}]\n"
    ));
    let mut cli = ship();
    pinned.apply(&mut cli).expect("it fits");
    let refusal = pinned.catalogue_options(&cli).expect_err("it is asked for");
    assert!(refusal.to_string().contains("`confirm`"), "{refusal}");
}

#[test]
fn pins_reach_every_command_line() {
    let (_, found) = tools("  prefix: s\n  set: {context: staging, dry: true}\n");
    let call = |name, input| argv(&found, name, input);
    assert_eq!(
        call("s_quay_load", json!({"cargo": "x"})).as_deref(),
        Ok("--context=staging quay load --dry x")
    );
    assert_eq!(
        call("s_status", json!({})).as_deref(),
        Ok("--context=staging status")
    );
    let reach: Vec<usize> = found.pins.iter().map(|pin| pin.tools).collect();
    assert_eq!(reach, [2, 1]);
    let typo = source("  set: {contxt: staging}\n").catalogue_options(&ship());
    assert_eq!(
        typo.expect_err("there is none").to_string(),
        "`set` names the flag `contxt`, which no command has (did you mean `--context`?)"
    );
}

#[test]
fn what_reaches_nothing_is_a_warning() {
    let keys = "  select:
    - {commands: {allow: [staus]}}
    - {commands: {allow_glob: ['dock/*']}}
    - commands: {allow: [status]}
      validate: [{argument: nmaes, forbid: x}, {argument: args, forbid: x}, {argument: region, forbid: x}]
";
    let (_, report) = applied(keys);
    let warnings: Vec<String> = report.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "entry 1 of `select` names `staus`, which `ship` does not have (did you mean `status`?)",
            "entry 2 of `select` speaks for no command (correct its `commands`, or remove it; entries before it decide \
             first)",
        ]
    );
    let (source, found) = tools(keys);
    let warnings: Vec<String> = source
        .warnings(&found)
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        warnings,
        [
            "`validate` of entry 3 of `select` checks `nmaes`, which none of its tools has (did you mean `names`?)"
        ]
    );
}

#[test]
fn a_file_is_read_and_its_paths_are_those_of_its_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    let text =
        "sources: [{binary: ./ship, folder: .}, {spells: s}, {binary: git}]\naudit: {file: a/b}\n";
    std::fs::write(&file, text).expect("it is written");
    let config = Config::load(&file).unwrap_or_else(|error| panic!("{error}"));
    let json: Value = serde_json::from_str(&config.to_json()).expect("JSON");
    let within = |path: &str| json!(folder.path().join(path));
    assert_eq!(json["sources"][0]["binary"], within("ship"));
    assert_eq!(json["sources"][0]["folder"], json!(folder.path()));
    assert_eq!(json["sources"][1]["spells"], within("s"));
    assert_eq!(json["sources"][2]["binary"], "git");
    assert_eq!(json["audit"]["file"], within("a/b"));

    std::fs::write(&file, "sources: []").expect("it is written");
    let error = Config::load(&file).expect_err("it is empty").to_string();
    assert!(error.contains("charmer.yaml:1:"), "{error}");
    std::fs::write(&file, b"\xff").expect("it is written");
    assert!(
        Config::load(&file)
            .expect_err("no text")
            .to_string()
            .starts_with("cannot read")
    );
    std::fs::write(&file, "ä".repeat(1 << 20)).expect("it is written");
    let error = Config::load(&file).expect_err("too large").to_string();
    assert!(error.contains("larger than 1 MiB"), "{error}");
    let missing = Config::load(&folder.path().join("none.yaml")).expect_err("it is not there");
    assert!(missing.to_string().starts_with("cannot read"), "{missing}");
}

#[test]
fn the_example_fits_a_program_that_has_its_names() {
    let text = |name: &str| Flag::new(name).pflag("string");
    let get = Command::new("get")
        .usage("get (TYPE | NAME ...)")
        .flag(text("output").short('o'))
        .flag(text("chunk-size"))
        .flag(text("raw"))
        .flag(Flag::new("watch").pflag("bool"));
    let rollout = Command::new("rollout").command(Command::new("undo"));
    let config = Command::new("config")
        .not_runnable()
        .command(Command::new("view").flag(Flag::new("raw").pflag("bool")));
    let apply = Command::new("apply").flag(text("dry-run"));
    let delete = Command::new("delete").flag(Flag::new("now").pflag("bool"));
    let root = Command::new("kubectl")
        .not_runnable()
        .flag(text("context").global())
        .flag(Flag::new("request-timeout").pflag("duration").global())
        .flag(text("namespace").global());
    let root = [get, rollout, config, delete, apply]
        .into_iter()
        .chain(["logs", "describe", "exec", "wait", "version"].map(Command::new))
        .fold(root, Command::command);
    let mut cli = Cli::new(root, Syntax::pflag());
    let source = &parse(include_str!("../../../../docs/charmer.example.yaml")).sources[0];
    let report = source.apply(&mut cli).unwrap_or_else(|m| panic!("{m}"));
    assert_eq!(report.warnings, []);
    let options = source.catalogue_options(&cli);
    let found = catalogue(&cli, &options.unwrap_or_else(|m| panic!("{m}")));
    assert_eq!(
        names(&found),
        [
            "k8s_get",
            "k8s_rollout_undo",
            "k8s_delete",
            "k8s_apply",
            "k8s_logs",
            "k8s_describe"
        ]
    );
    assert_eq!(
        argv(
            &found,
            "k8s_get",
            json!({"kind": "pods", "output": "wide", "namespace": "a"})
        )
        .as_deref(),
        Ok("get --context=staging --request-timeout=20s --namespace=a --output=wide pods")
    );
    assert_eq!(
        found
            .get("k8s_apply")
            .and_then(|tool| tool.input.stdin.as_deref()),
        Some("stdin")
    );
    let exec = at(&cli, "exec").arguments.listed();
    assert_eq!((exec.len(), exec[1].last), (2, true));
}

#[test]
fn what_is_optional_need_not_be_there() {
    let keys = "  common: [status, drone fly]
  preview: {quay load: --trial}
  override:
    drone: {optional: true}
    drone fly: {effect: write}
    quay load: {effect: write, flags: {trial: {optional: true}, dry: {optional: true, effect: read}}}";
    let (cli, _) = applied(keys);
    assert!(!cli.root.commands.iter().any(|one| one.name == "drone"));
    let load = at(&cli, "quay load");
    assert_eq!(load.hints.effect, Effect::Write);
    assert!(load.flags.iter().any(|flag| flag.effect.is_some()));
    assert!(!load.flags.iter().any(|flag| flag.id == "trial"));
    // Nothing else is forgiven.
    let other = refused(&keys.replace("{optional: true}\n", "{effect: read}\n"));
    assert!(other.contains("`drone`"), "{other}");
}

#[test]
fn a_preview_reads_whatever_else_is_given() {
    let keys = "  preview: {quay load: --format=plan|outline}
  override:
    quay load: {effect: write, flags: {yes: {effect: destroy}, format: {effect: {json: none, 'x*': destroy, '*': write}}}}";
    let source = source(keys);
    let mut cli = ship();
    source.apply(&mut cli).expect("it fits");
    source.known.apply(&mut cli);
    let made = catalogue(&cli, &CatalogueOptions::default());
    let load = made
        .tools
        .iter()
        .find(|tool| tool.name.as_str() == "ship_quay_load");
    let load = load.expect("it is there");
    let effect = |more: Value| {
        let mut input = json!({"cargo": "tea"});
        input
            .as_object_mut()
            .expect("an object")
            .extend(more.as_object().expect("an object").clone());
        let bound = charmer_core::call::bind(load, input.as_object().expect("an object"));
        bound.expect("it fits").effect(load)
    };
    for (input, expected) in [
        (json!({}), Effect::Write),
        (json!({"yes": true}), Effect::Destroy),
        (json!({"yes": true, "format": "plan"}), Effect::Read),
        (json!({"yes": true, "format": "outline"}), Effect::Read),
        (json!({"format": "json"}), Effect::Write),
        (json!({"format": "xml"}), Effect::Destroy),
    ] {
        assert_eq!(effect(input.clone()), expected, "{input}");
    }
}

#[test]
fn a_program_may_be_said_to_have_no_credentials() {
    assert_eq!(source("  credentials: []").credentials, Some(Vec::new()));
    assert_eq!(source("  network: none").credentials, None);
}

#[test]
fn phrases_are_a_list_or_a_text_for_one_command_or_several() {
    let source = source(
        "  phrases:\n    list, quay load: what is here; show me all\n    status: [is it well]",
    );
    let phrases = &source.known.phrases;
    assert_eq!(phrases["list"], ["what is here", "show me all"]);
    assert_eq!(phrases["quay load"], phrases["list"]);
    assert_eq!(phrases["status"], ["is it well"]);
}

#[test]
fn flags_that_are_given_again_and_those_that_stand_for_a_positional() {
    let keys = "  repeated: {quay load: [--format], '*': [--port]}
  override:
    quay load: {args: [{name: cargo, required: true, replaced_by: [--format]}]}";
    let source = source(keys);
    let mut cli = ship();
    source.apply(&mut cli).expect("it fits");
    source.known.apply(&mut cli);
    let load = at(&cli, "quay load");
    let format = load.flags.iter().find(|flag| flag.id == "format");
    let repetition = &format.expect("it is there").repetition;
    assert_eq!(*repetition, Repetition::Repeat { delimiter: None });
    assert_eq!(load.arguments.listed()[0].replaced_by, ["format"]);
    let wrong = refused("  repeated: {quay load: [--fromat]}");
    assert!(wrong.contains("fromat"), "{wrong}");
}
