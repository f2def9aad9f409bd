//! Python's click and typer: `Usage: tool [OPTIONS] COMMAND [ARGS]...`, with rows or with rich's boxes.

mod boxes;
mod option;
mod page;
mod probe;
mod usage;

use charmer_core::model::{Arguments, CommandPath, DoubleDash, Syntax};

use super::{Asker, Family, Page, Refining, Signs};
use crate::{
    fact::{Fact, Origin},
    help::first_sentence,
    sketch::{ChildSketch, CommandSketch},
};

/// Programs that parse their command line with click, or with typer, which is built on it.
#[derive(Default)]
pub(crate) struct Click {
    questions: probe::ClickQuestions,
}

impl Family for Click {
    fn name(&self) -> &'static str {
        "click"
    }

    fn recognise(&self, signs: &Signs<'_>) -> u8 {
        let text = signs.text();
        let Some(page) = page::read(text) else {
            return 0;
        };
        // The library's own words on `--help` are enough; where they were replaced, several other marks are. It stays
        // below a family that is known by the program's file.
        let mut score = 0;
        if text.contains("Show this message and exit.") {
            score += 50;
        }
        if page.usage.contains("[OPTIONS]") {
            score += 15;
        }
        if page.usage.contains("[ARGS]...") {
            score += 25;
        }
        if boxes::are_in(text) {
            score += 20;
        }
        if signs.binary.is_python_script() {
            score += 10;
        }
        if score < 40 { 0 } else { score.min(95) }
    }

    fn takes_flags_again(&self) -> bool {
        true
    }

    // What is listed and is none answers with the usage of its parent and is left out for that.
    fn lists_only_commands(&self) -> bool {
        true
    }

    fn syntax(&self) -> Syntax {
        Syntax::getopt().double_dash(DoubleDash::Neutral)
    }

    fn read(&self, page: &Page<'_>) -> Option<CommandSketch> {
        if !page.path.is_root() && !page.answer.succeeded() {
            return None;
        }
        let sketch = sketch(&page::read(page.text())?, page.path)?;
        if page.path.is_root() {
            self.questions.begin(page.program, &sketch);
        }
        Some(sketch)
    }

    fn refine<'a>(&'a self, asker: &'a Asker<'a>, sketch: &'a mut CommandSketch) -> Refining<'a> {
        Box::pin(self.questions.ask(asker, sketch))
    }
}

/// The command as a page describes it; `None` if it is another's.
fn sketch(page: &page::ClickPage, path: &CommandPath) -> Option<CommandSketch> {
    let usage = usage::read(&page.usage, path)?;
    let mut sketch = CommandSketch::new(path.clone());
    if path.is_root() {
        sketch.program = usage.program;
    }
    for flag in &page.flags {
        sketch.add_flag(flag.clone());
    }
    for section in &page.lists {
        let named = section.heading.to_lowercase();
        if named == "arguments" {
            continue;
        }
        // Rows of other headings are commands too where there are any: typer's panels, click's own sections.
        if usage.has_commands || named.contains("command") {
            sketch.add_children(section.rows.iter().map(|row| ChildSketch {
                name: row.name.clone(),
                aliases: row.aliases.clone(),
                about: (!row.text.is_empty()).then(|| Fact::new(row.text.clone(), Origin::Help)),
                listed: Some(Fact::new(section.heading.to_string(), Origin::Help)),
                ..ChildSketch::default()
            }));
        }
    }
    let mut positionals = usage.positionals;
    let rows = page
        .lists
        .iter()
        .filter(|list| list.heading.eq_ignore_ascii_case("arguments"));
    for row in rows.flat_map(|list| &list.rows) {
        usage::describe(&mut positionals, row);
    }
    sketch.arguments = Some(Fact::with(
        Arguments::Listed(positionals),
        Origin::Usage,
        80,
    ));
    if usage.runs_alone && !sketch.children.is_empty() {
        sketch.runnable = Some(Fact::new(true, Origin::Usage));
    }
    sketch.usage = Some(Fact::new(page.usage.clone(), Origin::Usage));
    if let Some(reason) = option::deprecation(first_sentence(&page.description).as_str()) {
        sketch.deprecated = Some(Fact::new(reason, Origin::Help));
    }
    if !page.description.is_empty() {
        let about = first_sentence(&page.description);
        sketch.about = Some(Fact::new(about, Origin::Help));
        sketch.long_about = Some(Fact::new(page.description.clone(), Origin::Help));
    }
    Some(sketch)
}

#[cfg(test)]
mod tests;
