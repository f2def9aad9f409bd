//! argparse's help cut into its parts: the usage line, the description, the groups of rows, examples.

use charmer_core::model::CommandPath;

/// The parts of a help text.
#[derive(Debug, Default)]
pub(super) struct ArgparseLayout<'t> {
    /// The usage line without `usage:`, on one line.
    pub(super) usage: String,
    pub(super) description: String,
    /// Headings in lower case, with the lines below.
    pub(super) sections: Vec<(String, Vec<&'t str>)>,
    pub(super) examples: Option<String>,
}

/// Cuts a help text; `None` if it has no usage line.
pub(super) fn read(text: &str) -> Option<ArgparseLayout<'_>> {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let start = lines.iter().position(|line| {
        line.get(..6)
            .is_some_and(|head| head.eq_ignore_ascii_case("usage:"))
    })?;
    let mut layout = ArgparseLayout::default();
    let mut end = lines[start + 1..]
        .iter()
        .position(|line| line.is_empty())
        .map_or(lines.len(), |at| start + 1 + at);
    // A program's own usage may be several lines, which begin with its name; only what is indented belongs to the first.
    if let Some(at) = lines[start + 1..end]
        .iter()
        .position(|line| !line.starts_with(' '))
    {
        end = start + 1 + at;
    }
    let mut words = vec![&lines[start][6..]];
    words.extend(&lines[start + 1..end]);
    layout.usage = words
        .join(" ")
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ");
    // A program that is a module is called by its script all the same.
    if let Some((python, module)) = layout.usage.split_once(" -m ")
        && python.starts_with("python")
        && !python.contains(' ')
    {
        layout.usage = module.to_owned();
    }

    let mut description: Vec<&str> = Vec::new();
    let mut examples: Vec<&str> = Vec::new();
    let mut in_section = false;
    for (at, line) in lines.iter().enumerate().skip(end) {
        let indented = line.starts_with([' ', '\t']);
        let next_indented = || {
            let next = lines[at + 1..].iter().find(|line| !line.is_empty());
            next.is_some_and(|next| next.starts_with([' ', '\t']))
        };
        let example = line.to_lowercase().starts_with("example");
        if !indented && !line.is_empty() && line.ends_with(':') && next_indented() {
            let heading = line.trim_end_matches(':').to_lowercase();
            in_section = !example;
            if example {
                examples.push(line);
            } else {
                layout.sections.push((heading, Vec::new()));
            }
        } else if line.starts_with("--") && line.contains("  ") && !layout.sections.is_empty() {
            // What an author wrote below all groups may have rows of its own.
            layout.sections.push((String::new(), vec![line]));
        } else if in_section && (indented || line.is_empty()) {
            if let Some(section) = layout.sections.last_mut() {
                section.1.push(line);
            }
        } else if !examples.is_empty() || example {
            in_section = false;
            examples.push(line);
        } else if layout.sections.is_empty() {
            description.push(line);
        } else {
            in_section = false;
        }
    }
    layout.description = description.join("\n").trim().to_owned();
    let examples = examples.join("\n").trim().to_owned();
    layout.examples = (!examples.is_empty()).then_some(examples);
    Some(layout)
}

/// The words before the flags and positionals of a usage line, and what follows the path.
pub(super) fn after_path<'u>(usage: &'u str, path: &CommandPath) -> (Vec<String>, &'u str) {
    let bracket = usage
        .split(' ')
        .scan(0, |at, word| {
            let start = *at;
            *at += word.len() + 1;
            Some((start, word))
        })
        .find(|(_, word)| word.starts_with(['[', '(', '{', '<', '-']) || *word == "...")
        .map_or(usage.len(), |(at, _)| at);
    let head: Vec<String> = usage[..bracket]
        .split_whitespace()
        .map(Into::into)
        .collect();
    // argparse writes `[-h]` right behind the path.
    if usage[bracket..].starts_with("[-h") || usage[bracket..].starts_with("[--help") {
        return (head, &usage[bracket..]);
    }
    let mut wanted = path.words().iter().peekable();
    let mut taken = 1;
    for (at, word) in head.iter().enumerate().skip(1) {
        if wanted.next_if(|next| *next == word).is_some() {
            taken = at + 1;
        }
    }
    let named = head.iter().take(taken).cloned().collect();
    let mut rest = usage;
    for _ in 0..taken {
        rest = rest
            .trim_start()
            .split_once(' ')
            .map_or("", |(_, rest)| rest);
    }
    (named, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts() {
        let text = "usage: tool [-h] [--key KEY]\n            name\n\nDoes it.\n\noptions:\n  -h, --help  show\n\ninput and output options:\n  --key KEY   a key\n\nExamples:\n  tool --all\n";
        let layout = read(text).expect("a layout");
        assert_eq!(layout.usage, "tool [-h] [--key KEY] name");
        assert_eq!(layout.description, "Does it.");
        let headings: Vec<_> = layout
            .sections
            .iter()
            .map(|section| section.0.as_str())
            .collect();
        assert_eq!(headings, ["options", "input and output options"]);
        assert_eq!(layout.examples.as_deref(), Some("Examples:\n  tool --all"));
        assert!(read("Does nothing").is_none());
    }

    #[test]
    fn paths() {
        let path: CommandPath = ["db", "add"].into_iter().map(String::from).collect();
        let (named, rest) = after_path("tool db NAME add [-h] x", &path);
        assert_eq!(named.join(" "), "tool db NAME add");
        assert_eq!(rest, "[-h] x");
        let (named, rest) = after_path("tool db add x y", &path);
        assert_eq!(named.join(" "), "tool db add");
        assert_eq!(rest, "x y");
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(usage: )?([a-z:\\n \\-]|[\\PC]){0,120}") {
            if let Some(layout) = read(&text) {
                after_path(&layout.usage, &CommandPath::root());
            }
        }
    }
}
