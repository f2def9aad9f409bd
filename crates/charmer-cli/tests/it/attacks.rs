//! What a hostile repository, file or assistant once got out of calls that were meant to read, and must not get again.
//!
//! | what was tried | test |
//! |---|---|
//! | `git status` and `git diff` where the repository names programs (`core.fsmonitor`, `textconv`), also in a bare one that is a folder of another | `what_a_repository_names_cannot_write`, `what_a_real_repository_names_cannot_write` |
//! | `uv python find ./bin/python`, `uv python list` | `an_interpreter_in_the_folder_cannot_write` |
//! | `cargo tree` with `build.rustc`, and its `Cargo.lock` | `a_compiler_that_the_folder_names_cannot_write` |
//! | `rclone ls ':webdav,bearer_token_command=...:'` | `a_remote_with_options_of_its_own_is_refused` |
//! | `go get`, `rclone gendocs DIR` | `what_writes_under_a_harmless_name_is_not_offered` |
//! | `kubectl config view --flatten`, `apply view-last-applied`, `get -f URL -o yaml` | `secrets_of_a_cluster_are_not_offered_to_readers`, `secrets_of_a_cluster_are_masked` |
//! | `kubectl get -f URL`, `--kustomize URL`, `git ls-remote URL`, `docker manifest inspect` | `a_reader_does_not_choose_the_host` |
//! | `git diff --no-index /dev/null /etc/shadow`, kubectl's `go-template-file=/etc/shadow` | `secrets_of_the_machine_are_hidden` |
//! | `kubectl --profile=heap` | `a_profile_of_the_program_itself_is_not_written` |
//! | `ssh -o ProxyCommand=...` | `ssh_takes_no_options_that_run_programs` |
//! | `psql` with a connection string | `a_database_is_no_connection_string` |
//! | a kubeconfig that names a program to get credentials with | `only_helpers_that_are_named_are_started` |
//! | a pinned `--namespace` undone by `--all-namespaces` or `--raw` | `a_pinned_namespace_stays` |
//!
//! The programs are stand-ins with the names of the real ones, so that their profiles hold.

use std::{
    fmt::Write,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use serde_json::json;
use tempfile::TempDir;

use crate::support::{charmer, err, out, write_script};

/// A command of a stand-in: its words, what follows them in its usage, and the lines that describe its flags.
type Page<'p> = (&'p str, &'p str, &'p str);

/// A folder with a program in it that shows help as Cobra's programs do, and otherwise runs a script.
struct StandIn {
    folder: TempDir,
    name: &'static str,
}

