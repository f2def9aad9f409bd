//! Advice on a confined call: which right it seems to have lacked if it failed, and that it lacked one if it did not.

use std::path::Path;

use charmer_core::{model::Effect, output::clean, tool::Tool};
use charmer_sandbox::NetworkRight;

use crate::{Ended, Outcome};

use super::{Confinement, hidden_names::Wording};

/// The note on an unlabelled command that ended well.
const NOTE: &str = "ran without the right to write";
/// Messages of programs that had no network.
const OFFLINE: &[&str] = &[
    "could not resolve",
    "couldn't resolve",
    "name resolution",
    "no such host",
    "failed to lookup",
    "dns error",
    "getaddrinfo",
    "eai_again",
    "enotfound",
    "network is unreachable",
    "network error",
    "could not connect",
    "couldn't connect",
    "cannot connect",
    "can't connect",
    "failed to connect",
    "failed to establish",
    "unable to connect",
    "unable to access 'http",
    "connection refused",
    "connect:",
    "connect eacces",
    "error connecting",
    "fetch failed",
    "econnrefused",
    "dial tcp",
    "dial udp",
    "dial unix",
    "socket",
];
/// Messages of programs that were not let do something.
const DENIED: &[&str] = &[
    "permission denied",
    "operation not permitted",
    "read-only file system",
    "function not implemented",
    "eacces",
    "eperm",
    "access denied",
    "not writable",
];

/// Messages of programs about another one that they could not start.
const NOT_STARTED: &[&str] = &[
    "exec", // `fork/exec`, `cannot execute`, `failed to exec`
    "cannot run",
    "could not run",
    "failed to run",
    "failed to start",
    "cannot spawn",
    "failed to spawn",
];

impl Confinement {
    /// Adds to an outcome what its caller should know.
    pub(crate) fn advise(&self, outcome: &mut Outcome, tool: &Tool, wording: &Wording) {
        let is_labelled = tool.help.effect == Effect::Read;
        match outcome.ended {
            Ended::Exited(0) => {
                if !is_labelled {
                    outcome.notes.push(NOTE.into());
                }
                self.note_hidden(outcome, wording);
            }
            Ended::Cancelled | Ended::NeedsInput => {}
            _ if outcome.advice.is_some() => {}
            _ => {
                let said = LastWords::by(outcome);
                let timed_out = outcome.ended == Ended::TimedOut;
                outcome.advice = self.lacks(&said, wording, is_labelled, timed_out);
            }
        }
    }

    /// The same for a call that may write, but only in places.
    pub(crate) fn advise_writing(&self, outcome: &mut Outcome, wording: &Wording) {
        if !self.writable {
            return;
        }
        if outcome.is_success() {
            self.note_hidden(outcome, wording);
            return;
        }
        if outcome.advice.is_some() {
            return;
        }
        let said = LastWords::by(outcome);
        let (mut lacks, _) = self.lacks_hidden(&said, wording);
        if said.has_one_of(DENIED) {
            let places = self.rights.folders.iter();
            let places: Vec<String> = places.map(|path| format!("`{}`", path.display())).collect();
            lacks.push(format!(
                "it may write only in {} (`writable` in charmer.yaml)",
                places.join(", ")
            ));
        }
        outcome.advice = (!lacks.is_empty()).then(|| lacks.join("; "));
    }

    /// Notes the hidden paths that a run which ended well was to look at: it found nothing there.
    fn note_hidden(&self, outcome: &mut Outcome, wording: &Wording) {
        let stderr = outcome.stderr.end_text();
        let mut named = wording.in_argv(&self.rights);
        named.extend(wording.in_text(&clean(&stderr), &self.rights));
        outcome.notes.extend(each_once(named).map(hidden));
    }

