//! Programs as people name them, found once and for all.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};

use charmer_core::text::nearest;
use charmer_run::process::resolve_program;

use crate::problem::Problem;

/// The absolute path of a program; a relative one is looked for in `folder`.
pub(crate) fn find(name: &Path, folder: &Path) -> Result<PathBuf, Problem> {
    let search = search_path();
    match resolve_program(name, &search, folder) {
        Ok(path) => Ok(std::path::absolute(&path).unwrap_or(path)),
        Err(_) if is_path(name) => Err(Problem::mistake(format!(
            "there is no program at `{}`",
            folder.join(name).display()
        ))
        .hint("check the path, or give the name of a program on your PATH")),
        Err(_) => {
            let problem = Problem::mistake(format!(
                "the program `{}` is not on your PATH",
                name.display()
            ));
            let names = names_on(&search);
            let near = nearest(&name.to_string_lossy(), names.iter().map(String::as_str));
            Err(problem.hint(match near {
                Some(near) => format!("did you mean `{near}`?"),
                None => "install it, or give the path to it".to_owned(),
            }))
        }
    }
}

/// The name of a program: that of its file, without the ending that some systems need.
pub(crate) fn name(path: &Path) -> String {
    let name = match path.extension() {
        Some(ending) if ending.eq_ignore_ascii_case("exe") => path.file_stem(),
        _ => path.file_name(),
    };
    name.map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default()
}

/// Returns true if a program is named by a path, and not by a name that is looked up.
pub(crate) fn is_path(name: &Path) -> bool {
    name.is_absolute() || name.components().count() > 1
}

/// The folders of PATH.
pub(crate) fn search_path() -> Vec<PathBuf> {
    std::env::var_os("PATH")
        .map(|path| std::env::split_paths(&path).collect())
        .unwrap_or_default()
}

fn names_on(search: &[PathBuf]) -> BTreeSet<String> {
    let entries = search.iter().filter_map(|folder| folder.read_dir().ok());
    let files = entries.flatten().filter_map(Result::ok);
    files
        .filter_map(|file| file.file_name().into_string().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_program_is_named_with_what_to_do() {
        let here = std::env::current_dir().expect("there is one");
        let problem = find(Path::new("./no/such/program"), &here).expect_err("it is not there");
        assert!(problem.to_string().contains("there is no program at"));
        assert_eq!(problem.code, crate::problem::MISTAKE);
        let problem = find(Path::new("no-such-program-at-all-xyz"), &here).expect_err("not there");
        assert!(problem.to_string().contains("is not on your PATH"));
    }

    #[test]
    fn names_are_those_of_files() {
        assert_eq!(name(Path::new("/usr/bin/docker")), "docker");
        assert_eq!(name(Path::new("/opt/tool-1.2")), "tool-1.2");
    }
}
