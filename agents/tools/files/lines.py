"""A file of the vault as lines of text: never whole in memory, never longer than the time allows."""

import codecs
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from bookwright.agents.tools.files.folder_walk import WalkBounds

LONGEST_LINE = 100_000
"""Bytes of a line that are looked at; the rest of it is passed over."""
_SNIFFED = 8_192
_CHUNK = 1 << 20
_COUNTED_CHUNKS = 64


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


def lines_left(file: BinaryIO, bounds: WalkBounds) -> int | None:
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
