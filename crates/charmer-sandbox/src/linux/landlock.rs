//! Files that may be reached, enforced by Landlock. It knows allow-lists only, binds to the files themselves and not to
//! their names, and does not see changes of permissions, owners, times or attributes.

use std::{
    collections::BTreeSet,
    fs,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, LandlockStatus,
    PathBeneath, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetStatus, Scope,
    path_beneath_rules,
};
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2},
    io::Errno,
};

use crate::{NetworkRight, Readable, Rights, hidden};

use super::mounts::{OwnDevices, TERMINALS, closed_devices};

/// The newest rights that are asked for; the kernel gives those that it knows.
const NEWEST: ABI = ABI::V9;
/// The devices that can always be written to: they keep nothing.
const SINKS: [&str; 5] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
];
/// The folders in which programs, their libraries and their settings are installed, and what nearly every program
/// reads.
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

/// The extent to which hidden paths are hidden already, and what is the process's own.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct View {
    /// Hidden paths are covered by mounts.
    pub(super) covered: bool,
    pub(super) devices: OwnDevices,
}

/// Leaves this thread only these rights. Says which version of Landlock enforces it.
pub(super) fn restrict(rights: &Rights, view: View) -> Result<u32, String> {
    // A right that is not handled stays as it was. Where everything may be read, only rights to change are.
    let changes = AccessFs::from_write(NEWEST);
    // Terminals and disks are hidden in any case.
    let by_siblings = !view.covered;
    let handled = match &rights.readable {
        // Folders can be listed: Landlock cannot let one be listed and not those in it.
        Readable::Everything if by_siblings => changes | AccessFs::ReadFile | AccessFs::Execute,
        Readable::Everything => changes,
        Readable::Installed(_) => AccessFs::from_all(NEWEST),
    };
    let mut rules = Ruleset::default()
        .handle_access(handled)
        .and_then(|rules| rules.scope(Scope::Signal))
        .map_err(failed)?;
    if !matches!(rights.network, NetworkRight::All | NetworkRight::Socket) {
        rules = rules.scope(Scope::AbstractUnixSocket).map_err(failed)?;
    }
    if !matches!(rights.network, NetworkRight::All | NetworkRight::Tcp) {
        rules = rules
            .handle_access(AccessNet::from_all(NEWEST))
            .map_err(failed)?;
    }
    let mut rules = rules
        .create()
        .and_then(|rules| rules.add_rules(path_beneath_rules(SINKS, handled)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(view.devices.paths(), handled)))
        .map_err(failed)?;
    for folder in &rights.folders {
        if let Some(rule) = folder_rule(folder, handled)? {
            rules = rules.add_rule(rule).map_err(failed)?;
        }
    }
    match &rights.readable {
        Readable::Everything if by_siblings => {
            let reads = handled & !changes;
            let hidden: Vec<PathBuf> = rights.hidden.iter().cloned().chain(devices()).collect();
            rules = allow_siblings(rules, &hidden, Path::new("/"), reads)?
                .add_rules(path_beneath_rules(&rights.shown, reads))
                .map_err(failed)?;
        }
        Readable::Everything => {}
        Readable::Installed(more) => {
            let files = INSTALLED.iter().map(PathBuf::from);
            let files = files.chain(more.iter().cloned());
            let reads = AccessFs::from_read(NEWEST);
            // Of a folder that holds hidden ones, the others are opened one by one.
            let resolved = hidden::resolved(&rights.hidden);
            let holds = |file: &PathBuf| {
                let file = file.canonicalize().unwrap_or_else(|_| file.clone());
                let inside = |path: &PathBuf| path.starts_with(&file);
                (!view.covered && resolved.iter().any(inside)).then_some(file)
            };
            let (whole, parted): (Vec<_>, Vec<_>) = files
                .map(|file| holds(&file).ok_or(file))
                .partition(Result::is_err);
            rules = rules
                .add_rules(path_beneath_rules(
                    whole.into_iter().filter_map(Result::err),
                    reads,
                ))
                .map_err(failed)?;
            for folder in parted.into_iter().flatten() {
                rules = allow_siblings(rules, &rights.hidden, &folder, reads)?;
            }
        }
    }
    if !rights.executable.is_empty() {
        restrict_execution(&rights.executable)?;
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

/// Lets only these files be executed, and the loaders without which they could not be.
fn restrict_execution(files: &[PathBuf]) -> Result<(), String> {
    let rules = Ruleset::default()
        .handle_access(AccessFs::Execute)
        .and_then(|rules| rules.create())
        .and_then(|rules| rules.add_rules(path_beneath_rules(files, AccessFs::Execute)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(loaders(), AccessFs::Execute)))
        .map_err(failed)?;
    let status = rules.restrict_self().map_err(failed)?;
    match status.ruleset {
        RulesetStatus::FullyEnforced => Ok(()),
        _ => Err("Landlock cannot limit what is executed".into()),
    }
}

/// The files that load dynamically linked programs.
fn loaders() -> Vec<PathBuf> {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().flatten();
    let is_loader = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("ld-") && name.contains(".so")
    };
    let folders = ["/lib", "/lib64", "/lib32", "/usr/lib"].map(PathBuf::from);
    // One level further down, where each architecture has a folder of its own.
    let below = folders
        .iter()
        .flat_map(|folder| entries(folder))
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter(|entry| entry.file_name().to_string_lossy().contains("-linux-"))
        .map(|entry| entry.path());
    let below: Vec<PathBuf> = below.collect();
    let all = folders.iter().chain(&below);
    all.flat_map(|folder| entries(folder))
        .map(|entry| entry.path())
        .filter(is_loader)
        .collect()
}

/// Keeps this thread, and all that it starts, from signalling anybody else, and nothing more. Says whether the kernel does
/// it.
pub(super) fn keep_signals() -> bool {
    // Nothing less: who believes this signals everybody whom it may.
    let scoped = Ruleset::default()
        .set_compatibility(CompatLevel::HardRequirement)
        .scope(Scope::Signal)
        .and_then(|rules| rules.create())
        .and_then(|rules| rules.restrict_self());
    scoped.is_ok_and(|status| status.ruleset == RulesetStatus::FullyEnforced)
}

fn failed(error: landlock::RulesetError) -> String {
    format!("Landlock failed: {error}")
}

/// The rule that opens a folder; `None` if there is no such folder, which needs no leave.
fn folder_rule(
    folder: &Path,
    access: BitFlags<AccessFs>,
) -> Result<Option<PathBeneath<OwnedFd>>, String> {
    // No symbolic link is followed, so that nobody can put one in the folder's place and have its target opened up.
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match openat2(CWD, folder, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
        Ok(held) => Ok(Some(PathBeneath::new(held, access))),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(format!("`{}` cannot be opened: {error}", folder.display())),
    }
}

/// The devices that are hidden from everybody.
fn devices() -> impl Iterator<Item = PathBuf> {
    closed_devices().chain([PathBuf::from(TERMINALS)])
}

/// Allows everything beneath a folder but what is hidden: of each folder on the way to it, all other entries.
fn allow_siblings(
    mut rules: RulesetCreated,
    hidden: &[PathBuf],
    beneath: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, String> {
    let hidden = hidden::resolved(hidden);
    let above = hidden::folders_above(&hidden);
    // By what they are and not by name: a sibling may be another name of one of them.
    let closed: BTreeSet<(u64, u64)> = hidden
        .iter()
        .chain(&above)
        .filter_map(|path| identity(&fs::metadata(path).ok()?))
        .collect();
    for folder in above.iter().filter(|folder| folder.starts_with(beneath)) {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        for entry in entries {
            let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            // What is gone by now, or may not be opened anyway, needs no rule.
            let Ok(held) = openat(CWD, entry.path(), flags, Mode::empty()) else {
                continue;
            };
            let file = fs::File::from(held);
            let known = file.metadata().ok().filter(|file| !file.is_symlink());
            let known = known.and_then(|file| identity(&file));
            if known.is_some_and(|known| !closed.contains(&known)) {
                let rule = PathBeneath::new(file, access);
                rules = rules.add_rule(rule).map_err(failed)?;
            }
        }
    }
    Ok(rules)
}

fn identity(file: &fs::Metadata) -> Option<(u64, u64)> {
    Some((file.dev(), file.ino()))
}
