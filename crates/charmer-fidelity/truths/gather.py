"""Writes the true tree of every program of `programs.json` into a folder, one JSON file a program.

    python gather.py FOLDER [--part | NAME...]   (with the Python of the environment that holds the programs)

`--part` leaves out those that take long to read. Truths come from the programs' parsers, from completion scripts and
from manual pages; see the modules beside this one. A truth that cannot be had is a failure, but for programs that no
registry of Python's or Node's has: those are taken from the machine, where they are.
"""

import concurrent.futures
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import manual_pages
import zsh_completions

HERE = pathlib.Path(__file__).resolve().parent
# Not resolved: the link in an environment is what makes it that environment.
BIN = pathlib.Path(sys.executable).parent
# Programs of Node are installed beside: `npm install --prefix FOLDER/node`.
NODE = BIN.parent / "node" / "node_modules"
# So are those that are built from Go, and those of Debian's packages.
GO = BIN.parent / "go"
DEBIAN = BIN.parent / "debian"
# And those whose packages cannot stand beside the others, each in an environment of its own.
APART = BIN.parent / "apart"


class Unknown(Exception):
    """Why a truth cannot be had."""


def output(arguments, home):
    """What a command prints, in a home of its own."""
    environment = {
        "HOME": home,
        "PATH": f"{BIN}{os.pathsep}{os.environ.get('PATH', '')}",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "COLUMNS": "200",
    }
    for name in ("RUSTUP_HOME", "CARGO_HOME"):
        real = os.environ.get(name) or os.path.expanduser("~/." + name.split("_")[0].lower())
        if os.path.isdir(real):
            environment[name] = real
    done = subprocess.run(
        [str(one) for one in arguments],
        env=environment,
        cwd=home,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    if done.returncode != 0:
        raise Unknown(f"{' '.join(map(str, arguments[:3]))}: {done.stderr.strip()[-600:]}")
    return done.stdout


def from_parser(one, file, home):
    return json.loads(output([BIN / "python", HERE / "python_parsers.py", one["program"]], home))


def from_node_parser(one, file, home):
    return json.loads(output(["node", "--require", HERE / "node_parsers.cjs", file, "--help"], home))


def from_zsh(one, file, home):
    tree = zsh_completions.tree_of(output([file, *one["ask"]], home))
    tree = {path: command for path, command in tree.items() if "help" not in path.split()}
    kept = {}

    def help_of(words):
        key = tuple(words)
        if key not in kept:
            try:
                kept[key] = output([file, *words, "--help"], home)
            except Unknown:
                kept[key] = None
        return kept[key]

    zsh_completions.hide_unmentioned(tree, help_of)
    return tree


def from_manual(one, file, home):
    pages = pathlib.Path(home, "pages")
    pages.mkdir()
    output([file, *one["ask"], pages], home)
    return manual_pages.tree_of(pages, one["program"])


def from_cobra(one, file, home):
    """Its own tree, which a hidden command prints: `go/tree`."""
    return json.loads(output([file, "__truth"], home))


def from_package(one, file, home):
    """The manual pages that came with it."""
    return manual_pages.tree_of(DEBIAN / "usr/share/man/man1", one["program"])


def from_symfony(one, file, home):
    """Its definition, which its own `list` prints as JSON."""
    described = json.loads(output([file, "list", "--format=json", "--no-ansi"], home))["commands"]
    # Each has the options of all.
    common = set.intersection(*(set(one["definition"]["options"]) for one in described))
    tree = {"": {"flags": {}, "runnable": False}}
    for command in described:
        flags = {}
        for key, option in command["definition"]["options"].items():
            shorts = [short for short in option["shortcut"].split("|") if short]
            counts = len(shorts) > 1 and len({short[:2] for short in shorts}) == 1
            flag = {"type": "count" if counts else "bool"}
            if option["accept_value"]:
                flag = {"type": "value", "repeat": option["is_multiple"]}
                if not option["is_value_required"]:
                    flag["optional_value"] = True
            if shorts:
                flag["short"] = shorts[0]
            # Symfony's own, and the name that turns another off.
            if key in ("help", "version", "no-ansi"):
                flag["hidden"] = True
            if key in common:
                tree[""]["flags"][option["name"]] = flag
                flag = {**flag, "inherited": True}
            flags[option["name"]] = flag
        name = command["name"]
        # `usage` has the aliases behind the command's own line.
        aliases = [usage for usage in command["usage"][1:] if " " not in usage]
        tree[name] = {"flags": flags, "aliases": aliases}
        if command["hidden"] or name in ("list", "help", "completion"):
            tree[name]["hidden"] = True
    return tree


def from_thor(one, file, home):
    """The commands that its class has."""
    return json.loads(output(["ruby", HERE / "thor.rb", one["require"], one["class"]], home))


def from_services(one, file, home):
    """The tables of commands and arguments that the AWS CLI makes for some of its services."""
    return json.loads(output([file.parent / "python", HERE / "aws_services.py", *one["parts"]], home))


def from_manifest(one, file, home):
    """The manifests that oclif wrote when the program and its plugins were built."""
    settings = json.loads((NODE / one["program"] / "package.json").read_text())["oclif"]
    # A manifest writes `topic:name`; people do so too, unless the program says that words are apart.
    separator = settings.get("topicSeparator", ":")
    folders = [one["program"], *settings.get("plugins", [])]
    manifests = [NODE / folder / "oclif.manifest.json" for folder in folders]
    tree = {"": {"flags": {}, "runnable": False}}
    for manifest in manifests:
        described = json.loads(manifest.read_text())["commands"] if manifest.is_file() else {}
        for name, command in described.items():
            flags = {}
            for key, option in command["flags"].items():
                switch = option["type"] == "boolean"
                flag = {"type": "bool" if switch else "value", "required": bool(option.get("required"))}
                if not switch:
                    flag["repeat"] = bool(option.get("multiple"))
                if option.get("char"):
                    flag["short"] = "-" + option["char"]
                if option.get("hidden") or key in ("help", "version"):
                    flag["hidden"] = True
                flags["--" + key] = flag
            path = name.replace(":", separator)
            aliases = [alias.replace(":", separator) for alias in command.get("aliases", [])]
            tree[path] = {"flags": flags, "aliases": aliases, "runnable": True}
            # oclif's own, which its help leaves out.
            if command.get("hidden") or name.split(":")[0] in ("help", "version", "autocomplete"):
                tree[path]["hidden"] = True
    for path in list(tree):
        words = path.split()
        for end in range(1, len(words)):
            tree.setdefault(" ".join(words[:end]), {"flags": {}, "runnable": False})
    return tree


def install_apart(one):
    """Makes an environment for one program alone, unless that is done."""
    folder = APART / one["program"]
    if (folder / "bin" / one["program"]).is_file():
        return
    commands = [sys.executable, "-m", "venv", folder], [folder / "bin/pip", "install", "-q", one["apart"]]
    for command in commands:
        done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
        if done.returncode != 0:
            raise Unknown(f"{one['apart']}: {done.stderr.strip()[-600:]}")


def build(one):
    """Builds a program of `go/`, unless that is done."""
    GO.mkdir(exist_ok=True)
    command = ["go", "build", "-trimpath", "-o", GO / one["program"], "."]
    done = subprocess.run(command, cwd=HERE / "go" / one["program"], capture_output=True, text=True, timeout=1500, check=False)
    if done.returncode != 0:
        raise Unknown(f"go build: {done.stderr.strip()[-600:]}")


def unpack(one):
    """Downloads the Debian package of a program and unpacks it, unless that is done."""
    if (DEBIAN / "usr/bin" / one["program"]).is_file():
        return
    DEBIAN.mkdir(exist_ok=True)
    commands = ["apt-get", "download", one["program"]], ["sh", "-c", f"dpkg-deb -x {one['program']}_*.deb ."]
    for command in commands:
        done = subprocess.run(command, cwd=DEBIAN, capture_output=True, text=True, timeout=300, check=False)
        if done.returncode != 0:
            raise Unknown(f"{' '.join(command)}: {done.stderr.strip()[-600:]}")


def place(one):
    """The file of a program, which is made where that is how it is had."""
    program, truth = one["program"], one["truth"]
    if truth == "cobra":
        build(one)
        return GO / program
    if one.get("apart"):
        install_apart(one)
        return APART / program / "bin" / program
    if truth == "package":
        unpack(one)
        return DEBIAN / "usr/bin" / program
    if one.get("machine"):
        return pathlib.Path(shutil.which(program))
    return (NODE / ".bin" if truth in ("node-parser", "manifest") else BIN) / program


# What `programs.json` calls a way to the truth, and what the table calls it.
WAYS = {
    "parser": (from_parser, "its parser"),
    "node-parser": (from_node_parser, "its parser"),
    "zsh": (from_zsh, "zsh completions"),
    "manual": (from_manual, "manual pages"),
    "cobra": (from_cobra, "its own tree"),
    "package": (from_package, "manual pages"),
    "symfony": (from_symfony, "its definition"),
    "thor": (from_thor, "its class"),
    "services": (from_services, "its tables"),
    "manifest": (from_manifest, "its manifest"),
}


def version(one):
    package = one.get("package", one["program"])
    if one.get("machine"):
        with tempfile.TemporaryDirectory() as home:
            said = output([shutil.which(one["program"]), *one["version"]], home)
        return re.search(r"\d+(\.\d+)+", said)[0]
    if one["truth"] == "cobra":
        module = (HERE / "go" / one["program"] / "go.mod").read_text()
        return re.search(rf"^\s*(?:require )?{re.escape(package)} v(\S+)", module, re.M)[1]
    if one["truth"] == "package":
        return next(DEBIAN.glob(f"{package}_*.deb")).name.split("_")[1]
    if one.get("apart"):
        return one["apart"].split("==")[1]
    if one["truth"] in ("node-parser", "manifest"):
        return json.loads((NODE / package / "package.json").read_text())["version"]
    return importlib.metadata.version(package)


def note_what_stays(tree):
    """Says of flags which commands below do not take them, where any does not: they are no flags of those."""
    shown = {path for path, command in tree.items() if not command.get("hidden") and not command.get("deprecated")}
    for path, command in tree.items():
        below = [tree[other]["flags"] for other in shown if other != path and other.startswith(f"{path} ".lstrip())]
        for name, flag in command["flags"].items():
            if any(name not in flags for flags in below):
                flag["persistent"] = False


def gather(one, folder):
    program = one["program"]
    file = place(one)
    if not file.is_file():
        raise Unknown(f"{file} is missing")
    way, described = WAYS[one["truth"]]
    with tempfile.TemporaryDirectory() as home:
        tree = way(one, file, home)
    if not any(command["flags"] for command in tree.values()):
        raise Unknown("its truth has no flags")
    note_what_stays(tree)
    whole = {
        "program": program,
        "file": str(file),
        "version": version(one),
        "family": one["family"],
        "truth": described,
        "parts": one.get("parts", []),
        "tree": tree,
    }
    (folder / f"{program}.json").write_text(json.dumps(whole))
    return len(tree), sum(len(command["flags"]) for command in tree.values())


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    programs = json.loads((HERE / "programs.json").read_text())
    chosen = sys.argv[2:]
    if chosen == ["--part"]:
        programs = [one for one in programs if not one.get("long")]
    elif chosen:
        programs = [one for one in programs if one["program"] in chosen]
    missing = [one for one in programs if one.get("machine") and not shutil.which(one["program"])]
    for one in missing:
        print(f"not on this machine: {one['program']}")
    programs = [one for one in programs if one not in missing]
    failed = not programs
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        waiting = [(one, pool.submit(gather, one, folder)) for one in programs]
        for one, result in waiting:
            try:
                result.result()
            except (Unknown, subprocess.TimeoutExpired, ValueError, KeyError, OSError) as error:
                failed = True
                print(f"FAILED {one['program']}: {error}", file=sys.stderr)
    print(f"{len(programs)} truths")
    sys.exit(failed)


if __name__ == "__main__":
    main()
