"""Following a book that another process writes, by what that process says in the book's event file."""

import time
from typing import Any

import typer

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.runtime.events.event_file import EventReader, event_path
from bookwright.app.access import OpenBook
from bookwright.app.status.progress import step_text, unit_text
from bookwright.cli.output import note, print_text
from bookwright.models.book import BookState
from bookwright.models.talk.event import STEP, UNIT_FINISHED, AgentEvent, Event, FailedEvent, as_json
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.wording import moment, tool_use_in_words
from bookwright.storage.lease import is_dead
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage
from bookwright.storage.tree.reading_order import read_names

_LOOK_SECONDS = 1.0
_SHOWN_CHARACTERS = 120


def follow_book(opened: OpenBook, node: str | None, *, with_json: bool) -> None:
    """Print what is said of a book from now on, until it comes to rest.

    With `with_json` every event as it is, one a line; else steps, waits, uses of tools and closed units.
    A book that rests is waited for; of a finished one nothing is to be heard.
    """
    watch = _RestWatch(opened)
    if watch.state is BookState.FINISHED:
        note(f"{opened.book.id} is finished; nothing more is said of it")
        return
    with EventReader(event_path(opened.settings.home, opened.book.id)) as reader:
        reader.skip()
        if not watch.is_written():
            note(f"{opened.book.id} rests; waiting for somebody to resume it (Ctrl-C ends this)")
        for event in reader.follow(watch.is_over):
            if node is None or _is_within(event, node):
                _show(event, opened.storage, with_json=with_json)


class _RestWatch:
    """Knows by the database whether a book is still being written; looks once a second at the most."""

    def __init__(self, opened: OpenBook) -> None:
        self._opened = opened
        self._looked = float("-inf")
        self._was_written = False
        self.state = opened.book.state

    def is_written(self) -> bool:
        """True while somebody holds the book."""
        with self._opened.storage.read() as stores:
            book = stores.books.get(self._opened.book.id)
        self.state = book.state
        return book.lease_owner is not None and not is_dead(book.lease_owner)

    def is_over(self) -> bool:
        """True once the book was being written and is no more, or is finished."""
        if time.monotonic() - self._looked >= _LOOK_SECONDS:
            self._looked = time.monotonic()
            is_written = self.is_written()
            self._is_over = not is_written and (self._was_written or self.state is BookState.FINISHED)
            self._was_written = self._was_written or is_written
        return self._is_over


def _is_within(event: Event, node: str) -> bool:
    label = (event.task_id or "").partition(" ")[0]
    return label == node or label.startswith(f"{node}.")


def _show(event: Event, storage: BookStorage, *, with_json: bool) -> None:
    if with_json:
        typer.echo(as_json(event))
    elif isinstance(event, (AgentEvent, FailedEvent)):
        with storage.read() as stores:
            names = read_names(stores.connection, storage.book)
        if line := event_text(event, storage.language.length_unit, names):
            print_text(line)


def event_text(event: AgentEvent | FailedEvent, length_unit: str, names: ReadingOrder) -> str:
    """An event in one line for a person; empty for those that only a machine wants."""
    call = names.call_of(event.task_id or "")
    if isinstance(event, FailedEvent):
        return f"{call}: {event.payload.error}"
    name, text, data = event.payload.name, event.payload.text, event.payload.data
    match name:
        case _ if name == STEP:
            line = _step_line(event, data)
            return f"{line.id:>7}  {moment(line.recorded_at)}  {step_text(line, names)}  {line.model}"
        case _ if name == UNIT_FINISHED:
            return unit_text(data, length_unit)
        case EventKind.WAITING:
            return f"{call}: {text}"
        case EventKind.TOOL_USE:
            return f"{call}: {tool_use_in_words(str(data.get('tool') or 'a tool'), text)[:_SHOWN_CHARACTERS]}"
    return ""


def _step_line(event: AgentEvent, data: dict[str, Any]) -> StepLine:
    return StepLine(
        id=data["id"], label=data["label"], activity=data["activity"], round=0, step=data["step"],
        attempt=data["attempt"], failure=data["failure"], detail=data["detail"], role=data["role"],
        model=data["model"], template="", input_tokens=data["inputTokens"], cached_tokens=data["cachedTokens"],
        output_tokens=data["outputTokens"], cost=data["cost"], duration_millis=data["durationMillis"],
        recorded_at=event.timestamp / 1000,
    )  # fmt: skip
