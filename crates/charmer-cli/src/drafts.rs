//! Drafts of a server or a call: whether there are any, and where they are kept.

use charmer_config::{Config, ConfineMode};
use charmer_run::{Drafts, Redactor};

use crate::{
    output,
    settings::{ServedProgram, Settings},
    user_folders,
};

/// The folder of drafts among Charmer's own.
const FOLDER: &str = "drafts";

/// Returns true if calls can be drafts: of programs that may write, and that the kernel confines.
pub(crate) fn are_offered(settings: &Settings) -> bool {
    let can_be = |program: &ServedProgram| {
        !program.source.read_only && program.confinement.mode == ConfineMode::Auto
    };
    cfg!(target_os = "linux")
        && !settings.selection.read_only
        && settings.programs.iter().any(can_be)
}

/// Drafts by the rules of a file. Those of a server go with it.
pub(crate) fn of(config: &Config, redactor: Redactor, server: bool) -> Drafts {
    // What was there before a draft was applied must outlive a crash, so a folder for data goes before one that may be
    // emptied. The other is for those who serve their home folder.
    let data = user_folders::data(|name| std::env::var_os(name));
    let temporary = std::env::temp_dir().join(format!("charmer-{}", user()));
    let places = data.into_iter().chain([temporary]);
    let places = places.map(|place| place.join(FOLDER)).collect();
    Drafts::new(places, config.drafts.rules(), redactor, server)
}

/// Removes what killed servers have left, and tells of drafts whose applying was interrupted. On a thread of its own: a
/// client that starts a server does not wait for it.
pub(crate) fn look_after(drafts: &Drafts) {
    let drafts = drafts.clone();
    let thread = std::thread::Builder::new().name("charmer-drafts".into());
    // Without a thread the next start, or `charmer drafts list`, does it.
    let _ = thread.spawn(move || {
        for id in drafts.interrupted() {
            output::warn(&format!(
                "applying the draft {id} was interrupted: `charmer drafts apply {id}` finishes it, `charmer drafts drop {id}` \
                 undoes it"
            ));
        }
    });
}

#[cfg(unix)]
fn user() -> u32 {
    rustix::process::getuid().as_raw()
}

#[cfg(not(unix))]
fn user() -> u32 {
    0
}
