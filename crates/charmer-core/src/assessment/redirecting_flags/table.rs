//! The names of flags that redirect a program, by what they change and where they do; data only.

use super::RedirectKind::{
    self, Configuration, Connect, Environment, Identity, Program, Verification,
};

/// The condition under which a row speaks for a flag that stands at a command without subcommands. At the root, at a
/// group and as a global flag it always does.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaf {
    /// There too.
    Always,
    /// There too, unless giving it is what the command is for: `user create --password`.
    UnlessJob,
    /// Only if its help says one of these.
    IfHelp(&'static [&'static str]),
    /// Not there.
    Never,
}

/// The kind of value that a flag takes, where that matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagTakes {
    /// A text of some sort.
    Text,
    /// Whatever it takes, or nothing.
    Anything,
}

/// Names that mean one thing.
#[derive(Debug)]
pub(super) struct NameRow {
    pub(super) kind: RedirectKind,
    pub(super) takes: FlagTakes,
    pub(super) leaf: Leaf,
    /// Help that shows that something else is meant, at any level.
    pub(super) unless: &'static [&'static str],
    /// Help without which the name is not enough, at any level; empty if the name is.
    pub(super) only: &'static [&'static str],
    pub(super) reason: &'static str,
    /// Names; `*` at one end stands for any beginning or end.
    pub(super) names: &'static str,
}

const fn row(
    kind: RedirectKind,
    takes: FlagTakes,
    leaf: Leaf,
    reason: &'static str,
    names: &'static str,
) -> NameRow {
    NameRow {
        kind,
        takes,
        leaf,
        unless: &[],
        only: &[],
        reason,
        names,
    }
}

const fn unless(mut row: NameRow, phrases: &'static [&'static str]) -> NameRow {
    row.unless = phrases;
    row
}

const fn only(mut row: NameRow, phrases: &'static [&'static str]) -> NameRow {
    row.only = phrases;
    row
}

const LISTENS: &[&str] = &[
    "listen",
    "on which",
    "listens",
    "bind",
    "binds",
    "binding",
    "serve",
    "serving",
    "container",
    "containers",
    "custom",
    "mapping",
    "mappings",
    "filter",
];
const REMOTE: &[&str] = &[
    "connect",
    "server",
    "daemon",
    "remote",
    "api",
    "authenticate",
    "instance",
    "endpoint",
    "cluster",
    "socket",
];
const CONFIG_HELP: &[&str] = &[
    "config file",
    "config files",
    "configuration file",
    "configuration files",
    "configuration value",
    "configuration values",
    "configuration option",
    "configuration options",
    "configuration from",
    "config directory",
    "configuration directory",
    "configuration parameter",
    "client config",
    "set config",
    "config value",
    "rc file",
    "kubeconfig",
    "settings file",
    "config from",
    "given config",
    "config override",
    "daemon config",
];

