"""The work during which workers are ended. A new failpoint needs a scenario here that passes it."""

from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Table, event, func, select
from sqlalchemy.engine import Engine

from bookwright import migrations
from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.app.access import OpenBook
from bookwright.app.candidates.sight import candidates_at, draft_at
from bookwright.app.candidates.taking import take
from bookwright.exports.files import export, export_path
from bookwright.failpoints import Failpoint
from bookwright.flows.candidates.later import make_candidates
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig, hold
from bookwright.flows.revision.refresh import RefreshScope, refresh
from bookwright.flows.revision.revise import chosen, take_in
from bookwright.flows.revision.staleness import Staleness
from bookwright.flows.run_book import run_book
from bookwright.flows.upkeep import prune
from bookwright.models.brief import Brief, make_brief
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import GateDecided, GateWaiting, InvalidInput
from bookwright.models.gate import Decider, Gate, GateKind, GateState
from bookwright.models.ruling import approval, rejection
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.models.tree.task import TaskNode
from bookwright.storage.backup.backup import back_up, restore
from bookwright.storage.backup.backup_file import read_manifest
from bookwright.storage.engine.database import open_database
from bookwright.storage.steps.retention import Keep
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import allowances, documents, gates, texts, tool_uses
from tests.durability.children import finished_text
from tests.durability.crashes import JOURNAL_READS, Scenario
from tests.durability.forked import (
    compared_book,
    fork_and_merge,
    fork_and_write,
    forked_book,
    have_compared,
    written_branch,
)
from tests.support import novelist

_PLANNED = {"profile": "economy", "max_planning_rounds": 1}
"""A short book that is planned like a long one; without it, it is told."""
_TALE = make_brief({"premise": "A clerk counts the lamps.", "title": "Lamps", "length": 600, **_PLANNED})
_CHAPTERS = make_brief(
    {"premise": "A keeper reads a log in her own hand.", "title": "The Log", "length": 6_000, "profile": "economy",
     "max_unit_length": 2_400}
)  # fmt: skip
_SECRET = make_brief(
    {"premise": "A keeper hides a log.", "title": "The Hidden Log", "length": 6_000, "profile": "economy",
     "max_unit_length": 2_400, "secrets": [{"id": "log", "content": "The keeper wrote the log in a forged hand."}]}
)  # fmt: skip
_SEARCHED = make_brief({"premise": novelist.TO_LOOK_UP, "title": "Oil", "length": 600, **_PLANNED})
_GATED = make_brief(
    {"premise": "A clerk waits for a word.", "title": "Words", "length": 600, "profile": "economy",
     "gates": ["book_design", "chapter"], "webhook": "http://127.0.0.1:9/gates"}
)  # fmt: skip
"""Nobody listens there, so the news is noted as not told."""
_CANDIDATES = make_brief(
    {"premise": "A clerk paints the lamps.", "title": "Paint", "length": 600, "profile": "economy", "candidates": 3,
     "gates": ["candidates"]}
)  # fmt: skip
_NOTES = "\n\n".join(novelist.write(f"Notes {number}: about 4,000 words", None) for number in (1, 2))
_BACKUP = "backup.zip"


def _open(settings: Settings) -> None:
    open_library(settings).dispose()


def _write_and_age(settings: Settings) -> None:
    """Leave a book in a database as the first version made it."""
    _write_tale(settings)
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    database = open_database(settings)
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
    database.dispose()


def _begin(settings: Settings) -> None:
    database = open_library(settings)
    find_or_create(database, _TALE)
    database.dispose()


def _write_tale(settings: Settings) -> None:
    _write(_TALE, settings)


def _write_tale_under_a_cap(settings: Settings) -> None:
    _write(_TALE, settings.model_copy(update={"studio_tokens": 100_000_000}))


def _search_and_write(settings: Settings) -> None:
    """Write a book whose researcher searches the web, which the provider plays as well."""
    server = settings.llm_base_url.removesuffix("/v1")
    _write(_SEARCHED, settings.model_copy(update={"searxng_url": server}))


def _write_chapters(settings: Settings) -> None:
    _write(_CHAPTERS, settings)


