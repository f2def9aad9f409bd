//! Commands of many programs, in our own words, and what they must be taken for.

use crate::model::{Arguments, Command, CommandPath, Effect, Flag, Positional, ValueType};
use proptest::prelude::*;

use super::{EvidenceKind, Reason, classify, secret_values, writing_flag};

/// The class of the last of `a > b > c`, the root being `tool`; `flags` are switches.
fn class(path: &str, about: &str, flags: &[&str]) -> Effect {
    classified(path, about, flags).effect
}

fn classified(path: &str, about: &str, flags: &[&str]) -> super::Classified {
    let path = CommandPath::parse(path);
    let mut lineage = vec![Command::new("tool")];
    lineage.extend(path.words().iter().map(|word| Command::new(word.as_str())));
    let last = lineage.last_mut().expect("the root at least");
    if !about.is_empty() {
        last.about = Some(about.into());
    }
    last.flags = flags.iter().map(|name| Flag::new(*name).into()).collect();
    let lineage: Vec<&Command> = lineage.iter().collect();
    classify(&lineage, &path)
}

const READ: &[(&str, &str)] = &[
    ("ls", ""),
    ("ps", "List boxes"),
    ("image ls", "List pictures"),
    ("images", ""),
    ("container inspect", "Show all about boxes"),
    ("inspect", "Return what is known of things"),
    ("get", "Display one thing or many"),
    ("describe", "Show details of a thing"),
    ("version", "Print the version"),
    ("version", ""),
    ("status", "Show what is going on"),
    ("log", "Show the log"),
    ("logs", "Fetch the logs of a box"),
    ("show", "Show things of all sorts"),
    ("search", "Search the hub"),
    ("history", "Show how a picture came to be"),
    ("history", "Build history of a picture"),
    ("stats", "Display a live stream of numbers"),
    ("info", ""),
    ("view", "View a thing"),
    ("tree", "Display a tree of dependencies"),
    ("metadata", "Output what is known of a package"),
    ("top node", "Display how busy nodes are"),
    ("top", ""),
    ("events", "List events"),
    ("wait", "Block until boxes stop, then print their codes"),
    (
        "diff",
        "Show changes between commits, commit and working tree, etc",
    ),
    ("diff", ""),
    ("diff", "Inspect changes to files or directories of a box"),
    ("blame", "Show who changed each line last"),
    ("grep", "Print lines that match"),
    ("shortlog", "Summarize the log"),
    ("rev-list", "Lists commits, newest first"),
    ("ls-files", "Show files of the index"),
    ("cat-file", "Provide the content of an object"),
    ("for-each-ref", "Output a line for each ref"),
    ("count-objects", ""),
    ("list-units", "List units in memory"),
    ("list-dependencies", "Recursively show what a unit needs"),
    ("is-active", "Check whether units are active"),
    ("auth can-i", "Check whether something is allowed"),
    ("auth whoami", "Experimental: Check who you are"),
    ("auth status", "Display the account in use"),
    ("config get-contexts", "Display the contexts"),
    ("cluster-info", "Display where the cluster is"),
    (
        "rollout history",
        "View earlier revisions and configurations",
    ),
    ("rollout status", "Show how far a rollout is"),
    ("explain", "Describe the fields of things"),
    ("run list", "List recent runs"),
    ("release view", "View a release"),
    ("pr diff", "View changes in a request"),
    ("pr checks", "Show checks of a request"),
    ("issue list", "List issues"),
    ("repo view", "View a repository"),
    ("workflow view", "View the summary of a workflow"),
    ("show chart", "show the definition of a chart"),
    ("search repo", "search repositories for a word"),
    ("system df", "Show how full the disk is"),
    ("du", "Disk usage"),
    ("context show", "Print the name of the context"),
    ("config ls", "List configs"),
    ("outdated", "Show packages that are behind"),
    ("pip list", "List packages in a table"),
    ("validate", "Check whether the configuration is valid"),
    ("lint", "Examine a chart for mistakes"),
    ("lint", "Validate files"),
    ("apply view-last-applied", "View the last annotations"),
    ("plugin list", ""),
    ("get-default", "Get the default target"),
    ("stack services", "List the services of a stack"),
];

