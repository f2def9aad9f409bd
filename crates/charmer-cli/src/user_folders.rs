//! Charmer's own folders among the user's: for what is kept, for data, and for configuration.

use std::{ffi::OsString, path::PathBuf};

/// The folder of what can be made again: `CHARMER_CACHE`, or the user's folder for such files.
pub(crate) fn cache(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    folder(
        variable,
        ["CHARMER_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"],
        ".cache",
    )
}

/// The folder of what cannot: `CHARMER_DATA`, or the user's folder for data.
pub(crate) fn data(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    folder(
        variable,
        ["CHARMER_DATA", "XDG_DATA_HOME", "LOCALAPPDATA"],
        ".local/share",
    )
}

/// The folder of what people write: `CHARMER_CONFIG`, or the user's folder for configuration.
pub(crate) fn configuration(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    folder(
        variable,
        ["CHARMER_CONFIG", "XDG_CONFIG_HOME", "APPDATA"],
        ".config",
    )
}

/// The folder that the first variable names, or else `charmer` in the one that another names, or in one of the home folder.
/// What is no absolute path is as good as not set.
fn folder(
    variable: impl Fn(&str) -> Option<OsString>,
    [own, shared, windows]: [&str; 3],
    of_home: &str,
) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let value = variable(name).filter(|value| !value.is_empty())?;
        Some(PathBuf::from(value)).filter(|path| path.is_absolute())
    };
    let within = |folder: PathBuf| folder.join("charmer");
    absolute(own)
        .or_else(|| absolute(shared).map(within))
        .or_else(|| absolute(windows).map(within))
        .or_else(|| absolute("HOME").map(|home| within(home.join(of_home))))
}
