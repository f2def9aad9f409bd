//! `confine: true`: kept to its folders by the system, or not run at all.

use std::fs;

use serde_json::json;

use crate::support::{Project, call, code};

#[tokio::test]
async fn a_confined_spell_reaches_its_folders_only() {
    let project = Project::new();
    project.folder("jail");
    fs::write(project.base.join("jail/mine"), "mine").expect("it can");
    fs::write(project.base.join("secret"), "secret").expect("it can");
    for (name, word) in [("reader", "read"), ("writer", "write")] {
        project.spell(
            name,
            &format!("command: ${{FIXTURE}} {word}\npaths: [jail]\nconfine: true\nargs: [{{name: file}}]\nargv: ['{{{{file}}}}']"),
        );
    }
    let book = project.book();
    let read = call(&book, "reader", json!({"file": "mine"})).await;
    let unenforceable = book
        .problems()
        .iter()
        .any(|problem| problem.message.contains("cannot be enforced"));
    if unenforceable {
        assert_eq!(code(&read), "not_permitted", "it is never run without");
        return;
    }
    assert!(read.text.contains("mine"), "{read:?}");
    for outside in [
        "../secret",
        project.base.join("secret").to_str().expect("text"),
    ] {
        let result = call(&book, "reader", json!({"file": outside})).await;
        assert!(result.text.contains("ermission denied"), "{result:?}");
        let result = call(&book, "writer", json!({"file": outside})).await;
        assert!(result.text.contains("ermission denied"), "{result:?}");
    }
    assert_eq!(
        fs::read_to_string(project.base.join("secret")).expect("it is there"),
        "secret"
    );
    let written = call(&book, "writer", json!({"file": "new"})).await;
    assert!(written.text.contains("written"), "{written:?}");
    // The server itself has lost nothing.
    fs::write(project.base.join("secret"), "still").expect("it can");
}
