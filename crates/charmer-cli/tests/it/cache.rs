//! What is kept of a program between two starts, and how a change of the program is noticed.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::Command,
    sync::mpsc,
    thread,
    time::Duration,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{Session, charmer, err, out};

/// A program whose answers come from a file beside it, so that they change and its own file does not.
const KIOSK: &str = r#"#!/bin/sh
. "${0%/*}/stock"
command=
for word; do
    case $word in
        --version) echo "kiosk version $version"; exit ;;
        __complete) exit 1 ;;
        help | -*) ;;
        *) command=$word ;;
    esac
done
if [ -n "$command" ]; then
    case " $shut " in *" $command "*) sleep 60 ;; esac
    printf 'Sell %s\n\nUsage:\n  kiosk %s [flags]\n\nFlags:\n' "$command" "$command"
    printf '      --%s int   how many\n  -h, --help       help for %s\n' "$flag" "$command"
    exit
fi
printf 'Kiosk sells things\n\nUsage:\n  kiosk [command]\n\nAvailable Commands:\n'
for thing in $things; do printf '  %-11s Sell %s\n' "$thing" "$thing"; done
printf '\nFlags:\n  -h, --help      help for kiosk\n      --version   version for kiosk\n'
printf '\nUse "kiosk [command] --help" for more information about a command.\n'
"#;

/// What only a hang takes longer than.
const HANG: Duration = Duration::from_secs(120);

struct Kiosk {
    folder: TempDir,
    program: PathBuf,
}

impl Kiosk {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("kiosk");
        let text = folder.path().join("kiosk.txt");
        fs::write(&text, KIOSK).expect("written");
        // Another process writes it: a file that this one has open for writing may be open in a child of another test,
        // too, and then it cannot be run.
        shell("cp \"$1\" \"$2\" && chmod +x \"$2\"", &[&text, &program]);
        let kiosk = Self { folder, program };
        kiosk.stock(1, "tea", "cups");
        kiosk
    }

    fn stock_file(&self) -> PathBuf {
        self.folder.path().join("stock")
    }

    fn stock(&self, version: u32, things: &str, flag: &str) {
        let file = self.stock_file();
        fs::write(file, stock(version, things, flag)).expect("written");
    }

    /// The same, and these things are out: whoever asks for one waits.
    fn stock_without(&self, shut: &str, things: &str) {
        let text = stock(1, things, "cups");
        fs::write(self.stock_file(), format!("{text}shut='{shut}'\n")).expect("written");
    }

    fn charmer(&self, command: &str, words: &[&str]) -> Command {
        let program = self.program.to_string_lossy();
        let mut charmer = charmer(&[&[command, &program], words].concat());
        charmer.env("CHARMER_CACHE", self.cache());
        charmer
    }

    fn cache(&self) -> PathBuf {
        self.folder.path().join("cache")
    }

    /// What `charmer tools --json` prints.
    fn tools(&self, words: &[&str]) -> String {
        let output = self
            .charmer("tools", &[&["--json"], words].concat())
            .output()
            .expect("it was built");
        assert!(output.status.success(), "{}", err(&output));
        out(&output)
    }
}

fn stock(version: u32, things: &str, flag: &str) -> String {
    format!("version={version}.0\nthings='{things}'\nflag={flag}\n")
}

fn shell(script: &str, paths: &[&Path]) {
    let status = Command::new("/bin/sh")
        .args(["-c", script, "sh"])
        .args(paths)
        .status();
    assert!(status.expect("there is a shell").success(), "{script}");
}

/// The flags that the tool for tea has.
fn flags(session: &mut Session) -> Vec<String> {
    let answer = session.request("tools/list", json!({}));
    let tools = answer["result"]["tools"].as_array().expect("a list");
    let tea = tools.iter().find(|tool| tool["name"] == "kiosk_tea");
    let properties = tea.and_then(|tool| tool["inputSchema"]["properties"].as_object());
    let names = properties.expect("an object").keys();
    names.filter(|name| *name != "version").cloned().collect()
}

#[test]
fn a_warm_start_runs_nothing_before_the_list_and_looks_afterwards() {
    let kiosk = Kiosk::new();
    kiosk.tools(&[]);
    // From now on, whoever runs the program is held up until somebody writes into the pipe, and then it has changed.
    let (pipe, changed) = (kiosk.stock_file(), kiosk.folder.path().join("changed"));
    fs::remove_file(&pipe).expect("removed");
    shell("mkfifo \"$1\"", &[&pipe]);
    fs::write(&changed, stock(1, "tea coffee", "cups")).expect("written");
    let (tell, ran) = mpsc::channel();
    thread::spawn(move || {
        // This waits for a reader.
        let mut writer = fs::File::options().write(true).open(&pipe).expect("opened");
        let text = fs::read(&changed).expect("read");
        fs::rename(&changed, &pipe).expect("moved");
        // The test may be over, and then it does not matter.
        let _ = tell.send(());
        let _ = writer.write_all(&text);
    });
    let mut session = Session::start(&mut kiosk.charmer("serve", &[]));
    // Time enough for a program to start; what is right passes however long it is.
    let early = ran.recv_timeout(Duration::from_millis(500));
    assert!(early.is_err(), "it was run before the list");
    let names = session.names();
    assert!(names.contains(&"kiosk_tea".into()), "{names:?}");
    assert!(!names.contains(&"kiosk_coffee".into()), "{names:?}");
    ran.recv_timeout(HANG).expect("it is run after the list");
    session.notified("notifications/tools/list_changed");
    let names = session.names();
    assert!(names.contains(&"kiosk_coffee".into()), "{names:?}");
    assert!(session.end().success());
}

