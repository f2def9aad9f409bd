//! Questions about real programs: does the search find the command that answers them?
//!
//! `cargo test -p charmer-cli --test questions -- --ignored --nocapture` reads the programs that are named in
//! `tests/questions/*.yaml` as they are installed here, asks every question, and prints what came instead of what was
//! meant. A file is a map from a program to its questions, each with the command lines of which any is right:
//!
//! ```yaml
//! docker:
//!   - {ask: "what is using my disk", is: ["docker system df"]}
//!   - {ask: "which pods are there", is: ["kubectl get"], programs: [docker, kubectl]}
//! ```
//!
//! A question is asked where its program is served alone (or the `programs` that it names), and once more where all the
//! programs of [`TOGETHER`] are.

#![expect(
    clippy::print_stdout,
    reason = "whoever runs it wants to see what came instead"
)]

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_config::Profile;
use charmer_core::{
    model::Cli,
    search::Index,
    tool::{CatalogueOptions, Tool, catalogue},
};
use charmer_discover::cache::Cache;
use serde::Deserialize;

use support::{charmer, err};

#[path = "it/support.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod support;

/// The programs that are served together.
const TOGETHER: [&str; 5] = ["docker", "kubectl", "git", "cargo", "gh"];

/// Programs that CI does not install: they are asked about where they are.
const OPTIONAL: [&str; 6] = ["docker", "kubectl", "ruff", "buf", "rustup", "terraform"];

/// What is asked of a file, where its programs are served alone: right among the first three, and right at once.
const AMONG_THREE: f64 = 0.95;
const FIRST: f64 = 0.80;
/// The same of the file that the search was never tuned to: so much must stay.
const UNSEEN: (&str, f64, f64) = ("unseen.yaml", 0.90, 0.72);
/// The file of another hand's tasks, and what must be right among the first three: of the programs of [`TOGETHER`], and
/// of the others.
const HELD_OUT: (&str, f64, f64) = ("heldout.yaml", 0.85, 0.82);

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: String,
    is: Vec<String>,
    #[serde(default)]
    programs: Vec<String>,
}

type File = BTreeMap<String, Vec<Question>>;

/// Tools that are served together, and their index.
struct Served {
    tools: Vec<Arc<Tool>>,
    index: Index,
}

impl Served {
    fn new(tools: Vec<Arc<Tool>>) -> Self {
        let index = Index::new(tools.iter().map(|tool| &**tool));
        Self { tools, index }
    }

    /// The place of the first right answer, and the command lines that were found.
    fn ask(&self, question: &Question) -> (Option<usize>, Vec<String>) {
        let hits = self.index.search(&question.ask, 5);
        let right = |at: &usize| question.is.contains(&self.tools[*at].words());
        let place = hits
            .iter()
            .position(|hit| right(&hit.at) || hit.also.iter().any(right));
        let words = hits.iter().map(|hit| self.tools[hit.at].words());
        (place, words.collect())
    }
}

#[derive(Debug, Default)]
struct Tally {
    asked: usize,
    first: usize,
    among_three: usize,
}

impl Tally {
    fn count(&mut self, place: Option<usize>) {
        self.asked += 1;
        self.first += usize::from(place == Some(0));
        self.among_three += usize::from(place.is_some_and(|place| place < 3));
    }

    fn shares(&self) -> (f64, f64) {
        let share = |part: usize| part as f64 / self.asked.max(1) as f64;
        (share(self.first), share(self.among_three))
    }

    fn show(&self) -> String {
        let (first, among_three) = self.shares();
        format!(
            "{} questions, first {:.1} %, among three {:.1} %",
            self.asked,
            100.0 * first,
            100.0 * among_three
        )
    }
}

