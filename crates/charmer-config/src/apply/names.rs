//! Names of flags in the file that reach nothing, because the program has no such flag.

use charmer_core::{
    model::{Arguments, Cli, Flag, Shared},
    select::names_flag,
    text::nearest,
};

use crate::{FilePlace, FileWarning, FlagSelection, Redirects, SourceEntry};

impl SourceEntry {
    /// The names of flags under `redirects`, `undone_by` and in the selectors' `flags` and `inherited_flags` that no command
    /// of the program has. A server starts in spite of them; a rule about such a flag protects nobody.
    ///
    /// ```
    /// # use charmer_config::Config;
    /// # use charmer_core::model::{Cli, Command, Flag, Syntax};
    /// let text = "sources: [{binary: ship, select: [{flags: {exclude: [--harbor]}}]}]";
    /// let source = &Config::parse(text, "charmer.yaml").unwrap().sources[0];
    /// let cli = Cli::new(Command::new("ship").flag(Flag::new("harbour")), Syntax::pflag());
    /// assert_eq!(source.unknown_flags(&cli)[0].hint, "did you mean `--harbour`?");
    /// ```
    pub fn unknown_flags(&self, cli: &Cli) -> Vec<FileWarning> {
        let known = KnownNames::of(cli);
        let mut unknown = Vec::new();
        let mut look = |names: &mut dyn Iterator<Item = (&String, FilePlace)>, key: &str| {
            for (name, place) in names {
                unknown.extend(known.miss(name, key, place));
            }
        };
        if let Redirects::Only(names) = &self.redirects {
            let names = names.iter().filter(|name| !known.is_positional(name));
            let mut names = names.map(|name| (name, FilePlace::of(["redirects", name])));
            look(&mut names, "redirects");
        }
        for (pinned, undoing) in &self.undone_by {
            let of_pinned = std::iter::once((pinned, FilePlace::of(["undone_by", pinned])));
            let undoing = undoing.iter();
            let undoing = undoing.map(|name| (name, FilePlace::of(["undone_by", pinned, name])));
            look(&mut of_pinned.chain(undoing), "undone_by");
        }
        for (at, selector) in self.select.iter().enumerate() {
            let entry = at.to_string();
            let rules = [
                ("flags", &selector.flags),
                ("inherited_flags", &selector.inherited_flags),
            ];
            for (key, rule) in rules {
                let (list, names) = match rule {
                    FlagSelection::Allow(names) => ("allow", names),
                    FlagSelection::Exclude(names) => ("exclude", names),
                    _ => continue,
                };
                let place = |name: &String| FilePlace::of(["select", &entry, key, list, name]);
                look(&mut names.iter().map(|name| (name, place(name))), key);
            }
        }
        unknown
    }
}

/// The names that a program has.
struct KnownNames<'c> {
    program: &'c str,
    flags: Vec<Shared<Flag>>,
    positionals: Vec<String>,
}

impl<'c> KnownNames<'c> {
    fn of(cli: &'c Cli) -> Self {
        let (mut flags, mut positionals) = (Vec::new(), Vec::new());
        cli.walk(&mut |_, lineage| {
            let command = *lineage.last().expect("a lineage ends with its command");
            flags.extend(command.flags.iter().cloned());
            if let Arguments::Listed(listed) = &command.arguments {
                let names = listed
                    .iter()
                    .flat_map(|one| [Some(one.id.clone()), one.name.clone()]);
                positionals.extend(names.flatten());
            }
        });
        Self {
            program: &cli.root.name,
            flags,
            positionals,
        }
    }

    fn is_positional(&self, name: &str) -> bool {
        self.positionals
            .iter()
            .any(|one| one == name.trim_start_matches('-'))
    }

    /// The warning about a name that no flag has.
    fn miss(&self, name: &str, key: &str, place: FilePlace) -> Option<FileWarning> {
        if self.flags.iter().any(|flag| names_flag(name, flag)) {
            return None;
        }
        let names: Vec<String> = self.flags.iter().map(|flag| flag.display_name()).collect();
        let wanted = format!("--{}", name.trim_start_matches('-'));
        let hint = match nearest(&wanted, names.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "correct its name, or remove it".to_owned(),
        };
        Some(FileWarning {
            message: format!(
                "`{key}` names the flag `{name}`, which no command of `{}` has",
                self.program
            ),
            hint,
            place,
        })
    }
}
