"""How far a book is: one short look into the database, what follows from it, and how it is said in one line."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bookwright.models.book import Book
from bookwright.models.errors import BookwrightError
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ReadingOrder, hierarchical_position
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.models.wording import dollars, money, tokens
from bookwright.storage.steps.queries import StepLine
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tree.reading_order import read_names

EVERY_STEP = 2**31
"""A limit that no journal reaches."""


@dataclass(frozen=True)
class BookProgress:
    """Where a book stands."""

    book: Book
    root: TaskNode
    path: tuple[TaskNode, ...]
    """From the book down to the node that is worked on."""
    names: ReadingOrder
    """What the chapters are called."""

    @property
    def share(self) -> float:
        """What is written of what was asked for, 0 to 1."""
        return min(self.root.written / (self.root.length or 1), 1.0)

    @property
    def place(self) -> str:
        """The path in one line, without the book itself."""
        return " > ".join(
            self.names.named(node) for node in self.path if node.level is not Level.BOOK or not node.is_unit
        )


def read_progress(storage: BookStorage) -> BookProgress:
    """Look where a book stands; as many queries as its tree is deep."""
    with storage.read() as stores:
        return progress_of(stores, storage.book)


def progress_of(stores: Stores, book: str) -> BookProgress:
    """Look where a book stands, within a look that is open."""
    names = read_names(stores.connection, book)
    return BookProgress(stores.books.get(book), stores.nodes.root(), tuple(stores.nodes.open_path()), names)


def place_of(node: TaskNode, stores: Stores, language: Language) -> str:
    """Return where a node's unit stands in the tree, in words of the book's language; empty for the book's own."""
    unit = node if node.unit is None else stores.nodes.get(node.unit)
    return hierarchical_position(unit, stores.nodes.ancestors(unit), stores.codex.reading_order(), language)


def stage_of(storage: BookStorage, label: str) -> str:
    """Return the stage and member by which a node's blueprint names it; empty where none does."""
    try:
        with storage.read() as stores:
            return stores.nodes.by_label(label).stage
    except BookwrightError:
        return ""


class StepFeed:
    """The journal's new lines since the last look."""

    def __init__(self, storage: BookStorage, shown: int = 0) -> None:
        self._storage = storage
        with storage.read() as stores:
            self.names = read_names(stores.connection, storage.book)
            """What the chapters are called, as of the newest line."""
            self.recent = deque(stores.steps.lines(limit=EVERY_STEP), maxlen=max(shown, 1))
            self._last = self.recent[-1].id if self.recent else 0
            self.worked_seconds = stores.steps.worked_seconds(0, self._last)
            """How long was worked on the book up to the newest line."""

    def new(self, until: int = EVERY_STEP) -> list[StepLine]:
        """Return the attempts that were recorded since the last call, oldest first, none of them after a step."""
        with self._storage.read() as stores:
            lines = [line for line in stores.steps.lines(after=self._last) if line.id <= until]
            if lines:
                self.names = read_names(stores.connection, self._storage.book)
                self.worked_seconds += stores.steps.worked_seconds(self._last, lines[-1].id)
        if lines:
            self._last = lines[-1].id
            self.recent.extend(lines)
        return lines


def seconds_left(root: TaskNode, worked_seconds: float) -> float | None:
    """Return how long the rest of a book takes at the pace of all work so far; None while nothing can be said."""
    if not root.written or not worked_seconds or root.status is NodeStatus.DONE:
        return None
    return max(root.remaining, 0) * worked_seconds / root.written


def unit_text(data: Mapping[str, Any], length_unit: str) -> str:
    """A closed unit and how far the book is with it, in one line."""
    return (
        f"{data['name']} is done: {data['written']:,} of {data['length']:,}; "
        f"the book: {data['bookWritten']:,} of {data['bookLength']:,} {length_unit}"
    )


def step_text(line: StepLine, names: ReadingOrder) -> str:
    """One attempt in one line."""
    took = f"{tokens(line.input_tokens)} > {tokens(line.output_tokens)} tokens, {line.duration_millis / 1000:.1f} s"
    told = f"  {line.detail[:80]}" if line.detail else ""
    if line.failure:
        told = f"  {'FAILED ' if line.is_failed else ''}{line.failure}: {line.detail[:80]}"
    return f"{names.name_of(line.label)} {line.activity}/{line.step}  {took}, {money(line.cost)}{told}"


def plain_step(line: StepLine, names: ReadingOrder) -> str:
    """One attempt as it is told to whoever looks on: what was done where, how long it took, what it cost."""
    told = f", not a result: {line.detail[:60]}" if line.is_failed else ""
    return f"{names.name_of(line.label)} {line.activity}: {line.duration_millis / 1000:.1f} s, {money(line.cost)}{told}"


def spent(progress: BookProgress) -> str:
    """What a book has cost so far, of its caps where it has some."""
    book, budget = progress.book, progress.book.brief.budget
    cap = f" of {dollars(budget.usd)}" if budget.usd else ""
    token_cap = f" of {tokens(budget.tokens)}" if budget.tokens else ""
    unpriced = f" ({book.unpriced_calls} unpriced)" if book.unpriced_calls else ""
    return f"{money(book.cost)}{cap}{unpriced}   {book.calls:,} calls   {tokens(book.tokens)}{token_cap} tokens"
