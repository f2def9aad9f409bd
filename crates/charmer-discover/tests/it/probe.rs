//! What a probe may and may not do, on programs that try. Where this machine has no sandbox, the tests of the sandbox
//! show that the prober says so instead.
//!
//! No test depends on how quick a machine is: times are only compared with what a hang would take.

use std::{
    fs,
    net::TcpListener,
    path::Path,
    time::{Duration, Instant},
};

use charmer_discover::probe::{ProbeAnswer, ProbeError, ProbeOptions, Prober};
use charmer_sandbox::SandboxCommand;
use tempfile::TempDir;

use crate::support::{HANG, gone, hostile, patient, sandboxed};

async fn ask(prober: &Prober, argv: &[&str]) -> ProbeAnswer {
    tokio::time::timeout(HANG * 2, prober.run(argv))
        .await
        .expect("it hung")
}

/// The same of a program that is asked only once.
async fn ask_hostile(mode: &str, options: ProbeOptions, argv: &[&str]) -> ProbeAnswer {
    let hostile = hostile(mode);
    ask(&hostile.prober(options), argv).await
}

/// What `reports` said of an environment variable.
fn variable<'a>(answer: &'a ProbeAnswer, name: &str) -> Option<&'a str> {
    let lines = answer.stdout.lines();
    let mut variables = lines.filter_map(|line| line.strip_prefix("env "));
    variables.find_map(|line| line.strip_prefix(name)?.strip_prefix('='))
}

/// Whether one of the sentences holds this.
fn says(prober: &Prober, what: &str) -> bool {
    prober.shortcomings().iter().any(|line| line.contains(what))
}

/// With and without the sandbox.
fn both() -> [ProbeOptions; 2] {
    [patient(), sandboxed()]
}

#[tokio::test]
async fn a_program_that_hangs_is_ended() {
    for mut options in both() {
        options.timeout = Duration::from_millis(500);
        let answer = ask_hostile("hangs", options, &["--help"]).await;
        assert!(answer.timed_out && answer.started && !answer.succeeded());
        assert_eq!(answer.code, None);
    }
}

#[tokio::test]
async fn a_flood_is_kept_within_bounds_and_ended() {
    let mut options = sandboxed();
    options.timeout = Duration::from_secs(2);
    options.output = 100_000;
    let answer = ask_hostile("floods", options, &["--help"]).await;
    assert!(answer.timed_out && answer.cut);
    assert!(answer.stdout.len() <= 100_000, "{}", answer.stdout.len());
}

