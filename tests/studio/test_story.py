"""The story so far as pictures and tables: who appears where, when it happens."""

import re
from pathlib import Path

from sqlalchemy import event
from starlette.testclient import TestClient

from bookwright.exports.manuscript import Manuscript
from bookwright.exports.report.book_report import report_of
from bookwright.exports.report.maps import presence_chart
from bookwright.models.codex.entries import CodexEntry, EntryKind
from bookwright.models.codex.record import Origin
from bookwright.models.settings import Settings
from bookwright.models.story_time.times import StoryTime
from bookwright.storage.stores import BookStorage
from tests.cli.shelf import add_choice
from tests.support.books import make_book, make_settings

CHAPTERS = [
    {"level": "chapter", "title": "One", "text": "Mira Vale came. Mira sat. Miranda did not."},
    {"level": "chapter", "title": "Two", "text": "The Old Man came."},
    {"level": "chapter", "title": "Three", "text": "Mira asked the Old Man."},
]
MIRA = CodexEntry(id="mira", kind=EntryKind.CHARACTER, name="Mira Vale")


def test_people_stand_over_the_chapters_that_name_them(page: TestClient, settings: Settings) -> None:
    _people(make_book(settings, CHAPTERS), "Mira Vale", "the Old Man", "Nobody")

    shown = page.get("/books/lamp/story").text
    picture = shown.partition('id="presence"')[2].partition("</figure>")[0]

    assert re.findall(r"<title>([^<]+, \d: \d)</title>", picture) == [
        "Mira Vale, 1: 2", "Mira Vale, 3: 1", "the Old Man, 3: 1",
    ]  # fmt: skip
    assert "Nobody" not in picture


def test_a_chapter_is_read_once_for_the_people_and_the_tree_not_once_a_chapter(tmp_path: Path) -> None:
    settings, statements = make_settings(tmp_path / "long"), list[str]()
    book = make_book(settings, CHAPTERS * 8)
    report = report_of(book, settings)
    event.listen(book.database.engine, "before_cursor_execute", lambda *call: statements.append(call[2]))

    presence_chart(report, [MIRA], Manuscript(book))

    assert len(statements) <= 7 * len(report.chapters)


def test_a_name_is_found_within_a_language_without_blanks(page: TestClient, settings: Settings) -> None:
    chapters = [
        {"level": "chapter", "title": "一", "text": "林默走进灯塔。林默坐下。"},
        {"level": "chapter", "title": "二", "text": "雨停了。"},
    ]
    _people(make_book(settings, chapters, language="zh", premise="灯塔守人数船。"), "林默")

    shown = page.get("/books/lamp/story").text

    assert "<title>林默, 1: 2</title>" in shown


def test_the_times_of_chapters_stand_in_the_order_of_the_story(page: TestClient, settings: Settings) -> None:
    book = make_book(settings, CHAPTERS)
    with book.write() as stores:
        for label, when in (("1.1", "1923"), ("1.2", "1910"), ("1.3", "1924")):
            stores.nodes.change(stores.nodes.by_label(label).key, story_time=StoryTime(when=when))

    shown = page.get("/books/lamp/story").text
    table = shown.partition('id="times"')[2].partition("</table>")[0]

    assert re.findall(r"<td[^>]*>(19\d\d)</td>", table) == ["1910", "1923", "1924"]
    assert "flashback" in table


def test_the_book_is_drawn_as_a_map_of_length_and_state(page: TestClient, settings: Settings) -> None:
    parts = [{"level": "chapter", "title": "A & B", "text": "Rain fell."}, {"level": "chapter", "title": "Two"}]
    make_book(settings, parts, length=4_000)

    picture = page.get("/books/lamp/story").text.partition('id="map"')[2].partition("</figure>")[0]

    assert re.findall(r'href="([^"]+)"[^>]*class="(\w+)"', picture) == [
        ("/books/lamp/page/1.1", "done"), ("/books/lamp/page/1.2", "ahead"),
    ]  # fmt: skip
    widths = [float(width) for width in re.findall(r'<rect x="[^"]+" y="0" width="([^"]+)"', picture)]
    assert 0 < widths[0] < 5 < widths[1] < 260  # two words of 4,000, and 1,000 of them
    assert "A &amp; B: 2 / 1,000" in picture


def test_the_choices_among_drafts_are_told(page: TestClient, book: BookStorage) -> None:
    add_choice(book)

    told = page.get("/books/lamp/story").text.partition("Choices among drafts")[2]

    assert "2 drafts, number 2 went on" in " ".join(told.split())
    assert "another point of attack" in told
    assert told.count("It begins where it hurts.") == 2
    assert "/books/lamp/candidates/1.2" in told


def _people(book: BookStorage, *names: str) -> None:
    with book.write() as stores:
        for number, name in enumerate(names):
            entry = CodexEntry(id=f"person-{number}", kind=EntryKind.CHARACTER, name=name)
            stores.codex.add(entry, Origin.AUTHOR)
