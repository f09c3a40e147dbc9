"""`--json-progress`: what a run does, one JSON object a line on stdout, for other programs.

Source of the events' names: DETAILS "000 Slima Agents". A stage is one activity at one node, such as `1.2 write`;
an agent is one call of a model in it.
"""

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from types import TracebackType
from typing import Any, Self, TextIO

import typer
from pydantic.alias_generators import to_camel

from bookwright.cli.result import Result
from bookwright.exports.json import encoded
from bookwright.models.book import Book, BookState
from bookwright.models.errors import BookPaused, BookwrightError, GateWaiting
from bookwright.models.event import (
    FILE_CREATED,
    UNIT_FINISHED,
    AgentEvent,
    CompletedEvent,
    Event,
    EventPayload,
    FailedEvent,
    now_millis,
)


class ProgressLines:
    """A subscriber of the walk's bus, and what `write` and `resume` say before and after it.

    Whatever is begun is completed, innermost first; the last line is `pipeline_complete` or an `error` that is fatal.
    """

    def __init__(self, book: str, stream: TextIO | None = None) -> None:
        self._book = book
        self._stream = stream or sys.stdout
        self._lock = threading.Lock()
        self._stage = ""
        self._agent = ""
        self._is_left = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._close_stage()

    @contextmanager
    def pipeline(self, book: Book) -> Iterator[None]:
        """Tell of a run from its beginning to its end, however it ends."""
        if not book.calls and book.state is BookState.PAUSED:
            self._tell("book_created", title=book.title)
        brief = book.brief
        self._tell("pipeline_start", title=book.title, language=brief.language.value, length=brief.length,
                   unit=brief.length_unit)  # fmt: skip
        try:
            yield
        except BookPaused as rest:
            state = BookState.WAITING if isinstance(rest, GateWaiting) else BookState.PAUSED
            self._tell("pipeline_complete", state=state.value, reason=rest.reason, advice=rest.advice)
            raise
        except typer.Exit as stop:
            self._tell("pipeline_complete", state=BookState.PAUSED.value, reason="a signal", exitCode=stop.exit_code)
            raise
        except BaseException as error:  # also an interrupt: whoever reads learns why the lines end
            code = error.exit_code if isinstance(error, BookwrightError) else 1
            self._tell("error", message=str(error), kind=type(error).__name__, exitCode=code, isFatal=True)
            raise

    def finished(self, result: Result) -> None:
        """Tell of the files of a finished book, and that it is finished."""
        for file in result.files:
            self._tell("file_created", path=file)
        facts = {name: value for name, value in asdict(result).items() if name not in ("book", "files")}
        self._tell(
            "pipeline_complete",
            state=BookState.FINISHED.value,
            **{to_camel(name): value for name, value in facts.items()},
        )

    def hear(self, event: Event) -> None:
        """Tell of the stage and the agent that an event is of, on a thread of the bus."""
        with self._lock:
            match event:
                case AgentEvent(payload=EventPayload(name=name, data=data)) if name == UNIT_FINISHED:
                    self._close_stage(unitFinished=data)
                case AgentEvent(payload=EventPayload(name=name, data=data)) if name == FILE_CREATED:
                    self._write("file_created", **data)
                case CompletedEvent(payload=payload):
                    self._open(event)
                    self._close_agent(isOk=True, **payload.data)
                case FailedEvent(payload=failure):
                    self._open(event)
                    self._close_agent(isOk=False)
                    self._write("error", message=failure.error, kind=failure.kind, isFatal=False)
                case AgentEvent(payload=EventPayload(name="started")):
                    self._open(event)

    def _open(self, event: Event) -> None:
        """Begin the stage and the agent of an event unless they are under way."""
        task = event.task_id or event.agent_id
        stage = task.partition("/")[0]
        if stage != self._stage:
            self._close_stage()
            label, _, activity = stage.partition(" ")
            self._stage = stage
            self._write("stage_start", stage=stage, node=label, activity=activity)
        if task != self._agent:
            self._close_agent(isOk=False)
            self._agent = task
            self._write("agent_start", stage=stage, agent=event.agent_id)

    def _close_stage(self, **facts: Any) -> None:
        self._close_agent(isOk=False)
        if self._stage:
            self._write("stage_complete", stage=self._stage, **facts)
        self._stage = ""

    def _close_agent(self, **facts: Any) -> None:
        if self._agent:
            self._write("agent_complete", stage=self._stage, agent=self._agent.rpartition("/")[2], **facts)
        self._agent = ""

    def _tell(self, name: str, **facts: Any) -> None:
        with self._lock:
            self._write(name, **facts)

    def _write(self, name: str, **facts: Any) -> None:
        line = {"event": name, "timestamp": now_millis(), "book": self._book, **facts}
        if not self._is_left:
            try:
                self._stream.write(encoded(line) + "\n")
                self._stream.flush()
            except OSError:
                self._leave()

    def _leave(self) -> None:
        """Say nothing more: the reader has gone, and the book goes on. What is held back must not fail at the exit."""
        self._is_left = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self._stream.fileno())
        os.close(nowhere)
