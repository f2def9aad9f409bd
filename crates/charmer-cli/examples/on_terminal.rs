//! Runs a program on a terminal of its own, for tests: what it reads is typed, and what the terminal shows is printed.
//!
//!     on_terminal [--clear] [--none] [--connect SOCKET] PROGRAM [ARGUMENT...]
//!
//! With `--clear` the program sees `CHARMER_DATA` and nothing else of the environment. With `--none` it has no terminal. With
//! `--connect` no program is run: it says that somebody looks, on this socket, and prints the answer.

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
#[expect(clippy::print_stdout, reason = "it prints what a terminal shows")]
mod linux {
    use std::{
        fs::{File, OpenOptions},
        io::{BufRead, BufReader, Read, Write},
        os::unix::{ffi::OsStringExt, net::UnixStream},
        process::{Command, ExitCode, Stdio},
    };

    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

    pub(super) fn main() -> ExitCode {
        // A session of its own, so that the next terminal that is opened is its own. Who leads a group cannot have one, but
        // its child can.
        if rustix::process::setsid().is_err() {
            let own = std::env::current_exe().expect("it has a path");
            let status = Command::new(own).args(std::env::args_os().skip(1)).status();
            return code(status.expect("it starts").code());
        }
        let mut words = std::env::args_os().skip(1).peekable();
        let mut takes = |option: &str| words.next_if(|word| word == option).is_some();
        let (clear, none, connect) = (takes("--clear"), takes("--none"), takes("--connect"));
        if connect {
            let socket = words.next().expect("a socket");
            let _terminal = terminal();
            let mut stream = UnixStream::connect(socket).expect("a server listens");
            // Whoever is refused may be so before it has said anything.
            let _ = stream.write_all(b"\"look\"\n");
            let mut answer = String::new();
            let read = BufReader::new(stream).read_line(&mut answer);
            read.expect("it answers");
            print!("{answer}");
            return ExitCode::SUCCESS;
        }
        let program = words.next().expect("a program");
        let mut command = Command::new(program);
        command.args(words);
        if clear {
            let data = std::env::var_os("CHARMER_DATA").unwrap_or_default();
            command.env_clear().env("CHARMER_DATA", data);
        }
        if none {
            let output = command.stdin(Stdio::null()).output().expect("it starts");
            print!("{}", String::from_utf8_lossy(&output.stdout));
            print!("{}", String::from_utf8_lossy(&output.stderr));
            return code(output.status.code());
        }
        let (ours, theirs) = terminal();
        let stream = || Stdio::from(theirs.try_clone().expect("a descriptor"));
        let mut child = command
            .stdin(stream())
            .stdout(stream())
            .stderr(stream())
            .spawn()
            .expect("it starts");
        // The terminal is at its end when nobody has it open any more.
        drop((theirs, command));
        let mut typed = ours.try_clone().expect("a descriptor");
        std::thread::spawn(move || {
            let mut given = Vec::new();
            let mut input = std::io::stdin();
            let mut part = [0; 256];
            while let Ok(read @ 1..) = input.read(&mut part) {
                given.extend_from_slice(&part[..read]);
                typed.write_all(&given).expect("the terminal takes it");
                given.clear();
            }
        });
        let shown = std::thread::spawn(move || {
            let mut ours = ours;
            let mut part = [0; 4096];
            // It ends with an error when nobody has the terminal open any more.
            while let Ok(read @ 1..) = ours.read(&mut part) {
                let mut output = std::io::stdout();
                let _ = output.write_all(&part[..read]);
                let _ = output.flush();
            }
        });
        let status = child.wait().expect("it is ours");
        let _ = shown.join();
        code(status.code())
    }

    fn code(code: Option<i32>) -> ExitCode {
        ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(255))
    }

    /// Both sides of a new terminal, which is this session's from now on.
    fn terminal() -> (File, File) {
        let ours = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&ours).expect("it is ours");
        unlockpt(&ours).expect("it is ours");
        let name = ptsname(&ours, Vec::new()).expect("it has a name");
        let name = std::ffi::OsString::from_vec(name.into_bytes());
        let theirs = OpenOptions::new()
            .read(true)
            .write(true)
            .open(name)
            .expect("it is there");
        (File::from(ours), theirs)
    }
}
