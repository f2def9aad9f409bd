//! Locked books: only what a person has accepted is run.

use std::{fs, os::unix::fs::PermissionsExt, path::Path};

use charmer_spells::{SpellBook, Trust, watch};
use serde_json::json;

use crate::support::{Project, call, code, elements, nothing, stdout, until};

const ONE: &str = "command: ${FIXTURE} one\npaths: [.]";
const TWO: &str = "command: ${FIXTURE} two\npaths: [.]";

#[tokio::test]
async fn a_locked_book_serves_what_was_accepted() {
    let project = Project::new();
    let file = project.spell("a", ONE);
    let store = project.base.join("state/accepted.json");
    let accept = || {
        let mut trust = Trust::load(&store).expect("it can be read");
        let text = fs::read_to_string(&file).expect("it is there");
        trust
            .accept(&file, &text, &project.options())
            .expect("it can be read");
        trust.save().expect("it can");
    };
    let book = SpellBook::open(&project.spells, project.options().locked(&store));
    assert!(book.spells().is_empty());
    let refused = call(&book, "cast_spell", json!({"spell_name": "a"})).await;
    assert_eq!(code(&refused), "not_permitted");
    assert!(
        refused.text.contains("charmer spell trust"),
        "{}",
        refused.text
    );

    accept();
    assert!(book.reload());
    assert_eq!(elements(&call(&book, "a", nothing()).await), ["one"]);

    project.spell("a", TWO);
    assert!(book.reload());
    assert!(book.spells().is_empty(), "neither the new one nor the old");
    assert_eq!(
        code(&call(&book, "cast_spell", json!({"spell_name": "a"})).await),
        "not_permitted"
    );
    accept();
    book.reload();
    assert_eq!(elements(&call(&book, "a", nothing()).await), ["two"]);
    // The version that was accepted once is not accepted for ever.
    project.spell("a", ONE);
    book.reload();
    assert!(book.spells().is_empty());
}

#[test]
fn acceptance_is_seen_while_it_is_watched() {
    let project = Project::new();
    let file = project.spell("a", ONE);
    let store = project.folder("state").join("accepted.json");
    let book = SpellBook::open(&project.spells, project.options().locked(&store));
    let _watch = watch(&book, |_| ()).expect("it can");
    let mut trust = Trust::load(&store).expect("it can be read");
    let text = fs::read_to_string(&file).expect("it is there");
    trust
        .accept(&file, &text, &project.options())
        .expect("it can be read");
    trust.save().expect("it can");
    until("it is accepted", || book.spells().len() == 1);
    trust.forget(&file);
    trust.save().expect("it can");
    until("it is not any more", || book.spells().is_empty());
}

#[test]
fn a_store_that_cannot_be_trusted_accepts_nothing() {
    let project = Project::new();
    project.spell("a", ONE);
    let store = project.base.join("accepted.json");
    fs::write(&store, "{").expect("it can");
    for path in [store, project.spells.join("accepted.json")] {
        let book = SpellBook::open(&project.spells, project.options().locked(path));
        assert!(book.spells().is_empty());
        assert!(
            book.problems()
                .iter()
                .any(|problem| problem.message.contains("accepted"))
        );
    }
}

/// Accepts a spell as it is now.
fn accept(project: &Project, store: &Path, file: &Path) {
    let mut trust = Trust::load(store).expect("it can be read");
    let text = fs::read_to_string(file).expect("it is there");
    let accepted = trust.accept(file, &text, &project.options());
    accepted.expect("its files can be read");
    trust.save().expect("it can");
}

