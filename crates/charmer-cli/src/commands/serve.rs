//! `charmer serve`: an MCP server on standard input and output, or on HTTP.

use std::{
    borrow::Cow,
    collections::BTreeMap,
    io::IsTerminal,
    path::PathBuf,
    process::ExitCode,
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError},
    },
    time::Duration,
};

use charmer_config::{Config, HttpCaps, HttpRules, LogFormat, PrincipalRules};
use charmer_core::expose::Expose;
use charmer_discover::Discovery;
use charmer_server::{
    Caps, HttpListener, HttpOptions, Server, ServerInfo, ToolList, ended_by_signal,
};
use tokio::{
    task::{JoinSet, block_in_place},
    time::MissedTickBehavior,
};
use tokio_util::sync::CancellationToken;

use crate::{
    args::{ServeArgs, ServedArgs},
    assemble::{Assembler, Purpose},
    clients,
    commands::{
        client_entry::{EntrySurroundings, entry, server_name},
        follow::{MissingReading, Task, follow, read_again},
        offer::ServedOffer,
    },
    drafts,
    identity::{Introduction, Teller, awaited, kept_introduction, server_info},
    instructions,
    kept_list::KeptList,
    output,
    principals::{self, PrincipalOffers},
    problem::Problem,
    read::Start,
    runtime,
    settings::Settings,
};

/// The time after which the tools that are known so far are put together anew while programs are being read.
const GROWTH: Duration = Duration::from_secs(1);
/// Up to how many commands any more are worth that; behind it, half as many again.
const SMALL: usize = 500;
/// Up to how many commands that is done at all. Searches say that more are being read.
const LARGE: usize = 1000;
/// The time that putting tools together that nobody will see is waited for. It cannot be interrupted, and ends with the
/// process.
const WALK_ENDS: Duration = Duration::from_millis(200);

