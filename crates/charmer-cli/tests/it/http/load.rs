//! Many clients at once for half a minute: nothing is lost, no answer goes to another, and the server does not grow.

use std::{
    env, fs,
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, Instant},
};

use serde_json::json;

use super::client::{Ask, HttpServer, Wire};

/// The clients, half of them of each era.
const CLIENTS: u64 = 16;
/// How much a server may have grown after the first third, in kilobytes: caches fill, and allocators keep something.
const GROWTH: u64 = 16 << 10;

/// The memory of a process, in kilobytes.
fn memory(id: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{id}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    number.expect("a number")
}

/// Calls with a number of its own until the time is over; how many.
fn client(server: &HttpServer, own: u64, end: Instant) -> u64 {
    let mut wire = server.connect();
    let legacy = own.is_multiple_of(2);
    let session = legacy.then(|| {
        wire.write(&Ask::initialize().bytes());
        let session = wire.reply().session();
        let done = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        wire.write(&Ask::in_session(&session, &done).bytes());
        assert_eq!(wire.reply().status, 202);
        session
    });
    let mut calls = 0;
    while Instant::now() < end {
        let number = own * 1_000_000 + calls;
        one_call(&mut wire, session.as_deref(), number);
        calls += 1;
    }
    calls
}

fn one_call(wire: &mut Wire, session: Option<&str>, number: u64) {
    let params = json!({"name": "ship_list", "arguments": {"limit": number}});
    let ask = match session {
        Some(session) => {
            let message =
                json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params});
            Ask::in_session(session, &message)
        }
        None => Ask::modern("tools/call", params),
    };
    wire.write(&ask.bytes());
    let reply = wire.reply();
    assert_eq!(reply.status, 200);
    let answer = reply.json();
    let said = answer["result"]["content"][0]["text"].to_string();
    assert!(
        said.contains(&format!("--limit={number}")),
        "{number}: {answer}"
    );
    if session.is_some() {
        assert_eq!(answer["id"], number);
    }
}

#[test]
#[ignore = "half a minute of load"]
#[expect(clippy::print_stdout, reason = "what was measured is worth seeing")]
fn nothing_is_lost_mixed_up_or_kept() {
    let seconds = env::var("CHARMER_LOAD_SECONDS").ok();
    let seconds = seconds.map_or(30, |seconds| seconds.parse().expect("a number"));
    let server = HttpServer::start("audit: {file: calls.jsonl}");
    let begun = Instant::now();
    let (warm, end) = (
        begun + Duration::from_secs(seconds) / 3,
        begun + Duration::from_secs(seconds),
    );
    let calls = AtomicU64::new(0);
    let mut before = 0;
    std::thread::scope(|scope| {
        for own in 1..=CLIENTS {
            let (server, calls) = (&server, &calls);
            scope.spawn(move || calls.fetch_add(client(server, own, end), Ordering::Relaxed));
        }
        std::thread::sleep(warm.saturating_duration_since(Instant::now()));
        before = memory(server.id());
    });
    let (calls, after) = (calls.into_inner(), memory(server.id()));
    println!(
        "{calls} calls of {CLIENTS} clients in {seconds} s; {before} kB of memory after a third, {after} kB at the end"
    );
    assert!(calls > 0);
    assert!(
        after <= before + GROWTH,
        "it grew from {before} to {after} kB"
    );
    let log = server.path("calls.jsonl");
    server.end_and(|| {
        let lines = fs::read_to_string(&log)
            .expect("it is written")
            .lines()
            .count();
        assert_eq!(lines as u64, calls, "each call is on record once");
    });
}
