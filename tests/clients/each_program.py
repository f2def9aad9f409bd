"""What the checks of real programs share: each program that is there is checked, and what is missing or wrong is said."""

import shutil
import subprocess
from collections.abc import Callable


def each_program(required: str, optional: str, check: Callable[[str, str], list[str] | None]) -> int:
    """Checks each program, by its name and path; the lists are separated by commas. The exit code comes back.

    A check returns what is wrong, or raises it. A required program that is not there is a failure, an optional one is
    passed over and named.
    """
    failed = 0
    for program in filter(None, [*required.split(","), *optional.split(",")]):
        path = shutil.which(program)
        if path is None:
            missing = program in required.split(",")
            failed += missing
            print(f"{'FAIL ' if missing else 'none '} {program}: it is not installed")
            continue
        try:
            problems = check(program, path) or []
        except (AssertionError, TimeoutError, subprocess.TimeoutExpired) as problem:
            problems = [str(problem) or type(problem).__name__]
        for problem in problems:
            print(f"FAIL  {program}: {problem}")
        failed += bool(problems)
    return 1 if failed else 0