const WRITE: &[(&str, &str)] = &[
    ("create", "Create a thing"),
    ("create deployment", ""),
    ("set image", "Update pictures of things"),
    ("apply", "Apply a file"),
    ("edit", "Edit a thing with your editor"),
    ("commit", "Record changes"),
    ("push", "Update remote refs"),
    ("pull", ""),
    ("fetch", "Download objects"),
    ("add", ""),
    ("config", "Get and set options"),
    ("log-level", "Get/set the level of the log"),
    ("get", "Install or upgrade modules"),
    (
        "get",
        "Get resolves its arguments to nests at some versions, updates nest.mod, and downloads eggs",
    ),
    (
        "gendocs",
        "Output pages on all commands to the directory supplied",
    ),
    (
        "pages",
        "Output pages on all commands to the directory supplied",
    ),
    (
        "version",
        "Shows the version of a project or bumps it by a rule",
    ),
    ("version", "Read or update the version"),
    ("build", "Compile a package"),
    ("port-forward", "Forward local ports to a box"),
    ("proxy", "Creates a proxy to the server"),
    ("login", "Log in to a hub"),
    ("logout", ""),
    ("context use", "Set the current context"),
    ("tag", "Create a tag that points to a picture"),
    ("hash-object", "Compute an id and optionally creates a blob"),
    ("read-tree", "Reads a tree into the index"),
    ("swarm ca", "Display and rotate the root certificate"),
    ("notes", "Add or inspect notes"),
    ("stash", "Stash the changes away"),
    ("scale", ""),
    ("rollout restart", "Restart a thing"),
    ("daemon-reload", ""),
    ("set-default", ""),
    ("fmt", "Formats all files"),
    ("annotate", ""),
    ("sync", "Update the environment of a project"),
    ("generate", ""),
    ("serve", ""),
    ("dump", "Dump all tables to a file"),
    ("mod get", "Resolves what a project needs"),
    ("create token", "Request a token"),
];

const DESTROY: &[(&str, &str)] = &[
    ("rm", ""),
    ("image prune", "Remove pictures that nobody uses"),
    ("delete", ""),
    ("branch", "List, create, or delete branches"),
    ("tag", "Create, list, delete or verify a tag"),
    ("symbolic-ref", "Read, modify and delete symbolic refs"),
    ("clean", ""),
    ("config unset", ""),
    ("config delete-context", "Delete a context"),
    ("uninstall", ""),
    ("destroy", "Destroy what was made"),
    ("kill", ""),
    ("list", "Delete old things"),
    ("queue", "Show the queue and delete what is done"),
    ("clear history", ""),
    ("gc", ""),
    ("find-replace-all", ""),
    ("search-and-replace", ""),
    ("yank", "Remove a crate from the index"),
    ("secret rm", ""),
];

const UNKNOWN: &[(&str, &str)] = &[
    ("frobnicate", ""),
    ("frobnicate", "Does what it says"),
    ("exec", "Execute a command in a box"),
    ("run", "Create and run a new box"),
    ("eval", ""),
    ("shell", "Open a shell"),
    ("attach", ""),
    ("ssh", "Open a session on a machine"),
    ("exec ls", ""),
    ("test", "Execute all tests"),
    ("bench", ""),
    ("watch", ""),
    ("debug", ""),
    ("check", "Check a package for errors"),
    ("branch", ""),
    ("tag", ""),
    ("stash", ""),
    ("remote", "Manage tracked repositories"),
    ("config", ""),
    ("difftool", "Show changes with common tools"),
    ("instaweb", "Instantly browse a repository"),
    ("auth token", "Print the token in use"),
    ("auth token", ""),
    ("token", ""),
    ("token list", "List tokens"),
    ("secret get", "Show a secret"),
    ("secret ls", "List secrets"),
    ("get-secret-value", "Retrieves a value"),
    ("get secret", "Display things"),
    ("get-access-token", "Get a thing for use with other tools"),
    ("print-access-token", ""),
    ("show-password", ""),
    ("credential get", ""),
    ("kubeconfig export", ""),
    ("kubeconfig show", "Print how to reach a cluster"),
    ("whatever", "Print the password of an account"),
    ("config get", "Print the value of a key"),
    ("config show", "Show all that is set"),
    ("configure get", ""),
    ("auth print", ""),
    ("env", "Print the environment"),
    ("show-environment", "Dump the environment"),
    (
        "diff",
        "Compare things; TOOL_EXTERNAL_DIFF can name a program",
    ),
    ("open", ""),
    ("api", ""),
    ("query", ""),
    ("plan", "Show what would change"),
    ("output", "Show output values"),
    ("export", "Export a box"),
    ("verify", ""),
    ("lint", ""),
    ("list", "Manage things"),
    ("console", ""),
    ("mod get", "Brings in what a project needs"),
    ("quickstart", "Get started in a minute"),
    ("history frob", ""),
    ("read-only", ""),
    ("get object", "Frobs an object"),
];

