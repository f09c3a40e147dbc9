"""What a talk looks like: text as it comes in a terminal, whole answers in a pipe, or JSON; and the list of talks."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer

from bookwright.agents.backends.protocol import EventKind
from bookwright.agents.react.action import is_in_form
from bookwright.agents.react.unwrapping import ReplyPart, ShownPiece, Unwrapping
from bookwright.agents.runtime.events.event_file import remove_events
from bookwright.agents.runtime.stream import SHORTENED
from bookwright.agents.runtime.talk import REPLY
from bookwright.agents.tools.outside import clean, one_line
from bookwright.app.talks.opening import SessionWish, member_named
from bookwright.app.talks.view import CANCELLED, SOURCES, TalkBill
from bookwright.cli.output import check_agreed, emit, make_console, note, print_table, print_text
from bookwright.failpoints import Failpoint
from bookwright.models.errors import BudgetExceeded
from bookwright.models.talk.event import (
    AgentEvent,
    CompletedEvent,
    Event,
    EventPayload,
    FailedEvent,
    ReasoningEvent,
    TextEvent,
    as_json,
)
from bookwright.models.talk.session import Session
from bookwright.models.talk.tool import status_and_text
from bookwright.models.wording import duration
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.sessions import SessionRepository

_INPUT_CHARACTERS = 160
_RESULT_CHARACTERS = 120
_TITLE_CHARACTERS = 100
_MOST_LISTED = 200


class JsonView:
    """Every event on a line of stdout, and nothing else there."""

    def __init__(self, *, shows_raw: bool = False) -> None:
        self.shows_raw = shows_raw

    def hear(self, event: Event) -> None:
        """Print the event."""
        typer.echo(as_json(event))

    def note(self, line: str) -> None:
        """Say it on stderr."""
        typer.echo(clean(line), err=True)

    def ended(self, bill: TalkBill) -> None:
        """Nothing: the bill is an event, too."""


class TextView:
    """Answers on stdout, everything else on stderr; in a terminal text is shown as it comes."""

    def __init__(self, *, streams: bool, shows_raw: bool = False) -> None:
        self.shows_raw = shows_raw
        self._streams = streams
        self._err = make_console(stderr=True)
        self._unwrapping = Unwrapping()
        self._answer: list[str] = []
        """What was shown as the answer of the reply that is coming in."""
        self._is_midline = False
        """Something stands on the last line of stdout."""
        self._thinks = False

    def hear(self, event: Event) -> None:
        """Show an event; of a sub-agent what it does, and none of its words."""
        if event.parent_agent_id is not None and not isinstance(event, AgentEvent):
            return
        match event:
            case TextEvent():
                self._show(self._unwrapping.feed(clean_piece(event.payload.text)))
            case ReasoningEvent() if self._streams and not self._thinks:
                self._thinks = True
                self._line("(thinking)", "dim")
            case AgentEvent():
                self._happened(event.payload)
            case CompletedEvent():
                self._complete(clean(event.payload.text))
            case FailedEvent():
                self._failed(event)

    def note(self, line: str) -> None:
        """Say something beside the talk."""
        self._line(line, "dim")

    def ended(self, bill: TalkBill) -> None:
        """Say what it took."""
        self._line(f"[{bill.line()}]", "dim")

    def _happened(self, payload: EventPayload) -> None:
        match payload.name:
            case EventKind.STARTED | EventKind.RESTARTED:
                if payload.name == EventKind.RESTARTED and self._answer:
                    self._line("(the stream broke; from the beginning:)", "yellow")
                self._unwrapping, self._answer, self._thinks = Unwrapping(), [], False
            case EventKind.FINISHED:
                self._show(self._unwrapping.close())
            case EventKind.TOOL_USE:
                tool = payload.data.get("tool") or "an action without a tool"
                self._line(f"> {tool} {one_line(payload.text, _INPUT_CHARACTERS)}", "cyan")
            case EventKind.TOOL_RESULT:
                self._result(payload)
            case name if name == REPLY:
                self._reply(payload)
            case name if name in (EventKind.WAITING, SHORTENED):
                self._line(payload.text, "yellow")
            case name if name == SOURCES:
                self._name_sources(payload.data)

    def _show(self, pieces: Iterable[ShownPiece]) -> None:
        for piece in pieces:
            if piece.part is ReplyPart.ANSWER:
                self._answer.append(piece.text)
            if self._streams:
                self._print(piece.text, is_thought=piece.part is ReplyPart.THOUGHT)

    def _complete(self, text: str) -> None:
        """Print what was not shown yet; all of it where what was shown was something else."""
        shown = "".join(self._answer).strip() if self._streams else ""
        if not text.startswith(shown):
            shown = text if shown.split() == text.split() else ""
        if not shown:
            self._end_line()
        self._print(text.removeprefix(shown))
        self._end_line()
        if not text:
            self._line("(the model gave no answer)", "red")
        elif is_in_form(text):
            self._line("(the model asked for a tool where its answer was due)", "red")

    def _failed(self, event: FailedEvent) -> None:
        if event.payload.kind == CANCELLED:
            self._line("(broken off; what had come is kept)", "yellow")
        else:
            advice = "; --budget-usd allows more" if event.payload.kind == BudgetExceeded.__name__ else ""
            self._line(one_line(event.payload.error, 1_000) + advice, "red")

    def _result(self, payload: EventPayload) -> None:
        told, text = status_and_text(payload.text)
        status = told or "error"
        style = {"error": "red", "partial": "yellow"}.get(status, "dim")
        self._line(f"< {payload.data.get('tool') or ''} {status}: {one_line(text, _RESULT_CHARACTERS)}", style)

    def _name_sources(self, data: Mapping[str, Any]) -> None:
        if not data["isVerified"]:
            self._line("(unverified: nothing was looked up for this answer)", "yellow")
        for source in data["sources"]:
            title = one_line(source["title"], _TITLE_CHARACTERS)
            self._line(f"source: {title}, {clean(source['address'])} ({source['accessed']})", "dim")

    def _reply(self, payload: EventPayload) -> None:
        data = payload.data
        if self.shows_raw:
            bill = f"{data['inputTokens']} > {data['outputTokens']} tokens"
            self._line(f"--- raw: {data['model']}, {data['finishReason']}, {bill}", "magenta")
            if data["reasoning"]:
                self._line(f"reasoning: {clean(str(data['reasoning']))}", "dim")
            self._line(clean(payload.text), "magenta")
            self._line("---", "magenta")
            self._answer = []  # it stands above the block; say it again below
        if data["finishReason"] == "length":
            self._line("(the reply was cut off at its limit)", "yellow")
        if data["finishReason"] == "refusal":
            self._line("(the model refuses)", "yellow")

    def _line(self, text: str, style: str) -> None:
        self._end_line()
        self._err.print(text, style=style, soft_wrap=True)

    def _print(self, text: str, *, is_thought: bool = False) -> None:
        if text:
            typer.echo(typer.style(text, dim=True) if is_thought else text, nl=False)
            self._is_midline = not text.endswith("\n")

    def _end_line(self) -> None:
        if self._is_midline:
            typer.echo()
            self._is_midline = False


def clean_piece(text: str) -> str:
    """Return an increment of a text without what could steer the terminal; its blanks stay as they are."""
    start, end = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    blanks = str.maketrans({"\r": "", "\x0b": " ", "\x0c": " "})
    return f"{start.translate(blanks)}{clean(text)}{end.translate(blanks)}" if text.strip() else text.translate(blanks)


def list_sessions(database: Database | None, wanted: SessionWish, *, as_json: bool) -> None:
    """Print the sessions there are, of one agent or book if named, the latest first."""
    found = _listed(database, wanted) if database is not None else []

    def tell() -> None:
        columns = ("session", "agent", "book", "turns", "age", "begins")
        if found:
            print_table(columns, (_row(each, turns) for each, turns in found), right=("turns",), folds=("begins",))
        else:
            print_text("there are no sessions yet; `bookwright chat --agent researcher` begins one")

    emit(lambda: [_facts(each, turns) for each, turns in found], tell, as_json=as_json)


def event_tab(agent: str, session: str) -> str:
    """Return what the event file of a talk is named after."""
    return f"{agent}-{session[:8]}"


def delete_session(database: Database, named: str, home: Path, *, yes: bool, as_json: bool) -> None:
    """Delete a session with what was told of it while it was held, once that is agreed to; its forks stay."""
    with database.read() as connection:
        found = SessionRepository(connection).get(named)
    check_agreed(f'Delete "{found.title}" for good?', "nothing was deleted; --yes deletes without asking", yes=yes)
    with database.write(Failpoint.EDIT_BOOK) as connection:
        SessionRepository(connection).delete(found.id)
    remove_events(home, event_tab(found.agent, found.id))
    emit(lambda: {"deleted": found.id}, lambda: note(f"session {found.id[:8]} is deleted"), as_json=as_json)


def _listed(database: Database, wanted: SessionWish) -> list[tuple[Session, int]]:
    """The sessions, each with the number of its turns."""
    with database.read() as connection:
        book = BookRepository(connection).get(wanted.book).id if wanted.book else None
        sessions = SessionRepository(connection)
        agent = member_named(wanted.agent).name if wanted.agent else None
        found = sessions.all(book=book, agent=agent, limit=_MOST_LISTED)
        turns = sessions.turns([each.id for each in found])
    return [(each, turns.get(each.id, 0) + each.dropped_turns) for each in found]


def _row(session: Session, turns: int) -> tuple[str, ...]:
    age = duration(max(time.time() - session.updated_at, 0))
    return session.id[:8], session.agent, session.book or "", str(turns), age, one_line(session.title, 80)


def _facts(session: Session, turns: int) -> dict[str, object]:
    return {
        "session": session.id, "agent": session.agent, "book": session.book, "model": session.model, "turns": turns,
        "updated_at": session.updated_at, "parent": session.parent, "title": session.title,
    }  # fmt: skip
