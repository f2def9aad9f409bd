//! The transport over the real standard streams of a process.

use std::process::{Command, Stdio};

use super::*;

/// Not a test of its own: the process that the next test starts. It serves its standard streams
/// until it has answered a ping, and ends although its input does not.
#[tokio::test]
#[ignore = "started by the test below"]
async fn child_that_claims_its_standard_streams() {
    let shutdown = CancellationToken::new();
    let mut transport = StdioTransport::claim_stdio(StdioOptions::default(), shutdown).unwrap();
    // Printed by a process of its own, because the test harness keeps what its tests print.
    let status = Command::new("sh")
        .args(["-c", "echo stray; cat"])
        .status()
        .unwrap();
    assert!(status.success());
    transport.receive().await.unwrap();
    written(transport.outlet().send(answer(1))).await.unwrap();
    transport.close().await;
}

#[test]
fn claimed_streams_carry_nothing_else() {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args([
            "--ignored",
            "--exact",
            "stdio::tests::claimed::child_that_claims_its_standard_streams",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(ping(1).as_bytes()).unwrap();
    // The harness announces itself before the streams are claimed, and reports afterwards.
    let mut stdout = String::new();
    child
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut stdout)
        .unwrap();
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert!(child.wait().unwrap().success(), "{stdout}{stderr}");
    let protocol = stdout.trim_start().split_once('\n').unwrap().1;
    assert_eq!(
        protocol, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n",
        "{stderr}"
    );
    assert!(stderr.contains("stray\n"), "{stderr}");
    drop(stdin);
}
