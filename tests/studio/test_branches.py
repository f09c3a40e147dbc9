"""The pages of branches: a map, forking, side by side, taking over and back, each write held to what was shown."""

import json
import re
import time

import pytest
from starlette.testclient import TestClient

from bookwright.models.document import DocumentKind, DocumentOrigin, NewDocument
from bookwright.models.settings import Settings
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import tell_of_odo
from tests.studio.test_book_pages import PIECE
from tests.studio.units import rewrite, text

RAIN = "Rain fell. The [red] lamp went out."


def other_book(book: BookStorage, identity: str) -> BookStorage:
    """Another book of the same database."""
    return BookStorage(book.database, identity, book.language)


def forked(page: TestClient, at: str = "", name: str = "she stays") -> str:
    """Make a branch of the book on its page, and return its id."""
    made = page.post("/books/lamp/fork", data={"at": at, "name": name}, headers=PIECE)
    assert made.status_code == 200, made.text
    return str(made.headers["hx-redirect"].removeprefix("/books/"))


def seen(shown: str) -> str:
    """What stands for two books as a page shows them."""
    return re.findall(r'name="seen" value="(\w+)"', shown)[0]


@pytest.fixture
def branch(page: TestClient, book: BookStorage) -> BookStorage:
    """A branch of the book, with another second chapter."""
    made = other_book(book, forked(page))
    rewrite(made, "1.2", "She burned the log.")
    return made


def test_the_branches_are_drawn_and_listed_with_what_each_has_made(
    page: TestClient, book: BookStorage, branch: BookStorage
) -> None:
    later = forked(page, "1.2", "she goes")

    shown = page.get("/books/lamp/branches").text
    picture = shown.partition("<svg")[2].partition("</svg>")[0]

    assert re.findall(r'<a href="([^"]+)" tabindex="-1" class="([^"]+)"', picture) == [
        ("/books/lamp", "branch here"), (f"/books/{branch.book}", "branch"), (f"/books/{later}", "branch"),
    ]  # fmt: skip
    assert picture.count('class="bend"') == 2
    assert [re.findall(r'class="(own|shared)"', line) for line in picture.split("<a ")[1:]] == [
        ["own"], ["shared", "own"], ["shared"],
    ]  # fmt: skip
    assert "from “Night Watch”, open again from “The Log” on" in shown
    assert "from “Night Watch”, all of it" in shown
    assert shown.count('<li class="entry') == 3


def test_a_branch_is_named_on_its_pages_and_on_the_shelf(page: TestClient, branch: BookStorage) -> None:
    desk, shelf = page.get(f"/books/{branch.book}").text, page.get("/").text

    assert '<span class="of-branch">she stays</span>' in desk
    assert shelf.count('<span class="of-branch">she stays</span>') == 1
    assert f'href="/books/{branch.book}/branches"' in shelf
    assert 'href="/books/lamp/branches"' in shelf


def test_a_branch_begins_at_the_page_of_any_unit(page: TestClient, book: BookStorage) -> None:
    for path in ("/books/lamp/read/1.2", "/books/lamp/page/1.2"):
        shown = page.get(path).text.partition("What if … from here")[2]
        assert 'name="at" value="1.2"' in shown
    made = other_book(book, forked(page, "1.2", "<b>if</b>"))

    assert "<b>if</b>" not in page.get(f"/books/{made.book}").text
    with made.read() as stores:
        assert stores.documents.current(stores.nodes.by_label("1.2").key, DocumentKind.PROSE) is None
    assert page.post("/books/lamp/fork", data={"name": "<b>if</b>"}, headers=PIECE).status_code == 422
    assert page.post("/books/lamp/fork", data={"at": "1.77"}, headers=PIECE).status_code == 404


def test_two_branches_stand_side_by_side(page: TestClient, branch: BookStorage) -> None:
    units = page.get(f"/books/lamp/compare/{branch.book}").text
    figures = page.get(f"/books/lamp/compare/{branch.book}/figures").text
    words = page.get(f"/books/lamp/compare/{branch.book}/1.2").text

    assert "1 of 2 texts differ." in units
    assert units.partition('id="units"')[2].count("<tr data-row>") == 1
    assert "Paid by “she stays”" in figures
    assert '<td class="right">5 <span class="soft">|</span> 4</td>' in figures
    assert re.findall(r"<(?:del|ins)>(\w+)", words) == ["read", "burned"]
    assert page.get("/books/lamp/compare/lamp").status_code == 422


