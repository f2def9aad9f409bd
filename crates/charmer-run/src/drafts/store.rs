//! Where drafts are kept: a folder each, readable by their user alone.
//!
//! A draft belongs to a principal; to another it does not exist. Each goes after its time, and those of a server with it:
//! the server holds a file locked, so that whoever comes next knows whether it still runs, and removes what a killed one
//! has left. One whose applying was interrupted stays until it is finished or undone.

use std::{
    collections::{BTreeMap, HashMap},
    fs::{self, DirBuilder, File},
    io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::SystemTime,
};

use charmer_sandbox::remove_folder;

use crate::{CallError, ErrorCode, Redactor};

use super::{
    AppliedDraft, Applier, Draft, DraftRequest, DraftRules, DraftSummary, DraftedBy,
    apply::{self, NotApplied, conflicts},
    changes::{self, Before, DraftChange, Reader},
    diff,
    journal::ApplyJournal,
    record::{DraftFolder, Record, read_json, upper, write_json},
    state::{FileState, Kind, PathText},
};

/// The way the name of a draft's folder begins.
pub(super) const DRAFT: &str = "draft-";
const LOCK: &str = "lock";
const COPIED: &str = "copied.json";

/// See the module's documentation. Clones share everything; the last of them drops the drafts of its server.
#[derive(Debug, Clone)]
pub struct Drafts(pub(super) Arc<DraftsState>);

#[derive(Debug)]
pub(super) struct DraftsState {
    /// The folders that drafts can be kept in; the first that is outside of what is drafted is taken.
    pub(super) places: Vec<PathBuf>,
    pub(super) rules: DraftRules,
    pub(super) redactor: Redactor,
    /// The name of the server whose drafts go with it; none, if they stay for their time.
    pub(super) server: Option<String>,
    /// The files that tell others that this server runs, by place.
    pub(super) held: Mutex<HashMap<PathBuf, File>>,
    /// Locked while one is begun, so that those that begin at once are counted.
    beginning: Mutex<()>,
}

/// A draft that nobody else works on meanwhile.
#[derive(Debug)]
pub(super) struct OpenDraft {
    /// Its folder.
    pub(super) place: PathBuf,
    pub(super) record: Record,
    /// It was begun by this call.
    pub(super) new: bool,
    _lock: File,
}

impl OpenDraft {
    /// Removes it, with all that it holds.
    pub(super) fn remove(self) {
        let _ = remove_folder(&self.place);
    }

    pub(super) fn before(&self) -> Before {
        let before = self.record.before.iter().cloned();
        before
            .map(|(folder, path, state)| ((folder, path), state))
            .collect()
    }

    /// Its changes, by what is known from before, which is added to.
    pub(super) fn changes(&self, before: &mut Before) -> io::Result<Vec<DraftChange>> {
        let mut all = Vec::new();
        for (at, folder) in self.record.folders.iter().enumerate() {
            let reader = Reader::new(at, &folder.path.0, &upper(&self.place, at), before);
            all.extend(match self.record.copied {
                false => reader.of_view()?,
                true => {
                    let copied: Vec<(PathText, FileState)> =
                        read_json(&self.place.join(at.to_string()).join(COPIED))?;
                    reader.of_copy(&copied.into_iter().collect())?
                }
            });
        }
        Ok(all)
    }

    /// Keeps what a copy was like when it was made.
    pub(super) fn copied(
        &self,
        at: usize,
        states: BTreeMap<PathText, FileState>,
    ) -> io::Result<()> {
        let states: Vec<(PathText, FileState)> = states.into_iter().collect();
        write_json(&self.place.join(at.to_string()).join(COPIED), &states)
    }
}

impl Drafts {
    /// Drafts in one of these folders, which are made when they are first needed, by these rules. `server` says that they
    /// go with this process; otherwise they stay for their time.
    pub fn new(places: Vec<PathBuf>, rules: DraftRules, redactor: Redactor, server: bool) -> Self {
        let name = || random_id().unwrap_or_else(|_| std::process::id().to_string());
        Self(Arc::new(DraftsState {
            places,
            rules,
            redactor,
            server: server.then(name),
            held: Mutex::default(),
            beginning: Mutex::default(),
        }))
    }

