//! From how a program is to be confined to the rights that the kernel leaves it.

use std::{
    collections::HashMap,
    ffi::{OsStr, OsString},
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_config::ConfineMode;
use charmer_core::model::{Effect, Network};
use charmer_run::{
    LOCAL,
    process::{ConfinedPool, Confinement, Drafting, Environment, Launcher},
};
use charmer_sandbox::{NetworkRight, Rights, RightsReport, SandboxCommand};

use crate::{
    confine,
    credentials::ProgramSecrets,
    output,
    problem::Problem,
    programs,
    read::{self, SANDBOX},
    rule,
    settings::{ServedProgram, Settings, home},
};

/// The confined processes of a server; none is started before it is needed.
pub(crate) fn pool() -> Option<Arc<ConfinedPool>> {
    let command = SandboxCommand {
        program: std::env::current_exe().ok()?,
        args: vec![SANDBOX.into()],
    };
    let scratch = std::env::temp_dir();
    let scratch = scratch.canonicalize().unwrap_or(scratch);
    Some(Arc::new(
        ConfinedPool::new(command, scratch).report_to(warn),
    ))
}

/// The problem where a program that is served read-only cannot be kept from writing: the command line that works, or
/// the change of the file where none does.
pub(crate) fn cannot_confine(
    program: &ServedProgram,
    reason: &str,
    settings: &Settings,
) -> Problem {
    let name = program.name();
    Problem::failed(format!(
        "`{name}` cannot be kept from writing on this machine, so it is not served read-only: {reason}"
    ))
    .hint(match kept_to_places(settings) {
        None => {
            let words = by_names(std::env::args().skip(1));
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            let words = words.join(" ");
            format!("`charmer {words}` lets the names of commands and flags decide instead")
        }
        Some(other) => {
            let source = &program.source;
            let write = match source.confine.writable.is_empty() {
                true => "`confine: names`",
                false => "`mode: names` beside `writable`",
            };
            let place = rule::placed(settings.selection.config.as_deref(), &source.position);
            let other = other.name();
            // It would go before the file.
            let first = match settings.selection.confine {
                Some(_) => "leave out `--confine` and ",
                None => "",
            };
            format!(
                "{first}write {write} for `{name}` in `sources`{place}, and the names of commands and flags decide instead; \
                 `--confine names` would be for `{other}` too, which only the kernel can keep to its `writable`"
            )
        }
    })
}

/// A program whose calls may write, but only in places: names cannot see to that.
fn kept_to_places(settings: &Settings) -> Option<&ServedProgram> {
    let only_reads =
        |program: &ServedProgram| settings.selection.read_only || program.source.read_only;
    let mut programs = settings.programs.iter();
    programs.find(|program| !only_reads(program) && !program.confinement.writable.is_empty())
}

/// The words of a command line, with names to decide: in place of what they say of it, and before a `--`.
fn by_names(words: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut words = words.into_iter().peekable();
    let mut changed = Vec::new();
    while let Some(word) = words.next_if(|word| word != "--") {
        match word.as_str() {
            "--confine" => drop(words.next()),
            said if said.starts_with("--confine=") => {}
            _ => changed.push(word),
        }
    }
    changed.extend(["--confine".into(), "names".into()]);
    changed.extend(words);
    changed
}

/// Says what a confined call could do all the same on this machine.
fn warn(report: &RightsReport) {
    if !report.keeps_signals() {
        output::warn(&format!(
            "calls that read are not kept from signals (Landlock {}, {} is needed, or a process namespace): they could end \
             other programs of yours",
            report.landlock_version(),
            RightsReport::COVERS_SIGNALS
        ));
    }
}

/// The means that keep calls of a program that are meant to read from writing on this machine, in a few words; nothing,
/// where names decide. It tries.
pub(crate) fn kept_by(confinement: &confine::ProgramConfinement) -> Option<String> {
    let pool = pool().filter(|_| confinement.mode == ConfineMode::Auto)?;
    let mut rights = Rights::default();
    rights.network = NetworkRight::None;
    Some(match pool.prepare(&Arc::new(rights), &LOCAL.into()) {
        Ok(report) => told(&report),
        Err(reason) => format!("but they are refused here: {reason}"),
    })
}

fn told(report: &RightsReport) -> String {
    let namespaces = [
        ("files", &report.mounts),
        ("processes", &report.processes),
        ("network", &report.network),
    ];
    let own: Vec<&str> = namespaces
        .iter()
        .filter(|(_, had)| had.is_ok())
        .map(|(name, _)| *name)
        .collect();
    let own = match own.as_slice() {
        [] => "no namespaces".to_owned(),
        own => format!("namespaces of {}", own.join(", ")),
    };
    format!(
        "Landlock {}, system calls filtered, {own}",
        report.landlock_version()
    )
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+~".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// The secrets that a program at this path cannot reach while it is read: those of others.
pub(crate) fn hidden_while_read(program: &Path) -> Vec<PathBuf> {
    let configuration = std::env::var_os("XDG_CONFIG_HOME");
    let variables = configuration.as_deref();
    let variables = variables.map(|folder| (OsStr::new("XDG_CONFIG_HOME"), folder));
    let mut homes = vec![home()];
    homes.extend(listed_home().filter(|listed| !homes.contains(listed)));
    let mut hidden = Vec::new();
    for home in homes {
        let name = programs::name(program);
        let secrets = ProgramSecrets::of_others(&name, &home, variables, &[], Path::new("/"));
        hidden.extend(secrets.hidden);
    }
    // One that is installed in such a folder could not be started.
    hidden.retain(|path| !program.starts_with(path) && !real(program).starts_with(real(path)));
    hidden.sort();
    hidden.dedup();
    hidden
}

/// A program whose calls are to be confined.
pub(crate) struct Confines<'p> {
    pub(crate) program: &'p ServedProgram,
    pub(crate) environment: &'p Environment,
    /// The folder that it works in.
    pub(crate) folder: &'p Path,
    /// Only reading is offered.
    pub(crate) read_only: bool,
    /// Calls of this effect and worse are drafts, whatever was asked for.
    pub(crate) drafted: Option<Effect>,
}

impl Confines<'_> {
    /// For the commands of each network the same launcher, whose calls are confined as it was said. What does not depend
    /// on the network is looked for once.
    pub(crate) fn confine(
        &self,
        launcher: &Launcher,
        pool: Option<&Arc<ConfinedPool>>,
    ) -> HashMap<Option<Network>, Launcher> {
        let confinement = &self.program.confinement;
        let networks = Network::NAMES.map(|(_, network)| Some(network));
        let networks = networks.into_iter().chain([None]);
        let (ConfineMode::Auto, Some(pool)) = (confinement.mode, pool) else {
            return networks.map(|one| (one, launcher.clone())).collect();
        };
        let writable: Vec<PathBuf> = confinement.writable.iter().map(|path| real(path)).collect();
        let (rights, executables, caches) = (self.rights(), self.executables(), self.caches());
        // As a call that reads, but for the view of its folders that it may change: without network it can tell nobody.
        let mut of_drafts = rights.clone();
        of_drafts.network = NetworkRight::None;
        let folders = caches.iter().map(|(_, folder)| folder.clone());
        of_drafts.folders.extend(folders);
        let own_caches = || {
            let variables = caches.iter();
            let variables = variables.map(|(name, folder)| (name.into(), folder.into()));
            variables.collect::<Vec<(OsString, OsString)>>()
        };
        let of_drafts = Confinement::new(Arc::clone(pool), of_drafts).variables(own_caches());
        let drafting = Drafting::new(of_drafts, self.drafted).writable(writable.clone());
        let confined = |network: Option<Network>| {
            let mut rights = rights.clone();
            rights.network = match network {
                None | Some(Network::All) => NetworkRight::All,
                Some(Network::Tcp) => NetworkRight::Tcp,
                Some(Network::Socket) => NetworkRight::Socket,
                Some(Network::None) => NetworkRight::None,
            };
            let mut of_reads = rights.clone();
            // Without network it can neither tell anybody nor be told, and may start what it likes.
            if !matches!(network, Some(Network::None)) {
                of_reads.executable.clone_from(&executables);
            }
            let folders = caches.iter().map(|(_, folder)| folder.clone());
            of_reads.folders.extend(folders);
            let reads = Confinement::new(Arc::clone(pool), of_reads)
                .read_only(self.read_only)
                .variables(own_caches());
            let launcher = launcher.reading(reads);
            let launcher = match self.read_only {
                true => launcher,
                false => launcher.drafting(drafting.clone()),
            };
            if writable.is_empty() {
                return launcher;
            }
            rights.folders.clone_from(&writable);
            rights.metadata = true;
            launcher.writing(Confinement::new(Arc::clone(pool), rights).writable(true))
        };
        networks.map(|one| (one, confined(one))).collect()
    }

    /// The files that calls which read may execute: the program, the helpers that are known, and what runs their scripts;
    /// none where nothing is known of helpers.
    fn executables(&self) -> Vec<PathBuf> {
        let helpers = &self.program.known.helpers;
        if helpers.is_empty() {
            return Vec::new();
        }
        let mut path = self.environment.iter().filter(|(name, _)| *name == "PATH");
        let path = path
            .next()
            .map(|(_, path)| path.to_owned())
            .unwrap_or_default();
        let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
        let named = |name: &str| -> Vec<PathBuf> {
            folders.iter().map(|folder| folder.join(name)).collect()
        };
        let mut files = vec![self.program.path.clone()];
        files.extend(helpers.iter().flat_map(|helper| named(helper)));
        let mut found: Vec<PathBuf> = Vec::new();
        while let Some(file) = files.pop() {
            let Ok(file) = file.canonicalize() else {
                continue;
            };
            if found.contains(&file) {
                continue;
            }
            // `#!/usr/bin/env python3` is two programs.
            for word in interpreter(&file) {
                match word.starts_with('/') {
                    true => files.push(word.into()),
                    false => files.extend(named(&word)),
                }
            }
            found.push(file);
        }
        found.sort();
        found
    }

    /// The variables of caches, each with the folder of ours that stands for the user's own while the program reads.
    fn caches(&self) -> Vec<(String, PathBuf)> {
        let variables = &self.program.known.caches;
        let Some(cache) = read::cache().filter(|_| !variables.is_empty()) else {
            return Vec::new();
        };
        let own = cache.folder().join("caches").join(self.program.name());
        let folders = variables.iter().filter_map(|name| {
            let folder = own.join(name);
            std::fs::create_dir_all(&folder).ok()?;
            Some((name.clone(), real(&folder)))
        });
        folders.collect()
    }

    fn rights(&self) -> Rights {
        let own_home = self.environment.iter().find(|(name, _)| *name == "HOME");
        let home = own_home.map_or_else(home, |(_, home)| PathBuf::from(home));
        let mut homes = vec![home];
        homes.extend(listed_home().filter(|listed| !homes.contains(listed)));
        let mut rights = Rights::default();
        let credentials = self.program.confinement.all_credentials();
        for home in homes {
            let secrets = ProgramSecrets::of_others(
                &self.program.name(),
                &home,
                self.environment.iter(),
                &credentials,
                self.folder,
            );
            rights.hidden.extend(secrets.hidden);
            rights.shown.extend(secrets.shown);
        }
        // By any of its names: what is given may be behind a link, and so may the home folder.
        for given in &credentials {
            let Ok(given) = given.canonicalize() else {
                continue;
            };
            rights.hidden.retain(|path| !real(path).starts_with(&given));
            if rights
                .hidden
                .iter()
                .any(|path| given.starts_with(real(path)))
            {
                rights.shown.push(given);
            }
        }
        // One that is installed in a hidden folder could not be started.
        let program = real(&self.program.path);
        if rights
            .hidden
            .iter()
            .any(|path| program.starts_with(real(path)))
        {
            rights.shown.push(program);
        }
        for paths in [&mut rights.hidden, &mut rights.shown] {
            paths.sort();
            paths.dedup();
        }
        rights
    }
}

