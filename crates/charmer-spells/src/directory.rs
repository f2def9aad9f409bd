//! Where a spell may run: folders compared by component after their symlinks are resolved, then opened without following
//! one, so that a swap between the check and the use leads to a refusal and never elsewhere.
//!
//! On Linux the child is sent to the opened folder itself. Elsewhere it is sent to the resolved path, and somebody who
//! can rename folders beneath a permitted one could put a symlink there between the check and the start.
//!
//! A hard link is the file that it links to: no check of paths can tell it apart.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

/// Resolves the symlinks of a path as far as it exists; what does not exist yet is put behind it.
pub(crate) fn settle(path: &Path) -> io::Result<PathBuf> {
    let mut existing = path;
    let mut rest = Vec::new();
    loop {
        match fs::canonicalize(existing) {
            Ok(real) => {
                let settled = rest.iter().rev().fold(real, |path, name| path.join(name));
                return Ok(settled);
            }
            // What is there and leads nowhere is no place to create something in.
            Err(error) if existing.symlink_metadata().is_ok() => return Err(error),
            Err(error) => match (existing.parent(), existing.components().next_back()) {
                (Some(parent), Some(Component::Normal(name))) => {
                    rest.push(name);
                    existing = parent;
                }
                _ => return Err(error),
            },
        }
    }
}

/// Whether a resolved path is one of these folders or beneath one.
pub(crate) fn is_beneath(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

/// Why a folder cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Denied {
    /// It is not beneath a permitted folder.
    Outside,
    /// It is, but it is not there.
    Missing(PathBuf),
    /// It is there and is no folder, or may not be entered.
    Unusable(PathBuf, String),
}

/// A folder that was checked and is held.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) path: PathBuf,
    #[cfg(unix)]
    held: std::os::fd::OwnedFd,
}

impl Directory {
    /// The folder that is asked for, relative to the first of the permitted ones; that one if none is asked for. The
    /// roots are settled.
    pub(crate) fn open(roots: &[PathBuf], asked: Option<&str>) -> Result<Self, Denied> {
        let first = roots.first().ok_or(Denied::Outside)?;
        let Some(asked) = asked else {
            return Self::hold(first.clone());
        };
        let wanted = first.join(asked);
        match fs::canonicalize(&wanted) {
            Ok(real) if is_beneath(&real, roots) => Self::hold(real),
            Ok(_) => Err(Denied::Outside),
            // Whether something exists outside is nobody's business.
            Err(error) => match settle(&wanted) {
                Ok(real) if !is_beneath(&real, roots) => Err(Denied::Outside),
                Ok(real) if error.kind() == io::ErrorKind::NotFound => Err(Denied::Missing(real)),
                Ok(real) => Err(Denied::Unusable(real, error.to_string())),
                Err(_) => Err(Denied::Outside),
            },
        }
    }

    fn hold(path: PathBuf) -> Result<Self, Denied> {
        let denied = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => Denied::Missing(path.clone()),
            _ => Denied::Unusable(path.clone(), error.to_string()),
        };
        #[cfg(unix)]
        {
            let held = hold(&path).map_err(|error| denied(error.into()))?;
            Ok(Self { path, held })
        }
        #[cfg(not(unix))]
        {
            let is_folder = fs::metadata(&path).map_err(denied)?.is_dir();
            if !is_folder {
                return Err(Denied::Unusable(path, "not a directory".into()));
            }
            Ok(Self { path })
        }
    }

    /// What a child is sent to while this is held.
    pub(crate) fn current_dir(&self) -> PathBuf {
        #[cfg(target_os = "linux")]
        {
            use std::os::fd::AsRawFd;
            let held = PathBuf::from(format!("/proc/self/fd/{}", self.held.as_raw_fd()));
            if held.exists() {
                return held;
            }
        }
        #[cfg(unix)]
        let _ = &self.held;
        self.path.clone()
    }
}

/// Opens a folder by its resolved path, component by component, following no symlink.
#[cfg(unix)]
fn hold(path: &Path) -> rustix::io::Result<std::os::fd::OwnedFd> {
    use rustix::fs::{Mode, OFlags, open, openat};
    #[cfg(target_os = "linux")]
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    #[cfg(not(target_os = "linux"))]
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut folder = open("/", flags, Mode::empty())?;
    for component in path.components() {
        match component {
            Component::RootDir => {}
            Component::Normal(name) => folder = openat(&folder, name, flags, Mode::empty())?,
            _ => return Err(rustix::io::Errno::INVAL),
        }
    }
    Ok(folder)
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use proptest::prelude::*;

    use super::*;

    /// What was opened stays what it was, whatever is put in its place.
    #[test]
    fn a_swap_after_the_check_leads_nowhere_else() {
        let home = tempfile::tempdir().expect("a folder");
        let home = fs::canonicalize(home.path()).expect("it exists");
        let (inside, outside) = (home.join("in/sub"), home.join("out"));
        fs::create_dir_all(&inside).expect("it can");
        fs::create_dir(&outside).expect("it can");
        fs::write(inside.join("mine"), "").expect("it can");
        let roots = [home.join("in")];
        let held = Directory::open(&roots, Some("sub")).expect("it is beneath");
        fs::rename(&inside, home.join("moved")).expect("it can");
        symlink(&outside, &inside).expect("it can");
        if cfg!(target_os = "linux") {
            assert!(held.current_dir().join("mine").exists());
        }
        // And a swap between resolving and opening is refused.
        assert!(matches!(Directory::hold(inside), Err(Denied::Unusable(..))));
        assert_eq!(
            Directory::open(&roots, Some("sub")).expect_err("it leads out"),
            Denied::Outside
        );
    }

    proptest! {
        /// Whatever is asked for, what is opened is beneath the permitted folder, by the system's own word.
        #[test]
        fn nothing_outside_is_ever_opened(parts in prop::collection::vec(
            prop_oneof![
                Just(".."), Just("."), Just("a"), Just("b"), Just("out"), Just("loop"), Just("jail"),
                Just("jail-evil"), Just(""), Just("/"), Just("~"), Just("link"), Just("%2e%2e"),
            ], 0..8), absolute in any::<bool>())
        {
            let home = tempfile::tempdir().expect("a folder");
            let home = fs::canonicalize(home.path()).expect("it exists");
            let jail = home.join("jail");
            fs::create_dir_all(jail.join("a/b")).expect("it can");
            fs::create_dir_all(home.join("jail-evil")).expect("it can");
            symlink(&home, jail.join("out")).expect("it can");
            symlink(jail.join("a"), jail.join("link")).expect("it can");
            symlink("loop", jail.join("loop")).expect("it can");
            let asked = parts.join("/");
            let asked = if absolute { format!("{}/{asked}", home.display()) } else { asked };
            if let Ok(held) = Directory::open(std::slice::from_ref(&jail), Some(&asked)) {
                let real = fs::canonicalize(held.current_dir()).expect("it is open");
                prop_assert!(real == jail || real.starts_with(jail.join("a")), "{asked} opened {real:?}");
            }
        }
    }
}
