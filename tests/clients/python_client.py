"""The Python SDK's client against a server made by Charmer, in both eras of the protocol, on stdio and over HTTP.

    python python_client.py TODO [CLI...]

TODO is the built example `derive`, a to-do list that is called for good and for ill. Every other CLI, whatever its
commands are, is listed and its schemas are read. Each is started as `CLI mcp start --prompts`, and once more with `--http`.

The client is a judge that nobody here wrote: what it warns of, fails too. So does a server that talks on standard
error, that has to be killed, or that leaves a process behind (which is read from /proc: this runs on Linux).
"""

import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import uuid
import warnings
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import anyio
from jsonschema import Draft202012Validator
from mcp import Client, MCPError, StdioServerParameters
from mcp.client import Transport
from mcp.client.stdio import stdio_client
from mcp_types import INVALID_PARAMS, CallToolResult, ResourceTemplateReference, TextContent, Tool
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

# `auto` falls back to the old handshake without a word, so the version that came of it is compared with the era.
ERAS = {"legacy": ("legacy", HANDSHAKE_PROTOCOL_VERSIONS), "modern": ("auto", MODERN_PROTOCOL_VERSIONS)}
# Long enough for a machine under load; what takes longer hangs.
CONNECTION_SECONDS = 120
SETTLE_SECONDS = 10
# What a server on HTTP says first.
LISTENING = "listening on "
# In the environment of a server and of all that it starts.
MARK = "CHARMER_CLIENT_CHECK"

passed = 0
failed = 0


class Noise(logging.Handler):
    """Keeps what the client complains of, and answers that nobody waited for."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.heard: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        # The client mentions an answer to a cancelled request, or to none at all, in its debug log only.
        if record.levelno >= logging.WARNING or "unknown/late request id" in record.getMessage():
            self.heard.append(f"{record.levelname} {record.name}: {record.getMessage()}")

    def take(self) -> list[str]:
        heard, self.heard = self.heard, []
        return heard


noise = Noise()


class Server:
    """One server process and what can be seen of it from outside."""

    def __init__(
        self,
        cli: Path,
        folder: Path,
        plain: bool,
        words: Sequence[str] = ("mcp", "start", "--prompts"),
        env: dict[str, str] | None = None,
    ) -> None:
        self.plain = plain
        self.mark = f"{MARK}={uuid.uuid4().hex}"
        self.errors = (folder / "stderr").open("w+")
        self.status = folder / "status"
        # The SDK does not tell how the server ended. A shell that writes it down gets killed along with the server,
        # in the same process group, when the server does not leave on its own: no file means that.
        script = '"$@"; echo $? >"$0"'
        name, value = self.mark.split("=")
        self.parameters = StdioServerParameters(
            command="/bin/sh",
            args=["-c", script, str(self.status), str(cli), *words],
            env={name: value} | (env or {}),
        )

    def processes(self, needle: str = "") -> list[str]:
        """The living processes that carry this server's mark, and `needle`, in their environment."""
        found = []
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                environment = (entry / "environ").read_bytes().split(b"\0")
                # A process that has died and waits for its parent shows an empty environment.
                if self.mark.encode() in environment and any(e.startswith(needle.encode()) for e in environment):
                    words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
                    found.append(f"{entry.name} {words.strip()}")
            except OSError:
                continue  # It ended while we looked, or is not ours to read.
        return found

    def after(self) -> None:
        """What must hold when the client has gone."""
        deadline = time.monotonic() + SETTLE_SECONDS
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.05)
        self.errors.seek(0)
        # Of a CLI that is meant to be difficult, the bridge has something to say: its own warnings are no noise.
        said = "".join(line for line in self.errors if self.plain or not line.startswith("charmer: warning: "))
        # First, because it is likely to explain the rest.
        expect(not said, f"the server wrote to standard error: {said}")
        expect(not left, f"left running: {left}")
        expect(self.status.exists(), "the server did not end by itself when its standard input closed")
        status = self.status.read_text().strip()
        expect(status == "0", f"the server ended with status {status}")

    def close(self) -> None:
        self.errors.close()

    def transport(self) -> Transport | str:
        """What a client connects to."""
        return stdio_client(self.parameters, self.errors)


