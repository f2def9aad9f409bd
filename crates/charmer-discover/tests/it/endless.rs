//! Programs whose help has no end worth waiting for: what is read of them is within bounds, and what is left out is said.

use std::{collections::BTreeSet, fs, os::unix::fs::PermissionsExt, time::Duration};

use charmer_discover::{
    DiscoverError, DiscoverOptions, Discovery, cache::Cache, discover, probe::ProbeOptions,
};
use tempfile::TempDir;

use crate::support::{HANG, Hostile, hostile, patient, said_of, sandboxed};

async fn read(hostile: &Hostile, options: &DiscoverOptions) -> Result<Discovery, DiscoverError> {
    let read = discover(&hostile.program, options);
    tokio::time::timeout(HANG * 3, read).await.expect("it hung")
}

fn with(probe: ProbeOptions) -> DiscoverOptions {
    let mut options = DiscoverOptions::default();
    options.probe = probe;
    options
}

#[tokio::test]
async fn of_sixty_thousand_flags_the_first_are_read_and_the_others_counted() {
    let hostile = hostile("flags");
    let found = read(&hostile, &with(sandboxed())).await;
    let found = found.expect("it can be read");
    let flags = &found.cli.root.flags;
    assert_eq!(flags.len(), 2_000);
    assert_eq!(
        (flags[0].id.as_str(), flags[1_999].id.as_str()),
        ("flag0", "flag1999")
    );
    let said =
        "it has more flags than are read of one command: 2000 are there, 58000 were left out";
    assert_eq!(said_of(&found), [format!(": {said}")]);
    assert!(found.complete, "asking again would show no more");

    let mut options = with(patient());
    options.flags = 10;
    let found = read(&hostile, &options).await.expect("it can be read");
    assert_eq!(found.cli.root.flags.len(), 10);
    assert!(said_of(&found)[0].contains("10 are there, 59990 were left out"));
}

#[tokio::test]
async fn what_is_left_out_is_the_same_where_a_reading_goes_on_and_in_the_cache() {
    let hostile = hostile("flags");
    let folder = TempDir::new().expect("a folder");
    let cache = Cache::new(folder.path());
    let mut options = with(patient());
    let footing = cache.footing(&hostile.program);
    options.journal = cache.journal(&hostile.program, &footing);
    let first = read(&hostile, &options).await.expect("it can be read");
    let second = read(&hostile, &options).await.expect("it can be read");
    assert_eq!(
        (&second.cli, &second.warnings),
        (&first.cli, &first.warnings)
    );
    let stored = cache.store(&hostile.program, footing, &first);
    stored.expect("it is kept");
    let kept = cache.load(&hostile.program).expect("it is there");
    assert_eq!(kept.warnings, first.warnings);
}

#[tokio::test]
async fn completion_adds_no_more_flags_than_a_command_may_have() {
    let found = read(&hostile("completes"), &with(sandboxed())).await;
    let found = found.expect("it can be read");
    assert_eq!(found.family, "cobra");
    let flags = &found.cli.root.flags;
    assert_eq!(flags.len(), 2_000);
    assert!(
        flags.iter().any(|flag| flag.id == "one"),
        "help comes first"
    );
    assert!(
        said_of(&found)
            .iter()
            .any(|said| said.contains("were left out"))
    );
}

#[tokio::test]
async fn one_that_shows_everything_whatever_it_is_asked_is_not_read_for_every_command() {
    let found = read(&hostile("echoes"), &with(patient())).await;
    let found = found.expect("it can be read");
    assert!(found.spawned < 200, "{}", found.spawned);
    let said = said_of(&found).join("\n");
    assert!(
        said.contains("it said more than is read of a program"),
        "{said}"
    );
    assert!(said.contains("it has more than 20000 commands"), "{said}");
}

#[tokio::test]
async fn knots_and_endless_lines_are_read_as_far_as_they_go() {
    for mode in ["tangled", "breathless"] {
        let found = read(&hostile(mode), &with(patient())).await;
        let found = found.expect("it can be read");
        let cut = ": its help is too long to be read whole; flags or commands may be missing";
        assert_eq!(said_of(&found), [cut], "{mode}");
        assert!(found.cli.root.flags.len() <= 2_000);
    }
}

#[tokio::test]
async fn one_that_never_answers_alike_is_read_to_an_end() {
    let mut options = with(patient());
    options.depth = 4;
    let found = read(&hostile("fickle"), &options).await;
    let found = found.expect("it can be read");
    let mut names = BTreeSet::new();
    found
        .cli
        .walk(&mut |path, _| _ = names.insert(path.to_string()));
    assert!(names.len() > 1, "{names:?}");
}

#[tokio::test]
async fn one_that_drips_is_given_up_with_a_reason() {
    for mut probe in [patient(), sandboxed()] {
        probe.timeout = Duration::from_millis(500);
        let error = read(&hostile("drips"), &with(probe)).await;
        let said = error.expect_err("there is nothing to read").to_string();
        assert!(said.ends_with("it did not answer in time"), "{said}");
    }
}

/// Promises about time.
mod clock {
    use std::time::Instant;

    use super::*;

    /// The time in which a program with 60,000 flags is read or refused.
    const SOON: Duration = Duration::from_secs(10);

    #[tokio::test]
    #[ignore = "looks at the clock: `.ci/run clock` runs it alone"]
    async fn help_without_end_is_read_or_refused_soon() {
        for mode in ["flags", "completes", "tangled", "breathless", "echoes"] {
            let hostile = hostile(mode);
            let began = Instant::now();
            let _ = read(&hostile, &with(sandboxed())).await;
            let took = began.elapsed();
            assert!(took < SOON, "{mode}: {took:?}");
        }
    }
}

/// How a program is asked for help that shows none, where that may take so long.
async fn asked_in_vain(without_help: Duration) -> Vec<String> {
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join("mute");
    let asked = folder.path().join("mute.asked");
    fs::write(&program, "#!/bin/sh\necho \"$1\" >>\"$0.asked\"\n").expect("a file");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("its mode");
    let mut options = with(patient());
    options.without_help = without_help;
    for _ in 0..100 {
        match discover(&program, &options).await {
            // It may still be open for writing in a child that another test has just started.
            Err(DiscoverError::NotStarted { reason, .. }) if reason.contains("busy") => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            found => {
                assert!(matches!(found, Err(DiscoverError::NoHelp { .. })));
                let asked = fs::read_to_string(&asked).expect("it was asked");
                return asked.lines().map(str::to_owned).collect();
            }
        }
    }
    panic!("the script stays busy");
}

#[tokio::test]
async fn a_program_that_takes_its_time_to_show_no_help_is_not_asked_in_other_ways() {
    assert_eq!(asked_in_vain(Duration::ZERO).await, ["--help"]);
    let asked = asked_in_vain(HANG * 10).await;
    assert_eq!(asked[..3], ["--help", "-h", "help"]);
}
