//! What a program that means harm can do from within: nothing that stays.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt, PermissionsExt},
        net::UnixListener,
    },
    path::Path,
    process::{Command, Stdio},
};

use charmer_sandbox::{NetworkRight, Readable, Sandbox, SandboxCommand};
use tempfile::TempDir;

use crate::support::{Scratch, confined, launch, without_namespaces};

const NONE: [&str; 0] = [];

/// Both kinds of machine: with namespaces, if this one has them, and without.
fn machines() -> [SandboxCommand; 2] {
    [confined(), without_namespaces()]
}

/// What each line of a script came to: its own exit code.
fn tried(sandbox: &Sandbox, scratch: &Scratch, lines: &[String]) -> Vec<String> {
    let script: String = lines
        .iter()
        .map(|line| {
            format!(
                "if ({line}) >/dev/null 2>&1; then echo 'did: {}'; fi\n",
                line.replace('\'', "")
            )
        })
        .collect();
    let said = launch(sandbox, &scratch.shell(&script, &NONE)).text();
    said.lines().map(str::to_owned).collect()
}

#[test]
fn nothing_outside_is_written_changed_emptied_or_removed() {
    for command in machines() {
        let scratch = Scratch::new();
        let outside = TempDir::new().expect("a folder");
        let file = outside.path().join("file");
        fs::write(&file, "as it was").expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        let before = fs::metadata(&file).expect("it is there");
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        let at = outside.path().display();
        let lines = [
            format!("echo x > {at}/new"),
            format!("echo x >> {at}/file"),
            format!(": > {at}/file"),
            format!("truncate -s 0 {at}/file"),
            format!("rm -f {at}/file && [ ! -e {at}/file ]"),
            format!("mv {at}/file {at}/other"),
            format!("ln {at}/file {at}/link"),
            format!("ln -s x {at}/link"),
            format!("ln {at}/file own-link && echo x > own-link"),
            format!("mkdir {at}/folder"),
            format!("mkfifo {at}/pipe"),
            format!("chmod 777 {at}/file"),
            format!("chmod 777 {at}"),
            format!("chown $(id -u):$(id -g) {at}/file"),
            format!("touch -d 2001-01-01 {at}/file"),
            format!("touch {at}/file"),
            format!("setfattr -n user.x -v y {at}/file"),
            format!("chattr +i {at}/file"),
            format!("chattr +d {at}/file"),
            format!("dd if=/dev/zero of={at}/file count=1 conv=notrunc"),
            "mount -t tmpfs none .".into(),
            "unshare -Ur true".into(),
            "echo x > /dev/mem".into(),
        ];
        assert_eq!(tried(&sandbox, &scratch, &lines), [] as [&str; 0]);
        let after = fs::metadata(&file).expect("it is there");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "as it was");
        assert_eq!(
            (
                before.mode(),
                before.uid(),
                before.mtime(),
                before.mtime_nsec()
            ),
            (after.mode(), after.uid(), after.mtime(), after.mtime_nsec())
        );
        assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 1);
    }
}

#[test]
fn its_own_folder_and_harmless_devices_are_writable() {
    for command in machines() {
        let scratch = Scratch::new();
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        let mut lines: Vec<String> = ["null", "zero", "random", "urandom"]
            .map(|device| format!("echo x > /dev/{device}"))
            .into();
        lines.push("mkdir a; echo x > a/b; mv a/b a/c; ln -s a/c d; rm -r a d".into());
        if sandbox.report().mounts.is_ok() {
            lines.push("echo x > /dev/shm/own && rm /dev/shm/own".into());
        }
        assert_eq!(tried(&sandbox, &scratch, &lines).len(), lines.len());
        // Whoever has a view of the machine's own may not write what others share.
        if sandbox.report().mounts.is_err() {
            let shared = ["echo x > /dev/shm/charmer-test".to_owned()];
            assert_eq!(tried(&sandbox, &scratch, &shared), [] as [&str; 0]);
        }
    }
}

