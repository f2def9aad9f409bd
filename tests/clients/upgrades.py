"""Real upgrades behind unchanged wrappers: a server that runs notices each, announces it, and has the new flags.

    upgrades.py CHARMER

A package of Python is installed into a virtual environment, one of JavaScript into a folder, each in an older version;
then it is upgraded while it is served. Fails where Python or Node, or what they install, is not to be had.
"""

import json
import os
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading
import time

# How long a server may take to notice and to read, on a machine that is busy.
PATIENCE = 120


class Server:
    """A running server, and what it says."""

    def __init__(self, charmer, program, cache):
        environment = {**os.environ, "CHARMER_CACHE": str(cache)}
        command = [charmer, "serve", str(program), "--expose", "all"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen(command, env=environment, **pipes)
        self.lines = queue.Queue()
        self.announced = 0
        self.next = 0
        threading.Thread(target=self.listen, daemon=True).start()
        client = {"name": "upgrades", "version": "0"}
        version = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        self.ask("initialize", version)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def listen(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def hear(self, deadline):
        message = self.lines.get(timeout=max(0.1, deadline - time.monotonic()))
        if message.get("method") == "notifications/tools/list_changed":
            self.announced += 1
        return message

    def ask(self, method, params):
        self.next += 1
        self.send({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params})
        deadline = time.monotonic() + PATIENCE
        while True:
            message = self.hear(deadline)
            if message.get("id") == self.next:
                return message["result"]

    def flags(self):
        tools = self.ask("tools/list", {})["tools"]
        return {name for tool in tools for name in tool["inputSchema"].get("properties", {})}

    def until_announced(self):
        """Waits for the announcement, and says how long that took."""
        began = time.monotonic()
        before = self.announced
        while self.announced == before:
            self.hear(began + PATIENCE)
        return time.monotonic() - began

    def end(self):
        self.process.stdin.close()
        self.process.wait(timeout=PATIENCE)


def check(charmer, folder, program, upgrade, new_flag):
    """Serves a program, upgrades it, and looks for a flag that only the newer version has."""
    wrapper = program.read_bytes()
    server = Server(charmer, program, folder / "cache")
    before = server.flags()
    assert len(before) > 10, f"{program.name} was not read: {sorted(before)}"
    assert new_flag not in before, f"{program.name} is new already: {sorted(before)}"
    print(f"{program.name}: {len(before)} flags", flush=True)
    upgrade()
    assert program.read_bytes() == wrapper, f"{program.name}: the wrapper has changed"
    took = server.until_announced()
    after = server.flags()
    assert new_flag in after, f"{program.name} has no {new_flag}: {sorted(after)}"
    print(f"{program.name}: {len(after)} flags, announced {took:.0f} s after the upgrade", flush=True)
    server.end()


def run(*command, **options):
    subprocess.run([str(word) for word in command], check=True, **options)


def python(charmer, folder):
    environment = folder / "venv"
    run(sys.executable, "-m", "venv", environment)
    pip = [environment / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run(*pip, "black==22.12.0", "click==8.1.7")
    upgrade = lambda: run(*pip, "black==24.10.0")
    check(charmer, folder, environment / "bin/black", upgrade, "unstable")


def node(charmer, folder):
    npm = ["npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder]
    (folder / "package.json").write_text("{}")
    run(*npm, "prettier@2.8.8")
    # A wrapper that people have on PATH; what npm links changes from version to version.
    program = folder / "prettier"
    program.write_text(f'#!/bin/sh\nexec "{folder}/node_modules/.bin/prettier" "$@"\n')
    program.chmod(0o755)
    upgrade = lambda: run(*npm, "prettier@3.3.3")
    check(charmer, folder, program, upgrade, "log-level")


def main():
    charmer = sys.argv[1]
    for each in (python, node):
        with tempfile.TemporaryDirectory() as folder:
            each(charmer, pathlib.Path(folder))


main()
