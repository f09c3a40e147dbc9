"""Holding a book: its lease, the heartbeat, a clean stop, and the state it is left in."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import FrameType

from bookwright.agents.backends import catalogue
from bookwright.agents.backends.budget import BudgetLedger
from bookwright.agents.backends.protocol import StreamEvent
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.context.builder import Context, ContextBuilder
from bookwright.agents.desk import Asker, Desk
from bookwright.failpoints import Failpoint
from bookwright.flows.deps import Deps, NoWindow, Window
from bookwright.flows.limits import Limits
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief
from bookwright.models.errors import BackendError, BookHeld, BookPaused, LeaseLost, StorageError
from bookwright.models.model_name import ROLES
from bookwright.models.profile import PROFILES, Profile, ProfileName, fitted
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.storage.books import BookRepository, Lease
from bookwright.storage.database import Database
from bookwright.storage.embedding import make_embedder
from bookwright.storage.journal import Journal
from bookwright.storage.knowledge import KnowledgeIndex
from bookwright.storage.stores import BookStorage

SMALL_WINDOW = 16_000
"""Tokens of context below which a book takes the `small` profile by itself."""

_HEARTBEATS_A_LEASE = 3


def _hear_nothing(name: str, event: StreamEvent) -> None:
    """For a walk that nobody watches."""


@dataclass(frozen=True)
class Surroundings:
    """What a run of a book brings along; all but the settings and the models has a default."""

    settings: Settings
    database: Database
    models: Asker
    window: Window = field(default_factory=NoWindow)
    listener: Callable[[str, StreamEvent], None] = _hear_nothing
    limits: Limits = field(default_factory=Limits)
    cancel: Callable[[], None] = lambda: None
    """Ends the model call in flight."""
    model: str | None = None
    """The model given as an option, before what the brief and the settings say."""


def model_of(role: str, brief: Brief, settings: Settings, option: str | None = None) -> str:
    """Return which model a role asks: option, brief, settings and environment, default; in that order."""
    by_brief = brief.models.get(role) or brief.models.get("default")
    return option or by_brief or settings.models.get(role) or settings.model


def profile_of(brief: Brief, settings: Settings, option: str | None = None) -> Profile:
    """Return the brief's profile, or small where the writer's window is small, or standard."""
    if brief.profile is not None:
        return PROFILES[brief.profile]
    window = catalogue.context_window(model_of("writer", brief, settings, option))
    return PROFILES[ProfileName.SMALL if window < SMALL_WINDOW else ProfileName.STANDARD]


def owner_name() -> str:
    """Return this worker's name, as others are told who holds a book."""
    return f"process {os.getpid()} on {socket.gethostname()}"


@contextmanager
def hold(book_id: str, around: Surroundings) -> Iterator[Deps]:
    """Take a book's lease, hand out what its walk needs, and leave the book in a true state.

    Raises:
        BookHeld: Another worker writes the book; nothing was paid.
        BookPaused: The book rests, with the reason on its row.
    """
    database, settings = around.database, around.settings
    embedder = make_embedder(settings)
    with database.write(Failpoint.TAKE_LEASE) as connection:
        book = BookRepository(connection).get(book_id)
        lease = Lease.take(connection, book.id, owner_name(), settings.lease_seconds)
        BookRepository(connection).set_state(book.id, BookState.WRITING)
    storage = BookStorage(database, book.id, book.brief.language)
    journal = Journal(storage, lease)
    index = KnowledgeIndex(storage, embedder, settings)
    try:
        with _heartbeat(journal, settings.lease_seconds, around.cancel), _stopping(journal, around):
            yield _deps(book, storage, journal, index, around)
        _leave(database, lease, BookState.FINISHED)
    except (LeaseLost, BookHeld):
        raise  # the book is another worker's now; its state is not ours to set
    except BookPaused as rest:
        _leave(database, lease, BookState.PAUSED, rest.reason, rest.advice)
        raise
    except (BackendError, StorageError) as error:
        paused = BookPaused(str(error), f"`bookwright resume {book.id}` goes on from here")
        _leave(database, lease, BookState.PAUSED, paused.reason, paused.advice)
        raise paused from error
    except BaseException as error:
        reason = "stopped" if isinstance(error, KeyboardInterrupt) else f"a fault of the program: {error!r}"[:500]
        _leave(database, lease, BookState.PAUSED, reason, f"`bookwright resume {book.id}` goes on from here")
        raise
    finally:
        index.close()


@dataclass(frozen=True)
class _CurrentContexts:
    """Contexts from an index that has taken in all that was recorded."""

    builder: ContextBuilder
    index: KnowledgeIndex
    journal: Journal

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str) -> Context:
        """Bring the index up to date, then build."""
        self.index.catch_up(self.journal)
        return self.builder.build(node, unit, activity, role)


def _deps(book: Book, storage: BookStorage, journal: Journal, index: KnowledgeIndex, around: Surroundings) -> Deps:
    settings, brief = around.settings, book.brief
    names = {model_of(role, brief, settings, around.model) for role in ROLES}
    window = min(map(catalogue.context_window, names))
    profile = fitted(profile_of(brief, settings, around.model), window, brief.context_scale)
    writer = model_of("writer", brief, settings, around.model)
    locale = (brief.prompt_language or brief.language).value
    count = partial(TokenCounter().estimate, writer)
    desk = Desk(
        brief=brief,
        profile=profile,
        settings=settings,
        journal=journal,
        models=around.models,
        budget=BudgetLedger(
            brief.budget.usd, brief.budget.tokens, spent_cost=book.cost, spent_tokens=book.tokens,
            title=f"the budget of {book.id}",
        ),
        contexts=_CurrentContexts(ContextBuilder(storage, index, profile, locale, count), index, journal),
        model_of=lambda role: model_of(role, brief, settings, around.model),
        listener=around.listener,
        locale=locale,
        count_tokens=count,
    )  # fmt: skip
    return Deps(storage, desk, around.window, around.limits)


def _leave(database: Database, lease: Lease, state: BookState, reason: str = "", advice: str = "") -> None:
    """Set the book's state and let it go, unless a newer worker holds it."""
    try:
        with database.write(Failpoint.LEAVE_BOOK) as connection:
            lease.fence(connection, state=state.value, reason=reason, advice=advice, stop_requested=False)
            lease.release(connection)
    except (LeaseLost, StorageError):
        return  # the lease runs out by itself; nothing here may hide why the walk ended


@contextmanager
def _heartbeat(journal: Journal, lease_seconds: float, cancel: Callable[[], None]) -> Iterator[None]:
    """Renew the lease while a call is long; a lost lease ends the call."""
    done = threading.Event()
    period = lease_seconds / _HEARTBEATS_A_LEASE

    def beat() -> None:
        while not done.wait(period):
            if time.monotonic() - journal.last_renewed < period:
                continue
            try:
                journal.renew()
            except LeaseLost:
                cancel()
                return
            except StorageError:
                continue  # the next step's own transaction will tell

    thread = threading.Thread(target=beat, name="bookwright-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextmanager
def _stopping(journal: Journal, around: Surroundings) -> Iterator[None]:
    """Make SIGTERM and Ctrl-C await the call in flight, up to a deadline; a second one ends it at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    deadline = threading.Timer(around.settings.stop_seconds, around.cancel)
    deadline.daemon = True

    def stop(number: int, frame: FrameType | None) -> None:
        if journal.stop_requested:
            around.cancel()
            return
        journal.request_stop()
        deadline.start()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        deadline.cancel()
