//! Programs that evaluate text, and how each is given it. There is no general rule to tell them by, so here they are.

/// What an interpreter takes its first plain word for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// The file to run.
    Script,
    /// The code itself.
    Code,
}

/// A program that evaluates text.
#[derive(Debug)]
pub(crate) struct Interpreter {
    /// What it is called; a version may follow.
    pub(crate) names: &'static [&'static str],
    /// Options whose value is code. One of a single letter may stand in a bundle.
    code: &'static [&'static str],
    pub(crate) reads: Reads,
}

const fn script(names: &'static [&'static str], code: &'static [&'static str]) -> Interpreter {
    Interpreter {
        names,
        code,
        reads: Reads::Script,
    }
}

const INTERPRETERS: [Interpreter; 13] = [
    script(
        &[
            "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash",
        ],
        &["-c", "--command", "--init-command"],
    ),
    script(
        &["pwsh", "powershell"],
        &["-c", "-Command", "-EncodedCommand", "-e", "-ec"],
    ),
    script(&["cmd"], &["/c", "/k", "/C", "/K"]),
    script(&["python", "pypy", "ipython"], &["-c", "-m"]),
    script(&["perl"], &["-e", "-E", "-M", "-m"]),
    script(&["ruby", "irb"], &["-e", "-r"]),
    script(
        &["node", "nodejs", "bun", "deno"],
        &[
            "-e",
            "-p",
            "--eval",
            "--print",
            "eval",
            "-r",
            "--require",
            "--import",
        ],
    ),
    script(&["php"], &["-r", "-B", "-R", "-E"]),
    script(&["lua", "luajit", "guile"], &["-e", "-c", "-l"]),
    script(
        &["R", "Rscript", "julia", "groovy", "scala", "elixir", "erl"],
        &["-e", "-E", "--eval", "-eval"],
    ),
    script(&["osascript", "tclsh", "expect"], &["-e", "-c"]),
    Interpreter {
        names: &["awk", "gawk", "mawk", "nawk"],
        code: &["-e", "--source", "-f", "--file", "-i", "--include"],
        reads: Reads::Code,
    },
    Interpreter {
        names: &["sed", "gsed"],
        code: &["-e", "--expression", "-f", "--file"],
        reads: Reads::Code,
    },
];

/// Programs that run the program that they are given.
const WRAPPERS: [&str; 20] = [
    "env", "nice", "nohup", "timeout", "sudo", "doas", "stdbuf", "setsid", "xargs", "time",
    "ionice", "chroot", "unshare", "busybox", "flock", "watch", "strace", "parallel", "taskset",
    "eval",
];

/// The interpreter of a name or path.
pub(crate) fn interpreter(program: &str) -> Option<&'static Interpreter> {
    let name = base_name(program);
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS
        .iter()
        .find(|one| one.names.contains(&name) || one.names.contains(&unversioned))
}

/// Whether a program runs the program that it is given.
pub(crate) fn is_wrapper(program: &str) -> bool {
    WRAPPERS.contains(&base_name(program))
}

fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

impl Interpreter {
    /// Whether code follows this element, alone or at the end of a bundle like `-lc`.
    pub(crate) fn takes_code(&self, element: &str) -> bool {
        self.code.contains(&element) || self.bundles(element)
    }

    fn bundles(&self, element: &str) -> bool {
        let Some(letters) = element
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'))
        else {
            return false;
        };
        let single = |letter: char| {
            self.code.iter().any(|code| {
                code.strip_prefix('-')
                    .is_some_and(|c| c.len() == 1 && c.starts_with(letter))
            })
        };
        letters.chars().all(|c| c.is_ascii_alphanumeric()) && letters.chars().any(single)
    }

    /// Whether what follows in the same element is code: `-e...`, `--eval=...`.
    pub(crate) fn attaches_code(&self, start: &str) -> bool {
        let start = start.strip_suffix('=').unwrap_or(start);
        self.takes_code(start)
            || self.code.iter().any(|code| {
                start.starts_with(&format!("{code}="))
                    || (code.len() == 2 && start.starts_with(code))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_versions_are_known() {
        for name in [
            "bash",
            "/bin/sh",
            "python3",
            "python3.12",
            "/usr/bin/perl",
            "node",
            "powershell.exe",
        ] {
            assert!(interpreter(name).is_some(), "{name}");
        }
        for name in ["curl", "git", "bashful", "shfmt", "./run.sh"] {
            assert!(interpreter(name).is_none(), "{name}");
        }
    }

    #[test]
    fn code_is_seen_alone_bundled_and_attached() {
        let bash = interpreter("bash").expect("a shell");
        assert!(bash.takes_code("-c") && bash.takes_code("-lc") && bash.takes_code("-euxc"));
        assert!(!bash.takes_code("-x") && !bash.takes_code("--norc") && !bash.takes_code("run.sh"));
        let node = interpreter("node").expect("an interpreter");
        assert!(node.attaches_code("--eval=") && node.attaches_code("-e"));
        assert!(!node.attaches_code("--port="));
    }
}
