//! The front door: a program in, its model out, with where each part was seen.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, OnceLock},
    time::{Duration, Instant},
};

use charmer_core::{
    assessment::Assessment,
    model::{Cli, CommandPath, DOCUMENT_COMMAND, Document},
};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;
use tokio::sync::Notify;

use crate::{
    Journal, Provenance, Said,
    binary::Binary,
    build::build,
    busy::busy,
    document,
    family::{Family, ManualPage, Signs, Sketches, families, printed},
    help::{further_help, heads_commands, says_usage, usage_statements},
    manual, plugins,
    probe::{ProbeAnswer, ProbeError, ProbeOptions, Prober},
    walk::{Found, Walk, WalkBounds},
    wanted::WantedPart,
};

/// The way a program is read.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct DiscoverOptions {
    /// The way it is run.
    pub probe: ProbeOptions,
    /// The number of commands that are read at most.
    pub commands: usize,
    /// The depth to which commands may be nested.
    pub depth: usize,
    /// The number of flags of a command that are read at most; 2,000 by default.
    pub flags: usize,
    /// The time after which a program that has shown no help is not asked in other ways; 8 s by default. Some wait on
    /// purpose before they show none, each time.
    pub without_help: Duration,
    /// The journal that keeps answers until the program has been read to the end, and in which an earlier reading that
    /// was cut short has left its own.
    pub journal: Option<Journal>,
    /// The knowledge of the program that it does not give itself.
    pub unlisted: Unlisted,
    /// The parts that are read of a program that is too large to be read whole.
    pub wanted: Vec<WantedPart>,
    /// A file's document on the program, which counts where the program says nothing of itself.
    pub document: Option<(PathBuf, Document)>,
}

/// Options that a program takes and does not list, as somebody has written them down who knows it.
#[derive(Debug, Clone, Default)]
pub struct Unlisted {
    /// Lists of options: the texts of which one stands in the help of a command that takes them (those that `&` joins must
    /// all stand there), and the options, a line for each, as help would have them.
    pub options: Vec<(Vec<String>, Vec<String>)>,
    /// Commands that are not asked for their help, because they would take the question for something else.
    pub unasked: Vec<CommandPath>,
}

impl Default for DiscoverOptions {
    fn default() -> Self {
        Self {
            probe: ProbeOptions::default(),
            commands: 20_000,
            depth: 10,
            flags: 2_000,
            without_help: Duration::from_secs(8),
            journal: None,
            unlisted: Unlisted::default(),
            wanted: Vec::new(),
            document: None,
        }
    }
}

/// Something that is worth knowing but stops nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DiscoveryWarning {
    /// The command that it is about.
    pub path: CommandPath,
    /// Its kind.
    pub message: String,
    /// Set where it says that something of the program is missing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gap: Option<Gap>,
}

/// The prospects of a part of a program that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Gap {
    /// It may be there when the program is asked again: it did not answer in time, broke down, or could not be started.
    Passing,
    /// The program does not show it; asking again would show no more.
    Lasting,
}

impl DiscoveryWarning {
    /// A warning about a command.
    pub fn new(path: CommandPath, message: impl Into<String>) -> Self {
        Self {
            path,
            message: message.into(),
            gap: None,
        }
    }

    /// The same, about something that is missing.
    pub(crate) fn gap(mut self, gap: Gap) -> Self {
        self.gap = Some(gap);
        self
    }
}

/// The result of reading a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Discovery {
    /// The program.
    pub cli: Cli,
    /// The family that it was read as.
    pub family: String,
    /// The source of each field.
    #[serde(default, skip_serializing_if = "Provenance::is_empty")]
    pub provenance: Provenance,
    /// The assessment of its commands and flags.
    pub assessment: Assessment,
    /// Warnings for people.
    pub warnings: Vec<DiscoveryWarning>,
    /// The program's own words on itself beyond its commands, where it has any in a document.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
    /// The program's answer to the first look, in short: another answer means another program, another version, or
    /// other plugins.
    pub identity: String,
    /// The number of times that the program was started for it.
    pub spawned: usize,
    /// Asking again would show no more; not so while it is being read, and where a command did not answer in
    /// time or reading it went wrong. See [`gaps`](Self::gaps).
    pub complete: bool,
    /// The parts that were asked for, where a program is too large to be read whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<WantedPart>>,
    /// The number of readings before this one that were not complete either.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tries: u32,
}

