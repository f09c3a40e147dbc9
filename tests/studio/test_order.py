"""The order of a book changed on its page, an outline's split shown, covers, and handing in."""

import re
import time
from collections.abc import Sequence
from io import BytesIO
from zipfile import ZipFile

from prefect.settings import PREFECT_API_URL, temporary_settings
from starlette.testclient import TestClient

from bookwright.models.settings import Settings
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from tests.exports.test_epub import png
from tests.studio.test_book_pages import PIECE
from tests.support.fake_prefect import queued


def test_an_order_is_shown_changed_before_it_is_saved(page: TestClient, book: BookStorage) -> None:
    fields = {"genre": "mystery", "usd": "$5", "seen": _seen(page)}

    shown = page.post("/books/lamp/brief/preview", data=fields).text
    with book.read() as stores:
        before = stores.books.get("lamp").brief.genre
    page.post("/books/lamp/brief", data=fields)
    late = page.post("/books/lamp/brief", data=fields | {"genre": "western"}, headers=PIECE)

    assert "<ins>mystery</ins>" in shown
    assert "nothing of it becomes stale" in shown
    assert before == ""
    with book.read() as stores:
        brief = stores.books.get("lamp").brief
    assert (brief.genre, brief.budget.usd, brief.title) == ("mystery", 5, "Night Watch")
    assert late.status_code == 409


def test_an_order_that_cannot_be_is_told(page: TestClient, book: BookStorage) -> None:
    for wrong in ({"length": "many"}, {"length": "7"}, {"premise": " "}, {"usd": "-1"}):
        assert page.post("/books/lamp/brief/preview", data=wrong, headers=PIECE).status_code == 422


def test_an_order_that_is_changed_while_the_book_is_written_waits(page: TestClient, book: BookStorage) -> None:
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)

    first = page.post("/books/lamp/brief", data={"genre": "mystery", "seen": _seen(page)})
    shown = page.get("/books/lamp/brief").text
    blind = page.post("/books/lamp/brief", data={"genre": "comedy", "seen": _seen(page)}, headers=PIECE)
    after = re.findall(r'name="after" value="(\d+)"', shown)
    page.post("/books/lamp/brief", data={"genre": "romance", "seen": _seen(page), "after": after[0]})
    with book.write() as stores:
        lease.release(stores.connection)
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})

    assert (first.status_code, blind.status_code) == (200, 409)
    assert "This is the order as you saved it" in shown
    with book.read() as stores:
        assert stores.books.get("lamp").brief.genre == "romance"
        states = [(one.edit.of, one.state.value) for one in stores.edits.newest()]
    assert states == [("brief", "taken"), ("brief", "replaced")]


def test_an_order_that_is_saved_again_goes_on_from_the_first_save_once_that_was_taken_in(
    page: TestClient, book: BookStorage
) -> None:
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)
    page.post("/books/lamp/brief", data={"genre": "mystery", "seen": _seen(page)})
    shown = page.get("/books/lamp/brief").text
    again = {"seen": _seen(page), "after": re.findall(r'name="after" value="(\d+)"', shown)[0]}
    with book.write() as stores:
        lease.release(stores.connection)
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})

    blind = page.post("/books/lamp/brief", data={"genre": "comedy", "seen": again["seen"]}, headers=PIECE)
    second = page.post("/books/lamp/brief", data={"genre": "romance"} | again, headers=PIECE)
    third = page.post("/books/lamp/brief", data={"genre": "western"} | again, headers=PIECE)

    assert (blind.status_code, second.status_code, third.status_code) == (409, 200, 409)
    with book.read() as stores:
        assert stores.books.get("lamp").brief.genre == "romance"


def test_the_split_of_an_outline_is_shown_before_anything_is_asked(page: TestClient) -> None:
    shown = page.post(
        "/new/outline", data={"outline": "# Lamp\n\n## Chapter 1: Rain\n\nIt rains.\n\n## Chapter 2: Snow\n"}
    ).text
    wrong = page.post("/new/outline", data={"outline": "nothing like one"}, headers=PIECE)

    assert shown.count("<li>") == 2
    assert "It rains." in shown
    assert (wrong.status_code, "names no chapters" in wrong.text) == (422, True)


