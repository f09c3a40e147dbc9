"""What the pages show and do, asked as their scripts ask."""

import hashlib
import json
import re
from pathlib import Path

import pytest
from starlette.testclient import TestClient

import bookwright.studio
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.settings import Settings
from bookwright.storage.lease import Lease
from bookwright.storage.stores import BookStorage
from bookwright.studio.guard import StudioKeys
from bookwright.studio.live import LOOK_SECONDS
from bookwright.studio.server import make_application
from tests.support.books import make_book

STUDIO = Path(bookwright.studio.__file__).parent
NO_MONEY = "the next call may cost up to $0.02 and the budget of lamp has $0.01 of $0.01 left"
RAISE_IT = "`bookwright brief lamp --set budget.usd=...` raises it; then `bookwright resume lamp` goes on from here"
_TRIGGER = re.compile(r'hx-trigger="([^"]*studio-[^"]*)"')


def test_an_empty_shelf_says_how_to_begin(page: TestClient, home: Path) -> None:
    shown = page.get("/").text

    assert "Your shelf is empty" in shown
    assert not home.exists()


def test_the_shelf_shows_where_a_book_stands(page: TestClient, book: BookStorage) -> None:
    shown = page.get("/").text

    assert "Night Watch" in shown
    assert 'class="standing paused"' in shown
    assert "/ 9,000 words" in shown


def test_a_book_is_put_away_and_taken_out(page: TestClient, book: BookStorage) -> None:
    page.post("/books/lamp/archive")
    away, all_books = page.get("/").text, page.get("/?all=1").text
    page.post("/books/lamp/unarchive")

    assert "Night Watch" not in away
    assert "Night Watch" in all_books
    assert "Night Watch" in page.get("/").text


def test_what_an_author_wrote_is_text_and_never_markup(page: TestClient, settings: Settings) -> None:
    make_book(settings, "<script>alert(1)</script> & *so*", title="<img src=x onerror=alert(2)>")

    for path in ("/", "/books/lamp", "/books/lamp/read", "/books/lamp/read/1", "/books/lamp/edit/1"):
        shown = page.get(path).text

        assert "<script>alert" not in shown
        assert "<img" not in shown
    assert "&lt;img src=x onerror=alert(2)&gt;" in page.get("/").text


def test_the_desk_shows_tree_and_last_prose(page: TestClient, book: BookStorage) -> None:
    shown = page.get("/books/lamp").text

    assert "The Lamp" in shown
    assert "She read her own hand." in shown
    assert "$0.0135" in shown


def test_folding_a_node_takes_its_parts_off_the_desk(page: TestClient, book: BookStorage) -> None:
    with book.read() as stores:
        root = stores.nodes.root().key

    shown = page.get(f"/books/lamp/now?closed={root}").text

    assert "The Log" not in shown.split('id="text"')[0]
    assert f'name="open" value="{root}"' in shown


def test_a_chapter_is_read_with_its_neighbours(page: TestClient, book: BookStorage) -> None:
    shown = page.get("/books/lamp/read/1.1").text

    assert "Rain fell. The [red] lamp went out." in shown
    assert 'href="/books/lamp/read/1.2" data-next' in shown
    assert "data-previous" not in shown


def test_a_save_makes_a_version_and_names_the_one_it_came_from(page: TestClient, book: BookStorage) -> None:
    saved = page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})

    undo = {"undo": "/books/lamp/restore/1.1", "before": 1}
    assert saved.json() == {"version": 2, "words": "Saved"} | undo
    assert _prose(book, "1.1") == "Snow fell."


def test_a_save_of_an_older_version_gets_the_one_that_stands(page: TestClient, book: BookStorage) -> None:
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})

    late = page.post("/books/lamp/edit/1.1", data={"text": "Hail fell.", "version": "1", "kind": "prose"})

    assert late.status_code == 409
    assert late.json() == {"version": 2, "theirs": "Snow fell."}
    assert _prose(book, "1.1") == "Snow fell."


@pytest.mark.parametrize(
    "fields", [{"text": "Snow."}, {"text": "Snow.", "version": "x"}, {"text": " ", "version": "1"}]
)
def test_a_save_that_means_nothing_changes_nothing(page: TestClient, book: BookStorage, fields: dict[str, str]) -> None:
    refused = page.post("/books/lamp/edit/1.1", data=fields, headers={"hx-request": "true"})

    assert refused.status_code == 422
    assert 'class="note trouble"' in refused.text
    assert _prose(book, "1.1") == "Rain fell. The [red] lamp went out."


