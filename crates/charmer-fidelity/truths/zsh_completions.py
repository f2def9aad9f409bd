"""The true tree of a clap program, from the zsh completion script that clap itself generates.

The script knows every option with its names, whether it takes a value and which, and whether it may be repeated. It
does not know numbers from text, or what is required, so those are not measured. It also has what help hides; see
`hide_unmentioned`.
"""

import re


def tokens(text):
    """Words and quoted strings (as tuples) of a shell script, as far as completion scripts go."""
    at, word = 0, ""
    while at < len(text):
        letter = text[at]
        if letter in "'\"":
            end, string = at + 1, ""
            while end < len(text):
                if letter == "'" and text.startswith("'\\''", end):
                    string += "'"
                    end += 4
                elif letter == '"' and text[end] == "\\":
                    string += text[end + 1]
                    end += 2
                elif text[end] == letter:
                    break
                else:
                    string += text[end]
                    end += 1
            yield (string,)
            at = end + 1
        elif letter.isspace():
            if word:
                yield word
            word = ""
            at += 1
        else:
            word += letter
            at += 1
            if at < len(text) and text[at] in "'\"":
                yield word
                word = ""
    if word:
        yield word


SPEC = re.compile(r"^(?:\([^)]*\))?(\*?)(--?[^\s\[=+:]+)([=+-]?)(.*)$", re.S)


def flags_of(specs):
    """The flags behind the arguments of one `_arguments`."""
    flags, before = {}, None
    for spec in specs:
        found = SPEC.match(spec)
        if not found or not found[2].startswith("-"):
            continue
        many, name, value, rest = found.groups()
        named = bool(re.search(r"(?<!\\)\]:", rest))
        takes = named or value in ("=", "+")
        flag = {"type": "value", "repeat": bool(many)} if takes else {"type": "count" if many else "bool"}
        action = re.search(r":\((.*)\)$", rest, re.S)
        if takes and action:
            inner = action[1]
            if inner.startswith("("):
                flag["enum"] = re.findall(r"(?:^\(|\n)((?:\\.|[^\\\n])+?)\\:", inner)
            else:
                flag["enum"] = inner.replace("\\", "").split()
        # A value that may be left away has no name in the script, or one behind two colons.
        if takes and (not named or re.search(r"(?<!\\)\]::", rest)):
            flag["optional_value"] = True
        # clap has no word for it; authors begin the text with one.
        if re.match(r"\[\(?deprecated\b", rest, re.I):
            flag["deprecated"] = "its text says so"
        same = (many, rest)
        if name.startswith("--") and before and before[1] == same and not before[0].startswith("--"):
            short, flag = before[0], flags.pop(before[0])
            flag["short"] = short
        flags[name] = flag
        before = (name, same)
    return flags


def tree_of(script):
    """The commands of a script, hidden ones included."""
    tree, path, cases = {}, [], []
    own = script.split("\n}\n", 1)[0]
    stream = list(tokens(own))
    at = 0
    while at < len(stream):
        token = stream[at]
        if token == "case":
            cases.append(("line" if stream[at + 1] != "$state" else "state", len(path)))
            at += 2
        elif token == "esac" and cases:
            _, depth = cases.pop()
            del path[depth:]
        elif token == ";;" and cases:
            del path[cases[-1][1] :]
        elif cases and cases[-1][0] == "line" and isinstance(token, str) and re.fullmatch(r"\([^()]+\)", token):
            del path[cases[-1][1] :]
            path.append(token[1:-1])
        elif token == "_arguments":
            specs = []
            while at < len(stream) and stream[at] != "&&":
                if isinstance(stream[at], tuple):
                    specs.append(stream[at][0])
                at += 1
            tree[" ".join(path)] = {"flags": flags_of(specs)}
        at += 1
    return tree


def hide_unmentioned(tree, help_of):
    """Marks as hidden what a command's help does not contain as a word anywhere.

    A completion script offers hidden options too, and nothing in it tells them apart. This is the only question that a
    help text is asked, and not one that is parsed: what it contains anywhere must be found.
    """
    for path, command in tree.items():
        words = path.split()
        text = help_of(words)
        if text is None:
            command["hidden"] = True
            continue
        if words and not re.search(rf"(?<![\w-]){re.escape(words[-1])}(?![\w-])", help_of(words[:-1]) or ""):
            command["hidden"] = True
        for name, flag in command["flags"].items():
            if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text):
                flag["hidden"] = True
