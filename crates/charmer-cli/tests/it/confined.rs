//! Calls that are meant to read, on the program: they cannot write, and they are told what they lacked.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, example, out};

/// A home folder with secrets and without.
struct Home(TempDir);

impl Home {
    fn new() -> Self {
        let home = TempDir::new().expect("a folder");
        for (file, text) in [
            (".ssh/id", "a key"),
            (".kube/config", "a token"),
            (".netrc", "a password"),
            (".gitconfig", "plain"),
        ] {
            let file = home.path().join(file);
            fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
            fs::write(file, text).expect("a file");
        }
        Self(home)
    }

    fn path(&self, inside: &str) -> PathBuf {
        self.0.path().join(inside)
    }

    fn at(&self, mut command: Command) -> Command {
        // Scratch folders are looked at as well.
        let scratch = self.path("tmp");
        fs::create_dir_all(&scratch).expect("a folder");
        command.env("HOME", self.0.path()).env("TMPDIR", scratch);
        command.env_remove("XDG_CONFIG_HOME");
        command
    }

    fn scratch_folders(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path("tmp")).into_iter().flatten();
        entries.flatten().map(|entry| entry.path()).collect()
    }
}

/// `charmer` on a machine without namespaces, or without Landlock.
fn without(what: &str, words: &[&str]) -> Command {
    let whole = charmer(words);
    let mut lesser = Command::new(example("forbids"));
    lesser.arg(what).arg(whole.get_program()).args(words);
    for (name, value) in whole.get_envs() {
        match value {
            Some(value) => lesser.env(name, value),
            None => lesser.env_remove(name),
        };
    }
    lesser
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap_or_default()
}

fn run_read(session: &mut Session, command: &str, args: &[&Path]) -> Value {
    let arguments = json!({"file": args});
    let call = json!({"command": command, "arguments": arguments});
    session.call("run_read", call)
}

#[test]
fn without_network_any_command_reads_and_none_writes() {
    let home = Home::new();
    let file = home.path("file");
    fs::write(&file, "as it was").expect("a file");
    let words = [
        "serve",
        "cat",
        "tee",
        "--network",
        "none",
        "--expose",
        "index",
    ];
    let mut session = Session::start(&mut home.at(charmer(&words)));
    session.settle();
    let result = run_read(&mut session, "cat", &[&file]);
    assert!(text(&result).starts_with("as it was"), "{result}");
    assert!(result["structuredContent"].is_null(), "{result}");
    let result = run_read(&mut session, "tee", &[&file]);
    assert_eq!(result["isError"], true, "{result}");
    let said = text(&result);
    let last = said.lines().find(|line| line.starts_with("exit code 1"));
    assert!(
        last.is_some_and(|hint| hint.contains("run_write")),
        "{result}"
    );
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "as it was");
    // What is not known to read, and did.
    let result = run_read(&mut session, "tee", &[]);
    assert!(
        text(&result).ends_with("[ran without the right to write]"),
        "{result}"
    );
    assert!(session.end().success());
    let left = home.scratch_folders();
    assert!(left.is_empty(), "its scratch folders are gone: {left:?}");
}

#[test]
fn a_read_only_server_says_that_it_is_one() {
    let home = Home::new();
    let file = home.path("new");
    let words = ["serve", "tee", "--read-only", "--network", "none"];
    let mut session = Session::start(&mut home.at(charmer(&words)));
    session.settle();
    let result = session.call("tee", json!({"file": [file]}));
    assert_eq!(result["isError"], true, "{result}");
    assert!(
        text(&result).contains("this server is read-only"),
        "{result}"
    );
    assert!(!file.exists());
    assert!(session.end().success());
}

#[test]
fn credentials_of_others_are_out_of_reach() {
    let home = Home::new();
    let call = |options: &[&str], variable: Option<(&str, PathBuf)>, file: &str| {
        let file = home.path(file).display().to_string();
        let words = [
            options,
            &[
                "--network",
                "none",
                "--read-only",
                "--binary",
                "cat",
                "cat",
                &file,
            ],
        ]
        .concat();
        let words = [&["call"], &words[..]].concat();
        let mut command = home.at(charmer(&words));
        command.envs(variable);
        let output = command.output().expect("it was built");
        let said = out(&output).replace("[ran without the right to write]\n", "");
        (said, output.status.success())
    };
    assert_eq!(call(&[], None, ".gitconfig"), ("plain\n".into(), true));
    let (said, worked) = call(&[], None, ".ssh/id");
    assert!(!worked && !said.contains("a key"), "{said}");
    let ssh = home.path(".ssh").display().to_string();
    assert!(said.contains(&format!("--credential {ssh}")), "{said}");
    assert_eq!(
        call(&["--credential", &ssh], None, ".ssh/id"),
        ("a key\n".into(), true)
    );
    // By a variable that points to it, and only what that points to.
    let (_, worked) = call(&[], None, ".kube/config");
    assert!(!worked);
    let variable = Some(("KUBECONFIG", home.path(".kube/config")));
    assert_eq!(
        call(&[], variable, ".kube/config"),
        ("a token\n".into(), true)
    );
}

