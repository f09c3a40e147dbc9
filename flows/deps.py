"""What the walk needs from outside, built once by whoever starts a book."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from bookwright.agents.runtime.events.walk_events import WalkEvents
from bookwright.agents.steps.desk import Desk
from bookwright.flows.stopping import Limits
from bookwright.models.blueprint import Makes
from bookwright.models.brief import Brief
from bookwright.models.document import Document, DocumentKind
from bookwright.models.profile import Profile
from bookwright.models.step import Activity
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode
from bookwright.storage.files.blueprints import BlueprintFolder
from bookwright.storage.index.embedding import Embedder, Hashing
from bookwright.storage.stores import BookStorage, Stores


class RunObserver:
    """Shows a walk to a person while it runs; this one shows nothing. The walk never asks it what is done."""

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do one activity's work, showing it under a readable name."""
        work()

    def began(self, deps: "Deps") -> None:
        """The walk is about to begin, or to go on: show the book as it stands."""

    def finished(self, unit: TaskNode, deps: "Deps") -> None:
        """A unit was closed: show its prose and the book's progress."""

    def ended(self, deps: "Deps") -> None:
        """The walk is over, or the book rests: show the book as it is left."""


@dataclass
class WrappedObserver(RunObserver):
    """An observer around another one, to which it hands everything on; a subclass adds what it does beside that."""

    inner: RunObserver

    def run(self, activity: Activity, node: TaskNode, work: Callable[[], None]) -> None:
        """Do the work, observed by the inner one."""
        self.inner.run(activity, node, work)

    def began(self, deps: "Deps") -> None:
        """Hand it on."""
        self.inner.began(deps)

    def finished(self, unit: TaskNode, deps: "Deps") -> None:
        """Hand it on."""
        self.inner.finished(unit, deps)

    def ended(self, deps: "Deps") -> None:
        """Hand it on."""
        self.inner.ended(deps)


@dataclass
class HeardObserver(WrappedObserver):
    """An observer whose closed units are told on the bus, too."""

    events: WalkEvents

    def finished(self, unit: TaskNode, deps: "Deps") -> None:
        """Let the observer show it, then say so."""
        self.inner.finished(unit, deps)
        self.events.finished(unit)


@dataclass(frozen=True)
class Deps:
    """All that the walk needs from outside: one book, held by this worker."""

    storage: BookStorage
    desk: Desk
    observer: RunObserver
    limits: Limits = field(default_factory=Limits)
    embedder: Embedder = field(default_factory=Hashing)
    """Compares texts with secrets by meaning; only warnings depend on which one it is."""
    blueprint: BlueprintFolder | None = None
    """What kind of book it is, where its brief names one."""
    asks_at_gates: bool = True
    """False outside a walk: a text that keeps being refused then loses its sentences at fault, and nobody is asked."""

    @property
    def brief(self) -> Brief:
        """What the author asked for."""
        return self.desk.brief

    @property
    def profile(self) -> Profile:
        """How much the book spends on thinking, with the brief's own limits applied."""
        return self.desk.profile

    @property
    def makes_designs(self) -> bool:
        """True for a book that has no prose: its designs are what is read."""
        return self.blueprint is not None and self.blueprint.plan.makes is Makes.DESIGNS

    def stores(self) -> AbstractContextManager[Stores]:
        """A short look into the book."""
        return self.storage.look()

    def document(self, node: TaskNode, kind: DocumentKind, *, with_text: bool = True) -> Document | None:
        """The current document of a kind at a node; None where there is none."""
        with self.stores() as stores:
            return stores.documents.current(node.key, kind, with_text=with_text)

    def reading_order(self) -> ReadingOrder:
        """The chapters as far as they are there now."""
        with self.stores() as stores:
            return stores.codex.reading_order()

    def named(self, node: TaskNode) -> str:
        """The node as every verb takes it."""
        with self.stores() as stores:
            return stores.name_of(node)

    def fresh(self, node: TaskNode) -> TaskNode:
        """The node as it stands now."""
        return self.storage.node(node.key)
