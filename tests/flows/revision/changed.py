"""Books whose every sentence says which answer it came of, so that what stood in a prompt can be told by looking."""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.service import ModelService
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.readers import CHOOSE, FIRST_READER
from bookwright.flows.library import find_or_create, open_library
from bookwright.flows.open_book import RunConfig
from bookwright.flows.run_book import run_book
from bookwright.flows.stopping import Limits
from bookwright.models.codex.entries import CodexEntry
from bookwright.models.codex.extraction import ConsistencyReport
from bookwright.models.codex.record import Origin
from bookwright.models.document import Document, DocumentKind, DocumentOrigin
from bookwright.models.errors import BookPaused
from bookwright.models.settings import Settings
from bookwright.models.staleness import UNREAD
from bookwright.models.step import Activity, Reply
from bookwright.models.story.retelling import RepairOrders, Retelling
from bookwright.models.text.changes import Changes
from bookwright.models.tree.plan import ChosenPlot
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tables import documents, steps
from tests.support.books import make_brief_of, make_settings, new_library
from tests.support.made_once import made_once

Written = tuple[BookStorage, Settings]

MARK = re.compile(r"Zq\d+x-")
_FIRST_WORD = re.compile(r"(^[ \t]*(?:[-*#>]+ )?|[.!?][\"”’\u0027]* )(?=[\"“‘\u0027(]*\w)", re.MULTILINE)
ADVICE = (DocumentKind.RETELLING, DocumentKind.REVIEW, DocumentKind.CONSISTENCY)
"""What was said about a text: its words are handed on, and make nothing stale."""
_QUOTING = (DocumentKind.STYLE_GUIDE, DocumentKind.LEAK_REVIEW, *ADVICE)
"""Kinds that quote the prose: a mark in them is that of the words they quote."""
_WRITTEN = (DocumentKind.DESIGN, DocumentKind.WRITERS_BRIEF, DocumentKind.PROSE)
_FINDINGS = re.compile(r"^(?:\[[\d.]+ \w+ findings: (.+)\]|\w+, (.+): findings)$", re.MULTILINE)
"""The title over findings in a prompt: with little room, nothing but a line by code stands below it."""
_WORDING = re.compile(r'("text":\s*")((?:[^"\\]|\\.)+)')
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
        elif request.output is ChosenPlot:  # it becomes a document; what it says of chapters stands in nodes, too
            plot = ChosenPlot.model_validate_json(text)
            marked = {name: tuple(map(self._marked, getattr(plot, name))) for name in ("story", "people")}
            text = plot.model_copy(update=marked).model_dump_json()
        elif request.output is Changes:  # which become words of the text that they shorten or mend
            text = _WORDING.sub(lambda found: found.group(1) + self._marked(found.group(2)), text)
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


LAMPS: dict[str, Any] = {"length": 6_000, "profile": "economy", "max_planning_rounds": 1}
"""A book of two chapters about which its author has said nothing."""
RESTING: dict[str, Any] = {**LAMPS, "limits": Limits.parse("chapter:1", None)}
"""Such a book that rests behind its first chapter."""


def written_once(factory: pytest.TempPathFactory, name: str, **brief: Any) -> Iterator[Written]:
    """Give a copy of a book that is written once for all who ask for that name."""

    def make(home: Path) -> None:
        written(home, **brief)[0].database.dispose()

    found = reopened(made_once(factory, name, make))
    yield found
    found[0].database.dispose()


def written(home: Path, limits: Limits | None = None, entries: Sequence[CodexEntry] = (), **brief: Any) -> Written:
    """A book by the marking author; with limits, its beginning."""
    settings = _settings(home)
    database = new_library(settings)
    book = find_or_create(database, make_brief_of(**brief))
    with BookStorage(database, book.id, book.brief.language).write() as stores:
        for entry in entries:
            stores.codex.add(entry, Origin.AUTHOR)
    with marked_models(settings) as models:
        try:
            run_book(book.id, RunConfig(settings, database, models, limits=limits or Limits()))
        except BookPaused:
            assert limits is not None
    return BookStorage(database, book.id, book.brief.language), settings


def reopened(home: Path) -> Written:
    """The only book of such a data folder."""
    settings = _settings(home)
    database = open_library(settings)
    with database.read() as connection:
        [book] = BookRepository(connection).all()
    return BookStorage(database, book.id, book.brief.language), settings


def _settings(home: Path) -> Settings:
    return make_settings(home, free_megabytes=0, keep_vault=False).model_copy(update={"model": "rehearsal:miss"})