    /// The rules.
    pub fn rules(&self) -> &DraftRules {
        &self.0.rules
    }

    /// The redactor of what they hold.
    pub(super) fn redactor(&self) -> &Redactor {
        &self.0.redactor
    }

    /// The drafts of a principal, or of all, the oldest first.
    pub fn list(&self, principal: Option<&str>) -> Vec<DraftSummary> {
        self.sweep();
        let mut found: Vec<DraftSummary> = self
            .all()
            .filter_map(|place| {
                let record = Record::read(&place).ok()?;
                let is_meant = principal.is_none_or(|principal| record.is_of(principal));
                is_meant.then(|| DraftSummary {
                    begun: record.begun(),
                    counts: record.counts(),
                    interrupted: ApplyJournal::is_there(&place),
                    folders: record.shown_folders(),
                    id: record.id,
                    principal: record.principal,
                    commands: record.commands,
                })
            })
            .collect();
        found.sort_by_key(|draft| draft.begun);
        found
    }

    /// A draft as it is shown, if it is this principal's; any, if none is given. Then it is a person who looks at it, and what
    /// that person applies later is what was shown, or nothing.
    pub fn show(&self, id: &str, principal: Option<&str>) -> Result<Draft, CallError> {
        let mut open = self.open(id, principal)?;
        let changes = open
            .changes(&mut open.before())
            .map_err(|error| unreadable(id, &error))?;
        let mut draft = self.shown(&open, &changes);
        if ApplyJournal::is_there(&open.place) {
            draft.blocked = Some(INTERRUPTED.into());
        }
        if principal.is_none() {
            open.record.seen = Some(open.record.digest.clone());
            let kept = open.record.write(&open.place);
            kept.map_err(|error| unreadable(id, &error))?;
        }
        Ok(draft)
    }

    /// The whole diff of one file of a draft.
    pub fn show_file(
        &self,
        id: &str,
        principal: Option<&str>,
        path: &str,
    ) -> Result<String, CallError> {
        let open = self.open(id, principal)?;
        let changes = open
            .changes(&mut open.before())
            .map_err(|error| unreadable(id, &error))?;
        let wanted = path.trim_start_matches("./").trim_end_matches('/');
        let is_meant = |change: &&DraftChange| {
            diff::name(&open.record, change).trim_end_matches('/') == wanted
        };
        let Some(change) = changes.iter().find(is_meant) else {
            let message = format!(
                "the draft {id} changes nothing at `{}`",
                path.escape_debug()
            );
            return Err(CallError::new(ErrorCode::InvalidArguments, message)
                .hint("without a path it shows which files it changes"));
        };
        let text = diff::of_file(&open.place, &open.record, change);
        let text = charmer_core::output::clean(&text);
        Ok(self.0.redactor.text(&text).into_owned())
    }