    /// The hidden paths that a failed run names, with the option that shows each, and whether its program speaks of one.
    fn lacks_hidden(&self, said: &LastWords, wording: &Wording) -> (Vec<String>, bool) {
        let spoken_of = wording.in_text(said.of_failure(), &self.rights);
        let is_spoken_of = !spoken_of.is_empty();
        let named = match is_spoken_of {
            true => spoken_of,
            false => wording.in_argv(&self.rights),
        };
        (each_once(named).map(hidden).collect(), is_spoken_of)
    }

    fn lacks(
        &self,
        said: &LastWords,
        wording: &Wording,
        is_labelled: bool,
        timed_out: bool,
    ) -> Option<String> {
        let network = self.rights.network;
        let (mut lacks, mut is_explained) = self.lacks_hidden(said, wording);
        let waited = timed_out && network == NetworkRight::None;
        let names_helpers = !self.rights.executable.is_empty();
        if names_helpers && said.has_one_of(DENIED) && said.has_one_of(NOT_STARTED) {
            let lacked = "it may start only the programs that are named under `helpers` (in its profile or charmer.yaml)";
            lacks.push(lacked.into());
            is_explained = true;
        } else if network != NetworkRight::All && (said.has_one_of(OFFLINE) || waited) {
            let (has, allows) = match (network, said.has_one_of(&[".sock", "unix", "daemon"])) {
                (NetworkRight::Tcp, _) => ("no sockets of local services", "`--network all`"),
                (NetworkRight::Socket, _) => ("only sockets of local services", "`--network all`"),
                (_, true) => ("no network", "`--network socket`"),
                (_, false) => ("no network", "`--network tcp`"),
            };
            lacks.push(format!(
                "it has {has} here, and the server's option {allows} allows it"
            ));
            is_explained = true;
        }
        // A path that only the command line names may have nothing to do with the failure.
        if !is_explained && (!is_labelled || said.has_one_of(DENIED)) {
            lacks.push(match self.read_only {
                true => "it may only read: this server is read-only".into(),
                false => "it may only read; `run_write` runs it with the right to write".into(),
            });
        }
        (!lacks.is_empty()).then(|| lacks.join("; "))
    }
}

/// The end of what a program has said.
struct LastWords {
    errors: String,
    output: String,
}

impl LastWords {
    fn by(outcome: &Outcome) -> Self {
        Self {
            errors: clean(&outcome.stderr.end_text()).into_owned(),
            output: clean(&outcome.stdout.end_text()).into_owned(),
        }
    }

    /// The text that speaks of a failure. Output is content as well, such as a list of files.
    fn of_failure(&self) -> &str {
        match self.errors.trim().is_empty() {
            true => &self.output,
            false => &self.errors,
        }
    }

    /// Returns true if one of these phrases, in small letters, is in it.
    fn has_one_of(&self, phrases: &[&str]) -> bool {
        let texts = [self.errors.to_lowercase(), self.output.to_lowercase()];
        let has = |phrase: &&str| texts.iter().any(|text| text.contains(phrase));
        phrases.iter().any(has)
    }
}

/// The first few of these paths.
fn each_once(mut paths: Vec<&Path>) -> impl Iterator<Item = &Path> {
    paths.sort();
    paths.dedup();
    paths.into_iter().take(3)
}

