//! The rule on text: what a caller writes has a bound, or is pointed out.

use crate::support::{Project, read};

/// The advice on a spell with a place for any text, for a number and for a path.
fn advice(keys: &str) -> String {
    let args = "args: [{name: x}, {name: n, type: integer}, {name: p, type: path}, {name: e, enum: [a, b]}, \
                {name: m, pattern: '[a-z]+'}, {name: f, free: true}]";
    let read = read(&format!("{keys}\n{args}\npaths: [.]"));
    assert!(read.mistakes.is_none(), "{keys}: {:?}", read.mistakes);
    read.advice
        .map(|advice| advice.to_string())
        .unwrap_or_default()
}

#[test]
fn text_without_a_bound_is_pointed_out() {
    for keys in [
        "command: git -c\nargv: ['{{x}}', status]",
        "command: git grep\nargv: ['-O{{x}}', TODO]",
        "command: cargo --config\nargv: ['{{x}}', tree]",
        "command: npm exec -c\nargv: ['{{x}}']",
        "command: go vet\nargv: ['-vettool={{x}}', ./...]",
        "command: split\nargv: ['--filter={{x}}', notes]",
        "command: zip a.zip -TT\nargv: ['{{x}}', notes]",
        "command: psql --command\nargv: [\"select * from t where name = '{{x}}'\"]",
        "command: psql\nstdin: '{{x}}'",
        "command: tool\nargv: ['{{x}}', --, word]",
        "command: tool --\nargv: ['name={{x}}']",
        "command: env -- git -c\nargv: ['{{x}}', status]",
    ] {
        let said = advice(keys);
        assert!(
            said.contains("`x` is any text of a caller's"),
            "{keys}: {said}"
        );
        assert!(
            said.contains("`pattern`") && said.contains("`enum`") && said.contains("`free: true`"),
            "{keys}: {said}"
        );
        for bound in ["n", "p", "e", "m", "f"] {
            let bounded = keys.replace("{{x}}", &format!("{{{{{bound}}}}}"));
            assert_eq!(advice(&bounded), "", "{bounded}");
        }
    }
}

#[test]
fn a_word_behind_two_dashes_needs_no_bound() {
    for keys in [
        "command: grep --\nargv: ['{{x}}']",
        "command: grep\nargv: [--count, --, '{{x}}', '{{p}}']",
        "command: grep -rn --\nargv: ['{{x}}']",
        "command: tool --color=never\nargv: [--, '{{x}}']",
        "command: sh -c 'echo \"$1\"' --\nargv: ['{{x}}']",
        "command: tool",
    ] {
        assert_eq!(advice(keys), "", "{keys}");
    }
}

#[test]
fn two_dashes_are_advised_only_where_they_help() {
    let advised = |keys: &str| advice(keys).contains("`--` as an element");
    assert!(advised("command: grep TODO\nargv: ['{{x}}']"));
    for keys in [
        "command: git -c\nargv: ['{{x}}', status]",
        "command: npm exec\nargv: [-c, '{{x}}']",
        "command: cargo --config\nargv: ['{{x}}', tree]",
        "command: zip a.zip -TT\nargv: ['{{x}}', notes]",
        "command: setarch\nargv: ['{{x}}', ls]",
        "command: tool\nargv: ['name={{x}}']",
    ] {
        assert!(!advised(keys), "{keys}");
    }
}

#[test]
fn two_dashes_that_may_be_an_options_value_are_no_bound() {
    for (keys, option) in [
        ("command: git -c --\nargv: ['{{x}}', status]", "-c"),
        ("command: npm exec -c\nargv: [--, '{{x}}']", "-c"),
        (
            "command: cargo --config\nargv: [--, '{{x}}', tree]",
            "--config",
        ),
        ("command: zip a.zip -TT --\nargv: ['{{x}}']", "-TT"),
    ] {
        let said = advice(keys);
        let expected = format!("may be taken for the value of `{option}`");
        assert!(said.contains(&expected), "{keys}: {said}");
    }
}

