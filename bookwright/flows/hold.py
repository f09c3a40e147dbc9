"""Holding a book: its lease, the heartbeat, a clean stop, and the state it is left in."""

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial

from bookwright.agents.backends import catalogue
from bookwright.agents.backends.allowance import Allowance
from bookwright.agents.backends.budget import BudgetLedger
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.blueprints.loading import usable_blueprint
from bookwright.agents.context.builder import Context, ContextBuilder
from bookwright.agents.desk import Desk
from bookwright.agents.ports import Asker
from bookwright.agents.runtime.bus import EventBus
from bookwright.agents.runtime.event_file import event_path, kept_events
from bookwright.agents.runtime.lanes import Lanes
from bookwright.agents.runtime.walk_events import HeardAsker, WalkEvents
from bookwright.failpoints import Failpoint
from bookwright.flows.deps import Deps, HeardWindow, NoWindow, Window
from bookwright.flows.limits import Limits
from bookwright.flows.stopping import stopping
from bookwright.flows.toolbox import BookTools
from bookwright.flows.vault_keeper import KeptWindow, kept_vault
from bookwright.models.book import Book, BookState
from bookwright.models.brief import Brief
from bookwright.models.errors import (
    BackendError,
    BookHeld,
    BookPaused,
    BudgetExceeded,
    DatabaseDamaged,
    DatabaseUnreachable,
    GateWaiting,
    InvalidInput,
    LeaseLost,
    StorageError,
)
from bookwright.models.model_name import ROLES
from bookwright.models.profile import PROFILES, Profile, ProfileName, fitted
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.task import TaskNode
from bookwright.storage.books import BookRepository, Lease
from bookwright.storage.database import Database
from bookwright.storage.embedding import make_embedder
from bookwright.storage.gates import GateRepository
from bookwright.storage.held_view import HeldView
from bookwright.storage.integrity import check_after_unclean_stop
from bookwright.storage.journal import Journal
from bookwright.storage.knowledge import KnowledgeIndex
from bookwright.storage.stores import BookStorage
from bookwright.storage.studio import Studio

SMALL_WINDOW = 16_000
"""Tokens of context below which a book takes the `small` profile by itself."""

_HEARTBEATS_A_LEASE = 3


@dataclass(frozen=True)
class Surroundings:
    """What a run of a book brings along; all but the settings and the models has a default."""

    settings: Settings
    database: Database
    models: Asker
    window: Window = field(default_factory=NoWindow)
    events: EventBus = field(default_factory=EventBus)
    """What the walk speaks on; the book's event file listens for as long as the book is held."""
    lanes: Lanes = field(default_factory=Lanes)
    """In which the book's calls take turns with other agents of this process."""
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


def fitted_profile(brief: Brief, settings: Settings, option: str | None = None) -> Profile:
    """Return the profile with budgets that the smallest window of the book's models has room for."""
    names = {model_of(role, brief, settings, option) for role in ROLES}
    window = min(map(catalogue.context_window, names))
    return fitted(profile_of(brief, settings, option), window, brief.context_scale)


def owner_name() -> str:
    """Return this worker's name, as others are told who holds a book."""
    return f"process {os.getpid()} on {socket.gethostname()}"


@contextmanager
def hold(book_id: str, around: Surroundings, *, is_walk: bool = True) -> Iterator[Deps]:
    """Take a book's lease, hand out what its walk needs, and leave the book in a true state.

    What is no walk (`is_walk` is False) neither finishes a book nor lets it rest elsewhere: it is left as it was.

    Raises:
        BookHeld: Another worker writes the book; nothing was paid.
        BookPaused: The book rests, with the reason on its row.
        DatabaseDamaged: Its last worker died and the file is broken; nothing was paid.
    """
    database, settings = around.database, around.settings
    embedder = make_embedder(settings)
    check_after_unclean_stop(database, book_id)
    with stopping(settings.stop_seconds, around.cancel) as stop:
        book, lease = _take(database, book_id, settings.lease_seconds)
        storage = BookStorage(database, book.id, book.brief.language, HeldView())
        journal = Journal(storage, lease)
        stop.tell(journal)
        with (
            closing(KnowledgeIndex(storage, embedder, settings)) as index,
            kept_vault(storage, book, settings, around.events) as keeper,
            _leaving(database, book.id, lease) if is_walk else _leaving_as(database, book, lease),
            heartbeat(journal, settings.lease_seconds, around.cancel),
            kept_events(around.events, event_path(settings.home, book.id)),
        ):
            deps = _deps(book, storage, journal, index, around)
            if keeper:
                keeper.render()
                deps = replace(deps, window=KeptWindow(deps.window, keeper))
            yield replace(deps, embedder=embedder)


@contextmanager
def _leaving(database: Database, book: str, lease: Lease) -> Iterator[None]:
    """Leave a book finished, or paused with the reason, whatever ends the walk.

    Raises:
        LeaseLost: A newer worker holds the book; its state is not ours to set.
        BookPaused: It rests, also where that could not be written.
    """
    try:
        yield
        _leave(database, lease, BookState.FINISHED)
    except (LeaseLost, BookHeld, DatabaseDamaged):
        raise  # the book is another worker's now, or its file is broken: its state is not ours to set
    except BookPaused as rest:
        _rest(database, lease, rest)
        raise
    except (BackendError, StorageError, InvalidInput) as error:
        remedy = f"{error.remedy}; then " if isinstance(error, BudgetExceeded) and error.remedy else ""
        paused = BookPaused(str(error), f"{remedy}`bookwright resume {book}` goes on from here")
        _rest(database, lease, paused)
        raise paused from error
    except BaseException as error:
        reason = "stopped" if isinstance(error, KeyboardInterrupt) else f"a fault of the program: {error!r}"[:500]
        with suppress(LeaseLost):
            _rest(database, lease, BookPaused(reason, f"`bookwright resume {book}` goes on from here"))
        raise


