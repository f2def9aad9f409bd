//! The package behind a script: what an installer replaces while the script that people call stays the same.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::{Survey, script::Script};

/// The interpreters of Python.
const PYTHON: [&str; 2] = ["python", "pypy"];
/// The interpreters of JavaScript.
const JAVASCRIPT: [&str; 3] = ["node", "bun", "deno"];
/// The interpreters of Ruby.
const RUBY: [&str; 3] = ["ruby", "jruby", "truffleruby"];

/// The folders of an interpreter's packages beside `{prefix}/bin`; `*` is one level of any name.
const PYTHON_FOLDERS: [&str; 5] = [
    "{prefix}/lib/python*/site-packages",
    "{prefix}/lib/python*/dist-packages",
    "{prefix}/lib64/python*/site-packages",
    "{prefix}/lib/pypy*/site-packages",
    "{prefix}/local/lib/python*/dist-packages",
];
/// The endings of names in such a folder that say which packages are there, in which version.
const PYTHON_PACKAGES: [&str; 4] = [".dist-info", ".egg-info", ".egg-link", ".pth"];
/// The folders of gems' descriptions.
const GEM_FOLDERS: [&str; 7] = [
    "{prefix}/specifications",
    "{prefix}/lib/ruby/gems/*/specifications",
    "{prefix}/lib/*/ruby/gems/*/specifications",
    "{prefix}/share/rubygems-integration/*/specifications",
    "/var/lib/gems/*/specifications",
    "{home}/.gem/ruby/*/specifications",
    "{data}/gem/ruby/*/specifications",
];
/// The calls by which the script of a gem names the gem.
const GEM_CALLS: [&str; 2] = ["activate_bin_path(", "bin_path("];
/// The folder of JavaScript's packages.
const NODE_MODULES: &str = "node_modules";
/// The maximum number of levels between a script and the package that it is in.
const PACKAGE_LEVELS: usize = 4;
/// The maximum number of source files of a package that is worked on.
const MOST_SOURCES: usize = 200;

