//! Spells that the kernel keeps in, as the program runs them.

use std::{
    fs,
    net::TcpListener,
    os::unix::fs::symlink,
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::json;

use crate::{
    spells::{Project, code, text},
    support::{err, out},
};

#[test]
fn a_spell_that_reads_is_kept_from_writing_unless_names_decide() {
    let project = Project::new();
    project.write("leak", "command: touch written\npaths: [.]\neffect: read\n");
    let written = project.path().join("written");
    let cast = ["call", "--spells", "spells", "leak"];
    let output = project.run(&cast);
    assert_eq!(output.status.code(), Some(1), "{}", err(&output));
    assert!(!written.exists(), "{}", out(&output));
    let believed = project.run(&[&cast[..3], &["--confine", "names", "leak"]].concat());
    assert!(believed.status.success(), "{}", err(&believed));
    assert!(written.exists());
    let off = [
        "tools",
        "--spells",
        "spells",
        "--read-only",
        "--confine",
        "off",
    ];
    let output = project.run(&off);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("--confine names"), "{}", err(&output));
}

#[test]
fn a_file_that_is_replaced_between_two_calls_can_be_read_still() {
    let project = Project::new();
    fs::create_dir(project.path().join("sub")).expect("a folder");
    project.write(
        "show",
        "command: cat ../note\npaths: [sub]\neffect: read\nstructure: off\n",
    );
    let (note, draft) = (project.path().join("note"), project.path().join("draft"));
    let mut session = project.serve(&[]);
    for word in ["one", "two", "three"] {
        fs::write(&draft, word).expect("it can be written");
        fs::rename(&draft, &note).expect("it can be renamed");
        assert_eq!(text(&session.call("show", json!({}))).trim(), word);
    }
    fs::remove_file(&note).expect("it can be removed");
    assert_eq!(code(&session.call("show", json!({}))), "failed");
    fs::write(&note, "again").expect("it can be written");
    assert_eq!(text(&session.call("show", json!({}))).trim(), "again");
    assert!(session.end().success());
}

#[test]
#[ignore = "needs bash"]
fn a_spell_without_network_reaches_nobody() {
    let project = Project::new();
    let server = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = server.local_addr().expect("an address").port();
    let ask = format!(
        "command: bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo reached'\npaths: [.]\n"
    );
    for (name, more, reaches) in [
        ("all", "effect: read\n", true),
        ("tcp", "effect: read\nnetwork: tcp\n", true),
        ("none", "effect: read\nnetwork: none\n", false),
        ("writes", "effect: write\nnetwork: none\n", false),
    ] {
        project.write(name, &format!("{ask}{more}"));
        let output = project.run(&["spell", "cast", name]);
        assert_eq!(
            out(&output).contains("reached"),
            reaches,
            "{name}: {}",
            err(&output)
        );
    }
}

#[test]
fn a_swapped_file_never_shows_the_secret_to_a_client() {
    let project = Project::new();
    let (jail, secret) = (project.path().join("jail"), project.path().join("secret"));
    fs::create_dir(&jail).expect("a folder");
    fs::write(&secret, "secret").expect("it can be written");
    project.write(
        "show",
        "command: cat --\npaths: [jail]\neffect: read\nargs: [{name: file, type: path, required: true}]\nargv: ['{{file}}']\n",
    );
    let mut session = project.serve(&[]);
    let stop = AtomicBool::new(false);
    let shown: Vec<String> = std::thread::scope(|scope| {
        scope.spawn(|| {
            let [swapped, file, link] = ["swapped", "file", "link"].map(|name| jail.join(name));
            for _ in 0..1_000_000 {
                if stop.load(Ordering::Relaxed) {
                    break;
                }
                let _ = fs::write(&file, "mine");
                let _ = fs::rename(&file, &swapped);
                let _ = symlink(&secret, &link);
                let _ = fs::rename(&link, &swapped);
            }
        });
        let show = |_| session.call("show", json!({"file": "swapped"}));
        let shown = (0..150).map(show).map(|result| text(&result).to_owned());
        let shown = shown.collect();
        stop.store(true, Ordering::Relaxed);
        shown
    });
    let leaked = shown.iter().filter(|text| text.trim() == "secret").count();
    assert_eq!(leaked, 0, "of {} calls", shown.len());
    // And it would be shown what it may see.
    let swapped = jail.join("swapped");
    fs::remove_file(&swapped).expect("it is there");
    fs::write(&swapped, "mine").expect("it can be written");
    let result = session.call("show", json!({"file": "swapped"}));
    assert_eq!(text(&result).trim(), "mine", "{result}");
    assert!(session.end().success());
}

#[test]
fn credentials_in_its_folders_are_hidden_unless_it_names_them() {
    let project = Project::new();
    let home = project.path().join("home");
    fs::create_dir_all(home.join(".aws")).expect("a folder");
    fs::write(home.join(".aws/credentials"), "a key").expect("a file");
    fs::write(home.join("plain"), "plain").expect("a file");
    let spell = |paths: &str| format!("command: grep -rh . home\npaths: [{paths}]\neffect: read\n");
    project.write("holds", &spell("., home"));
    project.write("names", &spell("., home/.aws"));
    let cast = |name: &str| {
        let mut command = project.charmer(&["call", "--spells", "spells", name]);
        out(&command.env("HOME", &home).output().expect("it was built"))
    };
    let said = cast("holds");
    assert!(said.contains("plain") && !said.contains("a key"), "{said}");
    let said = cast("names");
    assert!(said.contains("a key"), "{said}");
}
