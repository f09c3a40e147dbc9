"""Every recorded step can be come to again, of the book as it stood then, and nothing is asked or written for it."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.failpoints import Failpoint
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.limits import Limits
from bookwright.flows.open_book import Surroundings
from bookwright.flows.revision.asked_again import ask_again
from bookwright.flows.run_book import run_book
from bookwright.models.errors import BookPaused, InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.storage.repositories.books import Lease
from bookwright.storage.steps.queries import AskedStep
from bookwright.storage.stores import BookStorage
from bookwright.storage.transfer.past import book_before
from tests.support.books import make_brief_of, make_settings

Written = tuple[BookStorage, Settings]


def rehearsed(home: Path, model: str, limits: Limits | None = None, **brief: Any) -> Written:
    """A book that the rehearsal author wrote; with limits, its beginning."""
    settings = make_settings(home, free_megabytes=0).model_copy(update={"model": model})
    database = open_library(settings)
    book = find_or_create(database, make_brief_of(**brief))
    with closing(ModelService(settings)) as models:
        try:
            run_book(book.id, Surroundings(settings, database, models, limits=limits or Limits()))
        except BookPaused:
            assert limits is not None
    return BookStorage(database, book.id, book.brief.language), settings


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Written]:
    """Two chapters of a novel, by an author that misses every length and sometimes gives no result."""
    home = tmp_path_factory.mktemp("novel")
    limits = Limits(until_level=Level.CHAPTER, until_count=2)
    found = rehearsed(home, "rehearsal:miss", limits, length=12_000, profile="standard")
    yield found
    found[0].database.dispose()


def steps_of(storage: BookStorage) -> list[AskedStep]:
    with storage.read() as stores:
        return [stores.steps.asked(line.id) for line in stores.steps.lines()]


def own_part_of(step: AskedStep, storage: BookStorage) -> str:
    with storage.read() as stores:
        return stores.steps.prompt(step.id)[-1]


def not_as_then(storage: BookStorage, settings: Settings) -> list[AskedStep]:
    """The steps whose own part is not, letter for letter, what was asked."""
    steps = steps_of(storage)
    return [step for step in steps if ask_again(step, storage, settings).own_part != own_part_of(step, storage)]


def contents(storage: BookStorage) -> str:
    """A hash over every row of the database."""
    with sqlite3.connect(str(storage.database.engine.url.database)) as connection:
        return hashlib.sha256("\n".join(connection.iterdump()).encode()).hexdigest()


def test_every_step_of_a_book_that_moved_on_is_rendered_as_it_was_asked(written: Written) -> None:
    storage, settings = written

    activities = {step.key.activity for step in steps_of(storage)}

    assert not_as_then(storage, settings) == []
    seldom = {Activity.ASK, Activity.CONDENSE, Activity.PUBLISH, Activity.AGGREGATE, Activity.DECOMPOSE}
    assert activities >= set(Activity) - seldom


@pytest.mark.parametrize(
    "brief", [{"profile": "small", "length": 900}, {"profile": "economy", "length": 6_000, "language": "zh"}]
)
def test_so_is_every_step_of_a_finished_book(tmp_path: Path, brief: dict[str, Any]) -> None:
    storage, settings = rehearsed(tmp_path, "rehearsal:miss", **brief)

    assert not_as_then(storage, settings) == []
    storage.database.dispose()


def test_nothing_is_written_also_while_another_worker_holds_the_book(written: Written) -> None:
    storage, settings = written
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        lease = Lease.take(connection, storage.book, "another worker", 600)
    before = contents(storage)

    for step in steps_of(storage)[::7]:
        ask_again(step, storage, settings)

    assert contents(storage) == before
    with storage.database.write(Failpoint.EDIT_BOOK) as connection:
        lease.fence(connection)
        lease.release(connection)


def test_a_change_of_the_brief_since_then_changes_nothing(written: Written) -> None:
    storage, settings = written
    step = next(step for step in steps_of(storage) if step.key.activity is Activity.WRITE)
    with storage.write() as stores:
        brief = stores.books.get(storage.book).brief
        stores.books.edit_brief(storage.book, brief.changed(style="curt", profile="fine"))

    again = ask_again(step, storage, settings)

    assert again.own_part == own_part_of(step, storage)
    assert again.card.book.style == brief.style


def test_the_copy_ends_where_the_step_begins(written: Written) -> None:
    storage, settings = written
    steps = steps_of(storage)
    first_draft = next(step for step in steps if step.key.step == "draft" and step.key.activity is Activity.WRITE)

    with book_before(first_draft, storage, settings) as then, then.read() as past, storage.read() as now:
        assert past.nodes.root().written == 0 < now.nodes.root().written
        assert past.nodes.get(first_draft.key.node).written == 0
        assert past.nodes.count() < now.nodes.count()
        assert max(line.id for line in past.steps.lines()) < first_draft.id


def test_a_step_of_a_revision_that_is_gone_is_refused(written: Written) -> None:
    storage, settings = written
    step = steps_of(storage)[0]
    old = replace(step, key=step.key.model_copy(update={"revision": 7}))

    with pytest.raises(InvalidInput, match=r"step \d+ belongs to revision 7 of 1 book .*, which is gone"):
        ask_again(old, storage, settings)


def test_a_step_that_this_version_does_not_ask_is_refused(written: Written) -> None:
    storage, settings = written
    step = next(step for step in steps_of(storage) if step.key.activity is Activity.WRITE)
    unknown = replace(step, key=step.key.model_copy(update={"step": "fifth_critic"}))

    with pytest.raises(InvalidInput, match=rf"where it asked step {step.id}"):
        ask_again(unknown, storage, settings)
