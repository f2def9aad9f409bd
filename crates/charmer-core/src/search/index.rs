//! The index: for every word the tools that have it, and how much it says there.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::{model::Effect, tool::Tool};

use super::{
    document::SearchedTool,
    line::plain_line,
    phrase_index::PhraseIndex,
    reader::{FlagPlace, FlagTerms, StemReader, Terms},
    same_commands::fold,
    typo::Typos,
    vocabulary::{Term, Vocabulary},
};

/// The weights of a word by the part of a tool that has it.
mod weight {
    pub(super) const NAME: f32 = 5.0;
    pub(super) const ALIAS: f32 = 3.5;
    pub(super) const PARENT: f32 = 3.4;
    pub(super) const SUMMARY: f32 = 4.5;
    /// The text of the command above, where a command has none of its own.
    pub(super) const INHERITED: f32 = 1.2;
    pub(super) const REST: f32 = 1.3;
    pub(super) const EXAMPLES: f32 = 0.6;
    pub(super) const POSITIONAL: f32 = 0.8;
    /// All phrases that people use for it, word by word.
    pub(super) const SAID: f32 = 0.8;
    pub(super) const FLAG_NAME: f32 = 0.9;
    pub(super) const FLAG_HELP: f32 = 0.3;
}

/// The sum of weights at which a word has half of the highest score.
const HALF: f32 = 2.0;

/// One tool, as far as it is needed to rank it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct IndexedTool {
    pub(super) program: Option<u16>,
    /// The words of its path, one by one.
    pub(super) path: Vec<Term>,
    /// Its last word, if that is one word.
    pub(super) name: Option<Term>,
    /// The number of commands on its path.
    pub(super) depth: usize,
    pub(super) summary: Vec<Term>,
    pub(super) flags: Vec<FlagPlace>,
    pub(super) effect: Effect,
    pub(super) doubtful: bool,
    /// Other tools stand below it.
    pub(super) parent: bool,
    /// A sibling has the same name with fewer words: `diff` beside `diff-tree`.
    pub(super) variant: bool,
    /// Its place among the tools of its program, from 0 to 1.
    pub(super) place: f32,
    pub(super) required: usize,
    /// The tool that is the same command under a better name, if there is one.
    pub(super) same_as: Option<u32>,
}

/// A tool that has a word, and how much the word says there, from 0 to 1.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Posting {
    pub(super) at: u32,
    pub(super) impact: f32,
}

/// Tools, ready to be searched. See the [module](super). It can be written down: reading that is much faster than making
/// it from thousands of tools. What was written is for the same version of this crate alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Index {
    pub(super) vocabulary: Vocabulary,
    pub(super) typos: Typos,
    /// The phrases by which people ask for one of them.
    pub(super) phrase_index: PhraseIndex,
    pub(super) entries: Vec<IndexedTool>,
    /// The flags of all of them.
    pub(super) flags: Vec<FlagTerms>,
    pub(super) programs: Vec<String>,
    /// Command lines, in plain words, and whose they are.
    pub(super) lines: HashMap<String, Vec<u32>>,
    /// A word is one of a command's name.
    pub(super) names: Vec<bool>,
    /// Tools that are the same command as another.
    pub(super) also: HashMap<u32, Vec<usize>>,
    rarity: Vec<f32>,
    starts: Vec<u32>,
    postings: Vec<Posting>,
}