impl Discovery {
    /// The result where only the model is known: nothing about where it comes from.
    pub fn of(cli: Cli) -> Self {
        Self {
            assessment: Assessment::of(&cli),
            cli,
            family: String::new(),
            provenance: Provenance::default(),
            warnings: Vec::new(),
            said: None,
            identity: String::new(),
            spawned: 0,
            complete: true,
            parts: None,
            tries: 0,
        }
    }

    /// Returns true if these parts need not be asked for: the program was read whole, or they are among what was read.
    pub fn covers(&self, wanted: &[WantedPart]) -> bool {
        let read = self.parts.as_ref();
        read.is_none_or(|read| wanted.iter().all(|part| read.contains(part)))
    }

    /// The gaps in the reading of the program, and the reasons.
    pub fn gaps(&self) -> impl Iterator<Item = &DiscoveryWarning> {
        self.warnings.iter().filter(|warning| warning.gap.is_some())
    }

    /// The same without its provenance, to be written. It is not copied: that of a large program is many megabytes.
    pub(crate) fn without_provenance(&self) -> impl Serialize {
        #[derive(Serialize)]
        struct Unsourced<'a> {
            cli: &'a Cli,
            family: &'a str,
            assessment: &'a Assessment,
            warnings: &'a [DiscoveryWarning],
            #[serde(skip_serializing_if = "Option::is_none")]
            said: Option<&'a Said>,
            identity: &'a str,
            spawned: usize,
            complete: bool,
            #[serde(skip_serializing_if = "Option::is_none")]
            parts: Option<&'a [WantedPart]>,
            tries: u32,
        }
        let Self {
            cli,
            family,
            provenance: _,
            assessment,
            warnings,
            said,
            identity,
            spawned,
            complete,
            parts,
            tries,
        } = self;
        Unsourced {
            cli,
            family,
            assessment,
            warnings,
            said: said.as_ref(),
            identity,
            spawned: *spawned,
            complete: *complete,
            parts: parts.as_deref(),
            tries: *tries,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// The reason why a program could not be read at all.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum DiscoverError {
    /// It could not be run safely.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// It does not start.
    #[error("`{program}` could not be started: {reason}")]
    NotStarted {
        /// The program.
        program: PathBuf,
        /// The system's reason.
        reason: String,
    },
    /// It shows nothing that could be read as help.
    #[error("`{program}` shows no help that could be read: {detail}")]
    NoHelp {
        /// The program.
        program: PathBuf,
        /// The program's reaction instead.
        detail: String,
    },
}

/// Reads a program.
pub async fn discover(
    program: &Path,
    options: &DiscoverOptions,
) -> Result<Discovery, DiscoverError> {
    Discoverer::new(program, options.clone()).run().await
}

/// A program that is being read. Clones share the work, so that one can be asked how far it is.
#[derive(Clone)]
pub struct Discoverer(Arc<DiscovererParts>);

struct DiscovererParts {
    program: PathBuf,
    options: DiscoverOptions,
    found: Arc<Mutex<Found>>,
    walk: OnceLock<Arc<Walk>>,
    identity: OnceLock<(String, Option<String>)>,
    /// The program's own words on itself in a document, before the identity is known.
    said: OnceLock<Said>,
    /// Tells those who wait for the identity.
    identified: Notify,
}

impl std::fmt::Debug for Discoverer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Discoverer").field(&self.0.program).finish()
    }
}

impl Discoverer {
    /// Prepares to read a program at an absolute path; nothing is run yet.
    pub fn new(program: &Path, options: DiscoverOptions) -> Self {
        Self(Arc::new(DiscovererParts {
            program: program.into(),
            options,
            found: Arc::default(),
            walk: OnceLock::new(),
            identity: OnceLock::new(),
            said: OnceLock::new(),
            identified: Notify::new(),
        }))
    }

