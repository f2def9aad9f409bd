//! Reads our programs of many frameworks and compares what was found with what they say of themselves.
//!
//! `CHARMER_NODE_FIXTURES=/path/to/folder cargo test -p charmer-fidelity --test frameworks -- --ignored --nocapture`,
//! with Go, Node, and a copy of `fixtures/frameworks/node` in which its packages are installed; and `CHARMER_PICOCLI` for
//! the jar of picocli, with Java.
#![cfg(unix)]
#![expect(clippy::print_stdout, reason = "the report is for people")]

use std::{
    os::unix::fs::{PermissionsExt, symlink},
    path::{Path, PathBuf},
    process::Command,
};

use charmer_discover::{DiscoverOptions, discover};
use charmer_fidelity::{Truth, compare};

/// The Go programs, and the families that they are read as.
const GO: [(&str, &str); 6] = [
    ("urfave1", "urfave/cli"),
    ("urfave2", "urfave/cli"),
    ("urfave3", "urfave/cli"),
    ("kong", "kong"),
    ("kingpin", "kingpin"),
    ("fang", "cobra"),
];

/// The Node programs, likewise.
const NODE: [(&str, &str); 4] = [
    ("commander.js", "commander"),
    ("yargs.js", "yargs"),
    ("oclif/bakery.js", "oclif"),
    ("oclif-with-colons/bakery.js", "oclif"),
];

#[tokio::test]
#[ignore = "needs Go; .ci/run runs it"]
async fn programs_of_go_frameworks_are_read_as_they_are() {
    let mut wrong = Vec::new();
    for (name, family) in GO {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("bakery");
        let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/frameworks/go");
        let built = Command::new("go")
            .current_dir(fixtures)
            .args(["build", "-trimpath", "-buildvcs=false", "-o"])
            .arg(&program)
            .arg(format!("./{name}"))
            .status();
        assert!(built.expect("Go is there").success(), "{name} is built");
        wrong.extend(check(name, &program, family).await);
        if name == "fang" {
            let large = folder.path().join("bakeries");
            std::fs::copy(&program, &large).expect("a copy");
            wrong.extend(check(name, &large, family).await);
            wrong.extend(check_starts(&large).await);
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Reads a program with many commands; no more than two starts a command may be needed.
async fn check_starts(program: &Path) -> Vec<String> {
    let found = discover(program, &DiscoverOptions::default()).await;
    let found = found.expect("it is read");
    let commands = count(&found.cli.root);
    let many = found.spawned > 2 * commands;
    let said = format!("{} starts for {commands} commands", found.spawned);
    println!("{said}");
    many.then_some(said).into_iter().collect()
}

fn count(command: &charmer_core::model::Command) -> usize {
    1 + command.commands.iter().map(count).sum::<usize>()
}

#[tokio::test]
#[ignore = "needs Node and packages; .ci/run runs it"]
async fn programs_of_node_frameworks_are_read_as_they_are() {
    let fixtures = std::env::var_os("CHARMER_NODE_FIXTURES").map(PathBuf::from);
    let fixtures = fixtures.expect("CHARMER_NODE_FIXTURES names a folder with their packages");
    with_colons(&fixtures);
    let mut wrong = Vec::new();
    for (name, family) in NODE {
        let script = fixtures.join(name);
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&script, mode).expect("it is ours");
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("bakery");
        symlink(&script, &program).expect("a link");
        wrong.extend(check(name, &program, family).await);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
#[ignore = "needs Java and picocli; .ci/run runs it"]
async fn a_program_of_picocli_is_read_as_it_is() {
    let jar = std::env::var_os("CHARMER_PICOCLI").map(PathBuf::from);
    let jar = jar.expect("CHARMER_PICOCLI names the jar of picocli");
    let folder = tempfile::tempdir().expect("a folder");
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/frameworks/java");
    let built = Command::new("javac")
        .arg("-cp")
        .arg(&jar)
        .arg("-d")
        .arg(folder.path())
        .arg(fixtures.join("Bakery.java"))
        .status();
    assert!(built.expect("Java is there").success(), "it is built");
    let program = folder.path().join("bakery");
    let script = format!(
        "#!/bin/sh\nexec java -cp '{}:{}' Bakery \"$@\"\n",
        jar.display(),
        folder.path().display()
    );
    std::fs::write(&program, script).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("it is ours");
    let wrong = check("picocli", &program, "picocli").await;
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Makes the oclif program again, with colons between the words of its commands.
fn with_colons(fixtures: &Path) {
    let (from, to) = (fixtures.join("oclif"), fixtures.join("oclif-with-colons"));
    for folder in ["", "commands", "commands/oven"] {
        std::fs::create_dir_all(to.join(folder)).expect("a folder");
        for entry in std::fs::read_dir(from.join(folder)).expect("it is there") {
            let entry = entry.expect("it is readable");
            if entry.path().is_file() {
                let copy = to.join(folder).join(entry.file_name());
                std::fs::copy(entry.path(), copy).expect("a copy");
            }
        }
    }
    let about = std::fs::read_to_string(from.join("package.json")).expect("a text");
    let colons = about.replace("\"topicSeparator\": \" \"", "\"topicSeparator\": \":\"");
    assert_ne!(about, colons, "it says what separates words");
    std::fs::write(to.join("package.json"), colons).expect("written");
}

/// Reads a program, prints how true that is, and returns what is not as it must be.
async fn check(name: &str, program: &Path, family: &str) -> Vec<String> {
    let said = Command::new(program)
        .env("CHARMER_FIXTURE_TRUTH", "1")
        .output()
        .expect("it starts");
    let truth: Truth = serde_json::from_slice(&said.stdout).expect("a tree");
    let found = discover(program, &DiscoverOptions::default())
        .await
        .expect("it is read");
    let report = compare(&found.cli, &truth);
    println!(
        "== {name}: {}, {} spawns\n{report}",
        found.family, found.spawned
    );
    let mut wrong = Vec::new();
    // kingpin and fang show no other names.
    let aliases = if matches!(name, "kingpin" | "fang") {
        0.0
    } else {
        1.0
    };
    if found.family != family {
        wrong.push(format!("{name} was taken for {}", found.family));
    }
    for (what, score, least) in [
        ("commands found", &report.command_recall, 1.0),
        ("commands there", &report.command_precision, 1.0),
        ("flags found", &report.flag_recall, 1.0),
        ("flags there", &report.flag_precision, 1.0),
        ("short names", &report.shorts, 1.0),
        ("other names", &report.aliases, aliases),
        // Help does not show that a switch is on, nor the type of some texts and lists.
        ("types", &report.types, 0.85),
        ("defaults", &report.defaults, 0.8),
    ] {
        if score.share() < least {
            wrong.push(format!("{name}: {what}: {:?}", score.wrong));
        }
    }
    wrong
}
