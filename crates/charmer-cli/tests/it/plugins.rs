//! Commands that other programs add to a served one: they appear, hold up no others, and disappear.

use std::{fs, path::PathBuf};

use serde_json::json;
use tempfile::TempDir;

use crate::support::{Session, charmer, write_script};

/// A program that hands commands on which it does not know itself, to whatever has their names.
const STOVE: &str = r#"
case "$1" in
    --version) echo "stove version 1.0"; exit ;;
    __complete) exit 1 ;;
    help) shift ;;
esac
case "$1" in
    boil)
        case "$*" in *--help*) ;; "boil --water"*) echo "boiled $2"; exit ;; esac
        printf 'Boil something\n\nUsage:\n  stove boil [flags]\n\nFlags:\n      --water int   how much\n'
        printf '  -h, --help        help for boil\n\nGlobal Flags:\n      --gas int   how much gas\n'
        exit ;;
    "" | -*)
        printf 'Stove heats\n\nUsage:\n  stove [command]\n\nAvailable Commands:\n  boil        Boil something\n'
        printf '\nFlags:\n  -h, --help      help for stove\n      --gas int   how much gas\n'
        printf '\nUse "stove [command] --help" for more information about a command.\n'
        exit ;;
esac
command=$1
shift
if command -v "stove-$command" >/dev/null; then exec "stove-$command" "$@"; fi
echo "Error: unknown command \"$command\" for \"stove\"" >&2
exit 1
"#;

/// A plugin that does not say anything until there is a file beside it.
const BAKE: &str = r#"
while [ ! -e "${0%/*}/open" ]; do sleep 0.1; done
case "$*" in *bread*) echo "baked $*"; exit ;; esac
printf 'Bake something\n\nUsage:\n  stove bake [flags] THING\n\nFlags:\n'
printf '      --minutes int   how long\n  -h, --help          help for bake\n'
"#;

struct Kitchen {
    folder: TempDir,
}

impl Kitchen {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("bin")).expect("made");
        let kitchen = Self { folder };
        write_script(&kitchen.at("stove"), STOVE);
        kitchen
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    /// What the server has said.
    fn said(&self) -> String {
        fs::read_to_string(self.at("said")).expect("it is served")
    }

    fn serve(&self) -> Session {
        let program = self.at("stove");
        let program = program.to_str().expect("UTF-8");
        let mut charmer = charmer(&["serve", program, "--expose", "all"]);
        let path = std::env::var("PATH").unwrap_or_default();
        let path = format!("{}:{path}", self.at("bin").display());
        charmer
            .env("CHARMER_CACHE", self.at("cache"))
            .env("PATH", path);
        charmer.stderr(fs::File::create(self.at("said")).expect("made"));
        Session::start(&mut charmer)
    }
}

/// Looks at the list whenever a change is announced.
fn until(session: &mut Session, is_there: bool) {
    while session.names().contains(&"stove_bake".into()) != is_there {
        session.told("notifications/tools/list_changed");
    }
}

#[test]
fn a_plugin_on_path_appears_with_its_own_flags_and_disappears() {
    let kitchen = Kitchen::new();
    let mut session = kitchen.serve();
    assert_eq!(session.settled_names(), ["stove_boil"]);
    fs::write(kitchen.at("bin/open"), "").expect("written");
    write_script(&kitchen.at("bin/stove-bake"), BAKE);
    until(&mut session, true);
    let baked = session.call("stove_bake", json!({"minutes": 5, "thing": "bread"}));
    let text = baked.to_string();
    assert!(text.contains("baked --minutes=5 bread"), "{text}");
    // It is another program: what this one takes is none of its business.
    let gas = session.call("stove_bake", json!({"gas": 5, "thing": "bread"}));
    assert_eq!(gas["isError"], true, "{gas}");
    fs::remove_file(kitchen.at("bin/stove-bake")).expect("removed");
    until(&mut session, false);
    assert_eq!(session.names(), ["stove_boil"]);
    assert!(session.end().success());
}

#[test]
fn a_plugin_that_is_being_read_holds_up_no_other_command() {
    let kitchen = Kitchen::new();
    let mut session = kitchen.serve();
    assert_eq!(session.settled_names(), ["stove_boil"]);
    write_script(&kitchen.at("bin/stove-bake"), BAKE);
    // It says nothing yet, and others are called all the while.
    while !kitchen.said().contains("has changed since it was read") {
        let boiled = session.call("stove_boil", json!({"water": 1}));
        assert_eq!(boiled["isError"], false, "{boiled}");
    }
    let boiled = session.call("stove_boil", json!({"water": 2}));
    assert_eq!(boiled["isError"], false, "{boiled}");
    fs::write(kitchen.at("bin/open"), "").expect("written");
    until(&mut session, true);
    assert!(session.end().success());
}

#[test]
fn a_program_with_a_commands_name_in_its_own_is_no_plugin_of_that_command() {
    let kitchen = Kitchen::new();
    fs::write(kitchen.at("bin/open"), "").expect("written");
    // It hands nothing on, and `stove boil egg --help` shows the help of `stove boil`.
    write_script(&kitchen.at("stove"), &STOVE.replace("exec ", ": "));
    write_script(&kitchen.at("bin/stove-boil-egg"), BAKE);
    let mut session = kitchen.serve();
    assert_eq!(session.settled_names(), ["stove_boil"]);
    assert!(session.end().success());
}
