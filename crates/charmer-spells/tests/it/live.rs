//! Folders that change while they are served, and what stays.

use std::{
    fs,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use charmer_run::ToolSet;
use charmer_spells::{NameRule, SpellBook, Watch, watch};
use serde_json::json;

use crate::support::{
    Project, call, call_served, code, elements, nothing, stdout, text, until, waited_for,
};

fn watched(project: &Project) -> (SpellBook, Watch, Arc<AtomicUsize>) {
    let book = project.book();
    let changes = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&changes);
    let watch = watch(&book, move |_| _ = counted.fetch_add(1, Ordering::SeqCst));
    (book, watch.expect("it can be watched"), changes)
}

fn names(book: &SpellBook) -> Vec<String> {
    book.spells().into_iter().map(|spell| spell.name).collect()
}

/// The fixture's answer to a number would be JSON.
fn says(word: &str) -> String {
    format!("command: ${{FIXTURE}} {word}\npaths: [.]\nstructure: off")
}

async fn said(book: &SpellBook, name: &str) -> String {
    elements(&call(book, name, nothing()).await).concat()
}

#[tokio::test]
async fn new_changed_and_removed_files_take_effect() {
    let project = Project::new();
    let (book, _watch, changes) = watched(&project);
    assert!(names(&book).is_empty());
    let file = project.spell("a", &says("one"));
    until("it is new", || names(&book) == ["a"]);
    assert_eq!(said(&book, "a").await, "one");
    project.spell("a", &says("two"));
    until("it has changed", || book.spells()[0].command[1] == "two");
    assert_eq!(said(&book, "a").await, "two");
    fs::remove_file(file).expect("it can");
    until("it is gone", || names(&book).is_empty());
    assert!(changes.load(Ordering::SeqCst) >= 3);
}

#[tokio::test]
async fn a_folder_that_comes_later_is_seen() {
    let project = Project::new();
    fs::remove_dir(&project.spells).expect("it can");
    let (book, _watch, _) = watched(&project);
    assert!(book.problems()[0].message.contains("cannot be read"));
    fs::create_dir(&project.spells).expect("it can");
    project.spell("a", &says("one"));
    until("it is there", || names(&book) == ["a"]);
    assert!(book.problems().is_empty());
}

#[tokio::test]
async fn a_half_written_file_keeps_the_last_good_version() {
    let project = Project::new();
    let file = project.spell("a", &says("one"));
    let book = project.book();
    let whole = text("a", &says("two"));
    for end in [0, 5, whole.len() / 2, whole.len() - 3] {
        fs::write(&file, &whole[..end]).expect("it can");
        book.reload();
        assert_eq!(said(&book, "a").await, "one", "after {end} bytes");
    }
    fs::write(&file, "name: a\ncommand: [").expect("it can");
    assert!(book.reload());
    let problems = book.problems();
    assert!(
        problems[0].last_good && problems[0].mistakes.is_some(),
        "{problems:?}"
    );
    assert!(!call(&book, "a", nothing()).await.is_error);
    let listed = call(&book, "list_spells", nothing()).await;
    assert_eq!(listed.structured["data"]["problems"][0]["lastGood"], true);
    fs::write(&file, &whole).expect("it can");
    assert!(book.reload());
    assert_eq!(said(&book, "a").await, "two");
    assert!(book.problems().is_empty());
    // Invalid, and then deleted: gone at once, without anybody looking.
    fs::write(&file, "name: [").expect("it can");
    book.reload();
    fs::remove_file(&file).expect("it can");
    let tools = ToolSet::new(book.tools());
    assert_eq!(
        code(&call_served(tools.get("a").expect("not yet seen"), nothing()).await),
        "not_registered"
    );
    assert_eq!(
        code(&call(&book, "cast_spell", json!({"spell_name": "a"})).await),
        "not_registered"
    );
}

