"""The guard of every prompt that writes prose: takes withheld text out of it and records that it did.

It also finds the records of the codex because of which it took something out, and the designs that a writer may read
directly, because nothing in them is withheld. Source: DESIGN section 10, items 0 and 2.
"""

from collections.abc import Callable, Iterable, Iterator
from copy import copy
from dataclasses import dataclass
from functools import cache

from bookwright.agents.relay.history.codex_then import CodexReader
from bookwright.agents.relay.leaks.folding import fold, letters_of
from bookwright.agents.relay.leaks.keywords import find_keyword
from bookwright.agents.relay.secrets.kept import kept_at
from bookwright.agents.relay.secrets.matching import Disclosure, Matcher, Withholding
from bookwright.agents.relay.secrets.phrases import Phrases
from bookwright.agents.relay.secrets.public import NOTHING_PUBLIC, Public, bound_in, named_by, order_of
from bookwright.models.brief import Brief
from bookwright.models.codex.entries import CodexEntry, Secret
from bookwright.models.codex.record import Record, RecordKind, Stored
from bookwright.models.document import CodexUse, Document, DocumentKind
from bookwright.models.errors import FatalContextError
from bookwright.models.tree.task import TaskNode
from bookwright.storage.repositories.codex import CodexRepository
from bookwright.storage.stores import Stores


@dataclass(frozen=True)
class Holders:
    """The records of a codex, in which the cause of a withheld passage is looked up."""

    records: tuple[Stored[Record], ...]
    known: int
    """The row of the newest change to the codex."""

    @classmethod
    def of(cls, codex: CodexRepository) -> "Holders":
        """Return the codex as it stands."""
        return cls(tuple(stored for kind in RecordKind for stored in codex.current(kind)), codex.newest())

    def use(self, excerpts: Iterable[str]) -> CodexUse:
        """Return the codex use of a text from whose prompt these excerpts were taken out."""
        places = [fold(excerpt) for excerpt in excerpts]
        cut_by = [
            stored.id
            for stored in self.records
            if any(Phrases(texts_of(stored.record)).places(place) for place in places)
            or any(find_keyword(place, word) for word in words_of(stored.record) for place in places)
        ]
        return CodexUse(self.known, tuple(cut_by))


def texts_of(record: Record) -> list[str]:
    """Return the texts of a record that can be withheld, by their phrases."""
    if isinstance(record, CodexEntry):
        return [section.text for section in record.sections if section.text]
    text = record.content if isinstance(record, Secret) else record.payoff.content
    return [text] if text else []


def words_of(record: Record) -> Iterator[str]:
    """Yield the words that a record forbids while something of it is withheld."""
    if isinstance(record, Secret):
        yield from record.forbidden_keywords
    elif isinstance(record, CodexEntry):
        yield from record.names
        yield from (word for section in record.sections for word in section.forbidden_keywords)
    else:
        yield from record.ai_visibility.forbidden_keywords


_REMEMBERED = 24
"""Units before this one whose prose counts as read; what was said earlier and not since may be kept back again."""


class Guard(Matcher):
    """A matcher for one unit's writer that remembers for which records of the codex it took something out."""

    def __init__(self, withheld: Withholding, public: Public = NOTHING_PUBLIC, holders: Holders | None = None) -> None:
        """Make a guard; `holders` is the codex that withholds it."""
        super().__init__(withheld, public)
        self._holders = holders
        self._cut: dict[str, None] = {}
        self._shown: tuple[str, ...] = ()

    @classmethod
    @cache
    def idle(cls) -> "Guard":
        """Return a guard that finds nothing; all share it, as there is nothing that it could remember."""
        return cls(Withholding())

    def beside(self, prose: Iterable[str]) -> "Guard":
        """Return the guard of prompts in which some prose stands as its writer wrote it: its words are no find there.

        What was made from a prompt that held nothing secret tells nothing, so no draft is ever cut.
        """
        other = copy(self)
        other._shown = tuple(map(letters_of, prose))
        return other

    def violations(self, text: str) -> tuple[Disclosure, ...]:
        """Return the places of a text that give away what is withheld, first to last; empty for a clean text."""
        found = super().violations(text)
        if not self._shown:
            return found
        return tuple(one for one in found if not any(letters_of(one.excerpt) in shown for shown in self._shown))

    @property
    def use(self) -> CodexUse | None:
        """What the codex was so far to the text that is made under this guard; None where there is no codex."""
        return self._holders.use(self._cut) if self._holders else None

    def note(self, *excerpts: str) -> None:
        """Take down that something was taken out or refused for those words."""
        self._cut |= dict.fromkeys(excerpts)

    def require(self, texts: Iterable[str], name: str) -> None:
        """Stop if a prompt, given by its parts, still holds something withheld; `name` is its step's.

        Raises:
            FatalContextError: It does. The message does not repeat it.
        """
        if any(self.violations(text) for text in texts):
            raise FatalContextError(
                f"the prompt of {name} holds something that is secret there, and nothing was sent",
                "`bookwright secrets list` shows what is in force; a template edited by hand, or a title, may quote it",
            )


