//! Processes beneath a Charmer server: what an assistant has started must not speak for a person.
//!
//! Every child of a server has a mark in its environment, and hands it on to its own. One that clears its environment is
//! still beneath the server's process, as long as all those between them live. Both are looked at, from the process itself
//! upwards; ancestry and others' environments only where the system says them (`/proc`).

use std::path::Path;

use charmer_run::process::MARK;

/// The number of ancestors that are looked at.
const MOST: usize = 256;

/// Returns why a process counts as one that a server has started; `None`, if nothing says so. `servers` are the processes
/// of servers.
pub(crate) fn beneath_server(process: u32, servers: &[u32]) -> Option<String> {
    let mut next = Some(process);
    for _ in 0..MOST {
        let current = next.filter(|id| *id > 0)?;
        if servers.contains(&current) {
            return Some(format!("it is beneath the Charmer server {current}"));
        }
        if is_marked(current) {
            return Some(format!(
                "the process {current} was started by a Charmer server"
            ));
        }
        // A person's shell is beneath no process of this program; a server need not have a name that is known here.
        if current != process && runs_this_program(current) {
            return Some(format!("it is beneath the Charmer process {current}"));
        }
        next = parent(current);
    }
    Some("its ancestors have no end".to_owned())
}

/// Returns true if a process had the mark when it was started.
fn is_marked(process: u32) -> bool {
    let Ok(environment) = std::fs::read(format!("/proc/{process}/environ")) else {
        return false;
    };
    let mark = format!("{MARK}=");
    environment
        .split(|byte| *byte == 0)
        .any(|variable| variable.starts_with(mark.as_bytes()))
}

/// Returns true if a process runs the same file as this one.
fn runs_this_program(process: u32) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let file = |process: &str| {
            let there = std::fs::metadata(format!("/proc/{process}/exe")).ok()?;
            Some((there.dev(), there.ino()))
        };
        let own = file("self");
        own.is_some() && own == file(&process.to_string())
    }
    #[cfg(not(unix))]
    {
        let _ = process;
        false
    }
}

/// The process that a process belongs to.
fn parent(process: u32) -> Option<u32> {
    field(process, 1)?.parse().ok()
}

/// Returns true if a process has a terminal that controls it, or the system does not say.
pub(crate) fn has_terminal(process: u32) -> bool {
    if !Path::new("/proc/self/stat").exists() {
        return true;
    }
    field(process, 4).is_some_and(|number| number != "0")
}

/// A field of what the system says of a process, counted from behind its name, which may hold anything.
fn field(process: u32, at: usize) -> Option<String> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let (_, behind) = stat.rsplit_once(')')?;
    behind.split_whitespace().nth(at).map(str::to_owned)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn ancestry_tells_whatever_the_environment_says() {
        let own = std::process::id();
        let up = parent(own).expect("it has a parent");
        assert!(beneath_server(own, &[own]).is_some());
        assert!(beneath_server(own, &[up]).is_some());
        assert!(beneath_server(up, &[own]).is_none_or(|why| !why.contains("beneath")));
    }
}
