use std::sync::Arc;

use charmer_core::{
    expose::{Expose, ShownBecause, Visibility},
    model::{Cli, Command, Effect, Flag, GivenEffect, Hints, Positional, Syntax},
    tool::{Annotations, CatalogueOptions, catalogue, estimate_tokens},
};
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::{indexed::tokens, *};
use crate::{
    Call, CallError, CallPath, CallResult, Excluded, HandlerCall, Outcome, Reading, Reply, Target,
    into_service,
};

/// A program with so many commands besides `list`, which reads, and `wipe`, which destroys.
pub(super) fn shop(more: usize) -> ToolSet {
    let list = Command::new("list")
        .about("List the orders")
        .hints(Hints::new(Effect::Read))
        .flag(Flag::new("limit").pflag("int").help("How many"))
        .flag({
            let mut report = Flag::new("report").pflag("string").help("Write a report");
            report.effect = Some(GivenEffect::of(Effect::Write));
            report
        });
    let wipe = Command::new("wipe")
        .about("Delete everything")
        .hints(Hints::new(Effect::Destroy));
    let root = Command::new("shop")
        .not_runnable()
        .command(list)
        .command(wipe);
    let root = (0..more).fold(root, |root, at| {
        let about = format!("Do the thing that is number {at} of many such things");
        root.command(
            Command::new(format!("thing{at}"))
                .about(about)
                .hints(Hints::new(Effect::Write)),
        )
    });
    served(root)
}

/// Its commands say what they were called with.
pub(super) fn served(root: Command) -> ToolSet {
    let made = catalogue(
        &Cli::new(root, Syntax::pflag()),
        &CatalogueOptions::default(),
    );
    ToolSet::new(made.tools.into_iter().map(|tool| {
        let says = |call: HandlerCall| {
            Ok(Reply::Text(format!(
                "ran {}",
                call.prepared.argv.to_strings().join(" ")
            )))
        };
        CallPath::new(tool, Target::Handler(Arc::new(says))).serve(&SharedSteps::default())
    }))
}

fn names(exposed: &Exposed) -> Vec<&str> {
    let listed = exposed.tools.listed();
    listed.map(|served| served.tool.name.as_str()).collect()
}

pub(super) async fn call(exposed: &Exposed, tool: &str, input: Value) -> CallResult {
    let served = exposed.tools.get(tool).expect("it is there");
    let input = input.as_object().expect("an object").clone();
    served.call(input, CancellationToken::new()).await
}

pub(super) fn code(result: &CallResult) -> &str {
    result.structured["error"]["code"].as_str().expect("a code")
}

#[test]
fn what_fits_is_shown_whole() {
    let all = Exposure::new(Expose::All).apply(shop(3));
    let auto = Exposure::default().apply(shop(3));
    assert_eq!(names(&auto), names(&all));
    assert_eq!(auto.descriptions, Descriptions::Full);
    assert!(auto.meta.is_empty());
    // A list that would be announced again shortly is not begun.
    let growing = Exposure::default().growing(true).apply(shop(3));
    assert_eq!(names(&growing), META_TOOLS);
}

#[tokio::test]
async fn what_was_kept_of_a_search_answers_as_the_commands_do() {
    let unread = vec!["Of shop, 1 command could not be read.".to_owned()];
    let exposure = Exposure::new(Expose::Index).programs(["shop".to_owned()]);
    let index = exposure.apply(shop(40).without_unread(unread));
    let kept = index.kept_search().expect("it searches");
    assert_eq!(kept.len(), 42);
    let kept = postcard::to_stdvec(&kept).expect("it can be written");
    let kept: KeptSearch<'static> = postcard::from_bytes(&kept).expect("it can be read");
    assert!(kept.is_sound());
    let alone = exposure.searching(kept);
    let shown = |tools: &ToolSet| {
        tools
            .get("search_commands")
            .map(|it| it.shown().definition())
    };
    assert_eq!(shown(&alone), shown(&index.tools));
    assert_eq!(alone.iter().count(), 1);
    // It stays what it is when the commands are there; those about them wait.
    let is_certain = |tools: &ToolSet| {
        let found = tools.resolve("search_commands", Map::new());
        found.is_some_and(|found| found.certain)
    };
    assert!(is_certain(&alone) && !is_certain(&index.tools));
    let alone = Exposed {
        tools: alone,
        ..Exposed::default()
    };
    for query in [
        "orders",
        "thing number 17",
        "how many orders",
        "delte all",
        "no such word",
    ] {
        let query = json!({"query": query, "limit": 7});
        let of_commands = call(&index, "search_commands", query.clone()).await;
        let of_kept = call(&alone, "search_commands", query).await;
        assert_eq!(of_kept.text, of_commands.text);
    }
}

