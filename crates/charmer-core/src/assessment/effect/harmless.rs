//! Flags for all commands that are known to do no harm: they change how much is shown and how, how long is waited, or
//! which part of the same service is looked at.
//!
//! Where only reading is offered, a flag of the root that is not one of them stays out: it changes what every command
//! does, and nobody knows how (`--bare` makes git take a folder's own files for its configuration).

use crate::model::Flag;

use super::{
    flags::names,
    words::{mentions, words},
};

/// The reason, for people, why a flag that is not known stays out.
pub(crate) const NOT_KNOWN: &str =
    "it is for all commands, and nothing says that it is harmless where only reading is offered";

/// Long names; `*` at one end stands for any beginning or end.
const NAMES: &str = "help help-* version verbose verbosity v vv quiet silent brief terse debug trace log-level loglevel
    log-format log-* color colors colour colours no-color no-colour nocolor ansi no-ansi color-* ascii unicode emoji
    output format output-format out-format json yaml xml csv table text plain pretty human human-readable raw-output
    machine machine-readable porcelain template jq query filter fields columns columns-* wide width no-headers
    no-header header no-trunc no-truncate truncate full sort sort-by order limit max-results max-items max-count
    page-size page page-token per-page no-pager no-cli-pager no-paginate timeout *-timeout timeout-* retries max-retries
    request-timeout interval jobs parallel parallelism concurrency threads offline frozen locked no-input
    non-interactive noninteractive batch progress no-progress spinner no-spinner namespace all-namespaces region zone
    location project organization organisation org subscription tenant locale lang language timezone tz utc
    timestamps stats time timings no-optional-locks no-replace-objects literal-pathspecs glob-pathspecs
    noglob-pathspecs icase-pathspecs no-lazy-fetch no-advice qps burst burst-limit match-server-version
    warnings-as-errors no-warnings warnings disable-compression no-cache";

/// Phrases in the help of such flags.
const HELP: &[&str] = &[
    "output format",
    "format of the output",
    "verbose output",
    "verbosity",
    "log level",
    "logging level",
    "level of logging",
    "colored output",
    "coloured output",
    "color output",
    "colorize",
    "print version",
    "show version",
    "print help",
    "show help",
    "suppress output",
    "debug output",
];

/// Returns true if a flag that holds for all commands is known to be harmless.
pub(crate) fn is_harmless(flag: &Flag) -> bool {
    let is_named = |name: &String| {
        crate::assessment::redirecting_flags::row_names(NAMES, std::slice::from_ref(name))
    };
    let names = names(flag);
    if names.iter().any(is_named) {
        return true;
    }
    let letter = flag.short.filter(|_| names.is_empty());
    let help = words(flag.help.as_deref().unwrap_or_default());
    matches!(letter, Some('h' | 'v' | 'V' | 'q')) || mentions(&help, HELP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ValueType;

    #[test]
    fn what_only_changes_what_is_shown_is_harmless() {
        for name in [
            "verbose",
            "no-color",
            "output",
            "namespace",
            "request-timeout",
            "no-pager",
        ] {
            assert!(is_harmless(&Flag::new(name)), "{name}");
        }
        let silent = Flag::new("x").help("Set the log level");
        assert!(is_harmless(&silent) && is_harmless(&Flag::short_only('v')));
        for name in ["bare", "attr-source", "plugin", "unlikely"] {
            assert!(!is_harmless(&Flag::new(name)), "{name}");
        }
        assert!(!is_harmless(
            &Flag::short_only('x').value_type(ValueType::String)
        ));
    }
}
