//! Spells that the system keeps in (Landlock, on Linux). This is the one place that decides what a spell's program keeps of
//! its user's rights, and that starts it so.
//!
//! A spell that only reads can read its `paths`, the files that it names, what is installed, what the system says of itself
//! (`/proc`, `/sys`) and its program's own settings, and writes nowhere but in a scratch folder of its call. One that says
//! `confine: true` can do anything beneath `paths`, read what is installed, and nothing else. Rules bind to files and not to
//! names, so that a path which was swapped after it was checked leads to a refusal.
//!
//! A pool of confined processes runs such a spell, which also takes from it the network that it is not granted and the right
//! to change modes, owners and times. Where there is no pool, a thread starts it that has lost its rights to files, and
//! nothing else. Landlock does not hide that a file exists.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use charmer_core::model::{Effect, Network};
use charmer_run::{
    Call, CallError, CallService, Ended, ErrorCode, Execute, Outcome, Target, into_service,
    process::{self, Drafting, Environment, Launcher},
};
use charmer_sandbox::{Readable, Rights, Room, confine_thread};
use tower::{Service, service_fn};

use crate::{SpellOptions, cast::Cast, interpreters::base_name, load::LoadedSpell, spell::Spell};

/// The folders in which the system says what it is doing.
const SYSTEM: [&str; 2] = ["/proc", "/sys"];
/// The file by which names of hosts are looked up; often a link to a place that is not `/etc`.
const RESOLVER: &str = "/etc/resolv.conf";

/// The confinement of a spell's program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SpellConfinement {
    /// It reads, and changes nothing.
    Reading,
    /// It changes what is beneath its folders.
    Folders,
    /// It only lacks some of the network.
    Network,
}

impl SpellConfinement {
    /// The confinement of a spell; `None` for none at all.
    fn of(spell: &Spell, options: &SpellOptions) -> Option<Self> {
        let reads = spell.effect == Effect::Read;
        let is_limited = is_limited(spell);
        match spell.confine {
            Some(true) if reads => Some(Self::Reading),
            Some(true) => Some(Self::Folders),
            None if reads && !options.names_only && is_system_for_it() => Some(Self::Reading),
            _ => is_limited.then_some(Self::Network),
        }
    }
}

/// Returns true if a spell's program is granted less than all of the network.
fn is_limited(spell: &Spell) -> bool {
    spell.network.is_some_and(|network| network != Network::All)
}

/// Returns true if this is a system where spells are kept in unless something is said.
fn is_system_for_it() -> bool {
    cfg!(target_os = "linux")
}

/// Tells whether programs can be kept in here; found out once.
fn available() -> Result<(), String> {
    static FOUND: OnceLock<Result<(), String>> = OnceLock::new();
    FOUND
        .get_or_init(|| {
            // Its rights go with the thread that gives them up.
            std::thread::spawn(|| confine_thread(&Rights::default()))
                .join()
                .unwrap_or_else(|_| Err("the trial panicked".into()))
        })
        .clone()
}

/// Says what of a spell's confinement cannot be had here.
pub(crate) fn lack(spell: &Spell, options: &SpellOptions) -> Option<String> {
    if SpellConfinement::of(spell, options).is_some() {
        let reason = available().err()?;
        return Some(format!(
            "it is refused, because it cannot be confined here: {reason}{}",
            believe(spell)
        ));
    }
    let believed = spell.effect == Effect::Read && !options.names_only && !is_system_for_it();
    believed.then(|| {
        "nothing keeps it from writing on this system: `effect: read` is what its author says"
            .into()
    })
}

/// The option that believes a spell which cannot be kept in, where there is one.
fn believe(spell: &Spell) -> &'static str {
    match spell.confine {
        None => "; `--confine names` believes spells that say `effect: read`",
        Some(_) => "",
    }
}

/// Says why a spell does not count as one that only reads, and what to do about it.
pub(crate) fn may_write(spell: &Spell, options: &SpellOptions) -> Option<&'static str> {
    if spell.effect != Effect::Read {
        return Some("its author can declare `effect: read` if it changes nothing");
    }
    (spell.confine == Some(false) && !options.names_only).then_some(
        "`confine: false` lets it write: its author can remove that, or the server be started with `--confine names`",
    )
}

/// The target that runs a spell's calls: its program, kept in as far as the spell is to be.
pub(crate) fn target(cast: &Cast, launcher: Launcher) -> Target {
    match SpellConfinement::of(&cast.entry.spell, &cast.options) {
        None => Target::Process(launcher),
        Some(confinement) => Target::Answer(confined(cast.clone(), launcher, confinement)),
    }
}

