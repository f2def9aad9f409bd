"""Starts what the unit and the container start, with a built program: python3 packaging/server/check.py CHARMER

Paths and addresses are replaced by ones of a scratch folder and of loopback; every other word is as it stands in the files.
"""

import json
import os
import pathlib
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).parent
DEADLINE = 60


def unit_words():
    lines = (HERE / "charmer.service").read_text().splitlines()
    start = next(line for line in lines if line.startswith("ExecStart="))
    return shlex.split(start.removeprefix("ExecStart="))


def container_words():
    lines = (HERE / "Containerfile").read_text().splitlines()
    assert any(line.startswith("USER ") and not line.startswith("USER 0") for line in lines), "it must not run as root"
    entry = next(line for line in lines if line.startswith("ENTRYPOINT "))
    return json.loads(entry.removeprefix("ENTRYPOINT "))


def replaced(words, charmer, folder):
    known = {
        "/usr/bin/charmer": charmer,
        "/etc/charmer/charmer.yaml": f"{folder}/charmer.yaml",
        "/run/secrets/tokens": f"{folder}/tokens",
        "${CREDENTIALS_DIRECTORY}/tokens": f"{folder}/tokens",
        "127.0.0.1:8765": "127.0.0.1:0",
        "0.0.0.0:8765": "127.0.0.1:0",
    }
    return [known.get(word, word) for word in words]


def ready(url):
    end = time.monotonic() + DEADLINE
    while True:
        try:
            with urllib.request.urlopen(url, timeout=5) as answer:
                return json.load(answer)["status"]
        except OSError as error:
            if time.monotonic() > end:
                sys.exit(f"{url}: {error}")
            time.sleep(0.1)


def try_server(name, words):
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(HERE / "charmer.yaml", folder)
        tokens = pathlib.Path(folder, "tokens")
        tokens.touch(mode=0o600)
        tokens.write_text("check: a-token-for-the-check [read]\n")
        words = replaced(words, sys.argv[1], folder)
        environment = {**os.environ, "CHARMER_CACHE": f"{folder}/cache"}
        server = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env=environment)
        try:
            line = next((line for line in server.stderr if line.startswith("listening on ")), None)
            assert line, f"{name}: it ended with {server.wait()}"
            url = line.split()[-1].removesuffix("/mcp")
            assert ready(f"{url}/readyz") == "ready"
            server.send_signal(signal.SIGTERM)
            server.stderr.read()
            assert server.wait(DEADLINE) == 0, f"{name}: it ended with {server.returncode}"
        finally:
            server.kill()
            server.wait()
    print(f"{name}: started, ready, ended")


def verify_unit():
    if not shutil.which("systemd-analyze"):
        print("unit: no systemd-analyze here, so only its command was tried")
        return
    with tempfile.TemporaryDirectory() as folder:
        text = (HERE / "charmer.service").read_text().replace("/usr/bin/charmer", os.path.abspath(sys.argv[1]))
        text = "".join(line for line in text.splitlines(True) if not line.startswith("Documentation="))
        unit = pathlib.Path(folder, "charmer.service")
        unit.write_text(text)
        subprocess.run(["systemd-analyze", "verify", unit], check=True)
    print("unit: verified")


verify_unit()
try_server("unit", unit_words())
try_server("container", container_words())
