//! The protection against a probed program on this machine: a sandbox, and the rights that it could give away.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_sandbox::{NetworkRight, Rights, RightsReport, Sandbox, SandboxCommand};

/// The maximum size of a file that a probed program writes, in bytes.
const FILE_BYTES: u64 = 64 << 20;
/// The maximum memory of a probed process, in bytes: much, because some reserve what they never use.
const MEMORY_BYTES: u64 = 4 << 30;
/// The maximum number of processes and threads of all probes that run at once.
const PROCESSES: u64 = 1024;

/// The protection that is to be had.
#[derive(Debug, Default)]
pub(super) struct Protection {
    /// The sandbox that starts the programs; without one they are run without protection.
    pub(super) sandbox: Option<Arc<Sandbox>>,
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

    /// Starts the sandbox, in which only the room can be written to and the hidden paths cannot be read. It blocks for as long as that takes, which is a few
    /// milliseconds.
    pub(super) fn find_out(
        command: Option<&SandboxCommand>,
        room: &Path,
        hidden: &[PathBuf],
    ) -> Self {
        let Some(command) = command else {
            return Self::none("no sandbox was asked for");
        };
        let mut rights = Rights::default();
        rights.folders = vec![room.to_owned()];
        rights.hidden = hidden.to_vec();
        rights.network = NetworkRight::None;
        rights.pretends_metadata = true;
        rights.bounds.file_bytes = Some(FILE_BYTES);
        rights.bounds.memory_bytes = Some(MEMORY_BYTES);
        rights.bounds.processes = Some(PROCESSES);
        match Sandbox::start(command, &rights) {
            Ok(sandbox) => Self {
                shortcomings: shortcomings(sandbox.report()),
                sandbox: Some(Arc::new(sandbox)),
            },
            Err(reason) => Self::none(&reason),
        }
    }

    /// Returns true if nothing outside of the scratch folder can be written.
    pub(super) fn keeps_files(&self) -> bool {
        let sandbox = self.sandbox.as_ref();
        sandbox.is_some_and(|sandbox| sandbox.report().keeps_files())
    }

    /// Returns true if , besides, no network and no service of this machine can be reached.
    pub(super) fn keeps_apart(&self) -> bool {
        let sandbox = self.sandbox.as_ref();
        self.keeps_files() && sandbox.is_some_and(|sandbox| sandbox.report().system_calls.is_ok())
    }
}

/// The rights that a sandbox could not give away, in sentences.
fn shortcomings(report: &RightsReport) -> Vec<String> {
    let mut shortcomings = Vec::new();
    if let Err(reason) = &report.landlock {
        shortcomings.push(format!(
            "Probes are not kept from writing ({reason}): a program that is read could change files wherever you may."
        ));
    } else if !report.keeps_files() {
        shortcomings.push(format!(
            "Probes are not wholly kept from writing (Landlock {}, {} is needed): a program that is read could empty \
             files.",
            report.landlock_version(),
            RightsReport::COVERS_TRUNCATION
        ));
    }
    if let Err(reason) = &report.system_calls {
        let network = match &report.network {
            Ok(()) => "reach the services of this machine",
            Err(_) => "reach the network",
        };
        shortcomings.push(format!(
            "Probes are not kept from system calls ({reason}): a program that is read could {network}, and change modes \
             and times of your files."
        ));
    }
    if !report.keeps_signals() {
        shortcomings.push(format!(
            "Probes are not kept from signals (Landlock {}, {} is needed, or a process namespace): a program that is \
             read could end other programs of yours.",
            report.landlock_version(),
            RightsReport::COVERS_SIGNALS
        ));
    }
    if let Err(reason) = &report.process_bound {
        shortcomings.push(format!(
            "Probes may start any number of processes ({reason}): they end with the reading."
        ));
    }
    shortcomings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(change: impl FnOnce(&mut RightsReport)) -> String {
        let mut report = RightsReport::whole(RightsReport::COVERS_SIGNALS);
        change(&mut report);
        shortcomings(&report).join("\n")
    }

    #[test]
    fn a_report_becomes_sentences() {
        assert_eq!(said(|_| ()), "");
        // Without namespaces the rest does it all.
        assert_eq!(
            said(|report| {
                report.network = Err("no".into());
                report.mounts = Err("no".into());
                report.processes = Err("no".into());
            }),
            ""
        );
        let old = said(|report| report.landlock = Ok(2));
        assert!(old.contains("could empty files"), "{old}");
        let signals = said(|report| {
            report.landlock = Ok(5);
            report.processes = Err("no".into());
        });
        assert!(signals.contains("could end other programs"), "{signals}");
        let nothing = said(|report| {
            report.landlock = Err("this kernel has no Landlock".into());
            report.system_calls = Err("no filters".into());
            report.network = Err("no".into());
        });
        assert!(
            nothing.contains("(this kernel has no Landlock)"),
            "{nothing}"
        );
        assert!(nothing.contains("could reach the network"), "{nothing}");
    }

    #[test]
    fn a_sandbox_that_does_not_start_is_no_protection_and_said() {
        let command = SandboxCommand {
            program: "/no/such/program".into(),
            args: Vec::new(),
        };
        let found = Protection::find_out(Some(&command), &std::env::temp_dir(), &[]);
        assert!(found.sandbox.is_none() && !found.keeps_files());
        assert!(found.shortcomings[0].contains("Probes are not sandboxed"));
    }
}
