//! A whole command line where the name of a command is expected: assistants know programs by their command lines.
//!
//! It is cut into words as a shell cuts them, and read as the program would read it. What comes of it is the command's input, by
//! its keys, and goes the way of any other; a line with which a shell would do more is refused.

use charmer_core::{
    call::{WordsError, from_words, takes_value},
    text::shorten,
    tool::line_words,
};
use serde_json::{Map, Value};

use crate::{CallError, ErrorCode, ServedTool, spelling::DEEPEST};

use super::{commands::ServedCommands, describe};

/// The maximum number of characters of what an error says, and of its advice.
const ADVICE: usize = 200;

/// The command that a line begins with, and the words for it; none if it begins with none.
pub(super) fn find<'c>(
    commands: &'c ServedCommands,
    line: &str,
) -> Result<Option<(&'c ServedTool, Vec<String>)>, CallError> {
    let mut written = line.split_whitespace();
    // Whatever else is written in a name is no line.
    if written.nth(1).is_none() {
        return Ok(None);
    }
    let Some(words) = line_words(line) else {
        // Only of a program is it sure that a line was meant.
        return match begins(commands, line) {
            true => Err(no_shell()),
            false => Ok(None),
        };
    };
    let mut path: Vec<&str> = Vec::new();
    // The program's own flags may stand before its command.
    let mut before: Vec<String> = Vec::new();
    let mut found = None;
    let mut rest = words.iter().enumerate();
    while let Some((at, word)) = rest.next() {
        if path.len() == DEEPEST || word == "--" {
            break;
        }
        if word.starts_with('-') {
            let program = path.first().filter(|_| path.len() == 1);
            let takes = program.and_then(|program| flag_takes_value(commands, program, word));
            let Some(takes) = takes else { break };
            before.push(word.clone());
            if takes && !word.contains('=') {
                before.extend(rest.next().map(|(_, value)| value.clone()));
            }
            continue;
        }
        path.push(word);
        if let Some(served) = commands.find(&path.join(" ")) {
            found = Some((served, at + 1, before.clone()));
        }
    }
    Ok(found.map(|(served, behind, mut flags)| {
        flags.extend_from_slice(&words[behind..]);
        (served, flags)
    }))
}

/// The input that words are for a command.
pub(super) fn input(
    served: &ServedTool,
    words: &[String],
) -> Result<Map<String, Value>, CallError> {
    from_words(&served.tool, words).map_err(|WordsError { message, hint, .. }| {
        let message = shorten(&message, ADVICE);
        let error = CallError::new(ErrorCode::InvalidArguments, message);
        match hint.filter(|hint| hint.len() <= ADVICE) {
            Some(hint) => error.hint(hint),
            None => error.hint(format!("`{}` shows all that it takes", describe::NAME)),
        }
    })
}

/// The words of a text that stands for the arguments of a command.
pub(super) fn arguments(text: &str) -> Result<Vec<String>, CallError> {
    line_words(text).ok_or_else(no_shell)
}

/// Returns true if the first word of a line is the name of a program.
fn begins(commands: &ServedCommands, line: &str) -> bool {
    let first = line.split_whitespace().next();
    let mut tools = commands.tools.iter();
    tools.any(|served| first == Some(&*served.tool.help.program))
}

/// For a flag that a program has before its commands: whether the next word is its value.
fn flag_takes_value(commands: &ServedCommands, program: &str, word: &str) -> Option<bool> {
    let name = word.split_once('=').map_or(word, |(name, _)| name);
    let letter = word
        .char_indices()
        .nth(2)
        .map_or(word, |(at, _)| &word[..at]);
    let owns = |served: &&ServedTool| {
        let mut flags = served
            .tool
            .input
            .flags
            .iter()
            .filter(|flag| flag.owner == 0);
        flags.any(|flag| flag.flag.is_named(name) || flag.flag.is_named(letter))
    };
    let tools = commands.tools.iter();
    let tools = tools.filter(|served| *served.tool.help.program == *program);
    let mut tools = tools.filter(owns);
    tools.find_map(|served| takes_value(&served.tool, word))
}

fn no_shell() -> CallError {
    let message =
        "there is no shell here: one command, without pipes, redirections, variables and comments";
    CallError::new(ErrorCode::InvalidArguments, message)
        .hint("give its name as `command` and its values as `arguments`")
}
