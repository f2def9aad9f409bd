//! Evidence in a command's own flags.

use crate::model::{Command, Effect, Flag, FlagValue};

use super::{
    evidence::{Case, EvidenceKind},
    nouns::{ACTING_FLAGS, ACTING_SWITCHES, BUILDING_FLAGS},
    words::kebab,
    writing::writing_flag,
};

/// The long names of a flag in one form, its own first.
pub(crate) fn names(flag: &Flag) -> Vec<String> {
    flag.long
        .iter()
        .chain(&flag.aliases)
        .map(|name| kebab(name))
        .filter(|name| !name.is_empty())
        .collect()
}

/// Weighs the flags of the last command of a lineage. Those of its ancestors say nothing: they are for all commands.
pub(crate) fn weigh(case: &mut Case, lineage: &[&Command]) {
    let Some((command, ancestors)) = lineage.split_last() else {
        return;
    };
    for flag in &command.flags {
        let switch = matches!(flag.value, FlagValue::None);
        let shown = flag.display_name();
        for name in names(flag) {
            if ACTING_SWITCHES.contains(&name.as_str()) {
                case.add(
                    EvidenceKind::Flag,
                    Effect::Write,
                    format!("it has `{shown}`, which only a command that acts needs"),
                );
            }
            if BUILDING_FLAGS.contains(&name.as_str()) {
                case.add(
                    EvidenceKind::Flag,
                    Effect::Write,
                    format!("it has `{shown}`, as commands that build have"),
                );
            }
            if let Some((_, destroys)) = ACTING_FLAGS.iter().find(|(acting, _)| *acting == name)
                && (switch || matches!(name.as_str(), "delete" | "unset" | "rename"))
            {
                // With a command that looks otherwise, it is not sure what the flag means.
                let effect = match (case.looks(), *destroys) {
                    (true, _) => Effect::Unknown,
                    (false, true) => Effect::Destroy,
                    (false, false) => Effect::Write,
                };
                case.add(EvidenceKind::Flag, effect, format!("it has `{shown}`"));
            }
        }
    }
    let inherited = ancestors
        .iter()
        .filter(|ancestor| !ancestor.subcommand_lifts_required)
        .flat_map(|ancestor| &ancestor.flags);
    for flag in command
        .flags
        .iter()
        .chain(inherited)
        .filter(|flag| flag.required)
    {
        if let Some(reason) = writing_flag(command, flag) {
            case.add(
                EvidenceKind::Flag,
                Effect::Write,
                format!(
                    "it does not run without `{}`: {reason}",
                    flag.display_name()
                ),
            );
        }
    }
}
