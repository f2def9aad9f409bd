"""Prints the true tree of a Python program as JSON: the parser objects that it builds, walked from inside.

    python python_parsers.py SCRIPT          (with the Python of the program's own environment)

The script is started as a person starts it, with `--help`, in this process; whatever parser it hands its arguments to
(argparse, optparse, click and so typer, cleo) is caught at that moment and walked. Nothing that it prints is read.
Programs that make the parsers of their commands one by one, each when it is asked for, are walked by a function below.
"""

import argparse
import ast
import importlib
import inspect
import json
import optparse
import os
import runpy
import sys
import textwrap

caught = []


def number(kind):
    return {int: "integer", float: "number"}.get(kind)


def names(strings):
    """The name of a flag as the truth has it, and the rest of its names."""
    longs = [one for one in strings if one.startswith("--")]
    shorts = [one for one in strings if not one.startswith("--") and len(one) == 2]
    words = [one for one in strings if not one.startswith("--") and len(one) > 2]
    first = (longs or shorts or words)[0]
    flag = {}
    if longs and shorts:
        flag["short"] = shorts[0]
    rest = longs[1:] + (shorts[1:] if longs or len(shorts) > 1 else []) + (words if longs or shorts else words[1:])
    if rest:
        flag["aliases"] = rest
    return first, flag


def add(flags, strings, flag, negations=()):
    """Notes a flag. Names that turn a switch off need not be found as flags of their own, and may be."""
    # A lone dash is a word for standard input, however a program reads it.
    strings = [one for one in strings if one != "-"]
    if not strings and not negations:
        return
    if not strings:
        strings, negations = negations, ()
    first, named = names(strings)
    flags[first] = {**named, **flag}
    for negation in negations:
        flags.setdefault(negation, {"hidden": True})


# argparse


def argparse_flag(action):
    flag = {}
    if action.help == argparse.SUPPRESS:
        flag["hidden"] = True
    if getattr(action, "deprecated", False):
        flag["deprecated"] = "yes"
    flag["required"] = bool(action.required)
    kind = type(action).__name__
    if isinstance(action, argparse._CountAction):
        return {**flag, "type": "count"}
    if action.nargs == 0 or isinstance(action, argparse.BooleanOptionalAction):
        return {**flag, "type": "bool"}
    flag["type"] = "string" if action.type in (None, str) else number(action.type) or "value"
    if action.choices is not None and flag["type"] in ("string", "value"):
        flag["enum"] = [str(one) for one in action.choices]
        flag["type"] = "string"
    if kind == "_StoreAction":
        flag["repeat"] = action.nargs not in (None, "?", 1)
    elif isinstance(action, (argparse._AppendAction, argparse._ExtendAction)):
        flag["repeat"] = True
    elif action.nargs not in (None, "?"):
        flag["repeat"] = True
    elif action.metavar == "":
        # An action of the program's own that hides its value: perhaps the program takes the word out before.
        flag["type"] = "any"
    elif "enum" not in flag:
        # An action of the program's own may keep one value or all.
        flag["type"] = "text" if flag["type"] == "string" else "value"
    if action.nargs in ("?", "*"):
        flag["optional_value"] = True
    return flag


def walk_argparse(parser, path, tree):
    flags = {}
    command = tree[path] = {"flags": flags}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            shown = {one.dest: one.help for one in action._choices_actions}
            seen = {}
            for name, child in action.choices.items():
                below = f"{path} {name}".strip()
                if id(child) in seen:
                    tree[seen[id(child)]].setdefault("aliases", []).append(below)
                    continue
                seen[id(child)] = below
                walk_argparse(child, below, tree)
                # `metavar="{a,b}"` is how authors hide the rest.
                listed = action.metavar is None or name in action.metavar.strip("{}").split(",") or name in shown
                if shown.get(name) == argparse.SUPPRESS or not listed:
                    tree[below]["hidden"] = True
            command["runnable"] = not action.required
        elif action.option_strings and not isinstance(action, (argparse._HelpAction, argparse._VersionAction)):
            strings, negations = list(action.option_strings), []
            if isinstance(action, argparse.BooleanOptionalAction):
                negations = [one for one in strings if one.startswith("--no-")]
                strings = [one for one in strings if one not in negations]
            add(flags, strings, argparse_flag(action), negations)
        elif action.option_strings:
            first, named = names(action.option_strings)
            flags[first] = {**named, "hidden": True}


# optparse


