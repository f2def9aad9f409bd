//! What people are told when something is wrong, and the code it ends with.

use crate::support::{charmer, err, example, out, run, ship, works};

#[test]
fn without_arguments_it_shows_its_help() {
    let output = run::<&str>(&[]);
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    for part in [
        "Usage: charmer",
        "Connect\n  add ",
        "Look\n  tools ",
        "Run\n  serve ",
        "Write\n  init ",
        "Ship\n  export ",
        "charmer add git --to cursor",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert!(!text.contains("guardian"), "{text}");
    assert!(!text.contains("completions"), "{text}");
    let text = works(&["--help"]);
    for part in ["completions", "Examples:", "Exit codes:"] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn a_program_that_is_not_there_is_named_with_the_nearest() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::copy(example("mute"), folder.path().join("frigate")).expect("it can be copied");
    let output = charmer(&["tools", "frigatte"])
        .env("PATH", folder.path())
        .output()
        .expect("it was built");
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    assert!(
        text.contains("the program `frigatte` is not on your PATH"),
        "{text}"
    );
    assert!(text.contains("did you mean `frigate`?"), "{text}");
}

#[test]
fn a_program_without_help_is_a_sentence() {
    let mute = example("mute");
    let output = run(&["tools", &mute.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(1));
    let text = err(&output);
    assert!(
        text.contains("shows no help that could be read") && text.contains("--help"),
        "{text}"
    );
    assert!(!text.contains('\x1b'), "no colours for a pipe: {text}");
}

#[test]
fn a_mistake_in_the_file_is_shown_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("charmer.yaml");
    std::fs::write(&file, "limits:\n  timeuot: 5s\n").expect("it can be written");
    let output = run(&["serve", "--config", &file.to_string_lossy()]);
    assert_eq!(output.status.code(), Some(2));
    let text = err(&output);
    assert!(
        text.contains("timeuot: 5s") && text.contains("did you mean `timeout`?"),
        "{text}"
    );
    let output = run(&["serve", "--config", "no-such-file.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        err(&output).contains("check the path after --config"),
        "{}",
        err(&output)
    );
}

#[test]
fn nothing_to_read_is_a_mistake() {
    let output = run(&["tools"]);
    assert_eq!((output.status.code(), out(&output).as_str()), (Some(2), ""));
    assert!(err(&output).contains("charmer tools cargo"));
}

#[test]
fn a_tool_that_is_not_there_is_named_with_the_nearest() {
    let output = run(&["call", "--binary", &ship(), "ship_lst"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(
        err(&output).contains("did you mean `ship_list`?"),
        "{}",
        err(&output)
    );
    let output = run(&["call", "unheard-of_tool"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(err(&output).contains("--binary"), "{}", err(&output));
}

#[test]
fn a_command_that_is_not_there_is_named_with_the_nearest() {
    let output = run(&["inspect", &ship(), "crew", "sho"]);
    assert_eq!(output.status.code(), Some(2), "{}", err(&output));
    assert!(
        err(&output).contains("did you mean `crew show`?"),
        "{}",
        err(&output)
    );
}
