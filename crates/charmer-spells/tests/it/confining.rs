//! Spells that the system keeps in, or that are not run at all.

use std::{
    fs,
    os::unix::fs::symlink,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

use charmer_spells::SpellBook;
use serde_json::json;

use crate::support::{Project, call, code, nothing, stdout};

/// Whether spells can be kept in here; one that cannot be is refused, and that is said.
async fn is_enforced(book: &SpellBook, spell: &str) -> bool {
    let lacking = book
        .problems()
        .iter()
        .any(|problem| problem.message.contains("cannot be confined here"));
    if lacking {
        let result = call(book, spell, nothing()).await;
        assert_eq!(code(&result), "not_permitted", "it is never run without");
    }
    !lacking
}

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
    if !is_enforced(&book, "reader").await {
        return;
    }
    let read = call(&book, "reader", json!({"file": "mine"})).await;
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

/// A project with a folder `jail`, a secret beside it, and spells that read and write what a caller names.
fn reading(more: &str) -> Project {
    let project = Project::new();
    project.folder("jail");
    fs::write(project.base.join("jail/mine"), "mine").expect("it can");
    fs::write(project.base.join("secret"), "secret").expect("it can");
    for (name, word) in [("reader", "read"), ("writer", "write")] {
        project.spell(
            name,
            &format!("command: ${{FIXTURE}} {word}\npaths: [jail]\neffect: read\nargs: [{{name: file, free: true}}]\nargv: ['{{{{file}}}}']{more}"),
        );
    }
    project
}

#[tokio::test]
async fn a_spell_that_reads_cannot_write_and_reads_its_folders_only() {
    let project = reading("");
    let book = project.book();
    if !is_enforced(&book, "reader").await {
        return;
    }
    let read = call(&book, "reader", json!({"file": "mine"})).await;
    assert_eq!(stdout(&read), "mine\n");
    let outside = call(&book, "reader", json!({"file": "../secret"})).await;
    assert!(stdout(&outside).contains("ermission denied"), "{outside:?}");
    for file in ["mine", "new", "../secret", "/tmp/charmer-written"] {
        let result = call(&book, "writer", json!({"file": file})).await;
        assert!(stdout(&result).contains("ermission denied"), "{result:?}");
    }
    let mine = fs::read_to_string(project.base.join("jail/mine"));
    assert_eq!(mine.expect("it is there"), "mine");
}

#[tokio::test]
async fn a_server_that_goes_by_names_believes_it() {
    let project = reading("");
    let book = SpellBook::open(&project.spells, project.options().names_only(true));
    let written = call(&book, "writer", json!({"file": "new"})).await;
    assert_eq!(stdout(&written), "written\n");
}

#[tokio::test]
async fn an_author_who_lets_it_write_is_told_and_not_served_where_only_reading_is_offered() {
    let project = reading("\nconfine: false");
    let book = project.book();
    let said = book.problems()[0].to_string();
    assert!(
        said.contains("`confine: false` lets a spell write"),
        "{said}"
    );
    let written = call(&book, "writer", json!({"file": "new"})).await;
    assert_eq!(stdout(&written), "written\n");
    let only = SpellBook::open(&project.spells, project.options().read_only(true));
    assert!(only.spells().is_empty());
    let refused = call(&only, "cast_spell", json!({"spell_name": "writer"})).await;
    assert!(
        refused.text.contains("`confine: false`"),
        "{}",
        refused.text
    );
    let believed = project.options().read_only(true).names_only(true);
    assert_eq!(SpellBook::open(&project.spells, believed).spells().len(), 2);
}

#[tokio::test]
async fn each_call_has_a_folder_of_its_own_to_write_to() {
    let project = Project::new();
    project.spell(
        "t",
        "command: sh -c 'sleep 0.1; echo kept > \"$TMPDIR/note\"; cat \"$TMPDIR/note\"; ls \"$TMPDIR\" | wc -l; echo \"$TMPDIR\"'\npaths: [.]\neffect: read",
    );
    let book = project.book();
    if !is_enforced(&book, "t").await {
        return;
    }
    let mut folders = Vec::new();
    for _ in 0..2 {
        let result = call(&book, "t", nothing()).await;
        let lines: Vec<&str> = stdout(&result).split_whitespace().collect();
        assert_eq!(lines[..2], ["kept", "1"], "{result:?}");
        assert!(!Path::new(lines[2]).exists(), "it goes with its call");
        folders.push(lines[2].to_owned());
    }
    assert_ne!(folders[0], folders[1]);
}

#[tokio::test]
async fn what_a_spell_names_can_be_read_and_what_it_lacks_is_told() {
    let project = Project::new();
    project.folder("notes");
    project.folder("lib");
    fs::write(
        project.base.join("report.sh"),
        "cat settings; cat ../lib/names\n",
    )
    .expect("it can");
    fs::write(project.base.join("notes/settings"), "set\n").expect("it can");
    fs::write(project.base.join("lib/names"), "Ada\n").expect("it can");
    let keys = |paths: &str| {
        format!("command: sh ../report.sh\npaths: [{paths}]\neffect: read\nstructure: off")
    };
    project.spell("t", &keys("notes"));
    let book = project.book();
    if !is_enforced(&book, "t").await {
        return;
    }
    let lacking = call(&book, "t", nothing()).await;
    assert!(lacking.text.contains("set"), "{}", lacking.text);
    assert!(
        lacking
            .text
            .contains("add the folder or file that it needs to `paths`"),
        "{}",
        lacking.text
    );
    // A file can be named as well as a folder.
    project.spell("t", &keys("notes, lib/names"));
    assert_eq!(stdout(&project.call("t", nothing()).await), "set\nAda\n");
}

/// What was checked and what is opened later are the same file, or nothing is read.
#[test]
fn a_file_that_is_swapped_all_the_time_never_shows_the_secret() {
    let project = reading("");
    project.spell(
        "show",
        "command: cat --\npaths: [jail]\neffect: read\nargs: [{name: file, type: path, required: true}]\nargv: ['{{file}}']",
    );
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .expect("a runtime");
    let book = project.book();
    if !runtime.block_on(is_enforced(&book, "show")) {
        return;
    }
    let (jail, secret) = (project.base.join("jail"), project.base.join("secret"));
    let stop = AtomicBool::new(false);
    let shown: Vec<String> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let (swapped, file, link) =
                (jail.join("swapped"), jail.join("file"), jail.join("link"));
            for round in 0..1_000_000 {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                // Each stays for a while, and never for the same: where there is one processor, calls would otherwise
                // see the one alone at which this thread happens to lose it.
                let stay = || std::thread::sleep(Duration::from_micros(round % 8 * 50));
                let _ = fs::write(&file, "mine");
                let _ = fs::rename(&file, &swapped);
                stay();
                let _ = symlink(&secret, &link);
                let _ = fs::rename(&link, &swapped);
                stay();
            }
        });
        let show = |_| {
            let result = runtime.block_on(call(&book, "show", json!({"file": "swapped"})));
            let printed = result.structured.get("stdout");
            printed.map(ToString::to_string).unwrap_or_default()
        };
        let shown = (0..300).map(show).collect();
        stop.store(true, Ordering::Relaxed);
        shown
    });
    let leaked = shown.iter().filter(|text| text.contains("secret")).count();
    assert_eq!(leaked, 0, "of {} calls", shown.len());
    assert!(
        shown.iter().any(|text| text.contains("mine")),
        "none was read"
    );
}
