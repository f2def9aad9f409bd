//! Reading a file from disk, and what its relative paths are relative to: the folder that holds it.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::{Config, Diagnostics, Origin, reading};

/// Why a file could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It could not be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// What it says is wrong.
    #[error(transparent)]
    Invalid(#[from] Diagnostics),
}

impl Config {
    /// Reads a file; its relative paths are [resolved](Self::resolve) against its folder.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = File::open(path)
            .and_then(reading::text_of)
            .map_err(unreadable)?;
        let mut config = Self::parse(&text, &path.display().to_string())?;
        let absolute = std::path::absolute(path).map_err(unreadable)?;
        config.resolve(absolute.parent().unwrap_or(&absolute));
        Ok(config)
    }

    /// Makes relative paths those of this folder: `directory`, `spells`, the audit log's `file`, and a `binary` that is
    /// written as a path. A program that is only named is still looked for in the usual places.
    ///
    /// ```
    /// # use charmer_config::{Config, Origin};
    /// let text = "sources: [{binary: ./ship, directory: sea}, {binary: git}]";
    /// let mut config = Config::parse(text, "charmer.yaml").unwrap();
    /// config.resolve("/etc/charmer".as_ref());
    /// assert_eq!(config.sources[0].origin, Origin::Binary("/etc/charmer/ship".into()));
    /// assert_eq!(config.sources[0].directory, Some("/etc/charmer/sea".into()));
    /// assert_eq!(config.sources[1].origin, Origin::Binary("git".into()));
    /// ```
    pub fn resolve(&mut self, folder: &Path) {
        // Without the `.` of `./ship`.
        let within = |path: &mut PathBuf| *path = folder.join(&*path).components().collect();
        for source in &mut self.sources {
            match &mut source.origin {
                Origin::Binary(path) if path.components().nth(1).is_none() => {}
                Origin::Binary(path) | Origin::Spells(path) => within(path),
            }
            source.directory.as_mut().map(within);
        }
        if let Some(audit) = &mut self.audit {
            within(&mut audit.file);
        }
    }
}
