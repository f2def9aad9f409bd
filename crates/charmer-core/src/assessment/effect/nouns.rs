//! The names of things that give a command or a flag away: credentials, settings, programs; data only.

/// Parts of a name that stand for credentials.
pub(crate) const CREDENTIALS: &[&str] = &[
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "passphrase",
    "credential",
    "credentials",
    "creds",
    "keychain",
    "keyring",
    "kubeconfig",
    "apikey",
    "otp",
    "totp",
    "mfa",
    "pat",
    "vault",
    "pass",
    "netrc",
    "authtoken",
    "keystore",
    "privkey",
];

/// Pairs of parts that stand for credentials together.
pub(crate) const CREDENTIAL_PAIRS: &[(&str, &str)] = &[
    ("api", "key"),
    ("api", "keys"),
    ("access", "key"),
    ("access", "keys"),
    ("private", "key"),
    ("private", "keys"),
    ("signing", "key"),
    ("encryption", "key"),
    ("unlock", "key"),
    ("recovery", "code"),
    ("recovery", "codes"),
    ("license", "key"),
    ("account", "key"),
    ("account", "keys"),
    ("storage", "keys"),
    ("service", "key"),
    ("service", "keys"),
    ("unseal", "key"),
    ("connection", "string"),
    ("session", "cookie"),
    ("admin", "kubeconfig"),
];

/// Phrases by which sentences mean credentials.
pub(crate) const CREDENTIAL_PHRASES: &[&str] = &[
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "credential",
    "credentials",
    "passphrase",
    "private key",
    "private keys",
    "api key",
    "api keys",
    "access key",
    "access keys",
    "unlock key",
    "sensitive",
];

/// Phrases by which programs that keep secrets describe themselves.
pub(crate) const KEEPER_PHRASES: &[&str] = &[
    "password manager",
    "password store",
    "secret manager",
    "secrets manager",
    "secret store",
    "secrets management",
    "secret management",
    "secrets",
    "manage passwords",
    "store passwords",
    "credential manager",
    "credential helper",
    "credentials",
    "passwords",
    "keychain",
    "keyring",
];

/// Parents whose plain reading commands print whatever is set, which may be a credential.
pub(crate) const SETTINGS: &[&str] = &[
    "config",
    "configure",
    "configuration",
    "conf",
    "settings",
    "auth",
    "env",
    "environment",
    "variable",
    "variables",
    "vars",
];

/// The plain reading commands meant there.
pub(crate) const SETTING_READERS: &[&str] = &[
    "get", "show", "view", "print", "dump", "cat", "inspect", "describe", "read", "list", "ls",
    "export", "display",
];

/// Siblings that say that a group holds settings with values, not objects with names.
pub(crate) const SETTING_WRITERS: &[&str] = &[
    "set", "unset", "get", "edit", "put", "add", "login", "token", "setup",
];

/// Commands that disclose nothing even in a program that keeps secrets.
pub(crate) const HARMLESS: &[&str] = &[
    "version", "status", "whoami", "help", "ping", "health", "about",
];

/// Parents that run what follows, whatever it is called.
pub(crate) const RUNNERS: &[&str] = &[
    "exec", "eval", "shell", "ssh", "sudo", "sh", "bash", "attach", "nsenter", "chroot",
];

/// Parents that show what follows: `show chart`.
pub(crate) const PARENT_READERS: &[&str] = &[
    "get", "list", "ls", "show", "describe", "view", "display", "print", "search", "top", "inspect",
];

/// Positionals that name a file to write.
pub(crate) const WRITTEN_ARGUMENTS: &[&str] = &[
    "outfile",
    "output",
    "output-file",
    "out-file",
    "outdir",
    "output-dir",
    "output-directory",
    "outputdir",
    "out-dir",
    "dest",
    "dest-dir",
    "destination",
    "destination-dir",
    "output-path",
    "target-dir",
    "target-directory",
];

/// Positionals that name a program to run.
pub(crate) const PROGRAM_ARGUMENTS: &[&str] = &[
    "command",
    "cmd",
    "program",
    "script",
    "executable",
    "commandline",
];

/// Commands that take the name of a command only to look it up.
pub(crate) const LOOKUPS: &[&str] = &[
    "help", "which", "whereis", "man", "explain", "describe", "type", "where", "why",
];

/// Switches that say that a command acts, since it can be told to pretend, to insist or not to ask.
pub(crate) const ACTING_SWITCHES: &[&str] = &[
    "dry-run",
    "dryrun",
    "simulate",
    "no-act",
    "just-print",
    "whatif",
    "what-if",
    "noop",
    "no-op",
    "yes",
    "assume-yes",
    "assumeyes",
    "no-confirm",
    "noconfirm",
    "auto-approve",
    "confirm",
    "force",
    "no-prompt",
    "skip-confirmation",
    "non-interactive",
    "noninteractive",
    "overwrite",
    "allow-dirty",
];

/// Flags that make a command delete or change things, whatever it does without them.
pub(crate) const ACTING_FLAGS: &[(&str, bool)] = &[
    // The name, and whether it destroys.
    ("delete", true),
    ("remove", true),
    ("purge", true),
    ("prune", true),
    ("unset", true),
    ("erase", true),
    ("clear", true),
    ("wipe", true),
    ("destroy", true),
    ("replace", false),
    ("rename", false),
    ("create", false),
    ("add", false),
    ("set", false),
    ("install", false),
    ("update", false),
    ("upgrade", false),
];

/// Flags of commands that compile, and so run what a project tells the compiler to run.
pub(crate) const BUILDING_FLAGS: &[&str] = &[
    "target-dir",
    "release",
    "build-dir",
    "artifact-dir",
    "builddir",
];

/// Switches that show what is hidden without them.
pub(crate) const REVEALING: &[&str] = &[
    "reveal",
    "unmask",
    "unmasked",
    "unredacted",
    "no-redact",
    "no-mask",
    "no-masking",
    "decrypt",
    "with-decryption",
    "plaintext",
    "plain-text",
    "show-values",
    "show-sensitive",
    "unsafe-show",
    "expose",
    "decode",
];
