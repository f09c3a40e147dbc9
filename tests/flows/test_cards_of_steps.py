"""Every step is stored with the card that its template read, so that it can be rendered again whatever came since."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.models.errors import BookPaused
from bookwright.models.step import CODE, Activity
from bookwright.models.tree.level import Level
from bookwright.prompts.render import render
from bookwright.prompts.stored_card import card_of
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage
from tests.support.books import make_brief_of, make_settings, new_library


def rehearsed(home: Path, limits: Limits | None = None, **brief: Any) -> BookStorage:
    """A book by an author that misses every length and sometimes gives no result; with limits, its beginning."""
    settings = make_settings(home, free_megabytes=0, keep_vault=False).model_copy(update={"model": "rehearsal:miss"})
    database = new_library(settings)
    book = find_or_create(database, make_brief_of(**brief))
    with closing(ModelService(settings)) as models:
        try:
            run_book(book.id, RunConfig(settings, database, models, limits=limits or Limits()))
        except BookPaused:
            assert limits is not None
    return BookStorage(database, book.id, book.brief.language)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BookStorage]:
    """Two chapters of a novel."""
    limits = Limits(until_level=Level.CHAPTER, until_count=2)
    brief = {"length": 12_000, "max_unit_length": 1_500, "profile": "standard", "max_planning_rounds": 3}
    storage = rehearsed(tmp_path_factory.mktemp("novel"), limits, **brief)
    yield storage
    storage.database.dispose()


def asked_steps(storage: BookStorage) -> list[StepLine]:
    with storage.read() as stores:
        return [line for line in stores.steps.lines() if line.role != CODE]


def not_as_asked(storage: BookStorage) -> list[StepLine]:
    """The steps whose stored card does not give, letter for letter, the part that was asked."""
    with storage.read() as stores:
        cards = {line: card_of(stores.steps.card(line.id)) for line in asked_steps(storage)}
        return [
            line
            for line, (card, locale) in cards.items()
            if render(line.template, card, locale) != stores.steps.prompt(line.id)[-1]
        ]


def test_every_step_of_a_book_that_moved_on_is_rendered_as_it_was_asked(written: BookStorage) -> None:
    activities = {line.activity for line in asked_steps(written)}

    assert not_as_asked(written) == []
    seldom = {Activity.ASK, Activity.CONDENSE, Activity.PUBLISH, Activity.AGGREGATE, Activity.DECOMPOSE}
    assert activities >= {activity.value for activity in set(Activity) - seldom}


@pytest.mark.parametrize(
    "brief", [{"profile": "small", "length": 900}, {"profile": "economy", "length": 6_000, "language": "zh"}]
)
def test_so_is_every_step_of_a_finished_book(tmp_path: Path, brief: dict[str, Any]) -> None:
    storage = rehearsed(tmp_path, **brief)

    assert asked_steps(storage) != []
    assert not_as_asked(storage) == []
    storage.database.dispose()


def test_what_a_units_steps_have_in_common_is_stored_once(written: BookStorage) -> None:
    with written.read() as stores:
        cards = [stores.steps.card(line.id) for line in asked_steps(written)]
    shared = {card[0] for card in cards}
    units = {card_of(card)[0].unit for card in cards}

    assert len(shared) == len(units) < len(cards) / 4
