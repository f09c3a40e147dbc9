"""What a fork of a long book takes, and what a step of a branch costs beside a step of its origin."""

import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from bench import shim
from bench.measure import Measure
from bench.parts import (
    NULL_BOOK,
    EnoughAsked,
    NoContext,
    NullAsker,
    counted_queries,
    held_book,
    make_settings,
    write_whole,
)
from bookwright.agents.backends.service import ModelService
from bookwright.app.access import OpenBook
from bookwright.app.branches.forking import fork
from bookwright.flows.deps import Deps
from bookwright.flows.library import opened_library
from bookwright.flows.open_book import RunConfig, hold
from bookwright.flows.walk import write_unit
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage

_WORDS = 1_000_000
_STEPS = 200
_PROFILES = ("economy", "standard")


def run(full: bool) -> Iterator[Measure]:
    """Go on with an unfinished book and with a branch of it; then fork a book of a million words."""
    with shim.memory_folder() as home:
        steps = shim.run("branches:go_on", home=str(home))
    yield Measure("branches.origin.queries_per_step", steps["origin"], "SQL statements")
    yield Measure("branches.branch.queries_per_step", steps["branch"], "SQL statements")
    yield Measure("branches.queries_growth", steps["branch"] / steps["origin"], "branch over origin", "<= 1.05")
    for profile in _PROFILES if full else _PROFILES[:1]:
        found, name = _forked(profile, _WORDS), f"branches.{profile}.{_WORDS}"
        yield Measure(f"{name}.seconds", found["seconds"], "s", "<= 0.3")
        yield Measure(f"{name}.cpu", found["cpu"], "s")
        yield Measure(f"{name}.megabytes", found["megabytes"], "MB", "<= 1")
        yield Measure(f"{name}.nodes", found["nodes"], "nodes copied")
        yield Measure(f"{name}.of_the_book", found["share"], "of the bytes of the book")


def _forked(profile: str, words: int) -> dict[str, float]:
    with shim.memory_folder() as home:
        shim.run("branches:write_book", home=str(home), profile=profile, words=words)
        return shim.run("branches:fork_book", home=str(home))


def write_book(folder: Path, home: str, profile: str, words: int) -> dict[str, float]:
    """Write a whole book by the rehearsal author, which has a codex and all else that a book has."""
    settings = make_settings(Path(home), "rehearsal:miss")
    with closing(ModelService(settings)) as models, held_book(settings, models, profile=profile, length=words) as deps:
        write_whole(deps)
    return {}


def fork_book(folder: Path, home: str) -> dict[str, float]:
    """Fork the book of a library, and tell what that took; a second branch, since the first makes tables' pages."""
    settings = make_settings(Path(home), "rehearsal:exact")
    with opened_library(settings) as database:
        book = _only(database, settings)
        fork(book, None, "first")
        before = _size(database, settings)
        began, cpu = time.perf_counter(), time.process_time()
        made = fork(book, None, "second")
        found = {"seconds": time.perf_counter() - began, "cpu": time.process_time() - cpu}
        grown = _size(database, settings) - before
        with BookStorage(database, made.book, book.storage.language).read() as stores:
            nodes = stores.nodes.count()
    return found | {"megabytes": grown / 2**20, "share": grown / before, "nodes": nodes}


def go_on(folder: Path, home: str) -> dict[str, float]:
    """Write some steps of a book, fork it, and go on with both, counting statements."""
    settings = make_settings(Path(home), "rehearsal:exact")
    with held_book(settings, NullAsker(_STEPS), **NULL_BOOK) as deps:
        _walk(deps)
    with opened_library(settings) as database:
        book = _only(database, settings)
        both = {"origin": book.book.id, "branch": fork(book, None, "she stays").book}
        return {name: _statements(identity, database, settings) for name, identity in both.items()}


def _statements(identity: str, database: Database, settings: Settings) -> float:
    """Go on with a book for some steps; return how many statements each took."""
    asker = NullAsker(_STEPS)
    with hold(identity, RunConfig(settings, database, asker)) as deps, counted_queries() as queries:
        _walk(replace(deps, desk=replace(deps.desk, contexts=NoContext())))
    return queries[0] / asker.calls


def _walk(deps: Deps) -> None:
    with deps.stores() as stores:
        root = stores.nodes.root()
    with suppress(EnoughAsked):
        write_unit(root, deps)


def _only(database: Database, settings: Settings) -> OpenBook:
    with database.read() as connection:
        book = BookRepository(connection).all()[-1]
    return OpenBook(settings, BookStorage(database, book.id, book.brief.language), book)


def _size(database: Database, settings: Settings) -> int:
    with database.look() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return settings.database_path.stat().st_size
