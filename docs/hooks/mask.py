#!/usr/bin/env python3
"""Puts stars in the place of e-mail addresses, wherever a program prints them."""
import json
import re
import sys

result = json.load(sys.stdin)["result"]
masked = {name: re.sub(r"[\w.+-]+@[\w-]+(\.[\w-]+)*", "***", result[name]) for name in ("stdout", "stderr")}
print(json.dumps({"version": 1, "decision": "allow", **masked}))
