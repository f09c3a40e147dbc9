"""Counts and times one stream, and writes log lines of streams. Source: REQUIREMENTS S4-029 to S4-035."""

import logging
import time
from collections.abc import Callable
from contextlib import suppress

from bookwright.agents.backends.protocol import EventKind, StreamEvent
from bookwright.models.talk.event import StreamMetrics, ToolTiming

_log = logging.getLogger("bookwright.agents.runtime")


class StreamMeter:
    """What one execution has streamed so far. Used by one thread at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin to count; `clock` gives seconds."""
        self._clock = clock
        self._began = clock()
        self._events = 0
        self._first_event: int | None = None
        self._first_assistant: int | None = None
        self._assistant_chars = 0
        self._reasoning_chars = 0
        self._open: dict[str, tuple[str, float]] = {}
        self._tools: list[ToolTiming] = []

    def hear(self, event: StreamEvent) -> None:
        """Count an event of a call, and the text that it brings."""
        self._events += 1
        if self._first_event is None:
            self._first_event = self._elapsed
        note(logging.DEBUG, "[Agent] Event #%d type=%s", self._events, event.kind)
        if event.kind is EventKind.TEXT:
            self._assistant_chars += len(event.text)
            if self._first_assistant is None:
                self._first_assistant = self._elapsed
            note(logging.DEBUG, "[Agent] ▲ text delta chars=%d", len(event.text))
        elif event.kind is EventKind.REASONING:
            self._reasoning_chars += len(event.text)
            note(logging.DEBUG, "[Agent] ▲ reasoning delta chars=%d", len(event.text))

    def tool_started(self, identity: str, name: str) -> None:
        """A tool is being used."""
        self._open[identity] = (name, self._clock())
        note(logging.INFO, "[ToolUse] start id=%s name=%s", identity, name)

    def tool_ended(self, identity: str) -> None:
        """A tool has answered; an answer to what was never asked counts for nothing."""
        name, began = self._open.pop(identity, ("", None))
        if began is None:
            return
        millis = _millis(self._clock() - began)
        self._tools.append(ToolTiming(id=identity, name=name, duration_millis=millis))
        note(logging.INFO, "[ToolResult] id=%s duration_ms=%d", identity, millis)

    def finish(self) -> StreamMetrics:
        """Return the figures, logging uses of tools that nothing came back from."""
        for identity, (name, _) in self._open.items():
            note(logging.INFO, "[ToolUse] no result id=%s name=%s", identity, name)
        metrics = StreamMetrics(
            assistant_chars=self._assistant_chars,
            reasoning_chars=self._reasoning_chars,
            event_count=self._events,
            first_event_millis=self._first_event,
            first_assistant_millis=self._first_assistant,
            total_duration_millis=self._elapsed,
            tools=tuple(self._tools),
            unpaired_tools=tuple(self._open),
        )
        if _log.isEnabledFor(logging.INFO):
            note(logging.INFO, "[Agent] Stream summary %s", metrics.model_dump_json(by_alias=True))
        return metrics

    @property
    def _elapsed(self) -> int:
        return _millis(self._clock() - self._began)


def _millis(seconds: float) -> int:
    return max(round(seconds * 1000), 0)


def note(level: int, line: str, *values: object) -> None:
    """Write a log line; a handler that fails must not end a stream."""
    if not _log.isEnabledFor(level):
        return
    with suppress(Exception):
        _log.log(level, line, *values)
