"""The licences of the crates that are in the program: whoever passes the program on owes their authors these words."""

import textwrap
from pathlib import Path

# How a crate's file begins that says under which terms it is.
BEGINNINGS = ("licen", "copying", "copyright", "notice", "unlicense")


def notices(metadata, root):
    """One text from the output of `cargo metadata` and the id of the program's crate: each licence once, with its crates."""
    packages = {package["id"]: package for package in metadata["packages"]}
    texts = {}
    for identity in sorted(linked(metadata, root), key=lambda each: packages[each]["name"]):
        package = packages[identity]
        # Crates of this workspace have no source.
        if package["source"] is None:
            continue
        name = f"{package['name']} {package['version']} ({package['license']})"
        for text in licences(package):
            texts.setdefault(text, []).append(name)
    sections = [f"{textwrap.fill(', '.join(names), 100)}\n\n{text}" for text, names in texts.items()]
    head = "The program charmer contains these crates, under these licences.\n"
    return f"\n{'=' * 100}\n".join([head, *sections])


def licences(package):
    """The files of a crate that say its terms; where it has none, who wrote it."""
    folder = Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(BEGINNINGS))
    texts = [path.read_text(encoding="utf-8", errors="replace").strip() + "\n" for path in files]
    authors = ", ".join(package["authors"]) or package["repository"] or package["name"]
    return texts or [f"{package['license']}; the crate has no file of its licence. By {authors}.\n"]


def linked(metadata, root):
    """The crates that are linked into the program: not those that only build or test it."""
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found, waiting = set(), [root]
    while waiting:
        identity = waiting.pop()
        if identity in found:
            continue
        found.add(identity)
        for dependency in nodes[identity]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return found
