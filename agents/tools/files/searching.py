"""Which lines of open files match: asked of ripgrep, or of a process of our own, and ended when the time is over.

Both are given descriptors, not paths, so that they read what was checked and nothing else.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from bookwright.agents.tools.files import line_search
from bookwright.agents.tools.files.read import LONGEST_LINE

_RIPGREP_OPTIONS = (
    "--no-config --no-messages --color=never --no-heading --with-filename --null --line-number --column "
    "--max-columns=1 --line-buffered --text --crlf --no-mmap --no-ignore --threads=1 --encoding=none"
).split()
_RIPGREP_FAILED = 2
_SOURCE = Path(line_search.__file__)


@dataclass(frozen=True)
class Query:
    """What is looked for."""

    pattern: str
    ignore_case: bool
    most: int
    """Lines that are told at most; ripgrep counts them for each file."""


@dataclass(frozen=True)
class LineHit:
    """A line that matches."""

    place: int
    """Which of the descriptors, from 0."""
    line: int
    column: int
    """Byte of the line where the match begins, from 1."""


@dataclass(frozen=True)
class Searched:
    """What one search came to."""

    hits: list[LineHit] = field(default_factory=list)
    is_out_of_time: bool = False
    problem: str = ""
    """Why nothing was searched; empty if something was."""


def search_with_ripgrep(program: str, query: Query, descriptors: list[int], seconds: float) -> Searched:
    """Ask ripgrep. It has no look-around and no back-references; such a pattern is a problem."""
    case = "--ignore-case" if query.ignore_case else "--case-sensitive"
    paths = [f"/dev/fd/{descriptor}" for descriptor in descriptors]
    command = [program, *_RIPGREP_OPTIONS, case, f"--max-count={query.most}", "-e", query.pattern, "--", *paths]
    code, output, errors, is_late = _run(command, b"", descriptors, seconds)
    places = {path.encode(): place for place, path in enumerate(paths)}
    hits = []
    for line in output.split(b"\n")[:-1]:
        path, _, rest = line.partition(b"\0")
        figures = rest.split(b":", 2)
        if path in places and len(figures) == 3:
            hits.append(LineHit(places[path], int(figures[0]), int(figures[1])))
    problem = "" if is_late or hits or code != _RIPGREP_FAILED else _first_line(errors) or "ripgrep failed"
    return Searched(hits, is_late, problem)


def search_with_python(query: Query, descriptors: list[int], seconds: float) -> Searched:
    """Ask Python's `re` in a process of its own, which is killed when the time is over."""
    job = {
        "pattern": query.pattern, "ignore_case": query.ignore_case, "descriptors": descriptors, "most": query.most,
        "longest_line": LONGEST_LINE,
    }  # fmt: skip
    command = [sys.executable, "-I", "-S", "-X", "utf8", str(_SOURCE)]
    code, output, errors, is_late = _run(command, json.dumps(job).encode(), descriptors, seconds)
    hits = [LineHit(*map(int, line.split(b":"))) for line in output.split(b"\n")[:-1]]
    if code == line_search.NOT_A_PATTERN:
        return Searched(problem=_first_line(errors))
    if code and not is_late:
        return Searched(hits, problem="" if hits else "the pattern needs too much memory", is_out_of_time=bool(hits))
    return Searched(hits, is_late)


def _run(command: list[str], job: bytes, descriptors: list[int], seconds: float) -> tuple[int, bytes, bytes, bool]:
    """Exit code, output, error output, and whether the time ran out and the process was killed."""
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, pass_fds=descriptors,
        cwd=os.sep, env={"PATH": os.defpath},
    )  # fmt: skip
    try:
        output, errors = process.communicate(job, timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        output, errors = process.communicate()
        return process.returncode, output, errors, True
    except BaseException:  # also an interrupt: the search must not go on without us
        process.kill()
        process.wait()
        raise
    return process.returncode, output, errors, False


def _first_line(errors: bytes) -> str:
    lines = [line for line in errors.decode("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip()[:200] if lines else ""
