//! Programs that run the program that they are given. There is no general rule to tell them by, so here they are.

use crate::interpreters::{base_name, ends_with_letter_of};

/// A program that runs the program that it is given.
#[derive(Debug)]
pub(crate) struct Wrapper {
    name: &'static str,
    /// The number of plain words of its own that come first.
    own: usize,
    /// Letters of options whose value is an element of its own.
    valued: &'static str,
    /// Long options whose value is an element of its own.
    valued_long: &'static [&'static str],
    /// Its own word is left out where an option comes first: `setarch x86_64 -R ls`, `setarch -R ls`.
    own_first: bool,
}

const fn wrapper(name: &'static str, own: usize, valued: &'static str) -> Wrapper {
    Wrapper {
        name,
        own,
        valued,
        valued_long: &[],
        own_first: false,
    }
}

/// The dynamic loader runs the program that it is given, under many names: `ld-linux-x86-64.so.2`, `ld-musl-x86_64.so.1`.
const LOADER: Wrapper = Wrapper {
    valued_long: &[
        "--library-path",
        "--preload",
        "--audit",
        "--argv0",
        "--inhibit-rpath",
        "--glibc-hwcaps-mask",
        "--glibc-hwcaps-prepend",
    ],
    ..wrapper("ld.so", 0, "")
};

const WRAPPERS: [Wrapper; 26] = [
    wrapper("env", 0, "uC"),
    wrapper("nice", 0, "n"),
    wrapper("nohup", 0, ""),
    wrapper("timeout", 1, "sk"),
    wrapper("sudo", 0, "ughpCrtUDRT"),
    wrapper("doas", 0, "uC"),
    wrapper("stdbuf", 0, "ioe"),
    wrapper("setsid", 0, ""),
    wrapper("xargs", 0, "InPLdEsa"),
    wrapper("time", 0, "fo"),
    wrapper("ionice", 0, "cnpPu"),
    wrapper("chroot", 1, ""),
    wrapper("unshare", 0, "RwSG"),
    wrapper("busybox", 0, ""),
    wrapper("flock", 1, "wE"),
    wrapper("strace", 0, "eopsuEIOPSXabU"),
    wrapper("taskset", 1, ""),
    wrapper("exec", 0, "a"),
    wrapper("caffeinate", 0, "tw"),
    Wrapper {
        own_first: true,
        ..wrapper("setarch", 1, "")
    },
    wrapper("linux32", 0, ""),
    wrapper("linux64", 0, ""),
    wrapper("i386", 0, ""),
    wrapper("x86_64", 0, ""),
    wrapper("uname26", 0, ""),
    LOADER,
];

/// The wrapper of a name or path.
pub(crate) fn wrapper_of(program: &str) -> Option<&'static Wrapper> {
    let mut name = base_name(program);
    if is_loader(name) {
        name = LOADER.name;
    }
    WRAPPERS.iter().find(|one| one.name == name)
}

fn is_loader(name: &str) -> bool {
    let rest = name.strip_prefix("ld");
    rest.is_some_and(|rest| {
        rest.starts_with(['-', '.', '6']) && (rest.ends_with(".so") || rest.contains(".so."))
    })
}

impl Wrapper {
    /// Returns the place, among the elements behind it, of the program that it runs.
    pub(crate) fn runs<'e>(&self, elements: impl Iterator<Item = &'e str>) -> Option<usize> {
        let (mut own, mut skip, mut options) = (self.own, false, true);
        for (at, element) in elements.enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            if options && element == "--" {
                options = false;
            } else if options && element.starts_with('-') {
                if self.own_first && at == 0 {
                    own = 0;
                }
                skip = self.valued_long.contains(&element)
                    || ends_with_letter_of(element, |letter| self.valued.contains(letter));
            } else if options && is_assignment(element) {
                // `env NAME=value program`.
            } else if own > 0 {
                own -= 1;
            } else {
                return Some(at);
            }
        }
        None
    }
}

fn is_assignment(element: &str) -> bool {
    element
        .split_once('=')
        .is_some_and(|(name, _)| crate::expand::is_variable(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrappers_are_looked_through() {
        let program = |line: &str| {
            let words: Vec<&str> = line.split(' ').collect();
            let at = wrapper_of(words[0])?.runs(words[1..].iter().copied())?;
            Some(words[at + 1].to_owned())
        };
        for line in [
            "env A=1 -u B X",
            "nice -n 5 X",
            "timeout -k 1 5 X y",
            "sudo -Eu bob -- X",
            "xargs -0 -n 1 X",
            "flock /tmp/lock X",
            "setarch x86_64 X",
            "setarch x86_64 -R -- X",
            "setarch -R X y",
            "linux32 X",
            "/lib64/ld-linux-x86-64.so.2 --library-path /lib X",
            "/lib/ld-musl-x86_64.so.1 -- X",
            "/lib64/ld64.so.2 X",
        ] {
            assert_eq!(program(line).as_deref(), Some("X"), "{line}");
        }
        assert_eq!(program("nice -n 5"), None);
        assert!(wrapper_of("ldd").is_none() && wrapper_of("ld").is_none());
    }
}
