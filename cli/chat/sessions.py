"""The list of the sessions there are."""

import time

from bookwright.agents.tools.outside import one_line
from bookwright.app.talks.opening import SessionWish, member_named
from bookwright.app.wording import duration
from bookwright.cli.output import emit, make_console, plain_table
from bookwright.models.talk.session import Session
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.sessions import SessionRepository

MOST_LISTED = 200


def list_sessions(database: Database | None, wanted: SessionWish, *, as_json: bool) -> None:
    """Print the sessions there are, of one agent or book if named, the latest first."""
    found = _listed(database, wanted) if database is not None else []

    def tell() -> None:
        table = plain_table("session", "agent", "book", "turns", "age", "begins", right=("turns",), folds=("begins",))
        now = time.time()
        for each, turns in found:
            age = duration(max(now - each.updated_at, 0))
            table.add_row(each.id[:8], each.agent, each.book or "", str(turns), age, one_line(each.title, 80))
        console = make_console()
        console.print(table if found else "there are no sessions yet; `bookwright chat --agent researcher` begins one")

    emit(lambda: [_facts(each, turns) for each, turns in found], tell, as_json=as_json)


def _listed(database: Database, wanted: SessionWish) -> list[tuple[Session, int]]:
    """The sessions, each with the number of its turns."""
    with database.read() as connection:
        book = BookRepository(connection).get(wanted.book).id if wanted.book else None
        sessions = SessionRepository(connection)
        agent = member_named(wanted.agent).name if wanted.agent else None
        found = sessions.all(book=book, agent=agent, limit=MOST_LISTED)
        turns = sessions.turns([each.id for each in found])
    return [(each, turns.get(each.id, 0) + each.dropped_turns) for each in found]


def _facts(session: Session, turns: int) -> dict[str, object]:
    return {
        "session": session.id, "agent": session.agent, "book": session.book, "model": session.model, "turns": turns,
        "updated_at": session.updated_at, "parent": session.parent, "title": session.title,
    }  # fmt: skip