def test_what_only_this_book_has_changed_is_not_offered(
    page: TestClient, book: BookStorage, branch: BookStorage
) -> None:
    rewrite(book, "1.1", "Snow fell.")

    rows = page.get(f"/books/lamp/compare/{branch.book}").text.partition('id="units"')[2].split("<tr data-row>")[1:]

    assert ["changed here alone" in row for row in rows] == [True, False]
    assert ["hx-post" in row for row in rows] == [False, True]


def test_a_unit_is_taken_over_with_one_click_and_taken_back_with_one(
    page: TestClient, book: BookStorage, branch: BookStorage
) -> None:
    shown = page.get(f"/books/lamp/compare/{branch.book}").text

    done = page.post(f"/books/lamp/merge/{branch.book}", data={"take": "1.2", "seen": seen(shown)}, headers=PIECE)
    taken = text(book, "1.2")
    listed = page.get("/books/lamp/branches").text
    [number] = re.findall(r"hx-vals='\{.number.: (\d+)\}'", done.text)
    other = page.post("/books/lamp/merged/undo", data={"number": str(int(number) + 1)}, headers=PIECE)
    page.post("/books/lamp/merged/undo", data={"number": number}, headers=PIECE)

    assert "Taken over." in done.text
    assert other.status_code == 409
    assert taken == "She burned the log."
    assert "The Log" in listed.partition('id="taken"')[2]
    assert text(book, "1.2") == "She read her own hand."
    assert 'id="taken"' not in page.get("/books/lamp/branches").text
    assert page.post("/books/lamp/merged/undo", data={"number": number}, headers=PIECE).status_code == 422


def test_what_is_taken_over_says_of_whom_the_codex_has_less_by_it(
    page: TestClient, book: BookStorage, branch: BookStorage
) -> None:
    tell_of_odo(book)
    shown = page.get(f"/books/lamp/compare/{branch.book}").text

    done = page.post(f"/books/lamp/merge/{branch.book}", data={"take": "1.2", "seen": seen(shown)}, headers=PIECE)

    assert "Only texts that were replaced told something of odo." in done.text


def test_one_document_is_taken_by_its_kind(page: TestClient, book: BookStorage, branch: BookStorage) -> None:
    shown = page.get(f"/books/lamp/compare/{branch.book}/1.2").text
    values = [json.loads(found.replace("&#34;", '"')) for found in re.findall(r"hx-vals='([^']+)'", shown)]
    [wanted] = [one for one in values if one.get("kind") == "prose"]

    page.post(f"/books/lamp/merge/{branch.book}", data=wanted, headers=PIECE)

    assert text(book, "1.2") == "She burned the log."


def test_a_text_is_not_offered_alone_for_a_unit_that_stands_in_parts_here(
    page: TestClient, book: BookStorage, branch: BookStorage
) -> None:
    part = PlanNode(task_type=TaskType.WRITE, title="The Log", goal="She reads it.")
    with book.write() as stores:  # as if it had been planned anew and divided
        [scene] = stores.nodes.add(stores.nodes.by_label("1.2"), [part], level="scene", length=10)
        stores.documents.add(NewDocument(node=scene.key, kind=DocumentKind.PROSE, text="She read it twice."), None)

    shown = page.get(f"/books/lamp/compare/{branch.book}/1.2").text
    offered = [json.loads(found.replace("&#34;", '"')) for found in re.findall(r"hx-vals='([^']+)'", shown)]

    assert [(one["take"], one.get("kind")) for one in offered] == [("1.2", None)]  # all of it


def test_a_design_is_taken_over_alone(page: TestClient, book: BookStorage, branch: BookStorage) -> None:
    with branch.write() as stores:
        task = stores.nodes.by_label("1.4")
        new = NewDocument(node=task.key, kind=DocumentKind.DESIGN, text="She is proud.", origin=DocumentOrigin.AUTHOR)
        stores.documents.add(new, None)
    shown = page.get(f"/books/lamp/compare/{branch.book}").text.partition('id="documents"')[2]
    [wanted] = [json.loads(found.replace("&#34;", '"')) for found in re.findall(r"hx-vals='([^']+)'", shown)]

    page.post(f"/books/lamp/merge/{branch.book}", data=wanted, headers=PIECE)

    with book.read() as stores:
        design = stores.documents.current(stores.nodes.by_label("1.4").key, DocumentKind.DESIGN)
    assert design is not None
    assert design.text == "She is proud."
    assert text(book, "1.2") == "She read her own hand."


def test_what_changed_since_it_was_shown_is_not_taken(page: TestClient, book: BookStorage, branch: BookStorage) -> None:
    shown = seen(page.get(f"/books/lamp/compare/{branch.book}").text)
    rewrite(branch, "1.1", "Hail fell.")

    refused = page.post(f"/books/lamp/merge/{branch.book}", data={"take": "1", "seen": shown}, headers=PIECE)

    assert refused.status_code == 409
    assert text(book, "1.1") == RAIN


