//! `charmer audit`: whether the log of calls is as it was written.

use std::{path::Path, process::ExitCode};

use charmer_run::layers::{AuditVerified, verify_audit};
use serde_json::json;

use crate::{
    args::{AuditArgs, AuditCommand},
    output::{print, print_raw},
    problem::Problem,
    sha256::sha256,
};

/// The number of breaks that are shown.
const SHOWN: usize = 20;

pub(crate) fn run(args: &AuditArgs) -> Result<ExitCode, Problem> {
    let AuditCommand::Verify { file, json } = &args.command;
    let found = verify_audit(file, sha256).map_err(|error| {
        Problem::failed(format!("{} cannot be read: {error}", file.display()))
            .hint("name the file of `audit:` in charmer.yaml")
    })?;
    match json {
        true => print_raw(format!("{:#}\n", in_json(&found)).as_bytes())?,
        false => print(&in_words(file, &found))?,
    }
    Ok(ExitCode::from(u8::from(!found.breaks.is_empty())))
}

fn in_json(found: &AuditVerified) -> serde_json::Value {
    let breaks = found
        .breaks
        .iter()
        .map(|broken| json!({"file": broken.file, "line": broken.line, "reason": broken.reason}));
    json!({
        "intact": found.breaks.is_empty(),
        "files": found.files,
        "lines": found.lines,
        "unchained": found.unchained,
        "breaks": breaks.collect::<Vec<_>>(),
        "last": found.last,
    })
}

fn in_words(file: &Path, found: &AuditVerified) -> String {
    let mut text = String::new();
    for broken in found.breaks.iter().take(SHOWN) {
        let at = format!("{}:{}", broken.file.display(), broken.line);
        text.push_str(&format!("{at}: {}\n", broken.reason));
    }
    if found.breaks.len() > SHOWN {
        text.push_str(&format!("and {} more\n", found.breaks.len() - SHOWN));
    }
    let unchained = match found.unchained {
        0 => String::new(),
        lines => format!(", {lines} of them from before there was a chain"),
    };
    let files = match found.files.len() {
        1 => String::new(),
        files => format!(" in {files} files"),
    };
    let verdict = match found.breaks.len() {
        0 => "is as it was written",
        _ => "was changed",
    };
    text.push_str(&format!(
        "{} {verdict}: {} lines{files}{unchained}\n",
        file.display(),
        found.lines
    ));
    if !found.last.is_empty() {
        text.push_str(&format!("the last digest is {}\n", found.last));
    }
    text
}
