"""The list of the sessions there are."""

import time
from dataclasses import asdict, dataclass

from bookwright.agents.tools.outside import one_line
from bookwright.app.talks.opening import SessionWish, member_named
from bookwright.app.wording import duration
from bookwright.cli.output import emit, make_console, plain_table
from bookwright.models.talk.session import Session
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.sessions import SessionRepository

MOST_LISTED = 200


@dataclass(frozen=True)
class ListedSession:
    """A session as the list has it."""

    session: str
    agent: str
    book: str | None
    model: str
    turns: int
    updated_at: float
    parent: str | None
    title: str


def list_sessions(database: Database | None, wanted: SessionWish, *, as_json: bool) -> None:
    """Print the sessions there are, of one agent or book if named, the latest first."""
    found = _listed(database, wanted) if database is not None else []

    def tell() -> None:
        table = plain_table("session", "agent", "book", "turns", "age", "begins", right=("turns",), folds=("begins",))
        now = time.time()
        for each in found:
            age = duration(max(now - each.updated_at, 0))
            table.add_row(each.session[:8], each.agent, each.book or "", str(each.turns), age, one_line(each.title, 80))
        console = make_console()
        console.print(table if found else "there are no sessions yet; `bookwright chat --agent researcher` begins one")

    emit(lambda: [asdict(each) for each in found], tell, as_json=as_json)


def _listed(database: Database, wanted: SessionWish) -> list[ListedSession]:
    with database.read() as connection:
        book = BookRepository(connection).get(wanted.book).id if wanted.book else None
        sessions = SessionRepository(connection)
        agent = member_named(wanted.agent).name if wanted.agent else None
        found = sessions.all(book=book, agent=agent, limit=MOST_LISTED)
        turns = sessions.turns([each.id for each in found])
    return [_line(each, turns.get(each.id, 0)) for each in found]


def _line(session: Session, turns: int) -> ListedSession:
    return ListedSession(
        session=session.id, agent=session.agent, book=session.book, model=session.model,
        turns=turns + session.dropped_turns, updated_at=session.updated_at, parent=session.parent, title=session.title,
    )  # fmt: skip
