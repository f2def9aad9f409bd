"""A step that asks, with the Python SDK's client in both eras of the protocol.

    python asking_client.py ASKING

ASKING is the built example `asking`. In the legacy era the server asks with a request of its own while the call waits; in
the modern era it answers that input is required, and the client makes the call again. Either way nothing may have run
before somebody said yes, and a client that cannot ask is refused.
"""

import sys
import tempfile
from pathlib import Path

import anyio
from mcp import Client, StdioServerParameters
from mcp_types import CallToolResult, ElicitResult, TextContent
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

ERAS = {"legacy": ("legacy", HANDSHAKE_PROTOCOL_VERSIONS), "modern": ("auto", MODERN_PROTOCOL_VERSIONS)}
SECONDS = 120


def expect(holds: object, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)


def text_of(result: CallToolResult) -> str:
    return "\n".join(block.text for block in result.content if isinstance(block, TextContent))


class Person:
    """Whoever sits before the client: says what it is told to, and remembers what it was asked."""

    def __init__(self, paper: Path, says: str) -> None:
        self.paper = paper
        self.says = says
        self.asked: list[str] = []

    async def __call__(self, _context: object, params: object) -> ElicitResult:
        self.asked.append(params.message)
        expect(self.paper.exists(), "the paper was burnt before anybody was asked")
        expect("allow" in params.requested_schema["properties"], f"an empty form: {params.requested_schema}")
        if self.says == "accept":
            return ElicitResult(action="accept", content={"allow": True})
        if self.says == "accept without looking":
            return ElicitResult(action="accept", content={})
        return ElicitResult(action=self.says)


async def burn(asking: str, era: str, paper: Path, person: Person | None) -> CallToolResult:
    mode, versions = ERAS[era]
    parameters = StdioServerParameters(command=asking, args=["mcp", "start"])
    async with Client(parameters, mode=mode, elicitation_callback=person, read_timeout_seconds=SECONDS) as client:
        version = client.protocol_version
        expect(version in versions, f"{era}: spoke {version}")
        shown = await client.call_tool("archive_show", {"file": str(paper)})
        expect(text_of(shown) == "secret", f"{era}: reading was asked about: {text_of(shown)}")
        return await client.call_tool("archive_burn", {"file": str(paper)})


async def check(asking: str, era: str, says: str | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        paper = Path(folder) / "paper"
        paper.write_text("secret")
        person = Person(paper, says) if says else None
        result = await burn(asking, era, paper, person)
        if person is not None:
            expect(len(person.asked) == 1, f"asked {person.asked}")
            expect(str(paper) in person.asked[0], f"asked {person.asked}")
        if says == "accept":
            expect(not result.is_error and text_of(result) == "burnt", f"not burnt: {text_of(result)}")
            expect(not paper.exists(), "it is still there")
        else:
            expect(result.is_error, f"nobody accepted: {text_of(result)}")
            expect(paper.exists(), "burnt although nobody accepted")
            code = result.structured_content["error"]["code"]
            expect(code == "not_permitted", f"refused with {code}")


async def main(asking: str) -> None:
    passed = failed = 0
    for era in ERAS:
        for says in ("accept", "accept without looking", "decline", "cancel", None):
            try:
                with anyio.fail_after(SECONDS):
                    await check(asking, era, says)
                passed += 1
            except BaseException as error:  # noqa: BLE001
                failed += 1
                print(f"FAILED {era}, {says or 'nobody to ask'}: {error!r}", file=sys.stderr)
    print(f"asking: {passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    anyio.run(main, sys.argv[1])