def test_nobody_else_takes_over_forks_or_deletes(page: TestClient, book: BookStorage, branch: BookStorage) -> None:
    for path in ("fork", f"merge/{branch.book}", "merged/undo", "branches/delete"):
        for stranger in ({"x-studio-token": "no"}, {"origin": "http://127.0.0.1:9"}):
            answer = page.post(f"/books/lamp/{path}", data={"take": "1"}, headers=PIECE | stranger)
            assert answer.status_code == 403


def test_a_conflict_is_settled_side_by_side_at_each_place(
    page: TestClient, book: BookStorage, branch: BookStorage
) -> None:
    base = "Rain fell. The lamp went out. Nobody came. She slept."
    rewrite(book, "1.1", base)
    page.post(f"/books/{branch.book}/merge/lamp", data={"take": "1.1"}, headers=PIECE)  # both begin with these words
    rewrite(book, "1.1", base.replace("Rain", "Snow").replace("slept", "wept"))
    rewrite(branch, "1.1", base.replace("Rain", "Hail").replace("slept", "sang"))
    sent = {"take": "1.1"}

    gone = page.post(f"/books/lamp/merge/{branch.book}", data=sent, headers=PIECE).headers["hx-redirect"]
    shown = page.get(gone).text
    sent |= {"settling": "1", "seen": seen(shown)}
    left_open = page.post(f"/books/lamp/merge/{branch.book}", data=sent | {"side-1-1": "ours"}, headers=PIECE)
    chosen = {"side-1-1": "ours", "side-1-2": "theirs"}
    page.post(f"/books/lamp/merge/{branch.book}", data=sent | chosen, headers=PIECE)

    assert gone == f"/books/lamp/merge/{branch.book}?take=1.1&kind="
    assert shown.count('role="radiogroup"') == 2
    assert left_open.status_code == 422
    assert text(book, "1.1") == "Snow fell. The lamp went out. Nobody came. She sang."


def test_words_of_ones_own_settle_a_conflict(page: TestClient, book: BookStorage, branch: BookStorage) -> None:
    rewrite(book, "1.2", "She kept the log.")
    shown = page.get(f"/books/lamp/merge/{branch.book}?take=1.2").text
    sent = {"take": "1.2", "settling": "1", "seen": seen(shown), "how-1": "own", "text-1": "She hid\r\nthe log."}

    page.post(f"/books/lamp/merge/{branch.book}", data=sent, headers=PIECE)

    assert text(book, "1.2") == "She hid\nthe log."


def test_a_reader_is_asked_by_the_bill_alone(page: TestClient, book: BookStorage, branch: BookStorage) -> None:
    address = f"/books/lamp/compare/{branch.book}/1.2/verdict"
    bill = page.get(address).text
    confirmed = json.loads(re.findall(r"hx-vals='([^']+)'", bill)[0].replace("&#34;", '"'))
    guessed = page.post(address, data={"bill": "guess"}, headers=PIECE)

    shown = page.post(address, data=confirmed, headers=PIECE).text
    end = time.monotonic() + 60
    while 'id="reader"' not in shown:
        assert time.monotonic() < end, shown
        time.sleep(0.2)
        shown = page.get(re.findall(r'hx-get="([^"]+)"', shown)[0]).text

    assert "2 calls" in bill
    assert guessed.status_code == 422
    assert "The reader prefers" in shown
    with book.read() as stores:
        assert stores.books.get("lamp").calls == 5


def test_a_branch_is_deleted_once_its_name_is_typed(page: TestClient, book: BookStorage, branch: BookStorage) -> None:
    address = f"/books/{branch.book}/branches"

    wrong = page.post(f"{address}/delete", data={"confirm": "she"}, headers=PIECE)
    origin = page.post("/books/lamp/branches/delete", data={"confirm": "Night Watch"}, headers=PIECE)
    offered = page.get(address).text
    gone = page.post(f"{address}/delete", data={"confirm": "she stays"}, headers=PIECE)

    assert (wrong.status_code, origin.status_code) == (422, 422)
    assert "Delete this branch" in offered
    assert gone.headers["hx-redirect"] == "/books/lamp/branches"
    assert page.get(address).status_code == 404
    assert text(book, "1.2") == "She read her own hand."


def test_the_pages_of_branches_speak_chinese(page: TestClient, branch: BookStorage, settings: Settings) -> None:
    page.cookies.set("studio_language", "zh")

    assert "分支" in page.get("/books/lamp/branches").text
    assert "反过来看" in page.get(f"/books/lamp/compare/{branch.book}").text
