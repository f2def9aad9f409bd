//! Programs that leave something behind, or try to: when a reading is over there is nothing of it left, and nothing
//! outside of its folder has changed.

use std::{
    fs,
    os::unix::{fs::PermissionsExt, net::UnixListener},
    path::Path,
};

use charmer_discover::{DiscoverOptions, Discovery, discover, probe::ProbeOptions};
use tempfile::TempDir;

use crate::support::{HANG, Hostile, gone, hostile, patient, sandboxed};

/// Reads a program to the end, with a folder for temporary files of its own, which must be empty then.
async fn read(hostile: &Hostile, mut probe: ProbeOptions) -> Discovery {
    let temporary = TempDir::new().expect("a folder");
    probe.environment.retain(|(name, _)| name != "TMPDIR");
    let folder = ("TMPDIR".into(), temporary.path().into());
    probe.environment.push(folder);
    let mut options = DiscoverOptions::default();
    options.probe = probe;
    let read = discover(&hostile.program, &options);
    let found = tokio::time::timeout(HANG * 3, read).await.expect("it hung");
    let left = fs::read_dir(temporary.path()).expect("a folder").count();
    assert_eq!(left, 0, "something was left behind");
    found.expect("it can be read")
}

/// The lines that a program printed above its help.
fn printed(found: &Discovery) -> Vec<String> {
    let text = found.cli.root.long_about.as_deref().unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// Whether the sandbox lacks something that this sentence begins with.
fn lacks(found: &Discovery, sentence: &str) -> bool {
    let mut said = found.warnings.iter();
    said.any(|warning| warning.message.starts_with(sentence))
}

/// The processes that run this file.
fn running(program: &Path) -> Vec<String> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let runs = |id: &str| fs::read_link(format!("/proc/{id}/exe")).is_ok_and(|exe| exe == program);
    let ids = processes.map(|entry| entry.file_name().to_string_lossy().into_owned());
    ids.filter(|id| runs(id)).collect()
}

#[tokio::test]
async fn thousands_of_files_go_even_from_folders_that_nobody_may_write_to() {
    for options in [patient(), sandboxed()] {
        read(&hostile("litters"), options).await;
    }
}

#[tokio::test]
async fn no_file_grows_beyond_a_bound() {
    let found = read(&hostile("fills"), sandboxed()).await;
    let said = printed(&found);
    let open = lacks(&found, "Probes are not sandboxed");
    assert!(
        open || !said.iter().any(|line| line == "filled"),
        "{said:?}"
    );
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn processes_that_lead_their_own_session_end_with_the_reading() {
    let hostile = hostile("daemonises");
    let found = read(&hostile, sandboxed()).await;
    let said = printed(&found).join("\n");
    assert!(said.contains("daemon "), "{said}");
    for id in running(&hostile.program) {
        gone(&id).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_bomb_ends_with_the_reading() {
    let hostile = hostile("bombs");
    read(&hostile, sandboxed()).await;
    for id in running(&hostile.program) {
        gone(&id).await;
    }
}

#[tokio::test]
async fn modes_and_times_outside_stay_as_they_are() {
    let folder = TempDir::new().expect("a folder");
    let file = folder.path().join("mine");
    fs::write(&file, "mine").expect("it is written");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
    let before = fs::metadata(&file).expect("it is there");
    let hostile = hostile("touches").knows(file.to_str().expect("UTF-8"));
    let found = read(&hostile, sandboxed()).await;
    let after = fs::metadata(&file).expect("it is there");
    let said = printed(&found);
    let same = |a: &fs::Metadata, b: &fs::Metadata| {
        a.permissions() == b.permissions() && a.modified().ok() == b.modified().ok()
    };
    let open = lacks(&found, "Probes are not");
    assert!(open || same(&before, &after), "{said:?}");
}

#[tokio::test]
async fn sockets_of_services_are_not_reached() {
    let folder = TempDir::new().expect("a folder");
    let socket = folder.path().join("service");
    let _service = UnixListener::bind(&socket).expect("a socket");
    let hostile = hostile("dials-locally").knows(socket.to_str().expect("UTF-8"));
    let found = read(&hostile, sandboxed()).await;
    let said = printed(&found);
    let open = lacks(&found, "Probes are not");
    assert!(
        open || !said.iter().any(|line| line == "connected"),
        "{said:?}"
    );
}

#[tokio::test]
async fn processes_outside_get_no_signals() {
    let own = std::process::id().to_string();
    let found = read(&hostile("signals").knows(own), sandboxed()).await;
    let said = printed(&found);
    let open = lacks(&found, "Probes are not");
    assert!(
        open || !said.iter().any(|line| line == "signalled"),
        "{said:?}"
    );
}
