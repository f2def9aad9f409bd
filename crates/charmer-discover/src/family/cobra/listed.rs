//! Flags as completion lists them: which are required, and which of ancestors help does not show.
//!
//! One start a command, which is half of what a reading costs. In a large program most flags come from a few helpers that
//! many commands share. Where enough commands that have a flag were asked, and none of them wants it, it is not required:
//! a command that has no other flags is not asked.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap, HashSet},
    hash::{DefaultHasher, Hash, Hasher},
    sync::PoisonError,
};

use charmer_core::model::{CommandPath, Group, GroupKind, ValueType};
use futures_util::stream::{self, StreamExt as _};

use crate::{
    fact::{Fact, Field, Origin},
    family::{Asker, Sketches},
    flag_places::FlagPlaces,
    flags::{FlagPool, Flags},
    sketch::{CommandSketch, FlagScope, FlagSketch, KindSketch},
    walk::AT_ONCE,
};

use super::{
    Cobra,
    complete::CompletionLines,
    completion_words, flag_lines,
    groups::SMALL,
    learn_flags,
    wrong_values::{self, said_of},
};

/// The number of commands must that have been asked about a flag before others with the same are not.
const VOUCHING: usize = 2;

/// A text in the room of a number: a large program has a hundred thousand that are compared and never shown.
type Digest = u64;

/// The texts of a command's help on its flags that take a value, by their names, both as digests.
struct NumberedText(Vec<(Digest, Digest)>);

impl NumberedText {
    fn of(sketch: &CommandSketch) -> Self {
        let flags = values(sketch);
        Self(flags.map(|flag| (digest(&flag.id()), said(flag))).collect())
    }

    fn each(&self) -> impl Iterator<Item = Digest> {
        self.0.iter().map(|(_, said)| *said)
    }

    fn get(&self, id: &str) -> Option<Digest> {
        let id = digest(id);
        let mut all = self.0.iter();
        all.find(|(known, _)| *known == id).map(|(_, said)| *said)
    }
}

fn digest(text: &str) -> Digest {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}

/// The digest of a flag's help.
fn said(flag: &FlagSketch) -> Digest {
    digest(&said_of(flag))
}

/// The answers of commands that were asked, about the flags that they share with others.
#[derive(Default)]
struct Vouched {
    /// Flags that are required, or one of several that is, somewhere.
    wanted: HashSet<Digest>,
    /// Flags whose placeholder is the name of a type.
    named: HashSet<Digest>,
    /// Groups some of whose commands take flags of ancestors that help does not show.
    more: HashSet<CommandPath>,
}

