"""A book that the page begins: from its form, with an outline, or from a manuscript that is brought along."""

import re
import time
from collections.abc import Callable

import pytest
from starlette.testclient import TestClient

from bookwright.models.book import BookState
from bookwright.models.settings import Settings
from bookwright.storage.monitoring import open_read_only
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage
from tests.studio.test_book_pages import PIECE

ORDER = {"premise": "A keeper counts one ship too many.", "length": "900", "profile": "economy", "title": "One Ship"}


def test_a_book_is_ordered_billed_begun_and_written_and_gone_on_with_behind_its_end(
    page: TestClient, settings: Settings
) -> None:
    order = ORDER | {"length": "4000"}
    begun = page.post("/new/begin", data=order | _billed(page, order))
    book = begun.headers["hx-redirect"].removeprefix("/books/")
    _until(lambda: _state(settings, book) is BookState.FINISHED)
    shelf, desk = page.get("/").text, f"/books/{book}"
    shown = page.get(f"{desk}/brief").text
    too_little = _billed(page, {"more": "5"}, f"{desk}/more/bill", "too little")
    bill = _billed(page, {"more": "2000"}, f"{desk}/more/bill")

    guessed = page.post(f"{desk}/more", data=bill | {"bill": "0" * 64}, headers=PIECE)
    gone_on = page.post(f"{desk}/more", data=bill, headers=PIECE)
    _until(lambda: _state(settings, book) is not BookState.FINISHED)
    _until(lambda: _state(settings, book) is BookState.FINISHED)
    _until(lambda: "at work" not in page.post(f"{desk}/more", data=bill, headers=PIECE).text)
    again = page.post(f"{desk}/more", data=bill, headers=PIECE)
    elsewhere = page.post("/new/begin", data=order | bill, headers=PIECE)

    assert "One Ship" in shelf
    assert 'class="standing finished"' in shelf
    assert "Write on behind the end" in shown
    assert too_little == {}
    assert (guessed.status_code, gone_on.headers["hx-redirect"]) == (422, desk)
    assert "has changed since its bill" in again.text
    assert "has changed since its bill" in elsewhere.text
    written = re.search(r'aria-label="Written[^>]*>.*?<dd>([\d,]+) ', page.get(desk).text, re.S)
    assert written is not None
    assert int(written[1].replace(",", "")) > 5_500


@pytest.mark.parametrize("more", ["", "many", "-5"])
def test_how_much_more_is_a_number(page: TestClient, book: BookStorage, more: str) -> None:
    assert page.post("/books/lamp/more/bill", data={"more": more}, headers=PIECE).status_code == 422


@pytest.mark.parametrize("change", [{"length": "1200"}, {"premise": "Another one."}, {"bill": "0" * 64}])
def test_an_order_that_is_not_the_billed_one_begins_nothing(
    page: TestClient, settings: Settings, change: dict[str, str]
) -> None:
    bill = _billed(page, ORDER)

    refused = page.post("/new/begin", data=ORDER | bill | change, headers={"hx-request": "true"})

    assert refused.status_code == 422
    assert "has changed since its bill" in refused.text
    assert open_read_only(settings) is None


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


def test_a_cap_may_be_said_with_its_sign(page: TestClient) -> None:
    assert page.post("/new/bill", data=ORDER | {"usd": "$ 5"}, headers={"hx-request": "true"}).status_code == 200


def test_a_path_in_a_field_is_a_text_and_no_file(page: TestClient, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("else") / "outline.md"
    file.write_text("# One\n\nA secret of the disk.\n", "utf-8")

    refused = page.post("/new/bill", data=ORDER | {"outline": str(file)}, headers={"hx-request": "true"})

    assert refused.status_code == 422
    assert "secret of the disk" not in refused.text


def _billed(page: TestClient, order: dict[str, str], at: str = "/new/bill", told: str = "The bill") -> dict[str, str]:
    """Ask for the bill of an order until it is there, or until a complaint is told."""
    shown = page.post(at, data=order).text
    number = re.search(r"/new/bill/(\d+)", shown)
    assert number is not None
    _until(lambda: told in page.get(f"/new/bill/{number[1]}").text)
    fields = re.findall(r'name="(job|bill)" value="(\w+)"', page.get(f"/new/bill/{number[1]}").text)
    return dict(fields)


def _state(settings: Settings, book: str) -> BookState | None:
    database = open_read_only(settings)
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


TEXT = "".join(
    f"Chapter {number}\n\n" + "The keeper lit the lamp and counted the ships on the grey water. " * 12 + "\n\n"
    for number in (1, 2, 3)
)


def test_a_manuscript_is_split_billed_and_taken_in(page: TestClient, settings: Settings) -> None:
    shown = _found(page, page.post("/import/preview?name=Lamp.txt", content=TEXT.encode()).text)
    nothing_yet = open_read_only(settings)
    fields = dict(re.findall(r'name="(job|bill)" value="(\w+)"', shown))
    guessed = page.post("/import/begin", data=fields | {"bill": "guess"}, headers=PIECE)

    begun = page.post("/import/begin", data=fields | {"rests": "1"})
    again = page.post("/import/begin", data=fields | {"rests": "1"}, headers=PIECE)

    table = shown.partition('id="split"')[2].partition("</table>")[0]
    assert table.count("<tr>") == 4
    assert "3 chapters" in shown
    assert "calls" in shown
    assert nothing_yet is None
    assert (guessed.status_code, again.status_code) == (422, 422)
    read = page.get(f"{begun.headers['hx-redirect']}/read").text
    assert "Chapter 3" in read


def test_what_is_no_manuscript_is_told(page: TestClient) -> None:
    for name, content in (("a.txt", b""), ("a.pdf", b"%PDF-1.7"), ("../../a.txt", b"Too short.")):
        refused = page.post(f"/import/preview?name={name}", content=content, headers=PIECE)

        assert refused.status_code == 422
        assert "bookwright-import-" not in refused.text


def _found(page: TestClient, shown: str) -> str:
    number = re.findall(r"/import/(\d+)", shown)[0]
    end = time.monotonic() + 90
    while 'id="split"' not in shown:
        assert time.monotonic() < end, shown
        time.sleep(0.3)
        shown = page.get(f"/import/{number}").text
    return shown
