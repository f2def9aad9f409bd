//! Help that names further help, followed once for the root.

use std::sync::OnceLock;

use super::{Asker, getopt::getopt_flags, printed};
use crate::{help::further_help, sketch::CommandSketch};

/// The command lines that show more of the root's flags, once its page was read.
#[derive(Debug, Default)]
pub(super) struct AskedFurther(OnceLock<Vec<Vec<String>>>);

impl AskedFurther {
    /// Notes what the root's page says.
    pub(super) fn note(&self, root: &str) {
        let _ = self.0.set(further_help(root));
    }

    /// Asks for the rest of the root's flags.
    pub(super) async fn ask(&self, asker: &Asker<'_>, root: &mut CommandSketch) {
        let requests = self.0.get().filter(|_| root.path.is_root());
        for request in requests.into_iter().flatten() {
            let answer = asker.prober.run(request).await;
            let (flags, _) = getopt_flags(printed(&answer));
            for flag in flags {
                root.add_flag(flag);
            }
        }
    }
}
