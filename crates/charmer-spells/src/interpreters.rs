//! Programs that evaluate text, and how each is given it. There is no general rule to tell them by, so here they are.

/// The meaning of a program's plain words, those that are neither options nor values of options.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    /// The first is the file to run, the rest is for that.
    Script,
    /// The first is the code itself, the rest is data.
    Code,
    /// All are code, but for so many at the beginning.
    Line(usize),
    /// All can be code, each by itself; a `pattern` keeps them from it.
    Definitions,
    /// None is code: only values of options are.
    Data,
}

/// A program that evaluates text.
#[derive(Debug)]
pub(crate) struct Interpreter {
    /// Its names; a version may follow.
    pub(crate) names: &'static [&'static str],
    /// Options whose value is code or names it. One of a single letter may stand in a bundle.
    code: &'static [&'static str],
    /// Options whose value is an element of its own and no code. One of a single letter may end a bundle.
    valued: &'static [&'static str],
    pub(crate) reads: Reads,
    /// Options are still options behind code: `perl -e a -e b`.
    pub(crate) repeats: bool,
}

const fn script(
    names: &'static [&'static str],
    code: &'static [&'static str],
    valued: &'static [&'static str],
) -> Interpreter {
    Interpreter {
        names,
        code,
        valued,
        reads: Reads::Script,
        repeats: false,
    }
}

const fn reads(reads: Reads, interpreter: Interpreter) -> Interpreter {
    Interpreter {
        reads,
        ..interpreter
    }
}

const fn repeats(interpreter: Interpreter) -> Interpreter {
    Interpreter {
        repeats: true,
        ..interpreter
    }
}

const INTERPRETERS: [Interpreter; 24] = [
    script(
        &[
            "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "csh", "tcsh", "rbash",
        ],
        &[
            "-c",
            "--command",
            "--init-command",
            "--rcfile",
            "--init-file",
        ],
        &["-o", "-O", "+o", "+O"],
    ),
    script(
        &["pwsh", "powershell"],
        &[
            "-c",
            "-Command",
            "-EncodedCommand",
            "-e",
            "-ec",
            "-File",
            "-f",
        ],
        &[
            "-ExecutionPolicy",
            "-ep",
            "-WorkingDirectory",
            "-wd",
            "-InputFormat",
            "-OutputFormat",
        ],
    ),
    reads(
        Reads::Line(0),
        script(&["cmd"], &["/c", "/k", "/C", "/K"], &[]),
    ),
    script(&["python", "pypy", "ipython"], &["-c", "-m"], &["-W", "-X"]),
    repeats(script(&["perl"], &["-e", "-E", "-M", "-m"], &["-I"])),
    repeats(script(&["ruby", "irb"], &["-e", "-r"], &["-I", "-C", "-E"])),
    repeats(script(
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
            "--loader",
        ],
        &["-C", "--conditions", "--env-file", "--input-type"],
    )),
    repeats(script(
        &["php"],
        &["-r", "-B", "-R", "-E", "-f", "-F"],
        &["-d", "-c", "-z", "-t", "-S"],
    )),
    repeats(script(
        &["lua", "luajit", "guile"],
        &["-e", "-c", "-l"],
        &["-L"],
    )),
    repeats(script(
        &["R", "Rscript", "julia", "groovy", "scala", "elixir", "erl"],
        &[
            "-e", "-E", "--eval", "-eval", "-f", "--file", "-L", "--load",
        ],
        &["-cp", "-classpath", "-p", "-t", "-J", "-pa"],
    )),
    repeats(script(
        &["osascript", "tclsh", "expect"],
        &["-e", "-c"],
        &["-l"],
    )),
    repeats(reads(
        Reads::Code,
        script(
            &["awk", "gawk", "mawk", "nawk"],
            &[
                "-e",
                "--source",
                "-f",
                "--file",
                "-i",
                "--include",
                "-l",
                "--load",
                "-E",
                "--exec",
            ],
            &["-v", "--assign", "-F", "--field-separator"],
        ),
    )),
    repeats(reads(
        Reads::Code,
        script(
            &["sed", "gsed"],
            &["-e", "--expression", "-f", "--file"],
            &["-l", "--line-length"],
        ),
    )),
    reads(
        Reads::Definitions,
        script(
            &["make", "gmake"],
            &["-f", "--file", "--eval"],
            &["-j", "-l"],
        ),
    ),
    reads(
        Reads::Line(0),
        script(&["watch"], &[], &["-n", "--interval"]),
    ),
    reads(
        Reads::Line(0),
        script(
            &["parallel"],
            &[],
            &["-j", "-I", "-n", "-N", "-L", "--jobs"],
        ),
    ),
    reads(
        Reads::Line(1),
        script(
            &["ssh"],
            &["-o", "-F"],
            &[
                "-b", "-c", "-D", "-E", "-i", "-J", "-L", "-l", "-m", "-p", "-R", "-S", "-w",
            ],
        ),
    ),
    reads(
        Reads::Data,
        script(
            &["su", "runuser", "script", "flock"],
            &["-c", "--command"],
            &[],
        ),
    ),
    reads(
        Reads::Data,
        script(&["env"], &["-S", "--split-string"], &[]),
    ),
    reads(
        Reads::Data,
        script(&["find"], &["-exec", "-execdir", "-ok", "-okdir"], &[]),
    ),
    reads(
        Reads::Data,
        script(
            &["tar", "gtar", "bsdtar"],
            &[
                "--to-command",
                "--checkpoint-action",
                "-I",
                "--use-compress-program",
                "--rsh-command",
            ],
            &[],
        ),
    ),
    reads(
        Reads::Data,
        script(&["rsync"], &["-e", "--rsh", "--rsync-path"], &[]),
    ),
    reads(
        Reads::Data,
        script(
            &["vi", "vim", "nvim", "ex"],
            &["-c", "--cmd", "-S", "-u"],
            &[],
        ),
    ),
    reads(
        Reads::Data,
        script(&["gdb", "lldb"], &["-ex", "-x", "-o", "-s"], &[]),
    ),
];

