//! The lines under `expect`: what a call of each would be decided, found out without running anything.

use charmer_config::Expectation;
use charmer_core::{
    call::from_words,
    model::{Cli, CommandPath},
    select::names_flag,
};
use charmer_run::{ServedTool, ToolSet};
use charmer_spells::split_words;
use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::runtime;

/// The decision on a line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Decided {
    /// The command line, without the program's name.
    pub(crate) line: String,
    /// The decision that the file expects: `allow` or `deny`.
    pub(crate) expected: &'static str,
    /// The decision; `None` where the line means nothing to the program.
    pub(crate) decided: Option<&'static str>,
    /// The effect of a call of it, where it would be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) effect: Option<String>,
    /// The reason why it was denied, or the mistake in the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
}

impl Decided {
    /// Returns true if it came as it was expected.
    pub(crate) fn is_met(&self) -> bool {
        self.decided == Some(self.expected)
    }

    /// The message if it did not.
    pub(crate) fn message(&self) -> String {
        let Self { line, expected, .. } = self;
        let because = match &self.reason {
            Some(reason) => format!(": {reason}"),
            None => String::new(),
        };
        match self.decided {
            Some("allow") => format!("`{line}` would be run, and `{expected}` is expected"),
            Some(_) => format!("`{line}` would be refused, and `{expected}` is expected{because}"),
            None => format!("`{line}` cannot be decided{because}"),
        }
    }
}

/// Decides a line as a call of one of these tools, which are all that is offered of the program.
pub(crate) fn decide(cli: &Cli, tools: &ToolSet, expectation: &Expectation) -> Decided {
    let (decided, effect, reason) = match decision(cli, tools, expectation.line()) {
        Ok(Ok(effect)) => (Some("allow"), effect, None),
        Ok(Err(refusal)) => (Some("deny"), None, Some(refusal)),
        Err(unclear) => (None, None, Some(unclear)),
    };
    Decided {
        line: expectation.line().to_owned(),
        expected: expectation.key(),
        decided,
        effect,
        reason,
    }
}

/// The effect that a call would have, or the reason why it would not be run.
type Decision = Result<Option<String>, String>;

/// The decision on a call; an error where the line is none of the program's.
fn decision(cli: &Cli, tools: &ToolSet, line: &str) -> Result<Decision, String> {
    let mut words = split_words(line)?;
    let program = &cli.root.name;
    if words.first() == Some(program) && cli.root.child(program).is_none() {
        words.remove(0);
    }
    let (path, rest) = command_of(cli, &words)?;
    // Another path may be the one that is offered.
    let command = cli.command(&path);
    let original = command.and_then(|command| command.same_as.clone());
    let mut offered = tools.iter();
    let Some(served) = offered
        .find(|served| served.tool.path == path || Some(&served.tool.path) == original.as_ref())
    else {
        let command = match path.is_root() {
            true => program.clone(),
            false => path.to_string(),
        };
        return Ok(Err(format!("`{command}` is not offered")));
    };
    let input = match from_words(&served.tool, rest) {
        Ok(input) => input,
        Err(error) => {
            let mut words = rest.iter().take_while(|word| *word != "--");
            return match words.find(|word| is_unheard_of(cli, &path, word)) {
                Some(flag) => Err(format!("`{program}` has no flag `{flag}` there")),
                None => Ok(Err(error.message)),
            };
        }
    };
    Ok(tried(served, input))
}

/// Returns true if a word is a long flag that neither the command nor one above it has. A refusal of such a line would
/// say nothing: it is a slip, and no rule has seen it.
fn is_unheard_of(cli: &Cli, path: &CommandPath, word: &str) -> bool {
    let Some(name) = word.strip_prefix("--").filter(|name| !name.is_empty()) else {
        return false;
    };
    let name = name.split('=').next().unwrap_or(name);
    let words = path.words();
    let mut lineage = (0..=words.len()).filter_map(|length| {
        let above: CommandPath = words[..length].iter().cloned().collect();
        cli.command(&above)
    });
    !lineage.any(|command| command.flags.iter().any(|flag| names_flag(name, flag)))
}

/// The command that a line begins with, and the words that follow it.
fn command_of<'w>(cli: &Cli, words: &'w [String]) -> Result<(CommandPath, &'w [String]), String> {
    let mut command = &cli.root;
    let mut path = CommandPath::root();
    let mut rest = words;
    while let [word, after @ ..] = rest {
        let Some(child) = command.child(word) else {
            break;
        };
        (command, rest) = (child, after);
        path = path.child(child.name.as_str());
    }
    let is_group = !command.runnable && !command.commands.is_empty();
    match rest.first() {
        Some(word) if is_group && word.starts_with('-') => {
            Err("it begins with a flag; begin with the command".to_owned())
        }
        Some(word) if is_group => {
            let names = command.commands.iter().map(|child| child.name.as_str());
            let near = charmer_core::text::nearest(word, names);
            let hint = near.map_or_else(String::new, |near| format!(" (did you mean `{near}`?)"));
            Err(format!("there is no command `{word}`{hint}"))
        }
        None if is_group => Err("it is no command, but a group of them".to_owned()),
        _ => Ok((path, rest)),
    }
}

/// Makes a call as any other, up to the process.
fn tried(served: &ServedTool, input: Map<String, Value>) -> Decision {
    let served = served.clone().dry_run(true);
    let runtime = runtime::new().map_err(|problem| problem.message().to_owned())?;
    let result = runtime.block_on(served.call(input, CancellationToken::new()));
    match result.is_error {
        true => Err(result.text.lines().next().unwrap_or_default().to_owned()),
        false => {
            let effect = result.structured.get("effect");
            Ok(effect.and_then(Value::as_str).map(str::to_owned))
        }
    }
}
