"""`--json-progress`: what a run does, one JSON object a line on stdout, for other programs.

Source of the events' names: DETAILS "000 Slima Agents". A stage is one activity at one node, such as `1.2 write`, or
`foundation/cosmology execute` where a blueprint names it; an agent is one call of a model in it. docs/cli.md lists
every field; whatever is added here is added there.
"""

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, Self, TextIO

import typer
from pydantic.alias_generators import to_camel

from bookwright.agents.backends.protocol import EventKind
from bookwright.cli.error_handling import FAULT, INTERRUPTED
from bookwright.cli.writing.result import Result
from bookwright.exports.json import encoded
from bookwright.models.book import Book, BookState
from bookwright.models.errors import BookPaused, BookwrightError, GateWaiting
from bookwright.models.talk.event import (
    FILE_CREATED,
    UNIT_FINISHED,
    AgentEvent,
    CompletedEvent,
    Event,
    EventPayload,
    FailedEvent,
    TextEvent,
    now_millis,
)

_SUMMARY = 200
"""Characters of an answer that are told at its end."""
_OF_UNITS = ("label", "level", "title", "written", "length", "bookWritten", "bookLength")


class ProgressLines:
    """A subscriber of the walk's bus, and what `write` and `resume` say before and after it.

    Whatever is begun is completed, innermost first; the last line is `pipeline_complete` or an `error` that is fatal.
    """

    def __init__(
        self, book: str, stream: TextIO | None = None, *, streams: bool = False,
        stage_of: Callable[[str], str] = lambda label: "",
    ) -> None:  # fmt: skip
        """With `streams`, answers are told as they come, too. `stage_of` gives a node's stage in its blueprint."""
        self._book = book
        self._stream = stream or sys.stdout
        self._streams = streams
        self._stage_of = stage_of
        self._name = ""
        self._lock = threading.Lock()
        self._stage = ""
        self._agent = ""
        self._began = self._stage_began = now_millis()
        self._is_left = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._close_stage()

    @contextmanager
    def pipeline(self, book: Book) -> Iterator[None]:
        """Tell of a run from its beginning to its end, however it ends."""
        if not book.calls and book.state is BookState.PAUSED:
            self._tell("book_created", title=book.title)
        brief = book.brief
        self._tell("pipeline_start", title=book.title, prompt=brief.premise, language=brief.language.value,
                   length=brief.length, unit=brief.length_unit)  # fmt: skip
        try:
            yield
        except BookPaused as rest:
            self._complete(rest_of(rest), rest.exit_code)
            raise
        except typer.Exit as stop:
            cause = stop.__cause__
            facts = rest_of(cause) if isinstance(cause, BookPaused) else {"state": BookState.PAUSED.value}
            self._complete(facts, stop.exit_code)
            raise
        except BaseException as error:  # also an interrupt: whoever reads learns why the lines end
            kind = type(error).__name__
            self._tell("error", message=str(error) or kind, kind=kind, exitCode=_exit_code_of(error), isFatal=True)
            raise

    def finished(self, result: Result) -> None:
        """Tell of the files of a finished book, and that it is finished."""
        for file in result.files:
            self._tell("file_created", path=file)
        facts = {name: value for name, value in asdict(result).items() if name not in ("book", "files")}
        self._complete({"state": BookState.FINISHED.value} | {to_camel(name): fact for name, fact in facts.items()}, 0)

    def hear(self, event: Event) -> None:
        """Tell of the stage and the agent that an event is of, on a thread of the bus."""
        with self._lock:
            match event:
                case AgentEvent(payload=EventPayload(name=name, data=data)) if name == UNIT_FINISHED:
                    self._close_stage(unitFinished={key: data[key] for key in _OF_UNITS if key in data})
                case AgentEvent(payload=EventPayload(name=name, data=data)) if name == FILE_CREATED:
                    self._write("file_created", **data)
                case AgentEvent(payload=EventPayload(name=EventKind.STARTED)):
                    self._open(event)
                case AgentEvent(payload=EventPayload(name=EventKind.RESTARTED)) if self._streams:
                    self._open(event)
                    self._write("text_delta", **self._place(event), text="", isAnew=True)
                case AgentEvent(payload=EventPayload(name=EventKind.TOOL_USE, data=data)):
                    self._open_stage(event)
                    self._write("tool_use", **self._place(event), tool=data.get("tool") or "")
                case TextEvent(payload=piece) if self._streams:
                    self._open(event)
                    self._write("text_delta", **self._place(event), text=piece.text)
                case CompletedEvent() | FailedEvent():
                    self._open(event)
                    self._answered(event)

    def _answered(self, event: CompletedEvent | FailedEvent) -> None:
        if isinstance(event, CompletedEvent):
            bill = {"costMicros" if name == "cost" else name: value for name, value in event.payload.data.items()}
            summary = " ".join(event.payload.text[: 5 * _SUMMARY].split())[:_SUMMARY]
            self._close_agent(isOk=True, summary=summary, **bill)
            return
        place = self._place(event)
        self._close_agent(isOk=False)
        self._write("error", **place, message=event.payload.error, kind=event.payload.kind, isFatal=False)

    def _open(self, event: Event) -> None:
        """Begin the stage and the agent of an event unless they are under way."""
        self._open_stage(event)
        task = event.task_id or event.agent_id
        if task != self._agent:
            self._close_agent(isOk=False)
            self._agent = task
            self._write("agent_start", **self._place(event))

    def _open_stage(self, event: Event) -> None:
        stage = (event.task_id or event.agent_id).partition("/")[0]
        if stage != self._stage:
            self._close_stage()
            label, _, activity = stage.partition(" ")
            self._stage, self._stage_began = stage, now_millis()
            named = self._stage_of(label)
            self._name = f"{named} {activity}" if named else stage
            self._write("stage_start", stage=self._name, node=label, activity=activity)

    def _place(self, event: Event) -> dict[str, str]:
        return {"stage": self._name, "agent": event.agent_id}

    def _close_stage(self, **facts: Any) -> None:
        self._close_agent(isOk=False)
        if self._stage:
            self._write("stage_complete", stage=self._name, durationMillis=_since(self._stage_began), **facts)
        self._stage = ""

    def _close_agent(self, **facts: Any) -> None:
        if self._agent:
            self._write("agent_complete", stage=self._name, agent=self._agent.rpartition("/")[2], **facts)
        self._agent = ""

    def _complete(self, facts: Mapping[str, Any], exit_code: int) -> None:
        self._tell("pipeline_complete", **facts, exitCode=exit_code, durationMillis=_since(self._began))

    def _tell(self, name: str, **facts: Any) -> None:
        with self._lock:
            self._write(name, **facts)

    def _write(self, name: str, **facts: Any) -> None:
        line = {"event": name, "timestamp": now_millis(), "book": self._book, **facts}
        if not self._is_left:
            try:
                self._stream.write(_on_a_line(line, self._stream.encoding) + "\n")
                self._stream.flush()
            except OSError:
                self._leave()

    def _leave(self) -> None:
        """Say nothing more: the reader has gone, and the book goes on. What is held back must not fail at the exit."""
        self._is_left = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)


def rest_of(rest: BookPaused) -> dict[str, Any]:
    """Say why a book rests, and at which gate, if that is why."""
    facts: dict[str, Any] = {"state": BookState.PAUSED.value, "reason": rest.reason, "advice": rest.advice}
    if isinstance(rest, GateWaiting):
        gate = rest.gate
        told = {"id": gate.id, "kind": gate.kind.value, "node": gate.label, "nodeTitle": gate.title}
        facts |= {"state": BookState.WAITING.value, "gate": told}
    return facts


def _exit_code_of(error: BaseException) -> int:
    if isinstance(error, BookwrightError):
        return error.exit_code
    return INTERRUPTED if isinstance(error, KeyboardInterrupt | typer.Abort) else FAULT


def _since(began: int) -> int:
    return max(now_millis() - began, 0)


def _on_a_line(facts: Mapping[str, Any], encoding: str | None) -> str:
    """Return a line that is JSON in UTF-8 on any stream: where that is not UTF-8, letters are told by their numbers."""
    line = encoded(facts)
    try:
        is_held = line.encode() == line.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        is_held = False
    return line if is_held else json.dumps(facts)
