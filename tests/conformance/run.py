"""The official conformance suite against `charmer serve --http`, in both revisions.

    python3 run.py CHARMER FIXTURE SUITE_FOLDER [REVISION... | tasks]

FIXTURE is the built example `suite`, a clap program with most of the tools that the suite calls; the rest are spells, in
the folder beside this file. SUITE_FOLDER is where package.json was installed; the suite needs Node 24, which came along
with it if the machine's own is older.

The scenarios about tasks are no part of what a revision asks; those of them that are for a bridge to programs are run against
a second server, with the spells in `tasks`, and must pass.

What may fail is in `baseline-REVISION.yaml`, each with its reason. Anything else that fails, fails this; so does an entry
that passes. That the programs behind the tools were really run is read from the server's audit log.
"""

import json
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
REVISIONS = ("2026-07-28", "2025-11-25")
# Long enough for a machine under load: the suite takes ten seconds, and a start less than one.
SUITE_SECONDS = 240
START_SECONDS = 60
STOP_SECONDS = 30
# The tools that are called in each revision, and the exit code that their programs end with.
RUN = {
    "test_simple_text": 0,
    "test_error_handling": 1,
    "test_image_content": 0,
    "test_audio_content": 0,
    "test_tool_with_progress": 0,
}
RUN_IN = {
    "2026-07-28": RUN
    | {
        "test_logging_tool": 0,
        "test_trigger_tool_change": 0,
        "test_trigger_prompt_change": 0,
    },
    # Its form asks for `allow`, which the suite does not fill in: `test_elicitation` is asked about and not run.
    "2025-11-25": RUN,
}

# The scenarios about tasks that must pass.
TASKS = (
    "tasks-lifecycle",
    "tasks-capability-negotiation",
    "tasks-wire-fields",
    "tasks-request-state-removal",
    "tasks-request-headers",
    "tasks-dispatch-and-envelope",
)
# Those that are not for a bridge to programs, and why:
# tasks-status-notifications: the suite skips it itself.
# tasks-mrtr-input: it wants questions from within a task, two at once. What is asked here is asked before anything runs, one
#   question at a time, and so before there is a task.
# tasks-mrtr-composition: it asserts a form of its own, by its key.
# tasks-required-task-error: it wants a tool that is refused to clients that do not know tasks. Here each is for everybody.
TASKS_RAN = {"slow_compute": 0, "failing_job": 1}


class Failure(Exception):
    """Why the check fails."""


def node(folder: Path) -> str:
    """A Node that is new enough: the machine's own, or the one that was installed with the suite."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), "")
    candidates = ["node", str(folder / f"node_modules/node-linux-{machine}/bin/node")]
    for candidate in candidates:
        try:
            said = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            continue
        if int(said.lstrip("v").split(".")[0]) >= 24:
            return candidate
    raise Failure(f"needs Node 24 or newer: none of {', '.join(candidates)} is")


class Server:
    """`charmer serve --http` in a folder of its own, on a free port."""

    def __init__(self, charmer: str, fixture: str, folder: Path, source: Path = HERE) -> None:
        self.folder = folder
        shutil.copytree(source / "spells", folder / "spells")
        for file in [source / "charmer.yaml", *source.glob("*.sh"), *source.glob("added_*.yaml")]:
            shutil.copy(file, folder)
        # The root of a program's tools is called after its file, if its usage does not say.
        (folder / "test").symlink_to(fixture)
        self.log = folder / "stderr"
        # Its cache is its own as well: the machine's may know another program of this name.
        environment = os.environ | {"XDG_CACHE_HOME": str(folder / "cache")}
        with self.log.open("w") as log:
            self.process = subprocess.Popen(
                [charmer, "serve", "--config", "charmer.yaml", "--http", "127.0.0.1:0"],
                cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
            )
        self.url = self.address()

    def address(self) -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in self.log.read_text().splitlines():
                if line.startswith("listening on "):
                    return line.removeprefix("listening on ")
            time.sleep(0.05)
        self.process.kill()
        raise Failure(f"the server does not listen: {self.log.read_text()}")

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise Failure("the server does not end when it is told to") from None
        if code != 0:
            raise Failure(f"the server ended with {code}: {self.log.read_text()}")

    def calls(self) -> list[dict]:
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text().splitlines()]


def checks(out: Path) -> dict[str, dict[str, int]]:
    """How often each scenario's checks came to what."""
    counted: dict[str, dict[str, int]] = {}
    for file in sorted(out.glob("server-*/checks.json")):
        # A folder is called after its scenario and the time.
        name = re.sub(r"-\d{4}-\d\d-\d\dT[^T]*$", "", file.parent.name.removeprefix("server-"))
        statuses = counted.setdefault(name, {})
        for check in json.loads(file.read_text()):
            statuses[check["status"]] = statuses.get(check["status"], 0) + 1
    return counted


