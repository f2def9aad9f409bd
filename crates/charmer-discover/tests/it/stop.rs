//! The end of a reading by order, and what is said before one begins.

use std::{
    fs,
    path::PathBuf,
    sync::{Mutex, OnceLock},
    time::Duration,
};

use charmer_discover::{
    DiscoverOptions, Discoverer,
    probe::{ProbeStop, Prober},
};
use tempfile::TempDir;

use crate::support::{HANG, gone, hostile, patient, sandboxed};

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stop_ends_what_is_asked_and_removes_what_was_written() {
    for mut options in [patient(), sandboxed()] {
        let temporary = TempDir::new().expect("a folder");
        options.environment.retain(|(name, _)| name != "TMPDIR");
        let folder = ("TMPDIR".into(), temporary.path().into());
        options.environment.push(folder);
        let stop = ProbeStop::default();
        options.stop = stop.clone();
        let prober = Prober::new("/bin/sh".into(), options).expect("a prober");
        let asked = prober.clone();
        let script =
            "read id rest < /proc/self/stat; echo $id > id.new; mv id.new id; exec sleep 600";
        let asked = tokio::spawn(async move { asked.run(&["-c", script]).await });
        let file = prober.home().with_file_name("work").join("id");
        let id = loop {
            match fs::read_to_string(&file) {
                Ok(id) => break id.trim().to_owned(),
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            }
        };
        let ended = tokio::time::timeout(HANG, stop.end()).await;
        ended.expect("it ends");
        gone(&id).await;
        assert!(!asked.await.expect("an answer").succeeded());
        let left = fs::read_dir(temporary.path()).expect("a folder").count();
        assert_eq!(left, 0, "while the prober is still there");
        assert!(!prober.run(&["-c", "true"]).await.started);
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_folder_that_is_being_made_when_all_stops_is_removed_before_it_has_stopped() {
    let temporary = TempDir::new().expect("a folder");
    for _ in 0..100 {
        let stop = ProbeStop::default();
        let mut options = patient();
        options.environment.retain(|(name, _)| name != "TMPDIR");
        let folder = ("TMPDIR".into(), temporary.path().into());
        options.environment.push(folder);
        options.stop = stop.clone();
        let made = std::thread::spawn(|| Prober::new("/bin/sh".into(), options).map(drop));
        let begun = || fs::read_dir(temporary.path()).expect("a folder").count() > 0;
        while !made.is_finished() && !begun() {
            std::thread::yield_now();
        }
        stop.end().await;
        let left = fs::read_dir(temporary.path()).expect("a folder").count();
        assert_eq!(left, 0);
        let _ = made.join().expect("no panic");
    }
}

#[tokio::test]
async fn a_reading_that_was_stopped_is_not_complete() {
    let hostile = hostile("many");
    let mut options = DiscoverOptions::default();
    options.probe = patient();
    let stop = ProbeStop::default();
    options.probe.stop = stop.clone();
    let reading = Discoverer::new(&hostile.program, options);
    let stopping = async {
        while reading.progress().0 < 10 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        stop.end().await;
    };
    let (found, ()) = tokio::join!(reading.run(), stopping);
    let found = found.expect("some of it was read");
    assert!(!found.complete);
}

/// What was told, and the file that the program would have written before.
static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());
static WRITTEN: OnceLock<PathBuf> = OnceLock::new();

fn tell(sentence: &str) {
    let written = WRITTEN.get().is_some_and(|file| file.exists());
    assert!(!written, "the program ran before this was said");
    TOLD.lock().expect("a list").push(sentence.to_owned());
}

#[tokio::test]
async fn what_the_sandbox_lacks_is_told_once_and_before_the_program_runs() {
    let outside = TempDir::new().expect("a folder");
    let _ = WRITTEN.set(outside.path().join("hostile-was-here"));
    let hostile = hostile("writes").knows(outside.path().to_str().expect("UTF-8"));
    let mut options = patient();
    options.on_shortcoming = Some(tell);
    let prober = hostile.prober(options);
    for _ in 0..2 {
        prober.run(&["--help"]).await;
    }
    assert!(WRITTEN.get().is_some_and(|file| file.exists()));
    let told = TOLD.lock().expect("a list");
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("Probes are not sandboxed"), "{told:?}");
}
