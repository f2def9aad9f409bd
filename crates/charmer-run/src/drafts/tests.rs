//! Drafts whose upper folders are written by hand, as the kernel leaves them; applied, refused, interrupted.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};
use tempfile::TempDir;

use crate::{CallError, Redactor};

use super::{
    Applier, Draft, DraftRequest, DraftRules, DraftedBy, Drafts, apply::stage,
    journal::ApplyJournal, record::upper, run::read, store::OpenDraft,
};

const ANN: Option<&str> = Some("ann");

/// A folder with files, and drafts of it.
struct Drafted {
    drafts: Drafts,
    folder: PathBuf,
    kept: PathBuf,
    _home: TempDir,
}

fn drafted(rules: DraftRules) -> Drafted {
    let home = TempDir::new().expect("a folder");
    let root = home.path().canonicalize().expect("it is there");
    let (folder, kept) = (root.join("work"), root.join("drafts"));
    fs::create_dir_all(folder.join("sub/deep")).expect("a folder");
    for (file, text) in [
        ("a.txt", "one\ntwo\n"),
        ("b.txt", "bee\n"),
        ("sub/c.txt", "sea\n"),
        ("sub/deep/d.txt", "dee\n"),
    ] {
        fs::write(folder.join(file), text).expect("a file");
    }
    let secret = Redactor::new(["hunter2"], [] as [&str; 0]).expect("no patterns");
    Drafted {
        drafts: Drafts::new(vec![kept.clone()], rules, secret, false),
        folder,
        kept,
        _home: home,
    }
}

impl Drafted {
    fn begin(&self) -> OpenDraft {
        let wish = DraftRequest::new(DraftedBy::Caller);
        let folders = [self.folder.clone()];
        self.drafts
            .begin(&wish, "ann", &folders)
            .expect("there is room")
    }

    /// A draft whose changes are made by this, in its upper folder.
    fn draft(&self, change: impl FnOnce(&Path)) -> Draft {
        let mut open = self.begin();
        change(&upper(&open.place, 0));
        let changes = read(&mut open, SystemTime::now()).expect("it can be read");
        self.drafts.shown(&open, &changes)
    }

    fn apply(&self, id: &str) -> Result<String, CallError> {
        let applied = self.drafts.apply(id, ANN, Applier::Assistant, None);
        applied.map(|applied| applied.told())
    }

    fn text(&self, file: &str) -> Option<String> {
        fs::read_to_string(self.folder.join(file)).ok()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.folder).expect("it is there").flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

fn gone(path: PathBuf) {
    mknodat(CWD, path, FileType::CharacterDevice, Mode::empty(), 0).expect("a mark");
}

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    fs::write(path, text).expect("a file");
}

#[test]
fn what_was_changed_is_told_and_applied_and_nothing_is_left_behind() {
    let work = drafted(DraftRules::default());
    let draft = work.draft(|upper| {
        write(upper.join("a.txt"), "one\nhunter2\n");
        write(upper.join("new/x.txt"), "ex\n");
        fs::create_dir(upper.join("empty")).expect("a folder");
        symlink("a.txt", upper.join("link")).expect("a link");
        gone(upper.join("b.txt"));
        gone(upper.join("sub"));
        fs::hard_link(upper.join("new/x.txt"), upper.join("new/y.txt")).expect("a name");
        fs::set_permissions(upper.join("a.txt"), fs::Permissions::from_mode(0o755)).expect("ours");
    });
    assert_eq!(draft.created, ["empty/", "link", "new/x.txt", "new/y.txt"]);
    assert_eq!(draft.changed, ["a.txt"]);
    assert_eq!(draft.deleted, ["b.txt", "sub/c.txt", "sub/deep/d.txt"]);
    assert_eq!(draft.links, [("link".to_owned(), "a.txt".to_owned())]);
    assert_eq!(draft.modes.len(), 1);
    assert!(
        draft.diff.contains("-two") && !draft.diff.contains("hunter2"),
        "{}",
        draft.diff
    );
    assert_eq!(work.text("a.txt").as_deref(), Some("one\ntwo\n"));

    assert!(work.apply(&draft.id).is_ok());
    assert_eq!(work.names(), ["a.txt", "empty", "link", "new"]);
    assert_eq!(work.text("a.txt").as_deref(), Some("one\nhunter2\n"));
    let mode = fs::metadata(work.folder.join("a.txt"))
        .expect("it is there")
        .mode();
    assert_eq!(mode & 0o777, 0o755);
    let number = |file: &str| {
        fs::metadata(work.folder.join(file))
            .expect("it is there")
            .ino()
    };
    assert_eq!(number("new/x.txt"), number("new/y.txt"));
    assert!(work.apply(&draft.id).is_err(), "it is gone");
    assert!(work.drafts.list(None).is_empty());
}

