//! Programs that leave something behind, or try to: processes, files, marks on what is not theirs.
//!
//! Each prints what came of it, a line each, above the help of a `plain` tree.
//!
//! | name | what it does, however it is called |
//! |---|---|
//! | `daemonises` | starts a grandchild that leads a session of its own and holds nothing open; `daemon ID` |
//! | `bombs` | starts processes that start others, 300 altogether, each in a session of its own; `started N` |
//! | `litters` | writes 5,000 files into its home, in folders that nobody may write to |
//! | `fills` | writes a file of 80 MiB into its home; `filled` or the error |
//! | `touches` | changes the mode and the times of the file in its target file; `mode` and `times`, each with `changed` or the error |
//! | `dials-locally` | connects to the Unix socket in its target file; `connected` or the error |
//! | `signals` | sends the signal 0 to the process in its target file; `signalled` or the error |
//! | `drips` | never ends, and writes a line of help every tenth of a second; it prints nothing else |

use std::{
    env, fs,
    io::{self, Write as _},
    os::unix::{fs::PermissionsExt, net::UnixStream},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant, SystemTime},
};

use super::{FOR_EVER, target};

/// How many processes a bomb becomes at most, so that a failed test leaves a machine that works.
const BOMB: u32 = 300;

/// Does what a mode does; whether the help of a plain tree follows.
pub(crate) fn act(mode: &str, program: &Path, words: &[&str]) -> bool {
    match (mode, words) {
        ("daemonises" | "bombs", ["__stay"]) => {
            let _ = rustix::process::setsid();
            thread::sleep(FOR_EVER);
            return false;
        }
        ("bombs", ["__split", count]) => {
            let _ = rustix::process::setsid();
            split(program, count.parse().unwrap_or(0));
            thread::sleep(FOR_EVER);
            return false;
        }
        ("daemonises", _) => match spawn(program, &["__stay"]) {
            Ok(id) => println!("daemon {id}"),
            Err(error) => println!("no daemon: {error}"),
        },
        ("bombs", _) => println!("started {}", split(program, BOMB)),
        ("litters", _) => litters(),
        ("fills", _) => say(
            "filled",
            fs::write(home().join("full"), vec![b'x'; 80 << 20]),
        ),
        ("touches", _) => touches(Path::new(&target(program))),
        ("dials-locally", _) => say("connected", UnixStream::connect(target(program)).map(drop)),
        ("signals", _) => signals(&target(program)),
        ("drips", _) => {
            drips();
            return false;
        }
        _ => return false,
    }
    true
}

fn say(done: &str, result: io::Result<()>) {
    match result {
        Ok(()) => println!("{done}"),
        Err(error) => println!("not {done}: {error}"),
    }
}

fn home() -> PathBuf {
    env::var_os("HOME").map(PathBuf::from).unwrap_or_default()
}

fn spawn(program: &Path, words: &[&str]) -> io::Result<u32> {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null());
    let child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(child.id())
}

/// Starts two processes, which share what is left of the count; returns how many were started here.
fn split(program: &Path, count: u32) -> usize {
    let half = count.saturating_sub(2) / 2;
    let word = half.to_string();
    let halves = (0..count.min(2)).filter(|_| spawn(program, &["__split", &word]).is_ok());
    halves.count()
}

fn litters() {
    for number in 0..50 {
        let folder = home().join(format!("litter-{}-{number}", std::process::id()));
        if fs::create_dir(&folder).is_ok() {
            (0..100).for_each(|file| _ = fs::write(folder.join(file.to_string()), "litter"));
            let _ = fs::set_permissions(&folder, fs::Permissions::from_mode(0o500));
        }
    }
}

fn touches(file: &Path) {
    let mode = fs::set_permissions(file, fs::Permissions::from_mode(0o777));
    say("mode changed", mode);
    let times = fs::FileTimes::new().set_modified(SystemTime::UNIX_EPOCH);
    let times = fs::File::open(file).and_then(|file| file.set_times(times));
    say("times changed", times);
}

fn signals(id: &str) {
    let id = id.parse().ok().and_then(rustix::process::Pid::from_raw);
    let sent = id.ok_or(io::ErrorKind::NotFound.into());
    let sent = sent.and_then(|id| Ok(rustix::process::test_kill_process(id)?));
    say("signalled", sent);
}

fn drips() {
    let began = Instant::now();
    while began.elapsed() < FOR_EVER {
        let line = io::stdout().write_all(b"      --drop int   one more\n");
        if line.and_then(|()| io::stdout().flush()).is_err() {
            return;
        }
        thread::sleep(Duration::from_millis(100));
    }
}
