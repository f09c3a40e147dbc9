"""`Grep`: lines that match a regular expression, those of the newest file first."""

import os
import shutil
from contextlib import ExitStack
from itertools import groupby
from typing import Any, ClassVar

from pydantic import Field

from bookwright.agents.tools.files.folder_walk import MOST_ENTRIES, MOST_SECONDS, NameFilter, WalkBounds, walk
from bookwright.agents.tools.files.glob import LONGEST_PATTERN, PathPattern
from bookwright.agents.tools.files.read import is_binary, lines_of
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.files.searching import (
    LineHit,
    Query,
    Searched,
    search_with_python,
    search_with_ripgrep,
)
from bookwright.agents.tools.tool import Params, Tool, counted
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse

MOST_MATCHES = 100
EXCERPT = 200
"""Characters of a line that are shown, around the match."""
LONGEST_REGEX = 1_000
LARGEST_FILE = 20_000_000
"""Bytes of a file that is searched; one of a larger kind would use up the time of all others."""
_BEFORE = 60
"""Of an excerpt, those before the match."""
_BATCH = 100
"""Files searched by one process, and so held open at a time; some systems allow 256."""


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
        self,
        vault: Sandbox,
        bounds: tuple[int, float] = (MOST_ENTRIES, MOST_SECONDS),
        ripgrep: str | None = None,
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


class _Search:
    """One search: batch after batch of files until there are matches enough."""

    def __init__(self, vault: Sandbox, params: GrepParams, ripgrep: str, bounds: WalkBounds) -> None:
        self._vault = vault
        self._query = Query(params.pattern, not params.case_sensitive, MOST_MATCHES + 1)
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
        done = f"Found {counted(len(shown), 'line')} in {counted(count, 'file')} for {self._query.pattern[:80]!r}."
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

    def _ask(self, descriptors: list[int]) -> Searched:
        seconds = max(self._bounds.seconds_left, 0.05)
        if self._ripgrep and descriptors and not self._fallback:
            found = search_with_ripgrep(self._ripgrep, self._query, descriptors, seconds)
            if not found.problem:
                return found
            self._fallback = found.problem
        for descriptor in descriptors:
            os.lseek(descriptor, 0, os.SEEK_SET)
        found = search_with_python(self._query, descriptors, max(self._bounds.seconds_left, 0.05))
        if found.problem:
            message = f"The pattern cannot be used: {found.problem}."
            raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Use a plain regular expression.")
        return found

    def _show(self, path: str, descriptor: int, hits: list[LineHit]) -> None:
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
    with vault.folder(path):
        found = [
            ("/".join(names if resolved == "." else (resolved, *names)), entry.modified)
            for names, entry in walk(vault, resolved, bounds, NameFilter())
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
