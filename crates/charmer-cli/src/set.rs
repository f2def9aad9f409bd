//! The option `--set [PROGRAM:]FLAG[=VALUE]`: a flag pinned from the command line, as `set` in `charmer.yaml` does.
//!
//! Without a program it is for every program that has such a flag; it is a mistake where none has. What the command line
//! says of a flag stands in the place of what the file says of it.

use std::{borrow::Cow, str::FromStr};

use charmer_config::Pinned;
use charmer_core::{
    model::{Cli, Flag},
    select::names_flag,
    text::nearest,
};
use charmer_discover::Discovery;

use crate::{args::Selection, problem::Problem, settings::ServedProgram};

/// One such option.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SetFlag {
    program: Option<String>,
    flag: String,
    value: Option<String>,
}

impl FromStr for SetFlag {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (text, None),
        };
        let (program, flag) = match name.split_once(':') {
            Some((program, flag)) => (Some(program), flag),
            None => (None, name),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
        if !program.is_none_or(is_name) || !is_name(flag.trim_start_matches('-')) {
            return Err("write it as FLAG=VALUE or PROGRAM:FLAG=VALUE".into());
        }
        Ok(Self {
            program: program.map(str::to_owned),
            flag: flag.to_owned(),
            value,
        })
    }
}

impl SetFlag {
    /// A flag that the file pins for a principal; `PROGRAM:FLAG` is for one program.
    pub(crate) fn of(name: &str, value: Option<String>) -> Self {
        let (program, flag) = match name.split_once(':') {
            Some((program, flag)) => (Some(program.to_owned()), flag),
            None => (None, name),
        };
        Self {
            program,
            flag: flag.to_owned(),
            value,
        }
    }

    /// The name of the flag.
    pub(crate) fn flag(&self) -> &str {
        &self.flag
    }

    /// As it was written.
    pub(crate) fn word(&self) -> String {
        let value = self.value.as_ref().map(|value| format!("={value}"));
        format!("{}{}", self.name(), value.unwrap_or_default())
    }

    /// The same without the value, which may be a secret.
    fn name(&self) -> String {
        match &self.program {
            Some(program) => format!("{program}:{}", self.flag),
            None => self.flag.clone(),
        }
    }

    fn is_for(&self, program: &ServedProgram) -> bool {
        self.program.as_ref().is_none_or(|name| {
            *name == program.name() || program.source.prefix.as_ref() == Some(name)
        })
    }

    fn names(&self, flag: &Flag) -> bool {
        names_flag(&self.flag, flag)
    }
}

/// Makes sure that each option is for a program that is served.
pub(crate) fn check_programs(
    selection: &Selection,
    programs: &[ServedProgram],
) -> Result<(), Problem> {
    let lost = |set: &&SetFlag| !programs.iter().any(|program| set.is_for(program));
    let Some(set) = selection.set.iter().find(lost) else {
        return Ok(());
    };
    let names: Vec<String> = programs.iter().map(ServedProgram::name).collect();
    let message = format!("`--set {}` is for a program that is not served", set.name());
    Err(Problem::mistake(message).hint(format!("there are `{}`", names.join("`, `"))))
}

/// The program with the flags that the command line pins.
pub(crate) fn pinned<'p>(
    program: &'p ServedProgram,
    selection: &Selection,
    found: &Discovery,
) -> Result<Cow<'p, ServedProgram>, Problem> {
    let own = selection.set.iter().filter(|set| set.is_for(program));
    let own: Vec<&SetFlag> = own.collect();
    if own.is_empty() {
        return Ok(Cow::Borrowed(program));
    }
    let mut pinned = program.clone();
    for set in &own {
        let named = flags(&found.cli)
            .filter(|flag| set.names(flag))
            .collect::<Vec<_>>();
        if named.is_empty() {
            if set.program.is_some() {
                return Err(unknown(set, &[&found.cli]));
            }
            // A command that has it may not have been read yet, and must not be offered without.
            if !found.complete {
                return Err(Problem::mistake(format!(
                    "`--set {}`: not all commands of `{}` have been read, so it may have this flag",
                    set.name(),
                    program.name()
                ))
                .hint(format!(
                    "say which program is meant: `--set PROGRAM:{}=...`",
                    set.flag
                )));
            }
            continue;
        }
        let is_same = |name: &str| named.iter().any(|flag| names_flag(name, flag));
        pinned.source.set.retain(|name, _| !is_same(name));
        let given = own.iter().filter(|other| is_same(&other.flag));
        let values: Vec<String> = given
            .clone()
            .filter_map(|other| other.value.clone())
            .collect();
        let value = match values.as_slice() {
            [] => Pinned::Switch(true),
            [one] if given.count() == 1 => Pinned::Text(one.clone()),
            _ => Pinned::List(values),
        };
        pinned.source.set.insert(set.flag.clone(), value);
    }
    Ok(Cow::Owned(pinned))
}

/// Makes sure that each option without a program is for a flag that one of the programs has. Says so where several have:
/// one name may mean different things to them.
pub(crate) fn check_flags(
    selection: &Selection,
    programs: &[&Cli],
) -> Result<Vec<String>, Problem> {
    let mut told: Vec<String> = Vec::new();
    for set in selection.set.iter().filter(|set| set.program.is_none()) {
        let having = programs
            .iter()
            .filter(|cli| flags(cli).any(|flag| set.names(flag)));
        let having: Vec<&str> = having.map(|cli| cli.root.name.as_str()).collect();
        match having.as_slice() {
            [] => return Err(unknown(set, programs)),
            [_] => {}
            several => told.push(format!(
                "`--set {}` holds for `{}`; `PROGRAM:{}` is for one of them",
                set.flag,
                several.join("` and `"),
                set.flag
            )),
        }
    }
    told.dedup();
    Ok(told)
}

fn unknown(set: &SetFlag, programs: &[&Cli]) -> Problem {
    let names: Vec<&str> = programs.iter().map(|cli| cli.root.name.as_str()).collect();
    let problem = Problem::mistake(format!(
        "`--set {}`: no command of `{}` has such a flag",
        set.name(),
        names.join("`, `")
    ));
    let all: Vec<String> = programs
        .iter()
        .flat_map(|cli| flags(cli))
        .map(Flag::display_name)
        .collect();
    let wanted = format!("--{}", set.flag.trim_start_matches('-'));
    match nearest(&wanted, all.iter().map(String::as_str)) {
        Some(near) => problem.hint(format!("did you mean `{}`?", near.trim_start_matches('-'))),
        None => problem.hint(format!("`charmer inspect {}` shows its flags", names[0])),
    }
}

/// All flags of a program.
fn flags(cli: &Cli) -> impl Iterator<Item = &Flag> {
    let mut commands = vec![&cli.root];
    std::iter::from_fn(move || {
        let command = commands.pop()?;
        commands.extend(&command.commands);
        Some(command.flags.iter().map(AsRef::as_ref))
    })
    .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_with_or_without_a_program() {
        let read = |text: &str| text.parse::<SetFlag>();
        let set = read("kubectl:context=a:b=c").expect("it is one");
        assert_eq!(set.program.as_deref(), Some("kubectl"));
        assert_eq!(
            (set.flag.as_str(), set.value.as_deref()),
            ("context", Some("a:b=c"))
        );
        assert_eq!(set.word(), "kubectl:context=a:b=c");
        let set = read("--quiet").expect("it is one");
        assert_eq!((set.program, set.value), (None, None));
        for wrong in ["", "=a", ":a=b", "a:=b", "a b=c", "--=x"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
