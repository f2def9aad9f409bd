//! `mcp add`, `mcp remove` and `mcp list`: a CLI that puts its own server into the clients on a machine.

use std::{
    fmt::Write as _,
    io::Write as _,
    path::{Path, PathBuf},
};

use charmer_clients::{
    Chosen, ClientFile, KnownClient, Machine, Platform, Registered, Registrar, Scope, ServerEntry,
};
use clap::{Arg, ArgAction, ArgMatches, Command};

use crate::{Bridge, Level};

/// The subcommands' part of the help of `mcp`.
pub(crate) const COMMANDS: &str = "
  add     Put this program into a client, such as cursor or claude-code: add --to CLIENT
  remove  Take it out again: remove --from CLIENT
  list    List the clients on this machine, and those that have it";

/// The subcommands, for the parser of what stands behind `mcp`.
pub(crate) fn subcommands(
    program: &str,
    name: &str,
    options: impl IntoIterator<Item = Arg>,
) -> [Command; 3] {
    let clients = |long: &'static str, help: &'static str| {
        Arg::new("clients")
            .long(long)
            .value_name("CLIENT")
            .value_delimiter(',')
            .action(ArgAction::Append)
            .required(true)
            .help(help)
    };
    let server = Arg::new("name")
        .long("name")
        .value_name("NAME")
        .default_value(program.to_owned())
        .help("What the server is called there");
    let scope = Arg::new("scope")
        .long("scope")
        .value_parser(["user", "project"])
        .default_value("user")
        .help("For you in every folder, or in a file of the current folder");
    let dry_run = Arg::new("dry-run")
        .long("dry-run")
        .action(ArgAction::SetTrue)
        .help("Show what would change in the clients' files, and change nothing");
    let print = Arg::new("print")
        .long("print")
        .action(ArgAction::SetTrue)
        .conflicts_with("dry-run")
        .help("Print the entry as the client's file has it, and change nothing");
    let variables = Arg::new("env")
        .long("env")
        .value_name("NAME[=VALUE]")
        .action(ArgAction::Append)
        .help("Give the server this variable, with the value that it has now or with another");
    let known: Vec<&str> = KnownClient::all().iter().map(KnownClient::id).collect();
    let known = format!("Clients: {}", known.join(", "));
    let to = clients(
        "to",
        "The clients; several with commas, or `all` for those on this machine",
    );
    let from = clients(
        "from",
        "The clients; several with commas, or `all` for those that have it",
    );
    [
        Command::new("add")
            .about("Put this program into a client, so that its assistant can use it")
            .args([to, server.clone(), scope.clone(), variables, dry_run.clone(), print])
            .args(options)
            .after_help(format!(
                "{known}\n\nExamples:\n  {program} {name} add --to cursor\n  {program} {name} add --to claude-code --scope project"
            )),
        Command::new("remove")
            .about("Take it out of a client again")
            .args([from, server, scope, dry_run])
            .after_help(known),
        Command::new("list").about("List the clients on this machine, and those that have it"),
    ]
}

/// Does what the command line asks for; the result is the process's exit code.
pub(crate) fn run(bridge: &Bridge, asked: &str, matches: &ArgMatches, options: &[String]) -> u8 {
    let done = Here::now(&bridge.name).and_then(|here| match asked {
        "add" => here.add(matches, options),
        "remove" => here.remove(matches),
        _ => Ok(here.list()),
    });
    let written = done.and_then(|text| {
        let written = std::io::stdout().write_all(text.as_bytes());
        match written {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => Err(error.to_string()),
            _ => Ok(()),
        }
    });
    match written {
        Ok(()) => 0,
        Err(problem) => {
            (bridge.logger)(Level::Error, &problem);
            1
        }
    }
}

/// The machine that this CLI runs on, and the CLI itself.
struct Here {
    machine: Machine,
    folder: PathBuf,
    /// The absolute path of the CLI.
    program: String,
    /// The name of the subcommand that serves it.
    subcommand: String,
}

