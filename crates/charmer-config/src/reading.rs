//! Reading YAML that people write: a tree whose nodes know where they stand, readers that go on after a mistake, and
//! mistakes with a picture of their line. For other files of Charmer's than `charmer.yaml`.
//!
//! ```
//! use charmer_config::reading;
//!
//! let read = reading::read("colour: blu\n", "paint.yaml", |tree, problems| {
//!     let fields = problems.fields(tree, "paint", &["colour"])?;
//!     let colour = fields.require("colour", problems)?;
//!     problems.choice(colour, "colour", &[("red", 1), ("blue", 2)])
//! });
//! let mistakes = read.mistakes.unwrap();
//! assert_eq!((mistakes[0].line, mistakes[0].column), (1, 9));
//! assert_eq!(mistakes[0].hint.as_deref(), Some("did you mean `blue`?"));
//! ```

use std::io::{self, Read as _};

use crate::{Diagnostics, yaml};

pub use crate::{
    parse::hooks::{HOOKS, hooks},
    parse::output::{OUTPUT, max_items, output, structure},
    read::{Added, Fields, Problems, listed},
    yaml::{MOST_BYTES, Node, Quoted, YamlKind},
};

/// A text that was read: its value, if it has one, and its diagnostics.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct TextRead<T> {
    /// The value that the reader made of it; with mistakes it may be in part.
    pub value: Option<T>,
    /// The mistake in it.
    pub mistakes: Option<Diagnostics>,
    /// Advice on it.
    pub advice: Option<Diagnostics>,
}

/// Reads a text with a reader of its tree. `file` is the name that mistakes are shown with.
pub fn read<T>(
    text: &str,
    file: &str,
    reader: impl FnOnce(&Node, &mut Problems<'_>) -> Option<T>,
) -> TextRead<T> {
    // A byte order mark is no part of any line.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let too_large = text.len() > MOST_BYTES;
    // What is not read is not shown either.
    let mut problems = Problems::new(if too_large { "" } else { text });
    let value = if too_large {
        problems
            .add(0..0, "the file is larger than 1 MiB")
            .hint("it should hold settings only");
        None
    } else {
        yaml::read(&mut problems).and_then(|tree| reader(&tree, &mut problems))
    };
    let (text, mistakes, advice) = problems.into_parts();
    let shown =
        |list: Vec<_>| (!list.is_empty()).then(|| Diagnostics::new(file, text.clone(), list));
    TextRead {
        value,
        mistakes: shown(mistakes),
        advice: shown(advice).map(Diagnostics::advice),
    }
}

/// The text of a file, and no more of it than shows that it is too large.
pub fn text_of(file: impl io::Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    // One byte more than is taken, so that a file that is too large is known to be.
    file.take(MOST_BYTES as u64 + 1).read_to_end(&mut bytes)?;
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        // It may be cut within a character, and is too large anyway.
        Err(error) if error.as_bytes().len() > MOST_BYTES => {
            Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
        }
        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    }
}
