//! What protects against a probed program on this machine: a sandbox, and what that could give away.

use std::{path::Path, sync::Arc};

use charmer_sandbox::{Network, Report, Rights, Sandbox, SandboxCommand};

/// The maximum size of a file that a probed program writes, in bytes.
const FILE_BYTES: u64 = 64 << 20;

/// What is to be had.
#[derive(Debug, Default)]
pub(super) struct Protection {
    /// Who starts the programs; without one they are run without protection.
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

    /// Starts the sandbox, in which only the room can be written to. It blocks for as long as that takes, which is a few
    /// milliseconds.
    pub(super) fn find_out(command: Option<&SandboxCommand>, room: &Path) -> Self {
        let Some(command) = command else {
            return Self::none("no sandbox was asked for");
        };
        let mut rights = Rights::default();
        rights.folders = vec![room.to_owned()];
        rights.network = Network::None;
        rights.file_bytes = Some(FILE_BYTES);
        match Sandbox::start(command, &rights) {
            Ok(sandbox) => Self {
                shortcomings: shortcomings(sandbox.report()),
                sandbox: Some(Arc::new(sandbox)),
            },
            Err(reason) => Self::none(&reason),
        }
    }

    /// Whether nothing outside of the scratch folder can be written.
    pub(super) fn keeps_files(&self) -> bool {
        let sandbox = self.sandbox.as_ref();
        sandbox.is_some_and(|sandbox| sandbox.report().keeps_files())
    }
}

/// What a sandbox could not give away, in sentences.
fn shortcomings(report: &Report) -> Vec<String> {
    let landlock = report.landlock_version();
    let mut shortcomings = Vec::new();
    if let Err(reason) = &report.landlock {
        shortcomings.push(format!(
            "Probes are not kept from writing ({reason}): a program that is read could change files wherever you may."
        ));
    } else if !report.keeps_files() {
        shortcomings.push(format!(
            "Probes are not wholly kept from writing (Landlock {landlock}, {} is needed): a program that is read could \
             empty files.",
            Report::COVERS_TRUNCATION
        ));
    }
    if let Err(reason) = &report.network {
        let how = if landlock >= Report::COVERS_TCP {
            "by other ways than TCP "
        } else {
            ""
        };
        shortcomings.push(format!(
            "Probes are not kept from the network ({reason}): a program that is read could reach it {how}and say where \
             it runs."
        ));
    }
    if landlock < Report::COVERS_SOCKETS {
        shortcomings.push(format!(
            "Probes are not kept from the sockets of services on this machine (Landlock {landlock}, {} is needed).",
            Report::COVERS_SOCKETS
        ));
    }
    shortcomings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(network: Result<(), &str>, landlock: Result<u32, &str>) -> Vec<String> {
        let network = network.map_err(Into::into);
        shortcomings(&Report::new(network, landlock.map_err(Into::into)))
    }

    #[test]
    fn a_report_becomes_sentences() {
        assert_eq!(read(Ok(()), Ok(9)), [] as [&str; 0]);

        let said = read(Err("Operation not permitted"), Ok(2)).join("\n");
        assert!(said.contains("could empty files"), "{said}");
        assert!(said.contains("(Operation not permitted)"), "{said}");
        assert!(!said.contains("TCP"), "{said}");

        let nothing = read(Err("no"), Err("this kernel has no Landlock"));
        assert_eq!(nothing.len(), 3);
        let said = nothing.join("\n");
        assert!(said.contains("(this kernel has no Landlock)"), "{said}");
    }

    #[test]
    fn a_sandbox_that_does_not_start_is_no_protection_and_said() {
        let command = SandboxCommand {
            program: "/no/such/program".into(),
            args: Vec::new(),
        };
        let found = Protection::find_out(Some(&command), &std::env::temp_dir());
        assert!(found.sandbox.is_none() && !found.keeps_files());
        assert!(found.shortcomings[0].contains("Probes are not sandboxed"));
    }
}
