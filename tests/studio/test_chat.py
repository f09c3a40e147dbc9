"""Free talk with an agent about a book: answered as it comes, kept with the book, never changing it."""

import json
import re
import time

import pytest
from starlette.testclient import TestClient

from bookwright.app.talks.answering import Exchange
from bookwright.app.talks.opening import SessionWish, open_talk
from bookwright.models.settings import Settings
from bookwright.models.talk.session import TurnKind
from bookwright.storage.repositories.sessions import SessionRepository
from bookwright.storage.stores import BookStorage
from tests.studio.test_book_pages import PIECE


def test_a_talk_is_answered_kept_and_gone_on_with(page: TestClient, book: BookStorage) -> None:
    before = _updated(book)
    first, session = _answered(page, "What does she fear?", "")
    _, again = _answered(page, "And her brother?", session)

    assert "This is a rehearsal; no model wrote it." in first
    assert "tokens" in first
    assert again == session
    with book.database.read() as connection:
        turns = SessionRepository(connection).history(session).turns
    assert [turn.text for turn in turns if turn.kind is TurnKind.SAY] == ["What does she fear?", "And her brother?"]
    shown = page.get(f"/books/lamp/talk?session={session}").text
    assert shown.count('class="said agent"') == 2
    assert "What does she fear?" in page.get("/books/lamp/talk").text
    assert _updated(book) == before


def test_the_words_come_as_events_and_end(page: TestClient, book: BookStorage) -> None:
    begun = page.post("/books/lamp/chat", data={"words": "Who is she?", "who": "planner"}).text
    address = re.findall(r'data-stream="([^"]+)"', begun)[0]

    events = [json.loads(line[6:]) for line in page.get(f"{address}/live").text.splitlines() if line]

    assert events[-1] == {"done": True}
    assert all(set(one) == {"text"} for one in events[:-1])


@pytest.mark.parametrize(
    "fields",
    [
        {"who": "writer", "words": " "},
        {"who": "code", "words": "Write a file."},
        {"who": "writer", "words": "Go on.", "usd": "-1"},
        {"who": "writer", "words": "Go on.", "session": "nothing"},
    ],
)
def test_a_talk_that_cannot_be_is_told(page: TestClient, book: BookStorage, fields: dict[str, str]) -> None:
    assert page.post("/books/lamp/chat", data=fields, headers=PIECE).status_code == 422


def test_what_is_said_is_text_and_never_markup(page: TestClient, book: BookStorage) -> None:
    begun = page.post("/books/lamp/chat", data={"words": "<img src=x>", "who": "writer"}).text

    assert "<img" not in begun
    assert "&lt;img src=x&gt;" in begun


def test_an_answer_that_is_broken_off_before_it_begins_asks_nobody(settings: Settings, book: BookStorage) -> None:
    opening = open_talk(SessionWish("writer", "lamp"), settings, book.database)
    exchange = Exchange(opening, "Who is she?", 1.0)

    exchange.break_off()
    answer = exchange.hold(settings, book.database, lambda words: None)

    assert (answer.text, answer.bill) == ("", None)


def _answered(page: TestClient, words: str, session: str) -> tuple[str, str]:
    begun = page.post("/books/lamp/chat", data={"words": words, "who": "writer", "session": session}).text
    [address] = re.findall(r'data-stream="([^"]+)"', begun)
    [found] = re.findall(r'data-session="([^"]+)"', begun)
    page.get(f"{address}/live")  # ends with the answer
    end = time.monotonic() + 60
    while "tokens" not in (shown := page.get(address).text):
        assert time.monotonic() < end, shown
    return shown, found


def _updated(book: BookStorage) -> float:
    with book.read() as stores:
        return stores.books.get("lamp").updated_at
