//! `charmer export skill`: a SKILL.md that says which command to use when, for assistants that have a shell instead of MCP,
//! within a number of tokens.

use std::{collections::BTreeSet, fs, path::Path, sync::Arc};

use charmer_core::{
    expose::{ShownBecause, ToolCandidate, place},
    model::Effect,
    tool::{Tool, summary},
};
use serde_json::json;

use super::{
    ReadPrograms,
    skill_lines::{head, last_word, line, together},
};
use crate::{
    args::{ServedArgs, Showing, SkillArgs, Spells},
    commands::client_entry::server_name,
    output::{self, print_raw},
    problem::Problem,
    tokens,
};

/// The file of a skill.
const FILE: &str = "SKILL.md";
/// The most characters of a skill's name.
const NAME: usize = 64;
/// The effects in the order of their sections, with what is said of them.
const SECTIONS: [(Effect, &str, &str); 4] = [
    (Effect::Read, "Read", "These change nothing."),
    (
        Effect::Write,
        "Write",
        "These change something: run them when the task asks for it.",
    ),
    (
        Effect::Destroy,
        "Destroy",
        "These remove or overwrite: show the exact command line and get consent first.",
    ),
    (
        Effect::Unknown,
        "Not known",
        "What these do is not known: read their help, and take them for writing.",
    ),
];

pub(super) fn run(args: &SkillArgs) -> Result<(), Problem> {
    let folder = args.destination.file("");
    if let Some(folder) = folder.as_deref().filter(|folder| *folder != Path::new("")) {
        skill_name(folder)?;
        args.destination.check(&folder.join(FILE))?;
    }
    let programs = ReadPrograms::read(&ServedArgs {
        binaries: args.binaries.clone(),
        selection: args.selection.clone(),
        showing: Showing::default(),
        spells: Spells::default(),
        timeout: None,
        background_after: None,
    })?;
    let usual = slug(&server_name(&programs.settings));
    let folder = args.destination.file(usual.clone());
    let name = match &folder {
        Some(folder) => skill_name(folder)?,
        None => usual,
    };
    if let Some(folder) = &folder {
        args.destination.check(&folder.join(FILE))?;
    }
    let budget = usize::try_from(args.budget).unwrap_or(usize::MAX);
    let skill = Skill::new(name, &programs)?;
    let (text, named) = skill.within(budget)?;
    let Some(folder) = folder else {
        return print_raw(text.as_bytes());
    };
    fs::create_dir_all(&folder).map_err(|error| {
        Problem::failed(format!("`{}` cannot be made: {error}", folder.display()))
            .hint("check that you may write there")
    })?;
    let taken = tokens::count(&text);
    let all = skill.tools.len();
    let report = json!({
        "form": "skill",
        "name": skill.name,
        "tokens": taken,
        "commands": all,
        "named": named,
    });
    args.destination
        .write(&folder.join(FILE), text.as_bytes(), report)?;
    if !args.destination.json {
        output::show(&format!(
            "{named} of {all} commands in {taken} tokens.\nNext:\n  \
             put the folder where your assistant looks for skills, such as ~/.claude/skills"
        ));
    }
    Ok(())
}

/// The name of a skill, which is that of its folder.
fn skill_name(folder: &Path) -> Result<String, Problem> {
    let path = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    match !name.is_empty() && slug(&name) == name {
        true => Ok(name.into_owned()),
        false => Err(Problem::mistake(format!(
            "a skill is called as its folder is, and `{name}` is no name for one"
        ))
        .hint(format!(
            "use at most {NAME} lower-case letters, digits and hyphens, as in `-o {}`",
            folder.with_file_name(slug(&name)).display()
        ))),
    }
}

/// A text in the letters that names of skills have.
fn slug(text: &str) -> String {
    let lower = text.to_lowercase();
    let parts = lower.split(|c: char| !c.is_ascii_alphanumeric());
    let parts: Vec<&str> = parts.filter(|part| !part.is_empty()).collect();
    let mut slug = parts.join("-");
    slug.truncate(NAME);
    match slug.trim_end_matches('-') {
        "" => "skill".to_owned(),
        slug => slug.to_owned(),
    }
}

/// The amount that is said of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SkillDetail {
    Nothing,
    Name,
    Summary,
    /// And its arguments, and the flags that people use.
    Usage,
}

struct Skill {
    name: String,
    head: String,
    tools: Vec<Arc<Tool>>,
}