impl Index {
    /// Reads tools; their places are what [`Hit::at`](super::Hit::at) says.
    pub fn new<'t>(tools: impl IntoIterator<Item = &'t Tool>) -> Self {
        let mut vocabulary = Vocabulary::new();
        let mut reader = StemReader::new(&mut vocabulary);
        let documents: Vec<SearchedTool> = tools
            .into_iter()
            .map(|tool| SearchedTool::new(tool, &mut reader))
            .collect();
        let flags = reader.flags;
        let mut documents = documents;
        for document in &mut documents {
            split_names(document, &vocabulary);
        }
        let programs = programs(&documents);
        let phrase_index = PhraseIndex::new(
            &mut documents,
            &programs,
            &mut StemReader::new(&mut vocabulary),
        );
        let mut words: Vec<(Term, Posting)> = Vec::new();
        let inherited = inherited(&documents);
        for (at, document) in (0..).zip(&documents) {
            let above = inherited[at as usize].map(|above| &documents[above].summary);
            let mut found = weighed(document, above, &flags);
            found.sort_unstable_by_key(|(term, _)| *term);
            let mut found = found.into_iter().peekable();
            while let Some((term, mut sum)) = found.next() {
                while let Some((_, more)) = found.next_if(|(next, _)| *next == term) {
                    sum += more;
                }
                let impact = sum / (sum + HALF);
                words.push((term, Posting { at, impact }));
            }
        }
        let (starts, postings) = by_term(&words, vocabulary.len());
        let mut having = vec![0.0f32; vocabulary.len()];
        for (term, posting) in &words {
            // A word in passing makes it hardly more common.
            having[*term as usize] += (posting.impact * 1.75).min(1.0);
        }
        let rarity = having
            .iter()
            .map(|having| rarity_of(*having, documents.len()))
            .collect();
        let mut names = vec![false; vocabulary.len()];
        for document in &documents {
            for term in document.name.iter().chain(document.alias_terms.iter()) {
                names[term as usize] = true;
            }
        }
        let same = fold(&documents, &flags);
        let mut also: HashMap<u32, Vec<usize>> = HashMap::new();
        for (at, same) in same.iter().enumerate() {
            if let Some(best) = same {
                also.entry(*best).or_default().push(at);
            }
        }
        let lines = lines(&documents);
        let typos = Typos::new(&vocabulary);
        Self {
            entries: entries(documents, &programs, &same),
            flags,
            programs,
            lines,
            names,
            also,
            rarity,
            starts,
            postings,
            typos,
            phrase_index,
            vocabulary,
        }
    }

    /// Returns true if there is nothing to find.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The number of tools.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The tools that have a word.
    pub(super) fn postings(&self, term: Term) -> &[Posting] {
        let at = term as usize;
        match (self.starts.get(at), self.starts.get(at + 1)) {
            (Some(from), Some(to)) => &self.postings[*from as usize..*to as usize],
            _ => &[],
        }
    }

    /// The rarity of a word: 1 for one that few tools have, near 0 for one that all have.
    pub(super) fn rarity(&self, term: Term) -> f32 {
        self.rarity.get(term as usize).copied().unwrap_or(1.0)
    }
}

/// See [`Index::rarity`]. A few tools more or less are no reason to weigh a word differently.
fn rarity_of(having: f32, all: usize) -> f32 {
    let all = all.max(1) as f32;
    let most = (1.0 + all / 2.1).ln();
    ((1.0 + all / (having + 1.8)).ln() / most).clamp(0.05, 1.0)
}

/// Names that are two words written as one are those words as well.
fn split_names(document: &mut SearchedTool, vocabulary: &Vocabulary) {
    let SearchedTool { name, path, .. } = document;
    let Some(last) = path.last() else { return };
    if let [term] = name.plain[..]
        && !vocabulary.is_common(term)
        && let Some((first, second)) = vocabulary.parts(last)
    {
        name.plain = vec![first, second];
        name.joined.push(term);
    }
}

fn programs(documents: &[SearchedTool]) -> Vec<String> {
    let mut programs: Vec<String> = Vec::new();
    for document in documents {
        if !document.program.is_empty() && !programs.contains(&document.program) {
            programs.push(document.program.clone());
        }
    }
    programs
}

/// For commands that say nothing, the nearest one above that does.
fn inherited(documents: &[SearchedTool]) -> Vec<Option<usize>> {
    let mut by_path: HashMap<(&str, &[String]), usize> = HashMap::new();
    for (at, document) in documents.iter().enumerate() {
        if document.described {
            by_path.insert((&document.program, &document.path), at);
        }
    }
    let above = |document: &SearchedTool| {
        if document.described || document.program.is_empty() {
            return None;
        }
        let lengths = (1..document.path.len()).rev();
        let mut above = lengths.map(|length| (document.program.as_str(), &document.path[..length]));
        above.find_map(|key| by_path.get(&key).copied())
    };
    documents.iter().map(above).collect()
}

/// The words of a tool, each as often as it stands in a field, weighed.
fn weighed(
    document: &SearchedTool,
    above: Option<&Terms>,
    flags: &[FlagTerms],
) -> Vec<(Term, f32)> {
    let mut found = Vec::new();
    let mut add = |terms: &Terms, weight: f32, usual: f32| {
        // Each word of a long text says less of what it is about.
        let length = terms.plain.len() as f32;
        let weight = weight / (0.6 + 0.4 * length / usual).max(0.8);
        let mut sorted: Vec<Term> = terms.iter().collect();
        sorted.sort_unstable();
        for same in sorted.chunk_by(|a, b| a == b) {
            let often = 1.0 + 0.35 * (same.len() - 1).min(4) as f32;
            found.push((same[0], weight * often));
        }
    };
    // The last number is the usual length of such a text, in words: in a longer one each word weighs less.
    add(&document.name, weight::NAME, 2.0);
    add(&document.parents, weight::PARENT, 2.0);
    add(&document.alias_terms, weight::ALIAS, 3.0);
    add(&document.summary, weight::SUMMARY, 5.0);
    if let Some(above) = above {
        add(above, weight::INHERITED, 5.0);
    }
    add(&document.rest, weight::REST, 60.0);
    add(&document.examples, weight::EXAMPLES, 80.0);
    add(&document.positionals, weight::POSITIONAL, 6.0);
    add(&document.said, weight::SAID, 60.0);
    let mut names = Terms::default();
    let mut help = Terms::default();
    let all = document.flags.iter().map(|place| &flags[*place as usize]);
    for flag in all.filter(|flag| flag.own) {
        names.plain.extend(flag.name.iter());
        help.plain.extend(flag.help.iter());
    }
    add(&names, weight::FLAG_NAME, 30.0);
    add(&help, weight::FLAG_HELP, 150.0);
    found
}

