"""From the form to a book that is written in a process of its own."""

import re
import time
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from bookwright.models.book import BookState
from bookwright.models.settings import Settings
from bookwright.storage.engine.looks import open_for_looks
from bookwright.storage.repositories.books import BookRepository

ORDER = {"premise": "A keeper counts one ship too many.", "length": "900", "profile": "economy", "title": "One Ship"}


def test_a_book_is_ordered_billed_begun_and_written(page: TestClient, settings: Settings) -> None:
    bill = _billed(page, ORDER)

    begun = page.post("/new/begin", data=ORDER | bill)

    book = begun.headers["hx-redirect"].removeprefix("/books/")
    _until(lambda: _state(settings, book) is BookState.FINISHED)
    assert "One Ship" in page.get("/").text
    assert 'class="standing finished"' in page.get("/").text


@pytest.mark.parametrize("change", [{"length": "1200"}, {"premise": "Another one."}, {"bill": "0" * 64}])
def test_an_order_that_is_not_the_billed_one_begins_nothing(
    page: TestClient, settings: Settings, change: dict[str, str]
) -> None:
    bill = _billed(page, ORDER)

    refused = page.post("/new/begin", data=ORDER | bill | change, headers={"hx-request": "true"})

    assert refused.status_code == 422
    assert "has changed since its bill" in refused.text
    assert open_for_looks(settings) is None


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("premise", " ", "no premise"),
        ("length", "many", "whole number"),
        ("length", "7", "length in the brief"),
        ("usd", "-1", "budget.usd"),
        ("model", "nobody:x", "nobody"),
        ("blueprint", "/etc", "no blueprint"),
        ("style_sample", "too short", "sample of style"),
    ],
)
def test_an_order_that_cannot_be_written_is_told_at_once(page: TestClient, field: str, value: str, words: str) -> None:
    refused = page.post("/new/bill", data=ORDER | {field: value}, headers={"hx-request": "true"})

    assert refused.status_code == 422
    assert words in refused.text


def test_a_path_in_a_field_is_a_text_and_no_file(page: TestClient, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("else") / "outline.md"
    file.write_text("# One\n\nA secret of the disk.\n", "utf-8")

    refused = page.post("/new/bill", data=ORDER | {"outline": str(file)}, headers={"hx-request": "true"})

    assert refused.status_code == 422
    assert "secret of the disk" not in refused.text


def _billed(page: TestClient, order: dict[str, str]) -> dict[str, str]:
    """Ask for the bill of an order until it is there."""
    shown = page.post("/new/bill", data=order).text
    number = re.search(r"/new/bill/(\d+)", shown)
    assert number is not None
    _until(lambda: "The bill" in page.get(f"/new/bill/{number[1]}").text)
    fields = re.findall(r'name="(job|bill)" value="(\w+)"', page.get(f"/new/bill/{number[1]}").text)
    return dict(fields)


def _state(settings: Settings, book: str) -> BookState | None:
    database = open_for_looks(settings)
    if database is None:
        return None
    with database.read() as connection:
        found = BookRepository(connection).find(book)
    database.dispose()
    return found.state if found else None


def _until(holds: Callable[[], bool], seconds: float = 90) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.2)
