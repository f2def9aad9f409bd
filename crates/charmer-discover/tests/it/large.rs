//! Readings of large programs that are stopped on the way and go on later.

use std::{fs, path::Path, time::Duration};

use charmer_discover::{
    DiscoverOptions, Discoverer, Discovery, Journal, cache::Cache, probe::ProbeStop,
};
use tempfile::TempDir;

use crate::support::{HANG, example, patient};

/// How many groups of a hundred commands the program has.
const GROUPS: usize = 4;
/// How much may be asked twice: the first look at the program, and what was being asked when it was stopped.
const TWICE: u64 = 40;

fn reader(program: &Path, journal: Option<Journal>, stop: &ProbeStop) -> Discoverer {
    let mut options = DiscoverOptions::default();
    options.probe = patient();
    options.probe.stop = stop.clone();
    options.journal = journal;
    Discoverer::new(program, options)
}

async fn whole(reader: &Discoverer) -> Discovery {
    let read = tokio::time::timeout(HANG * 3, reader.run()).await;
    read.expect("it hung").expect("it can be read")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_reading_that_is_stopped_goes_on_without_asking_again() {
    let folder = TempDir::new().expect("a folder");
    let program = folder.path().join("vast");
    let source = example("vast");
    fs::hard_link(&source, &program)
        .or_else(|_| std::os::unix::fs::symlink(&source, &program))
        .expect("a link to the fixture");
    fs::write(program.with_extension("groups"), GROUPS.to_string()).expect("a file");
    let counter = program.with_extension("asked");
    let count_anew = || fs::write(&counter, "").expect("a file");
    let asked = || fs::metadata(&counter).expect("it counts").len();

    count_anew();
    let undisturbed = whole(&reader(&program, None, &ProbeStop::default())).await;
    let needed = asked();

    count_anew();
    let cache = Cache::new(folder.path().join("cache"));
    fs::create_dir(cache.folder()).expect("a folder");
    let footing = cache.footing(&program);
    let journal = || cache.journal(&program, &footing);
    let stop = ProbeStop::default();
    let first = reader(&program, journal(), &stop);
    let reading = tokio::spawn({
        let first = first.clone();
        async move { first.run().await }
    });
    while first.progress().0 < GROUPS * 50 {
        assert!(!reading.is_finished(), "it is not stopped on the way");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    stop.end().await;
    let _ = reading.await.expect("it does not panic");
    let before = asked();
    assert!(before < needed, "{before} of {needed}: nothing is left");

    let second = whole(&reader(&program, journal(), &ProbeStop::default())).await;
    assert!(second.complete);
    assert_eq!(second.cli, undisturbed.cli);
    let twice = asked().saturating_sub(needed);
    assert!(
        twice < TWICE,
        "of {needed} questions {before} were asked before, and {twice} twice"
    );
}
