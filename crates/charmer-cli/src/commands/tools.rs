//! `charmer tools`: what an assistant would get.

use std::process::ExitCode;

use charmer_core::{model::Effect, text::shorten, tool::estimate_tokens};
use charmer_server::Listing;

use crate::{
    args::ToolsArgs,
    assemble::{Assembled, Assembler, Listed, Purpose},
    kept_list::KeptList,
    output::{self, GREEN, RED, YELLOW, print, print_raw, styled, warn},
    problem::Problem,
    read::read,
    runtime,
    settings::Settings,
    spells,
    table::{Cell, table},
};

/// How many tools clients take: Cursor the first, VS Code the second.
const CAPS: [usize; 2] = [40, 128];

pub(crate) fn run(args: &ToolsArgs) -> Result<ExitCode, Problem> {
    let settings = Settings::load(&args.binaries, &args.selection, &args.spells, None)?;
    let found = runtime::block_on(read(&settings.programs, args.selection.refresh))?;
    let found: Vec<_> = found.into_iter().map(Some).collect();
    let kept = KeptList::new(&settings);
    // Put together as for a server, so that the list is the server's own.
    let (assembler, warnings) = Assembler::new(settings, Purpose::Server);
    let mut assembled = assembler.assemble(&found)?;
    assembled.tools = assembler.offered(&assembled.tools);
    if let Some(book) = &assembler.spells {
        spells::warn_of(&book.problems());
        assembled.listed.extend(spells::listed(book));
    }
    for message in warnings.iter().chain(&assembled.warnings) {
        warn(message);
    }
    let listing = Listing::of(&assembled.tools);
    if let Some(kept) = kept {
        kept.store(&listing);
    }
    let json = listing.to_answer();
    let text = if args.json {
        format!("{json}\n")
    } else {
        let width = output::width().filter(|_| args.output.is_none());
        people(&assembled, &json, width)
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
            let count = assembled.tools.listed().count();
            output::note(&format!("wrote {count} tools to {}", file.display()));
        }
        None if args.json => print_raw(text.as_bytes())?,
        None => print(&text)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The table, the sums under it, and what to think of them.
fn people(assembled: &Assembled, json: &str, width: Option<usize>) -> String {
    let rows: Vec<Vec<Cell>> = assembled.listed.iter().map(row).collect();
    let mut text = if rows.is_empty() {
        String::new()
    } else {
        table(
            &["TOOL", "EFFECT", "FLAGS", "TOKENS", "WHAT IT DOES"],
            &rows,
            width,
        )
    };
    let count = assembled.tools.listed().count();
    let tools = if count == 1 { "tool" } else { "tools" };
    text.push_str(&format!(
        "\n{count} {tools}, about {} tokens in an assistant's context",
        thousands(estimate_tokens(json))
    ));
    text.push('\n');
    if let Some(warning) = too_many(count) {
        text.push_str(&format!(
            "{} {warning}\n",
            styled(YELLOW.bold(), "warning:")
        ));
    }
    if rows.is_empty() {
        text.push_str("No command is offered: loosen --allow, --deny or --read-only.\n");
    }
    text
}

fn row(listed: &Listed) -> Vec<Cell> {
    let tool = &listed.tool;
    let about = tool.description.lines().next().unwrap_or_default();
    let about = about
        .strip_prefix(&format!("{}: ", tool.title))
        .or_else(|| about.strip_prefix(&format!("`{}`: ", tool.title)))
        .unwrap_or(about);
    vec![
        tool.name.as_str().into(),
        effect_cell(listed.effect),
        Cell::number(tool.input.flags.len()),
        Cell::number(estimate_tokens(&tool.definition().to_string())),
        shorten(about, 160).into(),
    ]
}

/// What a command does, in one word.
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
        "more than {cap} tools are more than {} take; choose with --allow, --deny or --read-only",
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
    fn numbers_are_readable() {
        assert_eq!(thousands(7), "7");
        assert_eq!(thousands(40007), "40,007");
        assert_eq!(thousands(1_234_567), "1,234,567");
    }
}