/// Tells of a hidden path, and what shows it.
fn hidden(path: &Path) -> String {
    let path = path.display();
    format!("`{path}` is hidden from it, and the server's option `--credential {path}` shows it")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use charmer_sandbox::{Rights, SandboxCommand};
    use tempfile::TempDir;

    use super::*;
    use crate::process::ConfinedPool;

    fn confinement(network: NetworkRight, read_only: bool) -> Confinement {
        let command = SandboxCommand {
            program: "/no/such/program".into(),
            args: Vec::new(),
        };
        let pool = Arc::new(ConfinedPool::new(command, std::env::temp_dir()));
        let mut rights = Rights::default();
        rights.network = network;
        Confinement::new(pool, rights).read_only(read_only)
    }

    fn lacks(confinement: &Confinement, errors: &str, is_labelled: bool) -> Option<String> {
        let said = LastWords {
            errors: errors.into(),
            output: String::new(),
        };
        confinement.lacks(&said, &Wording::default(), is_labelled, false)
    }

    #[test]
    fn what_it_lacked_is_told_with_what_allows_it() {
        let open = confinement(NetworkRight::All, false);
        let unlabelled = lacks(&open, "fatal: cannot lock ref", false);
        assert!(unlabelled.is_some_and(|hint| hint.contains("run_write")));
        let only = confinement(NetworkRight::All, true);
        let only = lacks(&only, "fatal: cannot lock ref", false);
        assert!(only.is_some_and(|hint| hint.contains("this server is read-only")));
        assert_eq!(lacks(&open, "no such branch", true), None);
        let denied = lacks(&open, "error: open(.git/index): Permission denied", true);
        assert!(denied.is_some_and(|hint| hint.contains("run_write")));
        assert_eq!(lacks(&open, "dial tcp: no such host", true), None);
        let none = confinement(NetworkRight::None, false);
        let offline = lacks(&none, "dial tcp: no such host", true);
        assert!(offline.is_some_and(|hint| hint.contains("`--network tcp`")));
        let service = "dial unix /var/run/docker.sock: connect: permission denied";
        let service = lacks(&none, service, true);
        assert!(service.is_some_and(|hint| hint.contains("`--network socket`")));
        let silent = LastWords {
            errors: String::new(),
            output: String::new(),
        };
        let waited = none.lacks(&silent, &Wording::default(), true, true);
        assert!(waited.is_some_and(|hint| hint.contains("no network")));
    }

    #[test]
    fn a_program_that_could_not_be_started_is_one_that_is_not_named() {
        let said =
            "Unable to connect: getting credentials: exec: fork/exec ./plugin: permission denied";
        let mut named = confinement(NetworkRight::Tcp, true);
        let guessed = lacks(&named, said, true);
        assert!(guessed.is_some_and(|hint| hint.contains("--network")));
        Arc::make_mut(&mut named.rights).executable = vec!["/bin/true".into()];
        let told = lacks(&named, said, true).expect("it failed");
        assert!(
            told.contains("`helpers`") && !told.contains("--network"),
            "{told}"
        );
    }

    #[test]
    fn a_hidden_path_is_told_alone_only_where_the_program_speaks_of_it() {
        let home = TempDir::new().expect("a folder");
        let ssh = home.path().join(".ssh");
        std::fs::create_dir(&ssh).expect("a folder");
        let mut confinement = confinement(NetworkRight::All, false);
        Arc::make_mut(&mut confinement.rights).hidden = vec![ssh.clone()];
        let wording = Wording {
            argv: vec![".ssh/id".into()],
            folder: home.path().to_owned(),
            home: None,
        };
        let lacks = |errors: &str, output: &str| {
            let (errors, output) = (errors.to_owned(), output.to_owned());
            let said = LastWords { errors, output };
            let lacks = confinement.lacks(&said, &wording, false, false);
            lacks.expect("it failed")
        };
        let shows = format!("`--credential {}`", ssh.display());
        let spoken = lacks("cat: .ssh/id: No such file", "");
        assert!(
            spoken.contains(&shows) && !spoken.contains("run_write"),
            "{spoken}"
        );
        let silent = lacks("it went wrong", "");
        assert!(
            silent.contains(&shows) && silent.contains("run_write"),
            "{silent}"
        );
        let other = Wording {
            argv: vec!["-a".into()],
            ..wording.clone()
        };
        let said = LastWords {
            errors: "ls: x: No such file".into(),
            output: ".\n..\n.ssh\n".into(),
        };
        let listed = confinement.lacks(&said, &other, true, false);
        assert_eq!(listed, None, "a list of files is no complaint");
    }
}
