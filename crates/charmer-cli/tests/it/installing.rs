//! No document tells people to install a package that is not ours: `pip install charmer` would bring somebody else's.

use std::{
    fs,
    path::{Path, PathBuf},
};

use Registry::{Crates, Npm, Pypi, System};

/// Where a command looks a package's name up.
#[derive(Clone, Copy)]
enum Registry {
    Crates,
    Npm,
    Pypi,
    /// Debian's archive, Homebrew and the like.
    System,
}

/// The names that are ours, or will be with the first release.
fn ours(registry: Registry, name: &str) -> bool {
    match registry {
        Pypi => name.replace('_', "-") == "charmer-mcp",
        Npm => {
            name == "charmer-mcp"
                || platforms().any(|platform| name == format!("charmer-mcp-{platform}"))
        }
        Crates | System => false,
    }
}

/// The ends of the names of npm's packages for one platform.
fn platforms() -> impl Iterator<Item = String> {
    let table =
        fs::read_to_string(root().join("packaging/platforms.json")).expect("the table is there");
    let table: serde_json::Map<String, serde_json::Value> =
        serde_json::from_str(&table).expect("it is JSON");
    table
        .into_iter()
        .filter_map(|(_, platform)| Some(platform["npm"].as_str()?.to_owned()))
}

/// Commands whose words are all packages.
const INSTALLERS: [(&[&str], Registry); 18] = [
    (&["pip", "install"], Pypi),
    (&["pip3", "install"], Pypi),
    (&["pipx", "install"], Pypi),
    (&["uv", "tool", "install"], Pypi),
    (&["uv", "add"], Pypi),
    (&["npm", "install"], Npm),
    (&["npm", "i"], Npm),
    (&["npm", "add"], Npm),
    (&["pnpm", "add"], Npm),
    (&["yarn", "add"], Npm),
    (&["cargo", "install"], Crates),
    (&["cargo", "binstall"], Crates),
    (&["cargo", "add"], Crates),
    (&["apt", "install"], System),
    (&["apt-get", "install"], System),
    (&["brew", "install"], System),
    (&["winget", "install"], System),
    (&["scoop", "install"], System),
];

/// Commands whose first word is a package, and the others what its program gets.
const RUNNERS: [(&[&str], Registry); 8] = [
    (&["pipx", "run"], Pypi),
    (&["uvx"], Pypi),
    (&["uv", "tool", "run"], Pypi),
    (&["npx"], Npm),
    (&["npm", "exec"], Npm),
    (&["pnpm", "dlx"], Npm),
    (&["yarn", "dlx"], Npm),
    (&["bunx"], Npm),
];

/// The names in a text that are said to bring Charmer and do not, each with its line.
fn strangers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in commands(text) {
        let words = words(&line);
        for start in 0..words.len() {
            let rest = &words[start..];
            for (command, registry) in INSTALLERS {
                if begins(rest, command) {
                    let named = packages(&rest[command.len()..]);
                    found.extend(strange(registry, &named).map(|name| format!("{name}: {line}")));
                }
            }
            for (command, registry) in RUNNERS {
                if begins(rest, command) {
                    let named = packages(&rest[command.len()..]);
                    let first = &named[..named.len().min(1)];
                    found.extend(strange(registry, first).map(|name| format!("{name}: {line}")));
                }
            }
        }
    }
    found
}

