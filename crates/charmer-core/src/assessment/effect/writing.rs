//! Flags that make a reading command write, run a program or show credentials.

use std::fmt;

use crate::model::{Command, Flag, FlagValue, ValueType};

use super::{
    credentials::credential_part,
    flags::names,
    nouns::{ACTING_FLAGS, CREDENTIAL_PHRASES, REVEALING},
    words::{SentenceWord, kebab, mentions, words},
};
use crate::assessment::redirecting_flags::{placeholder, runs_program};

/// The reason why a flag does not belong to a command that only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// It names a file or a directory to write.
    WritesFile,
    /// It makes the command change something.
    Changes,
    /// It makes the command delete something.
    Deletes,
    /// It makes the command run a program, a browser and an editor included.
    RunsProgram,
    /// It shows credentials that are hidden without it.
    Discloses,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WritesFile => "it names a file or directory that is written",
            Self::Changes => "it makes the command change something",
            Self::Deletes => "it makes the command delete something",
            Self::RunsProgram => "it makes the command run another program",
            Self::Discloses => "it shows credentials that are hidden without it",
        })
    }
}

/// Names that mean a file or directory to write, whatever the help says.
const TARGETS: &[&str] = &[
    "output-file",
    "outfile",
    "out-file",
    "output-dir",
    "output-directory",
    "out-dir",
    "outdir",
    "output-path",
    "out-path",
    "outpath",
    "output-filename",
    "output-to",
    "out-to",
    "save-to",
    "save-as",
    "save-dir",
    "save-file",
    "write-to",
    "dump-to",
    "dump-file",
    "to-file",
    "log-file",
    "logfile",
    "log-path",
    "log-dir",
    "log-output",
    "tee",
    "report-file",
    "report-dir",
    "report-path",
    "trace-file",
    "trace-output",
    "profile-output",
    "cpuprofile",
    "memprofile",
    "cpu-profile",
    "mem-profile",
    "mem-profile-out",
    "cidfile",
    "iidfile",
    "pidfile",
    "pid-file",
    "metadata-file",
    "cache-dir",
    "cache-directory",
    "cache-to",
    "cachedir",
    "target-dir",
    "destination",
    "dest",
    "dest-dir",
    "destdir",
    "download-dir",
    "artifact-dir",
    "export-file",
    "export-to",
    "state-out",
    "plan-out",
    "backup-dir",
    "temporary-directory",
    "tmp-dir",
    "tmpdir",
    "temp-dir",
    "error-log",
    "stderr-file",
    "stdout-file",
    "results-dir",
    "results-file",
    "coverage-file",
    "lockfile-path",
    "fprint",
    "fprint0",
    "fprintf",
    "fls",
];

/// Names that mean a file to write or a format, which the rest must tell apart.
const FILE_OR_FORMAT: &[&str] = &["output", "out", "o", "dump", "export", "save", "write"];

/// Switches that make a reading command change something.
const CHANGING: &[&str] = &[
    "write",
    "save",
    "fix",
    "edit",
    "in-place",
    "inplace",
    "overwrite",
    "apply",
    "install",
    "commit",
    "push",
    "record",
    "clobber",
    "write-index",
    "update-snapshots",
    "force",
    "fix-only",
    "unsafe-fixes",
    "upload",
    "publish",
    "store",
    "lost-found",
    "remote-name",
    "auto-fix",
    "autofix",
    "fix-all",
    "upgrade",
    "init",
    "generate",
    "refresh-lockfile",
];

/// Switches that start a program that people look at.
const SHOWING: &[&str] = &[
    "web",
    "browser",
    "open",
    "launch",
    "gui",
    "open-browser",
    "view-in-browser",
];

const FORMATS: &[&str] = &[
    "json", "yaml", "yml", "table", "text", "human", "wide", "name", "plain", "csv", "tsv", "xml",
    "toml", "pretty", "short", "long", "full", "auto", "default", "none", "markdown", "raw",
    "line", "jsonl", "compact", "github",
];
const FORMAT_PHRASES: &[&str] = &[
    "format",
    "formats",
    "formatting",
    "formatted",
    "output style",
    "json",
    "yaml",
    "one of",
    "style",
    "columns",
];
const FILE_PHRASES: &[&str] = &[
    "file",
    "files",
    "directory",
    "folder",
    "path",
    "filename",
    "stdout",
    "standard output",
    "instead of stdout",
    "destination",
    "dir",
    "disk",
    "tarball",
    "archive",
];
const WRITE_PHRASES: &[&str] = &[
    "write to",
    "written to",
    "write output",
    "writes output",
    "write the",
    "write a",
    "writes the",
    "writes a",
    "save to",
    "saved to",
    "save the",
    "saves the",
    "save output",
    "to write",
    "to save",
    "where to store",
    "output file",
    "output directory",
    "output path",
    "output to",
    "log to",
    "store the",
    "stored in",
    "to be written",
    "will be written",
    "redirect output",
    "output into",
    "write logs",
];

