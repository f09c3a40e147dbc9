"""What a fork of a long book takes, and what a step of a branch costs beside a step of its origin."""

import time
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

from sqlalchemy import func, select

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
    walk,
    write_whole,
)
from bookwright.agents.backends.service import ModelService
from bookwright.app.access import OpenBook
from bookwright.app.branches.forks import fork
from bookwright.flows.deps import Deps
from bookwright.flows.library import opened_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import metadata, texts

_WORDS = 1_000_000
_STEPS = 200
_FORKS = 5
_PROFILES = ("economy", "standard")
_COUNTED = {"queries": "SQL statements", "rows": "rows added", "bytes": "of texts, compressed"}


def run(full: bool) -> Iterator[Measure]:
    """Go on with an unfinished book and with a branch of it; then fork a book of a million words."""
    with shim.memory_folder() as home:
        steps = shim.run("branches:go_on", home=str(home))
    for when in ("first", "later"):
        for name, unit in _COUNTED.items():
            origin, branch = (steps[f"{when}.{of}.{name}"] for of in ("origin", "branch"))
            yield Measure(f"branches.{when}.origin.{name}_per_step", origin, unit)
            yield Measure(f"branches.{when}.branch.{name}_per_step", branch, unit)
            target = "<= 1.05" if when == "later" or name == "queries" else ""
            yield Measure(f"branches.{when}.{name}_growth", branch / origin, "branch over origin", target)
    for profile in _PROFILES if full else _PROFILES[:1]:
        with shim.memory_folder() as home:
            shim.run("branches:write_book", home=str(home), profile=profile, words=_WORDS)
            found = shim.run("branches:fork_book", home=str(home))
        name = f"branches.{profile}.{_WORDS}"
        yield Measure(f"{name}.seconds", found["seconds"], "s", "<= 0.3")
        yield Measure(f"{name}.cpu", found["cpu"], "s")
        yield Measure(f"{name}.megabytes", found["megabytes"], "MB", "<= 1")
        yield Measure(f"{name}.nodes", found["nodes"], "nodes copied")
        yield Measure(f"{name}.of_the_book", found["share"], "of the bytes of the book")


def write_book(folder: Path, home: str, profile: str, words: int) -> dict[str, float]:
    """Write a whole book by the rehearsal author, which has a codex and all else that a book has."""
    settings = make_settings(Path(home), "rehearsal:miss")
    with closing(ModelService(settings)) as models, held_book(settings, models, profile=profile, length=words) as deps:
        write_whole(deps)
    return {}


def fork_book(folder: Path, home: str) -> dict[str, float]:
    """Fork the book of a library, and tell what that took; not for the first branch, which makes tables' pages.

    The time is the least of a few, since others may use the machine meanwhile.
    """
    settings = make_settings(Path(home), "rehearsal:exact")
    with opened_library(settings) as database:
        book = _only(database, settings)
        fork(book, None, "first")
        before, took = _size(database, settings), []
        for number in range(_FORKS):
            began, cpu = time.perf_counter(), time.process_time()
            made = fork(book, None, f"branch {number}")
            took.append((time.perf_counter() - began, time.process_time() - cpu))
        grown = (_size(database, settings) - before) / _FORKS
        with BookStorage(database, made.book, book.storage.language).read() as stores:
            nodes = stores.nodes.count()
    seconds, used = map(min, zip(*took, strict=True))
    return {"seconds": seconds, "cpu": used, "megabytes": grown / 2**20, "share": grown / before, "nodes": nodes}


def go_on(folder: Path, home: str, steps: int = _STEPS) -> dict[str, float]:
    """Write some steps of a book, fork it, and go on with both, counting statements."""
    settings = make_settings(Path(home), "rehearsal:exact")
    with held_book(settings, NullAsker(steps), **NULL_BOOK) as deps:
        _walk(deps)
    with opened_library(settings) as database:
        book = _only(database, settings)
        both = {"origin": book.book.id, "branch": fork(book, None, "she stays").book}
        # at first a branch stores texts of its prompts again that its origin has, which may let go of them
        return {
            f"{when}.{of}.{name}": count
            for when in ("first", "later")
            for of, identity in both.items()
            for name, count in _counted(identity, database, settings, steps).items()
        }


def _counted(identity: str, database: Database, settings: Settings, steps: int) -> dict[str, float]:
    """Go on with a book for some steps; return what each of them took."""
    asker = NullAsker(steps)
    rows, size = _rows_and_bytes(database)
    with hold_book(identity, RunConfig(settings, database, asker)) as deps, counted_queries() as queries:
        _walk(replace(deps, desk=replace(deps.desk, contexts=NoContext())))
    more_rows, more_bytes = _rows_and_bytes(database)
    grown = {"queries": queries[0], "rows": more_rows - rows, "bytes": more_bytes - size}
    return {name: count / asker.calls for name, count in grown.items()}


def _rows_and_bytes(database: Database) -> tuple[int, int]:
    """Count all rows of a database, and the bytes of its texts."""
    with database.read() as connection:
        counts = (select(func.count()).select_from(table) for table in metadata.sorted_tables)
        rows = sum(connection.execute(count).scalar_one() for count in counts)
        return rows, connection.execute(select(func.sum(func.length(texts.c.body)))).scalar_one()


def _walk(deps: Deps) -> None:
    with suppress(EnoughAsked):
        walk(deps)


def _only(database: Database, settings: Settings) -> OpenBook:
    with database.read() as connection:
        book = BookRepository(connection).all()[-1]
    return OpenBook(settings, BookStorage(database, book.id, book.brief.language), book)


def _size(database: Database, settings: Settings) -> int:
    with database.look() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return settings.database_path.stat().st_size
