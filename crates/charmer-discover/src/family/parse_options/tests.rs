//! Invented pages in git's layout; what the real program says is measured in `tests` that are marked as needing it.

use charmer_core::model::Arguments;

use super::*;
use crate::probe::ProbeAnswer;

fn answer(text: &str) -> ProbeAnswer {
    ProbeAnswer {
        stdout: text.into(),
        code: Some(129),
        started: true,
        ..ProbeAnswer::default()
    }
}

fn read(path: &str, text: &str) -> Option<(CommandSketch, Vec<String>)> {
    let path = CommandPath::parse(path);
    let answer = answer(text);
    let page = Page {
        program: "vcs",
        path: &path,
        answer: &answer,
    };
    read_command(text, &page)
}

fn show(sketch: &CommandSketch) -> Vec<String> {
    let show = |flag: &FlagSketch| {
        let mark = match flag.kind.as_ref().map(|kind| &kind.value.value) {
            Some(FlagValue::Required) => "=",
            Some(FlagValue::Optional { .. }) => "?",
            _ => "",
        };
        let short = flag
            .short
            .map(|short| format!("-{short} "))
            .unwrap_or_default();
        let no = flag
            .negation
            .as_ref()
            .map(|no| format!(" !{no}"))
            .unwrap_or_default();
        format!(
            "{short}{}{mark}{no}",
            flag.long.as_deref().unwrap_or_default()
        )
    };
    sketch.flags.iter().map(show).collect()
}

const SHELVE: &str = "usage: vcs shelve list [<log-options>]\n   or: vcs shelve [-q] drop [<shelf>]\n   or: vcs shelve [put [-p | --patch]\n                  [--] [<path>...]]\n\n    -p, --patch           choose\n                          by hand\n    -S[<key>], --sign[=<key>]\n                          sign it\n    --depth <n>           so deep\n    --no-verify           skip checks\n    -NUM                  short for --depth\n\n";

#[test]
fn a_page_and_its_completion() {
    let (mut sketch, statements) = read("shelve", SHELVE).expect("the command's page");
    assert_eq!(
        show(&sketch),
        ["-p patch", "-S sign?", "depth=", "no-verify"]
    );
    let listed = take_completion(
        &mut sketch,
        "list drop put --patch --sign --depth= --limit= --verify --no-patch -- --no-verify --no-depth --no-sign\n",
    );
    assert_eq!(listed, ["list", "drop", "put"]);
    assert_eq!(
        show(&sketch),
        [
            "-p patch !no-patch",
            "-S sign?",
            "depth=",
            "no-verify !verify",
            "limit="
        ]
    );
    let shown = subcommands(&statements, &CommandPath::parse("shelve"));
    assert_eq!(
        shown,
        [
            ("list".to_owned(), vec!["[<log-options>]".to_owned()]),
            ("drop".to_owned(), vec!["[<shelf>]".to_owned()])
        ]
    );
}

#[test]
fn a_subcommand_may_stand_in_brackets_but_not_be_missing() {
    let (sketch, _) = read("shelve put", SHELVE).expect("it is in the usage");
    let Some(Arguments::Listed(listed)) = sketch.arguments.map(|fact| fact.value) else {
        panic!("one usage is listed");
    };
    assert_eq!(listed.len(), 1);
    assert!(listed[0].last && listed[0].variadic && listed[0].id == "path");
    assert!(read("shelve rm", SHELVE).is_none());
    assert!(read("shelve", "Status: 500\n").is_none());
}

#[test]
fn a_command_may_share_a_page() {
    let text = "usage: vcs log [<options>] [<range>]\n   or: vcs show [<options>] <object>...\n\n    --source  show source\n";
    let (sketch, statements) = read("show", text).expect("its own line");
    assert_eq!(statements, ["vcs show [<options>] <object>..."]);
    assert_eq!(
        sketch.arguments.map(|fact| fact.value.listed().len()),
        Some(1)
    );
    assert!(read("whatever", text).is_some());
}

#[test]
fn the_root_has_flags_that_stand_before_the_command() {
    let sketch = read_root(
        "usage: vcs [-v | --version] [-C <path>] [-c <name>=<value>]\n           [-p | --paginate | -P | --no-pager] [--exec-path[=<path>]]\n           <command> [<args>]\n\nThese are\n",
        "vcs",
    );
    assert_eq!(
        show(&sketch),
        [
            "-v version",
            "-C =",
            "-c =",
            "-p paginate",
            "-P no-pager",
            "exec-path?"
        ]
    );
}

