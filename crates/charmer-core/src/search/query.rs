//! A question, made into what is looked up: words with their weights, and other words that would do as well.

use super::{
    asked::asked,
    index::Index,
    intent::{Intent, intent, is_plural},
    line::command_lines,
    synonyms::{PHRASES, TERMS_OF_ART},
    vocabulary::Term,
    words::{is_filler, is_number, is_particle, is_vague, says, stem},
};

/// Longer questions are cut: what is looked for has been said by then.
const LONGEST: usize = 2000;
/// More mistyped words than these are not looked for.
const MOST_TYPOS: usize = 8;

/// A word of the question, or several that belong together.
#[derive(Debug, Clone)]
pub(super) struct Unit {
    /// Its importance in the question, apart from its rarity.
    pub(super) weight: f32,
    /// The terms that would answer it, and how well, rarity included.
    pub(super) any_of: Vec<(Term, f32)>,
    /// The word itself, beside those that would do as well.
    pub(super) said: Term,
    /// An answer without it lacks something.
    pub(super) counts: bool,
}

impl Unit {
    /// The score of its best answer.
    pub(super) fn most(&self) -> f32 {
        let near = self.any_of.iter().map(|(_, near)| *near);
        near.fold(0.0, f32::max)
    }
}

/// A word of the question, as it is compared with what people say.
#[derive(Debug, Clone)]
pub(super) struct SpokenWord {
    /// Its importance, times its rarity among phrases.
    pub(super) weight: f32,
    /// The terms that mean the same, and how nearly.
    pub(super) any_of: Vec<(Term, f32)>,
}

/// A question, understood.
#[derive(Debug, Clone)]
pub(super) struct Query {
    pub(super) units: Vec<Unit>,
    pub(super) said: Vec<SpokenWord>,
    /// The programs that it names.
    pub(super) programs: Vec<u16>,
    /// The tools whose command line it is, or begins with.
    pub(super) exact: Vec<u32>,
    pub(super) begins: Vec<u32>,
    pub(super) intent: Intent,
    /// The verb of the question, as it was said.
    pub(super) verb: Option<Term>,
}

impl Query {
    pub(super) fn new(text: &str, index: &Index) -> Self {
        let text = &text[..text.floor_char_boundary(LONGEST)];
        let (exact, begins) = command_lines(text, index);
        let asked = asked(text, index);
        let weights = asked.iter().map(|asked| asked.share).collect();
        let words: Vec<String> = asked.into_iter().map(|asked| asked.word).collect();
        let mut programs = Vec::new();
        let intent = intent(&words);
        let verb = words
            .iter()
            .find(|word| !is_filler(word) && !is_number(word));
        let verb = verb.filter(|word| intent != Intent::Know && !is_plural(word));
        let verb = verb.and_then(|word| index.vocabulary.get(word));
        let mut reader = QuestionReader {
            index,
            words: &words,
            weights,
            intent,
            plural: words.iter().any(|word| is_plural(word)),
            units: Vec::new(),
            said: Vec::new(),
            typos: 0,
            verb,
        };

        reader.name_programs(&mut programs);
        reader.phrases();
        reader.negated();
        reader.joined();
        reader.single();
        reader.unsaid();
        Self {
            units: reader.units,
            said: reader.said,
            programs,
            exact,
            begins,
            intent,
            verb,
        }
    }
}

struct QuestionReader<'q> {
    index: &'q Index,
    words: &'q [String],
    /// The weight that is left to each word by itself.
    weights: Vec<f32>,
    units: Vec<Unit>,
    said: Vec<SpokenWord>,
    typos: usize,
    intent: Intent,
    /// See [`Query::verb`].
    verb: Option<Term>,
    /// It speaks of several things of a kind.
    plural: bool,
}

