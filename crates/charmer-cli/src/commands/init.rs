//! `charmer init`: a charmer.yaml to begin with.

use std::{
    fs::OpenOptions,
    io::{self, IsTerminal, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use crate::{
    args::InitArgs,
    ask::answer,
    output::{self, print},
    problem::Problem,
    programs, spells,
};

pub(crate) fn run(args: &InitArgs) -> Result<ExitCode, Problem> {
    // Before any question: an answer that cannot be written is a nuisance.
    if args.output.exists() && !args.force {
        return Err(is_there(&args.output));
    }
    let mut served = ToServe {
        programs: args.binaries.clone(),
        spells: args.spells.clone(),
        read_only: args.read_only,
    };
    if served.is_empty() {
        ask(&mut served)?;
    }
    let folder = match args.output.parent() {
        Some(folder) if folder != Path::new("") => folder.to_owned(),
        _ => PathBuf::from("."),
    };
    for program in &served.programs {
        programs::find(program, &folder)?;
    }
    if let Some(spells) = &served.spells {
        spells::must_exist(&folder.join(spells))?;
    }
    write(&args.output, &served.file(), args.force)?;
    print(&format!("{}\n", args.output.display()))?;
    let of_file = match args.output == Path::new("charmer.yaml") {
        true => String::new(),
        false => format!(" --config {}", args.output.display()),
    };
    let checked = of_file.replace(" --config", "");
    output::show(&format!(
        "Next:\n  \
         charmer check{checked}\n      says whether it fits the programs\n  \
         charmer tools{of_file}\n      shows what an assistant would get\n  \
         charmer add{of_file} --to CLIENT\n      puts it into a client, such as cursor or claude-code"
    ));
    Ok(ExitCode::SUCCESS)
}

fn is_there(file: &Path) -> Problem {
    let file = file.display();
    Problem::mistake(format!("there is a file `{file}` already")).hint(format!(
        "`charmer check {file}` says whether it is right; --force replaces it"
    ))
}

fn write(file: &Path, text: &str, force: bool) -> Result<(), Problem> {
    let mut options = OpenOptions::new();
    options.write(true);
    match force {
        true => options.create(true).truncate(true),
        // Also where it was made since the look at the beginning.
        false => options.create_new(true),
    };
    let written = options
        .open(file)
        .and_then(|mut to| to.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => is_there(file),
        _ => Problem::failed(format!("`{}` cannot be written: {error}", file.display()))
            .hint("check that its folder is there and that you may write to it"),
    })
}

/// The sources that are to be served.
struct ToServe {
    programs: Vec<PathBuf>,
    spells: Option<PathBuf>,
    read_only: bool,
}

/// Asks the person in front of the terminal for what was not said.
fn ask(served: &mut ToServe) -> Result<(), Problem> {
    if !io::stdin().is_terminal() {
        return Err(Problem::mistake("it is not said what is to be served")
            .hint("name programs, as in `charmer init git gh`, or a folder with `--spells`"));
    }
    let programs = answer("Programs to serve, by name or path (such as: git gh): ")?;
    served.programs = programs.split_whitespace().map(PathBuf::from).collect();
    let folder = answer("A folder of spells (Enter for none): ")?;
    served.spells = Some(PathBuf::from(&folder)).filter(|_| !folder.is_empty());
    if served.is_empty() {
        return Err(Problem::mistake("nothing is to be served")
            .hint("name a program or a folder of spells; `charmer spell new NAME` makes one"));
    }
    if !served.read_only {
        let only = answer("Only commands that change nothing? [y/N] ")?;
        served.read_only = only.to_lowercase().starts_with('y');
    }
    Ok(())
}

impl ToServe {
    fn is_empty(&self) -> bool {
        self.programs.is_empty() && self.spells.is_none()
    }

    /// The file: what is served, and beside it in comments what else is asked for most.
    fn file(&self) -> String {
        let mut text = String::from(HEAD);
        for (at, program) in self.programs.iter().enumerate() {
            text.push_str(&format!("  - binary: {}\n", scalar(program)));
            if self.read_only {
                text.push_str("    # Only commands that are known to change nothing, without the flags that write.\n");
                text.push_str("    read_only: true\n");
            }
            if at == 0 {
                if !self.read_only {
                    text.push_str(READ_ONLY);
                }
                text.push_str(OF_PROGRAM);
            }
        }
        if let Some(spells) = &self.spells {
            text.push_str(&format!("  - spells: {}\n", scalar(spells)));
            if self.read_only {
                text.push_str(
                    "    # Only those that declare `effect: read`.\n    read_only: true\n",
                );
            }
        }
        text.push_str(TAIL);
        text
    }
}

/// A path as YAML has it.
fn scalar(path: &Path) -> String {
    let text = path.to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/' || c == '.');
    // A word such as `true` or `off` is no text to every reader.
    let is_word =
        ["true", "false", "null", "yes", "no", "on", "off"].contains(&&*text.to_lowercase());
    match begins && !is_word && text.chars().all(plain) {
        true => text.into_owned(),
        // What JSON quotes, YAML reads.
        false => serde_json::Value::from(&*text).to_string(),
    }
}

/// Sentences stand behind `# `; without the `#` alone, the other comments are keys.
const HEAD: &str = "\
# What Charmer serves from here. `charmer serve`, `tools`, `inspect` and `call` read this file where no program is named;
# `charmer check` says whether it is right. All other keys: docs/charmer.example.yaml of Charmer.

sources:
";
const READ_ONLY: &str =
    "\x20   # Only commands that are known to change nothing, without the flags that write:
    #read_only: true
";
const OF_PROGRAM: &str = "\x20   # Which commands are served, all of them by default; the first entry that matches decides:
    #select:
    #  - commands: {allow: [COMMAND, OTHER COMMAND]}
    # Flags that are in every command line, and out of an assistant's reach:
    #set: {FLAG: VALUE}
    # Command lines that must, or must not, get through; `charmer check` decides them, and runs nothing:
    #expect:
    #  - allow: COMMAND --FLAG VALUE
    #  - deny: COMMAND
";
const TAIL: &str = "
# What clients are told of the server, before anything else:
#server: {name: NAME, instructions: What an assistant should know of this place.}

# How long a call may run:
#limits: {timeout: 5m}

# How many tokens the list of tools may take, and commands that are always in it:
#expose: {budget: 4000, pin: [COMMAND]}
";

#[cfg(test)]
mod tests {
    use charmer_config::{Config, SourceKind};

    use super::*;

    fn served(programs: &[&str], spells: Option<&str>, read_only: bool) -> ToServe {
        ToServe {
            programs: programs.iter().map(PathBuf::from).collect(),
            spells: spells.map(PathBuf::from),
            read_only,
        }
    }

    #[test]
    fn the_file_says_what_was_asked_for() {
        for read_only in [false, true] {
            let served = served(&["git", "./my tool", "no"], Some("spells"), read_only);
            let config = Config::parse(&served.file(), "charmer.yaml").expect("it is valid");
            let origins: Vec<&SourceKind> = config.sources.iter().map(|one| &one.origin).collect();
            let expected = [
                SourceKind::Binary("git".into()),
                SourceKind::Binary("./my tool".into()),
                SourceKind::Binary("no".into()),
                SourceKind::Spells("spells".into()),
            ];
            assert_eq!(origins, expected.iter().collect::<Vec<_>>());
            assert!(config.sources.iter().all(|one| one.read_only == read_only));
        }
    }

    #[test]
    fn what_is_in_comments_is_valid_too() {
        let text = served(&["git"], None, false).file();
        let lines = text.lines().map(|line| match line.split_once('#') {
            Some((_, said)) if said.starts_with(' ') && !said.starts_with("  ") => String::new(),
            _ => line.replacen('#', "", 1),
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        let config =
            Config::parse(&text, "charmer.yaml").unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(config.sources[0].expect.len(), 2);
        assert_eq!(config.sources[0].select.len(), 1);
        assert!(config.server.name.is_some() && config.expose.budget.is_some());
    }
}
