//! The list of tools as it was at the last start, so that a client gets it before anything is put together, and what
//! searches answer from, where there are so many commands that putting them together takes long.
//!
//! Both belong to the programs, the configuration and the command line that they were made from, and hold only as long
//! as charmer itself, the programs and what is known of them are the same files. The tools are made all the same, right
//! after the list was given: should their list be another one, the client is told.

use std::{
    fmt::Write,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::PathBuf,
};

use charmer_config::SchemaRule;
use charmer_discover::cache::Cache;
use charmer_run::KeptSearch;
use charmer_server::ToolList;

use crate::{read, settings::Settings};

/// The number of commands from which on searches are worth being kept: fewer are put together before anybody asks.
const MANY: usize = 1000;
/// The kinds of files, which their names begin with.
const LIST: &str = "list";
const SEARCH: &str = "search";

/// The place of a kept list and what it depends on.
pub(crate) struct KeptList {
    cache: Cache,
    programs: Vec<PathBuf>,
    /// The end of the files' names, which comes from the settings.
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
            // Profiles are files of their own, too.
            format!("{:?}", program.known).hash(&mut hasher);
            format!("{:?}", (&program.redirects, &program.undone_by)).hash(&mut hasher);
        }
        if let Some(file) = &settings.selection.config {
            fs::read(file).ok()?.hash(&mut hasher);
        }
        format!("{:?}", settings.config.baseline).hash(&mut hasher);
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
            name: format!("{:016x}", hasher.finish()),
        })
    }

    /// The list, if it still holds.
    pub(crate) fn load(&self) -> Option<ToolList> {
        let kept = self.cache.read_text(&self.file(LIST))?;
        let (basis, json) = kept.split_once('\n')?;
        let holds = self.basis().is_some_and(|now| now == basis);
        ToolList::from_json(json).filter(|_| holds)
    }

    /// Keeps the list for the next start. If that fails the next start takes longer; nothing else is lost.
    pub(crate) fn store(&self, listing: &ToolList) {
        if let Some(basis) = self.basis() {
            let text = format!("{basis}\n{}", listing.as_json());
            let _ = self.cache.write_text(&self.file(LIST), &text);
        }
    }

    /// The index that searches answer from, if it still holds.
    pub(crate) fn load_search(&self) -> Option<KeptSearch<'static>> {
        let kept = self.cache.read_bytes(&self.file(SEARCH))?;
        let end = kept.iter().position(|byte| *byte == b'\n')?;
        let basis = self.basis()?;
        if kept[..end] != *basis.as_bytes() {
            return None;
        }
        let search: KeptSearch<'_> = postcard::from_bytes(&kept[end + 1..]).ok()?;
        search.is_sound().then_some(search)
    }

    /// Keeps what searches answer from, where that is worth it.
    pub(crate) fn store_search(&self, search: &KeptSearch<'_>) {
        if search.len() < MANY {
            return;
        }
        if let Some(basis) = self.basis() {
            let _ = self.cache.write_bytes(&self.file(SEARCH), |writer| {
                writeln!(writer, "{basis}")?;
                let written = postcard::to_io(search, writer);
                written.map(|_| ()).map_err(io::Error::other)
            });
        }
    }

    fn file(&self, kind: &str) -> String {
        format!("{kind}-{}", self.name)
    }

    /// The state that the list was made by and from, as it is now; `None` if one of the programs is not known.
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
    use charmer_core::{
        expose::Expose,
        model::{Cli, Command, Syntax},
        tool::{CatalogueOptions, catalogue},
    };
    use charmer_discover::Discovery;
    use charmer_run::{CallPath, Exposed, Exposure, Outcome, SharedSteps, ToolSet};

    use crate::args::{ConfineName, NetworkName, Selection, Spells};

    use super::*;

    #[test]
    fn searches_are_kept_where_they_are_many_and_as_long_as_the_program_is_the_same() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("tool");
        fs::write(&program, "one").expect("written");
        let cache = Cache::new(folder.path().join("kept"));
        let kept = KeptList {
            cache: cache.clone(),
            programs: vec![program.clone()],
            name: "0123456789abcdef".into(),
        };
        let of = |commands: usize| {
            let root = (0..commands).fold(Command::new("tool").not_runnable(), |root, at| {
                root.command(Command::new(format!("do{at}")).about("Does it"))
            });
            let made = catalogue(
                &Cli::new(root, Syntax::clap()),
                &CatalogueOptions::default(),
            );
            let answer = |_| Ok(Outcome::success("done"));
            let tools = made.tools.into_iter();
            let tools =
                tools.map(|it| CallPath::answering(it, answer).serve(&SharedSteps::default()));
            Exposure::new(Expose::Index).apply(ToolSet::new(tools))
        };
        let loaded = || kept.load_search().map(|search| search.len());
        let (few, many) = (of(20), of(MANY));
        let search = |of: &Exposed| kept.store_search(&of.kept_search().expect("it searches"));
        search(&many);
        assert_eq!(loaded(), None, "nothing is known of the program");
        let found = Discovery::of(Cli::new(Command::new("tool"), Syntax::clap()));
        let read = || {
            let stored = cache.store(&program, cache.footing(&program), &found);
            stored.expect("kept");
        };
        read();
        search(&few);
        assert_eq!(loaded(), None, "few are put together soon enough");
        search(&many);
        assert_eq!(loaded(), Some(MANY));
        fs::write(&program, "another").expect("written");
        assert_eq!(loaded(), None);
        read();
        assert_eq!(loaded(), None, "it belongs to what was known before");
        search(&many);
        assert_eq!(loaded(), Some(MANY));
        let file = folder.path().join("kept").join(kept.file(SEARCH));
        let mut bytes = fs::read(&file).expect("it is there");
        bytes.truncate(bytes.len() / 2);
        fs::write(&file, bytes).expect("written");
        assert_eq!(loaded(), None, "a damaged file is none");
    }

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
