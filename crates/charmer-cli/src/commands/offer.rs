//! The offer of a running server: tools of programs, which are read beside it, and spells, which may change at any time.
//! Whoever changes last hands over everything, so that nothing of the other is lost.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use charmer_core::tool::Tool;
use charmer_run::{Exposed, KeptSearch, ToolSet};
use charmer_server::{ToolList, ToolsHandle};
use charmer_spells::{SpellProblem, Watch, watch};

use crate::{assemble::Assembler, kept_list::KeptList, output, spells};

/// Hands tools to a server. Clones speak for the same one.
#[derive(Clone)]
pub(crate) struct ServedOffer(Arc<OfferState>);

struct OfferState {
    assembler: Arc<Assembler>,
    tools: ToolsHandle,
    state: Mutex<OfferedNow>,
}

#[derive(Default)]
struct OfferedNow {
    programs: ToolSet,
    /// The programs have been read to the end.
    settled: bool,
    /// The spells' own tools that the server has.
    spells: Vec<Arc<Tool>>,
    /// The server's tools, if they are not going to change soon.
    exposed: Option<Exposed>,
    /// The problems of spells that were told already.
    told: HashSet<SpellProblem>,
}

impl ServedOffer {
    /// For a server whose programs are still to be read; the spells are offered at once.
    pub(crate) fn new(assembler: Arc<Assembler>, tools: ToolsHandle) -> Self {
        let offer = Self(Arc::new(OfferState {
            assembler,
            tools,
            state: Mutex::default(),
        }));
        offer.change(|_| false);
        offer
    }

    /// Waits until a client has been given a list of tools, or has called one.
    pub(crate) async fn asked(&self) {
        self.0.tools.asked().await;
    }

    /// The list of what is offered now.
    pub(crate) fn listing(&self) -> ToolList {
        self.0.tools.listing()
    }

    /// Answers with this list while the tools themselves are still to be put together.
    pub(crate) fn show_early(&self, listing: ToolList) {
        self.0.tools.show_early(listing);
    }

    /// Answers searches from what was kept, while the tools themselves are still to be put together.
    pub(crate) fn search_early(&self, kept: KeptSearch<'static>) {
        let tools = self.0.assembler.exposure().searching(kept);
        self.0.tools.call_early(tools);
    }

    /// Keeps the list of what is offered now, and what searches answer from, for the next start.
    pub(crate) fn keep(&self, kept: &KeptList) {
        kept.store(&self.listing());
        self.keep_search(kept);
    }

    /// Keeps what searches answer from.
    pub(crate) fn keep_search(&self, kept: &KeptList) {
        let state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(search) = state.exposed.as_ref().and_then(Exposed::kept_search) {
            kept.store_search(&search);
        }
    }

    /// Has calls that wait for a program look at it again.
    pub(crate) fn look_again(&self) {
        self.0.tools.look_again();
    }

    /// Says how far reading the programs is.
    pub(crate) fn reading(&self, progress_words: String) {
        self.0.tools.reading(progress_words);
    }

    /// These are the programs' tools, and more will come.
    pub(crate) fn grow(&self, programs: ToolSet) {
        self.change(|state| {
            state.programs = programs;
            true
        });
    }

    /// These are the programs' tools.
    pub(crate) fn replace(&self, programs: ToolSet) {
        self.change(|state| {
            state.programs = programs;
            state.settled = true;
            true
        });
    }

    /// Follows the folder of spells, if there is one, until what is returned is dropped.
    pub(crate) fn watch_spells(&self) -> Option<Watch> {
        let book = self.0.assembler.spells.as_ref()?;
        let offer = self.clone();
        watch(book, move |_| offer.change(|_| false))
            .inspect_err(|error| {
                output::warn(&format!(
                    "the folder of spells cannot be watched, so changes take effect only after a restart: {error}"
                ));
            })
            .ok()
    }

    /// Hands everything over if the programs' tools changed, which is what `change` says, or a spell did.
    fn change(&self, change: impl FnOnce(&mut OfferedNow) -> bool) {
        // Behind the handing over: the list does not wait for it.
        if let Some(all) = self.hand_over(change) {
            all.make_searchable();
        }
    }

    /// Returns what was handed over, if that is not going to change soon.
    fn hand_over(&self, change: impl FnOnce(&mut OfferedNow) -> bool) -> Option<Exposed> {
        let shared = &*self.0;
        // Held until the server has the tools: an older set must not come after a newer one.
        let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut changed = change(&mut state);
        let mut exposed = shared.assembler.offered(&state.programs, !state.settled);
        let all = std::mem::take(&mut exposed.tools);
        if let Some(book) = &shared.assembler.spells {
            let spells: Vec<Arc<Tool>> = book
                .spells()
                .iter()
                .filter_map(|spell| Some(Arc::clone(&all.get(&spell.name)?.tool)))
                .collect();
            // A spell that is loaded anew has a new tool; that a file is wrong by itself changes none.
            changed |= spells.len() != state.spells.len()
                || !spells
                    .iter()
                    .zip(&state.spells)
                    .all(|(a, b)| Arc::ptr_eq(a, b));
            state.spells = spells;
            let problems = book.problems();
            spells::warn_of(problems.iter().filter(|new| !state.told.contains(*new)));
            state.told = problems.into_iter().collect();
        }
        match (changed, state.settled) {
            (false, _) => return None,
            (true, true) => shared.tools.replace(all),
            (true, false) => shared.tools.grow(all),
        }
        state.exposed = state.settled.then_some(exposed);
        state.exposed.clone()
    }
}
