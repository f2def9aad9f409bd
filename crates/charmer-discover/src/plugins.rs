//! Commands that other programs add to one by their names: where `NAME-sub` is on PATH, `NAME sub` runs it.
//!
//! Help seldom lists them. Whether a program follows the convention is told by itself: asked for the help of such a
//! command it says something else than of a command that nobody has, in the same place. (`NAME-a-b` is none of a program
//! that has an `a` of its own and shows the help of that, whatever follows it.) Each is then read as the program that it is, through
//! the one that it belongs to, and only where probes are confined.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::Arc,
};

use charmer_core::model::CommandPath;
use futures_util::future::join_all;

use crate::{
    DiscoveryWarning, Gap, Surroundings,
    binary::Binary,
    discovery::{choose, looks_like_help},
    fact::{Fact, Origin},
    family::{Signs, printed},
    footing::plugin_files,
    probe::{ProbeAnswer, Prober},
    sketch::CommandSketch,
    walk::{Found, Walk},
};

/// No program of anybody adds this command.
const NO_COMMAND: &str = "charmer-no-such-command";
/// The ways to ask for help, the more usual first.
const REQUESTS: [&str; 2] = ["--help", "-h"];
/// Words in headings above commands that others add.
const OTHERS: [&str; 2] = ["plugin", "extension"];
/// The maximum number of plugins that are read.
const MOST: usize = 40;

/// Reads the commands that programs on PATH add to one that has been read.
pub(crate) async fn read(walk: &Walk, around: &Surroundings) {
    let (parent, page) = {
        let found = walk.lock();
        let root = found.commands.get(&CommandPath::root());
        let parent = root.is_some_and(|root| !root.children.is_empty());
        (parent, found.page.clone())
    };
    // What has no commands of its own gets none from others.
    if !parent {
        return;
    }
    let program = walk.prober.program();
    let mut candidates: Vec<PluginFile> = plugin_files(program, around)
        .into_iter()
        .filter_map(|file| PluginFile::new(program, file))
        .filter(|candidate| !walk.lock().has_any(&candidate.spellings))
        .collect();
    if candidates.is_empty() {
        return;
    }
    if !walk.prober.is_confined() {
        let names: Vec<String> = candidates.iter().map(PluginFile::name).collect();
        let message = format!(
            "programs that may add commands to it were not asked, because nothing would keep them from doing harm here: {}",
            names.join(", ")
        );
        let warning = DiscoveryWarning::new(CommandPath::root(), message);
        walk.lock().warnings.push(warning);
        return;
    }
    let unknown = unknown_below(walk, &[]).await;
    let left_out = candidates.len().saturating_sub(MOST);
    candidates.truncate(MOST);
    let mut known = 0;
    for candidate in candidates {
        known += usize::from(candidate.read(walk, &unknown, &page).await);
    }
    if left_out > 0 && known > 0 {
        let message = format!("{left_out} more programs that may add commands to it are not read");
        let warning = DiscoveryWarning::new(CommandPath::root(), message).gap(Gap::Lasting);
        walk.lock().warnings.push(warning);
    }
}

/// Asks the program for a command that nobody has, below these words: an answer for each request.
async fn unknown_below(walk: &Walk, above: &[String]) -> Vec<ProbeAnswer> {
    let mut words = above.to_vec();
    words.push(NO_COMMAND.to_owned());
    let strangers = walk.prober.with_words(&words, None);
    let ask = |request| {
        let strangers = strangers.clone();
        async move { strangers.run(&[request]).await }
    };
    join_all(REQUESTS.map(ask)).await
}

/// A program whose name says that it adds a command.
struct PluginFile {
    file: PathBuf,
    /// The words that may call it: `NAME-a-b` is `a-b`, or `b` below `a`, and an underscore may stand for a dash.
    spellings: Vec<Vec<String>>,
}

