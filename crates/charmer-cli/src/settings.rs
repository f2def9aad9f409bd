//! The settings of a server: the command line and `charmer.yaml` together.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Once,
    time::Duration,
};

use charmer_config::{
    CommandSelection, Config, Diagnostics, Knowledge, LoadError, Position, Redirects, SourceEntry,
    SourceKind,
};
use charmer_core::{
    expose::Expose,
    tool::{Descriptions, Layout},
};
use charmer_run::{Results, folder::Folders, layers::StructureMode};

use crate::{
    args::{
        DescriptionsName, ExposeName, LayoutName, ResultsName, Selection, ServedArgs, Showing,
        Spells, StructureName,
    },
    confine::{ProgramConfinement, SHORTCOMING},
    drafts, output, policy,
    problem::Problem,
    profiles::{self, LoadedProfile},
    programs, read, set,
    spells::{self, SpellFolder},
    wrap::wrapped_picture,
};

/// One program and what was said about it.
#[derive(Debug, Clone)]
pub(crate) struct ServedProgram {
    /// Its absolute path.
    pub(crate) path: PathBuf,
    /// The file's entry on it, or the defaults.
    pub(crate) source: SourceEntry,
    pub(crate) confinement: ProgramConfinement,
    /// The knowledge of it, by the file and the profiles.
    pub(crate) known: Knowledge,
    /// The redirecting flags that are let in, by the same.
    pub(crate) redirects: Redirects,
    /// The flags that undo a pinned one, by the same.
    pub(crate) undone_by: BTreeMap<String, Vec<String>>,
    /// Its profiles, the nearest last.
    pub(crate) profiles: Vec<LoadedProfile>,
    /// The same as an included file alone has it, if one does.
    pub(crate) baseline: Option<Box<Self>>,
}

impl ServedProgram {
    pub(crate) fn new(
        path: PathBuf,
        source: SourceEntry,
        config: &Config,
        selection: &Selection,
    ) -> Result<Self, Problem> {
        let profiles = profiles::of(&programs::name(&path))?;
        let confinement = ProgramConfinement::new(selection, config, &source, &profiles, &home());
        let nearest_first = || profiles.iter().rev().map(|known| &known.profile.source);
        let both = nearest_first().fold(source.clone(), SourceEntry::over);
        let mut known = both.known;
        profiles::add_phrases_of_others(&mut known, &profiles);
        let baseline = match (&source.baseline, &config.baseline) {
            (Some(of_it), Some(file)) => {
                let of_it = SourceEntry::clone(of_it);
                Some(Box::new(Self::new(path.clone(), of_it, file, selection)?))
            }
            _ => None,
        };
        read::want(&path, selection.allow.iter().map(String::as_str));
        read::want(&path, selected(&source));
        if selection.allow.is_empty() && source.select.is_empty() {
            let commands = known.common.iter();
            let groups = commands.filter_map(|command| command.split(' ').next());
            read::want(&path, groups);
        }
        Ok(Self {
            baseline,
            confinement,
            path,
            known,
            redirects: both.redirects,
            undone_by: both.undone_by,
            source,
            profiles,
        })
    }

    /// The name of its file.
    pub(crate) fn name(&self) -> String {
        programs::name(&self.path)
    }
}

/// The commands that the entries of a source's `select` name.
fn selected(source: &SourceEntry) -> impl Iterator<Item = &str> {
    let named = source
        .select
        .iter()
        .filter_map(|entry| entry.commands.as_ref());
    let paths = named.flat_map(|commands| match commands {
        CommandSelection::Allow(paths) | CommandSelection::AllowGlob(paths) => paths.as_slice(),
        _ => &[],
    });
    paths.map(String::as_str)
}

/// Everything that was said.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    pub(crate) config: Config,
    /// The folder in which relative paths of the file start.
    pub(crate) folder: PathBuf,
    pub(crate) programs: Vec<ServedProgram>,
    /// The folder of spells, if there is one.
    pub(crate) spells: Option<SpellFolder>,
    /// The folders that calls may run in; none if nobody has said so.
    pub(crate) folders: Folders,
    pub(crate) selection: Selection,
    /// Nobody may use the server's own credentials.
    pub(crate) own_credentials: bool,
}

/// The file that is read where nothing says what is meant.
pub(crate) const OWN_FILE: &str = "charmer.yaml";

