"""What work on a text that is there already takes: writing on behind a book's end, and looking at a manuscript.

A copy of it is gone on with, by an author that is no model.
"""

from collections.abc import Iterable
from dataclasses import replace

from bookwright.app.access import unheard
from bookwright.app.estimates.bill import RECURRING, Bill, Tally, by_role, priced, tally
from bookwright.app.estimates.last_stages import new_lines, with_end
from bookwright.app.estimates.rehearsal import (
    HIGH,
    LONGEST_WALKED,
    LOW,
    SAMPLE_LENGTH,
    BookEstimate,
    Tell,
    estimate_of,
    rehearsal,
    rehearsed_brief,
)
from bookwright.exports.json import import_book, whole_book
from bookwright.flows.book_models import model_of
from bookwright.flows.intake.continuation import go_on
from bookwright.flows.intake.manuscript_import import bring_in, longest_piece
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import DAY, Limits
from bookwright.flows.walk import write_unit
from bookwright.manuscripts.manuscript import FoundBook
from bookwright.models.brief import MIN_LENGTH, Brief
from bookwright.models.errors import BookPaused
from bookwright.models.settings import Settings
from bookwright.models.tree.plan import TaskType
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage

_SAMPLE_CHAPTERS, _SAMPLE_LETTERS = 8, 60_000


def estimate_more(
    source: BookStorage, brief: Brief, more: int, settings: Settings, tell: Tell = unheard
) -> BookEstimate:
    """Rehearse so much more of a book, twice, and what closes it at its new end, and price that.

    Raises:
        InvalidInput: The book is still being written, or cannot be gone on with.
    """
    low, high = (_copied_and_walked(source, brief, more, settings, mode, tell) for mode in (LOW, HIGH))
    return estimate_of(brief, more, low, high, settings)


def _copied_and_walked(
    source: BookStorage, brief: Brief, more: int, settings: Settings, mode: str, tell: Tell
) -> Tally:
    with rehearsal(brief, more, settings, mode, tell) as around:
        file = around.settings.home / "book.json"
        with file.open("w", encoding="utf-8") as opened:
            opened.writelines(whole_book(source))
        storage = BookStorage(around.database, import_book(file, around.database), source.language)
        with storage.write() as stores:
            stores.books.edit_brief(storage.book, rehearsed_brief(brief, settings).changed(models={"default": mode}))
        return walk_on(storage, around, more)


def walk_on(storage: BookStorage, around: RunConfig, more: int) -> Tally:
    """Go on with a rehearsed book that is written to its end, and count what so much more of it takes.

    Of much, a beginning is walked: what is done for new parts grows with the length, what is done once does not.
    """
    written, nodes, units = _size(storage)
    with storage.write() as stores:
        today = stores.documents.written_within(DAY)
        go_on(stores, stores.books.get(storage.book), more)
    limits = Limits() if more <= LONGEST_WALKED else Limits(words_today=today + SAMPLE_LENGTH)
    lines = new_lines(storage, lambda: _walk(storage, replace(around, limits=limits)))
    all_written, all_nodes, all_units = _size(storage)
    walked = all_written - written
    factor = max(more / max(walked, 1), 1.0) if limits.words_today else 1.0
    found = Tally(
        walked, round((all_nodes - nodes) * factor), round((all_units - units) * factor),
        _scaled(lines, factor, storage),
    )  # fmt: skip
    return with_end(found, storage, around, written + more)


def _walk(storage: BookStorage, around: RunConfig) -> None:
    """Write a book to its end or, where it is to rest, to there."""
    with hold_book(storage.book, around, way_on="the same command") as deps:
        with deps.stores() as stores:
            root = stores.nodes.root()
        try:
            write_unit(root, deps)
        except BookPaused:
            if deps.limits.words_today is None:
                raise  # it rests for another reason


def _size(storage: BookStorage) -> tuple[int, int, int]:
    with storage.read() as stores:
        nodes = list(stores.nodes.walk())
    return nodes[0].written, len(nodes), sum(node.is_unit for node in nodes)


def _scaled(lines: Iterable[StepLine], factor: float, storage: BookStorage) -> dict[str, Bill]:
    """Sum steps up by role, those for parts of the book so many times."""
    with storage.read() as stores:
        parts = {part.label for part in stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)}

    def factor_of(line: StepLine) -> float:
        is_often = line.activity in RECURRING or ".".join(line.label.split(".")[:2]) in parts
        return factor if is_often else 1.0

    return by_role(lines, factor_of)


def bill_of_import(found: FoundBook, brief: Brief, settings: Settings, more: int, tell: Tell) -> str:
    """Rehearse the first chapters of a manuscript; return in words what all takes of the models that would be asked.

    With `more`, so much is written behind it, and the book closed there.
    """
    sample = _sample(found)
    length = sum(brief.language.measure(line) for chapter in sample.chapters for line in chapter.paragraphs)
    rehearsed = rehearsed_brief(brief, settings).changed(length=max(length, MIN_LENGTH), models={"default": LOW})
    with rehearsal(brief, rehearsed.length + more, settings, LOW, tell) as around:
        book = bring_in(around.database, sample, rehearsed, "0" * 8, longest_piece(brief, settings))
        run_book(book.id, around)
        storage = BookStorage(around.database, book.id, brief.language)
        looking = tally(storage).roles
        writing = walk_on(storage, around, more).roles if more else {}
    factor = max(brief.length / max(length, 1), 1.0)
    roles = [*((role, bill.scaled(factor)) for role, bill in looking.items()), *writing.items()]
    bills = (priced(bill, model_of(role, brief, settings), settings) for role, bill in roles)
    return f"about {sum(bills, Bill())}"


def _sample(found: FoundBook) -> FoundBook:
    chapters, size = [], 0
    for chapter in found.chapters[:_SAMPLE_CHAPTERS]:
        chapters.append(replace(chapter, part=None))
        size += chapter.size
        if size >= _SAMPLE_LETTERS:
            break
    return replace(found, chapters=tuple(chapters), parts=())
