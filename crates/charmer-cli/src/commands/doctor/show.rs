//! Findings as people read them: grouped by client and server, a mark for each, and what to run beneath.

use serde_json::{Value, json};

use crate::{
    clients::at_home,
    output::{BOLD, DIM, GREEN, RED, YELLOW, styled},
    wrap::wrapped,
};

use super::finding::{DoctorFinding, EntryPlace, Health};

/// The width of the column that says what a finding is about.
const ABOUT: usize = 9;
/// The indentation of what belongs to a finding: below its message.
const BENEATH: usize = 4 + ABOUT;

/// Everything that was found, and what to do next.
pub(super) struct DoctorReport {
    pub(super) findings: Vec<DoctorFinding>,
    /// The next step of a person without any server.
    pub(super) hint: Option<String>,
}

impl DoctorReport {
    /// Returns true if nothing has to be mended.
    pub(super) fn is_ok(&self) -> bool {
        self.count(Health::Problem) == 0
    }

    fn count(&self, level: Health) -> usize {
        let of = self
            .findings
            .iter()
            .filter(|finding| finding.level == level);
        of.count()
    }

    pub(super) fn to_json(&self) -> Value {
        let mut report = json!({"ok": self.is_ok(), "findings": self.findings});
        if let Some(hint) = &self.hint {
            report["hint"] = hint.as_str().into();
        }
        report
    }

    pub(super) fn to_text(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        let mut place: Option<&EntryPlace> = None;
        for finding in &self.findings {
            if place != Some(&finding.place) {
                place = Some(&finding.place);
                if !text.is_empty() {
                    text.push('\n');
                }
                text.push_str(&wrapped(&title(&finding.place), width, 2));
                text.push('\n');
            }
            text.push_str(&lines(finding, width));
        }
        text.push('\n');
        text.push_str(&self.sum());
        text.push('\n');
        if let Some(hint) = &self.hint {
            text.push_str(&wrapped(hint, width, 0));
            text.push('\n');
        }
        text
    }

    fn sum(&self) -> String {
        let counted = |count: usize, what: &str| match count {
            1 => format!("1 {what}"),
            _ => format!("{count} {what}s"),
        };
        let warnings = counted(self.count(Health::Warning), "warning");
        match (self.count(Health::Problem), self.count(Health::Warning)) {
            (0, 0) => styled(GREEN.bold(), "All is well."),
            (0, _) => format!("{} {warnings}.", styled(GREEN.bold(), "It works.")),
            (problems, 0) => format!("{}.", styled(RED.bold(), counted(problems, "problem"))),
            (problems, _) => {
                let problems = styled(RED.bold(), counted(problems, "problem"));
                format!("{problems}, {warnings}.")
            }
        }
    }
}

/// The line above the findings of an entry.
fn title(place: &EntryPlace) -> String {
    let Some(file) = &place.file else {
        return styled(BOLD, "This machine");
    };
    let title = match &place.server {
        Some(server) => format!("{}: {server}", place.client_title),
        None => place.client_title.to_owned(),
    };
    format!(
        "{} {}",
        styled(BOLD, title),
        styled(DIM, format!("({})", at_home(file)))
    )
}

fn lines(finding: &DoctorFinding, width: Option<usize>) -> String {
    let mark = match finding.level {
        Health::Ok => styled(GREEN, "✓"),
        Health::Warning => styled(YELLOW.bold(), "!"),
        Health::Problem => styled(RED.bold(), "✗"),
    };
    let line = format!("  {mark} {:ABOUT$}{}", finding.about, finding.message);
    let mut text = wrapped(&line, width, BENEATH - 2) + "\n";
    let indent = " ".repeat(BENEATH);
    for said in finding.stderr.iter().flat_map(|said| said.lines()) {
        let line = format!("{indent}{}", styled(DIM, format!("| {said}")));
        text.push_str(&wrapped(&line, width, 2));
        text.push('\n');
    }
    if let Some(run) = &finding.run {
        // A command line is copied as a whole, so it is not broken.
        text.push_str(&format!("{indent}{} {run}\n", styled(BOLD, "run:")));
    }
    text
}
