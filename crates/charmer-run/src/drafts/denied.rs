//! Paths that a drafted command tried to write outside of its folders, as far as its own complaints tell.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

/// The words of the system for what was kept from it.
const REFUSALS: [&str; 6] = [
    "read-only file system",
    "permission denied",
    "operation not permitted",
    "erofs",
    "eacces",
    "eperm",
];

/// The maximum number of them that are told.
const MOST: usize = 20;

/// The paths in lines of this output that complain of a missing right. A program that runs in this folder may call them by a
/// relative path, or by a link that leads out of it.
pub(super) fn denied<'t>(output: impl IntoIterator<Item = &'t str>, folder: &Path) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    let lines = output.into_iter().flat_map(str::lines);
    let complains = |line: &&str| {
        let line = line.to_lowercase();
        REFUSALS.iter().any(|words| line.contains(words))
    };
    for line in lines.filter(complains) {
        let words = line.split(|c: char| c.is_whitespace() || "'\"`‘’“”<>()=,;".contains(c));
        for word in words.map(|word| word.trim_end_matches([':', '.'])) {
            let Some(path) = named(word, folder) else {
                continue;
            };
            if paths.len() < MOST && !paths.contains(&path) {
                paths.push(path);
            }
        }
    }
    paths
}

/// The path that a word stands for, if it is one beyond its own folder.
fn named(word: &str, folder: &Path) -> Option<String> {
    if word.len() > 1 && (word.starts_with('/') || word.starts_with("~/")) {
        return Some(word.to_owned());
    }
    let path = folder.join(word);
    let is_link = || fs::symlink_metadata(&path).is_ok_and(|found| found.is_symlink());
    if word.is_empty() || !(word.starts_with("../") || is_link()) {
        return None;
    }
    // Where it leads, whether there is something yet or not.
    let target = match fs::read_link(&path) {
        Ok(target) => path.parent()?.join(target),
        Err(_) => path,
    };
    let mut plain = PathBuf::new();
    for part in target.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain.into_os_string().into_string().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_name_what_was_tried() {
        let stderr = "touch: cannot touch '/etc/motd': Read-only file system\n\
                      fine: /usr/bin/x was read\n\
                      error: EACCES: permission denied, open '/home/ann/.npmrc'\n";
        let folder = tempfile::tempdir().expect("a folder");
        let inside = folder.path();
        assert_eq!(denied([stderr], inside), ["/etc/motd", "/home/ann/.npmrc"]);
        // By other names.
        std::os::unix::fs::symlink("/etc/hosts", inside.join("out")).expect("a link");
        let stderr = "sh: 1: cannot create out: Read-only file system\n\
                      sh: 2: cannot create ../up: Read-only file system\n\
                      sh: 3: cannot create plain: Permission denied\n";
        let up = inside.parent().expect("a folder").join("up");
        assert_eq!(
            denied([stderr], inside),
            ["/etc/hosts", &up.to_string_lossy()]
        );
    }
}
