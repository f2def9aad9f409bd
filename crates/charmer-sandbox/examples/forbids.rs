//! Runs a command on a lesser machine: `forbids namespaces COMMAND...`, as many containers and some distributions have it,
//! or `forbids landlock COMMAND...`, as old kernels have it. For the tests.

#[cfg(target_os = "linux")]
fn main() {
    use std::{os::unix::process::CommandExt, process::Command};

    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

    let mut words = std::env::args_os().skip(1);
    let (call, answer) = match words.next().and_then(|word| word.into_string().ok()) {
        Some(what) if what == "namespaces" => (libc::SYS_unshare, libc::EPERM),
        Some(what) if what == "landlock" => (libc::SYS_landlock_create_ruleset, libc::ENOSYS),
        _ => panic!("`namespaces` or `landlock` comes first"),
    };
    let machine = std::env::consts::ARCH.try_into();
    let machine = machine.expect("a machine that is known");
    let denied = SeccompAction::Errno(answer.unsigned_abs());
    let calls = [(call, Vec::new())].into();
    let filter = SeccompFilter::new(calls, SeccompAction::Allow, denied, machine);
    let filter: BpfProgram = filter.and_then(TryInto::try_into).expect("a filter");
    apply_filter(&filter).expect("the kernel takes it");
    let program = words.next().expect("a command to run");
    let error = Command::new(program).args(words).exec();
    panic!("it cannot be run: {error}");
}

#[cfg(not(target_os = "linux"))]
fn main() {}
