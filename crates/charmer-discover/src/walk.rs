//! The walk through a program's commands: each is asked for its help, then for what its family can tell besides.

use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex},
};

use charmer_core::model::{Arguments, CommandPath, Positional};
use tokio::task::JoinSet;

use crate::{
    DiscoveryWarning, Gap, Unlisted,
    binary::Binary,
    busy::busy,
    fact::{Fact, Field, Origin},
    family::{Asker, Family, Page, Sketches, printed},
    flags::FlagPool,
    help::{lost, shown_options, speaks_of_commands, speaks_of_options},
    probe::{ProbeAnswer, Prober},
    sketch::{ChildSketch, CommandSketch},
    wanted::WantedPart,
};

/// The bounds of a walk.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WalkBounds {
    pub(crate) commands: usize,
    pub(crate) depth: usize,
    /// The maximum number of flags of one command.
    pub(crate) flags: usize,
}

/// The maximum number of flags that are kept of all commands together, inherited ones counted wherever they are shown.
/// The largest program that was read, with a thousand commands, has 18,000.
const ALL_FLAGS: usize = 200_000;

/// The number of commands that are read at once: more than are asked at once, so that reading an answer holds nobody
/// up, and few enough to take no room.
pub(crate) const AT_ONCE: usize = 64;

/// The findings of a walk so far.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The commands that have been read, by path.
    pub(crate) commands: BTreeMap<CommandPath, CommandSketch>,
    /// Paths in the order in which their parents list them.
    pub(crate) order: BTreeMap<CommandPath, Vec<String>>,
    /// The number of commands that have been read.
    pub(crate) read: usize,
    /// The number of commands that are known to be there or were tried.
    pub(crate) known: usize,
    /// The number of commands that were not asked about because the program had hung too often.
    pub(crate) unasked: usize,
    /// The number of commands that were not asked about because the program had said too much.
    unheard: usize,
    /// The number of commands that were not asked about because nobody wants them, where a program is too large to be
    /// read whole.
    pub(crate) unread_of: Option<usize>,
    /// The number of commands that did not show their help in time, each way of asking counted.
    silent: usize,
    /// The number of flags that are kept.
    flags: usize,
    /// The number of flags that were left out because there are too many altogether.
    flags_left_out: usize,
    pub(crate) warnings: Vec<DiscoveryWarning>,
    /// The program's answer when it was asked for its help.
    pub(crate) page: String,
    /// The flags of all commands that were read.
    pool: FlagPool,
}

impl Found {
    /// Gives the commands away. What is shared with the pool would be copied before it is changed, and would stay.
    pub(crate) fn take_commands(&mut self) -> Sketches {
        self.pool = FlagPool::default();
        std::mem::take(&mut self.commands)
    }

    /// Takes the commands as their family left them; those that it has moved, and so were not there before, are the last
    /// of their new parents.
    fn replace(
        &mut self,
        before: &HashSet<CommandPath>,
        commands: BTreeMap<CommandPath, CommandSketch>,
    ) {
        for path in commands.keys() {
            if !before.contains(path)
                && let Some((name, above)) = path.words().split_last()
            {
                let order = self.order.entry(above.iter().cloned().collect());
                order.or_default().push(name.clone());
            }
        }
        self.commands = commands;
    }
}

/// Everything that the tasks of a walk share.
pub(crate) struct Walk {
    pub(crate) prober: Prober,
    pub(crate) binary: Binary,
    pub(crate) family: Box<dyn Family>,
    pub(crate) bounds: WalkBounds,
    pub(crate) unlisted: Unlisted,
    /// The parts that are read of a program that is too large to be read whole.
    pub(crate) wanted: Vec<WantedPart>,
    pub(crate) found: Arc<Mutex<Found>>,
}

