#!/usr/bin/env python3
"""Lets a commit through if its message names an open ticket; tickets.txt lists them, one a line.

A message that names one without its project gets it: `#12` becomes `SHIP-12`.
"""
import json
import pathlib
import re
import sys

question = json.load(sys.stdin)
arguments = question["arguments"]
messages = arguments.get("message", [])
messages = [messages] if isinstance(messages, str) else messages
messages = [re.sub(r"(?<!\S)#(\d+)", r"SHIP-\1", message) for message in messages]
answer = {"decision": "allow"}
if question["tool"] == "git_commit":
    is_open = pathlib.Path(__file__).with_name("tickets.txt").read_text().split()
    named = re.findall(r"\bSHIP-\d+\b", " ".join(messages))
    if not named:
        answer = {"decision": "refuse", "reason": "a commit names its ticket", "hint": "as in `SHIP-12: ...`"}
    elif closed := [ticket for ticket in named if ticket not in is_open]:
        answer = {"decision": "refuse", "reason": f"{closed[0]} is not open"}
    else:
        answer["arguments"] = {**arguments, "message": messages}
print(json.dumps({"version": 1, **answer}))
