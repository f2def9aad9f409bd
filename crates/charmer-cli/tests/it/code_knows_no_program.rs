//! Code knows no program: what is true of one is in its profile. The sources of `charmer-core` and `charmer-discover` are
//! searched for the names of programs; comments and tests may use them as examples.
//!
//! The list of exceptions only shrinks: one that is not needed any more fails here, and so does one too many.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

/// The crates that know no program, with their sources.
const CRATES: [&str; 2] = ["charmer-core", "charmer-discover"];

/// Programs beside those that have a profile.
const WELL_KNOWN: &str = "az bun composer dnf dpkg firefox flyctl gcc gcloud gem gradle heroku java journalctl just k9s k3s
    kustomize mercurial minikube mvn mysql nerdctl netlify nginx nix oc openssl openstack pacman pnpm poetry postgres
    psql pulumi rsync sqlite3 supabase svn vercel vagrant yarn wget zypper ffmpeg ansible bazel cmake jujutsu gitlab github
    rustc pipx pytest redis-cli";

/// Names that are ordinary words, or words of a program's own code: only a text that is nothing but the name counts.
const ORDINARY: &str = "az buf curl find gem go helm java just make nix oc sl ssh tar";

/// Where a name may stand, and why: the file, the name, the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    (
        "charmer-core/src/expose/usefulness.rs",
        "find",
        "a verb of commands, among other verbs",
    ),
    (
        "charmer-core/src/output/ask.rs",
        "jq",
        "flags of many programs are named after the language",
    ),
    (
        "charmer-core/src/search/synonyms.rs",
        "go",
        "a word of questions, among other words",
    ),
    (
        "charmer-core/src/search/intent.rs",
        "make",
        "a word of questions, among other words",
    ),
    (
        "charmer-core/src/search/words.rs",
        "go",
        "a word of questions, among other words",
    ),
    (
        "charmer-core/src/search/words.rs",
        "just",
        "a word of questions, among other words",
    ),
    (
        "charmer-core/src/search/words.rs",
        "make",
        "a word of questions, among other words",
    ),
    (
        "charmer-core/src/assessment/effect/harmless.rs",
        "jq",
        "flags of many programs are named after the language",
    ),
    (
        "charmer-core/src/assessment/effect/nouns.rs",
        "ssh",
        "a verb of commands that run what they are told",
    ),
    (
        "charmer-core/src/assessment/effect/prose.rs",
        "find",
        "a verb of sentences, among other verbs",
    ),
    (
        "charmer-core/src/assessment/effect/writing.rs",
        "github",
        "an output format that many linters have",
    ),
    (
        "charmer-discover/src/family/parse_options.rs",
        "git",
        "a family that is told by the name of its completion helper",
    ),
    (
        "charmer-discover/src/footing/package.rs",
        "bun",
        "an interpreter of scripts, among others",
    ),
    (
        "charmer-discover/src/manual/roff.rs",
        "sl",
        "the name of a sign in manual pages",
    ),
    (
        "charmer-discover/src/probe/environment.rs",
        "cargo",
        "where a version manager keeps what it starts",
    ),
    (
        "charmer-discover/src/probe/environment.rs",
        "git",
        "programs of any family run it, and it must not ask or wait",
    ),
    (
        "charmer-discover/src/probe/environment.rs",
        "rustup",
        "where a version manager keeps what it starts",
    ),
    (
        "charmer-discover/src/probe/scratch.rs",
        "git",
        "programs of many families answer only inside a repository",
    ),
    (
        "charmer-core/src/assessment/redirecting_flags/values.rs",
        "kustomize",
        "a flag that many programs for clusters have",
    ),
];

/// How many exceptions there may be. It only becomes smaller.
const MOST_EXCEPTIONS: usize = 19;

#[test]
fn code_knows_no_program() {
    let names = names();
    let mut found: BTreeMap<(String, String), usize> = BTreeMap::new();
    for (file, text) in sources() {
        let is_code = file.ends_with(".rs");
        let pieces = match is_code {
            true => pieces(&text),
            false => text
                .lines()
                .filter(|line| !line.starts_with('#'))
                .map(|line| Piece::Literal(line.to_owned()))
                .collect(),
        };
        for name in pieces.iter().flat_map(|piece| piece.names(&names)) {
            *found.entry((file.clone(), name)).or_default() += 1;
        }
    }
    let is_excepted = |(file, name): &(String, String)| {
        let mut exceptions = EXCEPTIONS.iter();
        exceptions.any(|(known, allowed, _)| file == known && name == allowed)
    };
    let wrong: Vec<_> = found
        .iter()
        .filter(|(place, _)| !is_excepted(place))
        .collect();
    assert!(
        wrong.is_empty(),
        "what is true of one program belongs into its profile: {wrong:#?}"
    );
    for (file, name, reason) in EXCEPTIONS {
        let place = ((*file).to_owned(), (*name).to_owned());
        assert!(
            found.contains_key(&place),
            "no exception is needed for `{name}` in {file}"
        );
        assert!(
            reason.split_whitespace().count() > 3,
            "why `{name}` in {file}?"
        );
    }
    assert_eq!(EXCEPTIONS.len(), MOST_EXCEPTIONS, "the list only shrinks");
}

/// The names of all programs that have a profile, and of those that everybody knows.
fn names() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles");
    let mut names: BTreeSet<String> = WELL_KNOWN.split_whitespace().map(str::to_owned).collect();
    names.extend(ORDINARY.split_whitespace().map(str::to_owned));
    for entry in fs::read_dir(folder).expect("the profiles are there") {
        let path = entry.expect("it can be listed").path();
        let text = fs::read_to_string(path).expect("it can be read");
        names.extend(charmer_config::Profile::programs_of(&text));
    }
    assert!(
        names.contains("git") && names.contains("apt-get"),
        "{names:?}"
    );
    names
}