def made(stores: Stores, *kinds: DocumentKind) -> dict[tuple[str, DocumentKind], Document]:
    """The designs, the briefs and the chapters' texts."""
    nodes = {node.key: node for node in stores.nodes.walk()}
    found = stores.documents.of_nodes(nodes, *(kinds or _WRITTEN))
    return {(nodes[document.node].label, document.kind): document for document in found}


def resting_by_marks(stores: Stores) -> dict[int, set[int]]:
    """Which versions' words stood in a prompt of each current document's steps, found by reading all of them.

    No recorded input is looked at. Words of an earlier version of the document itself are no other text, what was
    put right rests on what it rested on before, and words that two versions share were read in the newer one.
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
        titles = {stores.nodes.get(version.node).title} if version.kind is DocumentKind.FINDINGS else set()
        for mark in titles.union(MARK.findall(version.text)):
            owners.setdefault(mark, []).append(version)
    current = {(found.node, found.kind): found for found in versions}
    blocks = _Blocks(stores, [version for version in versions if version.kind in ADVICE])
    resting = {}
    for document in current.values():
        made = as_made(document, versions)
        if made.step is not None and made.kind not in UNREAD:
            marks = set().union(*(blocks.marks_in(key) for key in steps_of(stores, made.step)))
            shown = {
                (owner.node, owner.kind): owner.id
                for mark in marks
                for owner in sorted(owners.get(mark, ()), key=lambda owner: owner.id)
                if owner.id < made.id
            }
            resting[document.id] = {key for slot, key in shown.items() if slot != (document.node, document.kind)}
    return resting


def as_made(document: Document, versions: list[Document]) -> Document:
    """The version that was put right since, if it was."""
    return put_right(document, versions)[-1]


def put_right(document: Document, versions: list[Document]) -> list[Document]:
    """A version, and all that it was before each time it was put right, newest first."""
    found, slot = [document], (document.node, document.kind)
    while found[-1].origin is DocumentOrigin.REPAIR:
        base = found[-1].base
        found.append(next(old for old in versions if ((old.node, old.kind), old.version) == (slot, base)))
    return found


def steps_of(stores: Stores, step: int) -> list[Any]:
    """Return the calls that a document came of, given the step that left it."""
    maker = stores.connection.execute(select(steps).where(steps.c.id == step)).one()
    beside = [steps.c[name] == getattr(maker, name) for name in ("book", "node", "revision", "round")]
    written = (Activity.WRITE.value, Activity.REVIEW.value)  # a review of it may have accepted the prose
    beside.append(steps.c.activity.in_(written if maker.activity in written else [maker.activity]))
    beside.append(steps.c.step.not_in([FIRST_READER.name, CHOOSE.name]))  # what these read is not shown to writers
    return list(stores.connection.execute(select(steps).where(*beside, steps.c.id <= step)))


class _Blocks:
    """The marks of what stood in prompts, each block read once."""

    def __init__(self, stores: Stores, advice: list[Document]) -> None:
        self._stores = stores
        self._known: dict[str, frozenset[str]] = {}
        self._handed_on = sorted({line for found in advice for line in _handed_on(found, stores)}, key=len)[::-1]

    def marks_in(self, step: Any) -> set[str]:
        """The marks of a call's prompt, and of what it looked up."""
        hashes = step.prompt.split()
        fresh = [key for key in hashes if key not in self._known]
        self._known |= {key: self._marks_of(text) for key, text in self._stores.texts.get_many(fresh).items()}
        looked = self._stores.tool_uses.of_steps([step.id]).values()
        said = {mark for use in looked for mark in MARK.findall(use.response)}
        return said.union(*(self._known[key] for key in hashes))

    def _marks_of(self, block: str) -> frozenset[str]:
        """The marks of a block; what a guide or a reader quotes of the prose are words of theirs there."""
        if block.endswith("</style_guide>"):
            return frozenset()
        for line in self._handed_on:
            block = block.replace(line, "")
        titles = (title for either in _FINDINGS.findall(block) for title in either if title)
        return frozenset([*MARK.findall(block), *titles])


def _handed_on(advice: Document, stores: Stores) -> Iterator[str]:
    """What of a reader's, an editor's or a checker's words may be told to whoever makes the next pages."""
    data = stores.documents.data_of(advice)
    if advice.kind is DocumentKind.RETELLING:
        told = Retelling.model_validate_json(data)
        yield told.shape.line
        yield from (f"{own.thing}: “{own.sentence}”" for own in told.returning)
    elif advice.kind is DocumentKind.REVIEW:
        yield from (f"{own.trouble} → {own.order}" for own in RepairOrders.model_validate_json(data).orders)
    else:
        yield from (own.line for own in ConsistencyReport.model_validate_json(data).details)
