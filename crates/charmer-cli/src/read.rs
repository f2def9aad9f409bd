//! Programs read into the model: what was kept from the last time, or else a walk through their help.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    ffi::OsString,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

use charmer_config::yaml_as_json;
use charmer_core::model::{CommandPath, Document};
use charmer_discover::{
    DiscoverError, DiscoverOptions, Discoverer, Discovery, Footing, Provenance, Surroundings,
    Unlisted, WantedPart,
    cache::Cache,
    document_files,
    probe::{ProbeOptions, ProbeStop},
};
use charmer_sandbox::SandboxCommand;
use tokio::task::JoinSet;

use crate::{
    identity::{Introduction, keep_introduction},
    output,
    problem::Problem,
    profiles::{self, LoadedProfile},
    programs, progress, rights,
    settings::ServedProgram,
    user_folders,
};

/// The hidden subcommand that gives its own rights away and then starts the programs that are read.
pub(crate) const SANDBOX: &str = "__sandbox";

/// The number of times that a program that could not be read whole is asked again by commands that end; a server goes
/// on with one try a start. What never answers would make every start a long one.
pub(crate) const TRIES: u32 = 3;

/// Ends the programs that are being read, whoever reads them.
static STOP: LazyLock<ProbeStop> = LazyLock::new(ProbeStop::default);
/// The parts of programs that somebody wants, by their paths.
static WANTED: LazyLock<Mutex<HashMap<PathBuf, BTreeSet<WantedPart>>>> =
    LazyLock::new(Mutex::default);
/// The warnings that were told.
static SAID: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);

/// Ends the programs that are being read, and removes what they wrote. Nothing can be read afterwards.
pub(crate) async fn end() {
    STOP.end().await;
}

/// Notes which parts of a program are wanted, in case that it is too large to be read whole: those that globs name.
pub(crate) fn want<'g>(program: &Path, globs: impl IntoIterator<Item = &'g str>) {
    let name = programs::name(program);
    let globs = globs.into_iter();
    let parts = globs.filter_map(|glob| WantedPart::named(glob, &name));
    let mut wanted = WANTED.lock().unwrap_or_else(PoisonError::into_inner);
    wanted.entry(program.into()).or_default().extend(parts);
}

/// The parts of a program that are wanted.
fn wanted(program: &Path) -> Vec<WantedPart> {
    let wanted = WANTED.lock().unwrap_or_else(PoisonError::into_inner);
    let parts = wanted.get(program).into_iter().flatten();
    parts.cloned().collect()
}

/// Warns once: several programs are read in sandboxes alike, and each of them more than once.
fn say_once(sentence: &str) {
    let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    if said.insert(sentence.to_owned()) {
        output::warn(sentence);
    }
}

/// Returns true if this was warned of before.
pub(crate) fn was_said(sentence: &str) -> bool {
    let said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
    said.contains(sentence)
}

/// One reading of a program.
#[derive(Debug, Clone)]
pub(crate) struct Attempt {
    /// The program's footing when it began.
    footing: Footing,
    /// The number of readings before that were not complete.
    tries: u32,
}

/// The way the reading of a program begins.
pub(crate) enum Start {
    /// Everything is known from the last time.
    Known(PathBuf, Box<Discovery>),
    /// It has to be asked. What is found belongs to what it was before.
    Walk(PathBuf, Discoverer, Box<Attempt>),
}

impl Start {
    /// Looks up what is known of a program, without starting it; `refresh` passes that by. One that could not be read whole
    /// is asked again.
    pub(crate) fn new(program: &Path, refresh: bool) -> Self {
        match Self::with_what_is_known(program, refresh) {
            Self::Known(program, found) if !found.complete && found.tries < TRIES => {
                Self::again(&program, found.tries)
            }
            start => start,
        }
    }