/// The rows, tried in order: the first that speaks for a flag names its kind.
pub(super) const ROWS: &[NameRow] = &[
    // Which program it runs.
    row(
        Program,
        FlagTakes::Anything,
        Leaf::Always,
        "it makes the program run another program",
        "upload-pack receive-pack exec-path exec exec-batch execdir ext-diff textconv external-diff extcmd
         open-files-in-pager pager paginate editor askpass use-askpass sudo-askpass credential-helper to-command
         checkpoint-action info-script new-volume-script rsh rsh-command rmt-command use-compress-program
         compress-program linker script-shell diff-program diff-command
         diff-tool ssh-command sendmail-cmd post-renderer gpg-program hooks-path hooks-dir core-hooks-path
         library-path ld-path preload plugin-dir plugins-dir plugin-path load-plugin conmon proxy-command
         proxycommand ext-grep filters pre-command post-command to-cmd cc-cmd allow-scripts",
    ),
    only(
        row(
            Program,
            FlagTakes::Text,
            Leaf::Always,
            "it makes the program run another program",
            "ok okdir",
        ),
        &["command"],
    ),
    row(
        Program,
        FlagTakes::Text,
        Leaf::IfHelp(&[
            "shell to use", "shell to run", "shell executable", "path to shell", "diff tool", "merge tool",
            "interpreter",  "executable",
        ]),
        "it chooses which program is run",
        "shell interpreter python runner tool compiler command cmd browser runtime plugin extension-dir require
         loader",
    ),
    unless(
        row(
            Program,
            FlagTakes::Text,
            Leaf::IfHelp(&["templates"]),
            "it chooses a directory of templates, which can hold programs to run",
            "template template-dir",
        ),
        &["template string", "template file", "format", "go template", "output"],
    ),
    // Who it is.
    row(
        Identity,
        FlagTakes::Anything,
        Leaf::Always,
        "it changes who the program acts as",
        "impersonate* as-group as-uid as-user run-as runas become become-user sudo assume-role role-arn
         client-certificate client-certificate-data client-cert client-key client-key-data client-cert-file
         client-key-file tlscert tlskey tls-cert tls-key tls-cert-file tls-key-file ssl-cert ssl-key authfile
         auth-file identity identity-file private-key private-key-file credentials-file service-account-file netrc
         netrc-file key-file keyfile cert-file certfile access-token auth-token bearer-token oauth-token
         oauth2-bearer client-secret access-key secret-key session-token auth-provider",
    ),
    unless(
        row(
            Identity,
            FlagTakes::Text,
            Leaf::UnlessJob,
            "it gives credentials, and so chooses who the program acts as",
            "token api-token api-key apikey username password passwd password-file creds credentials src-creds
             dest-creds *-token *-password *-passphrase *-creds passphrase pat client-id login-user",
        ),
        &["next page", "page", "pagination", "paging", "previous", "entry into", "resume"],
    ),
    row(
        Identity,
        FlagTakes::Text,
        Leaf::IfHelp(&[
            "impersonate", "impersonation", "kubeconfig user", "authenticate as", "identity", "private key",
            "client certificate",
        ]),
        "it changes who the program acts as",
        "as user account role service-account principal authuser key cert",
    ),
    unless(
        row(
            Identity,
            FlagTakes::Text,
            Leaf::IfHelp(&["credential", "credentials", "named profile"]),
            "it chooses a profile, and with it where the program connects and as whom",
            "profile",
        ),
        &["capture", "cpu", "heap", "pprof", "performance", "build", "enable", "compile"],
    ),
    // How it verifies.
    row(
        Verification,
        FlagTakes::Anything,
        Leaf::Always,
        "it changes how the program checks whom it talks to",
        "insecure insecure-* skip-tls* *-skip-tls-verify *-insecure-skip-tls-verify tls tls-* tlsverify tlscacert ssl
         ssl-* no-verify-ssl no-check-certificate verify-tls verify-ssl no-verify-tls allow-insecure* trusted-host
         certificate-authority certificate-authority-data ca-cert cacert ca-file cafile capath ca-path ca-bundle
         ca-certs ca-certificate *-cacert *-capath *-insecure cert-dir plain-http no-gpg-check no-gpg-checks nogpgcheck allow-unauthenticated
         allow-untrusted allow-unsigned disable-content-trust known-hosts known-hosts-file strict-host-key-checking
         skip-verify no-ssl no-tls native-tls signature-policy",
    ),
    // Where it connects.
    unless(
        row(
            Connect,
            FlagTakes::Text,
            Leaf::UnlessJob,
            "it chooses which server the program talks to",
            "server servers endpoint endpoints endpoint-url api-url api-server apiserver api-host api-endpoint
             server-url server-address base-url daemon-url bootstrap-server bootstrap-servers broker brokers dsn
             database-url connection-string connect-to unix-socket *-unix-socket conninfo kube-apiserver *-api-url *-endpoint *-server
             connection host-url",
        ),
        LISTENS,
    ),
    row(
        Connect,
        FlagTakes::Text,
        Leaf::Always,
        "it sends what the program says through another machine",
        "proxy proxy-url http-proxy https-proxy all-proxy socks-proxy proxy-server socks4 socks4a socks5 socks5-hostname
         *-proxy preproxy jump-host proxy-jump",
    ),
    row(
        Connect,
        FlagTakes::Text,
        Leaf::Always,
        "it chooses who says which machine a name stands for",
        "doh-url dns-server dns-servers",
    ),
    // Elsewhere `--resolve` settles dependencies or conflicts.
    row(
        Connect,
        FlagTakes::Text,
        Leaf::IfHelp(&["address", "addresses", "host", "hostname", "ip"]),
        "it chooses which machine a name stands for",
        "resolve",
    ),
    row(
        Connect,
        FlagTakes::Text,
        Leaf::Always,
        "it chooses which registry things are taken from",
        "registry index index-url default-index extra-index-url find-links registry-url registry-mirror",
    ),
    row(
        Connect,
        FlagTakes::Text,
        Leaf::IfHelp(&["url", "repository url", "remote repository"]),
        "it chooses which repository the program talks to",
        "repo-url repository-url remote repo",
    ),
    unless(
        row(
            Connect,
            FlagTakes::Text,
            Leaf::IfHelp(REMOTE),
            "it chooses which machine the program talks to",
            "host hosts hostname address addr url uri machine socket socket-path db-host",
        ),
        LISTENS,
    ),
    unless(
        row(
            Connect,
            FlagTakes::Text,
            Leaf::IfHelp(&["kubeconfig context", "kubeconfig cluster", "cluster to use", "context to use"]),
            "it chooses which cluster or server the program talks to",
            "context cluster kube-context kube-cluster kubecontext",
        ),
        &["lines of context", "context lines", "build context"],
    ),
    unless(
        row(
            Connect,
            FlagTakes::Anything,
            Leaf::Never,
            "it chooses which service the program talks to",
            "remote user system",
        ),
        LISTENS,
    ),
    unless(
        row(
            Connect,
            FlagTakes::Anything,
            Leaf::IfHelp(&["server port", "server's port", "port of the server"]),
            "it chooses which service the program talks to",
            "port",
        ),
        LISTENS,
    ),
    // Which configuration it loads.
    row(
        Configuration,
        FlagTakes::Text,
        Leaf::Always,
        "it chooses which configuration is loaded, which can name programs to run",
        "kubeconfig config-env config-file config-dir config-path configfile configdir userconfig globalconfig rcfile
         defaults-file defaults-extra-file options-file settings-file registry-config
         repository-config justfile makefile taskfile *-config-file *-kubeconfig",
    ),
    row(
        Configuration,
        FlagTakes::Text,
        Leaf::IfHelp(CONFIG_HELP),
        "it chooses which configuration is loaded, which can name programs to run",
        "config configuration conf cfg settings rc option options file *-config module ini",
    ),
    row(
        Configuration,
        FlagTakes::Text,
        Leaf::Always,
        "it chooses which project is loaded, whose configuration and build scripts are run",
        "manifest-path project-dir project-directory project-path chdir cwd working-directory workdir-host lockfile-path",
    ),
    unless(
row(
        Configuration,
        FlagTakes::Text,
        Leaf::IfHelp(&[
            "working directory", "before running", "prior to running", "before doing anything", "project directory",
        ]),
        "it makes the program start in another directory, whose configuration it then loads",
        "directory project root prefix source dir work-dir workdir home basedir base-dir runroot",
    ),
        &["container", "inside", "task", "job", "pod"],
    ),
    // What its environment is.
    row(
        Environment,
        FlagTakes::Text,
        Leaf::Never,
        "it changes the environment of what the program runs",
        "env env-file environment-file set-env setenv",
    ),
    // Programs again, by the ends of names, which are weaker.
    unless(
row(
        Program,
        FlagTakes::Text,
        Leaf::UnlessJob,
        "it chooses which program is run",
        "*-command *-cmd *-program *-helper *-hook *-executable *-shell *-interpreter *-wrapper *-pager
         *-editor",
    ),
        &["from stdin", "standard input"],
    ),
    // `--kubectl-binary` is one, `--data-binary` and `--no-binary` are about data and packages.
    only(
        row(
            Program,
            FlagTakes::Text,
            Leaf::UnlessJob,
            "it chooses which program is run",
            "*-binary",
        ),
        &["path", "executable", "program", "location"],
    ),
];

