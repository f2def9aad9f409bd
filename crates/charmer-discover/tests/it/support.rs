//! Hostile programs under the names of their modes, and how they are probed.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use charmer_discover::{
    DiscoverError, DiscoverOptions, Discovery, discover,
    probe::{ProbeOptions, Prober},
};
use charmer_sandbox::SandboxCommand;
use tempfile::TempDir;

/// What only a hang takes longer than; the hostile programs' own "for ever" is ten minutes.
pub(crate) const HANG: Duration = Duration::from_secs(120);

/// A folder with a hostile program in it, and what it is to know.
pub(crate) struct Hostile {
    pub(crate) program: PathBuf,
    _folder: TempDir,
}

pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let profile = test.parent().and_then(Path::parent);
    profile
        .expect("tests are built in target/PROFILE/deps")
        .join("examples")
        .join(name)
}

pub(crate) fn hostile(mode: &str) -> Hostile {
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join(mode);
    // A link, not a copy: a file that was just written may still be open in a child of another test.
    let source = example("hostile");
    fs::hard_link(&source, &program)
        .or_else(|_| std::os::unix::fs::symlink(&source, &program))
        .expect("a link to the fixture");
    Hostile {
        program,
        _folder: folder,
    }
}

impl Hostile {
    pub(crate) fn knows(self, target: impl AsRef<[u8]>) -> Self {
        fs::write(self.program.with_extension("target"), target).expect("a file");
        self
    }

    pub(crate) fn prober(&self, options: ProbeOptions) -> Prober {
        Prober::new(self.program.clone(), options).expect("a prober")
    }
}

pub(crate) fn patient() -> ProbeOptions {
    let mut options = ProbeOptions::default();
    options.timeout = HANG;
    options
}

pub(crate) fn sandboxed() -> ProbeOptions {
    let mut options = patient();
    options.sandbox = Some(SandboxCommand {
        program: example("probe_sandbox"),
        args: Vec::new(),
    });
    options
}

/// Waits for the end of a process.
pub(crate) async fn gone(id: &str) {
    let began = Instant::now();
    let stat = PathBuf::from(format!("/proc/{id}/stat"));
    let alive = || {
        fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z ") && !stat.contains(") X "))
    };
    while alive() {
        assert!(began.elapsed() < HANG, "process {id} lives");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// What is said about commands, and about the program where it is not about the sandbox.
pub(crate) fn said_of(found: &Discovery) -> Vec<String> {
    let all = found.warnings.iter();
    let all = all.filter(|warning| !warning.message.starts_with("Probes are not"));
    let mut all: Vec<String> = all
        .map(|warning| format!("{}: {}", warning.path, warning.message))
        .collect();
    all.sort();
    all
}

/// What is found out about a script of this name and text.
pub(crate) async fn read_script(name: &str, text: &str, options: ProbeOptions) -> Discovery {
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join(name);
    fs::write(&program, text).expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
    let mut read = DiscoverOptions::default();
    read.probe = options;
    for _ in 0..100 {
        match discover(&program, &read).await {
            // The script may still be open for writing in a child that another test has just started.
            Err(DiscoverError::NotStarted { reason, .. }) if reason.contains("busy") => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            found => return found.expect("it shows help"),
        }
    }
    panic!("the script stays busy");
}
