"""Opens a book for its walk: takes the lease, and builds all that the walk needs for as long as it is held.

Or for a side call, which is no part of the walk: under the book's lease and on its bill where it rests. Where a worker
holds the book, the call is made all the same, within what its caps leave, and is on no record.
"""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

from bookwright.agents.backends.spending.budget import Allowance, BudgetLedger
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.blueprints.loading import usable_blueprint
from bookwright.agents.context.builder import Context, ContextBuilder
from bookwright.agents.context.materials import people
from bookwright.agents.runtime.events.bus import EventBus
from bookwright.agents.runtime.events.event_file import event_path, kept_events
from bookwright.agents.runtime.events.walk_events import HeardAsker, WalkEvents
from bookwright.agents.runtime.executor import Lanes
from bookwright.agents.steps.desk import Asker, Desk, record_surely, step_key
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.search_index import IndexView, index_tools
from bookwright.agents.tools.tool import Tool
from bookwright.agents.tools.web_search import WebSearch, searchers
from bookwright.flows.book_models import fitted_profile, model_of, opened_windows
from bookwright.flows.deps import Deps, HeardObserver, RunObserver
from bookwright.flows.lease import heartbeat, held_aside, leave_after_walk, leave_as_found, take
from bookwright.flows.revision.edit_queue import TakingObserver
from bookwright.flows.stopping import Limits, stopping
from bookwright.flows.tracing import Traced, tracing_as_set
from bookwright.flows.vault.keeper import VaultObserver, kept_vault
from bookwright.models.book import Book
from bookwright.models.errors import BookHeld
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, StepKey
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.condition import check_after_unclean_stop
from bookwright.storage.engine.database import Database
from bookwright.storage.index.embedding import make_embedder
from bookwright.storage.index.following import EmbedderAhead, IndexFollower
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.repositories import author, documents  # noqa: F401  # looks do without, a walk does not
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.studio import Studio
from bookwright.storage.tree.held_view import HeldView


@dataclass(frozen=True)
class RunConfig:
    """The parameters of a run of a book; all but settings and models have a default."""

    settings: Settings
    database: Database
    models: Asker
    observer: RunObserver = field(default_factory=RunObserver)
    events: EventBus = field(default_factory=EventBus)
    """What the walk speaks on; the book's event file listens for as long as the book is held."""
    lanes: Lanes = field(default_factory=Lanes)
    """In which the book's calls take turns with other agents of this process."""
    limits: Limits = field(default_factory=Limits)
    cancel: Callable[[], None] = lambda: None
    """Ends the model call in flight."""
    model: str | None = None
    """The model given as an option, before what the brief and the settings say."""
    tracing: Callable[[], Traced] = tracing_as_set
    """Says, before anything is paid, what puts spans around the book; a rehearsal has none."""
    goes_on_by: str = "bookwright resume"
    """The command that goes on with a book that rests, without the book's id: how the book came here."""
    webhook_hosts: tuple[str, ...] | None = None
    """Whom the book's webhook may belong to; None for anybody, where the person who runs the book is its author."""
    wished_since: float = 0.0
    """Who wished by then that the book rest did not mean this run: when it was handed in, or a wish that it knew of."""


