//! Files on disk: made, changed, deleted, and left alone when somebody else is at them.

use std::{cell::Cell, fs, path::Path};

use charmer_clients::{ClientFile, FileError, KnownClient, Scope, Written};

use crate::support::entry;

fn cursor() -> &'static KnownClient {
    KnownClient::find("cursor").expect("it is in the table")
}

fn read(path: &Path) -> ClientFile {
    ClientFile::read(cursor(), Scope::User, path).expect("it can be read")
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .expect("the folder is there")
        .map(|item| {
            item.expect("it can be listed")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

#[test]
fn a_file_is_made_changed_and_deleted() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("a/b/mcp.json");
    let edit =
        |path: &Path| ClientFile::edit(cursor(), Scope::User, path, |file| file.add(&entry()));
    assert_eq!(edit(&path).expect("it is written"), Written::Created);
    assert_eq!(
        edit(&path).expect("nothing is to be done"),
        Written::Nothing
    );
    assert_eq!(read(&path).entry("git"), Some(entry()));
    assert_eq!(names(path.parent().expect("it has one")), ["mcp.json"]);

    let mut other = entry();
    other.command = "another".to_owned();
    let change = read(&path).add(&other).expect("it can be added");
    assert_eq!(change.write().expect("it is written"), Written::Changed);
    let change = read(&path).remove("git").expect("it can be removed");
    assert!(change.diff().contains("+++ /dev/null"), "{}", change.diff());
    assert_eq!(change.write().expect("it is deleted"), Written::Deleted);
    assert!(names(path.parent().expect("it has one")).is_empty());

    let nothing = read(&path)
        .remove("git")
        .expect("there is nothing to remove");
    assert!(nothing.is_nothing() && nothing.diff().is_empty());
}

#[test]
fn a_change_that_comes_between_is_noticed() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("mcp.json");
    let others = [None, Some("{}"), Some("{ }"), Some("")];
    for before in others {
        for after in others {
            for remove in [false, true] {
                let set = |text: Option<&str>| match text {
                    Some(text) => fs::write(&path, text).expect("it is written"),
                    None => drop(fs::remove_file(&path)),
                };
                set(before);
                let change = if remove {
                    let with = read(&path).add(&entry()).expect("it can be added");
                    with.write().expect("it is written");
                    read(&path).remove("git").expect("it can be removed")
                } else {
                    read(&path).add(&entry()).expect("it can be added")
                };
                set(after);
                let written = change.write();
                if remove || before != after {
                    let error = written.expect_err("somebody else was there");
                    assert!(error.is_changed_meanwhile(), "{error}");
                    assert_eq!(fs::read_to_string(&path).ok().as_deref(), after);
                    assert!(
                        names(folder.path()).len() <= 1,
                        "nothing is left lying about"
                    );
                } else {
                    written.expect("nobody was there");
                }
            }
        }
    }
}

#[test]
fn an_edit_is_tried_again_on_what_others_wrote() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("mcp.json");
    let theirs = r#"{"mcpServers": {"a": {"command": "x"}}}"#;
    let tries = Cell::new(0);
    ClientFile::edit(cursor(), Scope::User, &path, |file| {
        tries.set(tries.get() + 1);
        let change = file.add(&entry());
        if tries.get() == 1 {
            fs::write(&path, theirs).expect("it is written");
        }
        change
    })
    .expect("the second try succeeds");
    assert_eq!(tries.get(), 2);
    let servers: Vec<_> = read(&path)
        .entries()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(servers, ["a", "git"]);

    // Somebody who never stops is not waited for.
    let endless = ClientFile::edit(cursor(), Scope::User, &path, |file| {
        tries.set(tries.get() + 1);
        let change = file.remove("git");
        fs::write(&path, format!("{theirs}{}", " ".repeat(tries.get()))).expect("it is written");
        change.and_then(|_| {
            file.add(&{
                let mut entry = entry();
                entry.command = "y".to_owned();
                entry
            })
        })
    });
    assert!(endless.expect_err("it gives up").is_changed_meanwhile());
}

