"""What looking at a manuscript would take: its first chapters rehearsed without a model, the rest in proportion."""

from dataclasses import replace

from bookwright.app.access import unheard
from bookwright.app.estimates.more_bill import walk_on
from bookwright.app.estimates.rehearsal import LOW, Tell, rehearsal, rehearsed_brief
from bookwright.app.orders.bill import Bill, priced, tally
from bookwright.flows.book_models import model_of
from bookwright.flows.intake.manuscript_import import bring_in, longest_piece
from bookwright.flows.run_book import run_book
from bookwright.manuscripts.manuscript import FoundBook
from bookwright.models.brief import MIN_LENGTH, Brief
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage

_SAMPLE_CHAPTERS, _SAMPLE_LETTERS = 8, 60_000


def bill_of_import(found: FoundBook, brief: Brief, settings: Settings, more: int = 0, tell: Tell = unheard) -> str:
    """Rehearse the first chapters of a manuscript; return in words what all takes of the models that would be asked.

    With `more`, so much is written behind it, and the book closed there.
    """
    sample = _sample(found)
    length = sum(brief.language.measure(line) for chapter in sample.chapters for line in chapter.paragraphs)
    rehearsed = rehearsed_brief(brief, settings).changed(length=max(length, MIN_LENGTH), models={"default": LOW})
    with rehearsal(rehearsed.length + more, settings, LOW, tell) as around:
        book = bring_in(around.database, sample, rehearsed, "0" * 8, longest_piece(brief, settings))
        run_book(book.id, around)
        storage = BookStorage(around.database, book.id, brief.language)
        looking = tally(storage).roles
        writing = walk_on(storage, around, more).roles if more else {}
    factor = max(brief.length / max(length, 1), 1.0)
    roles = [*((role, bill.scaled(factor)) for role, bill in looking.items()), *writing.items()]
    bills = (priced(bill, model_of(role, brief, settings), settings) for role, bill in roles)
    return f"about {sum(bills, Bill()).in_words('at a price unknown')}"


def _sample(found: FoundBook) -> FoundBook:
    chapters, size = [], 0
    for chapter in found.chapters[:_SAMPLE_CHAPTERS]:
        chapters.append(replace(chapter, part=None))
        size += chapter.size
        if size >= _SAMPLE_LETTERS:
            break
    return replace(found, chapters=tuple(chapters), parts=())
