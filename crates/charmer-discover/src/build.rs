//! From sketches to the model: flags put where they belong, fields settled, and where each was seen kept.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use charmer_core::{
    model::{
        Choice, Cli, Command, CommandPath, Flag, FlagValue, Listing, Pool, Repetition, Shared,
        Syntax, ValueType,
    },
    text::shorten,
};
use serde::{Deserialize, Serialize};

use crate::{
    fact::{Fact, Origin, Source},
    family::Sketches,
    flag_places::FlagPlaces,
    sketch::{CommandSketch, FlagScope, FlagSketch, KindSketch},
};

/// The number of bytes of one text that are kept: more than any program has to say of a command.
const LONGEST: usize = 64 << 10;

/// The number of bytes of a heading that are kept.
const LONGEST_HEADING: usize = 120;

/// The source of every field of a program's model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Provenance(BTreeMap<String, CommandOrigins>);

/// The sources of a command's fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CommandOrigins {
    /// Its own fields, by name.
    pub fields: Sources,
    /// The fields of its flags, by the flag's id.
    pub flags: BTreeMap<String, Sources>,
}

/// The sources of fields, by their names. Most flags of a program say the same.
pub type Sources = Shared<BTreeMap<String, Source>>;

impl Provenance {
    /// Returns true if nothing is known of where anything was seen.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The sources of a command's fields.
    pub fn command(&self, path: &CommandPath) -> Option<&CommandOrigins> {
        self.0.get(&path.to_string())
    }

    /// Notes that `charmer.yaml` said something: of a command's field, or of a flag's.
    pub fn overridden(&mut self, path: &CommandPath, flag: Option<&str>, field: &str) {
        self.said_by(Origin::Override, path, flag, field);
    }

    /// Notes that a profile said something.
    pub fn profiled(&mut self, path: &CommandPath, flag: Option<&str>, field: &str) {
        self.said_by(Origin::Profile, path, flag, field);
    }

    /// Notes whoever said something.
    pub(crate) fn said_by(
        &mut self,
        origin: Origin,
        path: &CommandPath,
        flag: Option<&str>,
        field: &str,
    ) {
        let source = Source {
            origin,
            sure: origin.usual(),
        };
        let command = self.0.entry(path.to_string()).or_default();
        let fields = match flag {
            Some(flag) => command.flags.entry(flag.to_owned()).or_default(),
            None => &mut command.fields,
        };
        fields.insert(field.to_owned(), source);
    }
}

/// Makes the model of the commands that a walk has found, which may not be all yet, in the order in which their parents
/// list them.
pub(crate) fn build(
    mut sketches: Sketches,
    order: &BTreeMap<CommandPath, Vec<String>>,
    program: &str,
    syntax: Syntax,
    home: &str,
    most_flags: usize,
) -> (Cli, Provenance) {
    place_inherited(&mut sketches, most_flags);
    let named = sketches
        .get_mut(&CommandPath::root())
        .and_then(|root| root.program.take());
    let repeated = repeated(&sketches);
    let mut provenance = Provenance::default();
    let mut builder = CommandBuilder {
        sketches,
        order,
        provenance: &mut provenance,
        home,
        flags: Pool::default(),
        sources: Pool::default(),
    };
    let mut root = builder.command(&CommandPath::root());
    root.name = named.unwrap_or_else(|| program.to_owned());
    mark_repeated(&mut root, repeated);
    (Cli::new(root, syntax), provenance)
}

