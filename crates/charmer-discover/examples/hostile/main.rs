//! Programs that behave badly when they are asked for help, for tests of probes and of walks.
//!
//! One executable, whose name says how it behaves: tests give it names with hard links. What a mode needs to know (a
//! path, a port) it reads from a file beside it that is named like it with `.target` behind. Whatever lasts "for ever"
//! ends after ten minutes, so that a failed test leaves nothing.
//!
//! | name | what it does, however it is called |
//! |---|---|
//! | `hangs` | says nothing and never ends |
//! | `floods` | writes to standard output for ever |
//! | `forks` | starts a grandchild that holds its streams open, prints `grandchild ID` above the help of a `plain` tree, ends |
//! | `writes` | writes `hostile-was-here` into the home, the working directory, and the folder in its target file; prints `home`, `work` and `outside`, each with `written` or the error, above the help of a `plain` tree |
//! | `dials` | connects to the loopback port in its target file; prints `connected` or the error |
//! | `reports` | prints its arguments, working directory and environment, one a line, as `arg X`, `cwd X`, `env N=V` |
//! | `exits` | ends with the code that its first argument says |
//! | `paints` | help of two flags and the command `brush`, full of terminal sequences, overwritten lines and invisible characters |
//! | `huge` | 10 MB of help: the flag `--first` at the beginning, the flag `--last` at the end |
//! | `rambles` | one line that is not help and has no end for 10 MB |
//!
//! The others are trees of commands that speak like Cobra programs do (`help PATH`, `PATH --help`, `__complete`):
//!
//! | name | its tree |
//! |---|---|
//! | `cycle` | `a` has the child `b`, `b` has the child `a`, at any depth; usage lines show the path that was asked for |
//! | `alias-cycle` | the same, but usage lines show the shortest path: `alias-cycle a b a` is `alias-cycle a` |
//! | `plain` | `first` and `second`, which are leaves |
//! | `moody` | `fine` and `good` are leaves; the help of `hangs` never comes, that of `floods` never ends, asking for that of `crashes` ends the program with a signal, that of `fails` with a code |
//! | `sulks` | 1,000 leaves whose help never comes |
//! | `many` | 50 groups `group00`... of 100 leaves `leaf00`... each: 5,000 commands with three flags |

//!
//! More modes are in `endless` (help without end) and `lasting` (what is to stay behind).

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a CLI prints")]

mod endless;
#[cfg(unix)]
mod lasting;

