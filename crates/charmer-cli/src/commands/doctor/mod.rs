//! `charmer doctor`: each server tried as its client would, and what is wrong with it.
//!
//! [`registered`] finds the entries in the clients' files, [`conditions`] says what a client starts them with,
//! [`served`] looks at what they serve, [`replay`] speaks with them ([`conversation`]), [`machine`] looks at what all of
//! them share; [`finding`] and [`show`] are what is told.

mod conditions;
mod conversation;
mod finding;
mod machine;
mod places;
mod registered;
mod replay;
mod served;
mod show;

use std::{path::Path, process::ExitCode};

use charmer_core::text::nearest;

use crate::{
    args::DoctorArgs,
    output::{self, print, print_raw},
    problem::{FAILED, Problem},
    progress::Activity,
    runtime,
};

use self::{
    conditions::StartConditions,
    finding::DoctorFinding,
    registered::{RegisteredServer, Registry},
    replay::Replay,
    served::ServedByClient,
    show::DoctorReport,
};

pub(crate) fn run(args: &DoctorArgs) -> Result<ExitCode, Problem> {
    let here = std::env::current_dir().map_err(|error| {
        Problem::failed(format!("the working directory cannot be used: {error}"))
    })?;
    let registry = registered::read(&here);
    let chosen = chosen(&registry, args.name.as_deref())?;
    let report = runtime::block_on(async { Ok(examine(&registry, &chosen, args, &here).await) })?;
    match args.json {
        true => print_raw(format!("{:#}\n", report.to_json()).as_bytes())?,
        false => print(&report.to_text(output::width()))?,
    }
    Ok(ExitCode::from(if report.is_ok() { 0 } else { FAILED }))
}

/// The servers to be tried: all of ours, or those of a name, whoever made them.
fn chosen<'r>(
    registry: &'r Registry,
    name: Option<&str>,
) -> Result<Vec<&'r RegisteredServer>, Problem> {
    let servers = || registry.servers.iter();
    let ours = || servers().filter(|server| server.served_words().is_some());
    let Some(name) = name else {
        return Ok(ours().collect());
    };
    let named: Vec<&RegisteredServer> = servers().filter(|server| server.name() == name).collect();
    // A file that cannot be read may have it.
    if !named.is_empty() || !registry.unreadable.is_empty() {
        return Ok(named);
    }
    let problem = Problem::mistake(format!("no client has a server called `{name}`"));
    let list = "`charmer list` shows the clients and their servers";
    Err(match nearest(name, ours().map(RegisteredServer::name)) {
        Some(near) => problem.hint(format!("did you mean `{near}`? {list}")),
        None => problem.hint(list),
    })
}

async fn examine(
    registry: &Registry,
    chosen: &[&RegisteredServer],
    args: &DoctorArgs,
    here: &Path,
) -> DoctorReport {
    let activity = Activity::new();
    let mut findings = registry.unreadable.clone();
    for registered in chosen {
        findings.extend(try_out(registered, args, here, &activity).await);
    }
    activity.show("Looking at this machine");
    findings.extend(machine::findings());
    DoctorReport {
        findings,
        hint: hint(registry, chosen, args.name.as_deref()),
    }
}

/// The next step where there was nothing to try.
fn hint(registry: &Registry, chosen: &[&RegisteredServer], name: Option<&str>) -> Option<String> {
    if !chosen.is_empty() {
        return None;
    }
    Some(match (name, registry.has_clients) {
        (Some(name), _) => {
            format!("No client whose file can be read has a server called `{name}`.")
        }
        (None, true) => {
            "No client has a server of charmer's yet: `charmer add PROGRAM --to CLIENT` \
                         gives it one."
                .into()
        }
        (None, false) => "No client was found on this machine: `charmer add PROGRAM --to CLIENT` \
                          writes the file of one, and `charmer add --help` names them."
            .into(),
    })
}

/// Says that the client puts something into the entry that is not known here, if it does: `${workspaceFolder}`,
/// `${env:NAME}`, `${input:NAME}`.
fn filled_in_by_client(registered: &RegisteredServer) -> Option<DoctorFinding> {
    let entry = &registered.entry;
    let values = entry.env.iter().map(|(_, value)| value);
    let mut words = entry.args.iter().chain(values).chain([&entry.command]);
    let title = registered.client.title();
    words.any(|word| word.contains("${")).then(|| {
        let message =
            format!("{title} fills in `${{...}}` in this entry; here it was started without");
        DoctorFinding::warning("command", message)
    })
}

/// All that is to be said of one server. Before it is started it is looked at what it serves: a start may mend that.
async fn try_out(
    registered: &RegisteredServer,
    args: &DoctorArgs,
    here: &Path,
    activity: &Activity,
) -> Vec<DoctorFinding> {
    activity.show(&format!(
        "Looking at {} of {}",
        registered.name(),
        registered.client.title()
    ));
    let conditions = StartConditions::of(registered, std::env::vars_os(), here.to_owned());
    let served = ServedByClient {
        registered,
        conditions: &conditions,
        patience: args.timeout,
    };
    let mut findings = served.findings().await;
    let replay = Replay {
        registered,
        conditions: &conditions,
        patience: args.timeout,
        activity,
    };
    let replayed = replay.findings().await;
    // The command comes first: everything else is what it does.
    let commands = replayed
        .iter()
        .take_while(|finding| finding.about == "command")
        .count();
    findings.extend(filled_in_by_client(registered));
    let mut replayed = replayed.into_iter();
    let mut all: Vec<DoctorFinding> = replayed.by_ref().take(commands).collect();
    all.append(&mut findings);
    all.extend(replayed);
    all.into_iter()
        .map(|finding| finding.at(&registered.place))
        .collect()
}