impl Walk {
    /// Reads the whole tree. What of it is missing stands among the warnings. `root` is what the program answered to
    /// `--help` before its family was known.
    pub(crate) async fn run(self: &Arc<Self>, root: ProbeAnswer) {
        let unanswered = self.prober.unanswered();
        let has_commands = speaks_of_commands(printed(&root), &self.binary.name());
        let mut tasks = JoinSet::new();
        let first = ChildSketch::default();
        let page = printed(&root).to_owned();
        tasks.spawn(Arc::clone(self).read(CommandPath::root(), first, Some(root)));
        // A task that panics cannot say any more which command it was about.
        let mut paths = HashMap::new();
        {
            let mut found = self.lock();
            found.known = 1;
            found.page = page;
        }
        let mut waiting = VecDeque::new();
        while let Some(done) = tasks.join_next_with_id().await {
            match done {
                Ok((task, (path, sketch))) => {
                    paths.remove(&task);
                    waiting.extend(self.take_in(path, sketch));
                }
                // It loses its command, never the walk.
                Err(panic) => self.note_lost(paths.remove(&panic.id()).unwrap_or_default()),
            }
            while tasks.len() < AT_ONCE
                && let Some((path, child)) = waiting.pop_front()
            {
                let task = tasks.spawn(Arc::clone(self).read(path.clone(), child, None));
                paths.insert(task.id(), path);
            }
        }
        self.say_missing();
        let in_parts = self.lock().unread_of.is_some();
        let alone = self.lock().commands.len() == 1;
        if has_commands && alone && !in_parts {
            let message = "its help speaks of commands, but none of them could be read".to_owned();
            self.note_gap(CommandPath::root(), message, Gap::Lasting);
        }
        if !in_parts {
            self.note_lost_lists();
        }
        // Taken, not copied: those of ten thousand commands are more than a hundred megabytes. Nobody sees them meanwhile.
        let mut sketches = self.lock().take_commands();
        let before: HashSet<CommandPath> = sketches.keys().cloned().collect();
        let asker = self.asker();
        self.family.finish(&asker, &mut sketches).await;
        self.bound_again(&mut sketches);
        let mut found = self.lock();
        let lists = sketches.values_mut().map(|sketch| &mut sketch.flags);
        lists.for_each(|flags| found.pool.share(flags));
        drop(found);
        self.lock().replace(&before, sketches);
        let is_bare = self
            .lock()
            .commands
            .get(&CommandPath::root())
            .is_some_and(|root| {
                let usage = root.usage.as_ref().map_or("", |usage| &usage.value);
                root.flags.is_empty() && speaks_of_options(usage)
            });
        if is_bare {
            let message = "its usage speaks of options, but none of them could be read".to_owned();
            self.note_gap(CommandPath::root(), message, Gap::Lasting);
        }
        if let Some(reason) = self.prober.lost() {
            let message =
                format!("not all of its commands could be asked, so some may be missing: {reason}");
            self.note_gap(CommandPath::root(), message, Gap::Passing);
        }
        let unanswered = self.prober.unanswered() - unanswered - self.lock().silent;
        if unanswered > 0 {
            let message = format!(
                "it did not answer in time to {unanswered} of the questions about its commands, so some of their flags, or \
                 the values of flags, may be unknown"
            );
            self.note_gap(CommandPath::root(), message, Gap::Passing);
        }
    }

    fn note_gap(&self, path: CommandPath, message: String, gap: Gap) {
        let warning = DiscoveryWarning::new(path, message).gap(gap);
        self.lock().warnings.push(warning);
    }

    /// Leaves out the flags that were added last and are more than are kept.
    fn bound_again(&self, sketches: &mut Sketches) {
        let mut found = self.lock();
        let mut all = 0;
        for (path, sketch) in sketches {
            let left_out = sketch.bound_flags(self.bounds.flags);
            if left_out > 0 {
                let message = too_many_flags(sketch.flags.len(), left_out);
                found
                    .warnings
                    .push(DiscoveryWarning::new(path.clone(), message));
            }
            sketch.flags.truncate(ALL_FLAGS - all);
            all += sketch.flags.len();
        }
    }