#[tokio::test]
async fn renamed_deleted_and_recreated_files_are_followed() {
    let project = Project::new();
    let file = project.spell("a", &says("one"));
    let (book, _watch, _) = watched(&project);
    let draft = project.spells.join(".a.yaml.swp");
    fs::write(&draft, text("a", &says("two"))).expect("it can");
    fs::rename(&draft, &file).expect("it can");
    until("it was replaced", || book.spells()[0].command[1] == "two");
    fs::remove_file(&file).expect("it can");
    until("it is gone", || names(&book).is_empty());
    project.spell("a", &says("three"));
    until("it is back", || {
        book.spells()
            .first()
            .is_some_and(|spell| spell.command[1] == "three")
    });
    fs::rename(&file, project.spells.join("b.yaml")).expect("it can");
    until("its name is wrong now", || names(&book).is_empty());
    assert_eq!(
        code(&call(&book, "cast_spell", json!({"spell_name": "b"})).await),
        "invalid_configuration"
    );
}

#[tokio::test]
async fn a_reload_does_not_disturb_a_call() {
    let project = Project::new();
    let go = project.base.join("go");
    let file = project.spell("a", &says(&format!("wait {}", go.display())));
    let book = project.book();
    let tools = ToolSet::new(book.tools());
    let served = tools.get("a").expect("it is there").clone();
    let running = tokio::spawn(async move { call_served(&served, nothing()).await });
    waited_for(&go).await;
    project.spell("a", &says("two"));
    assert!(book.reload());
    assert_eq!(said(&book, "a").await, "two");
    fs::remove_file(file).expect("it can");
    assert!(book.reload());
    fs::write(&go, "").expect("it can");
    let result = running.await.expect("it ends");
    assert!(stdout(&result).ends_with("done\n"), "{}", result.text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storm_of_edits_settles_on_the_last() {
    let project = Project::new();
    project.spell("a", &says("0"));
    let (book, _watch, _) = watched(&project);
    let spells = project.spells.clone();
    let writer = std::thread::spawn(move || {
        for n in 1..=1000 {
            let draft = spells.join(".draft");
            let whole = text("a", &says(&n.to_string()));
            // Half of them in place, half as editors do.
            if n % 2 == 0 {
                fs::write(spells.join("a.yaml"), whole).expect("it can");
            } else {
                fs::write(&draft, whole).expect("it can");
                fs::rename(&draft, spells.join("a.yaml")).expect("it can");
            }
        }
    });
    while !writer.is_finished() {
        let said = said(&book, "a").await;
        assert!(said.parse::<u32>().is_ok_and(|n| n <= 1000), "{said}");
    }
    writer.join().expect("it ends");
    until("the last edit", || book.spells()[0].command[1] == "1000");
    assert_eq!(said(&book, "a").await, "1000");
    assert!(book.problems().is_empty(), "{:?}", book.problems());
}

#[tokio::test]
async fn who_comes_second_does_not_take_a_name() {
    let project = Project::new();
    project.spell("a", &says("yaml"));
    fs::write(project.spells.join("a.yml"), text("a", &says("yml"))).expect("it can");
    let book = project.book();
    assert_eq!(said(&book, "a").await, "yaml");
    assert!(
        book.problems()[0].file.ends_with("a.yml"),
        "{:?}",
        book.problems()
    );
    // Who comes second does not take the name from who has it.
    fs::remove_file(project.spells.join("a.yaml")).expect("it can");
    assert!(book.reload());
    assert_eq!(said(&book, "a").await, "yml");
    project.spell("a", &says("again"));
    book.reload();
    assert_eq!(said(&book, "a").await, "yml");
    assert!(book.problems()[0].message.contains("has the same name"));
    for name in ["cast_spell", "list_spells", "read_output", "git_log"] {
        project.spell(name, &says("shadow"));
    }
    let book = SpellBook::open(
        &project.spells,
        project.options().reserved(["git_log".to_owned()]),
    );
    assert_eq!(names(&book), ["a"]);
    let tools = book.tools();
    assert_eq!(tools.len(), 3);
    assert_eq!(
        book.problems()
            .iter()
            .filter(|problem| problem.message.contains("another tool"))
            .count(),
        4
    );
}

#[test]
fn what_did_not_change_is_not_told() {
    let project = Project::new();
    let file = project.spell("a", &says("one"));
    let book = project.book();
    assert!(!book.reload());
    let same = fs::read(&file).expect("it is there");
    fs::write(&file, same).expect("it can");
    assert!(!book.reload(), "the same text is the same spell");
    fs::write(project.spells.join("notes.txt"), "x").expect("it can");
    assert!(!book.reload());
}

#[tokio::test]
async fn a_folder_out_of_reach_keeps_the_last_good_set() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    project.spell("a", &says("one"));
    let book = project.book();
    let set = |mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(&project.spells, mode).expect("it can");
    };
    set(0o000);
    // Nothing is out of reach for the superuser.
    if fs::read_dir(&project.spells).is_err() {
        assert!(book.reload());
        assert!(
            book.problems()
                .iter()
                .any(|problem| problem.message.contains("cannot be read")),
            "{:?}",
            book.problems()
        );
    }
    assert_eq!(said(&book, "a").await, "one");
    set(0o755);
    book.reload();
    assert!(book.problems().is_empty());
    fs::rename(&project.spells, project.base.join("away")).expect("it can");
    assert!(book.reload());
    assert!(names(&book).is_empty(), "what is gone is gone");
}

