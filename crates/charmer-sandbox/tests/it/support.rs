//! A shell in a sandbox, with pipes of the tests' own.

use std::{
    ffi::OsStr,
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    process::ExitStatus,
    sync::mpsc,
    time::{Duration, Instant},
};

use charmer_sandbox::{
    ConfinedProgram, Failure, NetworkRight, Program, Rights, Sandbox, SandboxCommand, Streams,
};
use tempfile::TempDir;

/// What only a hang takes longer than.
pub(crate) const HANG: Duration = Duration::from_secs(120);

/// A folder that may be written to, and rights to nothing else.
pub(crate) struct Scratch {
    pub(crate) rights: Rights,
    pub(crate) path: PathBuf,
    _folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = TempDir::new().expect("a folder");
        let path = folder.path().canonicalize().expect("it exists");
        let mut rights = Rights::default();
        rights.folders = vec![path.clone()];
        rights.network = NetworkRight::None;
        Self {
            rights,
            path,
            _folder: folder,
        }
    }

    pub(crate) fn sandbox(&self) -> Sandbox {
        Sandbox::start(&confined(), &self.rights).expect("the example is built with the tests")
    }

    /// A shell that runs this script, with these words behind it.
    pub(crate) fn shell<W: AsRef<OsStr>>(&self, script: &str, words: &[W]) -> Program {
        let first = ["-c".into(), script.into(), "sh".into()];
        let words = words.iter().map(|word| word.as_ref().to_owned());
        Program {
            program: "/bin/sh".into(),
            argv: first.into_iter().chain(words).collect(),
            environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
            folder: self.path.clone(),
            folder_id: None,
        }
    }

    /// The text of a file in the folder, once it is there.
    pub(crate) fn file(&self, name: &str) -> String {
        let began = Instant::now();
        loop {
            match fs::read_to_string(self.path.join(name)) {
                Ok(text) if text.ends_with('\n') => return text.trim().to_owned(),
                _ => std::thread::sleep(Duration::from_millis(5)),
            }
            assert!(began.elapsed() < HANG, "`{name}` is never written");
        }
    }
}

pub(crate) fn confined() -> SandboxCommand {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.parent().and_then(Path::parent);
    let profile = profile.expect("tests are built in target/PROFILE/deps");
    SandboxCommand {
        program: profile.join("examples/confined"),
        args: Vec::new(),
    }
}

/// The same where no namespaces are to be had.
pub(crate) fn without_namespaces() -> SandboxCommand {
    let confined = confined();
    SandboxCommand {
        program: confined.program.with_file_name("forbids"),
        args: vec!["namespaces".into(), confined.program.into()],
    }
}

/// A program that was launched, and the ends of its pipes.
pub(crate) struct Launched {
    pub(crate) program: ConfinedProgram,
    stdout: io::PipeReader,
    stderr: io::PipeReader,
    end: mpsc::Receiver<Result<ExitStatus, Failure>>,
}

/// What a program printed, and its code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) code: Option<i32>,
}

pub(crate) fn launch(sandbox: &Sandbox, program: &Program) -> Launched {
    let stdin = fs::File::open("/dev/null").expect("a device");
    launch_with(sandbox, program, stdin.into())
}

pub(crate) fn launch_with(
    sandbox: &Sandbox,
    program: &Program,
    stdin: std::os::fd::OwnedFd,
) -> Launched {
    let (stdout, stdout_end) = io::pipe().expect("a pipe");
    let (stderr, stderr_end) = io::pipe().expect("a pipe");
    let streams = Streams {
        stdin,
        stdout: stdout_end.into(),
        stderr: stderr_end.into(),
    };
    let (tell, end) = mpsc::channel();
    let on_end = Box::new(move |end| drop(tell.send(end)));
    Launched {
        program: sandbox.launch(program, streams, on_end),
        stdout,
        stderr,
        end,
    }
}

impl Launched {
    /// Waits for its end.
    pub(crate) fn end(&self) -> Result<ExitStatus, Failure> {
        self.end.recv_timeout(HANG).expect("it hung")
    }

    /// Why its end is not known.
    pub(crate) fn lost(&self) -> &'static str {
        match self.end() {
            Err(Failure::Lost(reason)) => reason,
            other => panic!("{other:?}"),
        }
    }

    /// Waits for its end and for that of its output.
    pub(crate) fn answer(mut self) -> Answer {
        let mut answer = Answer {
            stdout: Vec::new(),
            stderr: Vec::new(),
            code: None,
        };
        let mut stderr = self.stderr;
        let reading = std::thread::spawn(move || {
            let mut bytes = Vec::new();
            stderr.read_to_end(&mut bytes).expect("a pipe");
            bytes
        });
        self.stdout.read_to_end(&mut answer.stdout).expect("a pipe");
        answer.stderr = reading.join().expect("no panic");
        let end = self.end.recv_timeout(HANG).expect("it hung");
        answer.code = end.expect("it was started").code();
        answer
    }

    /// What it had printed when everything that could print had ended.
    pub(crate) fn text_so_far(mut self) -> String {
        let mut text = String::new();
        self.stdout.read_to_string(&mut text).expect("a pipe");
        text
    }

    /// What it printed, as text.
    pub(crate) fn text(self) -> String {
        String::from_utf8(self.answer().stdout).expect("text")
    }
}

/// Waits for the end of a process.
pub(crate) fn gone(id: &str) {
    let began = Instant::now();
    let stat = PathBuf::from(format!("/proc/{id}/stat"));
    let lives = || {
        fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
    };
    while lives() {
        assert!(began.elapsed() < HANG, "process {id} lives");
        std::thread::sleep(Duration::from_millis(5));
    }
}
