#!/usr/bin/env python3
"""Makes docs/session.svg: a picture of a terminal session, from a real run of `charmer` on git.

    cargo build -p charmer-cli && docs/session.py [CHARMER [PICTURE]]

Every command of STEPS is run in a terminal of this script's own, in a scratch repository whose commits always have the
same dates, names and so hashes. Nothing in the picture is typed by hand but the commands. Two things are replaced: the
scratch folder by `~/site`, and lines beyond LONGEST of one answer by a line that counts them. A command that ends with
another code than the one that stands beside it stops the script, and the old picture stays.

Needs Python 3 and git, and Linux, because the last command shows what the kernel refuses.
"""

import fcntl
import html
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
import unicodedata
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLUMNS = 100
LONGEST = 10

# What is typed, and the exit code that it must end with.
STEPS = [
    ("charmer add git --to cursor --read-only", 0),
    ("charmer tools git --read-only --allow status,log,diff,commit", 0),
    ("charmer call git_log --oneline --max-count 3", 0),
    ("charmer call git_commit --message 'Drop the map' --read-only", 2),
    ("charmer call git_commit --message 'Drop the map' --read-only --network none", 1),
]

COMMITS = [
    ("2026-01-05T09:00:00Z", "Draw the coast"),
    ("2026-01-06T09:00:00Z", "Add the tides"),
    ("2026-01-07T09:00:00Z", "Name the lighthouse"),
    ("2026-01-08T09:00:00Z", "Fix the scale of the map"),
]


def repository(scratch):
    """A home folder with a repository that is the same at every run."""
    home = scratch / "home"
    site = home / "site"
    site.mkdir(parents=True)
    # A folder by which the client of the first step is found.
    (home / ".cursor").mkdir()
    environment = {
        "HOME": str(home),
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgSign=false"]
    run = lambda words, dates: subprocess.run(git + words, cwd=site, check=True, env=environment | dates)
    run(["init", "--quiet", "--initial-branch=main"], {})
    for date, message in COMMITS:
        (site / "map.txt").write_text(message + "\n")
        dates = {"GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        run(["add", "map.txt"], dates)
        run(["commit", "--quiet", "--message", message], dates)
    # It is about this script's own commits, and charmer would speak of it.
    del environment["GIT_CONFIG_NOSYSTEM"]
    return site, environment


def in_terminal(words, folder, environment):
    """Runs a command on a terminal of COLUMNS columns: its output and its exit code."""
    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(words[0], words, environment)
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))
    output = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so at the end of a terminal.
            break
        if not piece:
            break
        output += piece
    os.close(terminal)
    return output.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def lines_of(output):
    """The lines that are left on the screen: what a progress line has overwritten is gone."""
    lines = []
    for line in output.replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in re.split(r"\r", line):
            part = re.sub(r"\x1b\[[0-9;?]*[A-HJKSTfhlsu]", "", part)
            shown = part or shown
        lines.append(shown)
    while lines and not lines[-1]:
        lines.pop()
    return lines


STYLES = {"1": "strong", "2": "dim", "4": "link"} | {
    str(base + index): name
    for base in (30, 90)
    for index, name in enumerate(["dim", "red", "green", "yellow", "blue", "purple", "cyan", "plain"])
}


def spans(line):
    """The text of a line in pieces, each with the names of its styles."""
    active = []
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", piece)
        if code:
            for number in code[1].split(";"):
                if number in ("", "0"):
                    active = []
                elif number in STYLES:
                    active = active + [STYLES[number]]
        elif piece:
            yield piece, active


def width(text):
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def wrapped(line):
    """A line as a terminal breaks it, at its last column."""
    rows, row, used = [], [], 0
    for text, style in spans(line):
        while used + width(text) > COLUMNS:
            row.append((text[: COLUMNS - used], style))
            rows.append(row)
            text, row, used = text[COLUMNS - used :], [], 0
        row.append((text, style))
        used += width(text)
    return rows + [row]


