"""Real programs, served by `charmer` and used by the Python `mcp` client and the Inspector.

    python real_programs.py CHARMER INSPECTOR_FOLDER REQUIRED[,...] [OPTIONAL,...]

Each program is read cold, listed by both clients (the Inspector with `--strict`), and one of its tools is called: the
answer must be what the program itself says to the command line that the call stands for. Of programs that can print JSON
another tool is called with `--structure force`, and its data must be the program's own. In both eras the same command is
found, described and run where not every command is a tool. A required program that is not there
is a failure, an optional one is passed over and named.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import anyio
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent

from each_program import each_program

SECONDS = 300

# For each program a tool, its input, and the command line that the input stands for.
CALLS = {
    "cargo": ("cargo_locate-project", {"message-format": "plain"}, ["locate-project", "--message-format=plain"]),
    "git": ("git_log", {"max-count": 2, "format": "%H %s, with \"quotes\""}, ["log", "--max-count=2", "--format=%H %s, with \"quotes\""]),
    "docker": ("docker_version", {"format": "{{.Client.Version}}"}, ["version", "--format={{.Client.Version}}"]),
    "kubectl": ("kubectl_version", {"client": True, "output": "json"}, ["version", "--client", "--output=json"]),
    "gh": ("gh_config_list", {}, ["config", "list"]),
    "hugo": ("hugo_version", {}, ["version"]),
    "uv": ("uv_python_dir", {"bin": True}, ["python", "dir", "--bin"]),
    "ruff": ("ruff_rule", {"rule": "F401", "output-format": "json"}, ["rule", "F401", "--output-format=json"]),
}

# The same for programs that are asked for JSON: the input does not do it.
FORCED = {
    "kubectl": ("kubectl_version", {"client": True}, ["version", "--client", "--output=json"]),
    "uv": ("uv_python_list", {"only-installed": True}, ["python", "list", "--only-installed", "--output-format=json"]),
    "ruff": ("ruff_linter", {}, ["linter", "--output-format=json"]),
}


def expect(holds: object, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def says_what_it_says(tool: str, result: CallToolResult, path: str, words: list[str]) -> None:
    """The answer is what the program itself says to the command line that the call stands for."""
    said = text_of(result)
    own = subprocess.run([path, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    expect(bool(result.is_error) == (own.returncode != 0), f"{tool}: {said}")
    # An assistant gets no terminal sequences.
    expected = re.sub(r"\x1b\[[0-9;]*m", "", own.stdout).strip()
    expect(expected in said, f"{tool} said {said!r}, the program itself {own.stdout!r}")
    if own.stdout.startswith("{"):
        data = (result.structured_content or {}).get("data")
        expect(data == json.loads(own.stdout), f"{tool}: {data!r} is not the JSON {own.stdout!r}")


async def indexed(charmer: str, program: str, path: str, era: str, environment: dict[str, str]) -> None:
    """The same command, found, described and run as an assistant would who is not shown all of them."""
    tool, arguments, words = CALLS[program]
    server = StdioServerParameters(command=charmer, args=["serve", "--expose", "index", path], env=environment)
    mode = "legacy" if era == "legacy" else "auto"
    with anyio.fail_after(SECONDS):
        async with Client(stdio_client(server, errlog=subprocess.DEVNULL), mode=mode) as client:
            names = [found.name for found in (await client.list_tools()).tools]
            few = ["search_commands", "describe_commands", "run_read", "run_write", "draft", "job"]
            expect(names == few, f"{era}: {names}")
            expect("search_commands" in (client.instructions or ""), f"{era}: {client.instructions!r}")
            found = text_of(await client.call_tool("search_commands", {"query": tool.replace("_", " ")}))
            expect(found.startswith(f"{tool} ["), f"{era}: {tool} is not the first of {found}")
            told = text_of(await client.call_tool("describe_commands", {"commands": [tool]}))
            expect(all(key in told for key in arguments), f"{era}: not all of {arguments} are in {told}")
            run = "run_read" if told.startswith(f"{tool} [read]") else "run_write"
            result = await client.call_tool(run, {"command": tool, "arguments": arguments})
    says_what_it_says(f"{run} {tool}", result, path, words)


def text_of(result: CallToolResult) -> str:
    return "".join(block.text for block in result.content if isinstance(block, TextContent))


async def by_python(charmer: str, program: str, path: str, environment: dict[str, str]) -> int:
    tool, arguments, words = CALLS[program]
    server = StdioServerParameters(command=charmer, args=["serve", "--expose", "all", "--prompts", path], env=environment)
    with anyio.fail_after(SECONDS):
        async with Client(stdio_client(server, errlog=subprocess.DEVNULL), mode="legacy") as client:
            # A cold walk may take longer than a list waits: ask until the tool is there and the list grows no more.
            tools = {}
            while True:
                before = set(tools)
                tools = {found.name: found for found in (await client.list_tools(cache_mode="bypass")).tools}
                if tool in tools and set(tools) == before:
                    break
                await anyio.sleep(3)
            for found in tools.values():
                Draft202012Validator.check_schema(found.input_schema)
            resources = (await client.list_resources()).resources
            expect(len(resources) > len(tools), f"{len(resources)} resources for {len(tools)} tools")
            for resource in resources[:: max(1, len(resources) // 20)]:
                await client.read_resource(resource.uri)
            for prompt in (await client.list_prompts()).prompts:
                given = {argument.name: "x" for argument in prompt.arguments or []}
                message = (await client.get_prompt(prompt.name, given)).messages[0].content.text
                expect(f"\n{program} " in message, f"{prompt.name} is no call of {program}: {message}")
            result = await client.call_tool(tool, arguments)
    says_what_it_says(tool, result, path, words)
    return len(tools)


async def forced(charmer: str, program: str, path: str, environment: dict[str, str]) -> None:
    tool, arguments, words = FORCED[program]
    server = StdioServerParameters(command=charmer, args=["serve", "--structure", "force", path], env=environment)
    with anyio.fail_after(SECONDS):
        async with Client(stdio_client(server, errlog=subprocess.DEVNULL), mode="legacy") as client:
            # The client checks structured content against the published schema if it knows it.
            await client.list_tools()
            result = await client.call_tool(tool, arguments)
    own = json.loads(subprocess.run([path, *words], capture_output=True, text=True, check=True).stdout)
    data = (result.structured_content or {}).get("data")
    expect(data == ({"items": own} if isinstance(own, list) else own), f"{tool}: {data!r}, the program itself {own!r}")


def by_inspector(charmer: str, folder: Path, path: str, era: str, environment: dict[str, str]) -> None:
    launcher = folder / "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
    words = ["node", str(launcher), "--cli", "--protocol-era", era, "--format", "json"]
    words += ["--method", "tools/list", "--strict", charmer, "serve", path]
    run = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False)
    expect(run.returncode == 0, f"the Inspector ({era}): {run.stderr[-2000:]}")
    expect(json.loads(run.stdout)["result"]["tools"], f"the Inspector ({era}) saw no tools")


def check(charmer: str, folder: Path, program: str, path: str) -> None:
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "CHARMER_CACHE": cache}
        tools = anyio.run(by_python, charmer, program, path, environment)
        if program in FORCED:
            anyio.run(forced, charmer, program, path, environment)
        for era in ("legacy", "modern"):
            anyio.run(indexed, charmer, program, path, era, environment)
            by_inspector(charmer, folder, path, era, environment)
        print(f"ok    {program}: {tools} tools, called and, in both eras, found, run and listed strictly")


def main(words: list[str]) -> int:
    charmer, folder, required, optional = words[0], Path(words[1]), words[2], (words[3:] or [""])[0]
    return each_program(required, optional, lambda program, path: check(charmer, folder, program, path))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
