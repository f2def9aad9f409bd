//! The pages in `docs/clients`, which are written from the table of clients.
//!
//!     UPDATE_PAGES=1 cargo test -p charmer-clients --test it pages::

use std::{collections::BTreeMap, fmt::Write, path::PathBuf};

use charmer_clients::{FileLanguage, KnownClient, Location, Scope, ServerEntry};

const MADE: &str =
    "<!-- Written from crates/charmer-clients/src/table.rs by tests/it/pages.rs; edit that. -->\n";

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/clients")
}

fn example() -> ServerEntry {
    ServerEntry::new("kubectl", "/usr/local/bin/charmer")
        .args([
            "serve",
            "/usr/local/bin/kubectl",
            "--read-only",
            "--folder=/home/me/site",
        ])
        .env("PATH", "/usr/local/bin:/usr/bin:/bin")
}

/// The files of one scope: one line where they are the same everywhere, otherwise one a platform.
fn files(client: &KnownClient, scope: Scope) -> Vec<(String, Vec<String>)> {
    let mut by_platform: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for Location {
        scope: of,
        platform,
        path,
        ..
    } in client.locations()
    {
        if of == scope {
            let platform = platform.map_or("", |platform| platform.title());
            by_platform
                .entry(platform)
                .or_default()
                .push(format!("`{path}`"));
        }
    }
    let mut lines: Vec<(String, Vec<String>)> = Vec::new();
    for (platform, paths) in by_platform {
        match lines.iter_mut().find(|(_, known)| *known == paths) {
            Some((platforms, _)) => *platforms = format!("{platforms}, {platform}"),
            None => lines.push((platform.to_owned(), paths)),
        }
    }
    lines
}

fn page(client: &KnownClient) -> String {
    let (id, title) = (client.id(), client.title());
    let mut text = format!(
        "{MADE}# {title}\n\n```sh\ncharmer add kubectl --to {id} --read-only\n```\n\n{}\n\n",
        client.next_step()
    );
    text.push_str(
        "The entry stands in one of these files; of several, the first that is there:\n\n",
    );
    for scope in [Scope::User, Scope::Project] {
        let whose = match scope {
            Scope::User => "yours",
            Scope::Project => "of the folder, with `--scope project`",
        };
        for (platform, paths) in files(client, scope) {
            let on = if platform.is_empty() {
                String::new()
            } else {
                format!(", on {platform}")
            };
            writeln!(text, "- {whose}{on}: {}", paths.join(", ")).expect("text grows");
        }
    }
    let language = match client.syntax() {
        FileLanguage::Toml => "toml",
        FileLanguage::Yaml => "yaml",
        _ => "json",
    };
    let entry = client.entry_text(Scope::User, &example());
    write!(text, "\nIt looks like this (`charmer add kubectl --to {id} --print` prints yours):\n\n```{language}\n{entry}```\n")
        .expect("text grows");
    if client.link(&example()).is_some() {
        write!(text, "\n`charmer add kubectl --to {id} --link` prints a link that adds it when it is opened.\n")
            .expect("text grows");
    }
    if client.is_graphical() {
        write!(
            text,
            "\n{title} starts servers with few variables: `--env NAME` passes one of yours on, and `charmer doctor` starts the \
             server as {title} does.\n"
        )
        .expect("text grows");
    }
    if !client.note().is_empty() {
        write!(text, "\n{}\n", client.note()).expect("text grows");
    }
    write!(
        text,
        "\n`charmer remove kubectl --from {id}` gives the file back as it was.\n"
    )
    .expect("text grows");
    text
}

fn index() -> String {
    let mut text = format!(
        "{MADE}# Clients\n\n`charmer add PROGRAM --to CLIENT` writes one entry into the client's own file and leaves every other byte \
         as it is; `charmer remove NAME --from CLIENT` gives the file back. `charmer list` shows the clients on a machine, \
         `charmer doctor` starts their servers as they do.\n\n| client | `--to` | `--scope project` | link |\n|---|---|---|---|\n"
    );
    for client in KnownClient::all() {
        let yes = |there: bool| if there { "yes" } else { "" };
        let (id, title) = (client.id(), client.title());
        let project = yes(client.has_scope(Scope::Project));
        let link = yes(client.link(&example()).is_some());
        writeln!(text, "| [{title}]({id}.md) | `{id}` | {project} | {link} |").expect("text grows");
    }
    text
}

#[test]
fn the_pages_say_what_the_table_says() {
    let pages = KnownClient::all()
        .iter()
        .map(|client| (format!("{}.md", client.id()), page(client)));
    let pages: BTreeMap<String, String> =
        pages.chain([("README.md".to_owned(), index())]).collect();
    if std::env::var_os("UPDATE_PAGES").is_some() {
        std::fs::create_dir_all(folder()).expect("it can be made");
        for (name, text) in &pages {
            std::fs::write(folder().join(name), text).expect("it can be written");
        }
    }
    for (name, text) in &pages {
        let there = std::fs::read_to_string(folder().join(name)).unwrap_or_default();
        assert_eq!(
            &there, text,
            "docs/clients/{name} is old: UPDATE_PAGES=1 cargo test -p charmer-clients writes it"
        );
    }
    let files = std::fs::read_dir(folder()).expect("it is there");
    for file in files {
        let name = file
            .expect("it is there")
            .file_name()
            .to_string_lossy()
            .into_owned();
        assert!(
            pages.contains_key(&name),
            "docs/clients/{name} is of no client"
        );
    }
}
