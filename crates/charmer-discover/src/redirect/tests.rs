//! Flags that redirect, wherever they stand, and flags of the same names that do not.

use charmer_core::model::{Command, Flag, ValueType};
use proptest::prelude::*;

use super::{
    RedirectKind::{self, Configuration, Connect, Environment, Identity, Program, Verification},
    redirects,
};

fn text(name: &str, help: &str) -> Flag {
    Flag::new(name).value_type(ValueType::String).help(help)
}

fn kind(path: &str, flag: &Flag) -> Option<RedirectKind> {
    let mut root = Command::new("tool");
    root.commands.push(Command::new("sub"));
    let line: Vec<Command> = std::iter::once(root)
        .chain(path.split_whitespace().map(Command::new))
        .collect();
    let line: Vec<&Command> = line.iter().collect();
    redirects(&line, flag).map(|redirect| redirect.kind)
}

#[test]
fn flags_of_the_whole_program() {
    for (flag, wanted) in [
        (text("kubeconfig", "Path to a file"), Configuration),
        (text("server", "Where the server is"), Connect),
        (text("token", "Bearer token"), Identity),
        (text("as", "Whom to impersonate"), Identity),
        (text("as-group", ""), Identity),
        (text("as-uid", ""), Identity),
        (text("user", "The user of the file"), Identity),
        (text("username", ""), Identity),
        (text("password", ""), Identity),
        (text("cluster", ""), Connect),
        (text("context", "Name of the context"), Connect),
        (
            text("host", "Daemon socket to connect to").short('H'),
            Connect,
        ),
        (text("config", "Where client settings are"), Configuration),
        (text("configDir", ""), Configuration),
        (text("config-file", ""), Configuration),
        (text("endpoint", ""), Connect),
        (text("api-url", ""), Connect),
        (text("proxy", ""), Connect),
        (text("https-proxy", ""), Connect),
        (text("client-certificate", ""), Identity),
        (text("client-key", ""), Identity),
        (text("tlscert", ""), Identity),
        (text("tlskey", ""), Identity),
        (text("tlscacert", ""), Verification),
        (Flag::new("tls"), Verification),
        (Flag::new("tlsverify"), Verification),
        (Flag::new("tls-verify"), Verification),
        (Flag::new("insecure-skip-tls-verify"), Verification),
        (text("certificate-authority", ""), Verification),
        (text("exec-path", ""), Program),
        (Flag::new("paginate"), Program),
        (text("git-dir", ""), Configuration),
        (text("work-tree", ""), Configuration),
        (text("registry-config", ""), Configuration),
        (text("directory", "Change to a directory"), Configuration),
        (text("profile", "Named profile with credentials"), Identity),
        (text("env-file", ""), Environment),
        (text("runtime", "Path to the runtime"), Program),
        (text("something", "The URL of the service"), Connect),
        (
            text("something", "Read this configuration file"),
            Configuration,
        ),
        (text("shell", ""), Program),
        (
            Flag::short_only('c').value_type(ValueType::String),
            Configuration,
        ),
        (
            Flag::short_only('C').value_type(ValueType::String),
            Configuration,
        ),
        (
            Flag::short_only('F')
                .value_type(ValueType::Path)
                .help("A configuration file"),
            Configuration,
        ),
    ] {
        assert_eq!(kind("", &flag), Some(wanted), "{flag:?}");
        // As a global flag of a group it means the same.
        if flag.long.is_some() {
            assert_eq!(
                kind("group", &flag.clone().global()),
                Some(wanted),
                "{flag:?}"
            );
        }
    }
}

#[test]
fn flags_of_a_single_command_that_redirect_too() {
    for (path, flag, wanted) in [
        ("fetch", text("upload-pack", ""), Program),
        ("push", text("receive-pack", ""), Program),
        ("push", text("exec", ""), Program),
        ("log", Flag::new("ext-diff"), Program),
        (
            "grep",
            text("open-files-in-pager", "").optional_value(None),
            Program,
        ),
        ("commit", text("editor", ""), Program),
        ("show", text("pager", ""), Program),
        ("sync", text("use-askpass", ""), Program),
        ("sync", text("credential-helper", ""), Program),
        ("x", text("to-command", ""), Program),
        ("x", text("checkpoint-action", ""), Program),
        ("x", text("rsh", ""), Program),
        ("x", text("use-compress-program", "").short('I'), Program),
        ("install", text("post-renderer", ""), Program),
        (
            "install",
            text("hook-thing", "the path to an executable"),
            Program,
        ),
        (
            "sync",
            text("python", "The Python interpreter to use"),
            Program,
        ),
        (
            "clone",
            text("template", "where templates are taken from"),
            Program,
        ),
        (
            "clone",
            text("config", "set config inside the new repository"),
            Configuration,
        ),
        (
            "build",
            text("config", "Override a configuration value"),
            Configuration,
        ),
        ("build", text("manifest-path", ""), Configuration),
        (
            "config",
            text("file", "use the given config file"),
            Configuration,
        ),
        ("publish", text("token", "what to sign in with"), Identity),
        ("publish", text("registry", ""), Connect),
        ("publish", text("index", "Registry index URL"), Connect),
        ("login", text("username", ""), Identity),
        ("login", text("password", ""), Identity),
        ("pull", text("creds", ""), Identity),
        ("pull", Flag::new("tls-verify"), Verification),
        ("pull", Flag::new("disable-content-trust"), Verification),
        (
            "logs",
            Flag::new("insecure-skip-tls-verify-backend"),
            Verification,
        ),
        (
            "login",
            text("hostname", "The instance to authenticate with"),
            Connect,
        ),
        ("status", text("address", "Address of the server"), Connect),
        (
            "archive",
            text("remote", "take it from a remote repository"),
            Connect,
        ),
        (
            "config set-credentials",
            text("exec-command", "Command to get one"),
            Program,
        ),
        ("get", text("kubeconfig", ""), Configuration),
    ] {
        assert_eq!(kind(path, &flag), Some(wanted), "{path} {flag:?}");
    }
}