use std::{
    env, fs,
    io::{self, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

const FOR_EVER: Duration = Duration::from_secs(600);

pub(crate) fn main() -> ExitCode {
    let mut args = env::args_os();
    let program = PathBuf::from(args.next().unwrap_or_default());
    let words: Vec<String> = args.map(|arg| arg.to_string_lossy().into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let name = program.file_stem().and_then(|name| name.to_str());
    match name.unwrap_or_default() {
        "plain" => Tree::Plain.answer("plain", &words),
        "hangs" => std::thread::sleep(FOR_EVER),
        "floods" => floods(),
        "forks" if words == ["__sleep"] => std::thread::sleep(FOR_EVER),
        "forks" => {
            forks(&program);
            Tree::Plain.answer("forks", &words);
        }
        "writes" => {
            writes(&program);
            Tree::Plain.answer("writes", &words);
        }
        "dials" => dials(&program),
        "reports" => reports(&words),
        "exits" => {
            let code = words.first().and_then(|code| code.parse::<u8>().ok());
            return ExitCode::from(code.unwrap_or(0));
        }
        "paints" => paints(&words),
        "huge" => huge(),
        "rambles" => {
            let _ = io::stdout().write_all(&b"and then ".repeat(1_200_000));
        }
        "moody" if words.contains(&"hangs") => std::thread::sleep(FOR_EVER),
        "moody" if words.contains(&"floods") => floods(),
        "moody" if words.contains(&"crashes") => std::process::abort(),
        "moody" if words.contains(&"fails") => {
            eprintln!("fails: out of luck");
            return ExitCode::from(3);
        }
        "moody" => Tree::Moody.answer("moody", &words),
        "sulks" if words != ["--help"] => std::thread::sleep(FOR_EVER),
        "sulks" => Tree::Sulks.answer("sulks", &words),
        "cycle" => Tree::Cycle.answer("cycle", &words),
        "alias-cycle" => Tree::AliasCycle.answer("alias-cycle", &words),
        "many" => Tree::Many.answer("many", &words),
        other if endless::print(other, &words) => {}
        #[cfg(unix)]
        other if lasting::act(other, &program, &words) => Tree::Plain.answer(other, &words),
        "bombs" | "daemonises" | "drips" => {}
        other => {
            println!("`{other}` is no mode: give this program one of the names in its source");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn floods() {
    let line = [b"flood ".repeat(10_000), b"\n".to_vec()].concat();
    let began = Instant::now();
    while began.elapsed() < FOR_EVER && io::stdout().write_all(&line).is_ok() {}
}

fn forks(program: &Path) {
    let grandchild = Command::new(program).arg("__sleep").spawn();
    match grandchild {
        // By the number that it has outside, if it has another one there.
        Ok(child) => println!(
            "grandchild {}",
            number_outside().unwrap_or_else(|| child.id().to_string())
        ),
        Err(error) => println!("no grandchild: {error}"),
    }
}

/// The number of the only child of this process as it is outside of its sandbox.
fn number_outside() -> Option<String> {
    let fields = |stat: String| -> Option<(String, String)> {
        let (number, rest) = stat.split_once(' ')?;
        let (_, rest) = rest.rsplit_once(") ")?;
        Some((number.into(), rest.split(' ').nth(1)?.into()))
    };
    let (own, _) = fields(fs::read_to_string("/proc/self/stat").ok()?)?;
    let all = fs::read_dir("/proc").ok()?.flatten();
    let all = all.filter_map(|one| fields(fs::read_to_string(one.path().join("stat")).ok()?));
    let mut children = all.filter(|(_, parent)| *parent == own);
    children.next().map(|(number, _)| number)
}

/// What a test has written for this mode.
fn target(program: &Path) -> String {
    let path = program.with_extension("target");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.trim().to_owned()
}

fn writes(program: &Path) {
    let home = env::var_os("HOME").unwrap_or_default();
    let folders = [
        ("home", PathBuf::from(home)),
        ("work", PathBuf::new()),
        ("outside", PathBuf::from(target(program))),
    ];
    for (name, folder) in folders {
        match fs::write(folder.join("hostile-was-here"), "hello") {
            Ok(()) => println!("{name} written"),
            Err(error) => println!("{name} {error}"),
        }
    }
}

fn dials(program: &Path) {
    let port: u16 = target(program).parse().unwrap_or(0);
    match TcpStream::connect(("127.0.0.1", port)) {
        Ok(_) => println!("connected"),
        Err(error) => println!("{error}"),
    }
}

fn reports(words: &[&str]) {
    for word in words {
        println!("arg {word}");
    }
    println!("cwd {}", env::current_dir().unwrap_or_default().display());
    for (name, value) in env::vars_os() {
        println!("env {}={}", name.to_string_lossy(), value.to_string_lossy());
    }
}

fn paints(words: &[&str]) {
    let brush = words.contains(&"brush");
    let path = if brush { " brush" } else { "" };
    print!(
        "\x1b[2J\x1b]0;owned\x07\x1b[1mPaints\x1b[0m things.\n\n\
         \x1b]8;;https://example.invalid\x1b\\Usage:\x1b]8;;\x1b\\\n  paints{path} [flags]\n\n\
         F\x08Fl\x08la\x08ag\x08gs\x08s:\n\
         \x1b[31m      --colo\u{200b}ur\x1b[0m string\x1b[K   the colour\u{202e} (default \"red\")\n\
         loading...\r  -v, --verbose         say more \u{e0041}\u{e0042}\x07\n"
    );
    if !brush {
        print!(
            "\nAvailable Commands:\n  \x1b[32mbrush\x1b[0m     A bru\u{202e}sh\x1b]52;c;aGk=\x07\n  pen\u{2060}cil   Not what it seems\n\n\
             Use \"paints [command] --help\" for more information about a command.\n"
        );
    }
}

fn huge() {
    let mut help = String::from(
        "Says a lot.\n\nUsage:\n  huge [flags]\n\nFlags:\n      --first string   comes first\n\n",
    );
    while help.len() < 10_000_000 {
        help.push_str("This line is here only because there are so many others like it.\n");
    }
    help.push_str(
        "\nUse \"huge [command] --help\" for more information about a command.\n\
         \nFlags:\n      --last string    comes last\n",
    );
    let _ = io::stdout().write_all(help.as_bytes());
}

/// A tree of commands, made up as it is asked for.
#[derive(Clone, Copy)]
enum Tree {
    Cycle,
    AliasCycle,
    Plain,
    Moody,
    Sulks,
    Many,
}

const FLAGS: [(&str, &str, &str); 4] = [
    (
        "      --count int     ",
        "--count",
        "how many there are (default 3)",
    ),
    ("  -f, --force         ", "--force", "do it without asking"),
    ("  -h, --help          ", "--help", "help for this command"),
    ("      --name string   ", "--name", "what it is called"),
];

impl Tree {
    /// The names of the commands below a command; `None` where there is no such command.
    fn children(self, path: &[&str]) -> Option<Vec<String>> {
        let numbered = |name: &str, count: usize| {
            let names = (0..count).map(|number| format!("{name}{number:02}"));
            names.collect::<Vec<_>>()
        };
        let Some((last, parents)) = path.split_last() else {
            return Some(match self {
                Self::Many => numbered("group", 50),
                Self::Sulks => numbered("leaf", 1_000),
                Self::Cycle | Self::AliasCycle => vec!["a".into()],
                Self::Plain => ["first", "second"].map(Into::into).into(),
                Self::Moody => ["crashes", "fails", "fine", "floods", "good", "hangs"]
                    .map(Into::into)
                    .into(),
            });
        };
        let siblings = self.children(parents)?;
        siblings
            .iter()
            .any(|sibling| sibling == last)
            .then(|| match (self, *last, path.len()) {
                (Self::Many, _, 1) => numbered("leaf", 100),
                (Self::Many | Self::Plain | Self::Moody | Self::Sulks, ..) => Vec::new(),
                (Self::Cycle | Self::AliasCycle, "a", _) => vec!["b".into()],
                (Self::Cycle | Self::AliasCycle, ..) => vec!["a".into()],
            })
    }

    fn answer(self, root: &str, words: &[&str]) {
        if let Some((&"__complete" | &"__completeNoDesc", [path @ .., last])) = words.split_first()
        {
            return self.complete(path, last);
        }
        let path: Vec<&str> = words
            .iter()
            .skip_while(|word| **word == "help")
            .take_while(|word| !word.starts_with('-'))
            .copied()
            .collect();
        // Like Cobra: a child that does not exist is answered with the help of its parent.
        let known = (0..=path.len()).rev().map(|length| &path[..length]);
        let known = known.filter(|path| self.children(path).is_some());
        self.help(
            root,
            known.max_by_key(|path| path.len()).unwrap_or_default(),
        );
    }

    fn help(self, root: &str, path: &[&str]) {
        let children = self.children(path).unwrap_or_default();
        let shown = match self {
            Self::AliasCycle => &path[path.len().saturating_sub(1)..],
            _ => path,
        };
        let shown = [&[root], shown].concat().join(" ");
        println!("This is {shown}, which does nothing.\n\nUsage:");
        if children.is_empty() {
            println!("  {shown} [flags]");
        } else {
            println!("  {shown} [command]\n\nAvailable Commands:");
            for child in &children {
                println!("  {child:<11} The command {child}");
            }
        }
        println!("\nFlags:");
        let flags = FLAGS
            .iter()
            .filter(|(_, name, _)| children.is_empty() || *name == "--help");
        flags.for_each(|(columns, _, text)| println!("{columns}{text}"));
        if !children.is_empty() {
            println!("\nUse \"{shown} [command] --help\" for more information about a command.");
        }
    }

    fn complete(self, path: &[&str], last: &str) {
        let path: Vec<&str> = path
            .iter()
            .copied()
            .filter(|word| !word.starts_with('-'))
            .collect();
        let children = self.children(&path).unwrap_or_default();
        if last.starts_with('-') {
            let flags = FLAGS
                .iter()
                .filter(|(_, name, _)| children.is_empty() || *name == "--help");
            flags.for_each(|(_, name, text)| println!("{name}\t{text}"));
        } else {
            let named = children.iter().filter(|child| child.starts_with(last));
            named.for_each(|child| println!("{child}\tThe command {child}"));
        }
        println!(":4");
    }
}