impl Here {
    fn now(subcommand: &str) -> Result<Self, String> {
        let home = std::env::home_dir().ok_or("there is no home folder")?;
        let machine =
            Machine::of_variables(Platform::current(), home, |name| std::env::var(name).ok());
        let search = std::env::var_os("PATH").unwrap_or_default();
        let program = std::env::current_exe()
            .map_err(|error| format!("the path of this program cannot be found out: {error}"))?;
        let folder = std::env::current_dir()
            .map_err(|error| format!("the working folder cannot be used: {error}"))?;
        Ok(Self {
            machine: machine.path(std::env::split_paths(&search)),
            folder,
            program: program.to_string_lossy().into_owned(),
            subcommand: subcommand.to_owned(),
        })
    }

    /// Returns true if an entry starts this CLI as a server. One that has moved since knows its entries by its name.
    fn is_ours(&self, entry: &ServerEntry) -> bool {
        let file = |path: &str| Path::new(path).file_name().map(ToOwned::to_owned);
        file(&entry.command) == file(&self.program)
            && entry
                .args
                .starts_with(&[self.subcommand.clone(), "start".to_owned()])
    }

    fn add(&self, matches: &ArgMatches, options: &[String]) -> Result<String, String> {
        let mut entry = ServerEntry::new(text(matches, "name"), &self.program);
        entry.args = vec![self.subcommand.clone(), "start".to_owned()];
        entry.args.extend(options.iter().cloned());
        for word in matches.get_many::<String>("env").into_iter().flatten() {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (name.to_owned(), value.to_owned()),
                None => {
                    let value = std::env::var(word).map_err(|_| {
                        format!("the variable `{word}` is not set; write --env {word}=VALUE")
                    })?;
                    (word.clone(), value)
                }
            };
            entry.env.push((name, value));
        }
        let clients = chosen(matches)?.on(&self.machine);
        if clients.is_empty() {
            return Err(
                "no client was found on this machine; name one, as in `--to cursor`".into(),
            );
        }
        let scope = scope(matches);
        if matches.get_flag("print") {
            return self.entries(&clients, scope, &entry);
        }
        let is_ours = |entry: &ServerEntry| self.is_ours(entry);
        let registrar = Registrar::new(&self.machine, &self.folder, scope, &is_ours);
        let mut said = String::new();
        // All files are looked at before any is written.
        for client in &clients {
            let planned = registrar.add(client, &entry, false);
            said.push_str(&planned.map_err(|error| error.to_string())?.diff);
        }
        if matches.get_flag("dry-run") {
            return Ok(said);
        }
        said.clear();
        for client in clients {
            let done = registrar.add(client, &entry, true);
            let done = done.map_err(|error| error.to_string())?;
            let (title, name, file) = (client.title(), &entry.name, done.file.display());
            let what = match done.done {
                Registered::Unchanged => format!("was in {file} just so"),
                Registered::Updated => format!("changed in {file}"),
                _ => format!("added to {file}"),
            };
            let _ = writeln!(said, "{title}: `{name}` {what}\n  {}", client.next_step());
        }
        Ok(said)
    }

    /// The entry as each client's file has it, and where that is.
    fn entries(
        &self,
        clients: &[&'static KnownClient],
        scope: Scope,
        entry: &ServerEntry,
    ) -> Result<String, String> {
        let mut said = String::new();
        for client in clients {
            let file = client.file(scope, &self.machine, &self.folder);
            let file = file.map_err(|error| error.to_string())?;
            let _ = writeln!(said, "{}: {}", client.title(), file.display());
            said.push_str(&client.entry_text(scope, entry));
        }
        Ok(said)
    }

    fn remove(&self, matches: &ArgMatches) -> Result<String, String> {
        let name = text(matches, "name");
        let is_ours = |entry: &ServerEntry| self.is_ours(entry);
        let registrar = Registrar::new(&self.machine, &self.folder, scope(matches), &is_ours);
        let chosen = chosen(matches)?;
        let write = !matches.get_flag("dry-run");
        let mut said = String::new();
        let mut last = format!("no client on this machine has a server `{name}`");
        for client in chosen.on(&self.machine) {
            match registrar.remove(client, &name, write) {
                Ok(done) if !write => said.push_str(&done.diff),
                Ok(done) => {
                    let (title, file) = (client.title(), done.file.display());
                    let _ = writeln!(said, "{title}: `{name}` removed from {file}");
                }
                // Of all clients, those that have it are meant.
                Err(error) if chosen == Chosen::All => last = error.to_string(),
                Err(error) => return Err(error.to_string()),
            }
        }
        match said.is_empty() {
            true => Err(last),
            false => Ok(said),
        }
    }

    fn list(&self) -> String {
        let mut said = String::new();
        for client in KnownClient::here(&self.machine) {
            for scope in [Scope::User, Scope::Project] {
                let Ok(file) = client.file(scope, &self.machine, &self.folder) else {
                    continue;
                };
                if scope == Scope::Project && !file.exists() {
                    continue;
                }
                let names = match ClientFile::read(client, scope, &file) {
                    Ok(read) => {
                        let entries = read.entries().into_iter();
                        let ours = entries.filter(|entry| self.is_ours(entry));
                        ours.map(|entry| entry.name).collect::<Vec<_>>().join(", ")
                    }
                    Err(error) => error.to_string(),
                };
                let names = if names.is_empty() { "-" } else { &names };
                let _ = writeln!(said, "{}  {}  {names}", client.title(), file.display());
            }
        }
        if said.is_empty() {
            said.push_str("No client was found on this machine.\n");
        }
        said
    }
}