#[test]
fn flags_that_are_the_job_of_their_command() {
    for (path, flag) in [
        ("run", text("user", "User in the box")),
        ("run", text("hostname", "Name of the box")),
        ("run", text("entrypoint", "What the box runs first")),
        (
            "run",
            text("workdir", "Working directory inside the container"),
        ),
        ("run", text("env", "Set variables")),
        ("run", text("env-file", "Read variables from a file")),
        ("run", text("health-cmd", "Command to run to see how it is")),
        ("run", Flag::new("sig-proxy")),
        (
            "service create",
            text("config", "Configurations that the service sees"),
        ),
        (
            "service create",
            text("secret", "Secrets that the service sees"),
        ),
        ("service create", text("host", "Set custom mappings")),
        ("service create", text("user", "")),
        ("swarm join", text("token", "for entry into the swarm")),
        ("user create", text("username", "")),
        ("user create", text("password", "")),
        ("create secret registry", text("hub-password", "")),
        ("create secret registry", text("hub-server", "")),
        ("log", text("author", "only these")),
        ("grep", Flag::new("context").value_type(ValueType::INT)),
        ("diff", text("context", "lines of context")),
        ("list", text("next-token", "where the next page begins")),
        ("serve", text("host", "address to bind")),
        ("serve", text("address", "address to listen on")),
        ("completion", text("shell", "").choices(["bash", "zsh"])),
        ("build", text("profile", "Build profile")),
        (
            "get",
            text("template", "Template string or path to a template file"),
        ),
        ("get", text("namespace", "")),
        ("get", text("output", "Output format")),
        ("get", text("cache-dir", "")),
        (
            "cat-file",
            text("batch-command", "read commands from stdin").optional_value(None),
        ),
        ("install", Flag::new("user")),
    ] {
        assert_eq!(kind(path, &flag), None, "{path} {flag:?}");
    }
    for flag in [
        text("cache-dir", "Default cache directory"),
        text("namespace", "the scope"),
        text("log-level", "how much is said"),
        text("profile", "Name of profile to capture, such as cpu or heap"),
        Flag::new("no-pager"),
        Flag::new("verbose"),
        Flag::new("timeout").value_type(ValueType::Duration),
        text("color", "when to use it").choices(["auto", "never"]),
    ] {
        assert_eq!(kind("", &flag), None, "{flag:?}");
    }
}

#[test]
fn aliases_count_and_a_required_flag_says_that_it_stays() {
    let mut flag = text("target", "");
    flag.aliases.push("server".into());
    assert_eq!(kind("", &flag), Some(Connect));

    let root = Command::new("tool");
    let found = redirects(&[&root], &text("server", "").required()).expect("it redirects");
    assert!(found.required);
    assert!(
        found.reason.starts_with("it chooses which server"),
        "{}",
        found.reason
    );
    assert!(
        found.reason.ends_with("does not run without it"),
        "{}",
        found.reason
    );
    assert!(
        !redirects(&[&root], &text("server", ""))
            .expect("it redirects")
            .required
    );
}

proptest! {
    #[test]
    fn any_flag_is_judged(name in "\\PC{0,24}", help in "(\\PC|[a-z]{1,6} ){0,40}", depth in 0usize..3) {
        let commands = [Command::new("tool"), Command::new(name.as_str()), Command::new("x")];
        let line: Vec<&Command> = commands.iter().take(depth).collect();
        let flag = text(&name, &help);
        let found = redirects(&line, &flag);
        prop_assert_eq!(&found, &redirects(&line, &flag));
        if let Some(found) = found {
            prop_assert!(!found.reason.is_empty());
        }
        // What a name says is not taken back by help at the root.
        let kubeconfig = text("kubeconfig", &help);
        prop_assert!(redirects(&line, &kubeconfig).is_some());
    }
}
