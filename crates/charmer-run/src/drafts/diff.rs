//! Changes for people: lists of paths, and a unified diff of texts, each within a budget.

use std::{
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use charmer_core::output::clean;
use similar::{Algorithm, TextDiff};

use crate::Redactor;

use super::{
    Draft, DraftCounts,
    changes::DraftChange,
    record::{Record, upper},
    state::{FileState, Kind},
};

/// The maximum number of paths in each list.
const MOST_PATHS: usize = 200;
/// The length of the diff in an answer, and of what one file has of it.
const DIFF: usize = 16_000;
const DIFF_OF_FILE: usize = 5_000;
/// Up to which size a file is compared line by line.
const LARGEST: u64 = 1 << 20;
/// The longest time that comparing one file may take; then it is less exact.
const PATIENCE: Duration = Duration::from_millis(300);
/// The longest time that is spent on the diffs of an answer.
const IN_ALL: Duration = Duration::from_secs(3);

/// The draft as it is shown.
pub(super) fn shown(
    place: &Path,
    record: &Record,
    changes: &[DraftChange],
    redactor: &Redactor,
) -> Draft {
    let plain = |text: &str| redactor.text(&clean(text)).into_owned();
    let mut draft = Draft {
        id: record.id.clone(),
        created: Vec::new(),
        changed: Vec::new(),
        deleted: Vec::new(),
        renamed: Vec::new(),
        modes: Vec::new(),
        links: Vec::new(),
        counts: DraftCounts::default(),
        diff: String::new(),
        cut: false,
        denied: record.denied.iter().map(|path| plain(path)).collect(),
        digest: record.digest.clone(),
        applied_by: record.applier(),
        need: record.need.clone(),
        folders: record.shown_folders(),
        blocked: None,
        notes: record.notes.clone(),
        commands: record.commands.iter().map(|line| plain(line)).collect(),
    };
    for change in told(changes) {
        let path = plain(&name(record, change));
        let (list, count) = match (&change.before, &change.after) {
            (None, _) => (&mut draft.created, &mut draft.counts.created),
            (Some(_), None) => (&mut draft.deleted, &mut draft.counts.deleted),
            (Some(_), Some(_)) => (&mut draft.changed, &mut draft.counts.changed),
        };
        *count += 1;
        match list.len() < MOST_PATHS {
            true => list.push(path.clone()),
            false => draft.cut = true,
        }
        if let Some((before, after)) = mode(change)
            && draft.modes.len() < MOST_PATHS
        {
            draft.modes.push((path.clone(), before, after));
        }
        if let Some(target) = change
            .after
            .as_ref()
            .and_then(|after| after.target.as_ref())
            && draft.links.len() < MOST_PATHS
        {
            draft.links.push((path, plain(&target.0.to_string_lossy())));
        }
    }
    draft.renamed = renamed(record, changes)
        .into_iter()
        .map(|(from, to)| (plain(&from), plain(&to)))
        .collect();
    let many_names = |change: &&DraftChange| {
        let before = change.before.as_ref();
        before.is_some_and(|before| before.kind == Kind::File && before.names > 1)
            && change.after.is_some()
    };
    if let Some(change) = changes.iter().find(many_names) {
        let path = plain(&name(record, change));
        draft.notes.push(format!(
            "`{path}` is one of several names of a file: applied, it is a file of its own, and the others keep what they had"
        ));
    }
    for (words, is_so) in NOTED {
        let mut all = changes.iter().filter(|change| is_so(change));
        if let Some(change) = all.next() {
            let path = plain(&name(record, change));
            let more = match all.count() {
                0 => String::new(),
                more => format!(", and so with {more} more"),
            };
            draft.notes.push(format!("`{path}` {words}{more}"));
        }
    }
    let (diff, cut) = whole_diff(place, record, changes);
    draft.diff = plain(&diff);
    draft.cut |= cut;
    draft
}

/// Words, and the changes that they are said of.
type Noted = (&'static str, fn(&DraftChange) -> bool);

/// Notes on what a list of paths does not show and somebody who looks must know.
const NOTED: [Noted; 2] = [
    (
        "would run with the rights of its owner or group, whoever starts it (set-user-ID or set-group-ID)",
        |change| {
            let special = |state: &Option<FileState>| {
                let state = state.as_ref().filter(|state| state.kind == Kind::File);
                state.map_or(0, |state| state.mode & 0o6000)
            };
            special(&change.after) & !special(&change.before) != 0
        },
    ),
    (
        "has other extended attributes or access rules (ACL) than before",
        |change| {
            let attributes = |state: &Option<FileState>| state.as_ref()?.attributes.clone();
            change.after.is_some() && attributes(&change.before) != attributes(&change.after)
        },
    ),
];

/// The mode before and after a change, where that is to be told: another one, or that of a new file that can be run.
fn mode(change: &DraftChange) -> Option<(Option<u32>, u32)> {
    let after = change.after.as_ref()?;
    match &change.before {
        Some(before) => {
            let other = before.kind == after.kind && before.mode != after.mode;
            other.then_some((Some(before.mode), after.mode))
        }
        None => {
            let runs = after.kind == Kind::File && after.mode & 0o7111 != 0;
            runs.then_some((None, after.mode))
        }
    }
}

/// The numbers of files that are changed in each way.
pub(super) fn counts(changes: &[DraftChange]) -> DraftCounts {
    let mut counts = DraftCounts::default();
    for change in told(changes) {
        match (&change.before, &change.after) {
            (None, _) => counts.created += 1,
            (Some(_), None) => counts.deleted += 1,
            (Some(_), Some(_)) => counts.changed += 1,
        }
    }
    counts
}

/// The changes that are told: of a folder only where nothing in it is.
fn told(changes: &[DraftChange]) -> impl Iterator<Item = &DraftChange> {
    let at = changes.iter().enumerate();
    let told = at.filter(|(at, change)| {
        let both = change.before.is_some() && change.after.is_some();
        let next = changes.get(at + 1);
        let holds = next.is_some_and(|next| {
            next.folder == change.folder && next.path.starts_with(&change.path)
        });
        !change.is_folder() || both || !holds
    });
    told.map(|(_, change)| change)
}

/// A path as it is shown: relative in the first folder, absolute in another; a folder ends with a slash.
pub(super) fn name(record: &Record, change: &DraftChange) -> String {
    let path = match (change.folder, record.folders.get(change.folder)) {
        (0, _) | (_, None) => change.path.clone(),
        (_, Some(folder)) => folder.path.0.join(&change.path),
    };
    let mut text = String::new();
    // Two names that are told apart by bytes which are no text are shown as two.
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c.is_control() || c == '\\' {
                true => text.extend(c.escape_default()),
                false => text.push(c),
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    if change.is_folder() {
        text.push('/');
    }
    text
}

/// Files that were deleted under one name and are new under another. Empty files are alike by chance.
fn renamed(record: &Record, changes: &[DraftChange]) -> Vec<(String, String)> {
    let content = |state: &Option<FileState>| {
        let state = state.as_ref().filter(|state| state.size > 0)?;
        state.digest.clone()
    };
    let gone = changes.iter().filter(|change| change.after.is_none());
    let mut gone: std::collections::HashMap<String, Vec<&DraftChange>> =
        gone.fold(std::collections::HashMap::new(), |mut all, change| {
            if let Some(digest) = content(&change.before) {
                all.entry(digest).or_default().push(change);
            }
            all
        });
    let new = changes.iter().filter(|change| change.before.is_none());
    let pairs = new.filter_map(|change| {
        let from = gone.get_mut(&content(&change.after)?)?.pop()?;
        Some((name(record, from), name(record, change)))
    });
    pairs.take(MOST_PATHS).collect()
}

/// The diff of an answer. What people write comes first; what is hidden or no text, behind it.
fn whole_diff(place: &Path, record: &Record, changes: &[DraftChange]) -> (String, bool) {
    let began = Instant::now();
    let hidden = |change: &DraftChange| {
        let mut parts = change.path.components();
        parts.any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
    };
    let mut order: Vec<&DraftChange> = told(changes).filter(|change| !change.is_folder()).collect();
    order.sort_by_key(|change| hidden(change));
    let (mut diff, mut cut) = (String::new(), false);
    for change in order {
        if diff.len() >= DIFF || began.elapsed() > IN_ALL {
            cut = true;
            break;
        }
        let mut one = of_file(place, record, change);
        let room = DIFF_OF_FILE.min(DIFF.saturating_sub(diff.len()).max(200));
        if one.len() > room {
            one.truncate(one.floor_char_boundary(room));
            one.truncate(one.rfind('\n').map_or(one.len(), |end| end + 1));
            one.push_str("(cut)\n");
            cut = true;
        }
        diff.push_str(&one);
    }
    (diff, cut)
}

/// The diff of one file, whole.
pub(super) fn of_file(place: &Path, record: &Record, change: &DraftChange) -> String {
    let shown = name(record, change);
    let lower = record.folders.get(change.folder);
    let lower = lower.map(|folder| folder.path.0.join(&change.path));
    let upper = upper(place, change.folder).join(&change.path);
    let (old, new) = (
        text(change.before.as_ref(), lower),
        text(change.after.as_ref(), Some(upper)),
    );
    let from = match &change.before {
        Some(_) => format!("a/{shown}"),
        None => "/dev/null".into(),
    };
    let to = match &change.after {
        Some(_) => format!("b/{shown}"),
        None => "/dev/null".into(),
    };
    let mut diff = String::new();
    match (old, new) {
        (Some(old), Some(new)) => {
            let lines = TextDiff::configure()
                .algorithm(Algorithm::Patience)
                .timeout(PATIENCE)
                .diff_lines(&old, &new);
            let unified = lines.unified_diff().header(&from, &to).to_string();
            // An empty file has no lines to show.
            match unified.is_empty() {
                true => diff.push_str(&format!("--- {from}\n+++ {to}\n")),
                false => diff.push_str(&unified),
            }
        }
        _ => {
            diff.push_str(&format!("--- {from}\n+++ {to}\n"));
            let side =
                |state: &Option<FileState>| state.as_ref().map_or_else(|| "none".into(), said);
            diff.push_str(&format!(
                "{} -> {}\n",
                side(&change.before),
                side(&change.after)
            ));
        }
    }
    match mode(change) {
        Some((Some(before), after)) => diff.push_str(&format!("mode {before:o} -> {after:o}\n")),
        Some((None, after)) => diff.push_str(&format!("new file mode {after:o}\n")),
        None => {}
    }
    if !diff.ends_with('\n') {
        diff.push('\n');
    }
    diff
}

/// The words on what is no text.
fn said(state: &FileState) -> String {
    match (state.kind, &state.digest, &state.target) {
        (Kind::File, Some(digest), _) => format!("{} bytes, sha256 {digest}", state.size),
        (Kind::File, None, _) => format!("{} bytes", state.size),
        (Kind::Link, _, Some(target)) => format!("link to {}", target.0.display()),
        (Kind::Link, ..) => "link".into(),
        (Kind::Folder, ..) => "folder".into(),
        (Kind::Pipe, ..) => "pipe".into(),
        (Kind::Socket, ..) => "socket".into(),
        (Kind::Device, ..) => "device".into(),
    }
}

/// The text of a file that is one; nothing where there is no file.
fn text(state: Option<&FileState>, path: Option<PathBuf>) -> Option<String> {
    let Some(state) = state else {
        return Some(String::new());
    };
    if state.kind != Kind::File || state.size > LARGEST {
        return None;
    }
    let bytes = fs::read(path?).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    (!text.contains('\0')).then_some(text)
}
