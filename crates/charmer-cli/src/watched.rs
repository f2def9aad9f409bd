//! The programs of a running server, watched: whether each is still what its tools were made from.
//!
//! Calls ask before they run, which costs a few `stat`s. Whoever follows the programs looks at everything now and then,
//! at once when a call has met a change, and reads again what is not the same any more.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use charmer_core::tool::Tool;
use charmer_discover::{Footing, Hold, cache::Cache};
use charmer_run::{Standing, StandingCheck};
use tokio::sync::Notify;

/// All of them, in their order. Clones share everything.
#[derive(Debug, Clone)]
pub(crate) struct WatchedPrograms(Arc<[Arc<WatchedProgram>]>);

/// One of them.
#[derive(Debug)]
pub(crate) struct WatchedProgram {
    state: Mutex<WatchState>,
    /// Tells whoever follows the programs that a call has met a change; one for all of them.
    met: Arc<Notify>,
}

#[derive(Debug, Default)]
struct WatchState {
    /// The footing that its newest model was made from; `None` as long as it has none.
    footing: Option<Footing>,
    /// Counts its models. Tools of an older one are not run.
    model: u64,
    /// The reason why there is no model of what it is now.
    lost: Option<String>,
}

impl WatchedPrograms {
    /// So many of them, none of which has been read.
    pub(crate) fn new(number: usize) -> Self {
        let met = Arc::new(Notify::new());
        let one = || WatchedProgram {
            state: Mutex::default(),
            met: Arc::clone(&met),
        };
        Self((0..number).map(|_| Arc::new(one())).collect())
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<WatchedProgram>> {
        self.0.iter()
    }

    /// Waits until a call meets a program that has changed. It never ends where there are none.
    pub(crate) async fn met_a_change(&self) {
        match self.0.first() {
            Some(program) => program.met.notified().await,
            None => std::future::pending().await,
        }
    }
}

impl WatchedProgram {
    fn state(&self) -> MutexGuard<'_, WatchState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The model of it that was made from this is the newest.
    pub(crate) fn stands_on(&self, footing: Footing) {
        let mut state = self.state();
        state.footing = Some(footing);
        state.lost = None;
    }

    /// There is no model of what it is now.
    pub(crate) fn is_lost(&self, footing: Footing, reason: String) {
        let mut state = self.state();
        state.footing = Some(footing);
        state.lost = Some(reason);
    }

    /// Its model is not that of what it is now, whatever its files look like.
    pub(crate) fn outdate(&self) {
        self.state().model += 1;
    }

    /// Compares everything with what its newest model was made from.
    pub(crate) fn look(&self, cache: &Cache) -> Hold {
        let (model, footing) = {
            let state = self.state();
            (state.model, state.footing.clone())
        };
        let Some(mut footing) = footing else {
            return Hold::Same;
        };
        // Not under the lock, because a large file may have to be read.
        let hold = cache.check(&mut footing);
        let mut state = self.state();
        if hold == Hold::Touched && state.model == model {
            state.footing = Some(footing);
        }
        hold
    }

    /// The check for a tool that is made from its model as it is now.
    pub(crate) fn check(self: &Arc<Self>, tool: &Arc<Tool>) -> StandingCheck {
        let (program, model) = (Arc::clone(self), self.state().model);
        let tool = Arc::clone(tool);
        StandingCheck::new(move || program.standing(model, tool.path.words()))
    }

    fn standing(&self, model: u64, command: &[String]) -> Standing {
        let state = self.state();
        let Some(footing) = &state.footing else {
            return Standing::Current;
        };
        if !footing.files_hold(command) {
            self.met.notify_one();
            return Standing::Changed;
        }
        match &state.lost {
            Some(reason) => Standing::Lost(reason.clone()),
            None if state.model != model => Standing::Changed,
            None => Standing::Current,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use charmer_core::{
        model::{Cli, Command, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;

    #[test]
    fn a_tool_stands_as_long_as_its_model_and_its_program_do() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("program");
        fs::write(&path, "one").expect("written");
        let cache = Cache::new(folder.path().join("cache"));
        let programs = WatchedPrograms::new(1);
        let program = programs.iter().next().expect("one");
        let cli = Cli::new(Command::new("program"), Syntax::pflag());
        let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
        let tool = tools.first().expect("one");
        let first = program.check(tool);
        assert_eq!(first.now(), Standing::Current, "nothing is known of it yet");
        let mut footing = cache.footing(&path);
        footing.seal();
        program.stands_on(footing);
        assert_eq!(first.now(), Standing::Current);

        // The same content elsewhere: only whoever reads it can tell.
        fs::write(folder.path().join("copy"), "one").expect("written");
        fs::rename(folder.path().join("copy"), &path).expect("moved");
        assert_eq!(first.now(), Standing::Changed);
        assert_eq!(program.look(&cache), Hold::Touched);
        assert_eq!(first.now(), Standing::Current);

        fs::write(&path, "another").expect("written");
        assert_eq!(first.now(), Standing::Changed);
        assert_eq!(program.look(&cache), Hold::Changed);
        program.outdate();
        program.stands_on(cache.footing(&path));
        assert_eq!(first.now(), Standing::Changed, "it is of the old model");
        let second = program.check(tool);
        assert_eq!(second.now(), Standing::Current);

        fs::remove_file(&path).expect("removed");
        program.outdate();
        program.is_lost(cache.footing(&path), "it is gone".into());
        assert_eq!(second.now(), Standing::Lost("it is gone".into()));
        fs::write(&path, "back").expect("written");
        assert_eq!(second.now(), Standing::Changed);
    }
}
