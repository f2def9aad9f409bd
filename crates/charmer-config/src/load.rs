//! Reading a file from disk, and what its relative paths are relative to: the folder that holds it.

use std::{
    fs::File,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use thiserror::Error;

use crate::{
    Config, Diagnostics, FilePlace, Finding, HookRules, Position, PrincipalValue, SchemaRule,
    SourceKind, confine::is_of_home, expand_home, parse, reading,
};

/// The reason why a file could not be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum LoadError {
    /// It could not be read.
    #[error("cannot read `{}`: {source}", .path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The mistakes in it.
    #[error(transparent)]
    Invalid(#[from] Diagnostics),
}

/// The number of files that may stand above one another.
const MOST_INCLUDED: usize = 8;

impl Config {
    /// Reads a file, and the schemas that it names; its relative paths are [resolved](Self::resolve) against its folder. A
    /// file that it includes is read too: what comes out holds for both, and what this one would widen is a mistake.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        load(path, &mut Vec::new())
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
        self.include.as_mut().map(within);
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

/// Reads a file and what it includes. `including` are the files on the way to it.
fn load(path: &Path, including: &mut Vec<PathBuf>) -> Result<Config, LoadError> {
    let unreadable = |source| LoadError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let opened = File::open(path).map_err(unreadable)?;
    if !including.is_empty()
        && let Some(why) = changeable(&opened, path).map_err(unreadable)?
    {
        return Err(unreadable(io::Error::new(
            io::ErrorKind::PermissionDenied,
            why,
        )));
    }
    let text = reading::text_of(opened).map_err(unreadable)?;
    let absolute = std::path::absolute(path).map_err(unreadable)?;
    let folder = absolute.parent().unwrap_or(&absolute);
    let shown = path.display().to_string();
    let mut config = parse::config(&text, &shown, Some(folder))?;
    config.resolve(folder);
    let Some(base_file) = config.include.clone() else {
        return Ok(config);
    };
    let mistaken = |message: String, hint: &str| -> LoadError {
        let finding = Finding::mistake(FilePlace::of(["include"]), message).hint(hint);
        let shown = Config::diagnose(&text, &shown, Some(folder), &[finding]);
        let mistakes = shown.mistakes.expect("a mistake was found");
        LoadError::Invalid(mistakes)
    };
    including.push(real(&absolute));
    let base_shown = base_file.display();
    if including.contains(&real(&base_file)) {
        return Err(mistaken(
            format!("`{base_shown}` includes this file in turn"),
            "remove one of the two `include`",
        ));
    }
    if including.len() > MOST_INCLUDED {
        return Err(mistaken(
            format!("more than {MOST_INCLUDED} files include one another"),
            "put some of them together",
        ));
    }
    let mut base = match load(&base_file, including) {
        Ok(base) => base,
        Err(LoadError::Unreadable { path, source }) if path == base_file => {
            return Err(mistaken(
                format!("`{base_shown}` cannot be used: {source}"),
                "correct the path, which starts in the folder of this file, or who may change it; without its rules \
                 nothing is served",
            ));
        }
        Err(error) => return Err(error),
    };
    base.placed_in(&base_file);
    Ok(parse::narrowed(&text, &shown, folder, base, &base_file)?)
}

/// A path without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

/// The reason why the rules of an included file are not only its owner's, if they are not.
#[cfg(unix)]
fn changeable(file: &File, path: &Path) -> io::Result<Option<String>> {
    use std::os::unix::fs::MetadataExt as _;
    let found = file.metadata()?;
    // A group that is a user's alone has the user's number, by convention.
    let of_group = found.mode() & 0o020 != 0 && found.gid() != found.uid();
    if found.mode() & 0o002 != 0 || of_group {
        return Ok(Some(
            "others than its owner can write it (`chmod go-w` mends that)".into(),
        ));
    }
    let real = real(path);
    let folder = real.parent().map(std::fs::metadata).transpose()?;
    let replaceable = folder.is_some_and(|folder| folder.mode() & 0o1002 == 0o002);
    Ok(replaceable
        .then(|| "anybody can replace it, because anybody can write to its folder".into()))
}

/// The reason why the rules of an included file are not only its owner's, if they are not.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "other systems look at the file")]
fn changeable(_: &File, _: &Path) -> io::Result<Option<String>> {
    Ok(None)
}

impl Config {
    /// Notes in which file everything stands, for the messages of a file that includes it.
    fn placed_in(&mut self, file: &Path) {
        let folder = file.parent().unwrap_or(file).to_owned();
        let file: Arc<Path> = file.into();
        let place = |position: &mut Position| {
            position.file.get_or_insert_with(|| Arc::clone(&file));
        };
        let runs = |hooks: &mut HookRules| {
            hooks.folder.get_or_insert_with(|| folder.clone());
        };
        runs(&mut self.hooks);
        for source in &mut self.sources {
            place(&mut source.position);
            runs(&mut source.hooks);
            for correction in source.overrides.values_mut() {
                place(&mut correction.position);
            }
            for entry in &mut source.select {
                place(&mut entry.position);
                runs(&mut entry.hooks);
            }
        }
        for rules in self.principals.values_mut() {
            place(&mut rules.position);
        }
    }
}
