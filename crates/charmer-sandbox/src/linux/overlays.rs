//! Views of folders of a process's own, by the kernel's overlay file system: what is changed beneath one goes to another
//! folder.
//!
//! Landlock sees no changes of modes and times. So in a process with such a view everything that is not its own to change
//! is mounted read-only as well.

use std::{
    ffi::{CString, OsString},
    fs::{self, File},
    io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{ffi::OsStringExt, fs::MetadataExt},
    },
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
    io::Errno,
    mount::{
        MountFlags, MoveMountFlags, OpenTreeFlags, mount, mount_bind, mount_remount, move_mount,
        open_tree,
    },
};

use crate::{Overlay, Rights};

/// The list of what is mounted where, as this process sees it.
const MOUNTS: &str = "/proc/self/mountinfo";

/// Mounts them all, with what else is mounted beneath each of them in its place again.
pub(super) fn mount_all(overlays: &[Overlay]) -> Result<(), String> {
    for overlay in overlays {
        mount_one(overlay).map_err(|error| {
            let folder = overlay.folder.display();
            format!("`{folder}` cannot be overlaid: {error}")
        })?;
    }
    Ok(())
}

fn mount_one(overlay: &Overlay) -> io::Result<()> {
    let lower = hold(&overlay.folder)?;
    let held = File::from(lower.as_fd().try_clone_to_owned()?).metadata()?;
    if (held.dev(), held.ino()) != overlay.folder_id {
        return Err(io::Error::other("it was replaced by another folder"));
    }
    // An overlay shows one file system: what is mounted beneath the folder would look empty.
    let beneath = mounts_beneath(&overlay.folder)?;
    let clone = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_RECURSIVE;
    let beneath: Vec<(PathBuf, OwnedFd)> = beneath
        .into_iter()
        .map(|place| Ok((place.clone(), open_tree(CWD, &place, clone)?)))
        .collect::<io::Result<_>>()?;
    let (upper, work) = (hold(&overlay.upper)?, hold(&overlay.work)?);
    // By descriptors: a path may hold the characters that separate options. Attributes of the user's own, because others
    // take privileges.
    let number = |held: &OwnedFd| held.as_raw_fd();
    let options = format!(
        "lowerdir=/proc/self/fd/{},upperdir=/proc/self/fd/{},workdir=/proc/self/fd/{},userxattr",
        number(&lower),
        number(&upper),
        number(&work)
    );
    let mount_with = |options: String| {
        let options = CString::new(options).expect("numbers and names hold no zero");
        let flags = MountFlags::NOSUID | MountFlags::NODEV;
        mount(
            "overlay",
            &overlay.folder,
            "overlay",
            flags,
            options.as_c_str(),
        )
    };
    // What is lost when the machine goes down is a proposal. Older kernels know no such option.
    if mount_with(format!("{options},volatile")).is_err() {
        mount_with(options)?;
    }
    for (place, tree) in beneath {
        let from_tree = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
        move_mount(tree, "", CWD, place, from_tree)?;
    }
    Ok(())
}

/// A folder, by its path without symbolic links.
fn hold(folder: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let held = openat2(CWD, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
    held.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", folder.display())))
}

/// The uppermost places beneath a folder at which something is mounted.
fn mounts_beneath(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut places: Vec<PathBuf> = mounted()?
        .into_iter()
        .map(|mounted| mounted.place)
        .filter(|place| place != folder && place.starts_with(folder))
        .collect();
    places.sort();
    places.dedup();
    let all = places.clone();
    places.retain(|place| {
        !all.iter()
            .any(|above| above != place && place.starts_with(above))
    });
    Ok(places)
}

/// Mounts everything read-only but the folders that may be changed, and these further places.
pub(super) fn close_the_rest(rights: &Rights, own: &[&Path]) -> Result<(), String> {
    let is_overlay = |folder: &PathBuf| rights.overlays.iter().any(|one| one.folder == *folder);
    for folder in rights.folders.iter().filter(|folder| !is_overlay(folder)) {
        match mount_bind(folder, folder) {
            // What is not there needs no leave.
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(format!("`{}`: {error}", folder.display())),
        }
    }
    let mounted = mounted().map_err(|error| format!("`{MOUNTS}`: {error}"))?;
    for Mounted { place, flags, kind } in mounted {
        let stays = rights.folders.contains(&place) || own.contains(&&*place);
        // The kernel's own files have modes that nobody changes, and writing them is Landlock's to judge.
        if stays || kind == "proc" {
            continue;
        }
        let flags = MountFlags::BIND | MountFlags::RDONLY | flags;
        match mount_remount(&place, flags, c"") {
            Ok(()) => {}
            // It is beneath something else, or in a folder that this user cannot enter: nobody gets there.
            Err(Errno::INVAL | Errno::NOENT | Errno::ACCESS | Errno::NOTDIR) => {}
            Err(error) => {
                let place = place.display();
                return Err(format!("`{place}` cannot be made read-only: {error}"));
            }
        }
    }
    Ok(())
}

/// Something that is mounted.
struct Mounted {
    place: PathBuf,
    /// Its flags, which a change must repeat: some cannot be taken away.
    flags: MountFlags,
    /// The type of its file system.
    kind: String,
}

fn mounted() -> io::Result<Vec<Mounted>> {
    let lines = fs::read(MOUNTS)?;
    let lines = lines.split(|byte| *byte == b'\n');
    let mounted = lines.filter_map(|line| {
        let fields: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let options = String::from_utf8_lossy(fields.get(5)?);
        let flags = options.split(',').filter_map(|option| {
            Some(match option {
                "nosuid" => MountFlags::NOSUID,
                "nodev" => MountFlags::NODEV,
                "noexec" => MountFlags::NOEXEC,
                "noatime" => MountFlags::NOATIME,
                "nodiratime" => MountFlags::NODIRATIME,
                "relatime" => MountFlags::RELATIME,
                _ => return None,
            })
        });
        let kind = fields.iter().skip_while(|field| **field != b"-").nth(1)?;
        Some(Mounted {
            place: unescaped(fields.get(4)?),
            flags: flags.fold(MountFlags::empty(), |all, one| all | one),
            kind: String::from_utf8_lossy(kind).into_owned(),
        })
    });
    Ok(mounted.collect())
}

/// A path as it is, of one in which blanks and the like are written as three octal digits.
fn unescaped(escaped: &[u8]) -> PathBuf {
    let mut path = Vec::new();
    let mut rest = escaped;
    while let Some((first, behind)) = rest.split_first() {
        let digits = behind.get(..3).filter(|_| *first == b'\\');
        let octal = digits.and_then(|digits| {
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 8).ok()
        });
        match octal {
            Some(byte) => {
                path.push(byte);
                rest = &behind[3..];
            }
            None => {
                path.push(*first);
                rest = behind;
            }
        }
    }
    OsString::from_vec(path).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_as_they_are() {
        for (written, path) in [
            ("/plain", "/plain"),
            (r"/a\040b\134c", r"/a b\c"),
            (r"/odd\9", r"/odd\9"),
        ] {
            assert_eq!(unescaped(written.as_bytes()), Path::new(path));
        }
    }
}
