"""A step of the journal asked again in other words: by its bill alone, beside the old answer, the book as it was."""

import re
import time

from starlette.testclient import TestClient

from bookwright.models.step import Activity
from bookwright.storage.lease import Lease
from bookwright.storage.steps.pages import StepFilter
from bookwright.storage.stores import BookStorage
from tests.studio.test_book_pages import PIECE

WORDS = {"words": "Write the scene once more, with snow."}


def test_a_step_is_asked_again_beside_its_old_answer(page: TestClient, book: BookStorage) -> None:
    step = _draft(book)
    before = page.get("/books/lamp/read/1.1").text
    bill = page.post(f"/books/lamp/journal/{step}/again", data=WORDS).text
    confirmed = _bill(bill)
    guessed = page.post(f"/books/lamp/journal/{step}/again/ask", data=WORDS | {"bill": "guess"}, headers=PIECE)
    other = {"words": "Something dearer.", "bill": confirmed}
    swapped = page.post(f"/books/lamp/journal/{step}/again/ask", data=other, headers=PIECE)

    shown = _answered(page, page.post(f"/books/lamp/journal/{step}/again/ask", data=WORDS | {"bill": confirmed}).text)

    assert "rehearsal:exact is asked once" in bill
    assert (guessed.status_code, swapped.status_code) == (422, 422)
    assert "Rain fell." in shown
    with book.read() as stores:
        [kept] = stores.step_pages.page(StepFilter(Activity.ASK))
        prompt, reply = stores.steps.prompt(kept.id), stores.steps.reply(kept.id)
    assert (kept.step, prompt) == (f"again.{step}", ["The frame.", WORDS["words"]])
    assert reply
    assert reply[:20] in shown
    later = page.get(f"/books/lamp/journal/{step}").text
    assert "Asked again" in later
    assert 'id="again"' in later
    assert page.get("/books/lamp/read/1.1").text == before


def test_nothing_is_asked_without_words_or_of_a_step_that_is_not_there(page: TestClient, book: BookStorage) -> None:
    step = _draft(book)

    assert page.post(f"/books/lamp/journal/{step}/again", data={"words": " "}, headers=PIECE).status_code == 422
    assert page.post("/books/lamp/journal/99999/again", data=WORDS, headers=PIECE).status_code == 404


def test_an_answer_of_a_book_that_is_written_is_shown_and_on_no_record(page: TestClient, book: BookStorage) -> None:
    step = _draft(book)
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", "a worker on elsewhere", 600)
    confirmed = _bill(page.post(f"/books/lamp/journal/{step}/again", data=WORDS).text)

    shown = _answered(page, page.post(f"/books/lamp/journal/{step}/again/ask", data=WORDS | {"bill": confirmed}).text)

    assert "on no record" in shown
    with book.read() as stores:
        assert stores.step_pages.page(StepFilter(Activity.ASK)) == []


def _draft(book: BookStorage) -> int:
    with book.read() as stores:
        return stores.step_pages.page(StepFilter(Activity.WRITE))[0].id


def _bill(shown: str) -> str:
    return re.findall(r'name="bill" value="(\w+)"', shown)[0]


def _answered(page: TestClient, shown: str) -> str:
    end = time.monotonic() + 60
    while "new-answer" not in shown:
        address = re.findall(r'hx-get="(/books/lamp/journal/\d+/again/\d+)"', shown)
        assert address, shown
        assert time.monotonic() < end, shown
        time.sleep(0.2)
        shown = page.get(address[0]).text
    return shown
