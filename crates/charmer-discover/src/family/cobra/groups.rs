//! Groups of flags: what vanishes from the list of completions when others are set.
//!
//! To see whether a command has groups at all, its flags are set half by half, a half for each binary digit of their
//! numbers: any two of them are apart in one of the halves, so that an exclusive pair loses a member in the list.
//! Only then are single flags asked about. Small programs are asked about every command; in large ones only those
//! whose help hints at a group, so that the walk stays within its bounds.

use charmer_core::model::{CommandPath, Group, GroupKind};

use futures_util::future::join_all;

use crate::{
    fact::{Fact, Origin},
    family::{Asker, Sketches},
    flag_places::FlagPlaces,
    sketch::{CommandSketch, FlagScope, FlagSketch},
};

use super::{Cobra, flag_lines, wrong_values};

/// The number of commands up to which a program is asked about all of them: four questions a command, which are more
/// than the bound of two that larger ones keep to, take a second or two then.
pub(super) const SMALL: usize = 40;

/// The maximum number of flags of a command that are asked about one by one.
const SUSPECTS: usize = 64;

impl Cobra {
    /// Finds the groups of every command that may have some.
    pub(super) async fn find_groups(&self, asker: &Asker<'_>, sketches: &mut Sketches) {
        let commands = sketches.len();
        let mut order: Vec<CommandPath> = sketches
            .iter()
            .filter(|(_, sketch)| own_flags(sketch).count() > 1)
            .filter(|(_, sketch)| commands <= SMALL || hints_at_groups(sketch))
            .map(|(path, _)| path.clone())
            .collect();
        order.sort_by_key(|path| !hints_at_groups(&sketches[path]));
        let mut budget = if commands <= SMALL {
            commands * 12
        } else {
            // What the walk has left of its bounds.
            let left = (commands * 2).saturating_sub(asker.prober.spawned());
            left.min(commands / 8)
        };
        let mut asked = Vec::new();
        for path in order {
            let flags: Vec<FlagSketch> = own_flags(&sketches[&path]).cloned().collect();
            let rounds = usize::BITS - (flags.len() - 1).leading_zeros();
            let cost = rounds as usize + 1;
            if budget < cost {
                continue;
            }
            budget -= cost;
            asked.push(async move {
                let groups = self.groups_of(asker, &path, &flags, rounds).await;
                (path, groups)
            });
        }
        for (path, groups) in join_all(asked).await {
            let groups = groups
                .into_iter()
                .map(|group| Fact::new(group, Origin::Completion));
            if let Some(sketch) = sketches.get_mut(&path) {
                sketch.groups.extend(groups);
            }
        }
    }

    async fn groups_of(
        &self,
        asker: &Asker<'_>,
        path: &CommandPath,
        flags: &[FlagSketch],
        rounds: u32,
    ) -> Vec<Group> {
        // What is listed when nothing is set, and whether anything but the command's own flags is.
        let required = Vec::from_iter(flags.iter().filter(|flag| is_required(flag)));
        let Some(plain) = self.list(asker, path, &required).await else {
            return Vec::new();
        };
        let own = FlagPlaces::of(flags);
        let foreign = plain.iter().any(|flag| !own.has(flag));
        let plain = FlagPlaces::of(&plain);
        let kept = flags
            .iter()
            .filter(|flag| is_required(flag) || plain.has(flag));
        let command = GroupsOf {
            path,
            flags: kept.cloned().collect(),
            foreign,
        };
        let flags = &command.flags;
        let mut suspects: Vec<FlagSketch> = Vec::new();
        for bit in 0..rounds {
            let set: Vec<&FlagSketch> = flags
                .iter()
                .enumerate()
                .filter(|(at, _)| at >> bit & 1 == 1)
                .map(|(_, flag)| flag)
                .collect();
            let Some(GroupListing::Lacks(found) | GroupListing::Wants(found)) =
                self.list_with(asker, &command, &set).await
            else {
                continue;
            };
            for flag in found {
                if suspects.len() < SUSPECTS && !suspects.iter().any(|known| known.is_same(&flag)) {
                    suspects.push(flag);
                }
            }
        }
        let mut groups: Vec<Group> = Vec::new();
        for suspect in suspects {
            let (kind, others) = match self.list_with(asker, &command, &[&suspect]).await {
                Some(GroupListing::Lacks(gone)) => (GroupKind::Exclusive, gone),
                Some(GroupListing::Wants(partners)) => (GroupKind::Together, partners),
                None => continue,
            };
            if others.is_empty() {
                continue;
            }
            let mut members: Vec<String> = others.iter().map(FlagSketch::id).collect();
            members.push(suspect.id());
            members.sort();
            let group = Group::new(kind, members);
            if !groups.contains(&group) {
                groups.push(group);
            }
        }
        groups
    }

