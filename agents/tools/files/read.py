"""`ReadTool`: the lines of a file, which is never whole in memory and never read longer than the time allows."""

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

from pydantic import Field

from bookwright.agents.tools.files.folder_walk import MOST_ENTRIES, MOST_SECONDS, WalkBounds
from bookwright.agents.tools.files.paths import ReachedPath, as_tool_failure
from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.agents.tools.tool import Params, PartialReasons, Tool, counted
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse

LONGEST_SHOWN_LINE = 8_000
"""Characters."""
LARGEST_PAGE = 32_000
"""Bytes of text; the page ends at the line before."""

_FALLBACK = {"fallback_encoding": "utf-8 with replacements", "fallback_reason": "the file is not valid UTF-8"}

LONGEST_LINE = 100_000
"""Bytes of a line that are looked at; the rest of it is passed over."""
_SNIFFED = 8_192
_CHUNK = 1 << 20
_COUNTED_CHUNKS = 64


class ReadParams(Params):
    """What `ReadTool` takes."""

    path: str = Field(min_length=1)
    start_line: int = Field(default=1, ge=1)
    limit: int = Field(default=500, ge=1, le=2000)


class ReadTool(Tool[ReadParams]):
    """Reads a page of a text file, with the numbers of its lines."""

    name = "Read"
    parameters = ReadParams
    limits: ClassVar = {"line": LONGEST_SHOWN_LINE, "page": LARGEST_PAGE, "seconds": MOST_SECONDS}

    def __init__(self, vault: Sandbox, seconds: float = MOST_SECONDS) -> None:
        """`seconds`: how long a file may be read in."""
        self._vault = vault
        self._seconds = seconds

    def run(self, params: ReadParams) -> ToolResponse:
        """Read a page.

        Raises:
            ToolFailure: There is no such text file, it has no such line, or the line was not reached in time.
        """
        bounds = WalkBounds(MOST_ENTRIES, self._seconds)
        with self._vault.file(params.path) as (descriptor, place), as_tool_failure(params.path):
            if is_binary(descriptor):
                message = f"{params.path!r} is no text: there is a NUL in its beginning."
                raise ToolFailure(ErrorCode.BINARY_FILE, message, "Choose a text file.", path_resolved=place.path)
            page = _ShownLines(params)
            page.read(descriptor, bounds)
        _check_reached(page, params, place, bounds)
        return page.answer(place, bounds)


class _ShownLines:
    """The lines that are shown, and what is known of the others."""

    def __init__(self, params: ReadParams) -> None:
        self._first = params.start_line
        self._limit = params.limit
        self._cut = self._replaced = self._size = 0
        self.shown: list[str] = []
        self.seen = 0
        """Lines passed by and shown."""
        self.total: int | None = None
        """Lines of the file; None if they were too many to count."""
        self._is_more = False

    def read(self, descriptor: int, bounds: WalkBounds) -> None:
        """Read up to the page's end, then count what follows."""
        with open(os.dup(descriptor), "rb") as file:
            for line in lines_of(file, bounds):
                if line.number >= self._first and not self._show(line.number, line.text, line.is_cut):
                    self._is_more = True
                    rest = _lines_left(file, bounds)
                    self.total = None if rest is None else line.number + rest
                    return
                self.seen = line.number
                self._replaced += line.number >= self._first and line.is_replaced
        self.total = None if bounds.broken else self.seen

    def _show(self, number: int, text: str, is_cut: bool) -> bool:
        """Add a line, unless the page is full."""
        kept = text[:LONGEST_SHOWN_LINE]
        is_cut = is_cut or len(kept) < len(text)
        row = f"{number:4d} | {kept}{'…' if is_cut else ''}"
        self._size += len(row.encode()) + 1
        if len(self.shown) == self._limit or (self.shown and self._size > LARGEST_PAGE):
            return False
        self._cut += is_cut
        self.shown.append(row)
        return True

    def answer(self, place: ReachedPath, bounds: WalkBounds) -> ToolResponse:
        """The page, with what it lacks."""
        last = self._first + len(self.shown) - 1
        short, of = PartialReasons(), "" if self.total is None else f" of {self.total}"
        if self._is_more:
            short.add("There are more.", f"Call Read with start_line={last + 1} for the next.", truncated=True)
        elif bounds.broken:
            short.add("The time ran out before the end.", f"Call Read with start_line={last + 1}.", truncated=True)
        if self._cut:
            advice = "Use Grep to find a passage in them."
            short.add(f"{counted(self._cut, 'line')} cut short, ending in '…'.", advice, truncated=True)
        if self._replaced:
            lacking = f"Bytes that are no UTF-8 are shown as U+FFFD in {counted(self._replaced, 'line')}."
            short.add(lacking, "Do not write them back.", **_FALLBACK)
        done = f"Read lines {self._first} to {last}{of} of {place.path!r}." if self.shown else "The file is empty."
        size = place.found.st_size if place.found else 0
        stats: dict[str, Any] = {"lines_read": len(self.shown), "total_lines": self.total, "file_bytes": size}
        return short.answer({"content": "\n".join(self.shown)}, done, stats, path_resolved=place.path)