/// The files of the crates but those of tests, each with its name within `crates`.
fn sources() -> Vec<(String, String)> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut files = Vec::new();
    for name in CRATES {
        gather(&crates.join(name).join("src"), &mut files);
    }
    assert!(files.len() > 200, "{} files", files.len());
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("it is text");
        let name = path.strip_prefix(&crates).expect("it is one of them");
        (name.to_string_lossy().replace('\\', "/"), text)
    };
    files.into_iter().map(read).collect()
}

fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the sources are there") {
        let path = entry.expect("it can be listed").path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            gather(&path, files);
        } else if stem != "tests" && !stem.ends_with("_tests") && stem != "property" {
            files.push(path);
        }
    }
}

/// What of a source can name a program.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Word(String),
    Literal(String),
}

impl Piece {
    /// The programs that it names.
    fn names(&self, names: &BTreeSet<String>) -> Vec<String> {
        let is_ordinary = |name: &str| ORDINARY.split_whitespace().any(|word| word == name);
        match self {
            // What the compiler is asked for.
            Self::Literal(text) if text == "CARGO_PKG_VERSION" => Vec::new(),
            Self::Literal(text) if names.contains(text) => vec![text.clone()],
            Self::Literal(text) => {
                let words = text.split(|c: char| !c.is_ascii_alphanumeric());
                let words = words.map(str::to_ascii_lowercase);
                words
                    .filter(|word| names.contains(word) && !is_ordinary(word))
                    .collect()
            }
            Self::Word(word) => {
                let parts = snake(word);
                let parts = parts.split('_').map(str::to_owned);
                parts
                    .filter(|part| names.contains(part) && !is_ordinary(part))
                    .collect()
            }
        }
    }
}

/// `GitData` as `git_data`.
fn snake(word: &str) -> String {
    let mut text = String::new();
    let mut before = '_';
    for c in word.chars() {
        if c.is_ascii_uppercase() && before.is_ascii_lowercase() {
            text.push('_');
        }
        text.push(c.to_ascii_lowercase());
        before = c;
    }
    text
}

/// The words and literals of a source, without comments and without the tests at its end.
fn pieces(text: &str) -> Vec<Piece> {
    let end = text.find("#[cfg(test)]\nmod tests {").unwrap_or(text.len());
    let mut rest = &text[..end];
    let mut pieces = Vec::new();
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some((literal, length)) = literal(rest) {
            pieces.push(Piece::Literal(literal.to_owned()));
            length
        } else if c.is_ascii_alphabetic() || c == '_' {
            let word = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
            let length = rest.find(word).unwrap_or(rest.len());
            pieces.push(Piece::Word(rest[..length].to_owned()));
            length
        } else if c == '\'' {
            // A character, or a lifetime.
            let character = [3, 4]
                .into_iter()
                .find(|at| rest[1..].get(at - 2..at - 1) == Some("'"));
            character.unwrap_or(1)
        } else {
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    pieces
}

/// A literal that stands first, and how long it is with its signs.
fn literal(text: &str) -> Option<(&str, usize)> {
    let raw = text.strip_prefix("br").or_else(|| text.strip_prefix('r'));
    if let Some(raw) = raw {
        let signs = raw.bytes().take_while(|b| *b == b'#').count();
        if raw.as_bytes().get(signs) == Some(&b'"') {
            let from = text.len() - raw.len() + signs + 1;
            let close = format!("\"{}", "#".repeat(signs));
            let to = from + text[from..].find(&close)?;
            return Some((&text[from..to], to + close.len()));
        }
    }
    let from = text.len()
        - text
            .strip_prefix("b\"")
            .or_else(|| text.strip_prefix('"'))?
            .len();
    let mut escaped = false;
    for (at, c) in text[from..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return Some((&text[from..from + at], from + at + 1)),
            _ => {}
        }
    }
    None
}

#[test]
fn names_are_seen_in_literals_and_words_and_nowhere_else() {
    let names = BTreeSet::from(["git", "find", "apt-get"].map(str::to_owned));
    let seen = |text: &str| -> Vec<String> {
        let pieces = pieces(text);
        pieces
            .iter()
            .flat_map(|piece| piece.names(&names))
            .collect()
    };
    for text in [
        "let a = \"git\";",
        "let a = r#\"say \"git\" now\"#;",
        "const A: &[u8] = b\"--git-dir\";",
        "struct GitData;",
        "fn git_data() {}",
        "let (a, b) = ('\"', \"git\");",
        "let a = '\\''; let git = 1;",
        "fn f<'a>(x: &'a str) -> bool { x == \"git\" }",
    ] {
        assert_eq!(seen(text), ["git"], "{text}");
    }
    assert_eq!(seen("let a = \"find\";"), ["find"]);
    assert_eq!(seen("let a = \"apt-get\";"), ["apt-get"]);
    for text in [
        "// git\nlet a = 1;",
        "/// `git log`\nfn f() {}",
        "let a = b.find(\"x\"); let c = \"find it\";",
        "let digit = \"digits\";",
        "fn f() {}\n\n#[cfg(test)]\nmod tests {\n    const A: &str = \"git\";\n}\n",
    ] {
        assert_eq!(seen(text), [] as [&str; 0], "{text}");
    }
}
