"""What real programs print, read by `charmer` as data: their tables against their own JSON.

    python structured_programs.py CHARMER REQUIRED[,...] [OPTIONAL,...]

The programs talk to daemons on loopback that know only invented things (`fake_daemons.py`). Each list is asked for twice
through the Python `mcp` client: as the program prints it by default, and as JSON (by `--structure force`, or by a flag of
the call). Row by row the table must say what the JSON says, and no word of what the program itself prints may be
missing. Output that stays text is named here, with the reason. All of it happens in both eras of the protocol.

A required program that is not there is a failure, an optional one is passed over and named.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp_types import CallToolResult, TextContent
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

import fake_daemons
from each_program import each_program

ERAS = {"legacy": ("legacy", HANDSHAKE_PROTOCOL_VERSIONS), "modern": ("auto", MODERN_PROTOCOL_VERSIONS)}
# For one connection, the first of which reads the program cold.
SECONDS = 240

# From a row of the JSON to what stands in a column.
Says = Callable[[dict], str]


@dataclass
class Table:
    """A list that is printed as a table, and what its columns are in the JSON."""

    tool: str
    arguments: dict
    words: list[str]
    columns: dict[str, Says]
    # What makes the program itself print the JSON.
    json_words: list[str]
    rows: int
    # The input that asks for JSON; without it, that of the table is sent to a server that asks by itself.
    json_arguments: dict | None = None


@dataclass
class Block:
    """Pairs of keys and values, and where the same value stands in both readings."""

    tool: str
    arguments: dict
    words: list[str]
    json_words: list[str]
    same: list[tuple[list, list]]


@dataclass
class Json:
    """What is JSON without being asked for."""

    tool: str
    arguments: dict
    words: list[str]


@dataclass
class Printed:
    """A table that has no JSON beside it: every cell of it is data."""

    tool: str
    arguments: dict
    words: list[str]


@dataclass
class Text:
    """What stays text, and why that is right."""

    tool: str
    arguments: dict
    words: list[str]
    reason: str


@dataclass
class Program:
    allow: str
    calls: list
    environment: dict[str, str] = field(default_factory=dict)
    folder: Path | None = None


def expect(holds: object, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def at(*path: str | int, default: str = "<none>") -> Says:
    """What stands at a path, or what the program prints for nothing."""

    def says(row: dict) -> str:
        value: object = row
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return default if value in (None, "") else str(value)

    return says


def labels(row: dict) -> str:
    return ",".join(f"{key}={value}" for key, value in row["metadata"]["labels"].items()) or "<none>"


def ready(row: dict) -> str:
    parts = row["status"]["containerStatuses"]
    return f"{sum(part['ready'] for part in parts)}/{len(parts)}"


POD = {"NAME": at("metadata", "name"), "READY": ready, "STATUS": at("status", "reason")}
PLACED = {"IP": at("status", "podIP"), "NODE": at("spec", "nodeName"), "NOMINATED NODE": at("status", "nominatedNodeName")}
NAMESPACE = {"NAMESPACE": at("metadata", "namespace")}
WITH_KIND = {"NAME": lambda row: f"{row['kind'].lower()}/{row['metadata']['name']}"}
SERVICE = {"NAME": at("metadata", "name"), "TYPE": at("spec", "type"), "CLUSTER-IP": at("spec", "clusterIP")}
NODE = {
    "NAME": at("metadata", "name"),
    "VERSION": at("status", "nodeInfo", "kubeletVersion"),
    "OS-IMAGE": at("status", "nodeInfo", "osImage"),
    "KERNEL-VERSION": at("status", "nodeInfo", "kernelVersion"),
}


def get(words: str, columns: dict[str, Says], rows: int, arguments: dict, **more: dict) -> Table:
    """`kubectl get`: words of the command line, and the same as input."""
    plain = [word for word in words.split() if word not in ("--output=wide", "--show-labels")]
    return Table("kubectl_get", arguments, ["get", *words.split()], columns, ["get", *plain, "--output=json"], rows, **more)


KUBECTL = [
    get("pods", POD, 4, {"args": ["pods"]}),
    get("pods --all-namespaces", NAMESPACE | POD, 7, {"args": ["pods"], "all-namespaces": True}),
    get(
        "pods --output=wide",
        POD | PLACED,
        4,
        {"args": ["pods"], "output": "wide"},
        json_arguments={"args": ["pods"], "output": "json"},
    ),
    get(
        "pods --all-namespaces --output=wide --show-labels",
        NAMESPACE | POD | PLACED | {"LABELS": labels},
        7,
        {"args": ["pods"], "all-namespaces": True, "output": "wide", "show-labels": True},
        json_arguments={"args": ["pods"], "all-namespaces": True, "output": "json"},
    ),
    get("pods --namespace=lonely", POD, 1, {"args": ["pods"], "namespace": "lonely"}),
    get("pod buoy", POD, 1, {"args": ["pod", "buoy"]}),
    get("services", SERVICE, 3, {"args": ["services"]}),
    get(
        "nodes --output=wide",
        NODE,
        2,
        {"args": ["nodes"], "output": "wide"},
        json_arguments={"args": ["nodes"], "output": "json"},
    ),
    get("pods,services", WITH_KIND, 7, {"args": ["pods,services"]}),
    Printed("kubectl_get", {"args": ["pods"], "show-labels": True}, ["get", "pods", "--show-labels"]),
    Printed("kubectl_api-resources", {}, ["api-resources"]),
    Printed("kubectl_config_get-contexts", {}, ["config", "get-contexts"]),
    Text(
        "kubectl_get",
        {"args": ["pods"], "namespace": "empty"},
        ["get", "pods", "--namespace=empty"],
        "that nothing was found is said on standard error, and nothing is printed",
    ),
    Text(
        "kubectl_get",
        {"args": ["pods"], "no-headers": True},
        ["get", "pods", "--no-headers"],
        "without a header nothing says where columns are",
    ),
]

CONTAINER = {
    "CONTAINER ID": at("ID"),
    "IMAGE": at("Image"),
    "COMMAND": at("Command"),
    "CREATED": at("RunningFor"),
    "STATUS": at("Status"),
    "PORTS": at("Ports", default=""),
    "NAMES": at("Names"),
}
IMAGE = {
    "REPOSITORY": at("Repository"),
    "TAG": at("Tag"),
    "IMAGE ID": at("ID"),
    "CREATED": at("CreatedSince"),
    "SIZE": at("Size"),
}


def docker(words: str, columns: dict[str, Says], rows: int, arguments: dict) -> Table:
    command = [word for word in words.split() if not word.startswith("-")]
    json_words = [*words.split(), "--format=json"]
    return Table("docker_" + "_".join(command), arguments, words.split(), columns, json_words, rows)


DOCKER = [
    docker("ps --all", CONTAINER, 4, {"all": True}),
    docker("ps", CONTAINER, 1, {}),
    docker("ps --all --no-trunc", CONTAINER, 4, {"all": True, "no-trunc": True}),
    docker("ps --all --size", CONTAINER | {"SIZE": at("Size")}, 4, {"all": True, "size": True}),
    docker("images", IMAGE, 4, {}),
    docker("images --digests", IMAGE | {"DIGEST": at("Digest")}, 4, {"digests": True}),
    docker("volume ls", {"DRIVER": at("Driver"), "VOLUME NAME": at("Name")}, 3, {}),
    docker(
        "network ls",
        {"NETWORK ID": at("ID"), "NAME": at("Name"), "DRIVER": at("Driver"), "SCOPE": at("Scope")},
        3,
        {},
    ),
    docker(
        "system df",
        {
            "TYPE": at("Type"),
            "TOTAL": at("TotalCount"),
            "ACTIVE": at("Active"),
            "SIZE": at("Size"),
            "RECLAIMABLE": at("Reclaimable"),
        },
        4,
        {},
    ),
    docker(
        "context ls",
        {
            "NAME": lambda row: row["Name"] + (" *" if row["Current"] else ""),
            "DESCRIPTION": at("Description"),
            "DOCKER ENDPOINT": at("DockerEndpoint"),
            "ERROR": at("Error", default=""),
        },
        1,
        {},
    ),
    Block(
        "docker_version",
        {},
        ["version"],
        ["version", "--format=json"],
        [
            (["Client", "Version"], ["Client", "Version"]),
            (["Client", "Git commit"], ["Client", "GitCommit"]),
            (["Server", "Engine", "Version"], ["Server", "Version"]),
            (["Server", "Engine", "Built"], ["Server", "BuildTime"]),
        ],
    ),
    Text(
        "docker_ps",
        {"filter": ["name=nothing"]},
        ["ps", "--filter=name=nothing"],
        "names of columns alone could be any words in capitals",
    ),
]

GH = [
    # Without a terminal gh prints no header, so that cells are known by their place.
    Table(
        "gh_label_list",
        {},
        ["label", "list"],
        {"0": at("name"), "1": at("description", default=""), "2": lambda row: f"#{row['color']}"},
        ["label", "list", "--json=name,description,color"],
        3,
        {"json": ["name", "description", "color"]},
    ),
    Table(
        "gh_workflow_list",
        {},
        ["workflow", "list"],
        {"0": at("name"), "1": at("state"), "2": at("id")},
        ["workflow", "list", "--json=id,name,state"],
        2,
    ),
    Table(
        "gh_variable_list",
        {},
        ["variable", "list"],
        {"0": at("name"), "1": at("value", default=""), "2": at("updatedAt")},
        ["variable", "list", "--json=name,value,updatedAt"],
        2,
        {"json": ["name", "value", "updatedAt"]},
    ),
    Text("gh_config_list", {}, ["config", "list"], "`key=value` is also how code and environments look"),
    Text("gh_alias_list", {}, ["alias", "list"], "a single `key: value` is also how messages look"),
]

CARGO = [
    Json("cargo_metadata", {"no-deps": True, "format-version": "1"}, ["metadata", "--no-deps", "--format-version=1"]),
    Json("cargo_locate-project", {}, ["locate-project"]),
    Text("cargo_tree", {}, ["tree"], "a tree of lines is neither a table nor pairs"),
]


@contextlib.contextmanager
def prepared(program: str, folder: Path) -> Iterator[Program]:
    """What a program needs to talk to nobody but a daemon of ours."""
    if program == "cargo":
        (folder / "src").mkdir()
        (folder / "src/lib.rs").write_text("//! Nothing.\n")
        (folder / "Cargo.toml").write_text(
            '[package]\nname = "dinghy"\nversion = "0.3.1"\nedition = "2021"\ndescription = "A \\"small\\" 船"\n\n'
            "[features]\nsail = []\n\n[workspace]\n"
        )
        yield Program("metadata,locate-project,tree", CARGO, folder=folder)
    elif program == "kubectl":
        with fake_daemons.Daemon(fake_daemons.kubernetes) as daemon:
            config = {
                "apiVersion": "v1",
                "kind": "Config",
                "clusters": [{"name": "coast", "cluster": {"server": f"http://127.0.0.1:{daemon.port}"}}],
                "users": [{"name": "keeper", "user": {}}],
                "contexts": [
                    {"name": "coast", "context": {"cluster": "coast", "user": "keeper"}},
                    {"name": "north", "context": {"cluster": "coast", "user": "keeper", "namespace": "harbour-north"}},
                ],
                "current-context": "coast",
            }
            (folder / "config").write_text(json.dumps(config))
            environment = {"KUBECONFIG": str(folder / "config"), "KUBECACHEDIR": str(folder / "cache")}
            yield Program("get,api-resources,config/get-contexts", KUBECTL, environment)
    elif program == "docker":
        with fake_daemons.Daemon(fake_daemons.docker) as daemon:
            environment = {
                "DOCKER_HOST": f"tcp://127.0.0.1:{daemon.port}",
                "DOCKER_CONFIG": str(folder),
                "DOCKER_CONTEXT": "",
                "DOCKER_TLS_VERIFY": "",
            }
            allow = "ps,images,volume/ls,network/ls,system/df,context/ls,version"
            yield Program(allow, DOCKER, environment)
    elif program == "gh":
        with fake_daemons.Daemon(fake_daemons.forge) as daemon:
            # To a host below `localhost` it talks without TLS, and it takes the proxy for that.
            environment = {
                "GH_CONFIG_DIR": str(folder),
                "GH_HOST": "github.localhost",
                "GH_REPO": "github.localhost/harbour/crane",
                "GH_TOKEN": "invented-and-of-no-use",
                "GH_NO_UPDATE_NOTIFIER": "1",
                "HTTP_PROXY": f"http://127.0.0.1:{daemon.port}",
                "HTTPS_PROXY": f"http://127.0.0.1:{daemon.port}",
                "NO_PROXY": "elsewhere.test",
            }
            yield Program("label/list,workflow/list,variable/list,config/list,alias/list", GH, environment)
    else:
        raise AssertionError(f"nothing is known of {program}")


def items(data: dict) -> list:
    """The rows of some JSON: a list, or one thing by itself."""
    return data["items"] if "items" in data else [data]


def words_in(value: object) -> set[str]:
    """Every word of some data, of its keys too."""
    if isinstance(value, dict):
        return {word for pair in value.items() for part in pair for word in words_in(part)}
    if isinstance(value, list):
        return {word for part in value for word in words_in(part)}
    return set(str(value).split())


def cells(row: dict | list) -> dict[str, str]:
    return row if isinstance(row, dict) else {str(index): cell for index, cell in enumerate(row)}


def is_whole(rows: list, printed: str) -> bool:
    """Whether rows, under their names wherever these change, are word by word what was printed."""
    lines: list[list[str]] = []
    names = None
    for row in rows:
        if isinstance(row, dict) and list(row) != names:
            names = list(row)
            lines.append(" ".join(names).split())
        lines.append(" ".join(cells(row).values()).split())
    return lines == [line.split() for line in printed.splitlines() if line.strip()]


class Check:
    """One program in one era: a server that reads what is printed, and one that asks for JSON."""

    def __init__(self, path: str, program: Program, environment: dict[str, str]) -> None:
        self.path, self.program, self.environment = path, program, environment

    def own(self, words: list[str]) -> str:
        """What the program itself prints."""
        run = subprocess.run(
            [self.path, *words],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            env=self.environment,
            cwd=self.program.folder,
            timeout=60,
            check=False,
        )
        expect(run.returncode == 0, f"{words}: {run.stderr}")
        return run.stdout

    def own_json(self, words: list[str]) -> dict:
        text = self.own(words)
        try:
            value = json.loads(text)
        except json.JSONDecodeError:
            value = [json.loads(line) for line in text.splitlines()]
        return {"items": value} if isinstance(value, list) else value

    async def call(self, client: Client, tool: str, arguments: dict) -> CallToolResult:
        result = await client.call_tool(tool, arguments)
        said = "".join(block.text for block in result.content if isinstance(block, TextContent))
        expect(not result.is_error, f"it failed: {said}")
        return result

    async def data(self, client: Client, tool: str, arguments: dict) -> dict:
        result = await self.call(client, tool, arguments)
        data = (result.structured_content or {}).get("data")
        expect(data is not None, f"it stayed text: {result.structured_content}")
        return data

    async def one(self, wanted: object, auto: Client, force: Client) -> None:
        match wanted:
            case Table(tool, arguments, words, columns, json_words, count, json_arguments):
                printed = self.own(words)
                table = items(await self.data(auto, tool, arguments))
                expect(is_whole(table, printed), f"{table} is not\n{printed}")
                client = force if json_arguments is None else auto
                asked = await self.data(client, tool, arguments if json_arguments is None else json_arguments)
                own = self.own_json(json_words)
                expect(items(asked) == items(own), f"{asked} is not {own}")
                expect(len(table) == len(items(asked)) == count, f"{len(table)} rows, {len(items(asked))} in JSON")
                for row, thing in zip(table, items(asked), strict=True):
                    said = {name: cells(row).get(name) for name in columns}
                    expected = {name: says(thing) for name, says in columns.items()}
                    expect(said == expected, f"the table says {said}, the JSON {expected}")
            case Block(tool, arguments, words, json_words, same):
                printed = self.own(words)
                block = await self.data(auto, tool, arguments)
                # The colon behind a key is not a part of it.
                known = words_in(block)
                lost = [word for word in printed.split() if word not in known and word.removesuffix(":") not in known]
                expect(not lost, f"{lost} are not in {block}")
                asked = await self.data(force, tool, arguments)
                expect(asked == self.own_json(json_words), f"{asked} is not the program's own")
                for here, there in same:
                    expect(at(*here)(block) == at(*there)(asked) != "<none>", f"{here} is not {there}: {block}, {asked}")
            case Json(tool, arguments, words):
                data = await self.data(auto, tool, arguments)
                expect(data == json.loads(self.own(words)), f"{data} is not the program's own")
            case Printed(tool, arguments, words):
                printed = self.own(words)
                for client in (auto, force):
                    table = items(await self.data(client, tool, arguments))
                    expect(is_whole(table, printed), f"{table} is not\n{printed}")
            case Text(tool, arguments, words):
                result = await self.call(auto, tool, arguments)
                found = result.structured_content or {}
                expect("data" not in found, f"it is data now, so compare it: {found}")
                expect(found.get("stdout", "") == self.own(words), f"{found} is not what the program prints")

    @contextlib.asynccontextmanager
    async def connected(self, charmer: str, era: str, structure: str):
        words = ["serve", "--expose", "all", "--structure", structure, "--allow", self.program.allow, self.path]
        server = StdioServerParameters(command=charmer, args=words, env=self.environment, cwd=self.program.folder)
        mode, versions = ERAS[era]
        async with Client(stdio_client(server, errlog=subprocess.DEVNULL), mode=mode) as client:
            expect(client.protocol_version in versions, f"{era} became {client.protocol_version}")
            # A cold walk may take longer than a list waits. (The client checks data against the schemas that it knows.)
            wanted = {call.tool for call in self.program.calls}
            while not wanted <= {found.name for found in (await client.list_tools(cache_mode="bypass")).tools}:
                await anyio.sleep(1)
            yield client

    async def run(self, charmer: str, era: str) -> list[str]:
        problems = []
        with anyio.fail_after(SECONDS):
            async with self.connected(charmer, era, "auto") as auto, self.connected(charmer, era, "force") as force:
                for wanted in self.program.calls:
                    try:
                        await self.one(wanted, auto, force)
                    except AssertionError as problem:
                        problems.append(f"{' '.join(wanted.words)} ({era}): {problem}")
        return problems


def check(charmer: str, name: str, path: str) -> list[str]:
    with tempfile.TemporaryDirectory() as cache, tempfile.TemporaryDirectory() as folder:
        with prepared(name, Path(folder)) as program:
            environment = {**os.environ, "CHARMER_CACHE": cache, **program.environment}
            here = Check(path, program, environment)
            problems = [problem for era in ERAS for problem in anyio.run(here.run, charmer, era)]
    if not problems:
        print(f"ok    {name}: {len(program.calls)} outputs in both eras")
        for call in program.calls:
            if isinstance(call, Text):
                print(f"text  {name} {' '.join(call.words)}: {call.reason}")
    return problems


def main(words: list[str]) -> int:
    # Servers run in folders of their own.
    charmer = str(Path(words[0]).resolve())
    required, optional = words[1], (words[2:] or [""])[0]
    return each_program(required, optional, lambda program, path: check(charmer, program, path))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
