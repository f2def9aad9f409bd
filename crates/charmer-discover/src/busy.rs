//! Work that keeps a processor busy, beside the async work of a reading.

use tokio::runtime::{Handle, RuntimeFlavor};

/// The least text, in bytes, that takes long enough to read for others to be waiting meanwhile.
const LONG: usize = 64 << 10;

/// Does work on a text of this length. While it lasts, another thread takes over what this one would have to do: who
/// waits for a signal, for the end of a program or for its time to be up does not wait for a parser.
pub(crate) fn busy<T>(length: usize, work: impl FnOnce() -> T) -> T {
    let flavor = Handle::try_current().map(|handle| handle.runtime_flavor());
    match flavor {
        Ok(RuntimeFlavor::MultiThread) if length >= LONG => tokio::task::block_in_place(work),
        _ => work(),
    }
}
