//! The sandbox on Linux. [`sandbox`] is the side that launches; [`keeper`] prepares the confined process and outlives it;
//! [`confined`] is the process that has given its rights away. Between them stand [`message`] and [`socket`]. The rights
//! themselves are given away in [`landlock`], [`system_calls`], [`namespaces`], [`mounts`], [`overlays`] and [`limits`].

mod call_list;
mod confined;
mod keeper;
mod landlock;
mod limits;
mod message;
mod mounts;
mod namespaces;
mod overlays;
mod sandbox;
mod socket;
mod system_calls;

pub use keeper::run_confined;
pub use sandbox::{ConfinedProgram, Sandbox};

use crate::{Rights, RightsReport};

use self::{landlock::View, system_calls::Own};

/// Leaves the calling thread, and all that it starts from now on, only these rights, or says why that is impossible; the
/// thread should end in either case. Hidden paths, overlays and bounds are a whole process's: rights with some are refused.
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
    let whole = !rights.hidden.is_empty() || !rights.overlays.is_empty();
    if whole || rights.bounds != crate::Bounds::default() {
        return Err("paths can be hidden only from a whole process".into());
    }
    let mut report = RightsReport::whole(0);
    report.landlock = landlock::restrict(rights, View::default());
    report.system_calls = system_calls::restrict(rights, Own::default());
    match report.missing() {
        Some(reason) => Err(reason),
        None => Ok(()),
    }
}
