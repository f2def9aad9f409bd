//! From texts to stems. It is done to every word of every help, so each word is looked at once.

use serde::{Deserialize, Serialize};

use super::{
    synonyms::TERMS_OF_ART,
    vocabulary::{QuickMap, Term, Vocabulary},
    words::{WordGap, for_each_word, is_filler, is_number, is_particle, says, stem},
};

/// The stems of the words in one place.
#[derive(Debug, Clone, Default)]
pub(super) struct Terms {
    /// Its words, one by one.
    pub(super) plain: Vec<Term>,
    /// Several of them written as one: `cherrypick` for `cherry-pick`.
    pub(super) joined: Vec<Term>,
}

impl Terms {
    pub(super) fn extend(&mut self, more: Self) {
        self.plain.extend(more.plain);
        self.joined.extend(more.joined);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = Term> + '_ {
        self.plain.iter().chain(&self.joined).copied()
    }
}

/// The place of a flag in the table of flags.
pub(super) type FlagPlace = u32;

/// A flag as it is searched. Those that say the same, at whichever commands, are one.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct FlagTerms {
    pub(super) key: Box<str>,
    pub(super) name: Box<[Term]>,
    pub(super) help: Box<[Term]>,
    /// It belongs to the command itself and not to all of the program.
    pub(super) own: bool,
}

impl FlagTerms {
    pub(super) fn new(key: &str, name: &Terms, help: &Terms, own: bool) -> Self {
        Self {
            key: key.into(),
            name: name.iter().collect(),
            help: help.iter().collect(),
            own,
        }
    }
}

/// A word as it is written, with its stem and weight.
#[derive(Debug, Clone, Copy)]
struct KnownWord {
    term: Term,
    filler: bool,
    number: bool,
    particle: bool,
}

/// Turns texts into stems.
#[derive(Debug)]
pub(super) struct StemReader<'v> {
    vocabulary: &'v mut Vocabulary,
    /// Words as they are written.
    written: QuickMap<Box<str>, KnownWord>,
    /// Two that have a short name together.
    terms_of_art: Vec<(Term, Term, Term)>,
    /// The table of flags.
    pub(super) flags: Vec<FlagTerms>,
    /// The places of those that were read, by what is written of them.
    read_flags: QuickMap<(Option<Term>, Box<str>), FlagPlace>,
    /// The name of the program that is read.
    program: Option<Term>,
}

impl<'v> StemReader<'v> {
    pub(super) fn new(vocabulary: &'v mut Vocabulary) -> Self {
        let mut add = |word: &str| vocabulary.add(word);
        let terms_of_art = TERMS_OF_ART.iter();
        let terms_of_art = terms_of_art.map(|(a, b, means)| (add(a), add(b), add(means)));
        Self {
            terms_of_art: terms_of_art.collect(),
            vocabulary,
            written: QuickMap::default(),
            flags: Vec::new(),
            read_flags: QuickMap::default(),
            program: None,
        }
    }

    /// Sets the program that the following texts are from; its name says nothing there.
    pub(super) fn of_program(&mut self, name: &str) {
        self.program = (!name.is_empty()).then(|| self.vocabulary.add(name));
    }

    /// The stems of a text, without words that say nothing and without the program's own name.
    pub(super) fn read(&mut self, text: &str) -> Terms {
        self.terms(text, false)
    }

    /// The stems of a name, where every word counts, with those of words that are joined in it.
    pub(super) fn read_name(&mut self, name: &str) -> Terms {
        self.terms(name, true)
    }

    /// The stems of what somebody says, each with how much it says.
    pub(super) fn read_phrase(&mut self, phrase: &str, programs: &[String]) -> Vec<(Term, f32)> {
        let mut terms: Vec<(Term, f32)> = Vec::new();
        let mut before: Option<KnownWord> = None;
        for_each_word(phrase, |text, _| {
            let word = self.word(text);
            // `log in` is `login`, as it is in questions.
            if let Some(verb) = before.filter(|before| word.particle && !before.filler) {
                let together = format!("{}{text}", self.vocabulary.stem(verb.term));
                if let Some(term) = self.vocabulary.get(&together) {
                    if let Some((_, weight)) = terms.iter_mut().find(|(t, _)| *t == verb.term) {
                        // As much as in questions, so that both are compared alike.
                        *weight *= 0.35;
                    }
                    terms.push((term, 1.0));
                    before = None;
                    return;
                }
            }
            before = Some(word);
            let weight = match programs.iter().any(|program| program == text) {
                true => 0.2,
                false => says(text),
            };
            let term = word.term;
            if weight > 0.0 && terms.iter().all(|(known, _)| *known != term) {
                terms.push((term, weight));
            }
        });
        terms
    }

    /// A flag that a command has from one above it.
    pub(super) fn inherited(&mut self, key: &str) -> FlagPlace {
        self.flag(key, |reader| {
            let name = reader.read_name(key);
            FlagTerms::new(key, &name, &Terms::default(), false)
        })
    }

    /// A flag of which this is written. It is read where nothing else of the same program has said the same.
    pub(super) fn flag(
        &mut self,
        written: &str,
        read: impl FnOnce(&mut Self) -> FlagTerms,
    ) -> FlagPlace {
        let written = (self.program, written.into());
        if let Some(place) = self.read_flags.get(&written) {
            return *place;
        }
        let flag = read(self);
        let place = FlagPlace::try_from(self.flags.len()).expect("there are fewer flags than that");
        self.flags.push(flag);
        self.read_flags.insert(written, place);
        place
    }

    fn terms(&mut self, text: &str, keep_all: bool) -> Terms {
        let mut terms = Terms::default();
        let mut before: Option<KnownWord> = None;
        let mut joined = String::new();
        for_each_word(text, |text, gap| {
            let word = self.word(text);
            match gap {
                WordGap::Joint => {
                    joined.push_str(text);
                    terms.joined.push(self.vocabulary.add(&joined));
                }
                WordGap::Space => {
                    joined.clear();
                    joined.push_str(text);
                }
            }
            if let Some(before) = before.filter(|before| !before.filler) {
                if word.particle {
                    let verb = self.vocabulary.stem(before.term);
                    let together = format!("{verb}{text}");
                    terms.joined.push(self.vocabulary.add(&together));
                }
                let mut art = self.terms_of_art.iter();
                if let Some((.., means)) =
                    art.find(|(a, b, _)| *b == word.term && *a == before.term)
                {
                    terms.joined.push(*means);
                }
            }
            let says_nothing = word.filler || word.number || Some(word.term) == self.program;
            if keep_all || !says_nothing {
                terms.plain.push(word.term);
            }
            before = Some(word);
        });
        terms
    }

    fn word(&mut self, text: &str) -> KnownWord {
        if let Some(word) = self.written.get(text) {
            return *word;
        }
        let word = KnownWord {
            term: self.vocabulary.add_stem(&stem(text)),
            filler: is_filler(text),
            number: is_number(text),
            particle: is_particle(text),
        };
        self.written.insert(text.into(), word);
        word
    }
}