impl Skill {
    fn new(name: String, programs: &ReadPrograms) -> Result<Self, Problem> {
        let settings = &programs.settings;
        let read_only = |tool: &Tool| {
            let mut served = settings.programs.iter().zip(&programs.found);
            settings.selection.read_only
                || served.any(|(program, found)| {
                    let root = found.as_ref().map(|found| found.cli.root.name.as_str());
                    program.source.read_only && root == Some(&*tool.help.program)
                })
        };
        // Nothing keeps a shell from writing, so only what is known to read is named where only that is wanted.
        let tools = programs.assembled.tools.iter();
        let tools: Vec<Arc<Tool>> = tools
            .map(|served| Arc::clone(&served.tool))
            .filter(|tool| tool.help.effect == Effect::Read || !read_only(tool))
            .collect();
        if tools.is_empty() {
            return Err(Problem::mistake("no command is left for the skill")
                .hint(programs.assembler.loosen()));
        }
        let head = head(&name, programs, &tools);
        Ok(Self { name, head, tools })
    }

    /// The text within so many tokens, and how many commands it names. Every command is named before any is explained, as
    /// far as a third of the room goes: an assistant asks for the help of what it knows of. Then the most useful ones get
    /// their usage, and what is left goes to a summary of the others.
    fn within(&self, budget: usize) -> Result<(String, usize), Problem> {
        let mut said = vec![SkillDetail::Nothing; self.tools.len()];
        let frame = tokens::count(&self.text(&said));
        let mut room = budget.checked_sub(frame).ok_or_else(|| {
            Problem::mistake(format!(
                "what stands around the commands takes {frame} tokens alone"
            ))
            .hint("raise --budget")
        })?;
        // A line that says no more than the name is not worth a line.
        let cost = |tool: &Arc<Tool>, said: SkillDetail| match summary(tool).is_empty() {
            true => usize::MAX,
            false => tokens::count(&line(tool, said)) + 1,
        };
        let costs = |said: SkillDetail| -> Vec<usize> {
            let tools = self.tools.iter();
            tools.map(|tool| cost(tool, said)).collect()
        };
        let names = self.name_costs();
        let (summaries, usages) = (costs(SkillDetail::Summary), costs(SkillDetail::Usage));
        let candidates: Vec<ToolCandidate<'_>> = self
            .tools
            .iter()
            .map(|tool| ToolCandidate::new(tool))
            .collect();

        // Of several programs, too, the commands near their roots come first.
        let mut nearest: Vec<usize> = (0..said.len()).collect();
        nearest.sort_by_key(|at| self.tools[*at].path.words().len());
        let mut third = room / 3;
        for at in nearest {
            if names[at] <= third {
                third -= names[at];
                room -= names[at];
                said[at] = SkillDetail::Name;
            }
        }
        // The last third is for a line on each of as many others as fit.
        let useful = place(&candidates, room * 2 / 3, usize::MAX, |at| usages[at]);
        let also = place(&candidates, room, usize::MAX, |at| summaries[at]);
        let mut raise = |said: &mut Vec<SkillDetail>, at: usize, to: SkillDetail, cost: usize| {
            let before = if said[at] == SkillDetail::Name {
                names[at]
            } else {
                0
            };
            if said[at] < to && cost <= room + before {
                room = room + before - cost;
                said[at] = to;
            }
        };
        for at in (0..said.len()).filter(|at| useful[*at] == ShownBecause::Own) {
            raise(&mut said, at, SkillDetail::Usage, usages[at]);
        }
        for at in (0..said.len()).filter(|at| also[*at] == ShownBecause::Own) {
            raise(&mut said, at, SkillDetail::Summary, summaries[at]);
        }
        for (at, cost) in summaries.iter().enumerate() {
            raise(&mut said, at, SkillDetail::Summary, *cost);
        }
        // Tokens of lines do not quite add up to those of the text.
        loop {
            let text = self.text(&said);
            if tokens::count(&text) <= budget {
                let named = said
                    .iter()
                    .filter(|said| **said > SkillDetail::Nothing)
                    .count();
                return Ok((text, named));
            }
            let least = said
                .iter()
                .filter(|said| **said > SkillDetail::Nothing)
                .min()
                .copied();
            let last = said.iter().rposition(|one| Some(*one) == least);
            // What stands around them fits, as was seen before.
            let Some(last) = last else { break };
            said[last] = SkillDetail::Nothing;
        }
        Err(Problem::failed("no command fits into the skill").hint("raise --budget"))
    }

