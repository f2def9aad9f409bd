//! Which commands become tools of their own: within a budget of tokens, those most worth having.
//!
//! The rest is found, described and run through a few tools that stand for all. The choice is a pure function of the
//! tools and the options, so that it is the same at every start.

mod usefulness;

use serde::{Deserialize, Serialize};

use crate::tool::{LEAN_TOKENS, Tool};

use usefulness::usefulness_of_each;

/// The number of tokens that the list of tools may take, if nothing else is said.
pub const DEFAULT_BUDGET: usize = 4000;

/// The maximum number of tools in a list that was made within a budget: some clients take no more.
pub const MOST_TOOLS: usize = 40;

/// The divisor of the budget that bounds one definition, if it takes more than [`USUAL`].
const LARGEST: usize = 3;
const USUAL: usize = 400;
/// The tokens of a cheap definition, and the worth that each doubling costs: little, so that it decides between
/// commands that are worth the same.
const CHEAP: f64 = 64.0;
const PRICE: f64 = 0.1;
/// The share of the best one's worth below which a command is not listed only because there is room.
const LEAST_WORTH: f64 = 0.25;
/// The tokens of the shortest definition.
const LEAST: usize = 24;
/// The factor by which the guess at a definition may exceed what is left before it is not even written.
const FAR: usize = 3;
/// The number of misses in a row that end the search for a definition that fits: of ten thousand commands not all are
/// written to fill a small gap.
const MISSES: usize = 128;

/// The way a server shows its commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expose {
    /// Each command is a tool of its own.
    All,
    /// A few tools find, describe and run any command.
    Index,
    /// Within a budget, the commands most worth having are tools of their own; the rest as with `Index`.
    #[default]
    Auto,
}

/// A person's wish for the visibility of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Visibility {
    /// Nothing: whatever fits.
    #[default]
    Free,
    /// It is always a tool of its own.
    Pin,
    /// It is never a tool of its own.
    Hide,
}

/// A command that could be a tool of its own.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolCandidate<'t> {
    /// The tool that it would be.
    pub tool: &'t Tool,
    /// The visibility that a person wants for it.
    pub visibility: Visibility,
}

impl<'t> ToolCandidate<'t> {
    /// A tool that may be anywhere.
    pub fn new(tool: &'t Tool) -> Self {
        Self {
            tool,
            visibility: Visibility::Free,
        }
    }

    /// Sets what a person wants for it.
    #[must_use]
    pub fn visibility(mut self, visibility: Visibility) -> Self {
        self.visibility = visibility;
        self
    }
}

/// The reason why a command is shown as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ShownBecause {
    /// A tool of its own, because a person wants it to be.
    Pinned,
    /// A tool of its own.
    Own,
    /// Found through the others, because a person wants it so.
    Hidden,
    /// Found through the others.
    Found,
}

impl ShownBecause {
    /// Returns true if it is a tool of its own.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Pinned | Self::Own)
    }
}

