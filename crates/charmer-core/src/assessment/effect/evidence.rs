//! Evidence for a command's class, and its sum.

use crate::model::{Command, Effect};
use serde::{Deserialize, Serialize};

use super::{
    nouns::{PARENT_READERS, RUNNERS},
    prose::{admitted, first_sentence, runs_outside_program},
    verbs::{Class, also_noun, named},
    word_class,
    words::sentences,
    writing::writing_flag,
};

/// The kind of source that a piece of evidence comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EvidenceKind {
    /// The word that calls the command.
    Name,
    /// Another word that calls it.
    Alias,
    /// A word on the way to it.
    Parent,
    /// The first sentence of its help.
    About,
    /// The rest of its help.
    Help,
    /// A flag that it has.
    Flag,
    /// An argument that it takes.
    Argument,
    /// It runs programs that it is told of.
    Program,
    /// It may show credentials.
    Credential,
    /// A subcommand that an argument could call.
    Children,
    /// Nothing says what it does.
    Absent,
}

/// One thing that speaks for an effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Evidence {
    /// The kind of source that it comes from.
    pub kind: EvidenceKind,
    /// The effect that it speaks for.
    pub effect: Effect,
    /// The finding, for people: `its name is ...`.
    pub text: String,
}

impl Evidence {
    /// The way heavily it weighs: the heaviest decides. A program that may do anything is worse than a change, a guess
    /// that something is amiss is not.
    fn weight(&self) -> u8 {
        match (self.effect, self.kind) {
            (Effect::Read, _) => 0,
            (Effect::Unknown, EvidenceKind::Program) => 3,
            (Effect::Unknown, _) => 1,
            (Effect::Write, _) => 2,
            (Effect::Destroy, _) => 4,
        }
    }
}

/// A command's effect and what speaks for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Classified {
    /// Its description.
    pub effect: Effect,
    /// The evidence for that effect, and the evidence against it.
    pub evidence: Vec<Evidence>,
}

/// Returns true if a sentence is about a flag of the command that is judged by itself, and left out where only reading
/// is offered: `With --web, opens it in a browser`.
fn is_on_request(command: &Command, sentence: &str) -> bool {
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '-');
    sentence.split(part).any(|word| {
        let mut flags = command.flags.iter();
        word.starts_with("--")
            && flags.any(|flag| flag.is_named(word) && writing_flag(command, flag).is_some())
    })
}

/// Evidence as it is collected.
#[derive(Debug, Default)]
pub(crate) struct Case {
    has_about: bool,
    evidence: Vec<Evidence>,
}

impl Case {
    pub(crate) fn add(&mut self, kind: EvidenceKind, effect: Effect, text: String) {
        let new = Evidence { kind, effect, text };
        if !self.evidence.contains(&new) {
            self.evidence.push(new);
        }
    }

    /// Adds what a word's class speaks for.
    pub(crate) fn classed(&mut self, kind: EvidenceKind, class: Class, text: String) {
        match class {
            Class::Read | Class::ReadNoun => self.add(kind, Effect::Read, text),
            Class::Weak => {}
            Class::Write => self.add(kind, Effect::Write, text),
            Class::Destroy => self.add(kind, Effect::Destroy, text),
            Class::Run => self.add(
                EvidenceKind::Program,
                Effect::Unknown,
                format!("{text}, which runs what it is given"),
            ),
            Class::Secret => self.add(
                EvidenceKind::Credential,
                Effect::Unknown,
                format!("{text}, which deals in credentials"),
            ),
            Class::Unsure => self.add(
                kind,
                Effect::Unknown,
                format!("{text}, which looks in some cases and acts in others"),
            ),
        }
    }

    /// Returns true if anything says that it looks.
    pub(crate) fn looks(&self) -> bool {
        self.evidence
            .iter()
            .any(|evidence| evidence.effect == Effect::Read)
    }

    /// The heaviest evidence decides; without any, nobody knows.
    pub(crate) fn effect(&self) -> Effect {
        self.evidence
            .iter()
            .max_by_key(|evidence| evidence.weight())
            .map_or(Effect::Unknown, |evidence| evidence.effect)
    }

