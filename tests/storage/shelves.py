"""A book on a shelf of its own: documents by the hundred, and the index over them."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

from sqlalchemy import func, select

from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import BackendUnavailable
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Reply, StepKey
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.embedding import Hashing, Vectors
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import passages, vectors

DESIGN, FINDINGS, SUMMARY = DocumentKind.DESIGN, DocumentKind.FINDINGS, DocumentKind.SUMMARY

NAMES = ("Ines", "Bruno", "Clara", "Dario", "Elsa", "Fritz", "Greta", "Hugo", "Ivo", "Jana")
PLACES = ("lighthouse", "harbour", "chapel", "quarry", "mill", "archive", "orchard", "ferry", "tannery", "bridge")
THINGS = ("ledger", "lamp", "letter", "key", "map", "ring", "coat", "boat", "clock", "seal")
QUERIES = ("Where did Clara put the lamp?", "Who is not trusted at the mill?")


@dataclass
class CountingEmbedder:
    """Hashing under a name of choice that counts the texts it embeds for the index."""

    name: str = "counting-1"
    embedded: int = 0
    _inner: Hashing = field(default_factory=Hashing)

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        self.embedded += 0 if is_query else len(texts)
        return self._inner.embed(texts, is_query)


@dataclass
class ThreadNotingEmbedder:
    """Hashing that notes which thread embeds how many texts, and fails as often as it is told to."""

    failures: int = 0
    name: str = "noting-1"
    calls: list[tuple[str, int]] = field(default_factory=list)

    def embed(self, texts: Sequence[str], is_query: bool) -> Vectors:
        if self.failures:
            self.failures -= 1
            raise BackendUnavailable("away")
        if not is_query:
            self.calls.append((threading.current_thread().name, len(texts)))
        return Hashing().embed(texts, is_query)

    @property
    def embedded_here(self) -> int:
        """Texts that the thread embedded which asks."""
        return sum(count for name, count in self.calls if name == threading.current_thread().name)

    @property
    def embedded(self) -> int:
        return sum(count for _, count in self.calls)


@dataclass
class Shelf:
    """One book in a data folder of its own."""

    settings: Settings
    storage: BookStorage
    journal: Journal
    root: TaskNode
    embedder: CountingEmbedder = field(default_factory=CountingEmbedder)

    def index(self, *, is_holder: bool = True) -> KnowledgeIndex:
        return KnowledgeIndex(self.storage, self.embedder, self.settings, is_holder=is_holder)

    def add(
        self, text: str, kind: DocumentKind = DESIGN, *, goal: str = "settle it", node: TaskNode | None = None
    ) -> int:
        """Store a document of a new task or of a given node; returns the node's key."""
        with self.storage.write() as stores:
            if node is None:
                item = PlanNode(task_type=TaskType.DESIGN, goal=goal)
                [node] = stores.nodes.add(self.root, [item], level="book", unit=self.root.key)
            stores.documents.add(NewDocument(node=node.key, kind=kind, text=text), None)
            return node.key

    def fill(self, count: int) -> None:
        """Store designs that each name another person, place and thing."""
        with self.storage.write() as stores:
            items = [PlanNode(task_type=TaskType.DESIGN, goal="settle it")] * count
            for number, node in enumerate(stores.nodes.add(self.root, items, level="book", unit=self.root.key)):
                kind = (DESIGN, DESIGN, SUMMARY)[number % 3]
                stores.documents.add(NewDocument(node=node.key, kind=kind, text=story(number)), None)

    def record_step(self) -> None:
        """Let a step come to its end, as the engine does after each model call."""
        with self.storage.read() as stores:
            calls = stores.books.get(self.root.book).calls
        key = StepKey(
            book=self.root.book, node=self.root.key, revision=1, activity=Activity.PLAN, round=calls, step="planner"
        )
        self.journal.record(Attempt(key, 1, "planner", "", ("frame",), Reply(text="done", model="none:none")))

    def rows(self) -> tuple[int, int]:
        """Count passages and vectors in the database."""
        with self.storage.read() as stores:
            counts = [select(func.count()).select_from(table) for table in (passages, vectors)]
            return tuple(stores.connection.execute(count).scalar_one() for count in counts)


def story(number: int) -> str:
    """Return a design that names another person, place and thing for each number."""
    name, place, thing = NAMES[number % 10], PLACES[number // 10 % 10], THINGS[(number // 3) % 10]
    return f"{name} hides the {thing} number {number} in the {place}. Nobody at the {place} trusts {name} any more."


def found(
    index: KnowledgeIndex, *queries: str, kinds: Sequence[DocumentKind] = (DESIGN, SUMMARY)
) -> list[tuple[int, int, float]]:
    """Return the ten best passages: document, place in it, and score.

    Threads build Chroma's graph, so now and then a distant neighbour is missed, and the mean that scores are held
    against moves by some millionths.
    """
    return [(p.document, p.chunk, round(p.score, 3)) for p in index.search(queries, kinds, 10)]
