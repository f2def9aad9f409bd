//! What is known of a program beside its help: `charmer profile`, and what it changes about calls.

use std::{fs, path::Path, process::Output};

#[cfg(target_os = "linux")]
use serde_json::{Value, json};

#[cfg(target_os = "linux")]
use super::support::Session;
use super::support::{charmer, err, out, ship};

/// `charmer` with the user's own profiles in this folder.
fn with(folder: &Path, words: &[&str]) -> Output {
    let mut command = charmer(words);
    command.env("CHARMER_CONFIG", folder);
    command.output().expect("it was built")
}

fn folder_of(profiles: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let profiles_folder = folder.path().join("profiles");
    fs::create_dir(&profiles_folder).expect("it is writable");
    for (name, text) in profiles {
        fs::write(profiles_folder.join(name), text).expect("it is writable");
    }
    folder
}

#[test]
fn what_a_profile_says_of_an_argument_holds_where_only_reading_is_served() {
    let text = "
program: ship
override:
  sail: {effect: read, args: [{name: port, effect: {'home*': none, '*': write}}]}
";
    let folder = folder_of(&[("ship.yaml", text)]);
    let ship = ship();
    let sail = |port: &str| {
        let read_only = ["call", "-b", &ship, "--read-only", "--confine", "names"];
        let words: Vec<&str> = read_only.into_iter().chain(["ship_sail", port]).collect();
        with(folder.path(), &words)
    };
    let refused = sail("harwich");
    assert!(!refused.status.success());
    let told = out(&refused) + &err(&refused);
    assert!(told.contains("adds or changes something"), "{told}");
    let read = sail("home-port");
    assert!(read.status.success(), "{}{}", out(&read), err(&read));
}

#[test]
fn a_broken_profile_blocks_its_own_program_alone() {
    let broken = "program: boat\nnetwork: nnoe\n";
    let ship = ship();
    let tools = ["tools", &ship];
    let of_another = folder_of(&[("other.yaml", broken)]);
    let served = with(of_another.path(), &tools);
    assert!(served.status.success(), "{}", err(&served));
    let listed = with(of_another.path(), &["profile", "list"]);
    assert!(listed.status.success() && out(&listed).contains("git"));
    assert!(err(&listed).contains("nnoe"), "{}", err(&listed));
    let own = broken.replace("boat", "ship");
    for (name, text) in [("other.yaml", own.as_str()), ("ship.yaml", broken)] {
        let folder = folder_of(&[(name, text)]);
        let refused = with(folder.path(), &tools);
        assert!(!refused.status.success(), "{name}");
        assert!(err(&refused).contains("nnoe"), "{}", err(&refused));
    }
}

#[test]
fn a_profile_is_compared_with_its_program() {
    let ship = ship();
    let text = format!(
        "program: {ship}\nasked_like: dokcer\nphrases:\n  list, lst: what is here\noverride:\n  lst: {{effect: read}}\n  submarine: {{optional: true, effect: write}}\n"
    );
    let folder = folder_of(&[]);
    let file = folder.path().join("ship.yaml");
    fs::write(&file, text).expect("it is writable");
    let checked = with(folder.path(), &["check", &file.to_string_lossy()]);
    let told = out(&checked) + &err(&checked);
    assert!(!checked.status.success(), "{told}");
    assert!(told.contains("did you mean `list`?"), "{told}");
    assert!(told.contains("did you mean `docker`?"), "{told}");
    // Of two commands at one key, the wrong one is shown.
    assert!(
        told.contains("`lst`") && told.contains("list, lst: what"),
        "{told}"
    );
    assert!(!told.contains("submarine`, which"), "{told}");
}

#[test]
fn a_flag_can_lower_a_command_to_writing() {
    let text = "
program: ship
override:
  sail:
    effect: destroy
    args: [{name: port}]
    flags:
      gently: {add: true, type: bool, effect: only-write}
      hard: {add: true, type: bool, effect: destroy}
      anchor: {add: true, type: bool, default: 'true', effect: {'false': read}}
";
    let folder = folder_of(&[("ship.yaml", text)]);
    let ship = ship();
    for (flags, effect) in [
        (&[][..], "destroy"),
        (&["--gently"], "write"),
        (&["--gently", "--hard"], "destroy"),
        (&["--gently=false"], "destroy"),
        (&["--anchor"], "destroy"),
        (&["--anchor=false"], "read"),
    ] {
        let words = ["call", "-b", &ship, "--dry-run", "ship_sail", "home"];
        let dry = with(folder.path(), &[&words, flags].concat());
        let told = out(&dry) + &err(&dry);
        assert!(
            told.contains(&format!("effect: {effect}")),
            "{flags:?}: {told}"
        );
    }
}

