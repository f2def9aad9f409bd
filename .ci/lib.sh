# What `.ci/run` and every step begin with: where things are, and commands that end when they hang.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mkdir -p "${CARGO_TARGET_DIR:-target}"
target=$(cd "${CARGO_TARGET_DIR:-target}" && pwd -P)
# What is installed for the checks.
tools=$target/ci
mkdir -p "$tools"

export CARGO_TERM_COLOR=${CARGO_TERM_COLOR:-never}
# Everything is built once, from nothing; what only helps the next build costs a tenth of this one.
export CARGO_INCREMENTAL=0
# Set from outside, these would change what is built, or build it twice.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTDOCFLAGS CARGO_BUILD_TARGET

# Whether to do in full what is usually done in part.
whole() {
    [[ ${CHARMER_CI_WHOLE:-} == 1 ]]
}

fail() {
    echo "$*" >&2
    exit 1
}

need() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || fail "needs $tool"
    done
}

children=()

# Ends what was started, and waits for it.
stop() {
    local child
    for child in ${children[@]+"${children[@]}"}; do
        kill "$child" 2>/dev/null || true
    done
    wait 2>/dev/null || true
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start SECONDS COMMAND...: a hang ends here, with its children, and not when the whole run is given up.
# In the background, because bash handles a signal only between commands, or in `wait`.
start() {
    local limit=$1
    shift
    timeout --verbose --kill-after=15 "$limit" "$@" </dev/null &
    children+=("$!")
}

# Waits for all that was started; fails if one has.
finish() {
    local child status=0
    for child in ${children[@]+"${children[@]}"}; do
        wait "$child" || status=$?
    done
    children=()
    return "$status"
}

# run SECONDS COMMAND...
run() {
    start "$@"
    finish
}

# The program and the examples that tests and clients start; after `cargo test` there is nothing to do.
build() {
    run 1200 cargo build --quiet --workspace --bins --examples
}

python=$tools/python/bin/python
# Programs of others whose true trees are known.
programs=$tools/programs
inspector=$tools/inspector
# The conformance suite, and a Node that is new enough for it.
conformance=$tools/conformance
assistants=$tools/assistants
charmer=$target/debug/charmer
# The command lines that every client is shown.
clis=("$target/debug/examples/derive" "$target/debug/examples/torture")
