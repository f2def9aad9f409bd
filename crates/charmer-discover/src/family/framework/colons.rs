//! Commands that are listed below a topic and called by a name that holds it: `apps:create`.

use std::collections::BTreeSet;

use charmer_core::model::CommandPath;

use super::Sketches;
use crate::sketch::CommandSketch;

/// Moves commands that were found below a topic, but are called by a name with colons, to where they are called: `typed` gives
/// the words for that.
pub(super) fn move_to_root(sketches: &mut Sketches, typed: fn(&CommandPath) -> CommandPath) {
    let moved: Vec<CommandPath> = sketches
        .keys()
        .filter(|path| typed(path) != **path)
        .cloned()
        .collect();
    let mut emptied: BTreeSet<CommandPath> = BTreeSet::new();
    for path in moved {
        let Some(mut sketch) = sketches.remove(&path) else {
            continue;
        };
        let above = path.words().split_last().map(|(_, above)| above);
        emptied.extend(above.map(|above| typed(&above.iter().cloned().collect())));
        sketch.path = typed(&path);
        sketch.children.clear();
        sketches.entry(sketch.path.clone()).or_insert(sketch);
    }
    // A topic that does nothing by itself was only there to list them.
    for path in emptied {
        let runs = |sketch: &CommandSketch| sketch.runnable.as_ref().is_none_or(|runs| runs.value);
        if !path.is_root() && sketches.get(&path).is_some_and(|sketch| !runs(sketch)) {
            sketches.remove(&path);
        }
    }
}