#[test]
fn a_change_underneath_or_another_draft_is_a_conflict_and_changes_nothing() {
    let work = drafted(DraftRules::default());
    let make = || {
        work.draft(|upper| {
            write(upper.join("a.txt"), "mine\n");
            write(upper.join("made.txt"), "made\n");
            gone(upper.join("sub"));
        })
    };
    // Another content of the same length, with the same time.
    let draft = make();
    let file = work.folder.join("a.txt");
    let time = fs::metadata(&file)
        .expect("it is there")
        .modified()
        .expect("it has one");
    fs::write(&file, "ONE\ntwo\n").expect("ours");
    fs::File::options()
        .write(true)
        .open(&file)
        .and_then(|file| file.set_modified(time))
        .expect("ours");
    let refused = work.apply(&draft.id).expect_err("it changed");
    assert!(
        refused.message.contains("`a.txt` changed since"),
        "{refused:?}"
    );
    assert!(work.text("made.txt").is_none() && work.text("sub/c.txt").is_some());

    // A file that was not there in a folder that goes; one in the place of a new one.
    let draft = make();
    fs::write(work.folder.join("sub/late.txt"), "").expect("ours");
    let refused = work.apply(&draft.id).expect_err("it changed");
    assert!(refused.message.contains("late.txt"), "{refused:?}");
    let draft = make();
    fs::write(work.folder.join("made.txt"), "other\n").expect("ours");
    assert!(work.apply(&draft.id).is_err());
    assert_eq!(work.text("made.txt").as_deref(), Some("other\n"));
    fs::remove_file(work.folder.join("made.txt")).expect("ours");

    let (first, second) = (make(), make());
    assert!(work.apply(&first.id).is_ok());
    let refused = work.apply(&second.id).expect_err("they conflict");
    assert!(
        refused.message.contains("nothing was applied"),
        "{refused:?}"
    );
}

/// The same draft, whose applying was killed after so many of its four steps.
fn interrupted(work: &Drafted, steps: usize) -> Draft {
    let draft = work.draft(|upper| {
        write(upper.join("a.txt"), "new a\n");
        gone(upper.join("b.txt"));
        write(upper.join("sub/deep/d.txt"), "new d\n");
        write(upper.join("z/new.txt"), "new z\n");
    });
    let open = work.drafts.open(&draft.id, ANN).expect("it is there");
    let changes = open.changes(&mut open.before()).expect("it can be read");
    let mut journal = ApplyJournal {
        folders: open.record.folders.clone(),
        staging: format!(".charmer-draft-{}", draft.id),
        steps: Vec::new(),
        done: false,
    };
    let held = journal.hold(true).expect("ours");
    stage(&open.place, &mut journal, &[0], &changes, &held).expect("there is room");
    journal.write(&open.place).expect("ours");
    assert_eq!(journal.steps.len(), 4);
    for step in &journal.steps[..steps] {
        held.take(step).expect("nobody else is here");
    }
    draft
}

const OLD: [(&str, Option<&str>); 4] = [
    ("a.txt", Some("one\ntwo\n")),
    ("b.txt", Some("bee\n")),
    ("sub/deep/d.txt", Some("dee\n")),
    ("z/new.txt", None),
];
const NEW: [(&str, Option<&str>); 4] = [
    ("a.txt", Some("new a\n")),
    ("b.txt", None),
    ("sub/deep/d.txt", Some("new d\n")),
    ("z/new.txt", Some("new z\n")),
];

#[test]
fn an_interrupted_application_is_told_and_finished_or_undone_wherever_it_was() {
    for (steps, finish) in (0..=4).flat_map(|steps| [(steps, true), (steps, false)]) {
        let work = drafted(DraftRules::default());
        let draft = interrupted(&work, steps);
        assert!(work.drafts.list(None)[0].interrupted);
        assert_eq!(work.drafts.interrupted(), [draft.id.as_str()]);
        let there = match finish {
            true => {
                let told = work.apply(&draft.id).expect("it is finished");
                assert!(told.contains("finished now"), "{told}");
                NEW
            }
            false => {
                let told = work.drafts.discard(&draft.id, ANN).expect("it is undone");
                assert!(told.contains("undone"), "{told}");
                OLD
            }
        };
        for (file, text) in there {
            assert_eq!(work.text(file).as_deref(), text, "{file} after {steps}");
        }
        assert!(work.drafts.list(None).is_empty());
        let staged = |name: &String| name.starts_with(".charmer");
        assert!(!work.names().iter().any(staged), "{:?}", work.names());
    }
}