    /// Applies a draft: all of it, or nothing. `shown` is the digest of what whoever wants that has seen; where it is given
    /// and the draft is another by now, nothing is applied. One whose applying was interrupted is finished.
    pub fn apply(
        &self,
        id: &str,
        principal: Option<&str>,
        by: Applier,
        shown: Option<&str>,
    ) -> Result<AppliedDraft, CallError> {
        let open = self.open(id, principal)?;
        let record = &open.record;
        if by == Applier::Assistant && (record.by_person || record.need.is_some()) {
            return Err(
                CallError::refused(format!("the draft {id} is for a person to apply")).hint(
                    format!("ask for `charmer drafts apply {id}`; until then nothing is changed"),
                ),
            );
        }
        if let Some(mut journal) = interrupted(&open)? {
            let held = journal
                .hold(false)
                .map_err(|error| unfinished(id, &error))?;
            if !journal.done {
                journal
                    .finish(&held)
                    .map_err(|error| unfinished(id, &error))?;
            }
            apply::end(&open.place, &mut journal).map_err(|error| unfinished(id, &error))?;
            return Ok(self.applied(
                open,
                vec!["it had been interrupted, and is finished now".into()],
            ));
        }
        let known = open.before();
        let mut before = known.clone();
        let changes = open
            .changes(&mut before)
            .map_err(|error| unreadable(id, &error))?;
        // What was not there when the draft was made, in a folder that it deletes.
        let unseen = changes.iter().filter(|change| {
            let key = (change.folder, PathText(change.path.clone()));
            !known.contains_key(&key)
        });
        let unseen: Vec<String> = unseen.take(5).map(|one| diff::name(record, one)).collect();
        if !unseen.is_empty() {
            return Err(changed_since(id, &unseen));
        }
        let digest = changes::digest(&changes);
        // Whoever looked at it has seen what it was then, and it may have been gone on with.
        let seen = record.seen.as_deref().filter(|_| by == Applier::Person);
        if digest != record.digest || shown.or(seen).is_some_and(|shown| shown != digest) {
            return Err(CallError::refused(format!(
                "the draft {id} is not what was shown any more, so nothing was applied"
            ))
            .hint("show it again"));
        }
        if let Some(reason) = self.blocked(record, &changes) {
            return Err(
                CallError::refused(format!("the draft {id} cannot be applied: {reason}"))
                    .hint("drop it, and make one that changes less"),
            );
        }
        let changed =
            conflicts(record, &before, &changes).map_err(|error| unreadable(id, &error))?;
        let applied = match changed.is_empty() {
            false => Err(NotApplied::Changed(changed)),
            true => apply::apply(&open.place, record, &changes),
        };
        match applied {
            Ok(()) => Ok(self.applied(open, Vec::new())),
            Err(NotApplied::Changed(paths)) => Err(changed_since(id, &paths)),
            Err(NotApplied::Failed(reason)) => Err(CallError::new(
                ErrorCode::Failed,
                format!("the draft {id} could not be applied, and everything is as it was: {reason}"),
            )),
            Err(NotApplied::Torn(reason, left)) => Err(CallError::new(
                ErrorCode::Failed,
                format!(
                    "applying the draft {id} failed ({reason}), and these could not be undone: {}",
                    left.join("; ")
                ),
            )
            .hint(format!(
                "`charmer drafts apply {id}` tries to finish it, `charmer drafts drop {id}` to undo it"
            ))),
        }
    }

    fn applied(&self, open: OpenDraft, notes: Vec<String>) -> AppliedDraft {
        let applied = AppliedDraft {
            id: open.record.id.clone(),
            counts: open.record.counts(),
            notes,
        };
        open.remove();
        applied
    }

    /// Drops a draft. One whose applying was interrupted is undone.
    pub fn discard(&self, id: &str, principal: Option<&str>) -> Result<String, CallError> {
        let open = self.open(id, principal)?;
        let mut told = format!("draft {id} is dropped, and nothing of it was applied");
        if let Some(journal) = interrupted(&open)? {
            if journal.done {
                let cleared = journal.clear();
                cleared.map_err(|error| unfinished(id, &error))?;
                told = format!("draft {id} had been applied to the end, and is dropped");
            } else {
                let held = journal
                    .hold(false)
                    .map_err(|error| unfinished(id, &error))?;
                let left = journal.undo(&held);
                if !left.is_empty() {
                    let left = io::Error::other(left.join("; "));
                    return Err(unfinished(id, &left));
                }
                let cleared = journal.clear();
                cleared.map_err(|error| unfinished(id, &error))?;
                told = format!(
                    "draft {id} had been applied in part; that is undone, and it is dropped"
                );
            }
        }
        open.remove();
        Ok(told)
    }

