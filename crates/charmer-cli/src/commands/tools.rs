//! `charmer tools`: what an assistant would get, and what it costs.

use std::process::ExitCode;

use charmer_core::{
    expose::{Expose, MOST_TOOLS, ShownBecause},
    model::Effect,
    text::shorten,
    tool::{Descriptions, Tool, estimate_tokens},
};
use charmer_run::{Exposed, Shown};
use charmer_server::ToolList;
use serde_json::json;

use crate::{
    args::ToolsArgs,
    assemble::{AssembledTools, Assembler, LeftOutCount, Purpose},
    commands::tool_groups::command_groups,
    kept_list::KeptList,
    output::{self, DIM, GREEN, RED, YELLOW, print, print_raw, styled, warn},
    problem::Problem,
    read::read,
    runtime,
    settings::Settings,
    spells,
    table::{Cell, Last, RowGroup, grouped},
    tokens,
    wrap::wrapped,
};

/// The maximum numbers of tools that clients take: Cursor the first, VS Code the second.
const CAPS: [usize; 2] = [40, 128];

pub(crate) fn run(args: &ToolsArgs) -> Result<ExitCode, Problem> {
    let mut settings = Settings::load(&args.binaries, &args.selection, &args.spells, None)?;
    settings.show(&args.showing)?;
    let found = runtime::block_on(read(&settings.programs, args.selection.refresh))?;
    let complete = found.iter().all(|found| found.complete);
    let found: Vec<_> = found.into_iter().map(Some).collect();
    let kept = KeptList::new(&settings);
    // Put together as for a server, so that the list is the server's own.
    let (assembler, warnings) = Assembler::new(settings, Purpose::Server);
    let assembled = assembler.assemble(&found)?;
    let exposed = assembler.offered(&assembled.tools, false);
    if let Some(book) = &assembler.spells {
        spells::warn_of(&book.problems());
    }
    for message in warnings.iter().chain(&assembled.warnings) {
        warn(message);
    }
    let listing = ToolList::of(&exposed.tools);
    if let Some(kept) = kept.filter(|_| complete) {
        kept.store(&listing);
    }
    let list = listing.to_answer();
    let count: fn(&str) -> usize = match args.tokens {
        true => tokens::count,
        false => estimate_tokens,
    };
    let costs = Costs {
        list: count(&list),
        instructions: count(assembler.instructions()),
        counted: args.tokens,
        count,
    };
    let text = match (args.json, args.tokens) {
        (true, false) => format!("{list}\n"),
        (true, true) => {
            let mut counts = counts(&exposed, &assembler, &costs);
            add_networks(&mut counts, &assembler, &assembled);
            counts["leftOut"] = json!(assembled.left_out);
            format!("{counts:#}\n")
        }
        (false, _) => {
            let width = output::width().filter(|_| args.output.is_none());
            let mut text = people(&exposed, &assembler, &costs, width);
            for count in &assembled.left_out {
                let line = left_out(count, args.selection.all_flags);
                text.push_str(&wrapped(&line, width, 2));
            }
            text
        }
    };
    match &args.output {
        Some(file) => {
            let plain = anstream::adapter::strip_str(&text).to_string();
            output::write(
                file,
                if args.json {
                    text.as_bytes()
                } else {
                    plain.as_bytes()
                },
            )?;
            let count = exposed.tools.listed().count();
            output::note(&format!("wrote {count} tools to `{}`", file.display()));
        }
        None if args.json => print_raw(text.as_bytes())?,
        None => print(&text)?,
    }
    within(args.max_tokens, &list, assembler.instructions())
}

