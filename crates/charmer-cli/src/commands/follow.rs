//! Programs while they are served: what changes is noticed, what is missing is asked for again, and both are handed to
//! the server as new tools.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use charmer_discover::{Discovery, Hold};
use tokio_util::sync::CancellationToken;

use crate::{
    assemble::Assembler,
    commands::offer::ServedOffer,
    kept_list::KeptList,
    output,
    problem::Problem,
    programs, read,
    read::{Start, TRIES},
    runtime,
};

/// The time between two looks at the files of the programs. A change is to be noticed within ten seconds.
const PACE: Duration = Duration::from_secs(4);
/// The time that the files of a program must have been the same before it is read: installers take a moment.
const QUIET: Duration = Duration::from_millis(300);
/// The number of times that is tried. A program whose files never rest is read all the same, and again afterwards.
const RESTS: usize = 20;
/// The pauses after which a running server asks again for what could not be read. A machine that was too busy for a
/// program at one moment may be so for a minute.
const AGAIN: [Duration; 3] = [
    Duration::from_secs(2),
    Duration::from_secs(20),
    Duration::from_secs(120),
];

/// A task that is due for a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Task {
    /// Nothing: what is known of it holds.
    Keep,
    /// It is to be read, because it is not what it was.
    Read,
    /// It is to be asked for what is missing, behind so many readings that were not complete.
    Complete(u32),
}

/// The programs that could not be read whole, with the number of readings before the last.
#[derive(Debug)]
pub(crate) struct MissingReading {
    tries: Vec<Option<u32>>,
    /// The number of times that it was asked for.
    round: usize,
    since: Instant,
}

impl MissingReading {
    /// The programs that these readings lack something of. Whoever could not be read at all is not asked until it
    /// changes.
    pub(crate) fn of(found: &[Option<Discovery>]) -> Self {
        let tries = found.iter().map(|found| {
            let found = found.as_ref().filter(|found| !found.complete)?;
            Some(found.tries)
        });
        Self {
            tries: tries.collect(),
            round: 0,
            since: Instant::now(),
        }
    }

    /// Whom to ask for what is missing next, once the pause is over. Each start asks once, however often others have.
    fn next(&self) -> impl Iterator<Item = Option<u32>> {
        let open = |tries: &u32| self.round == 0 || *tries < TRIES;
        let over = self.round == AGAIN.len();
        let tries = self.tries.iter();
        tries.map(move |tries| tries.filter(|tries| !over && open(tries)))
    }

    /// The time to wait for that; `None` where nobody is to be asked.
    fn pause(&self) -> Option<Duration> {
        self.next().any(|it| it.is_some()).then_some(())?;
        let pause = AGAIN.get(self.round)?;
        Some(pause.saturating_sub(self.since.elapsed()))
    }
}

/// Follows the programs until the server stops.
pub(crate) fn follow(
    assembler: &Assembler,
    offer: &ServedOffer,
    kept: Option<&KeptList>,
    mut missing: MissingReading,
    stop: &CancellationToken,
) -> Result<(), Problem> {
    if assembler.programs().is_empty() {
        return Ok(());
    }
    // One thread that sleeps: the threads for reading are there only while something is read.
    let idle = runtime::idle()?;
    loop {
        let pause = missing.pause().map_or(PACE, |pause| pause.min(PACE));
        idle.block_on(async {
            tokio::select! {
                () = stop.cancelled() => {}
                () = assembler.watched().met_a_change() => {}
                () = tokio::time::sleep(pause) => {}
            }
        });
        if stop.is_cancelled() {
            return Ok(());
        }
        let tasks = tasks(assembler, offer, &missing);
        if tasks.iter().all(|task| *task == Task::Keep) {
            continue;
        }
        let reading = runtime::new()?;
        let done = reading.block_on(async {
            tokio::select! {
                biased;
                () = stop.cancelled() => None,
                again = work(assembler, offer, tasks, &missing) => Some(again),
            }
        });
        reading.shutdown_background();
        match done {
            None => return Ok(()),
            Some(Err(problem)) => {
                output::fail(&problem);
                missing = MissingReading::of(&[]);
            }
            Some(Ok(still)) => {
                missing = still;
                let whole = missing.tries.iter().all(Option::is_none);
                if let Some(kept) = kept.filter(|_| whole) {
                    offer.keep(kept);
                }
            }
        }
    }
}