#[test]
fn rows_of_the_list_of_commands() {
    assert_eq!(
        command_list(
            "Main Commands\n   add      Add things\n   rm       Remove\n\nExternal commands\n   other\n"
        ),
        [
            ("add".into(), "Add things".into()),
            ("rm".to_owned(), "Remove".to_owned())
        ]
    );
}

/// The real program, where it is installed.
fn git() -> std::path::PathBuf {
    let path = std::env::var_os("PATH").expect("a PATH");
    std::env::split_paths(&path)
        .map(|folder| folder.join("git"))
        .find(|file| file.is_file())
        .expect("git is installed")
}

#[tokio::test]
#[ignore = "needs git; .ci/run runs it"]
async fn the_real_program_agrees_with_its_own_helper() {
    let shown = vec!["[<revision-range>]".to_owned()];
    let rows = [
        "--author=<pattern>  Whose",
        "--gone-from-it  Old",
        "--graph  Drawn",
    ];
    let rows = rows.map(str::to_owned).to_vec();
    let options = crate::DiscoverOptions {
        unlisted: crate::Unlisted {
            options: vec![(shown, rows)],
            ..crate::Unlisted::default()
        },
        ..crate::DiscoverOptions::default()
    };
    let found = crate::discover(&git(), &options)
        .await
        .expect("git is read");
    assert_eq!(found.family, "parse-options");
    let root = &found.cli.root;
    let command = |name: &str| {
        let found = root.commands.iter().find(|command| command.name == name);
        found.unwrap_or_else(|| panic!("`{name}` is a command"))
    };
    let prober =
        crate::probe::Prober::new(git(), crate::probe::ProbeOptions::default()).expect("a prober");
    for name in [
        "add", "branch", "clone", "commit", "diff", "fetch", "merge", "push", "status", "tag",
    ] {
        let answer = prober.run(&[name, HELPER_ALL]).await;
        let flags = &command(name).flags;
        for word in answer
            .stdout
            .split_whitespace()
            .filter(|word| word.len() > 2)
        {
            let base = word.trim_end_matches('=');
            if base.starts_with("--no-") {
                continue;
            }
            let flag = flags.iter().find(|flag| flag.is_named(base));
            let flag = flag.unwrap_or_else(|| panic!("`{name}` takes {base}"));
            assert!(
                !word.ends_with('=') || flag.value != FlagValue::None,
                "`{name} {base}` takes a value"
            );
        }
    }
    let log = command("log");
    for (name, takes) in [
        ("--author", true),
        ("--graph", true),
        ("--gone-from-it", false),
    ] {
        let found = log.flags.iter().any(|flag| flag.is_named(name));
        assert_eq!(found, takes, "log, {name}");
    }
    for name in ["--graph", "--stat", "--oneline"] {
        let status = command("status");
        assert!(
            !status.flags.iter().any(|flag| flag.is_named(name)),
            "status takes no {name}"
        );
    }
    let remote: Vec<_> = command("remote")
        .commands
        .iter()
        .map(|c| c.name.as_str())
        .collect();
    assert!(
        remote.contains(&"add") && remote.contains(&"set-url"),
        "{remote:?}"
    );
    assert!(
        root.flags
            .iter()
            .any(|flag| flag.is_named("-C") && !flag.global)
    );
    for missing in ["gui", "citool", "gitk", "help"] {
        assert!(
            !root.commands.iter().any(|command| command.name == missing),
            "{missing}"
        );
    }
}

#[test]
fn the_commands_of_the_first_page_have_its_headings() {
    let text = "usage: vcs <command>\n\nThese are common commands:\n\nstart (see also: vcs help begin)\n   \
                clone     Copy it\n\nlook at it\n   log       Show it\n";
    let found = common_commands(text);
    let named: Vec<(&str, &str)> = found
        .iter()
        .map(|(a, b)| (a.as_str(), b.as_str()))
        .collect();
    assert_eq!(named, [("clone", "start"), ("log", "look at it")]);
}
