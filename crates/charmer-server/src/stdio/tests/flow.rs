//! Ends of input and output, order, backpressure, cancellation and the life cycle.

use super::*;

#[tokio::test]
async fn the_end_of_input_cancels_before_it_is_delivered() {
    let (mut transport, shutdown, mut to_server, _from_server) = piped(StdioOptions::default());
    to_server
        .write_all((ping(1) + &ping(2)).as_bytes())
        .unwrap();
    drop(to_server);
    assert_eq!(id_of(&transport.receive().await.unwrap()).unwrap(), "1");
    assert!(shutdown.is_cancelled(), "although messages are left");
    assert_eq!(id_of(&transport.receive().await.unwrap()).unwrap(), "2");
    assert!(transport.receive().await.is_none());
}

#[tokio::test]
async fn the_end_of_input_inside_a_message() {
    let (delivered, replies) = exchange(ping(1).trim_end()).await;
    assert_eq!((delivered.len(), replies.len()), (1, 0));
    let (id, code, _) = refusal(r#"{"jsonrpc":"2.0","id":7,"method":"pi"#).await;
    assert_eq!((id, code), (json!(7), -32700));
    let (delivered, replies) = exchange("").await;
    assert_eq!((delivered.len(), replies.len()), (0, 0));
}

#[tokio::test]
async fn a_failed_read_is_the_end_of_input() {
    struct Failing;
    impl Read for Failing {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::ErrorKind::ConnectionReset.into())
        }
    }
    let input = Cursor::new(ping(1)).chain(Failing);
    let shutdown = CancellationToken::new();
    let options = StdioOptions::default();
    let mut transport =
        StdioTransport::new(input, Recorded::default(), options, shutdown.clone()).unwrap();
    assert!(transport.receive().await.is_some());
    assert!(transport.receive().await.is_none());
    assert!(shutdown.is_cancelled());
}