#[tokio::test]
async fn what_could_not_be_read_is_said_to_whoever_searches() {
    let sentence = "2 commands of `shop` could not be read";
    let tools = shop(3).without_unread(vec![sentence.to_owned()]);
    let index = Exposure::new(Expose::Index).apply(tools);
    let found = call(&index, "search_commands", json!({"query": "thing"})).await;
    assert!(
        found.text.ends_with(&format!("\n({sentence})")),
        "{}",
        found.text
    );
    let unknown = call(&index, "run_read", json!({"command": "shop_unread"})).await;
    assert!(unknown.text.contains(sentence), "{}", unknown.text);
}

#[test]
fn an_index_lists_what_stands_for_all() {
    let index = Exposure::new(Expose::Index).apply(shop(200));
    assert_eq!(names(&index), META_TOOLS);
    assert_eq!(index.tools.iter().count(), 4 + 202);
    assert!(
        index
            .commands
            .iter()
            .all(|shown| shown.place == ShownBecause::Found)
    );
    // Every command can still be called by its name, and has its page.
    assert!(index.tools.get("shop_thing7").is_some());
    assert_eq!(index.tools.usable().count(), 4 + 202);
}

#[test]
fn hints_are_those_of_what_is_run() {
    let index = Exposure::new(Expose::Index).apply(shop(1));
    let hints = META_TOOLS.map(|name| {
        let hints = index.tools.get(name).expect("it is there").tool.annotations;
        (hints.read_only, hints.destructive, hints.open_world)
    });
    let looks = (true, false, false);
    assert_eq!(
        hints,
        [looks, looks, (true, false, true), (false, true, true)]
    );
}

#[test]
fn there_is_no_tool_for_what_no_command_does() {
    let reading: Vec<ServedTool> = shop(0)
        .iter()
        .filter(|served| served.tool.help.effect == Effect::Read)
        .cloned()
        .map(|mut served| {
            let mut tool = Tool::clone(&served.tool);
            tool.annotations = Annotations::new(&Hints::reads());
            tool.input
                .flags
                .retain(|property| property.flag.effect.is_none());
            served.tool = Arc::new(tool);
            served
        })
        .collect();
    let exposure = Exposure::new(Expose::Index);
    let index = exposure.apply(ToolSet::new(reading));
    assert_eq!(
        names(&index),
        ["search_commands", "describe_commands", "run_read"]
    );
    let writing = shop(1).iter().skip(1).cloned().collect::<Vec<_>>();
    let index = exposure.apply(ToolSet::new(writing));
    assert_eq!(
        names(&index),
        ["search_commands", "describe_commands", "run_write"]
    );
}

#[test]
fn a_budget_buys_the_best_and_holds() {
    for budget in [1000, 1500, 4000] {
        let exposed = Exposure::default()
            .budget(budget)
            .spent(100)
            .apply(shop(300));
        let shown = names(&exposed);
        let listed = exposed.tools.listed();
        let sum: usize = listed.map(|served| tokens(served.shown())).sum();
        assert!(sum + 100 <= budget, "{sum} of {budget}");
        assert!(shown.len() > META_TOOLS.len(), "{budget} buys something");
        assert!(shown.contains(&"shop_list"), "{shown:?}");
    }
}

