//! Completion: of prompts' arguments, from choices or the program itself, and of the variables in resource templates.

use std::collections::HashMap;

use charmer_core::tool::{choices_of, completion_line};
use charmer_run::{Complete, Completer, Spool};
use rmcp::{
    ErrorData,
    model::{CompleteRequestParams, CompleteResult, CompletionInfo, Reference},
};

use crate::{
    pages_and_prompts::PagesAndPrompts,
    prompts::{self, PromptForm},
    resources::{HELP_TEMPLATE, SPOOL_TEMPLATE},
};

/// The source of completions.
pub(crate) enum Candidates {
    /// These.
    Known(Vec<String>),
    /// The program is to be asked; what it offers begins with this.
    Ask(Completer, Complete, String),
}

impl Candidates {
    /// Those that go on as the value begins.
    pub(crate) async fn answer(self, begun: &str) -> CompleteResult {
        let all = match self {
            Self::Known(all) => all,
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
        let total = u32::try_from(fitting.len()).ok();
        let more = fitting.len() > CompletionInfo::MAX_VALUES;
        fitting.truncate(CompletionInfo::MAX_VALUES);
        let info = CompletionInfo::with_pagination(fitting, total, more);
        CompleteResult::new(info.expect("there are no more than allowed"))
    }
}

/// Returns the source of completions for an argument.
pub(crate) fn candidates(
    pages_and_prompts: &PagesAndPrompts,
    spool: Option<(&Spool, &str)>,
    request: &CompleteRequestParams,
) -> Result<Candidates, ErrorData> {
    let argument = &request.argument;
    let given = request.context.as_ref();
    let given = given.and_then(|context| context.arguments.as_ref());
    match &request.r#ref {
        Reference::Prompt(prompt) => of_prompt(
            pages_and_prompts,
            &prompt.name,
            &argument.name,
            &argument.value,
            given,
        ),
        Reference::Resource(template) => {
            let program = given.and_then(|given| given.get("program"));
            let program = program.map(String::as_str);
            of_template(
                pages_and_prompts,
                spool,
                &template.uri,
                &argument.name,
                program,
            )
        }
        _ => Err(invalid(
            "only prompts and resource templates are completed".into(),
        )),
    }
}

fn of_prompt(
    pages_and_prompts: &PagesAndPrompts,
    name: &str,
    argument: &str,
    begun: &str,
    given: Option<&HashMap<String, String>>,
) -> Result<Candidates, ErrorData> {
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
        let value = |name: &str| given?.get(name).map(String::as_str);
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
) -> Result<Candidates, ErrorData> {
    let known = match (template, variable) {
        (HELP_TEMPLATE, "program") => pages_and_prompts.programs().into_keys().collect(),
        (HELP_TEMPLATE, "path") => {
            let programs = pages_and_prompts.programs().into_iter();
            let wanted = programs.filter(|(name, _)| program.is_none_or(|wanted| wanted == name));
            wanted.flat_map(|(_, paths)| paths).collect()
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

fn invalid(message: String) -> ErrorData {
    ErrorData::invalid_params(message, None)
}
