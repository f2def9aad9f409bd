//! Search over the tools of invented programs: what a person asks, and the command that comes first.

use std::sync::{Arc, LazyLock};

use charmer_core::{
    model::{Cli, Command, Effect, Flag, Hints, Positional, Syntax},
    search::{Hit, Index},
    tool::{Annotations, CatalogueOptions, Tool, ToolName, catalogue},
};
use proptest::prelude::*;
use serde_json::json;

fn command(name: &str, about: &str, effect: Effect) -> Command {
    Command::new(name).about(about).hints(Hints::new(effect))
}

fn group(name: &str, about: &str) -> Command {
    Command::new(name).about(about).not_runnable()
}

fn tools(root: Command) -> Vec<Arc<Tool>> {
    let options = CatalogueOptions::default();
    catalogue(&Cli::new(root, Syntax::pflag()), &options).tools
}

/// A harbour: boats lie in it, at piers.
fn harbour() -> Vec<Arc<Tool>> {
    let listing = |mut command: Command, aliases: &[&str]| {
        command.aliases = aliases.iter().map(|&alias| alias.to_owned()).collect();
        command
            .flag(Flag::new("all").help("Include boats that are at sea"))
            .flag(
                Flag::new("sort")
                    .pflag("string")
                    .help("Order by length or age"),
            )
    };
    let boat = group("boat", "Manage boats")
        .command(listing(
            command("ls", "List boats", Effect::Read),
            &["list", "fleet"],
        ))
        .command(command("rm", "Remove one or more boats", Effect::Destroy))
        .command(command(
            "inspect",
            "Display detailed information on one or more boats",
            Effect::Read,
        ))
        .command(command("prune", "Remove unused boats", Effect::Destroy))
        .command(command(
            "cp",
            "Copy goods between a boat and the pier",
            Effect::Write,
        ));
    let mut delete = command("delete", "Delete a pier", Effect::Destroy);
    delete.aliases = vec!["rm".to_owned()];
    let pier = group("pier", "Manage piers")
        .command(command("create", "Create a pier", Effect::Write))
        .command(delete)
        .command(command(
            "tie-up",
            "Make a boat fast at its mooring",
            Effect::Write,
        ))
        .command(command(
            "usage",
            "Show how much space is taken",
            Effect::Read,
        ));
    let sail = command("sail", "Start a boat on a voyage", Effect::Write);
    let journal = command("journal", "Fetch the logs of a boat", Effect::Read);
    tools(
        group("harbour", "Keeps boats")
            .command(listing(command("fleet", "List boats", Effect::Read), &[]))
            .command(sail.positional(Positional::new("boat").required()))
            .command(command(
                "stop",
                "Stop one or more boats at sea",
                Effect::Write,
            ))
            .command(journal.flag(Flag::new("follow").help("Follow log output")))
            .command(command("whoami", "Show the harbour master", Effect::Read))
            .command(command(
                "listmoorings",
                "Print the places along the quay",
                Effect::Read,
            ))
            .command(boat)
            .command(pier),
    )
}

/// Another program, with words that the harbour has too.
fn bakery() -> Vec<Arc<Tool>> {
    tools(
        group("bakery", "Bakes")
            .command(command("list", "List loaves", Effect::Read))
            .command(command("stop", "Stop the ovens", Effect::Write))
            .command(command("bake", "Make bread", Effect::Write)),
    )
}

fn index(tools: &[Arc<Tool>]) -> Index {
    Index::new(tools.iter().map(|tool| &**tool))
}

/// The command line that comes first.
fn best(tools: &[Arc<Tool>], question: &str) -> String {
    let hits = index(tools).search(question, 3);
    hits.first()
        .map_or(String::new(), |hit| tools[hit.at].words())
}

#[test]
fn questions_find_commands() {
    let harbour = harbour();
    for (question, wanted) in [
        ("list boats", "harbour fleet"),
        ("which boats are there?", "harbour fleet"),
        ("Delete a boat", "harbour boat rm"),
        ("how do I get rid of a pier", "harbour pier delete"),
        ("erase pier", "harbour pier delete"),
        ("boats nobody uses: clean them up", "harbour boat prune"),
        ("everything about one boat", "harbour boat inspect"),
        ("show me the journal", "harbour journal"),
        ("log output", "harbour journal"),
        ("launch a boat", "harbour sail"),
        ("halt all boats", "harbour stop"),
        ("new pier", "harbour pier create"),
        ("duplicate goods", "harbour boat cp"),
        ("what takes up my space", "harbour pier usage"),
        // Forms, order, and slips of the fingers.
        ("creating piers", "harbour pier create"),
        ("pier create", "harbour pier create"),
        ("creat a peir", "harbour pier create"),
        ("inpsect baots", "harbour boat inspect"),
        // Words that are one, and words that are two.
        ("tie up", "harbour pier tie-up"),
        ("tieup", "harbour pier tie-up"),
        ("who am i", "harbour whoami"),
        ("list moorings", "harbour listmoorings"),
        // What is said of a thing is not what is to be done, and what is not wanted is not looked for.
        ("remove a boat that is not used", "harbour boat prune"),
        ("inspect a stopped boat", "harbour boat inspect"),
        ("stop boats without removing them", "harbour stop"),
    ] {
        assert_eq!(best(&harbour, question), wanted, "{question}");
    }
}