def test_a_cover_of_ones_own_is_in_the_book(page: TestClient, book: BookStorage) -> None:
    picture = png(600, 900)

    got = page.post("/books/lamp/exports/covered?name=a.png", content=picture)
    wrong = page.post("/books/lamp/exports/covered?name=a.png", content=b"no picture", headers=PIECE)

    with ZipFile(BytesIO(got.content)) as epub:
        assert picture in [epub.read(name) for name in epub.namelist()]
    assert wrong.status_code == 422


def test_nothing_is_handed_in_where_there_is_no_pool(page: TestClient, book: BookStorage) -> None:
    refused = page.post("/books/lamp/hand-in", headers=PIECE)

    assert (refused.status_code, "No work pool" in refused.text) == (422, True)


def test_a_book_is_not_handed_in_again_while_it_is_being_handed_in(page: TestClient, book: BookStorage) -> None:
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        first, second = (page.post("/books/lamp/hand-in", headers=PIECE) for _ in range(2))

    assert (first.status_code, second.status_code) == (200, 422)
    assert "still at work" in second.text


def test_a_book_that_waits_for_a_worker_is_queued_on_all_pages(
    page: TestClient, settings: Settings, book: BookStorage
) -> None:
    with queued(settings, "lamp"):
        deadline = time.monotonic() + 20
        while 'class="standing queued"' not in (shelf := page.get("/").text) and time.monotonic() < deadline:
            time.sleep(0.05)  # the page waits for no answer of Prefect's
        page.post("/books/lamp/pause")
        paths = ("/books/lamp", "/", "/pool", "/books/lamp/branches")
        desk, asked, pool, branches = (page.get(path).text for path in paths)

    assert ("books/lamp/pause" in shelf, "books/lamp/resume" in shelf, "not begun" in shelf) == (True, False, False)
    assert "It waits for a worker of the pool." in desk
    assert ("asked to rest" in asked, "books/lamp/resume" in asked) == (True, True)
    assert ("Night Watch" in pool, "books/lamp/hand-in" in pool) == (True, False)
    assert 'class="standing queued"' in branches


class _Starting:
    """Processes that are started and have not come to their book yet, in place of the studio's own."""

    def __init__(self) -> None:
        self.started: list[str] = []
        self.arguments: list[Sequence[str]] = []

    def start(self, book: str, arguments: Sequence[str]) -> bool:
        if book in self.started:
            return False
        self.started.append(book)
        self.arguments.append(arguments)
        return True

    def is_starting(self, book: str) -> bool:
        return book in self.started

    def failure(self, book: str) -> str:
        return ""


def test_a_second_resume_takes_back_a_pause_that_came_while_the_first_is_still_starting(
    page: TestClient, book: BookStorage
) -> None:
    page.app.state.studio.runs = runs = _Starting()
    page.post("/books/lamp/resume")

    page.post("/books/lamp/pause")
    with book.read() as stores:
        paused = stores.books.get("lamp").stop_requested
    page.post("/books/lamp/resume")

    with book.read() as stores:
        assert (paused, stores.books.get("lamp").stop_requested) == (True, False)
    assert runs.started == ["lamp"]


def test_who_hands_a_book_in_knows_of_the_pauses_before_and_of_none_that_comes_while_it_starts(
    page: TestClient, book: BookStorage
) -> None:
    page.app.state.studio.runs = runs = _Starting()
    page.post("/books/lamp/pause")
    with book.read() as stores:
        before = stores.books.get("lamp").stop_requested_at
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        page.post("/books/lamp/hand-in")

    assert runs.arguments == [["submit", "--book", "lamp", "--known-wish", str(before)]]


def _seen(page: TestClient) -> str:
    return page.get("/books/lamp/brief").text.partition('name="seen" value="')[2].partition('"')[0]
