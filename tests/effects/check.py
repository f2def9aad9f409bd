"""Compares what Charmer says of command lines with what they really do.

    python3 tests/effects/check.py --charmer target/debug/charmer [--require PROGRAM,...] [PROGRAM...]

`effects.yaml` says of each line what it does: read, write or destroy. It was written by hand, by somebody who knew neither
the rules nor the profiles. A line is *false-safe* where Charmer says less than it does, and *false-unsafe* where it says
more. The check fails on one false-safe line, and on more than three in a hundred that are false-unsafe. A line that
Charmer cannot make into a call (a flag that this version of the program does not have, a redirecting flag that is
withheld) is not decided; it is counted and shown with `--all`. Where no programs are named, all that are on this machine
are asked, and the check fails, too, if one of those that are required is not, or if too little could be compared.
"""

import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import yaml

RANK = {"read": 0, "write": 1, "destroy": 2, "unknown": 3}
MOST_UNSAFE = 0.03
# What is compared at least, where no programs are named.
LEAST_LINES = 400
LEAST_PROGRAMS = 12
HERE = pathlib.Path(__file__).parent


def decided(charmer, program, rows):
    """What Charmer says of each line, by line."""
    # Flags that redirect are let in: the question is what a line does, not whether it is offered.
    source = {
        "binary": program,
        "redirects": "all",
        "expect": [{"allow": str(row["line"])} for row in rows if str(row["line"]).strip()],
    }
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "charmer.yaml"
        file.write_text(yaml.safe_dump({"sources": [source]}))
        command = [charmer, "check", "--json", str(file)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if not done.stdout:
        sys.exit(f"{program}: {done.stderr}")
    report = json.loads(done.stdout)["files"][0]
    if not report["expectations"]:
        sys.exit(f"{program}: nothing was decided: {json.dumps(report)[:2000]}")
    return {one["line"]: one for one in report["expectations"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("programs", nargs="*", metavar="PROGRAM", help="only these; they must be there")
    parser.add_argument("--require", default="", help="programs, with commas between, that must be there")
    parser.add_argument("--charmer", default="charmer", help="the program to ask")
    parser.add_argument("--all", action="store_true", help="show also what could not be decided")
    options = parser.parse_args()
    rows = yaml.safe_load((HERE / "effects.yaml").read_text())
    by_program = collections.defaultdict(list)
    for row in rows:
        by_program[row["program"]].append(row)
    required = [name for name in options.require.split(",") if name]
    unknown = [name for name in required + options.programs if name not in by_program]
    if unknown:
        sys.exit(f"effects.yaml has no lines of: {', '.join(unknown)}")
    missing = [name for name in required + options.programs if not shutil.which(name)]
    if missing:
        sys.exit(f"not on this machine: {', '.join(missing)}")
    chosen = options.programs or [name for name in by_program if shutil.which(name)]
    total = collections.Counter()
    bad = []
    for program in chosen:
        answers = decided(options.charmer, program, by_program[program])
        count = collections.Counter(rows=len(by_program[program]))
        for row in by_program[program]:
            answer = answers.get(str(row["line"]), {})
            said = answer.get("effect")
            if said is None:
                count["undecided"] += 1
                if options.all:
                    print(f"undecided     {program} {row['line']}: {answer.get('reason')}")
                continue
            accepted = [row["effect"]] + ([row["also"]] if "also" in row else [])
            least, most = min(RANK[e] for e in accepted), max(RANK[e] for e in accepted)
            if RANK[said] < least:
                count["false-safe"] += 1
                bad.append(("false-safe", program, row, said))
            elif RANK[said] > most:
                count["false-unsafe"] += 1
                bad.append(("false-unsafe", program, row, said))
            else:
                count["right"] += 1
        total.update(count)
        print("{:10} {:4} lines, {:4} right, {:3} false-safe, {:3} false-unsafe, {:3} not decided".format(
            program, count["rows"], count["right"], count["false-safe"], count["false-unsafe"], count["undecided"]))
    for kind, program, row, said in bad:
        print(f"{kind:13} {program} {row['line']}: is {row['effect']}, called {said}")
    lines = total["rows"] - total["undecided"]
    unsafe = total["false-unsafe"] / max(lines, 1)
    print(f"{lines} lines decided: {total['false-safe']} false-safe, {total['false-unsafe']} false-unsafe ({unsafe:.1%})")
    if total["false-safe"] or unsafe > MOST_UNSAFE or not lines:
        sys.exit(1)
    if not options.programs and (lines < LEAST_LINES or len(chosen) < LEAST_PROGRAMS):
        sys.exit(f"too little to compare: at least {LEAST_LINES} lines of {LEAST_PROGRAMS} programs are wanted")


main()
