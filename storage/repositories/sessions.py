"""Sessions of agents: begun, resumed, forked and listed, of a book or of none."""

import uuid
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import from_json
from sqlalchemy import Connection, Row, delete, func, insert, literal, select, update

from bookwright.models.errors import SessionNotFound, SessionNotStarted
from bookwright.models.talk.event import speakable
from bookwright.models.talk.session import MOST_CHARACTERS, History, Session, Turn, TurnKind, mended, surplus
from bookwright.storage.engine.database import database_now
from bookwright.storage.tables import session_messages, sessions

_TITLE_CHARACTERS = 80
_CUT = "\n(... {count:,} characters were cut here ...)\n"
_LEFT_OUT = "({count} turns of this talk that stood here were left out to keep it short.)\n\n"
_SHARE = 4
"""A single turn may hold one part in so many of what a session keeps."""


class SessionRepository:
    """All sessions of a database in one transaction; `SessionNotFound` is raised where none is meant, or several."""

    def __init__(self, connection: Connection, most_characters: int = MOST_CHARACTERS) -> None:
        self._connection = connection
        self._most = most_characters

    def create(
        self, agent: str, tab: str, *, book: str | None = None, model: str = "", identity: str | None = None,
        parent: str | None = None,
    ) -> Session:  # fmt: skip
        """Begin a session in which nothing is said yet; its id is a new UUID unless one is given."""
        values = {
            "id": identity or str(uuid.uuid4()), "book": book, "tab": tab, "agent": agent, "model": model,
            "parent": parent, "is_initialized": False, "created_at": database_now(), "updated_at": database_now(),
        }  # fmt: skip
        return _session(self._connection.execute(insert(sessions).values(values).returning(sessions)).one())

    def get(self, identity: str) -> Session:
        """Return the session of that id, or of an id that begins so."""
        if (exact := self.find(identity)) is not None:
            return exact
        alike = select(sessions).where(sessions.c.id.startswith(identity, autoescape=True)).limit(2)
        rows = list(self._connection.execute(alike)) if identity else []
        if len(rows) != 1:
            raise SessionNotFound(
                f"{'more than one session begins' if rows else 'there is no session that begins'} with {identity!r}"
            )
        return _session(rows[0])

    def find(self, identity: str) -> Session | None:
        """Return the session of exactly that id, if there is one."""
        row = self._connection.execute(select(sessions).where(sessions.c.id == identity)).one_or_none()
        return None if row is None else _session(row)

    def all(self, *, book: str | None = None, agent: str | None = None, limit: int = 100) -> list[Session]:
        """Return sessions, of one book or agent if named, the latest first."""
        query = select(sessions).order_by(sessions.c.updated_at.desc(), sessions.c.id).limit(limit)
        if book is not None:
            query = query.where(sessions.c.book == book)
        if agent is not None:
            query = query.where(sessions.c.agent == agent)
        return [_session(row) for row in self._connection.execute(query)]

    def turns(self, identities: Sequence[str]) -> dict[str, int]:
        """Tell how many turns each session holds; those that hold none are left out."""
        column = session_messages.c.session
        query = select(column, func.count().label("turns")).where(column.in_(identities)).group_by(column)
        return {row.session: row.turns for row in self._connection.execute(query)}

    def append(self, identity: str, turns: Sequence[Turn]) -> None:
        """Add turns; the session is initialized from then on, and its oldest turns go where it grows too long."""
        session = self._locked(identity)
        last = select(func.coalesce(func.max(session_messages.c.ordinal), 0)).where(self._of(identity))
        first = self._connection.execute(last).scalar_one() + 1
        rows = [
            {"session": identity, "ordinal": first + place, "body": cut.model_dump_json(), "size": len(cut.text)}
            for place, cut in enumerate(map(self._cut, turns))
        ]
        if not rows:
            return
        self._connection.execute(insert(session_messages).values(recorded_at=database_now()), rows)
        self._change(identity, is_initialized=True, updated_at=database_now(), title=session.title or _title(turns))
        self._let_go(identity)

    def history(self, identity: str) -> History:
        """Return the turns of a session, mended where they were broken."""
        session = self.get(identity)
        repairs: list[str] = []
        numbered = list(self._read(session.id, repairs))
        missing = (numbered[-1][0] if numbered else 0) - len(numbered) - session.dropped_turns
        if missing > 0:
            repairs.append(f"{missing} turns are missing")
        turns, more = mended(_with_gap_told(numbered, session.dropped_turns))
        return History(turns=tuple(turns), repairs=(*repairs, *more), dropped_turns=session.dropped_turns)

    def fork(self, identity: str, tab: str) -> Session:
        """Return a new session in a tab that begins with all that was said in another, which stays as it is.

        Raises:
            SessionNotStarted: Nothing was said in it yet.
        """
        origin = self.get(identity)
        if not origin.initialized:
            raise SessionNotStarted(f"nothing was said in session {origin.id} yet, so it cannot be forked; start it")
        branch = self.create(origin.agent, tab, book=origin.book, model=origin.model, parent=origin.id)
        names = ["ordinal", "body", "size", "recorded_at"]
        copied = select(literal(branch.id), *(session_messages.c[name] for name in names)).where(self._of(origin.id))
        self._connection.execute(insert(session_messages).from_select(["session", *names], copied))
        self._change(branch.id, is_initialized=True, title=origin.title, dropped_turns=origin.dropped_turns)
        return self.get(branch.id)

    def delete(self, identity: str) -> None:
        """Remove a session with its turns; those forked from it stay."""
        self._connection.execute(delete(sessions).where(sessions.c.id == identity))

    def _locked(self, identity: str) -> Session:
        """Return a session that no other writer adds to before this transaction ends."""
        query = select(sessions).where(sessions.c.id == identity).with_for_update()
        row = self._connection.execute(query).one_or_none()
        if row is None:
            raise SessionNotFound(f"there is no session {identity!r} any more")
        return _session(row)

    def _of(self, identity: str) -> Any:
        return session_messages.c.session == identity

    def _change(self, identity: str, **values: Any) -> None:
        self._connection.execute(update(sessions).where(sessions.c.id == identity).values(values))

    def _cut(self, turn: Turn) -> Turn:
        """Make a turn storable, without its middle if it is too long for any session."""
        text, most = speakable(turn.text), self._most // _SHARE
        if len(text) > most:
            left_out = _CUT.format(count=len(text) - most)
            text = text[: most // 2] + left_out + text[-(most // 2) :]
        return Turn(kind=turn.kind, text=text)

    def _read(self, identity: str, repairs: list[str]) -> Iterator[tuple[int, Turn]]:
        """Yield ordinals and turns; of a body that was cut off what can be read of it."""
        query = select(session_messages).where(self._of(identity)).order_by(session_messages.c.ordinal)
        for row in self._connection.execute(query):
            try:
                yield row.ordinal, Turn.model_validate_json(row.body)
            except ValidationError:
                yield row.ordinal, _salvaged(row.body)
                repairs.append("a turn whose record was cut off was kept as far as it could be read")

    def _let_go(self, identity: str) -> None:
        size = select(func.coalesce(func.sum(session_messages.c.size), 0)).where(self._of(identity))
        if self._connection.execute(size).scalar_one() <= self._most:
            return
        numbered = list(self._read(identity, []))
        kinds = [turn.kind for _, turn in numbered]
        places = surplus(kinds, [len(turn.text) for _, turn in numbered], self._most)
        gone = [numbered[place][0] for place in places]
        if gone:
            within = session_messages.c.ordinal.in_(gone)
            self._connection.execute(delete(session_messages).where(self._of(identity), within))
            self._change(identity, dropped_turns=sessions.c.dropped_turns + len(gone))


def _session(row: Row[Any]) -> Session:
    values = row._asdict()
    return Session(initialized=values.pop("is_initialized"), **values)


def _title(turns: Sequence[Turn]) -> str:
    said = next((turn.text for turn in turns if turn.kind is TurnKind.SAY), "")
    return " ".join(said.split())[:_TITLE_CHARACTERS]


def _salvaged(body: str) -> Turn:
    """Read what is left of a turn whose JSON was cut off; an empty turn if that is not enough."""
    try:
        return Turn.model_validate(from_json(body, allow_partial="trailing-strings"))
    except ValueError:  # of the JSON, or of what it holds
        return Turn(kind=TurnKind.SAY, text="")


def _with_gap_told(numbered: list[tuple[int, Turn]], dropped: int) -> Iterator[Turn]:
    """Yield the turns; the first one told to the agent after the first gap says how many were left out."""
    is_told = not dropped
    for place, (ordinal, turn) in enumerate(numbered):
        if not is_told and not turn.is_agents and ordinal != place + 1:
            is_told = True
            turn = Turn(kind=turn.kind, text=_LEFT_OUT.format(count=dropped) + turn.text)
        yield turn
