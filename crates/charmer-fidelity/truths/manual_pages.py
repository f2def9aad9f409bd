"""The true tree of a Cobra program, from the manual pages that Cobra itself writes of it (`hugo gen man`).

Cobra writes each flag with its zero or default, which tells its kind: `[=false]`, `=""`, `=[]`, `=0`. gh has a writer of its
own, which tells only whether there is a value: `--name <value>`.
"""

import gzip
import pathlib
import re

FLAG = re.compile(r"^(?:\\fB(-\w)\\f[PR], )?\\fB(--[\w.-]+|-\w)\\f[PR](\[?=.*| \\fB<.*)?$")


def kind(value):
    """The type behind a default as Cobra's pages print it."""
    value = value.strip()
    if value.startswith("\\fB<"):
        return {"type": "value"}
    if value.startswith("[="):
        bare = value[2:].rstrip("]")
        if bare in ("true", "false"):
            return {"type": "bool"}
        return {"type": "value", "optional_value": True}
    value = value.removeprefix("=")
    if value.startswith('"'):
        return {"type": "string", "repeat": False}
    if value.startswith("["):
        return {"type": "value", "repeat": True}
    if re.fullmatch(r"-?[\d.]+", value):
        return {"type": "numeric", "repeat": False}
    return {"type": "value"}


def tree_of(folder, program):
    tree = {}
    for page in sorted([*pathlib.Path(folder).glob("*.1"), *pathlib.Path(folder).glob("*.1.gz")]):
        packed = page.suffix == ".gz"
        text = gzip.decompress(page.read_bytes()).decode() if packed else page.read_text()
        text = text.replace("\\-", "-").replace("\\fB\\fC", "\\fB")
        name = page.name.removesuffix(".gz").removesuffix(".1")
        # A page is called by its words with `-` between them, which may also stand in a word; the usage line has spaces.
        usage = re.search(r"^\.SH SYNOPSIS\n(?:\.PP\n)?\\fB(.*?)\\f[PR]", text, re.M)
        words = usage[1].split() if usage else []
        while words and "-".join(words) != name:
            words.pop()
        if not words or words[0] != program:
            raise ValueError(f"{page.name} is the page of no command")
        flags = {}
        for section, own in (("OPTIONS", True), ("OPTIONS INHERITED FROM PARENT COMMANDS", False)):
            body = re.search(rf"^\.SH {section}\n(.*?)(?=^\.SH |\Z)", text, re.M | re.S)
            for line in body[1].splitlines() if body else []:
                found = FLAG.match(line.strip())
                if not found:
                    continue
                flag = kind(found[3] or "[=false]")
                if found[1]:
                    flag["short"] = found[1]
                if not own:
                    flag["inherited"] = True
                flags[found[2]] = flag
        tree[" ".join(words[1:])] = {"flags": flags}
    return tree
