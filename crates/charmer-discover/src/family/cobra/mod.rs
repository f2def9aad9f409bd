//! Programs built with Cobra: their help, their completion protocol, and what wrong values tell of their flags.
//!
//! What each probe may do, and why it is safe, is said where it is made. In short: `help PATH` shows help without
//! running a command; `__complete` parses flags and never runs a command either; positionals are never completed,
//! because completing them may call the network.

mod behind;
mod complete;
mod fang;
mod groups;
mod listed;
mod page;
mod pflag;
mod said;
mod shown;
mod traverse;
mod usage;
mod wrong_values;

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use charmer_core::model::{Arguments, CommandPath, Positional, Syntax};

use futures_util::future::join_all;

use crate::{
    fact::{Fact, Field, Origin},
    flag_places::FlagPlaces,
    flags::FlagPool,
    sketch::{ChildSketch, CommandSketch, FlagScope, FlagSketch},
};

use super::{Asker, Family, Page, Refining, Signs, Sketches, printed};
use complete::CompletionLines;
pub(crate) use said::read_texts;
use wrong_values::ValueLearnt;

/// The number of commands that must not have shown their help to `help PATH` for it to be left out.
const WITHOUT_HELP: usize = 3;

/// The number of groups that are asked for their commands before help is trusted to list them all.
const SAME_CHILDREN: usize = 3;

/// The word that asks a Cobra program for completions.
const COMPLETE: &str = "__complete";

/// See the module's documentation.
#[derive(Debug, Default)]
pub(super) struct Cobra {
    /// The program may be asked for completions.
    completes: OnceLock<bool>,
    /// `help PATH` has shown a command's help.
    helps: AtomicBool,
    /// Commands whose first answer was not their help.
    unread: Mutex<HashSet<CommandPath>>,
    /// The number of those that showed their help when they were asked themselves.
    without_help: AtomicUsize,
    /// Pages show flags of ancestors among a command's own.
    mixes_flags: AtomicBool,
    /// The words that show flags which other pages leave out.
    globals: OnceLock<Vec<String>>,
    /// They have shown them.
    shows_globals: AtomicBool,
    /// Held by who compares the commands of a group, while that may spare others.
    children_turn: tokio::sync::Mutex<()>,
    /// The number of groups whose commands completion has listed just as their help does.
    same_children: AtomicUsize,
    /// Completion has listed a command of a group that its help does not.
    more_children: AtomicBool,
    /// The findings on flags, by what help says of them: the same flag is not asked about twice.
    learnt: Mutex<HashMap<String, ValueLearnt>>,
    /// The flags that somebody is asking about at the moment, by the same text: the others wait for the answer.
    asking: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
    /// The flags as they are when completion has been heard.
    pool: Mutex<FlagPool>,
}