#[test]
fn another_version_is_read_again() {
    let kiosk = Kiosk::new();
    kiosk.tools(&[]);
    // Its help looks as before.
    kiosk.stock(2, "tea", "pots");
    let mut session = Session::start(&mut kiosk.charmer("serve", &[]));
    assert_eq!(flags(&mut session), ["cups"]);
    session.notified("notifications/tools/list_changed");
    assert_eq!(flags(&mut session), ["pots"]);
    assert!(session.end().success());
    // And kept.
    let mut session = Session::start(&mut kiosk.charmer("serve", &[]));
    assert_eq!(flags(&mut session), ["pots"]);
    assert!(session.end().success());
}

#[test]
fn refresh_passes_by_what_is_known() {
    let kiosk = Kiosk::new();
    let before = kiosk.tools(&[]);
    assert!(before.contains("cups"), "{before}");
    // Neither its version nor its first page shows it.
    kiosk.stock(1, "tea", "pots");
    assert_eq!(kiosk.tools(&[]), before);
    let after = kiosk.tools(&["--refresh"]);
    assert_eq!(after, before.replace("cups", "pots"));
    assert_eq!(kiosk.tools(&[]), after);
}

#[test]
fn a_corrupt_entry_is_made_again() {
    let kiosk = Kiosk::new();
    let before = kiosk.tools(&[]);
    let entries = || {
        let entries = fs::read_dir(kiosk.cache()).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        // A list that was kept is not asked here.
        paths.filter(|path| path.extension().is_some())
    };
    assert_ne!(entries().count(), 0);
    for damage in ["", "{\"format\": 1", "[1]", "\0\u{1}"] {
        for entry in entries() {
            fs::write(entry, damage).expect("written");
        }
        assert_eq!(kiosk.tools(&[]), before, "{damage:?}");
        for entry in entries() {
            let text = fs::read_to_string(&entry).expect("read");
            let kept = serde_json::from_str::<Value>(&text).expect("it is JSON");
            assert!(kept.is_object(), "{}", entry.display());
        }
    }
}