/// Moves flags that a command inherits to the ancestor that owns them. Where that has as many as a command may have, they
/// stay where they are shown.
pub(crate) fn place_inherited(sketches: &mut Sketches, most: usize) {
    let paths: Vec<CommandPath> = sketches.keys().cloned().collect();
    // Of commands that have others below them: every command asks for each of its flags where it belongs.
    let mut places: HashMap<CommandPath, FlagPlaces> = HashMap::new();
    for path in &paths {
        let parents = path.words().split_last().map(|(_, parents)| parents);
        let ancestors = parents.map_or(0..0, |parents| 0..parents.len() + 1);
        for length in ancestors {
            let ancestor: CommandPath = path.words()[..length].iter().cloned().collect();
            if let Some(sketch) = sketches.get(&ancestor)
                && !places.contains_key(&ancestor)
            {
                places.insert(ancestor, FlagPlaces::of(&sketch.flags));
            }
        }
    }
    for path in paths {
        let Some(sketch) = sketches.get_mut(&path) else {
            continue;
        };
        let inherits = |flag: &FlagSketch| {
            flag.scope
                .as_ref()
                .is_some_and(|scope| scope.value == FlagScope::Inherited)
        };
        if path.is_root() {
            for flag in sketch.flags.iter_mut().filter(|flag| inherits(flag)) {
                if let Some(scope) = &mut flag.scope {
                    scope.value = FlagScope::Global;
                }
            }
            continue;
        }
        let inherited = sketch.flags.take(inherits);
        let mut kept = Vec::new();
        for flag in inherited {
            let mut flag = flag.into_inner();
            let source = flag.scope.take().map(|scope| scope.source);
            let words = path.words();
            let owner = (0..words.len())
                .rev()
                .map(|length| words[..length].iter().cloned().collect::<CommandPath>())
                .find(|ancestor| places.get(ancestor).is_some_and(|own| own.has(&flag)))
                .unwrap_or_default();
            let (Some(sketch), Some(own)) = (sketches.get_mut(&owner), places.get_mut(&owner))
            else {
                continue;
            };
            // Whether it is required is for each command to say.
            flag.required = None;
            let global = source.map(|source| Fact {
                value: FlagScope::Global,
                source,
            });
            match own.place(&flag) {
                Some(at) => {
                    let known = &mut sketch.flags[at];
                    known.merge(flag);
                    known.scope = global;
                    own.add(known, at);
                }
                None if sketch.flags.len() < most => {
                    flag.scope = global;
                    own.add(&flag, sketch.flags.len());
                    sketch.flags.push(flag);
                }
                None => kept.push(flag),
            }
        }
        if let Some(sketch) = sketches.get_mut(&path) {
            sketch.flags.append(&mut kept);
            if let Some(own) = places.get_mut(&path) {
                *own = FlagPlaces::of(&sketch.flags);
            }
        }
    }
}

/// The things that the commands of a program are built with.
struct CommandBuilder<'a> {
    /// Those that are not built yet: each is gone when the model has it, so that no program is in memory twice.
    sketches: Sketches,
    order: &'a BTreeMap<CommandPath, Vec<String>>,
    provenance: &'a mut Provenance,
    home: &'a str,
    /// Flags that were built, so that those that are alike become one.
    flags: Pool<Flag>,
    /// The same for where their fields were seen.
    sources: Pool<BTreeMap<String, Source>>,
}

