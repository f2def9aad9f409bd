//! A program that is not what it was: noticed at the next start, by a running server, and by a call.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, out};

/// A script as an installer of Python's packages lays it out: its own file never changes, and what it does is in its
/// package. Its interpreter is a link to a shell, so that nothing has to be installed for it.
const SCRIPT: &str = r#"
. "${0%/*}/../lib/python3.11/site-packages/tidy/code"
command=
for word; do
    case $word in
        --version) echo "tidy 1"; exit ;;
        __complete) exit 1 ;;
        help | -*) ;;
        *) command=$word ;;
    esac
done
if [ -n "$command" ]; then
    case " $* " in *" --help "* | *" help "*) ;; *) echo "tidied with $*"; exit ;; esac
    printf 'Tidy a %s\n\nUsage:\n  tidy %s [flags]\n\nFlags:\n' "$command" "$command"
    printf '      --%s int   how much\n  -h, --help       help for %s\n' "$flag" "$command"
    exit
fi
printf 'Tidy things\n\nUsage:\n  tidy [command]\n\nAvailable Commands:\n'
for thing in $things; do printf '  %-11s Tidy a %s\n' "$thing" "$thing"; done
printf '\nFlags:\n  -h, --help      help for tidy\n      --version   version for tidy\n'
printf '\nUse "tidy [command] --help" for more information about a command.\n'
"#;

/// A virtual environment with one package in it.
struct Installed {
    folder: TempDir,
    program: PathBuf,
}

impl Installed {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let bin = folder.path().join("venv/bin");
        fs::create_dir_all(&bin).expect("made");
        let python = bin.join("python");
        std::os::unix::fs::symlink("/bin/sh", &python).expect("linked");
        let program = bin.join("tidy");
        let text = folder.path().join("tidy.txt");
        fs::write(&text, format!("#!{}{SCRIPT}", python.display())).expect("written");
        // Another process writes it: what this one has open for writing may be open in a child of another test, too.
        shell("cp \"$1\" \"$2\" && chmod +x \"$2\"", &[&text, &program]);
        let installed = Self { folder, program };
        installed.install("1.0", "room", "hours");
        installed
    }

    /// Installs a version of the package, as installers do: another description, other code, the same script. Its
    /// version output stays the same, so that nothing but files says that it is another one.
    fn install(&self, version: &str, things: &str, flag: &str) {
        let site = self.folder.path().join("venv/lib/python3.11/site-packages");
        fs::create_dir_all(site.join("tidy")).expect("made");
        for entry in fs::read_dir(&site).expect("a folder").flatten() {
            if entry
                .path()
                .extension()
                .is_some_and(|end| end == "dist-info")
            {
                fs::remove_dir_all(entry.path()).expect("removed");
            }
        }
        let code = site.join("tidy/code");
        fs::write(code, format!("things='{things}'\nflag={flag}\n")).expect("written");
        let info = site.join(format!("tidy-{version}.dist-info"));
        fs::create_dir(&info).expect("made");
        fs::write(info.join("METADATA"), format!("Version: {version}\n")).expect("written");
        let points = "[console_scripts]\ntidy = tidy:main\n";
        fs::write(info.join("entry_points.txt"), points).expect("written");
    }

    fn charmer(&self, words: &[&str]) -> Command {
        let mut charmer = charmer(words);
        charmer.env("CHARMER_CACHE", self.folder.path().join("cache"));
        charmer
    }

    /// What a command on the program prints.
    fn prints(&self, command: &str, words: &[&str]) -> String {
        let program = self.program.to_string_lossy();
        let words = [&[command, &program], words].concat();
        let output = self.charmer(&words).output().expect("it was built");
        assert!(output.status.success(), "{}", err(&output));
        out(&output)
    }

    fn serve(&self) -> Session {
        let program = self.program.to_string_lossy();
        Session::start(&mut self.charmer(&["serve", &program, "--expose", "all"]))
    }

    /// What `charmer cache` prints, on both streams.
    fn cache(&self, words: &[&str]) -> String {
        let words = [&["cache"], words].concat();
        let output = self.charmer(&words).output().expect("it was built");
        assert!(output.status.success(), "{}", err(&output));
        out(&output) + &err(&output)
    }

    /// The states that `charmer cache show --json` knows.
    fn states(&self) -> Vec<String> {
        let shown: Value = serde_json::from_str(&self.cache(&["show", "--json"])).expect("JSON");
        let programs = shown["programs"].as_array().expect("a list").iter();
        let state = |kept: &Value| kept["state"].as_str().map(str::to_owned);
        programs.filter_map(state).collect()
    }
}

