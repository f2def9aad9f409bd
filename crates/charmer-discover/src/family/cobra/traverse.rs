//! A trial of a command's own flags before a subcommand.
//!
//! Most Cobra programs give every flag of a command line to the last command, which knows its own and the persistent
//! ones: `app group --own sub` fails. Programs that traverse (docker) take each flag where it stands.

use charmer_core::model::CommandPath;
use futures_util::future::join_all;

use super::{
    Asker, Cobra, CommandSketch, Fact, FlagPlaces, FlagScope, FlagSketch, Origin, Sketches,
    wrong_values,
};

/// The number of flags that are tried at once: one that is persistent without anybody having said so does not decide
/// alone.
const TRIED: usize = 4;

/// A command with flags of its own, and a command line that gives them before a subcommand.
struct Trial {
    path: CommandPath,
    given: Vec<String>,
}

impl Cobra {
    /// Asks for every command that has flags of its own and subcommands. Flags are parsed; nothing is run.
    pub(super) async fn learn_traversal(&self, asker: &Asker<'_>, sketches: &mut Sketches) {
        let trials = sketches.keys().filter_map(|path| trial(path, sketches));
        let answers = trials.map(|trial| async move {
            let answer = self.complete(asker, &trial.path, &trial.given, "-").await;
            (trial.path, answer)
        });
        for (path, answer) in join_all(answers.collect::<Vec<_>>()).await {
            // What nobody says is as Cobra has it by itself.
            let fact = match answer {
                Some(answer) if answer.unknown_flag => Fact::new(true, Origin::Probe),
                Some(answer) if answer.complaint.is_none() && !answer.failed => {
                    Fact::new(false, Origin::Probe)
                }
                _ => Fact::new(true, Origin::Convention),
            };
            if let Some(sketch) = sketches.get_mut(&path) {
                sketch.excludes_subcommands = Some(fact);
            }
        }
    }
}

fn trial(path: &CommandPath, sketches: &Sketches) -> Option<Trial> {
    let sketch = &sketches[path];
    let mut own: Vec<&FlagSketch> = sketch
        .flags
        .iter()
        .filter(|flag| {
            let scope = flag.scope.as_ref().map(|scope| scope.value);
            matches!(scope, None | Some(FlagScope::Own)) && flag.deprecated.is_none()
        })
        .filter(|flag| flag.id() != "help")
        .collect();
    if own.is_empty() {
        return None;
    }
    // The value of a switch is never wrong.
    own.sort_by_key(|flag| !flag.is_switch());
    let children = sketch.children.iter();
    let children = children.filter_map(|child| sketches.get(&path.child(child.name.as_str())));
    let mut children: Vec<&CommandSketch> = children.collect();
    // Where a subcommand has flags, those that it inherits are among them. One that has all these flags of its own
    // (`hugo server` builds as `hugo` does) takes them anywhere, and says nothing of the others.
    children.sort_by_key(|child| std::cmp::Reverse(child.flags.len()));
    children.into_iter().find_map(|child| {
        let known = FlagPlaces::of(&child.flags);
        let tried = own.iter().filter(|flag| !known.has(flag));
        let tried = tried.filter_map(|flag| wrong_values::valid(flag));
        let mut given: Vec<String> = tried.take(TRIED).collect();
        if given.is_empty() {
            return None;
        }
        given.push(child.path.words().last()?.clone());
        Some(Trial {
            path: path.clone(),
            given,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{super::pflag, *};
    use crate::sketch::ChildSketch;

    #[test]
    fn a_child_that_has_every_flag_itself_does_not_decide() {
        let all = ["      --draft   A", "      --minify   B"];
        let mut sketches = Sketches::new();
        let mut add = |words: &[&str], flags: &[&str], children: &[&str]| {
            let path: CommandPath = words.iter().map(ToString::to_string).collect();
            let mut sketch = CommandSketch::new(path.clone());
            sketch.flags = pflag::flags(flags).into();
            sketch.children = children
                .iter()
                .map(|name| ChildSketch {
                    name: (*name).into(),
                    ..ChildSketch::default()
                })
                .collect();
            sketches.insert(path, sketch);
        };
        add(&[], &all, &["serve", "list"]);
        add(&["serve"], &[all[0], all[1], "      --port int   C"], &[]);
        add(&["list"], &[all[1]], &[]);
        let found = trial(&CommandPath::root(), &sketches).expect("a trial");
        assert_eq!(found.given, ["--draft=true", "list"]);
        assert!(trial(&CommandPath::root().child("list"), &sketches).is_none());
    }
}
