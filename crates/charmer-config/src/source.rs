//! The key `sources`: the programs and spells that are served, and what their children see.

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use charmer_core::{
    model::{Flag, Network},
    select::names_flag,
    tool::Layout,
};
use serde::{Serialize, Serializer, ser::SerializeMap};

use crate::{
    AskEntry, CommandOverride, Confine, DraftedCalls, Expectation, HookRules, Knowledge, Pinned,
    Position, Secret, SelectEntry, knowledge::fill,
};

/// One entry of `sources`.
///
/// ```
/// # use charmer_config::{Config, SourceKind};
/// let text = "
/// sources:
///   - binary: docker
///     prefix: d
///     layout: flat
///     folder: /srv
///     mcp_mode: false
///     network: socket
///     credentials: [~/.docker]
///     confine: auto
///     set: {context: staging}
///     undone_by: {context: [host]}
///     environment: {inherit: [PATH, HOME], set: {DOCKER_CLI_HINTS: false}}
///     hooks: {before: [./policy.py]}
///     select:
///       - commands: {exclude_containing: [rm, prune]}
///     expect: [{allow: ps --all}, {deny: system prune}]
/// ";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].origin, SourceKind::Binary("docker".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct SourceEntry {
    /// The origin of its tools.
    pub origin: SourceKind,
    /// Replaces the program's name in tool names; empty for no prefix at all.
    pub prefix: Option<String>,
    /// The way input is laid out.
    pub layout: Layout,
    /// The environment of its children.
    pub environment: EnvironmentRules,
    /// The folder that its children run in, whatever folder their caller works in; the caller's, or else the server's, if
    /// it is not set. It was the key `directory` once.
    pub folder: Option<PathBuf>,
    /// Its children see `MCP_MODE=true`.
    pub mcp_mode: bool,
    /// The program's own completion is asked when a client completes an argument of a prompt.
    pub completion: Completion,
    /// Only commands that read are served, without the flags that write.
    pub read_only: bool,
    /// The redirecting flags that come back; the others are left out.
    pub redirects: Redirects,
    /// The network that its commands may reach beyond their process; where it is not set, that is assumed to be
    /// everything.
    pub network: Option<Network>,
    /// The files and folders of secrets that are the program's own, and within its reach when it is confined.
    pub credentials: Option<Vec<PathBuf>>,
    /// Its calls that are meant to read are run without the right to write; see the key of the same name at the top.
    pub confine: Confine,
    /// Flags that are in every command line and in no schema, by name, with or without dashes.
    pub set: BTreeMap<String, Pinned>,
    /// Flags that take away what a pinned flag restricts, by the name of the pinned one: they are withheld while it is pinned.
    pub undone_by: BTreeMap<String, Vec<String>>,
    /// The programs that are asked about its calls, within those of the file.
    pub hooks: HookRules,
    /// The calls of it that a person must allow, where no selector says it.
    pub ask: Vec<AskEntry>,
    /// The calls of it that are drafts, whatever was asked for; those that the file says, if it is not set.
    pub drafts: Option<DraftedCalls>,
    /// The further knowledge of it.
    pub known: Knowledge,
    /// The corrections and additions, by command: the key `override`. Paths are written with or without the program's
    /// name.
    pub overrides: BTreeMap<String, CommandOverride>,
    /// The selectors of the commands that become tools; the first that matches decides. Empty for all.
    pub select: Vec<SelectEntry>,
    /// Its place in the file.
    pub position: Position,
    /// Command lines that must, or must not, get through; `charmer check` tries them.
    pub expect: Vec<Expectation>,
    /// The same source as an included file has it: what that refuses stays refused.
    pub baseline: Option<Arc<Self>>,
}

impl SourceEntry {
    /// This source, and where it says nothing, what a profile says: lists as a whole, mappings entry by entry. The
    /// profile's corrections stay with it: they are [put into the model](crate::Profile::apply) before these. So do its
    /// network and its credentials, which are told apart from what people have said.
    #[must_use]
    pub fn over(mut self, profile: &Self) -> Self {
        self.known = self.known.over(&profile.known);
        fill(&mut self.undone_by, &profile.undone_by);
        if self.redirects == Redirects::None {
            self.redirects = profile.redirects.clone();
        }
        self
    }
}

/// The origin of a source's tools: exactly one of the keys `binary` and `spells`. Of the other keys, spells have only
/// `read_only`, `hooks`, `ask` and `drafts`.
///
/// ```
/// # use charmer_config::{Config, SourceKind};
/// let config = Config::parse("sources: [{spells: ./spells}]", "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].origin, SourceKind::Spells("./spells".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum SourceKind {
    /// A program, by name or path.
    Binary(PathBuf),
    /// A directory of spells.
    Spells(PathBuf),
}

/// The key `completion` of a source: where the values come from that clients offer for the arguments of prompts.
///
/// ```
/// # use charmer_config::{Completion, Config};
/// let config = Config::parse("sources: [{binary: kubectl, completion: program}]", "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].completion, Completion::Program);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Completion {
    /// From lists of choices only: nothing is run.
    #[default]
    Choices,
    /// Also from the program's own completion, which is run for it and may ask the network.
    Program,
}