    /// The program's present answer to the first look, to be compared with [`Discovery::identity`]. One that had a
    /// document when it was read is asked for that first; of any other the files say whether it has one now.
    pub async fn identify(&self, had_document: bool) -> Result<String, DiscoverError> {
        let prober = self.prober()?;
        if had_document && let DocumentAsked::Document(found) = self.ask(&prober, None).await {
            return Ok(found.identity);
        }
        let (prober, help) = self.look(prober).await?;
        if had_document && let DocumentAsked::Document(found) = self.ask(&prober, Some(&help)).await
        {
            return Ok(found.identity);
        }
        let version = version(&prober).await;
        Ok(identity(&prober, printed(&help), version.as_deref()))
    }

    fn prober(&self) -> Result<Prober, ProbeError> {
        Prober::new(self.0.program.clone(), self.0.options.probe.clone())
    }

    /// Reads the program.
    pub async fn run(&self) -> Result<Discovery, DiscoverError> {
        let inner = &*self.0;
        let prober = self.prober()?;
        let asked = self.ask(&prober, None).await;
        if let DocumentAsked::Document(found) = asked {
            return Ok(self.stated(*found, &prober));
        }
        let looked = self.look(prober).await;
        let (prober, help) = match (looked, &asked) {
            (
                Err(DiscoverError::NoHelp { program, detail }),
                DocumentAsked::Unreadable(warning),
            ) => {
                let detail = format!("{detail}, and {}", warning.message);
                return Err(DiscoverError::NoHelp { program, detail });
            }
            (looked, _) => looked?,
        };
        let binary = Binary::new(&inner.program);
        let signs = Signs {
            help: &help,
            binary: &binary,
        };
        // Three answers that do not need each other: one processor would be idle meanwhile. The program is started before
        // its file is searched, which takes as long as a start where it is large.
        let document = async {
            match asked {
                DocumentAsked::Nothing => self.ask(&prober, Some(&help)).await,
                asked => asked,
            }
        };
        let family = async {
            let chosen = busy(usize::MAX, || choose(&signs));
            // What complains and shows no usage of its own is no help.
            let chosen = chosen.filter(|_| !complains(&signs) || by_manual(&binary).is_none());
            chosen.or_else(|| by_manual(&binary))
        };
        let (version, asked, family) = tokio::join!(version(&prober), document, family);
        if let DocumentAsked::Document(found) = asked {
            return Ok(self.stated(*found, &prober));
        }
        if let DocumentAsked::Unreadable(warning) = asked {
            self.found().warnings.push(warning);
        }
        let Some(family) = family else {
            return Err(no_help(&inner.program, &help));
        };
        let identity = identity(&prober, printed(&help), version.as_deref());
        let journal = inner.options.journal.as_ref();
        if let Some(answers) = journal.and_then(|journal| journal.open(&identity)) {
            prober.answer_from(answers);
        }
        let _ = inner.identity.set((identity, version));
        inner.identified.notify_waiters();
        let walk = Arc::new(Walk {
            prober,
            binary,
            family,
            bounds: WalkBounds {
                commands: inner.options.commands,
                depth: inner.options.depth,
                flags: inner.options.flags,
            },
            unlisted: inner.options.unlisted.clone(),
            wanted: inner.options.wanted.clone(),
            found: Arc::clone(&inner.found),
        });
        let walk = inner.walk.get_or_init(|| walk);
        walk.run(help.clone()).await;
        let around = inner.options.probe.surroundings();
        plugins::read(walk, &around).await;
        let passing = |warning: &DiscoveryWarning| warning.gap == Some(Gap::Passing);
        let complete = !self.found().warnings.iter().any(passing);
        // The model takes their place.
        let commands = self.found().take_commands();
        let whole = self
            .model(commands, complete)
            .ok_or_else(|| no_help(&inner.program, &help));
        self.found().order = BTreeMap::new();
        whole
    }