#[test]
fn people_have_the_last_word() {
    let wished = |name: &str| match name {
        "shop_wipe" => Visibility::Pin,
        "shop_list" => Visibility::Hide,
        _ => Visibility::Free,
    };
    let tools = |more| {
        let tools = shop(more);
        let tools: Vec<ServedTool> = tools
            .iter()
            .map(|served| served.clone().visibility(wished(served.tool.name.as_str())))
            .collect();
        ToolSet::new(tools)
    };
    for exposure in [Exposure::new(Expose::Index), Exposure::default()] {
        let exposed = exposure.apply(tools(300));
        assert!(names(&exposed).contains(&"shop_wipe"));
        assert!(!names(&exposed).contains(&"shop_list"));
    }
    // Even where everything would fit.
    let exposed = Exposure::default().apply(tools(1));
    assert!(!names(&exposed).contains(&"shop_list"));
}

#[tokio::test]
async fn a_command_runs_through_its_own_path() {
    let index = Exposure::new(Expose::Index).apply(shop(5));
    for command in ["shop_list", "shop list", "shop/list", "SHOP_LIST"] {
        let input = json!({"command": command, "arguments": {"limit": 3}});
        let routed = call(&index, "run_read", input).await;
        assert_eq!(routed, call(&index, "shop_list", json!({"limit": 3})).await);
        assert_eq!(routed.structured["stdout"], "ran list --limit=3");
    }
    // Some models write the object as text.
    let input = json!({"command": "shop_list", "arguments": "{\"limit\": 3}"});
    assert!(!call(&index, "run_write", input).await.is_error);
    let result = call(&index, "run_write", json!({"command": "shop_wipe"})).await;
    assert_eq!(result.structured["stdout"], "ran wipe");
}

#[tokio::test]
async fn run_read_only_reads() {
    let index = Exposure::new(Expose::Index).apply(shop(5));
    let refused = call(&index, "run_read", json!({"command": "shop_wipe"})).await;
    assert_eq!(code(&refused), "not_permitted");
    assert!(refused.text.contains("run_write"), "{}", refused.text);
    let with = |report: Value| json!({"command": "shop_list", "arguments": {"report": report}});
    let refused = call(&index, "run_read", with(json!("/tmp/x"))).await;
    assert_eq!(code(&refused), "not_permitted");
    assert!(refused.text.contains("`report`"), "{}", refused.text);
    assert!(!call(&index, "run_read", with(Value::Null)).await.is_error);
    assert!(
        !call(&index, "run_write", with(json!("/tmp/x")))
            .await
            .is_error
    );
}

/// The tools of the shop, which say whether they were run without the right to write.
fn confined(reading: Reading) -> ToolSet {
    ToolSet::new(shop(1).iter().cloned().map(|mut served| {
        served.service = into_service(tower::service_fn(|call: Call| async move {
            let how = if call.reads { "confined" } else { "free" };
            Ok::<_, CallError>(Outcome::success(how))
        }));
        served.reading(reading)
    }))
}

#[tokio::test]
async fn what_cannot_write_may_be_tried_whatever_its_label() {
    let exposure = Exposure::new(Expose::Index).reads_any(ReadsAny::All);
    let index = exposure.apply(confined(Reading::Any));
    let wipe = json!({"command": "shop_wipe"});
    let report = json!({"command": "shop_list", "arguments": {"report": "/tmp/x"}});
    for input in [&wipe, &report] {
        let read = call(&index, "run_read", input.clone()).await;
        assert_eq!(read.structured["stdout"], "confined");
        let write = call(&index, "run_write", input.clone()).await;
        assert_eq!(write.structured["stdout"], "free");
    }
    let about = &index.tools.get("run_read").expect("it is there").tool;
    assert!(about.description.contains("any command"), "{about:?}");
    assert!(exposure.instructions("").contains("run_read to look"));
    // Where the label decides, it is confined as well.
    let index = Exposure::new(Expose::Index).apply(confined(Reading::Labelled));
    assert_eq!(code(&call(&index, "run_read", wipe).await), "not_permitted");
    assert_eq!(
        code(&call(&index, "run_read", report).await),
        "not_permitted"
    );
    let list = call(&index, "run_read", json!({"command": "shop_list"})).await;
    assert_eq!(list.structured["stdout"], "confined");
}

