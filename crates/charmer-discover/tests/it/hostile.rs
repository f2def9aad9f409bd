//! Whole walks through programs that do what they can to stop them. Each ends, says what it could not read, and leaves
//! nothing behind: every walk has a folder for temporary files of its own, which is empty in the end.

use std::{collections::BTreeSet, fs, time::Duration};

use charmer_core::model::{Command, CommandPath};
use charmer_discover::{
    DiscoverError, DiscoverOptions, Discoverer, Discovery, Gap, discover, probe::ProbeOptions,
};
use tempfile::TempDir;

use crate::support::{HANG, Hostile, gone, hostile, patient, said_of as warnings, sandboxed};

/// A walk, which must come to its end.
async fn walk(hostile: &Hostile, mut probe: ProbeOptions) -> Result<Discovery, DiscoverError> {
    let temporary = TempDir::new().expect("a folder");
    probe.environment.retain(|(name, _)| name != "TMPDIR");
    let folder = ("TMPDIR".into(), temporary.path().into());
    probe.environment.push(folder);
    let mut options = DiscoverOptions::default();
    options.probe = probe;
    let read = discover(&hostile.program, &options);
    let found = tokio::time::timeout(HANG * 3, read).await.expect("it hung");
    let left = fs::read_dir(temporary.path()).expect("a folder");
    assert_eq!(left.count(), 0, "something was left behind");
    found
}

async fn found(hostile: &Hostile, probe: ProbeOptions) -> Discovery {
    walk(hostile, probe).await.expect("it can be read")
}

/// The paths of all commands, without the root.
fn paths(found: &Discovery) -> BTreeSet<String> {
    fn visit(command: &Command, path: &CommandPath, all: &mut BTreeSet<String>) {
        for child in &command.commands {
            let path = path.child(child.name.as_str());
            assert!(all.insert(path.to_string()), "`{path}` is there twice");
            visit(child, &path, all);
        }
    }
    let mut all = BTreeSet::new();
    visit(&found.cli.root, &CommandPath::root(), &mut all);
    all
}

fn flags(command: &Command) -> Vec<&str> {
    command.flags.iter().map(|flag| flag.id.as_str()).collect()
}

/// With and without the sandbox, impatient.
fn quick() -> [ProbeOptions; 2] {
    [patient(), sandboxed()].map(|mut options| {
        options.timeout = Duration::from_millis(300);
        options
    })
}