    fn asker(&self) -> Asker<'_> {
        Asker {
            prober: &self.prober,
            binary: &self.binary,
            unlisted: &self.unlisted,
        }
    }

    pub(crate) fn lock(&self) -> std::sync::MutexGuard<'_, Found> {
        self.found
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Says once how much is missing of a program that had hung too often, or says too much.
    fn say_missing(&self) {
        let mut found = self.lock();
        let about_it = |message: String| DiscoveryWarning::new(CommandPath::root(), message);
        let mut said = Vec::new();
        if found.unasked > 0 {
            let message = format!(
                "it did not answer in time again and again, so it was not asked any more: {} of its commands are missing",
                found.unasked
            );
            said.push(about_it(message).gap(Gap::Passing));
        }
        if found.unheard > 0 {
            let message = format!(
                "it said more than is read of a program, so it was not asked any more: {} of its commands are missing",
                found.unheard
            );
            said.push(about_it(message).gap(Gap::Lasting));
        }
        if let Some(unread @ 1..) = found.unread_of {
            let message = format!(
                "it has too many commands to be read whole: {unread} of them, and whatever is below them, were not read; \
                 `--allow NAME` has those read that you name"
            );
            said.push(about_it(message).gap(Gap::Lasting));
        }
        if found.flags_left_out > 0 {
            said.push(about_it(format!(
                "it has more than {ALL_FLAGS} flags altogether; {} were left out",
                found.flags_left_out
            )));
        }
        found.warnings.extend(said);
    }

    /// Keeps what was read, and says which commands to read next.
    fn take_in(
        &self,
        path: CommandPath,
        sketch: Option<CommandSketch>,
    ) -> Vec<(CommandPath, ChildSketch)> {
        let mut found = self.lock();
        let Some(mut sketch) = sketch else {
            return Vec::new();
        };
        if path.is_root() && !self.family.reads_whole(&sketch) {
            found.unread_of = Some(0);
        }
        if let Some(unread) = &mut found.unread_of {
            let known = sketch.children.len();
            let wanted = |child: &ChildSketch| {
                let path = path.child(child.name.as_str());
                self.wanted.iter().any(|part| part.reaches(&path))
            };
            sketch.children.retain(wanted);
            let left_out = known - sketch.children.len();
            *unread += left_out;
            // They can be run all the same, by whoever knows how.
            if left_out > 0 {
                let any = Positional::new("command").required().variadic();
                sketch.runnable = Some(Fact::new(true, Origin::Convention));
                sketch.arguments =
                    Some(Fact::new(Arguments::Listed(vec![any]), Origin::Convention));
            }
        }
        let before = sketch.flags.len();
        found.pool.share(&mut sketch.flags);
        sketch.flags.truncate(ALL_FLAGS - found.flags);
        found.flags += sketch.flags.len();
        found.flags_left_out += before - sketch.flags.len();
        if let Some(ancestor) = repeats_ancestor(&found, &sketch) {
            found.warnings.push(DiscoveryWarning::new(
                path,
                format!("it lists the same commands as `{ancestor}`, so it was not followed"),
            ));
            return Vec::new();
        }
        let mut next = Vec::new();
        if path.words().len() < self.bounds.depth {
            for child in &sketch.children {
                if found.known >= self.bounds.commands {
                    let message = format!(
                        "it has more than {} commands; the rest was left out",
                        self.bounds.commands
                    );
                    let warning =
                        DiscoveryWarning::new(CommandPath::root(), message).gap(Gap::Lasting);
                    if !found.warnings.contains(&warning) {
                        found.warnings.push(warning);
                    }
                    break;
                }
                found.known += 1;
                next.push((path.child(child.name.as_str()), child.clone()));
            }
        } else if !sketch.children.is_empty() {
            let message = "its commands are nested too deep to be followed".to_owned();
            found
                .warnings
                .push(DiscoveryWarning::new(path.clone(), message));
        }
        for message in &sketch.warnings {
            found
                .warnings
                .push(DiscoveryWarning::new(path.clone(), message.clone()));
        }
        let order = sketch.children.iter().map(|child| child.name.clone());
        found.order.insert(path.clone(), order.collect());
        found.commands.insert(path, sketch);
        found.read = found.commands.len();
        next
    }

    /// Reads one command; `None` if it is not there.
    async fn read(
        self: Arc<Self>,
        path: CommandPath,
        child: ChildSketch,
        mut known: Option<ProbeAnswer>,
    ) -> (CommandPath, Option<CommandSketch>) {
        let program = self.binary.name();
        let mut sketch = None;
        let mut trouble = None;
        // Lines of options that nobody has read.
        let mut left_out = 0;
        let mut shown = Vec::new();
        for request in self.family.help_requests(&path) {
            let answer = match known.take() {
                Some(answer) if request == ["--help"] => answer,
                _ => self.prober.run_first(&request).await,
            };
            let page = Page {
                program: &program,
                path: &path,
                answer: &answer,
            };
            sketch = busy(page.text().len(), || {
                let by_alias = || self.read_by_alias(&page, &child.aliases);
                self.family.read(&page).or_else(by_alias)
            });
            if let Some(sketch) = &mut sketch {
                left_out = answer.left_out;
                shown = shown_options(page.text());
                if answer.cut {
                    sketch.warnings.push(
                        "its help is too long to be read whole; flags or commands may be missing"
                            .into(),
                    );
                }
                break;
            }
            self.prober.note_useless(&answer);
            if answer.timed_out {
                self.lock().silent += 1;
            }
            trouble = trouble.or_else(|| Trouble::of(&answer));
        }
        let absent = trouble.as_ref().and_then(|it| it.absent(&path));
        if let Some(said) = absent.filter(|_| sketch.is_none()) {
            let warning = DiscoveryWarning::new(path.clone(), said);
            self.lock().warnings.push(warning);
            return (path, None);
        }
        // What its parent says of a command is kept where the command itself says nothing.
        let mut sketch = match sketch {
            Some(sketch) => sketch,
            None if child.told.is_some() => child.told.map(|told| *told).unwrap_or_default(),
            None if child.certain || self.is_sure(trouble.as_ref()) => {
                let message = "its help could not be read; only its name is known".to_owned();
                match trouble {
                    Some(Trouble { gap, said }) => {
                        self.note_gap(path.clone(), format!("{message}: {said}"), gap);
                    }
                    // It answered with somebody else's help: it has none of its own, and nothing is missing.
                    None => {
                        let warning = DiscoveryWarning::new(path.clone(), message);
                        self.lock().warnings.push(warning);
                    }
                }
                CommandSketch::new(path.clone())
            }
            None => {
                self.note_missing(&path, trouble);
                return (path, None);
            }
        };
        for alias in child.aliases {
            if !sketch.aliases.contains(&alias) {
                sketch.aliases.push(alias);
            }
        }
        if let Some(about) = child.about {
            sketch.about.learn(about);
        }
        sketch.add_children(child.below);
        left_out += sketch.bound_flags(self.bounds.flags);
        // A program that shows flags without end is not asked about each of them.
        if left_out == 0 {
            let asker = self.asker();
            self.family.refine(&asker, &mut sketch).await;
            left_out = sketch.bound_flags(self.bounds.flags);
        }
        if self.family.takes_flags_again() {
            for flag in sketch.flags.iter_mut().filter(|flag| !flag.may_repeat) {
                flag.may_repeat = true;
            }
        }
        if left_out > 0 {
            sketch.overfull = true;
            let message = too_many_flags(sketch.flags.len(), left_out);
            sketch.warnings.push(message);
        } else {
            self.note_lost_options(&sketch, &shown);
        }
        (path, Some(sketch))
    }
}