def guard_at(stores: Stores, brief: Brief, unit: TaskNode) -> Guard:
    """Return the guard of a unit's prompts. The same book gives the same guard, also after a restart."""
    codex = stores.codex
    if not (codex.secrets() or codex.threads() or codex.entries()):
        return Guard.idle()
    return guard_of(codex, unit.label, lambda: public_at(stores, brief, unit), Holders.of(codex))


def guard_of(codex: CodexReader, at: str, public: Callable[[], Public], holders: Holders | None = None) -> Guard:
    """Return the guard that a codex makes at the unit `at`; what is public is asked where anything is withheld."""
    withheld = kept_at(codex, at).withheld
    has_any = bool(withheld.texts or withheld.words)
    return Guard(withheld, public() if has_any else NOTHING_PUBLIC, holders)


def public_at(stores: Stores, brief: Brief, unit: TaskNode, document: int | None = None) -> Public:
    """Return what is public where a unit begins, or was when one of its documents was stored."""
    keys = [before.key for before in stores.nodes.units_before(unit, _REMEMBERED)]
    prose = (
        stores.documents.of_nodes(keys, DocumentKind.PROSE)
        if document is None
        else stores.documents.as_of(keys, DocumentKind.PROSE, document)
    )
    running = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    tasks = [task.key for task in stores.nodes.design_tasks(stores.nodes.root().key)]
    return Public(
        printed=tuple(found.text for found in prose),
        order=(*order_of(brief), *(gate.note for gate in stores.gates.all() if gate.note)),
        named=named_by(brief),
        bound=bound_in(running.text) if running else (),
        designs=tuple(design.text for design in stores.documents.of_nodes(tasks, DocumentKind.DESIGN)),
    )


@dataclass(frozen=True)
class UnitDesign:
    """One design, and the task that it came of."""

    task: TaskNode
    document: Document


@dataclass(frozen=True)
class OpenDesigns:
    """The designs that bear on a unit; may be none."""

    book: Document | None
    """The design of the whole book; None in a book of one unit, whose designs stand whole below."""
    unit: tuple[UnitDesign, ...]
    """The unit's own designs, and behind them those of the units above it, nearest first, but for the book's."""

    def __bool__(self) -> bool:
        return self.book is not None or bool(self.unit)

    @property
    def texts(self) -> Iterator[str]:
        """Their words."""
        if self.book is not None:
            yield self.book.text
        yield from (design.document.text for design in self.unit)

    def plot_of(self, unit: TaskNode) -> str:
        """What is to happen in the unit by its goal and its designs; empty where there are none."""
        return "\n\n".join([unit.title, unit.goal, *(design.document.text for design in self.unit)]) if self else ""


def open_designs(unit: TaskNode, stores: Stores, guard: Callable[[], Guard]) -> OpenDesigns:
    """Return the designs that the writer of a unit may read; none where any of them tells what is kept back there."""
    above = [own for own in stores.nodes.ancestors(unit) if own.parent is not None]
    own = tuple(_made_for([unit, *above], stores))
    book = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    is_repeated = unit.parent is None and own and book is not None and not book.origin.is_revision
    designs = OpenDesigns(None if is_repeated else book, own)
    is_told = bool(designs) and not (held := guard()).is_idle and any(map(held.violations, designs.texts))
    return OpenDesigns(None, ()) if is_told else designs


def reads_designs(unit: TaskNode, stores: Stores, brief: Brief) -> bool:
    """True if the writer of a unit may read its designs: there are some, and none tells what is kept back there."""
    return bool(open_designs(unit, stores, lambda: guard_at(stores, brief, unit)))


def plot_of(unit: TaskNode, stores: Stores, brief: Brief) -> str:
    """Return what is to happen in a unit as its writer is told: its brief, or its goal with designs that they may read.

    Empty where there is neither.
    """
    told = stores.documents.current(unit.key, DocumentKind.WRITERS_BRIEF)
    return told.text if told else open_designs(unit, stores, lambda: guard_at(stores, brief, unit)).plot_of(unit)


def _made_for(units: list[TaskNode], stores: Stores) -> Iterator[UnitDesign]:
    distance = {unit.key: number for number, unit in enumerate(units)}
    tasks = (task for unit in units for task in stores.nodes.design_tasks(unit.key))
    done = {task.key: task for task in tasks if task.is_finished}
    found = [UnitDesign(done[text.node], text) for text in stores.documents.of_nodes(done, DocumentKind.DESIGN)]
    yield from sorted(found, key=lambda design: (distance[design.task.parent or 0], design.task.ordinal))