/// Returns the reason why a flag does not belong to a command that only reads, if it does not.
///
/// ```
/// use charmer_core::model::{Command, Flag, ValueType};
/// use charmer_core::assessment::effect::{Reason, writing_flag};
/// let log = Command::new("log");
/// let file = Flag::new("output").value_type(ValueType::Path);
/// assert_eq!(writing_flag(&log, &file), Some(Reason::WritesFile));
/// let format = Flag::new("output").value_type(ValueType::String).choices(["json", "yaml"]);
/// assert_eq!(writing_flag(&log, &format), None);
/// ```
pub fn writing_flag(command: &Command, flag: &Flag) -> Option<Reason> {
    let names = names(flag);
    let help = words(flag.help.as_deref().unwrap_or_default());
    let named = |list: &[&str]| names.iter().any(|name| list.contains(&name.as_str()));
    if runs_program(flag) {
        return Some(Reason::RunsProgram);
    }
    if reveals(command, flag) {
        return Some(Reason::Discloses);
    }
    if takes_no_value(flag) {
        if named(SHOWING) || mentions(&help, &["browser", "in an editor", "your editor"]) {
            return Some(Reason::RunsProgram);
        }
        if let Some((_, destroys)) = names
            .iter()
            .find_map(|name| ACTING_FLAGS.iter().find(|(acting, _)| acting == name))
        {
            return Some(if *destroys {
                Reason::Deletes
            } else {
                Reason::Changes
            });
        }
        if named(CHANGING) || leads_with_change(&help) {
            return Some(Reason::Changes);
        }
        return None;
    }
    if named(&["delete", "unset", "rename"]) {
        return Some(Reason::Deletes);
    }
    // A flag with a letter only is called by what its usage shows behind it: `[-E log_file]`.
    let letter = flag.short.filter(|_| names.is_empty());
    let shown = letter.and_then(|letter| placeholder(command, letter));
    if shown.is_some_and(|shown| TARGETS.contains(&kebab(&shown).as_str())) {
        return Some(Reason::WritesFile);
    }
    (may_name_file(flag) && writes_file(flag, &names, &help)).then_some(Reason::WritesFile)
}

/// Returns true if a flag shows what is hidden without it.
pub(crate) fn reveals(command: &Command, flag: &Flag) -> bool {
    const SHOWS: &[&str] = &[
        "show", "print", "with", "include", "reveal", "display", "export", "dump", "decrypt",
        "unmask", "expose", "raw",
    ];
    let help = words(flag.help.as_deref().unwrap_or_default());
    let secret = mentions(&help, CREDENTIAL_PHRASES);
    names(flag).iter().any(|name| {
        let shows = name.split('-').any(|part| SHOWS.contains(&part));
        if name == "raw" {
            // A raw diff is only a format; raw settings are unredacted, and a raw request reads anything.
            let reader = kebab(&command.name);
            return if help.is_empty() {
                matches!(
                    reader.as_str(),
                    "view" | "config" | "get" | "output" | "read"
                )
            } else {
                secret
                    || mentions(
                        &help,
                        &[
                            "uri",
                            "url",
                            "byte data",
                            "unredacted",
                            "redacted",
                            "request",
                        ],
                    )
            };
        }
        REVEALING.contains(&name.as_str())
            || (shows && credential_part(name).is_some())
            || (takes_no_value(flag) && shows && secret)
    }) || (takes_no_value(flag)
        && secret
        && help.first().is_some_and(|first| {
            SHOWS
                .iter()
                .any(|verb| first.text == *verb || first.text.strip_suffix('s') == Some(verb))
        }))
}

fn takes_no_value(flag: &Flag) -> bool {
    matches!(flag.value, FlagValue::None) || flag.value_type == ValueType::Bool
}

fn may_name_file(flag: &Flag) -> bool {
    matches!(flag.value_type, ValueType::Path | ValueType::String) && flag.choices.is_empty()
}

fn writes_file(flag: &Flag, names: &[String], help: &[SentenceWord]) -> bool {
    if names.iter().any(|name| TARGETS.contains(&name.as_str())) {
        return true;
    }
    let ambiguous = names
        .iter()
        .any(|name| FILE_OR_FORMAT.contains(&name.as_str()))
        || (names.is_empty() && flag.short == Some('o'));
    if !ambiguous {
        return mentions(help, WRITE_PHRASES) && mentions(help, FILE_PHRASES);
    }
    if flag.value_type == ValueType::Path {
        return true;
    }
    let format_first = mentions(&help[..help.len().min(3)], &["format", "formatting"]);
    if let Some(default) = flag.default.first().filter(|default| !default.is_empty()) {
        let looks_like_file = default == "-" || default.contains(['/', '\\', '.']);
        return looks_like_file
            || !(format_first || FORMATS.contains(&default.to_lowercase().as_str()));
    }
    let file = mentions(help, FILE_PHRASES) || mentions(help, WRITE_PHRASES);
    let format = mentions(help, FORMAT_PHRASES);
    // Without a word on formats a file is the safer guess.
    !format_first && (file || !format)
}

/// Returns true if a switch's help leads with a verb that changes files: `Write the result back`, not `Write to
/// stdout`.
fn leads_with_change(help: &[SentenceWord]) -> bool {
    const VERBS: &[&str] = &[
        "write",
        "save",
        "overwrite",
        "delete",
        "install",
        "upload",
        "store",
        "edit",
        "modify",
        "publish",
        "erase",
        "rewrite",
        "create",
    ];
    help.first().is_some_and(|first| {
        VERBS
            .iter()
            .any(|verb| first.text == *verb || first.text.strip_suffix('s') == Some(verb))
    }) && !mentions(
        help,
        &["stdout", "standard output", "format", "terminal", "screen"],
    )
}
