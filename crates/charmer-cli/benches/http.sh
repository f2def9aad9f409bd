#!/usr/bin/env bash
# `charmer serve --http` against the HTTP server of a peer from the registry (brontes), which serves the same CLI, in one run:
# requests a second, p50 and p99 at 1, 8 and 64 clients, calls over HTTP against calls over stdio, and memory. Loopback only.
#
#   crates/charmer-cli/benches/http.sh          CALLS=N for another number of calls than 100,000 at the end
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=${BENCH_FOLDER:-$(mktemp -d)}
[ -n "${BENCH_FOLDER:-}" ] || trap 'rm -rf "$work"' EXIT

mkdir -p "$work/src"
cat > "$work/Cargo.toml" <<'TOML'
[package]
name = "greet"
version = "0.0.0"
edition = "2024"
[dependencies]
brontes = "0.7"
clap = { version = "4.6", features = ["derive"] }
tokio = { version = "1", features = ["rt-multi-thread", "macros"] }
[profile.release]
lto = "thin"
codegen-units = 1
strip = true
[workspace]
TOML
cat > "$work/src/main.rs" <<'RUST'
use clap::{CommandFactory, Parser};
#[derive(Parser)]
enum Cli { Greet { #[arg(long)] name: Option<String> } }
fn main() -> brontes::Result<()> {
    // Without a runtime where it only greets, so that the call itself costs as little as it can.
    let cli = Cli::command().subcommand(brontes::command(None));
    let matches = cli.clone().get_matches();
    match matches.subcommand() {
        Some(("mcp", sub)) => tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .build()
            .expect("a runtime")
            .block_on(brontes::handle(sub, &cli, None)),
        _ => {
            println!("{:?}", matches.subcommand_name());
            Ok(())
        }
    }
}
RUST
(cd "$work" && cargo build --release --quiet)
greet="$work/target/release/greet"
cd "$here"
cargo bench --quiet --bench http -- "$greet" greet_greet '{}' \
    "brontes=greet_greet=$greet mcp stream --host 127.0.0.1 --port {port}"