impl Family for Cobra {
    fn name(&self) -> &'static str {
        "cobra"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let [completes, cobra] = signs.binary.contains([COMPLETE, "spf13/cobra"]);
        let text = signs.text();
        // A script that starts the program proper has none of its texts; its help still shows what it is.
        let told = text.contains("Generate the autocompletion script for the specified shell");
        let _ = self.completes.set(completes && cobra || told);
        let pointer = text.contains("[command] --help\" for more information about a command");
        match (cobra && completes, pointer || told) {
            (true, true) => 98,
            (true, false) => 90,
            (false, true) => 80,
            (false, false) => 0,
        }
    }

    fn syntax(&self) -> Syntax {
        Syntax::pflag()
    }

    fn help_requests(&self, path: &CommandPath) -> Vec<Vec<String>> {
        if path.is_root() {
            return vec![vec!["--help".into()]];
        }
        if self.is_globals(path) && self.shows_globals.load(Ordering::Relaxed) {
            return Vec::new();
        }
        let mut help = vec!["help".to_owned()];
        help.extend_from_slice(path.words());
        // `PATH --help` runs commands that parse their own flags, so it is only tried where `help` does not work.
        if self.helps.load(Ordering::Relaxed) {
            return vec![help];
        }
        let mut words = path.words().to_vec();
        words.push("--help".into());
        if self.without_help.load(Ordering::Relaxed) >= WITHOUT_HELP {
            return vec![words];
        }
        vec![help, words]
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        if self.is_globals(page.path) {
            return Some(without_flags(page.path.clone()));
        }
        let sketch = page::read(page);
        if !page.path.is_root() {
            self.note_help(page.path, sketch.is_some());
        }
        let mut sketch = sketch?;
        if !page.path.is_root() {
            return Some(sketch);
        }
        tell_help(&mut sketch);
        let mixes = fang::as_cobra(page.text()).is_some();
        self.mixes_flags.store(mixes, Ordering::Relaxed);
        if let Some(words) = globals_command(page.text(), &sketch) {
            let _ = self.globals.set(words);
        }
        Some(sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(async move {
            if sketch.path.is_root() {
                self.ask_for_globals(asker, sketch).await;
            }
            if !self.completes.get().copied().unwrap_or(false) {
                return;
            }
            if !sketch.children.is_empty() {
                self.compare_children(asker, sketch).await;
            }
        })
    }

    fn finish<'a>(&'a self, asker: &'a Asker<'a>, sketches: &'a mut Sketches) -> Refining<'a> {
        Box::pin(async move {
            if self.mixes_flags.load(Ordering::Relaxed) {
                fang::part_inherited(sketches);
            }
            if self.completes.get().copied().unwrap_or(false) {
                self.learn_flags(asker, sketches).await;
            }
            share_globals(sketches);
            share_unnamed(sketches);
            shown::take_several(sketches);
            if self.completes.get().copied().unwrap_or(false) {
                self.learn_inherited(asker, sketches).await;
                self.learn_traversal(asker, sketches).await;
                self.learn_behind(asker, sketches).await;
            }
            for sketch in sketches.values_mut() {
                keep_positionals_from_children(sketch);
            }
            if self.completes.get().copied().unwrap_or(false) {
                if sketches.len() <= groups::SMALL {
                    let each = sketches.values_mut();
                    join_all(each.map(|sketch| self.learn_values(asker, sketch))).await;
                }
                self.find_groups(asker, sketches).await;
            }
        })
    }
}

/// The command line that completes the last word behind a command and what is given to it.
fn completion_words(path: &CommandPath, given: &[String], last: &str) -> Vec<String> {
    let mut words = vec![COMPLETE.to_owned()];
    words.extend_from_slice(path.words());
    words.extend_from_slice(given);
    words.push(last.to_owned());
    words
}

/// A command that has positionals and subcommands takes one or the other: behind a positional Cobra looks for none.
fn keep_positionals_from_children(sketch: &mut CommandSketch) {
    let arguments = sketch.arguments.as_ref().map(|fact| &fact.value);
    let positionals = arguments.is_some_and(|arguments| !arguments.listed().is_empty());
    if positionals && !sketch.children.is_empty() && sketch.excludes_subcommands.is_none() {
        sketch.excludes_subcommands = Some(Fact::new(true, Origin::Convention));
    }
}

/// Cobra's own `help` is known without its page, which a program whose root takes any word does not show.
fn tell_help(root: &mut CommandSketch) {
    let is_own = |child: &&mut ChildSketch| {
        let about = child.about.as_ref().map(|about| about.value.as_str());
        child.name == "help" && about.is_some_and(|about| about == "Help about any command")
    };
    if let Some(help) = root.children.iter_mut().find(is_own) {
        let any = Positional::new("command").variadic();
        let mut told = CommandSketch::new(root.path.child("help"));
        told.arguments = Some(Fact::new(Arguments::Listed(vec![any]), Origin::Convention));
        help.told = Some(Box::new(told));
    }
}

/// The command that shows everybody's flags; it has none of its own.
fn without_flags(path: CommandPath) -> CommandSketch {
    let mut sketch = CommandSketch::new(path);
    sketch.arguments = Some(Fact::new(Arguments::default(), Origin::Convention));
    sketch
}

impl Cobra {
    /// Returns true if it is the command that shows flags which other pages leave out.
    fn is_globals(&self, path: &CommandPath) -> bool {
        self.globals.get().map(Vec::as_slice) == Some(path.words())
    }

    /// Notes which way of asking showed a command's help: the first, which is `help PATH`, or the second.
    fn note_help(&self, path: &CommandPath, shown: bool) {
        let Ok(mut unread) = self.unread.lock() else {
            return;
        };
        if !shown {
            unread.insert(path.clone());
        } else if unread.contains(path) {
            self.without_help.fetch_add(1, Ordering::Relaxed);
        } else if self.without_help.load(Ordering::Relaxed) < WITHOUT_HELP {
            self.helps.store(true, Ordering::Relaxed);
        }
    }

