//! What protects against a probed program on this machine: a warden, and what that could get.

use std::path::Path;

use super::{ShimCommand, warden::Warden, wire::Report};

/// From this version of Landlock on, truncating a file is a write.
const COVERS_TRUNCATION: u32 = 3;
/// From this version on, it can forbid TCP.
const COVERS_TCP: u32 = 4;
/// From this version on, it can forbid connecting to the sockets of local services.
const COVERS_SOCKETS: u32 = 9;

/// What is to be had.
#[derive(Debug, Default)]
pub(super) struct Protection {
    /// Who runs the programs; without one they are run without protection.
    pub(super) warden: Option<Warden>,
    /// The version of Landlock; zero for none.
    landlock: u32,
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

    /// Starts the warden. It blocks for as long as that takes, which is a few milliseconds.
    pub(super) fn find_out(shim: Option<&ShimCommand>, room: &Path) -> Self {
        let Some(shim) = shim else {
            return Self::none("no sandbox was asked for");
        };
        if !cfg!(target_os = "linux") {
            return Self::none("there is none for this system yet");
        }
        match Warden::start(shim, room) {
            Ok((warden, report)) => Self {
                warden: Some(warden),
                ..Self::read(&report)
            },
            Err(reason) => Self::none(&reason),
        }
    }

    /// What a report means.
    fn read(report: &Report) -> Self {
        let landlock = *report.files.as_ref().unwrap_or(&0);
        let mut shortcomings = Vec::new();
        if let Err(reason) = &report.files {
            shortcomings.push(format!(
                "Probes are not kept from writing ({reason}): a program that is read could change files wherever you \
                 may."
            ));
        } else if landlock < COVERS_TRUNCATION {
            shortcomings.push(format!(
                "Probes are not wholly kept from writing (Landlock {landlock}, {COVERS_TRUNCATION} is needed): a \
                 program that is read could empty files."
            ));
        }
        if let Err(reason) = &report.network {
            let how = if landlock >= COVERS_TCP {
                "by other ways than TCP "
            } else {
                ""
            };
            shortcomings.push(format!(
                "Probes are not kept from the network ({reason}): a program that is read could reach it {how}and say \
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
            warden: None,
            landlock,
            shortcomings,
        }
    }

    /// Whether nothing outside of the scratch folder can be written.
    pub(super) fn keeps_files(&self) -> bool {
        self.landlock >= COVERS_TRUNCATION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(network: Result<(), &str>, files: Result<u32, &str>) -> Protection {
        Protection::read(&Report {
            network: network.map_err(Into::into),
            files: files.map_err(Into::into),
        })
    }

    #[test]
    fn a_report_becomes_sentences() {
        let all = read(Ok(()), Ok(9));
        assert_eq!(all.shortcomings, [] as [&str; 0]);
        assert!(all.keeps_files());

        let old = read(Err("Operation not permitted"), Ok(2));
        assert!(!old.keeps_files());
        let said = old.shortcomings.join("\n");
        assert!(said.contains("could empty files"), "{said}");
        assert!(said.contains("(Operation not permitted)"), "{said}");
        assert!(!said.contains("TCP"), "{said}");

        let nothing = read(Err("no"), Err("this kernel has no Landlock"));
        assert!(!nothing.keeps_files());
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
        assert!(found.warden.is_none() && !found.keeps_files());
        assert!(found.shortcomings[0].contains("Probes are not sandboxed"));
    }
}
