//! Where a program may run: folders compared by component after their symlinks are resolved, then opened without following
//! one, so that a swap between the check and the use leads to a refusal and never elsewhere.
//!
//! On Linux the child is sent to the opened folder itself. Elsewhere it is sent to the resolved path, and somebody who
//! can rename folders beneath a permitted one could put a symlink there between the check and the start.
//!
//! A hard link is the file that it links to: no check of paths can tell it apart.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use crate::{CallError, ErrorCode};

/// Resolves the symlinks of a path as far as it exists; what does not exist yet is put behind it.
pub fn settle(path: &Path) -> io::Result<PathBuf> {
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

/// Returns true if a resolved path is one of these folders or beneath one.
pub fn is_beneath(path: &Path, roots: &[PathBuf]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

/// The folders that a caller may have programs run in. The first is where they run unless another is asked for; where
/// there is none, they run where the server does.
///
/// ```
/// use charmer_run::folder::Folders;
/// let folders = Folders::new(["/".into()]);
/// assert_eq!(folders.first().unwrap(), std::path::Path::new("/"));
/// assert!(folders.open(Some("no such folder")).is_err());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Folders(Arc<[PathBuf]>);

impl Folders {
    /// These folders, by paths without symlinks. What is not there or is no folder is left out.
    pub fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut folders: Vec<PathBuf> = Vec::new();
        for path in paths
            .into_iter()
            .filter_map(|path| path.canonicalize().ok())
        {
            if path.is_dir() && !folders.contains(&path) {
                folders.push(path);
            }
        }
        Self(folders.into())
    }

    /// Those of a client's folders that are within these, or all of them if there are none of these: a client narrows
    /// what a person gave, and never widens it. Where it leaves nothing, these stay. The rest are the client's folders
    /// that are not used.
    pub fn narrowed_to(&self, wanted: &Folders) -> (Self, Vec<PathBuf>) {
        if self.0.is_empty() {
            return (wanted.clone(), Vec::new());
        }
        let (within, outside): (Vec<PathBuf>, Vec<PathBuf>) = wanted
            .iter()
            .map(Path::to_owned)
            .partition(|path| is_beneath(path, &self.0));
        match within.is_empty() {
            true => (self.clone(), outside),
            false => (Self(within.into()), outside),
        }
    }

    /// The folder that programs run in unless another is asked for.
    pub fn first(&self) -> Option<&Path> {
        self.iter().next()
    }

    /// The folders, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().map(PathBuf::as_path)
    }

    /// Opens the folder that is asked for, by a path that may be relative to the first, or else the first; none where
    /// nothing is asked for and there are none.
    pub fn open(&self, asked: Option<&str>) -> Result<Option<HeldFolder>, CallError> {
        if self.0.is_empty() {
            return match asked {
                None => Ok(None),
                Some(_) => Err(CallError::refused(
                    "`folder`: there are no folders to choose from, and programs run where the server does",
                )
                .hint("leave it out; a person can start the server with `--folder DIR`")),
            };
        }
        HeldFolder::open(&self.0, asked)
            .map(Some)
            .map_err(|denied| {
                let permitted: Vec<String> = self
                    .iter()
                    .map(|folder| format!("`{}`", folder.display()))
                    .collect();
                let permitted = permitted.join(", ");
                match denied {
                    Denied::Outside => CallError::refused(format!(
                        "`folder`: `{}` is outside of what is served",
                        asked.unwrap_or_default().escape_debug()
                    )),
                    Denied::Missing(path) => CallError::refused(format!(
                        "the folder `{}` does not exist",
                        path.display()
                    )),
                    Denied::Unusable(path, reason) => CallError::refused(format!(
                        "`{}` cannot be run in: {reason}",
                        path.display()
                    )),
                }
                .hint(format!("give {permitted} or a folder beneath"))
            })
    }
}

/// The path of the working directory of this process.
pub(crate) fn here() -> Result<PathBuf, CallError> {
    Path::new(".").canonicalize().map_err(|error| {
        let message = format!("the working directory cannot be used: {error}");
        CallError::new(ErrorCode::NotStarted, message)
    })
}

/// The reason why a folder cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Denied {
    /// It is not beneath a permitted folder.
    Outside,
    /// It is, but it is not there.
    Missing(PathBuf),
    /// It is there and is no folder, or may not be entered.
    Unusable(PathBuf, String),
}

/// A folder that was checked and is held open, so that a program runs in it and in no other.
#[derive(Debug)]
#[non_exhaustive]
pub struct HeldFolder {
    /// Its path, without symlinks.
    pub path: PathBuf,
    #[cfg(unix)]
    held: std::os::fd::OwnedFd,
}

impl HeldFolder {
    /// The folder that is asked for, relative to the first of the permitted ones; that one if none is asked for. The
    /// roots are settled.
    pub fn open(roots: &[PathBuf], asked: Option<&str>) -> Result<Self, Denied> {
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

    /// The folder at a resolved path.
    pub fn hold(path: PathBuf) -> Result<Self, Denied> {
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
                return Err(Denied::Unusable(path, "it is no folder".into()));
            }
            Ok(Self { path })
        }
    }

    /// The device and the number of the folder, by which another process can tell that it is this one.
    pub fn id(&self) -> Option<(u64, u64)> {
        #[cfg(target_os = "linux")]
        {
            let held = rustix::fs::fstat(&self.held).ok()?;
            Some((held.st_dev, held.st_ino))
        }
        // Nothing is confined by another process elsewhere.
        #[cfg(not(target_os = "linux"))]
        None
    }

    /// The path that a child is sent to while this is held.
    pub fn current_dir(&self) -> PathBuf {
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
        let held = HeldFolder::open(&roots, Some("sub")).expect("it is beneath");
        fs::rename(&inside, home.join("moved")).expect("it can");
        symlink(&outside, &inside).expect("it can");
        if cfg!(target_os = "linux") {
            assert!(held.current_dir().join("mine").exists());
        }
        // And a swap between resolving and opening is refused.
        assert!(matches!(
            HeldFolder::hold(inside),
            Err(Denied::Unusable(..))
        ));
        assert_eq!(
            HeldFolder::open(&roots, Some("sub")).expect_err("it leads out"),
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
            if let Ok(held) = HeldFolder::open(std::slice::from_ref(&jail), Some(&asked)) {
                let real = fs::canonicalize(held.current_dir()).expect("it is open");
                prop_assert!(real == jail || real.starts_with(jail.join("a")), "{asked} opened {real:?}");
            }
        }
    }
}