impl Cobra {
    /// Asks commands for their flags, and for the kinds that help leaves open.
    pub(super) async fn learn_flags(&self, asker: &Asker<'_>, sketches: &mut Sketches) {
        let large = sketches.len() > SMALL;
        sketches.values_mut().for_each(wrong_values::believe_commas);
        let mut twins: BTreeMap<CommandPath, CommandPath> = BTreeMap::new();
        let mut same = Vec::new();
        let mut vouching: HashMap<Digest, usize> = HashMap::new();
        let (mut asked, mut heard, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        for (path, sketch) in &*sketches {
            let runs = sketch.runnable.as_ref().is_none_or(|fact| fact.value);
            if !runs || sketch.overfull || self.has_no_flags(sketch) {
                continue;
            }
            if let Some(key) = twin_key(sketch) {
                let first = twins.entry(key).or_insert_with(|| path.clone());
                if first != path && takes_all(&sketches[first], sketch) {
                    same.push((first.clone(), path.clone()));
                    continue;
                }
            }
            // As help has them: what completion says of them comes on top.
            let help = NumberedText::of(sketch);
            let known = |said: Digest| vouching.get(&said).is_some_and(|&by| by >= VOUCHING);
            if large && !path.is_root() && help.each().all(known) {
                rest.push(path.clone());
                continue;
            }
            for said in help.each() {
                *vouching.entry(said).or_default() += 1;
            }
            heard.push(help);
            asked.push(path.clone());
        }
        self.ask_all(asker, sketches, &asked).await;
        let root = sketches.get(&CommandPath::root());
        let globals = FlagPlaces::of(root.into_iter().flat_map(|root| &root.flags));
        let spoken = asked.iter().map(|path| &sketches[path]).zip(&heard);
        let vouched = Vouched::by(spoken, &globals);
        let (doubtful, sure): (Vec<_>, Vec<_>) = rest
            .into_iter()
            .partition(|path| vouched.doubts(&sketches[path]));
        self.ask_all(asker, sketches, &doubtful).await;
        for path in sure {
            let Some(sketch) = sketches.get_mut(&path) else {
                continue;
            };
            for flag in &mut sketch.flags {
                if !flag.named_type && vouched.named.contains(&said(flag)) {
                    flag.named_type = true;
                }
            }
            self.learn_types(asker, sketch).await;
        }
        for (first, path) in same {
            let Some(twin) = sketches.get(&first).cloned() else {
                continue;
            };
            let Some(sketch) = sketches.get_mut(&path) else {
                continue;
            };
            sketch.flags = twin.flags;
            sketch.groups = twin.groups;
        }
        // What is done from here on changes flags, and what is shared is copied before.
        *self.pool.lock().unwrap_or_else(PoisonError::into_inner) = FlagPool::default();
    }

    async fn ask_all(&self, asker: &Asker<'_>, sketches: &mut Sketches, paths: &[CommandPath]) {
        let paths: HashSet<&CommandPath> = paths.iter().collect();
        let mut asked: Vec<&mut CommandSketch> = sketches
            .iter_mut()
            .filter_map(|(path, sketch)| paths.contains(path).then_some(sketch))
            .collect();
        // Those that most is asked about, one question after the other, are begun first: at the end nobody waits for them.
        asked.sort_by_key(|sketch| Reverse(wrong_values::open_flags(sketch)));
        let each = asked.into_iter().map(|sketch| async move {
            self.ask_for_flags(asker, sketch).await;
            self.learn_types(asker, sketch).await;
            self.share_flags(sketch);
        });
        stream::iter(each)
            .for_each_concurrent(AT_ONCE, |asked| asked)
            .await;
    }

    /// Makes the flags of a command one with those of others that are alike.
    fn share_flags(&self, sketch: &mut CommandSketch) {
        let mut pool = self.pool.lock().unwrap_or_else(PoisonError::into_inner);
        pool.share(&mut sketch.flags);
    }

    /// Returns true if help shows no flags of a command, and those that all commands take are known from elsewhere.
    fn has_no_flags(&self, sketch: &CommandSketch) -> bool {
        sketch.flags.is_empty() && !sketch.path.is_root() && self.globals.get().is_some()
    }

    /// Flags, the required ones among them, and those of ancestors that help does not show.
    async fn ask_for_flags(&self, asker: &Asker<'_>, sketch: &mut CommandSketch) {
        let words = completion_words(&sketch.path, &[], "-");
        let answer = asker.prober.run_first(&words).await;
        let Some(listed) = CompletionLines::read(&answer) else {
            return;
        };
        let listed = flag_lines(&listed);
        if listed.is_empty() {
            // It reads its flags itself, or completes something else.
            return;
        }
        if hidden(&sketch.flags, &listed).is_empty() {
            learn_flags(sketch, listed);
        } else {
            self.ask_for_required(asker, sketch, listed).await;
        }
    }

    /// While a required flag is missing, only those that are required are listed. They are given one by one: when
    /// the others come back, the last one was the last that is required, or the one of several that is.
    async fn ask_for_required(
        &self,
        asker: &Asker<'_>,
        sketch: &mut CommandSketch,
        mut listed: Vec<FlagSketch>,
    ) {
        let before = listed.clone();
        let away = hidden(&sketch.flags, &listed);
        let mut pending = listed.clone();
        let mut given = Vec::new();
        let mut required: Vec<FlagSketch> = Vec::new();
        let mut groups = Vec::new();
        let mut back = false;
        while !back && !pending.is_empty() && given.len() < 32 {
            let mut next = pending.remove(0);
            if let Some(known) = sketch.flag_mut(&next) {
                next = known.clone();
            }
            // What is not required can be asked about on the way, when all flags may be listed again.
            // One with a letter is the same in many commands, and is asked about once.
            let asks = |flag: &&FlagSketch| {
                wrong_values::is_open_list(flag)
                    && flag.short.is_none()
                    && self.recall(flag).is_none()
            };
            let lists = match pending.is_empty() {
                true => away.iter().filter(asks).collect(),
                false => Vec::new(),
            };
            let Some(after) = self
                .give(asker, sketch, &mut given, &mut next, &lists)
                .await
            else {
                break;
            };
            listed = flag_lines(&after);
            let shown = FlagPlaces::of(&listed);
            back = away.iter().any(|flag| shown.has(flag));
            let freed: Vec<FlagSketch> = pending
                .extract_if(.., |flag| back || !shown.has(flag))
                .collect();
            if freed.is_empty() {
                required.push(next);
            } else {
                let members = [&next].into_iter().chain(&freed).map(FlagSketch::id);
                groups.push(Group::new(GroupKind::OneOf, members));
            }
        }
        if !back {
            // Nothing was held back, so what completion does not list stands in somebody's text.
            if away.len() * 2 <= sketch.flags.len() {
                let away = FlagPlaces::of(&away);
                sketch.flags.retain(|flag| !away.has(flag));
            }
            learn_flags(sketch, before);
            return;
        }
        learn_flags(sketch, before);
        learn_flags(sketch, listed);
        for flag in &required {
            if let Some(known) = sketch.flag_mut(flag) {
                known.required = Some(Fact::new(true, Origin::Completion));
            }
        }
        let groups = groups.into_iter();
        let groups = groups.map(|group| Fact::new(group, Origin::Completion));
        sketch.groups.extend(groups);
    }

    /// Lists flags with one more given, and with lists of which the kind is to be seen. If a value is refused, the refusal
    /// tells which is not.
    async fn give(
        &self,
        asker: &Asker<'_>,
        sketch: &mut CommandSketch,
        given: &mut Vec<String>,
        flag: &mut FlagSketch,
        lists: &[&FlagSketch],
    ) -> Option<CompletionLines> {
        let is_list = wrong_values::is_open_list(flag);
        given.push(match is_list {
            true => wrong_values::junk(flag),
            false => wrong_values::valid(flag)?,
        });
        let words: Vec<String> = given
            .iter()
            .cloned()
            .chain(lists.iter().map(|list| wrong_values::junk(list)))
            .collect();
        let answer = self.complete(asker, &sketch.path, &words, "-").await?;
        let mut refused = lists.iter().copied();
        let Some(complaint) = &answer.complaint else {
            let listed = FlagPlaces::of(&flag_lines(&answer));
            let own = is_list.then_some(&*flag);
            for list in refused.chain(own).filter(|list| listed.has(list)) {
                learn_kind(sketch, list, KindSketch::repeated(ValueType::String));
            }
            return Some(answer);
        };
        if complaint.is_about(flag) {
            let kind = complaint.kind()?;
            if is_list {
                learn_kind(sketch, flag, kind.clone());
            }
            flag.kind.learn(Fact::new(kind, Origin::Probe));
            flag.default = None;
            given.pop();
            given.push(wrong_values::valid(flag)?);
        } else if let Some(list) = refused.find(|list| complaint.is_about(list)) {
            if let Some(kind) = complaint.kind() {
                learn_kind(sketch, list, kind);
            }
        } else {
            return Some(answer);
        }
        self.complete(asker, &sketch.path, given, "-").await
    }
}

fn learn_kind(sketch: &mut CommandSketch, flag: &FlagSketch, kind: KindSketch) {
    if let Some(known) = sketch.flag_mut(flag) {
        known.kind.learn(Fact::new(kind, Origin::Probe));
    }
}

impl Vouched {
    /// Sums up what commands have said, each with what its help says of its flags, by their names. The root's flags are
    /// known to all.
    fn by<'a>(
        asked: impl Iterator<Item = (&'a CommandSketch, &'a NumberedText)>,
        globals: &FlagPlaces,
    ) -> Self {
        let mut vouched = Self::default();
        for (sketch, help) in asked {
            let groups = sketch.groups.iter().flat_map(|group| &group.value.members);
            let grouped: HashSet<&String> = groups.collect();
            for flag in &sketch.flags {
                let hidden = flag.scope.as_ref().is_some_and(|scope| {
                    scope.value == FlagScope::Inherited && scope.source.origin == Origin::Completion
                });
                if hidden && !globals.has(flag) {
                    vouched.more.extend(group_of(&sketch.path));
                }
                let id = flag.id();
                let Some(said) = help.get(&id) else { continue };
                let required = flag.required.as_ref().is_some_and(|fact| fact.value);
                if required || grouped.contains(&id) {
                    vouched.wanted.insert(said);
                }
                if flag.named_type {
                    vouched.named.insert(said);
                }
            }
        }
        vouched
    }

