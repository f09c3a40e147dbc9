"""A book of any size made in the database, of text that is different everywhere."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bookwright.agents.context.allocation import OWN_PART
from bookwright.agents.context.builder import Context, ContextBuilder
from bookwright.failpoints import Failpoint
from bookwright.models.brief import Brief, make_brief
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.profile import PROFILES, ProfileName
from bookwright.models.settings import load_settings
from bookwright.models.step import Activity
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import NodeStatus, TaskNode
from bookwright.storage.index.embedding import Hashing
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.lease import Lease
from bookwright.storage.repositories.books import BookRepository
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores
from tests.support.books import new_library

WORDS = (
    "anchor barrel candle debt engine ferry garden harbour island journal kettle ladder mirror needle orchard pepper "
    "quarry river signal tunnel umbrella valley window yard zinc amber bridge copper dust ember fog glass hinge ink "
    "jar knot lamp moss net oar pearl quilt rope salt thread urn veil wheel yoke"
).split()


def count_words(text: str) -> int:
    """Stands in for a tokenizer: a token is three characters."""
    return -(-len(text) // 3)


@dataclass
class Library:
    """One book, its index and what builds its contexts."""

    storage: BookStorage
    journal: Journal
    index: KnowledgeIndex
    brief: Brief
    random: Random = field(default_factory=lambda: Random(7))
    last: TaskNode | None = None
    """The chapter that `grow` made last; it alone is not written."""

    def sentences(self, count: int) -> str:
        """Return so many sentences of twelve words."""
        lines = (" ".join(self.random.choices(WORDS, k=12)).capitalize() + "." for _ in range(count))
        return " ".join(lines)

    def add_unit(self, stores: Stores, parent: TaskNode, level: Level, **values: object) -> TaskNode:
        """Add a unit with an invented goal."""
        title = f"{level.value.title()} {self.random.randrange(10_000)}"
        item = PlanNode(task_type=TaskType.WRITE, title=title, goal=self.sentences(1), length=3_000)
        [unit] = stores.nodes.add(parent, [item], level=level.value, **values)
        return unit

    def add_task(
        self, stores: Stores, unit: TaskNode, text: str = "", *, parent: TaskNode | None = None,
        kind: DocumentKind = DocumentKind.DESIGN, goal: str = "",
    ) -> TaskNode:  # fmt: skip
        """Add a task of a unit; with a text it is done and has left that document."""
        task_type = TaskType.DESIGN if kind is DocumentKind.DESIGN else TaskType.SEARCH
        status = NodeStatus.DONE if text else NodeStatus.OPEN
        title = f"Task {self.random.randrange(10_000)}"
        item = PlanNode(task_type=task_type, title=title, goal=goal or self.sentences(1))
        [task] = stores.nodes.add(
            parent or unit, [item], level=unit.level.value, unit=unit.key, status=status.value, planning_round=1
        )
        if text:
            stores.documents.add(NewDocument(node=task.key, kind=kind, text=text), None)
        return task

    def write(self, stores: Stores, unit: TaskNode, prose: str, summary: str) -> None:
        """Close a unit with its prose and its summary."""
        document = stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=prose), None)
        stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.SUMMARY, text=summary), None)
        stores.nodes.change(unit.key, status=NodeStatus.DONE.value)
        stores.nodes.add_written(unit, document.length)

    def keep(self, kind: DocumentKind, text: str) -> int:
        """Store a new version of a running document; returns its id."""
        with self.storage.write() as stores:
            return stores.documents.add(NewDocument(node=stores.nodes.root().key, kind=kind, text=text), None).id

    def grow(self, nodes: int) -> TaskNode:
        """Add volumes, acts and chapters with their tasks until there are so many nodes; return the last chapter.

        A book that has grown before goes on behind its last chapter, which is written now.
        """
        with self.storage.write() as stores:
            chapter = self.last
            for unit in self._units(stores, nodes):
                for kind in (DocumentKind.FINDINGS, DocumentKind.DESIGN, DocumentKind.DESIGN):
                    self.add_task(stores, unit, self.sentences(7), kind=kind)
                if unit.level is Level.CHAPTER:
                    if chapter is not None:
                        prose = "\n\n".join(self.sentences(5) for _ in range(8))
                        self.write(stores, chapter, prose, self.sentences(6))
                    chapter = unit
            assert chapter is not None
            self.last = stores.nodes.get(chapter.key)
            return self.last

    def _units(self, stores: Stores, nodes: int) -> Iterator[TaskNode]:
        made = 0
        while made < nodes:
            volume = self.add_unit(stores, stores.nodes.root(), Level.VOLUME)
            yield volume
            for _ in range(4):
                act = self.add_unit(stores, volume, Level.ACT)
                yield act
                for _ in range(15):
                    yield self.add_unit(stores, act, Level.CHAPTER)
                    made = stores.nodes.count()
                    if made >= nodes:
                        return

    def builder(self, profile: ProfileName = ProfileName.STANDARD) -> ContextBuilder:
        """Return a builder that has built nothing yet."""
        return ContextBuilder(self.storage, self.index, PROFILES[profile], "en", count_words)

    def build(
        self, unit: TaskNode, activity: Activity = Activity.PLAN, role: str = "planner", *,
        node: TaskNode | None = None, profile: ProfileName = ProfileName.STANDARD,
    ) -> Context:  # fmt: skip
        """Catch up and build one context with a builder of its own."""
        self.index.catch_up(self.journal)
        return self.builder(profile).build(node or unit, unit, activity, role)

    def fresh(self, node: TaskNode) -> TaskNode:
        """The node as it stands now."""
        with self.storage.read() as stores:
            return stores.nodes.get(node.key)


def make_library(home: Path, **brief: object) -> Library:
    """Return a book of which nothing but the root is there."""
    settings = load_settings(home=home, embedding="hashing")
    database = new_library(settings)
    checked = make_brief({"premise": "Ines keeps a lighthouse and owes its owner money.", "length": 900_000, **brief})
    with database.write(Failpoint.EDIT_BOOK) as connection:
        BookRepository(connection).create("lamp", checked)
        lease = Lease.take(connection, "lamp", "a test", 600)
    storage = BookStorage(database, "lamp", checked.language)
    with storage.write() as stores:
        stores.nodes.add_root("Lamp", checked.premise, checked.length)
    index = KnowledgeIndex(storage, Hashing(), settings)
    return Library(storage, Journal(storage, lease), index, checked)


def block(context: Context, tag: str) -> str:
    """Return what stands between the tags of one block; empty where the block is not there."""
    for text in context.blocks:
        _, opened, rest = text.partition(f"<{tag}>\n")
        if opened:
            return rest.rpartition(f"\n</{tag}>")[0]
    return ""


def size(context: Context) -> int:
    """Return how many tokens the blocks take."""
    return sum(map(count_words, context.blocks))


def room(role: str, profile: ProfileName = ProfileName.STANDARD) -> int:
    """Return how many tokens the blocks may take for a role."""
    return PROFILES[profile].context_budget[role] - OWN_PART