#[tokio::test]
async fn replies_are_written_even_if_the_transport_is_only_dropped() {
    let (mut transport, _, mut to_server, mut from_server) = piped(StdioOptions::default());
    to_server.write_all(b"junk\n").unwrap();
    drop(to_server);
    assert!(transport.receive().await.is_none());
    drop(transport);
    let mut text = String::new();
    from_server.read_to_string(&mut text).unwrap();
    assert!(
        text.starts_with(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700"#),
        "{text}"
    );
}

#[tokio::test]
async fn an_answered_id_can_be_used_again() {
    let (mut transport, _, mut to_server, from_server) = piped(StdioOptions::default());
    let mut replies = BufReader::new(from_server).lines();
    for _ in 0..3 {
        to_server.write_all(call(1).as_bytes()).unwrap();
        // Its work ends with the message.
        assert!(transport.receive().await.is_some());
        written(transport.outlet().send(answer(1))).await.unwrap();
        assert_eq!(
            replies.next().unwrap().unwrap(),
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#
        );
    }
}

#[tokio::test]
async fn a_cancelled_call_keeps_its_id_until_it_has_finished() {
    let (mut transport, _, mut to_server, from_server) = piped(StdioOptions::default());
    let mut replies = BufReader::new(from_server).lines();
    let mut write = |text: String| to_server.write_all(text.as_bytes()).unwrap();
    write(format!(
        "{INITIALIZE}\n{}{}{}",
        call(1),
        cancel(404),
        cancel(1)
    ));
    let mut work = Vec::new();
    for delivered in [Some("\"init\""), Some("1"), None, None] {
        let message = transport.receive().await.unwrap();
        assert_eq!(id_of(&message).as_deref(), delivered);
        work.push(message);
    }
    write(call(1) + &ping(2));
    assert_eq!(id_of(&transport.receive().await.unwrap()).unwrap(), "2");
    assert!(
        replies
            .next()
            .unwrap()
            .unwrap()
            .contains("the id 1 is in use")
    );

    drop(work);
    assert!(!transport.in_flight.contains(&RequestId::Number(1)));
    write(call(1) + &cancel(2) + &ping(2));
    for delivered in [Some("1"), None, Some("2")] {
        assert_eq!(
            id_of(&transport.receive().await.unwrap()).as_deref(),
            delivered
        );
    }
}

#[tokio::test]
async fn a_failed_write_ends_everything() {
    let (mut transport, shutdown, mut to_server, from_server) = piped(StdioOptions::default());
    to_server
        .write_all((call(1) + &call(2)).as_bytes())
        .unwrap();
    assert!(transport.receive().await.is_some());
    drop(from_server);
    let outlet = transport.outlet();
    let failed = written(outlet.send(answer(1))).await;
    assert_eq!(failed, Err("broken pipe".into()));
    assert!(shutdown.is_cancelled());
    assert!(transport.receive().await.is_none());
    let failed = written(outlet.send(answer(2))).await;
    assert_eq!(failed, Err("closed".into()));
    transport.close().await;
}

#[tokio::test]
async fn a_failed_write_wakes_a_waiting_receive() {
    let (mut transport, _, mut to_server, from_server) = piped(StdioOptions::default());
    to_server.write_all(call(1).as_bytes()).unwrap();
    assert!(transport.receive().await.is_some());
    drop(from_server);
    let sent = transport.outlet().send(answer(1));
    assert!(transport.receive().await.is_none());
    assert!(written(sent).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lines_leave_whole_and_in_the_order_of_sending() {
    let (mut transport, _, _to_server, from_server) = piped(StdioOptions::default());
    let reader = thread::spawn(move || {
        BufReader::new(from_server)
            .lines()
            .map(|line| line.unwrap())
            .collect::<Vec<_>>()
    });
    let mut sends = tokio::task::JoinSet::new();
    for id in 0..5000 {
        sends.spawn(written(transport.outlet().send(answer(id))));
    }
    assert!(sends.join_all().await.into_iter().all(|sent| sent.is_ok()));
    transport.close().await;
    drop(transport);
    let lines = reader.join().unwrap();
    let expected: Vec<_> = (0..5000)
        .map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{}}}}"#))
        .collect();
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn a_client_that_does_not_read_delays_closing_only_so_long() {
    let options = StdioOptions {
        drain_timeout: Duration::from_millis(100),
        ..StdioOptions::default()
    };
    let (mut transport, shutdown, to_server, from_server) = piped(options);
    let mut pending = Box::pin(written(transport.outlet().send(megabyte())));
    let waited = tokio::time::timeout(Duration::from_millis(20), &mut pending).await;
    assert!(waited.is_err(), "a pipe does not take a megabyte");

    // The end of the input is still noticed.
    drop(to_server);
    assert!(transport.receive().await.is_none());
    assert!(shutdown.is_cancelled());
    // Nobody reads, so that only the bound can end the wait.
    transport.close().await;
    drop(from_server);
    assert!(pending.await.is_err());
}

#[tokio::test]
async fn what_is_queued_is_written_before_closing_ends() {
    let (mut transport, _, _to_server, mut from_server) = piped(StdioOptions::default());
    let mut sent = Vec::new();
    for id in 0..100 {
        sent.push(transport.outlet().send(answer(id)));
    }
    transport.close().await;
    drop(transport);
    let mut text = String::new();
    from_server.read_to_string(&mut text).unwrap();
    assert_eq!(text.lines().count(), 100);
    for sent in sent {
        written(sent).await.unwrap();
    }
}

/// A client that asks and asks and does not read gets no more work done for it; when it reads, it
/// gets every answer.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn answers_that_nobody_reads_stop_requests_from_being_taken() {
    const REQUESTS: usize = 20_000;
    let options = StdioOptions {
        outbox_lines: 8,
        ..StdioOptions::default()
    };
    let (mut transport, _, mut to_server, from_server) = piped(options);
    let client = thread::spawn(move || {
        for id in 0..REQUESTS {
            to_server.write_all(ping(id).as_bytes()).unwrap();
        }
        to_server
    });
    let delivered = Arc::new(Mutex::new(0));
    let server = tokio::spawn({
        let delivered = Arc::clone(&delivered);
        async move {
            while let Some(ClientMessage::Request(request)) = transport.receive().await {
                let answer = Outgoing::answer(request.id.clone(), &RpcAnswer::empty());
                drop(transport.outlet().send(answer));
                *delivered.lock().unwrap() += 1;
            }
            transport.close().await;
        }
    });
    let mut seen = usize::MAX;
    loop {
        tokio::time::sleep(Duration::from_millis(100)).await;
        let now = *delivered.lock().unwrap();
        if now == seen {
            break;
        }
        seen = now;
    }
    // A pipe of 64 KiB holds well under 3,000 of these answers.
    assert!(seen < 5000, "{seen} requests were taken");
    assert!(!client.is_finished());

    let reader = thread::spawn(move || BufReader::new(from_server).lines().count());
    drop(client.join().unwrap());
    server.await.unwrap();
    assert_eq!(reader.join().unwrap(), REQUESTS);
}

