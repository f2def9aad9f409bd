//! Scripts: who runs them, and what a wrapper in the language of shells runs in turn.

use std::{
    collections::HashMap,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
};

use super::Survey;

/// The number of bytes of a script that are read. Wrappers are short.
const READ: u64 = 64 << 10;
/// The word that ends a command and begins the next.
const END: &str = ";";
/// The interpreters of the language of shells.
const SHELLS: [&str; 6] = ["sh", "bash", "dash", "ash", "ksh", "zsh"];

/// A script as far as it says what stands behind it.
pub(super) struct Script<'a> {
    /// Its path, as it is called.
    pub(super) path: &'a Path,
    /// The real path of its file.
    pub(super) real: &'a Path,
    pub(super) interpreter: PathBuf,
    pub(super) text: String,
}

impl Script<'_> {
    /// Returns true if the name of its interpreter begins with one of these.
    pub(super) fn is_run_by(&self, names: &[&str]) -> bool {
        let name = self.interpreter.file_name().unwrap_or_default();
        let name = name.to_string_lossy();
        names.iter().any(|one| name.starts_with(one))
    }
}

impl Survey<'_> {
    /// Marks whatever stands behind a program's file.
    pub(super) fn behind(&mut self, path: &Path, real: &Path, hops: usize) {
        self.node_package(real);
        let Some(text) = script_text(path) else {
            return;
        };
        let Some(interpreter) = self.interpreter(&text) else {
            return;
        };
        self.program(&interpreter, hops);
        let script = Script {
            path,
            real,
            interpreter,
            text,
        };
        self.package(&script);
        let shell = script.interpreter.file_name().unwrap_or_default();
        if SHELLS.iter().any(|name| shell == *name) {
            for target in self.targets(&script) {
                self.program(&target, hops);
            }
        }
    }

    /// The interpreter that the first line names. Where that is too long for the system, packages begin their scripts
    /// with lines for a shell that start it: `'''exec' "/long/path/python" "$0" "$@"`.
    fn interpreter(&self, text: &str) -> Option<PathBuf> {
        let mut lines = text.lines();
        let first = lines.next()?.strip_prefix("#!")?.trim();
        if let Some(rest) = lines.next().and_then(|line| line.strip_prefix("'''exec' ")) {
            return words(rest).into_iter().next().map(PathBuf::from);
        }
        let mut said = first.split_whitespace();
        let program = PathBuf::from(said.next()?);
        if program.file_name()? != "env" {
            return Some(program);
        }
        let mut said = said.filter(|word| !word.starts_with('-') && !word.contains('='));
        self.on_path(said.next()?)
    }

    /// A program by its name.
    fn on_path(&self, name: &str) -> Option<PathBuf> {
        let places = self.around.path.iter().map(|folder| folder.join(name));
        places.into_iter().find(|place| place.is_file())
    }

    /// The programs and files that a shell script hands its words to, or replaces itself with.
    fn targets(&self, script: &Script<'_>) -> Vec<PathBuf> {
        let mut variables = Variables::new(script, self.around.home.as_deref());
        let mut targets = Vec::new();
        for line in script.text.lines().map(str::trim) {
            if line.starts_with('#') {
                continue;
            }
            let words = words(line);
            words.iter().for_each(|word| variables.assign(word));
            for command in words.split(|word| word == END) {
                let runs = command.iter().position(|word| word == "exec");
                let hands_on = |word: &String| word.contains("$@") || word.contains("$*");
                if runs.is_none() && !command.iter().any(hands_on) {
                    continue;
                }
                let named = runs.and_then(|at| command.get(at + 1));
                let named = named.filter(|name| !name.contains(['/', '$']));
                targets.extend(named.and_then(|name| self.on_path(name)));
                let paths = command.iter().filter_map(|word| variables.path(word));
                targets.extend(paths.filter(|path| path.is_file()));
            }
        }
        targets
    }
}

