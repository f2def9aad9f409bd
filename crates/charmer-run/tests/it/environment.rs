//! What a child finds around it, and what is said when it cannot be started.

use std::path::{Component, Path, PathBuf};

use charmer_run::{
    CallError, ErrorCode,
    process::{Engine, Environment, Launcher, resolve_program},
};

use crate::support::{fixture, launcher_of, patient, request, run, try_run, write_program};

const SAYS_FIRST: &str = "#!/bin/sh\necho first\n";
const SAYS_SECOND: &str = "#!/bin/sh\necho second\n";

#[tokio::test]
async fn what_hijacks_does_not_reach_the_child_unless_asked_for() {
    let hijackers = [
        "LD_PRELOAD",
        "LD_AUDIT",
        "BASH_ENV",
        "ENV",
        "BASH_FUNC_ls%%",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_PARAMETERS",
        "GIT_EXEC_PATH",
        "GIT_EXTERNAL_DIFF",
        "NODE_OPTIONS",
        "PYTHONSTARTUP",
        "PERL5OPT",
    ];
    let harmless = ["GIT_DIR", "HOME", "KUBECONFIG", "LDFLAGS"];
    let given = hijackers.iter().chain(&harmless);
    let mut environment = Environment::inherit(given.map(|name| (name.into(), "x".into())));
    environment.set("NODE_OPTIONS", "--asked-for");
    let launcher = Launcher::new(fixture(), environment, None, Engine::default());
    let outcome = try_run(&launcher, request(&["environment"], &patient())).await;
    let seen = outcome.expect("it starts").stdout_text();
    let mut seen: Vec<&str> = seen.lines().collect();
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            "GIT_DIR=x",
            "HOME=x",
            "KUBECONFIG=x",
            "LDFLAGS=x",
            "NODE_OPTIONS=--asked-for"
        ]
    );
}

/// The way from the working directory to an absolute path.
fn relative(path: &Path) -> PathBuf {
    let here = std::env::current_dir().expect("there is one");
    let up = here
        .components()
        .filter(|part| matches!(part, Component::Normal(_)));
    up.map(|_| "..")
        .collect::<PathBuf>()
        .join(path.strip_prefix("/").expect("it is absolute"))
}

#[tokio::test]
async fn relative_entries_of_the_search_path_are_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let (evil, good) = (folder.path().join("evil"), folder.path().join("good"));
    for path in [&evil, &good] {
        std::fs::create_dir(path).expect("a folder");
        write_program(&path.join("tool"), "755", SAYS_FIRST);
    }
    assert!(relative(&evil).join("tool").is_file());
    let search = [
        PathBuf::from("."),
        PathBuf::new(),
        relative(&evil),
        good.clone(),
    ];
    let found = resolve_program(Path::new("tool"), &search, folder.path()).expect("it is there");
    assert_eq!(found, good.join("tool"));
    let error = resolve_program(Path::new("tool"), &search[..3], &evil).expect_err("nowhere else");
    assert_eq!(
        error.to_string(),
        "program `tool` is not on the search path"
    );
}

/// What holds: the path is decided once, and what later comes before it on the search path changes nothing. The path
/// is what is kept, not the file: whoever may write there decides what runs, as with any installed program.
#[tokio::test]
async fn a_resolved_program_stays_where_it_was_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let (early, late) = (folder.path().join("early"), folder.path().join("late"));
    for path in [&early, &late] {
        std::fs::create_dir(path).expect("a folder");
    }
    write_program(&late.join("tool"), "755", SAYS_FIRST);
    let search = [early.clone(), late.clone()];
    let found = resolve_program(Path::new("tool"), &search, folder.path()).expect("it is there");
    let launcher = launcher_of(found, Engine::default());
    let say = async || try_run(&launcher, request(&[], &patient())).await;
    write_program(&early.join("tool"), "755", SAYS_SECOND);
    assert_eq!(say().await.expect("it starts").stdout_text(), "first\n");
    write_program(&late.join("tool"), "755", SAYS_SECOND);
    assert_eq!(say().await.expect("it starts").stdout_text(), "second\n");
    std::fs::remove_file(late.join("tool")).expect("it was there");
    let error = say().await.expect_err("it is gone");
    assert!(error.message.contains("does not exist any more"), "{error}");
    assert!(error.message.contains("late/tool"), "{error}");
}

async fn refused(program: &Path, directory: Option<&Path>) -> CallError {
    let directory = directory.map(Path::to_owned);
    let launcher = Launcher::new(
        program.to_owned(),
        Environment::empty(),
        directory,
        Engine::default(),
    );
    let error = try_run(&launcher, request(&["exit", "0"], &patient()))
        .await
        .expect_err("it cannot start");
    assert_eq!(error.code, ErrorCode::NotStarted);
    error
}

#[tokio::test]
async fn what_keeps_a_program_from_starting_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("gone")).expect("a folder");
    std::fs::remove_dir(at("gone")).expect("it is empty");
    write_program(&at("orphan"), "755", "#!/no/such/interpreter\n");
    write_program(&at("plain"), "644", SAYS_FIRST);
    // No shell is tried for it, as a shell itself would.
    write_program(&at("bare"), "755", "echo this must not run\n");
    for (program, directory, culprit) in [
        (
            fixture(),
            Some(at("gone")),
            format!("directory `{}` does not exist", at("gone").display()),
        ),
        (
            fixture(),
            Some(at("plain")),
            format!("directory `{}` is not", at("plain").display()),
        ),
        (
            at("missing"),
            None,
            format!("program `{}` does not exist", at("missing").display()),
        ),
        (
            at("orphan"),
            None,
            "needs `/no/such/interpreter`, which does not exist".into(),
        ),
        (
            at("plain"),
            None,
            format!("`{}` is not executable", at("plain").display()),
        ),
        (
            folder.path().into(),
            None,
            format!("`{}` is a directory", folder.path().display()),
        ),
        (
            at("bare"),
            None,
            format!("`{}` cannot be started", at("bare").display()),
        ),
    ] {
        let error = refused(&program, directory.as_deref()).await;
        assert!(error.message.contains(&culprit), "{error}");
    }
}

#[tokio::test]
async fn the_directory_is_the_one_that_was_set() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path().canonicalize().expect("it is there");
    let launcher = Launcher::new(
        fixture(),
        Environment::empty(),
        Some(folder.clone()),
        Engine::default(),
    );
    let outcome = try_run(&launcher, request(&["directory"], &patient())).await;
    let seen = outcome.expect("it starts").stdout_text();
    assert_eq!(Path::new(seen.trim_end()), folder);
}

/// What a server was started with is seen to by `harden`, as the server's own tests show. Here a child must see no more
/// than any other child of this process.
#[tokio::test]
async fn the_pipes_of_one_child_do_not_reach_another() {
    let plain = std::process::Command::new(fixture())
        .arg("descriptors")
        .output();
    let plain = plain.expect("it starts").stdout;
    let runs: Vec<_> = (0..20)
        .map(|_| tokio::spawn(run(&["descriptors"])))
        .collect();
    for run in runs {
        let seen = run.await.expect("no panic").stdout.head;
        assert_eq!(
            String::from_utf8_lossy(&seen),
            String::from_utf8_lossy(&plain)
        );
    }
}