    /// The flags that completion lists when these are set; `None` if it does not answer or a value was wrong.
    async fn list(
        &self,
        asker: &Asker<'_>,
        path: &CommandPath,
        set: &[&FlagSketch],
    ) -> Option<Vec<FlagSketch>> {
        let given: Vec<String> = set
            .iter()
            .filter_map(|flag| wrong_values::valid(flag))
            .collect();
        let answer = self.complete(asker, path, &given, "-").await?;
        answer.complaint.is_none().then(|| flag_lines(&answer))
    }

    /// Returns the list of flags when these are set.
    async fn list_with(
        &self,
        asker: &Asker<'_>,
        command: &GroupsOf<'_>,
        set: &[&FlagSketch],
    ) -> Option<GroupListing> {
        let flags = &command.flags;
        let is_set = |flag: &FlagSketch| set.iter().any(|other| other.is_same(flag));
        // What is required is set in any case, or nothing else would be listed.
        let required = flags
            .iter()
            .filter(|flag| is_required(flag) && !is_set(flag));
        let all: Vec<&FlagSketch> = set.iter().copied().chain(required).collect();
        let listed = self.list(asker, command.path, &all).await?;
        let own = FlagPlaces::of(flags);
        let (listed, others): (Vec<_>, Vec<_>) = listed.into_iter().partition(|flag| own.has(flag));
        // While something is wanted, not even `--help` or a global flag is listed.
        let free = flags.len() - all.len();
        let wants = if command.foreign {
            others.is_empty()
        } else {
            listed.len() * 2 < free
        };
        if wants && !listed.is_empty() {
            let wanted = listed.into_iter().filter(|flag| !is_set(flag));
            return Some(GroupListing::Wants(wanted.collect()));
        }
        let listed = FlagPlaces::of(&listed);
        let gone = flags
            .iter()
            .filter(|flag| !is_set(flag) && !is_required(flag) && !listed.has(flag));
        Some(GroupListing::Lacks(gone.cloned().collect()))
    }
}

/// A command whose groups are looked for.
struct GroupsOf<'a> {
    path: &'a CommandPath,
    /// Its own flags, as far as completion lists them.
    flags: Vec<FlagSketch>,
    /// Completion lists others besides.
    foreign: bool,
}

fn is_required(flag: &FlagSketch) -> bool {
    flag.required.as_ref().is_some_and(|fact| fact.value)
}

/// A list of flags when some are set.
enum GroupListing {
    /// These are not listed, although they are not set.
    Lacks(Vec<FlagSketch>),
    /// Only these are listed: without them, the flags that are set will not do.
    Wants(Vec<FlagSketch>),
}

fn own_flags(sketch: &CommandSketch) -> impl Iterator<Item = &FlagSketch> {
    let inherited = |flag: &FlagSketch| {
        flag.scope
            .as_ref()
            .is_some_and(|scope| scope.value == FlagScope::Inherited)
    };
    let runs = sketch.runnable.as_ref().is_none_or(|fact| fact.value);
    sketch
        .flags
        .iter()
        .filter(move |flag| runs && flag.long.is_some() && flag.id() != "help" && !inherited(flag))
}

/// Returns true if a command's help speaks of flags that exclude or need each other.
fn hints_at_groups(sketch: &CommandSketch) -> bool {
    const HINTS: [&str; 6] = [
        "mutually exclusive",
        "cannot be used with",
        "can't be used with",
        "cannot be combined",
        "only one of",
        "together with",
    ];
    let texts = sketch
        .flags
        .iter()
        .filter_map(|flag| flag.help.as_ref())
        .chain(sketch.long_about.as_ref());
    texts
        .map(|fact| fact.value.to_lowercase())
        .any(|text| HINTS.iter().any(|hint| text.contains(hint)))
}
