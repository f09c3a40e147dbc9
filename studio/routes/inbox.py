"""The inbox: gates of all books that wait, each with what it is about, and the decision."""

from dataclasses import dataclass

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse

from bookwright.app.candidates import candidates_at, draft_at
from bookwright.app.changes.gates import chosen_gate, decide, grouped, reviews, start_again, subject_text, waiting_in
from bookwright.exports.markup import clean
from bookwright.exports.report.judgements import read_current
from bookwright.models.document import DocumentKind
from bookwright.models.gate import Decider, Gate, GateKind, Ruling
from bookwright.models.ruling import approval, rejection
from bookwright.models.story.candidates import CandidateDraft
from bookwright.models.story.quality import QualityReport
from bookwright.models.text.diff import word_diff
from bookwright.models.text.prose import paragraphs
from bookwright.studio.pages import BookRequest, Fields, ThisBook, page
from bookwright.studio.routes.shelf import start_writing
from bookwright.studio.state import StudioState, ThisStudio

router = APIRouter()

_TITLES = {
    GateKind.OUTLINE: "The first plan of the book",
    GateKind.BOOK_DESIGN: "The design of the whole book",
    GateKind.VOLUME_DESIGN: "The design of a volume",
    GateKind.CHAPTER: "A chapter is finished",
    GateKind.UNIT: "A part is finished",
    GateKind.CANDIDATES: "Several drafts are there to choose from",
    GateKind.HUMAN_FALLBACK: "A draft was refused too often",
}


@dataclass(frozen=True)
class GateView:
    """A gate with what a person needs to decide it."""

    gate: Gate
    asks: str
    """What is asked, to be translated."""
    book_title: str
    language: str
    paragraphs: list[str]
    changes: list[tuple[str, str]]
    """Pieces of the text as it was rejected and as it is now; empty where it is there for the first time."""
    scores: dict[str, float]
    reviews: list[str]
    """What reviews have left on record, in lines."""
    drafts: tuple[CandidateDraft, ...]
    """Between which a draft is to be chosen; empty where nothing is."""
    preferred: int
    """Which of them blind readers preferred."""
    refusals: list[list[str]]
    """Why drafts were refused, the oldest first, what differs by its words alone in one line."""


@router.get("/inbox")
def inbox(request: Request, studio: ThisStudio) -> HTMLResponse:
    """Show what waits."""
    waiting = waiting_in(studio.library.database())
    return page(request, "inbox.html.j2", sights=[_sight(studio, gate) for gate in waiting])


@router.get("/inbox/count")
def count(studio: ThisStudio) -> HTMLResponse:
    """Return how many gates wait, as the bar shows it."""
    waiting = len(waiting_in(studio.library.database()))
    return HTMLResponse(f'<span class="badge">{waiting}</span>' if waiting else "")


@router.post("/books/{book}/gates/{gate}/approve")
def approve(book: ThisBook, gate: int, fields: Fields) -> HTMLResponse:
    """Let a book go on past a gate, with a text of the author's own where one is given."""
    found = _found(book, gate)
    own = fields.get("text") if fields.get("text", "").strip() else None
    if found.kind is GateKind.CANDIDATES and fields.get("candidate", "").isdecimal():
        with book.read() as stores:
            own = draft_at(found, int(fields["candidate"]), stores)
    return _decided(book, found, approval(found, Decider.STUDIO, fields.get("note", ""), own))


@router.post("/books/{book}/gates/{gate}/reject")
def reject(book: ThisBook, gate: int, fields: Fields) -> HTMLResponse:
    """Have what a gate is about done again under a note."""
    found = _found(book, gate)
    return _decided(book, found, rejection(found, Decider.STUDIO, fields.get("note", "")))


def _decided(book: BookRequest, gate: Gate, ruling: Ruling) -> HTMLResponse:
    with book.change() as opened:
        decided = decide(gate, ruling, opened.storage)
    if not start_again(decided, book.studio.settings):
        start_writing(book.studio, gate.book)
    return page(book.request, "gate_decided.html.j2", gate=decided)


def _found(book: BookRequest, number: int) -> Gate:
    with book.read() as stores:
        return chosen_gate(stores.gates.all(), str(number), book.id)


def _sight(studio: StudioState, gate: Gate) -> GateView:
    opened = studio.library.opened(gate.book)
    with opened.storage.read() as stores:
        node = stores.nodes.get(gate.node)
        told = clean(subject_text(gate, stores))
        before = stores.gates.rejected_work(node, gate.kind)
        report = read_current(QualityReport, DocumentKind.QUALITY, stores, node)
        said = [line for line in reviews(gate, stores) if not line.startswith("scores:")]
        choice = candidates_at(node, stores).choice if gate.kind is GateKind.CANDIDATES else None
    brief = opened.book.brief
    scores = report.scores.model_dump() if report and report.scores else {}
    drafts = (choice.candidates, choice.preferred) if choice else ((), 0)
    return GateView(
        gate, _TITLES[gate.kind], opened.book.title or brief.working_title, brief.language.value, paragraphs(told),
        list(word_diff(clean(before), told)) if before else [],
        {name.replace("_", " "): score for name, score in scores.items()}, said, *drafts,
        [list(grouped(refusal.reasons)) for refusal in gate.refusals],
    )  # fmt: skip
