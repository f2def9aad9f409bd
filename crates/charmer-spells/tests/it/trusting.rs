//! Locked books: only what a person has accepted is run.

use std::fs;

use charmer_spells::{SpellBook, Trust, watch};
use serde_json::json;

use crate::support::{Project, call, code, elements, nothing, until};

const ONE: &str = "command: ${FIXTURE} one\npaths: [.]";
const TWO: &str = "command: ${FIXTURE} two\npaths: [.]";

#[tokio::test]
async fn a_locked_book_serves_what_was_accepted() {
    let project = Project::new();
    let file = project.spell("a", ONE);
    let store = project.base.join("state/accepted.json");
    let accept = || {
        let mut trust = Trust::load(&store).expect("it can be read");
        trust.accept(&file, &fs::read_to_string(&file).expect("it is there"));
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
    trust.accept(&file, &fs::read_to_string(&file).expect("it is there"));
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