    /// The cost of each name beside others with the same beginning; the first of them brings that along.
    fn name_costs(&self) -> Vec<usize> {
        let mut begun = BTreeSet::new();
        let costs = self.tools.iter().map(|tool| {
            let words = tool.words();
            let (beginning, word) = last_word(&words);
            let new = begun.insert((tool.help.effect, beginning.to_owned()));
            let beginning = if new { tokens::count(beginning) + 3 } else { 0 };
            tokens::count(word) + 1 + beginning
        });
        costs.collect()
    }

    fn text(&self, said: &[SkillDetail]) -> String {
        let mut text = self.head.clone();
        let mut unnamed = 0;
        for (effect, title, meaning) in SECTIONS {
            let mut lines = String::new();
            let mut names = Vec::new();
            for (tool, said) in self.tools.iter().zip(said) {
                match said {
                    _ if tool.help.effect != effect => {}
                    SkillDetail::Nothing => unnamed += 1,
                    SkillDetail::Name => names.push(tool.words()),
                    SkillDetail::Summary | SkillDetail::Usage => {
                        lines.push_str(&line(tool, *said));
                        lines.push('\n');
                    }
                }
            }
            if lines.is_empty() && names.is_empty() {
                continue;
            }
            text.push_str(&format!("\n## {title}\n\n{meaning}\n\n{lines}"));
            if !names.is_empty() {
                text.push_str(&format!("- {}\n", together(&names)));
            }
        }
        if unnamed > 0 {
            text.push_str(&format!(
                "\n{unnamed} more commands are not named here for want of room: see the help.\n"
            ));
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use charmer_core::{
        model::{Cli, Command, Flag, Syntax},
        tool::{CatalogueOptions, catalogue},
    };

    use super::*;

    /// A program with so many commands.
    fn large(commands: usize) -> Skill {
        let root = (0..commands).fold(Command::new("depot").not_runnable(), |root, at| {
            let verb = ["list", "create", "delete"][at % 3];
            let effect = [Effect::Read, Effect::Write, Effect::Destroy][at % 3];
            let mut command = Command::new(format!("{verb}-{at}"))
                .about(format!(
                    "Goes through the goods of hall {at} and does to them what is said"
                ))
                .flag(Flag::new("hall").short('h').help("The hall"))
                .flag(Flag::new("quiet"));
            command.hints.effect = effect;
            root.command(command)
        });
        let cli = Cli::new(root, Syntax::pflag());
        Skill {
            name: "depot".into(),
            head: "---\nname: depot\n---\n".into(),
            tools: catalogue(&cli, &CatalogueOptions::default()).tools,
        }
    }

    #[test]
    fn the_budget_holds_whatever_the_program() {
        for commands in [1, 30, 400] {
            let skill = large(commands);
            for budget in [300, 500, 2000, 5000] {
                let (text, named) = skill.within(budget).expect("it fits");
                let taken = tokens::count(&text);
                assert!(taken <= budget, "{commands} in {budget}: {taken}");
                assert!(
                    named > 0 && named <= commands,
                    "{commands} in {budget}: {named}"
                );
                assert_eq!(text, skill.within(budget).expect("it fits").0);
                // What room there is, is used.
                assert!(
                    named == commands || taken * 10 > budget * 8,
                    "{commands} in {budget}: {taken}"
                );
            }
        }
        assert!(large(3).within(5).is_err());
    }

    #[test]
    fn effects_are_sections_and_what_is_missing_is_counted() {
        let (text, _) = large(3).within(2000).expect("it fits");
        let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what}: {text}"));
        assert!(place("## Read") < place("depot list-0"));
        assert!(place("depot list-0") < place("## Write"));
        assert!(place("## Destroy") < place("depot delete-2"));
        assert!(
            !text.contains("Not known") && !text.contains("more commands"),
            "{text}"
        );
        let (text, named) = large(400).within(500).expect("it fits");
        assert!(
            text.contains(&format!("{} more commands", 400 - named)),
            "{text}"
        );
    }

    #[test]
    fn names_are_those_of_folders() {
        assert_eq!(slug("Git_Hub--CLI"), "git-hub-cli");
        assert_eq!(slug("…"), "skill");
        assert_eq!(slug(&"a-".repeat(60)).len(), NAME - 1);
        assert_eq!(skill_name(Path::new("x/git")).ok().as_deref(), Some("git"));
        assert!(skill_name(Path::new("x/My Skill")).is_err());
    }
}
