//! Views of the machine of a process's own: of its files, its processes and its network. They need no privileges where
//! user namespaces are allowed; the kernel gives one only to a process of one thread.

use std::{fs, io};

use rustix::{
    io::Errno,
    process::{getgid, getuid},
    thread::UnshareFlags,
};
use serde::{Deserialize, Serialize};

use crate::{NetworkRight, Rights};

/// The namespaces that were to be had.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Namespaces {
    /// Its own user namespace, without which most users have none of the others.
    pub(super) users: bool,
    pub(super) mounts: Result<(), String>,
    pub(super) processes: Result<(), String>,
    pub(super) network: Result<(), String>,
}

/// Enters them. Process numbers of their own have the processes that this one starts from now on, the first of which ends
/// all others with it.
pub(super) fn enter(rights: &Rights) -> Namespaces {
    let without_network = rights.network == NetworkRight::None;
    let mut wanted = UnshareFlags::NEWNS | UnshareFlags::NEWPID | UnshareFlags::NEWIPC;
    if without_network {
        wanted |= UnshareFlags::NEWNET;
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    // The superuser needs no user namespace, and stays who it is to all files without one.
    let entered = match unshare(wanted) {
        Ok(()) => Ok(false),
        Err(_) => unshare(wanted | UnshareFlags::NEWUSER).map(|()| {
            // Where that fails it is called nobody in there; its rights are the same.
            let _ = keep_identity(user, group);
            true
        }),
    };
    match entered {
        Ok(users) => Namespaces {
            users,
            mounts: Ok(()),
            processes: Ok(()),
            network: Ok(()),
        },
        Err(error) => {
            let reason = format!("no user namespace: {error}");
            Namespaces {
                users: false,
                mounts: Err(reason.clone()),
                processes: Err(reason.clone()),
                network: match without_network {
                    true => Err(reason),
                    false => Ok(()),
                },
            }
        }
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
