"""Which session a talk goes on with, and the list of those there are."""

import time
from dataclasses import asdict, dataclass

from bookwright.agents.backends import endpoints
from bookwright.agents.runtime.cast import CAST, CastMember
from bookwright.agents.tools.outside import one_line
from bookwright.app.wording import duration
from bookwright.cli.output import emit, make_console, plain_table
from bookwright.models.book import Book
from bookwright.models.errors import InvalidInput, InvalidSetting, SessionNotStarted
from bookwright.models.settings import Settings, load_settings
from bookwright.models.talk.session import Session, SessionState
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.sessions import SessionRepository

MOST_LISTED = 200


@dataclass(frozen=True)
class SessionWish:
    """What the options ask for."""

    agent: str | None = None
    book: str | None = None
    provider: str | None = None
    model: str | None = None
    session: str | None = None
    forks: bool = False


@dataclass(frozen=True)
class Opening:
    """What a talk begins with."""

    member: CastMember
    model: str
    book: Book | None
    state: SessionState
    forks: bool = False
    """The first thing said makes a copy of the session."""
    title: str = ""
    """How the session began, where it is gone on with."""


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


def open_talk(wanted: SessionWish, settings: Settings, database: Database) -> Opening:
    """Find the session, the book and the model that are asked for. Nothing is begun yet.

    Raises:
        InvalidInput: They do not go together, or one is unknown or cannot be reached.
        SessionNotStarted: Nothing was said yet in the session that is to be forked.
    """
    if wanted.forks and wanted.session is None:
        raise InvalidInput("--fork goes with --session: it names the talk to go on from in a copy")
    with database.read() as connection:
        known = SessionRepository(connection).get(wanted.session) if wanted.session is not None else None
        if known is not None and wanted.forks and not known.initialized:
            raise SessionNotStarted(f"nothing was said in session {known.id} yet, so it cannot be forked; start it")
        name = wanted.book or (known.book if known else None)
        book = BookRepository(connection).get(name) if name else None
    member = member_named(_agreed("agent", wanted.agent, known.agent if known else None))
    if known is not None:
        _agreed("book", book.id if book else None, known.book)
    model = choose_model(wanted, settings, member, known.model if known else "")
    state = known or SessionState.new()
    kept = SessionState(id=state.id, initialized=state.initialized)
    return Opening(member, model, book, kept, wanted.forks, known.title if known else "")


def member_named(name: str | None) -> CastMember:
    """Find an agent.

    Raises:
        InvalidInput: There is none of that name, or none is named.
    """
    for member in CAST:
        if member.name == name:
            return member
    there = ", ".join(member.name for member in CAST)
    raise InvalidInput(f"there is no agent {name!r}; there are {there}" if name else f"--agent is one of {there}")


def choose_model(wanted: SessionWish, settings: Settings, member: CastMember, before: str) -> str:
    """Return `provider:model`: of the options, else of the session, else of the settings.

    Raises:
        InvalidInput: It is unknown, or cannot be reached as things are set.
    """
    name = _named(wanted) or before or settings.models.get(member.role) or settings.model
    endpoints.check_model(name, settings)
    return name


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


def _agreed(what: str, asked: str | None, known: str | None) -> str | None:
    """What the option says, where the session does not say otherwise."""
    if known is not None and asked is not None and asked != known:
        raise InvalidInput(f"this session is of the {what} {known!r}, not {asked!r}; begin another one")
    return known if asked is None else asked


def _named(wanted: SessionWish) -> str:
    """The model that the options name; empty where they name none."""
    if wanted.provider is None:
        name = wanted.model
    elif wanted.model is not None:
        name = f"{wanted.provider}:{wanted.model}"
    elif wanted.provider == "claude-cli":
        name = wanted.provider
    else:
        raise InvalidSetting(f"--provider {wanted.provider} needs --model")
    return load_settings(model=name).model if name is not None else ""
