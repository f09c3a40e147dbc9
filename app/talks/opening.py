"""What a talk begins with: its agent, its model, its book, and the session that it goes on with."""

from dataclasses import dataclass

from bookwright.agents.backends import endpoints
from bookwright.agents.runtime.cast import CAST, CastMember
from bookwright.flows.book_models import model_of
from bookwright.models.book import Book
from bookwright.models.errors import InvalidInput, InvalidSetting, SessionNotStarted
from bookwright.models.settings import Settings, load_settings
from bookwright.models.talk.session import SessionState
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.repositories.sessions import SessionRepository


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


def open_talk(wanted: SessionWish, settings: Settings, database: Database) -> Opening:
    """Find the session, the book and the model that are asked for. Nothing is begun yet.

    The model is that of the options, else of the session, else of the book, else of the settings.

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
    usual = model_of(member.role, book.brief, settings) if book else settings.models.get(member.role)
    model = _named(wanted) or (known.model if known else "") or usual or settings.model
    endpoints.check_model(model, settings)
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