/// The file with the list of the last start, as soon as it is there.
fn kept_list(kiosk: &Kiosk) -> PathBuf {
    let began = std::time::Instant::now();
    while began.elapsed() < HANG {
        let entries = fs::read_dir(kiosk.cache()).expect("a folder");
        let mut paths = entries.map(|entry| entry.expect("an entry").path());
        let list = paths.find(|path| {
            let name = path.file_name().unwrap_or_default();
            name.to_string_lossy().starts_with("list-")
        });
        if let Some(list) = list {
            return list;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("no list was kept");
}

/// Starts a server, lets it list, and gives the file that it kept its list in.
fn serve_once(kiosk: &Kiosk) -> PathBuf {
    let mut session = Session::start(&mut kiosk.charmer("serve", &[]));
    session.names();
    let list = kept_list(kiosk);
    assert!(session.end().success());
    list
}

#[test]
fn the_list_of_the_last_start_is_given_first_and_checked_afterwards() {
    let kiosk = Kiosk::new();
    kiosk.tools(&[]);
    let list = serve_once(&kiosk);
    let right = fs::read_to_string(&list).expect("read");
    let wrong = right.replace("cups", "mugs");
    assert_ne!(wrong, right);
    fs::write(&list, wrong).expect("written");
    let mut session = Session::start(&mut kiosk.charmer("serve", &[]));
    assert_eq!(flags(&mut session), ["mugs"]);
    session.notified("notifications/tools/list_changed");
    assert_eq!(flags(&mut session), ["cups"]);
    // A call goes by the tools, whatever was listed.
    let result = session.call("kiosk_tea", json!({"mugs": 1}));
    assert_eq!(result["isError"], true, "{result}");
    assert!(session.end().success());
    let mut session = Session::start(&mut kiosk.charmer("serve", &[]));
    assert_eq!(flags(&mut session), ["cups"]);
    assert!(session.end().success());
}

#[test]
fn a_kept_list_belongs_to_its_programs_and_settings() {
    let kiosk = Kiosk::new();
    kiosk.stock(1, "tea coffee", "cups");
    kiosk.tools(&[]);
    let list = serve_once(&kiosk);
    let names = |words: &[&str]| {
        let mut session = Session::start(&mut kiosk.charmer("serve", words));
        let names = session.names();
        assert!(session.end().success());
        names
    };
    let all = names(&[]);
    let denied = names(&["--deny", "tea"]);
    assert!(all.contains(&"kiosk_tea".into()), "{all:?}");
    assert!(!denied.contains(&"kiosk_tea".into()), "{denied:?}");
    // A damaged list is passed by, and so is one whose program has changed.
    let right = fs::read_to_string(&list).expect("read");
    fs::write(&list, &right[..right.len() / 2]).expect("written");
    assert_eq!(names(&[]), all);
    fs::write(&list, right.replace("kiosk_tea", "kiosk_water")).expect("written");
    shell("touch -d '2001-02-03 04:05' \"$1\"", &[&kiosk.program]);
    assert_eq!(names(&[]), all);
}

/// More things that do not answer than a reading gets through before the test has looked.
const SHUT: &str =
    "ale beer cocoa gin juice kefir lassi mead milk perry port punch rum sake stout water wine";

/// Starts a server of a kiosk that sells tea and is out of everything else, and kills it when it has heard of tea.
fn kill_while_reading(kiosk: &Kiosk) {
    kiosk.stock_without(SHUT, &format!("tea {SHUT}"));
    let session = Session::start(&mut kiosk.charmer("serve", &[]));
    let began = std::time::Instant::now();
    loop {
        assert!(began.elapsed() < HANG, "nothing was kept");
        let entries = fs::read_dir(kiosk.cache()).into_iter().flatten();
        let mut kept = entries.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
        if kept.any(|text| text.contains("Sell tea") && text.contains("--cups")) {
            break;
        }
        thread::sleep(Duration::from_millis(10));
    }
    session.kill();
}

#[test]
fn a_reading_that_is_killed_goes_on_at_the_next_start() {
    let kiosk = Kiosk::new();
    kill_while_reading(&kiosk);
    // What was answered before is not asked again, so the tea is as it was; everything else is as it is now.
    kiosk.stock(1, &format!("tea {SHUT}"), "pots");
    let tools = kiosk.tools(&["--expose", "all"]);
    let tools: Value = serde_json::from_str(&tools).expect("JSON");
    let takes = |name: &str, flag: &str| {
        let all = tools["tools"].as_array().expect("a list");
        let tool = all.iter().find(|tool| tool["name"] == name);
        let tool = tool.unwrap_or_else(|| panic!("no {name} in {tools}"));
        !tool["inputSchema"]["properties"][flag].is_null()
    };
    assert!(takes("kiosk_tea", "cups"));
    assert!(takes("kiosk_water", "pots") && takes("kiosk_ale", "pots"));
    // It is complete now, and nothing is left of the way there.
    let files = fs::read_dir(kiosk.cache()).expect("a folder");
    let mut files = files.map(|file| file.expect("a file").path());
    assert!(!files.any(|file| file.extension().is_some_and(|ending| ending == "journal")));
}

#[test]
fn a_reading_goes_on_only_with_the_same_program() {
    let kiosk = Kiosk::new();
    kill_while_reading(&kiosk);
    kiosk.stock(2, "tea", "pots");
    assert!(!kiosk.tools(&[]).contains("cups"), "another version");
    let kiosk = Kiosk::new();
    kill_while_reading(&kiosk);
    kiosk.stock(1, &format!("tea {SHUT}"), "pots");
    assert!(
        !kiosk.tools(&["--refresh"]).contains("cups"),
        "from the start"
    );
}

#[test]
fn the_first_list_needs_no_reading_and_what_comes_before_the_end_of_it_waits() {
    let meta = [
        "search_commands",
        "describe_commands",
        "run_read",
        "run_write",
        #[cfg(target_os = "linux")]
        "draft",
    ];
    for mode in ["auto", "index"] {
        let kiosk = Kiosk::new();
        // It says nothing of itself at all.
        fs::remove_file(kiosk.stock_file()).expect("removed");
        shell("mkfifo \"$1\"", &[&kiosk.stock_file()]);
        let mut session = Session::start(&mut kiosk.charmer("serve", &["--expose", mode]));
        assert_eq!(session.names(), meta, "{mode}");
        session.kill();

        let kiosk = Kiosk::new();
        let mut session = Session::start(&mut kiosk.charmer("serve", &["--expose", mode]));
        let found = session.call("search_commands", json!({"query": "sell tea"}));
        let text = found["content"][0]["text"].as_str().expect("text");
        assert!(
            text.contains("kiosk_tea") && !text.contains("still"),
            "{text}"
        );
        let names = session.settled_names();
        let whole = mode == "auto";
        assert_eq!(names.contains(&"kiosk_tea".into()), whole, "{names:?}");
        assert_eq!(names.contains(&meta[0].into()), !whole, "{names:?}");
        // Not every client asks for the list again, so what was in the first one works.
        let tea = session.call("run_write", json!({"command": "kiosk_tea"}));
        assert_eq!(tea["isError"], false, "{tea}");
        assert!(session.end().success());
    }
}