def test_an_earlier_version_is_compared_and_taken_up_again(page: TestClient, book: BookStorage) -> None:
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})

    shown = page.get("/books/lamp/history/1.1?kind=prose").text
    page.post("/books/lamp/restore/1.1", data={"version": "1", "kind": "prose"})

    assert "<ins>Snow" in shown
    assert "the author" in shown
    assert _prose(book, "1.1") == "Rain fell. The [red] lamp went out."


def test_any_two_versions_are_picked_on_the_page(page: TestClient, book: BookStorage) -> None:
    for version, text in ((1, "Snow fell."), (2, "Hail fell."), (3, "Sleet fell.")):
        page.post("/books/lamp/edit/1.1", data={"text": text, "version": str(version), "kind": "prose"})

    shown = page.get("/books/lamp/history/1.1?kind=prose").text
    picked = page.get("/books/lamp/history/1.1?kind=prose&a=2&b=3").text
    form = shown.partition('id="pick"')[2].partition("</form>")[0]

    assert re.findall(r'<option value="(\d)"( selected)?', form)[:4] == [
        ("4", ""),
        ("3", " selected"),
        ("2", ""),
        ("1", ""),
    ]
    assert "<del>Snow</del><ins>Hail</ins>" in picked
    assert "From version 2 to version 3" in picked


def test_a_book_that_is_written_is_asked_to_rest(page: TestClient, book: BookStorage) -> None:
    with book.write() as stores:
        Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)

    shelf = page.get("/").text
    answer = page.post("/books/lamp/pause").text

    assert "books/lamp/pause" in page.get("/").text  # a refresh keeps to an older wish, and has to be asked itself
    assert "written on elsewhere" in shelf
    assert "It will rest once the call in flight is recorded." in answer
    with book.read() as stores:
        assert stores.books.get("lamp").stop_requested


def test_a_book_whose_worker_died_is_to_rest_and_says_so(page: TestClient, book: BookStorage) -> None:
    with book.write() as stores:
        stores.books.set_state("lamp", BookState.WRITING)
        Lease.take(stores.connection, "lamp", "a worker on elsewhere", -1)

    assert "It rests, and so will a run of it that waits." in page.post("/books/lamp/pause").text
    assert "asked to rest" in page.get("/").text


def test_errors_say_in_words_what_to_do(page: TestClient, book: BookStorage) -> None:
    unknown = page.get("/books/nobody")
    nowhere = page.get("/books/lamp/read/1.99")

    assert (unknown.status_code, nowhere.status_code) == (404, 404)
    for answer in (unknown, nowhere):
        assert "`" not in answer.text.split("<main")[1]
        assert "To the" in answer.text


def test_what_is_not_written_yet_has_no_page_to_read(page: TestClient, settings: Settings) -> None:
    make_book(
        settings, [{"level": "chapter", "title": "One", "text": "Rain fell."}, {"level": "chapter", "title": "Two"}]
    )

    written, unwritten = page.get("/books/lamp/read/1.1"), page.get("/books/lamp/read/1.2")

    assert (written.status_code, unwritten.status_code) == (200, 404)


def test_what_is_vendored_is_what_was_built() -> None:
    vendor = STUDIO / "static" / "vendor"
    sums = dict(reversed(line.split("  ")) for line in (vendor / "SHA256SUMS").read_text("utf-8").splitlines())

    files = {file.name for file in vendor.iterdir()} - {"SHA256SUMS"}

    assert files == sums.keys()
    assert {name: hashlib.sha256((vendor / name).read_bytes()).hexdigest() for name in files} == sums
    licences = (vendor / "LICENCES.txt").read_text("utf-8")
    assert all(name in licences for name in ("htmx.org 2", "idiomorph", "@codemirror/merge", "@codemirror/view"))


def test_the_scripts_of_a_first_page_are_few(page: TestClient) -> None:
    scripts = re.findall(r'src="(/static/[^"?]+)', page.get("/").text)

    assert sum(len(page.get(script).content) for script in scripts) < 150_000


def _prose(book: BookStorage, label: str) -> str:
    with book.read() as stores:
        found = stores.documents.current(stores.nodes.by_label(label).key, DocumentKind.PROSE)
    assert found is not None
    return found.text


