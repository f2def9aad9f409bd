//! Inputs and surroundings that mean harm: arguments, paths that would lead out of the permitted folder, environments.
//! The swap of a folder between its check and its use stands beside the code, in `directory`.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    sync::atomic::{AtomicBool, Ordering},
};

use serde_json::json;

use crate::support::{Project, call, code, elements, fixture, nothing, shown, stdout};

#[tokio::test]
async fn an_expression_is_no_integer() {
    let project = Project::new();
    project.spell(
        "t",
        "command: bash -c 'echo $((SPELL_ARG_N + 1))'\npaths: [.]\nargs: [{name: n, type: integer, required: true}]",
    );
    let book = project.book();
    for bad in [
        json!("a[$(id)]"),
        json!(["a[$(id)]"]),
        json!("1; id"),
        json!("1 "),
        json!("0x10"),
        json!(1.5),
        json!(null),
        json!([1, 2]),
    ] {
        assert_eq!(
            code(&call(&book, "t", json!({"n": bad})).await),
            "invalid_arguments",
            "{bad}"
        );
    }
    // What can only be the number is taken as it, and nothing else of the text reaches the program.
    for one in [json!("1"), json!([1])] {
        let result = call(&book, "t", json!({"n": one})).await;
        assert_eq!(result.structured["stdout"], "2\n", "{one}");
    }
}

#[tokio::test]
async fn arguments_that_are_no_variable_or_the_same_one_are_refused() {
    let project = Project::new();
    project.spell("t", "command: ${FIXTURE} environment\npaths: [.]");
    let book = project.book();
    for bad in [
        json!({"key": 1, "KEY": 2}),
        json!({"a=b": 1}),
        json!({"a-b": 1}),
        json!({"": 1}),
        json!({"1a": 1}),
        json!({"é": 1}),
        json!({"a\u{0}": 1}),
        json!({"a": "x\u{0}y"}),
        json!({"a": "x".repeat(131_072)}),
    ] {
        let result = call(&book, "t", json!({"arguments": bad})).await;
        assert_eq!(code(&result), "invalid_arguments");
    }
    let longest = "x".repeat(131_071 - "SPELL_ARG_A=".len());
    let result = call(&book, "t", json!({"arguments": {"a": longest}})).await;
    assert!(!result.is_error, "{}", result.text);
}

#[tokio::test]
async fn unicode_dashes_do_not_make_a_flag() {
    let project = Project::new();
    project.spell("t", "command: ${FIXTURE}\npaths: [.]\nflags: [-v]");
    let book = project.book();
    for dash in [
        '\u{2010}', '\u{2011}', '\u{2013}', '\u{2014}', '\u{2212}', '\u{fe63}', '\u{ff0d}',
    ] {
        let result = call(&book, "t", json!({"flags": [format!("{dash}v")]})).await;
        assert_eq!(code(&result), "not_permitted");
    }
    assert_eq!(
        elements(&call(&book, "t", json!({"flags": ["-v"]})).await),
        ["-v"]
    );
}

/// A project with a spell that says where it runs, and may in `jail`.
fn jail() -> Project {
    let project = Project::new();
    project.folder("jail/sub");
    project.folder("jail-evil");
    project.folder("out");
    project.spell("t", "command: ${FIXTURE} directory\npaths: [jail]");
    project
}

async fn refused(project: &Project, path: &str) {
    let result = project.call("t", json!({ "path": path })).await;
    assert_eq!(code(&result), "not_permitted", "{path}");
}

#[tokio::test]
async fn dots_do_not_lead_out_of_the_permitted_folder() {
    let project = jail();
    for path in [
        "..",
        "sub/../..",
        "../jail-evil",
        "/",
        "/..",
        "./../out",
        "sub/../../out",
    ] {
        refused(&project, path).await;
    }
    let inside = project.call("t", json!({"path": "sub/.././sub"})).await;
    assert_eq!(
        stdout(&inside).trim(),
        shown(&project.base.join("jail/sub"))
    );
}

#[tokio::test]
async fn a_folder_whose_name_only_begins_like_the_permitted_one_is_refused() {
    let project = jail();
    refused(&project, &shown(&project.base.join("jail-evil"))).await;
    refused(&project, "../jail-evil").await;
}

#[tokio::test]
async fn symlinks_that_lead_out_are_refused() {
    let project = jail();
    let jail = project.base.join("jail");
    fs::write(project.base.join("file"), "").expect("it can");
    symlink(project.base.join("out"), jail.join("to-folder")).expect("it can");
    symlink(project.base.join("file"), jail.join("to-file")).expect("it can");
    symlink(project.base.join("nothing"), jail.join("to-nothing")).expect("it can");
    symlink("round", jail.join("round")).expect("it can");
    symlink(jail.join("sub"), jail.join("within")).expect("it can");
    for path in [
        "to-folder",
        "to-file",
        "to-nothing",
        "round",
        "to-folder/sub",
    ] {
        refused(&project, path).await;
    }
    let within = project.call("t", json!({"path": "within"})).await;
    assert_eq!(stdout(&within).trim(), shown(&jail.join("sub")));
}

