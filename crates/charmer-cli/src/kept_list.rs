//! The list of tools as it was at the last start, so that a client gets it before anything is put together.
//!
//! It belongs to the programs, the configuration and the command line that it was made from, and it holds only as long
//! as charmer itself, the programs and what is known of them are the same files. The tools are made all the same, right
//! after the list was given: should their list be another one, the client is told.

use std::{
    fmt::Write,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
};

use charmer_config::SchemaRule;
use charmer_discover::cache::Cache;
use charmer_server::Listing;

use crate::{read, settings::Settings};

/// Where a list is kept and what it depends on.
pub(crate) struct KeptList {
    cache: Cache,
    programs: Vec<PathBuf>,
    /// The file's name, which comes from the settings.
    name: String,
}

impl KeptList {
    /// The place for the list of these settings; there is none where the list also depends on other files.
    pub(crate) fn new(settings: &Settings) -> Option<Self> {
        let cache = read::cache()?;
        if settings.spells.is_some() {
            return None;
        }
        let programs: Vec<PathBuf> = settings.programs.iter().map(|p| p.path.clone()).collect();
        let mut hasher = DefaultHasher::new();
        programs.hash(&mut hasher);
        let mut selection = settings.selection.clone();
        selection.refresh = false;
        format!("{selection:?}").hash(&mut hasher);
        format!("{:?}", settings.config.expose).hash(&mut hasher);
        format!("{:?}", settings.folders).hash(&mut hasher);
        // What reads depends on the system too, not on the file alone.
        for program in &settings.programs {
            format!("{:?}", program.confinement).hash(&mut hasher);
        }
        if let Some(file) = &settings.selection.config {
            fs::read(file).ok()?.hash(&mut hasher);
        }
        // Those in files of their own; the others are in the configuration.
        for program in &settings.programs {
            let commands = program.source.overrides.values();
            let outputs = commands.filter_map(|command| command.output.as_ref());
            for schema in outputs.filter_map(|output| output.schema.as_ref()) {
                if let SchemaRule::File { json, .. } = schema {
                    format!("{json:?}").hash(&mut hasher);
                }
            }
        }
        Some(Self {
            cache,
            programs,
            name: format!("list-{:016x}", hasher.finish()),
        })
    }

    /// The list, if it still holds.
    pub(crate) fn load(&self) -> Option<Listing> {
        let kept = self.cache.read_text(&self.name)?;
        let (basis, json) = kept.split_once('\n')?;
        let holds = self.basis().is_some_and(|now| now == basis);
        Listing::from_json(json).filter(|_| holds)
    }

    /// Keeps the list for the next start. If that fails the next start takes longer; nothing else is lost.
    pub(crate) fn store(&self, listing: &Listing) {
        if let Some(basis) = self.basis() {
            let text = format!("{basis}\n{}", listing.to_json());
            let _ = self.cache.write_text(&self.name, &text);
        }
    }

    /// What the list was made by and from, as they are now; `None` if one of the programs is not known.
    fn basis(&self) -> Option<String> {
        let own = std::env::current_exe().ok()?;
        let mut basis = Cache::mark(&own)?;
        for program in &self.programs {
            let _ = write!(basis, " {}", self.cache.entry_mark(program)?);
        }
        Some(basis)
    }
}

#[cfg(test)]
mod tests {
    use crate::args::{ConfineName, NetworkName, Selection, Spells};

    use super::*;

    #[test]
    fn what_changes_what_is_offered_has_a_list_of_its_own() {
        let program = [std::env::current_exe().expect("a test has a path")];
        let name = |selection: Selection| {
            let settings = Settings::load(&program, &selection, &Spells::default(), None);
            let kept = KeptList::new(&settings.expect("it is there"));
            kept.map(|kept| kept.name)
        };
        let plain = name(Selection::default());
        let network = name(Selection {
            network: Some(NetworkName::None),
            ..Selection::default()
        });
        let confine = name(Selection {
            confine: Some(ConfineName::Off),
            ..Selection::default()
        });
        assert_eq!(plain, name(Selection::default()));
        // Where nothing can be kept there is nothing to mix up.
        assert!(plain.is_none() || (plain != network && plain != confine && network != confine));
    }
}