impl StandIn {
    fn new(name: &'static str, version: &str, pages: &[Page<'_>], runs: &str) -> Self {
        let mut cases = String::new();
        for (path, usage, flags) in pages {
            let below = Self::below(pages, path);
            let shown = format!("{name} {path}");
            let shown = shown.trim();
            let more = match below.is_empty() {
                true => String::new(),
                false => format!("\nUse \"{shown} [command] --help\" for more information.\n"),
            };
            let _ = write!(
                cases,
                "\"{path}\") cat <<'END'\nAbout {shown}\n\nUsage:\n  {shown} {usage}\n{below}\nFlags:\n  -h, --help   help\n{flags}{more}END\n;;\n"
            );
        }
        let script = format!(
            "runs() {{\n{runs}\n}}\nhelp= words=\nfor word; do\n case $word in\n --version) echo '{name} version {version}'; exit ;;\n \
             __complete*) exit 1 ;;\n --help | -h | help) help=yes ;;\n -*) ;;\n *) words=\"$words$word \" ;;\n esac\ndone\n\
             [ -n \"$help\" ] || {{ runs \"$@\"; exit; }}\ncase \"${{words% }}\" in\n{cases}*) exit 1 ;;\nesac"
        );
        let folder = TempDir::new().expect("a folder");
        let program = Self { folder, name };
        write_script(&program.path(), &script);
        program
    }

    /// The list of the commands below one.
    fn below(pages: &[Page<'_>], path: &str) -> String {
        let mut list = String::new();
        let start = if path.is_empty() {
            String::new()
        } else {
            format!("{path} ")
        };
        for (other, ..) in pages {
            if let Some(child) = other.strip_prefix(&start).filter(|child| !child.is_empty())
                && !child.contains(' ')
            {
                let _ = writeln!(list, "  {child}   About {child}");
            }
        }
        match list.is_empty() {
            true => list,
            false => format!("\nAvailable Commands:\n{list}"),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    /// The folder that the assistant works in.
    fn work(&self) -> PathBuf {
        let work = self.folder.path().join("work");
        fs::create_dir_all(&work).expect("a folder");
        work
    }

    /// `charmer call` of a tool of it, in its folder.
    fn call(&self, options: &[&str], words: &[&str]) -> Output {
        let program = self.path().display().to_string();
        let before = ["call", "-b", &program];
        let words = [&before, options, words].concat();
        let mut command = charmer(&words);
        command.current_dir(self.work());
        command.output().expect("it was built")
    }

    /// The same where only reading is offered.
    fn read(&self, words: &[&str]) -> Output {
        self.call(&["--read-only"], words)
    }
}

fn said(output: &Output) -> String {
    out(output) + &err(output)
}

/// It fails, with these words.
fn refused(output: &Output, because: &str) {
    let told = said(output);
    assert!(!output.status.success(), "{told}");
    assert!(told.contains(because), "{told}");
}

/// A program in the folder, and the file that it leaves if it can.
fn hostile(work: &Path, name: &str) -> PathBuf {
    let left = work.join("left");
    let file = work.join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    write_script(&file, &format!("echo ran >>'{}'", left.display()));
    left
}

/// The call leaves its mark where names alone decide, so that it is a real attack, and none where the kernel does.
fn cannot_write(stand_in: &StandIn, left: &Path, words: &[&str]) {
    let unconfined = stand_in.call(&["--read-only", "--confine", "names"], words);
    assert!(left.exists(), "no attack: {}", said(&unconfined));
    fs::remove_file(left).expect("it is there");
    let confined = stand_in.read(words);
    assert!(!left.exists(), "{}", said(&confined));
    let dry = stand_in.call(&["--read-only", "--dry-run"], words);
    let told = said(&dry);
    assert!(told.contains("by the kernel, network none"), "{told}");
}

#[test]
fn what_a_repository_names_cannot_write() {
    let pages = [
        ("", "[command]", ""),
        ("status", "[flags]", ""),
        ("diff", "[flags]", ""),
    ];
    let git = StandIn::new("git", "2.39.0", &pages, "exec ./hook");
    let left = hostile(&git.work(), "hook");
    cannot_write(&git, &left, &["git_status"]);
    cannot_write(&git, &left, &["git_diff"]);
}

#[test]
#[ignore = "needs git"]
fn what_a_real_repository_names_cannot_write() {
    let folder = TempDir::new().expect("a folder");
    let work = folder.path().join("work");
    fs::create_dir(&work).expect("a folder");
    let left = hostile(&work, "hook");
    let hook = work.join("hook").display().to_string();
    let git = |at: &Path, words: &[&str]| {
        let mut command = Command::new("git");
        command
            .current_dir(at)
            .args(["-c", "user.name=a", "-c", "user.email=a@example.com"]);
        let done = command.args(words).output().expect("there is git");
        assert!(done.status.success(), "{}", said(&done));
    };
    git(&work, &["init", "--quiet"]);
    fs::write(work.join("a.bin"), "one").expect("a file");
    fs::write(work.join(".gitattributes"), "*.bin diff=shown\n").expect("a file");
    git(&work, &["add", "."]);
    git(&work, &["commit", "--quiet", "-m", "one"]);
    fs::write(work.join("a.bin"), "two").expect("a file");
    git(&work, &["config", "core.fsmonitor", &hook]);
    git(&work, &["config", "diff.shown.textconv", &hook]);
    // A repository without a name of its own, as a clone can bring one along.
    let bare = work.join("bare");
    fs::create_dir(&bare).expect("a folder");
    git(&bare, &["init", "--quiet", "--bare", "."]);
    for (key, value) in [
        ("core.bare", "false"),
        ("core.worktree", "."),
        ("core.fsmonitor", &hook),
    ] {
        git(&bare, &["config", key, value]);
    }
    let _ = fs::remove_file(&left);
    for (at, tool) in [
        (&work, "git_status"),
        (&work, "git_diff"),
        (&bare, "git_status"),
    ] {
        for (options, writes) in [(&["--confine", "names"][..], true), (&[], false)] {
            let words = [&["call", "-b", "git", "--read-only"], options, &[tool]].concat();
            let done = charmer(&words)
                .current_dir(at)
                .output()
                .expect("it was built");
            assert_eq!(left.exists(), writes, "{tool}: {}", said(&done));
            let _ = fs::remove_file(&left);
        }
    }
}

#[test]
fn an_interpreter_in_the_folder_cannot_write() {
    let pages = [
        ("", "[command]", ""),
        ("python", "[command]", ""),
        ("python find", "[REQUEST]", ""),
        ("python list", "[REQUEST]", ""),
    ];
    let uv = StandIn::new("uv", "0.9.0", &pages, "exec ./bin/python");
    let left = hostile(&uv.work(), "bin/python");
    cannot_write(&uv, &left, &["uv_python_find", "./bin/python"]);
    cannot_write(&uv, &left, &["uv_python_list"]);
}

#[test]
fn a_compiler_that_the_folder_names_cannot_write() {
    let pages = [("", "[command]", ""), ("tree", "[flags]", "")];
    let runs = "echo locked >Cargo.lock; exec ./rustc";
    let cargo = StandIn::new("cargo", "1.90.0", &pages, runs);
    let left = hostile(&cargo.work(), "rustc");
    cannot_write(&cargo, &left, &["cargo_tree"]);
    let lock = cargo.work().join("Cargo.lock");
    cannot_write(&cargo, &lock, &["cargo_tree"]);
}

#[test]
fn a_remote_with_options_of_its_own_is_refused() {
    let pages = [("", "[command]", ""), ("ls", "remote:path [flags]", "")];
    let rclone = StandIn::new("rclone", "1.70.0", &pages, "echo listed");
    let remote = ":webdav,url=\"http://127.0.0.1:1\",bearer_token_command=\"id\":";
    for options in [&["--read-only"][..], &[]] {
        refused(
            &rclone.call(options, &["rclone_ls", remote]),
            "is not taken",
        );
        refused(
            &rclone.call(options, &["rclone_ls", "mine,bearer_token_command=id:x"]),
            "is not taken",
        );
    }
    let listed = rclone.read(&["rclone_ls", "mine:folder"]);
    assert!(out(&listed).contains("listed"), "{}", said(&listed));
}

#[test]
fn what_writes_under_a_harmless_name_is_not_offered() {
    let pages = [
        ("", "[command]", ""),
        ("get", "[packages]", ""),
        ("version", "[flags]", ""),
    ];
    let go = StandIn::new("go", "1.24", &pages, "echo ran");
    refused(
        &go.read(&["go_get", "example.com/x"]),
        "`go_get` is not offered",
    );
    let pages = [
        ("", "[command]", ""),
        ("gendocs", "output_directory", ""),
        ("ls", "remote:path", ""),
    ];
    let rclone = StandIn::new("rclone", "1.70.0", &pages, "echo ran");
    refused(
        &rclone.read(&["rclone_gendocs", "docs"]),
        "`rclone_gendocs` is not offered",
    );
}

const KUBECTL: [Page<'static>; 8] = [
    (
        "",
        "[command]",
        "      --profile string          What to measure while it runs\n      \
         --profile-output string   Where to leave what was measured\n",
    ),
    (
        "get",
        "[(-o|--output=)json|yaml|name] (TYPE [NAME | -l label] | TYPE/NAME ...) [flags]",
        "  -A, --all-namespaces     In every namespace\n  \
         -f, --filename strings   A file or a URL that names the objects\n  \
         -k, --kustomize string   A folder whose objects are meant\n  \
         -n, --namespace string   In this namespace\n  \
         -o, --output string      The format of the output\n      \
         --raw string         A path of the server, as it is\n",
    ),
    (
        "describe",
        "TYPE [flags]",
        "  -f, --filename strings   A file or a URL that names the objects\n  \
         -k, --kustomize string   A folder whose objects are meant\n",
    ),
    ("apply", "[command]", ""),
    (
        "apply view-last-applied",
        "(TYPE [NAME] | TYPE/NAME) [flags]",
        "",
    ),
    ("config", "[command]", ""),
    (
        "config view",
        "[flags]",
        "      --flatten   With what other files hold\n      --raw       With secrets\n",
    ),
    ("version", "[flags]", ""),
];

#[test]
fn secrets_of_a_cluster_are_not_offered_to_readers() {
    let kubectl = StandIn::new("kubectl", "1.31.0", &KUBECTL, "echo ran");
    for (words, because) in [
        (
            &["kubectl_config_view", "--flatten"][..],
            "has no `--flatten`",
        ),
        (&["kubectl_config_view", "--raw"], "has no `--raw`"),
        (
            &["kubectl_apply_view-last-applied", "secret/x"],
            "kubectl_apply_view-last-applied",
        ),
        (
            &["kubectl_get", "--filename", "x.yaml", "--output", "yaml"],
            "has no `--filename`",
        ),
        (&["kubectl_get", "secrets", "--output", "yaml"], "secret"),
    ] {
        refused(&kubectl.read(words), because);
    }
}

#[test]
fn secrets_of_a_cluster_are_masked() {
    let secret = "printf 'apiVersion: v1\\nkind: Secret\\nmetadata:\\n  name: x\\ndata:\\n  word: %s\\n' c3dvcmRmaXNo";
    let config = "printf 'apiVersion: v1\\nkind: Config\\nusers:\\n- name: u\\n  user:\\n    client-key-data: %s\\n' c3dvcmRmaXNo";
    let runs = format!("case \"$1\" in config) {config} ;; *) {secret} ;; esac");
    let kubectl = StandIn::new("kubectl", "1.31.0", &KUBECTL, &runs);
    for words in [
        &["kubectl_config_view", "--flatten"][..],
        &["kubectl_apply_view-last-applied", "secret/x"],
        &[
            "kubectl_get",
            "--filename",
            "http://127.0.0.1:1/x",
            "--output",
            "yaml",
        ],
    ] {
        let told = said(&kubectl.call(&[], words));
        assert!(told.contains("kind: "), "{told}");
        assert!(!told.contains("c3dvcmRmaXNo"), "{told}");
    }
}

#[test]
fn a_reader_does_not_choose_the_host() {
    let kubectl = StandIn::new("kubectl", "1.31.0", &KUBECTL, "echo ran");
    for (flag, url) in [
        ("--filename", "http://127.0.0.1:1/x"),
        ("--kustomize", "https://example.com/x"),
    ] {
        // Once because of the secrets that may be there, once because of the place.
        let because = format!("has no `{flag}`");
        refused(&kubectl.read(&["kubectl_get", flag, url]), &because);
        let described = kubectl.read(&["kubectl_describe", flag, url]);
        refused(&described, "it is a place on the network");
    }
    let pages = [
        ("", "[command]", ""),
        ("ls-remote", "[<repository> [<refs>...]]", ""),
    ];
    let git = StandIn::new("git", "2.39.0", &pages, "echo ran");
    refused(
        &git.read(&["git_ls-remote", "http://127.0.0.1:1/x"]),
        "is not taken",
    );
    let pages = [
        ("", "[command]", ""),
        ("manifest", "[command]", ""),
        ("manifest inspect", "[OPTIONS] [MANIFEST_LIST] MANIFEST", ""),
    ];
    let docker = StandIn::new("docker", "28.0.0", &pages, "echo ran");
    refused(
        &docker.read(&["docker_manifest_inspect", "127.0.0.1:1/x"]),
        "is not taken",
    );
}

#[test]
fn secrets_of_the_machine_are_hidden() {
    let pages = [
        ("", "[command]", ""),
        (
            "diff",
            "[<path>...]",
            "      --no-index   Compare two files\n",
        ),
    ];
    let git = StandIn::new("git", "2.39.0", &pages, "cat /etc/shadow");
    let shown = git.read(&["git_diff", "--no-index", "/dev/null", "/etc/shadow"]);
    let told = said(&shown);
    assert!(!told.contains("root:"), "{told}");
    assert!(told.contains("`/etc/shadow` is hidden from it"), "{told}");
    // A file that whoever runs the test could read. The shell's own means: it may start no other programs.
    let cat = "read -r line <\"${2##*=}\"; echo \"read: $line\"";
    let kubectl = StandIn::new("kubectl", "1.31.0", &KUBECTL, cat);
    let key = kubectl.folder.path().join(".ssh/id");
    fs::create_dir(key.parent().expect("a folder")).expect("a folder");
    fs::write(&key, "a key\n").expect("a file");
    let template = format!("go-template-file={}", key.display());
    for (options, shows) in [(&["--confine", "names"][..], true), (&[], false)] {
        let program = kubectl.path().display().to_string();
        let before = ["call", "-b", &program, "--read-only"];
        let words = ["kubectl_get", "pods", "--output", &template];
        let mut command = charmer(&[&before, options, &words].concat());
        command.env("HOME", kubectl.folder.path());
        let told = said(&command.output().expect("it was built"));
        assert_eq!(told.contains("read: a key"), shows, "{told}");
    }
}

#[test]
fn a_profile_of_the_program_itself_is_not_written() {
    let kubectl = StandIn::new("kubectl", "1.31.0", &KUBECTL, "echo ran >profile.pprof");
    refused(
        &kubectl.read(&["kubectl_get", "pods", "--profile", "heap"]),
        "has no `--profile`",
    );
    let written = kubectl.work().join("profile.pprof");
    kubectl.read(&["kubectl_get", "pods"]);
    assert!(!written.exists());
}

#[test]
fn ssh_takes_no_options_that_run_programs() {
    let folder = TempDir::new().expect("a folder");
    let ssh = folder.path().join("ssh");
    let usage = "echo 'usage: ssh [-46Gv] [-F configfile] [-o option] [-p port]'\n\
                 echo '           destination [command [argument ...]]'";
    write_script(&ssh, usage);
    let ssh = ssh.display().to_string();
    for words in [
        &["--o", "ProxyCommand=id"][..],
        &["-o", "ProxyCommand=id"],
        &["--F", "config"],
    ] {
        let words = [&["call", "-b", &ssh, "ssh"], words, &["host"]].concat();
        let output = charmer(&words).output().expect("it was built");
        refused(&output, "the tool `ssh` has no");
    }
    let dry = charmer(&["call", "-b", &ssh, "--dry-run", "ssh", "--p", "22", "host"]);
    let dry = { dry }.output().expect("it was built");
    assert!(out(&dry).contains("host"), "{}", said(&dry));
}

#[test]
fn a_database_is_no_connection_string() {
    let folder = TempDir::new().expect("a folder");
    let psql = folder.path().join("psql");
    let usage = "cat <<'END'\nUsage:\n  psql [OPTION]... [DBNAME [USERNAME]]\n\nOptions:\n  -d, --dbname=DBNAME   the database\n  \
                 -l, --list            which databases there are\nEND";
    write_script(&psql, usage);
    let psql = psql.display().to_string();
    for words in [
        &["host=evil.example"][..],
        &["postgresql://evil.example/x"],
        &["--dbname", "host=evil.example"],
    ] {
        let words = [&["call", "-b", &psql, "psql"], words].concat();
        let output = charmer(&words).output().expect("it was built");
        refused(&output, "it is a connection string");
    }
}

#[test]
fn a_pinned_namespace_stays() {
    let kubectl = StandIn::new("kubectl", "1.31.0", &KUBECTL, "echo ran");
    let pinned = ["--set", "namespace=mine"];
    refused(
        &kubectl.call(&pinned, &["kubectl_get", "pods", "--all-namespaces"]),
        "has no `--all-namespaces`",
    );
    refused(
        &kubectl.call(&pinned, &["kubectl_get", "--raw", "/api"]),
        "has no `--raw`",
    );
    refused(
        &kubectl.call(&pinned, &["kubectl_get", "pods", "--namespace", "other"]),
        "namespace",
    );
    let free = kubectl.call(&["--dry-run"], &["kubectl_get", "pods", "--all-namespaces"]);
    assert!(out(&free).contains("--all-namespaces"), "{}", said(&free));
}

#[test]
fn only_helpers_that_are_named_are_started() {
    // As a kubeconfig has it under `exec`: a program in the folder, which gets the credentials.
    let kubectl = StandIn::new("kubectl", "1.31.0", &KUBECTL, "./plugin && ./other");
    let work = kubectl.work();
    write_script(&work.join("plugin"), "echo got a token");
    write_script(&work.join("other"), "echo got another");
    let source = json!({"binary": kubectl.path(), "helpers": [work.join("plugin")]});
    let config = kubectl.folder.path().join("charmer.yaml");
    fs::write(&config, json!({"sources": [source]}).to_string()).expect("a file");
    let config = config.display().to_string();
    let words = ["call", "-c", &config, "--read-only", "kubectl_version"];
    let mut command = charmer(&words);
    let named = command.current_dir(&work).output().expect("it was built");
    let told = said(&named);
    assert!(told.contains("got a token"), "{told}");
    assert!(!told.contains("got another"), "{told}");
    // By the profile alone, neither is one.
    let told = said(&kubectl.read(&["kubectl_version"]));
    assert!(!told.contains("got"), "{told}");
    // A call that may write starts what it likes.
    let told = said(&kubectl.call(&[], &["kubectl_version"]));
    assert!(told.contains("got another"), "{told}");
}