#[tokio::test]
async fn a_tool_that_only_reads_does_so_however_it_is_called() {
    let tools = confined(Reading::Any);
    let tools = ToolSet::new(tools.iter().cloned().map(|served| served.reads(true)));
    let index = Exposure::new(Expose::Index).apply(tools);
    // There is nothing to write with.
    assert_eq!(
        names(&index),
        ["search_commands", "describe_commands", "run_read"]
    );
    let wipe = json!({"command": "shop_wipe"});
    for (tool, input) in [
        ("shop_wipe", json!({})),
        ("run_read", wipe.clone()),
        ("run_write", wipe),
    ] {
        let result = call(&index, tool, input).await;
        assert_eq!(result.structured["stdout"], "confined", "{tool}");
    }
}

#[tokio::test]
async fn what_is_given_decides_where_only_reading_is_served() {
    let branch = Command::new("branch")
        .about("List branches, or make one")
        .hints(Hints::new(Effect::Read))
        .positional({
            let mut name = Positional::new("name");
            name.effect = Some(GivenEffect::of(Effect::Write));
            name
        })
        .flag({
            let mut method = Flag::new("method").pflag("string");
            method.effect = Some(GivenEffect::of(Effect::Write).for_value("GET", None));
            method
        })
        .flag({
            let mut trial = Flag::new("trial");
            trial.previews = Some(Vec::new());
            trial
        });
    let tools = |reading| {
        let tools = served(Command::new("shop").not_runnable().command(branch.clone()));
        ToolSet::new(
            tools
                .iter()
                .cloned()
                .map(|one| one.reads(true).reading(reading)),
        )
    };
    let all = Exposure::new(Expose::All).apply(tools(Reading::Labelled));
    let index = Exposure::new(Expose::Index).apply(tools(Reading::Labelled));
    let confined = Exposure::new(Expose::All).apply(tools(Reading::Any));
    let writes = [
        (json!({"name": "new"}), "adds or changes"),
        (
            json!({"method": "PUT"}),
            "`method` is given with this value",
        ),
    ];
    for (input, why) in writes {
        let refused = call(&all, "shop_branch", input.clone()).await;
        assert_eq!(code(&refused), "not_permitted", "{input}");
        assert!(refused.text.contains(why), "{}", refused.text);
        assert!(!refused.text.contains("run_write"), "{}", refused.text);
        let by_name = json!({"command": "shop_branch", "arguments": input});
        let refused = call(&index, "run_read", by_name.clone()).await;
        assert_eq!(code(&refused), "not_permitted", "{input}");
        // The kernel sees to it.
        assert!(!call(&confined, "shop_branch", input).await.is_error);
    }
    for input in [
        json!({}),
        json!({"method": "GET"}),
        json!({"name": "new", "method": "PUT", "trial": true}),
    ] {
        let read = call(&all, "shop_branch", input.clone()).await;
        assert!(!read.is_error, "{input}: {}", read.text);
    }
}

#[tokio::test]
async fn errors_teach() {
    let index = Exposure::new(Expose::Index).apply(shop(5));
    let unknown = call(&index, "run_read", json!({"command": "shop_lst"})).await;
    assert_eq!(code(&unknown), "not_registered");
    assert!(unknown.text.contains("`shop_list`"), "{}", unknown.text);
    let wrong = json!({"command": "shop_list", "arguments": {"limit": "many", "sort": 1}});
    let wrong = call(&index, "run_read", wrong).await;
    assert_eq!(code(&wrong), "invalid_arguments");
    for told in ["`limit`", "`sort`", "`describe_commands` shows all"] {
        assert!(wrong.text.contains(told), "{told} is not in {}", wrong.text);
    }
    for name in ["shpo_list", "sohp list", "hsop/list"] {
        let unknown = call(&index, "run_read", json!({"command": name})).await;
        assert!(unknown.text.contains("`shop_list`"), "{}", unknown.text);
    }
    for (tool, input) in [
        ("run_read", json!({})),
        ("run_read", json!({"command": 1})),
        (
            "run_read",
            json!({"command": "shop_list", "arguments": [1]}),
        ),
        ("run_read", json!({"command": "shop_list", "limit": 1})),
        ("search_commands", json!({})),
        ("search_commands", json!({"query": " "})),
        ("search_commands", json!({"query": "x", "limit": 0})),
        ("describe_commands", json!({"commands": []})),
        ("describe_commands", json!({"commands": [1]})),
        (
            "describe_commands",
            json!({"commands": ["shop_list"], "full": 1}),
        ),
    ] {
        let result = call(&index, tool, input.clone()).await;
        assert_eq!(code(&result), "invalid_arguments", "{tool} {input}");
    }
}

