"""Texts by content hash: what goes in comes out, and once is enough."""

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st
from sqlalchemy import func, select

from bookwright.storage.repositories.texts import TextStore, text_hash
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import texts
from tests.storage.conftest import BACKINGS, BRIEF

ODD = ["", "plain", "守塔人", "null \x00 inside", "lone \ud83d half", "\r\n\t", "🕯", "x" * 1_000_000]


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Both databases."""
    return str(request.param)


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_a_text_comes_back_as_it_was(storage: BookStorage, text: str) -> None:
    key = text_hash(text)

    with storage.write() as stores:
        stores.texts.put({key: text})

    with storage.read() as stores:
        assert stores.texts.get(key) == text
        assert stores.texts.get_many([key, "unknown", key]) == {key: text}


@examples(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=20, deadline=None)
@given(st.lists(st.text(st.characters(codec=None)), max_size=5))
def test_any_texts_come_back(storage: BookStorage, some: list[str]) -> None:
    items = {text_hash(text): text for text in some}

    with storage.write() as stores:
        stores.texts.put(items)
        assert stores.texts.get_many(items) == items


def test_a_text_is_kept_once_for_each_book(storage: BookStorage) -> None:
    key = text_hash("rain")
    with storage.write() as stores:
        stores.books.create("other", BRIEF)
        for book in (storage.book, storage.book, "other"):
            TextStore(stores.connection, book).put({key: "rain"})

    with storage.read() as stores:
        rows = stores.connection.execute(select(func.count()).select_from(texts).where(texts.c.hash == key))
        assert rows.scalar_one() == 2


def test_a_text_that_is_not_kept_is_a_key_error(storage: BookStorage) -> None:
    with storage.read() as stores, pytest.raises(KeyError):
        stores.texts.get("unknown")


def test_nothing_asked_for_is_nothing_found(storage: BookStorage) -> None:
    with storage.write() as stores:
        stores.texts.put({})
        assert stores.texts.get_many([]) == {}


def test_texts_are_compressed(storage: BookStorage) -> None:
    text = "rain fell on the tower. " * 500
    key = text_hash(text)
    with storage.write() as stores:
        stores.texts.put({key: text})
        size = stores.connection.execute(select(func.length(texts.c.body)).where(texts.c.hash == key)).scalar_one()

    assert size < len(text) / 20


def test_a_hash_tells_texts_apart_and_is_always_the_same() -> None:
    assert text_hash("rain") == text_hash("rain") != text_hash("rain ")
    assert text_hash("\ud83d") != text_hash("?")
    assert len(text_hash("")) == 24