#[test]
fn a_folder_that_is_swapped_all_the_time_never_leads_out() {
    let project = jail();
    let (jail, out) = (project.base.join("jail"), project.base.join("out"));
    let stop = AtomicBool::new(false);
    let book = project.book();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (swapped, kept) = (jail.join("sub"), jail.join("kept"));
            while !stop.load(Ordering::Relaxed) {
                let _ = fs::rename(&swapped, &kept);
                let _ = symlink(&out, &swapped);
                let _ = fs::remove_file(&swapped);
                let _ = fs::rename(&kept, &swapped);
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        for _ in 0..150 {
            let result = runtime.block_on(call(&book, "t", json!({"path": "sub"})));
            if result.is_error {
                assert!(
                    ["not_permitted", "not_started"].contains(&code(&result)),
                    "{}",
                    result.text
                );
            } else {
                assert!(
                    stdout(&result).starts_with(&shown(&jail)),
                    "{}",
                    result.text
                );
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[tokio::test]
async fn procfs_is_no_way_round() {
    let project = jail();
    for path in ["/proc/self/root", "/proc/self/cwd", "/proc/self/root/etc"] {
        refused(&project, path).await;
    }
    let jail = format!("/proc/self/root{}", project.base.join("jail").display());
    if std::path::Path::new(&jail).exists() {
        let result = project.call("t", json!({"path": jail})).await;
        assert_eq!(
            stdout(&result).trim(),
            shown(&project.base.join("jail")),
            "it is the jail after all"
        );
    }
}

#[tokio::test]
async fn a_hard_link_is_no_folder_to_run_in() {
    // A hard link to a file is the file; a folder to run in it can never be.
    let project = jail();
    let secret = project.base.join("out/secret");
    fs::write(&secret, "secret").expect("it can");
    fs::hard_link(&secret, project.base.join("jail/link")).expect("it can");
    refused(&project, "link").await;
}

#[tokio::test]
async fn a_file_that_does_not_exist_yet_is_made_only_inside() {
    let project = jail();
    refused(&project, "new").await;
    project.spell(
        "w",
        "command: ${FIXTURE} write\npaths: [jail]\nargs: [{name: file, type: path, required: true}]\nargv: ['{{file}}']",
    );
    let book = project.book();
    assert_eq!(
        stdout(&call(&book, "w", json!({"file": "new.txt"})).await),
        "written\n"
    );
    assert!(project.base.join("jail/new.txt").exists());
    symlink(project.base.join("out"), project.base.join("jail/door")).expect("it can");
    symlink(
        project.base.join("out/made"),
        project.base.join("jail/dangling"),
    )
    .expect("it can");
    for bad in [
        "../out/new.txt",
        "door/new.txt",
        "dangling",
        "missing/../../out/x",
        "/etc/new.txt",
    ] {
        assert_eq!(
            code(&call(&book, "w", json!({"file": bad})).await),
            "not_permitted",
            "{bad}"
        );
    }
    assert!(
        fs::read_dir(project.base.join("out"))
            .expect("it is there")
            .next()
            .is_none()
    );
    project.spell("later", "command: ${FIXTURE} directory\npaths: [later]");
    assert_eq!(code(&project.call("later", nothing()).await), "not_started");
    project.folder("later");
    assert!(!project.call("later", nothing()).await.is_error);
}

#[tokio::test]
async fn tildes_variables_and_escapes_are_not_expanded_in_paths() {
    let project = jail();
    let outside = project.base.join("out").display().to_string();
    for path in [
        "~",
        "~root",
        "$HOME",
        "${HOME}",
        "%2e%2e",
        "%2e%2e/out",
        &format!("file://{outside}"),
        "sub\u{0}",
    ] {
        refused(&project, path).await;
    }
    // An empty path is the folder that relative ones begin in.
    let empty = project.call("t", json!({"path": ""})).await;
    assert_eq!(stdout(&empty).trim(), shown(&project.base.join("jail")));
}

#[tokio::test]
async fn case_and_composition_are_as_the_file_system_has_them() {
    let project = jail();
    project.folder("jail/caf\u{e9}");
    // Where the file system takes both for one, it is the one that is there; elsewhere there is none.
    for (asked, there) in [("SUB", "sub"), ("cafe\u{301}", "caf\u{e9}")] {
        let result = project.call("t", json!({"path": asked})).await;
        let same = project.base.join("jail").join(asked).exists();
        assert_eq!(!result.is_error, same, "{}", result.text);
        if same {
            assert!(stdout(&result).to_lowercase().contains(there));
        }
    }
    refused(&project, &shown(&project.base.join("JAIL-EVIL"))).await;
}

#[tokio::test]
async fn pipes_and_devices_are_refused_and_not_waited_for() {
    let project = jail();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.base.join("jail/pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .expect("it can");
    for path in ["pipe", "/dev/zero", "/dev/null"] {
        refused(&project, path).await;
    }
    // A pipe among the spells is said and not waited for.
    rustix::fs::mknodat(
        rustix::fs::CWD,
        project.spells.join("pipe.yaml"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .expect("it can");
    let problems = project.book().problems();
    assert!(
        problems
            .iter()
            .any(|problem| problem.message.contains("no regular file")),
        "{problems:?}"
    );
}

#[tokio::test]
async fn a_path_inside_of_an_option_is_checked_too() {
    let project = jail();
    project.spell(
        "o",
        "command: ${FIXTURE}\npaths: [jail]\nflags: ['--out=sub']\nargs: [{name: file, type: path}]\nargv: ['--file={{file}}']",
    );
    let book = project.book();
    for flag in ["--out=../out", "--out=sub/../../out", "--out", "sub"] {
        assert_eq!(
            code(&call(&book, "o", json!({"flags": [flag]})).await),
            "not_permitted"
        );
    }
    assert_eq!(
        code(&call(&book, "o", json!({"file": "../out"})).await),
        "not_permitted"
    );
    let result = call(&book, "o", json!({"file": "sub/a", "flags": ["--out=sub"]})).await;
    let file = project.base.join("jail/sub/a");
    assert_eq!(
        elements(&result),
        ["--out=sub", &format!("--file={}", file.display())]
    );
}

#[tokio::test]
async fn variables_that_hijack_do_not_reach_a_spell() {
    let hijackers = [
        "LD_PRELOAD",
        "BASH_ENV",
        "ENV",
        "GIT_SSH_COMMAND",
        "PYTHONSTARTUP",
        "NODE_OPTIONS",
    ];
    let project = hijackers.iter().fold(Project::new(), |project, name| {
        project.set(name, "/tmp/evil")
    });
    project.spell("t", "command: ${FIXTURE} environment\npaths: [.]");
    let result = project
        .call("t", json!({"arguments": {"LD_PRELOAD": "x"}}))
        .await;
    for line in stdout(&result).lines() {
        assert!(
            !hijackers
                .iter()
                .any(|name| line.starts_with(&format!("{name}="))),
            "{line}"
        );
    }
    assert!(stdout(&result).contains("SPELL_ARG_LD_PRELOAD=x"));
}

#[tokio::test]
async fn relative_entries_of_the_search_path_are_not_used() {
    let project = Project::new();
    let trap = project.folder("trap");
    symlink("/bin/false", trap.join("pwd")).expect("it can");
    let real = std::env::var("PATH").expect("it is set");
    let project = project.set("PATH", format!(".:trap::{real}"));
    project.spell("t", "command: pwd\npaths: [trap]");
    project.spell("e", "command: ${FIXTURE} environment\npaths: [.]");
    assert_eq!(
        stdout(&project.call("t", nothing()).await).trim(),
        shown(&trap)
    );
    let seen = project.call("e", nothing()).await;
    let path = stdout(&seen)
        .lines()
        .find_map(|line| line.strip_prefix("PATH="))
        .expect("it has one");
    assert!(
        path.split(':').all(|entry| entry.starts_with('/')),
        "{path}"
    );
}

#[tokio::test]
async fn a_program_of_the_same_name_that_comes_later_is_not_run() {
    let project = Project::new();
    let (first, second) = (project.folder("first"), project.folder("second"));
    symlink(fixture(), second.join("tool")).expect("it can");
    let project = project.set("PATH", format!("{}:{}", first.display(), second.display()));
    project.spell("t", "command: tool here\npaths: [.]");
    let book = project.book();
    symlink("/bin/false", first.join("tool")).expect("it can");
    assert_eq!(elements(&call(&book, "t", nothing()).await), ["here"]);
    fs::remove_file(second.join("tool")).expect("it can");
    let gone = call(&book, "t", nothing()).await;
    assert_eq!(code(&gone), "not_started");
    assert!(
        gone.text.contains("does not exist any more"),
        "{}",
        gone.text
    );
}

#[tokio::test]
async fn a_deleted_working_directory_is_named() {
    let project = jail();
    let book = project.book();
    fs::remove_dir_all(project.base.join("jail")).expect("it can");
    let result = call(&book, "t", nothing()).await;
    assert_eq!(code(&result), "not_started");
    assert!(
        result.text.contains("working directory") && result.text.contains("does not exist"),
        "{}",
        result.text
    );
}

#[tokio::test]
async fn a_folder_that_others_can_change_is_told() {
    let project = jail();
    fs::set_permissions(&project.spells, fs::Permissions::from_mode(0o777)).expect("it can");
    let problems = project.book().problems();
    assert!(problems[0].message.contains("every user"), "{problems:?}");
    fs::set_permissions(&project.spells, fs::Permissions::from_mode(0o755)).expect("it can");
    let elsewhere = project.base.join("elsewhere/spells");
    project.folder("elsewhere");
    fs::rename(&project.spells, &elsewhere).expect("it can");
    symlink(&elsewhere, &project.spells).expect("it can");
    let book = project.book();
    assert!(
        book.problems()[0].message.contains("symlink"),
        "{:?}",
        book.problems()
    );
    assert_eq!(book.spells().len(), 1, "it is said, and served");
    let (_, more) =
        charmer_spells::check_folder(&project.spells, &project.options()).expect("it is there");
    assert!(
        more.iter()
            .any(|problem| problem.message.contains("symlink"))
    );
}