    /// A new draft of these folders, or the one that is asked for.
    pub(super) fn begin(
        &self,
        wish: &DraftRequest,
        principal: &str,
        folders: &[PathBuf],
    ) -> Result<OpenDraft, CallError> {
        let failed = |error: io::Error| {
            CallError::refused(format!("there is no place for a draft: {error}"))
        };
        let known: io::Result<Vec<DraftFolder>> = folders.iter().map(|path| folder(path)).collect();
        let known = known.map_err(failed)?;
        if let Some(id) = &wish.id {
            let mut open = self.open(id, Some(principal))?;
            if ApplyJournal::is_there(&open.place) {
                return Err(CallError::refused(format!("the draft {id}: {INTERRUPTED}")));
            }
            if open.record.folders != known {
                return Err(CallError::refused(format!(
                    "the draft {id} is of other folders than this call would work in"
                ))
                .hint("make a new one, with `draft: true`"));
            }
            // Who goes on with a draft cannot take from a person what is that one's to apply.
            open.record.by_person |= self.is_by_person(wish.by);
            open.record.need = match (open.record.need.take(), wish.need.clone()) {
                (Some(one), Some(other)) => Some(one.and(other)),
                (one, other) => one.or(other),
            };
            return Ok(open);
        }
        self.sweep();
        let _alone = self.0.beginning.lock();
        let is_trial = wish.by == DraftedBy::Trial;
        if !is_trial {
            self.make_room(principal)?;
        }
        let place = self.place(folders)?;
        let id = random_id().map_err(failed)?;
        let draft = place.join(format!("{DRAFT}{id}"));
        let make = |path: &Path| DirBuilder::new().mode(0o700).recursive(true).create(path);
        make(&draft).map_err(failed)?;
        let lock = locked(&draft).map_err(failed)?;
        for (at, folder) in folders.iter().enumerate() {
            let upper = upper(&draft, at);
            make(&upper).map_err(failed)?;
            // The root of the view has the mode of its upper folder.
            let mode = fs::metadata(folder).map_err(failed)?.permissions();
            fs::set_permissions(&upper, mode).map_err(failed)?;
        }
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let record = Record {
            id,
            principal: principal.to_owned(),
            server: self.hold(&place).map_err(failed)?,
            begun: since.map_or(0, |since| since.as_secs()),
            folders: known,
            copied: false,
            seconds: self.0.rules.lifetime.as_secs_f64(),
            at_most: self.0.rules.at_most,
            never: self.0.rules.never.clone(),
            by_person: self.is_by_person(wish.by),
            is_trial,
            commands: Vec::new(),
            notes: Vec::new(),
            denied: Vec::new(),
            before: Vec::new(),
            created: 0,
            changed: 0,
            deleted: 0,
            digest: changes::digest([]),
            need: wish.need.clone(),
            seen: None,
        };
        record.write(&draft).map_err(failed)?;
        Ok(OpenDraft {
            place: draft,
            record,
            new: true,
            _lock: lock,
        })
    }

    /// The draft of an id, if it is this principal's, and nobody works on it.
    pub(super) fn open(&self, id: &str, principal: Option<&str>) -> Result<OpenDraft, CallError> {
        self.sweep();
        let unknown = || {
            CallError::new(
                ErrorCode::InvalidArguments,
                format!("there is no draft `{}`", id.escape_debug()),
            )
            .hint("it may have been applied or dropped, or be older than its time; run the command again as a new one")
        };
        let is_id = !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if !is_id || id.len() > 64 {
            return Err(unknown());
        }
        let name = format!("{DRAFT}{id}");
        let mut found = self.all().filter(|place| place.ends_with(&name));
        let place = found.next().ok_or_else(unknown)?;
        let record = Record::read(&place).map_err(|_| unknown())?;
        if principal.is_some_and(|principal| !record.is_of(principal)) {
            return Err(unknown());
        }
        let lock = locked(&place).map_err(|_| {
            CallError::refused(format!("another command works on the draft {id}"))
                .hint("try again when it has ended")
        })?;
        // It may have been changed until it was locked.
        let record = Record::read(&place).map_err(|_| unknown())?;
        Ok(OpenDraft {
            place,
            record,
            new: false,
            _lock: lock,
        })
    }

    pub(super) fn shown(&self, open: &OpenDraft, changes: &[DraftChange]) -> Draft {
        let mut draft = diff::shown(&open.place, &open.record, changes, &self.0.redactor);
        draft.blocked = self.blocked(&open.record, changes);
        draft
    }

    /// Returns true if a draft that was wanted by these is a person's to apply.
    fn is_by_person(&self, by: DraftedBy) -> bool {
        match (by, self.0.rules.apply) {
            (DraftedBy::Trial, _) => true,
            (_, Some(applier)) => applier == Applier::Person,
            (DraftedBy::Caller, None) => false,
            (DraftedBy::Rule, None) => true,
        }
    }

