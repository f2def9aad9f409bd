//! A program that behaves badly on request, for the tests: `fixture BEHAVIOUR [ARGUMENTS]`.
//!
//! Every behaviour ends by itself, after ten minutes at the latest, so that a failed test leaves nothing for ever.

#![expect(clippy::print_stdout, reason = "a CLI prints")]

use std::{
    ffi::OsString,
    io::{self, Read, Write},
    process::{Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

/// What "for ever" means here.
const FOR_EVER: Duration = Duration::from_secs(600);

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let word = |at: usize| {
        args.get(at)
            .and_then(|arg| arg.to_str())
            .unwrap_or_default()
    };
    let number = |at: usize| word(at).parse::<u64>().unwrap_or_default();
    match word(0) {
        "flood" => flood(word(1), word(2)),
        "line" => line(number(1)),
        "say" => say(&args[1..], Duration::ZERO),
        "say-slowly" => say(&args[1..], Duration::from_millis(60)),
        "repeat" => print!("{}", word(1).repeat(number(2) as usize)),
        "binary" => drop(io::stdout().write_all(&(0..=255).collect::<Vec<u8>>())),
        "environment" => std::env::vars_os().for_each(|(name, value)| {
            println!("{}={}", name.to_string_lossy(), value.to_string_lossy());
        }),
        "descriptors" => println!("{}", descriptors()),
        "directory" => println!("{}", std::env::current_dir().unwrap_or_default().display()),
        "echo" => drop(io::copy(&mut io::stdin(), &mut io::stdout())),
        "prompt" => return prompt(word(1)),
        "terminal" => println!("{}", std::fs::File::open("/dev/tty").is_ok()),
        "sleep" => {
            announce();
            std::thread::sleep(FOR_EVER);
        }
        "children" => {
            (0..number(1)).for_each(|_| _ = again(&["sleep"], false));
            announce();
            std::thread::sleep(FOR_EVER);
        }
        // A child in the same group that keeps standard output open while this process ends.
        "leak" => println!("{}", outside(again(&["sleep"], true))),
        // The same in a session of its own.
        "daemonise" => {
            let daemon = again(&["daemon"], word(1) == "leaky");
            println!("{daemon}");
            // It must have left before its parent's end ends the group.
            while !leads_its_group(daemon) {
                std::thread::sleep(Duration::from_millis(5));
            }
        }
        "daemon" => {
            own_session();
            std::thread::sleep(FOR_EVER);
        }
        "relay" => {
            again(&["runner", "20000"], false);
            announce();
            std::thread::sleep(FOR_EVER);
        }
        // Starts its successor and ends: somebody in the group is always forking.
        "runner" if number(1) > 0 => _ = again(&["runner", &(number(1) - 1).to_string()], false),
        // Twice two to this power, less one processes.
        "storm" => {
            if number(1) > 0 {
                let less = (number(1) - 1).to_string();
                for _ in 0..2 {
                    again(&["storm", &less], true);
                }
            }
            announce();
            std::thread::sleep(FOR_EVER);
        }
        "stop" => {
            announce();
            signal_self("stop");
            println!("went on");
        }
        "exit" => return ExitCode::from(number(1) as u8),
        "die" => signal_self("kill"),
        _ => {}
    }
    ExitCode::SUCCESS
}

/// The number of this process as it is outside of a sandbox, which may have numbers of its own.
fn number_outside() -> u32 {
    let own = std::fs::read_link("/proc/self").ok();
    let own = own.and_then(|link| link.to_str()?.parse().ok());
    own.unwrap_or_else(std::process::id)
}

/// The number of this process's only child as it is outside.
fn outside(child: u32) -> u32 {
    if number_outside() == std::process::id() {
        return child;
    }
    let own = number_outside().to_string();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut numbers = all.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    let is_child = |number: &u32| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let above = stat
            .rsplit_once(") ")
            .and_then(|(_, rest)| rest.split(' ').nth(1));
        above == Some(own.as_str())
    };
    numbers.find(is_child).unwrap_or(child)
}

/// Says who this is, which also says that it is ready.
fn announce() {
    println!("process {}", number_outside());
}

fn flood(stream: &str, bytes: &str) {
    let chunk: Vec<u8> = b"spam\n".repeat(13_107);
    let mut left = bytes.parse::<u64>().unwrap_or(u64::MAX);
    let began = Instant::now();
    let mut out: Box<dyn Write> = match stream {
        "stderr" => Box::new(io::stderr()),
        _ => Box::new(io::stdout().lock()),
    };
    while left > 0 && began.elapsed() < FOR_EVER {
        let piece = chunk.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        if out.write_all(&chunk[..piece]).is_err() {
            return;
        }
        left -= piece as u64;
    }
}

fn line(bytes: u64) {
    let chunk = [b'x'; 64 << 10];
    // Unbuffered: the buffer of `stdout` would look for line ends.
    let mut out = io::stdout().lock();
    for _ in 0..bytes / chunk.len() as u64 {
        if out.write_all(&chunk).is_err() {
            return;
        }
    }
}

/// Writes every argument as it is, with a pause after each.
fn say(pieces: &[OsString], pause: Duration) {
    let mut out = io::stdout();
    for piece in pieces {
        let _ = out.write_all(piece.as_encoded_bytes());
        let _ = out.flush();
        std::thread::sleep(pause);
    }
}

fn prompt(question: &str) -> ExitCode {
    print!("{question}");
    let _ = io::stdout().flush();
    let mut answer = [0];
    match io::stdin().read(&mut answer) {
        Ok(1) => ExitCode::SUCCESS,
        _ => ExitCode::from(3),
    }
}

fn descriptors() -> String {
    let listed = std::fs::read_dir("/proc/self/fd").expect("procfs");
    let mut open: Vec<u32> = listed
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect();
    // The one that listed them is closed by now.
    open.retain(|number| std::fs::metadata(format!("/proc/self/fd/{number}")).is_ok());
    open.sort_unstable();
    format!("{open:?}")
}

/// Starts this program once more, in the same group; its id.
fn again(args: &[&str], with_output: bool) -> u32 {
    let program = std::env::current_exe().expect("it has a path");
    let output = || {
        if with_output {
            Stdio::inherit()
        } else {
            Stdio::null()
        }
    };
    Command::new(program)
        .args(args)
        .stdout(output())
        .stderr(output())
        .spawn()
        .expect("it has been started before")
        .id()
}

#[cfg(unix)]
fn own_session() {
    rustix::process::setsid().expect("it leads no group");
}

#[cfg(unix)]
fn leads_its_group(process: u32) -> bool {
    let process = process
        .try_into()
        .ok()
        .and_then(rustix::process::Pid::from_raw);
    rustix::process::getpgid(process).is_ok_and(|group| Some(group) == process)
}

#[cfg(not(unix))]
fn own_session() {}

#[cfg(not(unix))]
fn leads_its_group(_: u32) -> bool {
    true
}

#[cfg(unix)]
fn signal_self(which: &str) {
    use rustix::process::{Signal, getpid, kill_process};
    let signal = match which {
        "stop" => Signal::STOP,
        _ => Signal::KILL,
    };
    let _ = kill_process(getpid(), signal);
}

#[cfg(not(unix))]
fn signal_self(_: &str) {}
