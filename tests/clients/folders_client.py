"""Where programs run, with the Python SDK's client in both eras of the protocol.

    python folders_client.py CHARMER

CHARMER is the built program; git must be there. The server is started in `/`, as clients with a window do. A client that
has roots is served in them; one that has none in the folders of `--folder`, or else where the server is. Nobody gets
outside of `--folder`, and a call that is meant to read stays confined.
"""

import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ListRootsResult, Root, TextContent
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

ERAS = {"legacy": ("legacy", HANDSHAKE_PROTOCOL_VERSIONS), "modern": ("auto", MODERN_PROTOCOL_VERSIONS)}
SECONDS = 120


def expect(holds: object, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


class Roots:
    """A client's folders, which may change."""

    def __init__(self, *folders: Path) -> None:
        self.folders = folders
        self.asked = 0

    async def __call__(self, _context: object) -> ListRootsResult:
        self.asked += 1
        return ListRootsResult(roots=[Root(uri=folder.as_uri()) for folder in self.folders])


@asynccontextmanager
async def serving(charmer: str, era: str, options: list[str], roots: Roots | None):
    mode, versions = ERAS[era]
    words = ["serve", "git", "--expose", "index", *options]
    parameters = StdioServerParameters(command=charmer, args=words, cwd="/", env=dict(os.environ))
    async with Client(parameters, mode=mode, list_roots_callback=roots, read_timeout_seconds=SECONDS) as client:
        expect(client.protocol_version in versions, f"{era}: spoke {client.protocol_version}")
        yield client


async def folder_of(client: Client, folder: object = None) -> tuple[str | None, str]:
    """The folder of a dry run, and all that was said."""
    given = {"command": "git_status", "dry_run": True}
    if folder is not None:
        given["folder"] = str(folder)
    result = await client.call_tool("run_read", given)
    plan = result.structured_content or {}
    expect(result.is_error or list(plan) == ["argv", "folder", "effect", "confinement", "rule", "notes"], f"{plan}")
    return (None if result.is_error else plan["folder"]), text_of(result)


async def takes_folder(client: Client) -> bool:
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    return "folder" in tools["run_read"].input_schema["properties"]


async def check(charmer: str, era: str, home: Path) -> None:
    one, two, outside = home / "one", home / "two", home / "outside"
    # Neither roots nor --folder: where the server is.
    async with serving(charmer, era, [], None) as client:
        expect(not await takes_folder(client), "a folder is offered that nobody gave")
        expect((await folder_of(client))[0] == "/", "it does not run where the server is")
        expect((await folder_of(client, one))[0] is None, "it runs where nobody said that it may")
    # Roots alone: the first of them, asked for once.
    roots = Roots(two, one)
    async with serving(charmer, era, [], roots) as client:
        folder, said = await folder_of(client)
        expect(folder == str(two) and "`folder` beside `command`" in said, f"{folder}: {said}")
        expect((await folder_of(client, one))[0] == str(one), "another root cannot be chosen")
        expect((await folder_of(client, outside))[0] is None, "it runs outside of the roots")
        expect(roots.asked == 1, f"asked {roots.asked} times")
        status = await client.call_tool("run_read", {"command": "git_status"})
        expect("No commits yet" in text_of(status), text_of(status))
        written = await client.call_tool("run_write", {"command": "git_tag", "arguments": {}, "folder": str(one)})
        expect(not written.is_error, text_of(written))
        if era == "legacy":
            roots.folders = (one,)
            await client.send_roots_list_changed()
            expect((await folder_of(client))[0] == str(one), "the change was not heard")
    # --folder alone.
    given = ["--folder", str(one), "--folder", str(two)]
    async with serving(charmer, era, given, None) as client:
        expect(await takes_folder(client), "no folder is offered")
        expect((await folder_of(client))[0] == str(one), "the first is not the default")
        expect((await folder_of(client, "sub"))[0] == str(one / "sub"), "it does not go beneath")
        expect((await folder_of(client, two))[0] == str(two), "the second cannot be chosen")
        for away in [outside, "..", "link", "sub/../../outside", "/proc/self/cwd", "/"]:
            folder, said = await folder_of(client, away)
            expect(folder is None, f"{away} led to {folder}")
            expect(str(two) in said, f"what may be given is not said: {said}")
    # Both: roots narrow what a person gave, and never widen it.
    async with serving(charmer, era, given, Roots(outside, two)) as client:
        folder, said = await folder_of(client)
        expect(folder == str(two) and f"{outside} is outside of --folder" in said, f"{folder}: {said}")
        expect((await folder_of(client, outside))[0] is None, "a root outside was let in")
    async with serving(charmer, era, given, Roots(outside)) as client:
        expect((await folder_of(client))[0] == str(one), "a root outside was used")
    # What is meant to read cannot write, in such a folder too.
    quiet = ["--read-only", "--network", "none", "--folder", str(two)]
    async with serving(charmer, era, quiet, None) as client:
        made = await client.call_tool("run_read", {"command": "git_init", "arguments": {"args": ["made"]}})
        expect(made.is_error and not (two / "made").exists(), f"it wrote: {text_of(made)}")
        status = await client.call_tool("run_read", {"command": "git_status"})
        expect("No commits yet" in text_of(status), text_of(status))


async def main(charmer: str) -> None:
    for era in ERAS:
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder).resolve()
            for name in ["one/sub", "two", "outside"]:
                (home / name).mkdir(parents=True)
            (home / "one/link").symlink_to(home / "outside")
            for name in ["one", "two"]:
                subprocess.run(["git", "init", "--quiet", str(home / name)], check=True)
            await check(charmer, era, home)
        print(f"{era}: programs run where they should")


anyio.run(main, sys.argv[1])