class HttpServer(Server):
    """The same on a free port: it does not end with its client, but when it is told to."""

    def __init__(self, cli: Path, folder: Path, plain: bool) -> None:
        super().__init__(cli, folder, plain)
        name, value = self.mark.split("=")
        self.process = subprocess.Popen(
            [str(cli), "mcp", "start", "--prompts", "--http", "127.0.0.1:0"],
            env=os.environ | {name: value}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self.errors,
        )  # fmt: skip

    def said(self) -> list[str]:
        return Path(self.errors.name).read_text().splitlines(keepends=True)

    def transport(self) -> Transport | str:
        deadline = time.monotonic() + CONNECTION_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            for line in self.said():
                if line.startswith(LISTENING) and line.endswith("\n"):
                    return line.removeprefix(LISTENING).strip()
            time.sleep(0.02)
        raise AssertionError(f"the server does not listen: {self.said()}")

    def after(self) -> None:
        # Told like this, it ends as orderly as a server on stdio whose client has gone.
        self.process.send_signal(signal.SIGTERM)
        try:
            self.status.write_text(str(self.process.wait(SETTLE_SECONDS)))
        except subprocess.TimeoutExpired:
            self.process.kill()
        others = [line for line in self.said() if not line.startswith(LISTENING)]
        expect(len(self.said()) == len(others) + 1, f"it said more than once where it listens: {self.said()}")
        Path(self.errors.name).write_text("".join(others))
        super().after()


KINDS = {"stdio": Server, "http": HttpServer}


def expect(holds: object, otherwise: str) -> None:
    # Not `assert`, which `python -O` drops.
    if not holds:
        raise AssertionError(otherwise)


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


async def tools_of(client: Client) -> dict[str, Tool]:
    return {tool.name: tool for tool in (await client.list_tools()).tools}


# What any server owes.


async def lists_tools(client: Client, server: Server, era: str) -> None:
    page = await client.list_tools(cache_mode="bypass")
    again = await client.list_tools(cache_mode="bypass")
    expect(page.tools, "no tools")
    expect(page == again, "two listings differ")
    expect(page.next_cursor is None, "more than one page: some clients read only the first")
    names = [tool.name for tool in page.tools]
    expect(len(set(names)) == len(names), f"a name is there twice: {names}")
    if era == "modern":
        wire = page.model_dump(by_alias=True, exclude_unset=True)
        for key in ("resultType", "ttlMs", "cacheScope"):
            expect(key in wire, f"the result has no {key}: {list(wire)}")


async def schemas_are_schemas(client: Client, server: Server, era: str) -> None:
    for tool in (await tools_of(client)).values():
        for schema in filter(None, (tool.input_schema, tool.output_schema)):
            Draft202012Validator.check_schema(schema)
            expect(schema.get("type") == "object", f"{tool.name}: the root is not an object: {schema}")
            for key, value in schema.get("properties", {}).items():
                if "default" in value:
                    wrong = [e.message for e in Draft202012Validator(value).iter_errors(value["default"])]
                    expect(not wrong, f"{tool.name}: the default of {key} is against its own schema: {wrong}")


async def hints_are_explicit(client: Client, server: Server, era: str) -> None:
    for tool in (await tools_of(client)).values():
        hints = tool.annotations.model_dump() if tool.annotations else {}
        for hint in ("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint"):
            expect(isinstance(hints.get(hint), bool), f"{tool.name}: {hint} is not set")


async def refuses_an_unknown_tool(client: Client, server: Server, era: str) -> None:
    try:
        result = await client.call_tool("no_such_tool", {})
    except MCPError as error:
        expect(error.code == INVALID_PARAMS, f"code {error.code}, not {INVALID_PARAMS}")
        expect("no_such_tool" in error.message, f"the message does not name the tool: {error.message}")
    else:
        raise AssertionError(f"it was answered: {result}")


async def reads_every_resource(client: Client, server: Server, era: str) -> None:
    page = await client.list_resources(cache_mode="bypass")
    expect(page.next_cursor is None, "more than one page: some clients read only the first")
    uris = [str(resource.uri) for resource in page.resources]
    expect(len(set(uris)) == len(uris), f"an address is there twice: {uris}")
    expect("tools://index" in uris, f"there is no index: {uris}")
    expect(len(uris) == 1 + len(await tools_of(client)), f"not one page for each tool: {uris}")
    for uri in uris:
        contents = (await client.read_resource(uri)).contents
        expect(len(contents) == 1 and contents[0].text, f"{uri}: {contents}")
        expect(contents[0].mime_type == "text/markdown", f"{uri} is {contents[0].mime_type}")
    templates = (await client.list_resource_templates()).resource_templates
    expect(any(t.uri_template.startswith("help://") for t in templates), f"{templates}")
    completed = await client.complete(
        ref=ResourceTemplateReference(type="ref/resource", uri="help://{program}/{+path}"),
        argument={"name": "program", "value": ""},
    )
    expect(completed.completion.values, f"no program is offered: {completed}")
    for uri in ("help://no/such/command", "file:///etc/passwd", "spool://../x"):
        try:
            answer = await client.read_resource(uri)
        except MCPError as error:
            expect(error.code == INVALID_PARAMS, f"{uri}: code {error.code}, not {INVALID_PARAMS}")
        else:
            raise AssertionError(f"{uri} was read: {answer}")


