"""The search of `Grep` without ripgrep: run by itself in a process that can be ended at any moment.

It takes a job as JSON on its input, `{pattern, ignore_case, descriptors, most, longest_line}`, and prints
`place in descriptors:line:byte column` for each line that matches. It imports nothing of ours, for it is
started without our packages. A pattern may take for ever or all memory: the process's own limits end it.
"""

import json
import os
import re
import sys
from contextlib import suppress

NOT_A_PATTERN = 3
"""Exit code; the reason is on the error output."""

_MEMORY_BYTES = 1 << 30
_CPU_SECONDS = 10


def main() -> int:
    """Search the job's descriptors."""
    _limit_itself()
    job = json.load(sys.stdin)
    try:
        pattern = re.compile(job["pattern"], re.IGNORECASE if job["ignore_case"] else 0)
    except (re.error, OverflowError, RecursionError) as error:
        sys.stderr.write(str(error) or type(error).__name__)
        return NOT_A_PATTERN
    most = job["most"]
    for place, descriptor in enumerate(job["descriptors"]):
        most = _search(place, descriptor, pattern, job["longest_line"], most)
    return 0


def _limit_itself() -> None:
    if sys.platform == "win32":
        return
    import resource

    for limit, value in ((resource.RLIMIT_AS, _MEMORY_BYTES), (resource.RLIMIT_CPU, _CPU_SECONDS)):
        hard = resource.getrlimit(limit)[1]
        with suppress(ValueError, OSError):  # some systems have no such limit; the time ends it there
            resource.setrlimit(limit, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _search(place: int, descriptor: int, pattern: "re.Pattern[str]", longest_line: int, most: int) -> int:
    """Print the lines of one file that match, `most` of them; return how many more may be printed."""
    with os.fdopen(descriptor, "rb") as file:
        text = file.read().decode("utf-8-sig", "replace").replace("\r\n", "\n")
    if _may_be_skipped(pattern, text):
        return most
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        if not most:
            break
        if found := pattern.search(line[:longest_line]):
            sys.stdout.write(f"{place}:{number}:{len(line[: found.start()].encode()) + 1}\n")
            sys.stdout.flush()
            most -= 1
    return most


def _may_be_skipped(pattern: "re.Pattern[str]", text: str) -> bool:
    """Whether plain words are nowhere in a text: found out many times faster than `re` does without regard to case."""
    is_plain = pattern.pattern.replace(" ", "").isalnum() and pattern.pattern.isascii()
    return is_plain and pattern.pattern.lower() not in text.lower()


if __name__ == "__main__":
    sys.exit(main())
