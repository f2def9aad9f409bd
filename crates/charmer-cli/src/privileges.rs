//! Programs that need privileges which a confined program cannot be given: it is started without the right to gain any.

use std::path::Path;

/// Programs that start helpers which gain privileges, for users who have none. Until what is known of a program is data.
const WITH_HELPERS: &[(&str, &str)] = &[
    ("podman", "newuidmap"),
    ("buildah", "newuidmap"),
    ("flatpak", "bwrap"),
    ("pkexec", "polkit"),
];

/// The means by which a program gains privileges when it starts; `None` if it is an ordinary one.
#[cfg(unix)]
pub(crate) fn gained(program: &Path) -> Option<String> {
    use std::os::unix::fs::PermissionsExt;

    let file = program.canonicalize().ok()?;
    let mode = file.metadata().ok()?.permissions().mode();
    if mode & 0o6000 != 0 {
        return Some("it is a set-uid or set-gid program".into());
    }
    // A name that leads to the launcher of packages that are confined themselves.
    let leads_to_snap = file.file_name().is_some_and(|name| name == "snap");
    if leads_to_snap || program.starts_with("/snap/bin") {
        return Some("it is started by snap, which is a set-uid program".into());
    }
    if has_capabilities(&file) {
        return Some("its file has capabilities".into());
    }
    let name = program.file_name()?.to_str()?;
    let (_, helper) = WITH_HELPERS.iter().find(|(known, _)| *known == name)?;
    let needs = !is_superuser() || *helper == "polkit";
    needs.then(|| format!("it starts `{helper}`, which is a set-uid program"))
}

#[cfg(not(unix))]
pub(crate) fn gained(_: &Path) -> Option<String> {
    None
}

#[cfg(target_os = "linux")]
fn has_capabilities(file: &Path) -> bool {
    let mut space = [0; 64];
    rustix::fs::getxattr(file, "security.capability", &mut space[..]).is_ok_and(|length| length > 0)
}

#[cfg(all(unix, not(target_os = "linux")))]
fn has_capabilities(_: &Path) -> bool {
    false
}

#[cfg(unix)]
fn is_superuser() -> bool {
    rustix::process::geteuid().is_root()
}

#[cfg(all(test, unix))]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    #[test]
    fn what_gains_privileges_is_told_from_the_rest() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("program");
        fs::write(&program, "").expect("a file");
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
        assert_eq!(gained(&program), None);
        fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).expect("it is ours");
        assert!(gained(&program).is_some_and(|reason| reason.contains("set-uid")));
        let snap = folder.path().join("snap");
        fs::write(&snap, "").expect("a file");
        let link = folder.path().join("hello");
        std::os::unix::fs::symlink(&snap, &link).expect("a link");
        assert!(gained(&link).is_some_and(|reason| reason.contains("snap")));
    }
}
