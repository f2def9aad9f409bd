#!/usr/bin/env python3
"""Real assistants connect to `charmer` at the first try: to entries written by hand, though it has never seen the programs
that it serves, and to those that `charmer add` writes into their files, which `charmer remove` takes out again.

    cp assistants/package*.json FOLDER && cd FOLDER
    npm install --ignore-scripts    (not `npm ci`, which wants the packages of every other platform, too)
    node node_modules/@anthropic-ai/claude-code/install.cjs
    (cd node_modules/opencode-ai && node postinstall.mjs)
    python3 assistants.py CHARMER FOLDER [PROGRAM...]

Each command-line client gets a home folder of its own, which is new, and an entry for each program (git, docker and
kubectl, as far as they are here). Then its `mcp list`, which needs no account, starts all of them at once and says which
have connected. What a client starts it also ends, so whatever is left running is a failure too.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

# Clients give up on a server much earlier.
LONGEST = 120
# No client needs more than these; tokens and settings of whoever runs this are not for them.
INHERITED = ["PATH", "LANG", "LC_ALL", "TMPDIR"]
# None of them has to reach anything for this.
QUIET = {
    "CI": "1",
    "NO_COLOR": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_TELEMETRY": "1",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
}


def write(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2))


def usual(servers):
    return {
        "mcpServers": {
            name: {"command": command[0], "args": command[1:]}
            for name, command in servers.items()
        }
    }


def claude(home, _, servers):
    write(home / ".claude.json", usual(servers))


def gemini(home, work, servers):
    write(home / ".gemini" / "settings.json", usual(servers))
    # It does not start anything in a folder that it was not told to trust.
    write(home / ".gemini" / "trustedFolders.json", {str(work): "TRUST_FOLDER"})


def opencode(home, _, servers):
    entries = {
        name: {"type": "local", "command": command, "enabled": True}
        for name, command in servers.items()
    }
    write(home / ".config" / "opencode" / "opencode.json", {"mcp": entries})


CLIENTS = {"claude": claude, "gemini": gemini, "opencode": opencode}
# What `charmer add` calls the clients, and whether their `mcp list` also connects.
ADDED = {
    "claude": ("claude-code", True),
    "gemini": ("gemini", True),
    "codex": ("codex", False),
    "opencode": ("opencode", True),
}


def plain(text):
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


def has_connected(program, lines):
    """Whether a client said of a server that it has connected, and nothing else."""
    about = [line for line in lines if re.search(rf"\b{program}\b.*\bconnected\b", line, re.I)]
    trouble = r"fail|disconnected|not connected|error|timed? ?out|unreachable"
    return bool(about) and not any(re.search(trouble, line, re.I) for line in about)


def of_home(home):
    """The processes that were started for this home folder and are still there."""
    mark = f"HOME={home}".encode()
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (process / "environ").read_bytes().split(b"\0"):
                command = (process / "cmdline").read_bytes().replace(b"\0", b" ")
                found.append(f"{process.name} {command.decode(errors='replace').strip()}")
        except OSError:
            continue
    return found


def left_over(home):
    """What of them does not end within a few seconds."""
    until = time.monotonic() + 10
    while (left := of_home(home)) and time.monotonic() < until:
        time.sleep(0.1)
    return left


def surroundings(home):
    """The environment of a person whose home folder this is."""
    environment = {key: os.environ[key] for key in INHERITED if key in os.environ}
    environment |= QUIET | {"HOME": str(home)}
    for variable, inside in [
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_CACHE_HOME", ".cache"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_STATE_HOME", ".local/state"),
    ]:
        environment[variable] = str(home / inside)
    return environment


def listed(name, program, home, work):
    """What a client's `mcp list` prints."""
    began = time.monotonic()
    done = subprocess.run(
        [program, "mcp", "list"],
        cwd=work,
        env=surroundings(home),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=LONGEST,
        text=True,
        errors="replace",
    )
    said = plain(done.stdout)
    print(f"\n{name}: {time.monotonic() - began:.1f} s, exit code {done.returncode}")
    print("".join(f"    {line}\n" for line in said.splitlines() if line.strip()), end="")
    return said.splitlines()


