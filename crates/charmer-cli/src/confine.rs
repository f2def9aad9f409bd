//! The confinement of a program: the command line and `charmer.yaml`, put together.
//!
//! The command line goes before the file, a source before the file's top, and a selector before its source.

use std::path::{Path, PathBuf};

use charmer_config::{Config, ConfineMode, SelectEntry, SourceEntry, expand_home};
use charmer_core::model::Network;
use charmer_run::ReadsAny;

use crate::{
    args::{ConfineName, NetworkName, Selection},
    privileges,
    problem::Problem,
    profiles::LoadedProfile,
    programs,
};

/// The way one program is confined.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProgramConfinement {
    /// The authority on what a call that is meant to read can do.
    pub(crate) mode: ConfineMode,
    /// The origin of that; none, where it is the default.
    mode_from: Option<&'static str>,
    /// The names decide although the kernel was to.
    pub(crate) stepped_down: bool,
    /// The network of commands whose selector says nothing of it; assumed, if it is not set.
    pub(crate) network: Option<Network>,
    /// The origin of that.
    network_from: NetworkFrom,
    /// The grants of the file or a profile to single commands.
    of_commands: Vec<Granted>,
    /// The secrets that are the program's own, as somebody here has said.
    pub(crate) credentials: Vec<PathBuf>,
    /// The same as a profile says it; they need not be there.
    known_credentials: Vec<PathBuf>,
    /// The only places that calls which may write can write to; anywhere, if there are none.
    pub(crate) writable: Vec<PathBuf>,
    /// The origin of these places.
    writable_from: &'static str,
}

/// The places of the file that `confine` can stand in.
const AT_SOURCE: &str = "under its source in `sources`";
const AT_TOP: &str = "at the top of the file";

/// The origin of what is known of a program's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NetworkFrom {
    /// An option, and nobody else has anything to say.
    CommandLine,
    File,
    /// A profile, or nobody.
    Profile,
}

/// The network of a command, and who has said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Granted {
    pub(crate) network: Option<Network>,
    /// The option or key; nothing, where the network is assumed.
    pub(crate) from: Option<&'static str>,
}

impl Granted {
    /// In one word.
    pub(crate) fn word(self) -> &'static str {
        self.network.map_or("assumed", Network::name)
    }

    /// The option or key as it is written.
    pub(crate) fn key(self) -> Option<&'static str> {
        self.from.map(|from| from.trim_matches('`'))
    }

    /// The word and where it comes from.
    pub(crate) fn told(self) -> String {
        match self.from {
            Some(from) => format!("{} ({from})", self.word()),
            None => self.word().to_owned(),
        }
    }
}

/// Returns true if the kernel can take away the right to write.
fn kernel_confines() -> bool {
    cfg!(target_os = "linux")
}

/// The shortcoming that is told where names decide because the system offers nothing better.
pub(crate) const SHORTCOMING: &str = "the names of commands and flags alone decide what reads: calls are confined by the \
                                      kernel on Linux only (`--confine names` says that this is known)";

/// The advice where no command is offered.
pub(crate) const LOOSEN: &str = "loosen --allow, --deny or --read-only";
/// The same where only reading is wanted, no command is known to read, and nothing was said of the network.
pub(crate) const LOOSEN_NETWORK: &str = "none is known to only read; with `--network none` any can be tried, because the \
                                         system keeps it from writing and from the network (or loosen --allow, --deny or \
                                         --read-only)";