#[tokio::test]
async fn a_script_is_accepted_with_the_spell_that_runs_it() {
    let project = Project::new();
    let scripts = project.folder("scripts");
    fs::write(scripts.join("run.sh"), "echo one\n").expect("it can");
    let file = project.spell("a", "command: sh run.sh\npaths: [scripts]\nstructure: off");
    let store = project.base.join("state/accepted.json");
    accept(&project, &store, &file);
    let book = SpellBook::open(&project.spells, project.options().locked(&store));
    assert_eq!(stdout(&call(&book, "a", nothing()).await), "one\n");

    // Nobody has looked at the folder again, and it is refused all the same.
    fs::write(scripts.join("run.sh"), "echo two\n").expect("it can");
    let refused = call(&book, "a", nothing()).await;
    assert_eq!(code(&refused), "not_permitted");
    assert!(
        refused.text.contains("`run.sh`") && refused.text.contains("charmer spell trust"),
        "{}",
        refused.text
    );
    book.reload();
    assert!(book.spells().is_empty());
    accept(&project, &store, &file);
    book.reload();
    assert_eq!(stdout(&call(&book, "a", nothing()).await), "two\n");

    // Nor is another script of the same name run, deeper down.
    let deeper = project.folder("scripts/deeper");
    fs::write(deeper.join("run.sh"), "echo evil\n").expect("it can");
    let refused = call(&book, "a", json!({"path": "deeper"})).await;
    assert_eq!(code(&refused), "not_permitted");
    fs::write(deeper.join("run.sh"), "echo two\n").expect("it can");
    assert!(!call(&book, "a", json!({"path": "deeper"})).await.is_error);
}

#[tokio::test]
async fn a_hook_is_accepted_with_its_spell_and_not_started_otherwise() {
    let project = Project::new();
    let hook = project.base.join("judge.sh");
    let allow = "cat >/dev/null; echo '{\"version\": 1, \"decision\": \"allow\"}'\n";
    fs::write(&hook, allow).expect("it is written");
    let file = project.spell(
        "a",
        &format!("{ONE}\nhooks: {{before: [/bin/sh, judge.sh]}}"),
    );
    let store = project.base.join("state/accepted.json");
    accept(&project, &store, &file);
    let book = SpellBook::open(&project.spells, project.options().locked(&store));
    assert_eq!(elements(&call(&book, "a", nothing()).await), ["one"]);
    // The book has not looked again.
    fs::write(&hook, format!("touch started; {allow}")).expect("it is written");
    let refused = call(&book, "a", nothing()).await;
    assert_eq!(code(&refused), "not_permitted");
    assert!(refused.text.contains("judge.sh"), "{}", refused.text);
    assert!(!project.base.join("started").exists());
}

#[tokio::test]
async fn a_file_that_comes_later_was_not_accepted() {
    let project = Project::new();
    let file = project.spell("a", "command: sh run.sh\npaths: [.]\nstructure: off");
    let store = project.base.join("state/accepted.json");
    accept(&project, &store, &file);
    let book = SpellBook::open(&project.spells, project.options().locked(&store));
    assert_eq!(book.spells().len(), 1);
    fs::write(project.base.join("run.sh"), "echo evil\n").expect("it can");
    assert_eq!(code(&call(&book, "a", nothing()).await), "not_permitted");
    accept(&project, &store, &file);
    book.reload();
    assert_eq!(stdout(&call(&book, "a", nothing()).await), "evil\n");
}

#[test]
fn every_file_that_a_choice_can_name_is_accepted_with_it() {
    let project = Project::new();
    let tasks = project.folder("tasks");
    for task in ["build", "deploy", "other"] {
        fs::write(tasks.join(format!("{task}.sh")), "echo\n").expect("it can");
    }
    let tool = project.base.join("tool");
    fs::write(&tool, "#!/bin/sh\n").expect("it can");
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).expect("it can");
    let file = project.spell(
        "a",
        "command: ./tool --config=tasks/other.sh\npaths: [.]\nargs: [{name: task, enum: [build, deploy]}]\nargv: ['tasks/{{task}}.sh']",
    );
    let store = project.base.join("state/accepted.json");
    for changed in [
        "tasks/build.sh",
        "tasks/deploy.sh",
        "tasks/other.sh",
        "tool",
    ] {
        accept(&project, &store, &file);
        let open = || SpellBook::open(&project.spells, project.options().locked(&store));
        assert_eq!(open().spells().len(), 1);
        fs::write(
            project.base.join(changed),
            format!("#!/bin/sh\n# {changed}\n"),
        )
        .expect("it can");
        assert!(open().spells().is_empty(), "{changed}");
    }
}