/// The interpreter of a name or path.
pub(crate) fn interpreter(program: &str) -> Option<&'static Interpreter> {
    let name = base_name(program);
    let unversioned = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    INTERPRETERS
        .iter()
        .find(|one| one.names.contains(&name) || one.names.contains(&unversioned))
}

pub(crate) fn base_name(program: &str) -> &str {
    let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Returns true if this is `-x` or `-abx` with such an `x`.
pub(crate) fn ends_with_letter_of(element: &str, is_one: impl Fn(char) -> bool) -> bool {
    element
        .strip_prefix(['-', '+'])
        .filter(|letters| letters.chars().all(|c| c.is_ascii_alphanumeric()))
        .and_then(|letters| letters.chars().next_back())
        .is_some_and(is_one)
}

/// Returns true if this is one of the options that have one letter.
fn has_letter(options: &[&str], sign: &str, letter: char) -> bool {
    options.iter().any(|option| {
        option
            .strip_prefix(sign)
            .is_some_and(|name| name.len() == 1 && name.starts_with(letter))
    })
}

impl Interpreter {
    /// Returns true if code follows this element, alone or at the end of a bundle like `-lc`.
    pub(crate) fn takes_code(&self, element: &str) -> bool {
        self.code.contains(&element) || (!self.takes_value(element) && self.bundles(element))
    }

    /// Returns true if the next element is a value that is no code.
    pub(crate) fn takes_value(&self, element: &str) -> bool {
        if self.code.contains(&element) {
            return false;
        }
        let sign = element.get(..1).unwrap_or_default();
        self.valued.contains(&element)
            || ends_with_letter_of(element, |letter| has_letter(self.valued, sign, letter))
                && !self.bundles(element)
    }

    fn bundles(&self, element: &str) -> bool {
        let Some(letters) = element
            .strip_prefix('-')
            .filter(|rest| !rest.starts_with('-'))
        else {
            return false;
        };
        letters.chars().all(|c| c.is_ascii_alphanumeric())
            && letters
                .chars()
                .any(|letter| has_letter(self.code, "-", letter))
    }

    /// Returns true if what follows in the same element is code: `-e...`, `--eval=...`.
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
        assert!(bash.takes_value("-euo") && bash.takes_value("+O") && !bash.takes_value("-eu"));
        let node = interpreter("node").expect("an interpreter");
        assert!(node.attaches_code("--eval=") && node.attaches_code("-e"));
        assert!(!node.attaches_code("--port="));
    }
}
