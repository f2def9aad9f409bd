#!/usr/bin/env bash
# What the library adds to a CLI: the size of its release binary and the time of a clean release build, with and
# without it, in the same run. Needs nothing but Rust; works in a folder of its own and removes it.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

make_cli() { # NAME DEPENDENCY PARSE
    mkdir -p "$work/$1/src"
    cat > "$work/$1/Cargo.toml" <<TOML
[package]
name = "$1"
version = "0.0.0"
edition = "2024"
[dependencies]
clap = { version = "4.6", features = ["derive"] }
$2
[profile.release]
lto = "thin"
codegen-units = 1
strip = true
[workspace]
TOML
    cat > "$work/$1/src/main.rs" <<RUST
use clap::Parser;
#[derive(Parser)]
struct Cli { #[arg(long)] name: Option<String> }
fn main() {
    let cli: Cli = $3;
    println!("{:?}", cli.name);
}
RUST
}

make_cli plain "" "Cli::parse()"
make_cli charmed "charmer = { path = \"$here\" }" "charmer::parse()"
# The same versions as the workspace, and downloads apart from the measurement.
cp "$here/../../Cargo.lock" "$work/charmed/Cargo.lock"
for name in plain charmed; do
    (cd "$work/$name" && cargo fetch --quiet)
done
declare -A size seconds
for name in plain charmed; do
    began=$(date +%s.%N)
    (cd "$work/$name" && cargo build --release --quiet)
    seconds[$name]=$(echo "$(date +%s.%N) - $began" | bc)
    size[$name]=$(stat -c %s "$work/$name/target/release/$name")
    printf '%-8s %6.1f s  %5.2f MB\n' "$name" "${seconds[$name]}" "$(echo "${size[$name]} / 1000000" | bc -l)"
done
printf 'added    %6.1f s  %5.2f MB\n' "$(echo "${seconds[charmed]} - ${seconds[plain]}" | bc)" \
    "$(echo "(${size[charmed]} - ${size[plain]}) / 1000000" | bc -l)"