    /// Asks a program that may have one for its document: before anything else where its file has the word for it, and
    /// with its help in hand where a script's package may have it. Where there is none, a file may say the same.
    async fn ask(&self, prober: &Prober, help: Option<&ProbeAnswer>) -> DocumentAsked {
        let binary = Binary::new(&self.0.program);
        let has_the_word = || binary.contains([DOCUMENT_COMMAND]) == [true];
        let may_have_one = match help {
            None => has_the_word(),
            // A help text that lists commands is of a program that refuses a word which is none of them.
            Some(help) => {
                binary.is_script() && printed(help).lines().any(heads_commands) && !has_the_word()
            }
        };
        let asked = match may_have_one {
            true => document::ask(prober).await,
            false => None,
        };
        match (asked, &self.0.options.document) {
            (Some((answer, Ok(document))), _) => {
                let identity = identity(prober, &answer.stdout, None);
                DocumentAsked::Document(Box::new(FoundDocument {
                    document,
                    file: None,
                    identity,
                }))
            }
            (Some((_, Err(reason))), _) => {
                let message = format!(
                    "what it says of itself (`{DOCUMENT_COMMAND}`) cannot be read, so its help is read: {reason}"
                );
                DocumentAsked::Unreadable(DiscoveryWarning::new(CommandPath::root(), message))
            }
            (None, Some((file, document))) if help.is_none() => {
                let version = version(prober).await;
                let text = document.to_json().to_string();
                let identity = identity(prober, &text, version.as_deref());
                let mut document = document.clone();
                document.cli.version = document.cli.version.or(version);
                DocumentAsked::Document(Box::new(FoundDocument {
                    document,
                    file: Some(file.clone()),
                    identity,
                }))
            }
            (None, _) => DocumentAsked::Nothing,
        }
    }

    /// The result that a document makes of the program.
    fn stated(&self, found: FoundDocument, prober: &Prober) -> Discovery {
        let identity = found.identity;
        let stated = document::take(found.document, found.file);
        let known = (identity.clone(), stated.cli.version.clone());
        let _ = self.0.said.set(stated.said.clone());
        let _ = self.0.identity.set(known);
        self.0.identified.notify_waiters();
        let shortcomings = prober.shortcomings().into_iter();
        let mut warnings: Vec<DiscoveryWarning> = shortcomings
            .map(|message| DiscoveryWarning::new(CommandPath::root(), message))
            .collect();
        warnings.extend(stated.warnings);
        Discovery {
            cli: stated.cli,
            family: stated.family,
            provenance: stated.provenance,
            assessment: stated.assessment,
            warnings,
            said: Some(stated.said),
            identity,
            spawned: prober.spawned(),
            complete: true,
            parts: None,
            tries: 0,
        }
    }

    /// The first look at the program: a way to run it, and its help.
    async fn look(&self, prober: Prober) -> Result<(Prober, ProbeAnswer), DiscoverError> {
        let inner = &*self.0;
        let begun = Instant::now();
        let over = || begun.elapsed() >= inner.options.without_help;
        let help = first_look(&prober, over).await;
        if looks_like_help(&help) {
            let help = self.further(&prober, help).await;
            return Ok((prober, help));
        }
        // A version manager's stand-in may need what is in the user's home. It does not hang without.
        if !help.timed_out
            && !over()
            && let Some(at_home) = prober.with_real_home()
        {
            let again = first_look(&at_home, over).await;
            if looks_like_help(&again) {
                return Ok((at_home, again));
            }
        }
        // A usage line is the least that can be read, where nothing says more, but for a manual page.
        let paged = || help.started && by_manual(&Binary::new(&inner.program)).is_some();
        if printed(&help).lines().any(says_usage) || paged() {
            return Ok((prober, help));
        }
        Err(no_help(&inner.program, &help))
    }

    /// The help that a page names, where it says nothing else that could be read.
    async fn further(&self, prober: &Prober, help: ProbeAnswer) -> ProbeAnswer {
        let requests = further_help(printed(&help));
        let Some(request) = requests.first() else {
            return help;
        };
        let binary = Binary::new(&self.0.program);
        let signs = Signs {
            help: &help,
            binary: &binary,
        };
        if choose(&signs).is_some() {
            return help;
        }
        let more = prober.run(request).await;
        if looks_like_help(&more) { more } else { help }
    }