/// Fails if more tokens are taken than may be.
fn within(most: Option<usize>, list: &str, instructions: &str) -> Result<ExitCode, Problem> {
    let Some(most) = most else {
        return Ok(ExitCode::SUCCESS);
    };
    let taken = tokens::count(list) + tokens::count(instructions);
    if taken <= most {
        return Ok(ExitCode::SUCCESS);
    }
    Err(Problem::failed(format!(
        "the list of tools takes {} tokens, which is more than {}",
        thousands(taken),
        thousands(most)
    ))
    .hint("lower --budget, choose --expose index or --descriptions short, or leave out commands with --deny"))
}

/// The tokens that the whole list takes.
struct Costs {
    list: usize,
    instructions: usize,
    /// It was counted, and not estimated.
    counted: bool,
    count: fn(&str) -> usize,
}

impl Costs {
    fn total(&self) -> usize {
        self.list + self.instructions
    }

    fn of(&self, tool: &Tool) -> usize {
        (self.count)(&tool.definition().to_string())
    }
}

/// The counts for programs.
fn counts(exposed: &Exposed, assembler: &Assembler, costs: &Costs) -> serde_json::Value {
    let meta =
        exposed.meta.iter().chain(&exposed.job).map(
            |tool| json!({"name": tool.name.as_str(), "shown": "meta", "tokens": costs.of(tool)}),
        );
    let commands = exposed.commands.iter().map(|shown| {
        let mut entry = json!({"name": shown.tool.name.as_str(), "shown": shown.place});
        if let Some(tokens) = listed_tokens(exposed, shown, costs) {
            entry["tokens"] = tokens.into();
        }
        entry
    });
    json!({
        "expose": assembler.exposure().mode,
        "budget": assembler.exposure().budget,
        "tokens": costs.total(),
        "instructions": costs.instructions,
        "tools": meta.chain(commands).collect::<Vec<_>>(),
    })
}

/// Adds what the programs and their commands may reach.
fn add_networks(counts: &mut serde_json::Value, assembler: &Assembler, assembled: &AssembledTools) {
    let programs = assembler.programs().iter().map(|program| {
        let granted = program.confinement.network_of(None);
        json!({
            "name": program.name(),
            "network": granted.word(),
            "networkFrom": granted.key(),
            "confine": program.confinement.mode,
            "profile": program.profiles.last().map(|known| known.from()),
        })
    });
    counts["programs"] = programs.collect();
    let tools = counts["tools"].as_array_mut().into_iter().flatten();
    for entry in tools {
        let name = entry["name"].as_str().unwrap_or_default();
        if let Some(granted) = assembled.networks.get(name) {
            entry["network"] = granted.word().into();
        }
    }
}

/// The tokens of a command's definition in the list; none if it is not there.
fn listed_tokens(exposed: &Exposed, shown: &Shown, costs: &Costs) -> Option<usize> {
    let own = shown.place.is_own();
    let served = exposed
        .tools
        .get(shown.tool.name.as_str())
        .filter(|_| own)?;
    Some(costs.of(served.shown()))
}

/// The amount that is left out of a program, and how to see why.
fn left_out(count: &LeftOutCount, all_flags: bool) -> String {
    let some = |number: usize, what: &str| match number {
        1 => format!("1 {what}"),
        _ => format!("{} {what}s", thousands(number)),
    };
    let LeftOutCount {
        program,
        flags,
        commands,
        refused_values,
        read_only,
    } = count;
    let mut parts = Vec::new();
    if *flags > 0 {
        let (flags, commands) = (some(*flags, "flag"), some(*commands, "command"));
        parts.push(format!("{flags} of {commands} left out"));
    }
    if *refused_values > 0 {
        let arguments = some(*refused_values, "argument");
        parts.push(format!("some values of {arguments} refused"));
    }
    // Flags that write do not come back where only reading is offered.
    let (option, how) = match (read_only, all_flags) {
        (true, _) => (" --read-only", ""),
        (false, true) => ("", ""),
        (false, false) => ("", "--all-flags offers them, "),
    };
    format!(
        "{program}: {} ({how}`charmer inspect {program}{option}` says why)\n",
        parts.join(", ")
    )
}