#[test]
fn nobody_outside_is_signalled() {
    let mut bystander = Command::new("sleep")
        .arg("600")
        .stdin(Stdio::null())
        .spawn()
        .expect("a process");
    for command in machines() {
        let scratch = Scratch::new();
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        if !sandbox.report().keeps_signals() {
            continue;
        }
        let number = bystander.id();
        let lines = [
            format!("kill -0 {number}"),
            format!("kill -9 {number}"),
            format!("kill -STOP {number}"),
        ];
        assert_eq!(tried(&sandbox, &scratch, &lines), [] as [&str; 0]);
    }
    assert!(bystander.try_wait().expect("it is ours").is_none());
    bystander.kill().expect("it runs");
    bystander.wait().expect("it was killed");
}

#[test]
fn hidden_paths_are_out_of_reach_and_their_neighbours_are_not() {
    for command in machines() {
        let mut scratch = Scratch::new();
        let home = TempDir::new().expect("a folder");
        let home = home.path().canonicalize().expect("it is there");
        let at = home.display();
        for folder in [".ssh", ".config/gh", ".config/other"] {
            fs::create_dir_all(home.join(folder)).expect("a folder");
            fs::write(home.join(folder).join("key"), "secret").expect("a file");
        }
        fs::write(home.join(".netrc"), "secret").expect("a file");
        fs::write(home.join(".gitconfig"), "plain").expect("a file");
        std::os::unix::fs::symlink(home.join(".ssh"), home.join("link")).expect("a link");
        scratch.rights.hidden = [".ssh", ".config/gh", ".netrc", ".missing"]
            .map(|name| home.join(name))
            .into();
        fs::create_dir(home.join(".ssh/deep")).expect("a folder");
        for shown in [".ssh/known_hosts", ".ssh/deep/config"] {
            fs::write(home.join(shown), "plain").expect("a file");
            scratch.rights.shown.push(home.join(shown));
        }
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        let secrets = [
            format!("grep -q secret {at}/.ssh/key"),
            format!("grep -q secret {at}/link/key"),
            format!("grep -q secret {at}/.config/gh/key"),
            format!("grep -q secret {at}/.netrc"),
            format!("cd {at}/.config && grep -q secret ../.ssh/key"),
            format!("grep -q secret /proc/self/root{at}/.ssh/key"),
            format!("grep -q secret /proc/1/root{at}/.ssh/key"),
            format!("grep -q secret /proc/$PPID/root{at}/.ssh/key"),
            format!("cp {at}/.ssh/key stolen"),
            format!("ln {at}/.ssh/key stolen"),
        ];
        assert_eq!(tried(&sandbox, &scratch, &secrets), [] as [&str; 0]);
        let plain = [
            format!("grep -q plain {at}/.gitconfig"),
            format!("grep -q secret {at}/.config/other/key"),
            format!("ls {at}"),
            format!("grep -q plain {at}/.ssh/known_hosts"),
            format!("grep -q plain {at}/.ssh/deep/config"),
            "ls /".into(),
            "true".into(),
        ];
        assert_eq!(tried(&sandbox, &scratch, &plain).len(), plain.len());
        // A working folder that was looked up outside does not lead around it.
        let mut program = scratch.shell("cat ../.ssh/key", &NONE);
        program.folder = home.join(".config");
        let held = fs::metadata(&program.folder).expect("it is there");
        program.folder_id = Some((held.dev(), held.ino()));
        assert_eq!(launch(&sandbox, &program).text(), "");
        program.folder_id = Some((held.dev(), held.ino() + 1));
        assert!(launch(&sandbox, &program).end().is_err());
    }
}

