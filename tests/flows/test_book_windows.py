"""What a server says that its models take holds for a book from its first answer on."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bookwright.agents.backends.service import ModelService
from bookwright.failpoints import Failpoint
from bookwright.flows.deps import Deps
from bookwright.flows.library import find_or_create
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.run_book import run_book
from bookwright.models.book import Book
from bookwright.models.brief import make_brief
from bookwright.models.profile import ProfileName
from bookwright.models.settings import Settings, load_settings
from bookwright.storage.engine.database import Database
from bookwright.storage.repositories.books import BookRepository
from tests.support import novelist
from tests.support.books import new_library
from tests.support.fake_provider import FakeProvider

MODEL = "ollama:writer"
BRIEF = {"premise": "A keeper reads a log in her own hand.", "length": 600, "title": "The Log"}
LARGE = {"/api/show": {"parameters": "num_ctx 40960"}}
SMALL = {"/api/show": {"parameters": "num_ctx 4096"}}
HALF_OF_ASSUMED, WHOLE_OF_ECONOMY = 4_096, 6_600
"""Room of a critic: half of 8,192 tokens, or all that the profile gives."""


class Shelf:
    """One book, its provider, and what holds it."""

    def __init__(self, settings: Settings, database: Database, provider: FakeProvider) -> None:
        self.settings, self.database, self.provider = settings, database, provider

    def new_book(self, **changes: object) -> Book:
        return find_or_create(self.database, make_brief({**BRIEF, "profile": "economy", **changes}))

    def written(self, book: Book) -> Book:
        models = ModelService(self.settings)
        try:
            return run_book(book.id, RunConfig(self.settings, self.database, models))
        finally:
            models.close()

    @contextmanager
    def held(self, book: Book) -> Iterator[Deps]:
        with hold_book(book.id, RunConfig(self.settings, self.database, ModelService(self.settings))) as deps:
            yield deps

    def room(self, book: Book) -> int:
        with self.held(book) as deps:
            return deps.profile.context_budget["critic"]

    def kept(self, book: Book) -> dict[str, int]:
        with self.database.read() as connection:
            return BookRepository(connection).get(book.id).windows


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Shelf]:
    with FakeProvider(author=novelist.write) as provider:
        monkeypatch.setenv("OLLAMA_BASE_URL", provider.url)
        settings = load_settings(home=tmp_path, model=MODEL, embedding="hashing", free_megabytes=0)
        database = new_library(settings)
        yield Shelf(settings, database, provider)
        database.dispose()


def test_a_window_that_was_told_stays_with_the_book_whatever_is_said_later(shelf: Shelf) -> None:
    shelf.provider.told = LARGE
    book = shelf.written(shelf.new_book())
    assert shelf.kept(book) == {MODEL: 40_960}
    asked = len(shelf.provider.told_paths)

    for told in ({}, SMALL):
        shelf.provider.told = told
        assert shelf.room(book) == WHOLE_OF_ECONOMY

    assert len(shelf.provider.told_paths) == asked


def test_a_book_begun_under_the_assumption_goes_on_under_it(shelf: Shelf) -> None:
    book = shelf.written(shelf.new_book())
    assert shelf.kept(book) == {}
    shelf.provider.told = LARGE

    assert shelf.room(book) == HALF_OF_ASSUMED


def test_before_the_first_answer_the_server_is_asked_anew(shelf: Shelf) -> None:
    book = shelf.new_book()
    assert shelf.room(book) == HALF_OF_ASSUMED

    shelf.provider.told = LARGE

    assert shelf.room(book) == WHOLE_OF_ECONOMY


def test_a_model_that_is_new_to_a_book_is_asked_about(shelf: Shelf) -> None:
    book = shelf.written(shelf.new_book())
    other = book.brief.changed(models={"default": "ollama:other"})
    with shelf.database.write(Failpoint.EDIT_BOOK) as connection:
        BookRepository(connection).edit_brief(book.id, other)
    shelf.provider.told = LARGE

    assert shelf.room(book) == WHOLE_OF_ECONOMY


def test_the_settings_win_over_what_is_kept(shelf: Shelf) -> None:
    shelf.provider.told = LARGE
    book = shelf.written(shelf.new_book())
    shelf.settings = shelf.settings.model_copy(update={"windows": {MODEL: 5_000}})

    assert shelf.room(book) == 2_500


@pytest.mark.parametrize(("told", "profile"), [(LARGE, ProfileName.STANDARD), (SMALL, ProfileName.SMALL)])
def test_a_book_without_a_profile_has_the_one_of_the_window_that_was_told(
    told: dict[str, object], profile: ProfileName, shelf: Shelf
) -> None:
    shelf.provider.told = told

    with shelf.held(shelf.new_book(profile=None)) as deps:
        assert deps.profile.name is profile


def test_what_is_kept_is_written_with_the_first_step(shelf: Shelf) -> None:
    shelf.provider.told = LARGE
    book = shelf.new_book()
    with shelf.held(book) as deps:
        assert shelf.kept(book) == {}
        deps.desk.journal.move(lambda stores, step: None)

    assert shelf.kept(book) == {MODEL: 40_960}
