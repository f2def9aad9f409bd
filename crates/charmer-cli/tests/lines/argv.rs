//! Whether two argument lists mean the same to a program: both are put into one canonical spelling and compared.
//!
//! What is levelled out, and nothing else:
//!
//! - The program may be named by its path.
//! - A short name is its long one; clusters are taken apart (`-it` is `-i -t`), values too (`-n5` is `-n 5`).
//! - `--flag value` is `--flag=value`, unless the program takes values only as elements of their own (`separate`).
//! - The order among options of one level is free; the values of one option keep theirs, and so do repeated switches.
//! - An option may stand before or behind operands, as long as the program still reads options there.
//! - A list that is joined with commas is one that is repeated, where the table says so (`=,`).
//! - `--flag=true` is `--flag` where the program reads it so (`bool_equals`), `-j=4` is `-j4` likewise (`short_equals`).
//! - `--` counts wherever it stands. Only for the commands under `neutral` it is dropped, and only where no word behind it
//!   would then be taken for an option.
//! - The value of an option under `operands` is an operand.
//! - Another name of a command is that command, as far as the table lists it (`aliases`).
//!
//! An option stays at its level: `git -C x log` is not `git log -C x`. Options that the table does not know are compared
//! as they are written.

use std::collections::BTreeMap;

use serde::Deserialize;

/// How one program reads its words, as far as the rows need it; the head of a table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Syntax {
    /// The options of each command: `-n/--max-count=` takes a value, `--stat[=]` may have one attached, `--label=,` is a
    /// list that commas separate, `-args...` hands on all that follows, others are switches. The last name is canonical.
    /// The options of a command are known to all below it.
    pub(crate) options: BTreeMap<String, String>,
    /// The commands that treat `--` as nothing but the end of options.
    pub(crate) neutral: Vec<String>,
    /// The option that `-5` stands for.
    pub(crate) digits: BTreeMap<String, String>,
    /// The number of operands behind which a command reads no options any more.
    pub(crate) verbatim: BTreeMap<String, usize>,
    /// Other names of commands.
    pub(crate) aliases: BTreeMap<String, String>,
    pub(crate) bool_equals: bool,
    pub(crate) short_equals: bool,
    /// Long names have one dash or two, and there are no clusters.
    pub(crate) single_dash: bool,
    pub(crate) separate: bool,
    /// Options whose values are operands by another name (`curl --url x`).
    pub(crate) operands: Vec<String>,
    /// A first word without a dash is a cluster, whose values are the next words in turn.
    pub(crate) old_style: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Takes {
    Nothing,
    Value,
    Attached,
    List,
    Rest,
}

#[derive(Debug)]
struct Known<'s> {
    name: &'s str,
    takes: Takes,
}

/// One level in its canonical spelling.
#[derive(Debug, Default)]
struct Level {
    word: String,
    options: Vec<(String, Option<String>)>,
}

/// The canonical spelling of a command line whose command is `command`.
#[derive(Debug, Default)]
pub(crate) struct Meaning {
    levels: Vec<Level>,
    operands: Vec<String>,
}

impl Meaning {
    /// One element for each word; what equals this has the same meaning.
    pub(crate) fn words(&self) -> Vec<String> {
        let levels = self.levels.iter().flat_map(|level| {
            let mut options: Vec<_> = level.options.iter().collect();
            options.sort_by(|one, other| one.0.cmp(&other.0));
            std::iter::once(level.word.clone()).chain(options.into_iter().map(written))
        });
        levels.chain(self.operands.iter().cloned()).collect()
    }

    /// The same, with the options of all levels together: a person may write them at any of those.
    pub(crate) fn words_without_levels(&self) -> Vec<String> {
        let words = self.levels.iter().map(|level| level.word.clone());
        let mut options: Vec<_> = self.levels.iter().flat_map(|it| &it.options).collect();
        options.sort_by(|one, other| one.0.cmp(&other.0));
        let options = options.into_iter().map(written);
        words
            .chain(options)
            .chain(self.operands.iter().cloned())
            .collect()
    }
}

fn written((name, value): &(String, Option<String>)) -> String {
    match value {
        Some(value) => format!("{name}={value}"),
        None => name.clone(),
    }
}

