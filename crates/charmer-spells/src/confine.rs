//! `confine: true`: the program is kept to the spell's folders by the system (Landlock, on Linux).
//!
//! It can do anything beneath `paths`, read and run what is installed (`/usr`, `/lib`, `/etc`, its own file and their
//! like), and nothing else: no home, no other project, no `/tmp`, no `/proc`. The network is left as it is. Landlock does
//! not hide that a file exists. Where any of this cannot be enforced, the spell is refused.

use std::path::{Path, PathBuf};

/// Whether it can be enforced here; found out once.
pub(crate) fn available() -> Result<(), String> {
    static FOUND: std::sync::OnceLock<Result<(), String>> = std::sync::OnceLock::new();
    FOUND
        .get_or_init(|| {
            // Its rights go with the thread that gives them up.
            std::thread::spawn(|| keep_to(&[], Path::new("/")))
                .join()
                .unwrap_or_else(|_| Err("the trial panicked".into()))
        })
        .clone()
}

/// From now on this thread, and what it starts, is kept to these folders.
#[cfg(target_os = "linux")]
pub(crate) fn keep_to(folders: &[PathBuf], program: &Path) -> Result<(), String> {
    use landlock::{
        ABI, Access, AccessFs, CompatLevel, Compatible, PathBeneath, Ruleset, RulesetAttr,
        RulesetCreatedAttr, RulesetStatus, path_beneath_rules,
    };
    /// The first version that also sees files being cut to nothing: with less, what is promised does not hold.
    const NEEDED: ABI = ABI::V3;
    const NEWEST: ABI = ABI::V9;
    const INSTALLED: [&str; 12] = [
        "/usr",
        "/bin",
        "/sbin",
        "/lib",
        "/lib32",
        "/lib64",
        "/libx32",
        "/etc",
        "/opt",
        "/nix",
        "/dev/urandom",
        "/run/systemd/resolve",
    ];
    const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];
    let failed = |error: &dyn std::fmt::Display| format!("Landlock failed: {error}");
    let mut beneath = Vec::new();
    for folder in folders {
        match crate::directory::hold(folder) {
            Ok(held) => beneath.push(Ok(PathBeneath::new(held, AccessFs::from_all(NEWEST)))),
            // A folder that is not there needs no leave.
            Err(rustix::io::Errno::NOENT) => {}
            Err(error) => return Err(format!("`{}` cannot be opened: {error}", folder.display())),
        }
    }
    let installed = INSTALLED
        .iter()
        .map(Path::new)
        .chain([program])
        .filter(|path| *path != Path::new("/"));
    let status = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .handle_access(AccessFs::from_all(NEEDED))
        .map(|rules| rules.set_compatibility(CompatLevel::BestEffort))
        .and_then(|rules| rules.handle_access(AccessFs::from_all(NEWEST)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(beneath))
        .and_then(|rules| {
            rules.add_rules(path_beneath_rules(installed, AccessFs::from_read(NEWEST)))
        })
        .and_then(|rules| rules.add_rules(path_beneath_rules(SINKS, AccessFs::from_all(NEWEST))))
        .and_then(|rules| rules.restrict_self())
        .map_err(|error| failed(&error))?;
    if status.ruleset == RulesetStatus::NotEnforced || !status.no_new_privs {
        return Err("this kernel does not enforce Landlock".into());
    }
    Ok(())
}

/// There is nothing to enforce it with yet.
#[cfg(not(target_os = "linux"))]
pub(crate) fn keep_to(_: &[PathBuf], _: &Path) -> Result<(), String> {
    Err("only Linux has the means to".into())
}
