//! The texts in a Cobra program's document, read as those of its help are: usage lines, examples, and values that the text
//! of a flag lists.

use charmer_core::model::{Arguments, Command, FlagValue, ValueType, parse_usage};

use crate::help::dedent;

use super::{pflag::listed_values, usage::positional_pattern};

/// Reads what the texts of a command and of those below it say and the document leaves open.
pub(crate) fn read_texts(command: &mut Command) {
    let Command {
        flags,
        arguments,
        examples,
        groups,
        ..
    } = command;
    if let Arguments::Pattern(pattern) = arguments {
        let takes_value = |name: &str| {
            let mut flags = flags.iter();
            let flag = flags.find(|flag| flag.is_named(name))?;
            Some(flag.value == FlagValue::Required)
        };
        *arguments = parse_usage(&positional_pattern(pattern, takes_value));
    }
    if let Some(text) = examples {
        *text = dedent(&text.lines().collect::<Vec<_>>());
    }
    groups.sort();
    for flag in flags {
        let open = flag.value_type == ValueType::String && flag.choices.is_empty();
        let listed = flag.help.as_deref().filter(|_| open).map(listed_values);
        if let Some(Ok(choices)) = listed.filter(|listed| *listed != Ok(Vec::new())) {
            flag.choices = choices;
        }
    }
    command.commands.iter_mut().for_each(read_texts);
}

#[cfg(test)]
mod tests {
    use charmer_core::model::Document;
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_say_what_the_document_leaves_open() {
        let document = json!({"charmer": 1, "syntax": "cobra", "root": {"name": "shed", "commands": [
            {"name": "run", "usage": "shed run TREE -- COMMAND [args...] [flags]"},
            {"name": "show", "usage": "shed show [<number> | <name> | <url>] [flags]",
                "examples": "  shed show 1\n    shed show ash\n"},
            {"name": "make", "usage": "shed make NAME --image=image [-f FILE] [flags]", "flags": [
                {"long": "image", "type": "string", "help": "The picture (one of: tree, leaf)"},
                {"long": "file", "short": "f", "type": "string", "choices": ["a"], "help": "One of: tree, leaf"},
                {"long": "count", "type": "int", "help": "How many (one of: 1, 2)"},
            ]},
        ]}});
        let mut document = Document::from_json(document).expect("a document");
        read_texts(&mut document.cli.root);
        let [run, show, make] = &document.cli.root.commands[..] else {
            panic!("{:?}", document.cli.root.commands);
        };
        let names = |command: &Command| match &command.arguments {
            Arguments::Listed(listed) => listed.iter().map(|one| one.id.clone()).collect(),
            Arguments::Pattern(pattern) => vec![format!("pattern {pattern}")],
        };
        assert_eq!(names(run), ["tree", "command"]);
        assert_eq!(names(show), ["number-or-name-or-url"]);
        assert_eq!(names(make), ["name"]);
        assert_eq!(
            show.examples.as_deref(),
            Some("shed show 1\n  shed show ash")
        );
        let choices = make.flags.iter().map(|flag| {
            let values = flag.choices.iter().map(|choice| choice.value.as_str());
            values.collect::<Vec<_>>()
        });
        assert_eq!(
            choices.collect::<Vec<_>>(),
            [vec!["tree", "leaf"], vec!["a"], vec![]]
        );
    }
}
