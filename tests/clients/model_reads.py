#!/usr/bin/env python3
"""What a model really reads of `charmer`: the real Claude Code and Codex, with a model that does what a script says.

    (install the assistants as assistants.py says)
    python3 model_reads.py CHARMER COUNT_TOKENS FOLDER

With each assistant, git and cargo are served by `charmer serve PROGRAM` over a repository and a package that are made here.
The script lists, searches, describes, runs, makes a mistake and has a long output. What the model was given to read is
compared with what was meant: the program's own output, word for word, where that is text; JSON where it was read as
data; an error that says what is wrong. Every text is counted in tokens (COUNT_TOKENS is charmer-cli's example
`count_tokens`) and may not cost more than what was meant does, but for a line or two.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from assistants import INHERITED, QUIET, left_over, plain, write
from scripted_model import Call, ScriptedModel

# How long an assistant may take for a whole script, on a busy machine.
LONGEST = 240
# How many tokens an answer may have beyond what was meant: an exit code, an id.
BESIDE = 40
# How many tokens a refusal may have.
REFUSAL = 120
LONG_LINES = 20_000


def claude(home, url, command, _):
    config = home / "servers.json"
    server = {"command": command[0], "args": command[1:]}
    write(config, {"mcpServers": {"it": server}})
    words = ["-p", "Go.", "--mcp-config", config, "--strict-mcp-config"]
    words += ["--allowedTools", "mcp__it", "--output-format", "json"]
    return words, {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "none"}


def codex(home, url, command, environment):
    lines = [
        'model = "scripted"',
        'model_provider = "scripted"',
        'approval_policy = "never"',
        "[model_providers.scripted]",
        'name = "scripted"',
        f"base_url = {json.dumps(url + '/v1')}",
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        "[mcp_servers.it]",
        f"command = {json.dumps(command[0])}",
        f"args = {json.dumps(command[1:])}",
        "startup_timeout_sec = 60",
        "tool_timeout_sec = 120",
        'default_tools_approval_mode = "approve"',
        # It hands on a few variables only.
        "[mcp_servers.it.env]",
        *(f"{name} = {json.dumps(value)}" for name, value in environment.items()),
    ]
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text("\n".join(lines) + "\n")
    return ["exec", "--skip-git-repo-check", "Go."], {"SCRIPTED_KEY": "none"}


ASSISTANTS = {"claude": claude, "codex": codex}


def run(words, folder, **more):
    done = subprocess.run(
        words, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, **more
    )
    return done.stdout, done.stderr, done.returncode


def repository(folder):
    """A repository with a history, a change, and a file that is longer than what an assistant is shown."""
    folder.mkdir()
    for words in [
        ["init", "--quiet", "--initial-branch=main"],
        ["config", "user.name", "A Person"],
        ["config", "user.email", "person@example.org"],
    ]:
        run(["git", *words], folder, check=True)
    (folder / "long.txt").write_text("".join(f"line {at}\n" for at in range(LONG_LINES)))
    (folder / "said.txt").write_text('He said "yes"\n\tand\\or no\n')
    run(["git", "add", "."], folder, check=True)
    run(["git", "commit", "--quiet", "-m", 'Say "yes"'], folder, check=True)
    (folder / "said.txt").write_text('He said "no"\n')


def package(folder):
    (folder / "src").mkdir(parents=True)
    manifest = '[package]\nname = "tiny"\nversion = "0.1.0"\nedition = "2021"\n\n[workspace]\n'
    (folder / "Cargo.toml").write_text(manifest)
    lines = "".join(f'    println!("line {at}");\n' for at in range(10))
    (folder / "src" / "main.rs").write_text(f"fn main() {{\n{lines}}}\n")
    run(["cargo", "generate-lockfile", "--offline"], folder, check=True)


class Step:
    """One call, and what its answer is compared with."""

    def __init__(self, what, call, *, same=None, holds=(), ends=None, error=False, data=None, json=False):
        self.what = what
        self.call = call if callable(call) else (lambda _: call)
        # The text that it must be, whatever follows it; what it must hold; what it must end with.
        self.same, self.holds, self.ends = same, holds, ends
        # Whether it is a refusal, data (a test of it), or JSON at all.
        self.error, self.data, self.json = error, data, json

    def wrong(self, text):
        """What is not as it was meant."""
        if self.data:
            try:
                read = json.loads(text)
            except ValueError:
                return ["it was meant as data, and is no JSON"]
            return [] if self.data(read) else ["the data is not what was meant"]
        wrong = []
        if self.error:
            # One assistant shows the error as JSON, the other as text.
            if text.startswith("{") and "message" not in json.loads(text).get("error", {}):
                wrong.append("the error says nothing")
        elif text.lstrip().startswith("{"):
            wrong.append("text arrived as JSON")
        if self.same is not None and not text.startswith(self.same.rstrip("\n")):
            wrong.append("it is not what the program printed")
        wrong += [f"it does not hold {part!r}" for part in self.holds if part not in text]
        if self.ends and not re.search(self.ends + r"\s*\Z", text):
            wrong.append(f"it does not end with {self.ends!r}")
        return wrong

    def most(self, count):
        """How many tokens it may have, if that is known."""
        if self.same is not None:
            return count(self.same) + BESIDE
        return REFUSAL if self.error else None


def spool_id(text):
    found = re.search(r"read_output[^\n]*?\bid ([0-9A-Za-z_-]+)", text)
    assert found, f"no id in {text[-300:]!r}"
    return found.group(1)


def git_steps(folder):
    status, _, _ = run(["git", "status"], folder)
    diff, _, _ = run(["git", "diff"], folder)
    _, unknown, code = run(["git", "log", "nowhere"], folder)

    def read_on(read):
        # One of the assistants never looks at the list again, which has the tool itself by now.
        arguments = {"id": spool_id(read[-1]), "search": "line 12345"}
        return Call("run_read", {"command": "read_output", "arguments": arguments})

    def runs(tool, command, **arguments):
        return Call(tool, {"command": command, "arguments": arguments})

    return [
        Step("search", Call("search_commands", {"query": "show what changed"}), holds=["git_diff"]),
        Step("describe", Call("describe_commands", {"commands": ["git_log"]}), holds=["max-count"]),
        Step("run", runs("run_read", "git_status"), same=status),
        Step("run, with quotes and tabs", runs("run_read", "git_diff"), same=diff),
        Step("mistake", runs("run_read", "git_log", **{"max-cuont": 1}), error=True, holds=["max-count"]),
        Step("unknown command", runs("run_read", "git_lgo"), error=True, holds=["git_log"]),
        Step(
            "failure",
            runs("run_read", "git_log", **{"revision-range": "nowhere"}),
            same=unknown,
            ends=f"exit code {code}",
        ),
        Step(
            "message that nobody writes",
            runs("run_write", "git_commit", all=True),
            same="Aborting commit due to empty commit message.",
            ends="exit code 1",
        ),
        Step(
            "long output",
            runs("run_read", "git_show", object=["HEAD:long.txt"]),
            holds=["line 0\n", f"line {LONG_LINES - 1}\n"],
            ends=r"read_output[^\n]*",
        ),
        Step("more of it", read_on, holds=["line 12345"]),
    ]


def cargo_steps(folder):
    tree, _, _ = run(["cargo", "tree", "--offline"], folder)

    def runs(tool, command, **arguments):
        return Call(tool, {"command": command, "arguments": arguments})

    return [
        Step("search", Call("search_commands", {"query": "show the dependencies"}), holds=["cargo_tree"]),
        Step("describe", Call("describe_commands", {"commands": ["cargo_tree"]}), holds=["depth"]),
        Step("run", runs("run_read", "cargo_tree", offline=True), same=tree),
        Step(
            "data",
            runs("run_read", "cargo_metadata", **{"no-deps": True, "offline": True, "format-version": "1"}),
            data=lambda read: read["data"]["packages"][0]["name"] == "tiny",
        ),
        Step("mistake", runs("run_read", "cargo_tree", dept=1), error=True, holds=["depth"]),
        Step(
            "failure",
            runs("run_write", "cargo_build", offline=True, bin=["none"]),
            holds=["no bin target named"],
            ends="exit code 101",
        ),
        Step("work", runs("run_write", "cargo_build", offline=True), holds=["Finished"]),
    ]


PROGRAMS = {"git": (repository, git_steps), "cargo": (package, cargo_steps)}


def counter(program):
    known = {}

    def count(text):
        if text not in known:
            done = subprocess.run(
                [program], input=json.dumps([text]), capture_output=True, text=True, check=True
            )
            known[text] = json.loads(done.stdout)[0]
        return known[text]

    return count


def variables(cache):
    """What every assistant is started with, but for its home folder."""
    kept = [*INHERITED, "CARGO_HOME", "RUSTUP_HOME"]
    environment = {key: os.environ[key] for key in kept if key in os.environ}
    # A toolchain that is found through the home folder has to be found from another one, too.
    for variable, inside in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")]:
        environment.setdefault(variable, str(pathlib.Path.home() / inside))
    # Programs are read once, and not by each assistant. Whoever runs this may have an editor: calls open none.
    return environment | QUIET | {"XDG_CACHE_HOME": str(cache), "EDITOR": "vi"}


def attempt(name, program, served, charmer, folder, count):
    """One assistant with one program; what was not as it was meant."""
    home, work = folder / "home", folder / served
    home.mkdir()
    prepare, script = PROGRAMS[served]
    prepare(work)
    steps = script(work)
    command = [str(charmer), "serve", shutil.which(served)]
    environment = variables(folder.parent / "cache") | {"HOME": str(home)}
    with ScriptedModel("it", [step.call for step in steps]) as model:
        words, more = ASSISTANTS[name](home, model.url, command, environment)
        try:
            said, complained, code = run(
                [program, *words], work, env=environment | more, timeout=LONGEST, errors="replace"
            )
        except subprocess.TimeoutExpired:
            return [f"it took longer than {LONGEST} s, and made {len(model.read)} of {len(steps)} calls"]
    wrong = [model.trouble] if model.trouble else []
    if code != 0 or len(model.read) != len(steps):
        wrong.append(f"exit code {code}, {len(model.read)} of {len(steps)} calls were answered")
        wrong.append(plain(said)[-1000:] + plain(complained)[-1000:])
    listed = model.tools or []
    tokens = sum(count(json.dumps(tool)) for tool in listed)
    print(f"\n{name}, {served}: {len(listed)} tools in {tokens} tokens")
    wanted = {"search_commands", "describe_commands", "run_read", "run_write"}
    if missing := wanted - {tool["name"] for tool in listed}:
        wrong.append(f"not listed: {', '.join(sorted(missing))}")
    for step, text in zip(steps, model.read):
        # Codex says how long it took.
        text = re.sub(r"\AWall time: [^\n]*\nOutput:\n", "", text)
        tokens, most = count(text), step.most(count)
        print(f"    {tokens:6} tokens  {step.what}")
        about = step.wrong(text)
        if most is not None and tokens > most:
            about.append(f"{tokens} tokens, where {most} do")
        wrong += [f"{step.what}: {reason}: {text[:400]!r} ... {text[-200:]!r}" for reason in about]
    wrong += [f"left running: {process}" for process in left_over(home)]
    return [f"{name}, {served}: {reason}" for reason in wrong]


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    charmer, count_tokens, clients = (pathlib.Path(word).resolve() for word in sys.argv[1:])
    programs = {name: clients / "node_modules" / ".bin" / name for name in ASSISTANTS}
    wrong = [f"{name} is not installed in {clients}" for name, path in programs.items() if not path.exists()]
    wrong += [f"needs {served}" for served in PROGRAMS if not shutil.which(served)]
    if wrong:
        sys.exit("\n".join(wrong))
    count = counter(count_tokens)
    root = pathlib.Path(tempfile.mkdtemp(prefix="charmer-model-"))
    try:
        for served in PROGRAMS:
            environment = variables(root / "cache") | {"HOME": str(root)}
            run([charmer, "tools", shutil.which(served)], root, env=environment, check=True, timeout=LONGEST)
            for name, program in programs.items():
                folder = root / f"{name}-{served}"
                folder.mkdir()
                wrong += attempt(name, program, served, charmer, folder, count)
    finally:
        shutil.rmtree(root, ignore_errors=True)
    if wrong:
        sys.exit("\n" + "\n".join(wrong))
    print(f"\nwhat the models read is what was meant: {', '.join(ASSISTANTS)}")


if __name__ == "__main__":
    main()
