"""Opening the library: one brief is one book, whole or not there at all."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import event

from bookwright.flows.library import book_id, find_or_create, open_library
from bookwright.models.brief import make_brief
from bookwright.models.settings import load_settings
from bookwright.storage.engine.database import Database
from bookwright.storage.stores import BookStorage

BRIEF = make_brief({"premise": "A keeper finds a log.", "length": 900, "title": "The Log"})


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Database]:
    """An empty library."""
    database = open_library(load_settings(home=tmp_path))
    yield database
    database.dispose()


def test_a_book_and_its_root_are_made_in_one_commit(library: Database) -> None:
    commits: list[object] = []
    event.listen(library.engine, "commit", commits.append)

    book = find_or_create(library, BRIEF)

    assert len(commits) == 1
    with BookStorage(library, book.id, BRIEF.language).read() as stores:
        assert stores.nodes.root().length == 900


def test_the_same_brief_means_the_same_book(library: Database) -> None:
    first = find_or_create(library, BRIEF)

    cheaper = BRIEF.changed(budget={"usd": 3}, profile="economy", models={"writer": "openai:x"})

    assert find_or_create(library, BRIEF) == first
    assert find_or_create(library, cheaper).id == first.id
    assert find_or_create(library, BRIEF.changed(length=901)).id != first.id


def test_another_book_of_the_same_brief_can_be_asked_for(library: Database) -> None:
    books = [find_or_create(library, BRIEF, is_new=True).id for _ in range(3)]

    assert books == [book_id(BRIEF), f"{book_id(BRIEF)}-2", f"{book_id(BRIEF)}-3"]
    assert find_or_create(library, BRIEF).id == books[0]


@pytest.mark.parametrize(
    ("title", "slug"),
    [("The Log", "the-log"), ("Café d'Été!", "cafe-d-ete"), ("守塔人", "book"), ("x" * 99, "x" * 40)],
)
def test_a_book_is_named_after_its_title_in_plain_letters(title: str, slug: str) -> None:
    assert book_id(BRIEF.changed(title=title)).rpartition("-")[0] == slug


def test_opening_a_library_twice_changes_nothing(library: Database, tmp_path: Path) -> None:
    find_or_create(library, BRIEF)

    again = open_library(load_settings(home=tmp_path))

    assert find_or_create(again, BRIEF) == find_or_create(library, BRIEF)
    again.dispose()