def optparse_flags(parser):
    flags = {}
    options = list(parser.option_list)
    for group in getattr(parser, "option_groups", []):
        options += group.option_list
    for option in options:
        strings = option._long_opts + option._short_opts
        # optparse knows no required options.
        flag = {"required": False}
        if option.help == optparse.SUPPRESS_HELP or option.action in ("help", "version"):
            flag["hidden"] = True
        if option.action == "count":
            flag["type"] = "count"
        elif option.takes_value():
            flag["type"] = {"int": "integer", "long": "integer", "float": "number", "string": "string",
                            "choice": "string"}.get(option.type, "value")
            if option.choices:
                flag["enum"] = [str(one) for one in option.choices]
            if option.action in ("store", "append"):
                flag["repeat"] = option.action == "append" or option.nargs not in (None, 1)
            else:
                # A function of the program's own may keep one value or all.
                flag["type"] = "text" if flag["type"] == "string" else "value"
        else:
            flag["type"] = "bool"
        add(flags, strings, flag)
    return flags


# click


def click_flag(click, option):
    flag = {}
    if getattr(option, "hidden", False) or option.name in ("help", "version") and option.is_eager:
        flag["hidden"] = True
    if getattr(option, "deprecated", False):
        flag["deprecated"] = "yes"
    flag["required"] = bool(option.required)
    if option.count:
        return {**flag, "type": "count"}
    if option.is_flag:
        return {**flag, "type": "bool"}
    # typer carries a click of its own, which calls it otherwise.
    kind = type(getattr(option, "type", None) or getattr(option, "param_type", None)).__name__
    flag["type"] = {"IntParamType": "integer", "IntRange": "integer", "FloatParamType": "number",
                    "FloatRange": "number", "StringParamType": "string", "Path": "string", "TyperPath": "string",
                    "File": "string", "Choice": "string", "TyperChoice": "string"}.get(kind, "value")
    if "Choice" in kind and hasattr(getattr(option, "type", None), "choices"):
        flag["enum"] = [getattr(one, "name", None) or str(one) for one in option.type.choices]
    flag["repeat"] = bool(option.multiple) or option.nargs != 1
    if getattr(option, "_flag_needs_value", False):
        flag["optional_value"] = True
    return flag


def walk_click(click, command, context, path, tree, seen):
    flags = {}
    entry = tree[path] = {"flags": flags}
    if getattr(command, "hidden", False):
        entry["hidden"] = True
    if getattr(command, "deprecated", False):
        entry["deprecated"] = "yes"
    for option in command.get_params(context):
        if getattr(option, "param_type_name", "") == "option":
            add(flags, list(option.opts), click_flag(click, option), list(option.secondary_opts))
    if hasattr(command, "list_commands"):
        entry["runnable"] = bool(command.invoke_without_command)
        for name in command.list_commands(context):
            child = command.get_command(context, name)
            if child is None:
                continue
            below = f"{path} {name}".strip()
            if id(child) in seen:
                tree[seen[id(child)]].setdefault("aliases", []).append(below)
                continue
            seen[id(child)] = below
            walk_click(click, child, context_of(child, name, context), below, tree, seen)


def context_of(command, name, parent):
    return command.context_class(command, info_name=name, parent=parent)


# Programs that make their parsers one by one.


def pip_tree():
    from pip._internal.cli.main_parser import create_main_parser
    from pip._internal.commands import commands_dict, create_command

    tree = {"": {"flags": optparse_flags(create_main_parser()), "runnable": False}}
    for name in commands_dict:
        command = create_command(name)
        tree[name] = {"flags": optparse_flags(command.parser)}
        if getattr(command, "hidden", False):
            tree[name]["hidden"] = True
        actions = pip_actions(command)
        if actions:
            tree[name]["runnable"] = False
        for action in actions:
            flags = {flag: {**told, "inherited": True} for flag, told in tree[name]["flags"].items()}
            tree[f"{name} {action}"] = {"flags": flags}
    return tree


def pip_actions(command):
    """The words of which a command wants one, and which its parser does not know: the table in its source that has a
    function for each."""
    source = ast.parse(textwrap.dedent(inspect.getsource(type(command))))
    for node in ast.walk(source):
        if isinstance(node, ast.Assign) and [getattr(one, "id", "") for one in node.targets] == ["handlers"]:
            return [key.value for key in node.value.keys]
    return []


def coverage_tree():
    from coverage import cmdline

    parsers = getattr(cmdline, "COMMANDS", None) or cmdline.CMDS
    tree = {"": {"flags": optparse_flags(cmdline.GlobalOptionParser()), "runnable": False}}
    for name, parser in parsers.items():
        tree[name] = {"flags": optparse_flags(parser)}
    return tree


def twine_tree():
    from importlib.metadata import entry_points

    tree = {"": {"flags": {"--no-color": {"type": "bool"}, "--version": {"hidden": True}}, "runnable": False}}
    for entry in entry_points(group="twine.registered_commands"):
        caught.clear()
        try:
            entry.load()(["--help"])
        except SystemExit:
            pass
        below = {}
        walk_argparse(max((one for _, one in caught), key=lambda one: len(one._actions)), "", below)
        tree[entry.name] = below[""]
    return tree