    /// Completes the last word of a command line. Flags before it are parsed; nothing is run.
    async fn complete(
        &self,
        asker: &Asker<'_>,
        path: &CommandPath,
        given: &[String],
        last: &str,
    ) -> Option<CompletionLines> {
        let words = completion_words(path, given, last);
        CompletionLines::read(&asker.prober.run(&words).await)
    }

    /// Global flags that help does not repeat: `Use "x options" for a list of global command-line options`.
    async fn ask_for_globals(&self, asker: &Asker<'_>, root: &mut CommandSketch) {
        let Some(words) = self.globals.get() else {
            return;
        };
        let answer = asker.prober.run(words).await;
        let lines: Vec<&str> = printed(&answer).lines().collect();
        let flags = pflag::flags(&lines);
        if let ([name], false) = (words.as_slice(), flags.is_empty()) {
            self.shows_globals.store(true, Ordering::Relaxed);
            let told = without_flags(root.path.child(name.as_str()));
            root.add_child(ChildSketch {
                name: name.clone(),
                told: Some(Box::new(told)),
                about: Some(Fact::new(
                    "Lists the flags that all commands take".into(),
                    Origin::Convention,
                )),
                ..ChildSketch::default()
            });
        }
        for mut flag in flags {
            flag.scope = Some(Fact::new(FlagScope::Global, Origin::Help));
            root.add_flag(flag);
        }
    }

    /// Subcommands that help does not list, or lists so that they cannot be read.
    async fn ask_for_children(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let Some(completion) = self.complete(asker, &sketch.path, &[], "").await else {
            return;
        };
        // A command that runs by itself may complete its positionals here as well.
        let mixed = sketch.runnable.as_ref().is_some_and(|fact| fact.value);
        let known: HashSet<String> = sketch.children.iter().map(|c| c.name.clone()).collect();
        let listed = completion.lines.into_iter().filter(|(name, _)| {
            let odd = name.starts_with('-') || name.contains([' ', '/', '=']);
            !odd && (!mixed || known.contains(name))
        });
        let before = sketch.children.len();
        sketch.add_children(listed.map(|(name, about)| ChildSketch {
            name,
            // Just below the text of help.
            about: (!about.is_empty()).then(|| Fact::with(about, Origin::Completion, 69)),
            ..ChildSketch::default()
        }));
        self.note_children(&sketch.path, sketch.children.len() > before);
    }

    /// Notes whether completion lists more commands of a group than its help. To the root people add their own, such as
    /// aliases and plugins, and many programs show those to completion alone: that tells nothing of the groups below.
    fn note_children(&self, path: &CommandPath, more: bool) {
        match more {
            false => _ = self.same_children.fetch_add(1, Ordering::Relaxed),
            true if path.is_root() => {}
            true => self.more_children.store(true, Ordering::Relaxed),
        }
    }

    /// Asks for subcommands unless it is known by now that help lists them all.
    async fn compare_children(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        if self.listings_agree() {
            return;
        }
        // One after the other, so that the answer to one spares the next.
        let turn = self.children_turn.lock().await;
        if self.listings_agree() {
            return;
        }
        // Where they do not agree everybody is asked, and nobody needs to wait.
        let _held = match self.more_children.load(Ordering::Relaxed) {
            true => None,
            false => Some(turn),
        };
        self.ask_for_children(asker, sketch).await;
    }

    /// Returns true if the help of this program surely lists the commands of every group: it did wherever completion
    /// was asked.
    fn listings_agree(&self) -> bool {
        let same = self.same_children.load(Ordering::Relaxed);
        same >= SAME_CHILDREN && !self.more_children.load(Ordering::Relaxed)
    }
}

/// Flags that a command's help repeats from the root's are the root's.
fn share_globals(sketches: &mut Sketches) {
    let Some(root) = sketches.get(&CommandPath::root()) else {
        return;
    };
    let is_global = |flag: &FlagSketch| {
        let scope = flag.scope.as_ref();
        scope.is_some_and(|scope| scope.value == FlagScope::Global)
    };
    let globals: Vec<FlagSketch> = root
        .flags
        .iter()
        .filter(|f| is_global(f))
        .cloned()
        .collect();
    let places = FlagPlaces::of(&globals);
    let text = |flag: &FlagSketch| flag.help.as_ref().map(|help| help.value.clone());
    let commands = sketches.iter_mut().filter(|(path, _)| !path.is_root());
    for flag in commands.flat_map(|(_, sketch)| &mut sketch.flags) {
        let Some(global) = places.place(flag).map(|at| &globals[at]) else {
            continue;
        };
        if (global.short, text(global)) == (flag.short, text(flag)) {
            flag.scope = Some(Fact::new(FlagScope::Inherited, Origin::Help));
        }
    }
}

