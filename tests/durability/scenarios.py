"""The work during which workers are ended. A new failpoint needs a scenario here that passes it."""

from dataclasses import replace
from functools import partial
from pathlib import Path

from alembic import command
from alembic.config import Config

from bookwright import migrations
from bookwright.agents.backends.service import ModelService
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.revision.refresh import RefreshScope, refresh
from bookwright.flows.revision.revise import chosen, take_in
from bookwright.flows.revision.staleness import Staleness
from bookwright.flows.upkeep import prune
from bookwright.models.brief import make_brief
from bookwright.models.codex.record import Origin, RecordKind
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.settings import Settings
from bookwright.storage.backup.backup import back_up, restore
from bookwright.storage.backup.backup_file import read_manifest
from bookwright.storage.engine.database import open_database
from bookwright.storage.steps.retention import Keep
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import documents, texts, tool_uses
from tests.durability.children import finished_text
from tests.durability.crashes import Scenario
from tests.durability.decided import PAINTED, candidates_of, draft_beside, gated_book, write_candidates, write_gated
from tests.durability.forked import (
    compared_book,
    fork_and_merge,
    fork_and_write,
    forked_book,
    have_compared,
    written_branch,
)
from tests.durability.written import PLANNED, TALE, count, whole_book, write
from tests.support import novelist

_CHAPTERS = make_brief(
    {"premise": "A keeper reads a log in her own hand.", "title": "The Log", "length": 6_000, "profile": "economy",
     "max_unit_length": 2_400}
)  # fmt: skip
_SECRET = make_brief(
    {"premise": "A keeper hides a log.", "title": "The Hidden Log", "length": 6_000, "profile": "economy",
     "max_unit_length": 2_400, "secrets": [{"id": "log", "content": "The keeper wrote the log in a forged hand."}]}
)  # fmt: skip
_SEARCHED = make_brief({"premise": novelist.TO_LOOK_UP, "title": "Oil", "length": 600, **PLANNED})
_NOTES = "\n\n".join(novelist.write(f"Notes {number}: about 4,000 words", None) for number in (1, 2))
_BACKUP = "backup.zip"


def _open(settings: Settings) -> None:
    open_library(settings).dispose()


def _age(settings: Settings) -> None:
    """Leave a database as the first version made it."""
    config = Config()
    config.set_main_option("script_location", str(Path(migrations.__file__).parent))
    database = open_database(settings)
    with database.engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "0001")
    database.dispose()


def _begin(settings: Settings) -> None:
    database = open_library(settings)
    find_or_create(database, TALE)
    database.dispose()


def _write_tale(settings: Settings) -> None:
    write(TALE, settings)


def _write_tale_under_a_cap(settings: Settings) -> None:
    write(TALE, settings.model_copy(update={"studio_tokens": 100_000_000}))


def _search_and_write(settings: Settings) -> None:
    """Write a book whose researcher searches the web, which the provider plays as well."""
    server = settings.llm_base_url.removesuffix("/v1")
    write(_SEARCHED, settings.model_copy(update={"searxng_url": server}))


def _write_chapters(settings: Settings) -> None:
    write(_CHAPTERS, settings)


def _write_and_change(settings: Settings) -> None:
    """Write a book to its end; then its author has other thoughts about a text and a secret."""
    write(_SECRET, settings)
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
        with hold_book(book.id, RunConfig(settings, database, models), way_on="`bookwright refresh`") as deps:
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
    write(TALE, settings)


def _note_once(settings: Settings) -> None:
    """Edit the book as a person does, so that it has more passages than are compared in memory."""
    database = open_library(settings)
    book = find_or_create(database, TALE)
    storage = BookStorage(database, book.id, book.brief.language)
    with storage.read() as stores:
        root = stores.nodes.root()
        is_noted = stores.documents.current(root.key, DocumentKind.FINDINGS, with_text=False) is not None
    if not is_noted:
        with storage.write() as stores:
            stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.FINDINGS, text=_NOTES), None)
    database.dispose()


def _back_up(settings: Settings) -> None:
    """Make a backup, if none is there: a file that is whole is never replaced."""
    if not (settings.home / _BACKUP).exists():
        back_up(settings, settings.home / _BACKUP)


def _back_up_and_note(settings: Settings) -> None:
    _back_up(settings)
    _note_once(settings)


def _restore(settings: Settings) -> None:
    restore(settings, settings.home / _BACKUP)


def _prune(settings: Settings) -> None:
    database = open_library(settings)
    prune(database, find_or_create(database, TALE), settings, Keep(last=1))
    database.dispose()