#[test]
fn what_somebody_wrote_after_a_crash_is_kept_however_it_goes_on() {
    // A file that was to be replaced or removed, and is another one by now.
    for file in ["a.txt", "b.txt"] {
        let work = drafted(DraftRules::default());
        let draft = interrupted(&work, 0);
        fs::write(work.folder.join(file), "mine").expect("ours");
        for _ in 0..2 {
            work.apply(&draft.id).expect_err("it would be lost");
            assert_eq!(work.text(file).as_deref(), Some("mine"));
        }
        work.drafts.discard(&draft.id, ANN).expect("it is undone");
        assert_eq!(work.text(file).as_deref(), Some("mine"));
    }
    // What was applied, and was worked on since; in a new folder, too.
    for file in ["a.txt", "z/new.txt", "z/mine"] {
        let work = drafted(DraftRules::default());
        let draft = interrupted(&work, 4);
        fs::write(work.folder.join(file), "mine").expect("ours");
        for _ in 0..2 {
            work.drafts
                .discard(&draft.id, ANN)
                .expect_err("it would be lost");
            assert_eq!(work.text(file).as_deref(), Some("mine"));
        }
        work.apply(&draft.id).expect("it is finished");
        assert_eq!(work.text(file).as_deref(), Some("mine"));
        assert_eq!(work.text("sub/deep/d.txt").as_deref(), Some("new d\n"));
    }
}

#[test]
fn a_link_leads_nothing_around_never_and_what_a_list_does_not_show_is_noted() {
    let work = drafted(DraftRules {
        never: vec![
            "**/.git/hooks/**".into(),
            "!**/*.sample".into(),
            "safe/x/**".into(),
        ],
        ..DraftRules::default()
    });
    fs::create_dir_all(work.folder.join(".git/hooks")).expect("a folder");
    let blocked = |change: &dyn Fn(&Path)| work.draft(change).blocked.is_some();
    let link = |path: &'static str| {
        move |upper: &Path| {
            let path = upper.join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            symlink("/elsewhere", path).expect("a link");
        }
    };
    for path in [
        ".git/hooks",
        "deep/.git",
        "deep/.git/hooks",
        "safe",
        "safe/x",
    ] {
        assert!(blocked(&link(path)), "{path}");
    }
    for path in ["hooks", "deep/x", "safe/y", "unsafe"] {
        assert!(!blocked(&link(path)), "{path}");
    }
    assert!(blocked(&|upper| {
        fs::create_dir_all(upper.join(".git/hooks")).expect("a folder");
        let mode = fs::Permissions::from_mode(0o777);
        fs::set_permissions(upper.join(".git/hooks"), mode).expect("ours");
    }));
    // As `git init` does it.
    assert!(!blocked(&|upper| {
        write(upper.join("new/.git/hooks/pre-commit.sample"), "");
    }));
    use std::os::unix::ffi::OsStrExt;
    let names = [&b"a\xfe"[..], b"a\xff", b"a\n", b"a\\n"];
    let named = work.draft(|upper| {
        for name in names {
            write(upper.join(std::ffi::OsStr::from_bytes(name)), "");
        }
    });
    assert_eq!(named.created, ["a\\n", "a\\\\n", "a\\xfe", "a\\xff"]);
    let odd = work.draft(|upper| {
        write(upper.join("tool"), "");
        let mode = fs::Permissions::from_mode(0o4755);
        fs::set_permissions(upper.join("tool"), mode).expect("ours");
    });
    assert_eq!(odd.modes, [("tool".to_owned(), None, 0o4755)]);
    assert!(odd.notes[0].contains("set-user-ID"), "{:?}", odd.notes);
    assert!(odd.diff.contains("new file mode 4755"), "{}", odd.diff);
    let attribute = rustix::fs::XattrFlags::empty();
    let marked = work.draft(|upper| {
        write(upper.join("a.txt"), "one\ntwo\n");
        rustix::fs::lsetxattr(upper.join("a.txt"), "user.note", b"x", attribute).expect("ours");
    });
    assert_eq!(marked.changed, ["a.txt"]);
    assert!(marked.notes[0].contains("attributes"), "{:?}", marked.notes);
    work.apply(&marked.id).expect("nothing has changed");
    let mut value = [0; 8];
    let found = rustix::fs::lgetxattr(work.folder.join("a.txt"), "user.note", &mut value);
    assert_eq!(found, Ok(1));
}