impl PluginFile {
    fn new(program: &Path, file: PathBuf) -> Option<Self> {
        let (whole, name) = (Binary::new(&file).name(), Binary::new(program).name());
        let rest = whole.strip_prefix(&format!("{name}-"))?;
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) || !rest.chars().all(plain) {
            return None;
        }
        let nested = rest.split('-').map(|word| word.replace('_', "-"));
        let mut spellings = vec![
            vec![rest.replace('_', "-")],
            vec![rest.to_owned()],
            nested.filter(|word| !word.is_empty()).collect(),
        ];
        let mut seen = BTreeSet::new();
        spellings.retain(|words| seen.insert(words.clone()));
        Some(Self { file, spellings })
    }

    fn name(&self) -> String {
        Binary::new(&self.file).name()
    }

    /// Reads it, if it is a command of the program; says whether it is.
    async fn read(self, walk: &Walk, unknown: &[ProbeAnswer], page: &str) -> bool {
        for words in &self.spellings {
            let prober = walk.prober.with_words(words, Some(&self.name()));
            let (name, file) = (words.join(" "), self.name());
            let (first, last) = (words.first(), words.last());
            let mut named = None;
            let mut beside: Option<Vec<ProbeAnswer>> = None;
            for (at, (request, unknown)) in REQUESTS.iter().zip(unknown).enumerate() {
                let answer = prober.run(&[request]).await;
                let of_program = [Some(&name), first];
                if !is_known(&answer, &file, of_program, unknown) || printed(&answer) == page {
                    continue;
                }
                // What the command above says, whatever follows it, is not said of this one.
                if let [above @ .., _] = &words[..]
                    && !above.is_empty()
                {
                    if beside.is_none() {
                        beside = Some(unknown_below(walk, above).await);
                    }
                    let unknown = beside.iter().flatten().nth(at);
                    let known = |unknown| is_known(&answer, &file, [last, None], unknown);
                    if !unknown.is_some_and(known) {
                        continue;
                    }
                }
                if answer.succeeded() && looks_like_help(&answer) {
                    let found = self.walk(walk, prober.clone(), answer).await;
                    walk.lock().graft(&prober, words, found.unwrap_or_default());
                    return true;
                }
                named.get_or_insert(answer);
            }
            if let Some(answer) = named {
                let message = "its help could not be read; only its name is known".to_owned();
                let mut found = Found::default();
                let warning = match (answer.trouble(), answer.may_come_yet()) {
                    (Some(said), true) => {
                        let message = format!("{message}: {said}");
                        DiscoveryWarning::new(CommandPath::root(), message).gap(Gap::Passing)
                    }
                    _ => DiscoveryWarning::new(CommandPath::root(), message),
                };
                found.warnings.push(warning);
                walk.lock().graft(&prober, words, found);
                return true;
            }
        }
        false
    }

    /// Reads it and its own commands.
    async fn walk(&self, walk: &Walk, prober: Prober, help: ProbeAnswer) -> Option<Found> {
        let binary = Binary::new(&self.file);
        let signs = Signs {
            help: &help,
            binary: &binary,
        };
        let family = choose(&signs)?;
        let inner = Arc::new(Walk {
            prober,
            binary,
            family,
            bounds: walk.bounds,
            unlisted: crate::Unlisted::default(),
            wanted: Vec::new(),
            found: Arc::default(),
        });
        inner.run(help).await;
        let mut found = std::mem::take(&mut *inner.lock());
        crate::build::place_inherited(&mut found.commands, walk.bounds.flags);
        Some(found)
    }
}

/// Returns true if an answer is that of a command which is there. Programs name what they do not know, so it is not
/// where the same words stand before one of the names.
fn is_known(
    answer: &ProbeAnswer,
    file: &str,
    names: [Option<&String>; 2],
    unknown: &ProbeAnswer,
) -> bool {
    if !answer.started {
        return false;
    }
    let said = |answer: &ProbeAnswer| -> String { format!("{}\n{}", answer.stderr, answer.stdout) };
    let (text, stranger) = (said(answer), said(unknown));
    let complaints = stranger
        .lines()
        .filter_map(|line| line.split_once(NO_COMMAND));
    let complaints: Vec<&str> = complaints.map(|(before, _)| before).collect();
    if complaints.is_empty() {
        return text != stranger;
    }
    let complains = |line: &str| {
        let mut rests = complaints.iter().filter_map(|it| line.strip_prefix(it));
        rests.any(|rest| {
            names
                .into_iter()
                .flatten()
                .any(|name| rest.starts_with(name))
        })
    };
    // Its own name is spoken of by itself alone.
    text.contains(file) || !text.lines().any(complains)
}

impl Found {
    /// Returns true if one of these is a command of the program's own. What others could add, and only its completion
    /// knows, is not.
    fn has_any(&self, spellings: &[Vec<String>]) -> bool {
        let mut paths = spellings
            .iter()
            .map(|words| words.iter().cloned().collect());
        paths.any(|path: CommandPath| {
            let read = self.commands.contains_key(&path) && self.is_told_of(&path);
            read || self.is_alias(&path)
        })
    }

