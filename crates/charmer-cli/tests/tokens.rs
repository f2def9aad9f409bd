//! What tools cost in an assistant's context, by a real tokenizer: of a program that is made up here, and of programs
//! of others where they are.

use std::{
    path::{Path, PathBuf},
    process::{Command as Process, Stdio},
    sync::Arc,
};

use charmer_core::{
    expose::Expose,
    model::{Cli, Command, Flag, Syntax},
    tool::{
        CatalogueOptions, Descriptions, Layout, Tool, catalogue, compact, estimate_tokens, outline,
    },
};
use charmer_discover::cache::Cache;
use charmer_run::{Call, CallError, Exposure, Limits, Outcome, ServedTool, ToolSet, into_service};
use charmer_server::ToolList;
use tower::service_fn;

/// What describing one command may cost, on average over three.
const EACH: usize = 600;
/// What a server may cost at the start that has only the tools that stand for all commands.
const INDEX: usize = 1000;
/// What it may cost that shows as many commands as it can.
const AUTO: usize = 4000;
/// What instructions may cost.
const INSTRUCTIONS: usize = 150;

fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton()
        .encode_ordinary(text)
        .len()
}

/// An estimate that is at most this much below the truth, and this much above it, in parts of a hundred.
fn near(what: &str, text: &str, below: usize, above: usize) {
    let (real, estimate) = (count(text), estimate_tokens(text));
    let fits = estimate * 100 >= real * (100 - below) && estimate * 100 <= real * (100 + above);
    assert!(fits, "{what}: {real} tokens, estimated as {estimate}");
}

fn list(tools: &[Arc<Tool>], descriptions: Descriptions, leave_out_shared: bool) -> String {
    let listed = tools.iter().map(|tool| {
        compact(tool, descriptions, leave_out_shared)
            .definition()
            .to_string()
    });
    format!("[{}]", listed.collect::<Vec<_>>().join(","))
}

/// The tools that cost most, the first ones first.
fn largest(tools: &[Arc<Tool>]) -> Vec<&Tool> {
    let mut largest: Vec<&Tool> = tools.iter().map(Arc::as_ref).collect();
    largest.sort_by_key(|tool| std::cmp::Reverse(estimate_tokens(&tool.definition().to_string())));
    largest
}

/// Checks a program's tools, and gives what they cost: all, short, none, three of the largest described.
fn check(program: &str, cli: &Cli) -> [usize; 4] {
    let mut costs = [0; 4];
    for layout in [Layout::Nested, Layout::Flat] {
        let mut options = CatalogueOptions::default();
        options.layout = layout;
        let tools = catalogue(cli, &options).tools;
        let full = list(&tools, Descriptions::Full, false);
        let short = list(&tools, Descriptions::Short, true);
        let none = list(&tools, Descriptions::None, true);
        for (what, text) in [("full", &full), ("short", &short), ("none", &none)] {
            near(&format!("{program}, {what}"), text, 1, 10);
        }
        assert!(
            count(&short) * 10 < count(&full) * 7,
            "{program}: short is not short"
        );
        assert!(
            count(&none) * 10 < count(&full) * 5,
            "{program}: none is not little"
        );
        let three = outline(&largest(&tools)[..3], EACH);
        assert!(
            count(&three) <= 3 * EACH,
            "{program}: {} tokens for\n{three}",
            count(&three)
        );
        near(&format!("{program}, described"), &three, 5, 10);
        costs = [count(&full), count(&short), count(&none), count(&three)];
    }
    costs
}

