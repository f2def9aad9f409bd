//! From a question to the tools that answer it best.

use crate::model::Effect;

use super::{
    Hit,
    index::{Index, IndexedTool},
    intent::Intent,
    phrase_index::PhraseMatch,
    query::{Query, Unit},
    vocabulary::Term,
};

/// So many of the nearest are looked at more closely.
const CLOSER: usize = 120;
/// So many flags are named with a tool.
const MOST_FLAGS: usize = 4;
/// The worth of a phrase that is said in full, beside a command that has every word of the question.
const SAID: f32 = 1.0;
/// A question is worth at least this, or phrases would say nothing where no command has its words.
const LEAST_WHOLE: f32 = 0.8;
/// The share of that which is lost where a command's name and summary have every word of the question: what people say
/// is for those who say it in other words. It is lost by the fourth power of the share that they have, because a
/// question of which one word in five is missing may well be about something else.
const WORDS_SUFFICE: f32 = 0.9;

impl Index {
    /// The tools that answer a question best, at most so many, the best first. The question is a few words, a sentence
    /// or a command line; one that says nothing that is known here has no answer.
    pub fn search(&self, query: &str, limit: usize) -> Vec<Hit> {
        if limit == 0 || self.is_empty() {
            return Vec::new();
        }
        let query = Query::new(query, self);
        let said = self.phrase_index.said(&query);
        let (near, whole) = self.nearest(&query, &said);
        let known = self.known(&query);
        let by_words: Vec<(f32, u32)> = near
            .into_iter()
            .map(|(score, met, at)| (score * self.closer(&query, &known, met, at), at))
            .collect();
        let best = by_words.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let answered = best.map_or(0.0, |(_, at)| self.answered(&query, *at));
        let lacking = 1.0 - WORDS_SUFFICE * answered.powi(4);
        let mut ranked: Vec<(f32, u32)> = by_words
            .into_iter()
            .map(|(words, at)| {
                (
                    words + lacking * self.phrase_score(&query, &said, whole, at),
                    at,
                )
            })
            .collect();
        order(&mut ranked);
        let mut hits: Vec<Hit> = Vec::new();
        for (score, at) in ranked {
            let best = self.entries[at as usize].same_as.unwrap_or(at);
            if hits.iter().any(|hit| hit.at == best as usize) {
                continue;
            }
            hits.push(Hit {
                at: best as usize,
                score,
                flags: self.flags(&query, best),
                also: self.also.get(&best).cloned().unwrap_or_default(),
            });
            if hits.len() == limit {
                break;
            }
        }
        hits
    }

    /// The tools that have most of what is looked for: how much of it, which share of the question that is, and where.
    fn nearest(&self, query: &Query, said: &[PhraseMatch]) -> (Vec<(f32, f32, u32)>, f32) {
        let mut sums = vec![0.0f32; self.entries.len()];
        let mut met = vec![0.0f32; self.entries.len()];
        let mut best = vec![0.0f32; self.entries.len()];
        let mut touched: Vec<u32> = Vec::new();
        let mut total = 0.0;
        for unit in &query.units {
            let most = unit.most();
            if unit.counts {
                // What nothing here is about tells no tool from another.
                total += unit.weight * most;
            }
            for &(term, near) in &unit.any_of {
                for posting in self.postings(term) {
                    let at = posting.at as usize;
                    let value = near * posting.impact;
                    if best[at] == 0.0 {
                        touched.push(posting.at);
                    }
                    best[at] = best[at].max(value);
                }
            }
            for at in touched.drain(..) {
                let at = at as usize;
                sums[at] += unit.weight * best[at];
                if unit.counts {
                    // A word in a name, an alias or a summary answers its part in full: its impact, weight / (weight +
                    // 2), is above 1 / 2.2. A word in the rest of the help or in a flag answers it in part.
                    met[at] += unit.weight * (best[at] * 2.2).min(most);
                }
                best[at] = 0.0;
            }
        }
        for &at in query.exact.iter().chain(&query.begins) {
            // A command line is an answer even where none of its words is one that is weighed.
            sums[at as usize] = sums[at as usize].max(0.01);
        }
        if query.units.is_empty() {
            // Only a program was named: its plainest commands.
            for (sum, entry) in sums.iter_mut().zip(&self.entries) {
                if entry.program.is_some_and(|p| query.programs.contains(&p)) {
                    *sum = 0.1;
                }
            }
        }
        let sums: Vec<f32> = (0..)
            .zip(sums)
            .map(|(at, sum)| sum * self.program_factor(query, at))
            .collect();
        let by_words = (0..).zip(&sums).filter(|(_, sum)| **sum > 0.0);
        let mut kept = best_of(by_words.map(|(at, sum)| (*sum, at)).collect());
        kept.extend(best_of(
            said.iter().map(|said| (said.share, said.at)).collect(),
        ));
        kept.sort_unstable();
        kept.dedup();
        let share = |at: u32| match total > 0.0 {
            true => (met[at as usize] / total).min(1.0),
            false => 1.0,
        };
        let found = kept
            .into_iter()
            .map(|at| (sums[at as usize], share(at), at));
        (found.collect(), total)
    }

    /// The share of the question that stands in a tool's name or summary, word for word.
    fn answered(&self, query: &Query, at: u32) -> f32 {
        let entry = &self.entries[at as usize];
        let (mut all, mut there) = (0.0, 0.0);
        for unit in query.units.iter().filter(|unit| unit.counts) {
            all += unit.weight;
            if entry.path.contains(&unit.said) || entry.summary.contains(&unit.said) {
                there += unit.weight;
            }
        }
        if all > 0.0 { there / all } else { 0.0 }
    }