fn shell(script: &str, paths: &[&Path]) {
    let mut shell = Command::new("/bin/sh");
    let status = shell.args(["-c", script, "sh"]).args(paths).status();
    assert!(status.expect("there is a shell").success(), "{script}");
}

#[test]
fn a_package_that_was_upgraded_behind_its_script_is_read_again() {
    let installed = Installed::new();
    let before = installed.prints("tools", &["--json"]);
    assert!(before.contains("hours"), "{before}");
    // Code alone changes no package: installers change what describes it, too.
    installed.install("1.1", "room desk", "minutes");
    let after = installed.prints("tools", &["--json"]);
    assert!(
        after.contains("minutes") && !after.contains("hours"),
        "{after}"
    );
    assert!(after.contains("tidy_desk"), "{after}");
}

#[test]
fn a_list_that_was_kept_is_not_given_for_a_package_that_was_upgraded() {
    let installed = Installed::new();
    installed.prints("tools", &["--json"]);
    for _ in 0..2 {
        let mut session = installed.serve();
        assert!(session.names().contains(&"tidy_room".into()));
        assert!(session.end().success());
    }
    installed.install("2.0", "desk", "hours");
    let mut session = installed.serve();
    let names = session.settled_names();
    assert!(names.contains(&"tidy_desk".into()), "{names:?}");
    assert!(!names.contains(&"tidy_room".into()), "{names:?}");
    assert!(session.end().success());
}

#[test]
fn a_running_server_notices_an_upgrade_by_itself_and_says_so() {
    let installed = Installed::new();
    installed.prints("tools", &["--json"]);
    let mut session = installed.serve();
    assert!(session.names().contains(&"tidy_room".into()));
    installed.install("1.1", "room desk", "hours");
    session.told("notifications/tools/list_changed");
    let names = session.names();
    assert!(names.contains(&"tidy_desk".into()), "{names:?}");
    // And again, from what it has become.
    installed.install("1.2", "desk", "hours");
    session.told("notifications/tools/list_changed");
    let names = session.names();
    assert!(!names.contains(&"tidy_room".into()), "{names:?}");
    assert!(session.end().success());
    assert_eq!(installed.states(), ["current"]);
}

#[test]
fn a_call_that_meets_a_changed_program_is_made_with_the_new_model() {
    let installed = Installed::new();
    installed.prints("tools", &["--json"]);
    let mut session = installed.serve();
    let names = session.names();
    assert!(names.contains(&"tidy_room".into()), "{names:?}");
    let before = session.call("tidy_room", json!({"hours": 1}));
    assert_eq!(before["isError"], false, "{before}");
    // No time for anybody to look: the call itself does.
    installed.install("1.1", "room", "minutes");
    let old = session.call("tidy_room", json!({"hours": 1}));
    assert_eq!(old["isError"], true, "{old}");
    assert!(old.to_string().contains("minutes"), "{old}");
    installed.install("1.2", "room", "days");
    let new = session.call("tidy_room", json!({"days": 2}));
    assert_eq!(new["isError"], false, "{new}");
    assert!(
        new.to_string().contains("tidied with room --days=2"),
        "{new}"
    );
    session.told("notifications/tools/list_changed");
    assert!(session.end().success());
}

