"""`Grep`: lines that match a regular expression, those of the newest file first.

Which lines match is asked of ripgrep, or of a process of our own, and ended when the time is over. Both are given
descriptors, not paths, so that they read what was checked and nothing else.
"""

import json
import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from bookwright.agents.tools.files import line_search
from bookwright.agents.tools.files.folder_walk import MOST_ENTRIES, MOST_SECONDS, NameFilter, WalkBounds, walk
from bookwright.agents.tools.files.glob import LONGEST_PATTERN, PathPattern
from bookwright.agents.tools.files.read import LONGEST_LINE, is_binary, lines_of
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.tool import Params, Tool, counted
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse

MOST_MATCHES = 100
_MOST_ASKED = MOST_MATCHES + 1
"""One more than is shown, which tells that there are more; ripgrep counts them for each file."""
EXCERPT = 200
"""Characters of a line that are shown, around the match."""
LONGEST_REGEX = 1_000
LARGEST_FILE = 20_000_000
"""Bytes of a file that is searched; one of a larger kind would use up the time of all others."""
_BEFORE = 60
"""Of an excerpt, those before the match."""
_BATCH = 100
"""Files searched by one process, and so held open at a time; some systems allow 256."""
_RIPGREP_OPTIONS = (
    "--no-config --no-messages --color=never --no-heading --with-filename --null --line-number --column "
    "--max-columns=1 --line-buffered --text --crlf --no-mmap --no-ignore --threads=1 --encoding=none"
).split()
_RIPGREP_FAILED = 2
_SOURCE = Path(line_search.__file__)


class GrepParams(Params):
    """What `Grep` takes."""

    pattern: str = Field(min_length=1, max_length=LONGEST_REGEX)
    path: str = "."
    include: str = Field(default="", max_length=LONGEST_PATTERN)
    case_sensitive: bool = False


class Grep(Tool[GrepParams]):
    """Searches the lines of files."""

    name = "Grep"
    parameters = GrepParams
    limits: ClassVar = {
        "entries": MOST_ENTRIES, "seconds": MOST_SECONDS, "matches": MOST_MATCHES, "excerpt": EXCERPT,
        "file": LARGEST_FILE,
    }  # fmt: skip

    def __init__(
        self, vault: Sandbox, bounds: tuple[int, float] = (MOST_ENTRIES, MOST_SECONDS), ripgrep: str | None = None
    ) -> None:
        """`bounds`: entries looked at and seconds; `ripgrep`: its path, empty for none, None to look for it."""
        self._vault = vault
        self._bounds = bounds
        self._ripgrep = (shutil.which("rg") or "") if ripgrep is None else ripgrep

    def run(self, params: GrepParams) -> ToolResponse:
        """Search.

        Raises:
            ToolFailure: The pattern or path cannot be used, or the time ran out before any match.
        """
        bounds = WalkBounds(*self._bounds)
        named = params.include if "/" in params.include else f"**/{params.include}"  # without a folder: at any depth
        include = PathPattern(named) if params.include else None
        path, files = _files(self._vault, params.path, include, bounds)
        search = _Search(self._vault, params, self._ripgrep, bounds)
        search.run(files)
        if bounds.broken and not search.matches:
            message = f"Nothing was found before {bounds.broken}."
            advice = "Use a simpler pattern, or a smaller path or include."
            raise ToolFailure(ErrorCode.TIMEOUT, message, advice, path_resolved=path)
        return search.answer(path)


@dataclass(frozen=True)
class _LineHit:
    """A line that matches."""

    place: int
    """Which of the descriptors, from 0."""
    line: int
    column: int
    """Byte of the line where the match begins, from 1."""


@dataclass(frozen=True)
class _Searched:
    """What one search came to."""

    hits: list[_LineHit] = field(default_factory=list)
    is_out_of_time: bool = False
    problem: str = ""
    """Why nothing was searched; empty if something was."""