/// A program that looks after a zoo, with a few large commands.
fn zoo() -> Cli {
    let verbs = [
        "list",
        "feed",
        "move",
        "inspect",
        "release",
        "weigh",
        "count",
        "photograph",
    ];
    let animals = [
        "penguin", "giraffe", "tortoise", "flamingo", "otter", "lynx",
    ];
    let things = [
        (
            "food-type",
            "stringSlice",
            "What it is given to eat, in the order of preference",
        ),
        (
            "keeper",
            "string",
            "The keeper who is responsible, by name or number",
        ),
        (
            "max-weight-kg",
            "int",
            "Refuse animals that weigh more than this (default 120)",
        ),
        (
            "only-awake",
            "bool",
            "If true, leave those alone that are asleep",
        ),
        (
            "wait-timeout",
            "duration",
            "How long to wait until the animal has calmed down",
        ),
        (
            "enclosure-label",
            "stringToString",
            "Labels of the enclosures that are looked at",
        ),
        ("dry-run", "bool", "Say what would be done, and do nothing"),
        (
            "output-format",
            "string",
            "How the result is shown: as a table, as JSON or with a template",
        ),
        (
            "ignore-errors",
            "bool",
            "Go on with the next animal where something went wrong",
        ),
        (
            "vet-certificate-file",
            "string",
            "Path of the certificate that the veterinarian has signed",
        ),
    ];
    let mut root = Command::new("zoo").not_runnable();
    for (name, sort, help) in [
        (
            "zoo-config",
            "string",
            "Path of the file with the settings of the zoo",
        ),
        (
            "request-timeout",
            "duration",
            "How long a single request to the gatehouse may take",
        ),
        ("log-level", "string", "How much is logged"),
        ("no-color", "bool", "Print without colours"),
    ] {
        root = root.flag(Flag::new(name).pflag(sort).help(help).global());
    }
    for animal in animals {
        let mut group = Command::new(animal).not_runnable();
        for (at, verb) in verbs.iter().enumerate() {
            let mut command = Command::new(*verb)
                .about(format!("{verb} one or more {animal}s of the zoo"))
                .long_about(format!("{verb} one or more {animal}s of the zoo.\n\nThe gatehouse must be open. Animals that are ill are passed over, and a line is printed for each of them."))
                .usage(format!("{verb} NAME..."))
                .examples(format!("# All that are awake\nzoo {animal} {verb} --only-awake\nzoo {animal} {verb} Anna --keeper=Tom"));
            for (name, sort, help) in things.iter().skip(at % 3) {
                command = command.flag(Flag::new(*name).pflag(sort).help(*help));
            }
            // Three of them can do everything.
            if at < 3 && animal == animals[0] {
                for number in 1..=110 {
                    let (name, sort, help) = things[number % things.len()];
                    let name = format!("{name}-of-pen-{number}");
                    command = command.flag(
                        Flag::new(name)
                            .pflag(sort)
                            .help(format!("{help}; for this pen only")),
                    );
                }
            }
            group = group.command(command);
        }
        root = root.command(group);
    }
    Cli::new(root, Syntax::pflag())
}

#[test]
fn a_large_program_is_told_in_few_tokens() {
    check("zoo", &zoo());
}

#[test]
fn other_texts_are_not_taken_for_little() {
    let texts = [
        ("prose", "The keeper opens the gate in the morning, counts the penguins, and writes their number down. ".repeat(9)),
        ("Russian", "Показать все клетки, в которых сейчас есть животные, и сколько они весят. ".repeat(9)),
        ("Chinese", "列出动物园里所有的动物，包括正在睡觉的动物。".repeat(9)),
        ("Japanese", "動物園にいるすべての動物を一覧表示します。".repeat(9)),
        ("French", "Affiche les animaux réveillés, même ceux que le vétérinaire a déjà examinés. ".repeat(9)),
        ("code", "fn feed(animal: &Animal, food: Vec<Food>) -> Result<(), Error> { animal.eat(food)?; Ok(()) }\n".repeat(9)),
        ("digits", "31415926535897932384626433832795".repeat(9)),
    ];
    for (what, text) in texts {
        near(what, &text, 12, 40);
    }
}

/// What a client gets at the start of a server: instructions and the list of tools.
fn start(tools: &[Arc<Tool>], exposure: &Exposure) -> (usize, usize) {
    let service = service_fn(async |_: Call| Ok::<_, CallError>(Outcome::success("")));
    let served = tools
        .iter()
        .map(|tool| ServedTool::new(Arc::clone(tool), into_service(service), Limits::default()));
    let instructions = exposure.instructions("Runs commands of zoo.");
    let spent = estimate_tokens(&instructions);
    let exposed = exposure.clone().spent(spent).apply(ToolSet::new(served));
    let list = ToolList::of(&exposed.tools).to_answer();
    (count(&instructions), count(&list))
}

