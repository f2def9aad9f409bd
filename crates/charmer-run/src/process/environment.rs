//! The environment of a child: inherited, less what hijacks loaders and interpreters and what waits for a person, plus
//! what was decided.

use std::ffi::{OsStr, OsString};

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

/// Returns true if a variable changes what a child would run.
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

/// Variables that make programs go on, or end with words of their own, where they would wait for a person.
///
/// An editor fails, so that an edit that nobody made is never taken for one: `kubectl edit` says that its editor had a
/// problem, where one that changes nothing would make it a success. Messages of git are the exception. Git itself refuses
/// one that is empty, and one that is there already (`commit --amend`, `merge --continue`, `rebase --continue`) is kept,
/// as if a person had looked at it. Its lists of commits (`rebase --interactive`) are edits again: nobody chose them.
const UNATTENDED: [(&str, &str); 8] = [
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "false"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];
/// The program that opens a window for a password where there is no terminal, and the variable that says when it may.
const ASK_WINDOW: &str = "SSH_ASKPASS";
const ASK_WINDOW_WHEN: &str = "SSH_ASKPASS_REQUIRE";

/// Returns true if a variable names an editor or a pager of one program: `KUBE_EDITOR`, `MANPAGER`. It would go before
/// those of all programs.
fn opens_for_a_person(name: &OsStr) -> bool {
    let name = name.to_str().unwrap_or_default();
    name.ends_with("EDITOR") || name.ends_with("PAGER")
}

/// The environment of a child: its variables in the order of their names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(Vec<(OsString, OsString)>);

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
        let mut environment = Self::default();
        for (name, value) in vars {
            if !hijacks(&name) {
                environment.put(name, value);
            }
        }
        environment
    }

    /// Keeps only these names.
    #[must_use]
    pub fn only<S: AsRef<OsStr>>(mut self, names: &[S]) -> Self {
        let wanted = |name: &OsString| names.iter().any(|kept| kept.as_ref() == name);
        self.0.retain(|(name, _)| wanted(name));
        self
    }

    /// Sets a variable, whatever it is: who sets it asked for it by name.
    pub fn set(&mut self, name: impl Into<OsString>, value: impl Into<OsString>) {
        self.put(name.into(), value.into());
    }

    fn put(&mut self, name: OsString, value: OsString) {
        match self.place(&name) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// The place of a variable, or the one where it would be.
    fn place(&self, name: &OsStr) -> Result<usize, usize> {
        self.0
            .binary_search_by(|(known, _)| known.as_os_str().cmp(name))
    }

    /// Removes a variable.
    pub fn remove(&mut self, name: impl AsRef<OsStr>) {
        if let Ok(at) = self.place(name.as_ref()) {
            self.0.remove(at);
        }
    }

    /// Sees to it that no editor, pager or prompt is opened: nobody is there who could answer it. Variables that were asked
    /// for by name stay as they are.
    ///
    /// `GIT_ASKPASS` stays: it names a program that often answers by itself. `SSH_ASKPASS`, which desktops set to one that
    /// opens a window, stays only if somebody has also said when it is to be used.
    ///
    /// ```
    /// use charmer_run::process::Environment;
    /// let vars = [("EDITOR", "vim"), ("KUBE_EDITOR", "code --wait"), ("GIT_PAGER", "delta")];
    /// let vars = Environment::inherit(vars.map(|(k, v)| (k.into(), v.into())));
    /// let quiet = vars.unattended(&["GIT_PAGER"]);
    /// assert_eq!(quiet.get("EDITOR").unwrap(), "false");
    /// assert_eq!(quiet.get("GIT_PAGER").unwrap(), "delta");
    /// assert!(quiet.get("KUBE_EDITOR").is_none());
    /// ```
    #[must_use]
    pub fn unattended<S: AsRef<OsStr>>(mut self, asked_for: &[S]) -> Self {
        let asked = |name: &OsStr| asked_for.iter().any(|asked| asked.as_ref() == name);
        let decided = |name: &OsString| UNATTENDED.iter().any(|(ours, _)| name == ours);
        self.0.retain(|(name, _)| {
            let stays = !opens_for_a_person(name) && !decided(name);
            stays || asked(name)
        });
        for (name, value) in UNATTENDED {
            if self.get(name).is_none() {
                self.set(name, value);
            }
        }
        if self.get(ASK_WINDOW_WHEN).is_none() && !asked(OsStr::new(ASK_WINDOW)) {
            self.remove(ASK_WINDOW);
            self.set(ASK_WINDOW_WHEN, "never");
        }
        self
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
        let at = self.place(name.as_ref()).ok()?;
        Some(&self.0[at].1)
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

    #[test]
    fn a_window_for_passwords_opens_only_where_somebody_decided_when() {
        let quiet = |vars: &[(&str, &str)]| {
            let vars = vars.iter().map(|(k, v)| (k.into(), v.into()));
            Environment::inherit(vars).unattended::<&str>(&[])
        };
        let desktop = quiet(&[("SSH_ASKPASS", "window"), ("GIT_ASKPASS", "token")]);
        assert_eq!(desktop.get("SSH_ASKPASS"), None);
        assert_eq!(desktop.get("SSH_ASKPASS_REQUIRE"), Some("never".as_ref()));
        assert_eq!(desktop.get("GIT_ASKPASS"), Some("token".as_ref()));
        let decided = quiet(&[("SSH_ASKPASS", "token"), ("SSH_ASKPASS_REQUIRE", "force")]);
        assert_eq!(decided.get("SSH_ASKPASS"), Some("token".as_ref()));
        assert_eq!(decided.get("SSH_ASKPASS_REQUIRE"), Some("force".as_ref()));
    }
}