/// The file of the current folder, if there is one and neither a program, a file nor a folder of spells is named. Whoever
/// asked is told, once.
fn file_here(binaries: &[PathBuf], selection: &Selection, spells: &Spells) -> Option<PathBuf> {
    static TELL: Once = Once::new();
    let named = !binaries.is_empty() || selection.config.is_some() || spells.spells.is_some();
    let file = PathBuf::from(OWN_FILE);
    if named || !file.is_file() {
        return None;
    }
    TELL.call_once(|| output::note("reading ./charmer.yaml, because no program is named"));
    Some(file)
}

impl Settings {
    /// The settings of a server.
    pub(crate) fn served(args: &ServedArgs) -> Result<Self, Problem> {
        let mut settings = Self::load(&args.binaries, &args.selection, &args.spells, args.timeout)?;
        settings.show(&args.showing)?;
        let limits = &mut settings.config.limits;
        limits.background_after = args.background_after.or(limits.background_after);
        Ok(settings)
    }

    /// Reads the file, if there is one, and finds the programs.
    pub(crate) fn load(
        binaries: &[PathBuf],
        selection: &Selection,
        spells: &Spells,
        timeout: Option<Duration>,
    ) -> Result<Self, Problem> {
        let here = here()?;
        let mut selection = selection.clone();
        if let Some(file) = file_here(binaries, &selection, spells) {
            selection.config = Some(file);
        }
        let selection = &selection;
        let (mut config, folder) = match &selection.config {
            Some(file) => (read(file)?, folder_of(file, &here)),
            None => (Config::default(), here.clone()),
        };
        if let Some(advice) = config.advice.take() {
            output::show(&picture(&advice));
        }
        Self::of(config, folder, binaries, selection, spells, timeout)
    }

    /// The same for a file that was read, and whose relative paths start in `folder`.
    pub(crate) fn of(
        mut config: Config,
        folder: PathBuf,
        binaries: &[PathBuf],
        selection: &Selection,
        spells: &Spells,
        timeout: Option<Duration>,
    ) -> Result<Self, Problem> {
        let here = here()?;
        config.expand_home(&home());
        if timeout.is_some() {
            config.limits.timeout = timeout;
        }
        if let Some(structure) = selection.structure {
            config.structure = Some(match structure {
                StructureName::Off => StructureMode::Off,
                StructureName::Auto => StructureMode::Auto,
                StructureName::Force => StructureMode::Force,
            });
        }
        if let Some(results) = selection.results {
            config.results = Some(match results {
                ResultsName::Auto => Results::Auto,
                ResultsName::Structured => Results::Structured,
                ResultsName::Text => Results::Text,
            });
        }
        let mut declared = Vec::new();
        let mut with_spells = Vec::new();
        for source in &config.sources {
            match &source.origin {
                SourceKind::Binary(name) => declared.push((name.clone(), source.clone())),
                // Whoever names programs picks those of the file's sources.
                SourceKind::Spells(path) if binaries.is_empty() => {
                    with_spells.push((path.clone(), source.clone()));
                }
                _ => {}
            }
        }
        let spells = spells::folder(spells, selection, timeout, &with_spells, &folder, &here)?;
        if let Some(spells) = &spells {
            spells.check(&config)?;
        }
        let mut programs = Vec::new();
        if binaries.is_empty() {
            for (name, source) in declared {
                let path = programs::find(&name, &folder)?;
                programs.push(ServedProgram::new(path, source, &config, selection)?);
            }
        } else {
            for name in binaries {
                let (path, source) = named(name, &declared, &folder, &here)?;
                programs.push(ServedProgram::new(path, source, &config, selection)?);
            }
        }
        for program in &programs {
            let read_only = selection.read_only || program.source.read_only;
            let warning = program.confinement.check(read_only, &program.path)?;
            warning.iter().for_each(|message| output::warn(message));
            let ProgramConfinement {
                credentials,
                writable,
                ..
            } = &program.confinement;
            for missing in credentials
                .iter()
                .chain(writable)
                .filter(|path| !path.exists())
            {
                let missing = missing.display();
                output::warn(&format!(
                    "`{missing}`, which is to be within reach, is not there"
                ));
            }
        }
        if programs
            .iter()
            .any(|program| program.confinement.stepped_down)
        {
            output::note(SHORTCOMING);
        }
        if programs.is_empty() && spells.is_none() {
            let problem = Problem::mistake("there is no program to read");
            return Err(match &selection.config {
                Some(file) => problem.hint(format!(
                    "name one, as in `charmer tools cargo`, or add it to `sources` in `{}`",
                    file.display()
                )),
                None => problem.hint(
                    "name one, as in `charmer tools cargo`, or write a `charmer.yaml` with `charmer init`",
                ),
            });
        }
        let idle = [
            ("--layout", selection.layout.is_some()),
            ("--all-flags", selection.all_flags),
            ("--with-flag", !selection.with_flags.is_empty()),
            ("--set", !selection.set.is_empty()),
            ("--folder", !selection.folders.is_empty()),
            ("--network", selection.network.is_some()),
            ("--credential", !selection.credentials.is_empty()),
        ];
        if programs.is_empty()
            && let Some((option, _)) = idle.iter().find(|(_, given)| *given)
        {
            return Err(
                Problem::mistake(format!("{option} has no meaning for spells"))
                    .hint("remove it: each spell's file says what its tool takes and may do"),
            );
        }
        set::check_programs(selection, &programs)?;
        let folders = work_folders(&selection.folders, &here)?;
        let mut selection = selection.clone();
        let names = spells.as_ref().map(SpellFolder::names).unwrap_or_default();
        selection.met_by_spells = policy::met_by(&selection, &names);
        if programs.is_empty() {
            policy::unmet(&selection)
                .iter()
                .for_each(|message| output::warn(message));
        } else if policy::leaves_out_all(&selection, &names) {
            output::warn(
                "no spell is offered, because --allow names none; `--allow 'spells/*'` adds them all",
            );
        }
        for program in &mut programs {
            if let Some(layout) = selection.layout {
                program.source.layout = match layout {
                    LayoutName::Flat => Layout::Flat,
                    LayoutName::Nested => Layout::Nested,
                };
            }
        }
        let settings = Self {
            config,
            folder,
            programs,
            spells,
            folders,
            selection,
            own_credentials: false,
        };
        drafts::check(&settings)?;
        Ok(settings)
    }

