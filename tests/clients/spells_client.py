"""The Python SDK's client against `charmer serve --spells`, in both eras of the protocol.

    python spells_client.py CHARMER [--measure]

A folder of spells is served, cast, changed, broken, mended and locked while the client is connected. With --measure it
also prints how long a change takes until the client has it in a new list, beside a thousand other spells.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from jsonschema import Draft202012Validator
from mcp import Client
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, ToolListChangedNotification

import python_client
from python_client import CONNECTION_SECONDS, ERAS, Server, attempt, expect, noise, quiet, report, text_of, tools_of

ECHO = "import json, os, sys; print(json.dumps([sys.argv[1:], os.environ.get('SPELL_ARG_CITY'), os.getcwd()]))"
CHANGE_SECONDS = 30


class Project:
    """A folder with spells, and a place for what was accepted."""

    def __init__(self, folder: Path, charmer: Path) -> None:
        self.folder = folder.resolve()
        self.spells = self.folder / "spells"
        self.spells.mkdir()
        self.charmer = charmer
        self.env = {"CHARMER_DATA": str(self.folder / "data")}
        self.write("weather")
        self.write("free", args=None, argv=None)

    def write(self, spell: str, text: str | None = None, **keys: object) -> None:
        """Writes a spell that says what it was given; JSON is YAML."""
        whole: dict[str, object] = {
            "name": spell,
            "description": f"The spell {spell}",
            "command": f'"{sys.executable}" -c "{ECHO}"',
            "flags": ["--loud"],
            "paths": ["."],
            # Shorter than what becomes a job, so that no tool for jobs is listed.
            "timeout": 30,
            "args": [{"name": "city", "required": True}, {"name": "days", "type": "integer", "default": 3}],
            "argv": ["--days={{days}}", "{{city}}"],
            "effect": "read",
        } | keys
        whole = {key: value for key, value in whole.items() if value is not None}
        # As editors do: the file appears whole.
        draft = self.spells / ".draft"
        draft.write_text(json.dumps(whole) if text is None else text)
        draft.rename(self.file(spell))

    def file(self, spell: str) -> Path:
        return self.spells / f"{spell}.yaml"

    def run(self, *words: str) -> None:
        subprocess.run([self.charmer, *words], cwd=self.folder, env=os.environ | self.env, check=True, capture_output=True)


class Told:
    """Hears that the list has changed, in whichever way the era tells it."""

    def __init__(self) -> None:
        self.event = anyio.Event()

    async def message(self, message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            self.event.set()

    async def listen(self, client: Client, *, task_status: anyio.abc.TaskStatus[None]) -> None:
        async with client.listen(tools_list_changed=True) as subscription:
            task_status.started()
            async for _ in subscription:
                self.event.set()

    async def wait(self) -> None:
        with anyio.fail_after(CHANGE_SECONDS):
            await self.event.wait()
        self.event = anyio.Event()


@asynccontextmanager
async def connected(server: Server, era: str) -> AsyncIterator[tuple[Client, Told]]:
    mode, versions = ERAS[era]
    told = Told()
    with anyio.fail_after(CONNECTION_SECONDS):
        transport = stdio_client(server.parameters, server.errors)
        async with Client(transport, mode=mode, message_handler=told.message) as client:
            expect(client.protocol_version in versions, f"{client.protocol_version} is not {era}")
            async with anyio.create_task_group() as group:
                if era == "modern":
                    await group.start(told.listen, client)
                yield client, told
                group.cancel_scope.cancel()


# What is offered beside the spells; where they can be confined, a spell that writes can be a draft.
FURTHER = ["cast_spell", "list_spells", *(["draft"] if sys.platform == "linux" else [])]


async def becomes(client: Client, told: Told, *names: str) -> None:
    """Waits until the client was told, and then for these spells."""
    wanted = [*names, *FURTHER]
    while True:
        await told.wait()
        listed = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
        if listed == wanted:
            return


def said(result: CallToolResult) -> list[object]:
    expect(not result.is_error, f"it failed: {result}")
    return json.loads(text_of(result))


def code(result: CallToolResult) -> str:
    expect(result.is_error, f"it went well: {result}")
    return (result.structured_content or {})["error"]["code"]


async def cast(client: Client, spell: str, **rest: object) -> CallToolResult:
    return await client.call_tool("cast_spell", {"spell_name": spell} | rest)


async def listing(client: Client) -> dict[str, list[dict[str, object]]]:
    result = await client.call_tool("list_spells", {})
    expect(not result.is_error, f"it failed: {result}")
    return (result.structured_content or {})["data"]


async def casts(client: Client, told: Told, project: Project) -> None:
    tools = await tools_of(client)
    expect(list(tools) == ["free", "weather", *FURTHER], f"{list(tools)}")
    for tool in tools.values():
        Draft202012Validator.check_schema(tool.input_schema)
    expect(tools["weather"].annotations.read_only_hint is True, f"{tools['weather'].annotations}")
    valid = Draft202012Validator(tools["weather"].input_schema).is_valid
    expect(valid({"city": "Oslo", "days": 1, "flags": ["--loud"]}), "a right call is against the schema")
    expect(not valid({"days": 1}) and not valid({"city": "x", "flags": ["-x"]}), "a wrong call is not")

    here = str(project.folder)
    result = await client.call_tool("weather", {"city": "New York", "flags": ["--loud"]})
    expect(said(result) == [["--loud", "--days=3", "New York"], "New York", here], f"{result}")
    result = await cast(client, "weather", arguments={"city": "$(id)", "days": 1}, path=".")
    expect(said(result) == [["--days=1", "$(id)"], "$(id)", here], f"{result}")
    result = await cast(client, "free", arguments={"city": {"name": "Oslo"}})
    expect(said(result) == [[], '{"name":"Oslo"}', here], f"{result}")
    listed = {spell["name"]: spell for spell in (await listing(client))["spells"]}
    expect(listed["weather"]["flags"] == ["--loud"] and listed["weather"]["timeout"] == 30, f"{listed}")


async def refuses(client: Client, told: Told, project: Project) -> None:
    project.write("fails", command=f'"{sys.executable}" -c "raise SystemExit(3)"', args=None, argv=None)
    project.write("sleeps", command=f'"{sys.executable}" -c "import time; time.sleep(60)"', args=None, argv=None, timeout=1)
    project.write("nowhere", paths=[], args=None, argv=None)
    project.write("broken", "name: broken\ncomand: x\n")
    for spell, rest, wanted in (
        ("wether", {}, "not_registered"),
        ("broken", {}, "invalid_configuration"),
        ("nowhere", {}, "not_permitted"),
        ("free", {"flags": ["-x"]}, "not_permitted"),
        ("free", {"path": ".."}, "not_permitted"),
        ("sleeps", {}, "timeout"),
        ("fails", {}, "failed"),
        ("weather", {"arguments": {"city": "-x"}}, "invalid_arguments"),
        ("weather", {}, "invalid_arguments"),
    ):
        result = await cast(client, spell, **rest)
        expect(code(result) == wanted, f"{spell} {rest}: {result.structured_content}")
    result = await cast(client, "wether")
    expect("did you mean `weather`?" in text_of(result), text_of(result))
    for spell in ("fails", "sleeps", "nowhere", "broken"):
        project.file(spell).unlink()
    await becomes(client, told, "free", "weather")


async def changes(client: Client, told: Told, project: Project) -> None:
    project.write("alpha")
    await becomes(client, told, "alpha", "free", "weather")
    result = await client.call_tool("alpha", {"city": "Oslo"})
    expect(said(result)[0] == ["--days=3", "Oslo"], f"{result}")

    project.write("alpha", argv=["{{city}}"])
    await told.wait()
    while said(await client.call_tool("alpha", {"city": "Oslo"}))[0] != ["Oslo"]:
        await anyio.sleep(0.01)

    # What is broken keeps its last good version, and says why.
    project.write("alpha", "name: alpha\ncommand: [\n")
    while not (problems := (await listing(client)).get("problems")):
        await anyio.sleep(0.01)
    expect(problems[0]["file"] == "alpha.yaml" and problems[0]["lastGood"] is True, f"{problems}")
    expect(said(await client.call_tool("alpha", {"city": "Oslo"}))[0] == ["Oslo"], "the last good version is gone")

    # What is deleted is gone at once, for whoever calls before the list is new, too.
    project.file("alpha").unlink()
    expect(code(await cast(client, "alpha", arguments={"city": "x"})) == "not_registered", "it still runs")
    await becomes(client, told, "free", "weather")
    expect("problems" not in await listing(client), "its problem is still told")


async def locked(client: Client, told: Told, project: Project) -> None:
    listed = list(await tools_of(client))
    expect(listed == FURTHER, f"nothing was accepted, and yet: {listed}")
    result = await cast(client, "weather", arguments={"city": "Oslo"})
    expect(code(result) == "not_permitted" and "charmer spell trust" in text_of(result), f"{result}")
    project.run("spell", "trust", "weather")
    await becomes(client, told, "weather")
    expect(said(await client.call_tool("weather", {"city": "Oslo"})), "it does not run")
    project.write("weather", argv=["--evil"])
    await becomes(client, told)
    expect(code(await cast(client, "weather", arguments={"city": "Oslo"})) == "not_permitted", "it runs unaccepted")
    project.run("spell", "trust", "weather")
    await becomes(client, told, "weather")
    expect(said(await client.call_tool("weather", {"city": "Oslo"}))[0] == ["--evil"], "the old version runs")


async def measured(client: Client, told: Told, project: Project) -> None:
    for number in range(1000):
        project.write(f"spell-{number}")
    while len((await client.list_tools(cache_mode="bypass")).tools) < 1004:
        await anyio.sleep(0.1)
    # Files that have just been written are looked at again.
    await anyio.sleep(1)
    told.event = anyio.Event()
    heard, there = [], []
    for number in range(20):
        began = time.perf_counter()
        project.write(f"new-{number}")
        await told.wait()
        heard.append(1000 * (time.perf_counter() - began))
        names = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
        there.append(1000 * (time.perf_counter() - began))
        expect(f"new-{number}" in names, "it was told before it was there")
        await anyio.sleep(0.3)
    for what, times in (("told", heard), ("told and listed anew", there)):
        print(f"--    1,000 spells, {what}: median {statistics.median(times):.0f} ms, worst {max(times):.0f} ms")


Check = Callable[[Client, Told, Project], object]


async def converse(server: Server, era: str, project: Project, check: Check) -> None:
    async with connected(server, era) as (client, told):
        await check(client, told, project)
        quiet()


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    warnings.simplefilter("error")
    python_client.logging.getLogger().addHandler(noise)
    charmer = Path(arguments[0]).resolve()
    checks: list[tuple[Check, list[str]]] = [(casts, []), (refuses, []), (changes, []), (locked, ["--locked"])]
    if "--measure" in arguments:
        checks.append((measured, []))
    for check, words in checks:
        for era in ERAS:
            title = f"spells, {era}: {check.__name__}"
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as apart:
                project = Project(Path(folder), charmer)
                command = ["serve", "--spells", str(project.spells), *words]
                server = Server(charmer, Path(apart), plain=False, words=command, env=project.env)
                try:
                    anyio.run(converse, server, era, project, check)
                except Exception as error:
                    noise.take()
                    report(title, error)
                else:
                    report(title)
                # What is wrong with spells is said on standard error, which is what it is for.
                server.errors.truncate(0)
                attempt(f"{title}, leaves cleanly", server.after)
                server.close()
    print(f"{python_client.passed} passed, {python_client.failed} failed")
    return 1 if python_client.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