impl Survey<'_> {
    /// Marks the package behind a script.
    pub(super) fn package(&mut self, script: &Script<'_>) {
        if script.is_run_by(&PYTHON) {
            self.python_package(script);
        }
        if script.is_run_by(&RUBY) {
            self.gem(script);
        }
        if script.is_run_by(&JAVASCRIPT) {
            // One that is worked on is linked to where its source is.
            let folders = script.real.ancestors().skip(1).take(PACKAGE_LEVELS);
            let mut files = folders.map(|folder| folder.join("package.json"));
            if let Some(file) = files.find(|file| file.is_file()) {
                self.file(&file);
            }
        }
    }

    /// Marks the package of JavaScript that a file is in, and the packages below it.
    pub(super) fn node_package(&mut self, file: &Path) {
        let mut folders = file.ancestors().skip(1);
        let is_modules = |folder: &Path| folder.file_name() == Some(OsStr::new(NODE_MODULES));
        let Some(modules) = folders.find(|folder| is_modules(folder)) else {
            return;
        };
        let Ok(inside) = file.strip_prefix(modules) else {
            return;
        };
        let mut parts = inside.components();
        let Some(name) = parts.next() else { return };
        let mut package = modules.join(name);
        if name.as_os_str().to_string_lossy().starts_with('@') {
            package.extend(parts.next());
        }
        self.file(&package.join("package.json"));
        let below = package.join(NODE_MODULES);
        self.names(&below, "", &[]);
        // npm keeps a list of all versions in the folder that it installed into.
        for modules in [below.as_path(), modules] {
            let list = modules.join(".package-lock.json");
            if list.is_file() {
                self.file(&list);
            }
        }
    }

    /// Marks the package of Python that a script belongs to, and which others are beside it: what it needs and what
    /// adds commands to it comes and goes there.
    fn python_package(&mut self, script: &Script<'_>) {
        let real = fs::canonicalize(&script.interpreter).ok();
        let mut prefixes = vec![prefix(&script.interpreter), prefix(script.real)];
        prefixes.push(real.as_deref().and_then(prefix));
        let mut folders: Vec<PathBuf> = Vec::new();
        for prefix in prefixes.into_iter().flatten() {
            for pattern in PYTHON_FOLDERS {
                let found = self.folders(pattern, prefix);
                folders.extend(found.into_iter().filter(|folder| folder.is_dir()));
            }
        }
        let name = script.path.file_stem().unwrap_or_default();
        let name = name.to_string_lossy();
        let owned = |folder: &PathBuf| {
            let owner = owner(folder, &name)?;
            Some((folder.clone(), owner))
        };
        let found = folders.iter().find_map(owned);
        // A script that nobody owns may still need whatever its interpreter finds first.
        let beside = found.as_ref().map(|(folder, _)| folder).or(folders.first());
        if let Some(folder) = beside {
            self.names(folder, "", &PYTHON_PACKAGES);
        }
        let Some((_, owner)) = found else { return };
        for file in [
            "METADATA",
            "PKG-INFO",
            "entry_points.txt",
            "direct_url.json",
        ] {
            let file = owner.join(file);
            if file.is_file() {
                self.file(&file);
            }
        }
        if let Some(source) = edited_at(&owner) {
            self.sources(&source, ".py", PACKAGE_LEVELS);
        }
    }

    /// Marks the source files of a package that runs from where it is worked on.
    fn sources(&mut self, folder: &Path, ending: &str, levels: usize) {
        self.names(folder, "", &[ending]);
        let mut entries: Vec<PathBuf> = fs::read_dir(folder)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort_unstable();
        for path in entries {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if self.marks.len() >= MOST_SOURCES {
                return;
            }
            let is_aside = name.starts_with('.') || name == "__pycache__";
            let is_environment = path.join("pyvenv.cfg").exists();
            if name.ends_with(ending) {
                self.file(&path);
            } else if levels > 0 && path.is_dir() && !is_aside && !is_environment {
                self.sources(&path, ending, levels - 1);
            }
        }
    }

    /// Marks the versions of the gem that a script belongs to.
    fn gem(&mut self, script: &Script<'_>) {
        let mut calls = GEM_CALLS
            .iter()
            .filter_map(|call| script.text.split_once(call));
        let gem = calls.next().and_then(|(_, words)| first_quoted(words));
        let Some(gem) = gem else { return };
        let mut folders: Vec<PathBuf> = Vec::new();
        let prefixes = [
            prefix(script.path),
            prefix(script.real),
            prefix(&script.interpreter),
        ];
        for prefix in prefixes.into_iter().flatten() {
            for pattern in GEM_FOLDERS {
                folders.extend(self.folders(pattern, prefix));
            }
        }
        let said = self.around.gems.iter();
        folders.extend(said.map(|folder| folder.join("specifications")));
        let beginning = format!("{gem}-");
        for folder in folders {
            let names = self.names(&folder, &beginning, &[".gemspec"]);
            for name in names {
                self.file(&folder.join(name));
            }
        }
    }

    /// The folders by a pattern. Where it has a `*`, the names are marked, because there may be more of them later.
    pub(super) fn folders(&mut self, pattern: &str, prefix: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        let pattern = match pattern.strip_prefix("{prefix}/") {
            Some(rest) => prefix.join(rest),
            None => match self.around.place(pattern) {
                Some(place) => place,
                None => return found,
            },
        };
        found.push(PathBuf::new());
        for part in pattern.components() {
            let part = part.as_os_str().to_string_lossy();
            let Some((begins, _)) = part.split_once('*') else {
                found.iter_mut().for_each(|folder| folder.push(&*part));
                continue;
            };
            let parents = std::mem::take(&mut found);
            for parent in parents.into_iter().filter(|parent| parent.is_dir()) {
                let names = self.names(&parent, begins, &[]);
                found.extend(names.iter().map(|name| parent.join(name)));
            }
        }
        found
    }
}

/// The folder above the one that a program is in.
fn prefix(program: &Path) -> Option<&Path> {
    program.parent()?.parent()
}

/// The description of the package in this folder that has a script of this name: by what it declares, or else by the
/// list of its files.
fn owner(folder: &Path, script: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut packages: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| {
            let ending = path.extension().unwrap_or_default();
            ending == "dist-info" || ending == "egg-info"
        })
        .collect();
    packages.sort_unstable();
    let declares = |package: &&PathBuf| {
        let text = fs::read_to_string(package.join("entry_points.txt")).unwrap_or_default();
        let mut keys = text.lines().filter_map(|line| line.split_once('='));
        keys.any(|(key, _)| key.trim() == script)
    };
    let installs = |package: &&PathBuf| {
        let text = fs::read_to_string(package.join("RECORD")).unwrap_or_default();
        let files = text.lines().filter_map(|line| line.split(',').next());
        let mut scripts = files.filter(|file| file.starts_with("../") && file.contains("/bin/"));
        scripts.any(|file| Path::new(file).file_name() == Some(OsStr::new(script)))
    };
    let declared = packages.iter().find(declares);
    declared.or_else(|| packages.iter().find(installs)).cloned()
}

/// The folder in which a package is worked on, if it runs from there.
fn edited_at(package: &Path) -> Option<PathBuf> {
    let text = fs::read_to_string(package.join("direct_url.json")).ok()?;
    let said: serde_json::Value = serde_json::from_str(&text).ok()?;
    let editable = said.pointer("/dir_info/editable")?.as_bool()?;
    let folder = said.get("url")?.as_str()?.strip_prefix("file://")?;
    editable.then(|| PathBuf::from(folder))
}

/// The first text in quotes.
fn first_quoted(text: &str) -> Option<&str> {
    let quote = text.find(['\'', '"'])?;
    let inside = &text[quote + 1..];
    inside.split(&text[quote..=quote]).next()
}
