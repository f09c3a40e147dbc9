"""Books whose every sentence says which answer it came of, so that what stood in a prompt can be told by looking."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import select

from bookwright.agents.backends.budget import BudgetLedger
from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.flows.hold import Surroundings
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.limits import Limits
from bookwright.flows.run_book import run_book
from bookwright.models.codex import CodexEntry
from bookwright.models.codex_record import Origin
from bookwright.models.document import Document, DocumentKind
from bookwright.models.errors import BookPaused
from bookwright.models.settings import Settings
from bookwright.models.staleness import UNREAD
from bookwright.models.step import Activity, Reply
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tables import documents, steps
from tests.books import make_brief_of, make_settings

Written = tuple[BookStorage, Settings]

MARK = re.compile(r"Zq\d+x-")
_FIRST_WORD = re.compile(r"(^[ \t]*(?:[-*#>]+ )?|[.!?][\"”’\u0027]* )(?=[\"“‘\u0027(]*\w)", re.MULTILINE)
_QUOTING = (DocumentKind.STYLE_GUIDE, DocumentKind.LEAK_REVIEW)
"""Kinds that quote the prose: a mark in them is that of the words they quote."""
_LEFT_AS_IT_IS = ("§", "<<<", "@after")


class Marking:
    """Asks the rehearsal author, and puts a mark of its own before each sentence of every text it answers."""

    def __init__(self, models: ModelService, first: int = 0) -> None:
        self._models = models
        self.calls = first

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Answer, marked."""
        reply = self._models.ask(request, budget, listener, on_failure)
        self.calls += 1
        text = MARK.sub("", reply.text)
        if request.output is None and "/revision/" not in request.facts["template"]:
            text = "\n".join(self._marked(line) for line in text.split("\n"))
        return reply.model_copy(update={"text": text})

    def _marked(self, line: str) -> str:
        if line.lstrip("-* ").startswith(_LEFT_AS_IT_IS):
            return line
        return _FIRST_WORD.sub(rf"\g<1>Zq{self.calls}x-", line)


@contextmanager
def marked_models(settings: Settings, first: int = 0) -> Iterator[Marking]:
    """The marking author, for as long as it is needed."""
    with closing(ModelService(settings)) as models:
        yield Marking(models, first)


def written(home: Path, limits: Limits | None = None, entries: Sequence[CodexEntry] = (), **brief: Any) -> Written:
    """A book by the marking author; with limits, its beginning."""
    settings = make_settings(home, free_megabytes=0).model_copy(update={"model": "rehearsal:miss"})
    database = open_library(settings)
    book = find_or_create(database, make_brief_of(**brief))
    with BookStorage(database, book.id, book.brief.language).write() as stores:
        for entry in entries:
            stores.codex.add(entry, Origin.AUTHOR)
    with marked_models(settings) as models:
        try:
            run_book(book.id, Surroundings(settings, database, models, limits=limits or Limits()))
        except BookPaused:
            assert limits is not None
    return BookStorage(database, book.id, book.brief.language), settings


def resting_by_marks(stores: Stores) -> dict[int, set[int]]:
    """Which versions' words stood in a prompt of each current document's steps, found by reading all of them.

    No recorded input is looked at. Words of an earlier version of the document itself are no other text.
    """
    every = [
        stores.documents.get(row.id)
        for row in stores.connection.execute(select(documents.c.id).order_by(documents.c.id))
    ]
    versions = [found for found in every if found is not None]
    owners: dict[str, list[Document]] = {}
    for version in versions:
        if version.kind in _QUOTING:
            continue
        for mark in set(MARK.findall(version.text)):
            owners.setdefault(mark, []).append(version)
    current = {(found.node, found.kind): found for found in versions}
    known: dict[str, frozenset[str]] = {}
    resting = {}
    for document in current.values():
        if document.step is not None and document.kind not in UNREAD:
            marks = set().union(*(_marks_in(stores, key, known) for key in steps_of(stores, document.step)))
            shown = {owner for mark in marks for owner in owners.get(mark, ()) if owner.id < document.id}
            resting[document.id] = {
                owner.id for owner in shown if (owner.node, owner.kind) != (document.node, document.kind)
            }
    return resting


def steps_of(stores: Stores, step: int) -> list[Any]:
    """Return the calls that a document came of, given the step that left it."""
    maker = stores.connection.execute(select(steps).where(steps.c.id == step)).one()
    beside = [steps.c[name] == getattr(maker, name) for name in ("book", "node", "revision", "round")]
    written = (Activity.WRITE.value, Activity.REVIEW.value)  # a review of it may have accepted the prose
    beside.append(steps.c.activity.in_(written if maker.activity in written else [maker.activity]))
    return list(stores.connection.execute(select(steps).where(*beside, steps.c.id <= step)))


def _marks_in(stores: Stores, step: Any, known: dict[str, frozenset[str]]) -> set[str]:
    hashes = step.prompt.split()
    fresh = [key for key in hashes if key not in known]
    known |= {key: _marks_of(text) for key, text in stores.texts.get_many(fresh).items()}
    looked = stores.tool_uses.of_steps([step.id]).values()
    said = {mark for use in looked for mark in MARK.findall(use.response)}
    return said.union(*(known[key] for key in hashes))


def _marks_of(block: str) -> frozenset[str]:
    """The marks of a block; what a style guide quotes of the prose are the guide's words there."""
    return frozenset() if block.endswith("</style_guide>") else frozenset(MARK.findall(block))
