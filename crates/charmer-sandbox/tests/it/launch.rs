//! A launched program runs as if nobody stood between, but for the rights that it lacks.

use std::{
    ffi::OsStr,
    fs,
    io::Write,
    net::TcpListener,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
};

use charmer_sandbox::{Failure, Readable, Rights, Sandbox, SandboxCommand, confine_thread};
use tempfile::TempDir;

use crate::support::{Answer, Scratch, confined, launch, launch_with};

const NONE: [&str; 0] = [];

#[test]
fn words_and_bytes_that_are_no_text_survive() {
    let scratch = Scratch::new();
    let script = r#"printf %s "$1" | od -An -tx1; printf %s "$ODD" | od -An -tx1; printf '\377\0'; printf 'caf\351' >&2; exit 7"#;
    let odd = OsStr::from_bytes(b"\xff\xfe\n");
    let mut program = scratch.shell(script, &[odd]);
    program.environment.push(("ODD".into(), odd.to_owned()));
    let answer = launch(&scratch.sandbox(), &program).answer();
    let expected = Answer {
        stdout: b" ff fe 0a\n ff fe 0a\n\xff\0".to_vec(),
        stderr: b"caf\xe9".to_vec(),
        code: Some(7),
    };
    assert_eq!(answer, expected);
}

#[test]
fn a_program_reads_what_it_is_given_and_output_of_any_size_goes_straight_to_the_caller() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let (reader, mut writer) = std::io::pipe().expect("a pipe");
    let given = vec![b'x'; 5 << 20];
    let expected = given.clone();
    let launched = launch_with(&sandbox, &scratch.shell("cat", &NONE), reader.into());
    let writing = std::thread::spawn(move || writer.write_all(&given));
    assert!(launched.answer().stdout == expected);
    writing.join().expect("no panic").expect("it is read");
}

#[test]
fn a_command_line_that_fills_the_socket_arrives_and_the_caller_does_not_wait_for_it() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    // More than a socket holds, and all of them at once.
    let words: Vec<String> = (0..10).map(|_| "x".repeat(100_000)).collect();
    let program = scratch.shell(r#"printf %s "$*" | wc -c"#, &words);
    let all: Vec<_> = (0..8).map(|_| launch(&sandbox, &program)).collect();
    for launched in all {
        assert_eq!(launched.text().trim(), "1000009");
    }
}

#[test]
fn what_cannot_be_started_is_told_with_the_systems_reason() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let mut missing = scratch.shell("", &NONE);
    missing.program = "/no/such/program".into();
    let mut nowhere = scratch.shell("", &NONE);
    nowhere.folder = "/no/such/folder".into();
    for program in [missing, nowhere] {
        match launch(&sandbox, &program).end() {
            Err(Failure::NotStarted(error)) => {
                assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(
        launch(&sandbox, &scratch.shell("echo on", &NONE)).text(),
        "on\n"
    );
}

#[test]
fn programs_run_side_by_side_in_one_process() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let meets = |own: &str, other: &str| {
        // The number of its parent as it is outside.
        let parent = "read -r own name state parent rest < /proc/self/stat; echo $parent";
        let script = format!("> {own}; while [ ! -e {other} ]; do sleep 0.01; done; {parent}");
        launch(&sandbox, &scratch.shell(&script, &NONE))
    };
    let (one, other) = (meets("one", "other"), meets("other", "one"));
    let (one, other) = (one.text(), other.text());
    assert_eq!(one, other);
    let process = PathBuf::from(format!("/proc/{}", one.trim()));
    assert!(process.exists());
    drop(sandbox);
    assert!(!process.exists(), "it has been ended and collected");
}

#[test]
fn only_the_folder_can_be_written_and_nobody_be_reached() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let outside = TempDir::new().expect("a folder");
    let target = outside.path().join("written");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let script = format!(
        "echo in > inside; (echo out > '{}') 2>/dev/null && echo wrote; \
         (exec 3<>/dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached; echo tried",
        target.display()
    );
    let mut program = scratch.shell(&script, &NONE);
    // Only this shell knows `/dev/tcp`.
    if Path::new("/bin/bash").exists() {
        program.program = "/bin/bash".into();
    }
    let said = launch(&sandbox, &program).text();
    let report = sandbox.report();
    assert!(said.ends_with("tried\n"), "{said}");
    assert!(!said.contains("wrote") || !report.keeps_files(), "{said}");
    assert!(
        !said.contains("reached") || report.network.is_err(),
        "{said}"
    );
    assert_eq!(
        fs::read_to_string(scratch.path.join("inside")).expect("it is there"),
        "in\n"
    );
    assert_eq!(target.exists(), said.contains("wrote"));
}

