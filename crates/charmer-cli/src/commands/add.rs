//! `charmer add`: a server put into clients.

use std::{
    io::{self, IsTerminal},
    path::Path,
    process::ExitCode,
};

use charmer_clients::{
    Chosen, KnownClient, Machine, RegisterError, Registered, Registrar, Registration, Scope,
    ServerEntry,
};

use crate::{
    args::{AddArgs, Variable},
    ask::answer,
    assemble::{Assembler, Purpose},
    clients::{at_home, common_shape, is_ours, machine},
    commands::client_entry::{EntrySurroundings, entry},
    credentials,
    kept_list::KeptList,
    output::{self, GREEN, print, print_raw, styled},
    problem::Problem,
    programs,
    read::read,
    runtime,
    settings::Settings,
};

pub(crate) fn run(args: &AddArgs) -> Result<ExitCode, Problem> {
    let chosen = Chosen::read(&args.to)?;
    let settings = Settings::served(&args.served)?;
    let here = EntrySurroundings::here()?;
    let mut entry = entry(&args.served, &settings, &here);
    if let Some(name) = &args.name {
        entry.name.clone_from(name);
    }
    check_name(&entry.name)?;
    set_variables(&mut entry, &args.variables)?;
    let machine = machine();
    let scope = args.scope.scope();
    if args.to.is_empty() && args.print {
        print_raw(common_shape(&entry).as_bytes())?;
        output::note(
            "most clients take this shape; --to CLIENT prints one client's own, and says where it goes",
        );
        return Ok(ExitCode::SUCCESS);
    }
    let mut clients = match args.to.is_empty() {
        true => ask_which(&KnownClient::here(&machine))?,
        false => chosen.on(&machine),
    };
    // Of all clients, those that read such a file are meant.
    if chosen == Chosen::All {
        clients.retain(|client| client.file(scope, &machine, &here.folder).is_ok());
    }
    if clients.is_empty() {
        return Err(Problem::failed("no client was found on this machine")
            .hint("name one, as in `--to cursor`: its file is written for when it is installed"));
    }
    if args.print {
        return print_entries(&clients, scope, &entry, &machine, &here.folder);
    }
    if args.link {
        return print_links(&clients, &entry);
    }
    let registrar = Registrar::new(&machine, &here.folder, scope, &is_ours);
    // All files are looked at before any is written, and before anybody waits for the program.
    for client in &clients {
        let planned = registrar.add(client, &entry, false).map_err(explained)?;
        if args.dry_run {
            show_planned(&planned, &entry.name)?;
        }
    }
    if args.dry_run {
        return Ok(ExitCode::SUCCESS);
    }
    read_first(settings.clone(), args.served.selection.refresh)?;
    for client in &clients {
        let done = registrar.add(client, &entry, true).map_err(explained)?;
        tell(&done, &entry)?;
    }
    if scope == Scope::Project && !args.variables.is_empty() {
        output::warn(
            "the values of --env stand in a file of this folder: do not commit it if one of them is a secret",
        );
    }
    advise(&settings, &entry, &clients, &here.folder);
    Ok(ExitCode::SUCCESS)
}

/// A name that every client takes.
fn check_name(name: &str) -> Result<(), Problem> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && name.len() <= 64 && name.chars().all(is_plain) {
        return Ok(());
    }
    Err(Problem::mistake(format!(
        "`{}` is no name that every client takes for a server",
        name.escape_debug()
    ))
    .hint("give one with --name: at most 64 letters, digits, `-`, `_` and `.`"))
}

/// Adds the variables that were asked for.
fn set_variables(entry: &mut ServerEntry, variables: &[Variable]) -> Result<(), Problem> {
    for Variable { name, value } in variables {
        let value = match value {
            Some(value) => value.clone(),
            None => current(name)?,
        };
        entry.env.retain(|(known, _)| known != name);
        entry.env.push((name.clone(), value));
    }
    Ok(())
}

/// The value that a variable has now.
fn current(name: &str) -> Result<String, Problem> {
    std::env::var(name).map_err(|_| {
        Problem::mistake(format!("the variable `{name}` is not set, or is no text"))
            .hint(format!("write its value, as in `--env {name}=VALUE`"))
    })
}