    /// The same for whoever asks again later.
    pub(crate) fn with_what_is_known(program: &Path, refresh: bool) -> Self {
        let cache = cache();
        if refresh {
            let footing = cache_or_none().footing(program);
            if let Some(journal) = cache.and_then(|cache| cache.journal(program, &footing)) {
                journal.remove();
            }
            return Self::walk(program);
        }
        match cache.and_then(|cache| cache.load(program)) {
            Some(found) if found.covers(&wanted(program)) => {
                Self::Known(program.into(), Box::new(found))
            }
            _ => Self::walk(program),
        }
    }

    /// The reading of a program, whatever is known of it. One that was cut short before goes on.
    pub(crate) fn walk(program: &Path) -> Self {
        Self::nth(program, 0)
    }

    /// Another reading of a program that could not be read whole, behind so many others: it is asked for what is missing,
    /// and waited for longer.
    pub(crate) fn again(program: &Path, tries: u32) -> Self {
        Self::nth(program, tries + 1)
    }

    fn nth(program: &Path, tries: u32) -> Self {
        let mut options = options(program);
        options.unlisted = unlisted(program);
        options.wanted = wanted_and_kept(program);
        options.probe.timeout *= 1 << tries.min(2);
        // Before anything is asked: what changes while it is read shows at the next look.
        let footing = cache_or_none().footing(program);
        options.journal = cache().and_then(|cache| cache.journal(program, &footing));
        let walk = Discoverer::new(program, options);
        Self::Walk(program.into(), walk, Box::new(Attempt { footing, tries }))
    }

    /// The program's footing when it was read.
    pub(crate) fn footing(&self) -> Footing {
        match self {
            Self::Known(program, _) => {
                let kept = cache().and_then(|cache| cache.kept_footing(program));
                kept.unwrap_or_else(|| cache_or_none().footing(program))
            }
            Self::Walk(program, _, attempt) => {
                // What was kept of the same has the content of its files, too.
                let kept = cache().and_then(|cache| cache.kept_footing(program));
                let kept = kept.filter(|kept| kept.is_of_the_same(&attempt.footing));
                kept.unwrap_or_else(|| attempt.footing.clone())
            }
        }
    }

    /// The progress of the reading, in words.
    pub(crate) fn progress_words(&self) -> String {
        let (Self::Known(program, _) | Self::Walk(program, ..)) = self;
        let name = programs::name(program);
        match self.progress() {
            (0, _) => name,
            (1, _) => format!("{name}: 1 command"),
            (read, _) => format!("{name}: {read} commands"),
        }
    }

    /// Returns true if a program that is known from the last time is still what it was; one that does not answer is.
    pub(crate) async fn still_holds(&self) -> bool {
        let Self::Known(program, found) = self else {
            return true;
        };
        let asked = Discoverer::new(program, options(program));
        let now = asked.identify(found.said.is_some()).await;
        now.map_or(true, |identity| identity == found.identity)
    }

    /// Says that the program is not what it was when it was read.
    pub(crate) fn has_changed(&self) -> String {
        let (Self::Known(program, _) | Self::Walk(program, ..)) = self;
        changed(program)
    }

    /// The result that is known before anything is started.
    pub(crate) fn known(&self) -> Option<&Discovery> {
        match self {
            Self::Known(_, found) => Some(found),
            Self::Walk(..) => None,
        }
    }

    /// The same, kept by whoever asks.
    pub(crate) fn into_known(self) -> Option<Discovery> {
        match self {
            Self::Known(_, found) => Some(*found),
            Self::Walk(..) => None,
        }
    }

    /// Gives away what tools are made from. What is left tells whether the program is still what it was.
    pub(crate) fn give_away(&mut self) -> Option<Discovery> {
        let Self::Known(_, found) = self else {
            return None;
        };
        let root = std::mem::take(&mut found.cli.root);
        let assessment = std::mem::take(&mut found.assessment);
        let mut given = Discovery::clone(found);
        given.cli.root = root;
        given.assessment = assessment;
        Some(given)
    }

    /// Waits until it is known what the program tells of itself.
    pub(crate) async fn introduction(&self) -> Introduction {
        match self {
            Self::Known(_, found) => Introduction::of(found),
            Self::Walk(_, walk, _) => Introduction::new(walk.version().await, walk.said()),
        }
    }

