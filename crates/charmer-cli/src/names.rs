//! Names that stay apart when several programs are served together.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use charmer_core::tool::{NAME_LIMIT, Tool, ToolName};

/// The prefix of each program. Of several that want the same, the first gets it; the others get one that is made from
/// their path, so that it does not depend on what else is served.
pub(crate) fn prefixes(wanted: &[(String, &Path)], warnings: &mut Vec<String>) -> Vec<String> {
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut given = Vec::with_capacity(wanted.len());
    for (name, path) in wanted {
        // An empty prefix was asked for, and is sorted out tool by tool.
        if name.is_empty() || taken.insert(plain(name)) {
            given.push(name.clone());
            continue;
        }
        let mut candidates = from_path(path).chain((2..).map(|count| format!("{name}_{count}")));
        let prefix = candidates
            .find(|candidate| taken.insert(plain(candidate)))
            .expect("there are more numbers than programs");
        warnings.push(format!(
            "two programs are called `{name}`: the tools of `{}` begin with `{prefix}`; set a `prefix` in \
             charmer.yaml to choose another",
            path.display()
        ));
        given.push(prefix);
    }
    given
}

/// Longer and longer ends of a path: `bin_git`, `local_bin_git`...
fn from_path(path: &Path) -> impl Iterator<Item = String> {
    let words: Vec<String> = path
        .components()
        .filter(|part| matches!(part, std::path::Component::Normal(_)))
        .map(|part| plain(&part.as_os_str().to_string_lossy()))
        .collect();
    (2..=words.len()).map(move |count| words[words.len() - count..].join("_"))
}

/// As it stands in a tool's name.
fn plain(name: &str) -> String {
    let valid = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    name.chars()
        .map(|c| if valid(c) { c } else { '_' })
        .collect()
}

/// The tool under a name that no other has: its own, or else that with a number.
pub(crate) fn set_apart(
    tool: Arc<Tool>,
    taken: &mut BTreeSet<String>,
    warnings: &mut Vec<String>,
) -> Arc<Tool> {
    let wanted = tool.name.as_str();
    if taken.insert(wanted.to_owned()) {
        return tool;
    }
    let name = (2_usize..)
        .map(|count| {
            let ending = format!("_{count}");
            let room = NAME_LIMIT - ending.len();
            format!("{}{ending}", &wanted[..wanted.len().min(room)])
        })
        .find(|name| taken.insert(name.clone()))
        .expect("there are more numbers than tools");
    warnings.push(format!(
        "there is another tool `{wanted}`: that of `{}` is called `{name}`",
        tool.title
    ));
    let mut tool = Arc::unwrap_or_clone(tool);
    tool.name = ToolName::exact(&name).expect("a valid name with a number is one");
    Arc::new(tool)
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;

    #[test]
    fn programs_of_one_name_are_told_apart_by_their_paths() {
        let wanted = [
            ("git".to_owned(), Path::new("/usr/bin/git")),
            ("git".to_owned(), Path::new("/opt/bin/git")),
            ("git".to_owned(), Path::new("/srv/bin/git")),
            ("gh".to_owned(), Path::new("/usr/bin/gh")),
        ];
        let mut warnings = Vec::new();
        assert_eq!(
            prefixes(&wanted, &mut warnings),
            ["git", "bin_git", "srv_bin_git", "gh"]
        );
        assert_eq!(warnings.len(), 2);
        assert!(warnings[0].contains("/opt/bin/git"), "{warnings:?}");
    }

    #[test]
    fn the_same_program_twice_still_has_two_prefixes() {
        let wanted = vec![("x".to_owned(), Path::new("/x")); 3];
        assert_eq!(prefixes(&wanted, &mut Vec::new()), ["x", "x_2", "x_3"]);
    }

    #[test]
    fn a_tool_name_is_given_out_once() {
        let cli = Cli::new(Command::new("a"), Syntax::clap());
        let tool = &catalogue(&cli, &CatalogueOptions::default()).tools[0];
        let (mut taken, mut warnings) = (BTreeSet::new(), Vec::new());
        let mut name = || {
            let tool = set_apart(Arc::clone(tool), &mut taken, &mut warnings);
            tool.name.as_str().to_owned()
        };
        assert_eq!([name(), name(), name()], ["a", "a_2", "a_3"]);
        assert_eq!(warnings.len(), 2);
    }
}
