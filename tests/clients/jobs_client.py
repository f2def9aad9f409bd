"""Jobs, with the Python SDK's client in both eras of the protocol.

    python jobs_client.py CHARMER

CHARMER is the built program. A command that waits for a file is served with a short `--background-after`: its call is
answered before it has ended, and `job` gives the rest, with progress.
"""

import os
import sys
import tempfile
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

ERAS = {"legacy": ("legacy", HANDSHAKE_PROTOCOL_VERSIONS), "modern": ("auto", MODERN_PROTOCOL_VERSIONS)}
SECONDS = 120
MILL = """#!/bin/sh
case "$*" in
grind*--help*) printf 'Grind until the file is there\\n\\nUsage:\\n  mill grind\\n'; exit;;
*--help*|"") printf 'Usage:\\n  mill [command]\\n\\nAvailable Commands:\\n  grind  Grind until the file is there\\n'; exit;;
esac
echo begun
while ! test -e "$MILL_GO"; do sleep 0.05; done
echo ground
exit 3
"""


def expect(holds: object, otherwise: object) -> None:
    if not holds:
        raise AssertionError(str(otherwise))


async def grinds(charmer: str, era: str, folder: Path) -> None:
    mode, versions = ERAS[era]
    mill = folder / "mill"
    mill.write_text(MILL)
    mill.chmod(0o755)
    go = folder / "go"
    words = ["serve", str(mill), "--expose", "index", "--background-after", "1s"]
    parameters = StdioServerParameters(
        command=charmer, args=words, cwd=str(folder), env=os.environ | {"MILL_GO": str(go)}
    )
    async with Client(parameters, mode=mode, read_timeout_seconds=SECONDS) as client:
        expect(client.protocol_version in versions, f"{era}: spoke {client.protocol_version}")
        names = [tool.name for tool in (await client.list_tools()).tools]
        expect("job" in names, names)
        answer = await client.call_tool("run_write", {"command": "mill_grind"})
        said = answer.structured_content or {}
        expect(said.get("state") == "running" and said.get("stdout") == "begun\n" and said.get("hint"), said)
        listed = await client.call_tool("job", {"action": "list"})
        jobs = (listed.structured_content or {})["jobs"]
        expect([job["job"] for job in jobs] == [said["job"]], jobs)
        told: list[float] = []

        async def hear(progress: float, _total: float | None, _message: str | None) -> None:
            told.append(progress)
            go.touch()

        asked = {"action": "wait", "id": said["job"]}
        result = await client.call_tool("job", asked, progress_callback=hear)
        expect(result.is_error and result.content[0].text == "begun\nground\nexit code 3", result)
        expect(told == sorted(set(told)) and told, told)
        # A second one is cancelled.
        go.unlink()
        started = await client.call_tool("run_write", {"command": "mill_grind", "background": True})
        job = (started.structured_content or {})["job"]
        ended = await client.call_tool("job", {"action": "cancel", "id": job})
        expect((ended.structured_content or {})["state"] == "cancelled", ended)
    print(f"ok    {era}")


async def main(charmer: str) -> None:
    for era in ERAS:
        with tempfile.TemporaryDirectory() as folder:
            await grinds(charmer, era, Path(folder))


if __name__ == "__main__":
    anyio.run(main, os.path.abspath(sys.argv[1]))
