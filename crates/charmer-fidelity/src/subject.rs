//! The programs whose truth is known: where they are, how they are built, and what is true of them.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use charmer_fidelity::{TableRow, Truth};
use serde::Serialize;

/// A program that can be measured.
pub(crate) struct Subject {
    pub(crate) row: TableRow,
    pub(crate) program: PathBuf,
    pub(crate) truth: Truth,
    /// The parts that are read and compared, of a program that is too large to be read whole.
    pub(crate) parts: Vec<String>,
    pub(crate) floors: Floors,
}

/// The floors that a program's figures must reach.
pub(crate) enum Floors {
    /// Those of programs that were made to be measured: hardly anything may be wrong.
    Ours,
    /// Those of programs of others, with the list of what is known to be below them.
    Others,
}

/// One that cannot.
#[derive(Serialize)]
pub(crate) struct Missing {
    pub(crate) program: String,
    /// The need: the word that `--require` knows.
    pub(crate) needs: &'static str,
    pub(crate) reason: String,
}

/// The Cobra versions that the application is built with: a name, and what is said to `go build`.
const COBRA: [(&str, &[&str]); 2] = [
    ("cobra-newest", &[]),
    ("cobra-1.6", &["-modfile=cobra16.mod", "-tags=cobra16"]),
];

const DOCKER_VERSION: &str = "28.2.2";
const DOCKER_TRUTH: &str = include_str!("../fixtures/truth/docker-28.2.2.json");

impl Subject {
    /// The file in which the Cobra application notes what it ran. Other programs have none.
    fn notes(&self) -> PathBuf {
        let mut path = self.program.clone().into_os_string();
        path.push(".ran");
        path.into()
    }

    /// Forgets what was run until now.
    pub(crate) fn forget_runs(&self) {
        // Nothing was run yet where there is no file.
        let _ = fs::remove_file(self.notes());
    }

    /// The commands that were run since.
    pub(crate) fn runs(&self) -> Vec<String> {
        let notes = fs::read_to_string(self.notes()).unwrap_or_default();
        notes.lines().map(str::to_owned).collect()
    }
}

/// Every program that there is a truth of.
pub(crate) fn all() -> Vec<Result<Subject, Missing>> {
    let subject = |row: TableRow, needs, found: Result<(PathBuf, Truth), String>| match found {
        Ok((program, truth)) => Ok(Subject {
            row,
            program,
            truth,
            parts: Vec::new(),
            floors: Floors::Ours,
        }),
        Err(reason) => Err(Missing {
            program: row.program,
            needs,
            reason,
        }),
    };
    let mut all: Vec<_> = COBRA
        .iter()
        .map(|(name, arguments)| {
            let row = TableRow::new(name, "ours", "Cobra", "its own tree");
            subject(row, "go", cobra(name, arguments))
        })
        .collect();
    let row = TableRow::new("docker", DOCKER_VERSION, "Cobra", "a list apart");
    all.push(subject(row, "docker", docker()));
    let row = TableRow::new("clap_fixture", "ours", "clap", "its own tree");
    all.push(subject(row, "clap", clap_fixture()));
    all
}

/// Builds the Cobra application and asks it for its truth.
fn cobra(name: &str, arguments: &[&str]) -> Result<(PathBuf, Truth), String> {
    let folder = profile_folder()?.join("fixtures").join(name);
    let home = folder.join("home");
    fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    let program = folder.join(format!("orchard{}", env::consts::EXE_SUFFIX));
    let mut build = Command::new("go");
    build
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/cobra"))
        .args(["build", "-trimpath", "-buildvcs=false"])
        .args(arguments)
        .arg("-o")
        .arg(&program)
        .arg(".");
    output(&mut build)?;
    let mut ask = Command::new(&program);
    let said = output(ask.arg("__truth").env("HOME", &home))?;
    Ok((program, parse(&said)?))
}

/// Finds docker, if it is the one that the truth is of.
fn docker() -> Result<(PathBuf, Truth), String> {
    let name = format!("docker{}", env::consts::EXE_SUFFIX);
    let program = env::split_paths(&env::var_os("PATH").unwrap_or_default())
        .map(|folder| folder.join(&name))
        .find(|file| file.is_file())
        .ok_or("it is not installed")?;
    let said = output(Command::new(&program).arg("--version"))?;
    let version = said
        .split([' ', ','])
        .find(|word| word.starts_with(|letter: char| letter.is_ascii_digit()))
        .unwrap_or_default();
    if version != DOCKER_VERSION {
        return Err(format!(
            "it is {version}, and the truth is of {DOCKER_VERSION}"
        ));
    }
    Ok((program, parse(DOCKER_TRUTH)?))
}

/// Builds the clap program beside this one and asks it for its truth.
fn clap_fixture() -> Result<(PathBuf, Truth), String> {
    let folder = profile_folder()?;
    let program = folder
        .join("examples")
        .join(format!("clap_fixture{}", env::consts::EXE_SUFFIX));
    // Cargo runs this program and says where Cargo is; started by hand, it takes what is there.
    if let (Some(cargo), Some(target)) = (env::var_os("CARGO"), folder.parent()) {
        let mut build = Command::new(cargo);
        build
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .args([
                "build",
                "--quiet",
                "--example",
                "clap_fixture",
                "--target-dir",
            ])
            .arg(target);
        if folder.ends_with("release") {
            build.arg("--release");
        }
        output(&mut build)?;
    }
    if !program.is_file() {
        return Err("it is not built: cargo build -p charmer-fidelity --examples".to_owned());
    }
    let said = output(Command::new(&program).env("CLAP_FIXTURE_TRUTH", "1"))?;
    Ok((program, parse(&said)?))
}

/// The folder of the build that this program belongs to: `target/debug`.
fn profile_folder() -> Result<PathBuf, String> {
    let own = env::current_exe().map_err(|error| format!("this program's path: {error}"))?;
    own.parent()
        .map(Path::to_owned)
        .ok_or_else(|| format!("{} is not in a build folder", own.display()))
}

fn parse(text: &str) -> Result<Truth, String> {
    serde_json::from_str(text).map_err(|error| format!("its truth cannot be read: {error}"))
}

/// The output of a command; when it fails, its complaint.
fn output(command: &mut Command) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|error| format!("{program} cannot be started: {error}"))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{program} failed: {}", complaint.trim()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