def picture(rows, title):
    """The rows as an SVG that follows the reader's light or dark setting."""
    # Widths are set, so that columns meet in whatever monospaced font there is.
    step, line_height, margin, head = 8.4, 20, 18, 40
    wide = round(COLUMNS * step + 2 * margin)
    high = head + len(rows) * line_height + margin
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" width="{wide}" height="{high}" '
        f'role="img" aria-label="{html.escape(title)}">',
        f"<title>{html.escape(title)}</title>",
        "<style>",
        "text { font: 14px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre; "
        "fill: #1f2328; }",
        ".room { fill: #f6f8fa; stroke: #d1d9e0; } .dot { fill: #c9d1d9; }",
        ".strong { font-weight: bold; } .link { text-decoration: underline; } .dim { fill: #59636e; }",
        ".red { fill: #b42318; } .green { fill: #116329; } .yellow { fill: #7d4e00; } .blue { fill: #0550ae; } "
        ".purple { fill: #6639ba; } .cyan { fill: #0a5e6e; } .typed { font-weight: bold; fill: #0550ae; }",
        "@media (prefers-color-scheme: dark) {",
        "  text { fill: #e6edf3; } .room { fill: #0d1117; stroke: #3d444d; } .dot { fill: #3d444d; } "
        ".dim { fill: #9198a1; }",
        "  .red { fill: #ff8a80; } .green { fill: #7ee787; } .yellow { fill: #f2cc60; } .blue { fill: #79c0ff; } "
        ".purple { fill: #d2a8ff; } .cyan { fill: #76e3ea; } .typed { fill: #79c0ff; }",
        "}",
        "</style>",
        f'<rect class="room" x="0.5" y="0.5" width="{wide - 1}" height="{high - 1}" rx="8"/>',
    ]
    out += [f'<circle class="dot" cx="{margin + 6 + 18 * dot}" cy="20" r="6"/>' for dot in range(3)]
    for number, row in enumerate(rows):
        column, y = 0, head + (number + 1) * line_height - 6
        for text, styles in row:
            length = width(text)
            if text.strip():
                kind = f' class="{" ".join(styles)}"' if styles else ""
                out.append(
                    f'<text x="{margin + column * step:.1f}" y="{y}" textLength="{length * step:.1f}" '
                    f'xml:space="preserve"{kind}>{html.escape(text)}</text>'
                )
            column += length
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    given = [Path(word).resolve() for word in sys.argv[1:]]
    charmer = given[0] if given else HERE.parent / "target/debug/charmer"
    target = given[1] if given[1:] else HERE / "session.svg"
    with tempfile.TemporaryDirectory() as scratch:
        # Without links in it, because programs say where they really are.
        scratch = Path(scratch).resolve()
        site, environment = repository(scratch)
        # git is read once beforehand: how long that takes is not part of the picture.
        subprocess.run([charmer, "tools", "git"], cwd=site, env=environment, check=True, capture_output=True)
        rows = []
        for line, expected in STEPS:
            words = shlex.split(line)
            output, code = in_terminal([str(charmer)] + words[1:], site, environment)
            if code != expected:
                sys.exit(f"`{line}` ended with {code}, not with {expected}:\n{output}")
            output = output.replace(str(site), "~/site").replace(str(site.parent), "~").replace(str(charmer), "charmer")
            answer = lines_of(output)
            if len(answer) > LONGEST:
                left = len(answer) - LONGEST
                answer = answer[:LONGEST] + [f"\x1b[2m... {left} more lines\x1b[0m"]
            rows.append([("$ ", ["dim"]), (line, ["typed"])])
            rows += [row for text in answer for row in wrapped(text)]
            rows.append([])
    target.write_text(picture(rows[:-1], "A terminal session: " + "; ".join(line for line, _ in STEPS)))
    print(f"{target}: {len(rows) - 1} lines")


main()