/// A flag whose type help hides is the same flag in the command that owns it, which completion may not have listed.
fn share_unnamed(sketches: &mut Sketches) {
    let text = |flag: &FlagSketch| flag.help.as_ref().map(|help| help.value.replace('`', ""));
    let all = sketches.values().flat_map(|sketch| &sketch.flags);
    let opened: HashSet<_> = all
        .filter(|flag| pflag::is_unnamed(flag))
        .map(|flag| (flag.long.clone(), text(flag)))
        .collect();
    if opened.is_empty() {
        return;
    }
    for flag in sketches.values_mut().flat_map(|sketch| &mut sketch.flags) {
        if flag.is_switch() && opened.contains(&(flag.long.clone(), text(flag))) {
            pflag::open_unnamed(flag, None);
        }
    }
}

/// The flags in a list of completions: long and short names on lines of their own, with the same text.
fn flag_lines(completion: &CompletionLines) -> Vec<FlagSketch> {
    let mut flags: Vec<FlagSketch> = Vec::new();
    for (name, text) in &completion.lines {
        let help = (!text.is_empty()).then(|| Fact::with(text.clone(), Origin::Completion, 60));
        // `--name=` wants its value attached.
        let name = name.trim_end_matches('=');
        if let Some(long) = name.strip_prefix("--").filter(|long| !long.is_empty()) {
            match flags.last_mut() {
                Some(last) if last.long.as_deref() == Some(long) => {}
                _ => flags.push(FlagSketch {
                    help,
                    ..FlagSketch::long(long)
                }),
            }
        } else if let Some(short) = name.strip_prefix('-').and_then(one_char) {
            match flags.last_mut() {
                Some(last)
                    if last.short.is_none()
                        && last.help.as_ref().map(|fact| &fact.value)
                            == help.as_ref().map(|fact| &fact.value) =>
                {
                    last.short = Some(short);
                }
                _ => flags.push(FlagSketch {
                    short: Some(short),
                    help,
                    ..FlagSketch::default()
                }),
            }
        }
    }
    flags
}

fn one_char(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|_| chars.next().is_none())
}

/// Takes what completion says of flags: those that help does not show belong to an ancestor.
fn learn_flags(sketch: &mut CommandSketch, listed: Vec<FlagSketch>) {
    let mut places = FlagPlaces::of(&sketch.flags);
    for mut flag in listed {
        match places.place(&flag) {
            Some(at) => {
                let known = &mut sketch.flags[at];
                if let Some(help) = flag.help.take() {
                    // A back-quoted word is what help shows in the place of the type.
                    known.named_type = true;
                    if back_quoted(&help.value) == Some("") && known.is_switch() {
                        pflag::open_unnamed(known, Some(&help.value));
                    }
                    if let Some(word) = back_quoted(&help.value)
                        && known.placeholder.as_deref() == Some(word)
                        && let Some(kind) = &mut known.kind
                    {
                        known.named_type = false;
                        kind.source.sure = kind.source.sure.min(10);
                    }
                    drop_prose_default(known, &help.value);
                    let mut help = help;
                    // What pflag calls deprecated is not listed: these are the author's own words.
                    if known.deprecated.take().is_some() {
                        known.help = None;
                    }
                    help.value = help.value.replace('`', "");
                    known.help.learn(help);
                }
            }
            None => {
                flag.scope = Some(Fact::new(FlagScope::Inherited, Origin::Completion));
                places.add(&flag, sketch.flags.len());
                sketch.flags.push(flag);
            }
        }
    }
}

/// Drops a default that the author's own text speaks of: pflag has none then, and it stays in the text alone.
fn drop_prose_default(flag: &mut FlagSketch, usage: &str) {
    let marks = |text: &str| text.to_lowercase().matches("(default").count();
    let left = flag.help.as_ref().map_or(0, |help| marks(&help.value));
    let from_help = flag
        .default
        .as_ref()
        .is_some_and(|fact| fact.source.origin == Origin::Help);
    if from_help && flag.placeholder.is_some() && marks(usage) > left {
        flag.default = None;
        if let Some(help) = &mut flag.help {
            help.value = usage.replace('`', "");
        }
    }
}

fn back_quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once('`')?;
    rest.split_once('`').map(|(word, _)| word)
}