def test_no_piece_of_a_page_misses_the_last_change() -> None:
    """A throttle drops what comes right after an event; a delay below the look's interval drops nothing."""
    triggers = [
        text for file in (STUDIO / "templates").glob("*.j2") for text in _TRIGGER.findall(file.read_text("utf-8"))
    ]

    assert len(triggers) >= 4
    assert [text for text in triggers if "throttle" in text] == []
    assert max(int(delay) for text in triggers for delay in re.findall(r"delay:(\d+)ms", text)) < LOOK_SECONDS * 1000


def test_what_was_done_can_be_undone(page: TestClient, book: BookStorage) -> None:
    away = page.post("/books/lamp/archive").text
    _undo(page, away)
    saved = page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"}).json()
    page.post(saved["undo"], data={"kind": "prose", "version": saved["before"]})
    stood_first = _prose(book, "1.1")
    again = page.post("/books/lamp/restore/1.1", data={"version": "2", "kind": "prose"}).text
    stood_second = _prose(book, "1.1")
    _undo(page, again)

    assert "Night Watch" in page.get("/").text
    assert (stood_first[:4], stood_second[:4], _prose(book, "1.1")[:4]) == ("Rain", "Snow", "Rain")


def test_an_edit_that_waits_is_taken_back(page: TestClient, book: BookStorage) -> None:
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)
    saved = page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"}).json()

    page.post(saved["undo"])
    twice = page.post(saved["undo"], headers={"hx-request": "true"})
    with book.write() as stores:
        lease.release(stores.connection)
    page.post("/books/lamp/edit/1.2", data={"text": "She read it.", "version": "1", "kind": "prose"})

    assert twice.status_code == 422
    assert _prose(book, "1.1") == "Rain fell. The [red] lamp went out."


def test_a_version_is_taken_up_while_the_book_is_written(page: TestClient, book: BookStorage) -> None:
    page.post("/books/lamp/edit/1.1", data={"text": "Snow fell.", "version": "1", "kind": "prose"})
    with book.write() as stores:
        lease = Lease.take(stores.connection, "lamp", "a worker on elsewhere", 60)

    told = page.post("/books/lamp/restore/1.1", data={"version": "1", "kind": "prose"}).text
    stood = _prose(book, "1.1")
    with book.write() as stores:
        lease.release(stores.connection)
    page.post("/books/lamp/edit/1.2", data={"text": "She read it.", "version": "1", "kind": "prose"})

    assert "it is taken in between two steps" in told
    assert (stood[:4], _prose(book, "1.1")[:4]) == ("Snow", "Rain")


def test_a_book_that_rests_for_want_of_money_leads_to_its_order(page: TestClient, book: BookStorage) -> None:
    with book.write() as stores:
        stores.books.set_state("lamp", BookState.PAUSED, NO_MONEY, RAISE_IT)

    shown = page.get("/").text

    assert '<a href="/books/lamp/brief">Change the order</a>' in shown
    assert "bookwright brief" not in shown


def test_a_conflict_offers_to_look_again_where_it_was(page: TestClient, book: BookStorage) -> None:
    where = {"hx-request": "true", "hx-current-url": "http://127.0.0.1:8321/books/lamp/brief?x=1"}

    late = page.post("/books/lamp/brief", data={"genre": "farce", "seen": "another"}, headers=where)

    assert late.status_code == 409
    assert '<a class="button" href="/books/lamp/brief?x=1">Look at it again</a>' in late.text


def test_a_first_run_says_what_the_built_in_model_can(page: TestClient, settings: Settings, keys: StudioKeys) -> None:
    embedded = settings.model_copy(update={"model": "embedded:smollm2"})
    with TestClient(make_application(embedded, keys), base_url=keys.origin) as client:
        client.cookies = page.cookies
        shown = client.get("/").text

    assert "It can" in shown
    assert "It cannot" in shown
    assert "ANTHROPIC_API_KEY" in shown
    assert "It cannot" not in page.get("/").text


def _undo(page: TestClient, shown: str) -> None:
    [(post, values)] = re.findall(r'hx-post="([^"]+)" hx-vals=\'([^\']+)\'', shown)
    assert page.post(post, data=json.loads(values.replace("&#34;", '"'))).status_code == 200