def _write_and_change(settings: Settings) -> None:
    """Write a book to its end; then its author has other thoughts about a text and a secret."""
    _write(_SECRET, settings)
    database = open_library(settings)
    book = find_or_create(database, _SECRET)
    with BookStorage(database, book.id, book.brief.language).write() as stores:
        first = next(iter(stores.nodes.leaves()))
        old = chosen(stores, first, None)
        take_in(stores, first, old, f"{old.text}\n\nThe lamp was blue all along.")
        secret = stores.codex.get(RecordKind.SECRET, "log")
        told = secret.record.model_copy(
            update={"content": "The log was drowned with its keeper.", "forbidden_keywords": ("clerk",)}
        )
        stores.codex.edit(told, secret.version, Origin.AUTHOR)
    database.dispose()


def _refresh(settings: Settings) -> None:
    """Make anew what is stale, going on where a dead worker left it."""
    database = open_library(settings)
    book = find_or_create(database, _SECRET)
    models = ModelService(settings)
    try:
        with hold(book.id, RunConfig(settings, database, models), way_on="`bookwright refresh`") as deps:
            refresh(RefreshScope(), deps, lambda redone: None)
    finally:
        models.close()
        database.dispose()


def _refreshed_book(settings: Settings) -> object:
    """Nothing is stale any more, and every text reads as after an undisturbed refresh."""
    database = open_library(settings)
    book = find_or_create(database, _SECRET)
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        stale = Staleness(book.brief).direct(stores)
        nodes = list(stores.nodes.walk())
        found = stores.documents.of_nodes([node.key for node in nodes], *DocumentKind)
        current = sorted((document.node, document.kind.value, document.text) for document in found)
        written = [node.written for node in nodes]
    database.dispose()
    return stale, current, written, finished_text(settings)[1]


def _note_and_write(settings: Settings) -> None:
    _note_once(settings)
    _write(_TALE, settings)


def _note_once(settings: Settings) -> None:
    """Edit the book as a person does, so that it has more passages than are compared in memory."""
    database = open_library(settings)
    book = find_or_create(database, _TALE)
    storage = BookStorage(database, book.id, book.brief.language)
    with storage.read() as stores:
        root = stores.nodes.root()
        is_noted = stores.documents.current(root.key, DocumentKind.FINDINGS, with_text=False) is not None
    if not is_noted:
        with storage.write() as stores:
            stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.FINDINGS, text=_NOTES), None)
    database.dispose()


def _write(brief: Brief, settings: Settings) -> None:
    """Have a book written and exported."""
    database = open_library(settings)
    book = find_or_create(database, brief)
    models = _Attentive(ModelService(settings), database.engine, settings.home / JOURNAL_READS)
    try:
        run_book(book.id, RunConfig(settings, database, models))
        storage = BookStorage(database, book.id, book.brief.language)
        export(storage, "md", export_path(book.id, "md", settings))
    finally:
        models.service.close()
        database.dispose()


class _Attentive:
    """The model service, which leaves word of how often the journal was read before the first call."""

    def __init__(self, service: ModelService, engine: Engine, note: Path) -> None:
        self.service = service
        self._note: Path | None = note
        self._reads = 0

        @event.listens_for(engine, "before_cursor_execute")
        def count(connection: object, cursor: object, statement: str, *_: object) -> None:
            self._reads += "FROM steps" in statement

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        if self._note is not None:
            self._note.write_text(str(self._reads))
            self._note = None
        return self.service.ask(request, budget, listener, on_failure)


def _write_gated(settings: Settings) -> None:
    """Write a book to its end; its author rejects the first text, and approves what follows."""
    while True:
        try:
            _write(_GATED, settings)
            return
        except GateWaiting as waiting:
            _decide(waiting.gate, settings)


def _decide(gate: Gate, settings: Settings) -> None:
    database = open_library(settings)
    storage = BookStorage(database, gate.book, _GATED.language)
    with storage.read() as stores:
        rejected = {known.kind for known in stores.gates.all() if known.state is GateState.REJECTED}
    is_good = gate.kind in rejected or gate.kind is GateKind.BOOK_DESIGN
    by = Decider.COMMAND
    with suppress(GateDecided), storage.write(F.DECIDE_GATE) as stores:
        stores.gates.decide(gate.id, approval(gate, by) if is_good else rejection(gate, by, "Fewer lamps."))
    database.dispose()