#[test]
fn a_command_that_a_profile_adds_is_one_like_others() {
    let text = "program: ship\noverride:\n  dive: {add: true, effect: destroy, description: Go down, args: []}\n";
    let folder = folder_of(&[("ship.yaml", text)]);
    let ship = ship();
    let shown = with(folder.path(), &["inspect", &ship, "dive"]);
    let told = out(&shown) + &err(&shown);
    assert!(
        told.contains("Go down") && told.contains("ship_dive"),
        "{told}"
    );
    let config = folder.path().join("charmer.yaml");
    let expected = format!("sources: [{{binary: {ship}, expect: [{{allow: dive}}]}}]");
    fs::write(&config, expected).expect("it is writable");
    let checked = with(folder.path(), &["check", &config.to_string_lossy()]);
    let told = out(&checked) + &err(&checked);
    assert!(checked.status.success(), "{told}");
}

/// What `run_read` answers of commands that are not known to read, with this profile; and what a read-only server lists.
#[cfg(target_os = "linux")]
fn tried(profile: &str, commands: &[(&str, Value)]) -> (Vec<bool>, Vec<String>) {
    let folder = folder_of(&[("ship.yaml", profile)]);
    let ship = ship();
    let start = |words: &[&str]| {
        let mut command = charmer(words);
        let mut session = Session::start(command.env("CHARMER_CONFIG", folder.path()));
        session.settle();
        session
    };
    let mut session = start(&["serve", &ship, "--expose", "index"]);
    let taken = commands.iter().map(|(command, arguments)| {
        let call = json!({"command": command, "arguments": arguments});
        session.call("run_read", call)["isError"] == false
    });
    let taken = taken.collect();
    assert!(session.end().success());
    let mut session = start(&["serve", &ship, "--expose", "all", "--read-only"]);
    let listed = session.names();
    assert!(session.end().success());
    (taken, listed)
}

#[test]
#[cfg(target_os = "linux")]
fn without_network_by_a_profile_any_command_may_be_tried_and_a_read_only_server_lists_what_reads() {
    let commands = [
        ("ship_sail", json!({"port": "home"})),
        ("ship_crew_dismiss", json!({"name": "ann"})),
    ];
    let effects = "
  list: {effect: read}
  drift: {effect: read}
  crew show: {effect: read}
  sink: {effect: write}
  crew dismiss: {effect: write}
";
    let reading = ["ship_list", "ship_crew_show", "ship_drift"];
    for (profile, expected) in [
        (
            "network: none\noverride:\n  sail: {effect: write}",
            [true, true],
        ),
        (
            "network: tcp\noverride:\n  sail: {effect: write, network: none}",
            [true, false],
        ),
        (
            "network: none\noverride:\n  sail: {effect: write, network: tcp}",
            [false, true],
        ),
        (
            "network: tcp\noverride:\n  sail: {effect: write}",
            [false, false],
        ),
    ] {
        let (taken, listed) = tried(&format!("program: ship\n{profile}{effects}"), &commands);
        assert_eq!(taken, expected, "{profile}");
        assert_eq!(listed, reading, "{profile}");
    }
}

#[test]
fn an_effect_is_told_with_who_says_it() {
    let folder = folder_of(&[(
        "ship.yaml",
        "program: ship\noverride:\n  sail: {effect: read}\n",
    )]);
    let ship = ship();
    let dry = ["call", "-b", &ship, "--read-only", "--dry-run"];
    let told = |words: &[&str]| out(&with(folder.path(), words));
    let sail = told(&[&dry[..], &["ship_sail", "home"]].concat());
    assert!(
        sail.contains("its effect is read, as its profile says"),
        "{sail}"
    );
    let list = told(&[&dry[..], &["ship_list"]].concat());
    assert!(list.contains("its effect is read: its help says"), "{list}");
    assert!(told(&["inspect", &ship, "sail"]).contains("read (profile)"));
}
