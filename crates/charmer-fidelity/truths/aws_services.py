"""Prints the true tree of some services of the AWS CLI: the tables that it makes its parsers from.

    python aws_services.py SERVICE...   (with the Python of the environment that holds awscli)
"""

import json
import sys

from awscli.clidriver import create_clidriver

TYPES = {"boolean": "bool", "integer": "integer", "long": "integer", "float": "value", "double": "value", "list": "value"}


def flags_of(table, inherited):
    flags = {}
    for name, argument in table.items():
        if getattr(argument, "positional_arg", False):
            continue
        # The other half of a switch that can be turned off.
        if name.startswith("no-") and getattr(argument, "group_name", None) in table:
            continue
        kind = argument.cli_type_name
        # Whether an argument of the tool's own adds values up its table does not say, so that is not measured.
        flag = {"type": TYPES.get(kind, "value"), "required": bool(argument.required)}
        if kind == "list":
            flag["repeat"] = True
        if getattr(argument, "_UNDOCUMENTED", False) or name in ("help", "version"):
            flag["hidden"] = True
        if inherited:
            flag["inherited"] = True
        flags["--" + name] = flag
    return flags


def walk(command, path, globals_, tree):
    below = getattr(command, "subcommand_table", None)
    if below is None and hasattr(command, "_get_command_table"):
        below = command._get_command_table()
    below = {name: one for name, one in (below or {}).items() if name != "help" and not getattr(one, "_UNDOCUMENTED", False)}
    own = {} if below else flags_of(command.arg_table, False)
    tree[" ".join(path)] = {"flags": {**globals_, **own}}
    for name, one in below.items():
        walk(one, [*path, name], globals_, tree)


def main():
    driver = create_clidriver()
    table = driver._get_command_table()
    tree = {"": {"flags": flags_of(driver._get_argument_table(), False)}}
    globals_ = flags_of(driver._get_argument_table(), True)
    for name in sys.argv[1:]:
        walk(table[name], [name], globals_, tree)
    print(json.dumps(tree))


main()