#[test]
fn whoever_names_a_hidden_path_is_told_what_shows_it() {
    let home = Home::new();
    let words = ["serve", "cat", "--network", "none", "--expose", "index"];
    let shows = |file: &str| format!("`--credential {}`", home.path(file).display());
    for command in [charmer(&words), without("namespaces", &words)] {
        let mut command = home.at(command);
        let mut session = Session::start(command.current_dir(home.path("")));
        session.settle();
        // By a relative name.
        let result = run_read(&mut session, "cat", &[Path::new(".ssh/id")]);
        assert_eq!(result["isError"], true, "{result}");
        let said = text(&result);
        assert!(said.contains(&shows(".ssh")), "{result}");
        assert!(!said.contains("run_write"), "{result}");
        // A file that looks empty, where there are mounts, and cannot be opened where there are none.
        for name in [".netrc".into(), home.path(".netrc")] {
            let result = run_read(&mut session, "cat", &[&name]);
            let said = text(&result);
            assert!(!said.contains("a password"), "{result}");
            assert!(said.contains(&shows(".netrc")), "{result}");
        }
        let result = run_read(&mut session, "cat", &[Path::new(".gitconfig")]);
        assert!(!text(&result).contains("--credential"), "{result}");
        assert!(session.end().success());
    }
}

#[test]
fn a_program_that_is_read_does_not_show_credentials_as_its_help() {
    let home = Home::new();
    let program = home.path("leaks");
    let key = home.path(".ssh/id");
    let plain = home.path(".gitconfig");
    let script = format!(
        "#!/bin/sh\necho 'Usage: leaks [OPTION]...'\necho\necho \"  --key=X    $(cat {0} 2>/dev/null || echo hidden)\"\n\
         echo \"  --file=X   $(cat {1})\"\n",
        key.display(),
        plain.display()
    );
    fs::write(&program, script).expect("a file");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(&program, executable).expect("it is ours");
    let program = program.display().to_string();
    let words = ["inspect", &program, "--json"];
    for command in [charmer(&words), without("namespaces", &words)] {
        let output = home.at(command).output().expect("it was built");
        let said = out(&output);
        assert!(said.contains("hidden") && said.contains("plain"), "{said}");
        assert!(!said.contains("a key"), "{said}");
    }
}

#[test]
fn a_program_in_a_hidden_folder_can_be_started() {
    let home = Home::new();
    fs::create_dir(home.path(".ssh/bin")).expect("a folder");
    let program = home.path(".ssh/bin/tool");
    fs::copy("/bin/cat", &program).expect("a program");
    let program = program.display().to_string();
    let (plain, key) = (home.path(".gitconfig"), home.path(".ssh/id"));
    for (file, expected) in [(plain, true), (key, false)] {
        let file = file.display().to_string();
        let words = [
            "call",
            "--network",
            "none",
            "--read-only",
            "--binary",
            &program,
            "tool",
            &file,
        ];
        for command in [charmer(&words), without("namespaces", &words)] {
            let output = home.at(command).output().expect("it was built");
            assert_eq!(output.status.success(), expected, "{}", out(&output));
        }
    }
}

#[test]
fn what_changes_around_secrets_between_two_calls_is_seen() {
    let words = ["serve", "cat", "--read-only", "--network", "none"];
    for mut command in [charmer(&words), without("namespaces", &words)] {
        let home = Home::new();
        command = home.at(command);
        let mut session = Session::start(&mut command);
        session.settle();
        let mut read = |file: &str| {
            let result = session.call("cat", json!({"file": [home.path(file)]}));
            let read = result["isError"] == false;
            let first = text(&result).lines().next().unwrap_or_default();
            read.then(|| first.to_owned())
        };
        assert_eq!(read(".gitconfig").as_deref(), Some("plain"));
        fs::write(home.path(".gitconfig.new"), "replaced").expect("a file");
        fs::rename(home.path(".gitconfig.new"), home.path(".gitconfig")).expect("a file");
        assert_eq!(read(".gitconfig").as_deref(), Some("replaced"));
        fs::write(home.path("new"), "created").expect("a file");
        assert_eq!(read("new").as_deref(), Some("created"));
        // A secret that was not there before, and one that takes another's place.
        fs::create_dir(home.path(".aws")).expect("a folder");
        fs::write(home.path(".aws/credentials"), "another key").expect("a file");
        assert_eq!(read(".aws/credentials"), None);
        fs::rename(home.path(".ssh"), home.path(".ssh.old")).expect("a folder");
        fs::create_dir(home.path(".ssh")).expect("a folder");
        fs::write(home.path(".ssh/id"), "a new key").expect("a file");
        assert_eq!(read(".ssh/id"), None);
        assert!(session.end().success());
    }
}