    /// Returns true if a command that was not asked has to be.
    fn doubts(&self, sketch: &CommandSketch) -> bool {
        group_of(&sketch.path).is_some_and(|group| self.more.contains(&group))
            || values(sketch).any(|flag| self.wanted.contains(&said(flag)))
    }
}

/// The path of the command above.
fn group_of(path: &CommandPath) -> Option<CommandPath> {
    let (_, above) = path.words().split_last()?;
    Some(above.iter().cloned().collect())
}

/// The flags of a command that might be required: those that take a value. A switch that must be given says nothing, and
/// nobody must give what has a value already. (One that help names a type for is asked about, because that may be an
/// author's word.)
fn values(sketch: &CommandSketch) -> impl Iterator<Item = &FlagSketch> {
    let settled = |flag: &FlagSketch| flag.default.is_some() && flag.placeholder.is_none();
    let flags = sketch.flags.iter();
    flags.filter(move |flag| !flag.is_switch() && !settled(flag))
}

/// Returns true if a command that has been read under another path takes all flags that this one shows.
fn takes_all(first: &CommandSketch, sketch: &CommandSketch) -> bool {
    let known = FlagPlaces::of(&first.flags);
    sketch.flags.iter().all(|flag| known.has(flag))
}

/// The least of the paths that call the same command.
pub(super) fn twin_key(sketch: &CommandSketch) -> Option<CommandPath> {
    let least = sketch.same_as.iter().min()?;
    Some(least.min(&sketch.path).clone())
}

