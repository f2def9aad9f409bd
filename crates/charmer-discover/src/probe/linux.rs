//! Taking rights away on Linux: namespaces, Landlock, resource limits.

use std::{fs, io, os::fd::AsFd, path::Path};

use landlock::{
    ABI, Access, AccessFs, AccessNet, LandlockStatus, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetStatus, Scope, path_beneath_rules,
};
use rustix::{
    io::Errno,
    process::{
        DumpableBehavior, Resource, Rlimit, getgid, getuid, set_dumpable_behavior, setrlimit,
    },
    thread::UnshareFlags,
};
use tokio::process::{ChildStdin, ChildStdout};

/// The newest rights that are asked for; the kernel gives those that it knows.
const NEWEST: ABI = ABI::V9;
/// What can be written to besides the room: devices that keep nothing.
const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];
/// How large a file may become.
const FILE_BYTES: u64 = 64 << 20;

/// Enters a network with nobody in it, not even this machine.
pub(super) fn leave_network() -> Result<(), String> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    match unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET) {
        Ok(()) => {
            // Where that fails it is called nobody in there; its rights are the same.
            let _ = become_self(user, group);
            Ok(())
        }
        // Where user namespaces are forbidden, the superuser needs none.
        Err(_) if user == 0 => {
            unshare(UnshareFlags::NEWNET).map_err(|error| format!("no network namespace: {error}"))
        }
        Err(error) => Err(format!("no user namespace: {error}")),
    }
}

/// Is to a new user namespace who it was outside.
fn become_self(user: u32, group: u32) -> io::Result<()> {
    // The kernel wants this before a group is mapped: groups that take rights away could be dropped otherwise.
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

#[expect(
    deprecated,
    reason = "deprecated because of `FILES`, which is not used here; its successor is `unsafe`"
)]
fn unshare(flags: UnshareFlags) -> Result<(), Errno> {
    rustix::thread::unshare(flags)
}

/// From now on only the room can be written to. Says which version of Landlock enforces it.
pub(super) fn keep_to(room: &Path) -> Result<u32, String> {
    // Only rights to change something are handled, so reading and executing stay as they were.
    let writing = AccessFs::from_write(NEWEST);
    let writable = SINKS.iter().map(Path::new).chain([room]);
    let status = Ruleset::default()
        .handle_access(writing)
        .and_then(|rules| rules.handle_access(AccessNet::from_all(NEWEST)))
        .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(writable, writing)))
        .and_then(|rules| rules.restrict_self())
        .map_err(|error| format!("Landlock failed: {error}"))?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. }
            if status.ruleset != RulesetStatus::NotEnforced =>
        {
            Ok(effective_abi as u32)
        }
        LandlockStatus::NotEnabled => Err("Landlock is not enabled in this kernel".into()),
        _ => Err("this kernel has no Landlock".into()),
    }
}

/// Bounds what it leaves on the disk. Limits that are lower already stay.
pub(super) fn limit() {
    for (resource, most) in [(Resource::Core, 0), (Resource::Fsize, FILE_BYTES)] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        let _ = setrlimit(resource, limit);
    }
}

/// Keeps the programs that this process starts from reading its memory and from opening its streams by way of `/proc`.
/// Comes after the namespaces: who is hidden cannot enter them.
pub(super) fn hide() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// This process's standard input and output. To tokio a pipe that is read is a child's output, and one that is written
/// to a child's input.
pub(super) fn streams() -> io::Result<(ChildStdout, ChildStdin)> {
    let input = io::stdin().as_fd().try_clone_to_owned()?;
    let output = io::stdout().as_fd().try_clone_to_owned()?;
    Ok((
        ChildStdout::from_std(input.into())?,
        ChildStdin::from_std(output.into())?,
    ))
}
