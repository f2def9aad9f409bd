//! A network with nobody in it, by way of namespaces. The kernel gives a user namespace only to a process of one thread.

use std::{fs, io};

use rustix::{
    io::Errno,
    process::{getgid, getuid},
    thread::UnshareFlags,
};

/// Enters a network with nobody in it, not even this machine.
pub(super) fn leave_network() -> Result<(), String> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    match unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET) {
        Ok(()) => {
            // Where that fails it is called nobody in there; its rights are the same.
            let _ = keep_identity(user, group);
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
fn keep_identity(user: u32, group: u32) -> io::Result<()> {
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