#[test]
fn however_deep_a_draft_is_nested_it_is_refused_or_removed_and_nothing_else_happens() {
    let work = drafted(DraftRules::default());
    let draft = work.draft(|upper| fs::create_dir(upper.join("0")).expect("a folder"));
    let place = work.kept.join(format!("draft-{}", draft.id));
    let mut inner = place.join("0/upper/0");
    for depth in 0..3_000 {
        let outer = place.join(format!("0/upper/more-{depth}"));
        fs::create_dir(&outer).expect("a folder");
        fs::rename(&inner, outer.join("x")).expect("ours");
        inner = outer;
    }
    // On a thread with little room, as those of a server are.
    let excess = super::run::excess_of(&place, u64::MAX).expect("it cannot be measured");
    assert!(excess.len() < 400, "{excess}");
    let drafts = work.drafts.clone();
    let removed = std::thread::Builder::new().stack_size(256 << 10);
    let removed = removed.spawn(move || drafts.discard(&draft.id, ANN));
    removed
        .expect("a thread")
        .join()
        .expect("it does not go as deep")
        .expect("it is dropped");
    assert!(!place.exists());
}

#[test]
fn a_person_applies_what_was_looked_at() {
    let work = drafted(DraftRules::default());
    let draft = work.draft(|upper| write(upper.join("a.txt"), "new\n"));
    work.drafts.show(&draft.id, None).expect("it is there");
    let wish = DraftRequest::new(DraftedBy::Caller).within(&*draft.id);
    let mut open = work
        .drafts
        .begin(&wish, "ann", std::slice::from_ref(&work.folder));
    let open_again = open.as_mut().expect("it goes on");
    write(upper(&open_again.place, 0).join("evil.sh"), "boo\n");
    read(open_again, SystemTime::now()).expect("it can be read");
    drop(open);
    let apply = || work.drafts.apply(&draft.id, None, Applier::Person, None);
    let refused = apply().expect_err("nobody has looked at that");
    assert!(
        refused.message.contains("not what was shown"),
        "{refused:?}"
    );
    assert!(work.text("evil.sh").is_none());
    work.drafts.show(&draft.id, None).expect("it is there");
    apply().expect("that was looked at");
    assert_eq!(work.text("evil.sh").as_deref(), Some("boo\n"));
}

#[test]
fn rules_say_how_many_files_which_and_who() {
    let mut rules = DraftRules {
        at_most: Some(1),
        ..DraftRules::default()
    };
    let work = drafted(rules.clone());
    let two = work.draft(|upper| {
        write(upper.join("x"), "");
        write(upper.join("y"), "");
    });
    assert!(
        two.blocked
            .as_ref()
            .is_some_and(|why| why.contains("at most 1")),
        "{two:?}"
    );
    assert!(work.apply(&two.id).is_err() && work.text("x").is_none());

    let work = drafted(DraftRules::default());
    let hook = work.draft(|upper| write(upper.join("in/.git/hooks/pre-commit"), "#!/bin/sh\n"));
    assert!(
        work.apply(&hook.id)
            .expect_err("never")
            .message
            .contains("hooks")
    );
    let sample = work.draft(|upper| write(upper.join(".git/hooks/pre-commit.sample"), ""));
    assert!(work.apply(&sample.id).is_ok());

    rules.at_most = None;
    rules.apply = Some(Applier::Person);
    let work = drafted(rules);
    let draft = work.draft(|upper| write(upper.join("x"), ""));
    assert!(
        work.apply(&draft.id)
            .expect_err("a person")
            .message
            .contains("for a person")
    );
    // What somebody agreed to is what is applied.
    let person = |shown| {
        work.drafts
            .apply(&draft.id, None, Applier::Person, Some(shown))
    };
    assert!(person("other").is_err() && work.text("x").is_none());
    assert!(person(&draft.digest).is_ok() && work.text("x").is_some());
}

