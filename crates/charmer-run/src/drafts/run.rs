//! Running a command as a draft.

use std::{
    fs,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
    time::{Duration, Instant, SystemTime},
};

use charmer_core::text::shorten;
use charmer_sandbox::{Overlay, remove_folder};
use tokio_util::sync::CancellationToken;

use crate::{
    CallError, ErrorCode, Outcome,
    folder::{Folders, HeldFolder, here},
    process::{Drafting, Launcher, Request},
};

use super::{
    DraftRequest, Drafts, apart,
    changes::{self, MOST},
    copy::copy_folder,
    denied::denied,
    record::{Record, upper},
    state::{Kind, PathText, is_absent},
    store::OpenDraft,
};

/// The time between two looks at how much a draft takes, and the share of the time that looking may take.
const LOOK: Duration = Duration::from_millis(250);
const SHARE: u32 = 8;
/// The kernel's own folder beside the changes of a view.
const WORK: &str = "work";
/// The length of a path that is named in a refusal.
const NAMED: usize = 120;

impl Launcher {
    /// Runs a command as a draft: what it changes beneath the folders is kept apart. `line` is what it is told by.
    pub(crate) async fn run_drafted(
        &self,
        request: Request,
        cancel: CancellationToken,
        wish: &DraftRequest,
        folders: &Folders,
        line: String,
    ) -> Result<Outcome, CallError> {
        let Some(drafts) = self.drafts().cloned() else {
            return Err(CallError::refused("there are no drafts here"));
        };
        let Some(drafting) = self.drafting_way().cloned() else {
            return Err(CallError::refused(
                "it cannot be run as a draft, because it is not confined here",
            )
            .hint("drafts need `confine: auto`, which works on Linux"));
        };
        let folder = match self.folder(&request) {
            Some(folder) => folder.to_owned(),
            None => here()?,
        };
        let folder = folder.canonicalize().unwrap_or(folder);
        let folders: Vec<PathBuf> = match drafting.folders.is_empty() {
            true => folders.iter().map(Path::to_owned).collect(),
            false => drafting.folders.clone(),
        };
        let folders = drafted_folders(&folders, &folder);
        let principal = Arc::clone(&request.principal);
        let (wish, of) = (wish.clone(), folders.clone());
        let begun = {
            let drafts = drafts.clone();
            apart(move || drafts.begin(&wish, &principal, &of)).await?
        };
        let run = DraftedRun {
            launcher: self,
            drafts: &drafts,
            drafting: &drafting,
            folder,
        };
        run.run(begun, request, cancel, line).await
    }
}

/// The folders that a call which runs in this one can change: all of these, if it is among them, else itself alone. One that
/// is within another is part of that.
fn drafted_folders(all: &[PathBuf], folder: &Path) -> Vec<PathBuf> {
    if !all.iter().any(|one| folder.starts_with(one)) {
        return vec![folder.to_owned()];
    }
    let within = |one: &PathBuf| {
        all.iter()
            .any(|other| other != one && one.starts_with(other))
    };
    all.iter().filter(|one| !within(one)).cloned().collect()
}

/// A command that is run as a draft.
struct DraftedRun<'r> {
    launcher: &'r Launcher,
    drafts: &'r Drafts,
    drafting: &'r Drafting,
    folder: PathBuf,
}

