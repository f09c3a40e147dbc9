"""What looking at a manuscript would take: its first chapters rehearsed without a model, the rest in proportion."""

from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from bookwright.agents.backends.service import ModelService
from bookwright.cli.access import library
from bookwright.cli.bill import Bill, priced, tally
from bookwright.cli.output import make_console, money, tokens
from bookwright.flows.book_models import model_of, profile_of
from bookwright.flows.bringing_in import bring_in, longest_piece
from bookwright.flows.hold import Surroundings
from bookwright.flows.run_book import run_book
from bookwright.manuscripts.found import FoundBook
from bookwright.models.brief import MIN_LENGTH, Brief
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage

_SAMPLE_CHAPTERS, _SAMPLE_LETTERS = 8, 60_000
_REHEARSAL = "rehearsal:exact"


@dataclass(frozen=True)
class ImportBill:
    """Calls, tokens and money, about."""

    total: Bill

    def __str__(self) -> str:
        """Say it in one line."""
        price = "at a price unknown" if self.total.cost_micros is None else money(self.total.cost_micros)
        spent = tokens(self.total.input_tokens + self.total.output_tokens)
        return f"about {self.total.calls:,} calls, {spent} tokens, {price}"


def bill_of_import(found: FoundBook, brief: Brief, settings: Settings) -> ImportBill:
    """Rehearse the first chapters of a manuscript and price all by the models that would really be asked."""
    sample = _sample(found)
    length = sum(brief.language.measure(line) for chapter in sample.chapters for line in chapter.paragraphs)
    roles = _rehearsed(sample, brief, max(length, MIN_LENGTH), longest_piece(brief, settings), settings)
    factor = max(brief.length / max(length, 1), 1.0)
    bills = (
        priced(bill.scaled(factor), model_of(role, brief, settings), settings, with_thoughts=True)
        for role, bill in roles.items()
    )
    return ImportBill(sum(bills, Bill()))


def _sample(found: FoundBook) -> FoundBook:
    chapters, size = [], 0
    for chapter in found.chapters[:_SAMPLE_CHAPTERS]:
        chapters.append(replace(chapter, part=None))
        size += chapter.size
        if size >= _SAMPLE_LETTERS:
            break
    return replace(found, chapters=tuple(chapters), parts=())


def _rehearsed(sample: FoundBook, brief: Brief, length: int, piece: int, settings: Settings) -> dict[str, Bill]:
    profile = profile_of(brief, settings).name.value
    rehearsed = brief.changed(profile=profile, budget={}, length=length, models={"default": _REHEARSAL})
    with TemporaryDirectory(prefix="bookwright-rehearsal-") as folder, make_console(stderr=True).status("rehearsing"):
        changes = {
            "home": Path(folder), "database_url": "", "chroma_url": "", "embedding": "hashing", "model": _REHEARSAL,
            "models": {}, "free_megabytes": 0, "studio_usd": None, "studio_tokens": None,
        }  # fmt: skip
        alone = settings.model_copy(update=changes)
        with closing(ModelService(alone)) as models, library(alone) as database:
            book = bring_in(database, sample, rehearsed, "0" * 8, piece)
            run_book(book.id, Surroundings(alone, database, models))
            return tally(BookStorage(database, book.id, brief.language)).roles
