//! What the tests share: entries, and the promises that hold for every file.

use charmer_clients::{
    Change, ClientFile, FileError, FileLanguage, KnownClient, Scope, ServerEntry,
};

/// A server such as ours.
pub(crate) fn entry() -> ServerEntry {
    ServerEntry::new("git", "/opt/my tools/charmer")
        .args([
            "serve",
            "git",
            "--folder",
            "/home/me/a \"b\" \\ c",
            "",
            "ü: #x",
        ])
        .env("PATH", "/usr/bin:/bin")
        .env("TOKEN", "a'b\"c\nd")
}

/// A file of a client's with these bytes.
pub(crate) fn file(client: &str, bytes: Option<&[u8]>) -> Result<ClientFile, FileError> {
    ClientFile::from_bytes(
        KnownClient::find(client).expect("tests name clients of the table"),
        Scope::User,
        "config",
        bytes.map(<[u8]>::to_vec),
    )
}

fn after(change: &Change) -> Option<&[u8]> {
    change.after()
}

/// Adds an entry, checks every promise and returns the bytes that the file then has.
#[track_caller]
pub(crate) fn promises(client: &str, before: Option<&[u8]>, entry: &ServerEntry) -> String {
    let show =
        |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    let original = file(client, before).expect("the file can be read");
    let had = original.entry(&entry.name);
    let change = original.add(entry).expect("the entry can be added");
    let added = after(&change).map(<[u8]>::to_vec);
    let text = show(added.as_deref()).expect("a file with an entry exists");

    let with = file(client, added.as_deref()).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(
        with.entry(&entry.name).as_ref(),
        Some(entry),
        "read back from\n{text}"
    );
    let others = |file: &ClientFile| {
        let mut entries = file.entries();
        entries.retain(|other| other.name != entry.name);
        entries
    };
    assert_eq!(others(&with), others(&original), "other servers in\n{text}");

    if let Some((key, before)) = before.and_then(|before| Some((yaml_key(client)?, before))) {
        let rest = |text: &[u8]| {
            let text = std::str::from_utf8(text).expect("it is text");
            let text = text.trim_start_matches('\u{feff}');
            let mut map = serde_saphyr::from_str::<serde_json::Map<_, _>>(text).ok()?;
            map.shift_remove(key);
            Some(map)
        };
        // By another reader of YAML, as far as it takes the file at all.
        if let Some(expected) = rest(before).filter(|map| !map.is_empty()) {
            assert_eq!(
                rest(text.as_bytes()),
                Some(expected),
                "other keys in\n{text}"
            );
        }
    }

    let again = with.add(entry).expect("the entry can be added again");
    assert!(again.is_nothing(), "adding twice changed\n{}", again.diff());

    let removed = with.remove(&entry.name).expect("the entry can be removed");
    if had.is_none() {
        assert_eq!(show(after(&removed)), show(before), "removed from\n{text}");
        assert!(
            is_insertion(
                before.unwrap_or_default(),
                added.as_deref().unwrap_or_default()
            ),
            "something was taken out of the file:\n{text}"
        );
    }
    text
}

/// The key of the servers, for clients whose files are YAML.
fn yaml_key(client: &str) -> Option<&'static str> {
    let client = KnownClient::find(client).ok()?;
    (client.syntax() == FileLanguage::Yaml).then(|| client.key())
}

/// Whether all bytes of one text are in another, in their order.
fn is_insertion(before: &[u8], after: &[u8]) -> bool {
    let mut rest = after.iter();
    before.iter().all(|byte| rest.any(|other| other == byte))
}

/// Adds three servers and removes them in several orders, each of which must give back the file.
#[track_caller]
pub(crate) fn any_order(client: &str, before: Option<&[u8]>) {
    let names = ["x", "y", "z"];
    let mut added = before.map(<[u8]>::to_vec);
    for name in names {
        let file = file(client, added.as_deref()).expect("the file can be read");
        let server = ServerEntry::new(format!("charmer-{name}"), name);
        let change = file.add(&server).expect("the entry can be added");
        added = change.after().map(<[u8]>::to_vec);
    }
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut left = added.clone();
        for index in order {
            let file = file(client, left.as_deref()).expect("the file can be read");
            let change = file
                .remove(&format!("charmer-{}", names[index]))
                .expect("the entry can be removed");
            left = change.after().map(<[u8]>::to_vec);
        }
        let show =
            |bytes: Option<&[u8]>| bytes.map(|bytes| String::from_utf8_lossy(bytes).into_owned());
        assert_eq!(
            show(left.as_deref()),
            show(before),
            "removed in the order {order:?} from\n{}",
            show(added.as_deref()).unwrap_or_default()
        );
    }
}
