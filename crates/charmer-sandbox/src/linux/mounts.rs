//! A view of the file system of a process's own: hidden paths look empty, and shared memory and terminals are its own.

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::fs::FileTypeExt},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{Access, CWD, access},
    mount::{
        MountFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind,
        mount_change, move_mount, open_tree,
    },
};
use serde::{Deserialize, Serialize};

use crate::Rights;

use super::overlays;

/// The folder in which programs share memory.
const SHARED_MEMORY: &str = "/dev/shm";
pub(super) const TERMINALS: &str = "/dev/pts";
const NEW_TERMINAL: &str = "/dev/ptmx";
/// The terminal of whoever opens it.
const OWN_TERMINAL: &str = "/dev/tty";
/// The device that looks like an empty file.
const EMPTY: &str = "/dev/null";

/// The devices that are the process's own, and may be written to therefore.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(super) struct OwnDevices {
    pub(super) shared_memory: bool,
    pub(super) terminals: bool,
}

impl OwnDevices {
    pub(super) fn paths(self) -> impl Iterator<Item = &'static str> {
        let memory = self.shared_memory.then_some(SHARED_MEMORY);
        let terminals = [TERMINALS, NEW_TERMINAL, OWN_TERMINAL];
        let terminals = self.terminals.then_some(terminals);
        memory.into_iter().chain(terminals.into_iter().flatten())
    }
}

/// Makes the view that goes with these rights: overlays, then what is covered of all that. The process must have a mount
/// namespace.
pub(super) fn own_view(rights: &Rights) -> Result<OwnDevices, String> {
    set_apart()?;
    overlays::mount_all(&rights.overlays)?;
    let devices = cover(&rights.hidden, &rights.shown)?;
    if !rights.overlays.is_empty() {
        let own: Vec<&Path> = devices.paths().map(Path::new).collect();
        overlays::close_the_rest(rights, &own)?;
    }
    Ok(devices)
}

fn set_apart() -> Result<(), String> {
    // Without this, what is mounted here would be mounted everywhere. What is mounted elsewhere later is seen here.
    let aside = MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC;
    mount_change("/", aside).map_err(|error| format!("mounts cannot be set apart: {error}"))
}

/// Covers what is hidden, but for what is shown of it.
fn cover(hidden: &[PathBuf], shown: &[PathBuf]) -> Result<OwnDevices, String> {
    for path in hidden {
        // Links lead to what is to be covered; what is not there has nothing to hide.
        let Ok(path) = path.canonicalize() else {
            continue;
        };
        let shown = shown.iter().filter_map(|inside| inside.canonicalize().ok());
        let shown: Vec<PathBuf> = shown.filter(|inside| inside.starts_with(&path)).collect();
        cover_one(&path, &shown)
            .map_err(|error| format!("`{}` cannot be covered: {error}", path.display()))?;
    }
    for device in closed_devices() {
        mount_bind(EMPTY, &device)
            .map_err(|error| format!("`{}` cannot be covered: {error}", device.display()))?;
    }
    Ok(OwnDevices {
        shared_memory: own_shared_memory(),
        terminals: own_terminals(),
    })
}

/// The devices that nobody is to read: disks, and the machine's own terminals, which could become a program's own by being
/// opened. Those that this user may not read are left out.
pub(super) fn closed_devices() -> impl Iterator<Item = PathBuf> {
    let devices = fs::read_dir("/dev").into_iter().flatten().flatten();
    devices.filter_map(|device| {
        let kind = device.file_type().ok()?;
        let name = device.file_name();
        let name = name.to_str()?;
        let is_terminal = kind.is_char_device()
            && ["tty", "console", "hvc", "vcs"]
                .iter()
                .any(|begin| name.starts_with(begin))
            && name != "tty";
        let path = device.path();
        let is_closed = is_terminal || kind.is_block_device();
        (is_closed && access(&path, Access::READ_OK).is_ok()).then_some(path)
    })
}

fn cover_one(path: &Path, shown: &[PathBuf]) -> io::Result<()> {
    if shown.iter().any(|inside| inside == path) {
        return Ok(());
    }
    if !path.is_dir() {
        return Ok(mount_bind(EMPTY, path)?);
    }
    // Held before they are covered.
    let clone = OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC;
    let held: io::Result<Vec<(&PathBuf, bool, OwnedFd)>> = shown
        .iter()
        .map(|inside| Ok((inside, inside.is_dir(), open_tree(CWD, inside, clone)?)))
        .collect();
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("none", path, "tmpfs", flags, c"size=64k,mode=0755")?;
    for (inside, is_folder, tree) in held? {
        match is_folder {
            true => fs::create_dir_all(inside)?,
            false => {
                inside.parent().map_or(Ok(()), fs::create_dir_all)?;
                fs::File::create(inside)?;
            }
        }
        let from_tree = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(tree, "", CWD, inside, from_tree)?;
    }
    Ok(())
}

fn own_shared_memory() -> bool {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    let options = c"size=256m,mode=1777";
    mount("none", SHARED_MEMORY, "tmpfs", flags, options).is_ok()
}

fn own_terminals() -> bool {
    let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
    let options = c"newinstance,ptmxmode=0666,mode=0620";
    let mounted = mount("none", TERMINALS, "devpts", flags, options).is_ok();
    let is_link = || fs::symlink_metadata(NEW_TERMINAL).is_ok_and(|file| file.is_symlink());
    // Where it is a device and not a link, it makes terminals of the machine's.
    mounted && (is_link() || mount_bind("/dev/pts/ptmx", NEW_TERMINAL).is_ok())
}

/// Returns true if nothing is left in memory that the next program could find.
pub(super) fn is_clean(devices: OwnDevices) -> bool {
    !devices.shared_memory
        || fs::read_dir(SHARED_MEMORY).is_ok_and(|mut entries| entries.next().is_none())
}