pub(crate) fn run(args: &ServeArgs) -> Result<ExitCode, Problem> {
    let mut settings = Settings::served(&args.served)?;
    if args.print_config {
        return print_config(&args.served, &settings);
    }
    if settings.config.log.format == LogFormat::Json {
        output::log_in_json();
    }
    let http = http(args, &settings.config)?;
    if let Some((listener, _)) = &http {
        settings.own_credentials = principals::check_credentials(listener, &settings.config)?;
    }
    let args = &args.served;
    if let Err(shortcoming) = charmer_run::process::harden() {
        output::note(&shortcoming);
    }
    if http.is_none() && std::io::stdin().is_terminal() {
        greet(&server_name(&settings));
    }
    let (teller, introduction) = awaited();
    let programs: Vec<PathBuf> = settings.programs.iter().map(|p| p.path.clone()).collect();
    let (told_of, prompts) = (settings.clone(), settings.config.prompts);
    let refresh = args.selection.refresh;
    let kept = KeptList::new(&settings);
    let (assembler, warnings) = Assembler::new(settings, Purpose::Server);
    warnings.iter().for_each(|message| output::warn(message));
    assembler.check_confinement()?;
    if let Some(drafts) = assembler.engine.drafts() {
        drafts::look_after(drafts);
    }
    let _meeting = assembler.meet_terminals()?;
    let assembler = Arc::new(assembler);
    let engine = assembler.engine.clone();

    // The client is greeted while its tools are still being put together, be it from what is known of the programs.
    let mut server = Server::pending(ServerInfo::new("", ""), engine)
        .example_prompts(prompts)
        .folders(assembler.folders().clone());
    if let Some(jobs) = assembler.jobs() {
        server = server.jobs(jobs.clone());
    }
    if let Some(promotions) = assembler.promotions() {
        server = server.promotions(promotions.clone());
    }
    let stop = server.stop_token();
    if !told_of.config.principals.is_empty() {
        let own = PrincipalOffers::new(Arc::clone(&assembler));
        server.tools().of_principals(own);
    }
    let offer = ServedOffer::new(Arc::clone(&assembler), server.tools());
    let watching = offer.watch_spells();
    let (tell, told) = mpsc::channel();
    {
        let (assembler, stop) = (Arc::clone(&assembler), stop.clone());
        let reading = Arc::new(ProgramsToRead {
            programs,
            refresh,
            kept,
            teller,
        });
        std::thread::Builder::new()
            .name("charmer-walk".into())
            .spawn(move || {
                let done = walk(&assembler, &reading, &offer, &stop);
                let failed = done.is_err();
                // Nobody listens where the server has ended before.
                let _ = tell.send(done);
                if failed {
                    stop.cancel();
                }
            })
            .map_err(|error| Problem::failed(format!("failed to start a thread: {error}")))?;
    }
    let instructions = instructions::with_unread(assembler.instructions(), &told_of);
    let server = server.info(server_info(&told_of, &instructions, &introduction));
    let served = match http {
        Some((listener, options)) => {
            output::show(&format!("listening on {}", listener.url()));
            server.run_http(listener, options)
        }
        None => server.run_stdio(),
    };
    drop(watching);
    // The client is gone, so there is nobody to read programs for.
    stop.cancel();
    runtime::end_probes();
    match told.recv_timeout(WALK_ENDS) {
        Ok(done) => done?,
        Err(RecvTimeoutError::Timeout) => {}
        Err(RecvTimeoutError::Disconnected) => {
            return Err(went_wrong());
        }
    }
    assembler.finish();
    served.map_err(|error| Problem::failed(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}

/// The listener for clients over HTTP, if they come so, and its options.
fn http(args: &ServeArgs, config: &Config) -> Result<Option<(HttpListener, HttpOptions)>, Problem> {
    let Some(address) = &args.http else {
        return Ok(None);
    };
    let mut options = http_options(&config.http, &config.principals);
    options.token_file.clone_from(&args.token_file);
    let listener = HttpListener::bind(address, &options);
    let listener = listener.map_err(|error| Problem::mistake(error.to_string()))?;
    Ok(Some((listener, options)))
}

/// The options of HTTP from the file; the defaults, where it says nothing.
fn http_options(rules: &HttpRules, principals: &BTreeMap<String, PrincipalRules>) -> HttpOptions {
    let mut options = HttpOptions::default();
    options.allow_origins.clone_from(&rules.allow_origins);
    options.allow_hosts.clone_from(&rules.allow_hosts);
    if let Some(bytes) = rules.max_body {
        options.max_body = usize::try_from(bytes).unwrap_or(usize::MAX);
    }
    for (said, timeout) in [
        (rules.header_timeout, &mut options.header_timeout),
        (rules.body_timeout, &mut options.body_timeout),
        (rules.write_timeout, &mut options.write_timeout),
        (rules.idle_timeout, &mut options.idle_timeout),
        (rules.session_timeout, &mut options.session_timeout),
        (rules.end_timeout, &mut options.end_timeout),
    ] {
        *timeout = said.unwrap_or(*timeout);
    }
    for (said, caps) in [
        (&rules.in_all, &mut options.caps),
        (&rules.per_principal, &mut options.principal_caps),
    ] {
        set_caps(caps, said);
    }
    for (name, rules) in principals {
        let mut own = options.principal_caps;
        set_caps(&mut own, &rules.limits.http);
        options.own_caps.insert(name.clone(), own);
    }
    options
}

/// Takes over the caps that were said.
fn set_caps(caps: &mut Caps, said: &HttpCaps) {
    caps.connections = said.max_connections.unwrap_or(caps.connections);
    caps.sessions = said.max_sessions.unwrap_or(caps.sessions);
    caps.streams = said.max_streams.unwrap_or(caps.streams);
    caps.calls = said.max_calls.unwrap_or(caps.calls);
}

/// Says what this is to a person who started it by hand, and how a client is connected.
fn greet(name: &str) {
    output::note(&format!(
        "MCP server for {name}, waiting for a client on standard input"
    ));
    output::note("`charmer add` puts it into a client; Ctrl-C ends this");
}

fn went_wrong() -> Problem {
    Problem::failed("reading the programs went wrong: a bug")
}

/// The programs that are to be read.
struct ProgramsToRead {
    programs: Vec<PathBuf>,
    refresh: bool,
    kept: Option<KeptList>,
    /// Tells what the first program tells of itself.
    teller: Teller,
}

/// The list that a client was given before the tools were together.
struct Foretold {
    listing: ToolList,
    /// Searches are answered as well.
    search: bool,
}

impl ProgramsToRead {
    /// Keeps the list for the next start.
    fn keep_list(&self, offer: &ServedOffer) {
        if let Some(kept) = &self.kept {
            offer.keep(kept);
        }
    }
}

/// Reads the programs beside the server, on threads of its own, and hands over the tools as they become known. Fails if
/// there is nothing to serve.
fn walk(
    assembler: &Arc<Assembler>,
    reading: &Arc<ProgramsToRead>,
    offer: &ServedOffer,
    stop: &CancellationToken,
) -> Result<(), Problem> {
    // Before there is a runtime: this is all that a client waits for at a warm start.
    let kept = reading.kept.as_ref().filter(|_| !reading.refresh);
    let shown_early = kept.and_then(KeptList::load);
    if let Some(listing) = &shown_early {
        offer.show_early(listing.clone());
        let kept = reading.programs.first();
        let kept = kept.and_then(|path| kept_introduction(path));
        reading.teller.tell(kept.unwrap_or_default());
        runtime::wait(async {
            tokio::select! {
                () = offer.asked() => {}
                () = stop.cancelled() => {}
            }
        });
    }
    // Much sooner at hand than the tools: whoever searches right after the list does not wait for all of them.
    let search = match (&shown_early, kept) {
        (Some(_), Some(kept)) if !stop.is_cancelled() => kept.load_search(),
        _ => None,
    };
    let shown_early = shown_early.map(|listing| Foretold {
        listing,
        search: search.is_some(),
    });
    if let Some(search) = search {
        offer.search_early(search);
    }
    // An index is listed alike whatever is found.
    if shown_early.is_none() && assembler.exposure().mode == Expose::Index {
        list_early(assembler, offer);
    }
    let runtime = runtime::new()?;
    // On the threads that read: memory that they let go of is theirs to use again.
    let task = runtime.spawn({
        let (assembler, reading, offer) =
            (Arc::clone(assembler), Arc::clone(reading), offer.clone());
        async move { read_or_check(&assembler, &reading, shown_early.as_ref(), &offer).await }
    });
    let done = runtime.block_on(async {
        tokio::select! {
            biased;
            () = stop.cancelled() => None,
            // Before the first program runs: the server itself begins to listen only when it has greeted its client.
            () = ended_by_signal() => {
                stop.cancel();
                None
            }
            read = task => Some(read.unwrap_or_else(|_| Err(went_wrong()))),
        }
    });
    // Whoever stops the server ends the programs, and waits for no parser.
    runtime.shutdown_background();
    let missing = match done {
        Some(missing) => missing?,
        None => return Ok(()),
    };
    follow(assembler, offer, reading.kept.as_ref(), missing, stop)
}

/// Lists what needs no reading: a client that starts a server for the first time may not wait for more.
fn list_early(assembler: &Assembler, offer: &ServedOffer) {
    if let Some(listing) = assembler.early_listing() {
        offer.show_early(listing);
    }
}

async fn read_or_check(
    assembler: &Assembler,
    reading: &ProgramsToRead,
    shown_early: Option<&Foretold>,
    offer: &ServedOffer,
) -> Result<MissingReading, Problem> {
    let ProgramsToRead {
        programs,
        refresh,
        kept,
        teller,
    } = reading;
    let mut starts: Vec<Start> = programs
        .iter()
        .map(|path| Start::with_what_is_known(path, *refresh))
        .collect();
    let known: Vec<_> = starts.iter().map(Start::known).collect();
    if let Some(found) = known.first().copied().flatten() {
        teller.tell(Introduction::of(found));
    }
    if known.iter().any(Option::is_none) {
        if shown_early.is_none() && assembler.exposure().mode == Expose::Auto {
            list_early(assembler, offer);
        }
        return read_all(assembler, starts, offer, reading).await;
    }
    for (start, watched) in starts.iter().zip(assembler.watched().iter()) {
        watched.stands_on(start.footing());
    }
    let is_whole = known.iter().flatten().all(|found| found.complete);
    let known = starts.iter_mut().map(Start::give_away);
    let known: Vec<_> = known.map(|known| known.map(Cow::Owned)).collect();
    let assembled = block_in_place(|| assembler.assemble_from(known))?;
    assembled.warn();
    offer.replace(assembled.tools);
    offer.asked().await;
    if let Some(kept) = kept.as_ref().filter(|_| is_whole) {
        match shown_early {
            Some(shown_early) if shown_early.listing == offer.listing() => {
                if !shown_early.search {
                    offer.keep_search(kept);
                }
            }
            _ => offer.keep(kept),
        }
    }
    check(assembler, starts, offer).await
}

/// Asks programs that were known from the last time whether they are still what they were: a new version, other plugins
/// or another toolchain show. Those that are not are read again.
async fn check(
    assembler: &Assembler,
    starts: Vec<Start>,
    offer: &ServedOffer,
) -> Result<MissingReading, Problem> {
    let mut tasks = Vec::new();
    for (start, watched) in starts.iter().zip(assembler.watched().iter()) {
        let holds = start.still_holds().await;
        if !holds {
            output::note(&start.has_changed());
            watched.outdate();
        }
        tasks.push(match holds {
            true => Task::Keep,
            false => Task::Read,
        });
    }
    if !tasks.contains(&Task::Read) {
        let known: Vec<_> = starts.into_iter().map(Start::into_known).collect();
        return Ok(MissingReading::of(&known));
    }
    // A large model is not held twice.
    drop(starts);
    read_again(assembler, offer, &tasks).await
}

async fn read_all(
    assembler: &Assembler,
    starts: Vec<Start>,
    offer: &ServedOffer,
    reading: &ProgramsToRead,
) -> Result<MissingReading, Problem> {
    // From the beginning: what is offered while it is being read is of what it was before.
    for (start, watched) in starts.iter().zip(assembler.watched().iter()) {
        watched.stands_on(start.footing());
    }
    let starts = Arc::new(starts);
    let mut found: Vec<Option<Discovery>> = vec![None; starts.len()];
    let mut walks = JoinSet::new();
    for (at, start) in starts.iter().enumerate() {
        let finish = start.finish();
        walks.spawn(async move { (at, finish.await) });
    }
    let (asked, teller) = (Arc::clone(&starts), reading.teller.clone());
    tokio::spawn(async move {
        if let Some(first) = asked.first() {
            teller.tell(first.introduction().await);
        }
    });
    let mut ticks = tokio::time::interval(GROWTH);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut shown = 0;
    let mut failures = Vec::new();
    loop {
        tokio::select! {
            done = walks.join_next() => match done {
                Some(Ok((at, Ok(discovery)))) => {
                    if let Some(watched) = assembler.watched().iter().nth(at) {
                        watched.stands_on(starts[at].footing());
                    }
                    found[at] = Some(discovery);
                }
                Some(Ok((at, Err(problem)))) => {
                    if let Some(watched) = assembler.watched().iter().nth(at) {
                        watched.is_lost(starts[at].footing(), problem.to_string());
                    }
                    failures.push(problem);
                }
                Some(Err(_)) => output::warn("reading a program went wrong: this is a bug"),
                None => break,
            },
            _ = ticks.tick() => {
                let unread = found.iter().zip(&*starts).filter(|(found, _)| found.is_none());
                let progress_words: Vec<String> = unread.map(|(_, start)| start.progress_words()).collect();
                offer.reading(format!("reading {}", progress_words.join(", ")));
                let read = starts.iter().map(|start| start.progress().0).sum();
                let enough = match shown {
                    ..SMALL => shown,
                    SMALL..LARGE => shown + shown / 2,
                    _ => usize::MAX,
                };
                if read > enough {
                    shown = read;
                    let so_far: Vec<_> = found
                        .iter()
                        .zip(&*starts)
                        .map(|(found, start)| found.clone().or_else(|| start.so_far()))
                        .collect();
                    // What the file says may not be there yet; whether it is at all shows at the end.
                    let assembled = block_in_place(|| assembler.assemble(&so_far));
                    drop(so_far);
                    if let Ok(assembled) = assembled {
                        offer.grow(assembled.tools);
                    }
                }
            }
        }
    }
    // What was learnt on the way is not needed any more.
    drop(starts);
    // Spells are worth serving by themselves.
    if found.iter().all(Option::is_none) && assembler.spells.is_none() {
        let last = failures.pop();
        failures.iter().for_each(output::fail);
        return Err(last.unwrap_or_else(|| Problem::failed("no program could be read")));
    }
    failures.iter().for_each(output::fail);
    let missing = MissingReading::of(&found);
    let is_whole = |found: &Option<Discovery>| found.as_ref().is_some_and(|it| it.complete);
    let all_whole = found.iter().all(is_whole);
    // The tools take the place of what they were made from.
    let found = found.into_iter().map(|found| found.map(Cow::Owned));
    let assembled = block_in_place(|| assembler.assemble_from(found.collect()))?;
    assembled.warn();
    offer.replace(assembled.tools);
    if all_whole {
        reading.keep_list(offer);
    }
    Ok(missing)
}

/// Prints the entry in the shape that most clients share.
fn print_config(args: &ServedArgs, settings: &Settings) -> Result<ExitCode, Problem> {
    let entry = entry(args, settings, &EntrySurroundings::here()?);
    output::print_raw(clients::common_shape(&entry).as_bytes())?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_says_nothing_has_the_defaults_of_the_server() {
        let said = http_options(&HttpRules::defaults(), &BTreeMap::new());
        assert_eq!(format!("{said:?}"), format!("{:?}", HttpOptions::default()));
    }
}
