"""Notes on words of a text: kept by the words themselves, made orders to a model by the hash of their bill."""

import json
import re
import time

from starlette.testclient import TestClient

from bookwright.models.document import DocumentKind
from bookwright.models.edit import NoteEdit
from bookwright.models.settings import Settings
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from tests.studio.test_book_pages import PIECE
from tests.support.books import make_book

NOTE = {"quote": "lamp went", "before": "Rain fell. The [red]", "after": "out.", "words": "Which lamp?"}


def test_a_note_is_kept_at_its_words_and_laid_aside(page: TestClient, book: BookStorage) -> None:
    shown = page.post("/books/lamp/comments/1.1", data=NOTE).text
    again = page.get("/books/lamp/comments/1.1").text
    [number] = _numbers(again)
    page.post(f"/books/lamp/comments/1.1/{number}/done")

    assert "Which lamp?" in shown
    assert 'data-quote="lamp went"' in again
    assert "Which lamp?" not in page.get("/books/lamp/comments/1.1").text


def test_a_note_that_was_laid_aside_is_taken_out_again(page: TestClient, book: BookStorage) -> None:
    page.post("/books/lamp/comments/1.1", data=NOTE)
    [number] = _numbers(page.get("/books/lamp/comments/1.1").text)
    laid = page.post(f"/books/lamp/comments/1.1/{number}/done").text
    [back] = re.findall(r'hx-post="([^"]+/open)"', laid)

    assert _numbers(laid) == []
    assert _numbers(page.post(back).text) == [number]


def test_a_note_outlives_other_words_around_it_and_tells_when_its_own_are_gone(
    page: TestClient, book: BookStorage
) -> None:
    page.post("/books/lamp/comments/1.1", data=NOTE)

    _save(page, "Snow fell. No *lamp went* astray.", 1)
    near = page.get("/books/lamp/comments/1.1").text
    _save(page, "Snow fell.", 2)
    gone = page.get("/books/lamp/comments/1.1").text

    assert 'data-quote="lamp went"' in near
    assert "data-quote" not in gone
    assert "do not stand in the text any more" in gone


def test_a_note_needs_words_that_stand_there(page: TestClient, book: BookStorage) -> None:
    for wrong in ({"quote": ""}, {"quote": "a word that is nowhere"}, {"words": "  "}, {"quote": "x" * 3_000}):
        assert page.post("/books/lamp/comments/1.1", data=NOTE | wrong, headers=PIECE).status_code == 422


def test_a_note_finds_the_part_of_the_chapter_that_holds_its_words(page: TestClient, settings: Settings) -> None:
    scenes = [
        {"level": "scene", "title": "One", "text": "Rain fell."},
        {"level": "scene", "title": "Two", "text": "She slept."},
    ]
    storage = make_book(settings, [{"level": "chapter", "title": "The Lamp", "parts": scenes}])

    page.post("/books/lamp/comments/1.1", data={"quote": "She  slept", "words": "How long?"})

    with storage.read() as stores:
        [kept] = stores.comments.of_nodes([stores.nodes.by_label("1.1.2").key])
    assert (kept.anchor.quote, kept.words) == ("She slept", "How long?")


def test_a_note_becomes_an_order_by_its_bill_alone(page: TestClient, book: BookStorage) -> None:
    page.post("/books/lamp/comments/1.1", data=NOTE)
    [number] = _numbers(page.get("/books/lamp/comments/1.1").text)
    bill = page.get(f"/books/lamp/comments/1.1/{number}/bill").text
    confirmed = _bill(bill)

    guessed = page.post(f"/books/lamp/comments/1.1/{number}/order", data={"bill": "guess"}, headers=PIECE)
    _save(page, "Snow fell, and the lamp went out.", 1)
    late = page.post(f"/books/lamp/comments/1.1/{number}/order", data={"bill": confirmed}, headers=PIECE)
    fresh = _bill(page.get(f"/books/lamp/comments/1.1/{number}/bill").text)
    page.post(f"/books/lamp/comments/1.1/{number}/order", data={"bill": fresh})

    assert "calls" in bill
    assert (guessed.status_code, late.status_code) == (422, 422)
    _until_done(page)
    with book.read() as stores:
        versions = stores.documents.versions(stores.nodes.by_label("1.1").key, DocumentKind.PROSE)
    assert [one.origin.value for one in versions][-1] == "note"
    assert versions[-1].note == "“lamp went”: Which lamp?"


def test_a_note_that_is_ordered_while_the_book_is_written_waits_for_its_writer(
    page: TestClient, book: BookStorage
) -> None:
    page.post("/books/lamp/comments/1.1", data=NOTE)
    [number] = _numbers(page.get("/books/lamp/comments/1.1").text)
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)
    bill = _bill(page.get(f"/books/lamp/comments/1.1/{number}/bill").text)

    shown = page.post(f"/books/lamp/comments/1.1/{number}/order", data={"bill": bill}).text
    listed = page.get("/books/lamp/edits").text
    with book.write() as stores:
        lease.release(stores.connection)
    page.post("/books/lamp/edit/1.2", data={"text": "She read it.", "version": "1", "kind": "prose"})

    assert "The model does it between two steps of the book" in shown
    assert "Which lamp?" in listed
    with book.read() as stores:
        [waiting] = stores.edits.waiting()  # whoever saves at rest takes in edits, and asks no model
    assert isinstance(waiting.edit, NoteEdit)
    assert (waiting.edit.seen, waiting.edit.note) == (1, "“lamp went”: Which lamp?")


def _numbers(shown: str) -> list[str]:
    return re.findall(r'id="comment-(\d+)"', shown)


def _bill(shown: str) -> str:
    values = re.findall(r"hx-vals='([^']+)'", shown)[0]
    return str(json.loads(values.replace("&#34;", '"'))["bill"])


def _save(page: TestClient, text: str, version: int) -> None:
    saved = page.post("/books/lamp/edit/1.1", data={"text": text, "version": str(version), "kind": "prose"})
    assert saved.status_code == 200


def _until_done(page: TestClient) -> None:
    end = time.monotonic() + 120
    while "seen to" not in page.get("/books/lamp/comments/1.1").text:
        assert time.monotonic() < end, page.get("/books/lamp/comments/1.1").text
        time.sleep(0.3)
