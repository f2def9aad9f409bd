//! Programs that show no help that could be read, but have a manual page.

use charmer_core::model::Syntax;

use super::{Family, Page, Signs};
use crate::{manual::Manual, sketch::CommandSketch};

/// The family, which is for one program: it is taken where no other knows it.
pub(crate) struct ManualPage(pub(crate) Manual);

impl Family for ManualPage {
    fn name(&self) -> &'static str {
        "manual page"
    }

    fn recognise(&self, _: &Signs<'_>) -> u8 {
        0
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt()
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        page.path.is_root().then(|| self.0.clone().sketch())
    }
}