impl Walk {
    /// Returns true if a command that refused to show its help is there all the same.
    fn is_sure(&self, trouble: Option<&Trouble>) -> bool {
        let refused = trouble.is_some_and(|trouble| trouble.gap == Gap::Lasting);
        refused && self.family.lists_only_commands()
    }

    /// Reads the page of a command that calls itself by another of its names.
    fn read_by_alias(&self, page: &Page<'_>, aliases: &[String]) -> Option<CommandSketch> {
        aliases.iter().find_map(|alias| {
            let mut words = page.path.words().to_vec();
            alias.clone_into(words.last_mut()?);
            let path = &words.into_iter().collect();
            let sketch = self.family.read(&Page { path, ..*page })?;
            let path = page.path.clone();
            Some(CommandSketch { path, ..sketch })
        })
    }

    /// Says where many of the options that a page shows were not read, whatever the reason is.
    fn note_lost_options(&self, sketch: &CommandSketch, shown: &[Vec<String>]) {
        // Some pages show the flags of all commands, and their readers leave those to the root.
        let found = self.lock();
        let root = found.commands.get(&CommandPath::root());
        let of_root = root.map(|root| &root.flags);
        let is_known = |name: &str| {
            let mut flags = std::iter::once(&sketch.flags).chain(of_root).flatten();
            flags.any(|flag| {
                let mut longs = flag.long.iter().chain(&flag.aliases).chain(&flag.negation);
                let mut shorts = flag.short.iter().chain(&flag.short_aliases);
                longs.any(|long| long == name) || shorts.any(|short| name == short.to_string())
            })
        };
        let lost = lost(shown, is_known);
        drop(found);
        if let Some((count, first)) = lost {
            let message = format!(
                "{count} of the options that its help shows, such as `{first}`, could not be read"
            );
            self.note_gap(sketch.path.clone(), message, Gap::Lasting);
        }
    }

