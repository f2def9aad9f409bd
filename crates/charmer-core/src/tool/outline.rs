//! Commands described in few words: names, types and what matters most, within a number of tokens.

mod detail;
mod from_schema;
mod told_properties;

use crate::text::shorten;

use self::{
    detail::{Detail, STEPS, write_properties},
    told_properties::{ToldProperty, properties, share},
};
use super::{
    Tool,
    description::relations,
    estimate_tokens,
    example::{Example, examples},
    help::names_withheld,
    prose,
};

/// The greatest length that a summary may have.
const SUMMARY: usize = 120;
/// The tokens that are kept for the last line.
const LEGEND: usize = 20;

/// The first sentence on what a tool does, without the words of its command.
///
/// ```
/// use charmer_core::model::{Cli, Command, Syntax};
/// use charmer_core::tool::{CatalogueOptions, outline_line, catalogue, summary};
///
/// let sail = Command::new("sail").about("Leave the harbour. Mind the tide.");
/// let cli = Cli::new(Command::new("fleet").not_runnable().command(sail), Syntax::pflag());
/// let tool = catalogue(&cli, &CatalogueOptions::default()).tools.remove(0);
/// assert_eq!(summary(&tool), "Leave the harbour.");
/// assert_eq!(outline_line(&tool), "fleet_sail [unknown] Leave the harbour.");
/// ```
pub fn summary(tool: &Tool) -> String {
    let text = about(tool, usize::MAX);
    shorten(&prose::first_sentence(&text), SUMMARY)
}

/// A tool in one line: its name, its effect, what it does.
pub fn outline_line(tool: &Tool) -> String {
    let line = format!("{} [{}] {}", tool.name, effect(tool), summary(tool));
    line.trim_end().to_owned()
}

/// Several tools, for an assistant that is about to call them: what each does, and every argument with its type. Within
/// about `budget` tokens for each on average: what does not fit loses its prose first, then its layout, and never what is
/// required, or the name and type of an argument of its own.
///
/// ```
/// use charmer_core::model::{Cli, Command, Flag, Syntax};
/// use charmer_core::tool::{CatalogueOptions, outline, catalogue};
///
/// let sail = Command::new("sail")
///     .about("Leave the harbour")
///     .usage("sail SHIP")
///     .flag(Flag::new("speed").pflag("int").default_text("5").help("How fast, in knots (default 5)"))
///     .flag(Flag::new("quiet"));
/// let fleet = Command::new("fleet").not_runnable().flag(Flag::new("dry").global().help("Only pretend")).command(sail);
/// let tools = catalogue(&Cli::new(fleet, Syntax::pflag()), &CatalogueOptions::default()).tools;
/// assert_eq!(outline(&[&tools[0]], 500), "\
/// fleet_sail [unknown] fleet sail: Leave the harbour
///  ship*: string
///  speed=5: integer  How fast, in knots
///  quiet: boolean
/// Also, as every fleet command:
///  dry: boolean  Only pretend
/// (* required; = default)");
/// ```
pub fn outline(tools: &[&Tool], budget: usize) -> String {
    let mut of_tools: Vec<Vec<ToldProperty>> = tools.iter().map(|tool| properties(tool)).collect();
    let shared = share(tools, &mut of_tools);
    let told = tools.iter().zip(&of_tools);
    let mut parts: Vec<OutlinePart<'_>> = told
        .map(|(tool, of_tool)| OutlinePart::new(Head::Tool(tool), of_tool))
        .collect();
    let blocks = shared.iter();
    parts.extend(
        blocks.map(|block| OutlinePart::new(Head::Line(&block.heading), &block.properties)),
    );
    fitted(parts, budget.saturating_mul(tools.len()))
}

/// The arguments of a tool as [`outline`] tells them, for whoever got them wrong.
///
/// ```
/// use charmer_core::model::{Cli, Command, Flag, Syntax};
/// use charmer_core::tool::{CatalogueOptions, outline_input, catalogue};
///
/// let sail = Command::new("sail").flag(Flag::new("port").pflag("string").required().help("Where to"));
/// let tools = catalogue(&Cli::new(sail, Syntax::pflag()), &CatalogueOptions::default()).tools;
/// assert_eq!(outline_input(&tools[0], 300), " port*: string  Where to\n(* required)");
/// ```
pub fn outline_input(tool: &Tool, budget: usize) -> String {
    let of_tool = properties(tool);
    fitted(vec![OutlinePart::new(Head::Input(tool), &of_tool)], budget)
}

