//! Advice to the author of a spell on things that are no mistakes.

use std::{collections::BTreeSet, fs::File, io::Read as _, path::Path};

use charmer_config::reading::Problems;
use charmer_core::{model::Effect, output::clean};

use crate::{
    caller_code::is_harmless,
    interpreters::{Reads, interpreter},
    misuse::misuses,
    parse::Places,
    spell::Spell,
};

/// The number of bytes of a script that are looked at.
const SCRIPT_BYTES: u64 = 256 << 10;

/// Looks at a spell as it is written.
pub(crate) fn advise(spell: &Spell, places: &Places, problems: &mut Problems<'_>) {
    if !spell.can_run() {
        problems
            .advise(
                places.paths.clone(),
                "this spell can never run: it has no `paths`, which are the folders that it may run in",
            )
            .hint("write `paths: [.]` for the folder that holds `spells/`");
    }
    let shown = [
        (&spell.command, &places.command),
        (&spell.flags, &places.flags),
        (&spell.json, &places.json),
    ];
    for (texts, place) in shown {
        if texts.iter().any(|text| clean(text) != text.as_str()) {
            problems
                .advise(
                    place.clone(),
                    "there are characters here that cannot be seen or that hide others",
                )
                .hint("remove them: whoever reads the file sees something else than what is run");
        }
    }
    if spell.effect == Effect::Read && spell.confine == Some(false) {
        problems
            .advise(
                places.confine.clone(),
                "`confine: false` lets a spell write that says `effect: read`",
            )
            .hint("remove it, and add what the program has to read to `paths`; a read-only server leaves the spell out");
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = spell.flags.iter().find(|flag| !seen.insert(flag.as_str())) {
        problems
            .advise(
                places.flags.clone(),
                format!("`{twice}` is permitted twice"),
            )
            .hint("remove one");
    }
    if let Some(joined) = spell
        .flags
        .iter()
        .find(|flag| flag.starts_with('-') && flag.contains(' '))
    {
        problems
            .advise(
                places.flags.clone(),
                format!("`{joined}` is one element: the program gets it with its space"),
            )
            .hint("an option and its value are two entries of the list, or one with `=`");
    }
    if let Some(interpreter) = interpreter(&spell.command[0])
        && spell.command.len() == 1
        && spell.argv.is_empty()
    {
        let code = spell.flags.iter().any(|flag| interpreter.takes_code(flag));
        let text = spell.flags.iter().any(|flag| !flag.starts_with('-'));
        if interpreter.reads == Reads::Script && !text {
            let message = if code {
                "a permitted option wants code, and no code is permitted"
            } else {
                "there is nothing to run: an interpreter without a script reads from nowhere"
            };
            problems.advise(places.command.clone(), message).hint(
                "write the script into the command (`command: bash scripts/report.sh`) or the code into `argv`",
            );
        }
    }
    let argv = spell.argv.iter().map(ToString::to_string);
    let fixed = spell.command.iter().chain(&spell.flags);
    let fixed = fixed.chain(&spell.json).cloned();
    for text in fixed.chain(argv) {
        for misuse in misuses(&text, |name| is_harmless(spell, name)) {
            if !misuse.evaluates || spell.shell {
                problems
                    .advise(places.command.clone(), misuse.what)
                    .hint("write \"$SPELL_ARG_X\" in double quotes, and never evaluate it");
            }
        }
    }
}

/// Advice on the arguments in a script of this spell, line by line. Relative paths are relative to `folder`.
pub(crate) fn script_advice(spell: &Spell, folder: &Path) -> Vec<String> {
    let candidates = spell
        .command
        .iter()
        .filter(|word| word.contains(['/', '.']));
    let working = spell.paths.first().map(|path| folder.join(path));
    let folders: Vec<&Path> = [Some(folder), working.as_deref()]
        .into_iter()
        .flatten()
        .collect();
    let mut advice = Vec::new();
    for word in candidates {
        let Some(text) = folders.iter().find_map(|folder| script(&folder.join(word))) else {
            continue;
        };
        for misuse in misuses(&text, |name| is_harmless(spell, name)) {
            advice.push(format!("{word}:{}: {}", misuse.line + 1, misuse.what));
        }
    }
    advice
}

/// A file that is text.
fn script(path: &Path) -> Option<String> {
    let file = path
        .metadata()
        .ok()?
        .is_file()
        .then(|| File::open(path).ok())??;
    let mut text = String::new();
    file.take(SCRIPT_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