    /// Says where a command lists others, and none of them was found: one may be a line of prose, several are not.
    fn note_lost_lists(&self) {
        const FEWEST: usize = 3;
        let mut found = self.lock();
        // Of a program that was not asked for all of its commands that is said already.
        if found.warnings.iter().any(|it| it.path.is_root()) {
            return;
        }
        let is_lost = |(path, names): &(&CommandPath, &Vec<String>)| {
            let is_there = |name: &String| {
                let child = path.child(name.as_str());
                let told = found
                    .warnings
                    .iter()
                    .any(|it| it.path == child || it.path == **path);
                told || found.commands.contains_key(&child)
            };
            let is_known = !path.is_root() && found.commands.contains_key(*path);
            is_known && names.len() >= FEWEST && !names.iter().any(is_there)
        };
        let lost: Vec<CommandPath> = found
            .order
            .iter()
            .filter(is_lost)
            .map(|it| it.0.clone())
            .collect();
        for path in lost {
            let message = "its help lists commands, but none of them could be read".to_owned();
            let warning = DiscoveryWarning::new(path, message).gap(Gap::Lasting);
            found.warnings.push(warning);
        }
    }

    /// A command is missing because of a mistake of ours.
    fn note_lost(&self, path: CommandPath) {
        let message = "reading it went wrong, so it is missing: this is a bug";
        self.note_gap(path, message.to_owned(), Gap::Passing);
    }

    /// A command that its parent lists is missing. Where it answered with somebody else's help it is no command, which
    /// needs no words.
    fn note_missing(&self, path: &CommandPath, trouble: Option<Trouble>) {
        let Some(trouble) = trouble else { return };
        let mut found = self.lock();
        if self.prober.gave_up() {
            found.unasked += 1;
        } else if self.prober.heard_enough() {
            found.unheard += 1;
        } else {
            let message = format!("its help could not be read: {}", trouble.said);
            let warning = DiscoveryWarning::new(path.clone(), message).gap(trouble.gap);
            found.warnings.push(warning);
        }
    }
}

