//! The order to end, whatever `charmer` is busy with: it ends, its programs end, and nothing of theirs is left.

use std::{
    fs,
    io::{BufRead, BufReader},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::support::{PATIENCE, charmer, err};

/// A program, with folders for temporary files and for what is kept.
struct Scene {
    folder: TempDir,
    program: PathBuf,
}

impl Scene {
    fn new(script: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        fs::write(&program, script).expect("it is written");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
        for name in ["tmp", "cache"] {
            fs::create_dir(folder.path().join(name)).expect("a folder");
        }
        Self { folder, program }
    }

    /// A program that answers nothing, and notes its process beside itself.
    fn that_hangs() -> Self {
        Self::new(
            "#!/bin/sh\nread id rest < /proc/self/stat\necho $id > \"$HOME/id.new\"\nmv \"$HOME/id.new\" \"$HOME/id\"\nexec sleep 600\n",
        )
    }

    /// A program that prints this help, whatever it is asked.
    fn that_prints(help: &str) -> Self {
        let scene = Self::new("");
        let file = scene.folder.path().join("help");
        fs::write(&file, help).expect("it is written");
        let script = format!("#!/bin/sh\nexec cat '{}'\n", file.display());
        fs::write(&scene.program, script).expect("it is written");
        scene
    }

    fn temporary(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    /// `charmer COMMAND PROGRAM`, which is running.
    fn start(&self, command: &str) -> Child {
        let program = self.program.to_string_lossy();
        let words = match command {
            "call" => vec!["call", "--binary", &*program, "program"],
            _ => vec![command, &*program],
        };
        let mut charmer = charmer(&words);
        charmer
            .env("TMPDIR", self.temporary())
            .env("CHARMER_CACHE", self.folder.path().join("cache"));
        charmer.stdin(Stdio::piped()).stdout(Stdio::piped());
        charmer
            .stderr(Stdio::piped())
            .spawn()
            .expect("it was built")
    }

    /// What is left in the folder for temporary files.
    fn left(&self) -> Vec<String> {
        let left = fs::read_dir(self.temporary()).expect("a folder").flatten();
        left.map(|entry| entry.path().display().to_string())
            .collect()
    }

    /// The process that was started to be asked.
    fn asked(&self) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            let rooms = fs::read_dir(self.temporary())
                .into_iter()
                .flatten()
                .flatten();
            let mut ids = rooms.map(|room| room.path().join("room/home/id"));
            if let Some(id) = ids.find_map(|id| fs::read_to_string(id).ok()) {
                return id.trim().to_owned();
            }
            assert!(Instant::now() < until, "it was never asked");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let sent = Command::new("kill").args(["-s", name, &id]).status();
    assert!(sent.expect("a command of every system").success());
}

fn gone(id: &str) {
    let until = Instant::now() + PATIENCE;
    while Path::new("/proc").join(id).exists() {
        assert!(Instant::now() < until, "process {id} lives");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn programs_that_are_being_read_end_and_leave_nothing() {
    for (command, name) in [
        ("tools", "TERM"),
        ("inspect", "INT"),
        ("call", "TERM"),
        ("serve", "TERM"),
        ("serve", "end of input"),
    ] {
        let scene = Scene::that_hangs();
        let mut child = scene.start(command);
        let id = scene.asked();
        match name {
            "end of input" => drop(child.stdin.take()),
            name => signal(&child, name),
        }
        let stdin = child.stdin.take();
        let output = child.wait_with_output().expect("it ends");
        drop(stdin);
        let expected = if command == "serve" { 0 } else { 130 };
        let said = err(&output);
        assert_eq!(output.status.code(), Some(expected), "{command}: {said}");
        gone(&id);
        assert_eq!(scene.left(), [] as [&str; 0], "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_missing_sandbox_is_said_before_anything_is_run_and_only_where_something_is() {
    let text = "Does.\n\nUsage: program [OPTION]...\n\n      --all=WORD   all of them\n      --one=WORD   one\n";
    let scene = Scene::that_prints(text);
    // On the file system of the program, of which it is another name.
    let links = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let link = links.path().join("charmer");
    // A program whose file is gone cannot start itself, which the sandbox needs.
    let run = |command: &str| {
        fs::hard_link(env!("CARGO_BIN_EXE_charmer"), &link).expect("a link");
        let script = "exec 9<\"$1\"; rm \"$1\"; shift; exec /proc/self/fd/9 \"$@\"";
        let mut shell = Command::new("sh");
        shell.args(["-c", script, "sh"]).arg(&link).arg(command);
        shell.arg(&scene.program);
        shell.env("CHARMER_CACHE", scene.folder.path().join("cache"));
        shell.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut child = shell.stderr(Stdio::piped()).spawn().expect("a shell");
        let mut said = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut text = String::new();
        // A server would go on; what it says first is enough.
        while said.read_line(&mut text).is_ok_and(|length| length > 0) && command != "serve" {}
        drop(child.stdin.take());
        child.wait().expect("it ends");
        text
    };
    let sentence = "warning: Probes are not sandboxed";
    for command in ["serve", "inspect", "tools"] {
        let _ = fs::remove_dir_all(scene.folder.path().join("cache"));
        let said = run(command);
        assert_eq!(said.matches(sentence).count(), 1, "{command}: {said}");
    }
    let said = run("tools");
    assert!(!said.contains(sentence), "nothing was run: {said}");
}

/// Promises about time.
mod clock {
    use super::*;

    /// How soon a stop must be heard, and a little for the process to be collected.
    const SOON: Duration = Duration::from_millis(1_100);

    #[test]
    #[ignore = "looks at the clock: `.ci/run clock` runs it alone"]
    fn a_stop_is_heard_within_a_second_whatever_is_being_done() {
        let rows =
            (0..60_000).map(|n| format!("  -flag{n} string\n    \tFlag {n} (default \"x\")\n"));
        let flags = format!("Usage of program:\n{}", rows.collect::<String>());
        let rows = (0..60_000).map(|n| format!("  cmd{n}   The command {n}\n"));
        let commands = format!(
            "Usage: program <command>\n\nCommands:\n{}",
            rows.collect::<String>()
        );
        for help in [flags, commands] {
            for command in ["tools", "inspect", "call", "serve"] {
                for after in [100, 400, 900, 1_500] {
                    let scene = Scene::that_prints(&help);
                    let mut child = scene.start(command);
                    std::thread::sleep(Duration::from_millis(after));
                    let began = Instant::now();
                    signal(&child, "TERM");
                    child.wait().expect("it ends");
                    let took = began.elapsed();
                    assert!(took < SOON, "{command} after {after} ms: {took:?}");
                    assert_eq!(scene.left(), [] as [&str; 0], "{command} after {after} ms");
                }
            }
        }
    }
}
