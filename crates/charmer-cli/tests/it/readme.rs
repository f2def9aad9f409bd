//! Every block of the README does what it says.
//!
//! Blocks are taken in their order, in one folder and one home, as a reader would take them. `charmer` is the program that
//! was built; git, gh and kubectl are the example `stand_in`. Commands that would reach the network or build everything
//! again are held to what the repository says of them. A command without a line in [`PROMISES`] fails, and so does a
//! block of a language that nobody looks at.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use crate::support::{err, example, out, put};

/// Something that a reader would see after a command.
enum Seen {
    /// It is printed.
    Printed(&'static str),
    /// It is printed, and the other is not.
    PrintedWithout(&'static str, &'static str),
    /// It stands in a file of the home folder.
    AtHome(&'static str, &'static str),
    /// It stands no longer in a file of the home folder.
    GoneAtHome(&'static str, &'static str),
    /// There is a file or folder of this name.
    Made(&'static str),
}

use Seen::{AtHome, GoneAtHome, Made, Printed, PrintedWithout};

/// The commands of the README, and what each of them comes to.
const PROMISES: &[(&str, Seen)] = &[
    (
        "charmer add kubectl --to cursor --read-only",
        AtHome(".cursor/mcp.json", "--read-only"),
    ),
    (
        "charmer tools git --read-only",
        PrintedWithout("git_log", "git_commit"),
    ),
    (
        "charmer call git_log --max-count 3 --oneline",
        Printed("git log was called"),
    ),
    (
        "charmer call --dry-run git_commit --message Try it",
        Printed(r#"git commit "--message=Try it""#),
    ),
    ("charmer doctor", Printed("kubectl")),
    ("charmer list", Printed("kubectl")),
    (
        "charmer remove kubectl --from cursor",
        GoneAtHome(".cursor/mcp.json", "kubectl"),
    ),
    ("charmer tools cargo", Printed("cargo_build")),
    (
        "charmer add gh --to claude-code --read-only --allow pr,issue,run",
        AtHome(".claude.json", "\"--allow=issue\""),
    ),
    (
        "charmer add kubectl --to vscode --set context=staging --name staging",
        AtHome(".config/Code/User/mcp.json", "context=staging"),
    ),
    (
        "charmer add git --to zed --read-only --network none",
        AtHome(".config/zed/settings.json", "none"),
    ),
    ("charmer init git gh", Made("charmer.yaml")),
    ("charmer check", Printed("no mistakes")),
    ("charmer tools", Printed("gh_pr_list")),
    (
        "charmer add --to cursor",
        AtHome(".cursor/mcp.json", "charmer.yaml"),
    ),
    ("charmer spell check", Printed("no mistakes")),
    (
        "charmer spell cast count file=README.md",
        Printed("README.md"),
    ),
    (
        "charmer add --spells spells --to cursor",
        AtHome(".cursor/mcp.json", "spells"),
    ),
    ("charmer export mcpb git -o git.mcpb", Made("git.mcpb")),
    ("charmer export skill git -o git-skill", Made("git-skill")),
];

/// A fenced block: its language and its text.
struct Block {
    language: String,
    text: String,
}

fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the crate stands in it")
}

fn blocks() -> Vec<Block> {
    let readme = fs::read_to_string(repository().join("README.md")).expect("there is one");
    let mut blocks = Vec::new();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.trim_start().strip_prefix("```") else {
            continue;
        };
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        blocks.push(Block {
            language: language.to_owned(),
            text: text.join("\n"),
        });
    }
    blocks
}

#[test]
fn every_block_does_what_it_says() {
    let mut reader = Reader::new();
    let mut failures = Vec::new();
    for block in blocks() {
        match block.language.as_str() {
            "sh" => {
                for line in block.text.lines() {
                    failures.extend(reader.takes(line).err());
                }
            }
            "yaml" => failures.extend(reader.writes(&block.text).err()),
            "rust" => failures.extend(is_in_an_example(&block.text).err()),
            other => failures.push(format!("a block of `{other}`: nobody looks at it")),
        }
    }
    let promised = PROMISES.iter().map(|(command, _)| *command);
    let forgotten = promised.filter(|command| !reader.tried.contains(command));
    failures.extend(forgotten.map(|command| format!("`{command}` is not in the README")));
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

/// Somebody who follows the README on a machine of their own.
struct Reader {
    scratch: tempfile::TempDir,
    /// The commands of [`PROMISES`] that were run.
    tried: Vec<&'static str>,
}

impl Reader {
    fn new() -> Self {
        let scratch = tempfile::tempdir().expect("a folder");
        let tried = Vec::new();
        let reader = Self { scratch, tried };
        // Clients are known by the folders that they keep.
        for folder in [
            "bin",
            "project/spells",
            "home/.cursor",
            "home/.config/Code/User",
            "home/.config/zed",
        ] {
            fs::create_dir_all(reader.path(folder)).expect("it can be made");
        }
        for program in ["git", "gh", "kubectl"] {
            let there = reader.path("bin").join(program);
            put(example("stand_in"), there);
        }
        let readme = repository().join("README.md");
        fs::copy(readme, reader.path("project/README.md")).expect("it can be copied");
        reader
    }

    fn path(&self, path: &str) -> PathBuf {
        self.scratch.path().join(path)
    }

    /// Does what a line of a shell says.
    fn takes(&mut self, line: &str) -> Result<(), String> {
        let words = shlex::split(line).ok_or_else(|| format!("`{line}` is no command line"))?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] => Ok(()),
            ["charmer", words @ ..]
            | ["cargo", "run", "-p", "charmer-cli", "--", words @ ..]
            | ["uvx" | "npx", "charmer-mcp", words @ ..] => self.runs(words),
            // What runs this test.
            ["cargo", "test", "--workspace"] => {
                let step = fs::read_to_string(repository().join(".ci/steps/30-test"));
                match step.is_ok_and(|step| step.contains("command='cargo test --workspace'")) {
                    true => Ok(()),
                    false => Err("CI runs another test than the README says".into()),
                }
            }
            ["cargo", "install", "--path", path] => installs(path),
            ["pipx", "install", name] => is_packaged(name),
            _ => Err(format!("`{line}`: nobody knows how to try it")),
        }
    }

