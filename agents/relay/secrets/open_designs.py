"""The designs that a unit's writer may read directly, because nothing in them is withheld from the writer.

Source: DESIGN section 10, item 0.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bookwright.agents.relay.secrets.guard import Guard, guard_at
from bookwright.models.brief import Brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.stores import Stores


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


def designs_of(unit: TaskNode, stores: Stores) -> OpenDesigns:
    """Return the designs that bear on a unit, whether its writer may read them or not."""
    above = [own for own in stores.nodes.ancestors(unit) if own.parent is not None]
    own = tuple(_made_for([unit, *above], stores))
    book = stores.documents.latest(DocumentKind.BOOK_DESIGN)
    is_repeated = unit.parent is None and own and book is not None and not book.origin.is_revision
    return OpenDesigns(None if is_repeated else book, own)


def open_designs(unit: TaskNode, stores: Stores, guard: Callable[[], Guard]) -> OpenDesigns:
    """Return the designs that the writer of a unit may read; none where any of them tells what is kept back there."""
    designs = designs_of(unit, stores)
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
    tasks = (task for unit in units for task in stores.nodes.children(unit.key, TaskType.DESIGN))
    done = {task.key: task for task in tasks if task.is_finished}
    found = [UnitDesign(done[text.node], text) for text in stores.documents.of_nodes(done, DocumentKind.DESIGN)]
    yield from sorted(found, key=lambda design: (distance[design.task.parent or 0], design.task.ordinal))