/// The heading above properties.
enum Head<'a> {
    /// All that is to be said of a tool.
    Tool(&'a Tool),
    /// Only what its input must keep to.
    Input(&'a Tool),
    /// A line.
    Line(&'a str),
}

/// A piece of the answer, in as much detail as there is room for.
struct OutlinePart<'a> {
    head: Head<'a>,
    properties: &'a [ToldProperty],
    examples: Vec<Example>,
    step: usize,
    text: String,
    tokens: usize,
}

impl<'a> OutlinePart<'a> {
    fn new(head: Head<'a>, properties: &'a [ToldProperty]) -> Self {
        let examples = match head {
            Head::Tool(tool) => telling_examples(tool).collect(),
            Head::Input(_) | Head::Line(_) => Vec::new(),
        };
        let mut part = Self {
            head,
            properties,
            examples,
            step: 0,
            text: String::new(),
            tokens: 0,
        };
        part.write();
        part
    }

    fn write(&mut self) {
        let detail = &STEPS[self.step];
        let mut text = match self.head {
            Head::Tool(tool) => head_of(tool, detail),
            Head::Input(_) => String::new(),
            Head::Line(line) => format!("{line}\n"),
        };
        write_properties(&mut text, self.properties, detail, 1);
        if let Head::Tool(tool) | Head::Input(tool) = self.head {
            if self.properties.is_empty() {
                text.push_str(" No arguments.\n");
            }
            let relations = relations(&tool.input).replace('`', "");
            if !relations.is_empty() {
                text.push_str(&format!(" {relations}\n"));
            }
        }
        for example in self.examples.iter().take(detail.examples) {
            let line = shorten(&example.command_line, detail.example);
            text.push_str(&format!(" e.g. {line}\n"));
        }
        self.tokens = estimate_tokens(&text);
        self.text = text;
    }
}

/// The parts in less and less detail, the longest first, until they fit or there is nothing left to leave out.
fn fitted(mut parts: Vec<OutlinePart<'_>>, budget: usize) -> String {
    loop {
        let total: usize = parts.iter().map(|part| part.tokens).sum();
        let left = parts.iter_mut().filter(|part| part.step + 1 < STEPS.len());
        let longest = left.max_by_key(|part| part.tokens);
        // An estimate can be a little low.
        let likely = total + total / 16 + LEGEND;
        let Some(longest) = longest.filter(|_| likely > budget) else {
            break;
        };
        longest.step += 1;
        longest.write();
    }
    let mut text: String = parts.iter().map(|part| part.text.as_str()).collect();
    let any = |found: fn(&ToldProperty) -> bool| {
        let mut all = parts.iter().flat_map(|part| part.properties);
        all.any(|property| property.any(found))
    };
    let folded = |part: &OutlinePart<'_>| {
        STEPS[part.step].fold && (part.text.contains("-{") || part.text.contains("_{"))
    };
    let legend = [
        (any(|property| property.required), "* required"),
        (any(|property| property.default.is_some()), "= default"),
        (parts.iter().any(folded), "a-{b, c} = a-b, a-c"),
    ];
    let legend: Vec<&str> = legend
        .iter()
        .filter(|(on, _)| *on)
        .map(|(_, told)| *told)
        .collect();
    if !legend.is_empty() {
        text.push_str(&format!("({})", legend.join("; ")));
    }
    text.trim_end().to_owned()
}

/// Its name, its effect, and what it does.
fn head_of(tool: &Tool, detail: &Detail) -> String {
    let words = match tool.input.levels.is_empty() {
        true => String::new(),
        false => format!(" {}:", tool.words()),
    };
    let about = about(tool, detail.about);
    let line = format!("{} [{}]{words} {about}", tool.name, effect(tool));
    format!("{}\n", line.trim_end().trim_end_matches(':'))
}

/// A tool's purpose: the first paragraph that says so, as much of it as fits.
pub(super) fn about(tool: &Tool, limit: usize) -> String {
    let text = tool.help.text.as_deref().unwrap_or_default();
    let mut paragraphs = text.trim().split("\n\n").filter(|paragraph| {
        let aside = paragraph.starts_with(['#', '>', '*']) || {
            let start = paragraph.get(..8).unwrap_or_default().to_lowercase();
            start.starts_with("note:") || start.starts_with("warning:")
        };
        !aside && !names_withheld(&tool.input, paragraph)
    });
    let first = paragraphs.next();
    prose::opening(first.unwrap_or_default(), limit)
}

/// The examples that show more than the command's own words.
pub(super) fn telling_examples(tool: &Tool) -> impl Iterator<Item = Example> {
    let words = tool.words();
    let examples = examples(tool).into_iter();
    examples.filter(move |example| example.command_line != words)
}

fn effect(tool: &Tool) -> &'static str {
    tool.help.effect.name()
}