class _Search:
    """One search: batch after batch of files until there are matches enough."""

    def __init__(self, vault: Sandbox, params: GrepParams, ripgrep: str, bounds: WalkBounds) -> None:
        self._vault = vault
        self._params = params
        self._ripgrep = ripgrep
        self._bounds = bounds
        self._fallback = ""
        self._cut = 0
        self._searched = 0
        self.matches: list[dict[str, Any]] = []

    def run(self, files: list[str]) -> None:
        """Search the files in their order."""
        for start in range(0, max(len(files), 1), _BATCH):  # also with no file: a bad pattern is told all the same
            if self._bounds.broken or len(self.matches) > MOST_MATCHES:
                break
            self._search(files[start : start + _BATCH])

    def answer(self, path: str) -> ToolResponse:
        """What was found, and what not."""
        shown = self.matches[:MOST_MATCHES]
        short = self._bounds.reasons()
        if len(self.matches) > MOST_MATCHES:
            short.add("There are more.", "Narrow the pattern, the path or include.", truncated=True)
        if self._cut:
            lacking = f"{counted(self._cut, 'line')} shown in part, marked by '…'."
            short.add(lacking, "Read the file from that line for the whole.", truncated=True)
        if self._fallback:
            advice = "Without look-around and back-references it is searched faster."
            short.add("Another engine than ripgrep searched.", advice, fallback=True, fallback_reason=self._fallback)
        count = len({match["file"] for match in shown})
        done = f"Found {counted(len(shown), 'line')} in {counted(count, 'file')} for {self._params.pattern[:80]!r}."
        engine = "ripgrep" if self._ripgrep and not self._fallback else "python"
        stats = {"matches": len(shown), "files_searched": self._searched, "engine": engine}
        return short.answer({"matches": shown}, done, stats, path_resolved=path)

    def _search(self, files: list[str]) -> None:
        with ExitStack() as stack:
            opened = [(path, held) for path in files if (held := self._opened(path, stack)) is not None]
            found = self._ask([descriptor for _, descriptor in opened])
            if found.is_out_of_time:
                self._bounds.out_of_time()
            self._searched += len(opened)
            for place, hits in groupby(found.hits, key=lambda hit: hit.place):
                path, descriptor = opened[place]
                self._show(path, descriptor, list(hits))

    def _opened(self, path: str, stack: ExitStack) -> int | None:
        try:
            with self._vault.file(path) as (descriptor, _):
                if os.fstat(descriptor).st_size > LARGEST_FILE:
                    self._bounds.could_not_read(path)
                    return None
                if is_binary(descriptor):
                    return None
                held = os.dup(descriptor)
        except (ToolFailure, OSError):
            self._bounds.could_not_read(path)
            return None
        stack.callback(os.close, held)
        return held

    def _ask(self, descriptors: list[int]) -> _Searched:
        seconds = max(self._bounds.seconds_left, 0.05)
        if self._ripgrep and descriptors and not self._fallback:
            found = _search_with_ripgrep(self._ripgrep, self._params, descriptors, seconds)
            if not found.problem:
                return found
            self._fallback = found.problem
        for descriptor in descriptors:
            os.lseek(descriptor, 0, os.SEEK_SET)
        found = _search_with_python(self._params, descriptors, max(self._bounds.seconds_left, 0.05))
        if found.problem:
            message = f"The pattern cannot be used: {found.problem}."
            raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Use a plain regular expression.")
        return found

    def _show(self, path: str, descriptor: int, hits: list[_LineHit]) -> None:
        columns = {hit.line: hit.column for hit in hits}
        os.lseek(descriptor, 0, os.SEEK_SET)
        with open(os.dup(descriptor), "rb") as file:
            for line in lines_of(file, self._bounds):
                if line.number in columns:
                    text, is_cut = _excerpt(line.text, columns.pop(line.number))
                    self._cut += is_cut or line.is_cut
                    self.matches.append({"file": path, "line": line.number, "text": text})
                if not columns or len(self.matches) > MOST_MATCHES:
                    break


def _files(vault: Sandbox, path: str, include: PathPattern | None, bounds: WalkBounds) -> tuple[str, list[str]]:
    """The path as it was found, and the files to search, newest first."""
    with vault.place(path) as place:
        resolved, is_file = place.path, place.found is not None and not place.is_folder
    if is_file:
        with vault.file(path):  # told at once if it is none to be read
            return resolved, [path]
    with vault.folder(path) as place:
        found = [
            ("/".join(names if resolved == "." else (resolved, *names)), entry.modified)
            for names, entry in walk(place.folder, bounds, NameFilter())
            if entry.kind == "file" and (include is None or include.matches(names))
        ]
    return resolved, [name for name, _ in sorted(found, key=lambda each: (-each[1], each[0]))]


def _excerpt(text: str, column: int) -> tuple[str, bool]:
    """The part of a line around a match, and whether it is only a part."""
    if len(text) <= EXCERPT:
        return text, False
    place = len(text.encode("utf-8", "replace")[: column - 1].decode("utf-8", "ignore"))
    start = max(min(place - _BEFORE, len(text) - EXCERPT), 0)
    end = start + EXCERPT
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else ""), True


def _search_with_ripgrep(program: str, params: GrepParams, descriptors: list[int], seconds: float) -> _Searched:
    """Ask ripgrep. It has no look-around and no back-references; such a pattern is a problem."""
    case = "--case-sensitive" if params.case_sensitive else "--ignore-case"
    paths = [f"/dev/fd/{descriptor}" for descriptor in descriptors]
    command = [program, *_RIPGREP_OPTIONS, case, f"--max-count={_MOST_ASKED}", "-e", params.pattern, "--", *paths]
    code, output, errors, is_late = _run(command, b"", descriptors, seconds)
    places = {path.encode(): place for place, path in enumerate(paths)}
    hits = []
    for line in output.split(b"\n")[:-1]:
        path, _, rest = line.partition(b"\0")
        figures = rest.split(b":", 2)
        if path in places and len(figures) == 3:
            hits.append(_LineHit(places[path], int(figures[0]), int(figures[1])))
    problem = "" if is_late or hits or code != _RIPGREP_FAILED else _first_line(errors) or "ripgrep failed"
    return _Searched(hits, is_late, problem)


def _search_with_python(params: GrepParams, descriptors: list[int], seconds: float) -> _Searched:
    """Ask Python's `re` in a process of its own, which is killed when the time is over."""
    job = {
        "pattern": params.pattern, "ignore_case": not params.case_sensitive, "descriptors": descriptors,
        "most": _MOST_ASKED, "longest_line": LONGEST_LINE,
    }  # fmt: skip
    command = [sys.executable, "-I", "-S", "-X", "utf8", str(_SOURCE)]
    code, output, errors, is_late = _run(command, json.dumps(job).encode(), descriptors, seconds)
    hits = [_LineHit(*map(int, line.split(b":"))) for line in output.split(b"\n")[:-1]]
    if code == line_search.NOT_A_PATTERN:
        return _Searched(problem=_first_line(errors))
    if code and not is_late:
        return _Searched(hits, problem="" if hits else "the pattern needs too much memory", is_out_of_time=bool(hits))
    return _Searched(hits, is_late)


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
