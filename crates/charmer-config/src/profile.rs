//! A profile: what is known of one program, in a file of its own.

use std::collections::BTreeSet;

use charmer_core::model::{Cli, CommandPath};

use crate::{
    ApplyReport, Diagnostics, Finding, ModelMismatch, SourceEntry, parse,
    reading::{self, TextRead},
    versions::Versions,
};

/// The knowledge of a program that its help does not give, in the words of a source of `charmer.yaml`.
///
/// Of a source's keys a profile has those that speak of the program, and none that speak of whoever serves it (`folder`,
/// `select`, `set` and the like). Its own are `program`, `versions`,
/// `asked_like`, `unlisted` and `unasked`.
///
/// ```
/// use charmer_config::Profile;
///
/// let text = "
/// program: ship
/// versions: '>=2.1, <4'
/// network: tcp
/// credentials: [~/.ship]
/// common: [status, load]
/// override:
///   load: {effect: write, flags: {force: {effect: destroy}}}
/// ";
/// let profile = Profile::parse(text, "ship.yaml").unwrap();
/// assert_eq!(profile.programs, ["ship"]);
/// assert!(profile.speaks_of("3.2.1") && !profile.speaks_of("4.0"));
///
/// let mistakes = Profile::parse("program: ship\nnetwork: nnoe\n", "ship.yaml").unwrap_err();
/// assert_eq!((mistakes[0].line, mistakes[0].hint.as_deref()), (2, Some("did you mean `none`?")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Profile {
    /// The names of the program's file, the usual one first.
    pub programs: Vec<String>,
    /// The versions that it was written for; any, if it does not say.
    pub versions: Option<Versions>,
    /// The program whose commands people ask for in the same words, where both have a command.
    pub asked_like: Option<String>,
    /// Options that the program takes and lists in no help.
    pub unlisted: Vec<UnlistedEntry>,
    /// Commands that are not asked for their help, because they would take the question for something else.
    pub unasked: Vec<String>,
    /// The source entry that says it.
    pub source: SourceEntry,
}

/// Options that no help lists: an entry of `unlisted`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnlistedEntry {
    /// Texts in the help of a command that takes them: any of these texts, or of those that `&` joins all.
    pub shown_by: Vec<String>,
    /// The options, a line for each, as help would have them: `-n, --count=<number>  How many`.
    pub options: Vec<String>,
}

impl Profile {
    /// The keys of the file.
    pub const KEYS: &'static [&'static str] = parse::profile::PROFILE;

    /// Reads a profile's text. `file` is the name that mistakes are shown with.
    pub fn parse(text: &str, file: &str) -> Result<Self, Diagnostics> {
        let read = reading::read(text, file, parse::profile::profile);
        match (read.mistakes, read.value) {
            (None, Some(profile)) => Ok(profile),
            (Some(mistakes), _) => Err(mistakes),
            (None, None) => unreachable!("a reader that finds nothing says why"),
        }
    }

    /// Shows what was found out about a valid text where it stands.
    pub fn diagnose(text: &str, file: &str, findings: &[Finding]) -> TextRead<()> {
        reading::read(text, file, |tree, problems| {
            parse::profile::profile(tree, problems);
            parse::show(tree, problems, findings);
            Some(())
        })
    }

    /// Returns true if a text is meant to be a profile: it has the key `program`.
    pub fn is_one(text: &str) -> bool {
        let read = reading::read(text, "", |tree, _| {
            parse::has_key(tree, "program").then_some(())
        });
        read.value.is_some()
    }

    /// The programs that a text is about, as far as it can be read: also where something else in it is wrong.
    pub fn programs_of(text: &str) -> Vec<String> {
        let read = reading::read(text, "", |tree, problems| {
            let fields = problems.fields(tree, "profile", parse::profile::PROFILE)?;
            parse::profile::programs(&fields, problems)
        });
        read.value.unwrap_or_default()
    }

    /// Returns true if it was written for this version of the program.
    pub fn speaks_of(&self, version: &str) -> bool {
        let versions = self.versions.as_ref();
        versions.is_none_or(|versions| versions.include(version))
    }

    /// The commands whose effect it says, by their own names.
    pub fn covered(&self, cli: &Cli) -> BTreeSet<CommandPath> {
        let resolved = self.source.resolved(cli, &mut Vec::new());
        let said = resolved.into_iter();
        said.filter(|(_, _, command)| command.effect.is_some())
            .map(|(path, ..)| path)
            .collect()
    }

    /// Puts what it says into a program's model, as far as the program has what it speaks of; the rest is told.
    pub fn apply(&self, cli: &mut Cli) -> (ApplyReport, Vec<ModelMismatch>) {
        let (report, mut mismatches) = self.source.apply_what_fits(cli);
        mismatches.extend(self.source.unknown_commands(cli));
        (report, mismatches)
    }
}