#[test]
fn a_call_of_a_program_that_is_gone_says_so_and_of_one_that_is_back_works() {
    let installed = Installed::new();
    installed.prints("tools", &["--json"]);
    let mut session = installed.serve();
    assert!(session.names().contains(&"tidy_room".into()));
    let aside = installed.folder.path().join("aside");
    fs::rename(&installed.program, &aside).expect("moved");
    let gone = session.call("tidy_room", json!({"hours": 1}));
    assert_eq!(gone["isError"], true, "{gone}");
    assert!(gone.to_string().contains("program_changed"), "{gone}");
    assert!(gone.to_string().contains("nothing was run"), "{gone}");
    fs::rename(&aside, &installed.program).expect("moved");
    let back = session.call("tidy_room", json!({"hours": 1}));
    assert_eq!(back["isError"], false, "{back}");
    assert!(session.end().success());
}

#[test]
fn a_file_that_is_only_touched_holds_a_call_up_and_changes_nothing() {
    let installed = Installed::new();
    installed.prints("tools", &["--json"]);
    let mut session = installed.serve();
    assert!(session.names().contains(&"tidy_room".into()));
    let script = "touch -d '2001-02-03 04:05' \"$1\"";
    shell(script, &[&installed.program]);
    // Code without a new description is not looked at, so another flag would show that it was read again.
    let site = installed
        .folder
        .path()
        .join("venv/lib/python3.11/site-packages");
    fs::write(site.join("tidy/code"), "things=room\nflag=days\n").expect("written");
    let result = session.call("tidy_room", json!({"hours": 1}));
    assert_eq!(result["isError"], false, "{result}");
    assert!(session.end().success());
}

#[test]
fn what_is_kept_is_shown_and_cleared() {
    let installed = Installed::new();
    assert!(installed.cache(&["show"]).contains("Nothing is kept in"));
    installed.prints("tools", &["--json"]);
    assert_eq!(installed.states(), ["current"]);
    let shown = installed.cache(&["show", "tidy"]);
    assert!(
        shown.contains("venv/bin/tidy") && shown.contains("tidy 1"),
        "{shown}"
    );
    assert!(
        installed
            .cache(&["show", "other"])
            .contains("Nothing is kept")
    );

    installed.install("2.0", "desk", "hours");
    assert_eq!(installed.states(), ["changed"]);
    fs::rename(&installed.program, installed.folder.path().join("aside")).expect("moved");
    assert_eq!(installed.states(), ["gone"]);
    fs::rename(installed.folder.path().join("aside"), &installed.program).expect("moved");
    installed.prints("tools", &["--json"]);

    assert!(
        installed
            .cache(&["clear", "other"])
            .contains("nothing is kept of other")
    );
    assert_eq!(installed.states(), ["current"]);
    assert!(installed.cache(&["clear", "tidy"]).contains("is read anew"));
    assert_eq!(installed.states(), [""; 0]);

    installed.prints("tools", &["--json"]);
    let cache = installed.folder.path().join("cache");
    for name in ["mine.json", "notes", "tidy-0123456789abcdef.txt"] {
        fs::write(cache.join(name), "not of the cache").expect("written");
    }
    assert!(installed.cache(&["clear"]).contains("removed from"));
    let left = fs::read_dir(&cache).expect("a folder").flatten();
    let mut left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    left.sort();
    assert_eq!(left, ["mine.json", "notes", "tidy-0123456789abcdef.txt"]);
}

#[test]
fn help_has_the_cache_where_there_is_room() {
    let output = charmer(&["-h"]).output().expect("it was built");
    assert!(!out(&output).contains("  cache"), "{}", out(&output));
    let output = charmer(&["--help"]).output().expect("it was built");
    assert!(out(&output).contains("  cache"), "{}", out(&output));
    let output = charmer(&["cache", "--help"])
        .output()
        .expect("it was built");
    let text = out(&output);
    assert!(text.contains("show") && text.contains("clear"), "{text}");
}