/// The flags of help that are not listed.
fn hidden(help: &Flags, listed: &[FlagSketch]) -> Vec<FlagSketch> {
    let shown = help.iter().filter(|flag| flag.id() != "help");
    let listed = FlagPlaces::of(listed);
    shown.filter(|flag| !listed.has(flag)).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::{super::pflag, *};

    fn command(path: &str, rows: &[&str]) -> CommandSketch {
        let path: CommandPath = path.split(' ').map(str::to_owned).collect();
        let mut sketch = CommandSketch::new(path);
        sketch.flags = pflag::flags(rows).into();
        sketch
    }

    const OWNER: &str = "      --owner string   whose it is";
    const DEPTH: &str = "      --depth int      how deep";
    const QUICK: &str = "      --quick          be quick";

    #[test]
    fn a_flag_that_is_wanted_somewhere_is_asked_about_everywhere() {
        let mut asked = command("dig hole", &[OWNER, DEPTH, QUICK]);
        let help = NumberedText::of(&asked);
        assert_eq!(help.each().count(), 2, "a switch is never required");
        asked.flags[0].required = Some(Fact::new(true, Origin::Completion));
        // What completion says of a flag is not what the help of others says of it.
        asked.flags[0].help = Some(Fact::new("Whose".into(), Origin::Completion));
        let vouched = Vouched::by([(&asked, &help)].into_iter(), &FlagPlaces::default());
        assert!(vouched.doubts(&command("dig well", &[OWNER])));
        assert!(!vouched.doubts(&command("dig pond", &[DEPTH, QUICK])));
    }

    #[test]
    fn flags_that_help_does_not_show_are_looked_for_in_the_whole_group() {
        let mut asked = command("dig hole", &[DEPTH, QUICK]);
        let help = NumberedText::of(&asked);
        asked.flags[1].scope = Some(Fact::new(FlagScope::Inherited, Origin::Completion));
        let vouched = Vouched::by([(&asked, &help)].into_iter(), &FlagPlaces::default());
        assert!(vouched.doubts(&command("dig pond", &[DEPTH])));
        assert!(!vouched.doubts(&command("plant tree", &[DEPTH])));
        // Those of the root are known anyhow.
        let globals = FlagPlaces::of(&asked.flags);
        let vouched = Vouched::by([(&asked, &help)].into_iter(), &globals);
        assert!(!vouched.doubts(&command("dig pond", &[DEPTH])));
    }
}