impl DraftedRun<'_> {
    async fn run(
        self,
        mut open: OpenDraft,
        mut request: Request,
        cancel: CancellationToken,
        line: String,
    ) -> Result<Outcome, CallError> {
        let began = SystemTime::now();
        let disk = self.drafts.rules().disk_bytes;
        let lease = match self.view(&mut open, &mut request).await {
            Ok(lease) => lease,
            Err(error) => {
                if open.new {
                    open.remove();
                }
                return Err(error);
            }
        };
        // Its own token: a draft that grows too large ends the run, and nothing else.
        let cancel = cancel.child_token();
        let excess = Arc::new(OnceLock::new());
        let watching = watch(
            open.place.clone(),
            disk,
            cancel.clone(),
            Arc::clone(&excess),
        );
        let running = self.launcher.run_leased(request, cancel.clone(), lease);
        let outcome = tokio::select! {
            outcome = running => outcome,
            () = watching => unreachable!("it watches for ever"),
        };
        let place = open.place.clone();
        let excess = match excess.get() {
            Some(why) => Some(why.clone()),
            None => apart(move || Ok(excess_of(&place, disk))).await?,
        };
        if let Some(why) = excess {
            open.remove();
            let message = format!("the draft was ended and dropped: {why}");
            return Err(CallError::new(ErrorCode::Failed, message)
                .hint("ask for less; the limit is `disk` under `drafts` in charmer.yaml"));
        }
        let mut outcome = match outcome {
            Ok(outcome) => outcome,
            Err(error) => {
                if open.new {
                    open.remove();
                }
                return Err(error);
            }
        };
        let (stdout, stderr) = (outcome.stdout.end_text(), outcome.stderr.end_text());
        let inside: Vec<PathBuf> = open
            .record
            .folders
            .iter()
            .map(|one| one.path.0.clone())
            .collect();
        let tried = denied([&*stderr, &*stdout], &self.folder);
        let outside = tried.into_iter().filter(|path| {
            let within = |folder: &PathBuf| Path::new(path).starts_with(folder);
            !inside.iter().any(within)
        });
        for path in outside.collect::<Vec<_>>() {
            if !open.record.denied.contains(&path) {
                open.record.denied.push(path);
            }
        }
        open.record.commands.push(line);
        let drafts = self.drafts.clone();
        let draft = apart(move || {
            let read = read(&mut open, began);
            match read {
                Ok(changes) => Ok(drafts.shown(&open, &changes)),
                Err(error) => {
                    open.remove();
                    Err(CallError::new(
                        ErrorCode::Failed,
                        format!("what it changed cannot be read, so the draft is dropped: {error}"),
                    ))
                }
            }
        })
        .await?;
        outcome.draft = Some(Arc::new(draft));
        self.forget_later();
        Ok(outcome)
    }

    /// Removes the draft when its time is over, should nobody else look until then.
    fn forget_later(&self) {
        let drafts = self.drafts.clone();
        let lifetime = drafts.rules().lifetime + Duration::from_secs(1);
        tokio::spawn(async move {
            tokio::time::sleep(lifetime).await;
            let _ = apart(move || {
                drafts.sweep();
                Ok(())
            })
            .await;
        });
    }

    /// The process that the command runs in, with a view of the folders; or with copies, where there is none to be had.
    async fn view(
        &self,
        open: &mut OpenDraft,
        request: &mut Request,
    ) -> Result<crate::process::DraftLease, CallError> {
        let mut rights = self.drafting.rights();
        rights.bounds.file_bytes = Some(self.drafts.rules().disk_bytes);
        let mut reason = String::new();
        if !open.record.copied {
            let mut viewed = rights.clone();
            for (at, folder) in open.record.folders.iter().enumerate() {
                let work = open.place.join(at.to_string()).join(WORK);
                let _ = remove_folder(&work);
                let made = fs::DirBuilder::new().mode(0o700).create(&work);
                made.map_err(|error| {
                    CallError::refused(format!("there is no place for a draft: {error}"))
                })?;
                let places = self.drafting.places_of(&folder.path.0);
                let places = places.iter().map(|place| joined(&folder.path.0, place));
                viewed.folders.extend(places);
                viewed.overlays.push(Overlay {
                    folder: folder.path.0.clone(),
                    folder_id: (folder.device, folder.number),
                    upper: upper(&open.place, at),
                    work,
                });
            }
            // Elsewhere the kernel sees to it that none are changed.
            viewed.metadata = true;
            // The folder looks like another one through the view.
            request.place.folder = None;
            request.folder = Some(self.folder.clone());
            match self.drafting.lease(viewed, &request.principal).await {
                Ok(lease) => return Ok(lease),
                Err(why) if !open.new => {
                    return Err(CallError::refused(format!(
                        "the draft cannot be gone on with: {why}"
                    )));
                }
                Err(why) => reason = why,
            }
            self.copy(open, &reason).await?;
        }
        for (at, folder) in open.record.folders.iter().enumerate() {
            let places = self.drafting.places_of(&folder.path.0);
            let places = places
                .iter()
                .map(|place| joined(&upper(&open.place, at), place));
            rights.folders.extend(places);
        }
        let folders = open.record.folders.iter().enumerate();
        let mut inside = folders.filter_map(|(at, folder)| {
            let rest = self.folder.strip_prefix(&folder.path.0).ok()?;
            Some(upper(&open.place, at).join(rest))
        });
        let inside = inside.next().and_then(|path| HeldFolder::hold(path).ok());
        let Some(inside) = inside else {
            return Err(CallError::refused("its folder is not there in the draft"));
        };
        request.place.folder = Some(Arc::new(inside));
        let lease = self.drafting.lease(rights, &request.principal).await;
        lease.map_err(|why| {
            let reason = match reason.is_empty() {
                true => why,
                false => format!("{reason}; {why}"),
            };
            CallError::refused(format!("it cannot be run as a draft here: {reason}"))
        })
    }

    /// Makes copies of the folders, because there is no view of them.
    async fn copy(&self, open: &mut OpenDraft, reason: &str) -> Result<(), CallError> {
        let most = self.drafts.rules().copy_bytes;
        for at in 0..open.record.folders.len() {
            let (from, to) = (
                open.record.folders[at].path.0.clone(),
                upper(&open.place, at),
            );
            let copied = apart(move || {
                copy_folder(&from, &to, most).map_err(|error| CallError::refused(error.to_string()))
            });
            let copied = copied.await.map_err(|error| {
                CallError::refused(format!(
                    "it cannot be run as a draft here: {reason}; and {}",
                    error.message
                ))
                .hint("allow user namespaces, or serve a smaller folder with `--folder`")
            })?;
            let kept = open.copied(at, copied);
            kept.map_err(|error| CallError::refused(format!("no place for a draft: {error}")))?;
        }
        open.record.copied = true;
        open.record.notes.push(format!(
            "it ran in a copy of the folder, under another path and without changing modes and times, because there is no \
             view of it to be had ({reason})"
        ));
        Ok(())
    }
}