def _check_reached(page: _ShownLines, params: ReadParams, place: ReachedPath, bounds: WalkBounds) -> None:
    if page.shown or (page.total == 0 and params.start_line == 1):
        return
    if bounds.broken:
        message = f"Line {params.start_line} was not reached before {bounds.broken}."
        raise ToolFailure(ErrorCode.TIMEOUT, message, "Choose an earlier line.", path_resolved=place.path)
    message = f"{params.path!r} has {page.seen} lines; line {params.start_line} is beyond its end."
    advice = f"Choose a start_line from 1 to {max(page.seen, 1)}."
    raise ToolFailure(ErrorCode.INVALID_PARAM, message, advice, path_resolved=place.path)


@dataclass(frozen=True)
class FileLine:
    """One line, without its end."""

    number: int
    """From 1."""
    text: str
    is_cut: bool
    """Longer than is looked at."""
    is_replaced: bool
    """Held bytes that are no UTF-8; each stands as U+FFFD."""


def is_binary(descriptor: int) -> bool:
    """Whether the first 8 KB of a file hold a NUL."""
    return b"\0" in os.pread(descriptor, _SNIFFED, 0)


def lines_of(file: BinaryIO, bounds: WalkBounds) -> Iterator[FileLine]:
    """The lines from where the file stands, until its end or that of the time."""
    number = 0
    while raw := file.readline(LONGEST_LINE):
        number += 1
        is_cut = not raw.endswith(b"\n") and len(raw) == LONGEST_LINE and _skip_rest(file, bounds)
        text, is_replaced = _decoded(raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw, is_cut)
        yield FileLine(number, text.removesuffix("\n").removesuffix("\r"), is_cut, is_replaced)
        if bounds.seconds_left == 0:
            bounds.out_of_time()
            return


def _lines_left(file: BinaryIO, bounds: WalkBounds) -> int | None:
    """How many lines follow from where the file stands; None if they are too many to count."""
    count, last = 0, b"\n"
    for _ in range(_COUNTED_CHUNKS):
        if not (chunk := file.read(_CHUNK)):
            return count + (last != b"\n")
        count, last = count + chunk.count(b"\n"), chunk[-1:]
        if bounds.seconds_left == 0:
            break
    return None


def _skip_rest(file: BinaryIO, bounds: WalkBounds) -> bool:
    """Pass over the rest of a line; whether there was any."""
    is_any = False
    while raw := file.readline(_CHUNK):
        is_any = is_any or raw not in (b"\n", b"\r\n")
        if raw.endswith(b"\n") or bounds.seconds_left == 0:
            break
    return is_any


def _decoded(raw: bytes, is_cut: bool) -> tuple[str, bool]:
    try:
        return codecs.getincrementaldecoder("utf-8")("strict").decode(raw, final=not is_cut), False
    except UnicodeDecodeError:
        return raw.decode("utf-8", "replace"), True
