//! The refusal of calls that may change something, where only reading is wanted.

use charmer_core::{
    call::{Bound, Given},
    model::{Effect, GivenEffect},
    tool::{FlagProperty, Tool},
};

use crate::CallError;

/// Refuses what may change something. `instead` is the tool that runs it all the same, where there is one.
pub(crate) fn only_reads(
    tool: &Tool,
    bound: &Bound,
    instead: Option<&str>,
) -> Result<(), CallError> {
    let done = bound.effect(tool);
    if done == Effect::Read {
        return Ok(());
    }
    let name = &tool.name;
    let given = bound.flags.iter().filter(|(_, given)| given.is_given());
    let given = given.filter_map(|(at, given)| Some((tool.input.flags.get(*at)?, given)));
    let raises = |flag: &FlagProperty, given: &Given| flag.effect_of(given) > Some(Effect::Read);
    let mut raising = given.filter(|(flag, given)| raises(flag, given));
    let or = |advice: String| match instead {
        Some(instead) => format!("run it with `{instead}`, or {advice}"),
        None => advice,
    };
    if let Some((property, _)) = raising.next() {
        let key = &property.key;
        let effect = property.flag.effect.as_ref();
        let (so, other) = match effect.is_none_or(GivenEffect::always_writes) {
            true => ("", ""),
            false => (" with this value", ", or with another value"),
        };
        let message = format!("`{name}` is not known to only read when `{key}` is given{so}");
        let hint = or(format!("without `{key}`{other}"));
        return Err(CallError::refused(message).hint(hint));
    }
    let why = match done {
        Effect::Destroy => "may delete or overwrite something",
        Effect::Write => "adds or changes something",
        _ => "is not known to change nothing",
    };
    let why = match tool.help.effect {
        Effect::Read => format!("{why} when it is called so"),
        _ => why.to_owned(),
    };
    let error = CallError::refused(format!("`{name}` {why}, and only what reads is run here"));
    let lowers = |property: &&FlagProperty| {
        let effect = property.flag.effect.as_ref();
        property.flag.previews.is_some()
            || effect.and_then(GivenEffect::worst) == Some(Effect::Read)
    };
    let reading = tool.input.flags.iter().find(lowers);
    Err(match (reading, instead) {
        (Some(property), _) => error.hint(or(format!("with `{}`, which only reads", property.key))),
        (None, Some(instead)) => error.hint(format!("run it with `{instead}`")),
        (None, None) => error,
    })
}
