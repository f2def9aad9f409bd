//! Applying a draft: looked at, staged beside, renamed in order; undone where that fails.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    changes::{Before, DraftChange},
    copy::Copier,
    journal::{Act, ApplyJournal, Held, Staged, Step, new_name, within},
    record::{DraftFolder, Record, upper},
    state::{Digests, FileState, Kind, PathText, at},
};

/// The maximum number of paths of a conflict that are named.
const NAMED: usize = 5;

/// The reason why a draft was not applied. The folders are as they were, unless it says otherwise.
#[derive(Debug)]
pub(super) enum NotApplied {
    /// These have changed since.
    Changed(Vec<String>),
    /// It failed, and everything is as it was.
    Failed(String),
    /// It failed, and these could not be undone: the journal stays.
    Torn(String, Vec<String>),
}

impl From<io::Error> for NotApplied {
    fn from(error: io::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Says which of the files that a draft touches are not what they were.
pub(super) fn conflicts(
    record: &Record,
    before: &Before,
    changes: &[DraftChange],
) -> io::Result<Vec<String>> {
    let mut found = Vec::new();
    let mut digests = Digests::default();
    for change in changes {
        if found.len() >= NAMED {
            break;
        }
        let place = record.folders[change.folder].path.0.join(&change.path);
        let now = FileState::of(&place, &mut digests)?;
        let same = match (&now, &change.before) {
            (Some(now), Some(before)) => now.still_is(before),
            (None, None) => true,
            _ => false,
        };
        let shown = || super::diff::name(record, change);
        if !same {
            found.push(shown());
            continue;
        }
        // A folder that goes must hold nothing that was not there.
        let goes = change
            .after
            .as_ref()
            .is_none_or(|after| after.kind != Kind::Folder);
        let was_folder = change
            .before
            .as_ref()
            .is_some_and(|before| before.kind == Kind::Folder);
        if goes && was_folder {
            for entry in fs::read_dir(&place).map_err(|error| at(&place, &error))? {
                let path = change.path.join(entry?.file_name());
                if !before.contains_key(&(change.folder, PathText(path.clone()))) {
                    found.push(path.display().to_string());
                }
            }
        }
    }
    Ok(found)
}

/// Does all of it, or nothing.
pub(super) fn apply(
    draft: &Path,
    record: &Record,
    changes: &[DraftChange],
) -> Result<(), NotApplied> {
    let touched: Vec<usize> = {
        let mut touched: Vec<usize> = changes.iter().map(|change| change.folder).collect();
        touched.dedup();
        touched
    };
    // Only folders that are touched are staged in.
    let folders: Vec<DraftFolder> = touched
        .iter()
        .map(|at| record.folders[*at].clone())
        .collect();
    let mut journal = ApplyJournal {
        folders,
        staging: format!(".charmer-draft-{}", record.id),
        steps: Vec::new(),
        done: false,
    };
    let held = journal.hold(true)?;
    let staged = stage(draft, &mut journal, &touched, changes, &held);
    let written = staged.and_then(|()| {
        // What is renamed must be on disk before it is.
        for folder in 0..touched.len() {
            rustix::fs::syncfs(held.staging(folder))?;
        }
        journal.write(draft)
    });
    if let Err(error) = written {
        let _ = journal.clear();
        return Err(error.into());
    }
    if let Err(error) = journal.finish(&held) {
        let left = journal.undo(&held);
        if !left.is_empty() {
            return Err(NotApplied::Torn(error.to_string(), left));
        }
        let _ = journal.clear();
        let _ = ApplyJournal::remove(draft);
        return Err(error.into());
    }
    end(draft, &mut journal)?;
    Ok(())
}

/// After the last step: what was kept for undoing goes.
pub(super) fn end(draft: &Path, journal: &mut ApplyJournal) -> io::Result<()> {
    journal.done = true;
    journal.write(draft)?;
    journal.clear()?;
    ApplyJournal::remove(draft)
}

/// Copies what is new beside the folder's files, and writes the steps down.
pub(super) fn stage(
    draft: &Path,
    journal: &mut ApplyJournal,
    touched: &[usize],
    changes: &[DraftChange],
    held: &Held,
) -> io::Result<()> {
    let mut copier = Copier::default();
    // Everything beneath this path is done with it.
    let mut covered: Option<(usize, PathBuf)> = None;
    for (at, change) in changes.iter().enumerate() {
        let is_covered = covered.as_ref().is_some_and(|(folder, path)| {
            *folder == change.folder && change.path.starts_with(path)
        });
        if is_covered {
            continue;
        }
        let folder = touched
            .iter()
            .position(|at| *at == change.folder)
            .expect("it is one of those that are touched");
        let staged = at as u64;
        let mut bring = || -> io::Result<Staged> {
            let from = upper(draft, change.folder).join(&change.path);
            copier.copy(&from, &within(held.staging(folder), &new_name(staged)))?;
            held.staged(folder, staged)
        };
        let both_folders = change.before.is_some() && change.after.is_some() && change.is_folder();
        let act = match (&change.before, &change.after) {
            (Some(before), Some(after)) if both_folders => Act::Mode {
                from: before.mode,
                to: after.mode,
            },
            (None, Some(_)) => Act::Create {
                staged,
                new: bring()?,
            },
            (Some(before), Some(_)) => Act::Replace {
                staged,
                new: bring()?,
                before: before.clone(),
            },
            (Some(before), None) => Act::Remove {
                aside: staged,
                before: before.clone(),
            },
            (None, None) => continue,
        };
        if !matches!(act, Act::Mode { .. }) {
            covered = Some((change.folder, change.path.clone()));
        }
        journal.steps.push(Step {
            folder,
            path: PathText(change.path.clone()),
            act,
        });
    }
    // A folder may lose the right to be written to: that comes last.
    let (modes, others): (Vec<Step>, Vec<Step>) = std::mem::take(&mut journal.steps)
        .into_iter()
        .partition(|step| matches!(step.act, Act::Mode { .. }));
    journal.steps = others.into_iter().chain(modes).collect();
    Ok(())
}