impl ProgramConfinement {
    /// The confinement of a program with these profiles, the nearest last. Relative paths of the command line are those
    /// of the working directory.
    pub(crate) fn new(
        selection: &Selection,
        config: &Config,
        source: &SourceEntry,
        profiles: &[LoadedProfile],
        home: &Path,
    ) -> Self {
        let known = || profiles.iter().rev().map(|known| &known.profile.source);
        let file = source.confine.over(&config.confine);
        let asked = selection.confine.map(ConfineName::mode).or(file.mode);
        let (mode, stepped_down) = match asked.unwrap_or(ConfineMode::Auto) {
            ConfineMode::Auto if !kernel_confines() => (ConfineMode::Names, true),
            mode => (mode, false),
        };
        let typed = selection.credentials.iter().map(|path| {
            let path = expand_home(path, home);
            std::path::absolute(&path).unwrap_or(path)
        });
        let option = selection.network.map(NetworkName::network);
        let of_profile = known().find_map(|profile| profile.network);
        let (network, network_from) = match (option, source.network) {
            (Some(option), _) => (Some(option), NetworkFrom::CommandLine),
            (None, Some(network)) => (Some(network), NetworkFrom::File),
            (None, None) => (of_profile, NetworkFrom::Profile),
        };
        let overrides = |source: &SourceEntry, from: &'static str| -> Vec<Granted> {
            let said = source
                .overrides
                .values()
                .filter(|one| one.network.is_some());
            let granted = said.map(|one| Granted {
                network: one.network,
                from: Some(from),
            });
            granted.collect()
        };
        let mut of_commands = Vec::new();
        if network_from != NetworkFrom::CommandLine {
            of_commands.extend(overrides(source, "`override`"));
        }
        if network_from == NetworkFrom::Profile {
            of_commands.extend(known().flat_map(|source| overrides(source, "profile")));
        }
        of_commands.dedup();
        let known_credentials = known()
            .find_map(|profile| profile.credentials.as_deref())
            // Where the file says that there are none, there are none.
            .filter(|_| {
                source
                    .credentials
                    .as_ref()
                    .is_none_or(|own| !own.is_empty())
            })
            .unwrap_or_default();
        let known_credentials = known_credentials
            .iter()
            .map(|path| expand_home(path, home))
            .collect();
        Self {
            mode,
            mode_from: match (selection.confine, source.confine.mode, config.confine.mode) {
                (Some(_), _, _) => Some("on the command line"),
                (None, Some(_), _) => Some(AT_SOURCE),
                (None, None, Some(_)) => Some(AT_TOP),
                (None, None, None) => None,
            },
            stepped_down,
            network,
            network_from,
            of_commands,
            credentials: typed
                .chain(source.credentials.iter().flatten().cloned())
                .collect(),
            known_credentials,
            writable: file.writable,
            writable_from: match source.confine.writable.is_empty() {
                true => AT_TOP,
                false => AT_SOURCE,
            },
        }
    }

    /// The network of the commands of this selector, or of those that none speaks for.
    pub(crate) fn network_of(&self, selector: Option<&SelectEntry>) -> Granted {
        self.network_of_command(selector, None, None)
    }

    /// The network of a command of this selector, of which the file says this, and a profile or the program itself that.
    pub(crate) fn network_of_command(
        &self,
        selector: Option<&SelectEntry>,
        file: Option<Network>,
        known: Option<(Network, &'static str)>,
    ) -> Granted {
        use NetworkFrom::{CommandLine, File, Profile};
        let selected = selector.and_then(|selector| selector.network);
        let nearest = match self.network_from {
            CommandLine => None,
            _ => file
                .map(|network| (network, "`override`"))
                .or(selected.map(|network| (network, "`select`"))),
        };
        let nearest = nearest.or(known.filter(|_| self.network_from == Profile));
        if let Some((network, from)) = nearest {
            return Granted {
                network: Some(network),
                from: Some(from),
            };
        }
        let from = match self.network_from {
            CommandLine => "--network",
            File => "`sources`",
            Profile => "profile",
        };
        Granted {
            network: self.network,
            from: self.network.map(|_| from),
        }
    }

    /// Every secret that is the program's own.
    pub(crate) fn all_credentials(&self) -> Vec<PathBuf> {
        let known = self.known_credentials.iter().filter(|path| path.exists());
        self.credentials.iter().chain(known).cloned().collect()
    }

    /// The words on the network of a program's commands, in one line.
    pub(crate) fn told(&self, source: &SourceEntry) -> String {
        let mut text = self.network_of(None).told();
        let own = source.select.iter();
        for selector in own.filter(|selector| selector.network.is_some()) {
            if self.network_from != NetworkFrom::CommandLine {
                let word = self.network_of(Some(selector)).word();
                text.push_str(&format!(
                    ", {word} for entry {} of `select`",
                    selector.number + 1
                ));
            }
        }
        text
    }

    /// Returns true if a command with this network may be tried where only reading is wanted, whatever it is called: it
    /// can neither write nor reach anything that could be told to. Where nothing but reading is offered, a person must
    /// have said so; by a profile alone, what is known to read is offered, and the rest would be a list of what fails.
    pub(crate) fn reads_any(&self, granted: Granted, read_only: bool) -> bool {
        self.mode == ConfineMode::Auto
            && granted.network == Some(Network::None)
            && !(read_only && matches!(granted.from, Some("profile" | "program")))
    }

    /// Returns true if commands could be tried so, if somebody said that they need no network.
    pub(crate) fn could_read_any(&self, source: &SourceEntry) -> bool {
        self.mode == ConfineMode::Auto
            && self.network.is_none()
            && self.share_that_reads(source, true) == ReadsAny::None
    }

    /// The share of a program's commands that this is so of, as far as it can be told before they are known.
    pub(crate) fn share_that_reads(&self, source: &SourceEntry, read_only: bool) -> ReadsAny {
        let selectors = &source.select;
        let reads_any =
            |selector: Option<&SelectEntry>| self.reads_any(self.network_of(selector), read_only);
        let any = |selector: &SelectEntry| reads_any(Some(selector));
        let (all, some) = match selectors.is_empty() {
            true => (reads_any(None), reads_any(None)),
            false => (selectors.iter().all(any), selectors.iter().any(any)),
        };
        let single = |granted: &Granted| self.reads_any(*granted, read_only);
        let all = all && self.of_commands.iter().all(single);
        let some = some || self.of_commands.iter().any(single);
        let many = match (all, some) {
            (true, _) => ReadsAny::All,
            (false, true) => ReadsAny::Some,
            (false, false) => ReadsAny::None,
        };
        // What an included file does not let be tried stays what it is.
        match &source.baseline {
            Some(baseline) if many != ReadsAny::None && baseline.network != Some(Network::None) => {
                ReadsAny::Some
            }
            _ => many,
        }
    }

    /// Refuses what nothing would see to. Says what will not work.
    pub(crate) fn check(&self, read_only: bool, path: &Path) -> Result<Option<String>, Problem> {
        let program = programs::name(path);
        if read_only && self.mode == ConfineMode::Off {
            return Err(Problem::mistake(format!(
                "`{program}` cannot be served read-only with `confine` off: nothing would see to it"
            ))
            .hint("use `--confine names`, where the names of commands and flags decide, or `--confine auto`"));
        }
        if self.mode != ConfineMode::Auto {
            if self.writable.is_empty() {
                return Ok(None);
            }
            let (mode, from) = (self.mode.name(), self.writable_from);
            let mode = match self.mode_from {
                _ if self.stepped_down => format!("`confine` is {mode} on this system"),
                Some(place) if place != from => format!("`confine` is {mode}, as said {place}"),
                _ => format!("`confine` is {mode} there"),
            };
            let writable = format!("`confine: {{writable: ...}}` for `{program}`, {from}");
            // No call is to write, so there is none that its places would be for.
            if read_only {
                return Ok(Some(format!(
                    "{writable}, is not kept to, because {mode}: it is served read-only, and the names of commands and \
                     flags alone decide what reads"
                )));
            }
            return Err(Problem::mistake(format!(
                "{writable}, cannot be kept to, because {mode}: nothing would see to it"
            ))
            .hint("use `mode: auto`, which works on Linux, or remove `writable`"));
        }
        let Some(reason) = privileges::gained(path) else {
            return Ok(None);
        };
        if read_only || !self.writable.is_empty() {
            let hint = "use `--confine names`, where the names of commands and flags decide";
            // Where calls write, names could not keep them to their places.
            let hint = match read_only {
                true => hint.to_owned(),
                false => format!("remove `writable` {}, and {hint}", self.writable_from),
            };
            return Err(Problem::mistake(format!(
                "`{program}` cannot run confined: {reason}, and a confined program gains no privileges"
            ))
            .hint(hint));
        }
        Ok(Some(format!(
            "`{program}` does not work through `run_read`, which confines it: {reason}; `--confine names` lets the names \
             of commands and flags decide instead"
        )))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolved(text: &str, selection: &Selection) -> (ProgramConfinement, SourceEntry) {
        let config = Config::parse(text, "charmer.yaml").expect("it is valid");
        let source = config.sources[0].clone();
        let confinement =
            ProgramConfinement::new(selection, &config, &source, &[], Path::new("/home/ann"));
        (confinement, source)
    }

    #[test]
    fn nothing_said_means_that_network_is_assumed() {
        let (plain, source) = resolved("sources: [{binary: git}]", &Selection::default());
        assert_eq!(plain.network_of(None).told(), "assumed");
        assert_eq!(plain.share_that_reads(&source, false), ReadsAny::None);
        let expected = match kernel_confines() {
            true => ConfineMode::Auto,
            false => ConfineMode::Names,
        };
        assert_eq!(plain.mode, expected);
        assert_eq!(plain.could_read_any(&source), kernel_confines());
        for keys in ["network: none", "network: tcp", "confine: names"] {
            let text = format!("sources: [{{binary: git, {keys}}}]");
            let (said, source) = resolved(&text, &Selection::default());
            assert!(!said.could_read_any(&source), "{keys}");
        }
    }

    #[test]
    fn a_selector_goes_before_its_source_and_the_command_line_before_both() {
        let text = "sources: [{binary: gh, network: tcp, select: [{commands: {allow: [a]}, network: none}, {stdin: true}]}]";
        let (file, source) = resolved(text, &Selection::default());
        let told = |confinement: &ProgramConfinement| {
            let selectors = source.select.iter();
            selectors
                .map(|selector| confinement.network_of(Some(selector)).told())
                .collect::<Vec<_>>()
        };
        assert_eq!(told(&file), ["none (`select`)", "tcp (`sources`)"]);
        let typed = Selection {
            network: Some(NetworkName::All),
            ..Selection::default()
        };
        let (typed, _) = resolved(text, &typed);
        assert_eq!(told(&typed), ["all (--network)", "all (--network)"]);
        assert_eq!(typed.share_that_reads(&source, false), ReadsAny::None);
        if kernel_confines() {
            assert_eq!(file.share_that_reads(&source, false), ReadsAny::Some);
        }
    }

    #[test]
    fn a_source_goes_before_the_top_and_the_command_line_before_both() {
        let text = "confine: {mode: off, writable: [/a]}\nsources: [{binary: gh, confine: names, credentials: [/k]}]";
        let (file, _) = resolved(text, &Selection::default());
        assert_eq!(
            (file.mode, file.writable),
            (ConfineMode::Names, vec!["/a".into()])
        );
        let typed = Selection {
            confine: Some(ConfineName::Off),
            credentials: vec!["~/.netrc".into()],
            ..Selection::default()
        };
        let (typed, _) = resolved(text, &typed);
        assert_eq!(typed.mode, ConfineMode::Off);
        assert_eq!(
            typed.credentials,
            ["/home/ann/.netrc", "/k"].map(PathBuf::from)
        );
    }

    #[test]
    fn read_only_wants_somebody_to_see_to_it() {
        let (off, _) = resolved(
            "confine: off\nsources: [{binary: gh}]",
            &Selection::default(),
        );
        assert!(off.check(false, Path::new("gh")).is_ok());
        let problem = off
            .check(true, Path::new("gh"))
            .expect_err("nothing would see to it");
        assert!(problem.to_string().contains("--confine names"), "{problem}");
    }

    #[test]
    fn places_to_write_want_the_kernel() {
        let text = "sources: [{binary: gh, confine: {mode: names, writable: [/a]}}]";
        let (named, _) = resolved(text, &Selection::default());
        let problem = named
            .check(false, Path::new("gh"))
            .expect_err("names cannot");
        let said = problem.to_string();
        assert!(
            said.contains("for `gh`, under its source in `sources`, cannot be kept to, because `confine` is names there")
                && said.contains("mode: auto"),
            "{said}"
        );
        let text = "confine: {writable: [/a]}\nsources: [{binary: gh, confine: names}]";
        let (above, _) = resolved(text, &Selection::default());
        let problem = above.check(false, Path::new("gh"));
        let said = problem.expect_err("names cannot").to_string();
        assert!(
            said.contains("at the top of the file, cannot be kept to")
                && said.contains("names, as said under its source"),
            "{said}"
        );
    }

    #[test]
    fn places_to_write_are_no_matter_where_nothing_is_to_write() {
        let text = "confine: {writable: [/a]}\nsources: [{binary: gh}]";
        let names = Selection {
            confine: Some(ConfineName::Names),
            ..Selection::default()
        };
        let (named, _) = resolved(text, &names);
        assert!(named.check(false, Path::new("gh")).is_err());
        let said = named.check(true, Path::new("gh"));
        let said = said.ok().flatten().expect("it is served, and this is said");
        assert!(
            said.contains("at the top of the file, is not kept to")
                && said.contains("names, as said on the command line"),
            "{said}"
        );
    }

    #[test]
    fn any_command_is_tried_only_where_the_kernel_sees_to_it() {
        let text = "sources: [{binary: git, network: none}]";
        let with = |confine| Selection {
            confine: Some(confine),
            ..Selection::default()
        };
        let reads = |confine| {
            let (confinement, source) = resolved(text, &with(confine));
            confinement.share_that_reads(&source, true)
        };
        assert_eq!(reads(ConfineName::Names), ReadsAny::None);
        assert_eq!(reads(ConfineName::Off), ReadsAny::None);
        if kernel_confines() {
            assert_eq!(reads(ConfineName::Auto), ReadsAny::All);
        }
    }
}