def cleo_tree(application):
    tree = {}

    def flags_of(definition, common=()):
        flags = {}
        for option in definition.options:
            if option.name in common:
                continue
            flag = {"type": "bool"}
            if option.accepts_value():
                flag = {"type": "value", "repeat": bool(option.is_list())}
                if not option.requires_value():
                    flag["optional_value"] = True
            # An author's mark in the option's own text, which is how Cleo has it.
            if "<warning>Deprecated</warning>" in (option.description or ""):
                flag["deprecated"] = "yes"
            if option.shortcut:
                shorts = [f"-{one}" for one in option.shortcut.split("|")]
                flag["short"] = shorts[0]
                # `v|vv|vvv` is one letter, which counts.
                if all(set(one) == set(shorts[0]) for one in shorts) and shorts[1:]:
                    flag["type"] = "count"
                elif shorts[1:]:
                    flag["aliases"] = shorts[1:]
            if option.name in ("help", "version"):
                flag["hidden"] = True
            flags[f"--{option.name}"] = flag
        return flags

    tree[""] = {"flags": flags_of(application.definition), "runnable": False}
    passed_on = {name: {**flag, "inherited": True} for name, flag in tree[""]["flags"].items()}
    for name, command in application.all().items():
        if name.startswith("_"):
            continue
        parts = name.split(" ")
        for end in range(1, len(parts)):
            tree.setdefault(" ".join(parts[:end]), {"flags": dict(passed_on), "runnable": False})
        own = flags_of(command.definition, {one.name for one in application.definition.options})
        entry = {"flags": {**passed_on, **own}}
        # `list` and `help` come with Cleo.
        if command.hidden or type(command).__module__.startswith("cleo."):
            entry["hidden"] = True
        tree[name] = entry
    return tree


def poetry_tree():
    from poetry.console.application import Application

    return cleo_tree(Application())


OWN = {"pip": pip_tree, "coverage": coverage_tree, "twine": twine_tree, "poetry": poetry_tree}


# Catching


class Caught(BaseException):
    """A parser that is complete when it is met, so that nothing more need happen."""


def catch():
    """Puts itself between the program and its parsers."""
    parse = argparse.ArgumentParser.parse_known_args
    depth = [0]

    def parse_known_args(self, *arguments, **named):
        if depth[0] == 0:
            caught.append(("argparse", self))
        depth[0] += 1
        try:
            return parse(self, *arguments, **named)
        finally:
            depth[0] -= 1

    argparse.ArgumentParser.parse_known_args = parse_known_args
    parse_options = optparse.OptionParser.parse_args

    def parse_args(self, *arguments, **named):
        caught.append(("optparse", self))
        return parse_options(self, *arguments, **named)

    optparse.OptionParser.parse_args = parse_args
    for module in ("click", "typer", "asyncclick", "rich_click"):
        try:
            library = importlib.import_module(module)
        except ImportError:
            continue
        base = getattr(library, "BaseCommand", None) if module == "asyncclick" else getattr(library, "Command", None)
        if module == "typer":
            from typer import core

            for kind in (core.TyperCommand, core.TyperGroup):
                hook(kind)
        elif base is not None:
            hook(base)


def hook(kind):
    def main(self, *arguments, **named):
        caught.append(("click", self))
        raise Caught

    kind.main = main


def script_of(name):
    for folder in (os.path.dirname(sys.executable), *os.environ.get("PATH", "").split(os.pathsep)):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return path
    raise SystemExit(f"{name} is not installed beside {sys.executable}")


def tree_of(name):
    if name in OWN:
        catch()
        return OWN[name]()
    catch()
    sys.argv = [script_of(name), "--help"]
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except (SystemExit, Caught):
        pass
    if not caught:
        raise RuntimeError(f"{name} made no parser that is known")
    tree = {}
    clicks = [one for kind, one in caught if kind == "click"]
    if clicks:
        click = importlib.import_module("click")
        command = clicks[0]
        walk_click(click, command, context_of(command, name, None), "", tree, {})
        return tree
    # A program may read its arguments in several passes; the last pass knows the most.
    kind, parser = max(
        caught, key=lambda one: len(one[1]._actions if one[0] == "argparse" else optparse_flags(one[1]))
    )
    if kind == "argparse":
        walk_argparse(parser, "", tree)
    else:
        tree[""] = {"flags": optparse_flags(parser)}
    return tree


def main():
    name = sys.argv[1]
    # What the program prints goes nowhere, through whichever of its streams.
    answer = os.fdopen(os.dup(1), "w")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    json.dump(tree_of(name), answer)
    answer.flush()
    # Whatever threads the program left are no concern.
    os._exit(0)


if __name__ == "__main__":
    main()
