//! What a whole process gives up besides files and network.

use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};

/// Bounds the size of files that are written, and leaves no core files then. Limits that are lower already stay.
pub(super) fn bound_files(bytes: Option<u64>) {
    let Some(bytes) = bytes else { return };
    for (resource, most) in [(Resource::Core, 0), (Resource::Fsize, bytes)] {
        let limit = Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        let _ = setrlimit(resource, limit);
    }
}

/// Keeps the programs that this process starts from reading its memory and from opening its descriptors by way of
/// `/proc`.
pub(super) fn hide() {
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}
