"""A branch shares what stands, pays only for what it writes anew, and changes nothing of its origin.

The tree of branches tells which part of its text each has made itself, and from where in the book on.
"""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prefect.settings import PREFECT_API_URL, temporary_settings
from sqlalchemy import func, select

from bookwright.app.branches.forks import branch_tree
from bookwright.flows.revision.revise import take_in
from bookwright.models.book import BookState
from bookwright.models.document import DocumentKind
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.place import order_of
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.branches.cut import CutNode, cut_at
from bookwright.storage.tables import passages, steps, texts, vectors
from tests.app.branches.conftest import copied
from tests.app.branches.grove import Grove, prose, rewrite
from tests.flows.revision.changed import Written
from tests.support.fake_prefect import queued
from tests.support.local_server import Canned, LocalServer

NEWS = "\n\nAnd the lamp was blue all along."


def test_a_branch_that_changes_nothing_ends_as_its_origin_and_pays_nothing(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin)

    grove.write(branch)

    assert grove.book(branch).state is BookState.FINISHED
    assert grove.book(branch).calls == grove.book(branch).cost == 0
    for form in ("md", "txt", "html"):
        assert grove.text(branch, form) == grove.text(origin, form)
    with grove.open(branch).storage.read() as stores:
        assert stores.staleness.all() == []


def test_a_branch_of_a_book_that_rests_goes_on_as_its_origin_does(resting: Written, tmp_path: Path) -> None:
    origin = resting[0].book
    with copied(resting[1], tmp_path / "grove") as grove:
        before = grove.book(origin).calls
        branch = grove.fork(origin)

        for book in (branch, origin):
            grove.write(book)

        assert grove.text(branch) == grove.text(origin)
        assert 0 < grove.book(branch).calls == grove.book(origin).calls - before


def test_a_fork_copies_no_text_and_no_vector(grove: Grove, origin: str) -> None:
    def counts() -> list[int]:
        with grove.database.read() as connection:
            found = (select(func.count()).select_from(table) for table in (texts, vectors, passages, steps))
            return [connection.execute(query).scalar_one() for query in found]

    before = counts()
    grove.fork(origin)

    assert counts() == before


