//! The environment of a child: inherited, less what hijacks loaders and interpreters, plus what was decided.

use std::{
    collections::BTreeMap,
    ffi::{OsStr, OsString},
};

use super::{MARK, MODE};

/// Variables that make a loader, shell, interpreter or tool run something else; they must be asked for by name.
const HIJACKERS: [&str; 32] = [
    "BASH_ENV",
    "BASHOPTS",
    "ENV",
    "SHELLOPTS",
    "PROMPT_COMMAND",
    "PS4",
    "IFS",
    "CDPATH",
    "PYTHONSTARTUP",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONBREAKPOINT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PERL5OPT",
    "PERL5LIB",
    "PERL5DB",
    "RUBYOPT",
    "RUBYLIB",
    "JAVA_TOOL_OPTIONS",
    "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "GCONV_PATH",
    "GLIBC_TUNABLES",
    "GIT_EXTERNAL_DIFF",
    "GIT_SSH",
    "GIT_EXEC_PATH",
    "GIT_TEMPLATE_DIR",
    "ZDOTDIR",
    "LUA_INIT",
    "DOTNET_STARTUP_HOOKS",
];
const HIJACKER_PREFIXES: [&str; 4] = ["LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG_"];

/// Whether a variable changes what a child would run.
fn hijacks(name: &OsStr) -> bool {
    let Some(name) = name.to_str() else {
        return false;
    };
    HIJACKERS.contains(&name)
        || HIJACKER_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
        || (name.starts_with("GIT_") && name.ends_with("_COMMAND"))
}

/// What a child sees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// No variables at all.
    pub fn empty() -> Self {
        Self::default()
    }

    /// The given variables, less those that hijack.
    ///
    /// ```
    /// use charmer_run::process::Environment;
    /// let vars = [("PATH", "/bin"), ("LD_PRELOAD", "evil.so")];
    /// let kept = Environment::inherit(vars.map(|(k, v)| (k.into(), v.into())));
    /// assert!(kept.get("PATH").is_some() && kept.get("LD_PRELOAD").is_none());
    /// ```
    pub fn inherit(vars: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        Self(
            vars.into_iter()
                .filter(|(name, _)| !hijacks(name))
                .collect(),
        )
    }

    /// Keeps only these names.
    #[must_use]
    pub fn only<S: AsRef<OsStr>>(self, names: &[S]) -> Self {
        let wanted = |name: &OsString| names.iter().any(|kept| kept.as_ref() == name);
        Self(
            self.0
                .into_iter()
                .filter(|(name, _)| wanted(name))
                .collect(),
        )
    }

    /// Sets a variable, whatever it is: who sets it asked for it by name.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.0.insert(name.into(), value.into());
    }

    /// Removes a variable.
    pub fn remove(&mut self, name: impl AsRef<OsStr>) {
        self.0.remove(name.as_ref());
    }

    /// Tells children whose they are, and if it is wanted that an assistant is using them.
    #[must_use]
    pub fn marked(mut self, mark: &str, mcp_mode: bool) -> Self {
        self.set(MARK, mark);
        if mcp_mode {
            self.set(MODE, "true");
        }
        self
    }

    /// The value of a variable.
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// The variables, in the order of their names.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hijacks_is_dropped_and_may_be_asked_for() {
        let vars = [
            "HOME",
            "LD_LIBRARY_PATH",
            "DYLD_X",
            "BASH_ENV",
            "GIT_SSH_COMMAND",
            "GIT_DIR",
            "NODE_OPTIONS",
        ];
        let mut environment = Environment::inherit(vars.map(|name| (name.into(), "x".into())));
        let names: Vec<_> = environment
            .iter()
            .map(|(name, _)| name.to_owned())
            .collect();
        assert_eq!(names, ["GIT_DIR", "HOME"]);
        environment.set("LD_LIBRARY_PATH", "/opt/lib");
        assert!(environment.get("LD_LIBRARY_PATH").is_some());
    }
}