/// Asks for system calls by their numbers and prints what each was answered with; all but the last few are those of every
/// machine.
#[cfg(target_arch = "x86_64")]
const BY_NUMBER: &str = r#"
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
calls = {
    "io_uring_setup": (425, 8, ctypes.create_string_buffer(256)), "open_tree": (428, -100, b"/", 1),
    "fsopen": (430, b"tmpfs", 0), "pidfd_getfd": (438, 0, 0, 0), "mount_setattr": (442, -100, b"/", 0, 0, 0),
    "fchmodat2": (452, -100, b"/tmp", 0o777, 0), "setxattrat": (463, -100, b"/tmp", 0, b"user.x", 0, 0),
    "file_setattr": (469, -100, b"/tmp", 0, 0, 0), "ptrace": (101, 0, 0, 0, 0), "shmget": (29, 1, 4096, 0o1600),
    "shmctl": (31, 0, 0, 0), "semget": (64, 1, 1, 0o1600), "msgget": (68, 1, 0o1600), "keyctl": (250, 0, 0, 0),
    "add_key": (248, b"user", b"x", b"y", 1, -3), "perf_event_open": (298, 0, 0, 0, -1, 0),
    "process_vm_readv": (310, 1, 0, 0, 0, 0, 0), "kcmp": (312, 1, 1, 0, 0, 0), "bpf": (321, 0, 0, 0),
    "userfaultfd": (323, 0), "unshare": (272, 0x10000000), "x32 getpid": (0x40000000 + 39,),
    "x32 chmod": (0x40000000 + 90, b"/tmp", 0o777), "clone3": (435, 0, 0),
    "prlimit of another": (302, 1, 7, ctypes.create_string_buffer(16), 0), "priority of a user": (141, 2, 0, 5),
    "a lease": (72, 0, 1024, 0),
}
for name, call in calls.items():
    ctypes.set_errno(0)
    if libc.syscall(*call) != -1 or ctypes.get_errno() not in (1, 38):
        print(name, ctypes.get_errno())
print("tried", len(calls))
"#;

#[cfg(target_arch = "x86_64")]
#[test]
#[ignore = "needs python3; .ci/run has it"]
fn system_calls_that_reach_around_the_rest_are_not_there() {
    for command in machines() {
        let scratch = Scratch::new();
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        let mut program = scratch.shell("", &NONE);
        program.program = found("python3").into();
        program.argv = vec!["-c".into(), BY_NUMBER.into()];
        let answer = launch(&sandbox, &program).answer();
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        let complaint = String::from_utf8_lossy(&answer.stderr).into_owned();
        assert_eq!(said, "tried 27\n", "{complaint}");
    }
}

#[test]
fn a_change_of_modes_may_be_pretended() {
    for command in machines() {
        let mut scratch = Scratch::new();
        scratch.rights.pretends_metadata = true;
        let outside = TempDir::new().expect("a folder");
        let file = outside.path().join("file");
        fs::write(&file, "as it was").expect("a file");
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("it is ours");
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        let at = file.display();
        let lines = [format!("chmod 777 {at}"), format!("chown 1:1 {at}")];
        assert_eq!(tried(&sandbox, &scratch, &lines).len(), lines.len());
        let mode = fs::metadata(&file)
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o640);
    }
}

#[test]
fn what_is_installed_can_be_read_but_for_what_is_hidden_in_it() {
    for command in machines() {
        let mut scratch = Scratch::new();
        let folder = TempDir::new().expect("a folder");
        let at = folder.path().canonicalize().expect("it is there");
        for file in ["plain", "hidden/key", "deep/hidden", "deep/plain"] {
            fs::create_dir_all(at.join(file).parent().expect("a folder")).expect("a folder");
            fs::write(at.join(file), "text").expect("a file");
        }
        scratch.rights.readable = Readable::Installed(vec![at.clone()]);
        scratch.rights.hidden = ["hidden", "deep/hidden"].map(|name| at.join(name)).into();
        let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
        let reads = |file: &str| {
            let line = format!("grep -q text {}/{file}", at.display());
            !tried(&sandbox, &scratch, &[line]).is_empty()
        };
        assert!(reads("plain") && reads("deep/plain"));
        assert!(!reads("hidden/key") && !reads("deep/hidden"));
        let elsewhere = TempDir::new().expect("a folder");
        fs::write(elsewhere.path().join("file"), "text").expect("a file");
        let line = format!("grep -q text {}/file", elsewhere.path().display());
        assert_eq!(tried(&sandbox, &scratch, &[line]), [] as [&str; 0]);
    }
}