@contextmanager
def hold_book(book_id: str, around: RunConfig, *, way_on: str = "") -> Iterator[Deps]:
    """Take a book's lease, hand out what its walk needs, and leave the book in a true state.

    What is no walk says with `way_on`, as messages name it, what goes on with it where it is interrupted. It
    neither finishes a book nor lets it rest elsewhere: the book is left as it was.

    Raises:
        BookHeld: Another worker writes the book; nothing was paid.
        BookPaused: The book rests, with the reason on its row.
        DatabaseDamaged: Its last worker died and the file is broken; nothing was paid.
        InvalidSetting: Spans are wanted in a way that is not there; nothing was paid.
    """
    traced = around.tracing()
    database, settings = around.database, around.settings
    embedder = EmbedderAhead(make_embedder(settings))
    check_after_unclean_stop(database, book_id)
    with stopping(settings.stop_seconds, around.cancel) as stop:
        wished_since = None if way_on else around.wished_since
        book, lease = take(database, book_id, settings.lease_seconds, wished_since=wished_since)
        storage = BookStorage(database, book.id, book.brief.language, HeldView())
        journal = Journal(storage, lease, way_on or f"`{around.goes_on_by} {book.id}`")
        stop.tell(journal)
        if book.stop_requested and not way_on:
            journal.stop_requested = True
        with (
            closing(embedder),
            closing(KnowledgeIndex(storage, embedder, settings)) as index,
            kept_vault(storage, book, settings, around.events) as keeper,
            leave_as_found(database, book, lease, way_on)
            if way_on
            else leave_after_walk(database, lease, journal.way_on),
            heartbeat(journal, settings.lease_seconds, around.cancel),
            kept_events(around.events, event_path(settings.home, book.id)),
        ):
            deps = _deps(book, storage, journal, index, embedder, around, way_on)
            if keeper:
                keeper.render()
                deps = replace(deps, observer=VaultObserver(deps.observer, keeper))
            with traced(replace(deps, embedder=embedder), "change-book" if way_on else "write-book") as watched:
                yield watched


@dataclass(frozen=True)
class _CurrentContexts:
    """Contexts from an index that takes in what was recorded."""

    builder: ContextBuilder
    follower: IndexFollower

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, *only: str) -> Context:
        """Bring the index up to date as far as the context needs it, then build."""
        self.follower.begin_activity(is_last=activity is Activity.PUBLISH)
        context = self.builder.build(node, unit, activity, role, *only)
        self.follower.end_context()
        return context


def _deps(
    book: Book, storage: BookStorage, journal: Journal, index: KnowledgeIndex, embedder: EmbedderAhead,
    around: RunConfig, way_on: str,
) -> Deps:  # fmt: skip
    brief = book.brief
    settings = opened_windows(book, storage, journal, around.settings, around.model)
    profile = fitted_profile(brief, settings, around.model)
    writer = model_of("writer", brief, settings, around.model)
    locale = brief.prompt_locale
    is_rehearsal = model_of("researcher", brief, settings, around.model).startswith("rehearsal:")
    count = partial(TokenCounter().estimate, writer)
    events = WalkEvents(around.events, storage)
    journal.on_recorded = events.recorded
    follower = IndexFollower(index, embedder, journal)
    desk = Desk(
        brief=brief,
        profile=profile,
        settings=settings,
        journal=journal,
        models=HeardAsker(around.models, events, around.lanes),
        budget=open_ledger(book, journal, settings),
        contexts=_CurrentContexts(ContextBuilder(storage, index, profile, locale, count), follower),
        model_of=lambda role: model_of(role, brief, settings, around.model),
        listener=events.hear,
        locale=locale,
        count_tokens=count,
        stores_prompts=settings.keep_prompts,
        meanwhile=follower.embed_meanwhile,
        tools=BookTools(storage, index, settings, is_rehearsal=is_rehearsal),
    )  # fmt: skip
    blueprint = usable_blueprint(brief.blueprint, settings.home, locale) if brief.blueprint else None
    observer = TakingObserver(HeardObserver(around.observer, events), storage, journal)
    return Deps(storage, desk, observer, around.limits, blueprint=blueprint, asks_at_gates=not way_on)


def open_ledger(book: Book, journal: Journal, settings: Settings) -> BudgetLedger:
    """Open a book's ledger where its journal left off; a cap of the studio's is asked slice by slice."""
    cap, caps = settings.studio_cap, book.brief.budget
    return BudgetLedger(
        caps.usd, caps.tokens, spent_cost=book.cost, spent_tokens=book.tokens,
        slices=Allowance(book.id, cap, journal, settings.lease_seconds) if cap.is_set else None,
        title=f"the budget of {book.id}",
        remedy=f"`bookwright brief {book.id} --set budget.usd=...` (or budget.tokens) raises it",
    )  # fmt: skip