impl Syntax {
    /// The canonical spelling of `argv`, which must name `command` or another name of it.
    pub(crate) fn meaning(&self, argv: &[String], command: &str) -> Result<Meaning, String> {
        let canonical = self.canonical(command);
        let others = self.aliases.keys().map(String::as_str);
        let mut names = others
            .chain([canonical])
            .filter(|name| self.canonical(name) == canonical);
        names
            .find_map(|name| self.read(argv, name, canonical).transpose())
            .unwrap_or_else(|| Err(format!("no `{command}` in {argv:?}")))
    }

    fn canonical<'a>(&'a self, command: &'a str) -> &'a str {
        self.aliases.get(command).map_or(command, String::as_str)
    }

    /// Nothing where `argv` does not name this command.
    fn read(
        &self,
        argv: &[String],
        name: &str,
        canonical: &str,
    ) -> Result<Option<Meaning>, String> {
        let mut path = name.split(' ');
        let program = path.next().unwrap_or_default();
        let first = argv.first().map_or("", String::as_str);
        if first.rsplit('/').next() != Some(program) {
            return Ok(None);
        }
        let mut reader = Reader {
            syntax: self,
            rest: argv[1..].iter(),
            at: program.to_owned(),
            level: level(program),
            operands: Vec::new(),
        };
        let mut levels = Vec::new();
        for word in path {
            if !reader.options_until(word)? {
                return Ok(None);
            }
            levels.push(std::mem::replace(&mut reader.level, level(word)));
            reader.at = format!("{} {word}", reader.at);
        }
        canonical.clone_into(&mut reader.at);
        reader.leaf()?;
        levels.push(reader.level);
        if name != canonical {
            let options: Vec<_> = levels.into_iter().flat_map(|level| level.options).collect();
            levels = canonical.split(' ').map(level).collect();
            if let Some(leaf) = levels.last_mut() {
                leaf.options = options;
            }
        }
        let operands = reader.operands;
        Ok(Some(Meaning { levels, operands }))
    }

    /// What is known of an option, by one of its names, at a command or above it.
    fn option(&self, command: &str, name: &str) -> Option<Known<'_>> {
        let mut at = Some(command);
        while let Some(command) = at {
            let specs = self.options.get(command).map_or("", String::as_str);
            let found = specs.split_whitespace().map(known).find(|(names, _)| {
                names
                    .split('/')
                    .any(|own| own == name || (self.single_dash && own == &name[1..]))
            });
            if let Some((names, takes)) = found {
                let name = names.rsplit('/').next().unwrap_or(names);
                return Some(Known { name, takes });
            }
            at = command.rsplit_once(' ').map(|(above, _)| above);
        }
        None
    }
}

fn level(word: &str) -> Level {
    Level {
        word: word.to_owned(),
        options: Vec::new(),
    }
}

fn known(spec: &str) -> (&str, Takes) {
    let ends = [
        ("[=]", Takes::Attached),
        ("=,", Takes::List),
        ("=", Takes::Value),
        ("...", Takes::Rest),
    ];
    ends.into_iter()
        .find_map(|(end, takes)| Some((spec.strip_suffix(end)?, takes)))
        .unwrap_or((spec, Takes::Nothing))
}

struct Reader<'a> {
    syntax: &'a Syntax,
    rest: std::slice::Iter<'a, String>,
    at: String,
    level: Level,
    operands: Vec<String>,
}