/// The table, the sums under it, and what to think of them.
fn people(exposed: &Exposed, assembler: &Assembler, costs: &Costs, width: Option<usize>) -> String {
    let all = exposed.meta.is_empty();
    let mut headings = vec!["TOOL", "EFFECT", "FLAGS", "TOKENS", "SHOWN", "WHAT IT DOES"];
    if all {
        headings.retain(|heading| *heading != "SHOWN");
    }
    let meta = exposed.meta.iter().chain(&exposed.job);
    let meta = meta.map(|tool| {
        let place = (!all).then(|| Cell::new("meta"));
        row(tool, Some(costs.of(tool)), place)
    });
    let meta = RowGroup {
        title: String::new(),
        rows: meta.collect(),
    };
    let groups = command_groups(exposed).into_iter().map(|group| {
        let rows = group.commands.iter().map(|shown| {
            let tokens = listed_tokens(exposed, shown, costs);
            row(&shown.tool, tokens, (!all).then(|| place_cell(shown.place)))
        });
        RowGroup {
            rows: rows.collect(),
            title: group.title(all),
        }
    });
    let groups: Vec<RowGroup> = std::iter::once(meta)
        .chain(groups)
        .filter(|group| !group.rows.is_empty())
        .collect();
    let mut text = if groups.is_empty() {
        String::new()
    } else {
        grouped(&headings, &groups, Last::Clipped, width)
    };
    text.push('\n');
    let mut sums = summary(exposed, assembler, costs);
    for program in assembler.programs() {
        let told = program.confinement.told(&program.source);
        let mode = program.confinement.mode.name();
        let profile = match program.profiles.last() {
            Some(known) => format!("; profile: {}", known.from()),
            None => String::new(),
        };
        sums.push_str(&format!(
            "{}: network: {told}; confine: {mode}{profile}\n",
            program.name()
        ));
    }
    let count = exposed.tools.listed().count();
    if let Some(warning) = too_many(count) {
        sums.push_str(&format!(
            "{} {warning}\n",
            styled(YELLOW.bold(), "warning:")
        ));
    }
    if groups.is_empty() {
        sums.push_str(&format!("No command is offered: {}.\n", assembler.loosen()));
    }
    text.push_str(&wrapped(&sums, width, 2));
    text
}

/// A summary of what is shown how, and what the budget bought.
fn summary(exposed: &Exposed, assembler: &Assembler, costs: &Costs) -> String {
    let about = if costs.counted { "" } else { "about " };
    let tokens = |count: usize| format!("{about}{}", thousands(count));
    let listed = exposed.tools.listed().count();
    let tools = if listed == 1 { "tool" } else { "tools" };
    let mut text = format!(
        "{listed} {tools}, {} tokens in an assistant's context (the list {}, the instructions {})\n",
        tokens(costs.total()),
        thousands(costs.list),
        thousands(costs.instructions),
    );
    let exposure = assembler.exposure();
    if exposed.meta.is_empty() {
        if exposure.mode == Expose::Auto && listed > 0 {
            let short = match exposed.descriptions {
                Descriptions::Full => "",
                Descriptions::Short => ", with short descriptions",
                _ => ", without descriptions",
            };
            text.push_str(&format!(
                "all commands are tools, because they fit the budget of {}{short}\n",
                thousands(exposure.budget)
            ));
        }
        return text;
    }
    let own = |shown: &&Shown| shown.place.is_own();
    let bought = exposed.commands.iter().filter(own).count();
    let all = exposed.commands.len();
    let meta: usize = exposed.meta.iter().map(|tool| costs.of(tool)).sum();
    text.push_str(&format!(
        "{} tools find, describe and run all {all} commands ({})",
        exposed.meta.len(),
        tokens(meta)
    ));
    text.push_str(&match (exposure.mode, bought) {
        (Expose::Auto, _) => {
            let full = bought + exposed.meta.len() >= MOST_TOOLS;
            let cap = if full {
                format!(" and {MOST_TOOLS} tools")
            } else {
                String::new()
            };
            format!(
                "; {bought} of them are tools of their own, within the budget of {}{cap}\n",
                thousands(exposure.budget)
            )
        }
        (_, 0) => "\n".to_owned(),
        (_, _) => format!("; {bought} of them are tools of their own\n"),
    });
    let whole: usize = exposed
        .commands
        .iter()
        .map(|shown| costs.of(&shown.tool))
        .sum();
    text.push_str(&format!(
        "with --expose all, each a tool, they would take {}\n",
        tokens(whole)
    ));
    let is_pinned = |shown: &Shown| shown.place == ShownBecause::Pinned;
    let pinned = exposed.commands.iter().any(is_pinned);
    if exposure.mode == Expose::Auto && pinned && costs.total() > exposure.budget {
        text.push_str(&format!(
            "{} what is pinned takes more than the budget\n",
            styled(YELLOW.bold(), "warning:")
        ));
    }
    text
}