def programs_ran(calls: list[dict], expected: dict[str, int]) -> None:
    """The suite cannot tell a program that ran from a server that only says so; the audit log can."""
    for tool, code in expected.items():
        ran = [call for call in calls if call.get("tool") == tool and call.get("argv")]
        if not any(call.get("exitCode") == code for call in ran):
            raise Failure(f"no call of `{tool}` that ran its program to exit code {code} is in the audit log: {ran}")


def required(suite: Path, revision: str) -> set[str]:
    """The scenarios that a revision asks of servers; others are run, and not counted."""
    file = suite / f"node_modules/@modelcontextprotocol/conformance/requirements/{revision}.yaml"
    names: set[str] = set()
    inside = False
    # A list of names under a key at the margin: all of YAML that it takes.
    for line in file.read_text().splitlines():
        if line.strip() and not line.startswith((" ", "-", "#")):
            inside = line.strip() == "server:"
        elif inside and line.strip().startswith("- "):
            names.add(line.strip().removeprefix("- ").split(" #")[0].strip())
    return names


def conforms(charmer: str, fixture: str, suite: Path, revision: str) -> tuple[dict[str, dict[str, int]], set[str]]:
    with tempfile.TemporaryDirectory(prefix="charmer-conformance-") as place:
        folder = Path(place) / "served"
        folder.mkdir()
        out = Path(place) / "out"
        server = Server(charmer, fixture, folder)
        try:
            words = [
                node(suite), str(suite / "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
                "server", "--url", server.url, "--requirements", revision,
                "--expected-failures", str(HERE / f"baseline-{revision}.yaml"), "-o", str(out),
            ]  # fmt: skip
            run = subprocess.run(
                words, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, timeout=SUITE_SECONDS,
            )  # fmt: skip
        finally:
            server.stop()
        counted = checks(out)
        scored = required(suite, revision)
        missing = scored - counted.keys()
        if run.returncode != 0 or missing:
            raise Failure(f"the suite ended with {run.returncode}, without {missing}:\n{run.stdout[-6000:]}")
        programs_ran(server.calls(), RUN_IN[revision])
        return counted, scored


def tasks_conform(charmer: str, fixture: str, suite: Path) -> dict[str, dict[str, int]]:
    """The scenarios about tasks, against a server whose calls soon become jobs."""
    with tempfile.TemporaryDirectory(prefix="charmer-conformance-") as place:
        folder = Path(place) / "served"
        folder.mkdir()
        out = Path(place) / "out"
        server = Server(charmer, fixture, folder, HERE / "tasks")
        try:
            for scenario in TASKS:
                words = [
                    node(suite), str(suite / "node_modules/@modelcontextprotocol/conformance/dist/index.js"),
                    "server", "--url", server.url, "--scenario", scenario, "--timeout", "120000", "-o", str(out),
                ]  # fmt: skip
                run = subprocess.run(
                    words, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                    text=True, timeout=SUITE_SECONDS,
                )  # fmt: skip
                if run.returncode != 0:
                    raise Failure(f"{scenario}: {run.stdout[-6000:]}")
        finally:
            server.stop()
        counted = checks(out)
        missing = set(TASKS) - counted.keys()
        bad = [name for name, statuses in counted.items() if statuses.keys() - {"SUCCESS", "INFO"}]
        if missing or bad:
            raise Failure(f"scenarios about tasks: {bad} do not pass, {missing} did not run")
        programs_ran(server.calls(), TASKS_RAN)
        return counted


def main(arguments: list[str]) -> int:
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    charmer, fixture, suite, *revisions = arguments
    failed = 0
    if not revisions or "tasks" in revisions:
        revisions = [revision for revision in revisions if revision != "tasks"]
        try:
            counted = tasks_conform(os.path.abspath(charmer), os.path.abspath(fixture), Path(suite).resolve())
            for name, statuses in counted.items():
                told = ", ".join(f"{count} {status.lower()}" for status, count in sorted(statuses.items()))
                print(f"{'ok':9}  tasks  {name}: {told}")
            print(f"ok    tasks: {len(counted)} scenarios pass; the programs ran")
        except (Failure, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"FAIL  tasks: {failure}")
        if len(arguments) > 3 and not revisions:
            return 1 if failed else 0
    for revision in revisions or REVISIONS:
        try:
            counted, scored = conforms(
                os.path.abspath(charmer), os.path.abspath(fixture), Path(suite).resolve(), revision
            )
        except (Failure, subprocess.TimeoutExpired) as failure:
            failed += 1
            print(f"FAIL  {revision}: {failure}")
            continue
        whole = 0
        for name, statuses in counted.items():
            passed = not statuses.keys() & {"FAILURE", "WARNING"}
            whole += passed and name in scored
            verdict = "ok" if passed else "baseline" if name in scored else "not asked"
            told = ", ".join(f"{count} {status.lower()}" for status, count in sorted(statuses.items()))
            print(f"{verdict:9}  {revision}  {name}: {told}")
        print(f"ok    {revision}: {whole} of {len(scored)} scenarios pass, the others as the baseline says; the programs ran")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
