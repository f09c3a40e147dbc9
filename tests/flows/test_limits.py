"""Where a run is to rest: after a chapter, also in a book whose chapters are scenes."""

from contextlib import closing
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.limits import Limits
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.models.errors import BookPaused
from bookwright.models.tree.level import Level
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage
from tests.support.books import make_brief_of, make_settings

SHORT = {"length": 2_400, "max_unit_length": 900, "max_planning_rounds": 1, "profile": "economy"}


def test_a_short_book_rests_after_the_scene_that_is_its_first_chapter(tmp_path: Path) -> None:
    settings = make_settings(tmp_path)
    database = open_library(settings)
    book = find_or_create(database, make_brief_of(**SHORT))
    with closing(ModelService(settings)) as models:
        around = RunConfig(settings, database, models, limits=Limits.parse("chapter 1", None))
        with pytest.raises(BookPaused, match="reached chapter 1"):
            run_book(book.id, around)
        with pytest.raises(BookPaused, match="reached chapter 1"):  # and stays there
            run_book(book.id, around)

    with BookStorage(database, book.id, book.brief.language).read() as stores:
        units = [unit for unit in stores.nodes.leaves() if unit.status is NodeStatus.DONE]
    database.dispose()
    assert [unit.level for unit in units] == [Level.SCENE]