#[test]
fn a_file_that_cannot_be_understood_stays() {
    let folder = tempfile::tempdir().expect("there is room");
    for (client, text) in [
        (
            "cursor",
            "{\n  \"mcpServers\": {\n    \"a\": {\"command\": \"ü\" \"b\"}\n  }\n}\n",
        ),
        ("cursor", "{\"mcpServers\": []}"),
        ("cursor", "{\"mcpServers\": \"x\"}"),
        ("cursor", "{\"mcpServers\": null}"),
        ("cursor", "[]"),
        ("cursor", "{} {}"),
        ("codex", "[mcp_servers\n"),
        ("codex", "a = 1\na = 2\n"),
        ("codex", "mcp_servers = \"x\"\n"),
        ("codex", "[[mcp_servers]]\nx = 1\n"),
        ("goose", "extensions: [a]\n"),
        ("goose", "extensions: x\n"),
        ("goose", "extensions: ~\n"),
        ("goose", "a: 1\n---\nb: 2\n"),
        ("goose", "a: {\n"),
        ("goose", "extensions:\n\ta: 1\n"),
        ("goose", "a: *missing\n"),
        ("goose", "- a\n"),
        ("continue", "mcpServers: {}\n"),
        ("continue", "a: &x [1]\nmcpServers: *x\n"),
    ] {
        let client = KnownClient::find(client).expect("it is in the table");
        let path = folder.path().join("config");
        fs::write(&path, text).expect("it is written");
        let error = ClientFile::edit(client, Scope::User, &path, |file| file.add(&entry()))
            .expect_err("there is no place for servers");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
        let (shown, summary) = (error.to_string(), error.summary());
        let line = match &error {
            FileError::Unreadable { line, picture, .. }
            | FileError::Shape { line, picture, .. } => {
                assert!(picture.contains('^'), "{picture}");
                *line
            }
            other => panic!("{other}"),
        };
        let source = text.lines().nth(line - 1).unwrap_or_default().trim();
        assert!(shown.contains(source), "{shown}");
        assert!(summary.contains(&format!("config:{line}:")), "{summary}");
        assert!(!summary.contains('\n'), "{summary}");
    }
    let path = folder.path().join("config");
    fs::write(&path, b"{\"a\": \"\xff\"}").expect("it is written");
    let error = ClientFile::read(cursor(), Scope::User, &path).expect_err("it is no text");
    assert!(matches!(error, FileError::NotText { .. }), "{error}");
    let error = ClientFile::read(cursor(), Scope::User, folder.path()).expect_err("it is a folder");
    assert!(matches!(error, FileError::Read { .. }), "{error}");
}

#[test]
fn the_picture_of_a_long_line_is_short_and_right() {
    let text = format!("{{\"a\": \"{}\", \"b\": x}}", "ü".repeat(5000));
    let error = ClientFile::from_bytes(cursor(), Scope::User, "mcp.json", Some(text.into_bytes()))
        .expect_err("`x` is no value");
    let FileError::Unreadable {
        line,
        column,
        picture,
        ..
    } = error
    else {
        panic!("{error}");
    };
    assert_eq!((line, column), (1, 5016));
    assert!(picture.contains("mcp.json:1:5016"), "{picture}");
    assert!(picture.len() < 1000, "{picture}");
}

#[test]
fn deep_nesting_is_refused_and_not_a_crash() {
    for (client, text) in [
        ("cursor", "[".repeat(100_000)),
        ("cursor", "{\"a\":".repeat(100_000)),
        ("codex", format!("a = {}", "[".repeat(100_000))),
        ("goose", "[".repeat(100_000)),
        ("goose", format!("{}x", "- ".repeat(100_000))),
        (
            "goose",
            (0..3000)
                .map(|depth| format!("{}a:\n", " ".repeat(depth)))
                .collect(),
        ),
    ] {
        let client = KnownClient::find(client).expect("it is in the table");
        ClientFile::from_bytes(client, Scope::User, "config", Some(text.into_bytes()))
            .expect_err("nobody writes that");
    }
}

