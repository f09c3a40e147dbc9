"""The story so far: its state, its promises, figures with charts, what it has cost and where."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.access import OpenBook
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.report.book_map import book_map
from bookwright.exports.report.book_report import report_of
from bookwright.exports.report.charts import Chart, Series, bars, lines
from bookwright.exports.report.notes import read_as
from bookwright.exports.report.presence import presence_chart
from bookwright.exports.report.views import charts, summary
from bookwright.models.document import DocumentKind
from bookwright.models.story.report import BookReport
from bookwright.models.story.state import GlobalState
from bookwright.storage.stores import Stores
from bookwright.studio.pages import page
from bookwright.studio.routes.desk import crumb_of
from bookwright.studio.workshop import Here

router = APIRouter()

_MICROS = 1_000_000
_MOST_POINTS = 120


@dataclass(frozen=True)
class StorySight:
    """What is told of a story so far."""

    report: BookReport
    state: GlobalState | None
    map: Chart | None
    """The tree with length and state."""
    summary: list[str]
    charts: list[Chart]
    presence: Chart | None
    """Who appears where; None where nobody of the codex is named."""
    summaries: list[tuple[str, str, str]]
    """Label, heading and summary of the chapters, the newest first."""


@router.get("/books/{book}/story")
def story(request: Request, here: Here, book: str) -> HTMLResponse:
    """Show the story so far."""
    opened = here.look(book)
    with opened.storage.read() as stores:
        written = stores.nodes.root().written
    sight = _sight(opened) if written else None
    return page(request, "story.html.j2", crumb_of(opened, "story"), sight=sight)


def _sight(opened: OpenBook) -> StorySight:
    report = report_of(opened.storage, opened.settings)
    with opened.storage.read() as stores:
        document = stores.documents.latest(DocumentKind.GLOBAL_STATE)
        state = read_as(GlobalState, stores.documents.data_of(document)) if document else None
        drawn = [*charts(report), *_costs(stores, report)]
        told = list(_summaries(stores, report))
        entries = stores.codex.entries()
        drawn_map = book_map(stores, lambda label: f"/books/{opened.book.id}/page/{label}")
    presence = presence_chart(report, entries, Manuscript(opened.storage))
    return StorySight(report, state, drawn_map, summary(report), drawn, presence, told[::-1])


def _summaries(stores: Stores, report: BookReport) -> list[tuple[str, str, str]]:
    found = []
    for chapter in report.chapters:
        node = stores.nodes.by_label(chapter.label)
        document = stores.documents.current(node.key, DocumentKind.SUMMARY)
        if document is not None:
            found.append((chapter.label, chapter.heading or node.title, document.text))
    return found


def _costs(stores: Stores, report: BookReport) -> list[Chart]:
    """Draw what each chapter has cost, and how the cost grew; nothing where all was free."""
    costs = stores.step_pages.by_hour()
    if not any(costs):
        return []
    by_chapter = [stores.step_pages.cost_below(chapter.label) / _MICROS for chapter in report.chapters]
    grown, total = [], 0.0
    for micros in costs[-_MOST_POINTS:]:
        total += micros / _MICROS
        grown.append(total)
    first, second = "Dollars that each chapter took.", "Dollars spent so far, hour by hour."
    return [
        bars("Cost by chapter", first, by_chapter),
        lines("Cost over time", second, [Series("dollars", grown)], max(grown)),
    ]