    /// The worth of a tool by the phrases with which people ask for it.
    fn phrase_score(&self, query: &Query, said: &[PhraseMatch], whole: f32, at: u32) -> f32 {
        let Ok(place) = said.binary_search_by_key(&at, |said| said.at) else {
            return 0.0;
        };
        let entry = &self.entries[at as usize];
        let doubt = if entry.doubtful { 0.9 } else { 1.0 };
        let share = said[place].share * doubt * self.program_factor(query, at);
        SAID * whole.max(LEAST_WHOLE) * share
    }

    /// The worth of a tool whose words were found, by everything else.
    fn closer(&self, query: &Query, known: &[(Term, f32)], met: f32, at: u32) -> f32 {
        let entry = &self.entries[at as usize];
        let mut factor = 0.35 + 0.65 * met;
        // A command whose own words are all in the question is what was asked for; one with more is about more.
        let unasked = self.unasked(&entry.path, known);
        factor *= 1.0 - 0.45 * unasked;
        if entry.variant {
            // A variant (`pull-all` beside `pull`) is meant only by whoever says what sets it apart.
            factor *= if unasked > 0.2 { 0.58 } else { 0.9 };
        }
        factor *= 1.0 - 0.3 * self.unasked(&entry.summary, known);
        factor *= commonness(entry);
        if query.verb.is_some() && entry.name == query.verb {
            factor *= 1.2;
        }
        // Whoever wants to know something is hardly after what changes it, and the other way round.
        factor *= match (query.intent, entry.effect) {
            (Intent::Know, Effect::Read) => 1.1,
            (Intent::Know, Effect::Write) => 0.75,
            (Intent::Know, Effect::Destroy) => 0.8,
            (Intent::Change, Effect::Read) => 0.85,
            _ => 1.0,
        };
        if query.exact.contains(&at) {
            // A command line that was typed out is the answer, also where its words are worth next to nothing.
            factor += 100.0;
            factor *= 100.0;
        }
        if query.begins.contains(&at) {
            factor *= 1.6;
        }
        factor
    }

    fn program_factor(&self, query: &Query, at: u32) -> f32 {
        let program = self.entries[at as usize].program;
        match query.programs.is_empty() || program.is_some_and(|p| query.programs.contains(&p)) {
            true => 1.0,
            false => 0.4,
        }
    }

    /// The share of these words that is not in the question, by how rare they are.
    fn unasked(&self, terms: &[Term], known: &[(Term, f32)]) -> f32 {
        // `ps` and `rmi` say nothing that could be asked for.
        if let [term] = terms
            && self.vocabulary.stem(*term).len() <= 3
            && known.binary_search_by_key(term, |(term, _)| *term).is_err()
        {
            return 0.45;
        }
        let (mut all, mut unasked) = (0.0, 0.0);
        for term in terms {
            let rarity = self.rarity(*term);
            let asked = known.binary_search_by_key(term, |(term, _)| *term);
            let asked = asked.map_or(0.0, |at| known[at].1);
            all += rarity;
            unasked += rarity * (1.0 - asked);
        }
        if all > 0.0 { unasked / all } else { 0.2 }
    }

    /// Every word that would answer something, and how well, by its number.
    fn known(&self, query: &Query) -> Vec<(Term, f32)> {
        let mut known: Vec<(Term, f32)> = Vec::new();
        for unit in &query.units {
            let most = unit.most();
            let share = unit
                .any_of
                .iter()
                .map(|(term, near)| (*term, (near / most).sqrt()));
            known.extend(share);
        }
        known.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        known.dedup_by_key(|(term, _)| *term);
        known
    }

    /// The keys of the flags that the question speaks of, the best first.
    fn flags(&self, query: &Query, at: u32) -> Vec<String> {
        let entry = &self.entries[at as usize];
        let mut found: Vec<(f32, usize)> = Vec::new();
        for (place, flag) in entry.flags.iter().enumerate() {
            let flag = &self.flags[*flag as usize];
            let value = |unit: &Unit| {
                let said = unit
                    .any_of
                    .iter()
                    .filter(|(term, _)| !entry.path.contains(term));
                said.map(|(term, near)| match () {
                    () if flag.name.contains(term) => *near,
                    () if flag.help.contains(term) => near * 0.4,
                    () => 0.0,
                })
                .fold(0.0, f32::max)
                    * unit.weight
            };
            let sum: f32 = query.units.iter().map(value).sum();
            if sum > 0.3 {
                found.push((sum, place));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = found.first().map_or(0.0, |(sum, _)| *sum);
        let near = found.iter().filter(|(sum, _)| *sum >= best * 0.6);
        near.take(MOST_FLAGS)
            .map(|(_, place)| self.flags[entry.flags[*place] as usize].key.to_string())
            .collect()
    }
}

/// Plain commands are meant more often: those that stand first, near the root, without requirements.
fn commonness(entry: &IndexedTool) -> f32 {
    let mut factor = 1.1 - 0.15 * entry.place;
    // A program by itself is hardly ever what is looked for among its commands.
    factor *= match entry.depth {
        0 => 0.6,
        1 => 1.12,
        2 => 1.0,
        _ => 0.95,
    };
    if entry.parent && entry.depth > 0 {
        factor *= 0.97;
    }
    if entry.doubtful {
        factor *= 0.8;
    }
    factor * (1.0 - 0.02 * entry.required.min(3) as f32)
}

/// The places of the best, as many as are looked at.
fn best_of(mut found: Vec<(f32, u32)>) -> Vec<u32> {
    order(&mut found);
    found.into_iter().take(CLOSER).map(|(_, at)| at).collect()
}

/// The best first, and of those that are as good the earlier.
fn order(found: &mut [(f32, u32)]) {
    found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
}
