//! Which tools are the same command as another.

use super::Index;

impl Index {
    /// The places of tools that are the same command as another one with a shorter or earlier path.
    pub fn twins(&self) -> impl Iterator<Item = usize> {
        self.also.values().flatten().copied()
    }
}
