"""What looking at a manuscript would take: its first chapters rehearsed without a model, the rest in proportion."""

from dataclasses import dataclass, replace

from bookwright.app.estimates.more_bill import walk_on
from bookwright.app.estimates.rehearsal import LOW, Tell, rehearsal, rehearsed_brief, unheard
from bookwright.app.orders.bill import Bill, priced, tally
from bookwright.app.wording import money, tokens
from bookwright.flows.book_models import model_of
from bookwright.flows.intake.manuscript_import import bring_in, longest_piece
from bookwright.flows.run_book import run_book
from bookwright.manuscripts.found import FoundBook
from bookwright.models.brief import MIN_LENGTH, Brief
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage

_SAMPLE_CHAPTERS, _SAMPLE_LETTERS = 8, 60_000


@dataclass(frozen=True)
class ImportBill:
    """Calls, tokens and money, about."""

    total: Bill

    def __str__(self) -> str:
        """Say it in one line."""
        price = "at a price unknown" if self.total.cost_micros is None else money(self.total.cost_micros)
        spent = tokens(self.total.input_tokens + self.total.output_tokens)
        return f"about {self.total.calls:,} calls, {spent} tokens, {price}"


def bill_of_import(
    found: FoundBook, brief: Brief, settings: Settings, more: int = 0, tell: Tell = unheard
) -> ImportBill:
    """Rehearse the first chapters of a manuscript and price all by the models that would really be asked.

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
    return ImportBill(sum(bills, Bill()))


def _sample(found: FoundBook) -> FoundBook:
    chapters, size = [], 0
    for chapter in found.chapters[:_SAMPLE_CHAPTERS]:
        chapters.append(replace(chapter, part=None))
        size += chapter.size
        if size >= _SAMPLE_LETTERS:
            break
    return replace(found, chapters=tuple(chapters), parts=())