/// The home folder that the system lists for this user, which some programs go by.
#[cfg(unix)]
fn listed_home() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    let users = std::fs::read_to_string("/etc/passwd").ok()?;
    let mut users = users
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let own = users.find(|fields| fields.get(2) == Some(&user.as_str()))?;
    own.get(5).map(PathBuf::from)
}

#[cfg(not(unix))]
fn listed_home() -> Option<PathBuf> {
    None
}

/// The path without links, if it is there.
/// The words behind `#!` in a script's first line that name what runs it.
fn interpreter(file: &Path) -> Vec<String> {
    let mut first = [0; 256];
    let read = std::fs::File::open(file).and_then(|mut file| file.read(&mut first));
    let first = &first[..read.unwrap_or(0)];
    let Some(line) = first.strip_prefix(b"#!") else {
        return Vec::new();
    };
    let line = line.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    let words = line
        .split_whitespace()
        .filter(|word| !word.starts_with('-'));
    words.take(2).map(str::to_owned).collect()
}

fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_that_works_says_it_once_and_where_it_is_read() {
        let changed = |line: &str| by_names(line.split(' ').map(str::to_owned)).join(" ");
        let works = "serve git --read-only --confine names";
        for line in [
            "serve git --read-only",
            "serve git --confine auto --read-only",
            "serve git --confine=auto --read-only",
        ] {
            assert_eq!(changed(line), works, "{line}");
        }
        assert_eq!(
            changed("serve --read-only -- git"),
            "serve --read-only --confine names -- git"
        );
    }
}