    /// Takes over what the command line says on how commands are shown.
    pub(crate) fn show(&mut self, showing: &Showing) -> Result<(), Problem> {
        let rules = &mut self.config.expose;
        if let Some(mode) = showing.expose {
            rules.mode = Some(match mode {
                ExposeName::All => Expose::All,
                ExposeName::Index => Expose::Index,
                ExposeName::Auto => Expose::Auto,
            });
        }
        if let Some(descriptions) = showing.descriptions {
            rules.descriptions = Some(match descriptions {
                DescriptionsName::Full => Descriptions::Full,
                DescriptionsName::Short => Descriptions::Short,
                DescriptionsName::None => Descriptions::None,
            });
        }
        let idle = match rules.mode.unwrap_or_default() {
            Expose::All => &[
                ("--budget", showing.budget.is_some()),
                ("--pin", !showing.pin.is_empty()),
                ("--hide", !showing.hide.is_empty()),
                ("--promote", showing.promote),
            ][..],
            Expose::Index => &[("--budget", showing.budget.is_some())],
            Expose::Auto => &[],
        };
        if let Some((option, _)) = idle.iter().find(|(_, given)| *given) {
            let shown = match rules.mode {
                Some(Expose::Index) => "index",
                _ => "all",
            };
            return Err(Problem::mistake(format!(
                "{option} has no meaning with `--expose {shown}`"
            ))
            .hint("remove one of them"));
        }
        if let Some(budget) = showing.budget {
            rules.budget = Some(budget as usize);
        }
        rules.pin.extend(showing.pin.iter().cloned());
        rules.hide.extend(showing.hide.iter().cloned());
        rules.promote |= showing.promote;
        self.config.prompts |= showing.prompts;
        Ok(())
    }
}

/// The program that somebody names: one of those that the file declares, or else one that is served as if there were no
/// file.
fn named(
    name: &Path,
    declared: &[(PathBuf, SourceEntry)],
    folder: &Path,
    here: &Path,
) -> Result<(PathBuf, SourceEntry), Problem> {
    let of_file = |path: PathBuf| {
        let found = |written: &Path| programs::find(written, folder).ok();
        let known = declared
            .iter()
            .find(|(written, _)| found(written).as_ref() == Some(&path));
        known.map(|(_, source)| (path, source.clone()))
    };
    // A name alone is first of all one of the file's: as it is written there, that of a program's file, or its prefix.
    if !programs::is_path(name) {
        let text = name.to_string_lossy();
        let by_file = || {
            declared
                .iter()
                .find(|(path, _)| programs::name(path) == text)
        };
        let by_prefix = || {
            let mut prefixed = declared.iter();
            prefixed.find(|(_, source)| source.prefix.as_deref() == Some(&*text))
        };
        let as_written = declared.iter().find(|(written, _)| written == name);
        if let Some((written, source)) = as_written.or_else(by_file).or_else(by_prefix) {
            return Ok((programs::find(written, folder)?, source.clone()));
        }
    }
    match programs::find(name, here) {
        Ok(path) => Ok(of_file(path.clone()).unwrap_or_else(|| {
            let source = plain_source(&path);
            (path, source)
        })),
        // The file's relative paths are those of its own folder.
        Err(problem) => {
            let path = programs::find(name, folder).ok();
            path.and_then(of_file).ok_or(problem)
        }
    }
}

