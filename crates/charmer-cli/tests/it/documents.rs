//! The documents lead nowhere that is not there: their links, the headings behind `#`, the tests that
//! they name, and the messages.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn repository() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the crate stands in it")
}

/// The files beneath a folder whose names end so.
fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let found = paths.flat_map(|path| match path.is_dir() {
        true => files(&path, end),
        false => vec![path],
    });
    found
        .filter(|path| path.to_string_lossy().ends_with(end))
        .collect()
}

/// Every document of the repository.
fn documents() -> Vec<PathBuf> {
    let root = repository();
    let entries = fs::read_dir(&root).expect("it can be read").flatten();
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    found.extend(files(&root.join("docs"), ".md"));
    found.extend(files(&root.join("packaging"), ".md"));
    for entry in fs::read_dir(root.join("crates"))
        .into_iter()
        .flatten()
        .flatten()
    {
        found.extend(files(&entry.path().join("docs"), ".md"));
    }
    found
}

/// A document without what stands in blocks and in code.
fn prose(text: &str) -> String {
    let mut is_block = false;
    let mut prose = String::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            is_block = !is_block;
        } else if !is_block {
            // Every second part stands between backquotes.
            prose.extend(line.split('`').step_by(2));
            prose.push('\n');
        }
    }
    prose
}

/// Where the links and pictures of a document lead.
fn links(text: &str) -> Vec<String> {
    let prose = prose(text);
    let parts = prose.split("](").skip(1);
    let targets = parts.filter_map(|part| part.split(')').next());
    targets.map(|target| target.replace('\n', "")).collect()
}

/// The addresses of a document's headings, as they are made where it is shown.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut is_block = false;
    let mut anchors = BTreeSet::new();
    for line in text.lines() {
        is_block ^= line.trim_start().starts_with("```");
        let heading = line.trim_start_matches('#');
        if !is_block && heading.len() < line.len() && heading.starts_with(' ') {
            let kept = heading.trim().chars().filter_map(|sign| match sign {
                ' ' => Some('-'),
                '-' | '_' => Some(sign),
                sign if sign.is_alphanumeric() => Some(sign),
                _ => None,
            });
            anchors.insert(kept.collect::<String>().to_lowercase());
        }
    }
    anchors
}

#[test]
fn every_link_leads_somewhere() {
    let mut broken = Vec::new();
    let mut followed = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).expect("it can be read");
        let folder = document.parent().expect("a file stands in a folder");
        for link in links(&text) {
            if link.contains("://") || link.starts_with("mailto:") {
                continue;
            }
            followed += 1;
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = match path {
                "" => document.clone(),
                path => folder.join(path),
            };
            let has_anchor = || {
                let text = fs::read_to_string(&target).unwrap_or_default();
                anchor.is_empty() || anchors(&text).contains(anchor)
            };
            if !target.exists() || !has_anchor() {
                broken.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(followed > 30, "the documents have links");
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn a_link_that_leads_nowhere_is_noticed() {
    let text = "# A `b` c, d\n\n[x](y.md#z) `[no](t)`\n\n```\n[no](t)\n# no\n```\n![p](q.svg)\n";
    assert_eq!(links(text), ["y.md#z", "q.svg"]);
    assert_eq!(anchors(text), BTreeSet::from(["a-b-c-d".to_owned()]));
}

/// In docs/documents.md a test is named by its crate, its module and its function.
#[test]
fn every_test_that_answers_for_a_statement_is_there() {
    let root = repository();
    let text = fs::read_to_string(root.join("docs/documents.md")).expect("there is one");
    let mut missing = Vec::new();
    let mut found = 0;
    for code in text
        .lines()
        .flat_map(|line| line.split('`').skip(1).step_by(2))
    {
        if let Some(path) = code.strip_prefix("tests/") {
            found += 1;
            if !root.join("tests").join(path).exists() {
                missing.push(code);
            }
            continue;
        }
        let mut words = code.split("::");
        let [Some(name), Some(module), Some(function), None] = [(); 4].map(|()| words.next())
        else {
            continue;
        };
        if !name.starts_with("charmer") {
            continue;
        }
        found += 1;
        let sources = files(&root.join("crates").join(name), ".rs");
        let of_module = sources.iter().filter(|path| {
            let mut folders = path.components().map(|part| part.as_os_str());
            path.file_stem().is_some_and(|stem| stem == module)
                || folders.any(|part| part == module)
        });
        let has = |source: &str| source.contains(&format!("fn {function}("));
        let mut texts = of_module.filter_map(|path| fs::read_to_string(path).ok());
        if !texts.any(|source| has(&source) && source.contains("test]")) {
            missing.push(code);
        }
    }
    assert!(found > 50, "the table names tests");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// The messages of docs/troubleshooting.md are those of the program: the first column of tables whose first title is
/// `message`.
#[test]
fn every_message_that_is_explained_is_one() {
    let root = repository();
    let text = fs::read_to_string(root.join("docs/troubleshooting.md")).expect("there is one");
    let sources: String = files(&root.join("crates"), ".rs")
        .iter()
        .filter(|path| path.components().any(|part| part.as_os_str() == "src"))
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect();
    // Texts that go on in the next line.
    let sources: Vec<&str> = sources.split("\\\n").map(str::trim_start).collect();
    let sources = sources.concat();
    let mut found = 0;
    let mut is_message = false;
    for line in text.lines() {
        let first = line.split('|').nth(1).unwrap_or_default().trim();
        match first {
            "" => is_message = false,
            "message" => is_message = true,
            _ if is_message => {
                for part in first.split('`').skip(1).step_by(2) {
                    found += 1;
                    assert!(sources.contains(part), "nothing says `{part}`");
                }
            }
            _ => {}
        }
    }
    assert!(found > 15, "messages are explained");
}