    /// Returns true if the program tells of a command as its own, and not its completion alone.
    fn is_told_of(&self, path: &CommandPath) -> bool {
        let Some((name, above)) = path.words().split_last() else {
            return true;
        };
        let above = self.commands.get(&above.iter().cloned().collect());
        let children = above.into_iter().flat_map(|above| &above.children);
        let mut named = children.filter(|child| child.name == *name);
        named.any(|child| {
            let told = |about: &Fact<String>| about.source.origin != Origin::Completion;
            match &child.listed {
                // Some show under a heading of their own what others add.
                Some(heading) => !OTHERS
                    .iter()
                    .any(|it| heading.value.to_lowercase().contains(it)),
                None => child.certain || child.about.as_ref().is_some_and(told),
            }
        })
    }

    fn is_alias(&self, path: &CommandPath) -> bool {
        let [word] = path.words() else { return false };
        let mut top = self.commands.iter().filter(|(it, _)| it.words().len() == 1);
        top.any(|(_, sketch)| sketch.aliases.contains(word))
    }

    /// Takes in what was found of another program, as a command of this one.
    fn graft(&mut self, prober: &Prober, words: &[String], mut other: Self) {
        let at: CommandPath = words.iter().cloned().collect();
        let below = |path: &CommandPath| -> CommandPath {
            let words = words.iter().chain(path.words());
            words.cloned().collect()
        };
        // What was read of it before was read as a command of this one.
        let is_below = |path: &CommandPath| path.words().starts_with(words);
        self.commands.retain(|path, _| !is_below(path));
        self.warnings.retain(|warning| !is_below(&warning.path));
        let root = other.commands.remove(&CommandPath::root());
        let mut root = root.unwrap_or_default();
        root.program = None;
        root.stands_alone = true;
        other.commands.insert(CommandPath::root(), root);
        for (path, mut sketch) in other.commands {
            sketch.path = below(&path);
            let texts = [
                &mut sketch.usage,
                &mut sketch.about,
                &mut sketch.long_about,
                &mut sketch.examples,
            ];
            for fact in texts.into_iter().flatten() {
                fact.value = prober.as_called(&fact.value);
            }
            for same in &mut sketch.same_as {
                *same = below(same);
            }
            self.commands.insert(sketch.path.clone(), sketch);
        }
        for (path, names) in other.order {
            self.order.insert(below(&path), names);
        }
        for mut warning in other.warnings {
            warning.path = below(&warning.path);
            self.warnings.push(warning);
        }
        // Every word on the way is a command, be it one that does nothing by itself.
        for length in 1..=words.len() {
            let (name, above) = (&words[length - 1], &words[..length - 1]);
            let above: CommandPath = above.iter().cloned().collect();
            let order = self.order.entry(above).or_default();
            if !order.contains(name) {
                order.push(name.clone());
            }
            let path: CommandPath = words[..length].iter().cloned().collect();
            if path != at && !self.commands.contains_key(&path) {
                self.warnings.retain(|warning| warning.path != path);
                let mut group = CommandSketch::new(path.clone());
                group.runnable = Some(Fact::new(false, Origin::Convention));
                self.commands.insert(path, group);
            }
        }
        self.read = self.commands.len();
        self.known = self.known.max(self.read);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{probe::ProbeOptions, sketch::ChildSketch};

    fn answer(code: i32, text: &str) -> ProbeAnswer {
        ProbeAnswer {
            stderr: text.into(),
            code: Some(code),
            started: true,
            ..ProbeAnswer::default()
        }
    }

    #[test]
    fn names_are_spelled_as_programs_spell_them() {
        let spellings = |file: &str| {
            let candidate = PluginFile::new(Path::new("/bin/tool"), file.into());
            let spellings = candidate.map(|it| it.spellings).unwrap_or_default();
            let spelled = spellings.iter().map(|words| words.join(" "));
            spelled.collect::<Vec<_>>()
        };
        assert_eq!(spellings("/x/tool-extra"), ["extra"]);
        assert_eq!(spellings("/x/tool-two-words"), ["two-words", "two words"]);
        assert_eq!(spellings("/x/tool-a-b_c"), ["a-b-c", "a-b_c", "a b-c"]);
        assert_eq!(spellings("/x/tool-12.sh"), [""; 0]);
        assert_eq!(spellings("/x/toolbox"), [""; 0]);
    }

    #[test]
    fn a_command_is_known_by_what_is_said_of_one_that_is_not() {
        let name = "bake".to_owned();
        let known = |text: &str, unknown: &str| {
            let names = [Some(&name), None];
            is_known(&answer(1, text), "tool-bake", names, &answer(1, unknown))
        };
        let unknown = format!("error: unknown command \"{NO_COMMAND}\"\n");
        assert!(!known(
            "error: unknown command \"bake\" - maybe you meant \"take\"",
            &unknown
        ));
        assert!(known("Usage: tool bake [flags]", &unknown));
        assert!(known("bake: no oven", &unknown));
        assert!(!known("Usage: tool COMMAND\n", "Usage: tool COMMAND\n"));
        assert!(known("Usage: bake\n", "Usage: tool COMMAND\n"));
        // Below a command of the program's own.
        let unknown = format!("error: unknown command \"fire {NO_COMMAND}\"\n");
        assert!(!known("error: unknown command \"fire bake\"\n", &unknown));
        assert!(known("Bakes\n\nUsage: tool fire bake\n", &unknown));
    }

    #[test]
    fn what_others_add_is_told_from_what_is_the_programs_own() {
        let mut root = CommandSketch::default();
        let child = |name: &str, heading: Option<&str>, origin: Origin| ChildSketch {
            name: name.into(),
            listed: heading.map(|heading| Fact::new(heading.into(), Origin::Help)),
            about: Some(Fact::new("What it does".into(), origin)),
            ..ChildSketch::default()
        };
        root.add_child(child("own", Some("Commands"), Origin::Help));
        root.add_child(child("spoken-of", None, Origin::Help));
        root.add_child(child("added", Some("Provided by plugins"), Origin::Help));
        root.add_child(child("completed", None, Origin::Completion));
        let mut found = Found::default();
        for child in &root.children {
            let path = CommandPath::root().child(child.name.as_str());
            found
                .commands
                .insert(path.clone(), CommandSketch::new(path));
        }
        found.commands.insert(CommandPath::root(), root);
        let own = |name: &str| found.has_any(&[vec![name.to_owned()]]);
        assert!(own("own") && own("spoken-of"));
        assert!(!own("added") && !own("completed") && !own("unknown"));
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_program_becomes_a_command_below_the_words_that_call_it() {
        let prober = Prober::new("/bin/tool".into(), ProbeOptions::default());
        let prober = prober.expect("it can be asked");
        let words = ["fire".to_owned(), "kiln".to_owned()];
        let prober = prober.with_words(&words, Some("tool-fire-kiln"));
        let mut found = Found::default();
        let root = CommandSketch::default();
        found.commands.insert(CommandPath::root(), root);
        let fire = CommandPath::parse("fire");
        // It was listed, and did not answer: there is nothing of that name alone.
        let warning = DiscoveryWarning::new(fire.clone(), "unknown command").gap(Gap::Lasting);
        found.warnings.push(warning);
        let mut plugin = Found::default();
        let mut root = CommandSketch::new(CommandPath::root());
        root.usage = Some(Fact::new("tool-fire-kiln [flags]".into(), Origin::Usage));
        plugin.commands.insert(CommandPath::root(), root);
        let hot = CommandPath::parse("hot");
        plugin.commands.insert(hot.clone(), CommandSketch::new(hot));
        plugin.order.insert(CommandPath::root(), vec!["hot".into()]);
        found.graft(&prober, &words, plugin);
        let paths: Vec<String> = found.commands.keys().map(ToString::to_string).collect();
        assert_eq!(paths, ["", "fire", "fire kiln", "fire kiln hot"]);
        assert!(found.warnings.is_empty());
        let kiln = &found.commands[&CommandPath::parse("fire kiln")];
        assert!(kiln.stands_alone);
        let usage = kiln.usage.as_ref().map(|usage| usage.value.as_str());
        assert_eq!(usage, Some("tool fire kiln [flags]"));
        let group = found.commands[&fire].runnable.as_ref();
        assert!(group.is_some_and(|runnable| !runnable.value));
        assert_eq!(found.order[&CommandPath::parse("fire kiln")], ["hot"]);
    }
}
