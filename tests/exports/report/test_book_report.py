"""A report: what is gathered from a book, and the page and the file that it becomes."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bookwright.exports.report.book_report import report_of
from bookwright.exports.report.layout import laid_out, summary, thread_chart
from bookwright.models.codex.foreshadowing import Foreshadowing, ThreadStatus
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.models.story.quality import QualityReport, Scores
from bookwright.models.story.state import Ending, GlobalState, Promise, Settled
from bookwright.models.story_time.times import StoryTime
from bookwright.storage.stores import BookStorage
from tests.support.books import make_book, make_settings

COPIED = (
    "Rain fell on the tower where the keeper trimmed the lamp, and the nine ships that she had counted at dusk were "
    "gone by midnight without a sound."
)
CHAPTERS = [
    {"level": "chapter", "title": "The <b>Lamp</b> | one", "text": f"{COPIED}\n\n“Go,” she said. It was a tapestry."},
    {"level": "chapter", "title": "The Log", "text": "She read her own hand. “Nine,” she said, “and no more.”"},
    {"level": "chapter", "title": "The Ship", "text": f"Nobody came.\n\n{COPIED}"},
]
SCORES = {
    "coherence": 0.8, "pacing": 0.7, "prose": 0.7, "character_score": 0.6, "style": 0.7, "reader_excitement": 0.55,
    "emotional_resonance": 0.45, "overall": 0.72,
}  # fmt: skip
VOID = {"br", "hr", "img", "meta", "link", "input"}


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return make_settings(tmp_path)


@pytest.fixture
def book(settings: Settings) -> BookStorage:
    return make_book(settings, CHAPTERS, title="Night & <Watch>", pen_name="A. Hand")


class Page(HTMLParser):
    """Reads a page and keeps what a test asks for."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


def judged(storage: BookStorage, label: str, data: str) -> None:
    with storage.write() as stores:
        node = stores.nodes.by_label(label)
        stores.documents.add(NewDocument(node=node.key, kind=DocumentKind.QUALITY, text="judged", data=data), None)


def test_each_chapter_is_measured_beside_the_earlier_ones(book: BookStorage, settings: Settings) -> None:
    report = report_of(book, settings)

    assert [chapter.label for chapter in report.chapters] == ["1.1", "1.2", "1.3"]
    assert [len(chapter.figures.shared) for chapter in report.chapters] == [0, 0, 1]
    assert report.chapters[2].figures.shared[0].chapter == "1.1"
    assert report.chapters[0].figures.stock.count == 1
    assert report.chapters[0].figures.target == 1_000


def test_a_book_without_a_text_has_no_report(settings: Settings) -> None:
    empty = make_book(settings, [{"level": "chapter", "title": "A"}])

    with pytest.raises(InvalidInput, match="nothing of book 'lamp' is written yet"):
        report_of(empty, settings)


def test_a_book_of_one_piece_is_one_chapter(settings: Settings) -> None:
    storage = make_book(settings, "雨落在塔上。没有人数船。", language="zh", title="灯")

    page = laid_out(report_of(storage, settings), "html")

    assert "The whole book" in page
    assert '<h1 lang="zh">灯</h1>' in page