@contextmanager
def _leaving_as(database: Database, book: Book, lease: Lease) -> Iterator[None]:
    """Leave a book as it was found; one that a dead worker left rests from now on.

    Raises:
        BookPaused: What was begun is not done; the message says how it goes on.
    """
    was_left = book.state is BookState.WRITING
    found = BookPaused("its worker died", f"`bookwright resume {book.id}` goes on from here") if was_left else book
    state = BookState.PAUSED if was_left else book.state
    try:
        yield
    except (LeaseLost, BookHeld, DatabaseDamaged):
        raise
    except (BackendError, StorageError) as error:
        remedy = error.remedy if isinstance(error, BudgetExceeded) else ""
        raise BookPaused(str(error), remedy) from error
    finally:
        with suppress(StorageError, LeaseLost):
            _leave(database, lease, state, found.reason, found.advice)


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
    profile = fitted_profile(brief, settings, around.model)
    writer = model_of("writer", brief, settings, around.model)
    locale = (brief.prompt_language or brief.language).value
    is_rehearsal = model_of("researcher", brief, settings, around.model).startswith("rehearsal:")
    count = partial(TokenCounter().estimate, writer)
    events = WalkEvents(around.events, storage)
    journal.on_recorded = events.recorded
    desk = Desk(
        brief=brief,
        profile=profile,
        settings=settings,
        journal=journal,
        models=HeardAsker(around.models, events, around.lanes),
        budget=open_ledger(book, journal, settings),
        contexts=_CurrentContexts(ContextBuilder(storage, index, profile, locale, count), index, journal),
        model_of=lambda role: model_of(role, brief, settings, around.model),
        listener=events.hear,
        locale=locale,
        count_tokens=count,
        stores_prompts=settings.keep_prompts,
        tools=BookTools(storage, index, settings, is_rehearsal=is_rehearsal),
    )  # fmt: skip
    blueprint = usable_blueprint(brief.blueprint, settings.home, locale) if brief.blueprint else None
    return Deps(storage, desk, HeardWindow(around.window, events), around.limits, blueprint=blueprint)


def open_ledger(book: Book, journal: Journal, settings: Settings) -> BudgetLedger:
    """Open a book's ledger where its journal left off; a cap of the studio's is asked slice by slice."""
    cap, caps = settings.studio_cap, book.brief.budget
    return BudgetLedger(
        caps.usd, caps.tokens, spent_cost=book.cost, spent_tokens=book.tokens,
        slices=Allowance(book.id, cap, journal, settings.lease_seconds) if cap.is_set else None,
        title=f"the budget of {book.id}",
        remedy=f"`bookwright brief {book.id} --set budget.usd=...` (or budget.tokens) raises it",
    )  # fmt: skip


def _take(
    database: Database, book_id: str, seconds: float, *, broke: bool = False, unsure: Lease | None = None
) -> tuple[Book, Lease]:
    """Take a book's lease, once more if the connection broke: the commit may have arrived, and then it is ours."""
    lease = unsure
    try:
        with database.write(Failpoint.TAKE_LEASE) as connection:
            books = BookRepository(connection)
            lease = Lease.take(connection, books.get(book_id).id, owner_name(), seconds, unsure)
            book = books.get(lease.book)  # not before: until now another worker could add to what it has spent
            books.set_state(book.id, BookState.WRITING)
        return book, lease
    except DatabaseUnreachable:
        if broke:
            raise
        return _take(database, book_id, seconds, broke=True, unsure=lease)


def _leave(
    database: Database, lease: Lease, state: BookState, reason: str = "", advice: str = "", gate: int | None = None
) -> None:
    """Set the book's state and let it go; once more where the connection broke, for that is no harm.

    At a `gate` that was decided meanwhile the book does not wait any more.

    Raises:
        LeaseLost: A newer worker holds the book.
        StorageError: The database could not take it; the lease runs out by itself.
    """
    for is_last in (False, True):
        try:
            with database.write(Failpoint.LEAVE_BOOK) as connection:
                lease.fence(connection, state=state.value, reason=reason, advice=advice, stop_requested=False)
                if gate is not None:  # the fence keeps whoever decides out until this is committed
                    GateRepository(connection, lease.book).pass_if_decided(gate)
                Studio(connection).give_back(lease.book)
                lease.release(connection)
            return
        except DatabaseUnreachable:
            if is_last:
                raise


def _rest(database: Database, lease: Lease, rest: BookPaused) -> None:
    """Leave the book paused, or waiting at a gate; if that cannot be written, who raised the reason still tells it."""
    gate = rest.gate.id if isinstance(rest, GateWaiting) else None
    state = BookState.PAUSED if gate is None else BookState.WAITING
    with suppress(StorageError):
        _leave(database, lease, state, rest.reason, rest.advice, gate)


@contextmanager
def heartbeat(journal: Journal, lease_seconds: float, cancel: Callable[[], None]) -> Iterator[None]:
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
