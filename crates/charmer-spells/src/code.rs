//! The rule on code: a caller's text is data, and does not become code of a shell or an interpreter unless the spell's
//! author says `shell: true`.
//!
//! A shell as the command is no problem by itself, because a caller can pass nothing but listed elements. What is refused
//! is a place for free text where an interpreter looks for code, or for the script to run, or on its standard input.

use charmer_config::reading::Problems;

use crate::{
    interpreters::{Interpreter, Reads, interpreter, is_wrapper},
    misuse::{Misuse, misuses},
    parse::Places,
    spell::{ArgType, Spell},
    template::Template,
};

/// An element of the command line, as far as it is known.
struct Element<'s> {
    /// Its text up to the first place that a caller fills in.
    start: &'s str,
    /// Whether a caller fills in free text.
    free: bool,
    /// Which element of `argv` it is.
    at: Option<usize>,
}

/// Notes where a caller's text would be evaluated.
pub(crate) fn rule(spell: &Spell, places: &Places, problems: &mut Problems<'_>) {
    let free = |template: &Template| {
        template
            .names()
            .any(|name| spell.arg(name).is_some_and(crate::spell::Arg::is_free))
    };
    let words = spell.command.iter().map(|word| Element {
        start: word,
        free: false,
        at: None,
    });
    let argv = spell.argv.iter().enumerate().map(|(at, template)| Element {
        start: template.start(),
        free: free(template),
        at: Some(at),
    });
    let line: Vec<Element<'_>> = words.chain(argv).collect();
    let mut found = Vec::new();
    for (at, element) in line.iter().enumerate() {
        let is_command = at == 0;
        if element.free {
            continue;
        }
        if let Some(interpreter) = interpreter(element.start) {
            let slot = spell.command.len();
            let stdin = is_command && spell.stdin.as_ref().is_some_and(free);
            let tail = Tail {
                elements: &line[at + 1..],
                // What a caller adds stands between the command and `argv`.
                added_before: slot.checked_sub(at + 1),
                added: &spell.flags,
                is_command,
            };
            found.extend(tail.look(interpreter, stdin));
        } else if is_command
            && is_wrapper(element.start)
            && let Some(first) = line[1..].iter().find(|next| !next.start.starts_with('-'))
            && first.free
        {
            found.push(Finding {
                at: first.at,
                what: format!("`{}` would run what a caller names", element.start),
            });
        }
    }
    found.extend(evaluated(spell));
    if spell.shell {
        if found.is_empty() {
            problems
                .advise(places.command.clone(), "`shell: true` is not needed here")
                .hint("remove it: no text of a caller's is evaluated");
        }
        return;
    }
    for finding in found {
        let place = match finding.at {
            Some(at) => places
                .argv
                .get(at)
                .cloned()
                .unwrap_or(places.command.clone()),
            None if !places.stdin.is_empty() && finding.what.contains("standard input") => {
                places.stdin.clone()
            }
            None => places.command.clone(),
        };
        problems.add(place, finding.what).hint(
            "pass it as an argument behind fixed code (`bash -c 'echo \"$1\"' -- {{x}}`) or read \
             \"$SPELL_ARG_X\" in quotes; if it is meant, say `shell: true`",
        );
    }
}

struct Finding {
    at: Option<usize>,
    what: String,
}

/// What follows an interpreter's name.
struct Tail<'t> {
    elements: &'t [Element<'t>],
    /// How many elements stand before those that a caller adds.
    added_before: Option<usize>,
    added: &'t [String],
    is_command: bool,
}

impl Tail<'_> {
    fn look(&self, interpreter: &Interpreter, free_stdin: bool) -> Vec<Finding> {
        let name = interpreter.names[0];
        let finding = |at, what: String| vec![Finding { at, what }];
        // Whether what comes next is code, and whether code or script is fixed, so that the rest is its data.
        let (mut code_next, mut fixed) = (false, false);
        let mut reads_stdin = false;
        let mut clear = |text: &str, code_next: &mut bool| {
            if interpreter.takes_code(text) {
                *code_next = true;
            }
            reads_stdin |= matches!(text, "-s" | "-");
        };
        for (at, element) in self.elements.iter().enumerate() {
            if Some(at) == self.added_before && !fixed {
                self.added
                    .iter()
                    .for_each(|flag| clear(flag, &mut code_next));
            }
            if fixed {
                break;
            }
            if element.free {
                let is_option = element.start.starts_with('-');
                if interpreter.attaches_code(element.start) || (!is_option && code_next) {
                    let what = format!("a caller's text would be code of `{name}`");
                    return finding(element.at, what);
                }
                if !is_option && self.is_command {
                    return finding(
                        element.at,
                        match interpreter.reads {
                            Reads::Script => format!("a caller would choose what `{name}` runs"),
                            Reads::Code => format!("a caller's text would be code of `{name}`"),
                        },
                    );
                }
            } else if element.start.starts_with('-') {
                clear(element.start, &mut code_next);
            } else if code_next || self.is_command {
                fixed = true;
            }
        }
        if !fixed && self.added_before == Some(self.elements.len()) {
            self.added
                .iter()
                .for_each(|flag| clear(flag, &mut code_next));
        }
        if free_stdin && interpreter.reads == Reads::Script && (!fixed || reads_stdin) {
            return finding(
                None,
                format!("`{name}` would run what a caller writes to its standard input"),
            );
        }
        Vec::new()
    }
}

/// Fixed code in the spell that evaluates an argument's variable.
fn evaluated(spell: &Spell) -> Vec<Finding> {
    let fixed = spell.command.iter().chain(&spell.flags);
    let argv = spell.argv.iter().enumerate();
    fixed
        .map(|text| (None, text.as_str()))
        .chain(argv.map(|(at, template)| (Some(at), template.start())))
        .flat_map(|(at, text)| {
            misuses(text, |variable| is_harmless(spell, variable))
                .into_iter()
                .filter(|misuse| misuse.evaluates)
                .map(move |Misuse { what, .. }| Finding { at, what })
        })
        .collect()
}

/// Whether a variable can only hold what no shell would evaluate.
pub(crate) fn is_harmless(spell: &Spell, variable: &str) -> bool {
    spell
        .args
        .iter()
        .flatten()
        .any(|arg| arg.variable() == variable && !arg.is_free() && arg.kind != ArgType::Path)
}