def test_from_a_chapter_on_a_branch_is_open_again(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 2")

    with grove.open(branch).storage.read() as stores:
        first, second = stores.nodes.children(stores.nodes.root().key, TaskType.WRITE)
        assert (first.status, second.status, second.written) == (NodeStatus.DONE, NodeStatus.OPEN, 0)
        assert stores.nodes.root().written == first.written


def test_a_branch_pays_for_what_was_open_alone(grove: Grove, grown: Grove, origin: str, branch: str) -> None:
    calls = grove.book(origin).calls

    assert grown.book(branch).state is BookState.FINISHED
    assert 0 < grown.book(branch).calls < calls
    assert (grown.book(origin).calls, grown.text(origin)) == (calls, grove.text(origin))
    with grown.open(branch).storage.read() as stores:
        root = stores.nodes.root()
        assert abs(root.written - (root.length or 0)) <= 0.06 * (root.length or 0)
        assert [stale for stale in stores.staleness.all() if stale.is_direct] == []


def test_what_is_changed_in_a_branch_or_in_its_origin_stays_there(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin)
    twig = grove.fork(branch)
    before = grove.rows(origin), grove.rows(twig)

    _edit(grove, branch, "1.4")

    assert (grove.rows(origin), grove.rows(twig)) == before
    assert NEWS.strip() in grove.text(branch).decode()
    _edit(grove, origin, "1.5")
    assert NEWS.strip() not in grove.text(twig).decode()


def _edit(grove: Grove, book: str, label: str) -> None:
    with grove.open(book).storage.write() as stores:
        node = stores.nodes.by_label(label)
        old = stores.documents.current(node.key, DocumentKind.PROSE)
        assert old is not None
        take_in(stores, node, old, old.text + NEWS)


def test_every_prompt_and_reply_of_its_origin_can_be_read_in_a_branch_of_a_branch(grove: Grove, origin: str) -> None:
    twig = grove.open(grove.fork(grove.fork(origin)))
    with grove.open(origin).storage.read() as stores:
        known = [(line.id, stores.steps.prompt(line.id), stores.steps.reply(line.id)) for line in stores.steps.lines()]

    with twig.storage.read() as stores:
        assert [(key, stores.steps.prompt(key), stores.steps.reply(key)) for key, _, _ in known] == known
        assert stores.steps.by_role() == []


def test_a_book_with_branches_is_not_deleted_and_a_branch_is(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, name="she stays")
    with grove.open(origin).storage.write() as stores, pytest.raises(InvalidInput, match=branch):
        stores.books.delete(origin)

    with grove.open(branch).storage.write() as stores:
        stores.books.delete(branch)

    assert [row.book.id for row in branch_tree(grove.open(origin)).rows] == [origin]
    with grove.open(origin).storage.write() as stores:
        stores.books.delete(origin)


def test_branches_are_shown_as_a_tree_with_their_bills_apart_and_together(
    grown: Grove, origin: str, branch: str
) -> None:
    twig = grown.fork(branch)

    tree = branch_tree(grown.open(twig))

    assert [(row.book.id, row.depth) for row in tree.rows] == [(origin, 0), (branch, 1), (twig, 2)]
    assert [row.name for row in tree.rows[1:]] == ["she stays", "branch 1"]
    assert tree.calls == grown.book(origin).calls + grown.book(branch).calls


def test_a_branch_that_waits_for_a_worker_is_queued_in_the_list_of_branches(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin, at="chapter 2")

    with queued(grove.settings, branch):
        found = branch_tree(grove.open(origin)).facts()["branches"]

    assert [row["state"] for row in found] == ["finished", "queued"]


def test_a_known_prefect_is_asked_where_a_branch_rests_and_not_where_all_are_written(
    grove: Grove, origin: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalServer(lambda asked: Canned(b"{}", 404)).running() as server:
        monkeypatch.setenv("PREFECT_API_URL", server.url)
        with temporary_settings({PREFECT_API_URL: server.url}):
            branch_tree(grove.open(origin))
            before = len(server.asked)
            grove.fork(origin, at="chapter 2")
            branch_tree(grove.open(origin))

    assert (before, server.asked != []) == (0, True)


@pytest.mark.parametrize(
    ("at", "name", "said"),
    [("book", None, "another book"), ("1.1", None, "task of planning"), (None, "she stays", "already"),
     (None, " ", "1 to 80")],
)  # fmt: skip
def test_a_fork_that_cannot_be_is_refused_before_anything_is_written(
    grove: Grove, origin: str, at: str | None, name: str | None, said: str
) -> None:
    grove.fork(origin, name="she stays")
    with pytest.raises(InvalidInput, match=said):
        grove.fork(origin, at, name)

    assert len(branch_tree(grove.open(origin)).rows) == 2


def test_two_workers_write_two_branches_of_one_book_at_once(grove: Grove, origin: str) -> None:
    before = grove.text(origin)
    both = [grove.fork(origin, at="chapter 2", name=name) for name in ("she stays", "she leaves")]

    with ThreadPoolExecutor(2) as workers:
        list(workers.map(grove.write, both))

    assert [grove.book(branch).state for branch in both] == [BookState.FINISHED] * 2
    assert grove.text(origin) == before


@given(st.integers(0, 10_000))
def test_a_cut_parts_every_node_of_a_tree_once_and_keeps_what_stands_before(seed: int) -> None:
    tree = _grown(Random(seed))
    units = [node for node in tree if node.task_type == TaskType.WRITE and node.label != "1"]
    at = Random(seed).choice(units)

    cut = cut_at(at.label, tree)

    groups = [set(cut.above), set(cut.opened), set(cut.left_out)]
    assert sum(map(len, groups)) == len(set().union(*groups))
    for node in tree:
        is_before = node.key not in set().union(*groups)
        assert is_before == (order_of(node.label) < order_of(at.label) and not at.label.startswith(f"{node.label}."))
    assert at.key in cut.opened
    assert cut.above[tree[0].key] == sum(node.written for node in tree if node.key in cut.opened)


def _grown(random: Random) -> list[CutNode]:
    """A tree whose units hold what their parts hold, in reading order."""
    found: list[CutNode] = []

    def grow(label: str, depth: int) -> int:
        place = len(found)
        found.append(CutNode(place + 1, label, TaskType.WRITE, NodeStatus.DONE, 0))
        parts = range(1, random.randint(1, 3) + 1) if depth else ()
        for part in range(1, random.randint(0, 2)):
            key = len(found) + 1
            found.append(CutNode(key, f"{label}.{part + 9}", TaskType.DESIGN, NodeStatus.DONE, 0))
        written = sum(grow(f"{label}.{part}", depth - 1) for part in parts) or random.randint(1, 9)
        found[place] = found[place]._replace(written=written)
        return written

    grow("1", 3)
    return found


def test_what_a_branch_shares_is_not_its_own_though_its_last_corrections_touch_it(
    grown: Grove, origin: str, branch: str
) -> None:

    [book, row] = branch_tree(grown.open(branch)).rows

    assert (book.own, book.shared) == (book.written, 0)
    assert [is_own for _, is_own in row.stretches] == [False, True]
    assert 0 < row.shared == row.stretches[0][0]
    assert row.shared + row.own == row.written


def test_an_edit_within_a_whole_branch_is_its_own(grove: Grove, origin: str) -> None:
    branch = grove.fork(origin)
    rewrite(grove, branch, "1.4", prose(grove, branch, "1.4") + " It rained.")

    [_, row] = branch_tree(grove.open(origin)).rows

    assert [is_own for _, is_own in row.stretches] == [True, False]
    assert row.shared == sum(length for length, _ in row.stretches)
    assert row.facts()["own"] == row.stretches[0][0]