impl CommandBuilder<'_> {
    fn command(&mut self, path: &CommandPath) -> Command {
        let (order, home) = (self.order, self.home);
        let Some(sketch) = self.sketches.remove(path) else {
            return Command::default();
        };
        let mut origins = CommandOrigins::default();
        let mut note = |field: &str, source: Option<Source>| {
            if let Some(source) = source {
                origins.fields.insert(field.to_owned(), source);
            }
        };
        let mut built = Command::new(path.words().last().cloned().unwrap_or_default());
        let text = |fact: &Option<Fact<String>>| fact.as_ref().map(|fact| told(&fact.value, home));
        built.aliases.clone_from(&sketch.aliases);
        built.about = text(&sketch.about);
        built.long_about = text(&sketch.long_about);
        built.examples = text(&sketch.examples);
        built.usage = text(&sketch.usage);
        built.deprecated = text(&sketch.deprecated);
        note("about", sketch.about.as_ref().map(|fact| fact.source));
        note("usage", sketch.usage.as_ref().map(|fact| fact.source));
        note(
            "deprecated",
            sketch.deprecated.as_ref().map(|fact| fact.source),
        );
        note(
            "arguments",
            sketch.arguments.as_ref().map(|fact| fact.source),
        );
        note("groups", sketch.groups.first().map(|fact| fact.source));
        if let Some(arguments) = &sketch.arguments {
            built.arguments = arguments.value.clone();
        }
        let listings = listings(&sketch);
        for name in order.get(path).into_iter().flatten() {
            let child = path.child(name.as_str());
            if self.sketches.contains_key(&child) {
                let mut below = self.command(&child);
                if let Some((listing, source)) = listings.get(name.as_str()) {
                    below.listing = Some(listing.clone());
                    let origins = self.provenance.0.entry(child.to_string()).or_default();
                    origins.fields.insert("listing".to_owned(), *source);
                }
                built.commands.push(below);
            }
        }
        built.runnable = match &sketch.runnable {
            Some(runnable) => {
                note("runnable", Some(runnable.source));
                runnable.value
            }
            None => built.commands.is_empty(),
        };
        built.stands_alone = sketch.stands_alone;
        if let Some(excludes) = &sketch.excludes_subcommands {
            built.arguments_exclude_subcommands = excludes.value;
            note("arguments_exclude_subcommands", Some(excludes.source));
        }
        if let Some(end) = &sketch.options_end_behind {
            built.options_end_behind = Some(end.value);
            note("options_end_behind", Some(end.source));
        }
        if let Some(dashes) = &sketch.double_dash {
            built.double_dash = Some(dashes.value);
            note("double_dash", Some(dashes.source));
        }
        let mut ids = BTreeSet::new();
        for flag in &sketch.flags {
            let (flag, fields) = self::flag(flag, home);
            let version = path.is_root() && is_version(&flag);
            if is_help(&flag) || version || flag.id.is_empty() || !ids.insert(flag.id.clone()) {
                continue;
            }
            let mut fields = Shared::from(fields);
            let key = source_key(&fields);
            self.sources.share(&mut fields, key);
            origins.flags.insert(flag.id.clone(), fields);
            let mut flag = Shared::from(flag);
            let key = (flag.id.clone(), flag.help.clone());
            self.flags.share(&mut flag, key);
            built.flags.push(flag);
        }
        built.groups = sketch
            .groups
            .iter()
            .map(|group| group.value.clone())
            .filter(|group| group.members.len() > 1)
            .collect();
        // In the same order, in whatever order they were found.
        built.groups.sort();
        let key = source_key(&origins.fields);
        self.sources.share(&mut origins.fields, key);
        self.provenance.0.insert(path.to_string(), origins);
        built
    }
}

/// A key for sources that are alike.
fn source_key(sources: &BTreeMap<String, Source>) -> Vec<(String, u8)> {
    let each = sources.iter();
    each.map(|(field, source)| (field.clone(), source.sure))
        .collect()
}

/// The places of the commands that a help page lists, by their names.
fn listings(sketch: &CommandSketch) -> HashMap<&str, (Listing, Source)> {
    let listed = sketch.children.iter().filter_map(|child| {
        let heading = child.listed.as_ref()?;
        Some((child.name.as_str(), heading))
    });
    let places = listed.enumerate().map(|(place, (name, heading))| {
        let group = shorten(&heading.value, LONGEST_HEADING);
        (name, (Listing::new(place, group), heading.source))
    });
    places.collect()
}

/// A text as it can be told, on any machine and at a bearable length.
fn told(text: &str, home: &str) -> String {
    shorten(text, LONGEST).replace(home, "$HOME")
}

/// Every program has it, and no assistant needs it.
fn is_help(flag: &Flag) -> bool {
    match &flag.long {
        Some(long) => long == "help",
        None => {
            let text = flag.help.as_deref().unwrap_or_default().to_lowercase();
            matches!(flag.short, Some('h' | '?'))
                && (text.contains("help") || text.contains("usage"))
        }
    }
}

/// The switch that shows the program's version; it would be offered with every command.
fn is_version(flag: &Flag) -> bool {
    flag.long.as_deref() == Some("version") && flag.is_switch()
}