def test_the_page_stands_alone_and_is_well_formed(book: BookStorage, settings: Settings) -> None:
    page = laid_out(report_of(book, settings), "html")
    read = Page(page)

    assert (read.open, read.wrong) == ([], [])
    assert not {"script", "link", "img", "iframe"} & {tag for tag, _ in read.tags}
    assert set(re.findall(r"https?://[^\"]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "prefers-color-scheme: dark" in page


def test_the_page_can_be_used_without_eyes(book: BookStorage, settings: Settings) -> None:
    read = Page(laid_out(report_of(book, settings), "html"))

    drawings = [values for tag, values in read.tags if tag == "svg"]
    headers = [values for tag, values in read.tags if tag == "th"]
    assert all(values.get("aria-label") or values.get("aria-hidden") for values in drawings)
    assert all("scope" in values for values in headers)
    assert [values.get("lang") for tag, values in read.tags if tag == "html"] == ["en"]


def test_what_an_author_wrote_is_text_and_no_markup(book: BookStorage, settings: Settings) -> None:
    report = report_of(book, settings)

    assert "Night &amp; &lt;Watch&gt;" in laid_out(report, "html")
    assert "<b>" not in laid_out(report, "html")
    assert "The \\<b\\>Lamp\\</b\\> \\| one" in laid_out(report, "md")


def test_scores_are_shown_once_there_are_some(book: BookStorage, settings: Settings) -> None:
    before = laid_out(report_of(book, settings), "html")
    judged(book, "1.1", QualityReport(unit="1.1", scores=Scores(**SCORES)).model_dump_json())
    judged(book, "1.2", '{"unit": "1.2", "scores": {"overall": 7}}')

    report = report_of(book, settings)

    assert "Nobody has judged the book yet" in before
    assert "Arc of tension" not in before
    assert [chapter.quality is not None for chapter in report.chapters] == [True, False, False]
    assert "0.72 good" in laid_out(report, "html")
    assert "Arc of tension" in laid_out(report, "html")
    assert "0.72 (good)" in laid_out(report, "md")


def test_the_time_line_stands_in_the_report_once_a_unit_has_a_time(book: BookStorage, settings: Settings) -> None:
    before = report_of(book, settings)
    with book.write() as stores:
        times = ("Monday, 12 March 1923", "ten years before chapter 1", "Sunday, 13 March 1923")
        for number, when in enumerate(times, 1):
            stores.nodes.change(stores.nodes.by_label(f"1.{number}").key, story_time=StoryTime(when=when))

    report = report_of(book, settings)

    assert before.timeline.is_empty
    assert "Time line" not in laid_out(before, "html") + laid_out(before, "md")
    assert [row.standing for row in report.timeline.rows] == ["flashback", "", ""]
    assert "| ten years before chapter 1 | 2 |" in laid_out(report, "md")
    for page in (laid_out(report, "html"), laid_out(report, "md")):
        assert page.index("ten years before chapter 1") < page.index("Monday, 12 March 1923")
        assert "error in 1.3: Sunday, 13 March 1923" in page


def test_promises_are_followed_from_their_birth_to_their_end(book: BookStorage, settings: Settings) -> None:
    first = Promise(id="1.1-1", promise="Who wrote the log?", born="1.1")
    second = Promise(id="1.2-1", promise="Will the ship come?", born="1.2", is_overdue=True)
    kept = Settled(id="1.1-1", ending=Ending.KEPT, where="1.2")
    states = [
        GlobalState(aim="stay", conflict="sea", promises=(first,)),
        GlobalState(aim="stay", conflict="sea", promises=(second,), settled=(kept,)),
    ]
    with book.write() as stores:
        root = stores.nodes.root().key
        for state in states:
            data = state.model_dump_json()
            stores.documents.add(
                NewDocument(node=root, kind=DocumentKind.GLOBAL_STATE, text=state.aim, data=data), None
            )

    threads = report_of(book, settings).threads

    assert [(thread.title, thread.opened, thread.closed, thread.ending) for thread in threads] == [
        ("Who wrote the log?", 1, 2, "kept"),
        ("Will the ship come?", 2, None, "overdue"),
    ]


def test_the_register_of_foreshadowing_is_shown(book: BookStorage, settings: Settings) -> None:
    thread = Foreshadowing.model_validate(
        {
            "id": "ring", "title": "The ring", "status": "planted",
            "timeline": {"events": [{"place": "1.2", "type": "plant"}]},
        }
    )  # fmt: skip
    with book.write() as stores:
        stores.codex.add(thread, Origin.AUTHOR)

    report = report_of(book, settings)

    assert [(t.title, t.opened, t.closed, t.is_open) for t in report.threads] == [("The ring", 2, None, True)]
    assert "1 thread of 1 is still open." in laid_out(report, "html")


def test_only_threads_that_are_counted_as_open_run_on_in_the_chart(book: BookStorage, settings: Settings) -> None:
    planted = {"events": [{"place": "1.1", "type": "plant"}]}
    with book.write() as stores:
        for status in ThreadStatus:
            thread = {
                "id": status.value, "title": status.value, "status": status.value, "seed": {"planned_at": "1.2"},
                "timeline": {} if status is ThreadStatus.REGISTERED else planted,
            }  # fmt: skip
            stores.codex.add(Foreshadowing.model_validate(thread), Origin.AUTHOR)

    report = report_of(book, settings)

    chart = thread_chart(report)
    assert chart is not None
    assert chart.svg.count('class="stretch open"') == 2
    assert "2 threads of 5 are still open." in summary(report)
    assert "registered" not in chart.svg  # which has no beginning yet


def test_markdown_has_one_row_for_each_chapter(book: BookStorage, settings: Settings) -> None:
    lines = laid_out(report_of(book, settings), "md").splitlines()

    start = next(number for number, line in enumerate(lines) if line.startswith("| no. | chapter"))
    assert lines[start + 1].startswith("| ---")
    assert [line[:4] for line in lines[start + 2 : start + 6]] == ["| 1 ", "| 2 ", "| 3 ", ""]
