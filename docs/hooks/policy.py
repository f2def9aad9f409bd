#!/usr/bin/env python3
"""A policy engine in a few lines: the first rule of policy.json whose conditions all hold decides.

A condition is a key of the question and the value that it must have; `argv` holds a word that must be in the command line.
What no rule speaks of is refused.
"""
import json
import pathlib
import sys

question = json.load(sys.stdin)
rules = json.loads(pathlib.Path(__file__).with_name("policy.json").read_text())


def holds(key, wanted):
    return wanted in question.get("argv", []) if key == "argv" else question.get(key) == wanted


answer = {"decision": "refuse", "reason": "no rule allows this"}
for rule in rules:
    if all(holds(key, wanted) for key, wanted in rule["when"].items()):
        answer = {"decision": "allow"} if rule["allow"] else {"decision": "refuse", "reason": rule["reason"]}
        break
print(json.dumps({"version": 1, **answer}))
