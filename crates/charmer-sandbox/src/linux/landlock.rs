//! Files that may be reached, enforced by Landlock. It knows allow-lists only, binds to the files themselves and not to
//! their names, and does not see changes of permissions, owners, times or attributes.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, Ruleset, RulesetAttr,
    RulesetCreatedAttr, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
    io::Errno,
};

use crate::{Network, Readable, Rights};

/// The newest rights that are asked for; the kernel gives those that it knows.
const NEWEST: ABI = ABI::V9;
/// The devices that can always be written to: they keep nothing.
const SINKS: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];
/// Where programs, their libraries and their settings are installed, and what nearly every program reads.
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

/// Leaves this thread only these rights. Says which version of Landlock enforces it.
pub(super) fn restrict(rights: &Rights) -> Result<u32, String> {
    let failed = |error: landlock::RulesetError| format!("Landlock failed: {error}");
    // A right that is not handled stays as it was. Where everything may be read, only rights to change are.
    let (handled, readable) = match &rights.readable {
        Readable::Everything => (AccessFs::from_write(NEWEST), None),
        Readable::Installed(more) => (AccessFs::from_all(NEWEST), Some(more)),
    };
    let mut rules = Ruleset::default().handle_access(handled).map_err(failed)?;
    if rights.network == Network::None {
        rules = rules
            .handle_access(AccessNet::from_all(NEWEST))
            .and_then(|rules| rules.scope(Scope::from_all(NEWEST)))
            .map_err(failed)?;
    }
    let mut rules = rules
        .create()
        .and_then(|rules| rules.add_rules(path_beneath_rules(SINKS, handled)))
        .map_err(failed)?;
    for folder in &rights.folders {
        if let Some(rule) = folder_rule(folder, handled)? {
            rules = rules.add_rule(rule).map_err(failed)?;
        }
    }
    if let Some(more) = readable {
        let files = INSTALLED.iter().map(PathBuf::from);
        let files = files.chain(more.iter().cloned());
        rules = rules
            .add_rules(path_beneath_rules(files, AccessFs::from_read(NEWEST)))
            .map_err(failed)?;
    }
    let status = rules.restrict_self().map_err(failed)?;
    match status.landlock {
        LandlockStatus::Available { effective_abi, .. }
            if status.ruleset != RulesetStatus::NotEnforced && status.no_new_privs =>
        {
            Ok(effective_abi as u32)
        }
        LandlockStatus::NotEnabled => Err("Landlock is not enabled in this kernel".into()),
        _ => Err("this kernel has no Landlock".into()),
    }
}

/// The rule that opens a folder; `None` if there is no such folder, which needs no leave.
fn folder_rule(
    folder: &Path,
    access: BitFlags<AccessFs>,
) -> Result<Option<PathBeneath<std::os::fd::OwnedFd>>, String> {
    // No symbolic link is followed, so that nobody can put one in the folder's place and have its target opened up.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(CWD, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(held) => Ok(Some(PathBeneath::new(held, access))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(format!("`{}` cannot be opened: {error}", folder.display())),
    }
}
