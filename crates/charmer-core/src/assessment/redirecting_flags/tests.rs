//! Flags that redirect, wherever they stand, and flags of the same names that do not.

use crate::model::{Arguments, Command, Flag, Positional, ValueType};
use proptest::prelude::*;

use super::{
    RedirectKind::{self, Configuration, Connect, Environment, Identity, Program, Verification},
    redirects, values,
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

/// The flag of a program that has no commands.
fn alone(usage: &str, flag: &Flag) -> Option<RedirectKind> {
    let root = Command::new("tool").usage(usage);
    redirects(&[&root], flag).map(|redirect| redirect.kind)
}

#[test]
fn a_program_without_commands_keeps_what_it_works_with() {
    for flag in [
        text("file", "use archive file or device ARCHIVE"),
        text("file", "take PATTERNS from FILE"),
        text("directory", "change to directory DIR"),
        text("key", "sort via a key; KEYDEF gives location and type"),
        text("data-binary", "HTTP POST binary data"),
        text("no-binary", "Do not use binary packages"),
        text("resolve", "How conflicts are resolved"),
        text(
            "prefix",
            "Where files go, also those that start the Python interpreter",
        ),
        text("url", "URL to work with"),
        text("user", "Server user and password"),
        text(
            "command",
            "run only single command (SQL or internal) and exit",
        ),
    ] {
        assert_eq!(alone("tool [OPTION]... [FILE]...", &flag), None, "{flag:?}");
    }
    for (flag, wanted) in [
        (
            text("to-command", "pipe extracted files to another program"),
            Program,
        ),
        (
            text("checkpoint-action", "execute ACTION on each checkpoint"),
            Program,
        ),
        (text("use-compress-program", "filter through PROG"), Program),
        (
            text("compress-program", "compress temporaries with PROG"),
            Program,
        ),
        (text("kubectl-binary", "Path to kubectl"), Program),
        (text("config", "Read config from a file"), Configuration),
        (
            text("directory", "Change to DIRECTORY before doing anything"),
            Configuration,
        ),
        (
            text("proxy", "[protocol://]host[:port] Use this proxy"),
            Connect,
        ),
        (
            text("abstract-unix-socket", "Connect via abstract socket"),
            Connect,
        ),
        (text("socks4", "SOCKS4 proxy on given host + port"), Connect),
        (
            text("socks4a", "SOCKS4a proxy on given host + port"),
            Connect,
        ),
        (
            text("resolve", "Resolve the host+port to this address"),
            Connect,
        ),
        (text("doh-url", "Resolve host names over DoH"), Connect),
        (text("dns-servers", "DNS server addrs to use"), Connect),
        (
            text("host", "database server host or socket directory"),
            Connect,
        ),
        (text("port", "database server port"), Connect),
        (text("key", "Private key file name"), Identity),
        (
            text("file", "execute commands from file, then exit"),
            Program,
        ),
        (
            text(
                "proxy-cacert",
                "CA certificate to verify peer against for proxy",
            ),
            Verification,
        ),
    ] {
        assert_eq!(alone("tool [OPTION]...", &flag), Some(wanted), "{flag:?}");
    }
}

#[test]
fn a_letter_is_judged_by_its_placeholder_or_its_help() {
    let usage = "tool [-46] [-c cipher_spec] [-F configfile] [-I pkcs11] [-i identity_file] [-J [user@]host[:port]]
         [-o option] [-p port] [-S program] [-E log_file] [-D sftp_server_path] destination";
    let letter = |letter| Flag::short_only(letter).value_type(ValueType::String);
    for (flag, wanted) in [
        (letter('o'), Some(Configuration)),
        (letter('F'), Some(Configuration)),
        (letter('I'), Some(Program)),
        (letter('S'), Some(Program)),
        (letter('D'), Some(Program)),
        (letter('i'), Some(Identity)),
        (letter('J'), Some(Connect)),
        // Its value could not be read; it is what it is.
        (Flag::short_only('J'), Some(Connect)),
        (letter('c'), None),
        (letter('p'), None),
        (letter('E'), None),
        (letter('o').help("Write the answer here"), None),
        (
            letter('i').help("Selects a file from which it is read"),
            Some(Identity),
        ),
        (
            letter('z').help("Program to run after each rotation"),
            Some(Program),
        ),
        (
            letter('f').help("Read this configuration file"),
            Some(Configuration),
        ),
    ] {
        assert_eq!(alone(usage, &flag), wanted, "{flag:?}");
    }
}

/// The arguments whose values are refused, if they match one of these texts.
fn refused(command: &Command, value: &str) -> Vec<String> {
    let all = values::refused_values(&[command]).into_iter();
    let refused = all.filter(|one| {
        let pattern = regex_lite::Regex::new(&one.pattern).expect("a pattern");
        pattern.is_match(value)
    });
    refused.map(|one| one.name).collect()
}

#[test]
fn a_positional_that_chooses_the_server_is_judged_by_its_value() {
    let listed = |name: &str| Command::new("tool").positional(Positional::new(name));
    let psql = Command::new("tool").usage("tool [OPTION]... [DBNAME [USERNAME]]");
    assert!(matches!(psql.arguments, Arguments::Pattern(_)), "{psql:?}");
    let ls_remote = Command::new("ls-remote").usage("git ls-remote [<repository> [<refs>...]]");
    let images = Command::new("images").usage("docker images [OPTIONS] [REPOSITORY[:TAG]]");
    let manifest =
        Command::new("inspect").usage("docker manifest inspect [OPTIONS] [MANIFEST_LIST] MANIFEST");
    let about = Command::new("about").usage("rclone about remote: [flags]");
    for (command, value) in [
        (&psql, "host=evil dbname=x"),
        (&psql, "postgresql://evil/x"),
        (&listed("dbname"), "service=evil"),
        (
            &listed("remote:path"),
            ":webdav,url=x,bearer_token_command=id:",
        ),
        (&listed("remote:path"), "mine,bearer_token_command=id:dir"),
        (&listed("source:path"), ":local:/"),
        (&listed("sql"), ".shell id"),
        (&listed("repository"), "https://evil/x"),
        (&listed("repository"), "git@evil.example:x/y"),
        (&listed("remote"), "evil:x"),
        (&ls_remote, "localhost:x"),
        (&ls_remote, "evil:x/y"),
        (&ls_remote, "me@evil:x"),
        (&ls_remote, "[evil:22]:x"),
        (&ls_remote, "ext::id"),
        (&ls_remote, "ssh://evil/x"),
        (&images, "git@evil.example:x/y"),
        (&images, "https://evil/x"),
        (&manifest, "evil.example/x/y:1"),
        (&manifest, "127.0.0.1:5000/x"),
        (&manifest, "evil:5000/x"),
        (&manifest, "localhost/x"),
    ] {
        assert_eq!(refused(command, value).len(), 1, "{value}");
    }
    for (command, value) in [
        (&psql, "accounts"),
        (&listed("remote:path"), "mine:dir/a,b"),
        (&listed("remote:path"), "/tmp/a,b:c"),
        (&listed("sql"), "select 1.5"),
        (&listed("repository"), "origin"),
        (&ls_remote, "origin"),
        (&ls_remote, "../there/a:b"),
        (&ls_remote, "refs/heads/main"),
        (&images, "nginx:1.25"),
        (&images, "nginx@sha256:0f"),
        (&manifest, "nginx:1.25"),
        (&manifest, "library/nginx:1.25"),
        (&manifest, "./there/manifest"),
        (&about, "mine:"),
        (&listed("file"), "a=b"),
    ] {
        assert_eq!(refused(command, value), [""; 0], "{value}");
    }
}

#[test]
fn a_positional_called_as_a_flag_that_is_left_out_takes_no_value() {
    let stand_ins = |command: &Command| -> Vec<(String, String, usize)> {
        let all = values::refused_values(&[command]).into_iter();
        let all = all.filter(|one| one.pattern.is_empty());
        all.map(|one| (one.name, one.argument, one.behind))
            .collect()
    };
    let username = text("username", "database user name");
    let tool = |usage: &str| Command::new("tool").usage(usage).flag(username.clone());
    assert_eq!(
        stand_ins(&tool("tool [OPTION]... [DBNAME [USERNAME]]")),
        [("username".to_owned(), "args".to_owned(), 1)]
    );
    assert_eq!(
        stand_ins(&tool("tool [OPTION]... [DBNAME] [USERNAME]")),
        [("username".to_owned(), "username".to_owned(), 0)]
    );
    for other in [
        tool("tool [OPTION]... [DBNAME]"),
        // The command does not run without it.
        tool("tool [OPTION]... <USERNAME>"),
        Command::new("tool").usage("tool [DBNAME [USERNAME]]"),
        Command::new("tool")
            .usage("tool [URL]")
            .flag(text("url", "URL to work with")),
    ] {
        assert_eq!(stand_ins(&other), [], "{other:?}");
    }
}

#[test]
fn a_flag_that_the_program_is_for_is_judged_by_its_value() {
    let tool = Command::new("tool")
        .flag(text(
            "command",
            "run only single command (SQL or internal) and exit",
        ))
        .flag(text("output", "send query results to file (or |pipe)"))
        .flag(text("dbname", "database name to connect to"))
        .flag(text("file", "use archive file or device ARCHIVE"));
    for (value, wanted) in [
        ("\\! id", &["command"][..]),
        ("|id", &["output"]),
        ("host=evil", &["dbname"]),
        ("evil:/x", &["file"]),
        ("select 1", &[]),
        ("out/a:b", &[]),
    ] {
        assert_eq!(refused(&tool, value), wanted, "{value}");
    }
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