#[tokio::test]
async fn of_ten_megabytes_both_ends_are_kept() {
    let answer = ask_hostile("huge", patient(), &["--help"]).await;
    assert!(answer.succeeded() && answer.cut);
    assert!(answer.stdout.len() <= 4 << 20);
    assert!(answer.stdout.contains("--first string   comes first\n"));
    assert!(answer.stdout.ends_with("--last string    comes last\n"));
    let filler = "This line is here only because there are so many others like it.";
    assert!(
        answer
            .stdout
            .lines()
            .filter(|line| line.starts_with("This"))
            .all(|line| line == filler),
        "no line is halved"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_grandchild_neither_delays_the_answer_nor_survives_it() {
    for options in both() {
        let began = Instant::now();
        let answer = ask_hostile("forks", options, &["--help"]).await;
        assert!(began.elapsed() < HANG, "it waited for the grandchild");
        assert!(answer.succeeded(), "{answer:?}");
        let id = answer
            .stdout
            .lines()
            .find_map(|line| line.strip_prefix("grandchild "))
            .expect("it has one");
        gone(id).await;
    }
}

#[tokio::test]
async fn what_a_terminal_or_only_a_machine_would_see_is_gone() {
    let answer = ask_hostile("paints", sandboxed(), &["--help"]).await;
    let invisible = [
        '\x1b',
        '\x07',
        '\x08',
        '\r',
        '\u{200b}',
        '\u{202e}',
        '\u{e0041}',
    ];
    assert!(!answer.stdout.contains(invisible), "{:?}", answer.stdout);
    assert!(
        answer
            .stdout
            .contains("Usage:\n  paints [flags]\n\nFlags:\n"),
        "{}",
        answer.stdout
    );
    assert!(answer.stdout.contains("  -v, --verbose         say more"));
    assert!(!answer.stdout.contains("owned"));
}

#[tokio::test]
async fn tabs_and_lines_survive() {
    let answer = ask_hostile("many", sandboxed(), &["__complete", "group07", "leaf1"]).await;
    assert!(
        answer.stdout.starts_with("leaf10\tThe command leaf10\n"),
        "{}",
        answer.stdout
    );
    assert!(answer.stdout.ends_with("leaf19\tThe command leaf19\n:4\n"));
}

#[tokio::test]
async fn the_environment_is_narrow_plain_and_its_own() {
    let home = TempDir::new().expect("a folder");
    fs::create_dir_all(home.path().join(".pyenv")).expect("a folder");
    fs::create_dir_all(home.path().join(".rustup")).expect("a folder");
    for mut options in both() {
        let mut set = |name: &str, value: &str| {
            options.environment.retain(|(key, _)| key != name);
            options.environment.push((name.into(), value.into()));
        };
        set("HOME", home.path().to_str().expect("UTF-8"));
        set("AWS_SECRET_ACCESS_KEY", "secret");
        set("KUBECONFIG", "/etc/evil.yaml");
        set("LD_PRELOAD", "/evil.so");
        set("MCP_MODE", "true");
        set("CLICOLOR_FORCE", "1");
        set("HTTPS_PROXY", "http://proxy.invalid");
        set("RUSTUP_HOME", "/opt/rustup");
        set("RUSTUP_TOOLCHAIN", "nightly");
        for unset in ["PYENV_ROOT", "VOLTA_HOME"] {
            options.environment.retain(|(key, _)| key != unset);
        }
        let hostile = hostile("reports");
        let prober = hostile.prober(options);
        let answer = ask(&prober, &["help", "two words", ""]).await;
        assert!(
            answer
                .stdout
                .starts_with("arg help\narg two words\narg \ncwd ")
        );

        let names = [
            "AWS_SECRET_ACCESS_KEY",
            "KUBECONFIG",
            "LD_PRELOAD",
            "MCP_MODE",
            "CLICOLOR_FORCE",
            "HTTPS_PROXY",
            "VOLTA_HOME",
        ];
        for name in names {
            assert_eq!(variable(&answer, name), None, "{name}");
        }
        let pyenv = home.path().join(".pyenv");
        let expected = [
            ("PAGER", "cat"),
            ("GIT_PAGER", "cat"),
            ("MANPAGER", "cat"),
            ("NO_COLOR", "1"),
            ("TERM", "dumb"),
            ("COLUMNS", "200"),
            ("LC_ALL", "C.UTF-8"),
            ("COBRA_ACTIVE_HELP", "0"),
            ("RUSTUP_HOME", "/opt/rustup"),
            ("RUSTUP_TOOLCHAIN", "nightly"),
            ("PYENV_ROOT", pyenv.to_str().expect("UTF-8")),
        ];
        for (name, value) in expected {
            assert_eq!(variable(&answer, name), Some(value), "{name}");
        }
        // Without a sandbox it has what tells its run apart from others.
        let mark = variable(&answer, "CHARMER_TOOL").expect("it is marked");
        assert!(mark == "probe" || mark.starts_with("probe."), "{mark}");
        let scratch = prober.home().parent().expect("a room");
        // Folders that exist only for this reading are called by their variables.
        assert_eq!(variable(&answer, "HOME"), Some("$HOME"));
        for name in [
            "XDG_CONFIG_HOME",
            "XDG_CACHE_HOME",
            "XDG_DATA_HOME",
            "XDG_STATE_HOME",
            "XDG_RUNTIME_DIR",
            "TMPDIR",
        ] {
            let told = variable(&answer, name).unwrap_or_default();
            let told = told.replace("$HOME", &prober.home().to_string_lossy());
            let told = told.replace("$TMPDIR", &scratch.join("tmp").to_string_lossy());
            let folder = Path::new(&told);
            assert!(
                folder.starts_with(scratch) && folder.is_dir(),
                "{name}: {folder:?}"
            );
        }
    }
}

#[tokio::test]
async fn it_works_in_an_empty_repository_and_reads_from_nowhere() {
    // A shell that says where it is, and what it can read.
    let prober = Prober::new("/bin/sh".into(), sandboxed()).expect("a prober");
    let script = "pwd; cat; ls -A; cat .git/HEAD; ls .git";
    let answer = ask(&prober, &["-c", script]).await;
    let expected = "$PWD\n.git\nref: refs/heads/main\nHEAD\nconfig\nobjects\nrefs\n";
    assert_eq!(answer.stdout, expected, "{answer:?}");
}

#[tokio::test]
async fn what_it_writes_goes_with_the_last_clone() {
    let outside = TempDir::new().expect("a folder");
    let hostile = hostile("writes").knows(outside.path().to_str().expect("UTF-8"));
    let prober = hostile.prober(patient());
    let answer = ask(&prober, &["--help"]).await;
    assert!(
        answer.stdout.contains("home written\nwork written\n"),
        "{answer:?}"
    );
    let room = prober.home().parent().expect("a room").to_path_buf();
    assert!(room.join("home/hostile-was-here").exists());
    assert!(room.join("work/hostile-was-here").exists());
    let clone = prober.clone();
    drop(prober);
    assert!(room.exists());
    drop(clone);
    assert!(!room.exists() && !room.parent().expect("a scratch").exists());
}

#[tokio::test]
async fn it_cannot_write_elsewhere_or_the_prober_says_that_it_could() {
    let outside = TempDir::new().expect("a folder");
    let hostile = hostile("writes").knows(outside.path().to_str().expect("UTF-8"));
    let prober = hostile.prober(sandboxed());
    let answer = ask(&prober, &["--help"]).await;
    assert!(
        answer.stdout.contains("home written\nwork written\n"),
        "{answer:?}"
    );
    let written = outside.path().join("hostile-was-here").exists();
    if says(&prober, "not kept from writing") || says(&prober, "not sandboxed") {
        assert!(prober.with_real_home().is_none());
    } else {
        assert!(!written, "{answer:?}");
        assert!(
            answer.stdout.contains("outside Permission denied"),
            "{answer:?}"
        );
    }
}

#[tokio::test]
async fn the_real_home_is_seen_only_where_it_cannot_be_written() {
    let home = TempDir::new().expect("a folder");
    let hostile = hostile("writes");
    let mut options = sandboxed();
    options.environment.retain(|(key, _)| key != "HOME");
    options
        .environment
        .push(("HOME".into(), home.path().into()));
    assert!(
        hostile.prober(patient()).with_real_home().is_none(),
        "no shim, no sandbox"
    );

    let prober = hostile.prober(options);
    match prober.with_real_home() {
        Some(real) => {
            assert_eq!(real.home(), home.path());
            let answer = ask(&real, &["--help"]).await;
            assert!(
                answer.stdout.contains("home Permission denied"),
                "{answer:?}"
            );
            assert!(answer.stdout.contains("work written"), "{answer:?}");
            assert_eq!(fs::read_dir(home.path()).expect("a folder").count(), 0);
            assert_eq!(prober.spawned(), 1, "they count together");
        }
        None => assert!(says(&prober, "kept from writing") || says(&prober, "not sandboxed")),
    }
}

#[tokio::test]
async fn it_cannot_dial_or_the_prober_says_that_it_could() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener
        .local_addr()
        .expect("an address")
        .port()
        .to_string();
    let hostile = hostile("dials").knows(port);
    let bare = hostile.prober(patient());
    let answer = ask(&bare, &["--help"]).await;
    assert_eq!(answer.stdout, "connected\n", "the fixture dials");
    assert!(says(&bare, "reach the network"));

    let prober = hostile.prober(sandboxed());
    let answer = ask(&prober, &["--help"]).await;
    let reachable = answer.stdout == "connected\n";
    let said = says(&prober, "not kept from the network") || says(&prober, "not sandboxed");
    assert!(!reachable || said, "{answer:?}");
    assert!(said || answer.started, "{answer:?}");
}

#[tokio::test]
async fn the_program_leads_its_group_and_is_who_it_was() {
    // The group's leader is the program itself, or ending the group would leave it.
    let prober = Prober::new("/bin/sh".into(), sandboxed()).expect("a prober");
    let answer = ask(
        &prober,
        &["-c", "read -r own name state parent group rest < /proc/self/stat; echo $own; echo $group; id -u"],
    )
    .await;
    let lines: Vec<&str> = answer.stdout.lines().collect();
    if cfg!(target_os = "linux") {
        assert_eq!(lines[0], lines[1], "{answer:?}");
    }
    let bare = Prober::new("/bin/sh".into(), patient()).expect("a prober");
    let own = ask(&bare, &["-c", "id -u"]).await;
    assert_eq!(
        lines.last(),
        own.stdout.lines().last().as_ref(),
        "it is who it was"
    );
}

#[tokio::test]
async fn it_cannot_fill_the_disk_with_one_file_or_leave_a_core() {
    let prober = Prober::new("/bin/sh".into(), sandboxed()).expect("a prober");
    let answer = ask(&prober, &["-c", "ulimit -c; ulimit -f"]).await;
    let lines: Vec<&str> = answer.stdout.lines().collect();
    if !says(&prober, "not sandboxed") {
        assert!(lines[0] == "0" && lines[1] != "unlimited", "{answer:?}");
    }
    assert_eq!(lines.len(), 2, "{answer:?}");
}

#[tokio::test]
async fn a_walk_of_any_size_waits_for_its_turn() {
    let mut options = patient();
    options.parallel = Some(2);
    let hostile = hostile("exits");
    let prober = hostile.prober(options);
    let probes = (0..200).map(|_| {
        let prober = prober.clone();
        tokio::spawn(async move { prober.run(&["7"]).await })
    });
    for probe in probes.collect::<Vec<_>>() {
        assert_eq!(probe.await.expect("no panic").code, Some(7));
    }
    assert_eq!(prober.spawned(), 200);
}

#[tokio::test]
async fn waiting_is_not_part_of_a_probe() {
    // Three programs that hang, one after the other: each is given its own time.
    let mut options = patient();
    options.parallel = Some(1);
    options.timeout = Duration::from_millis(300);
    let hostile = hostile("hangs");
    let prober = hostile.prober(options);
    let asked = [["1"], ["2"], ["3"]];
    let answers = asked.map(|argv| {
        let prober = prober.clone();
        tokio::spawn(async move { prober.run(&argv).await })
    });
    for answer in answers {
        let answer = answer.await.expect("no panic");
        assert!(answer.started && answer.timed_out, "{answer:?}");
    }
}

#[tokio::test]
async fn a_probe_that_nobody_waits_for_is_ended_and_its_scratch_removed() {
    let hostile = hostile("hangs");
    let prober = hostile.prober(patient());
    let room = prober.home().parent().expect("a room").to_path_buf();
    let began = Instant::now();
    let waited = tokio::time::timeout(Duration::from_millis(300), prober.run(&["--help"])).await;
    assert!(waited.is_err(), "it hangs");
    drop(prober);
    while room.exists() {
        assert!(began.elapsed() < HANG, "the scratch folder stays");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_an_answer() {
    for options in both() {
        let missing = Prober::new("/no/such/program".into(), options).expect("a prober");
        let answer = ask(&missing, &["--help"]).await;
        assert!(!answer.started && !answer.succeeded() && answer.code.is_none());
        assert!(answer.stderr.contains("/no/such/program"), "{answer:?}");
    }
    let relative = Prober::new("sh".into(), patient());
    assert!(matches!(relative, Err(ProbeError::Relative(_))));
}

#[tokio::test]
async fn a_broken_sandbox_is_said_and_probes_go_on_without() {
    let mut options = patient();
    options.sandbox = Some(SandboxCommand {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), "echo broken >&2; exit 1".into()],
    });
    let hostile = hostile("exits");
    let prober = hostile.prober(options);
    assert!(
        says(&prober, "not sandboxed (the sandbox failed: broken)")
            || cfg!(not(target_os = "linux"))
    );
    assert!(prober.with_real_home().is_none());
    assert_eq!(ask(&prober, &["4"]).await.code, Some(4));
    assert_eq!(prober.spawned(), 1, "the sandbox is not a probe");
}

#[tokio::test]
async fn nothing_is_started_before_the_first_question() {
    let marker = TempDir::new().expect("a folder");
    let touched = marker.path().join("touched");
    let mut options = patient();
    options.sandbox = Some(SandboxCommand {
        program: "/bin/sh".into(),
        args: vec!["-c".into(), format!("touch '{}'", touched.display()).into()],
    });
    let hostile = hostile("exits");
    let prober = hostile.prober(options);
    assert!(!touched.exists() && prober.spawned() == 0);
    prober.shortcomings();
    assert!(touched.exists() || cfg!(not(target_os = "linux")));
}