/// Asks which of the clients that are here is meant.
fn ask_which(found: &[&'static KnownClient]) -> Result<Vec<&'static KnownClient>, Problem> {
    let ids: Vec<&str> = found.iter().map(|client| client.id()).collect();
    if found.is_empty() || !io::stdin().is_terminal() {
        let problem = Problem::mistake("it is not said which client it is for");
        return Err(match ids.as_slice() {
            [] => problem.hint("name one, as in `--to cursor`; `charmer add --help` lists them"),
            [first, ..] => problem.hint(format!(
                "found on this machine: {}; write `--to {first}`, or `--to all` for all of them",
                ids.join(", ")
            )),
        });
    }
    let list = found.iter().enumerate();
    let list: String = list
        .map(|(at, client)| format!("  {:>2}  {} ({})\n", at + 1, client.title(), client.id()))
        .collect();
    let said = answer(&format!(
        "Clients on this machine:\n{list}Which of them? (numbers or names, `all`, Enter for none) "
    ))?;
    let words = said.split([',', ' ']).filter(|word| !word.is_empty());
    let words: Vec<&str> = words
        .map(|word| {
            let at = word.parse::<usize>().ok().and_then(|at| at.checked_sub(1));
            at.and_then(|at| ids.get(at).copied()).unwrap_or(word)
        })
        .collect();
    if words.is_empty() {
        return Err(Problem::mistake("no client was chosen").hint("nothing was changed"));
    }
    if words.contains(&"all") {
        return Ok(found.to_vec());
    }
    let chosen = words.iter().map(|word| KnownClient::find(word));
    Ok(chosen.collect::<Result<_, _>>()?)
}

/// Reads the programs, so that the client's first list is whole, and sees that there is something to serve.
fn read_first(settings: Settings, refresh: bool) -> Result<(), Problem> {
    let found = runtime::block_on(read(&settings.programs, refresh))?;
    let found: Vec<_> = found.into_iter().map(Some).collect();
    let kept = KeptList::new(&settings);
    let (assembler, warnings) = Assembler::new(settings, Purpose::Server);
    assembler.check_confinement()?;
    let assembled = assembler.assemble(&found)?;
    for message in warnings.iter().chain(&assembled.warnings) {
        output::warn(message);
    }
    let exposed = assembler.offered(&assembled.tools, false);
    if let Some(kept) = kept {
        kept.store(&charmer_server::ToolList::of(&exposed.tools));
    }
    Ok(())
}

fn print_entries(
    clients: &[&'static KnownClient],
    scope: Scope,
    entry: &ServerEntry,
    machine: &Machine,
    folder: &Path,
) -> Result<ExitCode, Problem> {
    for client in clients {
        let file = client
            .file(scope, machine, folder)
            .map_err(|error| explained(error.into()))?;
        output::note(&format!(
            "{} reads it from {}",
            client.title(),
            at_home(&file)
        ));
        print_raw(client.entry_text(scope, entry).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print_links(clients: &[&'static KnownClient], entry: &ServerEntry) -> Result<ExitCode, Problem> {
    for client in clients {
        let link = client.link(entry).ok_or_else(|| {
            Problem::mistake(format!("{} takes no links", client.title()))
                .hint("cursor and vscode do; leave --link away to write the client's file")
        })?;
        print_raw(format!("{link}\n").as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show_planned(planned: &Registration, name: &str) -> Result<(), Problem> {
    match planned.done {
        Registered::Unchanged => print(&format!(
            "{}: `{name}` is in {} just so\n",
            planned.client.title(),
            at_home(&planned.file)
        )),
        _ => print(&planned.diff),
    }
}

fn tell(done: &Registration, entry: &ServerEntry) -> Result<(), Problem> {
    let name = &entry.name;
    let is_read_only = |entry: &ServerEntry| entry.args.iter().any(|word| word == "--read-only");
    if done.before.as_ref().is_some_and(is_read_only) && !is_read_only(entry) {
        output::warn(&format!(
            "`{name}` was read-only, and is not any more; add it again with --read-only to have it so"
        ));
    }
    let (client, file) = (done.client, at_home(&done.file));
    let title = styled(GREEN, client.title());
    let said = match done.done {
        Registered::Unchanged => format!("{title}: `{name}` was in {file} just so"),
        Registered::Updated => format!("{title}: `{name}` changed in {file}"),
        _ => format!("{title}: `{name}` added to {file}"),
    };
    print(&format!("{said}\n  {}\n", client.next_step()))
}

/// Says what a person may want to know of the entry, once.
fn advise(
    settings: &Settings,
    entry: &ServerEntry,
    clients: &[&'static KnownClient],
    folder: &Path,
) {
    if !settings.programs.is_empty() && settings.selection.folders.is_empty() {
        output::note(&format!(
            "it works in {}, whichever folder the client is in; `--folder DIR` chooses another, and with `--folder ~` a \
             client may name any folder of yours",
            at_home(folder)
        ));
    }
    if !clients.iter().any(|client| client.is_graphical()) {
        return;
    }
    let set: Vec<String> = std::env::vars_os()
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| entry.env.iter().all(|(known, _)| known != name))
        .collect();
    for program in &settings.programs {
        let name = programs::name(&program.path);
        let own = credentials::variables_of(&name, &set);
        if let [first, ..] = own.as_slice() {
            output::note(&format!(
                "{name} may need {}, which a client with a window does not pass on: `--env {first}` does",
                own.join(", ")
            ));
        }
    }
}

/// The problem, with what to do next.
pub(crate) fn explained(error: RegisterError) -> Problem {
    let problem = Problem::failed(error.to_string());
    match error {
        RegisterError::NotOurs { name, .. } => problem.hint(format!(
            "give this one another name, as in `--name {name}-charmer`; the other stays as it is"
        )),
        RegisterError::NotThere { ours, .. } if ours.is_empty() => {
            problem.hint("`charmer list` shows which servers each client has")
        }
        RegisterError::NotThere { ours, .. } => problem.hint(format!("it has {}", ours.join(", "))),
        RegisterError::Scope(_) => problem.hint("leave --scope away: `user` is the default"),
        _ => problem,
    }
}