/// Places the candidates within a budget of tokens, and at most so many in the list. Pinned ones are tools of their own whatever they cost; of the others
/// the most worthy are, one after the other, as long as they fit: what help puts first or calls common, is near the root,
/// has an everyday name, is used by examples, only reads, and costs little. `cost` says how many tokens a candidate's definition takes; it is asked for those only that come
/// into question.
///
/// ```
/// use charmer_core::{
///     expose::{ToolCandidate, ShownBecause, Visibility, place},
///     model::{Cli, Command, Syntax},
///     tool::{CatalogueOptions, catalogue},
/// };
///
/// let shop = Command::new("shop")
///     .not_runnable()
///     .command(Command::new("list").about("List the orders"))
///     .command(Command::new("audit").about("Audit the books"))
///     .command(Command::new("sell").about("Sell it"));
/// let tools = catalogue(&Cli::new(shop, Syntax::pflag()), &CatalogueOptions::default()).tools;
/// let candidates = [
///     ToolCandidate::new(&tools[0]),
///     ToolCandidate::new(&tools[1]),
///     ToolCandidate::new(&tools[2]).visibility(Visibility::Pin),
/// ];
/// assert_eq!(place(&candidates, 240, 40, |_| 60), [ShownBecause::Own, ShownBecause::Own, ShownBecause::Pinned]);
/// assert_eq!(place(&candidates, 179, 40, |_| 60), [ShownBecause::Own, ShownBecause::Found, ShownBecause::Pinned]);
/// ```
pub fn place(
    candidates: &[ToolCandidate<'_>],
    budget: usize,
    most: usize,
    mut cost: impl FnMut(usize) -> usize,
) -> Vec<ShownBecause> {
    let mut places: Vec<ShownBecause> = candidates
        .iter()
        .map(|candidate| match candidate.visibility {
            Visibility::Pin => ShownBecause::Pinned,
            Visibility::Hide => ShownBecause::Hidden,
            Visibility::Free => ShownBecause::Found,
        })
        .collect();
    let (mut count, mut spent) = (0, 0);
    for (at, _) in candidates
        .iter()
        .enumerate()
        .filter(|(_, c)| c.visibility == Visibility::Pin)
    {
        count += 1;
        spent += cost(at);
    }
    let mut misses = 0;
    for at in by_worth(candidates) {
        let left = budget.saturating_sub(spent);
        if count >= most || left < LEAST || misses == MISSES {
            break;
        }
        // What is far too long even in its leanest form need not be written to see that.
        if guess(candidates[at].tool).min(LEAN_TOKENS) > FAR * left {
            continue;
        }
        let tokens = cost(at);
        if tokens <= left.min(largest(budget)) {
            places[at] = ShownBecause::Own;
            spent += tokens;
            count += 1;
            misses = 0;
        } else {
            misses += 1;
        }
    }
    places
}

/// The most that one definition may take: one that takes most of the budget leaves nothing for the others.
fn largest(budget: usize) -> usize {
    (budget / LARGEST).max(USUAL)
}

/// The candidates that may be chosen, the most worthy for their price first.
fn by_worth(candidates: &[ToolCandidate<'_>]) -> Vec<usize> {
    let tools: Vec<&Tool> = candidates.iter().map(|candidate| candidate.tool).collect();
    let worths = usefulness_of_each(&tools);
    let best = worths.iter().copied().fold(0.0, f64::max);
    let mut free: Vec<(f64, usize)> = worths
        .into_iter()
        .enumerate()
        .filter(|&(at, usefulness)| {
            candidates[at].visibility == Visibility::Free && usefulness >= best * LEAST_WORTH
        })
        .map(|(at, usefulness)| {
            let price = (guess(candidates[at].tool) as f64 / CHEAP).log2();
            (usefulness - PRICE * price, at)
        })
        .collect();
    free.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
    free.into_iter().map(|(_, at)| at).collect()
}

/// About how many tokens a definition takes, going by its arguments.
fn guess(tool: &Tool) -> usize {
    let own = tool.input.levels.len().saturating_sub(1);
    let flags = tool.input.flags.iter().filter(|p| p.owner == own).count();
    30 + 16 * (flags + tool.input.positionals.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        model::{Cli, Command, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    proptest! {
        #[test]
        fn the_budget_holds_and_wishes_do(
            of in prop::collection::vec((0usize..500, 0u8..4), 1..80),
            budget in 0usize..6000,
        ) {
            let root = (0..of.len()).fold(Command::new("x"), |root, at| {
                root.command(Command::new(format!("c{at}")).about("Does it"))
            });
            let cli = Cli::new(root, Syntax::pflag());
            let tools = catalogue(&cli, &CatalogueOptions::default()).tools;
            let candidates: Vec<ToolCandidate<'_>> = tools
                .iter()
                .zip(&of)
                .map(|(tool, &(_, visibility))| {
                    let visibility = [Visibility::Free, Visibility::Free, Visibility::Pin, Visibility::Hide][usize::from(visibility)];
                    ToolCandidate::new(tool).visibility(visibility)
                })
                .collect();
            let cost = |at: usize| of[at].0;
            let places = place(&candidates, budget, MOST_TOOLS, cost);
            prop_assert_eq!(&places, &place(&candidates, budget, MOST_TOOLS, cost));
            let sum = |which: &dyn Fn(ShownBecause) -> bool| -> usize {
                let chosen = (0..of.len()).filter(|at| which(places[*at]));
                chosen.map(cost).sum()
            };
            let pinned = sum(&|place| place == ShownBecause::Pinned);
            prop_assert!(sum(&ShownBecause::is_own) <= budget.max(pinned));
            for (candidate, place) in candidates.iter().zip(&places) {
                match candidate.visibility {
                    Visibility::Pin => prop_assert_eq!(*place, ShownBecause::Pinned),
                    Visibility::Hide => prop_assert_eq!(*place, ShownBecause::Hidden),
                    Visibility::Free => prop_assert!(matches!(place, ShownBecause::Own | ShownBecause::Found)),
                }
            }
            // Nothing is left out that would have fit.
            let own = places.iter().filter(|place| place.is_own()).count();
            let left = budget.saturating_sub(sum(&ShownBecause::is_own));
            for (at, place) in places.iter().enumerate() {
                let possible = cost(at) <= largest(budget);
                if *place == ShownBecause::Found && possible && own < MOST_TOOLS && left >= LEAST {
                    prop_assert!(cost(at) > left);
                }
            }
        }
    }
}