    /// The result by now.
    pub(crate) fn so_far(&self) -> Option<Discovery> {
        match self {
            Self::Known(_, found) => Some((**found).clone()),
            Self::Walk(_, walk, _) => walk.so_far(),
        }
    }

    /// The number of commands that have been read, and how many are known of.
    pub(crate) fn progress(&self) -> (usize, usize) {
        match self {
            Self::Known(..) => (0, 0),
            Self::Walk(_, walk, _) => walk.progress(),
        }
    }

    /// The number of questions that the program was asked.
    pub(crate) fn asked(&self) -> usize {
        match self {
            Self::Known(..) => 0,
            Self::Walk(_, walk, _) => walk.asked(),
        }
    }

    /// Reads the program to the end.
    pub(crate) fn finish(&self) -> impl Future<Output = Result<Discovery, Problem>> + Send + use<> {
        let step = match self {
            Self::Known(_, found) => Ok((**found).clone()),
            Self::Walk(program, walk, attempt) => {
                Err((program.clone(), walk.clone(), (**attempt).clone()))
            }
        };
        async move {
            match step {
                Ok(found) => Ok(found),
                Err((program, walk, attempt)) => {
                    let mut found = walk.run().await.map_err(|error| unreadable(&error))?;
                    found.tries = attempt.tries;
                    Ok(keep(program, attempt.footing, found).await)
                }
            }
        }
    }
}

/// Says that a program is not what it was when it was read.
pub(crate) fn changed(program: &Path) -> String {
    let name = programs::name(program);
    format!("{name} has changed since it was read; it is read again")
}

/// Keeps what was found for the next time, be it incomplete. If that fails the program is read again then; nothing else is
/// lost.
async fn keep(program: PathBuf, footing: Footing, found: Discovery) -> Discovery {
    // Of a reading that was stopped the answers are kept, which the next one begins with.
    let Some(cache) = cache().filter(|_| found.complete || !STOP.is_ordered()) else {
        return found;
    };
    let found = Arc::new(found);
    let kept = Arc::clone(&found);
    let store = move || {
        keep_introduction(&cache, &program, &Introduction::of(&kept));
        cache.store(&program, footing, &kept)
    };
    let stored = tokio::task::spawn_blocking(store).await;
    let mut found = Arc::unwrap_or_clone(found);
    match stored {
        // Whoever wants to know where everything was seen finds it there.
        Ok(Ok(())) => found.provenance = Provenance::default(),
        Ok(Err(error)) => output::note(&format!("what was found could not be kept: {error}")),
        Err(_) => {}
    }
    found
}

/// Fills in the source of everything about a program, as far as that was kept.
pub(crate) fn provenance(program: &Path, found: &mut Discovery) {
    if found.provenance.is_empty()
        && let Some(provenance) = cache().and_then(|cache| cache.provenance(program))
    {
        found.provenance = provenance;
    }
}

/// The folder for what can be found out again: `CHARMER_CACHE`, or the user's own. There may be none.
pub(crate) fn cache() -> Option<Cache> {
    cache_of(|name| std::env::var_os(name))
}

/// The same; where there is no folder, one that keeps nothing and still knows programs by their files.
pub(crate) fn cache_or_none() -> Cache {
    let around = || Surroundings::of(|name| std::env::var_os(name));
    cache().unwrap_or_else(|| Cache::new("").around(around()))
}

/// The same for a process with other variables.
pub(crate) fn cache_of(variable: impl Fn(&str) -> Option<OsString>) -> Option<Cache> {
    let folder = user_folders::cache(&variable)?;
    Some(Cache::new(folder).around(Surroundings::of(variable)))
}

fn options(path: &Path) -> DiscoverOptions {
    let mut options = DiscoverOptions::default();
    let mut probe = ProbeOptions::default();
    let program = std::env::current_exe().ok();
    probe.sandbox = program.map(|program| SandboxCommand {
        program,
        args: vec![SANDBOX.into()],
    });
    probe.hidden = rights::hidden_while_read(path);
    probe.on_shortcoming = Some(say_once);
    probe.stop = STOP.clone();
    options.probe = probe;
    options.document = document(path);
    options
}

