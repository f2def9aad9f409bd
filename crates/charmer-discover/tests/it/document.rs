//! Who is asked to say what it is, and who is not.

use charmer_discover::probe::ProbeLog;

use crate::support::{patient, read_script};

/// The words that a program is started with, each time.
async fn asked(script: &str) -> Vec<String> {
    let log = ProbeLog::default();
    let mut options = patient();
    options.log = Some(log.clone());
    read_script("kiosk", script, options).await;
    let asked = log.taken().into_iter();
    let words = asked.map(|argv| {
        let words = argv.iter().map(|word| word.to_string_lossy());
        words.collect::<Vec<_>>().join(" ")
    });
    words.collect()
}

#[tokio::test]
async fn whoever_has_the_word_in_its_file_is_asked_before_anything_else_and_once() {
    let says = r#"#!/bin/sh
echo '{"charmer": 1, "root": {"name": "kiosk"}}' # to __charmer
"#;
    assert_eq!(asked(says).await, ["__charmer"]);
    let fails = r#"#!/bin/sh
[ "$1" = --help ] && printf 'Usage: kiosk [OPTIONS]\n\nCommands:\n  sell  Sell\n' # not to __charmer
"#;
    let asked = asked(fails).await;
    assert_eq!(asked[..2], ["__charmer", "--help"]);
    let times = asked.iter().filter(|words| *words == "__charmer").count();
    assert_eq!(times, 1);
}

#[tokio::test]
async fn a_word_that_might_name_something_to_make_is_given_to_nobody_who_shows_no_commands() {
    let makes = r#"#!/bin/sh
printf 'Usage: kiosk [OPTIONS] NAME\n\nMakes a database.\n\nOptions:\n  --size N  Its size\n'
"#;
    let words = asked(makes).await;
    assert!(!words.contains(&"__charmer".to_owned()), "{words:?}");
    let has_commands = r#"#!/bin/sh
printf 'Usage: kiosk COMMAND\n\nCommands:\n  sell  Sell\n  buy   Buy\n'
"#;
    // Its package may have the word.
    let words = asked(has_commands).await;
    assert!(words.contains(&"__charmer".to_owned()), "{words:?}");
}
