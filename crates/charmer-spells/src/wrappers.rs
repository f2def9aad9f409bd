//! Programs that run the program that they are given. There is no general rule to tell them by, so here they are.

use crate::interpreters::{base_name, ends_with_letter_of};

/// A program that runs the program that it is given.
#[derive(Debug)]
pub(crate) struct Wrapper {
    name: &'static str,
    /// How many plain words of its own come first.
    own: usize,
    /// Letters of options whose value is an element of its own.
    valued: &'static str,
}

const fn wrapper(name: &'static str, own: usize, valued: &'static str) -> Wrapper {
    Wrapper { name, own, valued }
}

const WRAPPERS: [Wrapper; 19] = [
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
];

/// The wrapper of a name or path.
pub(crate) fn wrapper_of(program: &str) -> Option<&'static Wrapper> {
    let name = base_name(program);
    WRAPPERS.iter().find(|one| one.name == name)
}

impl Wrapper {
    /// Which of the elements behind it is the program that it runs.
    pub(crate) fn runs<'e>(&self, elements: impl Iterator<Item = &'e str>) -> Option<usize> {
        let (mut own, mut skip, mut options) = (self.own, false, true);
        for (at, element) in elements.enumerate() {
            if std::mem::take(&mut skip) {
                continue;
            }
            if options && element == "--" {
                options = false;
            } else if options && element.starts_with('-') {
                skip = ends_with_letter_of(element, |letter| self.valued.contains(letter));
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
        ] {
            assert_eq!(program(line).as_deref(), Some("X"), "{line}");
        }
        assert_eq!(program("nice -n 5"), None);
    }
}