impl Reader<'_> {
    /// Reads options until `word` comes; whether it does.
    fn options_until(&mut self, word: &str) -> Result<bool, String> {
        while let Some(next) = self.rest.next() {
            if next == word {
                return Ok(true);
            }
            if !next.starts_with('-') {
                return Ok(false);
            }
            self.option(next)?;
        }
        Ok(false)
    }

    fn leaf(&mut self) -> Result<(), String> {
        let limit = self.syntax.verbatim.get(&self.at).copied();
        if self.syntax.old_style
            && let [cluster, ..] = self.rest.as_slice()
            && !cluster.starts_with('-')
        {
            self.rest.next();
            self.old_cluster(cluster)?;
        }
        while limit.is_none_or(|limit| self.operands.len() < limit) {
            let Some(word) = self.rest.next() else {
                return Ok(());
            };
            if word == "--" {
                if !self.ends_options_only(limit.is_some()) {
                    self.operands.push(word.clone());
                }
                break;
            }
            match word.starts_with('-') && word != "-" {
                true => self.option(word)?,
                false => self.operands.push(word.clone()),
            }
        }
        self.operands.extend(self.rest.by_ref().cloned());
        Ok(())
    }

    /// Whether a `--` here could as well be left away.
    fn ends_options_only(&self, verbatim: bool) -> bool {
        let mut behind = self.rest.as_slice().iter();
        let checked = if verbatim { 1 } else { usize::MAX };
        self.syntax.neutral.contains(&self.at)
            && behind
                .by_ref()
                .take(checked)
                .all(|word| !word.starts_with('-'))
    }

    fn option(&mut self, word: &str) -> Result<(), String> {
        let digits = word[1..].bytes().all(|byte| byte.is_ascii_digit());
        if let Some(name) = self.syntax.digits.get(&self.at).filter(|_| digits) {
            self.keep(name, Some(word[1..].to_owned()));
            return Ok(());
        }
        match word.starts_with("--") || self.syntax.single_dash {
            true => self.long(word),
            false => self.cluster(word),
        }
    }

    fn long(&mut self, word: &str) -> Result<(), String> {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) if !self.syntax.separate => (name, Some(value)),
            _ => (word, None),
        };
        let syntax = self.syntax;
        let Some(option) = syntax.option(&self.at, name) else {
            self.keep(word, None);
            return Ok(());
        };
        match (option.takes, attached) {
            (Takes::Value | Takes::List, None) => {
                let value = self.value(word)?;
                self.keep_values(&option, &value);
            }
            (_, Some("true")) if syntax.bool_equals => self.keep(option.name, None),
            (Takes::List | Takes::Value, Some(value)) => self.keep_values(&option, value),
            (_, value) => self.keep(option.name, value.map(str::to_owned)),
        }
        if option.takes == Takes::Rest {
            self.operands.push(option.name.to_owned());
            self.level.options.pop();
            self.operands.extend(self.rest.by_ref().cloned());
        }
        Ok(())
    }

    fn cluster(&mut self, word: &str) -> Result<(), String> {
        for (at, letter) in word.char_indices().skip(1) {
            let name = format!("-{letter}");
            let Some(option) = self.syntax.option(&self.at, &name) else {
                self.keep(&format!("-{}", &word[at..]), None);
                return Ok(());
            };
            let behind = &word[at + letter.len_utf8()..];
            let behind = match self.syntax.short_equals {
                true => behind.strip_prefix('=').unwrap_or(behind),
                false => behind,
            };
            match (option.takes, behind) {
                (Takes::Value | Takes::List, "") => {
                    let value = self.value(&name)?;
                    self.keep_values(&option, &value);
                    return Ok(());
                }
                (Takes::Nothing | Takes::Rest, _) | (Takes::Attached, "") => {
                    self.keep(option.name, None);
                }
                (_, value) => {
                    self.keep_values(&option, value);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn old_cluster(&mut self, word: &str) -> Result<(), String> {
        for letter in word.chars() {
            let name = format!("-{letter}");
            let option = self.syntax.option(&self.at, &name);
            let option = option.ok_or_else(|| format!("{name} of `{word}` is not known"))?;
            let value = match option.takes {
                Takes::Value | Takes::List => Some(self.value(&name)?),
                _ => None,
            };
            self.keep(option.name, value);
        }
        Ok(())
    }

    fn value(&mut self, of: &str) -> Result<String, String> {
        let value = self.rest.next().cloned();
        value.ok_or_else(|| format!("{of} has no value"))
    }

    fn keep_values(&mut self, option: &Known<'_>, value: &str) {
        match option.takes {
            Takes::List => value
                .split(',')
                .for_each(|value| self.keep(option.name, Some(value.to_owned()))),
            _ => self.keep(option.name, Some(value.to_owned())),
        }
    }

    fn keep(&mut self, name: &str, value: Option<String>) {
        if self.syntax.operands.iter().any(|known| known == name) {
            self.operands.extend(value);
            return;
        }
        self.level.options.push((name.to_owned(), value));
    }
}