/// The lines of a text; a block of settings counts as one, because a client's entry is written over several.
fn commands(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut settings = false;
    for line in text.lines() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            settings = ["json", "toml", "yaml"]
                .iter()
                .any(|each| language.starts_with(each));
            lines.push(String::new());
        } else if let (true, Some(last)) = (settings, lines.last_mut()) {
            last.push(' ');
            last.push_str(line);
        } else {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// The words of a line. What ends a command is a word too.
fn words(line: &str) -> Vec<String> {
    line.replace(['`', ';', '|', '#'], " ; ")
        .replace("&&", " ; ")
        .split(|letter: char| letter.is_whitespace() || "\"',[](){}<>".contains(letter))
        .map(|word| word.trim_end_matches(['.', ':', '?', '!']))
        .filter(|word| !word.is_empty() && !["args", "=", "$"].contains(word))
        .map(str::to_owned)
        .collect()
}

fn begins(words: &[String], command: &[&str]) -> bool {
    words.len() >= command.len() && words.iter().zip(command).all(|(word, part)| word == part)
}

/// The packages that a command names, before its end: neither options nor files. What comes by `--path` or `--git` is
/// not looked up anywhere.
fn packages(words: &[String]) -> Vec<&str> {
    let words = words
        .iter()
        .map(String::as_str)
        .take_while(|word| *word != ";");
    let words: Vec<&str> = words.collect();
    if words.iter().any(|word| ["--path", "--git"].contains(word)) {
        return Vec::new();
    }
    let file = |word: &str| {
        let scoped = word.starts_with('@') && word.matches('/').count() == 1;
        (word.contains('/') && !scoped)
            || [".whl", ".tgz", ".deb"]
                .iter()
                .any(|end| word.ends_with(end))
    };
    words
        .into_iter()
        .filter(|word| !word.starts_with('-') && !file(word))
        .collect()
}

/// Those that are called after Charmer and are not ours, without their version.
fn strange<'a>(registry: Registry, named: &'a [&str]) -> impl Iterator<Item = &'a str> {
    named
        .iter()
        .map(|name| {
            // A scope begins with the `@` that ends a name.
            let mut letters = name.char_indices().skip(1);
            let end = letters.find(|(_, letter)| "=@[~!".contains(*letter));
            end.map_or(*name, |(end, _)| &name[..end])
        })
        .filter(move |name| name.to_lowercase().contains("charmer") && !ours(registry, name))
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every text that people read, or that prints what they read.
fn documents() -> Vec<PathBuf> {
    let root = root();
    let mut found = Vec::new();
    let mut folders = vec![root.join("docs"), root.join("packaging")];
    for crate_folder in entries(&root.join("crates")) {
        folders.extend(["docs", "src", "examples"].map(|folder| crate_folder.join(folder)));
        found.push(crate_folder.join("README.md"));
    }
    found.extend(entries(&root));
    while let Some(folder) = folders.pop() {
        for path in entries(&folder) {
            if path.is_dir() {
                folders.push(path)
            } else {
                found.push(path)
            }
        }
    }
    found.retain(|path| path.is_file());
    found
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn documents_name_no_package_that_is_not_ours() {
    let documents = documents();
    for expected in [
        "README.md",
        "CHANGELOG.md",
        "SECURITY.md",
        "docs/security.md",
        "packaging/README.md",
    ] {
        let expected = root().join(expected);
        assert!(
            documents.contains(&expected),
            "{} is not looked at",
            expected.display()
        );
    }
    let mut found = Vec::new();
    for path in documents {
        let text = fs::read(&path).expect("it is a file");
        let strangers = strangers(&String::from_utf8_lossy(&text));
        found.extend(
            strangers
                .into_iter()
                .map(|stranger| format!("{}: {stranger}", path.display())),
        );
    }
    assert!(found.is_empty(), "not ours:\n{}", found.join("\n"));
}

#[test]
fn the_packages_are_called_as_the_documents_say() {
    let read = |path: &str| fs::read_to_string(root().join(path)).expect("it is there");
    assert!(read("pyproject.toml").contains("\nname = \"charmer-mcp\"\n"));
    assert!(read("packaging/build").contains("\nNAME = \"charmer-mcp\"\n"));
}

#[test]
fn a_name_that_is_not_ours_is_found() {
    for (line, name) in [
        ("pip install charmer", "charmer"),
        (
            "Run `pip3 install --upgrade charmer==0.1` first.",
            "charmer",
        ),
        ("python -m pip install charmer-cli", "charmer-cli"),
        ("pipx install charmer", "charmer"),
        ("try `uvx charmer tools git`", "charmer"),
        ("uv tool install charmer", "charmer"),
        ("npx -y charmer@latest serve git", "charmer"),
        ("npm install -g charmer", "charmer"),
        ("npm i other charmer", "charmer"),
        ("npx @charmer/mcp", "@charmer/mcp"),
        ("cargo install charmer", "charmer"),
        ("cargo install charmer-cli --locked", "charmer-cli"),
        ("cargo add charmer", "charmer"),
        ("sudo apt install charmer", "charmer"),
        ("sudo apt-get install -y charmer-mcp", "charmer-mcp"),
        ("brew install charmer", "charmer"),
        (
            "echo; npm install charmer-mcp-plan9-x64",
            "charmer-mcp-plan9-x64",
        ),
        (
            "{\"command\": \"uvx\", \"args\": [\"charmer\", \"serve\"]}",
            "charmer",
        ),
        (
            "```json\n{\"command\": \"npx\",\n \"args\": [\n  \"-y\", \"charmer\"]}\n```",
            "charmer",
        ),
    ] {
        let found = strangers(line);
        assert!(
            matches!(&found[..], [one] if one.starts_with(&format!("{name}: "))),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn our_names_and_the_packages_of_others_are_let_be() {
    for line in [
        "`pip install charmer-mcp`, which brings charmer",
        "`uvx charmer-mcp tools git` runs charmer",
        "uvx --from charmer-mcp charmer tools git",
        "pipx install charmer_mcp==0.1.0 && charmer tools git",
        "npx charmer-mcp add charmer --to cursor",
        "npm install -g charmer-mcp  # then charmer works",
        "npm install charmer-mcp-linux-x64-musl",
        "npm install -g @anthropic-ai/claude-code",
        "cargo install --path crates/charmer-cli",
        "cargo install --git https://example.org/charmer charmer-cli",
        "sudo apt install ./charmer-mcp_0.1.0-1_amd64.deb",
        "pip install charmer_mcp-0.1.0-py3-none-any.whl",
        "`npm install --save-dev` can be said. charmer does",
        "```json\n{\"command\": \"npx\",\n \"args\": [\"-y\", \"charmer-mcp\", \"serve\", \"charmer\"]}\n```",
        "charmer serve npx",
    ] {
        assert_eq!(strangers(line), Vec::<String>::new(), "{line}");
    }
}
