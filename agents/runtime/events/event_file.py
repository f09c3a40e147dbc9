"""The events of one book in a bounded file, which other processes may read while it is written.

Lines of JSON, not synced: the truth is in the database. Once the file is full it becomes its own
predecessor and a new one is begun. Source: DESIGN section 5, rule 11.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Self

from bookwright.agents.runtime.events.bus import EventBus
from bookwright.models.errors import InvalidEvent
from bookwright.models.talk.event import DELTAS, Event, as_json, read_event

LIMIT_BYTES = 4 * 2**20
"""Past this a new file is begun; the one before it is kept."""

_PAUSE_SECONDS = 0.1
"""Between two writes, in which increments of one text gather and become one line."""
_LOOK_SECONDS = 0.1
_LAST_SECONDS = 2.0
"""How long the last events may take to be written."""
_CHUNK = 2**16
_SPEAKER = attrgetter("type", "tab_id", "agent_id", "task_id", "parent_agent_id")


def event_path(home: Path, tab: str) -> Path:
    """Return where the events of a book lie."""
    return home / "events" / f"{tab}.ndjson"


def predecessor(path: Path) -> Path:
    """Return where the file before this one lies, if it is kept."""
    return path.with_name(path.name + ".1")


def remove_events(home: Path, tab: str) -> None:
    """Remove the events of a book or a talk; what cannot be removed stays."""
    for path in (event_path(home, tab), predecessor(event_path(home, tab))):
        with suppress(OSError):
            path.unlink()


class EventFile:
    """Writes what it hears; a subscriber of a bus, by batches.

    Raises where nothing can be written: the bus counts it, and the next events are tried again.
    """

    def __init__(self, path: Path, limit_bytes: int = LIMIT_BYTES) -> None:
        self._path = path
        self._limit = limit_bytes
        self._file: int | None = None
        self._is_torn = False
        self._closed = threading.Event()

    def hear(self, events: list[Event]) -> None:
        """Write a batch, then rest a little so that the next one is worth a write.

        Raises:
            OSError: It could not be written.
        """
        lines = "".join(f"{as_json(event)}\n" for event in _merged(events)).encode()
        self._write(lines)
        self._closed.wait(_PAUSE_SECONDS)

    def finish(self) -> None:
        """Rest no more: what still comes is to be written at once."""
        self._closed.set()

    def close(self) -> None:
        """Close the file, after the last batch."""
        self.finish()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _write(self, lines: bytes) -> None:
        file = self._current(len(lines))
        data = b"\n" + lines if self._is_torn else lines
        self._is_torn = True  # unless all of it arrives
        while data:
            data = data[os.write(file, data) :]
        self._is_torn = False

    def _current(self, size: int) -> int:
        """Return the file to append to: the one that has the name now, and has room."""
        if self._file is not None and (not self._path.exists() or _is_replaced(self._path, self._file)):
            os.close(self._file)
            self._file = None
        if self._file is None:
            self._file = self._open()
        length = os.fstat(self._file).st_size
        if length and length + size > self._limit:
            os.close(self._file)
            self._file = None
            os.replace(self._path, predecessor(self._path))
            self._file = self._open()
        return self._file

    def _open(self) -> int:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
        length = os.fstat(file).st_size
        self._is_torn = length > 0 and os.pread(file, 1, length - 1) != b"\n"  # by a writer that died
        return file


class EventReader:
    """Reads a book's events, also while another process writes and replaces the file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None
        self._rest = b""
        self.skipped = 0
        """Lines that were no event: torn ones, or those of another version."""

    def read(self) -> Iterator[Event]:
        """Yield what is there: first of the predecessor, then of the file, then whatever is new since the last call."""
        if self._file is None:
            yield from self._go_over(None)
        yield from self._lines()
        while self._file is not None and _is_replaced(self._path, self._file):
            yield from self._lines()  # what was written between the last look and the replacement
            yield from self._go_over(self._file)

    def skip(self) -> None:
        """Pass over what is there, so that only what comes from now on is read."""
        for _ in self.read():
            pass

    def follow(self, is_over: Callable[[], bool] = lambda: False) -> Iterator[Event]:
        """Yield events as they come, until nothing is new and `is_over` says so."""
        while True:
            was_over = is_over()  # before the look: what comes until then is still read
            is_idle = True
            for event in self.read():
                is_idle = False
                yield event
            if was_over and is_idle:
                return
            time.sleep(_LOOK_SECONDS if is_idle else 0)

    def close(self) -> None:
        """Close the file; what was begun of a line is one that was no event."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        self.skipped += bool(self._rest)
        self._rest = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _go_over(self, left: int | None) -> Iterator[Event]:
        """Go over to the file of now, by way of its predecessor unless that is the one that was read to its end."""
        current, former = self._open_both()
        if current is None and left is None:
            current, former = former, None  # its successor is about to be begun
        if former is not None and (current is None or (left is not None and os.path.sameopenfile(former, left))):
            os.close(former)
            former = None
        if current is None:
            return
        self.close()
        if former is not None:
            self._file = former
            yield from self._lines()
            self.close()
        self._file = current
        yield from self._lines()

    def _open_both(self) -> tuple[int | None, int | None]:
        """Open the file and its predecessor, of one moment."""
        while True:
            current = _opened(self._path)
            former = _opened(predecessor(self._path))
            if current is None:
                return None, former
            is_one = former is not None and os.path.sameopenfile(former, current)
            if not is_one and not _is_replaced(self._path, current):
                return current, former
            os.close(current)
            if former is not None:
                os.close(former)

    def _lines(self) -> Iterator[Event]:
        """Yield the events of the whole lines up to the end; a line without its end waits for it."""
        while self._file is not None and (chunk := os.read(self._file, _CHUNK)):
            *lines, self._rest = (self._rest + chunk).split(b"\n")
            for line in filter(None, lines):
                try:
                    yield read_event(line)
                except InvalidEvent:
                    self.skipped += 1


@contextmanager
def kept_events(bus: EventBus, path: Path) -> Iterator[None]:
    """Keep in a file what is said on a bus during the block, up to the last word."""
    file = EventFile(path)
    bus.on_batches(file.hear)
    try:
        yield
    finally:
        file.finish()
        bus.off("*", file.hear, seconds=_LAST_SECONDS)
        file.close()


def _merged(events: list[Event]) -> Iterator[Event]:
    """Put neighbouring increments of one text together."""
    for _, group in groupby(events, _SPEAKER):
        first, *rest = group
        if not rest or first.type not in DELTAS:
            yield first
            yield from rest
            continue
        text = "".join(event.payload.text for event in (first, *rest))  # type: ignore[union-attr]
        yield first.model_copy(update={"payload": first.payload.model_copy(update={"text": text})})


def _opened(path: Path) -> int | None:
    with suppress(FileNotFoundError):
        return os.open(path, os.O_RDONLY)
    return None


def _is_replaced(path: Path, file: int) -> bool:
    """True if another file has the name by now; False also where none has it."""
    with suppress(FileNotFoundError):
        return not os.path.samestat(os.stat(path), os.fstat(file))
    return False
