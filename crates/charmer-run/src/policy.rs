//! The rules of an author on a call whose input fits its tool: whether it may run, where, and what the program sees.

use std::{ffi::OsString, fmt, path::PathBuf, sync::Arc};

use charmer_core::{call::Bound, tool::Tool};

use crate::{CallError, folder::HeldFolder};

/// Decides on a call between its binding and the writing of its command line. It may refuse the call, change values that
/// only the outside world can settle (a path, its links resolved), and say where the program runs. What it changes is
/// still checked: the command line is written and looked at afterwards.
pub trait Policy: Send + Sync {
    /// Lets the call go on, or says why it may not.
    fn decide(&self, tool: &Tool, bound: &mut Bound, place: &mut RunPlace)
    -> Result<(), CallError>;
}

/// The surroundings of one run, where they are not those of its launcher.
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct RunPlace {
    /// The absolute path of the program.
    pub program: Option<PathBuf>,
    /// The folder that it runs in, open until the program has started.
    pub folder: Option<Arc<HeldFolder>>,
    /// Variables that are set besides those of the launcher.
    pub variables: Vec<(OsString, OsString)>,
}

impl fmt::Debug for RunPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Place")
            .field("program", &self.program)
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}
