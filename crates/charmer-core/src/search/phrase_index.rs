//! The phrases by which people ask for the tools served, and how well a question says one of them: those that commands
//! bring with them, and those of [`common_phrases`](super::common_phrases).

use std::{
    collections::{HashMap, hash_map::Entry},
    ops::Range,
};

use serde::{Deserialize, Serialize};

use super::{
    common_phrases,
    document::SearchedTool,
    query::Query,
    reader::StemReader,
    vocabulary::{QuickMap, Term},
};

/// A word that few phrases have is worth this, one that all have nearly nothing.
const RAREST: f32 = 1.0;
const COMMONEST: f32 = 0.05;

/// Questions say more than they need to, and phrases too; this is how little is asked of the phrase.
const OF_PHRASE: f32 = 0.8;
/// The sum of rare words said of a phrase at which it has half of its worth: one common word is hardly worth anything.
const HALF: f32 = 2.5;
/// The share that the second phrase of a command counts.
const SECOND: f32 = 0.4;

/// Phrases that belong together.
#[derive(Debug, PartialEq, Eq, Hash)]
enum PhraseList {
    /// A line of the table.
    General(common_phrases::PhraseLine),
    /// The phrases that a command brings with it.
    Own(Vec<String>),
}

/// A phrase that has a word, and how much the word is of it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct WordPlace {
    phrase: u32,
    weight: f32,
}

/// Phrases, ready to be compared with questions.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct PhraseIndex {
    places: QuickMap<Term, Vec<WordPlace>>,
    rarity: QuickMap<Term, f32>,
    /// For each phrase how much its words weigh together, and its list.
    phrases: Vec<(f32, u32)>,
    /// For each list of phrases the tools that it holds for.
    tools: Vec<Vec<u32>>,
}

/// The match of a question with a tool's best phrase, from 0 to 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct PhraseMatch {
    pub(super) at: u32,
    pub(super) share: f32,
}

/// The words of phrases that say something by themselves.
fn telling(phrases: &[Vec<(Term, f32)>]) -> impl Iterator<Item = Term> {
    let terms = phrases.iter().flatten();
    terms
        .filter(|(_, weight)| *weight > 0.3)
        .map(|(term, _)| *term)
}

impl PhraseIndex {
    /// Reads the phrases that hold for these tools.
    pub(super) fn new(
        documents: &mut [SearchedTool],
        programs: &[String],
        reader: &mut StemReader<'_>,
    ) -> Self {
        let mut phrase_index = Self::default();
        // Each list is read once, also where several commands are asked for alike.
        let mut known: HashMap<PhraseList, (u32, Range<usize>)> = HashMap::new();
        let mut words: Vec<Vec<(Term, f32)>> = Vec::new();
        for (at, document) in (0..).zip(&mut *documents) {
            let own = std::mem::take(&mut document.phrases);
            let general = common_phrases::of(document)
                .into_iter()
                .map(PhraseList::General);
            let own = (!own.is_empty()).then_some(PhraseList::Own(own));
            for list in general.chain(own) {
                let (place, range) = match known.entry(list) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(new) => {
                        let place = phrase_index.tools.len() as u32;
                        phrase_index.tools.push(Vec::new());
                        let from = words.len();
                        let mut read =
                            |phrase: &str| words.push(reader.read_phrase(phrase, programs));
                        match new.key() {
                            PhraseList::General(line) => {
                                common_phrases::phrases(*line).for_each(read)
                            }
                            PhraseList::Own(phrases) => {
                                phrases.iter().for_each(|phrase| read(phrase))
                            }
                        }
                        phrase_index.phrases.resize(words.len(), (0.0, place));
                        new.insert((place, from..words.len()))
                    }
                };
                phrase_index.tools[*place as usize].push(at);
                document.said.plain.extend(telling(&words[range.clone()]));
            }
        }
        let mut having: QuickMap<Term, f32> = QuickMap::default();
        for (term, _) in words.iter().flatten() {
            *having.entry(*term).or_default() += 1.0;
        }
        let all = words.len().max(1) as f32;
        let most = (1.0 + all / 4.0).ln();
        for (term, having) in having {
            let rarity = (1.0 + all / (having + 3.0)).ln() / most;
            phrase_index
                .rarity
                .insert(term, rarity.clamp(COMMONEST, RAREST));
        }
        for (phrase, words) in (0..).zip(words) {
            for (term, share) in words {
                let weight = share * phrase_index.rarity[&term];
                phrase_index.phrases[phrase as usize].0 += weight;
                phrase_index
                    .places
                    .entry(term)
                    .or_default()
                    .push(WordPlace { phrase, weight });
            }
        }
        phrase_index
    }

    /// Returns true if some phrase has a word.
    pub(super) fn knows(&self, term: Term) -> bool {
        self.places.contains_key(&term)
    }

    /// The rarity of a word among the phrases, if they have it.
    pub(super) fn rarity(&self, term: Term) -> Option<f32> {
        self.rarity.get(&term).copied()
    }

    /// The tools of whose phrases a question says something, each once.
    pub(super) fn said(&self, query: &Query) -> Vec<PhraseMatch> {
        let mut asked = vec![0.0f32; self.phrases.len()];
        let mut told = vec![0.0f32; self.phrases.len()];
        let mut best = vec![(0.0f32, 0.0f32); self.phrases.len()];
        let mut touched: Vec<u32> = Vec::new();
        let mut reached: Vec<u32> = Vec::new();
        let mut total = 0.0;
        for said in &query.said {
            total += said.weight;
            for (term, near) in &said.any_of {
                for place in self.places.get(term).into_iter().flatten() {
                    let best = &mut best[place.phrase as usize];
                    if best.0 == 0.0 {
                        touched.push(place.phrase);
                    }
                    if *near > best.0 {
                        *best = (*near, place.weight);
                    }
                }
            }
            for phrase in touched.drain(..) {
                let at = phrase as usize;
                let (near, weight) = std::mem::take(&mut best[at]);
                if asked[at] == 0.0 {
                    reached.push(phrase);
                }
                asked[at] += said.weight * near;
                told[at] += weight * near;
            }
        }
        let mut by_list = vec![(0.0f32, 0.0f32); self.tools.len()];
        for phrase in reached {
            let (whole, list) = self.phrases[phrase as usize];
            let of_question = (asked[phrase as usize] / total).min(1.0);
            let of_phrase = (told[phrase as usize] / whole).min(1.0);
            let evidence = told[phrase as usize].min(whole);
            let share = of_question * of_phrase.powf(OF_PHRASE) * evidence / (evidence + HALF);
            let best = &mut by_list[list as usize];
            if share > best.0 {
                *best = (share, best.0);
            } else {
                best.1 = best.1.max(share);
            }
        }
        let mut by_tool: Vec<PhraseMatch> = Vec::new();
        for (tools, (best, second)) in self.tools.iter().zip(by_list) {
            let share = best + SECOND * second;
            if share > 0.0 {
                by_tool.extend(tools.iter().map(|at| PhraseMatch { at: *at, share }));
            }
        }
        by_tool.sort_unstable_by(|a, b| a.at.cmp(&b.at).then(b.share.total_cmp(&a.share)));
        by_tool.dedup_by_key(|said| said.at);
        by_tool
    }
}