impl QuestionReader<'_> {
    /// Programs are where things are looked for, not what is looked for.
    fn name_programs(&mut self, programs: &mut Vec<u16>) {
        for at in 0..self.words.len() {
            let word = &self.words[at];
            let named = |program: &String| {
                program == word
                    || (word.len() > 4
                        && self.index.vocabulary.get(word).is_none()
                        && near(word, program))
            };
            let Some(program) = self.index.programs.iter().position(named) else {
                continue;
            };
            let Ok(program) = u16::try_from(program) else {
                continue;
            };
            if !programs.contains(&program) {
                programs.push(program);
            }
            let names_command = self
                .index
                .vocabulary
                .get(word)
                .is_some_and(|t| self.names(t));
            // It says where to look; as a word it counts only where a command has it in its name, too.
            self.weights[at] = if names_command { 0.3 } else { 0.0 };
        }
    }

    fn names(&self, term: Term) -> bool {
        self.index
            .names
            .get(term as usize)
            .copied()
            .unwrap_or(false)
    }

    /// Words that mean something together.
    fn phrases(&mut self) {
        for (phrase, means) in PHRASES {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            let words = self.words.windows(phrase.len());
            let found = words.enumerate().find(|(_, words)| {
                let mut pairs = words.iter().zip(&phrase);
                pairs.all(|(word, wanted)| word == wanted || stem(word) == stem(wanted))
            });
            let Some((at, _)) = found else { continue };
            let terms = means
                .split(' ')
                .filter_map(|word| self.index.vocabulary.get(word));
            // The first is what it means most.
            let terms: Vec<(Term, f32)> = terms
                .zip([1.0, 0.9].into_iter().chain(std::iter::repeat(0.8)))
                .collect();
            for weight in &mut self.weights[at..at + phrase.len()] {
                // The phrase has said them; what is left finds a command that is called by one of them.
                *weight *= 0.25;
            }
            self.push(1.0, &terms, true);
        }
        for at in 1..self.words.len() {
            let (before, word) = (&self.words[at - 1], &self.words[at]);
            let art = TERMS_OF_ART.iter().find(|(first, second, _)| {
                before == first && word.strip_suffix('s').unwrap_or(word) == *second
            });
            if let Some((.., means)) = art
                && let Some(term) = self.index.vocabulary.get(means)
            {
                self.weights[at - 1] *= 0.4;
                self.weights[at] *= 0.4;
                self.push(1.0, &[(term, 1.0)], true);
            }
        }
    }

    /// Adds the opposites of negated words: `not tracked` is `untracked`.
    fn negated(&mut self) {
        for at in 1..self.words.len() {
            let term = match self.words[at - 1] == "not" {
                true => self.index.vocabulary.get(&format!("un{}", self.words[at])),
                false => None,
            };
            if let Some(term) = term {
                self.weights[at] *= 0.4;
                self.push_related(term, 1.0, 1.0, true);
            }
        }
    }

    /// Words that are one elsewhere: `cherry pick`, `log in`, `who am i`.
    fn joined(&mut self) {
        for at in 0..self.words.len() {
            for length in [3, 2] {
                let Some(words) = self.words.get(at..at + length) else {
                    continue;
                };
                let particle = length == 2 && is_particle(&words[1]) && !is_filler(&words[0]);
                let joined = match particle {
                    true => format!("{}{}", stem(&words[0]), words[1]),
                    false => words.concat(),
                };
                let term = self.index.vocabulary.get(&joined);
                let Some(term) = term.filter(|term| !self.index.postings(*term).is_empty()) else {
                    continue;
                };
                // `what changed` is two words of a question, even where `whatchanged` is a command.
                let little = words.iter().filter(|word| is_filler(word)).count();
                if !particle && little > 0 && little < length {
                    continue;
                }
                let named = self.names(term);
                for weight in &mut self.weights[at..at + length] {
                    // A command that is called by the words together is what was asked for; elsewhere they are a guess
                    // beside the single words.
                    *weight *= if named { 0.35 } else { 1.0 };
                }
                let weight = if named { 1.35 } else { 0.3 };
                self.push_related(term, weight, 1.0, named);
                break;
            }
        }
    }

    /// Every word by itself.
    fn single(&mut self) {
        let little = |word: &str| is_filler(word);
        let verb = self
            .words
            .iter()
            .position(|word| !is_filler(word) && !is_number(word));
        let only_little = self.units.is_empty()
            && self
                .words
                .iter()
                .zip(&self.weights)
                .all(|(w, weight)| little(w) || *weight == 0.0);
        for at in 0..self.words.len() {
            let word = &self.words[at];
            let mut weight = self.weights[at];
            let known = self.index.vocabulary.get(word);
            let named = known.is_some_and(|term| self.names(term));
            if little(word) && !only_little {
                // `up` and `who` may be commands, but a question is not about each `in` and `on`.
                weight *= match named && word.len() > 1 {
                    true => 0.15,
                    false => 0.0,
                };
            } else if is_vague(word) {
                weight *= 0.75;
            }
            weight *= self.said_of_another(at);
            // What is to be done is said first, and a command that does not do it is no answer.
            if verb == Some(at) && self.intent != Intent::Know && self.words.len() > 1 {
                weight *= 1.3;
            }
            // Whatever is asked for is shown; what it is tells commands apart.
            if verb == Some(at) && is_showing(word) {
                weight *= 0.7;
            }
            if little(word)
                && let Some(term) = known
            {
                self.say(says(word) * self.weights[at], &[(term, 1.0)]);
            }
            if weight == 0.0 || is_number(word) {
                continue;
            }
            let counts = !(little(word) || is_vague(word)) || only_little;
            match known {
                Some(term) if self.leads_anywhere(term) => {
                    self.push_related(term, weight, 1.0, counts)
                }
                _ => self.mistyped(word, weight, counts),
            }
        }
    }

    /// Less for a word that says how something is (`a paused container`) or what is not wanted (`without merging`).
    fn said_of_another(&self, at: usize) -> f32 {
        let word = &self.words[at];
        let before = self.words[..at].iter().rev().take(2);
        if before.clone().any(|word| word == "without") {
            return 0.3;
        }
        let named = self
            .index
            .vocabulary
            .get(word)
            .is_some_and(|term| self.names(term));
        let form = named
            && word.len() > 4
            && (word.ends_with("ed") || word.ends_with("ing"))
            && stem(word) != *word;
        let says_more = |word: &String| !is_filler(word) && !is_number(word);
        let verb_before = self.words[..at].iter().any(says_more);
        let noun_after = self.words.get(at + 1).is_some_and(says_more);
        if form && verb_before && noun_after {
            0.5
        } else {
            1.0
        }
    }

    /// Adds the verb that a question without one implies: many things are listed, one is shown.
    fn unsaid(&mut self) {
        if self.intent == Intent::Change || self.units.is_empty() {
            return;
        }
        let verb = match (self.numbered(), self.plural) {
            (true, _) => "view",
            (false, true) => "list",
            (false, false) => return,
        };
        if let Some(term) = self.index.vocabulary.get(verb) {
            self.push_related(term, 0.35, 1.0, false);
        }
    }

    /// Returns true if it speaks of one thing by its number: `issue 12`, but not `the last 12 issues`.
    fn numbered(&self) -> bool {
        let is_counted = |at: usize| {
            let after = self.words.get(at + 1);
            let before = at.checked_sub(1).map(|before| self.words[before].as_str());
            after.is_some_and(|word| is_plural(word))
                || matches!(
                    before,
                    Some("to" | "first" | "last" | "latest" | "top" | "most" | "least")
                )
        };
        let mut numbers = (0..self.words.len()).filter(|at| is_number(&self.words[*at]));
        numbers.any(|at| !is_counted(at))
    }

    fn leads_anywhere(&self, term: Term) -> bool {
        let has = |term: Term| {
            !self.index.postings(term).is_empty() || self.index.phrase_index.knows(term)
        };
        has(term)
            || self
                .index
                .vocabulary
                .related(term)
                .iter()
                .any(|(term, _)| has(*term))
    }

    fn mistyped(&mut self, word: &str, weight: f32, counts: bool) {
        self.typos += 1;
        if self.typos > MOST_TYPOS {
            return;
        }
        let index = self.index;
        let mut any_of: Vec<(Term, f32)> = Vec::new();
        // `typecheck` is two words to those who say `type check`.
        if let Some((first, second)) = index.vocabulary.parts(word) {
            self.push_related(first, weight, 0.8, counts);
            self.push_related(second, weight, 0.8, counts);
            return;
        }
        let names = |term: Term| index.names.get(term as usize) == Some(&true);
        let near = |stem: &str| index.typos.near(stem, &index.vocabulary, names);
        let mut nearest = near(&stem(word));
        // `tetss` has one letter more than the plural of what was meant.
        if nearest.is_empty()
            && let Some(singular) = word.strip_suffix('s')
        {
            nearest = near(singular);
        }
        for (term, sure) in nearest {
            any_of.push((term, sure));
            let related = index.vocabulary.related(term).iter();
            any_of.extend(related.map(|(term, near)| (*term, near * sure)));
        }
        if any_of.is_empty()
            && let Some(again) = word.strip_prefix("re").or_else(|| word.strip_prefix("un"))
            && let Some(term) = index.vocabulary.get(again)
        {
            // `restage` is to stage once more and `unpublish` is about publishing: nearly the same word.
            any_of.push((term, 0.8));
        }
        // A word that nobody knows is most likely a name of the caller's own.
        if !any_of.is_empty() {
            self.push(weight, &any_of, counts);
        }
    }

    fn push_related(&mut self, term: Term, weight: f32, sure: f32, counts: bool) {
        let mut any_of = vec![(term, sure)];
        let related = self.index.vocabulary.related(term).iter();
        any_of.extend(related.map(|(term, near)| (*term, near * sure)));
        self.push(weight, &any_of, counts);
    }

    /// Adds a word to what is compared with phrases.
    fn say(&mut self, weight: f32, any_of: &[(Term, f32)]) {
        let phrase_index = &self.index.phrase_index;
        let own = any_of
            .first()
            .and_then(|(term, _)| phrase_index.rarity(*term));
        let near = any_of.iter().filter(|(_, near)| *near > 0.5);
        let together = near.filter_map(|(term, _)| phrase_index.rarity(*term));
        let together = together.fold(1.0, f32::min);
        let weight = weight * own.map_or(together, |own| (own + together) / 2.0);
        if weight > 0.0 {
            let any_of = any_of.to_vec();
            self.said.push(SpokenWord { weight, any_of });
        }
    }

    /// Whoever wants to see several things wants a list of them.
    fn add_list(&self, any_of: &mut Vec<(Term, f32)>) {
        let term = |word: &str| self.index.vocabulary.get(word);
        let Some(list) = term("list").filter(|_| self.plural && self.intent == Intent::Know) else {
            return;
        };
        let seen = ["show", "view", "see"].map(term);
        let best = any_of
            .iter()
            .filter(|(term, _)| seen.contains(&Some(*term)));
        let best = best.map(|(_, near)| *near).fold(0.0, f32::max);
        if best > 0.0 {
            // A little below the word that was said, so that a command of that name still comes first.
            any_of.retain(|(term, near)| *term != list || *near > best * 0.95);
            any_of.push((list, best * 0.95));
        }
    }

    /// Adds a unit. Words that mean the same are together as common as they are together, or a rare one among them
    /// would count for more than the word that was said.
    fn push(&mut self, weight: f32, any_of: &[(Term, f32)], counts: bool) {
        let index = self.index;
        let Some((said, _)) = any_of.first() else {
            return;
        };
        if counts || weight > 0.4 {
            self.say(weight, any_of);
        }
        let near = any_of.iter().filter(|(_, near)| *near > 0.5);
        let together = near
            .map(|(term, _)| index.rarity(*term))
            .fold(1.0, f32::min);
        let done = self.verb == Some(*said) && !self.names(*said);
        let own = match index.postings(*said).is_empty() {
            true => together,
            false => index.rarity(*said),
        };
        let weighed = any_of.iter().enumerate().map(|(at, (term, near))| {
            let rarity = match at {
                0 => own,
                // What is to be done is what a command is called, however common the word is elsewhere.
                _ if done && self.names(*term) => own,
                _ => index.rarity(*term).min((own + together) / 2.0),
            };
            (*term, near * rarity)
        });
        let mut any_of: Vec<(Term, f32)> = weighed
            .filter(|(term, _)| !index.postings(*term).is_empty())
            .collect();
        self.add_list(&mut any_of);
        self.units.push(Unit {
            weight,
            any_of,
            said: *said,
            counts,
        });
    }
}

fn near(word: &str, program: &str) -> bool {
    program.len() > 4 && strsim::osa_distance(word, program) == 1
}

fn is_showing(word: &str) -> bool {
    matches!(word, "display" | "get" | "print" | "see" | "show" | "view")
}
