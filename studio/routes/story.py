"""The story so far: its state, its promises, figures with charts, what it has cost and where."""

from collections.abc import Iterator
from itertools import accumulate

from fastapi import APIRouter
from fastapi.responses import HTMLResponse

from bookwright.exports.manuscript import Manuscript
from bookwright.exports.report.book_report import report_of
from bookwright.exports.report.charts import Chart, Series, bars, lines
from bookwright.exports.report.judgements import read_as
from bookwright.exports.report.layout import charts, summary
from bookwright.exports.report.maps import book_map, presence_chart
from bookwright.models.amount import MICROS
from bookwright.models.document import DocumentKind
from bookwright.models.story.report import BookReport
from bookwright.models.story.state import GlobalState
from bookwright.storage.stores import Stores
from bookwright.studio.pages import ThisBook

router = APIRouter()

_MOST_POINTS = 120


@router.get("/books/{book}/story")
def story(book: ThisBook) -> HTMLResponse:
    """Show the story so far."""
    opened = book.opened
    with book.read() as stores:
        if not stores.nodes.root().written:
            return book.page("story.html.j2", "story", report=None)
    report = report_of(opened.storage, opened.settings)
    with book.read() as stores:
        document = stores.documents.latest(DocumentKind.GLOBAL_STATE)
        state = read_as(GlobalState, stores.documents.data_of(document)) if document else None
        drawn = [*charts(report), *_costs(stores, report)]
        summaries = list(_summaries(stores, report))
        entries = stores.codex.entries()
        drawn_map = book_map(stores, lambda label: f"/books/{opened.book.id}/page/{label}")
    return book.page(
        "story.html.j2", "story", report=report, state=state, map=drawn_map, summary=summary(report), charts=drawn,
        presence=presence_chart(report, entries, Manuscript(opened.storage)), summaries=summaries[::-1],
    )  # fmt: skip


def _summaries(stores: Stores, report: BookReport) -> Iterator[tuple[str, str, str]]:
    """Yield label, heading and summary of the chapters."""
    for chapter in report.chapters:
        node = stores.nodes.by_label(chapter.label)
        document = stores.documents.current(node.key, DocumentKind.SUMMARY)
        if document is not None:
            yield chapter.label, chapter.heading or node.title, document.text


def _costs(stores: Stores, report: BookReport) -> list[Chart]:
    """Draw what each chapter has cost, and how the cost grew; nothing where all was free."""
    costs = stores.step_pages.by_hour()
    if not any(costs):
        return []
    by_chapter = [stores.step_pages.cost_below(chapter.label) / MICROS for chapter in report.chapters]
    grown = list(accumulate(micros / MICROS for micros in costs[-_MOST_POINTS:]))
    first, second = "Dollars that each chapter took.", "Dollars spent so far, hour by hour."
    return [
        bars("Cost by chapter", first, by_chapter),
        lines("Cost over time", second, [Series("dollars", grown)], max(grown)),
    ]
