//! Drafts of a server or a call: whether there are any, and where they are kept.

use charmer_config::{Config, ConfineMode};
use charmer_run::{Drafts, Redactor};

use crate::{
    output,
    problem::Problem,
    settings::{ServedProgram, Settings},
    user_folders,
};

/// The folder of drafts among Charmer's own.
const FOLDER: &str = "drafts";

/// Returns true if calls can be drafts: of programs and spells that may write, and that the kernel confines.
pub(crate) fn are_offered(settings: &Settings) -> bool {
    cfg!(target_os = "linux")
        && !settings.selection.read_only
        && (settings.programs.iter().any(can_be) || of_spells(settings))
}

fn can_be(program: &ServedProgram) -> bool {
    !program.source.read_only && program.confinement.mode == ConfineMode::Auto
}

/// Returns true if calls of spells can be drafts.
pub(crate) fn of_spells(settings: &Settings) -> bool {
    let spells = settings.spells.as_ref();
    spells.is_some_and(|spells| {
        !spells.read_only && spells.mode(&settings.config) == ConfineMode::Auto
    })
}

/// Returns true if a rule makes calls drafts, so that they are some however they are made.
pub(crate) fn by_rule(settings: &Settings) -> bool {
    let ruled = |source| settings.config.drafted(source).is_some();
    let spells = settings.spells.as_ref();
    let mut programs = settings.programs.iter();
    programs.any(|program| ruled(Some(&program.source)))
        || spells.is_some_and(|spells| ruled(spells.source.as_ref()))
}

/// Refuses a rule that nobody could keep: what it calls a draft would be run as it is.
pub(crate) fn check(settings: &Settings) -> Result<(), Problem> {
    let config = &settings.config;
    let refused = |what: &str| {
        let message =
            format!("calls of {what} are to be drafts, and nothing would keep them to that");
        Err(
            Problem::mistake(message).hint(match cfg!(target_os = "linux") {
                true => "drafts need `confine: auto`; or write `drafts: never` for that source",
                false => "drafts need Linux; or write `drafts: never` for that source",
            }),
        )
    };
    let can = |auto: bool| auto && cfg!(target_os = "linux");
    let may_write = |read_only: bool| !read_only && !settings.selection.read_only;
    for program in &settings.programs {
        let source = &program.source;
        let ruled = config.drafted(Some(source)).is_some();
        let auto = program.confinement.mode == ConfineMode::Auto;
        if ruled && may_write(source.read_only) && !can(auto) {
            return refused(&format!("`{}`", program.name()));
        }
    }
    match &settings.spells {
        Some(spells) => {
            let ruled = config.drafted(spells.source.as_ref()).is_some();
            let auto = spells.mode(config) == ConfineMode::Auto;
            match ruled && may_write(spells.read_only) && !can(auto) {
                true => refused("spells"),
                false => Ok(()),
            }
        }
        None => Ok(()),
    }
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