#[test]
fn a_command_line_is_its_command() {
    let harbour = harbour();
    for (line, wanted) in [
        ("harbour boat rm", "harbour boat rm"),
        ("harbour_boat_rm", "harbour boat rm"),
        ("HARBOUR PIER RM", "harbour pier delete"),
        ("pier rm", "harbour pier delete"),
        ("harbour stop --all -f x", "harbour stop"),
        ("harbour journal --follow", "harbour journal"),
        ("harbour sail albatross", "harbour sail"),
        ("harbour pier tie-up", "harbour pier tie-up"),
        ("stop", "harbour stop"),
    ] {
        assert_eq!(best(&harbour, line), wanted, "{line}");
    }
}

#[test]
fn a_program_says_where_to_look() {
    let both: Vec<Arc<Tool>> = harbour().into_iter().chain(bakery()).collect();
    assert_eq!(best(&both, "bakery stop"), "bakery stop");
    assert_eq!(best(&both, "stop something in the bakery"), "bakery stop");
    assert_eq!(best(&both, "list what the harbour has"), "harbour fleet");
    assert_eq!(best(&both, "bread"), "bakery bake");
    // It is no wall: what only the other one has is found.
    assert_eq!(best(&both, "bakery voyage"), "harbour sail");
    // Alone, it stands for all that it has.
    let found = index(&both).search("bakery", 10);
    assert_eq!(found.len(), 3);
    assert!(
        found
            .iter()
            .all(|hit| both[hit.at].words().starts_with("bakery"))
    );
}

#[test]
fn one_command_with_two_names_is_found_once() {
    let harbour = harbour();
    let hits = index(&harbour).search("list boats", 20);
    let words = |hit: &Hit| harbour[hit.at].words();
    assert_eq!(words(&hits[0]), "harbour fleet");
    let also: Vec<String> = hits[0].also.iter().map(|at| harbour[*at].words()).collect();
    assert_eq!(also, ["harbour boat ls"]);
    assert!(hits.iter().all(|hit| words(hit) != "harbour boat ls"));
    // Its other name finds it as well.
    assert_eq!(best(&harbour, "harbour boat ls"), "harbour fleet");
}

#[test]
fn commands_that_say_the_same_of_different_things_are_two() {
    let thing =
        |name: &str| group(name, "Things").command(command("list", "List items", Effect::Read));
    let shop = tools(
        group("shop", "Sells")
            .command(thing("shelf"))
            .command(thing("till")),
    );
    let hits = index(&shop).search("list items", 5);
    assert_eq!(hits.len(), 2);
    assert!(hits.iter().all(|hit| hit.also.is_empty()));
}

#[test]
fn commands_whose_summaries_differ_in_a_number_are_two() {
    let mut first = command("thing1", "Do thing 1", Effect::Read);
    first.aliases = vec!["thing10".to_owned()];
    let shop = tools(
        group("shop", "Sells")
            .command(first)
            .command(command("thing10", "Do thing 10", Effect::Read))
            .command(command("items", "List items!", Effect::Read))
            .command(group("item", "Items").command(command("ls", "list items", Effect::Read))),
    );
    let found = index(&shop);
    let also = |question: &str| {
        let hit = found.search(question, 1).remove(0);
        let also = hit.also.iter().map(|at| shop[*at].words());
        also.collect::<Vec<String>>()
    };
    assert_eq!(also("list items"), ["shop item ls"]);
    assert!(also("shop thing1").is_empty() && also("shop thing10").is_empty());
}

#[test]
fn commands_are_found_by_what_people_say_who_want_them() {
    let mut cordon = command("cordon", "Mark a node as unschedulable", Effect::Write);
    let away = ["keep new boxes away from a machine"];
    cordon.hints = cordon.hints.phrases(away);
    let mut history = command("history", "Show the history of an image", Effect::Read);
    history.hints = history
        .hints
        .phrases(["why is it so big", "which step made it large"]);
    let mut account = group("auth", "Work with your account");
    for (name, about) in [
        ("refresh", "Renew stored data"),
        ("status", "Show how it stands"),
        ("switch", "Change what is used"),
    ] {
        account = account.command(command(name, about, Effect::Write));
    }
    let fork = tools(
        group("forklift", "Lifts")
            .command(command("stash", "Stash the changes", Effect::Write))
            .command(command("commit", "Record changes", Effect::Write))
            .command(command(
                "drain",
                "Drain a node for maintenance",
                Effect::Write,
            ))
            .command(command("images", "List images", Effect::Read))
            .command(cordon)
            .command(history)
            .command(account),
    );
    for (question, answer) in [
        // What a command brings with it.
        ("keep new boxes away from this machine", "forklift cordon"),
        ("which step made it so large?", "forklift history"),
        // What is said of its words, whatever the program is.
        ("missing scope error", "forklift auth refresh"),
        ("go from work to personal", "forklift auth switch"),
    ] {
        assert_eq!(best(&fork, question), answer, "{question}");
    }
    // What one command brings with it says nothing of another of the same name.
    let browser = tools(
        group("browser", "Reads pages")
            .command(command("history", "Pages that were visited", Effect::Read))
            .command(command("size", "How big a page is", Effect::Read)),
    );
    assert_eq!(best(&browser, "why is it so big"), "browser size");
}

