//! Files and folders that something is to be written to, looked at without writing.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The reason why nothing can be written to this folder, or to a file of this name; `None` if it can. What is not there
/// yet can be made if the nearest folder above it can be written to.
pub(super) fn not_writable(path: &Path) -> Option<String> {
    for place in path.ancestors() {
        match fs::metadata(place) {
            Ok(meta) if !meta.is_dir() && place != path => {
                return Some(format!("`{}` is no folder", place.display()));
            }
            Ok(meta) => {
                let refused = refusal(place, &meta);
                return refused.map(|error| format!("`{}`: {error}", place.display()));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            // A part of the path is a file; one of the next ancestors is it.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {}
            Err(error) => return Some(format!("`{}`: {error}", place.display())),
        }
    }
    Some(format!("`{}` is nowhere", path.display()))
}

#[cfg(unix)]
fn refusal(place: &Path, meta: &fs::Metadata) -> Option<io::Error> {
    use rustix::fs::{Access, access};
    let wanted = match meta.is_dir() {
        true => Access::WRITE_OK | Access::EXEC_OK,
        false => Access::WRITE_OK,
    };
    access(place, wanted).err().map(Into::into)
}

#[cfg(not(unix))]
fn refusal(_: &Path, meta: &fs::Metadata) -> Option<io::Error> {
    let read_only = meta.permissions().readonly();
    read_only.then(|| io::ErrorKind::PermissionDenied.into())
}

/// The number of files beneath a folder, and their bytes. Links are not followed.
pub(super) fn size(folder: &Path) -> (usize, u64) {
    let mut sum = (0, 0);
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(meta) if meta.is_dir() => folders.push(entry.path()),
                Ok(meta) => sum = (sum.0 + 1, sum.1 + meta.len()),
                Err(_) => {}
            }
        }
    }
    sum
}

/// A number of bytes as people read it.
pub(super) fn told_bytes(bytes: u64) -> String {
    match bytes {
        0..10_000 => format!("{bytes} bytes"),
        10_000..10_000_000 => format!("{} kB", bytes / 1000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_made_can_be_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("file");
        fs::write(&file, "12345").expect("written");
        assert_eq!(not_writable(&file), None);
        assert_eq!(not_writable(&folder.path().join("new/newer")), None);
        let beneath = not_writable(&file.join("new/newer")).expect("a file is in the way");
        assert!(beneath.contains("file` is no folder"), "{beneath}");
        assert_eq!(size(folder.path()), (1, 5));
        assert_eq!(told_bytes(12_345), "12 kB");
    }
}
