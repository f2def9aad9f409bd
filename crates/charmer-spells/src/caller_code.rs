//! The rule on code: a caller's text is data, and does not become code of a shell or an interpreter unless the spell's
//! author says `shell: true`.
//!
//! A shell as the command is no problem by itself, because a caller can pass nothing but listed elements. What is refused
//! is a place for free text where an interpreter looks for code, or for the script to run, or on its standard input.

use charmer_config::reading::Problems;
use charmer_core::tool::Template;

use crate::{
    interpreters::{Interpreter, Reads, interpreter},
    misuse::{Misuse, misuses},
    parse::{At, Places},
    spell::{Arg, ArgType, Spell},
    wrappers::wrapper_of,
};

/// The advice where a caller would name the program.
const NAMED: &str = "name the program in `command` and pass the text behind it (`argv: [--, '{{x}}']`), or list the \
                     programs in an `enum`; if any is meant, say `shell: true`";

const BEHIND: &str = "pass it as an argument behind fixed code (`bash -c 'echo \"$1\"' -- {{x}}`) or read \
                      \"$SPELL_ARG_X\" in quotes; if it is meant, say `shell: true`";
const PATTERN: &str = "give it a `pattern` or an `enum`, so that nobody can write `NAME=$(shell ...)`; if it is meant, \
                       say `shell: true`";

/// An element of the command line, as far as it is known.
#[derive(Clone)]
struct CodeElement<'s> {
    /// Its text up to the first place that a caller fills in.
    start: &'s str,
    /// A caller fills in free text.
    free: bool,
    /// Some of that has no pattern.
    loose: bool,
    /// Its place in `argv`, if it stands there.
    at: Option<usize>,
}

impl<'s> CodeElement<'s> {
    fn fixed(text: &'s str) -> Self {
        Self {
            start: text,
            free: false,
            loose: false,
            at: None,
        }
    }
}

/// Notes where a caller's text would be evaluated, and returns where that is.
pub(crate) fn rule(spell: &Spell, places: &Places, problems: &mut Problems<'_>) -> Vec<At> {
    let mut found: Vec<CodeFinding> = Vec::new();
    for line in lines(spell) {
        for finding in look(&line, spell) {
            if !found.contains(&finding) {
                found.push(finding);
            }
        }
    }
    found.extend(evaluated(spell));
    if spell.shell {
        if found.is_empty() {
            problems
                .advise(places.command.clone(), "`shell: true` is not needed here")
                .hint("remove it: no text of a caller's is evaluated");
        }
        return Vec::new();
    }
    let refused = found.iter().map(|finding| finding.at).collect();
    for finding in found {
        problems
            .add(places.of(finding.at), finding.what)
            .hint(finding.hint);
    }
    refused
}

#[derive(PartialEq, Eq)]
struct CodeFinding {
    at: At,
    what: String,
    hint: &'static str,
}

impl CodeFinding {
    fn of(element: &CodeElement<'_>, what: String) -> Self {
        Self {
            at: element.at.map_or(At::Command, At::Argv),
            what,
            hint: BEHIND,
        }
    }
}

fn is_free(spell: &Spell, template: &Template, which: impl Fn(&Arg) -> bool) -> bool {
    let mut args = template.names().filter_map(|name| spell.arg(name));
    args.any(|arg| arg.is_free() && which(arg))
}

/// The command lines that there can be: with nothing added, and with each one or two of the permitted elements, which
/// stand between the command and `argv`. More than two change nothing more about what the rest is taken for.
fn lines(spell: &Spell) -> Vec<Vec<CodeElement<'_>>> {
    let mut added: Vec<Vec<&str>> = vec![Vec::new()];
    for first in &spell.flags {
        added.push(vec![first]);
        added.extend(
            spell
                .flags
                .iter()
                .map(|second| vec![first.as_str(), second]),
        );
    }
    if !spell.json.is_empty() {
        let asked = added.iter().map(|added| {
            let json = spell.json.iter().map(String::as_str);
            added.iter().copied().chain(json).collect()
        });
        let asked: Vec<Vec<&str>> = asked.collect();
        added.extend(asked);
    }
    let argv: Vec<CodeElement<'_>> = spell
        .argv
        .iter()
        .enumerate()
        .map(|(at, template)| CodeElement {
            start: template.start(),
            free: is_free(spell, template, |_| true),
            loose: is_free(spell, template, |arg| arg.pattern.is_none()),
            at: Some(at),
        })
        .collect();
    // Most commands are no interpreters, and permit many flags.
    let evaluates = spell
        .command
        .iter()
        .map(String::as_str)
        .chain(argv.iter().map(|element| element.start))
        .any(|word| interpreter(word).is_some() || wrapper_of(word).is_some());
    added.truncate(if evaluates { added.len() } else { 1 });
    let lines = added.into_iter().map(|added| {
        let words = spell.command.iter().map(String::as_str).chain(added);
        words.map(CodeElement::fixed).chain(argv.clone()).collect()
    });
    lines.collect()
}