/// Phrases in the help of redirecting flags at the root, at a group or for all commands, whose names say nothing.
pub(super) const BROAD_HELP: &[(RedirectKind, &str, &[&str])] = &[
    (
        Program,
        "it chooses which program is run",
        &[
            "path to the binary",
            "path to an executable",
            "path to the executable",
            "executable to",
            "program to run",
            "program to use",
            "command to run",
            "helper program",
            "compatible binary",
        ],
    ),
    (
        Identity,
        "it changes who the program acts as",
        &[
            "impersonate",
            "for authentication",
            "authenticate with",
            "credentials",
            "access token",
            "api key",
            "bearer",
        ],
    ),
    (
        Verification,
        "it changes how the program checks whom it talks to",
        &["tls", "ssl", "certificate", "certificates"],
    ),
    (
        Connect,
        "it chooses which server the program talks to",
        &[
            "address of the",
            "url of the",
            "connect to",
            "server address",
            "api server",
            "daemon socket",
            "remote host",
            "base url",
        ],
    ),
    (
        Configuration,
        "it chooses which configuration is loaded, which can name programs to run",
        CONFIG_HELP,
    ),
];

/// Phrases in the help of a command's own redirecting flags, whose names say nothing.
pub(super) const LEAF_HELP: &[(RedirectKind, &str, &[&str])] = &[(
    Program,
    "it chooses which program is run",
    &[
        "path to an executable",
        "path to the executable",
        "path to the binary",
        "executable to be used",
        "program to use",
        "helper program",
        "interpreter to use",
        "execute commands from",
        "crypto engine",
    ],
)];

