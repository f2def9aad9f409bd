//! Completion: of prompts' arguments, from choices or the program itself, and of the variables in resource templates.

use charmer_core::order;
#[cfg(feature = "prompts")]
use charmer_core::tool::{choices_of, completion_line};
use charmer_run::Spool;
#[cfg(feature = "prompts")]
use charmer_run::{Complete, Completer};
use serde_json::{Map, Value, json};

#[cfg(feature = "prompts")]
use crate::prompts::{self, PromptForm};
use crate::{
    pages_and_prompts::PagesAndPrompts,
    protocol::{CompleteParams, Completed, RpcError},
    resources::{HELP_TEMPLATE, SPOOL_TEMPLATE},
};

/// The number of values that an answer may have.
const MOST: usize = 100;

/// The source of completions.
pub(crate) enum Candidates {
    /// These.
    Known(Vec<String>),
    /// The program is to be asked; what it offers begins with this.
    #[cfg(feature = "prompts")]
    Ask(Completer, Complete, String),
}

impl Candidates {
    /// Those that go on as the value begins.
    pub(crate) async fn answer(self, begun: &str) -> Map<String, Value> {
        let all = match self {
            Self::Known(all) => all,
            #[cfg(feature = "prompts")]
            Self::Ask(completer, question, prefix) => {
                let offered = completer.ask(question).await.into_iter();
                let bare = |word: String| match word.strip_prefix(&prefix) {
                    Some(rest) => rest.to_owned(),
                    None => word,
                };
                offered.map(bare).collect()
            }
        };
        let mut fitting: Vec<String> = all.into_iter().filter(|c| c.starts_with(begun)).collect();
        let total = fitting.len();
        fitting.truncate(MOST);
        let completion = json!({"values": fitting, "total": total, "hasMore": total > MOST});
        Map::from_iter([(String::from("completion"), completion)])
    }
}

/// Returns the source of completions for an argument.
pub(crate) fn candidates(
    pages_and_prompts: &PagesAndPrompts,
    spool: Option<(&Spool, &str)>,
    request: &CompleteParams,
) -> Result<Candidates, RpcError> {
    match &request.of {
        #[cfg(not(feature = "prompts"))]
        Completed::Prompt(name) => Err(invalid(format!("unknown prompt `{name}`"))),
        #[cfg(feature = "prompts")]
        Completed::Prompt(name) => of_prompt(pages_and_prompts, name, request),
        Completed::Template(template) => {
            let program = request.given.get("program").and_then(Value::as_str);
            of_template(
                pages_and_prompts,
                spool,
                template,
                &request.argument,
                program,
            )
        }
    }
}

#[cfg(feature = "prompts")]
fn of_prompt(
    pages_and_prompts: &PagesAndPrompts,
    name: &str,
    request: &CompleteParams,
) -> Result<Candidates, RpcError> {
    let (argument, begun) = (request.argument.as_str(), request.begun.as_str());
    let prompt = prompts::find(pages_and_prompts, name)?;
    let arguments = prompt.arguments();
    let Some(known) = arguments.iter().find(|known| known.name == argument) else {
        return Err(invalid(format!(
            "the prompt `{name}` has no argument `{argument}`"
        )));
    };
    let choices = known.key.map(|key| choices_of(&prompt.tool, key));
    let choices = choices.unwrap_or_default();
    let served = pages_and_prompts.set.get(prompt.tool.name.as_str());
    let completer = served.and_then(|served| served.completer.clone());
    if let (true, Some(completer), PromptForm::Example(example)) =
        (choices.is_empty(), completer, &prompt.form)
    {
        let value = |name: &str| request.given.get(name)?.as_str();
        if let Some(line) = completion_line(&prompt.tool, example, argument, begun, value) {
            let question = Complete::new(line.words, format!("{}{begun}", line.prefix));
            return Ok(Candidates::Ask(completer, question, line.prefix));
        }
    }
    Ok(Candidates::Known(
        choices.into_iter().map(str::to_owned).collect(),
    ))
}

fn of_template(
    pages_and_prompts: &PagesAndPrompts,
    spool: Option<(&Spool, &str)>,
    template: &str,
    variable: &str,
    program: Option<&str>,
) -> Result<Candidates, RpcError> {
    let known = match (template, variable) {
        (HELP_TEMPLATE, "program") => {
            let programs = pages_and_prompts.paths().map(|(program, _)| program);
            let mut programs: Vec<String> = programs.map(str::to_owned).collect();
            order::sort(&mut programs);
            programs.dedup();
            programs
        }
        (HELP_TEMPLATE, "path") => {
            let mut paths: Vec<(&str, &str)> = pages_and_prompts.paths().collect();
            paths.retain(|(name, path)| {
                !path.is_empty() && program.is_none_or(|wanted| wanted == *name)
            });
            order::sort_by_key(&mut paths, |(name, _)| *name);
            paths.iter().map(|(_, path)| (*path).to_owned()).collect()
        }
        (SPOOL_TEMPLATE, "id") if spool.is_some() => spool
            .map(|(spool, principal)| spool.ids(principal))
            .unwrap_or_default(),
        // Numbers and patterns can be anything.
        (SPOOL_TEMPLATE, "offset" | "length" | "grep") => Vec::new(),
        (HELP_TEMPLATE | SPOOL_TEMPLATE, _) => {
            return Err(invalid(format!(
                "`{template}` has no variable `{variable}`"
            )));
        }
        _ => {
            return Err(invalid(format!("unknown resource template `{template}`")));
        }
    };
    Ok(Candidates::Known(known))
}

fn invalid(message: String) -> RpcError {
    RpcError::invalid_params(message)
}