#[tokio::test]
async fn commands_are_found_and_described() {
    let index = Exposure::new(Expose::Index).apply(shop(5));
    let found = call(
        &index,
        "search_commands",
        json!({"query": "remove everything"}),
    )
    .await;
    let first = found.text.lines().next().unwrap_or_default();
    assert!(
        first.contains("shop_wipe") && first.contains("[destroy]"),
        "{first}"
    );
    // The text is all there is to it.
    assert!(found.text_alone);
    let described = call(
        &index,
        "describe_commands",
        json!({"commands": ["shop_list", "shop list", "shop_thing1", "nothing"]}),
    )
    .await;
    assert!(!described.is_error);
    assert_eq!(described.text.matches("List the orders").count(), 1);
    for told in ["limit", "shop_thing1", "there is no command `nothing`"] {
        assert!(described.text.contains(told), "{}", described.text);
    }
    let unknown = call(
        &index,
        "describe_commands",
        json!({"commands": ["nothing"]}),
    )
    .await;
    assert_eq!(code(&unknown), "not_registered");
    // A command that was not read yet may be there all the same.
    for (growing, told) in [(true, "try again"), (false, "the nearest are")] {
        let exposed = Exposure::new(Expose::Index).growing(growing).apply(shop(3));
        let commands = json!({"commands": ["shop_lists"]});
        let unknown = call(&exposed, "describe_commands", commands).await;
        assert!(unknown.text.contains(told), "{}", unknown.text);
    }
}

#[tokio::test]
async fn what_was_described_becomes_a_tool_if_it_may() {
    let promotions = Promotions::default();
    let exposure = Exposure::new(Expose::Index).promotions(promotions.clone());
    let index = exposure.apply(shop(5));
    let changes = promotions.changes();
    let input = json!({"commands": ["shop_list"]});
    call(&index, "describe_commands", input.clone()).await;
    assert!(changes.has_changed().expect("it is there"));
    assert!(names(&index).contains(&"shop_list"));
    // It stays one when the tools are put together again.
    assert!(names(&exposure.apply(shop(6))).contains(&"shop_list"));
    let plain = Exposure::new(Expose::Index).apply(shop(5));
    call(&plain, "describe_commands", input).await;
    assert_eq!(names(&plain), META_TOOLS);
}

#[tokio::test]
async fn a_command_under_two_paths_is_run_by_either() {
    let mut again = Command::new("ls").about("List the orders");
    again.same_as = Some("list".into());
    let root = Command::new("shop")
        .not_runnable()
        .command(Command::new("list").about("List the orders"))
        .command(Command::new("order").not_runnable().command(again));
    let index = Exposure::new(Expose::Index).apply(served(root));
    let found = call(&index, "search_commands", json!({"query": "list orders"})).await;
    let first = found.text.lines().next().unwrap_or_default();
    assert!(
        first.starts_with("shop_list ") && first.ends_with("(also shop order ls)"),
        "{first}"
    );
    assert_eq!(found.text.lines().count(), 1, "{}", found.text);
    let result = call(&index, "run_write", json!({"command": "shop order ls"})).await;
    assert_eq!(result.structured["stdout"], "ran list");
}

