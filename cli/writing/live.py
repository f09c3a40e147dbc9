"""Watching a book being written: a live panel in a terminal, plain lines elsewhere, or the prose itself."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text
from sqlalchemy.exc import DBAPIError

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.workflows import REVISE, REVISION_MARK, write_workflow
from bookwright.app.status.progress import (
    EVERY_STEP,
    BookProgress,
    StepFeed,
    plain_step,
    read_progress,
    seconds_left,
    spent,
    step_text,
    unit_text,
)
from bookwright.cli.output import notes_above
from bookwright.models.errors import DatabaseUnreachable
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity
from bookwright.models.talk import event as events
from bookwright.models.talk.event import AgentEvent, Event, EventPayload, ReasoningEvent, TextEvent
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.wording import duration
from bookwright.storage.stores import BookStorage

LOOKS_A_SECOND = 2
"""How often the database is read; the walk writes it meanwhile."""

_RECENT = 6
_TAIL = 76
"""Characters of the prose in flight that a narrow terminal shows in a line."""

_PROSE_STEPS = frozenset(
    agent.name for profile in ProfileName for agent in write_workflow(Level.CHAPTER, profile) if agent.is_prose
)


def choose_view(storage: BookStorage, console: Console, *, streams: bool) -> "LiveView | PlainView":
    """Return the view that suits: the prose if it was asked for, a panel in a terminal, else lines.

    It hears what the walk says, on a thread of the bus, within a block of its own.
    """
    if streams:
        return StreamView(storage, console)
    return LiveView(storage, console) if console.is_terminal else PlainView(storage, console)


class CallInFlight:
    """The model call in flight, as its events tell it."""

    def __init__(self) -> None:
        self.name = ""
        self.characters = 0
        self.notice = ""
        self.tail = ""
        """The last words of the prose that is being written; empty where it is none."""

    def hear(self, event: Event) -> None:
        """Take in one event."""
        match event:
            case TextEvent():
                notice = ""
            case ReasoningEvent():
                notice = "thinking"
            case AgentEvent(payload=EventPayload(name=EventKind.STARTED | EventKind.RESTARTED)):
                self.name, notice = "", ""
            case AgentEvent(payload=EventPayload(name=EventKind.WAITING, text=text)):
                notice = text
            case AgentEvent(payload=EventPayload(name=EventKind.TOOL_USE, data=data)):
                notice = f"using {data.get('tool') or 'a tool'}"
            case AgentEvent(payload=EventPayload(name=EventKind.FINISHED)):
                notice = "recording"
            case _:
                return
        name = event.task_id or ""
        if name != self.name:  # another call speaks than before
            self.name, self.characters, self.tail = name, 0, ""
        self.notice = notice
        if isinstance(event, TextEvent):
            self.characters += len(event.payload.text)
            if step_of(name) in _PROSE_STEPS:
                self.tail = (self.tail + event.payload.text).replace("\n", " ")[-_TAIL:]

    def describe(self, names: ReadingOrder) -> str:
        """Say in a few words what is asked and what has come."""
        if not self.name:
            return "between two steps"
        told = self.notice or f"{self.characters:,} characters so far"
        return f"{names.call_of(self.name).partition('/')[0]}: {told}"


class LiveView:
    """A panel that is drawn again twice a second."""

    def __init__(self, storage: BookStorage, console: Console, clock: Callable[[], float] = time.monotonic) -> None:
        self._storage = storage
        self._clock = clock
        self._call = CallInFlight()
        self._feed = StepFeed(storage, _RECENT)
        self._began = clock()
        self._progress = read_progress(storage)
        self._live = Live(
            console=console, get_renderable=self.render, refresh_per_second=LOOKS_A_SECOND, transient=True
        )
        self._shown = ExitStack()

    def __enter__(self) -> Self:
        self._shown.enter_context(notes_above(self._live.console))
        self._live.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._live.stop()
        self._shown.close()

    def hear(self, event: Event) -> None:
        """Note what the call in flight does; it is shown at the next drawing."""
        self._call.hear(event)

    def render(self) -> RenderableType:
        """Look into the database and draw the panel."""
        progress = self._look()
        now = self._clock()
        left = seconds_left(progress.root, self._feed.worked_seconds)
        left_text = "what is left is unknown yet" if left is None else f"about {duration(left)} left"
        return Group(
            _line(progress.book.title, style="bold"),
            _line(progress.place or "the book as a whole"),
            _line(self._call.describe(progress.names), style="dim"),
            *([_line(self._call.tail)] if self._call.tail else []),
            _bar(progress),
            _line(f"cost {spent(progress)}"),
            _line(f"time {duration(now - self._began)} so far, {left_text}"),
            _line(""),
            *(
                _line(plain_step(line, self._feed.names), style="red" if line.is_failed else "dim")
                for line in self._feed.recent
            ),
        )

    def _look(self) -> BookProgress:
        """Look into the database; what cannot be read now is read the next time.

        A database that is broken for good ends the walk, which then says so.
        """
        with suppress(DBAPIError, DatabaseUnreachable):
            self._feed.new()
            self._progress = read_progress(self._storage)
        return self._progress


class PlainView:
    """One line for each finished step and unit, for logs and pipes."""

    def __init__(self, storage: BookStorage, console: Console) -> None:
        self._storage = storage
        self._console = console
        self._feed = StepFeed(storage)
        self._lock = threading.Lock()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="bookwright-lines", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._done.set()
        self._thread.join()
        self._print_steps()

    def hear(self, event: Event) -> None:
        """Tell of waits and of closed units; the rest is told once it is recorded."""
        match event:
            case AgentEvent(payload=EventPayload(name=EventKind.WAITING, text=text)):
                self._print(f"{self._feed.names.call_of(event.task_id or '')}: {text}")
            case AgentEvent(payload=EventPayload(name=events.UNIT_FINISHED, data=data)):
                self._print_steps(until=data["lastStep"])
                self._print(unit_text(data, self._storage.language.length_unit))

    def _watch(self) -> None:
        while not self._done.wait(1 / LOOKS_A_SECOND):
            self._print_steps()

    def _print_steps(self, until: Any = EVERY_STEP) -> None:
        """Print the steps up to one, which a closed unit stands below."""
        with self._lock, suppress(DBAPIError, DatabaseUnreachable):  # as above
            for line in self._feed.new(until or EVERY_STEP):
                self._print(step_text(line, self._feed.names))

    def _print(self, line: str) -> None:
        self._console.print(line, soft_wrap=True)


class StreamView(PlainView):
    """The prose as it comes, each draft under a line that names its step."""

    def __init__(self, storage: BookStorage, console: Console) -> None:
        super().__init__(storage, console)
        self._held = ""
        self._is_open = True

    def hear(self, event: Event) -> None:
        """Print text of the steps that write prose, at once."""
        name = event.task_id or ""
        step = step_of(name)
        match event:
            case _ if step not in _PROSE_STEPS:
                super().hear(event)
            case AgentEvent(payload=EventPayload(name=EventKind.STARTED | EventKind.RESTARTED as kind)):
                self._begin(name, step, is_again=kind == EventKind.RESTARTED)
            case TextEvent():
                self._write(event.payload.text)
            case AgentEvent(payload=EventPayload(name=EventKind.FINISHED)):
                self._write("\n")

    def _begin(self, name: str, step: str, *, is_again: bool) -> None:
        self._held = ""
        self._is_open = step != REVISE.name  # its findings come first, the new text after a mark
        self._print(f"\n--- {self._feed.names.call_of(name)}{' (again: the stream broke)' if is_again else ''}")

    def _write(self, text: str) -> None:
        if not self._is_open:
            self._held += text
            _, mark, text = self._held.partition(REVISION_MARK)
            if not mark:
                return
            self._is_open = True
        self._console.print(text, end="", soft_wrap=True)


def step_of(name: str) -> str:
    """Return the prose step that a call's name stands for: `"draft"` for `"1.2 write/draft.2"`; else empty."""
    activity, _, step = name.rpartition(" ")[2].partition("/")
    return step.partition(".")[0] if activity == Activity.WRITE else ""


def _bar(progress: BookProgress) -> RenderableType:
    row = Table.grid(padding=(0, 1))
    unit = progress.book.brief.length_unit
    row.add_row(
        Text("text"),
        ProgressBar(total=1.0, completed=progress.share, width=24),
        Text(f"{progress.root.written:,} of {progress.root.length or 0:,} {unit} ({progress.share:.0%})"),
    )
    return row


def _line(text: str, style: str = "") -> Text:
    return Text(text, style=style, no_wrap=True, overflow="ellipsis")