#[tokio::test]
async fn one_that_hangs_is_given_up_with_a_reason() {
    for options in quick() {
        let error = walk(&hostile("hangs"), options).await;
        let error = error.expect_err("there is nothing to read");
        assert!(matches!(error, DiscoverError::NoHelp { .. }), "{error:?}");
        let said = error.to_string();
        assert!(
            said.ends_with("hangs` shows no help that could be read: it did not answer in time"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn one_that_floods_is_given_up_with_a_reason() {
    for mut options in quick() {
        // It must have come to write so much.
        options.timeout = Duration::from_secs(2);
        options.output = 100_000;
        let error = walk(&hostile("floods"), options).await;
        let said = error.expect_err("there is nothing to read").to_string();
        assert!(
            said.ends_with("floods` shows no help that could be read: it did not stop writing"),
            "{said}"
        );
    }
}

#[tokio::test]
async fn one_that_rambles_is_not_repeated_at_length() {
    let error = walk(&hostile("rambles"), patient()).await;
    let said = error.expect_err("there is nothing to read").to_string();
    assert!(said.contains("shows no help that could be read"), "{said}");
    assert!(said.len() < 1_000, "{}", said.len());
}

#[tokio::test]
async fn one_that_is_not_there_is_an_error_that_says_so() {
    let folder = TempDir::new().expect("a folder");
    let missing = folder.path().join("missing");
    let options = DiscoverOptions::default();
    let error = discover(&missing, &options).await.expect_err("nothing");
    assert!(
        matches!(error, DiscoverError::NotStarted { .. }),
        "{error:?}"
    );
    assert!(error.to_string().contains("could not be started: "));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn grandchildren_neither_delay_a_walk_nor_survive_it() {
    for options in [patient(), sandboxed()] {
        let found = found(&hostile("forks"), options).await;
        assert_eq!(paths(&found), ["first", "second"].map(Into::into).into());
        assert_eq!(warnings(&found), [] as [&str; 0]);
        let said = serde_json::to_string(&found).expect("JSON");
        let ids: Vec<&str> = said
            .split("grandchild ")
            .skip(1)
            .map(|rest| {
                rest.split(|c: char| !c.is_ascii_digit())
                    .next()
                    .unwrap_or_default()
            })
            .collect();
        assert!(ids.len() >= 3, "every command has one: {said}");
        for id in ids {
            gone(id).await;
        }
    }
}

#[tokio::test]
async fn what_is_written_goes_and_nothing_is_written_elsewhere() {
    for options in [patient(), sandboxed()] {
        let outside = TempDir::new().expect("a folder");
        let sandbox = options.sandbox.is_some();
        let hostile = hostile("writes").knows(outside.path().to_str().expect("UTF-8"));
        let found = found(&hostile, options).await;
        assert_eq!(paths(&found), ["first", "second"].map(Into::into).into());
        let said = found.cli.root.long_about.as_deref().unwrap_or_default();
        assert!(said.contains("home written\nwork written\n"), "{said}");
        let open = found.warnings.iter().any(|warning| {
            warning.message.contains("not kept from writing")
                || warning.message.contains("not sandboxed")
        });
        let written = outside.path().join("hostile-was-here").exists();
        assert!(open || !written, "{said}");
        assert!(
            sandbox || open,
            "without a sandbox it is said that there is none"
        );
    }
}

#[tokio::test]
async fn of_ten_megabytes_of_help_the_ends_are_read_and_little_is_kept() {
    let found = found(&hostile("huge"), patient()).await;
    let names = flags(&found.cli.root);
    assert!(names.contains(&"first"), "{names:?}");
    assert!(names.contains(&"last"), "{names:?}");
    let size = serde_json::to_string(&found).expect("JSON").len();
    assert!(size < 200_000, "{size}");
    let said = warnings(&found);
    let cut = ": its help is too long to be read whole; flags or commands may be missing";
    let spoken_of = ": its help speaks of commands, but none of them could be read";
    assert_eq!(said, [cut, spoken_of]);
}

#[tokio::test]
async fn a_tree_that_leads_back_into_itself_ends() {
    let cycle = found(&hostile("cycle"), patient()).await;
    assert_eq!(paths(&cycle), ["a", "a b"].map(Into::into).into());
    let said = "a b a: it lists the same commands as `a`, so it was not followed";
    assert_eq!(warnings(&cycle), [said]);
    assert!(cycle.spawned < 12, "{}", cycle.spawned);

    // Here the usage line shows that it is another command.
    let aliases = found(&hostile("alias-cycle"), patient()).await;
    assert_eq!(paths(&aliases), ["a"].map(Into::into).into());
    assert!(aliases.spawned < 12, "{}", aliases.spawned);
}

#[tokio::test]
async fn nothing_that_only_terminals_or_machines_see_is_in_the_model() {
    let found = found(&hostile("paints"), sandboxed()).await;
    assert_eq!(paths(&found), ["brush"].map(Into::into).into());
    assert_eq!(flags(&found.cli.root), ["colour", "verbose"]);
    assert_eq!(flags(&found.cli.root.commands[0]), ["colour", "verbose"]);
    // As values, because JSON would write control characters as plain ones.
    fn visit(value: &serde_json::Value) {
        match value {
            serde_json::Value::String(text) => plain(text),
            serde_json::Value::Array(items) => items.iter().for_each(visit),
            serde_json::Value::Object(fields) => fields.iter().for_each(|(name, value)| {
                plain(name);
                visit(value);
            }),
            _ => {}
        }
    }
    fn plain(text: &str) {
        let odd = |c: char| {
            (c.is_control() && c != '\n' && c != '\t')
                || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
        };
        assert!(!text.contains(odd), "{text:?}");
        assert!(
            !text.contains("owned") && !text.contains("aGk="),
            "{text:?}"
        );
    }
    visit(&serde_json::to_value(&found).expect("JSON"));
}

#[tokio::test]
async fn a_command_that_does_not_answer_is_lost_alone_and_said() {
    let mut options = sandboxed();
    options.timeout = Duration::from_secs(10);
    let found = found(&hostile("moody"), options).await;
    assert_eq!(paths(&found), ["fine", "good"].map(Into::into).into());
    assert_eq!(
        warnings(&found),
        [
            "crashes: its help could not be read: it crashed",
            "fails: its help could not be read: it said `fails: out of luck` (exit code 3)",
            "floods: its help could not be read: it did not stop writing",
            "hangs: its help could not be read: it did not answer in time",
        ]
    );
    let gaps: Vec<_> = found
        .gaps()
        .map(|gap| (gap.path.to_string(), gap.gap))
        .collect();
    let expected = [
        ("crashes", Gap::Passing),
        ("fails", Gap::Lasting),
        ("floods", Gap::Passing),
        ("hangs", Gap::Passing),
    ];
    let expected = expected.map(|(path, gap)| (path.to_owned(), Some(gap)));
    assert_eq!(BTreeSet::from_iter(gaps), BTreeSet::from(expected));
    assert!(!found.complete);
}

#[tokio::test]
async fn one_whose_commands_all_hang_is_not_waited_for() {
    let mut options = patient();
    // Its own help must come in time.
    options.timeout = Duration::from_secs(2);
    options.hangs = 6;
    let found = found(&hostile("sulks"), options).await;
    assert_eq!(paths(&found), BTreeSet::new());
    let said = warnings(&found);
    let root = said.first().map(String::as_str).unwrap_or_default();
    assert!(
        root.starts_with(
            ": it did not answer in time again and again, so it was not asked any more: "
        ),
        "{said:?}"
    );
    assert!(said.len() < 10, "{said:?}");
    assert!(found.spawned < 20, "{}", found.spawned);
}

#[tokio::test]
async fn five_thousand_commands_are_all_found() {
    let hostile = hostile("many");
    let mut options = DiscoverOptions::default();
    options.probe = patient();
    let discoverer = Discoverer::new(&hostile.program, options);
    let read = tokio::time::timeout(HANG * 3, discoverer.run()).await;
    let found = read.expect("it hung").expect("it can be read");
    let paths = paths(&found);
    assert_eq!(paths.len(), 50 + 5_000);
    assert!(paths.contains("group49 leaf99"));
    assert_eq!(warnings(&found), [] as [&str; 0]);
    assert_eq!(discoverer.progress(), (5_051, 5_051));
    let groups = &found.cli.root.commands;
    let leaves = groups.iter().flat_map(|group| &group.commands);
    assert!(
        leaves
            .clone()
            .all(|leaf| flags(leaf) == ["count", "force", "name"])
    );
    assert_eq!(leaves.count(), 5_000);
    // They all share their flags, so one start for each of them is nearly enough.
    let asked = found.spawned - 5_051;
    assert!(asked < 100, "{asked}");
}

#[tokio::test]
async fn more_commands_than_are_wanted_are_left_out_and_said() {
    let hostile = hostile("many");
    let mut options = DiscoverOptions::default();
    options.probe = patient();
    options.commands = 60;
    let read = tokio::time::timeout(HANG * 3, discover(&hostile.program, &options)).await;
    let found = read.expect("it hung").expect("it can be read");
    assert_eq!(paths(&found).len(), 59);
    let said = ": it has more than 60 commands; the rest was left out";
    assert_eq!(warnings(&found), [said]);
}
