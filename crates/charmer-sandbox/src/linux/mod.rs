//! The sandbox on Linux. [`sandbox`] is the side that launches, [`confined`] the process that has given its rights away;
//! between them stand [`message`] and [`socket`]. The rights themselves are given away in [`landlock`], [`namespaces`]
//! and [`limits`].

mod confined;
mod landlock;
mod limits;
mod message;
mod namespaces;
mod sandbox;
mod socket;

pub use confined::run_confined;
pub use sandbox::{ConfinedProgram, Sandbox};

use crate::{Network, Report, Rights};

/// Leaves the calling thread, and all that it starts from now on, only these rights to files, or says why that is
/// impossible; the thread should end in either case. A network cannot be taken from a thread, so rights without one are
/// refused.
///
/// ```
/// use charmer_sandbox::{Rights, confine_thread};
/// // A thread of its own: it never gets its rights back.
/// let wrote = std::thread::spawn(|| {
///     confine_thread(&Rights::default()).map(|()| std::fs::write("/tmp/charmer-confined", "").is_ok())
/// });
/// // Where it is not to be had, this is said.
/// assert_ne!(wrote.join().unwrap(), Ok(true));
/// ```
pub fn confine_thread(rights: &Rights) -> Result<(), String> {
    if rights.network != Network::Unchanged {
        return Err("the network can be taken only from a whole process".into());
    }
    let report = Report::new(Ok(()), landlock::restrict(rights));
    match &report.landlock {
        Ok(_) if report.keeps_files() => Ok(()),
        Ok(version) => Err(format!(
            "this kernel enforces Landlock {version}, and {} is needed",
            Report::COVERS_TRUNCATION
        )),
        Err(reason) => Err(reason.clone()),
    }
}

/// Leaves this process, which must have one thread only, these rights. Says what could be given away.
fn confine_process(rights: &Rights) -> Report {
    // Files come after the network: entering a namespace writes.
    let network = match rights.network {
        Network::Unchanged => Ok(()),
        Network::None => namespaces::leave_network(),
    };
    let report = Report::new(network, landlock::restrict(rights));
    limits::bound_files(rights.file_bytes);
    // After the namespaces: who is hidden cannot enter them.
    limits::hide();
    report
}
