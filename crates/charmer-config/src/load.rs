//! Reading a file from disk, and what its relative paths are relative to: the folder that holds it.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
};

use thiserror::Error;

use crate::{
    Config, Diagnostics, PrincipalValue, SchemaRule, SourceKind, confine::is_of_home, expand_home,
    parse, reading,
};

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

    /// Makes relative paths those of this folder: `folder`, `spells`, `credentials`, `writable`, the files of schemas
    /// and of principals' secrets, the audit log's `file`, and a `binary` that is written as a path. A program that is only named is still looked for
    /// in the usual places, and a path with `~` waits for [`expand_home`](Self::expand_home).
    ///
    /// ```
    /// # use charmer_config::{Config, SourceKind};
    /// let text = "sources: [{binary: ./ship, folder: sea}, {binary: git}]";
    /// let mut config = Config::parse(text, "charmer.yaml").unwrap();
    /// config.resolve("/etc/charmer".as_ref());
    /// assert_eq!(config.sources[0].origin, SourceKind::Binary("/etc/charmer/ship".into()));
    /// assert_eq!(config.sources[0].folder, Some("/etc/charmer/sea".into()));
    /// assert_eq!(config.sources[1].origin, SourceKind::Binary("git".into()));
    /// ```
    pub fn resolve(&mut self, folder: &Path) {
        // Without the `.` of `./ship`.
        let within = |path: &mut PathBuf| *path = folder.join(&*path).components().collect();
        for source in &mut self.sources {
            match &mut source.origin {
                SourceKind::Binary(path) if path.components().nth(1).is_none() => {}
                SourceKind::Binary(path) | SourceKind::Spells(path) => within(path),
            }
            source.folder.as_mut().map(within);
            let paths = source.credentials.iter_mut().flatten();
            let paths = paths.chain(&mut source.confine.writable);
            paths.filter(|path| !is_of_home(path)).for_each(within);
            let overrides = source.overrides.values_mut();
            for output in overrides.filter_map(|command| command.output.as_mut()) {
                if let Some(SchemaRule::File { path, .. }) = &mut output.schema {
                    within(path);
                }
            }
        }
        let writable = self.confine.writable.iter_mut();
        writable.filter(|path| !is_of_home(path)).for_each(within);
        for rules in self.principals.values_mut() {
            rules.folder.as_mut().map(within);
            for value in rules.environment.values_mut() {
                if let PrincipalValue::File { file } = value {
                    within(file);
                }
            }
        }
        if let Some(audit) = &mut self.audit {
            within(&mut audit.file);
        }
    }

    /// Replaces `~` at the beginning of `credentials` and `writable` by this folder.
    ///
    /// ```
    /// # use charmer_config::Config;
    /// let text = "sources: [{binary: aws, credentials: [~/.aws, keys]}]";
    /// let mut config = Config::parse(text, "charmer.yaml").unwrap();
    /// config.resolve("/srv".as_ref());
    /// config.expand_home("/home/ann".as_ref());
    /// let expected = ["/home/ann/.aws", "/srv/keys"].map(std::path::PathBuf::from);
    /// assert_eq!(config.sources[0].credentials.as_deref(), Some(&expected[..]));
    /// ```
    pub fn expand_home(&mut self, home: &Path) {
        let of_sources = self.sources.iter_mut().flat_map(|source| {
            let paths = source.credentials.iter_mut().flatten();
            paths.chain(&mut source.confine.writable)
        });
        for path in of_sources.chain(&mut self.confine.writable) {
            *path = expand_home(path, home);
        }
    }
}