/// The key `redirects` of a source: `none`, `all`, or a list of names.
///
/// Flags that change where a program connects, who it is, which configuration it loads or which program it runs are left
/// out; this brings them back.
///
/// ```
/// # use charmer_config::Config;
/// # use charmer_core::model::Flag;
/// let config = Config::parse("sources: [{binary: ship, redirects: [context]}]", "charmer.yaml").unwrap();
/// let redirects = &config.sources[0].redirects;
/// assert!(redirects.lets_in(&Flag::new("context")) && !redirects.lets_in(&Flag::new("token")));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Redirects {
    /// They stay out.
    #[default]
    None,
    /// These come back.
    Only(Vec<String>),
    /// All come back.
    All,
}

impl Redirects {
    /// Returns true if a flag that redirects is offered all the same.
    pub fn lets_in(&self, flag: &Flag) -> bool {
        match self {
            Self::None => false,
            Self::Only(names) => names.iter().any(|name| names_flag(name, flag)),
            Self::All => true,
        }
    }

    /// Returns true if an argument of this name may have values that redirect.
    pub fn lets_in_values_of(&self, name: &str) -> bool {
        match self {
            Self::None => false,
            Self::Only(names) => names.iter().any(|one| one.trim_start_matches('-') == name),
            Self::All => true,
        }
    }
}

impl Serialize for Redirects {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::None => serializer.serialize_str("none"),
            Self::Only(names) => names.serialize(serializer),
            Self::All => serializer.serialize_str("all"),
        }
    }
}

/// The key `environment` of a source.
///
/// ```
/// # use charmer_config::{Config, Inherit};
/// let text = "sources: [{binary: gh, environment: {inherit: all, set: {NO_COLOR: 1}, remove: [DEBUG]}}]";
/// let config = Config::parse(text, "charmer.yaml").unwrap();
/// let environment = &config.sources[0].environment;
/// assert_eq!(environment.set["NO_COLOR"].reveal(), "1");
/// assert_eq!(environment.remove, ["DEBUG"]);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct EnvironmentRules {
    /// The variables of the server that are handed on.
    pub inherit: Inherit,
    /// Variables that are set, whatever the server's own say. Their values are often secrets.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub set: BTreeMap<String, Secret>,
    /// Variables that are not handed on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remove: Vec<String>,
}

/// The rule on the server's variables that children see.
///
/// ```
/// # use charmer_config::{Config, Inherit};
/// let config = Config::parse("sources: [{binary: gh, environment: {inherit: [PATH]}}]", "charmer.yaml").unwrap();
/// assert_eq!(config.sources[0].environment.inherit, Inherit::Only(vec!["PATH".into()]));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Inherit {
    /// All, less those that make loaders and interpreters run something else.
    #[default]
    All,
    /// Exactly these, whatever they do; an empty list hands on nothing.
    Only(Vec<String>),
}

impl Serialize for Inherit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::All => serializer.serialize_str("all"),
            Self::Only(names) => names.serialize(serializer),
        }
    }
}

impl Serialize for SourceEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.origin {
            SourceKind::Binary(path) => map.serialize_entry("binary", path)?,
            SourceKind::Spells(path) => {
                map.serialize_entry("spells", path)?;
                map.serialize_entry("read_only", &self.read_only)?;
                if !self.hooks.is_empty() {
                    map.serialize_entry("hooks", &self.hooks)?;
                }
                if !self.ask.is_empty() {
                    map.serialize_entry("ask", &self.ask)?;
                }
                if let Some(drafts) = &self.drafts {
                    map.serialize_entry("drafts", drafts)?;
                }
                return map.end();
            }
        }
        if let Some(prefix) = &self.prefix {
            map.serialize_entry("prefix", prefix)?;
        }
        let layout = match self.layout {
            Layout::Flat => "flat",
            Layout::Nested => "nested",
        };
        map.serialize_entry("layout", layout)?;
        map.serialize_entry("environment", &self.environment)?;
        if let Some(folder) = &self.folder {
            map.serialize_entry("folder", folder)?;
        }
        map.serialize_entry("mcp_mode", &self.mcp_mode)?;
        let completion = match self.completion {
            Completion::Choices => "choices",
            Completion::Program => "program",
        };
        map.serialize_entry("completion", completion)?;
        map.serialize_entry("read_only", &self.read_only)?;
        map.serialize_entry("redirects", &self.redirects)?;
        if let Some(network) = &self.network {
            map.serialize_entry("network", network)?;
        }
        if let Some(credentials) = &self.credentials {
            map.serialize_entry("credentials", credentials)?;
        }
        if self.confine != Confine::default() {
            map.serialize_entry("confine", &self.confine)?;
        }
        if !self.set.is_empty() {
            map.serialize_entry("set", &self.set)?;
        }
        if !self.undone_by.is_empty() {
            map.serialize_entry("undone_by", &self.undone_by)?;
        }
        if !self.hooks.is_empty() {
            map.serialize_entry("hooks", &self.hooks)?;
        }
        if !self.ask.is_empty() {
            map.serialize_entry("ask", &self.ask)?;
        }
        if let Some(drafts) = &self.drafts {
            map.serialize_entry("drafts", drafts)?;
        }
        let known = serde_json::to_value(&self.known).map_err(serde::ser::Error::custom)?;
        for (key, value) in known.as_object().into_iter().flatten() {
            map.serialize_entry(key, value)?;
        }
        if !self.overrides.is_empty() {
            map.serialize_entry("override", &self.overrides)?;
        }
        if !self.select.is_empty() {
            map.serialize_entry("select", &self.select)?;
        }
        if !self.expect.is_empty() {
            map.serialize_entry("expect", &self.expect)?;
        }
        map.end()
    }
}