/// The text of a script; `None` for what is none.
fn script_text(path: &Path) -> Option<String> {
    let mut head = [0; 2];
    let mut file = File::open(path).ok()?;
    file.read_exact(&mut head).ok()?;
    if &head != b"#!" {
        return None;
    }
    let mut bytes = head.to_vec();
    file.take(READ).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The values of a script's variables, as far as they can be told without running it.
struct Variables<'a> {
    script: &'a Script<'a>,
    values: HashMap<String, String>,
}

impl<'a> Variables<'a> {
    fn new(script: &'a Script<'a>, home: Option<&Path>) -> Self {
        let home = home.map(|home| ("HOME".to_owned(), home.to_string_lossy().into_owned()));
        Self {
            script,
            values: home.into_iter().collect(),
        }
    }

    /// Takes `NAME=value`; anything else is passed by.
    fn assign(&mut self, word: &str) {
        if let Some((name, value)) = word.split_once('=')
            && !name.is_empty()
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && let Some(value) = self.value(value)
        {
            self.values.insert(name.to_owned(), value);
        }
    }

    /// The absolute path that a word stands for.
    fn path(&self, word: &str) -> Option<PathBuf> {
        let word = match word.split_once('=') {
            // The value of an option, such as `-Dhome=/opt/x`.
            Some((name, value)) if !name.contains('$') => value,
            _ => word,
        };
        let path = PathBuf::from(self.value(word)?);
        path.is_absolute().then_some(path)
    }

    /// A text without variables; `None` where one is not known.
    fn value(&self, text: &str) -> Option<String> {
        if let Some(folder) = self.own_folder(text) {
            return Some(folder);
        }
        let mut value = String::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            value.push_str(before);
            let braced = behind.strip_prefix('{');
            let name = braced.unwrap_or(behind);
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let (name, behind) = name.split_at(end.unwrap_or(name.len()));
            value.push_str(self.values.get(name)?);
            rest = match braced {
                Some(_) => behind.strip_prefix('}')?,
                None => behind,
            };
        }
        value.push_str(rest);
        Some(value)
    }

    /// The folder of the script itself, which scripts ask for in many ways: `$(dirname "$0")`, `${0%/*}`,
    /// `$(cd "$(dirname "$(readlink -f "$0")")/.." && pwd)`.
    fn own_folder(&self, text: &str) -> Option<String> {
        let names_itself = text.contains("$0") || text.contains("BASH_SOURCE");
        let asks = names_itself && text.contains("dirname");
        if !asks && !text.starts_with("${0%/*}") {
            return None;
        }
        let follows = ["readlink", "realpath", "pwd -P"];
        let script = match follows.iter().any(|word| text.contains(word)) {
            true => self.script.real,
            false => self.script.path,
        };
        let mut folder = script.parent()?.to_string_lossy().into_owned();
        // What a `cd` adds stands inside, behind the innermost of them.
        let behind_inner = text.split_once(")/").or_else(|| text.split_once(")\"/"));
        let inner = behind_inner.map(|(_, path)| path);
        let inner = inner.or_else(|| text.strip_prefix("${0%/*}/"));
        if let Some(path) = inner {
            let end = path.find(|c: char| c.is_whitespace() || "\"')".contains(c));
            folder.push('/');
            folder.push_str(&path[..end.unwrap_or(path.len())]);
        }
        Some(folder)
    }
}

/// The words of a line as a shell splits it, without quotes; what `$(...)` encloses stays one. Between two commands there is
/// an [`END`].
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quote = None;
    let mut depth = 0_usize;
    let mut before = ' ';
    for c in line.chars() {
        match c {
            '(' if before == '$' || depth > 0 => {
                depth += 1;
                word.push(c);
            }
            ')' if depth > 0 => {
                depth -= 1;
                word.push(c);
            }
            _ if depth > 0 => word.push(c),
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            _ if quote.is_none() && (c.is_whitespace() || ";&|".contains(c)) => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
                if !c.is_whitespace() {
                    words.push(END.to_owned());
                }
            }
            _ => word.push(c),
        }
        before = c;
    }
    words.extend(Some(word).filter(|word| !word.is_empty()));
    words
}