#[test]
#[ignore = "needs docker, kubectl, git, gh and whatever else the questions are about"]
fn questions_find_their_commands() {
    let files: Vec<(String, File)> = question_files()
        .into_iter()
        .map(|(name, file)| {
            (
                name,
                file.into_iter().filter(|(of, _)| is_there(of)).collect(),
            )
        })
        .collect();
    let named = files.iter().flat_map(|(_, file)| {
        let asked = file.values().flatten().flat_map(|q| &q.programs);
        file.keys().chain(asked).map(String::as_str)
    });
    let together: Vec<&str> = TOGETHER.into_iter().filter(|name| is_there(name)).collect();
    let named: BTreeSet<&str> = named.chain(together.iter().copied()).collect();
    let programs: BTreeMap<&str, Vec<Arc<Tool>>> =
        named.into_iter().map(|name| (name, tools(name))).collect();
    let serve = |names: &[&str]| {
        let tools = names.iter().flat_map(|name| programs[name].iter().cloned());
        Served::new(tools.collect())
    };

    let together = serve(&together);
    let mut failures = Vec::new();
    for (name, file) in &files {
        let (mut alone, mut all) = (Tally::default(), Tally::default());
        let (mut common, mut other) = (Tally::default(), Tally::default());
        let tuned = name != UNSEEN.0 && name != HELD_OUT.0;
        for (program, questions) in file {
            let own = serve(&[program.as_str()]);
            let mut tally = Tally::default();
            for question in questions {
                let wanted: Vec<&str> = question.programs.iter().map(String::as_str).collect();
                let several = (!wanted.is_empty()).then(|| serve(&wanted));
                let served = several.as_ref().unwrap_or(&own);
                failures.extend(unanswerable(served, question));
                let (place, found) = served.ask(question);
                if tuned {
                    report(program, question, place, &found);
                }
                tally.count(place);
                alone.count(place);
                match TOGETHER.contains(&program.as_str()) {
                    true => common.count(place),
                    false => other.count(place),
                }
                if TOGETHER.contains(&program.as_str()) && several.is_none() {
                    let (place, found) = together.ask(question);
                    if place.is_none_or(|place| place > 2) && tuned {
                        report("all", question, place, &found);
                    }
                    all.count(place);
                }
            }
            println!("{name}, {program}: {}", tally.show());
        }
        println!("{name}, each program alone: {}", alone.show());
        println!("{name}, {} together: {}", TOGETHER.join(", "), all.show());
        let bars = match name.as_str() {
            name if name == HELD_OUT.0 => {
                vec![(&common, 0.0, HELD_OUT.1), (&other, 0.0, HELD_OUT.2)]
            }
            name if name == UNSEEN.0 => vec![(&alone, UNSEEN.2, UNSEEN.1)],
            _ => vec![(&alone, FIRST, AMONG_THREE)],
        };
        if !tuned {
            println!("{name}, {}: {}", TOGETHER.join(", "), common.show());
            println!("{name}, other programs: {}", other.show());
        }
        for (tally, first, among_three) in bars {
            let shares = tally.shares();
            if tally.asked > 0 && (shares.0 < first || shares.1 < among_three) {
                failures.push(format!("{name}: {}", tally.show()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is wrong with a question: none of its answers is there.
fn unanswerable(served: &Served, question: &Question) -> Option<String> {
    let there = |words: &String| served.tools.iter().any(|tool| tool.words() == *words);
    let known = question.is.iter().any(there);
    (!known).then(|| format!("no command answers `{}`: {:?}", question.ask, question.is))
}

fn report(served: &str, question: &Question, place: Option<usize>, found: &[String]) {
    if place != Some(0) {
        let place = place.map_or("not found".to_owned(), |place| {
            format!("place {}", place + 1)
        });
        println!(
            "[{served}] {place}: `{}` is {}, but came: {}",
            question.ask,
            question.is.join(" or "),
            found.join(", ")
        );
    }
}

fn question_files() -> Vec<(String, File)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/questions");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .expect("the questions are there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|end| end == "yaml"))
        .collect();
    paths.sort();
    assert!(!paths.is_empty(), "there are no questions");
    let read = |path: PathBuf| {
        let name = path
            .file_name()
            .expect("it is a file")
            .to_string_lossy()
            .into_owned();
        let text = fs::read_to_string(&path).expect("it can be read");
        let file = serde_saphyr::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, file)
    };
    paths.into_iter().map(read).collect()
}

/// The tools of an installed program, as `charmer` offers them.
fn tools(program: &str) -> Vec<Arc<Tool>> {
    let path = find(program);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs");
    let output = charmer(&[Path::new("tools"), &path])
        .env("CHARMER_CACHE", &folder)
        .output()
        .expect("it was built");
    assert!(output.status.success(), "{program}: {}", err(&output));
    let found = Cache::new(folder).load(&path);
    let mut found = found.unwrap_or_else(|| panic!("what is known of {program} was kept"));
    found.assessment.apply(&mut found.cli);
    apply_profile(program, &mut found.cli);
    catalogue(&found.cli, &CatalogueOptions::default()).tools
}

/// Puts what is known of a program into its model: the profile that comes with Charmer, if there is one.
fn apply_profile(program: &str, cli: &mut Cli) {
    let profiles = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
    for file in fs::read_dir(profiles).expect("the profiles are there") {
        let text = fs::read_to_string(file.expect("it can be listed").path());
        let profile = Profile::parse(&text.expect("it can be read"), "profile.yaml")
            .unwrap_or_else(|mistakes| panic!("{mistakes}"));
        if profile.programs.iter().any(|name| name == program) {
            profile.apply(cli);
            profile.source.known.apply(cli);
        }
    }
}

fn find(program: &str) -> PathBuf {
    found(program)
        .unwrap_or_else(|| panic!("`{program}` is not installed, and questions are asked about it"))
}

fn found(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = std::env::split_paths(&path);
    folders.find_map(|folder| Some(folder.join(program)).filter(|file| file.is_file()))
}

/// Whether questions about a program can be asked; what no registry carries may be missing.
fn is_there(program: &str) -> bool {
    !OPTIONAL.contains(&program) || found(program).is_some()
}
