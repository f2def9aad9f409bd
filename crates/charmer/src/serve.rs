//! Starting the server, from a plain `main` or from inside any async runtime.

use std::{io::IsTerminal, time::Duration};

use charmer_server::{Server, ServerInfo};

use crate::{
    Bridge, Level,
    assemble::{Purpose, assemble},
};

/// When the server begins to listen for signals.
const SIGNALS_LATER: Duration = Duration::from_millis(20);

/// Serves until the client goes away; the result is the process's exit code.
///
/// Inside a runtime, as under `#[tokio::main]`, the server gets a thread of its own, because a runtime inside a runtime
/// would panic.
pub(crate) fn start(bridge: &Bridge) -> u8 {
    let served = if tokio::runtime::Handle::try_current().is_err() {
        run(bridge)
    } else {
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .name("charmer".into())
                .spawn_scoped(scope, || run(bridge))
                .map_err(|error| error.to_string())
                .and_then(|thread| {
                    thread
                        .join()
                        .unwrap_or_else(|_| Err("the server panicked".into()))
                })
        })
    };
    match served {
        Ok(()) => 0,
        Err(error) => {
            (bridge.logger)(Level::Error, &error);
            1
        }
    }
}

fn run(bridge: &Bridge) -> Result<(), String> {
    if let Err(shortcoming) = charmer_run::process::harden() {
        (bridge.logger)(Level::Info, &shortcoming);
    }
    let assembled = assemble(bridge, Purpose::Server);
    for warning in &assembled.catalogue.warnings {
        (bridge.logger)(Level::Warn, &warning.to_string());
    }
    if std::io::stdin().is_terminal() {
        (bridge.logger)(
            Level::Warn,
            "this is an MCP server, and it expects a client on standard input; add it to your assistant's \
             configuration instead of running it here (Ctrl-C ends it)",
        );
    }
    let info = bridge.info.clone().unwrap_or_else(|| {
        let name = bridge
            .command
            .get_bin_name()
            .unwrap_or_else(|| bridge.command.get_name());
        ServerInfo::new(name, bridge.command.get_version().unwrap_or("0.0.0"))
    });
    // One thread speaks with the client; calls run on others.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("failed to start the async runtime: {error}"))?;
    let server = Server::new(info, assembled.tools, assembled.engine);
    let served = runtime.block_on(async {
        let stop = server.stop_token();
        tokio::spawn(async move {
            // Until there can be a child the usual end of a process is good enough, and the first answers come sooner.
            tokio::time::sleep(SIGNALS_LATER).await;
            ended_by_signal().await;
            stop.cancel();
        });
        server
            .serve_stdio()
            .await
            .map_err(|error| error.to_string())
    });
    // A handler that is still busy must not keep the process alive after its client has gone.
    runtime.shutdown_background();
    // The process may end right after this, and with it the thread that writes.
    if let Some(audit) = &assembled.audit {
        audit.finish(std::time::Duration::from_secs(2));
    }
    served
}

#[cfg(unix)]
async fn ended_by_signal() {
    use tokio::signal::unix::{SignalKind, signal};
    let (Ok(mut terminate), Ok(mut hangup)) = (
        signal(SignalKind::terminate()),
        signal(SignalKind::hangup()),
    ) else {
        return std::future::pending().await;
    };
    tokio::select! {
        _ = terminate.recv() => {}
        _ = hangup.recv() => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

#[cfg(not(unix))]
async fn ended_by_signal() {
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}