def _gated_book(settings: Settings) -> object:
    """Each gate was opened, decided and carried out once."""
    database = open_library(settings)
    with database.read() as connection:
        columns = (gates.c.kind, gates.c.revision, gates.c.number, gates.c.state, gates.c.is_settled)
        found = [tuple(row) for row in connection.execute(select(*columns).order_by(gates.c.id))]
    database.dispose()
    return found, _whole_book(settings)


def _write_candidates(settings: Settings) -> None:
    """Write a book whose author takes another draft than its readers do."""
    while True:
        try:
            _write(_CANDIDATES, settings)
            return
        except GateWaiting as waiting:
            _take_the_other(waiting.gate, settings)


def _take_the_other(gate: Gate, settings: Settings) -> None:
    database = open_library(settings)
    storage = BookStorage(database, gate.book, _CANDIDATES.language)
    with storage.read() as stores:
        choice = candidates_at(stores.nodes.get(gate.node), stores).choice
        other = draft_at(gate, choice.preferred % 3 + 1, stores)
    with suppress(GateDecided), storage.write(F.DECIDE_GATE) as stores:
        stores.gates.decide(gate.id, approval(gate, Decider.COMMAND, text=other))
    database.dispose()


def _draft_beside(settings: Settings) -> None:
    """Have three candidates written beside a text that stands, and take the second one."""
    database = open_library(settings)
    book = find_or_create(database, _TALE)
    storage = BookStorage(database, book.id, book.brief.language)
    models = ModelService(settings)
    try:
        with hold(book.id, RunConfig(settings, database, models), way_on="`bookwright candidates`") as deps:
            make_candidates(deps.storage.node(_root(storage).key), 3, deps)
        with suppress(InvalidInput):  # a worker that died had taken it
            take(OpenBook(settings, storage, book), "1", 2)
    finally:
        models.close()
        database.dispose()


def _root(storage: BookStorage) -> TaskNode:
    with storage.read() as stores:
        return stores.nodes.root()


def _candidates_of(brief: Brief, settings: Settings) -> object:
    """Every version of the choice is kept once, beside the text that it led to."""
    database = open_library(settings)
    book = find_or_create(database, brief)
    with BookStorage(database, book.id, book.brief.language).read() as stores:
        root = stores.nodes.root()
        kinds = (DocumentKind.CANDIDATES, DocumentKind.PROSE)
        versions = [version for kind in kinds for version in stores.documents.versions(root.key, kind)]
        kept = [(version.kind, version.origin, stores.documents.text_of(version)) for version in versions]
    database.dispose()
    return kept, root.written, finished_text(settings)[1]


def _back_up(settings: Settings) -> None:
    """Make a backup, if none is there: a file that is whole is never replaced."""
    if not (settings.home / _BACKUP).exists():
        back_up(settings, settings.home / _BACKUP)


def _write_and_back_up(settings: Settings) -> None:
    _write_tale(settings)
    _back_up(settings)
    _note_once(settings)


def _restore(settings: Settings) -> None:
    restore(settings, settings.home / _BACKUP)


def _prune(settings: Settings) -> None:
    database = open_library(settings)
    prune(database, find_or_create(database, _TALE), settings, Keep(last=1))
    database.dispose()


def _whole_book(settings: Settings) -> object:
    book, text = finished_text(settings)
    exports = {path.name: path.read_text() for path in (settings.home / "exports").glob("[!.]*")}
    return book.state, book.reason, book.lease_owner, text, exports, _count(allowances, settings)


def _searched_book(settings: Settings) -> object:
    """Each look was kept once, and every one that the journal names."""
    return _count(tool_uses, settings), _whole_book(settings)


def _backup_and_book(settings: Settings) -> object:
    manifest = read_manifest(settings.home / _BACKUP)
    titles = [book.title for book in manifest.books]
    return manifest.revision, titles, _count(documents, settings), _whole_book(settings)


def _pruned_book(settings: Settings) -> object:
    return _count(texts, settings), _whole_book(settings)


