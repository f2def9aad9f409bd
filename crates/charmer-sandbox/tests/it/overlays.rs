//! Folders that programs see in a view of their own.

use std::{
    fs,
    os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use charmer_sandbox::{Overlay, Sandbox};
use tempfile::TempDir;

use crate::support::{Scratch, confined, launch, without_namespaces};

/// A folder with a view of it, and where its changes go.
struct Viewed {
    scratch: Scratch,
    upper: PathBuf,
    _changes: TempDir,
}

fn viewed() -> Viewed {
    let mut scratch = Scratch::new();
    let changes = TempDir::new().expect("a folder");
    let (upper, work) = (changes.path().join("upper"), changes.path().join("work"));
    for folder in [&upper, &work] {
        fs::create_dir(folder).expect("a folder");
    }
    let held = fs::metadata(&scratch.path).expect("it is there");
    scratch.rights.metadata = true;
    scratch.rights.overlays = vec![Overlay {
        folder: scratch.path.clone(),
        folder_id: (held.dev(), held.ino()),
        upper: upper.clone(),
        work,
    }];
    Viewed {
        scratch,
        upper,
        _changes: changes,
    }
}

#[test]
fn what_is_changed_in_a_view_is_kept_apart_and_nothing_else_changes() {
    let Viewed { scratch, upper, .. } = &viewed();
    let inside = |name: &str| scratch.path.join(name);
    fs::write(inside("old"), "old\n").expect("a file");
    fs::write(inside("gone"), "gone\n").expect("a file");
    fs::create_dir(inside("folder")).expect("a folder");
    fs::write(inside("folder/deep"), "deep\n").expect("a file");
    let outside = TempDir::new().expect("a folder");
    let outside = outside.path().join("file");
    fs::write(&outside, "outside\n").expect("a file");
    let modes = |path: &Path| fs::metadata(path).expect("it is there").permissions();
    let before = modes(&outside);

    let sandbox = scratch.sandbox();
    let script = r#"
        cat old && echo new >old && echo made >made && rm gone && rm -r folder && mkdir folder && chmod 700 old && ls
        for try in "chmod 600 $1" "touch $1" "rm $1" "cp old $1"; do $try 2>/dev/null && echo "$try worked"; done
        echo end
    "#;
    let program = scratch.shell(script, &[&outside]);
    let said = launch(&sandbox, &program).text();
    drop(sandbox);
    assert_eq!(said, "old\nfolder\nmade\nold\nend\n");

    assert_eq!(
        fs::read_to_string(inside("old")).expect("it is there"),
        "old\n"
    );
    assert!(inside("gone").exists() && inside("folder/deep").exists());
    assert!(!inside("made").exists());
    assert_eq!(modes(&outside), before);
    assert_eq!(
        fs::read_to_string(outside).expect("it is there"),
        "outside\n"
    );

    let of = |name: &str| fs::symlink_metadata(upper.join(name)).expect("it is kept");
    assert_eq!(
        fs::read_to_string(upper.join("old")).expect("it is kept"),
        "new\n"
    );
    assert_eq!(of("old").permissions().mode() & 0o777, 0o700);
    assert!(of("gone").file_type().is_char_device() && of("gone").rdev() == 0);
    assert!(of("folder").is_dir());
}

#[test]
fn nothing_is_started_where_there_is_no_view_or_another_folder_in_the_place() {
    let mut viewed = viewed();
    let failed = Sandbox::start(&without_namespaces(), &viewed.scratch.rights);
    let reason = failed.expect_err("there are no namespaces");
    assert!(
        reason.contains("no view of the folders of its own"),
        "{reason}"
    );

    viewed.scratch.rights.overlays[0].folder_id.1 += 1;
    let failed = Sandbox::start(&confined(), &viewed.scratch.rights);
    let reason = failed.expect_err("it is another folder");
    assert!(reason.contains("replaced by another folder"), "{reason}");
}
