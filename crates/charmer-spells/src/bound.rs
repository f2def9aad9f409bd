//! The rule on text: what a caller writes wants a bound wherever it is put. A program may take any text in an option's
//! value, in a query or on its standard input for more than data (`git -c {{x}}`, `split --filter={{x}}`, SQL in quotes),
//! and no list of programs could name them all.
//!
//! A bound is an `enum`, a `pattern`, a number, a switch or a path; text that is a whole element behind a literal `--` needs
//! none, because a program takes that for a plain word. A `--` directly behind an option may be that option's value (`git -c
//! -- {{x}}`) and counts only where the option is known to take none. Anywhere else the author says `free: true`. Spells were
//! written before there was this rule, so they are warned about and not refused.

use charmer_config::reading::Problems;
use charmer_core::tool::Template;

use crate::{
    parse::{At, Places},
    spell::{Arg, Spell},
    switches::may_take_next,
    wrappers::wrapper_of,
};

/// Advises on each place where a caller's text has no bound. What was `refused` has been said already.
pub(crate) fn rule(spell: &Spell, places: &Places, refused: &[At], problems: &mut Problems<'_>) {
    // Whoever lets text become code has said more than `free`.
    if spell.shell {
        return;
    }
    let mut line = ScriptLine::of(&spell.command);
    let mut found = Vec::new();
    for (at, template) in spell.argv.iter().enumerate() {
        let is_word = template.parts.len() == 1;
        if !(line.behind && is_word)
            && let Some(arg) = unbounded(spell, template)
        {
            let also = if is_word {
                line.advice()
            } else {
                String::new()
            };
            found.push((At::Argv(at), arg, also));
        }
        line.push(template.start());
    }
    let stdin = spell.stdin.as_ref();
    if let Some(arg) = stdin.and_then(|stdin| unbounded(spell, stdin)) {
        found.push((At::Stdin, arg, String::new()));
    }
    for (at, arg, also) in found {
        if refused.contains(&at) {
            continue;
        }
        let name = &arg.name;
        problems
            .advise(
                places.of(at),
                format!("`{name}` is any text of a caller's, and a program may take it for more than data here"),
            )
            .hint(format!(
                "give `{name}` a `pattern` or an `enum`{also}; if any text is meant, say `free: true` beside its name"
            ));
    }
}

/// A command line up to some element.
struct ScriptLine<'s> {
    program: &'s str,
    /// The last element.
    last: &'s str,
    /// Words that follow are plain words.
    behind: bool,
    /// The option that the last `--` may be the value of.
    swallowed_by: Option<&'s str>,
}

impl<'s> ScriptLine<'s> {
    fn of(command: &'s [String]) -> Self {
        let program = &command[0];
        let mut line = Self {
            program,
            last: program,
            behind: false,
            swallowed_by: None,
        };
        command[1..].iter().for_each(|word| line.push(word));
        line
    }

    /// Adds an element. An option behind `--` is another program's (`env -- git -c {{x}}`), and what follows it may be that
    /// option's value.
    fn push(&mut self, word: &'s str) {
        match word {
            "--" => {
                let may = may_take_next(self.program, self.last);
                self.swallowed_by = may.then_some(self.last);
                self.behind |= !may;
            }
            "-" => {}
            _ => self.behind &= !word.starts_with('-'),
        }
        self.last = word;
    }

    /// The advice on `--` for a place that follows, if it would help.
    fn advice(&self) -> String {
        if let Some(option) = self.swallowed_by {
            return format!(" (the `--` may be taken for the value of `{option}`)");
        }
        if self.last.starts_with('-') || wrapper_of(self.program).is_some() {
            return String::new();
        }
        ", or `--` as an element before it".to_owned()
    }
}

/// The first argument in a template that can be any text, and whose author has not said so.
fn unbounded<'s>(spell: &'s Spell, template: &Template) -> Option<&'s Arg> {
    let mut args = template.names().filter_map(|name| spell.arg(name));
    args.find(|arg| arg.is_unbounded() && !arg.free)
}
