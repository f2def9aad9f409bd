//! Programs that could not be read whole: they are served, said to be incomplete, and asked again for what is missing.

use std::{fs, path::PathBuf, process::Output};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, out, write_script};

/// A program that breaks down where a file beside it says so: a machine out of memory would do the same to it.
const CANTEEN: &str = r#"
. "${0%/*}/menu"
command=
for word; do
    case $word in
        --version) echo "canteen version 1.0"; exit ;;
        __complete) exit 1 ;;
        help | -*) ;;
        *) command=$word ;;
    esac
done
if [ -n "$command" ]; then
    case " $broken " in *" $command "*) kill -9 $$ ;; esac
    case " $slow " in *" $command "*) sleep 1000 ;; esac
    printf 'Serve %s\n\nUsage:\n  canteen %s [flags]\n\nFlags:\n' "$command" "$command"
    printf '      --%s int   how many\n  -h, --help       help for %s\n' "$flag" "$command"
    exit
fi
printf 'Canteen serves food\n\nUsage:\n  canteen [command]\n\nAvailable Commands:\n'
for dish in soup stew rice $more; do printf '  %-11s Serve %s\n' "$dish" "$dish"; done
printf '\nFlags:\n  -h, --help      help for canteen\n      --version   version for canteen\n'
printf '\nUse "canteen [command] --help" for more information about a command.\n'
"#;

struct Canteen {
    folder: TempDir,
}

impl Canteen {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let canteen = Self { folder };
        write_script(&canteen.program(), CANTEEN);
        canteen.menu("bowls", "stew");
        canteen
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("canteen")
    }

    fn menu(&self, flag: &str, broken: &str) {
        let text = format!("flag={flag}\nbroken='{broken}'\n");
        fs::write(self.folder.path().join("menu"), text).expect("written");
    }

    fn command(&self, words: &[&str]) -> std::process::Command {
        let program = self.program();
        let mut words = words.to_vec();
        words.insert(1, program.to_str().expect("UTF-8"));
        let mut charmer = charmer(&words);
        charmer.env("CHARMER_CACHE", self.folder.path().join("cache"));
        charmer
    }

    fn run(&self, words: &[&str]) -> Output {
        let output = self.command(words).output().expect("it was built");
        assert!(output.status.success(), "{}", err(&output));
        output
    }

    /// The tools and their flags, and what was said besides.
    fn tools(&self, words: &[&str]) -> (Vec<String>, String) {
        let words = [&["tools", "--json", "--expose", "all"], words].concat();
        let output = self.run(&words);
        let list: Value = serde_json::from_str(&out(&output)).expect("JSON");
        let tools = list["tools"].as_array().expect("a list").iter();
        let tools = tools.filter(|tool| tool["name"] != "job");
        let tools = tools.map(|tool| {
            let name = tool["name"].as_str().expect("a name");
            let properties = tool["inputSchema"]["properties"].as_object();
            let flag = properties.into_iter().flat_map(|all| all.keys());
            let flag = flag.filter(|name| *name != "version").cloned();
            format!("{name} {}", flag.collect::<Vec<_>>().join(" "))
        });
        (tools.collect(), err(&output))
    }
}

#[test]
fn a_program_that_was_not_read_whole_says_so_and_is_completed_at_the_next_start() {
    let canteen = Canteen::new();
    let (tools, said) = canteen.tools(&[]);
    assert_eq!(tools, ["canteen_soup bowls", "canteen_rice bowls"]);
    let missing = "`canteen` could not be read whole: `stew` (it crashed)";
    assert!(said.contains(missing), "{said}");

    let inspected = out(&canteen.run(&["inspect"]));
    assert!(inspected.contains("stew"), "{inspected}");
    assert!(
        inspected.contains("its help could not be read: it crashed"),
        "{inspected}"
    );
    let json: Value =
        serde_json::from_str(&out(&canteen.run(&["inspect", "--json"]))).expect("JSON");
    assert_eq!(json["complete"], false);
    assert_eq!(json["missing"][0]["command"], "stew");

    // What was read is not asked again, so it is as it was; what was missing is as it is now.
    canteen.menu("plates", "");
    let (tools, said) = canteen.tools(&[]);
    assert_eq!(
        tools,
        [
            "canteen_soup bowls",
            "canteen_stew plates",
            "canteen_rice bowls"
        ]
    );
    assert!(!said.contains("could not be read"), "{said}");
}

