//! Starting the server, from a plain `main` or from inside any async runtime.

use std::io::IsTerminal;

use charmer_core::expose::Expose;
use charmer_server::{Server, ServerInfo};

use crate::{
    Bridge, Level,
    assemble::{BridgePurpose, assemble},
    bridge::Serving,
};

/// Serves until the client goes away; the result is the process's exit code.
///
/// Inside a runtime, as under `#[tokio::main]`, the server gets a thread of its own, because a runtime inside a runtime
/// would panic.
pub(crate) fn start(bridge: &Bridge, serving: &Serving) -> u8 {
    let served = if tokio::runtime::Handle::try_current().is_err() {
        run(bridge, serving)
    } else {
        std::thread::scope(|scope| {
            std::thread::Builder::new()
                .name("charmer".into())
                .spawn_scoped(scope, || run(bridge, serving))
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

fn run(bridge: &Bridge, serving: &Serving) -> Result<(), String> {
    if let Err(shortcoming) = charmer_run::process::harden() {
        (bridge.logger)(Level::Info, &shortcoming);
    }
    let assembled = assemble(bridge, serving, BridgePurpose::Server);
    for warning in &assembled.catalogue.warnings {
        (bridge.logger)(Level::Warn, &warning.to_string());
    }
    #[cfg(feature = "http")]
    let listener = listener(serving)?;
    #[cfg(feature = "http")]
    let on_stdio = listener.is_none();
    #[cfg(not(feature = "http"))]
    let on_stdio = true;
    if on_stdio && std::io::stdin().is_terminal() {
        (bridge.logger)(
            Level::Warn,
            "this is an MCP server, and it expects a client on standard input; add it to your assistant's \
             configuration instead of running it here (Ctrl-C ends it)",
        );
    }
    let name = bridge
        .command
        .get_bin_name()
        .unwrap_or_else(|| bridge.command.get_name());
    let mut info = bridge
        .info
        .clone()
        .unwrap_or_else(|| ServerInfo::new(name, bridge.command.get_version().unwrap_or("0.0.0")));
    if serving.exposure.mode != Expose::All && info.instructions.is_none() {
        let what = format!("Runs commands of {name}.");
        info = info.instructions(serving.exposure.instructions(&what));
    }
    let mut server = Server::new(info, assembled.tools, assembled.engine);
    #[cfg(feature = "prompts")]
    {
        server = server.example_prompts(serving.example_prompts);
    }
    #[cfg(feature = "jobs")]
    if let Some(jobs) = assembled.jobs {
        server = server.jobs(jobs);
    }
    if let Some(promotions) = &serving.exposure.promotions {
        server = server.promotions(promotions.clone());
    }
    #[cfg(feature = "http")]
    let served = match listener {
        Some(listener) => server.run_http(listener, serving.http.clone()),
        None => server.run_stdio(),
    };
    #[cfg(not(feature = "http"))]
    let served = server.run_stdio();
    let served = served.map_err(|error| error.to_string());
    // The process may end right after this, and with it the thread that writes.
    if let Some(audit) = &assembled.audit {
        audit.finish(std::time::Duration::from_secs(2));
    }
    served
}

/// The listener for clients over HTTP, if they are to come so, which says its address.
#[cfg(feature = "http")]
fn listener(serving: &Serving) -> Result<Option<charmer_server::HttpListener>, String> {
    use std::io::Write;

    let Some(address) = &serving.address else {
        return Ok(None);
    };
    let listener = charmer_server::HttpListener::bind(address, &serving.http);
    let listener = listener.map_err(|error| error.to_string())?;
    // There is nobody left to tell when standard error is gone.
    let _ = writeln!(std::io::stderr(), "listening on {}", listener.url());
    Ok(Some(listener))
}
