//! Limits of a process besides files, system calls and network: privileges, and the use of more than its share.

use std::fs;

use rustix::{
    process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit},
    system::uname,
    thread::{
        CapabilitySet, CapabilitySets, capability_is_in_bounding_set,
        remove_capability_from_bounding_set, set_capabilities,
    },
};

use crate::Bounds;

/// The privileges that the superuser keeps: to read the files of others and the kernel's log, as it is used to. Writing
/// them is forbidden by other means.
const KEPT: CapabilitySet = CapabilitySet::DAC_OVERRIDE
    .union(CapabilitySet::DAC_READ_SEARCH)
    .union(CapabilitySet::SYSLOG);
/// The first version of the kernel in which each process namespace has a highest process number of its own.
const OWN_HIGHEST: (u32, u32) = (6, 14);
const HIGHEST: &str = "/proc/sys/kernel/pid_max";
/// The kernel wants the highest process number to be above those that it reserves.
const LEAST_HIGHEST: u64 = 512;

/// Bounds the memory of processes and the size of files that are written. Limits that are lower already stay.
pub(super) fn bound(bounds: &Bounds) {
    if let Some(bytes) = bounds.file_bytes {
        limit(Resource::Core, 0);
        limit(Resource::Fsize, bytes);
    }
    if let Some(bytes) = bounds.memory_bytes {
        limit(Resource::Data, bytes);
        // When memory is short all the same, these processes are the ones to go. Where it cannot be said, others are.
        let _ = fs::write("/proc/self/oom_score_adj", "1000");
    }
}

/// Bounds the number of processes. `own_users` and `own_processes` say in which namespaces the process is.
pub(super) fn bound_processes(
    bounds: &Bounds,
    own_users: bool,
    own_processes: bool,
) -> Result<(), String> {
    let Some(most) = bounds.processes else {
        return Ok(());
    };
    if rustix::process::getuid().is_root() {
        // The superuser's processes are not counted. In older kernels the file below is the whole machine's, and so it is
        // for a process that is in no namespace of its own, whatever it believes: the first process of one knows.
        let first = rustix::process::getpid() == rustix::process::Pid::INIT;
        if !(own_processes && first) || kernel_version() < OWN_HIGHEST {
            return Err("the kernel does not count the superuser's processes".into());
        }
        let highest = most.max(LEAST_HIGHEST).to_string();
        return fs::write(HIGHEST, highest).map_err(|error| format!("`{HIGHEST}`: {error}"));
    }
    // Outside of a namespace, all processes of this user are counted, and there may be more of them already.
    if !own_users {
        return Err("there is no user namespace to count them in".into());
    }
    limit(Resource::Nproc, most);
    Ok(())
}

fn limit(resource: Resource, most: u64) {
    let limit = Rlimit {
        current: Some(most),
        maximum: Some(most),
    };
    let _ = setrlimit(resource, limit);
}

fn kernel_version() -> (u32, u32) {
    let name = uname();
    let release = name.release().to_string_lossy();
    let mut numbers = release
        .split(['.', '-'])
        .map(|part| part.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

/// Gives up privileges, which only the superuser has, for this process and all that it starts.
pub(super) fn drop_privileges() -> Result<(), String> {
    let failed = |error| format!("privileges cannot be dropped: {error}");
    let dropped = CapabilitySet::all().difference(KEPT);
    for capability in dropped.iter() {
        // Those that this kernel does not know are in no set.
        if capability_is_in_bounding_set(capability).unwrap_or(false)
            && rustix::process::getuid().is_root()
        {
            remove_capability_from_bounding_set(capability).map_err(failed)?;
        }
    }
    let held = rustix::thread::capabilities(None).map_err(failed)?;
    let sets = CapabilitySets {
        effective: held.effective & KEPT,
        permitted: held.permitted & KEPT,
        inheritable: CapabilitySet::empty(),
    };
    set_capabilities(None, sets).map_err(failed)
}

/// Keeps the programs that this process starts from reading its memory and from opening its descriptors by way of
/// `/proc`.
pub(super) fn hide() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