async def gets_every_prompt(client: Client, server: Server, era: str) -> None:
    page = await client.list_prompts(cache_mode="bypass")
    names = [prompt.name for prompt in page.prompts]
    expect(len(set(names)) == len(names), f"a name is there twice: {names}")
    for prompt in page.prompts:
        given = {argument.name: "x" for argument in prompt.arguments or []}
        messages = (await client.get_prompt(prompt.name, given)).messages
        expect(len(messages) == 1 and messages[0].role == "user", f"{prompt.name}: {messages}")
    try:
        answer = await client.get_prompt("no_such_prompt")
    except MCPError as error:
        expect(error.code == INVALID_PARAMS, f"code {error.code}, not {INVALID_PARAMS}")
    else:
        raise AssertionError(f"it was answered: {answer}")


# What the to-do list owes. The client itself checks structured content against the output schema, of successes only.


async def calls_a_tool(client: Client, server: Server, era: str) -> None:
    result = await client.call_tool("todo_add", {"text": "buy milk", "priority": 7})
    said = 'added "buy milk" with priority 7'
    expect(not result.is_error, f"it failed: {result}")
    expect(text_of(result) == said, f"text {text_of(result)!r}")
    expect(result.structured_content == {"exitCode": 0, "stdout": f"{said}\n"}, f"{result.structured_content}")
    # Left out, an argument has the CLI's own default; given, a flag of the root reaches the command.
    result = await client.call_tool("todo_add", {"text": "--priority=9"})
    expect(text_of(result) == 'added "--priority=9" with priority 3', f"text {text_of(result)!r}")
    result = await client.call_tool("todo_list", {"verbose": True})
    expect(text_of(result) == "nothing to do, really", f"text {text_of(result)!r}")


async def refuses_bad_arguments(client: Client, server: Server, era: str) -> None:
    schema = (await tools_of(client))["todo_add"].output_schema
    for arguments, named in (
        ({"text": "x", "priority": 700}, "priority"),
        ({"text": "x", "priority": "high"}, "priority"),
        ({"text": ["x", "y"]}, "text"),
        ({"priority": 1}, "text"),
        ({"text": "x", "verbose": "yes"}, "verbose"),
        ({"text": "x", "colour": "red"}, "colour"),
    ):
        result = await client.call_tool("todo_add", arguments)
        expect(result.is_error, f"{arguments} was taken: {result}")
        expect(named in text_of(result), f"{arguments}: the text does not name {named}: {text_of(result)!r}")
        wrong = [e.message for e in Draft202012Validator(schema).iter_errors(result.structured_content)]
        expect(not wrong, f"{arguments}: the failure is against the output schema: {wrong}")
        expect(named in json.dumps(result.structured_content), f"{arguments}: {result.structured_content}")


async def shows_an_example(client: Client, server: Server, era: str) -> None:
    (prompt,) = (await client.list_prompts()).prompts
    expect((prompt.name, prompt.title) == ("todo_add-1", "Add something urgent"), f"{prompt}")
    expect([(a.name, a.required) for a in prompt.arguments or []] == [("text", True)], f"{prompt}")
    (message,) = (await client.get_prompt("todo_add-1", {"text": "buy\n```milk"})).messages
    text = message.content.text if isinstance(message.content, TextContent) else ""
    expect('\ntodo add "buy\\n```milk" --priority 9\n' in text and "`todo_add`" in text, f"{text!r}")
    page = (await client.read_resource("help://todo/add")).contents[0].text
    expect("# todo add" in page and "todo add <text> --priority 9" in page, f"{page}")
    try:
        answer = await client.get_prompt("todo_add-1", {})
    except MCPError as error:
        expect(error.code == INVALID_PARAMS and "`text`" in error.message, f"{error.code} {error.message}")
    else:
        raise AssertionError(f"it was answered: {answer}")


async def answers_many_at_once(client: Client, server: Server, era: str) -> None:
    answers: dict[int, str] = {}

    async def call(number: int) -> None:
        answers[number] = text_of(await client.call_tool("todo_add", {"text": f"item {number}"}))

    async with anyio.create_task_group() as group:
        for number in range(16):
            group.start_soon(call, number)
    expect(answers == {n: f'added "item {n}" with priority 3' for n in range(16)}, f"{answers}")