#[test]
fn nothing_of_a_call_outlives_it() {
    let words = ["serve", "setsid", "--network", "none", "--expose", "index"];
    for mut command in [charmer(&words), without("namespaces", &words)] {
        let home = Home::new();
        command = home.at(command);
        let mut session = Session::start(&mut command);
        session.settle();
        // Nobody else sleeps for exactly so long.
        let time = format!("600.{}", std::process::id());
        let arguments = json!({"fork": true, "program": "sleep", "arguments": [time]});
        let call = json!({"command": "setsid", "arguments": arguments});
        let result = session.call("run_read", call);
        assert_eq!(result["isError"], false, "{result}");
        assert!(!is_running(&time), "it sleeps on");
        assert!(session.end().success());
    }
}

/// Whether a process has this word in its command line.
fn is_running(word: &str) -> bool {
    let processes = fs::read_dir("/proc").expect("Linux has it").flatten();
    let lines = processes.filter_map(|process| fs::read(process.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).into_owned())
        .any(|line| line.split('\0').any(|one| one == word) && line.starts_with("sleep"))
}

#[test]
fn what_cannot_be_kept_from_writing_is_not_served_read_only() {
    let words = ["serve", "cat", "--read-only"];
    let output = without("landlock", &words).output().expect("it was built");
    assert_eq!(output.status.code(), Some(1));
    let said = err(&output);
    assert!(said.contains("Landlock"), "{said}");
    let command = "charmer serve cat --read-only --confine names";
    assert!(said.contains(command), "{said}");
    let mut names = without("landlock", &[&words[..], &["--confine", "names"]].concat());
    let session = Session::start(&mut names);
    assert!(session.end().success());
    // Elsewhere a call that would not be confined is not run.
    let input = r#"{"command":"cat"}"#;
    let words = [
        "call",
        "--network",
        "none",
        "--binary",
        "cat",
        "run_read",
        input,
    ];
    let output = without("landlock", &words).output().expect("it was built");
    assert!(!output.status.success());
    let said = out(&output);
    assert!(said.contains("--confine names"), "{said}");
}

#[test]
fn the_command_that_is_printed_works_beside_places_to_write() {
    let home = Home::new();
    let config = home.path("charmer.yaml");
    let file = config.display().to_string();
    let start = |words: &[&str]| {
        let mut command = home.at(without("landlock", words));
        command.output().expect("it was built")
    };
    for text in [
        "confine: {writable: [.]}\nsources: [{binary: cat}, {binary: tee}]",
        "sources: [{binary: cat, confine: {mode: auto, writable: [.]}}]",
    ] {
        fs::write(&config, text).expect("a file");
        let said = err(&start(&["serve", "-c", &file, "--read-only"]));
        let printed = said.split("`charmer ").nth(1);
        let printed = printed.and_then(|rest| rest.split('`').next());
        let printed = printed.unwrap_or_else(|| panic!("no command: {said}"));
        let words: Vec<&str> = printed.split(' ').collect();
        let session = Session::start(&mut home.at(without("landlock", &words)));
        assert!(session.end().success(), "{printed}");
        let said = err(&start(&words));
        assert!(said.contains("is not kept to"), "{said}");
    }
    // One that reads only beside one that writes in places: no option fits both.
    let text =
        "sources:\n- binary: tee\n  confine: {writable: [.]}\n- binary: cat\n  read_only: true\n";
    fs::write(&config, text).expect("a file");
    let words = ["serve", "-c", &file];
    let said = err(&start(&words));
    let change = format!("write `confine: names` for `cat` in `sources` ({file}:4)");
    assert!(said.contains(&change), "{said}");
    fs::write(&config, format!("{text}  confine: names\n")).expect("a file");
    let session = Session::start(&mut home.at(without("landlock", &words)));
    assert!(session.end().success());
}

#[test]
fn calls_that_write_are_kept_to_their_places_where_that_is_asked_for() {
    let home = Home::new();
    let folder = home.path("writable");
    fs::create_dir(&folder).expect("a folder");
    let config = home.path("charmer.yaml");
    let place = serde_json::to_string(&folder).expect("text");
    fs::write(
        &config,
        format!("sources: [{{binary: tee, confine: {{writable: [{place}]}}}}]"),
    )
    .expect("a file");
    let call = |file: PathBuf| {
        let config = config.display().to_string();
        let file = file.display().to_string();
        let words = ["call", "-c", &config, "tee", &file];
        home.at(charmer(&words))
            .output()
            .expect("it was built")
            .status
            .success()
    };
    assert!(call(folder.join("inside")));
    assert!(folder.join("inside").exists());
    assert!(!call(home.path("outside")));
    assert!(!home.path("outside").exists());
}