def _count(table: Table, settings: Settings) -> int:
    database = open_library(settings)
    with database.read() as connection:
        count = connection.execute(select(func.count()).select_from(table)).scalar_one()
    database.dispose()
    return count


def _begun_book(settings: Settings) -> object:
    book, _ = finished_text(settings)
    return book.id, book.title, book.state, book.brief


F = Failpoint
A_TALE = Scenario(
    "a tale",
    frozenset({F.TAKE_LEASE, F.TAKE_ALLOWANCE, F.CALL_MODEL, F.RECORD_STEP, F.MOVE, F.LEAVE_BOOK, F.REPLACE_FILE}),
    _write_tale_under_a_cap,
    _whole_book,
    prepare=_open,
)
CHAPTERS = replace(A_TALE, name="a book of chapters", work=_write_chapters)
A_TALE_WITH_NOTES = Scenario(
    "a tale with notes",
    frozenset({F.EDIT_BOOK, F.FILL_INDEX, F.SEAL_INDEX}),
    _note_and_write,
    _whole_book,
    prepare=_open,
)
A_TALE_WITH_SEARCHES = Scenario(
    "a tale with searches", frozenset({F.RECORD_TOOL_USE}), _search_and_write, _searched_book, prepare=_open
)
A_REFRESH = Scenario(
    "a refresh", frozenset({F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.MOVE, F.LEAVE_BOOK}), _refresh,
    _refreshed_book, prepare=_write_and_change,
)  # fmt: skip
CANDIDATES = Scenario(
    "candidates at a gate", frozenset({F.CALL_MODEL, F.RECORD_STEP, F.OPEN_GATE, F.DECIDE_GATE}), _write_candidates,
    partial(_candidates_of, _CANDIDATES), prepare=_open,
)  # fmt: skip
CANDIDATES_BESIDE = Scenario(
    "candidates beside a text", frozenset({F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.LEAVE_BOOK}), _draft_beside,
    partial(_candidates_of, _TALE), prepare=_write_tale,
)  # fmt: skip
A_LONG_CALL = Scenario(
    "a long call", frozenset({F.RENEW_LEASE}), _write_tale, _whole_book, prepare=_open, first_call="slow:1.5",
    lease_seconds=2,
)  # fmt: skip
A_BOOK_WITH_GATES = Scenario(
    "a book with gates", frozenset({F.OPEN_GATE, F.DECIDE_GATE, F.SETTLE_GATE, F.TELL_GATE}), _write_gated,
    _gated_book, prepare=_open,
)  # fmt: skip
A_BRANCH = Scenario(
    "a branch", frozenset({F.FORK, F.MERGE}), partial(fork_and_merge, _TALE), partial(forked_book, _TALE),
    prepare=_write_tale,
)  # fmt: skip
A_WRITTEN_BRANCH = Scenario(
    "a branch that is written", frozenset({F.FORK, F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.LEAVE_BOOK}),
    partial(fork_and_write, _CHAPTERS), partial(written_branch, _CHAPTERS), prepare=_write_chapters,
)  # fmt: skip
A_VERDICT = Scenario(
    "a reader's verdict", frozenset({F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.LEAVE_BOOK}),
    partial(have_compared, _TALE), compared_book, prepare=_write_tale,
)  # fmt: skip
SCENARIOS = (
    Scenario("an empty database", frozenset({F.MIGRATE, F.CREATE_BOOK}), _begin, _begun_book),
    Scenario("an older database", frozenset({F.MIGRATE}), _open, _whole_book, prepare=_write_and_age),
    A_TALE,
    A_TALE_WITH_NOTES,
    A_TALE_WITH_SEARCHES,
    A_LONG_CALL,
    A_BOOK_WITH_GATES,
    A_BRANCH,
    Scenario("a backup", frozenset({F.BACKUP}), _back_up, _backup_and_book, prepare=_write_tale),
    Scenario(
        "a restore", frozenset({F.KEEP_REPLACED, F.PREPARE_RESTORE, F.RESTORE}), _restore, _backup_and_book,
        prepare=_write_and_back_up,
    ),
    Scenario("old prompts let go", frozenset({F.PRUNE}), _prune, _pruned_book, prepare=_write_tale),
)  # fmt: skip