def attempt(name, program, servers, folder):
    """One client with everything new; the reasons why it did not do."""
    home, work = folder / name, folder / f"{name}-work"
    home.mkdir()
    work.mkdir()
    CLIENTS[name](home, work, servers)
    lines = listed(name, program, home, work)
    wrong = [
        f"{name} did not connect to {server} at the first try"
        for server in servers
        if not has_connected(server, lines)
    ]
    wrong += [f"left running by {name}: {process}" for process in left_over(home)]
    return wrong


def files_in(home):
    """The files that a client's configuration may be in, and what is in them."""
    found = {path: path.read_bytes() for path in home.rglob("*") if path.is_file() and not path.is_symlink()}
    return {path: text for path, text in found.items() if ".cache" not in path.parts}


def attempt_added(name, program, charmer, server, folder):
    """One client whose file `charmer add` writes, in a home folder that is new; the reasons why it did not do."""
    home, work = folder / name, folder / f"{name}-work"
    home.mkdir()
    work.mkdir()
    if name == "gemini":
        write(home / ".gemini" / "trustedFolders.json", {str(work): "TRUST_FOLDER"})
    client, connects = ADDED[name]
    before = files_in(home)

    def run(*words):
        done = subprocess.run(
            [charmer, *words],
            cwd=work,
            env=surroundings(home),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=LONGEST,
        )
        print(f"charmer {' '.join(words)}: {done.stdout}{done.stderr}".rstrip())
        return done

    added = run("add", server, "--to", client, "--read-only")
    if added.returncode:
        return [f"charmer add --to {client} failed"]
    written = {path: text for path, text in files_in(home).items() if before.get(path) != text}
    lines = listed(name, program, home, work)
    if connects:
        seen = has_connected(server, lines)
    else:
        seen = any(re.search(rf"\b{server}\b", line) for line in lines)
    wrong = [] if seen else [f"{name} does not show {server} as it should after `charmer add`"]
    # A client may write its own files when it starts, and ours among them: what it added is not ours to take away.
    untouched = {path for path, text in written.items() if path.exists() and path.read_bytes() == text}
    if run("remove", server, "--from", client).returncode:
        wrong.append(f"charmer remove --from {client} failed")
    after = files_in(home)
    for path in written:
        if path in untouched and after.get(path) != before.get(path):
            wrong.append(f"`charmer remove` did not give back {path}")
        if str(charmer).encode() in after.get(path, b""):
            wrong.append(f"{path} still has the server")
    wrong += [f"left running by {name}: {process}" for process in left_over(home)]
    return wrong


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    charmer, clients = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    programs = sys.argv[3:] or [
        name for name in ["git", "docker", "kubectl"] if shutil.which(name)
    ]
    servers = {name: [str(charmer), "serve", shutil.which(name) or name] for name in programs}
    print(f"served: {', '.join(servers)}")
    wrong = []
    for name in CLIENTS.keys() | ADDED.keys():
        if not (clients / "node_modules" / ".bin" / name).exists():
            sys.exit(f"{name} is not installed in {clients}")

    def in_scratch(name, try_out):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="charmer-assistants-"))
        try:
            return try_out(clients / "node_modules" / ".bin" / name, folder)
        except subprocess.TimeoutExpired:
            return [f"{name} took longer than {LONGEST} s"]
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    for name in CLIENTS:
        wrong += in_scratch(name, lambda program, folder: attempt(name, program, servers, folder))
    for name in ADDED:
        first = next(iter(servers))
        wrong += in_scratch(
            name, lambda program, folder: attempt_added(name, program, charmer, first, folder)
        )
    if wrong:
        sys.exit("\n" + "\n".join(wrong))
    print(f"\nall connected: {', '.join(CLIENTS)}; added, shown and removed: {', '.join(ADDED)}")


if __name__ == "__main__":
    main()