#[tokio::test]
async fn a_name_of_any_length_is_only_unknown() {
    let index = Exposure::new(Expose::Index).apply(shop(300));
    for name in [
        "x".repeat(1 << 20),
        "x ".repeat(1 << 19),
        "é".repeat(1 << 18),
    ] {
        for (tool, input) in [
            ("run_read", json!({"command": name})),
            ("describe_commands", json!({"commands": vec![&name; 10]})),
            ("search_commands", json!({"query": name})),
        ] {
            let result = call(&index, tool, input).await;
            assert!(
                result.text.len() < 5000,
                "{tool}: {} bytes",
                result.text.len()
            );
            assert!(!result.is_error || code(&result) == "not_registered");
        }
    }
}

#[tokio::test]
async fn promotion_has_its_bounds() {
    let hidden = |served: &ServedTool| served.tool.name.as_str() == "shop_list";
    let tools = shop(60);
    let tools = tools.iter().map(|served| match hidden(served) {
        true => served.clone().visibility(Visibility::Hide),
        false => served.clone(),
    });
    let promotions = Promotions::default();
    let exposure = Exposure::new(Expose::Index).promotions(promotions);
    let index = exposure.apply(ToolSet::new(tools));
    call(
        &index,
        "describe_commands",
        json!({"commands": ["shop_list"]}),
    )
    .await;
    assert_eq!(names(&index), META_TOOLS, "what is hidden stays so");
    for at in 0..60 {
        let input = json!({"commands": [format!("shop_thing{at}")]});
        call(&index, "describe_commands", input).await;
    }
    assert_eq!(names(&index).len(), META_TOOLS.len() + 20);
}

#[test]
fn a_list_within_a_budget_has_at_most_forty_tools() {
    let exposed = Exposure::default().budget(1_000_000).apply(shop(300));
    assert_eq!(names(&exposed).len(), 40);
    assert!(
        Exposure::default()
            .budget(1_000_000)
            .apply(shop(38))
            .meta
            .is_empty()
    );
}

#[test]
fn where_only_reading_is_offered_nothing_writes() {
    let exposure = Exposure::new(Expose::Index).read_only(true).growing(true);
    let exposed = exposure.apply(ToolSet::default());
    assert_eq!(names(&exposed), &META_TOOLS[..3]);
    assert!(!exposure.instructions("").contains("run_write"));
    let nothing = Exposure::new(Expose::Index).apply(ToolSet::default());
    assert!(names(&nothing).is_empty());
}

#[tokio::test]
async fn a_dry_run_tells_what_would_be_run() {
    let index = Exposure::new(Expose::Index).apply(shop(1));
    let arguments = json!({"limit": 3, "report": "x"});
    let input = json!({"command": "shop_list", "arguments": arguments, "dry_run": true});
    let result = call(&index, "run_write", input.clone()).await;
    assert!(!result.is_error, "{}", result.text);
    let keys: Vec<&str> = result.structured.keys().map(String::as_str).collect();
    assert_eq!(
        keys,
        ["argv", "folder", "effect", "confinement", "rule", "notes"]
    );
    assert_eq!(
        result.structured["argv"],
        json!(["shop", "list", "--limit=3", "--report=x"])
    );
    // The flag makes it write, though the command reads.
    assert_eq!(result.structured["effect"], "write");
    // What is refused is refused in a dry run, too.
    let refused = call(&index, "run_read", input).await;
    assert_eq!(code(&refused), "not_permitted");
    let input = json!({"command": "shop_nothing", "dry_run": true});
    assert_eq!(
        code(&call(&index, "run_read", input).await),
        "not_registered"
    );
    let input = json!({"command": "shop_list", "dry_run": 1});
    assert_eq!(
        code(&call(&index, "run_read", input).await),
        "invalid_arguments"
    );
    let input = json!({"command": "shop_list", "dry_run": false});
    assert_eq!(call(&index, "run_read", input).await.text, "ran list");
}