fn flag(sketch: &FlagSketch, home: &str) -> (Flag, BTreeMap<String, Source>) {
    let mut fields = BTreeMap::new();
    let mut note = |field: &str, source: Source| {
        fields.insert(field.to_owned(), source);
    };
    let mut flag = Flag::new(sketch.id());
    flag.long.clone_from(&sketch.long);
    flag.short = sketch.short;
    flag.aliases.clone_from(&sketch.aliases);
    flag.short_aliases.clone_from(&sketch.short_aliases);
    flag.negation.clone_from(&sketch.negation);
    flag.allow_hyphen = sketch.allow_hyphen;
    flag.single_dash = sketch.single_dash;
    flag.behind_positionals = sketch.behind_positionals;
    let kind = match &sketch.kind {
        Some(kind) => {
            note("type", kind.source);
            kind.value.clone()
        }
        None => KindSketch::switch(),
    };
    flag.value = kind.value;
    flag.value_type = kind.value_type;
    flag.repetition = kind.repetition;
    if let Some(default) = &sketch.default {
        note("default", default.source);
        let defaults = default.value.iter();
        flag.default = defaults.map(|text| text.replace(home, "$HOME")).collect();
    }
    if let Some(choices) = sketch
        .choices
        .as_ref()
        .filter(|choices| closes(&flag, choices))
    {
        note("enum", choices.source);
        flag.choices.clone_from(&choices.value);
    }
    // A number or one of a few words is hardly meant twice.
    let text = matches!(flag.value_type, ValueType::String | ValueType::Path);
    let one = flag.repetition == Repetition::Single && flag.value == FlagValue::Required;
    let open = text && one && flag.choices.is_empty();
    flag.may_repeat = sketch.may_repeat && (open || flag.is_switch());
    if let Some(required) = &sketch.required {
        note("required", required.source);
        flag.required = required.value;
    }
    if let Some(scope) = &sketch.scope {
        note("global", scope.source);
        flag.global = scope.value == FlagScope::Global;
    }
    if let Some(deprecated) = &sketch.deprecated {
        note("deprecated", deprecated.source);
        flag.deprecated = Some(deprecated.value.clone());
    }
    if let Some(env) = &sketch.env {
        note("env", env.source);
        flag.env = Some(env.value.clone());
    }
    if let Some(help) = &sketch.help {
        note("help", help.source);
        let mut text = told(&help.value, home);
        if !sketch.suggestions.is_empty() && flag.choices.is_empty() {
            let listed = sketch.suggestions.join(", ");
            if !text.contains(&listed) {
                text = format!("{text} (for example {listed})").trim().to_owned();
            }
        }
        flag.help = Some(text);
    }
    (flag, fields)
}

/// Returns true if a list of values can be all that a flag takes. `(ns|us|ms)` behind a length of time are units, and a
/// list without the default is a list of something else.
fn closes(flag: &Flag, choices: &Fact<Vec<Choice>>) -> bool {
    let listed = |text: &String| choices.value.iter().any(|choice| choice.value == *text);
    let measured = matches!(
        flag.value_type,
        ValueType::Duration | ValueType::Integer { .. } | ValueType::Number | ValueType::Count
    );
    !measured && flag.default.iter().all(listed)
}

/// Commands that are there under several paths, each with the one that stands for all: the first of the shortest.
fn repeated(sketches: &Sketches) -> Vec<(CommandPath, CommandPath)> {
    let pairs = sketches.iter().filter_map(|(path, sketch)| {
        let all = sketch
            .same_as
            .iter()
            .filter(|other| sketches.contains_key(other));
        let first = all
            .chain([path])
            .min_by_key(|path| (path.words().len(), *path))?;
        (first != path).then(|| (path.clone(), first.clone()))
    });
    pairs.collect()
}

/// Notes of each of them which one stands for it.
fn mark_repeated(root: &mut Command, repeated: Vec<(CommandPath, CommandPath)>) {
    for (path, first) in repeated {
        let command = path.words().iter().try_fold(&mut *root, |command, word| {
            command
                .commands
                .iter_mut()
                .find(|child| child.name == *word)
        });
        if let Some(command) = command {
            command.same_as = Some(first);
        }
    }
}