@dataclass(eq=False)
class BookTools:
    """A look into the book, as soon as its index holds anything, and the web where a service is set up."""

    storage: BookStorage
    index: KnowledgeIndex
    settings: Settings
    is_rehearsal: bool = field(default=False, kw_only=True)
    """The service that is set up is played, so that nothing leaves this machine."""

    @property
    def has_web(self) -> bool:
        """Whether anything outside the book can be looked up."""
        return bool(self._web)

    def registry(self, names: tuple[str, ...], unit: TaskNode) -> ToolRegistry | None:
        """Return those of the named tools that a unit's steps can use; None where there is nothing to look into yet."""
        known = [tool for tool in (*self._web, *self._of_the_book(unit)) if tool.name in names]
        return ToolRegistry(known) if known else None

    @cached_property
    def _web(self) -> tuple[Tool[Any], ...]:
        services = searchers(self.settings)
        if services and self.is_rehearsal:
            from bookwright.agents.backends.rehearsal.backend import RehearsedSearcher  # brings its vocabulary

            return (WebSearch((RehearsedSearcher(),)),)
        if not services:
            return ()
        from bookwright.agents.tools.fetch_page import FetchPage  # brings a client of HTTP with all its protocols

        return WebSearch(services), FetchPage()

    def _of_the_book(self, unit: TaskNode) -> list[Tool[Any]]:
        if not self.index.has(1):
            return []
        with self.storage.look() as stores:
            return index_tools(IndexView(self.index, unit.order, people(stores)))


@dataclass(frozen=True)
class SideCall:
    """What a side call is made with: its step, its budget and where its attempts are recorded."""

    key: StepKey
    """Of the book itself, with the next round of its activity."""
    budget: BudgetLedger
    keep: Callable[[Attempt], None]
    holder: str = ""
    """Who holds the book, so that nothing is recorded; empty where it rests."""


@contextmanager
def side_call(storage: BookStorage, settings: Settings, cancel: Callable[[], None]) -> Iterator[SideCall]:
    """Prepare a call about a book that rests or is being written; the book's state stays what it is.

    Raises:
        DatabaseDamaged: The book's last worker died and the file is broken; nothing was paid.
    """
    check_after_unclean_stop(storage.database, storage.book)
    with ExitStack() as stack:
        try:
            held = held_aside(storage, settings.lease_seconds, cancel, "the same command")
            _, journal = stack.enter_context(held)
        except BookHeld as other:
            call = SideCall(_key(storage), _what_is_left(storage, settings), lambda _: None, other.owner)
        else:
            call = _recorded(storage, settings, journal)
        yield call


def _recorded(storage: BookStorage, settings: Settings, journal: Journal) -> SideCall:
    with storage.read() as stores:
        book = stores.books.get(storage.book)

    def keep(attempt: Attempt) -> None:
        record_surely(journal, attempt, None, book.intent, patience=settings.record_seconds)

    return SideCall(_key(storage), open_ledger(book, journal, settings), keep)


def _key(storage: BookStorage) -> StepKey:
    with storage.read() as stores:
        root = stores.nodes.root()
        number = stores.steps.last_round(root.key, Activity.ASK) + 1
    return step_key(Activity.ASK, root, "chief_editor", number)


def _what_is_left(storage: BookStorage, settings: Settings) -> BudgetLedger:
    """Open a ledger by what is on record now, of the book's caps below the studio's; it settles nothing there."""
    with storage.read() as stores:
        book: Book = stores.books.get(storage.book)
        used = Studio(stores.connection).standing().total
    studio = BudgetLedger(
        settings.studio_usd, settings.studio_tokens, spent_cost=used.cost, spent_tokens=used.tokens,
        title="the studio's cap",
    )  # fmt: skip
    caps = book.brief.budget
    return BudgetLedger(
        caps.usd, caps.tokens, spent_cost=book.cost, spent_tokens=book.tokens, parent=studio,
        title=f"the budget of {book.id}",
    )  # fmt: skip