#[test]
fn commands_are_classed_by_their_words_and_help() {
    let rows: Vec<(&str, &str, Effect)> = [
        (READ, Effect::Read),
        (WRITE, Effect::Write),
        (DESTROY, Effect::Destroy),
        (UNKNOWN, Effect::Unknown),
    ]
    .into_iter()
    .flat_map(|(rows, effect)| {
        rows.iter()
            .map(move |(path, about)| (*path, *about, effect))
    })
    .collect();
    assert!(rows.len() >= 120, "{} rows", rows.len());
    let wrong: Vec<String> = rows
        .into_iter()
        .filter_map(|(path, about, wanted)| {
            let found = classified(path, about, &[]);
            (found.effect != wanted).then(|| {
                let evidence: Vec<String> = found
                    .evidence
                    .into_iter()
                    .map(|evidence| evidence.text)
                    .collect();
                format!(
                    "`{path}` ({about}): {:?}, not {wanted:?}: {evidence:?}",
                    found.effect
                )
            })
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn flags_are_evidence() {
    for flag in ["dry-run", "force", "yes", "assume-yes", "auto-approve"] {
        assert_eq!(
            class("list", "List things", &[flag]),
            Effect::Write,
            "{flag}"
        );
    }
    assert_eq!(class("list", "List things", &["delete"]), Effect::Unknown);
    assert_eq!(class("push", "", &["prune"]), Effect::Destroy);
    assert_eq!(
        class("check", "Check whether it compiles", &["release"]),
        Effect::Write
    );
    assert_eq!(
        class("list", "List things", &["deleted", "all", "watch"]),
        Effect::Read
    );
    // A filter that takes a value is none of these.
    let root = Command::new("tool");
    let tree = Command::new("tree").flag(Flag::new("prune").value_type(ValueType::String));
    assert_eq!(
        classify(&[&root, &tree], &CommandPath::parse("tree")).effect,
        Effect::Read
    );
    // What cannot be left out counts.
    let dump = Command::new("dump").flag(
        Flag::new("output-file")
            .value_type(ValueType::Path)
            .required(),
    );
    assert_eq!(
        classify(&[&root, &dump], &CommandPath::parse("dump")).effect,
        Effect::Write
    );
}

#[test]
fn what_a_flag_asks_for_is_the_flags() {
    let long = "Show a note.\n\nWith `--web`, open it in a browser instead.";
    let view = |flag: &str| {
        let flag = Flag::new(flag).help("Open the note in the browser");
        let root = Command::new("tool");
        let view = Command::new("view")
            .about("Show a note")
            .long_about(long)
            .flag(flag);
        classify(&[&root, &view], &CommandPath::parse("view")).effect
    };
    assert_eq!(view("web"), Effect::Read);
    // A flag that is not there cannot be left out.
    assert_eq!(view("window"), Effect::Unknown);
}

#[test]
fn aliases_and_arguments_can_make_it_worse() {
    let root = Command::new("tool");
    let path = CommandPath::parse("list");
    let mut list = Command::new("list").about("List things");
    list.aliases = vec!["tool thing rm".into()];
    assert_eq!(classify(&[&root, &list], &path).effect, Effect::Destroy);

    let list = Command::new("list").usage("list COMMAND [ARG...]");
    assert_eq!(classify(&[&root, &list], &path).effect, Effect::Unknown);
    let mut list = Command::new("list").positional(Positional::new("thing"));
    assert_eq!(classify(&[&root, &list], &path).effect, Effect::Read);
    list.arguments = Arguments::Pattern("[fix|signatures]".into());
    assert_eq!(classify(&[&root, &list], &path).effect, Effect::Write);
    list.arguments = Arguments::Pattern("[(-o|--output=)json|yaml] (TYPE | --command x)".into());
    assert_eq!(classify(&[&root, &list], &path).effect, Effect::Read);
    list.arguments = Arguments::Pattern("KEY [OUTFILE]".into());
    assert_eq!(classify(&[&root, &list], &path).effect, Effect::Write);
    let which = Command::new("which").positional(Positional::new("command"));
    assert_eq!(
        classify(&[&root, &which], &CommandPath::parse("which")).effect,
        Effect::Read
    );

    let version = Command::new("version").positional(Positional::new("new"));
    assert_eq!(
        classify(&[&root, &version], &CommandPath::parse("version")).effect,
        Effect::Unknown
    );
}

#[test]
fn a_word_given_as_argument_may_call_a_subcommand() {
    let root = Command::new("tool");
    let path = CommandPath::parse("show");
    let show = Command::new("show").command(Command::new("list"));
    assert_eq!(classify(&[&root, &show], &path).effect, Effect::Read);
    let show = show.command(
        Command::new("sub")
            .not_runnable()
            .command(Command::new("rm")),
    );
    let found = classify(&[&root, &show], &path);
    assert_eq!(found.effect, Effect::Unknown);
    assert!(
        found
            .evidence
            .iter()
            .any(|evidence| evidence.kind == EvidenceKind::Children
                && evidence.text.contains("`rm`"))
    );
}

#[test]
fn the_program_itself_and_keepers_of_secrets_are_never_called_reading() {
    let find = Command::new("find").about("Search for files");
    assert_eq!(
        classify(&[&find], &CommandPath::root()).effect,
        Effect::Unknown
    );
    assert_eq!(classify(&[], &CommandPath::root()).effect, Effect::Unknown);

    let read = Command::new("read").about("Read data");
    let show = Command::new("show");
    let status = Command::new("status");
    for root in [
        Command::new("vault"),
        Command::new("safe").about("A password manager for teams"),
    ] {
        assert_eq!(
            classify(&[&root, &read], &"read".into()).effect,
            Effect::Unknown
        );
        assert_eq!(
            classify(&[&root, &show], &"show".into()).effect,
            Effect::Unknown
        );
        assert_eq!(
            classify(&[&root, &status], &"status".into()).effect,
            Effect::Read
        );
    }
}

#[test]
fn settings_that_are_redacted_by_default_may_be_read_without_the_flag_that_reveals_them() {
    let root = Command::new("tool");
    let raw = Flag::new("raw").help("Show sensitive data too");
    let view = Command::new("view")
        .about("Display merged settings")
        .flag(raw.clone());
    let config = Command::new("config").not_runnable().command(view.clone());
    let path = CommandPath::parse("config view");
    assert_eq!(
        classify(&[&root, &config, &view], &path).effect,
        Effect::Read
    );
    assert_eq!(writing_flag(&view, &raw), Some(Reason::Discloses));
    let bare = Command::new("view").about("Display merged settings");
    assert_eq!(
        classify(&[&root, &config, &bare], &path).effect,
        Effect::Unknown
    );
    // With something that sets values beside it, `ls` shows values.
    let config = config.command(Command::new("set"));
    let ls = Command::new("ls");
    assert_eq!(
        classify(&[&root, &config, &ls], &"config ls".into()).effect,
        Effect::Unknown
    );
}

fn text(name: &str, help: &str) -> Flag {
    Flag::new(name).value_type(ValueType::String).help(help)
}

#[test]
fn flags_that_write_are_told_from_formats() {
    let log = Command::new("log").usage("log [-E log_file] [-o file]");
    for flag in [
        Flag::short_only('E').value_type(ValueType::String),
        Flag::short_only('o').value_type(ValueType::String),
        text("output", "Output to a specific file"),
        text("output", "Write the answer to FILE, in json format"),
        text("output", "").short('o'),
        text("output", "where it goes").default_text("./public"),
        Flag::new("output").value_type(ValueType::Path),
        Flag::short_only('o').value_type(ValueType::Path),
        text("output-directory", ""),
        text("out", "path to write the plan to"),
        text("profile-output", "Name of the file to write the profile to"),
        text("log-file", ""),
        text("destination", "filesystem path to write files to"),
        text("cidfile", ""),
        text("results", "Save the results to this file"),
    ] {
        assert_eq!(
            writing_flag(&log, &flag),
            Some(Reason::WritesFile),
            "{flag:?}"
        );
    }
    for flag in [
        text(
            "output",
            "Output format. One of: (json, yaml, go-template-file)",
        )
        .short('o'),
        text(
            "output",
            "prints the output in the given format: table, json",
        )
        .default_text("table"),
        text("output", "").choices(["json", "text"]),
        text("output", "Format in which to render").default_text("plaintext"),
        text("format", "Format with a template"),
        text("output-indicator-new", "the character for new lines"),
        text("file", "read from this file"),
        text("env-file", "Read variables from a file"),
        Flag::new("output").value_type(ValueType::INT),
        Flag::new("raw").help("Generate the diff in raw format"),
        Flag::new("all").help("Show all"),
        Flag::new("stdout").help("Write to standard output"),
        text("author", "only these authors"),
        text("selector", "a filter"),
        text("to", "where the range ends"),
        text("tail", "Lines of the log file to show"),
    ] {
        assert_eq!(writing_flag(&log, &flag), None, "{flag:?}");
    }
}

#[test]
fn other_flags_of_reading_commands_that_do_more() {
    let show = Command::new("show");
    for (flag, reason) in [
        (Flag::new("delete"), Reason::Deletes),
        (Flag::new("prune"), Reason::Deletes),
        (Flag::new("fix"), Reason::Changes),
        (Flag::new("write"), Reason::Changes),
        (Flag::new("save"), Reason::Changes),
        (Flag::new("edit"), Reason::Changes),
        (Flag::new("force"), Reason::Changes),
        (
            Flag::new("inline").help("Overwrite the file in place"),
            Reason::Changes,
        ),
        (text("exec", ""), Reason::RunsProgram),
        (Flag::new("ext-diff"), Reason::RunsProgram),
        (Flag::new("textconv"), Reason::RunsProgram),
        (
            Flag::new("web").help("Open in the browser"),
            Reason::RunsProgram,
        ),
        (text("open-files-in-pager", ""), Reason::RunsProgram),
        (Flag::new("show-secrets"), Reason::Discloses),
        (Flag::new("show-token"), Reason::Discloses),
        (Flag::new("reveal"), Reason::Discloses),
        (Flag::new("with-decryption"), Reason::Discloses),
        (Flag::new("t").help("Display the token"), Reason::Discloses),
        (
            text("raw", "Raw URI to ask the server for"),
            Reason::Discloses,
        ),
    ] {
        assert_eq!(writing_flag(&show, &flag), Some(reason), "{flag:?}");
    }
}

#[test]
fn secrets_can_be_named_where_kinds_are_arguments() {
    let get = Command::new("get").usage("get (TYPE[.VERSION] [NAME | -l label] | TYPE/NAME ...)");
    assert!(secret_values(&get).is_some());
    assert_eq!(
        secret_values(&Command::new("delete").usage("delete TYPE NAME")),
        None
    );
    assert_eq!(secret_values(&Command::new("logs").usage("logs POD")), None);
}

proptest! {
    #[test]
    fn any_text_is_classed_and_never_called_reading_beside_a_destroying_word(
        names in proptest::collection::vec("\\PC{0,12}", 0..4),
        about in "(\\PC|\n|[a-z]{1,6} ){0,60}",
        long in "(\\PC|\n|\\. |[a-z]{1,6} ){0,80}",
        usage in "\\PC{0,40}",
        flag in "\\PC{0,20}",
        help in "(\\PC|[a-z]{1,6} ){0,40}",
    ) {
        let path: CommandPath = names.iter().map(String::as_str).collect();
        let flag = text(&flag, &help);
        let mut lineage = vec![Command::new("tool")];
        for name in &names {
            let command = Command::new(name.as_str())
                .about(about.as_str())
                .long_about(long.as_str())
                .usage(usage.as_str())
                .flag(flag.clone());
            lineage.push(command);
        }
        let all: Vec<&Command> = lineage.iter().collect();
        let found = classify(&all, &path);
        prop_assert!(!found.evidence.is_empty());
        prop_assert_eq!(&found, &classify(&all, &path));
        let _ = writing_flag(all[all.len() - 1], &flag);
        let _ = secret_values(all[all.len() - 1]);

        let delete = Command::new("delete").about(about.as_str()).long_about(long.as_str());
        let found = classify(&[all[0], &delete], &CommandPath::parse("delete"));
        prop_assert_eq!(found.effect, Effect::Destroy);
        let token = Command::new("token").about(about.as_str());
        let found = classify(&[all[0], &token], &CommandPath::parse("token"));
        prop_assert_ne!(found.effect, Effect::Read);
    }
}