/// Finds the elements that one command line would evaluate.
fn look(line: &[CodeElement<'_>], spell: &Spell) -> Vec<CodeFinding> {
    let mut found = Vec::new();
    let free_stdin = spell
        .stdin
        .as_ref()
        .is_some_and(|stdin| is_free(spell, stdin, |_| true));
    // The program, and what it runs if it is there to run another.
    let mut commands = vec![0];
    let mut at = 0;
    while let Some(wrapper) = wrapper_of(line[at].start) {
        let rest = line[at + 1..].iter().map(|element| element.start);
        let Some(next) = wrapper.runs(rest) else {
            break;
        };
        let name = line[at].start;
        at += 1 + next;
        if line[at].free {
            let what = format!("`{name}` would run what a caller names");
            found.push(CodeFinding {
                hint: NAMED,
                ..CodeFinding::of(&line[at], what)
            });
            break;
        }
        commands.push(at);
    }
    for (at, element) in line.iter().enumerate().filter(|(_, element)| !element.free) {
        if let Some(interpreter) = interpreter(element.start) {
            let tail = Tail {
                elements: &line[at + 1..],
                is_command: commands.contains(&at),
                // `docker exec box sh`, and not `highlight --syntax sh`.
                ends_line: at > 0
                    && at + 1 == line.len()
                    && (line[at - 1].start == "--" || !line[at - 1].start.starts_with('-')),
            };
            found.extend(tail.look(interpreter, free_stdin));
        }
    }
    found
}

/// The words behind an interpreter's name.
struct Tail<'t> {
    elements: &'t [CodeElement<'t>],
    /// It is what is run; otherwise it may be a word like any other.
    is_command: bool,
    /// It is the last word, and looks like what is run.
    ends_line: bool,
}

impl Tail<'_> {
    fn look(&self, interpreter: &Interpreter, free_stdin: bool) -> Option<CodeFinding> {
        let name = interpreter.names[0];
        let code = |element| {
            CodeFinding::of(
                element,
                format!("a caller's text would be code of `{name}`"),
            )
        };
        // Whether the next plain word is code; whether there is a script or code, so that plain words are its data.
        let (mut code_next, mut has_code) = (false, false);
        let (mut skip, mut options, mut words) = (false, true, 0);
        let mut reads_stdin = false;
        for element in self.elements {
            let text = element.start;
            if std::mem::take(&mut skip) {
                continue;
            }
            if options && text == "--" && !element.free {
                options = false;
                continue;
            }
            if options && !element.free && interpreter.takes_code(text) {
                code_next = true;
                continue;
            }
            if options && text.starts_with(['-', '+']) {
                if element.free {
                    if interpreter.attaches_code(text) {
                        return Some(code(element));
                    }
                    continue;
                }
                if matches!(text, "-s" | "-") {
                    (reads_stdin, has_code) = (true, true);
                }
                skip = interpreter.takes_value(text);
                continue;
            }
            if code_next {
                if element.free {
                    return Some(code(element));
                }
                (code_next, has_code) = (false, true);
                let ends = matches!(interpreter.reads, Reads::Script | Reads::Code);
                if ends && !interpreter.repeats {
                    break;
                }
                continue;
            }
            match interpreter.reads {
                Reads::Script | Reads::Code if has_code || !self.is_command => break,
                Reads::Script if element.free => {
                    let what = format!("a caller would choose what `{name}` runs");
                    return Some(CodeFinding::of(element, what));
                }
                Reads::Code if element.free => return Some(code(element)),
                Reads::Script | Reads::Code => {
                    has_code = true;
                    break;
                }
                Reads::Line(own) => {
                    words += 1;
                    // What stands behind it is quoted.
                    if text == ":::" {
                        break;
                    }
                    if self.is_command && element.free && words > own {
                        return Some(code(element));
                    }
                }
                Reads::Definitions if self.is_command && element.loose => {
                    return Some(CodeFinding {
                        hint: PATTERN,
                        ..code(element)
                    });
                }
                Reads::Definitions | Reads::Data => {}
            }
        }
        let from_stdin = interpreter.reads == Reads::Script && (!has_code || reads_stdin);
        (free_stdin && from_stdin && (self.is_command || self.ends_line)).then(|| CodeFinding {
            at: At::Stdin,
            what: format!("`{name}` would run what a caller writes to its standard input"),
            hint: BEHIND,
        })
    }
}

/// Fixed code in the spell that evaluates an argument's variable.
fn evaluated(spell: &Spell) -> Vec<CodeFinding> {
    let fixed = spell.command.iter().chain(&spell.flags);
    let argv = spell.argv.iter().enumerate();
    fixed
        .map(|text| (At::Command, text.clone()))
        .chain(argv.map(|(at, template)| (At::Argv(at), template.to_string())))
        .flat_map(|(at, text)| {
            misuses(&text, |variable| is_harmless(spell, variable))
                .into_iter()
                .filter(|misuse| misuse.evaluates)
                .map(move |Misuse { what, .. }| CodeFinding {
                    at,
                    what,
                    hint: BEHIND,
                })
        })
        .collect()
}

/// Returns true if a variable can only hold what no shell would evaluate.
pub(crate) fn is_harmless(spell: &Spell, variable: &str) -> bool {
    spell
        .args
        .iter()
        .flatten()
        .any(|arg| arg.variable() == variable && !arg.is_free() && arg.kind != ArgType::Path)
}