/// Phrases in the help of a command's own redirecting flags that have a letter only, beside [`LEAF_HELP`].
pub(super) const SHORT_HELP: &[(RedirectKind, &str, &[&str])] = &[
    (
        Program,
        "it chooses which program is run",
        &[
            "command to run",
            "command to execute",
            "program to run",
            "program to execute",
            "run this command",
        ],
    ),
    (
        Configuration,
        "it chooses which configuration is loaded, which can name programs to run",
        CONFIG_HELP,
    ),
];

/// The placeholders that a usage line shows behind a flag with a letter only (`[-o option]`), where no help says more.
/// The first column holds the letters that a row speaks for; any if it is empty.
pub(super) const PLACEHOLDERS: &[(&str, RedirectKind, &str, &str)] = &[
    (
        "",
        Configuration,
        "it sets any part of the configuration, which can name programs to run",
        "option options ssh-option sftp-option",
    ),
    (
        "",
        Configuration,
        "it chooses which configuration is loaded, which can name programs to run",
        "configfile config-file config conf conf-file rcfile rc-file *-config *-config-file",
    ),
    (
        "",
        Program,
        "it chooses which program is run",
        "program prog command cmd executable shell pager editor helper pkcs11 *-program *-command *-server-path",
    ),
    (
        "",
        Identity,
        "it changes who the program acts as",
        "identity identity-file key-file keyfile private-key",
    ),
    (
        "J",
        Connect,
        "it sends what the program says through another machine",
        "host destination",
    ),
    (
        "",
        Connect,
        "it chooses which service the program talks through",
        "proxy proxy-host *-proxy ctl-path control-path",
    ),
];

/// Words of commands whose job it is to be told names, addresses and credentials of what they set up.
pub(super) const JOBS: &[&str] = &[
    "create", "add", "set", "update", "join", "register", "new", "edit", "patch", "invite",
    "modify", "put", "insert",
];

/// Words of commands whose job it is to run programs.
pub(super) const RUNNERS: &[&str] = &[
    "run", "exec", "create", "start", "update", "debug", "spawn", "launch",
];
