"""A book that is forked, and whose branch is merged, taken back and merged again, by workers that may end anywhere."""

from contextlib import suppress

from bookwright.agents.backends.service import ModelService
from bookwright.app.access import OpenBook
from bookwright.app.branches.forks import branch_tree, fork
from bookwright.app.branches.merging import MergeOrder, look_at_merge, merge, undo_merge
from bookwright.flows.candidates.judging import ask_reader
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig, hold_book
from bookwright.flows.revision.revise import chosen, take_in
from bookwright.flows.run_book import run_book
from bookwright.models.brief import Brief
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.settings import Settings
from bookwright.storage.branches.repository import BranchRepository
from bookwright.storage.stores import BookStorage
from tests.durability.children import finished_text

WORDS = "She stayed."


def fork_and_merge(brief: Brief, settings: Settings) -> None:
    """Make a branch of a book, unless a worker that died has; merge it, take that back, and merge it again."""
    opened = _opened(brief, settings)
    try:
        with opened.storage.database.read() as connection:
            known = BranchRepository(connection).of(opened.book.id)
        branch = known[0].book if known else fork(opened, None, "she stays").book
        with BookStorage(opened.storage.database, branch, opened.storage.language).write() as stores:
            leaf = next(iter(stores.nodes.leaves()))
            take_in(stores, leaf, chosen(stores, leaf, None), WORDS)
        with suppress(InvalidInput):  # a worker that died has merged it
            merge(opened, MergeOrder(branch))
        with suppress(InvalidInput):  # or had taken it back
            undo_merge(opened)
        merge(opened, MergeOrder(branch))
    finally:
        opened.storage.database.dispose()


def fork_and_write(brief: Brief, settings: Settings) -> None:
    """Make a branch from its second chapter on, unless a worker that died has, and write it."""
    opened = _opened(brief, settings)
    models = ModelService(settings)
    try:
        with opened.storage.database.read() as connection:
            known = BranchRepository(connection).of(opened.book.id)
        branch = known[0].book if known else fork(opened, "chapter 2", "she stays").book
        run_book(branch, RunConfig(settings, opened.storage.database, models))
    finally:
        models.close()
        opened.storage.database.dispose()


def have_compared(brief: Brief, settings: Settings) -> None:
    """Have a reader say which of two texts of the book's first unit is the better one."""
    opened = _opened(brief, settings)
    models = ModelService(settings)
    try:
        with hold_book(
            opened.book.id, RunConfig(settings, opened.storage.database, models), way_on="the same command"
        ) as deps:
            with deps.stores() as stores:
                unit = next(iter(stores.nodes.leaves()))
            ask_reader(unit, WORDS, "She went.", deps)
    finally:
        models.close()
        opened.storage.database.dispose()


def compared_book(settings: Settings) -> object:
    """The text, and how often somebody was asked."""
    book, text = finished_text(settings)
    return book.calls, text


def written_branch(brief: Brief, settings: Settings) -> object:
    """Every text of the branch and of its origin, and what each has cost."""
    opened = _opened(brief, settings)
    rows = [(row.book.id, row.written, row.book.state, row.book.calls) for row in branch_tree(opened).rows]
    texts = []
    for book, *_ in rows:
        with BookStorage(opened.storage.database, book, opened.storage.language).read() as stores:
            leaves = [leaf.key for leaf in stores.nodes.leaves()]
            texts += [document.text for document in stores.documents.of_nodes(leaves, DocumentKind.PROSE)]
    opened.storage.database.dispose()
    return rows, texts


def forked_book(brief: Brief, settings: Settings) -> object:
    """One branch, whose words stand in the book once, and nothing half of it."""
    opened = _opened(brief, settings)
    rows = [(row.depth, row.written, row.book.calls) for row in branch_tree(opened).rows]
    is_merged = look_at_merge(opened, MergeOrder("she-stays")).is_empty
    with opened.storage.read() as stores:
        nodes = list(stores.nodes.walk())
        found = stores.documents.of_nodes([node.key for node in nodes], *DocumentKind)
        current = sorted((document.kind.value, document.version, document.text) for document in found)
    opened.storage.database.dispose()
    return rows, is_merged, current, [node.written for node in nodes]


def _opened(brief: Brief, settings: Settings) -> OpenBook:
    database = open_library(settings)
    book = find_or_create(database, brief)
    return OpenBook(settings, BookStorage(database, book.id, book.brief.language), book)