fn chosen(matches: &ArgMatches) -> Result<Chosen, String> {
    let words = matches.get_many::<String>("clients").into_iter().flatten();
    Chosen::read(&words.collect::<Vec<_>>()).map_err(|unknown| unknown.to_string())
}

fn scope(matches: &ArgMatches) -> Scope {
    match matches.get_one::<String>("scope").map(String::as_str) {
        Some("project") => Scope::Project,
        _ => Scope::User,
    }
}

fn text(matches: &ArgMatches, name: &str) -> String {
    matches.get_one::<String>(name).cloned().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn here(home: &Path) -> Here {
        Here {
            machine: Machine::new(Platform::Linux, home),
            folder: home.join("work"),
            program: "/opt/myapp".into(),
            subcommand: "mcp".into(),
        }
    }

    fn matches(words: &[&str]) -> ArgMatches {
        let command = Command::new("mcp").subcommands(subcommands("myapp", "mcp", []));
        let matches = command.try_get_matches_from([&["mcp"], words].concat());
        let matches = matches.expect("the words are right");
        matches.subcommand().expect("there is one").1.clone()
    }

    #[test]
    fn a_cli_puts_itself_into_a_client_and_takes_itself_out() {
        let home = tempfile::tempdir().expect("a folder");
        let here = here(home.path());
        let file = home.path().join(".cursor/mcp.json");
        std::fs::create_dir(home.path().join(".cursor")).expect("it is new");
        std::fs::write(&file, "{ /* mine */ }\n").expect("it can be written");
        let add = ["add", "--to", "cursor", "--env", "A=b"];
        let planned = here.add(&matches(&[&add[..], &["--dry-run"]].concat()), &[]);
        assert!(planned.expect("it works").contains("+"));
        let said = here
            .add(&matches(&add), &["--prompts".into()])
            .expect("it works");
        assert!(said.contains("`myapp` added to"), "{said}");
        let written = std::fs::read_to_string(&file).expect("it is there");
        assert!(
            written.contains(r#""args": ["mcp", "start", "--prompts"]"#),
            "{written}"
        );
        assert!(here.list().contains("mcp.json  myapp"), "{}", here.list());
        let again = here
            .add(&matches(&add), &["--prompts".into()])
            .expect("it works");
        assert!(again.contains("just so"), "{again}");
        here.remove(&matches(&["remove", "--from", "all"]))
            .expect("it works");
        assert_eq!(
            std::fs::read_to_string(&file).expect("it is there"),
            "{ /* mine */ }\n"
        );
        let gone = here.remove(&matches(&["remove", "--from", "cursor"]));
        assert!(
            gone.expect_err("it is not there")
                .contains("has no server `myapp`")
        );
    }

    #[test]
    fn servers_of_others_are_left_alone() {
        let home = tempfile::tempdir().expect("a folder");
        let here = here(home.path());
        let file = home.path().join(".cursor/mcp.json");
        let other = r#"{"mcpServers": {"myapp": {"command": "/opt/other", "args": []}}}"#;
        std::fs::create_dir(home.path().join(".cursor")).expect("it is new");
        std::fs::write(&file, other).expect("it can be written");
        let refused = here.add(&matches(&["add", "--to", "cursor"]), &[]);
        assert!(refused.expect_err("it is not ours").contains("not ours"));
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), other);
    }
}