    /// The number of commands that have been read, and how many are known of.
    pub fn progress(&self) -> (usize, usize) {
        let found = self.found();
        (found.read, found.known)
    }

    /// The number of questions that the program was asked so far, since its family is known.
    pub fn asked(&self) -> usize {
        let walk = self.0.walk.get();
        walk.map_or(0, |walk| walk.prober.spawned())
    }

    /// Waits until the program has been asked for its version, which is one of the first things that [`run`](Self::run)
    /// does, and gives its answer.
    pub async fn version(&self) -> Option<String> {
        loop {
            // Registered before the look, so that nothing is missed in between.
            let known = self.0.identified.notified();
            if let Some((_, version)) = self.0.identity.get() {
                return version.clone();
            }
            known.await;
        }
    }

    /// The program's own words on itself beyond its commands, known as soon as its version is.
    pub fn said(&self) -> Option<&Said> {
        self.0.said.get()
    }

    /// The result by now, if there is any. While the last questions are asked there is none, and afterwards the whole
    /// is what [`run`](Self::run) gives.
    pub fn so_far(&self) -> Option<Discovery> {
        let commands = self.found().commands.clone();
        self.model(commands, false)
    }

    fn found(&self) -> std::sync::MutexGuard<'_, Found> {
        self.0
            .found
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// The result that these commands make, if the program's root is among them.
    fn model(&self, commands: Sketches, complete: bool) -> Option<Discovery> {
        let walk = self.0.walk.get()?;
        if !commands.contains_key(&CommandPath::root()) {
            return None;
        }
        let found = self.found();
        let home = walk.prober.home().to_string_lossy();
        let (identity, version) = self.0.identity.get().cloned().unwrap_or_default();
        let (cli, provenance, assessment) = busy(usize::MAX, || {
            let (name, syntax) = (walk.binary.name(), walk.family.syntax());
            let most = walk.bounds.flags;
            let (mut cli, provenance) = build(commands, &found.order, &name, syntax, &home, most);
            cli.version = version;
            let assessment = Assessment::of(&cli);
            (cli, provenance, assessment)
        });
        let shortcomings = walk.prober.shortcomings().into_iter();
        let mut warnings: Vec<DiscoveryWarning> = shortcomings
            .map(|message| DiscoveryWarning::new(CommandPath::root(), message))
            .collect();
        warnings.extend(found.warnings.iter().cloned());
        Some(Discovery {
            assessment,
            cli,
            family: walk.family.name().to_owned(),
            provenance,
            warnings,
            said: None,
            identity,
            spawned: walk.prober.spawned(),
            complete,
            parts: found.unread_of.map(|_| walk.wanted.clone()),
            tries: 0,
        })
    }
}

/// The outcome of asking a program for its document.
enum DocumentAsked {
    /// It has one.
    Document(Box<FoundDocument>),
    /// It has one that cannot be read.
    Unreadable(DiscoveryWarning),
    /// It has none, or was not asked.
    Nothing,
}

/// A document, where it was found, and the identity that its program has by it.
struct FoundDocument {
    document: Document,
    /// `None` where the program printed it.
    file: Option<PathBuf>,
    identity: String,
}

/// The program's own name for its version: the first line that it prints, if there is a number in it.
async fn version(prober: &Prober) -> Option<String> {
    let answer = prober.run(&["--version"]).await;
    version_line(printed(&answer)).filter(|_| answer.succeeded())
}

/// The first line of a text, if there is a number in it. Of a long one, which goes on about the libraries that a program
/// is built with, only the beginning.
fn version_line(text: &str) -> Option<String> {
    const LONGEST: usize = 200;
    let line = text.trim().lines().next()?.trim();
    let end = line.floor_char_boundary(LONGEST);
    let whole_words = match end < line.len() {
        true => line[..end].rsplit_once(' ')?.0,
        false => line,
    };
    let numbered = whole_words.chars().any(|c| c.is_ascii_digit());
    numbered.then(|| whole_words.to_owned())
}

