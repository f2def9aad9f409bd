//! The sandbox's warden: that it runs what it is told as if nobody stood between, and that no end of anybody's leaves a
//! program running or a question open. There is one only on Linux.

use std::{
    ffi::{OsStr, OsString},
    fs,
    io::{BufRead, BufReader},
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use charmer_discover::probe::{Answer, ProbeOptions, Prober, ShimCommand};

use crate::support::{HANG, example, gone, patient, sandboxed};

/// Writes its number into the working directory and stays.
const STAYS: &str = "echo $$ > new; mv new id; exec sleep 600";

fn shell(options: ProbeOptions) -> Prober {
    Prober::new("/bin/sh".into(), options).expect("a prober")
}

/// A shell that a warden runs. Without one, scripts that end their parent would end the tests.
fn guarded(options: ProbeOptions) -> Prober {
    let prober = shell(options);
    let lacks = prober.shortcomings().join("\n");
    assert!(!lacks.contains("not sandboxed"), "{lacks}");
    prober
}

async fn ask(prober: &Prober, script: &str) -> Answer {
    tokio::time::timeout(HANG, prober.run(&["-c", script]))
        .await
        .expect("it hung")
}

fn room(prober: &Prober) -> PathBuf {
    prober.home().with_file_name("")
}

/// The number that [`STAYS`] has written.
async fn number(room: &Path) -> String {
    let began = Instant::now();
    loop {
        if let Ok(id) = fs::read_to_string(room.join("work/id")) {
            return id.trim().to_owned();
        }
        assert!(began.elapsed() < HANG, "it never started");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Options with a warden that is this script.
fn pretended(script: &str) -> ProbeOptions {
    let mut options = patient();
    let report = r#"echo '{"network":{"Ok":null},"files":{"Ok":9}}'"#;
    options.shim = Some(ShimCommand {
        program: "/bin/sh".into(),
        args: ["-c".into(), format!("{report}; {script}").into()].into(),
    });
    options
}

#[tokio::test]
async fn words_and_bytes_that_are_no_text_survive() {
    let argv: [&OsStr; 4] = [
        "-c".as_ref(),
        r#"printf %s "$1" | od -An -tx1; printf '\377\0\n{}\n'; printf 'caf\351' >&2; exit 7"#
            .as_ref(),
        "sh".as_ref(),
        OsStr::from_bytes(b"\xff\xfe\n"),
    ];
    let bare = shell(patient()).run(&argv).await;
    let answer = guarded(sandboxed()).run(&argv).await;
    assert!(answer.stdout.contains("ff fe 0a"), "{answer:?}");
    assert_eq!(answer, bare);
}

#[tokio::test]
async fn a_value_that_is_no_text_survives_in_the_environment() {
    let mut options = sandboxed();
    options.environment.retain(|(name, _)| name != "TZ");
    let value = OsString::from(OsStr::from_bytes(b"\xff\xfe"));
    options.environment.push(("TZ".into(), value));
    let answer = ask(&guarded(options), r#"printf %s "$TZ" | od -An -tx1"#).await;
    assert_eq!(answer.stdout.trim(), "ff fe", "{answer:?}");
}

#[tokio::test]
async fn two_run_at_once() {
    let mut options = sandboxed();
    options.parallel = Some(2);
    let prober = guarded(options);
    let meets = |own: &str, other: &str| {
        format!("touch {own}; while [ ! -e {other} ]; do sleep 0.01; done; echo met")
    };
    let (one, other) = (meets("one", "other"), meets("other", "one"));
    let answers = tokio::join!(ask(&prober, &one), ask(&prober, &other));
    assert_eq!((&*answers.0.stdout, &*answers.1.stdout), ("met\n", "met\n"));
}

#[tokio::test]
async fn one_process_runs_all_programs_and_ends_with_the_prober() {
    let prober = guarded(sandboxed());
    let first = ask(&prober, "echo $PPID").await.stdout;
    assert_eq!(ask(&prober, "echo $PPID").await.stdout, first);
    let warden = PathBuf::from(format!("/proc/{}", first.trim()));
    assert!(warden.exists());
    let clone = prober.clone();
    drop(prober);
    assert!(warden.exists());
    drop(clone);
    assert!(!warden.exists(), "it has been ended and collected");
}

#[tokio::test]
async fn a_program_ends_when_nobody_waits_for_it_any_more() {
    let prober = guarded(sandboxed());
    let room = room(&prober);
    let id = tokio::select! {
        answer = prober.run(&["-c", STAYS]) => panic!("{answer:?}"),
        id = number(&room) => id,
    };
    gone(&id).await;
    assert_eq!(
        ask(&prober, "exit 4").await.code,
        Some(4),
        "the others go on"
    );
}

#[test]
fn a_program_ends_with_the_runtime_and_before_its_folder_goes() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let prober = guarded(sandboxed());
    let room = room(&prober);
    let id = runtime.block_on(async {
        tokio::spawn(async move { prober.run(&["-c", STAYS]).await });
        number(&room).await
    });
    runtime.shutdown_timeout(HANG);
    assert!(!Path::new("/proc").join(id).exists());
    assert!(!room.exists());
}

#[tokio::test]
async fn programs_end_when_the_process_that_probes_is_killed() {
    let mut parent = Command::new(example("probe_parent"))
        .arg(example("probe_shim"))
        .args(["/bin/sh", "-c", STAYS])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the example is built with the tests");
    let mut line = String::new();
    let stdout = parent.stdout.take().expect("a pipe");
    BufReader::new(stdout)
        .read_line(&mut line)
        .expect("its room");
    let id = number(Path::new(line.trim_end())).await;
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
    let warden = status.lines().find_map(|line| line.strip_prefix("PPid:"));
    let warden = warden.expect("it has a parent").trim();
    assert_ne!(warden, parent.id().to_string());

    parent.kill().expect("it runs");
    parent.wait().expect("it was killed");
    gone(&id).await;
    gone(warden).await;
}

#[tokio::test]
async fn a_warden_that_is_killed_is_said_by_every_answer() {
    let mut options = sandboxed();
    options.parallel = Some(2);
    let prober = guarded(options);
    let (killer, other) = tokio::join!(
        ask(&prober, "sleep 0.2; kill -9 $PPID"),
        ask(&prober, "exec sleep 600")
    );
    let later = ask(&prober, "echo not sandboxed").await;
    for answer in [killer, other, later] {
        assert!(!answer.started, "{answer:?}");
        assert_eq!(answer.stderr, "the sandbox is gone: its process ended");
    }
}

#[tokio::test]
async fn a_warden_that_is_stopped_is_not_waited_for() {
    let mut options = sandboxed();
    // Time enough for a shell to start; what is right passes however long it is.
    options.timeout = Duration::from_secs(2);
    let prober = guarded(options);
    let answer = ask(&prober, "kill -STOP $PPID").await;
    assert!(!answer.started, "{answer:?}");
    assert!(answer.stderr.contains("did not answer"), "{answer:?}");
    assert!(!ask(&prober, "echo not sandboxed").await.started);
}

#[tokio::test]
async fn a_warden_that_talks_nonsense_is_not_believed() {
    let ends = [
        ("echo nonsense; exec cat > /dev/null", "wrote nonsense"),
        // More output than was asked for.
        (
            r#"echo '{"id":1,"ended":{"Ok":{"exited":0}},"stdout":{"head":99999999,"tail":0,"total":0},"stderr":{"head":0,"tail":0,"total":0}}'; exec cat > /dev/null"#,
            "wrote nonsense",
        ),
        ("exit 0", "its process ended"),
        ("printf half", "wrote nonsense"),
    ];
    for (script, expected) in ends {
        let prober = guarded(pretended(&format!("read order; {script}")));
        assert_eq!(prober.shortcomings(), [] as [&str; 0]);
        for _ in 0..2 {
            let answer = ask(&prober, "echo not sandboxed").await;
            assert!(
                !answer.started && answer.stderr.contains(expected),
                "{answer:?}"
            );
        }
    }
}

#[tokio::test]
async fn programs_cannot_speak_for_the_warden() {
    let prober = guarded(sandboxed());
    let own = ask(&prober, "echo /proc/$$/fd/*").await;
    for descriptor in own.stdout.split_whitespace() {
        // The fourth is the folder that the shell is listing.
        let number = descriptor.rsplit('/').next().unwrap_or_default();
        assert!(["0", "1", "2", "3"].contains(&number), "{own:?}");
    }
    let script = "for n in 0 1; do if (: >> /proc/$PPID/fd/$n); then echo opened; fi; done; \
                  if (: < /proc/$PPID/fd/0); then echo opened; fi; echo tried";
    let answer = ask(&prober, script).await;
    // Where there are no user namespaces, the superuser stays one and may open everything.
    let outside = fs::read_link("/proc/self/ns/user").expect("Linux has them");
    let who = ask(&prober, "readlink /proc/self/ns/user; id -u").await;
    if who.stdout != format!("{}\n0\n", outside.display()) {
        assert_eq!(answer.stdout, "tried\n", "{answer:?}");
    }
    assert!(answer.stdout.ends_with("tried\n"), "{answer:?}");
}
