#!/usr/bin/env bash
# What a library adds to a small clap CLI: the size of its release binary with cargo's own profile, the packages that it is
# built from, and the processor time of a clean release build. The same CLI is built with charmer, with its peers from the
# registry, and with bare rmcp, which is the floor, all in one run. Needs nothing but Rust and the registry; works in a
# folder of its own and removes it.
#
#   crates/charmer/benches/footprint.sh [NAME...]     plain charmer brontes clap-mcp rmcp; all of them by default
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_cli() { # NAME DEPENDENCIES, and main.rs on standard input
    mkdir -p "$work/$1/src"
    cat > "$work/$1/Cargo.toml" <<TOML
[package]
name = "greet-$1"
version = "0.0.0"
edition = "2024"
[dependencies]
clap = { version = "4.6", features = ["derive"] }
$2
[workspace]
TOML
    cat > "$work/$1/src/main.rs"
}

make_cli plain "" <<'RUST'
use clap::Parser;
#[derive(Parser)]
enum Cli { Greet { #[arg(long)] name: Option<String> } }
fn main() {
    let Cli::Greet { name } = Cli::parse();
    println!("{name:?}");
}
RUST

make_cli charmer "charmer = { path = \"$here\" }" <<'RUST'
use clap::Parser;
#[derive(Parser)]
enum Cli { Greet { #[arg(long)] name: Option<String> } }
fn main() {
    let Cli::Greet { name } = charmer::parse();
    println!("{name:?}");
}
RUST
# The same versions as the workspace.
cp "$here/../../Cargo.lock" "$work/charmer/Cargo.lock"

make_cli brontes 'brontes = "0.7"
tokio = { version = "1", features = ["rt-multi-thread", "macros"] }' <<'RUST'
use clap::{CommandFactory, Parser};
#[derive(Parser)]
enum Cli { Greet { #[arg(long)] name: Option<String> } }
#[tokio::main]
async fn main() -> brontes::Result<()> {
    let cli = Cli::command().subcommand(brontes::command(None));
    let matches = cli.clone().get_matches();
    match matches.subcommand() {
        Some(("mcp", sub)) => brontes::handle(sub, &cli, None).await,
        _ => {
            println!("{:?}", matches.subcommand_name());
            Ok(())
        }
    }
}
RUST

make_cli clap-mcp 'clap-mcp = "0.1"' <<'RUST'
use clap::Parser;
use clap_mcp::{ClapMcp, ParseOrServeMcp as _};
#[derive(Parser, ClapMcp)]
#[clap_mcp(reinvocation_safe, parallel_safe = false)]
#[clap_mcp_output_from = "run"]
enum Cli { Greet { #[arg(long)] name: Option<String> } }
fn run(cli: Cli) -> String {
    let Cli::Greet { name } = cli;
    format!("{name:?}")
}
fn main() {
    println!("{}", run(Cli::parse_or_serve_mcp()));
}
RUST

make_cli rmcp 'rmcp = { version = "3", default-features = false, features = ["server", "transport-io"] }
serde_json = "1"
tokio = { version = "1", features = ["macros", "process", "rt-multi-thread"] }' <<'RUST'
use clap::Parser;
use rmcp::{ErrorData, RoleServer, ServerHandler, model::*, serve_server, service::RequestContext, transport};
#[derive(Parser)]
enum Cli { Greet { #[arg(long)] name: Option<String> }, Mcp }
#[derive(Clone)]
struct Bare;
impl ServerHandler for Bare {
    async fn list_tools(&self, _: Option<PaginatedRequestParams>, _: RequestContext<RoleServer>)
        -> Result<ListToolsResult, ErrorData> {
        let schema = serde_json::json!({"type": "object"});
        let tool = Tool::new("greet", "Greets", schema.as_object().unwrap().clone());
        Ok(ListToolsResult::with_all_items(vec![tool]))
    }
    async fn call_tool(&self, _: CallToolRequestParams, _: RequestContext<RoleServer>)
        -> Result<CallToolResponse, ErrorData> {
        let program = std::env::current_exe().unwrap();
        let output = tokio::process::Command::new(program).arg("greet").output().await.unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}
#[tokio::main]
async fn main() {
    match Cli::parse() {
        Cli::Greet { name } => println!("{name:?}"),
        Cli::Mcp => {
            let running = serve_server(Bare, transport::stdio()).await.unwrap();
            running.waiting().await.unwrap();
        }
    }
}
RUST

names=("$@")
[ ${#names[@]} -gt 0 ] || names=(plain charmer brontes clap-mcp rmcp)
printf '%-10s %10s %9s %12s\n' '' 'size' 'packages' 'processors'
for name in "${names[@]}"; do
    cd "$work/$name"
    cargo fetch --quiet
    packages=$(cargo tree --edges normal --prefix none --no-dedupe | awk '{print $1, $2}' | sort -u | wc -l)
    TIMEFORMAT='%U %S'
    spent=$({ time cargo build --release --quiet 2> build.log || { cat build.log >&2; exit 1; }; } 2>&1) || { echo "$spent" >&2; exit 1; }
    size=$(stat -c %s "target/release/greet-$name")
    printf '%-10s %7.2f MB %9d %10.0f s\n' "$name" "$(echo "$size / 1000000" | bc -l)" $((packages - 1)) \
        "$(echo "$spent" | awk '{print $1 + $2}')"
    rm -rf target
done
