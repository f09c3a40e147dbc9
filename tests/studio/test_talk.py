"""Talk: an author's words become one command, shown with its cost, done at a yes and only then."""

import re
import time

from starlette.testclient import TestClient

from bookwright.models.document import DocumentKind
from bookwright.storage.stores import BookStorage
from tests.studio.test_book_pages import PIECE


def test_words_become_a_command_that_is_done_at_a_yes_and_once(page: TestClient, book: BookStorage) -> None:
    shown, number = _asked(page, "add a character: Ines Vale")
    before = _entries(book)

    done = page.post(f"/books/lamp/talk/{number}/do")
    again = page.post(f"/books/lamp/talk/{number}/do", headers=PIECE)

    assert "codex add lamp &#39;Ines Vale&#39;" in shown
    assert "It asks models" not in shown
    assert before == []
    assert (done.status_code, again.status_code) == (200, 422)
    assert _entries(book) == ["Ines Vale"]


def test_nothing_is_done_or_asked_at_the_address_of_no_book(page: TestClient, book: BookStorage) -> None:
    _, number = _asked(page, "add a character: Ines Vale")

    done = page.post(f"/books/nobody/talk/{number}/do", headers=PIECE)
    asked = page.post("/books/nobody/talk", data={"words": "add a character: Ada"}, headers=PIECE)

    assert (done.status_code, asked.status_code, _entries(book)) == (404, 404, [])
    assert page.get(f"/books/lamp/talk/{int(number) + 1}", headers=PIECE).status_code == 422


def test_what_asks_models_is_shown_with_its_cost_and_done_by_a_process_of_its_own(
    page: TestClient, book: BookStorage
) -> None:
    shown, number = _asked(page, "rewrite 1.2: start in winter")
    before = _versions(book)

    page.post(f"/books/lamp/talk/{number}/do")

    assert "revise lamp 1.2" in shown
    assert "It asks models: a model makes one document anew" in shown
    assert before == 1
    end = time.monotonic() + 120
    while _versions(book) == 1:
        assert time.monotonic() < end, page.get("/books/lamp").text
        time.sleep(0.3)


def test_an_authors_own_word_is_asked_for_on_its_own_page(page: TestClient, book: BookStorage) -> None:
    shown, number = _asked(page, "delete the book")

    assert "This wants your own word" in shown
    assert page.post(f"/books/lamp/talk/{number}/do", headers=PIECE).status_code == 422
    with book.read() as stores:
        assert stores.books.get("lamp").id == "lamp"


def _asked(page: TestClient, words: str) -> tuple[str, str]:
    shown = page.post("/books/lamp/talk", data={"words": words}).text
    number = re.findall(r"/talk/(\d+)", shown)[0]
    end = time.monotonic() + 60
    while "Being read" in shown:
        assert time.monotonic() < end, shown
        time.sleep(0.2)
        shown = page.get(f"/books/lamp/talk/{number}").text
    return shown, number


def _entries(book: BookStorage) -> list[str]:
    with book.read() as stores:
        return [entry.name for entry in stores.codex.entries()]


def _versions(book: BookStorage) -> int:
    with book.read() as stores:
        return len(stores.documents.versions(stores.nodes.by_label("1.2").key, DocumentKind.PROSE))