fn identity(prober: &Prober, said: &str, version: Option<&str>) -> String {
    let home = prober.home().to_string_lossy();
    let mut digest = Sha256::new();
    digest.update(said.replace(&*home, "$HOME"));
    digest.update([0]);
    digest.update(version.unwrap_or_default());
    hex(&digest.finalize())
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the program's first page: the answer to `--help`, else to `-h`, else to `help`, as long as its time is not
/// over.
async fn first_look(prober: &Prober, over: impl Fn() -> bool) -> ProbeAnswer {
    let mut best: Option<ProbeAnswer> = None;
    for request in ["--help", "-h", "help"] {
        if best.is_some() && over() {
            break;
        }
        let answer = prober.run(&[request]).await;
        if looks_like_help(&answer) || !answer.started {
            return answer;
        }
        let usage = |answer: &ProbeAnswer| printed(answer).lines().any(says_usage);
        if best
            .as_ref()
            .is_none_or(|best| !usage(best) && usage(&answer))
        {
            best = Some(answer);
        }
    }
    best.unwrap_or_default()
}

/// Returns true if an answer can be help at all; which kind is for the families to say.
pub(crate) fn looks_like_help(answer: &ProbeAnswer) -> bool {
    let text = printed(answer);
    let lower = text.to_lowercase();
    text.lines().count() > 1
        && (lower.contains("usage")
            || lower.contains("options")
            || lower.contains("flags")
            || lower.contains("commands")
            || text.contains("\n  -"))
}

pub(crate) fn choose(signs: &Signs<'_>) -> Option<Box<dyn Family>> {
    let mut best: Option<(u8, Box<dyn Family>)> = None;
    for family in families() {
        let score = family.recognise(signs);
        if score > best.as_ref().map_or(0, |(best, _)| *best) {
            best = Some((score, family));
        }
    }
    best.map(|(_, family)| family)
}

/// Returns true if a program did not understand what it was asked and showed no usage that begins with its name.
fn complains(signs: &Signs<'_>) -> bool {
    let name = signs.binary.name();
    let usage = usage_statements(signs.text(), &name);
    let first = signs
        .text()
        .lines()
        .next()
        .unwrap_or_default()
        .to_lowercase();
    let said = [
        "illegal option",
        "unknown option",
        "invalid option",
        "unrecognized option",
    ];
    signs.help.code.is_some_and(|code| code != 0)
        && said.iter().any(|said| first.contains(said))
        && !usage
            .iter()
            .any(|line| line.split(' ').next() == Some(name.as_str()))
}

/// The manual page of a program that no family knows.
fn by_manual(binary: &Binary) -> Option<Box<dyn Family>> {
    let page = manual::of(binary)?;
    Some(Box::new(ManualPage(page)))
}

fn no_help(program: &Path, answer: &ProbeAnswer) -> DiscoverError {
    let program = program.to_path_buf();
    if !answer.started {
        let reason = answer.said();
        return DiscoverError::NotStarted { program, reason };
    }
    let detail = match answer.trouble() {
        Some(trouble) => trouble,
        None if answer.said().is_empty() => "it printed nothing".to_owned(),
        None => format!("it said `{}`", answer.said()),
    };
    DiscoverError::NoHelp { program, detail }
}

#[cfg(test)]
mod tests {
    use super::version_line;

    #[test]
    fn a_version_is_known_however_much_is_said_behind_it() {
        let libraries = "zlib/1.2.13 ".repeat(30);
        let line = format!("curl 7.88.1 (x86_64-pc-linux-gnu) {libraries}\nRelease-Date: x\n");
        let version = version_line(&line).expect("it says one");
        assert!(version.starts_with("curl 7.88.1 (x86_64"), "{version}");
        assert!(version.len() <= 200 && version.ends_with("zlib/1.2.13"));
        assert_eq!(version_line("\ntool 1.0\nmore"), Some("tool 1.0".into()));
        for none in ["", "no number", &"7".repeat(500)] {
            assert_eq!(version_line(none), None, "{none}");
        }
    }
}