/// The document in `NAME.charmer.yaml` beside a program. A file of somebody who could not have changed the program does
/// not speak for it.
fn document(program: &Path) -> Option<(PathBuf, Document)> {
    let files = document_files(program).into_iter();
    let file = files.into_iter().find(|file| file.exists())?;
    match read_document(program, &file) {
        Ok(document) => Some((file, document)),
        Err(reason) => {
            say_once(&format!("{} is not used: {reason}", file.display()));
            None
        }
    }
}

fn read_document(program: &Path, file: &Path) -> Result<Document, String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let look = |path: &Path| path.metadata().map_err(|error| error.to_string());
        let (of_program, of_file) = (look(program)?, look(file)?);
        if of_file.uid() != 0 && of_file.uid() != of_program.uid() {
            return Err("it belongs neither to the owner of the program nor to root".to_owned());
        }
        if of_file.mode() & 0o022 != 0 {
            return Err("others may write to it; `chmod go-w` takes that right away".to_owned());
        }
    }
    let is_file = file.metadata().is_ok_and(|meta| meta.is_file());
    if !is_file {
        return Err("it is no ordinary file".to_owned());
    }
    let text = std::fs::read_to_string(file).map_err(|error| error.to_string())?;
    let said = yaml_as_json(&text)?;
    Document::from_json(said).map_err(|error| error.to_string())
}

/// The parts that are wanted and, of a program that is read in parts, those that were read before: what another server
/// was asked for stays known.
fn wanted_and_kept(program: &Path) -> Vec<WantedPart> {
    let kept = cache().and_then(|cache| cache.last_known(program)?.parts);
    let parts = kept.into_iter().flatten().chain(wanted(program));
    parts.collect::<BTreeSet<_>>().into_iter().collect()
}

/// The options that the profiles of a program say that it takes and does not list.
fn unlisted(program: &Path) -> Unlisted {
    // One that cannot be read is told where the program is served.
    let profiles = profiles::of(&programs::name(program)).unwrap_or_default();
    let mut unlisted = Unlisted::default();
    for LoadedProfile { profile, .. } in profiles {
        let lists = profile.unlisted.into_iter();
        unlisted
            .options
            .extend(lists.map(|list| (list.shown_by, list.options)));
        let commands = profile.unasked.iter();
        unlisted
            .unasked
            .extend(commands.map(|one| CommandPath::parse(one)));
    }
    unlisted
}

fn unreadable(error: &DiscoverError) -> Problem {
    let problem = Problem::failed(error.to_string());
    match error {
        DiscoverError::NotStarted { .. } => {
            problem.hint("try to run it yourself; if it works there, tell us how it is started")
        }
        DiscoverError::NoHelp { program, .. } => problem.hint(format!(
            "see what `{} --help` prints; a program without help cannot be read",
            program.display()
        )),
        _ => problem,
    }
}

/// Reads programs, all at once, with a progress bar for whoever watches.
pub(crate) async fn read(
    programs: &[ServedProgram],
    refresh: bool,
) -> Result<Vec<Discovery>, Problem> {
    let starts: Vec<(String, Start)> = programs
        .iter()
        .map(|program| (program.name(), Start::new(&program.path, refresh)))
        .collect();
    let work = async {
        let mut walks = JoinSet::new();
        for (at, (_, start)) in starts.iter().enumerate() {
            let finish = start.finish();
            walks.spawn(async move { (at, finish.await) });
        }
        let mut found: Vec<Option<Discovery>> = vec![None; starts.len()];
        while let Some(done) = walks.join_next().await {
            let (at, discovery) =
                done.map_err(|_| Problem::failed("reading a program went wrong: this is a bug"))?;
            found[at] = Some(discovery?);
        }
        Ok(found.into_iter().flatten().collect())
    };
    tokio::select! {
        found = work => found,
        () = progress::show(&starts) => unreachable!("the progress bar is shown until the work is done"),
    }
}