/// The folders that `--folder` names.
fn work_folders(named: &[PathBuf], here: &Path) -> Result<Folders, Problem> {
    for path in named {
        let found = here.join(path);
        if !found.is_dir() {
            let what = match found.exists() {
                true => "is no folder",
                false => "does not exist",
            };
            return Err(
                Problem::mistake(format!("`--folder {}` {what}", path.display()))
                    .hint("give a folder that is there"),
            );
        }
    }
    Ok(Folders::new(named.iter().map(|path| here.join(path))))
}

/// A program of which nothing is said: what the file would mean if it only named it.
fn plain_source(path: &Path) -> SourceEntry {
    let config = Config::parse("sources: [{binary: program}]", "charmer.yaml");
    let mut source = config
        .expect("a program's name is all that a source needs")
        .sources
        .remove(0);
    source.origin = SourceKind::Binary(path.to_path_buf());
    source.position = Position::default();
    source
}

fn read(file: &Path) -> Result<Config, Problem> {
    Config::load(file).map_err(|error| match error {
        LoadError::Invalid(mistakes) => Problem::picture(picture(&mistakes)),
        error => Problem::mistake(error.to_string()).hint("check the path after --config"),
    })
}

/// Mistakes or advice as standard error can show them.
pub(crate) fn picture(diagnostics: &Diagnostics) -> String {
    let colour = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
    let width = output::error_width();
    wrapped_picture(&diagnostics.render_within(colour, width), width)
}

/// The home folder; where there is none, `~` stands for nothing.
pub(crate) fn home() -> PathBuf {
    std::env::home_dir().unwrap_or_else(|| PathBuf::from("~"))
}

fn here() -> Result<PathBuf, Problem> {
    std::env::current_dir()
        .map_err(|error| Problem::failed(format!("the working directory cannot be used: {error}")))
}

fn folder_of(file: &Path, here: &Path) -> PathBuf {
    let file = here.join(file);
    file.parent().map_or_else(|| here.into(), Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn this_program() -> PathBuf {
        std::env::current_exe().expect("a test has a path")
    }

    #[test]
    fn a_program_without_a_file_has_the_defaults() {
        let settings = Settings::load(
            &[this_program()],
            &Selection::default(),
            &Spells::default(),
            None,
        );
        let settings = settings.expect("it is there");
        assert_eq!(settings.programs[0].path, this_program());
        assert_eq!(settings.programs[0].source.layout, Layout::Flat);
        assert!(settings.programs[0].source.mcp_mode);
    }

    #[test]
    fn the_command_line_goes_before_the_file() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("charmer.yaml");
        let path = serde_json::to_string(&this_program()).expect("a path");
        let text = format!(
            "structure: force\nlimits: {{timeout: 5s}}\nsources: [{{binary: {path}, prefix: me, layout: nested}}]"
        );
        std::fs::write(&file, text).expect("it can be written");
        let mut selection = Selection {
            config: Some(file),
            ..Selection::default()
        };
        let named = [this_program()];
        for binaries in [&named[..], &[]] {
            let settings = Settings::load(binaries, &selection, &Spells::default(), None)
                .expect("it is right");
            let source = &settings.programs[0].source;
            assert_eq!(source.prefix.as_deref(), Some("me"));
            assert_eq!(source.layout, Layout::Nested);
            assert_eq!(settings.config.limits().timeout, Duration::from_secs(5));
            assert_eq!(settings.config.structure, Some(StructureMode::Force));
        }
        selection.layout = Some(LayoutName::Flat);
        selection.structure = Some(StructureName::Off);
        let settings = Settings::load(
            &[],
            &selection,
            &Spells::default(),
            Some(Duration::from_secs(9)),
        );
        let settings = settings.expect("it is right");
        assert_eq!(settings.programs[0].source.layout, Layout::Flat);
        assert_eq!(settings.config.limits().timeout, Duration::from_secs(9));
        assert_eq!(settings.config.structure, Some(StructureMode::Off));
    }

    #[test]
    fn no_program_at_all_is_a_mistake() {
        let problem = Settings::load(&[], &Selection::default(), &Spells::default(), None)
            .expect_err("nothing");
        assert!(
            problem.to_string().contains("charmer tools cargo"),
            "{problem}"
        );
    }
}