/// A command with many flags and required arguments, called wrongly in every way.
#[tokio::test]
async fn an_error_takes_at_most_120_tokens() {
    let mut load = Command::new("load").hints(Hints::new(Effect::Read));
    for at in 0..60 {
        let flag = Flag::new(format!("some-long-option-number-{at}")).pflag("int");
        load = load.flag(if at < 12 { flag.required() } else { flag });
    }
    load = load.flag(
        Flag::new("format")
            .pflag("string")
            .choices((0..50).map(|at| format!("format-of-number-{at}"))),
    );
    let root = Command::new("shop").not_runnable().command(load);
    let excluded = Excluded::new(
        "shop_wipe",
        "it deletes, and only reading is offered (`--read-only`)",
    );
    let index = Exposure::new(Expose::Index).apply(served(root).excluding([excluded]));
    let many: serde_json::Map<String, Value> = (0..40)
        .map(|at| {
            (
                format!("unheard of {at} {}", "x".repeat(300)),
                json!("y".repeat(300)),
            )
        })
        .collect();
    for input in [
        json!({"command": "shop_load"}),
        json!({"command": "shop_load", "arguments": {"format": "none of them"}}),
        json!({"command": "shop_load", "arguments": {"zzzzzz": 1}}),
        json!({"command": "shop_load", "arguments": many}),
        json!({"command": "x".repeat(500)}),
        json!({"command": "\u{4e00}".repeat(500)}),
        json!({"command": "shop_wipe"}),
        json!({"command": "shop wipe"}),
        json!({"command": 7}),
        json!({"command": "shop_load", "some-long-option-number-1": 1}),
    ] {
        let result = call(&index, "run_write", input.clone()).await;
        assert!(result.is_error, "{input}");
        let tokens = estimate_tokens(&result.text);
        assert!(tokens <= 120, "{tokens} for {}", result.text);
    }
    let wiped = call(&index, "run_write", json!({"command": "shop wipe"})).await;
    assert_eq!(code(&wiped), "not_permitted");
    assert!(wiped.text.contains("`--read-only`"), "{}", wiped.text);
}

#[tokio::test]
async fn another_spelling_is_no_way_around_a_rule() {
    let list = Command::new("list")
        .hints(Hints::new(Effect::Read))
        .flag({
            let mut report = Flag::new("report-file").short('r').pflag("string");
            report.effect = Some(GivenEffect::of(Effect::Write));
            report
        })
        .flag(Flag::new("limit").short('l').pflag("int"));
    let made = catalogue(
        &Cli::new(
            Command::new("shop").not_runnable().command(list),
            Syntax::pflag(),
        ),
        &CatalogueOptions::default(),
    );
    let tools = ToolSet::new(made.tools.into_iter().map(|tool| {
        let says = |call: HandlerCall| {
            let argv = call.prepared.argv.to_strings().join(" ");
            Ok(Reply::Text(format!(
                "{argv} {:?}",
                call.prepared.bound.notes
            )))
        };
        let few = crate::layers::Validate::pattern("limit", "[0-9]", "few").expect("a pattern");
        CallPath::new(tool, Target::Handler(Arc::new(says)))
            .check(few)
            .serve(&SharedSteps::default())
    }));
    let index = Exposure::new(Expose::Index).apply(tools);
    for key in [
        "report-file",
        "r",
        "-r",
        "report_file",
        "reportFile",
        "--report-file",
        "REPORT-FILE",
    ] {
        let input = json!({"command": "shop_list", "arguments": {key: "x"}});
        let refused = call(&index, "run_read", input.clone()).await;
        assert_eq!(code(&refused), "not_permitted", "{key}");
        assert!(!call(&index, "run_write", input).await.is_error, "{key}");
    }
    for key in ["limit", "l", "-l", "--limit", "LIMIT"] {
        for (value, fits) in [
            (json!(5), true),
            (json!("5"), true),
            (json!(50), false),
            (json!(["50"]), false),
        ] {
            let result = call(&index, "shop_list", json!({key: value})).await;
            assert_eq!(!result.is_error, fits, "{key} {value}: {}", result.text);
        }
    }
    let noted = call(
        &index,
        "run_read",
        json!({"command": "shop_list", "arguments": {"l": "5"}}),
    )
    .await;
    let notes = json!([
        "`l` was taken as `limit`",
        "`limit`: the text was taken as a number"
    ]);
    assert_eq!(noted.structured["notes"], notes);
    assert!(
        noted.structured["stdout"]
            .as_str()
            .is_some_and(|out| out.contains("taken as `limit`"))
    );
}
