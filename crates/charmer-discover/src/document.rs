//! A program that says what it is: it is asked for its document, and what that says refines and restricts.
//!
//! Only a program whose own file has the word for it in it is asked before its help is read, and a script whose help shows
//! commands afterwards, for the word may stand in the package behind it. Any other might take the word for the name of
//! something to make.
//!
//! What a document says of effects narrows what is thought of them and never widens it. A command of which nothing is known
//! may be said to read: then it is run without the right to write, as all that reads is, and without the network, where
//! nobody could keep it from writing. A claim that a flag is harmless counts for nothing.

use std::path::{Path, PathBuf};

use charmer_core::{
    assessment::Assessment,
    model::{
        Arguments, Cli, Command, CommandPath, DOCUMENT_COMMAND, Document, Effect, Flag,
        GivenEffect, Network, SingleDash,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    DiscoveryWarning, Origin, Provenance,
    family::read_texts,
    probe::{ProbeAnswer, Prober},
};

/// The evidence for an effect that only the program itself speaks of.
const SAYS_SO: &str = "the program says so";
/// The fields of a command that a document may fill.
const COMMAND_FIELDS: [&str; 4] = ["about", "usage", "arguments", "runnable"];
/// The same of a flag.
const FLAG_FIELDS: [&str; 5] = ["type", "help", "default", "enum", "required"];

/// A program's own words on itself beyond its commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Said {
    /// The file that says it; `None` where the program does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The name for its server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Instructions for assistants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// JSON Schemas of what commands print.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<(CommandPath, Value)>,
}

/// The files in which the document of a program may lie that does not print one itself: `NAME.charmer.yaml` beside it as
/// it is called, and beside the file that links lead to.
pub fn document_files(program: &Path) -> Vec<PathBuf> {
    let beside = |program: &Path| {
        let name = program.file_name()?.to_string_lossy();
        let name = name.strip_suffix(".exe").unwrap_or(&name);
        Some(program.with_file_name(format!("{name}.charmer.yaml")))
    };
    let real = program.canonicalize().ok();
    let mut files: Vec<PathBuf> = beside(program).into_iter().collect();
    files.extend(real.as_deref().and_then(beside));
    files.dedup();
    files
}

/// A program as its document states it.
pub(crate) struct Stated {
    pub(crate) cli: Cli,
    pub(crate) family: String,
    pub(crate) said: Said,
    pub(crate) assessment: Assessment,
    pub(crate) provenance: Provenance,
    pub(crate) warnings: Vec<DiscoveryWarning>,
}

/// Asks a program for its document; `None` if it prints none, an error if it prints one that cannot be read.
pub(crate) async fn ask(prober: &Prober) -> Option<(ProbeAnswer, Result<Document, String>)> {
    let answer = prober.run(&[DOCUMENT_COMMAND]).await;
    let text = answer.stdout.trim();
    if !answer.succeeded() || !text.starts_with('{') || !text.contains("\"charmer\"") {
        return None;
    }
    let read = match answer.cut {
        true => Err("it is too long".to_owned()),
        false => serde_json::from_str(text)
            .map_err(|error| error.to_string())
            .and_then(|said| Document::from_json(said).map_err(|error| error.to_string())),
    };
    Some((answer, read))
}

/// Takes a document at its word as far as that does not widen anything.
pub(crate) fn take(document: Document, file: Option<PathBuf>) -> Stated {
    let mut cli = document.cli;
    if document.framework == "cobra" {
        read_texts(&mut cli.root);
    }
    // Thought of by its names alone, as any other program is.
    let mut assessment = Assessment::of(&cli);
    let mut provenance = Provenance::default();
    restrict(&mut cli.root, &CommandPath::root(), &mut assessment);
    cli.share_flags();
    cli.walk(&mut |path, lineage| {
        let command = *lineage.last().expect("a lineage is not empty");
        for field in COMMAND_FIELDS {
            provenance.said_by(Origin::Program, path, None, field);
        }
        for flag in &command.flags {
            for field in FLAG_FIELDS {
                provenance.said_by(Origin::Program, path, Some(&flag.id), field);
            }
        }
    });
    let warnings = document.unknown.iter().map(|key| {
        let message = format!("what it says of itself has {key}, which means nothing here");
        DiscoveryWarning::new(CommandPath::root(), message)
    });
    Stated {
        warnings: warnings.collect(),
        family: document.framework,
        said: Said {
            file,
            name: document.name,
            instructions: document.instructions,
            outputs: document.outputs.into_iter().collect(),
        },
        cli,
        assessment,
        provenance,
    }
}

fn restrict(command: &mut Command, path: &CommandPath, assessment: &mut Assessment) {
    let thought = assessment.command_mut(path);
    let claimed = command.hints.effect;
    let effect = match (thought.effect, claimed) {
        (thought, Effect::Unknown) => thought,
        (Effect::Unknown, claimed) => claimed,
        (thought, claimed) => thought.max(claimed),
    };
    let unfounded = thought.effect == Effect::Unknown && effect == Effect::Read;
    if effect != thought.effect {
        thought.evidence = vec![SAYS_SO.to_owned()];
        // What only the program says to read is not thought to: whoever runs it sees to it.
        if !unfounded {
            thought.effect = effect;
        }
    }
    command.hints.effect = effect;
    let network = command
        .hints
        .network
        .filter(|network| *network == Network::None);
    command.hints.network = network.or(unfounded.then_some(Network::None));
    for flag in &mut command.flags {
        let writes = thought.writes.contains_key(&flag.id);
        restrict_flag(flag, writes);
    }
    if let Arguments::Listed(listed) = &mut command.arguments {
        for positional in listed {
            positional.effect = positional.effect.take().and_then(raised);
            positional.external = false;
        }
    }
    for child in &mut command.commands {
        let path = path.child(child.name.as_str());
        restrict(child, &path, assessment);
    }
}

fn restrict_flag(flag: &mut Flag, is_thought_to_write: bool) {
    let effect = flag.effect.take().and_then(raised);
    // What is thought to write always does not do so with some values only.
    flag.effect = effect.filter(|effect| !is_thought_to_write || effect.any.is_some());
    flag.previews = None;
    // Nothing that does more than read is given by ourselves, and no flag is spelled by another's value or opposite.
    if flag.effect.is_some() || is_thought_to_write {
        flag.asks_for_json = None;
    }
    let opposite = |negation: &String| {
        let long = flag.long.as_deref().unwrap_or_default();
        negation.strip_prefix("no-") == Some(long) || long.strip_prefix("no-") == Some(negation)
    };
    flag.negation = flag.negation.clone().filter(opposite);
    flag.hidden |= flag.single_dash == Some(SingleDash::Glued);
    flag.redirects = flag.redirects.filter(|redirects| *redirects);
}

/// Returns what is left of a claim on a flag's effect: that it does more.
fn raised(said: GivenEffect) -> Option<GivenEffect> {
    let more = |effect: &Effect| matches!(effect, Effect::Write | Effect::Destroy);
    let mut raised = GivenEffect::default();
    raised.any = said.any.filter(more);
    let values = said.values.into_iter();
    // A value that is said to do less than any other is not told apart.
    raised.values = values
        .filter(|(_, effect)| {
            effect.is_some_and(|effect| Some(effect) >= raised.any && more(&effect))
        })
        .collect();
    (raised != GivenEffect::default()).then_some(raised)
}