/// Looks at the list whenever a change is announced: an earlier one may have been of the first reading.
fn until_stew_is_announced(session: &mut Session) {
    while !session.names().contains(&"canteen_stew".into()) {
        session.told("notifications/tools/list_changed");
    }
}

#[test]
fn a_server_that_runs_completes_what_it_could_not_read_and_announces_it() {
    let canteen = Canteen::new();
    let mut session = Session::start(&mut canteen.command(&["serve"]));
    let names = session.settled_names();
    assert_eq!(names, ["canteen_soup", "canteen_rice"]);
    let found = session.call("search_commands", json!({"query": "stew"}));
    let text = found["content"][0]["text"].as_str().expect("a text");
    assert!(text.contains("could not be read whole: `stew`"), "{text}");
    canteen.menu("bowls", "");
    until_stew_is_announced(&mut session);
    let names = session.names();
    assert_eq!(names, ["canteen_soup", "canteen_stew", "canteen_rice"]);
    assert!(session.end().success());
}

#[test]
fn a_server_that_still_asks_for_what_is_missing_notices_an_upgrade_at_once() {
    let canteen = Canteen::new();
    let mut session = Session::start(&mut canteen.command(&["serve", "--expose", "all"]));
    let names = session.settled_names();
    assert_eq!(names, ["canteen_soup", "canteen_rice"]);
    // Another program under its name, which breaks down at the same command.
    write_script(&canteen.program(), &format!("more=cake{CANTEEN}"));
    canteen.menu("plates", "stew");
    let soup = session.call("canteen_soup", json!({"plates": 1}));
    assert_eq!(soup["isError"], false, "{soup}");
    let names = session.settled_names();
    assert_eq!(names, ["canteen_soup", "canteen_rice", "canteen_cake"]);
    canteen.menu("plates", "");
    until_stew_is_announced(&mut session);
    assert_eq!(session.names().len(), 4);
    assert!(session.end().success());
}

#[test]
fn a_call_that_meets_a_program_which_changed_while_it_was_read_waits_for_the_new_one() {
    let canteen = Canteen::new();
    write_script(&canteen.program(), &format!("slow=stew{CANTEEN}"));
    canteen.menu("bowls", "");
    let mut session = Session::start(&mut canteen.command(&["serve", "--expose", "all"]));
    // One command does not answer, so the reading goes on while others are known.
    let bowls = session.call("canteen_soup", json!({"bowls": 1}));
    assert_eq!(bowls["isError"], false, "{bowls}");
    write_script(&canteen.program(), CANTEEN);
    canteen.menu("plates", "");
    let plates = session.call("canteen_soup", json!({"plates": 1}));
    assert_eq!(plates["isError"], false, "{plates}");
    until_stew_is_announced(&mut session);
    assert!(session.end().success());
}

#[test]
fn a_server_gives_what_is_known_before_it_asks_again() {
    let canteen = Canteen::new();
    canteen.tools(&[]);
    let mut session = Session::start(&mut canteen.command(&["serve"]));
    let told = session.greeting["instructions"].to_string();
    assert!(
        told.contains("Some commands of canteen could not be read"),
        "{told}"
    );
    let names = session.settled_names();
    assert!(names.contains(&"canteen_soup".into()), "{names:?}");
    canteen.menu("bowls", "");
    until_stew_is_announced(&mut session);
    assert!(session.end().success());
}

#[test]
fn what_never_answers_is_not_asked_at_every_start() {
    let canteen = Canteen::new();
    for _ in 0..4 {
        canteen.tools(&[]);
    }
    canteen.menu("plates", "");
    let (tools, said) = canteen.tools(&[]);
    assert_eq!(tools, ["canteen_soup bowls", "canteen_rice bowls"]);
    assert!(said.contains("could not be read whole"), "{said}");
    // The way out.
    let (tools, said) = canteen.tools(&["--refresh"]);
    assert_eq!(tools.len(), 3, "{said}");
}
