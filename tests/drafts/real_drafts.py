"""Drafts of real programs: git, cargo, npm, sh, over stdio as a client would.

    python3 real_drafts.py CHARMER [NAME...]

Each case runs commands as drafts in a folder of its own, compares what is told with what the folder is before and after,
applies, and looks at the result with the program itself. Nothing beyond the standard library is needed.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HANG_SECONDS = 300


class Server:
    """`charmer serve` and its one client."""

    def __init__(self, charmer, words, folder, home, before=()):
        """`before` is a command line that starts the server."""
        environment = dict(os.environ, HOME=str(home), CHARMER_DATA=str(home / "data"), GIT_CONFIG_GLOBAL="/dev/null")
        for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            environment.pop(name, None)
        # Toolchains that are found by the home folder stay where they are.
        for name, usual in (("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")):
            environment.setdefault(name, str(Path.home() / usual))
        self.home = home
        self.environment = environment
        self.charmer = charmer
        self.process = subprocess.Popen(
            [*before, charmer, "serve", *words, "--expose", "index", "--folder", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
            cwd=folder,
        )
        self.last = 0
        client = {"name": "drafts", "version": "1"}
        self.request("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def request(self, method, params):
        self.last += 1
        self.send({"jsonrpc": "2.0", "id": self.last, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            assert line, "the server is gone"
            answer = json.loads(line)
            if answer.get("id") == self.last:
                return answer

    def call(self, tool, **arguments):
        answer = self.request("tools/call", {"name": tool, "arguments": arguments})
        assert "result" in answer, answer
        return answer["result"]

    def draft(self, command, arguments, draft=True, fails=False):
        """Runs a command as a draft. Returns what it would change."""
        result = self.call("run_write", command=command, arguments=arguments, draft=draft)
        assert bool(result.get("isError")) == fails, result
        structured = result["structuredContent"]
        assert {"id", "created", "changed", "deleted", "diff"} <= structured["draft"].keys(), structured
        return structured["draft"]

    def act(self, action, draft, fails=False, **more):
        result = self.call("draft", action=action, id=draft["id"], **more)
        assert bool(result.get("isError")) == fails, result
        return result["content"][0]["text"]

    def by_hand(self, *words):
        return subprocess.run(
            [self.charmer, "drafts", *words],
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=HANG_SECONDS,
        )

    def kept(self):
        folder = self.home / "data" / "drafts"
        return sorted(path.name for path in folder.glob("draft-*")) if folder.exists() else []

    def end(self):
        self.process.stdin.close()
        self.process.wait(HANG_SECONDS)


def run(*words, cwd):
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, timeout=HANG_SECONDS)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return done.stdout


def repository(folder):
    run("git", "init", "-q", "-b", "main", ".", cwd=folder)
    run("git", "config", "user.name", "Ann", cwd=folder)
    run("git", "config", "user.email", "ann@example.org", cwd=folder)
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"{number}\n")
        run("git", "add", ".", cwd=folder)
        run("git", "commit", "-qm", f"commit {number}", cwd=folder)


def tree(folder):
    """Every file with its content, to see that nothing has changed."""
    return {
        str(path.relative_to(folder)): (path.read_bytes() if path.is_file() and not path.is_symlink() else None)
        for path in sorted(folder.rglob("*"))
    }


def git_commit(server, folder):
    (folder / "0.txt").write_text("zero\n")
    before = tree(folder)
    draft = server.draft("git_commit", {"all": True, "message": "as a draft"})
    assert tree(folder) == before, "a draft changes nothing"
    assert ".git/refs/heads/main" in draft["changed"], draft
    server.act("apply", draft)
    assert "as a draft" in run("git", "log", "-1", cwd=folder)
    run("git", "fsck", "--strict", cwd=folder)
    assert run("git", "status", "--porcelain", cwd=folder) == ""
    assert not server.kept(), "an applied draft is gone"


def git_rebase(server, folder):
    run("git", "checkout", "-qb", "topic", "HEAD~1", cwd=folder)
    (folder / "topic.txt").write_text("topic\n")
    run("git", "add", ".", cwd=folder)
    run("git", "commit", "-qm", "topic", cwd=folder)
    before = tree(folder)
    draft = server.draft("git_rebase", {"args": ["main"]})
    assert tree(folder) == before
    assert "2.txt" in draft["created"], draft
    server.act("apply", draft)
    assert run("git", "log", "--format=%s", cwd=folder).split("\n")[:2] == ["topic", "commit 2"]
    run("git", "fsck", "--strict", cwd=folder)
    assert run("git", "status", "--porcelain", cwd=folder) == ""


def several_commands_are_one_draft(server, folder):
    (folder / "both.txt").write_text("both\n")
    first = server.draft("git_add", {"pathspec": ["both.txt"]})
    second = server.draft("git_commit", {"message": "both"}, draft=first["id"])
    assert first["id"] == second["id"]
    server.act("apply", second)
    assert "both" in run("git", "log", "-1", "--format=%s", cwd=folder)


def cargo(server, folder):
    (folder / "src").mkdir()
    (folder / "Cargo.toml").write_text('[package]\nname = "tried"\nversion = "0.1.0"\nedition = "2021"\n')
    (folder / "src" / "main.rs").write_text('fn main( ) { println!("hello") }\n')
    before = tree(folder)
    built = server.draft("cargo_build", {"offline": True})
    assert tree(folder) == before
    assert any(path.startswith("target/") for path in built["created"]), built["created"][:5]
    formatted = server.draft("cargo_fmt", {}, draft=built["id"])
    assert "src/main.rs" in formatted["changed"], formatted["changed"]
    server.act("apply", formatted)
    assert run("target/debug/tried", cwd=folder) == "hello\n"
    assert "fn main() {" in (folder / "src" / "main.rs").read_text()


def npm_install(server, folder):
    package = folder / "local"
    package.mkdir()
    (package / "package.json").write_text('{"name": "local", "version": "1.0.0", "bin": {"local": "run.js"}}')
    (package / "run.js").write_text("#!/usr/bin/env node\nconsole.log('local')\n")
    run("npm", "pack", "--silent", cwd=package)
    (folder / "package.json").write_text('{"name": "site", "version": "1.0.0"}')
    before = tree(folder)
    draft = server.draft("npm_install", {"package-spec": ["./local/local-1.0.0.tgz"], "audit": False, "fund": False})
    assert tree(folder) == before
    assert "node_modules/local/run.js" in draft["created"], draft
    assert "package.json" in draft["changed"] and "package-lock.json" in draft["created"], draft
    server.act("apply", draft)
    assert run("node_modules/.bin/local", cwd=folder) == "local\n"


def in_shell(server, script, **more):
    return server.draft("sh", {"stdin": script}, **more)


def remove_everything(server, folder):
    (folder / "deep" / "er").mkdir(parents=True)
    for number in range(50):
        (folder / "deep" / "er" / f"{number}").write_text(str(number))
    before = tree(folder)
    draft = in_shell(server, "rm -rf deep")
    assert tree(folder) == before
    assert draft["counts"]["deleted"] == 50 and "deep/er/7" in draft["deleted"], draft["counts"]
    server.act("apply", draft)
    assert not (folder / "deep").exists()


def a_hundred_thousand_files(server, folder):
    script = "mkdir many && cd many && seq 100000 | xargs touch"
    draft = in_shell(server, script)
    assert draft["counts"]["created"] == 100_000, draft["counts"]
    assert len(draft["created"]) <= 200 and draft["cut"], len(draft["created"])
    assert not (folder / "many").exists()
    server.act("apply", draft)
    assert len(os.listdir(folder / "many")) == 100_000


def special_files(server, folder):
    (folder / "one").write_text("one\n")
    os.link(folder / "one", folder / "other")
    script = (
        "echo two >one; mkfifo pipe; truncate -s 1G sparse; ln new1 new2 2>/dev/null; echo n >new1; ln new1 new2; "
        "ln -s /etc/passwd out; mknod device c 1 3; python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind(\"s\")'"
    )
    draft = in_shell(server, script, fails=True)
    assert draft["changed"] == ["one"] and "pipe" in draft["created"], draft
    assert "device" not in draft["created"] and "s" not in draft["created"], draft
    assert any("several names" in note for note in draft["notes"]), draft
    server.act("apply", draft)
    assert (folder / "other").read_text() == "one\n" and (folder / "one").read_text() == "two\n"
    assert (folder / "sparse").stat().st_size == 1 << 30 and (folder / "sparse").stat().st_blocks < 2048
    assert (folder / "new1").stat().st_ino == (folder / "new2").stat().st_ino
    assert os.readlink(folder / "out") == "/etc/passwd"


def outside(server, folder):
    secret = server.home / ".ssh" / "id"
    secret.parent.mkdir(exist_ok=True)
    secret.write_text("a key\n")
    away = server.home / "away.txt"
    away.write_text("as it was\n")
    mode = away.stat().st_mode
    script = f"echo no >{away}; chmod 600 {away}; touch {away}; rm -f {away}; cat {secret}; echo yes >inside; exit 3"
    draft = in_shell(server, script, fails=True)
    assert away.read_text() == "as it was\n" and away.stat().st_mode == mode
    assert draft["created"] == ["inside"] and str(away) in draft["denied"], draft
    assert "a key" not in json.dumps(draft)
    server.act("drop", draft)
    assert not (folder / "inside").exists() and not server.kept()


def too_much(server, folder):
    result = server.call(
        "run_write", command="sh", arguments={"stdin": "dd if=/dev/zero of=large bs=1M count=3000"}, draft=True
    )
    assert result["isError"], result
    structured = result["structuredContent"]
    if "draft" not in structured:
        assert "grew beyond" in structured["error"]["message"], structured
    assert not (folder / "large").exists()


def a_change_underneath(server, folder):
    (folder / "file").write_text("one\n")
    draft = in_shell(server, "echo mine >file; echo new >new")
    (folder / "file").write_text("theirs\n")
    assert "changed since" in server.act("apply", draft, fails=True)
    assert (folder / "file").read_text() == "theirs\n" and not (folder / "new").exists()


def two_that_conflict(server, folder):
    (folder / "file").write_text("one\n")
    first, second = in_shell(server, "echo first >file"), in_shell(server, "echo second >file")
    server.act("apply", second)
    assert "changed since" in server.act("apply", first, fails=True)
    assert (folder / "file").read_text() == "second\n"


def by_hand(server, folder):
    draft = in_shell(server, "echo hello >greeting")
    listed = json.loads(server.by_hand("list", "--json").stdout)
    assert [one["id"] for one in listed] == [draft["id"]], listed
    assert "+hello" in server.by_hand("show", draft["id"], "greeting").stdout
    done = server.by_hand("apply", draft["id"])
    assert done.returncode == 0 and (folder / "greeting").read_text() == "hello\n", done
    assert "there is no draft" in server.act("apply", draft, fails=True)


def a_killed_server(server, folder):
    in_shell(server, "echo hello >greeting")
    assert len(server.kept()) == 1
    server.process.send_signal(signal.SIGKILL)
    server.process.wait(HANG_SECONDS)
    assert json.loads(server.by_hand("list", "--json").stdout) == []
    assert server.kept() == []


def killed_while_it_applies(server, folder):
    for number in range(2_000):
        (folder / f"{number}").write_text("old")
    before = tree(folder)
    script = "for file in *; do echo new >$file; done; mkdir more; echo more >more/file"
    for action, done in (("drop", before), ("apply", None)):
        for _ in range(20):
            draft = in_shell(server, script)
            journal = server.home / "data" / "drafts" / f"draft-{draft['id']}" / "journal.json"
            applies = subprocess.Popen(
                [server.charmer, "drafts", "apply", draft["id"]], env=server.environment, stdout=subprocess.DEVNULL
            )
            while applies.poll() is None and not journal.exists():
                time.sleep(0.001)
            applies.kill()
            applies.wait(HANG_SECONDS)
            if journal.exists():
                break
            # It was quicker.
            run("sh", "-c", "rm -r more; for file in *; do printf old >$file; done", cwd=folder)
        else:
            raise AssertionError("it was never killed in the middle")
        listed = json.loads(server.by_hand("list", "--json").stdout)
        assert [one["interrupted"] for one in listed] == [True], listed
        told = server.by_hand(action, draft["id"])
        assert told.returncode == 0, told
        now = tree(folder)
        if done is not None:
            assert now == done, "not everything is as it was"
        else:
            assert {content for name, content in now.items() if name.isdigit()} == {b"new\n"}, "it is not finished"
            assert now["more/file"] == b"more\n"
        assert not list(folder.glob(".charmer*")) and server.kept() == []


def on_small_disk(place, size):
    """The command line that starts another with a disk of this size at a place; it needs user namespaces, not a superuser."""
    script = f'mount -t tmpfs -o size={size} tmpfs "$0" && cd . && exec "$@"'
    return ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, str(place)]


def no_room_for_a_draft(server, folder):
    (folder / "file").write_text("old\n")
    before = tree(folder)
    result = server.call(
        "run_write", command="sh", arguments={"stdin": "set -e; echo new >file; head -c 8000000 /dev/zero >large"}, draft=True
    )
    assert result["isError"], result
    assert tree(folder) == before
    structured = result["structuredContent"]
    said = json.dumps(structured)
    assert "No space left" in said or "no space left" in said, said
    if "draft" in structured:
        server.act("drop", structured["draft"])
    # The disk is free again, and so is the server.
    server.act("apply", in_shell(server, "echo small >file"))
    assert (folder / "file").read_text() == "small\n"


def no_room_to_apply(server, folder):
    server.act("apply", in_shell(server, "echo old >file; mkdir sub; echo deep >sub/file"))
    draft = in_shell(server, "echo new >file; rm -r sub; head -c 8000000 /dev/urandom >large")
    told = server.act("apply", draft, fails=True)
    assert "everything is as it was" in told and "No space left" in told, told
    look = in_shell(server, "cat file sub/file; ls -A; touch seen")
    shown = server.act("show", look)
    assert "seen" in shown, shown
    seen = server.call("run_write", command="sh", arguments={"stdin": "cat file sub/file; ls -A"})["content"][0]["text"]
    assert seen.split() == ["old", "deep", "file", "sub"], seen


CASES = {
    "git_commit": (["git"], git_commit, repository),
    "git_rebase": (["git"], git_rebase, repository),
    "several": (["git"], several_commands_are_one_draft, repository),
    "cargo": (["cargo"], cargo, None),
    "npm": (["npm"], npm_install, None),
    "rm": (["sh"], remove_everything, None),
    "many": (["sh"], a_hundred_thousand_files, None),
    "special": (["sh"], special_files, None),
    "outside": (["sh"], outside, None),
    "too_much": (["sh"], too_much, None),
    "underneath": (["sh"], a_change_underneath, None),
    "conflict": (["sh"], two_that_conflict, None),
    "by_hand": (["sh"], by_hand, None),
    "killed": (["sh"], a_killed_server, None),
    "killed_apply": (["sh"], killed_while_it_applies, None),
    "no_room": (["sh"], no_room_for_a_draft, None),
    "no_room_to_apply": (["sh"], no_room_to_apply, None),
}


def main():
    charmer, *names = sys.argv[1:]
    charmer = str(Path(charmer).resolve())
    failed = []
    for name, (programs, case, prepare) in CASES.items():
        if names and name not in names:
            continue
        for program in (*programs, "python3"):
            assert shutil.which(program), f"needs {program}"
        with tempfile.TemporaryDirectory() as place:
            place = Path(place).resolve()
            folder, home = place / "work", place / "home"
            folder.mkdir()
            home.mkdir()
            if prepare:
                prepare(folder)
            before = []
            if case in (no_room_for_a_draft, no_room_to_apply):
                assert shutil.which("unshare"), "needs unshare"
                before = on_small_disk(home if case is no_room_for_a_draft else folder, "6m")
            server = Server(charmer, programs, folder, home, before)
            try:
                case(server, folder)
                if server.process.poll() is None:
                    server.end()
                    assert server.kept() == [], "drafts go with their server"
                print(f"{name}: ok", flush=True)
            except AssertionError as error:
                failed.append(name)
                print(f"{name}: FAILED: {str(error)[:3000]}", flush=True)
                server.process.kill()
    sys.exit(f"failed: {', '.join(failed)}" if failed else 0)


if __name__ == "__main__":
    main()