#[cfg(unix)]
#[test]
fn of_many_who_write_at_once_none_is_lost() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("mcp.json");
    fs::write(&path, "{}").expect("it is written");
    std::thread::scope(|scope| {
        for number in 0..8 {
            let path = &path;
            scope.spawn(move || {
                let mut entry = entry();
                entry.name = format!("n{number}");
                let add = || ClientFile::edit(cursor(), Scope::User, path, |file| file.add(&entry));
                while let Err(error) = add() {
                    assert!(error.is_changed_meanwhile(), "{error}");
                }
            });
        }
    });
    assert_eq!(read(&path).entries().len(), 8);
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path)
            .expect("it is there")
            .permissions()
            .mode()
            & 0o7777
    }

    #[test]
    fn links_stay_links() {
        let folder = tempfile::tempdir().expect("there is room");
        let real = folder.path().join("dotfiles/real.json");
        fs::create_dir(folder.path().join("dotfiles")).expect("it is made");
        symlink("dotfiles/real.json", folder.path().join("second")).expect("it is made");
        let link = folder.path().join("first");
        symlink("second", &link).expect("it is made");

        // The link leads nowhere yet.
        let change = read(&link).add(&entry()).expect("it can be added");
        assert_eq!(change.write().expect("it is written"), Written::Created);
        assert_eq!(read(&real).entry("git"), Some(entry()));
        let mut other = entry();
        other.name = "other".to_owned();
        let change = read(&link).add(&other).expect("it can be added");
        assert_eq!(change.write().expect("it is written"), Written::Changed);
        assert!(
            fs::symlink_metadata(&link)
                .expect("it is there")
                .is_symlink()
        );
        assert_eq!(read(&real).entries().len(), 2);
        for name in ["git", "other"] {
            read(&link)
                .remove(name)
                .expect("it can be removed")
                .write()
                .expect("it is written");
        }
        assert!(
            fs::symlink_metadata(&link)
                .expect("it is there")
                .is_symlink()
        );
        assert!(!real.exists());

        let circle = folder.path().join("circle");
        symlink("circle", &circle).expect("it is made");
        ClientFile::read(cursor(), Scope::User, &circle).expect_err("it leads nowhere");
    }

    #[test]
    fn the_mode_is_kept_and_new_files_are_private() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("mcp.json");
        for wanted in [0o644, 0o600, 0o664, 0o755] {
            fs::write(&path, "{}").expect("it is written");
            fs::set_permissions(&path, fs::Permissions::from_mode(wanted)).expect("it is set");
            let change = read(&path).add(&entry()).expect("it can be added");
            change.write().expect("it is written");
            assert_eq!(mode(&path), wanted);
        }
        let before = fs::metadata(&path).expect("it is there");
        let new = folder.path().join("new.json");
        let change = read(&new).add(&entry()).expect("it can be added");
        change.write().expect("it is written");
        assert_eq!(mode(&new), 0o600);
        let after = fs::metadata(&path).expect("it is there");
        assert_eq!((before.uid(), before.gid()), (after.uid(), after.gid()));

        let shared = folder.path().join("shared.json");
        let file = ClientFile::read(cursor(), Scope::Project, &shared).expect("it can be read");
        file.add(&entry())
            .expect("it can be added")
            .write()
            .expect("it is written");
        let usual = folder.path().join("usual");
        fs::write(&usual, "").expect("it is written");
        assert_eq!(mode(&shared), mode(&usual));
    }

    #[test]
    fn a_read_only_file_stays() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("mcp.json");
        fs::write(&path, "{}").expect("it is written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).expect("it is set");
        let change = read(&path).add(&entry()).expect("it can be added");
        let error = change.write().expect_err("it is not to be written");
        assert!(error.to_string().contains("read-only"), "{error}");
        assert_eq!(fs::read_to_string(&path).expect("it is there"), "{}");
        assert_eq!(names(folder.path()), ["mcp.json"]);
    }

    #[test]
    fn another_owner_is_kept() {
        let folder = tempfile::tempdir().expect("there is room");
        let path = folder.path().join("mcp.json");
        fs::write(&path, "{}").expect("it is written");
        // Only root may give files away; others have nothing to lose here.
        if std::os::unix::fs::chown(&path, Some(12345), Some(23456)).is_err() {
            return;
        }
        let change = read(&path).add(&entry()).expect("it can be added");
        change.write().expect("it is written");
        let metadata = fs::metadata(&path).expect("it is there");
        assert_eq!((metadata.uid(), metadata.gid()), (12345, 23456));
    }
}
