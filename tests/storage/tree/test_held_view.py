"""What the holder of a book has read once and asks no more: true after each of its own writes."""

from collections.abc import Callable

import pytest
from sqlalchemy import event

from bookwright.failpoints import Failpoint
from bookwright.models.codex.entries import CodexEntry
from bookwright.models.codex.record import Origin
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.step import Activity, Reply, StepKey
from bookwright.models.text.language import Language
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.lease import Lease
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal
from bookwright.storage.stores import BookStorage, Stores
from bookwright.storage.tree.held_view import HeldView
from tests.storage.conftest import BACKINGS, BOOK

CHAPTER = PlanNode(goal="tell it", task_type=TaskType.WRITE)
MARA = CodexEntry(id="mara", kind="character", name="Mara")


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Every test here runs on both."""
    return str(request.param)


@pytest.fixture
def held(storage: BookStorage) -> BookStorage:
    """The book as its holder opens it."""
    return BookStorage(storage.database, BOOK, Language.EN, HeldView())


@pytest.fixture
def lease(held: BookStorage) -> Lease:
    """The holder's lease."""
    with held.database.write(Failpoint.EDIT_BOOK) as connection:
        return Lease.take(connection, BOOK, "the test", 60)


@pytest.fixture
def journal(held: BookStorage, lease: Lease) -> Journal:
    """The holder's journal."""
    return Journal(held, lease)


def add_chapter(stores: Stores) -> TaskNode:
    return stores.nodes.add(stores.nodes.root(), [CHAPTER], level="chapter", length=100, unit_index=1)[0]


def owe(stores: Stores) -> None:
    root = stores.nodes.root()
    summary = stores.documents.add(NewDocument(node=root.key, kind=DocumentKind.SUMMARY, text="It rained."), None)
    stores.queue.add(DocumentKind.GLOBAL_STATE, summary.id)


LOOKS: dict[str, tuple[Callable[[Stores], object], Callable[[Stores], object]]] = {
    "entries": (lambda stores: [own.id for own in stores.codex.entries()], lambda s: s.codex.add(MARA, Origin.DESIGN)),
    "chapters": (lambda stores: stores.codex.reading_order().chapters, add_chapter),
    "news": (lambda stores: len(list(stores.queue.waiting())), owe),
    "children": (lambda stores: stores.nodes.children(stores.nodes.root().key), add_chapter),
    "summary": (lambda stores: stores.documents.current(stores.nodes.root().key, DocumentKind.SUMMARY), owe),
    "newest": (lambda stores: stores.documents.latest(DocumentKind.SUMMARY), owe),
    "of nodes": (lambda stores: stores.documents.of_nodes([stores.nodes.root().key], *DocumentKind), owe),
    "root": (lambda stores: stores.nodes.root().title, lambda s: s.nodes.change(s.nodes.root().key, title="The Lamp")),
}


def look(storage: BookStorage, what: Callable[[Stores], object]) -> object:
    with storage.look() as stores:
        return what(stores)


def heard(storage: BookStorage) -> list[str]:
    """The list that every statement goes into from now on."""
    statements: list[str] = []
    event.listen(storage.database.engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    return statements


@pytest.mark.parametrize("name", LOOKS)
def test_what_nobody_wrote_to_is_read_once(held: BookStorage, name: str) -> None:
    what, _ = LOOKS[name]
    first = look(held, what)
    statements = heard(held)

    assert look(held, what) == first
    assert statements == []


@pytest.mark.parametrize("name", LOOKS)
def test_the_holder_sees_what_it_has_written(held: BookStorage, storage: BookStorage, name: str) -> None:
    what, write = LOOKS[name]
    before = look(held, what)
    with held.write() as stores:
        write(stores)

    assert look(held, what) != before
    assert look(held, what) == look(storage, what)


def write_and_fail(held: BookStorage, write: Callable[[Stores], object]) -> None:
    with held.write() as stores:
        write(stores)
        raise ZeroDivisionError


@pytest.mark.parametrize("name", LOOKS)
def test_after_a_write_that_failed_everything_is_read_anew(held: BookStorage, storage: BookStorage, name: str) -> None:
    what, write = LOOKS[name]
    before = look(held, what)
    with pytest.raises(ZeroDivisionError):
        write_and_fail(held, write)
    with storage.write() as stores:  # as if it had arrived
        write(stores)

    assert look(held, what) == look(storage, what) != before


def draft_of(node: TaskNode, number: int = 1) -> Attempt:
    key = StepKey(book=BOOK, node=node.key, revision=1, activity=Activity.WRITE, round=0, step="draft")
    return Attempt(
        key=key, attempt=number, role="writer", template="story/x", prompt=("ask",),
        reply=Reply(text=f"Rain {number}.", model="scripted:writer"),
    )  # fmt: skip


def test_of_a_node_that_it_has_made_the_holder_knows_every_step(held: BookStorage, journal: Journal) -> None:
    made: list[TaskNode] = []
    journal.move(lambda stores, _: made.append(add_chapter(stores)))
    journal.move(lambda stores, _: made.append(add_chapter(stores)))
    statements = heard(held)
    unasked = journal.attempts(draft_of(made[0]).key)
    asked_without = len(statements)
    journal.record(draft_of(made[0]))
    journal.attempts(draft_of(made[1]).key)

    assert (unasked, asked_without) == ([], 0)
    assert [found.reply.text for found in journal.attempts(draft_of(made[0]).key)] == ["Rain 1."]


def test_who_goes_on_later_asks_for_the_steps_of_what_it_finds(
    held: BookStorage, journal: Journal, lease: Lease
) -> None:
    made: list[TaskNode] = []
    journal.move(lambda stores, _: made.append(add_chapter(stores)))
    journal.record(draft_of(made[0]))

    assert [found.reply.text for found in Journal(held, lease).attempts(draft_of(made[0]).key)] == ["Rain 1."]