    pub(crate) fn close(mut self) -> Classified {
        if self.evidence.is_empty() {
            self.add(
                EvidenceKind::Absent,
                Effect::Unknown,
                "neither its name nor its help says what it does".into(),
            );
        }
        Classified {
            effect: self.effect(),
            evidence: self.evidence,
        }
    }

    /// Weighs the help; the class of the verb that it leads with comes back.
    pub(crate) fn prose(&mut self, command: &Command) -> Option<Class> {
        let long = command.long_about.as_deref().unwrap_or_default();
        let about = command
            .about
            .as_deref()
            .filter(|about| !about.trim().is_empty())
            .unwrap_or(long);
        self.has_about = !about.trim().is_empty();
        let verbs = first_sentence(about);
        for said in &verbs {
            self.classed(
                EvidenceKind::About,
                said.class,
                format!("its help says `{}`", said.verb),
            );
        }
        for text in [about, long] {
            for said in admitted(text) {
                if verbs.contains(&said) {
                    continue;
                }
                self.classed(
                    EvidenceKind::Help,
                    said.class,
                    format!("its help says that it may `{}`", said.verb),
                );
            }
            if sentences(text)
                .any(|sentence| runs_outside_program(sentence) && !is_on_request(command, sentence))
            {
                self.add(
                    EvidenceKind::Help,
                    Effect::Unknown,
                    "its help says that it runs another program, which the environment may name"
                        .into(),
                );
            }
        }
        verbs.first().map(|said| said.class)
    }

    fn about_speaks_of_something_else(&self, about: Option<Class>) -> bool {
        self.has_about && about != Some(Class::Read)
    }

    /// Weighs the word that calls it; its class comes back.
    pub(crate) fn name(&mut self, word: &str, about: Option<Class>) -> Option<Class> {
        let (class, verb) = word_class(word)?;
        if verb == "get" && class == Class::Read && self.about_speaks_of_something_else(about) {
            self.add(
                EvidenceKind::Name,
                Effect::Unknown,
                "its name says `get`, which can also mean to fetch and keep, and its help does not say that it shows"
                    .into(),
            );
            return Some(Class::Unsure);
        }
        if class != Class::Weak {
            self.classed(EvidenceKind::Name, class, format!("its name says `{verb}`"));
        } else if matches!(about, Some(Class::Read | Class::Weak)) {
            self.add(
                EvidenceKind::Name,
                Effect::Read,
                format!("its name says `{verb}`, and its help agrees"),
            );
        }
        Some(class)
    }

    /// Weighs another word that calls it: it can make things worse, or speak where nothing else does.
    pub(crate) fn alias(&mut self, word: &str, about: Option<Class>) {
        let Some((class, verb)) = word_class(word) else {
            return;
        };
        let looks = matches!(class, Class::Read | Class::ReadNoun | Class::Weak);
        if looks && (about.is_some() || !self.evidence.is_empty() || class == Class::Weak) {
            return;
        }
        self.classed(
            EvidenceKind::Alias,
            class,
            format!("it is also called `{verb}`"),
        );
    }

    /// Weighs the words on the way to it. `create thing` creates, `run list` lists runs.
    pub(crate) fn parents(&mut self, parents: &[String], own: Option<Class>, about: Option<Class>) {
        if let Some(runner) = parents.iter().find(|word| RUNNERS.contains(&word.as_str())) {
            self.classed(
                EvidenceKind::Parent,
                Class::Run,
                format!("it stands under `{runner}`"),
            );
        }
        let Some((parent, class)) = parents
            .last()
            .and_then(|parent| Some((parent, named(parent)?)))
        else {
            return;
        };
        let acts = matches!(class, Class::Write | Class::Destroy) && !also_noun(parent);
        let looks = PARENT_READERS.contains(&parent.as_str())
            && !self.about_speaks_of_something_else(about);
        let has_verb = own == Some(Class::Read) || about == Some(Class::Read);
        if (acts && !has_verb) || (looks && own.is_none()) {
            self.classed(
                EvidenceKind::Parent,
                class,
                format!("it stands under `{parent}`"),
            );
        }
    }
}