/// A program with thousands of commands.
fn many(count: usize) -> Cli {
    let verbs = [
        "list", "create", "delete", "describe", "update", "enable", "disable", "export",
    ];
    let things = [
        "instance", "bucket", "policy", "topic", "function", "secret", "table", "key",
    ];
    let mut root = Command::new("cloud").not_runnable();
    for group in 0..count.div_ceil(64) {
        let mut service = Command::new(format!("service-{group}")).not_runnable();
        for (thing, verb) in things
            .iter()
            .flat_map(|thing| verbs.map(|verb| (thing, verb)))
        {
            let command = Command::new(format!("{verb}-{thing}"))
                .about(format!(
                    "{verb} a {thing} of service {group}, in the region that is set"
                ))
                .usage(format!("{verb}-{thing} NAME"))
                .flag(
                    Flag::new("region")
                        .pflag("string")
                        .help("The region to work in"),
                )
                .flag(
                    Flag::new("max-results")
                        .pflag("int")
                        .help("How many results at most"),
                )
                .flag(Flag::new("wait").help("Wait until it is done"));
            service = service.command(command);
        }
        root = root.command(service);
    }
    Cli::new(root, Syntax::pflag())
}

#[test]
fn a_start_keeps_to_its_budget() {
    for cli in [zoo(), many(64), many(5000)] {
        let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
        let (instructions, list) = start(&tools, &Exposure::new(Expose::Index));
        assert!(
            instructions <= INSTRUCTIONS,
            "{instructions} for instructions"
        );
        assert!(instructions + list <= INDEX, "{list} for the index");
        for budget in [INDEX, 2000, AUTO, 20_000] {
            let (instructions, list) = start(&tools, &Exposure::default().budget(budget));
            assert!(
                instructions <= INSTRUCTIONS,
                "{instructions} for instructions"
            );
            assert!(
                instructions + list <= budget,
                "{list} for a budget of {budget}"
            );
            // It is used, too, as long as there is a place in the list.
            let small = budget > AUTO || tools.len() < 100;
            assert!(small || list * 10 > budget * 7, "{list} of {budget}");
        }
    }
}

/// The file of a program, if it is there.
fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(program));
    files.find(|file| file.is_file())
}

/// Where what was read of programs is kept; the questions about them read the same.
fn cache() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs")
}

/// What `charmer` reads of a program.
fn read(program: &Path) -> Cli {
    let listed = Process::new(env!("CARGO_BIN_EXE_charmer"))
        .args(["tools", "--json"])
        .arg(program)
        .env("CHARMER_CACHE", cache())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .status();
    assert!(listed.expect("it was built").success());
    let kept = Cache::new(cache()).load(program);
    kept.expect("what was read is kept").cli
}

/// What `charmer` itself says of a program.
fn keeps_to_its_budget(program: &Path) {
    for (mode, most) in [("index", INDEX), ("auto", AUTO)] {
        let output = Process::new(env!("CARGO_BIN_EXE_charmer"))
            .arg("tools")
            .arg(program)
            .args(["--expose", mode, "--max-tokens", &most.to_string()])
            .env("CHARMER_CACHE", cache())
            .stdin(Stdio::null())
            .output()
            .expect("it was built");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(
            output.status.success(),
            "{} {mode}: {said}",
            program.display()
        );
    }
}

#[test]
#[ignore = "needs programs of others; .ci/run has them"]
fn programs_of_others_are_told_in_few_tokens() {
    let mut lines = Vec::new();
    for program in ["docker", "kubectl", "gh", "cargo", "git", "uv"] {
        let Some(file) = found(program) else { continue };
        keeps_to_its_budget(&file);
        let [full, short, none, three] = check(program, &read(&file));
        lines.push(format!(
            "{program}: {full} full, {short} short, {none} none, {three} for three commands"
        ));
    }
    assert!(
        lines.iter().any(|line| line.starts_with("cargo")),
        "cargo runs this test"
    );
    #[expect(clippy::print_stdout, reason = "the figures are what this is run for")]
    {
        println!("{}", lines.join("\n"));
    }
}