fn row(tool: &Tool, tokens: Option<usize>, shown: Option<Cell>) -> Vec<Cell> {
    let about = tool.description.lines().next().unwrap_or_default();
    let about = about
        .strip_prefix(&format!("{}: ", tool.title))
        .or_else(|| about.strip_prefix(&format!("`{}`: ", tool.title)))
        .unwrap_or(about);
    let mut row = vec![
        tool.name.as_str().into(),
        effect_cell(tool.help.effect),
        Cell::number(tool.input.flags.len()),
        tokens.map_or_else(|| Cell::new(""), Cell::number),
    ];
    row.extend(shown);
    row.push(shorten(about, 160).into());
    row
}

fn place_cell(place: ShownBecause) -> Cell {
    match place {
        ShownBecause::Own => Cell::new("tool"),
        ShownBecause::Pinned => Cell::new("pinned"),
        ShownBecause::Hidden => Cell::new("hidden").style(DIM),
        _ => Cell::new("search").style(DIM),
    }
}

/// A command's effect, in one word.
pub(crate) fn effect_word(effect: Effect) -> &'static str {
    match effect {
        Effect::Read => "read",
        Effect::Write => "write",
        Effect::Destroy => "destroy",
        Effect::Unknown => "unknown",
    }
}

pub(crate) fn effect_cell(effect: Effect) -> Cell {
    let cell = Cell::new(effect_word(effect));
    match effect {
        Effect::Read => cell.style(GREEN),
        Effect::Write => cell.style(YELLOW),
        Effect::Destroy => cell.style(RED),
        Effect::Unknown => cell,
    }
}

fn too_many(count: usize) -> Option<String> {
    let cap = CAPS.into_iter().rev().find(|cap| count > *cap)?;
    Some(format!(
        "more than {cap} tools are more than {} take; choose --expose auto, or fewer with --allow, --deny or --read-only",
        if cap == CAPS[1] {
            "clients such as VS Code"
        } else {
            "some clients, such as Cursor,"
        }
    ))
}

fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caps_of_clients_are_told() {
        assert_eq!(too_many(40), None);
        assert!(too_many(41).is_some_and(|text| text.contains("more than 40")));
        assert!(too_many(129).is_some_and(|text| text.contains("more than 128")));
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let count = |flags, commands, refused_values| LeftOutCount {
            program: "ship".into(),
            flags,
            commands,
            refused_values,
            read_only: false,
        };
        assert_eq!(
            left_out(&count(12, 7, 0), false),
            "ship: 12 flags of 7 commands left out (--all-flags offers them, `charmer inspect ship` says why)\n"
        );
        let text = left_out(&count(1, 1, 1), false);
        assert!(text.contains("1 flag of 1 command left out, some values of 1 argument refused"));
    }

    #[test]
    fn numbers_are_readable() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(40007), "40,007");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
