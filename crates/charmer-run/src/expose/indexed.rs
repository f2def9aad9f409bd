//! Commands that are found by searching: the tools that stand for all commands, and beside them as many commands as tools
//! of their own as the budget buys.

use std::sync::Arc;

use charmer_core::{
    expose::{Expose, MOST_TOOLS, ShownBecause, ToolCandidate, Visibility, place},
    tool::{Descriptions, LEAN_TOKENS, Tool, compact, estimate_tokens, lean},
};
use tokio_util::sync::CancellationToken;

use crate::{Results, ServedTool, ShownTool, ToolSet, excluded::ExcludedCommands};

use super::{
    Exposed, Exposure, KeptSearch, Shown, commands::Commands, describe, search, without_output,
};

/// The tokens of the shortest definition.
const LEAST_TOKENS: usize = 30;
/// The tokens of what stands around the tools in a list.
const FRAME: usize = 8;

impl Exposure {
    /// The tool `search_commands` alone, which answers from what was kept: for a server that has not put its tools together
    /// yet, and knows that they are what they were.
    pub fn searching(&self, kept: KeptSearch<'static>) -> ToolSet {
        let programs: Vec<&str> = self.programs.iter().map(String::as_str).collect();
        let tool = search::kept_tool(kept, &programs, &self.shared);
        self.with_results(ToolSet::new([tool]))
            .behind(self.shared.clone())
    }

    /// Each command a tool of its own, if that is within the budget: with all that is known of it, or else in short.
    pub(super) fn whole(&self, tools: &ToolSet) -> Option<Exposed> {
        if tools
            .listed()
            .any(|served| served.visibility == Visibility::Hide)
        {
            return None;
        }
        let ways = match self.descriptions {
            Some(one) => vec![one],
            None => vec![Descriptions::Full, Descriptions::Short],
        };
        // Thousands of tools never fit, and need not be written to see that.
        let most = self.budget / LEAST_TOKENS;
        if tools.listed().nth(most.min(MOST_TOOLS)).is_some() {
            return None;
        }
        ways.into_iter()
            .find_map(|descriptions| {
                let exposed = self.all(tools.clone(), descriptions);
                let listed = exposed.tools.listed();
                let drafts = self.ruled_drafts();
                let listed = listed.chain(&drafts);
                let sum: usize = listed.map(|served| tokens(served.shown())).sum();
                (self.spent + FRAME + sum <= self.room()).then_some(exposed)
            })
            .map(|exposed| self.with_unlisted_meta(exposed, tools.excluded().clone()))
    }

    /// Adds the tools that stand for all commands, unlisted: the list that a client got before the commands were known
    /// has them, and not every client asks for another.
    fn with_unlisted_meta(&self, mut exposed: Exposed, excluded: ExcludedCommands) -> Exposed {
        let all: Vec<ServedTool> = exposed.tools.iter().cloned().collect();
        let parts = all.iter().cloned();
        let parts = parts.partition(|served| served.hidden_until.is_none());
        let commands = Commands::new(parts, excluded, self);
        let meta = commands.meta_tools().into_iter();
        let meta = meta.map(|tool| tool.hidden_until(CancellationToken::new()));
        let drafts = self.ruled_drafts();
        exposed.tools = ToolSet::new(all.into_iter().chain(drafts).chain(meta));
        exposed
    }

    /// A few tools for all commands, and as many commands as tools of their own as the budget buys.
    pub(super) fn indexed(&self, tools: ToolSet) -> Exposed {
        let descriptions = self.descriptions.unwrap_or(Descriptions::Short);
        let excluded = tools.excluded().clone();
        let all: Vec<ServedTool> = tools.iter().cloned().collect();
        let (standing, aside): (Vec<ServedTool>, Vec<ServedTool>) = all
            .into_iter()
            .partition(|served| served.hidden_until.is_none());
        let commands = Commands::new((standing, aside.clone()), excluded, self);
        let meta: Vec<ServedTool> = commands.meta_tools();
        let listed = || meta.iter().filter(|served| served.hidden_until.is_none());
        let cost: usize = listed().map(|served| tokens(served.shown())).sum();
        let spent = self.spent + FRAME + cost;
        let budget = match self.mode {
            Expose::Index => 0,
            _ if self.growing => 0,
            _ => self.room().saturating_sub(spent),
        };
        let most = MOST_TOOLS.saturating_sub(listed().count());
        let placed = self.placed(&commands, descriptions, budget, most);

        let mut exposed = Exposed {
            descriptions,
            meta: listed().map(|served| Arc::clone(&served.tool)).collect(),
            ..Exposed::default()
        };
        let mut shown = meta;
        for (served, (place, shown_as)) in commands.tools.iter().zip(placed) {
            let mut served = served.clone();
            served.shown = shown_as;
            if !place.is_own() {
                let promotions = self
                    .promotions
                    .as_ref()
                    .filter(|_| place != ShownBecause::Hidden);
                let token = promotions.map(|p| p.token(served.tool.name.as_str()));
                served = served.found_by_search(token.unwrap_or_default());
            }
            exposed.commands.push(Shown {
                tool: Arc::clone(&served.tool),
                place,
            });
            shown.push(served);
        }
        exposed.tools = ToolSet::new(shown.into_iter().chain(aside));
        exposed.searched = Some(commands);
        exposed
    }

    /// The part of the budget that can be spent going by estimates, which may be a little too low.
    fn room(&self) -> usize {
        self.budget - self.budget / 50
    }

    /// The place where each command is shown, and its definition in the form that is listed if it may be.
    fn placed(
        &self,
        commands: &Commands,
        descriptions: Descriptions,
        budget: usize,
        most: usize,
    ) -> Vec<(ShownBecause, Option<ShownTool>)> {
        let candidates: Vec<ToolCandidate<'_>> = commands
            .tools
            .iter()
            .map(|served| ToolCandidate::new(&served.tool).visibility(served.visibility))
            .collect();
        let mut forms: Vec<Option<Tool>> = vec![None; candidates.len()];
        let form = ToolForm {
            descriptions,
            results: self.results,
            mode: self.mode,
        };
        let places = place(&candidates, budget, most, |at| {
            let form = forms[at].insert(form.of(&commands.tools[at].tool));
            tokens(form)
        });
        let listed = places.into_iter().zip(forms).zip(&commands.tools);
        listed
            .map(|((place, known), served)| {
                // What is not listed may become a tool of its own later.
                let wanted = place.is_own() || self.promotions.is_some();
                let tool = Arc::clone(&served.tool);
                let later = || ShownTool::new(move || form.of(&tool));
                let known = known.filter(|_| place.is_own()).map(ShownTool::from);
                (place, wanted.then(|| known.unwrap_or_else(later)))
            })
            .collect()
    }
}

/// The form in which a command is listed beside the tools that stand for all.
#[derive(Debug, Clone, Copy)]
struct ToolForm {
    descriptions: Descriptions,
    results: Results,
    mode: Expose,
}

impl ToolForm {
    fn of(self, tool: &Tool) -> Tool {
        let form = compact(tool, self.descriptions, true);
        let form = without_output(self.results, self.mode, &form).unwrap_or(form);
        // What people use most often has the most flags; a list has room for those that are used.
        match tokens(&form) > LEAN_TOKENS {
            true => lean(tool, &form, describe::NAME).unwrap_or(form),
            false => form,
        }
    }
}

/// The number of tokens of a definition in a list.
pub(super) fn tokens(tool: &Tool) -> usize {
    // And the comma behind it.
    estimate_tokens(&tool.definition().to_string()) + 1
}
