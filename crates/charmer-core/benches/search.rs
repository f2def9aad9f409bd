//! How long it takes to read 5,000 commands into an index, and to answer questions from it. The bar for one question is
//! 5 ms.
//!
//! `cargo bench -p charmer-core --bench search` prints it.

#![expect(clippy::print_stdout, reason = "a benchmark prints its numbers")]

use std::{
    hint::black_box,
    sync::Arc,
    time::{Duration, Instant},
};

use charmer_core::{
    model::{Cli, Command, Flag, Syntax},
    search::Index,
    tool::{CatalogueOptions, Tool, catalogue},
};

const SAMPLES: usize = 200;

#[rustfmt::skip]
const VERBS: [&str; 50] = [
    "list", "show", "create", "delete", "update", "start", "stop", "restart", "copy", "move",
    "rename", "download", "upload", "inspect", "search", "export", "import", "attach", "detach",
    "enable", "disable", "scale", "watch", "verify", "backup", "restore", "clone", "merge",
    "diff", "tag", "lock", "unlock", "approve", "reject", "invite", "rotate", "prune", "sync",
    "validate", "deploy", "rollback", "pause", "resume", "connect", "disconnect", "resize",
    "encrypt", "decrypt", "archive", "migrate",
];

#[rustfmt::skip]
const NOUNS: [&str; 100] = [
    "server", "cluster", "database", "bucket", "queue", "topic", "function", "network",
    "subnet", "firewall", "gateway", "route", "domain", "certificate", "key", "secret", "user",
    "group", "role", "policy", "token", "session", "project", "team", "invoice", "budget",
    "alert", "metric", "dashboard", "log", "trace", "job", "pipeline", "build", "artifact",
    "image", "container", "volume", "snapshot", "disk", "node", "pod", "service", "ingress",
    "namespace", "quota", "template", "stack", "environment", "variable", "release", "branch",
    "commit", "repository", "issue", "review", "comment", "label", "milestone", "board", "card",
    "sprint", "document", "folder", "file", "link", "webhook", "event", "schedule", "trigger",
    "rule", "filter", "view", "report", "export-job", "table", "index", "schema", "column",
    "record", "cache", "proxy", "listener", "balancer", "pool", "region", "zone", "account",
    "organization", "contact", "message", "channel", "campaign", "segment", "survey", "form",
    "page", "site", "theme", "plugin",
];

const FLAGS: [(&str, &str); 12] = [
    ("output", "Output format, one of json, yaml, table or wide"),
    (
        "filter",
        "Only those that match this expression, such as name=web or age>10d",
    ),
    ("limit", "Maximum number of results to return in one page"),
    (
        "all",
        "Include those that are stopped, archived or otherwise not shown by default",
    ),
    ("force", "Do not ask for confirmation and ignore warnings"),
    (
        "wait",
        "Block until the operation has finished or the timeout has passed",
    ),
    (
        "timeout",
        "How long to wait before giving up, for example 30s or 5m",
    ),
    ("dry-run", "Print what would be done without doing it"),
    ("tag", "Key and value of a tag; may be given several times"),
    (
        "region",
        "The region in which it is looked for, or the default one",
    ),
    (
        "from-file",
        "Read the specification from a file, or from standard input with a dash",
    ),
    ("quiet", "Print identifiers only"),
];

const QUESTIONS: [&str; 8] = [
    "list clusters",
    "how do I get rid of unused snapshots",
    "what is using my disk",
    "who changed the policy of this bucket",
    "rotat the certficate of a gatway",
    "cloud database backup",
    "please show me every invoice of the last month that is larger than the budget of the team",
    "stop everything",
];

fn main() {
    // `cargo test --benches` only wants to know that it builds and runs.
    let measured = std::env::args().any(|word| word == "--bench");
    let tools = tools();
    let samples = if measured { SAMPLES } else { 1 };
    println!("{} commands, {samples} samples, medians", tools.len());
    let build = || Index::new(tools.iter().map(|tool| &**tool));
    println!(
        "{:<92} {:>10.1?}",
        "building the index",
        median(samples.min(20), build)
    );
    let index = build();
    for question in QUESTIONS {
        let took = median(samples, || index.search(question, 5));
        println!("{question:<92} {took:>10.1?}");
    }
    let long = "please show me the certificates of every gateway ".repeat(2100);
    let took = median(samples, || index.search(&long, 5));
    println!("{:<92} {took:>10.1?}", "a question of 100 KB");
}

fn median<T>(samples: usize, mut work: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..samples)
        .map(|_| {
            let began = Instant::now();
            black_box(work());
            began.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn tools() -> Vec<Arc<Tool>> {
    let mut root = Command::new("cloud").not_runnable();
    for noun in NOUNS {
        let mut group = Command::new(noun)
            .about(format!("Manage {noun}s"))
            .not_runnable();
        for (place, verb) in VERBS.iter().enumerate() {
            let mut command = Command::new(*verb)
                .usage(format!("{verb} <{noun}>"))
                .about(format!("{verb} one or more {noun}s"))
                .long_about(format!(
                    "{verb} one or more {noun}s.\n\nThe {noun} is given by its name or identifier, as `cloud {noun} list` \
                     shows it. What it needs to be able to {verb} must be there before, and the caller must have the right \
                     to do so in the region that is asked."
                ))
                .examples(format!("  # {verb} the {noun} called web\n  cloud {noun} {verb} web --wait --timeout=5m"));
            for (at, (name, help)) in FLAGS.iter().enumerate() {
                if (at + place) % 4 != 0 {
                    command = command.flag(
                        Flag::new(*name)
                            .pflag("string")
                            .help(format!("{help} ({noun})")),
                    );
                }
            }
            group = group.command(command);
        }
        root = root.command(group);
    }
    catalogue(
        &Cli::new(root, Syntax::pflag()),
        &CatalogueOptions::default(),
    )
    .tools
}
