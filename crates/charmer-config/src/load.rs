//! Reading a file from disk, and what its relative paths are relative to: the folder that holds it.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::{Config, Diagnostics, Origin, SchemaRule, parse, reading};

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
    /// Reads a file, and the schemas that it names; its relative paths are [resolved](Self::resolve) against its folder.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let unreadable = |source| LoadError::Unreadable {
            path: path.to_owned(),
            source,
        };
        let text = File::open(path)
            .and_then(reading::text_of)
            .map_err(unreadable)?;
        let absolute = std::path::absolute(path).map_err(unreadable)?;
        let folder = absolute.parent().unwrap_or(&absolute);
        let mut config = parse::config(&text, &path.display().to_string(), Some(folder))?;
        config.resolve(folder);
        Ok(config)
    }

    /// Makes relative paths those of this folder: `directory`, `spells`, the files of schemas, the audit log's `file`,
    /// and a `binary` that is written as a path. A program that is only named is still looked for in the usual places.
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
            let overrides = source.overrides.values_mut();
            for output in overrides.filter_map(|command| command.output.as_mut()) {
                if let Some(SchemaRule::File { path, .. }) = &mut output.schema {
                    within(path);
                }
            }
        }
        if let Some(audit) = &mut self.audit {
            within(&mut audit.file);
        }
    }
}