fn too_many_flags(kept: usize, left_out: usize) -> String {
    format!(
        "it has more flags than are read of one command: {kept} are there, {left_out} were left out"
    )
}

/// The way a command is said not to be there, though it is listed.
const NOT_THERE: [&str; 3] = ["is not installed", "is not available for", "is unknown"];

/// The reason why a command did not show its help.
struct Trouble {
    said: String,
    gap: Gap,
}

impl Trouble {
    fn of(answer: &ProbeAnswer) -> Option<Self> {
        let gap = match answer.may_come_yet() {
            true => Gap::Passing,
            false => Gap::Lasting,
        };
        // The usage of another command is an answer: `remote rm` shows that of `remote remove`.
        let mut lines = answer.stderr.lines().chain(answer.stdout.lines());
        let first = lines.find(|line| !line.trim().is_empty());
        let is_usage = first.is_some_and(|line| line.to_lowercase().starts_with("usage:"));
        if is_usage && gap == Gap::Lasting {
            return None;
        }
        let said = answer.trouble()?;
        Some(Self { said, gap })
    }

    /// The words for a command that is listed and that the program itself says is not there: nothing of it can be missing.
    fn absent(&self, path: &CommandPath) -> Option<String> {
        let name = path.words().last()?;
        let in_name = |c: char| c.is_alphanumeric() || c == '_';
        let mut words = self.said.split(|c| !in_name(c));
        let says = NOT_THERE.iter().any(|it| self.said.contains(it));
        let is_absent = says && self.gap == Gap::Lasting && words.any(|word| word == name);
        is_absent.then(|| {
            format!(
                "it is left out, because the program says that it is not there: {}",
                self.said
            )
        })
    }
}

/// The ancestor of the same name that lists the same commands: a tree that leads back into itself has no end.
fn repeats_ancestor(found: &Found, sketch: &CommandSketch) -> Option<CommandPath> {
    let words = sketch.path.words();
    let name = words.last()?;
    if sketch.children.is_empty() {
        return None;
    }
    let children = |sketch: &CommandSketch| -> Vec<String> {
        let mut names: Vec<String> = sketch.children.iter().map(|c| c.name.clone()).collect();
        names.sort();
        names
    };
    (1..words.len())
        .filter(|&length| words[length - 1] == *name)
        .map(|length| words[..length].iter().cloned().collect::<CommandPath>())
        .find(|ancestor| {
            let ancestor = found.commands.get(ancestor);
            ancestor.is_some_and(|ancestor| children(ancestor) == children(sketch))
        })
}

#[cfg(all(test, unix))]
mod tests {
    use charmer_core::model::Syntax;

    use super::*;
    use crate::{family::Signs, probe::ProbeOptions};

    /// Reads a root with two commands, and fails at one of them.
    struct Clumsy;

    impl Family for Clumsy {
        fn name(&self) -> &'static str {
            "clumsy"
        }

        fn recognise(&self, _: &Signs<'_>) -> u8 {
            100
        }

        fn syntax(&self) -> Syntax {
            Syntax::pflag()
        }

        fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
            assert_ne!(page.path.to_string(), "stumble", "as it is meant to");
            let mut sketch = CommandSketch::new(page.path.clone());
            if page.path.is_root() {
                for name in ["walk", "stumble"] {
                    sketch.add_child(ChildSketch {
                        name: name.into(),
                        ..ChildSketch::default()
                    });
                }
            }
            Some(sketch)
        }
    }

    /// Reads a root with one command, whose help it never accepts.
    struct Sure(bool);

    impl Family for Sure {
        fn name(&self) -> &'static str {
            "sure"
        }

        fn recognise(&self, _: &Signs<'_>) -> u8 {
            100
        }

        fn syntax(&self) -> Syntax {
            Syntax::pflag()
        }

        fn lists_only_commands(&self) -> bool {
            self.0
        }

        fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
            let mut sketch = CommandSketch::new(page.path.clone());
            sketch.add_child(ChildSketch {
                name: "refuse".into(),
                ..ChildSketch::default()
            });
            page.path.is_root().then_some(sketch)
        }
    }

    #[tokio::test]
    async fn a_command_that_refuses_to_show_its_help_is_kept_where_lists_are_sure() {
        for (sure, expected) in [(true, vec!["", "refuse"]), (false, vec![""])] {
            let walk = walk_with("/bin/false", Box::new(Sure(sure)));
            walk.run(ProbeAnswer::default()).await;
            let found = walk.lock();
            let read: Vec<String> = found.commands.keys().map(ToString::to_string).collect();
            assert_eq!(read, expected);
            let said = &found.warnings[0];
            assert!(said.message.contains("its help could not be read"));
            assert_eq!(said.gap, Some(Gap::Lasting));
        }
    }

    #[test]
    fn a_command_that_the_program_says_is_not_there_is_left_out() {
        let path: CommandPath = ["glaze".to_owned()].into_iter().collect();
        let absent = |code, stderr: &str| {
            let answer = ProbeAnswer {
                stderr: stderr.to_owned(),
                code,
                started: true,
                ..ProbeAnswer::default()
            };
            Trouble::of(&answer).and_then(|trouble| trouble.absent(&path))
        };
        for said in [
            "error: 'kiln-glaze' is not installed for the toolchain 'clay'",
            "Object \"glaze\" is unknown, try \"kiln help\".",
            "error: the 'glaze' part which has 'kiln-glaze' is not available for the 'clay' toolchain",
        ] {
            let words = absent(Some(1), said).expect("it is not there");
            assert!(words.contains("not there: it said"), "{words}");
            assert_eq!(absent(None, said), None);
        }
        for said in ["error: 'brush' is not installed", "glaze: no clay"] {
            assert_eq!(absent(Some(1), said), None, "{said}");
        }
    }

    fn walk_of(program: &str) -> Arc<Walk> {
        walk_with(program, Box::new(Clumsy))
    }

    fn walk_with(program: &str, family: Box<dyn Family>) -> Arc<Walk> {
        let options = ProbeOptions::default();
        let prober = Prober::new(program.into(), options).expect("it can be asked");
        Arc::new(Walk {
            prober,
            binary: Binary::new(program.as_ref()),
            family,
            bounds: WalkBounds {
                commands: 10,
                depth: 10,
                flags: 10,
            },
            unlisted: Unlisted::default(),
            wanted: Vec::new(),
            found: Arc::default(),
        })
    }

    #[tokio::test]
    async fn a_walk_that_lost_a_command_to_a_panic_is_not_complete() {
        let walk = walk_of("/bin/true");
        walk.run(ProbeAnswer::default()).await;
        let found = walk.lock();
        let read: Vec<String> = found.commands.keys().map(ToString::to_string).collect();
        assert_eq!(read, ["", "walk"]);
        let lost = &found.warnings[0];
        assert_eq!(lost.path.to_string(), "stumble");
        assert!(lost.message.contains("bug"), "{}", lost.message);
        assert_eq!(lost.gap, Some(Gap::Passing));
    }

    #[tokio::test]
    async fn a_walk_whose_program_could_not_be_started_any_more_is_not_complete() {
        let walk = walk_of("/no/such/program");
        walk.run(ProbeAnswer::default()).await;
        let found = walk.lock();
        let last = found.warnings.last().expect("it is said");
        let said = "not all of its commands could be asked";
        assert!(last.message.contains(said), "{}", last.message);
        assert_eq!(last.gap, Some(Gap::Passing));
    }
}