async def cancels_a_running_call(client: Client, server: Server, era: str) -> None:
    """Needs a tool called `slow` that can be called without arguments and runs for longer than we wait."""
    slow = next(name for name in await tools_of(client) if is_slow(name))
    # The server marks every program that it runs for a call, though not itself.
    before = set(server.processes("CHARMER_TOOL="))
    running: set[str] = set()
    with anyio.CancelScope() as scope:
        async with anyio.create_task_group() as group:

            async def leave_when_it_runs() -> None:
                nonlocal running
                with anyio.move_on_after(SETTLE_SECONDS):
                    while not (running := set(server.processes("CHARMER_TOOL=")) - before):
                        await anyio.sleep(0.02)
                scope.cancel()

            group.start_soon(leave_when_it_runs)
            result = await client.call_tool(slow, {})
            raise AssertionError(f"it was answered before it could be cancelled: {result}")
    expect(running, "the call never started a program")
    deadline = anyio.current_time() + SETTLE_SECONDS
    while (left := running & set(server.processes("CHARMER_TOOL="))) and anyio.current_time() < deadline:
        await anyio.sleep(0.02)
    expect(not left, f"still running after the cancellation: {left}")
    # A late answer would arrive before this one, and `Noise` would hear of it.
    expect(slow in {tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools}, "the list changed")


def is_slow(name: str) -> bool:
    return name == "slow" or name.endswith("_slow")


Check = Callable[[Client, Server, str], Awaitable[None]]
ANY: list[Check] = [
    lists_tools,
    schemas_are_schemas,
    hints_are_explicit,
    refuses_an_unknown_tool,
    reads_every_resource,
    gets_every_prompt,
]
TODO: list[Check] = [calls_a_tool, refuses_bad_arguments, shows_an_example, answers_many_at_once]


def report(what: str, error: BaseException | None = None) -> None:
    global passed, failed
    if error is None:
        passed += 1
        print(f"ok    {what}", flush=True)
    else:
        failed += 1
        told = str(error) if isinstance(error, AssertionError) else "".join(traceback.format_exception(error)).rstrip()
        print(f"FAIL  {what}\n      {told.replace(chr(10), chr(10) + '      ')}", flush=True)


def attempt(what: str, check: Callable[[], None]) -> None:
    try:
        check()
    except Exception as error:
        report(what, error)
    else:
        report(what)


def quiet() -> None:
    heard = noise.take()
    expect(not heard, f"the client complained: {heard}")


async def converse(server: Server, era: str, title: str, checks: list[Check]) -> None:
    mode, versions = ERAS[era]
    with anyio.fail_after(CONNECTION_SECONDS):
        async with Client(server.transport(), mode=mode) as client:
            version = client.protocol_version
            attempt(f"{title} negotiates {version}", lambda: expect(version in versions, f"that is not {era}"))
            expect(server.processes(), "the server cannot be seen in /proc: nothing could be said of what it leaves")
            if any(is_slow(name) for name in await tools_of(client)):
                checks = [*checks, cancels_a_running_call]
            else:
                print(f"--    {title} has no slow tool to cancel")
            for check in checks:
                what = f"{title} {check.__name__.replace('_', ' ')}"
                try:
                    await check(client, server, era)
                    quiet()
                except Exception as error:
                    noise.take()
                    report(what, error)
                else:
                    report(what)


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    warnings.simplefilter("error")
    logging.getLogger().addHandler(noise)
    logging.getLogger("mcp").setLevel(logging.DEBUG)
    # What is raised where nobody can catch it, such as a warning in a destructor, is noise as well.
    sys.unraisablehook = lambda raised: noise.heard.append(f"unraisable: {raised.exc_value!r}")

    for index, argument in enumerate(arguments):
        cli = Path(argument).resolve()
        if not os.access(cli, os.X_OK):
            report(cli.name, AssertionError(f"{argument} is not there; build the examples first"))
            continue
        for kind, era in ((kind, era) for kind in KINDS for era in ERAS):
            title = f"{cli.name}, {kind}, {era}:"
            with tempfile.TemporaryDirectory() as folder:
                server = KINDS[kind](cli, Path(folder), plain=index == 0)
                try:
                    anyio.run(converse, server, era, title, ANY if index else ANY + TODO)
                except Exception as error:
                    report(f"{title} talks to the client", error)
                attempt(f"{title} leaves cleanly", server.after)
                attempt(f"{title} raises no complaint", quiet)
                server.close()
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
