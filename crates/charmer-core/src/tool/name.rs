//! Tool names: the path joined by `_`, in the characters that every client accepts.

use std::{
    collections::{HashMap, HashSet},
    fmt,
};

use crate::model::CommandPath;

/// The longest name that every known client accepts.
pub const NAME_LIMIT: usize = 64;
/// The length past which clients that add a prefix begin to cut.
pub const NAME_WARNING: usize = 40;

/// A valid tool name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolName(String);

impl ToolName {
    /// The name of a command: prefix and path joined by `_`, case kept, other characters replaced, and past
    /// [`NAME_LIMIT`] shortened with a hash that does not change between runs.
    ///
    /// ```
    /// use charmer_core::{model::CommandPath, tool::ToolName};
    /// let name = ToolName::new("docker", &CommandPath::parse("container ls"));
    /// assert_eq!(name.as_str(), "docker_container_ls");
    /// assert_eq!(ToolName::new("g++", &CommandPath::root()).as_str(), "gpp");
    /// ```
    pub fn new(prefix: &str, path: &CommandPath) -> Self {
        let words = std::iter::once(prefix).chain(path.words().iter().map(String::as_str));
        let joined = words
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join("_");
        Self(fit(&sanitize(&joined), &joined))
    }

    /// A name that stands for itself; `None` if a client could reject it.
    pub fn exact(name: &str) -> Option<Self> {
        let valid = !name.is_empty() && name.len() <= NAME_LIMIT && name.chars().all(is_valid);
        valid.then(|| Self(name.to_owned()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for ToolName {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

fn is_valid(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

/// Replaces what a client could reject. A plus is read aloud as a `p`, so that `g++` is `gpp` and not `g__`.
fn sanitize(text: &str) -> String {
    let replaced: String = text
        .chars()
        .map(|c| match c {
            '+' => 'p',
            c if is_valid(c) => c,
            _ => '_',
        })
        .collect();
    if replaced.is_empty() {
        "_".into()
    } else {
        replaced
    }
}

/// Shortens a name that is too long; the hash is of the whole text, so that two long names stay apart.
fn fit(name: &str, whole: &str) -> String {
    if name.len() <= NAME_LIMIT {
        return name.to_owned();
    }
    with_hash(name, whole)
}

fn with_hash(name: &str, whole: &str) -> String {
    let hash = format!("_{:08x}", fnv1a(whole) as u32);
    format!("{}{hash}", &name[..name.len().min(NAME_LIMIT - hash.len())])
}

/// FNV-1a: stable between runs and versions, which the standard hasher does not promise.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// Names for all paths, unique, the same on every run. Of several commands that want one name, the one whose words
/// needed no replacing and hold no `_` keeps it; the others get a hash of their path. The second list tells which
/// commands did not get the name they wanted.
pub(super) fn unique_names(
    prefix: &str,
    paths: &[CommandPath],
) -> (Vec<ToolName>, Vec<(usize, usize)>) {
    let wanted: Vec<ToolName> = paths
        .iter()
        .map(|path| ToolName::new(prefix, path))
        .collect();
    let mut holders: HashMap<&str, usize> = HashMap::new();
    for (at, name) in wanted.iter().enumerate() {
        let holder = holders.entry(name.as_str()).or_insert(at);
        if claim(&paths[at]) < claim(&paths[*holder]) {
            *holder = at;
        }
    }
    let mut taken: HashSet<String> = wanted.iter().map(|name| name.0.clone()).collect();
    let mut names = wanted.clone();
    let mut collisions = Vec::new();
    for (at, name) in wanted.iter().enumerate() {
        let holder = holders[name.as_str()];
        if holder == at {
            continue;
        }
        let mut salt = paths[at].glob_form();
        let unique = loop {
            let candidate = with_hash(name.as_str(), &salt);
            if taken.insert(candidate.clone()) {
                break candidate;
            }
            salt.push('+');
        };
        names[at] = ToolName(unique);
        collisions.push((at, holder));
    }
    (names, collisions)
}

/// The rank of a path's claim on the plain name; less is better, and ties go to the path that sorts first.
fn claim(path: &CommandPath) -> (usize, usize, &CommandPath) {
    let words = path.words();
    let replaced = words.iter().filter(|word| sanitize(word) != **word).count();
    (
        replaced,
        words.iter().filter(|word| word.contains('_')).count(),
        path,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        let paths: Vec<CommandPath> = paths.iter().map(|path| CommandPath::parse(path)).collect();
        unique_names("app", &paths)
            .0
            .into_iter()
            .map(|name| name.0)
            .collect()
    }

    #[test]
    fn a_collision_is_resolved_whatever_the_order() {
        let forward = names(&["a b", "a_b", "a:b"]);
        assert_eq!(forward[0], "app_a_b");
        assert!(forward[1].starts_with("app_a_b_") && forward[2].starts_with("app_a_b_"));
        assert_ne!(forward[1], forward[2]);
        let backward = names(&["a:b", "a_b", "a b"]);
        assert_eq!(backward, forward.iter().rev().cloned().collect::<Vec<_>>());
    }

    #[test]
    fn a_dash_and_an_underscore_do_not_collide() {
        assert_eq!(
            names(&["app1_cmd", "app1-cmd"]),
            ["app_app1_cmd", "app_app1-cmd"]
        );
    }

    #[test]
    fn a_long_name_is_cut_and_stays_distinct() {
        let long = "word ".repeat(20);
        let found = names(&[&format!("{long}a"), &format!("{long}b")]);
        assert!(found.iter().all(|name| name.len() == NAME_LIMIT));
        assert_ne!(found[0], found[1]);
    }

    proptest::proptest! {
        #[test]
        fn names_are_always_valid_and_unique(paths in proptest::collection::hash_set("[a-c_:é ]{1,6}", 1..20)) {
            let paths: HashSet<CommandPath> = paths.iter().map(|path| CommandPath::parse(path)).collect();
            let paths: Vec<CommandPath> = paths.into_iter().collect();
            let (names, _) = unique_names("p", &paths);
            let distinct: HashSet<_> = names.iter().collect();
            proptest::prop_assert_eq!(distinct.len(), names.len());
            proptest::prop_assert!(names.iter().all(|name| ToolName::exact(name.as_str()).is_some()));
        }
    }
}