/// The way a spell's calls are run as drafts: over views of its `paths`, and offline. None, where it changes nothing, or
/// nobody keeps it in.
pub(crate) fn drafting(cast: &Cast) -> Option<Drafting> {
    let (entry, options) = (&cast.entry, &cast.options);
    options.engine.drafts()?;
    let pool = options.pool.as_ref()?;
    if entry.spell.effect == Effect::Read || options.names_only {
        return None;
    }
    let mut rights = Rights::default();
    if SpellConfinement::of(&entry.spell, options) == Some(SpellConfinement::Folders) {
        rights.readable = Readable::Installed(readable(entry));
    }
    rights.hidden = hidden(cast);
    rights.network = charmer_sandbox::NetworkRight::None;
    let confined = process::Confinement::new(Arc::clone(pool), watched(rights, entry));
    let folders = entry.roots.iter().filter(|root| root.is_dir());
    let folders = folders.cloned().collect();
    Some(Drafting::new(confined, options.drafted).of_folders(folders))
}

/// A service that runs each call with rights of its own.
fn confined(cast: Cast, launcher: Launcher, confinement: SpellConfinement) -> CallService {
    into_service(service_fn(move |call: Call| {
        run(cast.clone(), launcher.clone(), confinement, call)
    }))
}

async fn run(
    mut cast: Cast,
    launcher: Launcher,
    confinement: SpellConfinement,
    mut call: Call,
) -> Result<Outcome, CallError> {
    available().map_err(|reason| {
        CallError::refused(format!("this spell cannot be confined here: {reason}")).hint(format!(
            "it is never run without that{}",
            believe(&cast.entry.spell)
        ))
    })?;
    let mut rights = rights(confinement, &cast.entry);
    let pool = cast.options.pool.clone();
    let scratch = match (confinement, &pool) {
        (SpellConfinement::Reading, None) => Some(scratch(&cast.options.variables)?),
        _ => None,
    };
    let launcher = match pool {
        Some(pool) => {
            if confinement == SpellConfinement::Reading {
                rights.hidden = hidden(&cast);
            }
            let confined = process::Confinement::new(pool, watched(rights, &cast.entry));
            launcher.reading(confined.clone()).writing(confined)
        }
        None if rights.network != charmer_sandbox::NetworkRight::All => {
            return Err(CallError::refused("its `network` cannot be enforced here")
                .hint("`charmer serve` and `charmer call` can, on Linux"));
        }
        None => {
            if let Some(scratch) = &scratch {
                rights.folders.push(scratch.path().to_owned());
                cast.scratch = Some(scratch.path().to_owned());
            }
            launcher.confined_to(rights)
        }
    };
    let is_limited = is_limited(&cast.entry.spell);
    let tool = Arc::clone(&cast.entry.tool);
    let mut execute = Execute::new(tool, Target::Process(launcher)).decided_by(Arc::new(cast));
    // What it lacks is told here, by what spells can do about it.
    call.reads = false;
    let outcome = execute.call(call).await?;
    Ok(hinted(outcome, confinement, is_limited))
}

/// The paths that a spell that only reads must not read, although they are in one of its folders.
fn hidden(cast: &Cast) -> Vec<PathBuf> {
    let (Some(secrets), Ok(program)) = (&cast.options.secrets, &cast.entry.program) else {
        return Vec::new();
    };
    let mut named = cast.entry.roots.clone();
    named.extend(cast.entry.files.paths().map(Path::to_owned));
    let program = program.to_string_lossy();
    secrets.hidden(base_name(&program), &named)
}

/// The same rights for a process that stays for later calls: it is replaced when one of the files that it may reach is
/// another one, because rules bind to files and not to names.
fn watched(mut rights: Rights, entry: &LoadedSpell) -> Rights {
    let mut reached = rights.folders.clone();
    if let Readable::Installed(files) = &mut rights.readable {
        files.extend(entry.program.iter().cloned());
        reached.extend(files.iter().cloned());
    }
    rights.shown = reached;
    rights
}

/// The rights of its user that a spell's program keeps.
fn rights(confinement: SpellConfinement, entry: &LoadedSpell) -> Rights {
    let mut rights = Rights::default();
    match confinement {
        SpellConfinement::Reading => rights.readable = Readable::Installed(readable(entry)),
        SpellConfinement::Folders => {
            rights.readable = Readable::Installed(Vec::new());
            rights.folders.clone_from(&entry.roots);
        }
        SpellConfinement::Network => rights.folders = vec!["/".into()],
    }
    rights.metadata = confinement != SpellConfinement::Reading;
    rights.network = match entry.spell.network {
        None | Some(Network::All) => charmer_sandbox::NetworkRight::All,
        Some(Network::Tcp) => charmer_sandbox::NetworkRight::Tcp,
        Some(Network::Socket) => charmer_sandbox::NetworkRight::Socket,
        Some(Network::None) => charmer_sandbox::NetworkRight::None,
    };
    rights
}