#[test]
fn what_a_wrapper_runs_is_not_a_callers_choice_with_or_without_two_dashes() {
    for command in [
        "setarch x86_64",
        "setarch -R",
        "linux32",
        "i386",
        "/lib64/ld-linux-x86-64.so.2 --library-path /lib",
    ] {
        for dashes in ["", "--, "] {
            let argv = format!("args: [{{name: x}}]\nargv: [{dashes}'{{{{x}}}}']");
            let read = read(&format!("command: {command}\npaths: [.]\n{argv}"));
            let said = read.mistakes.map(|mistakes| mistakes.to_string());
            let said = said.unwrap_or_default();
            assert!(said.contains("would run what a caller names"), "{command}");
            assert!(said.contains("in an `enum`"), "{command}: {said}");
        }
    }
}

#[test]
fn what_to_write_instead_of_a_program_that_a_caller_names_is_taken() {
    for command in ["setarch x86_64", "/lib64/ld-linux-x86-64.so.2"] {
        for keys in [
            "args: [{name: x, enum: [/bin/ls, /bin/id]}]\nargv: ['{{x}}']",
            "args: [{name: x}]\nargv: [/bin/ls, --, '{{x}}']",
            "args: [{name: x}]\nargv: ['{{x}}']\nshell: true",
        ] {
            let read = read(&format!("command: {command}\npaths: [.]\n{keys}"));
            assert!(read.mistakes.is_none(), "{keys}: {:?}", read.mistakes);
            assert!(read.advice.is_none(), "{keys}: {:?}", read.advice);
        }
    }
    // Whoever had such a spell finds what became of it.
    let documented = include_str!("../../../../docs/spells.md");
    let changes = include_str!("../../../../CHANGELOG.md");
    for (document, text) in [("spells.md", documented), ("CHANGELOG.md", changes)] {
        for word in ["setarch", "ld.so {{x}}", "`enum`", "`shell: true`"] {
            assert!(text.contains(word), "{document} has no {word}");
        }
    }
}

#[test]
fn what_is_refused_is_not_pointed_out_too() {
    let read = read("command: bash -c\nargs: [{name: x}]\nargv: ['{{x}}']\npaths: [.]");
    assert!(read.mistakes.is_some());
    assert!(read.advice.is_none(), "{:?}", read.advice);
    let shell = "command: bash -c\nargs: [{name: x}]\nargv: ['{{x}}']\npaths: [.]\nshell: true";
    assert!(crate::support::read(shell).advice.is_none());
}

#[test]
fn a_server_serves_such_a_spell_and_says_where_and_what_to_write() {
    let project = Project::new();
    project.spell(
        "t",
        "command: ${FIXTURE}\npaths: [.]\nargs: [{name: x}]\nargv: ['--x={{x}}']",
    );
    let book = project.book();
    assert_eq!(book.spells().len(), 1, "it was written before the rule was");
    let said = book.problems()[0].to_string();
    assert!(
        said.contains("t.yaml: line 6, column 8: `x` is any text") && said.contains("`free: true`"),
        "{said}"
    );
}

#[test]
fn spells_that_read_are_advised_once_to_do_without_the_network() {
    let project = Project::new();
    let reads = |more: &str| format!("command: ${{FIXTURE}}\npaths: [.]\neffect: read{more}");
    project.spell("a", &reads(""));
    project.spell("b", &reads(""));
    project.spell("offline", &reads("\nnetwork: none"));
    project.spell("online", &reads("\nargv: ['http://localhost/']"));
    project.spell("writes", "command: ${FIXTURE}\npaths: [.]\neffect: write");
    let (_, more) =
        charmer_spells::check_folder(&project.spells, &project.options()).expect("it is there");
    let said: Vec<&str> = more
        .iter()
        .map(|problem| problem.message.as_str())
        .filter(|message| message.contains("network"))
        .collect();
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(said[0].starts_with("what `a`, `b` can read"), "{said:?}");
}

#[test]
fn a_place_in_a_variables_value_is_pointed_out_as_literal_text() {
    let said = advice("command: tool\nenv: {WHO: 'a {{m}}'}");
    assert!(
        said.contains("`{{m}}` is literal text in `env`") && said.contains("`SPELL_ARG_M`"),
        "{said}"
    );
    let open = read("command: tool\npaths: [.]\nenv: {WHO: '{{who}}'}");
    assert!(open.advice.is_some(), "any argument may be given");
    for value in ["{{.Names}}", "{{other}}", "plain"] {
        let keys = format!("command: tool\nenv: {{FORMAT: '{value}'}}");
        assert_eq!(advice(&keys), "", "{value}");
    }
}
