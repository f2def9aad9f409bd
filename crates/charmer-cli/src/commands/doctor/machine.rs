//! The parts that all servers on this machine share: the cache, the sandbox, the spool.

use std::path::Path;

use charmer_discover::cache::Cache;
use charmer_run::Spool;
use charmer_sandbox::{NetworkRight, Rights, RightsReport, Sandbox, SandboxCommand};

use crate::read;

use super::{
    finding::DoctorFinding,
    places::{not_writable, size, told_bytes},
};

/// Everything that is looked at once.
pub(super) fn findings() -> Vec<DoctorFinding> {
    vec![
        cache(read::cache().as_ref()),
        sandbox(),
        spool(&std::env::temp_dir()),
    ]
}

fn cache(cache: Option<&Cache>) -> DoctorFinding {
    let Some(cache) = cache else {
        let message = "there is no place for what is read of programs, because HOME is not set: they are read at each start";
        return DoctorFinding::problem("cache", message)
            .run("export CHARMER_CACHE=/absolute/folder");
    };
    let folder = cache.folder();
    let shown = folder.display();
    match not_writable(folder) {
        Some(reason) => {
            let message = format!(
                "what is read of programs cannot be kept in {shown}, so they are read at each start: {reason}"
            );
            DoctorFinding::problem("cache", message)
                .run("export CHARMER_CACHE=/another/absolute/folder")
        }
        None => {
            let (files, bytes) = size(folder);
            let bytes = told_bytes(bytes);
            DoctorFinding::ok("cache", format!("{shown}, {files} files, {bytes}"))
        }
    }
}

fn spool(parent: &Path) -> DoctorFinding {
    let shown = parent.display();
    if let Some(reason) = not_writable(parent) {
        let message =
            format!("long outputs cannot be kept in {shown}, so they are cut for good: {reason}");
        return DoctorFinding::problem("spool", message)
            .run("export TMPDIR=/another/absolute/folder");
    }
    let folders = Spool::folders_in(parent);
    let bytes = folders.iter().map(|folder| size(folder).1).sum();
    let kept = match folders.len() {
        0 => "nothing is kept".to_owned(),
        1 => format!("1 server keeps {}", told_bytes(bytes)),
        count => format!("{count} servers keep {}", told_bytes(bytes)),
    };
    DoctorFinding::ok("spool", format!("{shown}, {kept}"))
}

fn sandbox() -> DoctorFinding {
    let Ok(program) = std::env::current_exe() else {
        return confined(Err("charmer's own path cannot be found out".into()));
    };
    let command = SandboxCommand {
        program,
        args: vec![read::SANDBOX.into()],
    };
    let mut rights = Rights::default();
    rights.network = NetworkRight::None;
    let sandbox = Sandbox::start(&command, &rights);
    confined(sandbox.as_ref().map(Sandbox::report).map_err(Clone::clone))
}

/// The finding on what the kernel enforces, and what it lacks.
fn confined(report: Result<&RightsReport, String>) -> DoctorFinding {
    let missing = match report {
        Ok(report) => report.missing(),
        Err(ref reason) => Some(reason.clone()),
    };
    if let Some(reason) = missing {
        let message = format!(
            "the kernel does not keep programs from writing, so calls that are meant to read are refused: {reason}"
        );
        // Names are all that there is elsewhere, and servers say so themselves.
        return match cfg!(target_os = "linux") {
            true => DoctorFinding::problem("sandbox", message)
                .run("charmer add PROGRAM --to CLIENT --confine names"),
            false => DoctorFinding::warning(
                "sandbox",
                "names of commands and flags alone decide what reads: the kernel confines calls on Linux only",
            ),
        };
    }
    let report = report.expect("nothing is missing of it");
    let parts = [
        ("mounts", &report.mounts),
        ("processes", &report.processes),
        ("network", &report.network),
    ];
    let (had, lacked): (Vec<_>, Vec<_>) = parts.iter().partition(|(_, had)| had.is_ok());
    let names = |parts: Vec<&(&str, &Result<(), String>)>| {
        parts
            .iter()
            .map(|(name, _)| *name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let version = report.landlock_version();
    let mut message = format!("Landlock {version} and a filter of system calls");
    if !had.is_empty() {
        message.push_str(&format!(", namespaces of {}", names(had)));
    }
    let reason = lacked.iter().find_map(|(_, had)| had.as_ref().err());
    if let Some(reason) = reason {
        message.push_str(&format!(
            "; no namespaces of {} ({reason})",
            names(lacked.clone())
        ));
    }
    match report.keeps_signals() {
        true => DoctorFinding::ok("sandbox", message),
        false => {
            let needed = RightsReport::COVERS_SIGNALS;
            message.push_str(&format!(
                "; calls that read could end other programs of yours (Landlock {needed} or a namespace of processes is needed)"
            ));
            DoctorFinding::warning("sandbox", message)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::finding::Health;
    use super::*;

    #[test]
    fn a_kernel_is_told_by_what_it_enforces() {
        let whole = RightsReport::whole(6);
        let told = confined(Ok(&whole));
        assert_eq!(told.level, Health::Ok);
        assert!(told.message.contains("Landlock 6") && !told.message.contains("no namespaces"));

        let mut bare = RightsReport::whole(6);
        bare.mounts = Err("no user namespace".into());
        let told = confined(Ok(&bare));
        assert_eq!(told.level, Health::Ok, "Landlock does it by itself");
        assert!(
            told.message
                .contains("no namespaces of mounts (no user namespace)"),
            "{}",
            told.message
        );

        let mut old = RightsReport::whole(5);
        old.processes = Err("no user namespace".into());
        let told = confined(Ok(&old));
        assert_eq!(told.level, Health::Warning);
        assert!(
            told.message.contains("could end other programs"),
            "{}",
            told.message
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_kernel_that_confines_nothing_is_a_problem() {
        for report in [
            Ok(&RightsReport::whole(2)),
            Err("this kernel has no Landlock".to_owned()),
        ] {
            let told = confined(report);
            assert_eq!(told.level, Health::Problem);
            assert!(told.run.is_some_and(|run| run.contains("--confine names")));
        }
    }

    #[test]
    fn without_a_home_programs_are_read_at_each_start() {
        let told = cache(None);
        assert_eq!(told.level, Health::Problem);
        assert!(told.run.is_some_and(|run| run.contains("CHARMER_CACHE")));
    }
}