#[tokio::test]
async fn a_reader_that_is_stuck_behind_a_flood_notices_shutdown() {
    let (input, mut to_server) = io::pipe().unwrap();
    let shutdown = CancellationToken::new();
    let options = StdioOptions::default();
    let transport =
        StdioTransport::new(input, Recorded::default(), options, shutdown.clone()).unwrap();
    let flood = thread::spawn(move || while to_server.write_all(b"garbage\n").is_ok() {});
    thread::sleep(Duration::from_millis(50));
    assert!(!flood.is_finished());
    shutdown.cancel();
    // The thread is gone when its end of the pipe is.
    tokio::task::spawn_blocking(|| flood.join().unwrap())
        .await
        .unwrap();
    drop(transport);
}

#[tokio::test]
async fn the_end_of_input_is_noticed_while_a_request_waits_for_the_client_to_read() {
    let options = StdioOptions {
        outbox_lines: 1,
        ..StdioOptions::default()
    };
    let (mut transport, shutdown, mut to_server, _from_server) = piped(options);
    // Fills the pipe and the writer's hands, then the outbox.
    for _ in 0..2 {
        drop(transport.outlet().send(megabyte()));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    to_server.write_all(ping(1).as_bytes()).unwrap();
    let received = tokio::time::timeout(Duration::from_millis(10), transport.receive()).await;
    assert!(received.is_err() && !shutdown.is_cancelled());
    drop(to_server);
    tokio::select! {
        _ = transport.receive() => panic!("a request was delivered while the outbox was full"),
        () = shutdown.cancelled() => {}
    }
}

#[tokio::test]
async fn messages_that_come_in_pieces_are_read_whole_and_in_order() {
    let options = StdioOptions {
        max_line_bytes: 300 * 1024,
        ..StdioOptions::default()
    };
    let (mut transport, _, mut to_server, from_server) = piped(options);
    let padded = |id: i64, kib: usize| {
        let params = json!({ "pad": "x".repeat(kib * 1024) });
        json!({ "jsonrpc": "2.0", "id": id, "method": "x/y", "params": params }).to_string() + "\n"
    };
    let text = [
        ping(1),
        padded(2, 200),
        padded(3, 900),
        ping(4),
        padded(5, 100),
    ]
    .concat();
    let client = thread::spawn(move || {
        let (bytes, rest) = text.as_bytes().split_at(60);
        for byte in bytes {
            to_server.write_all(&[*byte]).unwrap();
            thread::yield_now();
        }
        to_server.write_all(rest).unwrap();
    });
    for id in ["1", "2", "4", "5"] {
        assert_eq!(id_of(&transport.receive().await.unwrap()).unwrap(), id);
    }
    assert!(transport.receive().await.is_none());
    client.join().unwrap();
    let reply = BufReader::new(from_server).lines().next().unwrap().unwrap();
    let reply: Value = serde_json::from_str(&reply).unwrap();
    assert_eq!(
        (&reply["id"], &reply["error"]["code"]),
        (&json!(3), &json!(-32600))
    );
}

#[tokio::test]
async fn receiving_can_be_given_up_at_any_time_without_losing_a_message() {
    let options = StdioOptions {
        outbox_lines: 1,
        ..StdioOptions::default()
    };
    let (mut transport, _, mut to_server, mut from_server) = piped(options);
    // Fills the pipe and the writer's hands, then the outbox.
    for _ in 0..2 {
        drop(transport.outlet().send(megabyte()));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    to_server
        .write_all((ping(1) + "junk\n" + &ping(2)).as_bytes())
        .unwrap();
    for _ in 0..3 {
        let received = tokio::time::timeout(Duration::from_millis(10), transport.receive()).await;
        assert!(
            received.is_err(),
            "a request was delivered while the outbox was full"
        );
    }
    thread::spawn(move || io::copy(&mut from_server, &mut io::sink()));
    assert_eq!(id_of(&transport.receive().await.unwrap()).unwrap(), "1");
    assert_eq!(id_of(&transport.receive().await.unwrap()).unwrap(), "2");
}
