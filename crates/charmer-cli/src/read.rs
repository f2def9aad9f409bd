//! Programs read into the model: what was kept from the last time, or else a walk through their help.

use std::path::Path;

use charmer_discover::{
    DiscoverError, DiscoverOptions, Discoverer, Discovery,
    probe::{ProbeOptions, ShimCommand},
};
use tokio::task::JoinSet;

use crate::{problem::Problem, progress, settings::Program};

/// The hidden subcommand that takes its own rights away and then becomes the program that is read.
pub(crate) const PROBE: &str = "__probe";

/// How the reading of a program begins.
pub(crate) enum Start {
    /// Everything is known from the last time.
    #[expect(dead_code, reason = "nothing is kept yet; the cache makes it")]
    Known(Box<Discovery>),
    /// It has to be asked.
    Walk(Discoverer),
}

impl Start {
    /// Looks up what is known of a program, without starting it. The cache's place: `refresh` passes it by.
    pub(crate) fn new(program: &Path, _refresh: bool) -> Self {
        Self::Walk(Discoverer::new(program, options()))
    }

    /// What is known before anything is started.
    pub(crate) fn known(&self) -> Option<&Discovery> {
        match self {
            Self::Known(found) => Some(found),
            Self::Walk(_) => None,
        }
    }

    /// What is known by now.
    pub(crate) fn so_far(&self) -> Option<Discovery> {
        match self {
            Self::Known(found) => Some((**found).clone()),
            Self::Walk(walk) => walk.so_far(),
        }
    }

    /// How many commands have been read, and how many are known of.
    pub(crate) fn progress(&self) -> (usize, usize) {
        match self {
            Self::Known(_) => (0, 0),
            Self::Walk(walk) => walk.progress(),
        }
    }

    /// Reads the program to the end.
    pub(crate) fn finish(&self) -> impl Future<Output = Result<Discovery, Problem>> + Send + use<> {
        let step = match self {
            Self::Known(found) => Ok((**found).clone()),
            Self::Walk(walk) => Err(walk.clone()),
        };
        async move {
            match step {
                Ok(found) => Ok(found),
                // What is found is kept here for the next time.
                Err(walk) => walk.run().await.map_err(|error| unreadable(&error)),
            }
        }
    }
}

fn options() -> DiscoverOptions {
    let mut options = DiscoverOptions::default();
    let mut probe = ProbeOptions::default();
    probe.shim = std::env::current_exe().ok().map(|program| ShimCommand {
        program,
        args: vec![PROBE.into()],
    });
    options.probe = probe;
    options
}

fn unreadable(error: &DiscoverError) -> Problem {
    let problem = Problem::failed(error.to_string());
    match error {
        DiscoverError::NotStarted { .. } => {
            problem.hint("try to run it yourself; if it works there, tell us how it is started")
        }
        DiscoverError::NoHelp { program, .. } => problem.hint(format!(
            "see what `{} --help` prints; a program without help cannot be read",
            program.display()
        )),
        _ => problem,
    }
}

/// Reads programs, all at once, with a progress bar for whoever watches.
pub(crate) async fn read(programs: &[Program], refresh: bool) -> Result<Vec<Discovery>, Problem> {
    let starts: Vec<(String, Start)> = programs
        .iter()
        .map(|program| (program.name(), Start::new(&program.path, refresh)))
        .collect();
    let work = async {
        let mut walks = JoinSet::new();
        for (at, (_, start)) in starts.iter().enumerate() {
            let finish = start.finish();
            walks.spawn(async move { (at, finish.await) });
        }
        let mut found: Vec<Option<Discovery>> = vec![None; starts.len()];
        while let Some(done) = walks.join_next().await {
            let (at, discovery) =
                done.map_err(|_| Problem::failed("reading a program went wrong: this is a bug"))?;
            found[at] = Some(discovery?);
        }
        Ok(found.into_iter().flatten().collect())
    };
    tokio::select! {
        found = work => found,
        () = progress::show(&starts) => unreachable!("the progress bar is shown until the work is done"),
    }
}
