"""What the holder of a book remembers of its nodes: never more than is true, never more than a little."""

import pytest
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

from bookwright.models.text.language import Language
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.engine.database import Database
from bookwright.storage.stores import BookStorage
from bookwright.storage.tree.held_view import HeldView, NodeView
from tests.storage.conftest import BACKINGS, BOOK


@pytest.fixture(params=BACKINGS)
def backing(request: pytest.FixtureRequest) -> str:
    """Every test here runs on both."""
    return str(request.param)


@pytest.fixture
def held(storage: BookStorage) -> BookStorage:
    """The same book as its holder opens it."""
    return BookStorage(storage.database, BOOK, Language.EN, HeldView())


@pytest.fixture
def chapter(held: BookStorage) -> TaskNode:
    """A chapter below the book."""
    with held.write() as stores:
        item = PlanNode(goal="tell it", task_type=TaskType.WRITE)
        return stores.nodes.add(stores.nodes.root(), [item], level="chapter", length=100, unit_index=1)[0]


def heard(database: Database) -> list[str]:
    """The list that every statement goes into from now on."""
    statements: list[str] = []
    event.listen(database.engine, "before_cursor_execute", lambda *call: statements.append(call[2]))
    return statements


def test_a_node_and_those_above_it_are_read_once(held: BookStorage, chapter: TaskNode) -> None:
    known, above = held.node(chapter.key), held.above(chapter)
    statements = heard(held.database)

    assert (held.node(chapter.key), held.above(chapter)) == (known, above)
    assert statements == []


def test_a_change_is_seen_once_it_is_written(held: BookStorage, chapter: TaskNode) -> None:
    held.node(chapter.key)
    with held.write() as stores:
        stores.nodes.change(chapter.key, title="The Log")

    assert held.node(chapter.key).title == "The Log"


def test_what_is_written_below_is_seen_above(held: BookStorage, chapter: TaskNode) -> None:
    before = [node.written for node in (held.node(chapter.key), *held.above(chapter))]
    with held.write() as stores:
        stores.nodes.add_written(chapter, 90)

    assert before == [0, 0]
    assert [node.written for node in (held.node(chapter.key), *held.above(chapter))] == [90, 90]


def write_and_fail(held: BookStorage, chapter: TaskNode) -> None:
    with held.write() as stores:
        stores.nodes.change(chapter.key, title="never kept")
        stores.nodes.change(chapter.key, title=None)


def test_a_write_that_failed_leaves_nothing_remembered(held: BookStorage, chapter: TaskNode) -> None:
    held.above(chapter)
    with pytest.raises(IntegrityError):
        write_and_fail(held, chapter)
    statements = heard(held.database)

    assert held.node(chapter.key).title == ""
    assert held.above(chapter)[0].label == "1"
    assert len(statements) == 2


def test_a_transaction_sees_what_it_has_just_written(held: BookStorage, chapter: TaskNode) -> None:
    held.node(chapter.key)
    with held.write() as stores:
        stores.nodes.change(chapter.key, title="The Log")

        assert stores.nodes.get(chapter.key).title == "The Log"


def test_who_does_not_hold_the_book_reads_it_anew(storage: BookStorage, held: BookStorage, chapter: TaskNode) -> None:
    storage.node(chapter.key)
    with held.write() as stores:
        stores.nodes.change(chapter.key, title="The Log")

    assert storage.node(chapter.key).title == "The Log"


def test_a_view_keeps_the_nodes_that_were_asked_for_last() -> None:
    view = NodeView()
    root = TaskNode(key=1, book=BOOK, level="book", task_type=TaskType.WRITE, goal="tell it")
    view.keep(root)
    for key in range(2, 2_000):
        view.keep(root.model_copy(update={"key": key}))
        view.find(1)

    assert view.find(1) == root
    assert view.find(2) is None
    assert view.find(1_999) is not None