def _searched_book(settings: Settings) -> object:
    """Each look was kept once, and every one that the journal names."""
    return count(tool_uses, settings), whole_book(settings)


def _backup_and_book(settings: Settings) -> object:
    manifest = read_manifest(settings.home / _BACKUP)
    titles = [book.title for book in manifest.books]
    return manifest.revision, titles, count(documents, settings), whole_book(settings)


def _pruned_book(settings: Settings) -> object:
    return count(texts, settings), whole_book(settings)


def _begun_book(settings: Settings) -> object:
    book, _ = finished_text(settings)
    return book.id, book.title, book.state, book.brief


F = Failpoint
A_TALE = Scenario(
    "a tale",
    frozenset({F.TAKE_LEASE, F.TAKE_ALLOWANCE, F.CALL_MODEL, F.RECORD_STEP, F.MOVE, F.LEAVE_BOOK, F.REPLACE_FILE}),
    _write_tale_under_a_cap,
    whole_book,
    prepare=(_open,),
)
CHAPTERS = replace(A_TALE, name="a book of chapters", work=_write_chapters, units=3)
A_TALE_WITH_NOTES = Scenario(
    "a tale with notes",
    frozenset({F.EDIT_BOOK, F.FILL_INDEX, F.SEAL_INDEX}),
    _note_and_write,
    whole_book,
    prepare=(_open,),
    fills_index=True,
)
A_TALE_WITH_SEARCHES = Scenario(
    "a tale with searches", frozenset({F.RECORD_TOOL_USE}), _search_and_write, _searched_book, prepare=(_open,)
)
A_REFRESH = Scenario(
    "a refresh", frozenset({F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.MOVE, F.LEAVE_BOOK}), _refresh,
    _refreshed_book, prepare=(_write_and_change,),
)  # fmt: skip
CANDIDATES = Scenario(
    "candidates at a gate", frozenset({F.CALL_MODEL, F.RECORD_STEP, F.OPEN_GATE, F.DECIDE_GATE}), write_candidates,
    partial(candidates_of, PAINTED), prepare=(_open,),
)  # fmt: skip
CANDIDATES_BESIDE = Scenario(
    "candidates beside a text", frozenset({F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.LEAVE_BOOK}), draft_beside,
    partial(candidates_of, TALE), prepare=(_write_tale,),
)  # fmt: skip
A_LONG_CALL = Scenario(
    "a long call", frozenset({F.RENEW_LEASE}), _write_tale, whole_book, prepare=(_open,), first_call="slow:1.5",
    lease_seconds=2,
)  # fmt: skip
A_BOOK_WITH_GATES = Scenario(
    "a book with gates", frozenset({F.OPEN_GATE, F.DECIDE_GATE, F.SETTLE_GATE, F.TELL_GATE}), write_gated,
    gated_book, prepare=(_open,),
)  # fmt: skip
A_BRANCH = Scenario(
    "a branch", frozenset({F.FORK, F.MERGE}), partial(fork_and_merge, TALE), partial(forked_book, TALE),
    prepare=(_write_tale,),
)  # fmt: skip
A_WRITTEN_BRANCH = Scenario(
    "a branch that is written", frozenset({F.FORK, F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.LEAVE_BOOK}),
    partial(fork_and_write, _CHAPTERS), partial(written_branch, _CHAPTERS), prepare=(_write_chapters,),
)  # fmt: skip
A_VERDICT = Scenario(
    "a reader's verdict", frozenset({F.TAKE_LEASE, F.CALL_MODEL, F.RECORD_STEP, F.LEAVE_BOOK}),
    partial(have_compared, TALE), compared_book, prepare=(_write_tale,),
)  # fmt: skip
SCENARIOS = (
    Scenario("an empty database", frozenset({F.MIGRATE, F.CREATE_BOOK}), _begin, _begun_book),
    Scenario("an older database", frozenset({F.MIGRATE}), _open, whole_book, prepare=(_write_tale, _age)),
    A_TALE,
    A_TALE_WITH_NOTES,
    A_TALE_WITH_SEARCHES,
    A_LONG_CALL,
    A_BOOK_WITH_GATES,
    A_BRANCH,
    Scenario("a backup", frozenset({F.BACKUP}), _back_up, _backup_and_book, prepare=(_write_tale,)),
    Scenario(
        "a restore", frozenset({F.KEEP_REPLACED, F.PREPARE_RESTORE, F.RESTORE}), _restore, _backup_and_book,
        prepare=(_write_tale, _back_up_and_note),
    ),
    Scenario("old prompts let go", frozenset({F.PRUNE}), _prune, _pruned_book, prepare=(_write_tale,)),
)  # fmt: skip