#[test]
fn flags_that_the_question_speaks_of_are_named() {
    let harbour = harbour();
    let hits = index(&harbour).search("list boats sorted by age", 1);
    assert_eq!(hits[0].flags, ["sort"]);
    let hits = index(&harbour).search("follow the journal", 1);
    assert_eq!(hits[0].flags, ["follow"]);
    let hits = index(&harbour).search("list boats", 1);
    assert_eq!(hits[0].flags, [] as [&str; 0]);
}

#[test]
fn a_tool_without_a_program_is_found_by_what_it_takes() {
    let schema = json!({"type": "object", "properties": {
        "recipient": {"type": "string", "description": "Who gets the postcard"}
    }});
    let schema = schema.as_object().expect("an object").clone();
    let name = ToolName::exact("greet").expect("a name");
    let spell = Tool::custom(
        name,
        "Says hello from afar",
        schema,
        Annotations::new(&Hints::writes()),
    );
    let mut all = harbour();
    all.push(Arc::new(spell));
    assert_eq!(best(&all, "greet"), "greet");
    assert_eq!(best(&all, "say hello to grandma"), "greet");
    let hits = index(&all).search("send a postcard", 1);
    assert_eq!(all[hits[0].at].words(), "greet");
    assert_eq!(hits[0].flags, ["recipient"]);
}

#[test]
fn a_command_that_says_nothing_is_about_what_its_parent_is_about() {
    let parent = command("drawer", "Put unfinished letters away", Effect::Write)
        .command(Command::new("pop"))
        .command(Command::new("list"));
    let desk = tools(group("desk", "Writes").command(parent).command(command(
        "list",
        "List pens",
        Effect::Read,
    )));
    assert_eq!(best(&desk, "list unfinished letters"), "desk drawer list");
}

#[test]
fn nothing_finds_nothing() {
    let harbour = harbour();
    let index = index(&harbour);
    assert_eq!((index.len(), index.is_empty()), (harbour.len(), false));
    for question in ["", "   ", "?!", "12", "qqqqxxxx", "--"] {
        assert_eq!(index.search(question, 5), [], "{question}");
    }
    assert_eq!(index.search("list boats", 0), []);
    let empty = Index::new([]);
    assert!(empty.is_empty());
    assert_eq!(empty.search("list boats", 5), []);
}

#[test]
fn a_long_text_is_a_question_too() {
    let harbour = harbour();
    let text = "please stop the boats ".repeat(5000);
    assert_eq!(best(&harbour, &text), "harbour stop");
    let unknown = "zzyzx qwrtz ".repeat(10_000);
    assert_eq!(best(&harbour, &unknown), "");
}

/// Two indexes of the same tools.
static BOTH: LazyLock<[Index; 2]> = LazyLock::new(|| {
    let all: Vec<Arc<Tool>> = harbour().into_iter().chain(bakery()).collect();
    [index(&all), index(&all)]
});

proptest! {
    #[test]
    fn any_question_is_answered_the_same_each_time(question in "\\PC{0,80}", limit in 0usize..6) {
        let first = BOTH[0].search(&question, limit);
        prop_assert_eq!(&first, &BOTH[1].search(&question, limit));
        prop_assert!(first.len() <= limit);
        prop_assert!(first.iter().all(|hit| hit.at < BOTH[0].len() && hit.score.is_finite() && hit.score > 0.0));
        prop_assert!(first.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }

    #[test]
    fn any_help_can_be_read(name in "[a-z][a-z-]{0,12}", about in "\\PC{0,300}", flag in "[a-z][a-z0-9-]{0,10}", asked in "\\PC{0,30}") {
        let odd = command(&name, &about, Effect::Unknown)
            .examples(about.clone())
            .flag(Flag::new(flag.clone()).help(about.clone()));
        let odd = tools(group("odd", &about).command(odd));
        let index = index(&odd);
        index.search(&asked, 3);
        index.search(&about, 3);
        if !odd.is_empty() {
            prop_assert_eq!(index.search(&format!("odd {name}"), 1).len(), 1);
        }
    }
}
