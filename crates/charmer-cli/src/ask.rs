//! Questions to the person in front of a terminal.

use std::io::{self, BufRead, Write};

use crate::problem::Problem;

/// The line that answers a question, without the spaces around it.
pub(crate) fn answer(question: &str) -> Result<String, Problem> {
    let mut error = io::stderr().lock();
    // Whoever cannot be asked cannot answer either, which the next line notices.
    let _ = error
        .write_all(question.as_bytes())
        .and_then(|()| error.flush());
    let mut line = String::new();
    match io::stdin().lock().read_line(&mut line) {
        Ok(0) => Err(Problem::interrupted()),
        Ok(_) => Ok(line.trim().to_owned()),
        Err(error) => Err(Problem::failed(format!(
            "the answer cannot be read: {error}"
        ))),
    }
}