/// The tasks that are due now. The tools of a program that has changed are not run from now on.
fn tasks(assembler: &Assembler, offer: &ServedOffer, missing: &MissingReading) -> Vec<Task> {
    let cache = read::cache_or_none();
    let mut tasks = Vec::new();
    let mut touched = false;
    for (program, watched) in assembler.programs().iter().zip(assembler.watched().iter()) {
        let hold = watched.look(&cache);
        touched |= hold == Hold::Touched;
        tasks.push(match hold {
            // Commands that other programs add hold up no others.
            Hold::Plugins | Hold::Changed => {
                if hold == Hold::Changed {
                    watched.outdate();
                }
                output::note(&read::changed(&program.path));
                Task::Read
            }
            _ => Task::Keep,
        });
    }
    if touched {
        // Calls that met a file under new marks wait to hear that it is the same.
        offer.look_again();
    }
    if !tasks.contains(&Task::Read) && missing.pause() == Some(Duration::ZERO) {
        for (task, tries) in tasks.iter_mut().zip(missing.next()) {
            *task = tries.map_or(Task::Keep, Task::Complete);
        }
    }
    tasks
}

/// Does what is to be done. Asking for what is missing may take minutes, and is dropped as soon as a program changes.
async fn work(
    assembler: &Assembler,
    offer: &ServedOffer,
    mut tasks: Vec<Task>,
    missing: &MissingReading,
) -> Result<MissingReading, Problem> {
    if !tasks.contains(&Task::Read) {
        tokio::select! {
            biased;
            more = read_again(assembler, offer, &tasks) => {
                return Ok(MissingReading {
                    round: missing.round + 1,
                    ..more?
                });
            }
            () = one_has_changed(assembler, offer) => {}
        }
        tasks = self::tasks(assembler, offer, &MissingReading::of(&[]));
    }
    read_again(assembler, offer, &tasks).await
}

/// Waits until one of the programs is not what it was.
async fn one_has_changed(assembler: &Assembler, offer: &ServedOffer) {
    let cache = read::cache_or_none();
    loop {
        tokio::select! {
            () = assembler.watched().met_a_change() => {}
            () = tokio::time::sleep(PACE) => {}
        }
        let holds: Vec<Hold> = assembler
            .watched()
            .iter()
            .map(|it| it.look(&cache))
            .collect();
        if holds
            .iter()
            .any(|hold| matches!(hold, Hold::Plugins | Hold::Changed))
        {
            return;
        }
        if holds.contains(&Hold::Touched) {
            offer.look_again();
        }
    }
}

/// Reads programs that have changed, asks others for what is missing, and offers the tools of all.
pub(crate) async fn read_again(
    assembler: &Assembler,
    offer: &ServedOffer,
    tasks: &[Task],
) -> Result<MissingReading, Problem> {
    let mut found: Vec<Option<Discovery>> = Vec::new();
    let mut news = false;
    let programs = assembler.programs().iter().zip(assembler.watched().iter());
    for ((program, watched), task) in programs.zip(tasks) {
        let path = &program.path;
        let known = Start::with_what_is_known(path, false);
        found.push(match task {
            Task::Keep => known.finish().await.ok(),
            Task::Complete(tries) => {
                let start = Start::again(path, *tries);
                match start.finish().await {
                    Ok(more) => {
                        watched.stands_on(start.footing());
                        news |= more.complete || known.known().is_none_or(|it| it.cli != more.cli);
                        Some(more)
                    }
                    // Whoever does not answer at all now stays as it was.
                    Err(_) => known.into_known(),
                }
            }
            Task::Read => {
                news = true;
                let name = programs::name(path);
                offer.reading(format!("reading {name}, which has changed"));
                at_rest(path).await;
                let start = Start::walk(path);
                let new = start.finish().await;
                // Tools of what it was are not run any more, be it that only plugins have changed.
                watched.outdate();
                match new {
                    Ok(new) => {
                        watched.stands_on(start.footing());
                        Some(new)
                    }
                    Err(problem) => {
                        output::fail(&problem);
                        watched.is_lost(start.footing(), problem.to_string());
                        // Its tools stay listed; calls of them say what is wrong.
                        read::cache().and_then(|cache| cache.last_known(path))
                    }
                }
            }
        });
    }
    if news {
        let assembled = assembler.assemble(&found)?;
        assembled.warn();
        offer.replace(assembled.tools);
    }
    Ok(MissingReading::of(&found))
}

/// Waits until nobody works on the files of a program.
async fn at_rest(program: &Path) {
    let cache = read::cache_or_none();
    for _ in 0..RESTS {
        let mut footing = cache.footing(program);
        tokio::time::sleep(QUIET).await;
        if program.exists() && cache.check(&mut footing) == Hold::Same {
            return;
        }
    }
}