/// The words of the command that lists global flags, from a sentence like `Use "x options" for a list of global ...`.
fn globals_command(text: &str, root: &CommandSketch) -> Option<Vec<String>> {
    let program = root.program.as_deref()?;
    text.lines().find_map(|line| {
        let lower = line.to_lowercase();
        let about = lower.contains("global") || lower.contains("all commands");
        let at = line.find("Use \"").filter(|_| about)? + "Use \"".len();
        let command = line[at..].split('"').next()?;
        let rest = command.strip_prefix(program)?;
        let words: Vec<String> = rest.split_whitespace().map(Into::into).collect();
        let plain = |word: &String| word.chars().all(|c| c.is_alphanumeric() || c == '-');
        (!words.is_empty() && words.len() <= 2 && words.iter().all(plain)).then_some(words)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_on_deprecation_that_completion_repeats_are_the_authors() {
        let lines = ["      --old string   Old name (DEPRECATED: use --new)"];
        let mut sketch = CommandSketch::new(CommandPath::root());
        sketch.flags = pflag::flags(&lines).into();
        assert!(sketch.flags[0].deprecated.is_some());
        let completion = CompletionLines {
            lines: vec![("--old".into(), "Old name (DEPRECATED: use --new)".into())],
            ..CompletionLines::default()
        };
        learn_flags(&mut sketch, flag_lines(&completion));
        assert_eq!(sketch.flags.len(), 1);
        assert_eq!(sketch.flags[0].deprecated, None);
        let help = sketch.flags[0].help.as_ref().expect("a text");
        assert_eq!(help.value, "Old name (DEPRECATED: use --new)");
    }

    #[test]
    fn what_people_add_to_the_root_says_nothing_of_the_groups() {
        let group = |name: &str| CommandPath::root().child(name);
        let cobra = Cobra::default();
        cobra.note_children(&CommandPath::root(), true);
        for name in ["a", "b", "c"] {
            assert!(!cobra.listings_agree());
            cobra.note_children(&group(name), false);
        }
        assert!(cobra.listings_agree());
        cobra.note_children(&group("d"), true);
        assert!(!cobra.listings_agree());
    }

    #[test]
    fn help_is_asked_for_in_the_way_that_works() {
        let page = |path: &CommandPath| format!("Plants.\n\nUsage:\n  grove {path} [flags]\n");
        let show = |cobra: &Cobra, path: &CommandPath, text: String| {
            let answer = crate::probe::ProbeAnswer {
                stdout: text,
                ..Default::default()
            };
            cobra.read(&Page {
                program: "grove",
                path,
                answer: &answer,
            })
        };
        let paths = ["a", "b", "c", "d"].map(|name| CommandPath::root().child(name));

        let helps = Cobra::default();
        assert_eq!(helps.help_requests(&paths[0]).len(), 2);
        assert!(show(&helps, &paths[0], page(&paths[0])).is_some());
        assert_eq!(helps.help_requests(&paths[1]), [["help", "b"]]);

        let silent = Cobra::default();
        for path in &paths[..3] {
            assert_eq!(silent.help_requests(path).len(), 2);
            assert!(show(&silent, path, "unknown topic".into()).is_none());
            assert!(show(&silent, path, page(path)).is_some());
        }
        assert_eq!(silent.help_requests(&paths[3]), [["d", "--help"]]);
        assert!(show(&silent, &paths[3], page(&paths[3])).is_some());
        assert_eq!(silent.help_requests(&paths[0]), [["a", "--help"]]);
    }

    #[test]
    fn flags_that_help_repeats_from_the_root_are_the_roots() {
        let text = "      --deep int   How deep";
        let mut sketches = Sketches::new();
        let mut root = CommandSketch::new(CommandPath::root());
        root.flags = pflag::flags(&[text, "      --wide   Wide"]).into();
        for flag in &mut root.flags {
            flag.scope = Some(Fact::new(FlagScope::Global, Origin::Help));
        }
        sketches.insert(CommandPath::root(), root);
        let path = CommandPath::root().child("dig");
        let mut dig = CommandSketch::new(path.clone());
        dig.flags = pflag::flags(&[text, "      --wide   Another text"]).into();
        sketches.insert(path.clone(), dig);
        share_globals(&mut sketches);
        let scope = |at: usize| {
            sketches[&path].flags[at]
                .scope
                .as_ref()
                .map(|fact| fact.value)
        };
        assert_eq!(scope(0), Some(FlagScope::Inherited));
        assert_eq!(scope(1), None);
    }
}