/// A place within a folder, or the folder itself: without the slash that an empty path would add.
fn joined(folder: &Path, place: &Path) -> PathBuf {
    match place.as_os_str().is_empty() {
        true => folder.to_owned(),
        false => folder.join(place),
    }
}

/// Reads what was changed, and keeps what is known of it.
pub(super) fn read(
    open: &mut OpenDraft,
    began: SystemTime,
) -> std::io::Result<Vec<changes::DraftChange>> {
    let mut before = open.before();
    let first = before.clone();
    let mut changes = open.changes(&mut before)?;
    // What was changed by somebody else while the command ran: it may have seen either. Nothing is like that state, so it
    // is a conflict.
    let since = began
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let since = (since.as_secs() as i64, i64::from(since.subsec_nanos()));
    let mut unsettled: Vec<(usize, PathText)> = Vec::new();
    for (key, state) in &mut before {
        if let Some(state) = state
            && state.kind == Kind::File
            && state.modified > since
            && !first.contains_key(key)
        {
            state.number = 0;
            unsettled.push(key.clone());
        }
    }
    if !unsettled.is_empty() {
        changes = open.changes(&mut before)?;
    }
    let record: &mut Record = &mut open.record;
    record.before = before
        .into_iter()
        .map(|((folder, path), state)| (folder, path, state))
        .collect();
    record.digest = changes::digest(&changes);
    let told = super::diff::counts(&changes);
    (record.created, record.changed, record.deleted) = (told.created, told.changed, told.deleted);
    record.write(&open.place)?;
    Ok(changes)
}

/// Ends the run when its draft has grown too large, and says why.
async fn watch(
    place: PathBuf,
    most: u64,
    cancel: CancellationToken,
    excess: Arc<OnceLock<String>>,
) {
    let mut waits = LOOK;
    loop {
        tokio::time::sleep(waits).await;
        let place = place.clone();
        let began = Instant::now();
        let used = tokio::task::spawn_blocking(move || excess_of(&place, most)).await;
        if let Ok(Some(why)) = used {
            let _ = excess.set(why);
            cancel.cancel();
        }
        waits = LOOK.max(began.elapsed() * SHARE);
    }
}

/// Returns why a draft is more than may be kept; none, if it is not.
pub(super) fn excess_of(draft: &Path, most: u64) -> Option<String> {
    let (mut bytes, mut files) = (0, 0);
    let mut folders = vec![draft.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            // What is gone by now takes nothing.
            Err(error) if is_absent(&error) => continue,
            Err(error) => {
                let path = folder.strip_prefix(draft).unwrap_or(&folder);
                let mut parts = path.iter().skip(1);
                // The kernel's own, which nobody may look into, and which holds nothing for long.
                if parts.next().is_some_and(|part| part == WORK) {
                    continue;
                }
                // What cannot be looked into cannot be measured, nor read when the command has ended.
                let path: PathBuf = parts.collect();
                let path = shorten(&path.to_string_lossy(), NAMED);
                return Some(format!(
                    "it made a folder that cannot be read, `{path}`: {error}"
                ));
            }
        };
        for entry in entries.flatten() {
            let Ok(found) = entry.metadata() else {
                continue;
            };
            (bytes, files) = (bytes + found.blocks() * 512, files + 1);
            if bytes > most || files > MOST {
                let most = most >> 20;
                return Some(format!("it grew beyond {most} MiB or {MOST} files"));
            }
            if found.is_dir() {
                folders.push(entry.path());
            }
        }
    }
    None
}