    /// The reason why a draft cannot be applied, if it cannot, by the rules that it was made under.
    fn blocked(&self, record: &Record, changes: &[DraftChange]) -> Option<String> {
        let count = record.counts().all();
        if let Some(most) = record.at_most.filter(|most| count > *most) {
            return Some(format!(
                "it changes {count} files, and at most {most} may be (`at_most`)"
            ));
        }
        for change in changes {
            if let Some(glob) = forbidding(&record.never, change) {
                let name = diff::name(record, change);
                return Some(format!(
                    "it changes `{name}`, and `{glob}` is never changed (`never`)"
                ));
            }
        }
        let is_device = |state: &FileState| state.kind == Kind::Device;
        let device = changes.iter().find(|change| {
            let mut states = change.before.iter().chain(&change.after);
            states.any(is_device)
        });
        device.map(|change| format!("`{}` is a device", diff::name(record, change)))
    }
}

/// The glob that forbids a change. Of several that match its path, the last decides; one with `!` before it allows.
fn forbidding<'g>(globs: &'g [String], change: &DraftChange) -> Option<&'g str> {
    let path = change.path.as_os_str().as_encoded_bytes();
    let matches = |glob: &&String| {
        let glob = glob.strip_prefix('!').unwrap_or(glob);
        fast_glob::glob_match(glob, path)
    };
    let last = globs.iter().rev().find(matches);
    if let Some(last) = last.filter(|last| !last.starts_with('!')) {
        return Some(last);
    }
    // A link where a folder on the way would be leads everything beneath elsewhere, and a folder's own mode says who may
    // change what is in it.
    let is_link = |state: &FileState| state.kind == Kind::Link;
    let leads = change.after.as_ref().is_some_and(is_link);
    let opens = change.before.is_some() && change.after.is_some() && change.is_folder();
    let mut all = globs.iter().filter(|glob| !glob.starts_with('!'));
    let found = all.find(|glob| {
        let (mut rest, mut is_whole) = (glob.as_str(), true);
        while let Some((above, last)) = rest.rsplit_once('/') {
            // The folder that everything in is meant by `**`, and for a link those above it as well.
            let is_meant = leads || (opens && is_whole && last == "**");
            if is_meant && !above.ends_with("**") && fast_glob::glob_match(above, path) {
                return true;
            }
            (rest, is_whole) = (above, false);
        }
        false
    });
    found.map(String::as_str)
}

const INTERRUPTED: &str =
    "applying it was interrupted; the action apply finishes it, drop undoes it";

fn interrupted(open: &OpenDraft) -> Result<Option<ApplyJournal>, CallError> {
    ApplyJournal::read(&open.place).map_err(|error| unfinished(&open.record.id, &error))
}

fn unfinished(id: &str, error: &io::Error) -> CallError {
    CallError::new(
        ErrorCode::Failed,
        format!(
            "applying the draft {id} was interrupted, and this could not be put right: {error}"
        ),
    )
    .hint("what was there before is in a folder `.charmer-draft-...` beside it")
}

fn changed_since(id: &str, paths: &[String]) -> CallError {
    CallError::refused(format!(
        "nothing was applied: `{}` changed since the draft {id} was made",
        paths.join("`, `")
    ))
    .hint("drop it, and run the commands again as a new draft")
}

fn unreadable(id: &str, error: &io::Error) -> CallError {
    CallError::new(
        ErrorCode::Failed,
        format!("the draft {id} cannot be read: {error}"),
    )
}

fn folder(path: &Path) -> io::Result<DraftFolder> {
    let found = fs::metadata(path)?;
    Ok(DraftFolder {
        path: PathText(path.to_owned()),
        device: found.dev(),
        number: found.ino(),
    })
}

/// Locks a draft; fails if somebody else has.
pub(super) fn locked(draft: &Path) -> io::Result<File> {
    let path = draft.join(LOCK);
    let lock = File::options().create(true).append(true).open(path)?;
    lock.try_lock()?;
    Ok(lock)
}

/// A name that nobody can guess, short enough to be typed.
fn random_id() -> io::Result<String> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes)?;
    Ok(super::state::hex(&bytes))
}