fn by_term(words: &[(Term, Posting)], terms: usize) -> (Vec<u32>, Vec<Posting>) {
    let mut starts = vec![0u32; terms + 1];
    for (term, _) in words {
        starts[*term as usize + 1] += 1;
    }
    for at in 0..terms {
        starts[at + 1] += starts[at];
    }
    let mut next = starts.clone();
    let mut postings = vec![Posting { at: 0, impact: 0.0 }; words.len()];
    for (term, posting) in words {
        let slot = &mut next[*term as usize];
        postings[*slot as usize] = *posting;
        *slot += 1;
    }
    (starts, postings)
}

/// Everything that somebody may type to call a tool.
fn lines(documents: &[SearchedTool]) -> HashMap<String, Vec<u32>> {
    let mut lines: HashMap<String, Vec<u32>> = HashMap::new();
    for (at, document) in (0..).zip(documents) {
        let mut add = |line: String| {
            let tools = lines.entry(line).or_default();
            if !tools.contains(&at) {
                tools.push(at);
            }
        };
        let path = || document.path.iter().map(String::as_str);
        let program = document.program.as_str();
        add(plain_line([document.tool_name.as_str()]));
        add(plain_line(std::iter::once(program).chain(path())));
        if !document.path.is_empty() {
            add(plain_line(path()));
        }
        for other in &document.others {
            let words = || other.iter().map(String::as_str);
            add(plain_line(words()));
            add(plain_line(std::iter::once(program).chain(words())));
        }
        for alias in &document.aliases {
            let parents = path().take(document.path.len().saturating_sub(1));
            let words = parents.chain(std::iter::once(alias.as_str()));
            let words: Vec<&str> = words.collect();
            add(plain_line(words.iter().copied()));
            add(plain_line(std::iter::once(program).chain(words)));
        }
    }
    lines
}

fn entries(
    documents: Vec<SearchedTool>,
    programs: &[String],
    same: &[Option<u32>],
) -> Vec<IndexedTool> {
    let program_of = |document: &SearchedTool| {
        let at = programs.iter().position(|p| *p == document.program)?;
        u16::try_from(at).ok()
    };
    let owners: Vec<Option<u16>> = documents.iter().map(program_of).collect();
    let mut sizes = vec![0usize; programs.len()];
    for owner in owners.iter().flatten() {
        sizes[usize::from(*owner)] += 1;
    }
    let mut parents: HashSet<(Option<u16>, Vec<String>)> = HashSet::new();
    for (document, owner) in documents.iter().zip(&owners) {
        for length in 0..document.path.len() {
            parents.insert((*owner, document.path[..length].to_vec()));
        }
    }
    let mut names: HashSet<(Option<u16>, &[String], &[Term])> = HashSet::new();
    for (document, owner) in documents.iter().zip(&owners) {
        if let Some((_, above)) = document.path.split_last() {
            names.insert((*owner, above, &document.name.plain));
        }
    }
    let is_variant = |(document, owner): (&SearchedTool, &Option<u16>)| {
        let name = &document.name.plain;
        let Some((_, above)) = document.path.split_last().filter(|_| name.len() > 1) else {
            return false;
        };
        let mut parts = (1..name.len().min(8)).flat_map(|length| name.windows(length));
        parts.any(|part| names.contains(&(*owner, above, part)))
    };
    let variants: Vec<bool> = documents.iter().zip(&owners).map(is_variant).collect();
    let mut seen = vec![0usize; programs.len()];
    let make = |(at, (document, owner)): (usize, (SearchedTool, Option<u16>))| {
        let place = owner.map_or(0.0, |owner| {
            let owner = usize::from(owner);
            seen[owner] += 1;
            (seen[owner] - 1) as f32 / sizes[owner].max(1) as f32
        });
        IndexedTool {
            program: owner,
            name: match document.name.plain[..] {
                [term] => Some(term),
                _ => None,
            },
            depth: document.path.len(),
            parent: owner.is_some() && parents.contains(&(owner, document.path)),
            path: document
                .parents
                .plain
                .iter()
                .chain(&document.name.plain)
                .copied()
                .collect(),
            summary: document.summary.plain,
            flags: document.flags,
            effect: document.effect,
            doubtful: document.doubtful,
            required: document.required,
            same_as: same[at],
            variant: variants[at],
            place,
        }
    };
    documents
        .into_iter()
        .zip(owners)
        .enumerate()
        .map(make)
        .collect()
}