    /// Runs `charmer`, and looks at what came of it.
    fn runs(&mut self, words: &[&str]) -> Result<(), String> {
        let line = format!("charmer {}", words.join(" "));
        let promise = PROMISES.iter().find(|(command, _)| *command == line);
        let (command, seen) =
            promise.ok_or_else(|| format!("`{line}`: nobody says what it comes to"))?;
        self.tried.push(command);
        let home = self.path("home");
        // With cargo itself before the programs of whoever runs this: rustup's stand-in for it would look for toolchains
        // in the home folder.
        let mut search = vec![self.path("bin")];
        let cargo = std::env::var_os("CARGO").map(PathBuf::from);
        search.extend(cargo.and_then(|cargo| cargo.parent().map(Path::to_owned)));
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        search.extend(std::env::split_paths(&inherited));
        let output = Command::new(env!("CARGO_BIN_EXE_charmer"))
            .args(words)
            .current_dir(self.path("project"))
            .env_clear()
            .env("HOME", &home)
            .env(
                "PATH",
                std::env::join_paths(search).expect("they were joined"),
            )
            .env("RUST_BACKTRACE", "0")
            .stdin(Stdio::null())
            .output()
            .expect("it was built");
        let printed = format!("{}{}", out(&output), err(&output));
        let read = |path: &str| fs::read_to_string(home.join(path));
        let kept = output.status.success()
            && match *seen {
                Printed(text) => printed.contains(text),
                PrintedWithout(text, other) => printed.contains(text) && !printed.contains(other),
                AtHome(path, text) => read(path).is_ok_and(|file| file.contains(text)),
                GoneAtHome(path, text) => !read(path).is_ok_and(|file| file.contains(text)),
                Made(path) => self.path("project").join(path).exists(),
            };
        match kept {
            true => Ok(()),
            false => Err(format!("`{line}` ends with {}:\n{printed}", output.status)),
        }
    }

    /// Writes a file whose first line names it. The commands behind it check and use it.
    fn writes(&self, text: &str) -> Result<(), String> {
        let name = text.lines().next().and_then(|line| line.strip_prefix("# "));
        let name = name.ok_or_else(|| format!("no file is named in the first line of\n{text}"))?;
        fs::write(self.path("project").join(name), text).map_err(|error| format!("{name}: {error}"))
    }
}

/// The crate at a path is the one that installs `charmer`.
fn installs(path: &str) -> Result<(), String> {
    let manifest = fs::read_to_string(repository().join(path).join("Cargo.toml"));
    match manifest.is_ok_and(|text| text.contains("[[bin]]\nname = \"charmer\"")) {
        true => Ok(()),
        false => Err(format!("`{path}` does not install `charmer`")),
    }
}

/// The Python package is called so; CI installs it and starts what is in it.
fn is_packaged(name: &str) -> Result<(), String> {
    let manifest = repository().join("pyproject.toml");
    let manifest = fs::read_to_string(manifest).map_err(|error| error.to_string())?;
    match manifest
        .lines()
        .any(|line| line == format!("name = \"{name}\""))
    {
        true => Ok(()),
        false => Err(format!("pyproject.toml has another name than `{name}`")),
    }
}

/// The lines of a block stand as they are in an example of the library, all of which are compiled and tried.
fn is_in_an_example(block: &str) -> Result<(), String> {
    let examples = repository().join("crates/charmer/examples");
    let wanted = bare(block);
    let mut files = fs::read_dir(examples)
        .expect("there are examples")
        .flatten();
    let found = files.any(|file| {
        let source = fs::read_to_string(file.path());
        source.is_ok_and(|source| bare(&source).contains(&wanted))
    });
    match found {
        true => Ok(()),
        false => Err(format!("no example of the library has\n{block}")),
    }
}

/// Rust code without comments and line breaks.
fn bare(code: &str) -> String {
    let lines = code.lines().filter_map(|line| line.split("//").next());
    let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
    words.join(" ")
}
