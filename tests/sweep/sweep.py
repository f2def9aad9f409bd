"""Reads the programs of this machine with charmer and says what came of each.

    python3 tests/sweep/sweep.py CHARMER [--part N] [--folder FOLDER]... [--list] [NAME...]

Every program of the folders that PATH has on a plain machine is read, none left out by name but those in `left-out.txt`,
which says why. With `--part N` it is every so many-th of them, so that about N are read and the same ones each time.

It fails when charmer panics or dies, when a reading does not end within 30 seconds (a machine may be busy: one that is
late gets a second try alone), when anything was written where nobody asked for it, or when a program is neither read nor
said to be unreadable with a reason.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FOLDERS = ["/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"]
# Nothing that a reading starts may change these. Not among them: what other programs of a machine write at any time.
WATCHED = ["/etc", "/opt", "/srv", "/boot", "/usr/local/etc", "/usr/local/lib", "/usr/lib/systemd", "/var/lib/dpkg",
           "/var/lib/apt/extended_states", "/var/spool", "/var/backups", "/var/mail"]
BOUND = 30
# When a reading is ended from here. Only to get on: past the bound it counts as late already.
OUTER = 150


def left_out():
    """The programs that are not read, with the reason."""
    lines = (pathlib.Path(__file__).parent / "left-out.txt").read_text().splitlines()
    pairs = (line.split(None, 1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: reason for name, reason in pairs}


def programs(folders):
    """Every program, one name a file: what links to the same file under the same name is the same."""
    found = {}
    for folder in folders:
        if not os.path.isdir(folder):
            continue
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            if os.path.isfile(path) and os.access(path, os.X_OK):
                found.setdefault(name, path)
    return dict(sorted(found.items()))


def snapshot(folders):
    """Everything below some folders: kind, size and time of its content."""
    seen = {}
    for folder in folders:
        for top, names, files in os.walk(folder):
            for name in [*names, *files]:
                path = os.path.join(top, name)
                try:
                    status = os.lstat(path)
                except OSError:
                    continue
                # A folder's own time changes with what is in it, which is here by itself.
                content = (status.st_size, status.st_mtime_ns) if not os.path.isdir(path) else ()
                seen[path] = (status.st_mode, *content)
    return seen


class Sweep:
    def __init__(self, charmer, scratch):
        self.charmer = charmer
        self.scratch = scratch
        for name in ("home", "work", "cache", "tmp"):
            (scratch / name).mkdir()
        (scratch / "home" / "letter.txt").write_text("this stays as it is\n")
        (scratch / "work" / "letter.txt").write_text("so does this\n")
        self.watched = [scratch / "home", scratch / "work", *WATCHED]

    def read(self, path, again=False):
        """What came of a program: a word, and a sentence."""
        environment = {
            "HOME": str(self.scratch / "home"),
            "PATH": os.pathsep.join(FOLDERS),
            "LANG": "C.UTF-8",
            "TMPDIR": str(self.scratch / "tmp"),
            "CHARMER_CACHE": str(self.scratch / "cache"),
        }
        arguments = [self.charmer, "inspect", path, "--json", *(["--refresh"] if again else [])]
        began = time.monotonic()
        process = subprocess.Popen(
            arguments,
            env=environment,
            cwd=self.scratch / "work",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, error = process.communicate(timeout=OUTER)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            return "late", f"it was ended after {OUTER} s"
        took = time.monotonic() - began
        error = error.decode(errors="replace")
        if "panicked at" in error or process.returncode not in (0, 1, 2):
            return "panic", f"exit code {process.returncode}: {error.strip()[-400:]}"
        if took > BOUND:
            return "late", f"{took:.0f} s"
        if process.returncode != 0:
            # Warnings may stand before it.
            reason = next((line for line in error.splitlines() if line.startswith("error: ")), None)
            return ("unreadable", reason) if reason else ("silent", "it failed without a reason")
        try:
            whole = json.loads(out)
        except ValueError as problem:
            return "silent", f"what was printed is no JSON: {problem}"
        return self.judged(whole)

    @staticmethod
    def judged(whole):
        commands = whole["commands"]
        flags = sum(len(command["flags"]) for command in commands)
        counted = f"{len(commands)} commands, {flags} flags"
        if not whole["complete"] or whole["warnings"]:
            said = [one if isinstance(one, str) else one.get("message", "") for one in whole["warnings"]]
            return "in part", "; ".join([counted, *said])[:200]
        if flags == 0 and len(commands) < 2 and not any(command["usage"] for command in commands):
            return "silent", "nothing was found, and nothing is said of it"
        return "read", counted


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("charmer")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--part", type=int)
    parser.add_argument("--folder", action="append")
    parser.add_argument("--list", action="store_true", help="say what came of each")
    options = parser.parse_intermixed_args()
    every = programs(options.folder or FOLDERS)
    unknown = [name for name in options.names if name not in every]
    if unknown:
        parser.error(f"not among the programs: {', '.join(unknown)}")
    skipped = left_out()
    chosen = [name for name in options.names or every if name not in skipped]
    if options.part and len(chosen) > options.part:
        step = len(chosen) / options.part
        chosen = [chosen[int(index * step)] for index in range(options.part)]
    for name in sorted(set(every) & set(skipped)):
        print(f"left out: {name}: {skipped[name]}")

    scratch = pathlib.Path(tempfile.mkdtemp(prefix="charmer-sweep-"))
    try:
        return sweep(os.path.abspath(options.charmer), scratch, every, chosen, options.list)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def sweep(charmer, scratch, every, chosen, listed):
    one = Sweep(charmer, scratch)
    before = snapshot(one.watched)
    began = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        results = dict(zip(chosen, pool.map(lambda name: one.read(every[name]), chosen)))
    late = [name for name, (what, _) in results.items() if what == "late"]
    for name in late:
        results[name] = one.read(every[name], again=True)
    after = snapshot(one.watched)
    wrong = [f"{name}: {what}: {why}" for name, (what, why) in results.items() if what in ("panic", "late", "silent")]
    for path in sorted(before.keys() | after.keys(), key=str):
        if before.get(path) != after.get(path):
            how = "written" if path not in before else "removed" if path not in after else "changed"
            wrong.append(f"{path} was {how}")
    left = sorted(os.listdir(scratch / "tmp"))
    if left:
        wrong.append(f"left in the folder for temporary files: {', '.join(left[:9])}")
    if listed:
        for name, (what, why) in results.items():
            print(f"{what:<10} {name}: {why}")
    counts = collections.Counter(what for what, _ in results.values())
    words = {"read": "read", "in part": "read in part and said so", "unreadable": "said to be unreadable, with the reason",
             "silent": "neither", "late": f"not ended within {BOUND} s", "panic": "panicked"}
    print(f"{len(results)} programs in {time.monotonic() - began:.0f} s, {len(late)} of them tried twice")
    for what, described in words.items():
        print(f"{counts[what]:>6} {described}")
    for sentence in wrong:
        print(f"FAILED {sentence}")
    if not results:
        print("FAILED no program was found")
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
