//! What protects against a probed program on this machine, found out with one trial of the shim.

use std::{ffi::OsString, path::Path, time::Duration};

use charmer_run::{
    CallError, Ended, Limits, Outcome,
    process::{Engine, Environment, Launcher, Request},
};
use tokio_util::sync::CancellationToken;

use super::ShimCommand;

/// The code with which the shim ends when it did not become the program.
pub(super) const REFUSED: u8 = 213;
/// How the reason for that begins, on standard error.
pub(super) const REFUSAL: &str = "charmer: the probe was not started: ";

/// The shim's first word: report what can be had.
pub(super) const TRY: &str = "try";
/// The shim's first word: become a program, with what the second word asks for.
pub(super) const RUN: &str = "run";
/// Keep it from writing outside of its room.
pub(super) const FILES: &str = "files";
/// Keep it from the network.
pub(super) const NETWORK: &str = "network";

/// From this version of Landlock on, truncating a file is a write.
const COVERS_TRUNCATION: u32 = 3;
/// From this version on, it can forbid TCP.
const COVERS_TCP: u32 = 4;
/// From this version on, it can forbid connecting to the sockets of local services.
const COVERS_SOCKETS: u32 = 9;

const TRIAL: Duration = Duration::from_secs(10);

/// What is to be had.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Protection {
    /// The version of Landlock; zero for none.
    pub(super) landlock: u32,
    /// Whether there is a network of one's own with nobody in it.
    pub(super) namespace: bool,
    /// Plain sentences on what is not to be had.
    pub(super) shortcomings: Vec<String>,
}

impl Protection {
    /// None at all, and why.
    pub(super) fn none(reason: &str) -> Self {
        let sentence = format!(
            "Probes are not sandboxed ({reason}): a program that is read could reach the network and write wherever \
             you may."
        );
        Self {
            shortcomings: vec![sentence],
            ..Self::default()
        }
    }

    /// Tries the shim. It blocks for as long as that takes, which is a few milliseconds.
    pub(super) fn find_out(shim: Option<&ShimCommand>, room: &Path) -> Self {
        let Some(shim) = shim else {
            return Self::none("no sandbox was asked for");
        };
        if !cfg!(target_os = "linux") {
            return Self::none("there is none for this system yet");
        }
        // A thread and a runtime of its own: whoever asks may or may not be inside of one.
        let trial = std::thread::scope(|scope| scope.spawn(|| trial(shim, room)).join());
        match trial {
            Ok(Ok(outcome)) if outcome.ended == Ended::Exited(0) => {
                Self::read(&outcome.stdout.to_text())
            }
            Ok(Ok(outcome)) => {
                let said = outcome.stderr.end_text();
                let said = said.trim().strip_prefix(REFUSAL).unwrap_or(said.trim());
                Self::none(&format!("the shim failed: {said}"))
            }
            Ok(Err(error)) => Self::none(&error.message),
            Err(_) => Self::none("the trial of the shim panicked"),
        }
    }

    /// Reads what the shim reports: a line for each, with a version or a reason.
    fn read(report: &str) -> Self {
        let line = |name: &str| {
            let found = report
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            found.unwrap_or("the shim said nothing about it")
        };
        let files = line(FILES);
        let landlock: u32 = files.parse().unwrap_or(0);
        let network = line(NETWORK);
        let namespace = network == "none";
        let mut shortcomings = Vec::new();
        if landlock == 0 {
            shortcomings.push(format!(
                "Probes are not kept from writing ({files}): a program that is read could change files wherever you \
                 may."
            ));
        } else if landlock < COVERS_TRUNCATION {
            shortcomings.push(format!(
                "Probes are not wholly kept from writing (Landlock {landlock}, {COVERS_TRUNCATION} is needed): a \
                 program that is read could empty files."
            ));
        }
        if !namespace {
            let how = if landlock >= COVERS_TCP {
                "by other ways than TCP "
            } else {
                ""
            };
            shortcomings.push(format!(
                "Probes are not kept from the network ({network}): a program that is read could reach it {how}and say \
                 where it runs."
            ));
        }
        if landlock < COVERS_SOCKETS {
            shortcomings.push(format!(
                "Probes are not kept from the sockets of services on this machine (Landlock {landlock}, \
                 {COVERS_SOCKETS} is needed)."
            ));
        }
        Self {
            landlock,
            namespace,
            shortcomings,
        }
    }

    /// Whether nothing outside of the scratch folder can be written.
    pub(super) fn keeps_files(&self) -> bool {
        self.landlock >= COVERS_TRUNCATION
    }

    /// What the shim is asked for; `None` if it has nothing to give.
    pub(super) fn wanted(&self) -> Option<String> {
        let mut wanted = Vec::new();
        if self.landlock > 0 {
            wanted.push(FILES);
        }
        if self.namespace {
            wanted.push(NETWORK);
        }
        (!wanted.is_empty()).then(|| wanted.join("+"))
    }
}

fn trial(shim: &ShimCommand, room: &Path) -> Result<Outcome, CallError> {
    let internal = |error: std::io::Error| {
        CallError::new(
            charmer_run::ErrorCode::Internal,
            format!("the trial of the shim could not begin: {error}"),
        )
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(internal)?;
    let argv: Vec<OsString> = shim
        .args
        .iter()
        .cloned()
        .chain([TRY.into(), room.into()])
        .collect();
    let launcher = Launcher::new(
        shim.program.clone(),
        Environment::empty(),
        Some(room.to_path_buf()),
        Engine::default(),
    );
    let request = Request::new(argv, Limits::default().timeout(TRIAL));
    runtime.block_on(launcher.run(request, CancellationToken::new()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_becomes_sentences() {
        let all = Protection::read("network none\nfiles 9\n");
        assert_eq!(all.shortcomings, [] as [&str; 0]);
        assert_eq!(all.wanted().as_deref(), Some("files+network"));
        assert!(all.keeps_files());

        let old = Protection::read("network Operation not permitted\nfiles 2\n");
        assert_eq!(old.wanted().as_deref(), Some("files"));
        assert!(!old.keeps_files());
        let said = old.shortcomings.join("\n");
        assert!(said.contains("could empty files"), "{said}");
        assert!(said.contains("(Operation not permitted)"), "{said}");
        assert!(!said.contains("TCP"), "{said}");

        let nothing = Protection::read("network no\nfiles this kernel has no Landlock\n");
        assert_eq!(nothing.wanted(), None);
        let said = nothing.shortcomings.join("\n");
        assert!(said.contains("(this kernel has no Landlock)"), "{said}");
        assert_eq!(nothing.shortcomings.len(), 3);
    }

    #[test]
    fn a_shim_that_does_not_start_is_no_protection_and_said() {
        let shim = ShimCommand {
            program: "/no/such/program".into(),
            args: Vec::new(),
        };
        let found = Protection::find_out(Some(&shim), &std::env::temp_dir());
        assert_eq!(found.wanted(), None);
        assert!(found.shortcomings[0].contains("Probes are not sandboxed"));
    }
}