#[test]
fn a_draft_is_its_principals_and_goes_after_its_time_or_with_its_server() {
    let work = drafted(DraftRules::default());
    let draft = work.draft(|upper| write(upper.join("x"), ""));
    let others = work
        .drafts
        .apply(&draft.id, Some("bob"), Applier::Person, None);
    assert!(
        others
            .expect_err("it is ann's")
            .message
            .contains("there is no draft")
    );
    assert!(work.drafts.show("../../etc", ANN).is_err());

    let server = |server| {
        let places = vec![work.kept.clone()];
        Drafts::new(places, DraftRules::default(), Redactor::default(), server)
    };
    let (one, other) = (server(true), server(true));
    let begun = |drafts: &Drafts| {
        let wish = DraftRequest::new(DraftedBy::Caller);
        let begun = drafts.begin(&wish, "ann", std::slice::from_ref(&work.folder));
        begun.expect("there is room").record.id
    };
    let (first, second) = (begun(&one), begun(&other));
    let there = || -> Vec<String> {
        let all = work.drafts.list(None).into_iter();
        all.map(|draft| draft.id).collect()
    };
    assert!(there().contains(&first) && there().contains(&second));
    drop(one);
    assert!(!there().contains(&first) && there().contains(&second));
    // As a killed one leaves it: its file is there, and nobody holds it.
    let killed = work.kept.join("server-dead");
    fs::write(&killed, "").expect("ours");
    let place = work.kept.join(format!("draft-{second}"));
    let record = fs::read_to_string(place.join("draft.json")).expect("it is there");
    let mut record: serde_json::Value = serde_json::from_str(&record).expect("JSON");
    record["server"] = "dead".into();
    fs::write(place.join("draft.json"), record.to_string()).expect("ours");
    assert!(!there().contains(&second) && !killed.exists());

    assert!(there().contains(&draft.id));
    let work = drafted(DraftRules {
        lifetime: Duration::ZERO,
        ..DraftRules::default()
    });
    work.draft(|upper| write(upper.join("x"), ""));
    assert!(work.drafts.list(None).is_empty());
}

#[test]
fn holes_stay_holes_and_renames_are_seen() {
    let work = drafted(DraftRules::default());
    let draft = work.draft(|upper| {
        let sparse = fs::File::create(upper.join("sparse")).expect("a file");
        sparse.set_len(64 << 20).expect("room");
        gone(upper.join("b.txt"));
        write(upper.join("moved.txt"), "bee\n");
        fs::write(upper.join("binary"), [0, 159, 146, 150]).expect("a file");
    });
    assert_eq!(
        draft.renamed,
        [("b.txt".to_owned(), "moved.txt".to_owned())]
    );
    assert!(draft.diff.contains("4 bytes, sha256"), "{}", draft.diff);
    assert!(work.apply(&draft.id).is_ok());
    let sparse = fs::metadata(work.folder.join("sparse")).expect("it is there");
    assert!(sparse.len() == 64 << 20 && sparse.blocks() * 512 < 1 << 20);
}

#[test]
fn however_many_begin_at_once_a_principal_has_sixteen() {
    let work = drafted(DraftRules::default());
    let begin = || {
        let wish = DraftRequest::new(DraftedBy::Caller);
        let folders = [work.folder.clone()];
        work.drafts.begin(&wish, "ann", &folders)
    };
    // They stay open until all have begun.
    let begun: Vec<Result<OpenDraft, CallError>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..40).map(|_| scope.spawn(begin)).collect();
        let all = all.into_iter().map(|one| one.join().expect("no panic"));
        all.collect()
    });
    assert_eq!(begun.iter().filter(|one| one.is_ok()).count(), 16);
}

#[test]
fn what_is_done_with_a_draft_is_done_on_a_thread_for_that() {
    let work = drafted(DraftRules::default());
    let draft = work.draft(|upper| write(upper.join("new"), "new\n"));
    let tool = super::tool(&work.drafts, &crate::SharedSteps::default());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .build()
        .expect("a runtime");
    // The only thread is taken.
    let (go, gone) = std::sync::mpsc::channel::<()>();
    runtime.spawn_blocking(move || gone.recv());
    runtime.block_on(async {
        for action in ["show", "apply", "drop"] {
            let input = serde_json::json!({"action": action, "id": draft.id});
            let input = input.as_object().cloned().expect("an object");
            tokio::select! {
                biased;
                done = tool.call(input, Default::default()) => panic!("{action}: {}", done.text),
                () = std::future::ready(()) => {}
            }
        }
    });
    drop(go);
}
