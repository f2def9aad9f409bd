//! `confine: true`: the program is kept to the spell's folders by the system (Landlock, on Linux).
//!
//! It can do anything beneath `paths`, read and run what is installed (`/usr`, `/lib`, `/etc`, its own file and their
//! like), and nothing else: no home, no other project, no `/tmp`, no `/proc`. The network is left as it is. Landlock does
//! not hide that a file exists. Where any of this cannot be enforced, the spell is refused.

use std::path::PathBuf;

use charmer_sandbox::{Readable, Rights, confine_thread};

/// Whether it can be enforced here; found out once.
pub(crate) fn available() -> Result<(), String> {
    static FOUND: std::sync::OnceLock<Result<(), String>> = std::sync::OnceLock::new();
    FOUND
        .get_or_init(|| {
            // Its rights go with the thread that gives them up.
            std::thread::spawn(|| confine_thread(&Rights::default()))
                .join()
                .unwrap_or_else(|_| Err("the trial panicked".into()))
        })
        .clone()
}

/// What a spell's program may reach: these folders, and what is installed.
pub(crate) fn rights(folders: &[PathBuf]) -> Rights {
    let mut rights = Rights::default();
    rights.readable = Readable::Installed(Vec::new());
    rights.folders = folders.to_vec();
    rights
}
