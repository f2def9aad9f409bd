//! Programs that change while they are served: noticed, read again, and handed to the server as new tools.

use std::{path::Path, time::Duration};

use charmer_discover::{Discovery, Hold};
use tokio_util::sync::CancellationToken;

use crate::{
    assemble::Assembler, commands::offer::Offer, kept_list::KeptList, output, problem::Problem,
    programs, read, read::Start, runtime,
};

/// How often the files of the programs are looked at. A change is to be noticed within ten seconds.
const PACE: Duration = Duration::from_secs(4);
/// How long the files of a program must have been the same before it is read: installers take a moment.
const QUIET: Duration = Duration::from_millis(300);
/// How often that is tried. A program whose files never rest is read all the same, and again afterwards.
const TRIES: usize = 20;

/// Follows the programs until the server stops.
pub(crate) fn follow(
    assembler: &Assembler,
    offer: &Offer,
    kept: Option<&KeptList>,
    stop: &CancellationToken,
) -> Result<(), Problem> {
    if assembler.programs().is_empty() {
        return Ok(());
    }
    // One thread that sleeps: the threads for reading are there only while something is read.
    let idle = runtime::idle()?;
    loop {
        idle.block_on(async {
            tokio::select! {
                () = stop.cancelled() => {}
                () = assembler.watched().met_a_change() => {}
                () = tokio::time::sleep(PACE) => {}
            }
        });
        if stop.is_cancelled() {
            return Ok(());
        }
        let changed = changed(assembler, offer);
        if !changed.iter().any(|changed| *changed) {
            continue;
        }
        let reading = runtime::new()?;
        let done = reading.block_on(async {
            tokio::select! {
                biased;
                () = stop.cancelled() => None,
                again = read_again(assembler, offer, &changed) => Some(again),
            }
        });
        reading.shutdown_background();
        match done {
            None => return Ok(()),
            Some(Err(problem)) => output::fail(&problem),
            Some(Ok(complete)) => {
                if let Some(kept) = kept.filter(|_| complete) {
                    kept.store(&offer.listing());
                }
            }
        }
    }
}

/// Which of the programs have changed. Their tools are not run from now on.
fn changed(assembler: &Assembler, offer: &Offer) -> Vec<bool> {
    let cache = read::cache_or_none();
    let mut changed = Vec::new();
    let mut touched = false;
    for (program, watched) in assembler.programs().iter().zip(assembler.watched().iter()) {
        let hold = watched.look(&cache);
        touched |= hold == Hold::Touched;
        if hold == Hold::Changed {
            watched.outdate();
            output::note(&read::changed(&program.path));
        }
        changed.push(hold == Hold::Changed);
    }
    if touched {
        // Calls that met a file under new marks wait to hear that it is the same.
        offer.look_again();
    }
    changed
}

/// Reads programs that have changed, and offers the tools of all. Says whether everything about them is known.
pub(crate) async fn read_again(
    assembler: &Assembler,
    offer: &Offer,
    changed: &[bool],
) -> Result<bool, Problem> {
    let mut found: Vec<Option<Discovery>> = Vec::new();
    let programs = assembler.programs().iter().zip(assembler.watched().iter());
    for ((program, watched), changed) in programs.zip(changed) {
        let path = &program.path;
        if !changed {
            found.push(Start::with_what_is_known(path, false).finish().await.ok());
            continue;
        }
        let name = programs::name(path);
        offer.reading(format!("reading {name}, which has changed"));
        at_rest(path).await;
        let start = Start::walk(path);
        found.push(match start.finish().await {
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
        });
    }
    let assembled = assembler.assemble(&found)?;
    assembled.warn();
    offer.replace(assembled.tools);
    Ok(found
        .iter()
        .all(|found| found.as_ref().is_some_and(|found| found.complete)))
}

/// Waits until nobody works on the files of a program.
async fn at_rest(program: &Path) {
    let cache = read::cache_or_none();
    for _ in 0..TRIES {
        let mut footing = cache.footing(program);
        tokio::time::sleep(QUIET).await;
        if program.exists() && cache.check(&mut footing) == Hold::Same {
            return;
        }
    }
}