#[test]
#[ignore = "needs bash and python3; .ci/run has them"]
fn sockets_are_those_of_the_network() {
    // Only this shell reaches addresses by itself, and only Python sockets of services.
    let (bash, python) = (found("bash"), found("python3"));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("it is bound").port();
    let service = TempDir::new().expect("a folder");
    let service = service.path().join("socket");
    let _listener = UnixListener::bind(&service).expect("a socket");
    let expected = [
        (NetworkRight::All, true, true),
        (NetworkRight::Tcp, true, false),
        (NetworkRight::Socket, false, true),
        (NetworkRight::None, false, false),
    ];
    for command in machines() {
        for (network, tcp, socket) in expected {
            let mut scratch = Scratch::new();
            scratch.rights.network = network;
            let sandbox = Sandbox::start(&command, &scratch.rights).expect("a sandbox");
            let connects = format!(
                "import socket; socket.socket(socket.AF_UNIX).connect(\"{}\")",
                service.display()
            );
            let pair = "import socket; socket.socketpair()";
            // A pair of this kind could be sent through to a service.
            let datagrams = "import socket; socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)";
            let addresses = "import socket; socket.if_nameindex()";
            let audit = "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 9)";
            let lines = [
                format!("{bash} -c \"exec 3<>/dev/tcp/127.0.0.1/{port}\""),
                format!("{python} -c '{connects}'"),
                format!("{python} -c '{pair}'"),
                format!("{python} -c '{datagrams}'"),
                format!("{python} -c '{addresses}'"),
                format!("{python} -c '{audit}'"),
            ];
            let did: Vec<bool> = lines
                .iter()
                .map(|line| !tried(&sandbox, &scratch, std::slice::from_ref(line)).is_empty())
                .collect();
            // Without a network of its own the addresses would be the machine's.
            let own = sandbox.report().network.is_ok();
            let addresses = network != NetworkRight::None || own;
            assert_eq!(
                did,
                [tcp, socket, true, socket, addresses, false],
                "{network:?}"
            );
        }
    }
}

fn found(program: &str) -> String {
    let folders = ["/usr/bin", "/bin", "/usr/local/bin"].map(Path::new);
    let paths = folders.map(|folder| folder.join(program));
    let path = paths.iter().find(|path| path.exists());
    path.expect("it is installed").display().to_string()
}

#[test]
fn processes_and_memory_are_bounded() {
    let highest = || fs::read_to_string("/proc/sys/kernel/pid_max").expect("there is /proc");
    let before = highest();
    let mut scratch = Scratch::new();
    scratch.rights.bounds.processes = Some(512);
    let sandbox = scratch.sandbox();
    assert_eq!(highest(), before, "the bound is not the whole machine's");
    // Each stays, so that all are there at once.
    let script =
        "n=0; while [ $n -lt 1000 ]; do sleep 600 > /dev/null 2>&1 & n=$((n+1)); done; echo all";
    let launched = launch(&sandbox, &scratch.shell(script, &NONE));
    launched.end().expect("it was started");
    drop(sandbox);
    let said = launched.text_so_far();
    if scratch.sandbox().report().process_bound.is_ok() {
        assert_eq!(said, "", "there were 1000 processes");
    }

    let mut scratch = Scratch::new();
    scratch.rights.bounds.memory_bytes = Some(256 << 20);
    let greedy = "x=$(head -c 400000000 /dev/zero | tr '\\0' x); echo ${#x}";
    let said = launch(&scratch.sandbox(), &scratch.shell(greedy, &NONE)).text();
    assert_eq!(said, "", "it had 400 MB");
}