#[test]
fn files_are_bounded_where_the_policy_says_so() {
    let mut scratch = Scratch::new();
    scratch.rights.bounds.file_bytes = Some(10_000);
    let program = scratch.shell("exec head -c 1000000 /dev/zero > large", &NONE);
    launch(&scratch.sandbox(), &program).answer();
    let large = fs::metadata(scratch.path.join("large")).expect("it is there");
    assert_eq!(large.len(), 10_000);
}

#[test]
fn programs_cannot_speak_for_the_confined_process() {
    let scratch = Scratch::new();
    let sandbox = scratch.sandbox();
    let own = launch(&sandbox, &scratch.shell("echo /proc/self/fd/*", &NONE)).text();
    for descriptor in own.split_whitespace() {
        // The fourth is the folder that the shell is listing.
        let number = descriptor.rsplit('/').next().unwrap_or_default();
        assert!(["0", "1", "2", "3"].contains(&number), "{own}");
    }
    let script = "for n in 0 1 2 3 4 5; do if (: >> /proc/$PPID/fd/$n) 2>/dev/null; then echo opened; fi; done; \
                  echo tried; readlink /proc/self/ns/user; id -u";
    let said = launch(&sandbox, &scratch.shell(script, &NONE)).text();
    // Where there are no user namespaces, the superuser stays one and may open everything.
    let outside = fs::read_link("/proc/self/ns/user").expect("Linux has them");
    if !said.ends_with(&format!("{}\n0\n", outside.display())) {
        assert!(said.starts_with("tried\n"), "{said}");
    }
}

#[test]
fn a_process_that_fails_to_confine_itself_is_told_with_its_complaint() {
    let rights = Rights::default();
    let start = |script: &str| {
        let command = SandboxCommand {
            program: "/bin/sh".into(),
            args: vec!["-c".into(), script.into()],
        };
        Sandbox::start(&command, &rights).expect_err("it is no sandbox")
    };
    assert_eq!(
        start("echo broken >&2; exit 1"),
        "the sandbox failed: broken"
    );
    assert_eq!(
        start("exit 0"),
        "the sandbox failed: it ended without a report"
    );
    assert_eq!(
        start("read rights; echo nonsense >&0; exec sleep 600"),
        "the sandbox failed: its report makes no sense"
    );
    let missing = SandboxCommand {
        program: "/no/such/program".into(),
        args: Vec::new(),
    };
    let reason = Sandbox::start(&missing, &rights).expect_err("there is none");
    assert!(
        reason.contains("`/no/such/program` cannot be started"),
        "{reason}"
    );
}

#[test]
fn who_runs_the_confined_process_by_hand_is_not_kept_waiting() {
    let command = confined();
    let output = std::process::Command::new(command.program)
        .stdin(std::process::Stdio::null())
        .output()
        .expect("it is built with the tests");
    assert!(!output.status.success());
    assert!(!output.stderr.is_empty());
}

#[test]
fn a_confined_thread_reaches_what_is_installed_and_its_folders_only() {
    let folder = TempDir::new().expect("a folder");
    let folder = folder.path().canonicalize().expect("it exists");
    let (jail, link) = (folder.join("jail"), folder.join("link"));
    fs::create_dir_all(&jail).expect("it can");
    std::os::unix::fs::symlink(&folder, &link).expect("it can");
    fs::write(folder.join("secret"), "secret").expect("it can");
    let mut rights = Rights::default();
    rights.readable = Readable::Installed(Vec::new());
    rights.folders = vec![jail.clone(), folder.join("missing")];
    let secret = folder.join("secret");
    let reached = std::thread::spawn({
        let (rights, secret) = (rights.clone(), secret.clone());
        move || {
            confine_thread(&rights).map(|()| {
                let written = fs::write(jail.join("mine"), "").is_ok();
                let read = fs::read("/etc/passwd").is_ok();
                (
                    written,
                    read,
                    fs::read(&secret).is_ok(),
                    fs::write(&secret, "").is_ok(),
                )
            })
        }
    });
    // Where the kernel cannot, it is refused.
    if let Ok(reached) = reached.join().expect("no panic") {
        assert_eq!(reached, (true, true, false, false));
    }
    // This thread has lost nothing.
    assert_eq!(fs::read_to_string(&secret).expect("it is there"), "secret");

    rights.folders = vec![link];
    let through_link = std::thread::spawn(move || confine_thread(&rights));
    let reason = through_link
        .join()
        .expect("no panic")
        .expect_err("it is a link");
    assert!(!reason.is_empty());
}
