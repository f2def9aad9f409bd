//! Programs that are spoken with line by line.

use std::path::Path;

use charmer_run::{
    Ended,
    process::{Dialogue, HeardLine},
};

use crate::support::{HANG, environment, eventually, fixture, group, is_alive};

fn start(program: &Path, args: &[&str]) -> Dialogue {
    let argv: Vec<_> = args.iter().map(Into::into).collect();
    Dialogue::start(program, &argv, &environment(), Path::new("/")).expect("it starts")
}

async fn line(dialogue: &mut Dialogue) -> String {
    match tokio::time::timeout(HANG, dialogue.next_line()).await {
        Ok(HeardLine::Line(line)) => String::from_utf8(line).expect("it is text"),
        other => panic!("no line: {other:?}"),
    }
}

#[tokio::test]
async fn what_is_said_is_answered_until_the_input_is_closed() {
    let mut echo = start(&fixture(), &["echo"]);
    for word in ["one", "two"] {
        echo.say(word).await.expect("it reads");
        assert_eq!(line(&mut echo).await, word);
    }
    echo.hang_up();
    assert_eq!(echo.ended().await, Ended::Exited(0));
    assert!(echo.say("three").await.is_err());
    echo.end().await;
}

#[tokio::test]
async fn nothing_of_it_is_left_when_nobody_speaks_with_it_any_more() {
    for gently in [true, false] {
        let mut family = start(&fixture(), &["children", "3"]);
        let said = line(&mut family).await;
        let leader: i32 = said["process ".len()..].parse().expect("a number");
        assert_eq!(group(leader).len(), 4);
        match gently {
            true => family.end().await,
            false => drop(family),
        }
        eventually("they end", || group(leader).is_empty()).await;
    }
    let script = "trap '' TERM; echo $$; while :; do sleep 0.05; done";
    let mut stubborn = start(Path::new("/bin/sh"), &["-c", script]);
    let process = line(&mut stubborn).await.parse().expect("a number");
    stubborn.end().await;
    assert!(!is_alive(process));
}

#[tokio::test]
async fn what_is_kept_of_a_flood_is_bounded() {
    let mut endless = start(&fixture(), &["line", "100000000"]);
    let heard = tokio::time::timeout(HANG, endless.next_line()).await;
    assert_eq!(heard.expect("it stops reading"), HeardLine::TooLong);
    endless.end().await;
    let mut loud = start(&fixture(), &["flood", "stderr", "1000000"]);
    loud.ended().await;
    let kept = loud.complaints();
    assert!(
        kept.ends_with("spam\n") && kept.len() <= 16 << 10,
        "{}",
        kept.len()
    );
}