#[tokio::test]
async fn only_what_is_chosen_is_offered() {
    let project = Project::new();
    project.spell("a", &says("one"));
    project.spell("b", "comand: x");
    let rule = NameRule::new(|name| name != "b" && name != "cast_spell");
    let book = SpellBook::open(&project.spells, project.options().offered(rule));
    assert_eq!(names(&book), ["a"]);
    assert!(book.problems().is_empty(), "nobody asked for it");
    let tools: Vec<String> = book
        .tools()
        .iter()
        .map(|tool| tool.tool.name.to_string())
        .collect();
    assert_eq!(tools, ["a", "list_spells"]);
    let rule = NameRule::new(|name| name != "b");
    let book = SpellBook::open(&project.spells, project.options().offered(rule));
    let refused = call(&book, "cast_spell", json!({"spell_name": "b"})).await;
    assert_eq!(code(&refused), "not_permitted");
}

#[tokio::test]
async fn a_spell_runs_no_longer_than_the_server_permits() {
    let project = Project::new();
    project.spell("a", "command: ${FIXTURE} sleep\npaths: [.]\ntimeout: 300");
    let options = project.options().longest(Duration::from_millis(300));
    let book = SpellBook::open(&project.spells, options);
    assert_eq!(code(&call(&book, "a", nothing()).await), "timeout");
    let cast = call(&book, "cast_spell", json!({"spell_name": "a"})).await;
    assert_eq!(code(&cast), "timeout");
}

#[test]
fn a_name_that_is_taken_later_is_given_up() {
    let project = Project::new();
    project.spell("a", &says("one"));
    project.spell("b", &says("two"));
    let book = project.book();
    assert!(book.reserve(["b".to_owned()]));
    assert_eq!(names(&book), ["a"]);
    let problems = book.problems();
    let taken = |message: &str| message.contains("another tool is called");
    assert!(
        problems.iter().any(|problem| taken(&problem.message)),
        "{problems:?}"
    );
    assert!(!book.reserve(["b".to_owned()]), "nothing is different");
    assert!(book.reserve(["c".to_owned()]));
    assert_eq!(names(&book), ["a", "b"]);
}

#[tokio::test]
async fn only_reading_may_be_offered() {
    let project = Project::new();
    project.spell("a", &format!("{}\neffect: read", says("one")));
    project.spell("b", &format!("{}\neffect: write", says("two")));
    let book = SpellBook::open(&project.spells, project.options().read_only(true));
    assert_eq!(names(&book), ["a"]);
    let refused = call(&book, "cast_spell", json!({"spell_name": "b"})).await;
    assert_eq!(code(&refused), "not_permitted");
}

#[test]
fn what_a_call_sees_first_is_told_all_the_same() {
    let project = Project::new();
    let (book, _watch, changes) = watched(&project);
    project.spell("a", &says("one"));
    // As `list_spells` does, before the watcher gets to it.
    book.reload();
    assert_eq!(names(&book), ["a"]);
    until("the change", || changes.load(Ordering::SeqCst) > 0);
}