/// The files and folders that a spell which only reads may read, besides what is installed.
fn readable(entry: &LoadedSpell) -> Vec<PathBuf> {
    let mut readable = entry.roots.clone();
    readable.extend(entry.files.paths().map(Path::to_owned));
    readable.extend(SYSTEM.map(PathBuf::from));
    readable.extend(fs::canonicalize(RESOLVER));
    if let Ok(program) = &entry.program {
        let home = entry.environment.get("HOME").map(PathBuf::from);
        let home = home.filter(|home| home.is_absolute());
        // Never a whole home folder, whatever a program in it is called.
        let holds_home =
            |place: &PathBuf| home.as_ref().is_some_and(|home| home.starts_with(place));
        let beside = installed_beside(program).into_iter();
        readable.extend(beside.filter(|place| !holds_home(place)));
        readable.extend(home.iter().flat_map(|home| settings(home, program)));
    }
    readable
}

/// The folders that belong to a program installed in a place of its own: its libraries beside `bin`, as of
/// `~/.nvm/versions/node/v22/bin/npm`, and all that is beside `shims`, which start the version of a program that is
/// chosen.
fn installed_beside(program: &Path) -> Vec<PathBuf> {
    let shims = program.parent().filter(|folder| folder.ends_with("shims"));
    if let Some(whole) = shims.and_then(Path::parent) {
        return vec![whole.to_owned()];
    }
    // A virtual environment of Python's has its own file, and a link to the program.
    const PARTS: [&str; 5] = ["bin", "lib", "lib64", "libexec", "pyvenv.cfg"];
    let real = fs::canonicalize(program).ok();
    let places = [Some(program), real.as_deref()].into_iter().flatten();
    let folders = places.filter_map(Path::parent);
    let prefixes = folders
        .filter(|folder| folder.ends_with("bin"))
        .filter_map(Path::parent);
    prefixes
        .flat_map(|prefix| PARTS.map(|part| prefix.join(part)))
        .collect()
}

/// A program's own settings in a home folder, by its name: `~/.gitconfig` and `~/.config/git` for git.
fn settings(home: &Path, program: &Path) -> Vec<PathBuf> {
    let program = program.to_string_lossy();
    let name = base_name(&program);
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    if name.is_empty() {
        return Vec::new();
    }
    let own = ["", "rc", "config"].map(|end| home.join(format!(".{name}{end}")));
    own.into_iter()
        .chain([home.join(".config").join(name)])
        .collect()
}

/// A folder for what a program writes down during one call.
fn scratch(variables: &Environment) -> Result<Room, CallError> {
    let folder = variables.get("TMPDIR").map(Path::new);
    let folder = folder.filter(|folder| folder.is_absolute());
    Room::new(folder.unwrap_or(Path::new("/tmp")), "charmer-spell-").map_err(|error| {
        CallError::new(
            ErrorCode::NotStarted,
            format!("there is no folder for what it writes down: {error}"),
        )
        .hint("check that TMPDIR, or `/tmp`, is a folder that the server may write to")
    })
}

/// Says so where a program that failed seems to have wanted more than it may.
fn hinted(mut outcome: Outcome, confinement: SpellConfinement, is_limited: bool) -> Outcome {
    const OFFLINE: [&str; 4] = ["onnect", "resolve", "etwork", "ocket"];
    const SIGNS: [&str; 4] = [
        "ermission denied",
        "EACCES",
        "ot permitted",
        "ead-only file system",
    ];
    let failed = matches!(outcome.ended, Ended::Exited(code) if code != 0);
    let said = outcome.stderr.end_text() + &outcome.stdout.end_text();
    if failed && outcome.advice.is_none() && SIGNS.iter().any(|sign| said.contains(sign)) {
        let advice = match confinement {
            SpellConfinement::Reading => {
                "it has `effect: read`, so the system lets it read its `paths` and what is installed, and write nothing: \
                 its author can add the folder or file that it needs to `paths`, or declare `effect: write`"
            }
            SpellConfinement::Folders => {
                "it has `confine: true`, so the system keeps it to its `paths`: its author can add what it needs"
            }
            SpellConfinement::Network => return outcome,
        };
        outcome.advice = Some(advice.into());
    } else if failed
        && outcome.advice.is_none()
        && is_limited
        && OFFLINE.iter().any(|sign| said.contains(sign))
    {
        let advice =
            "its `network` is limited: its author can grant what it needs, up to `network: all`";
        outcome.advice = Some(advice.into());
    }
    outcome
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_a_programs_own() {
        let own = |program: &str| {
            let found = settings(Path::new("/home/ada"), Path::new(program));
            let shown = found.iter().map(|path| path.display().to_string());
            shown.collect::<Vec<_>>()
        };
        let git = own("/usr/bin/git");
        assert!(git.contains(&"/home/ada/.gitconfig".to_owned()), "{git:?}");
        assert!(git.contains(&"/home/ada/.config/git".to_owned()), "{git:?}");
        // `ss` is a program, and `.ssh` is not its.
        assert!(own("/usr/bin/ss").iter().all(|path| !path.contains(".ssh")));
        assert!(own("/usr/bin/3").is_empty());
    }
}
