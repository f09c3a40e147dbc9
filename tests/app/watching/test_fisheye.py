"""The tree on the screen: bounded however large the book is, and unfolded where the work is."""

import pytest

from bookwright.app.watching.fisheye import AFTER, BEFORE, MORE, OPENED, Folds, fisheye
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.tree.outline import ChildReader
from tests.support.books import make_book, make_settings

ACTS, CHAPTERS, WRITTEN = 25, 60, 12


def large_tree():
    """25 acts of 60 chapters; 12 acts are written, and 30 chapters of the next."""

    def chapter(act, number):
        is_written = act < WRITTEN or (act == WRITTEN and number < CHAPTERS // 2)
        return {"level": "chapter", "title": f"Chapter {number}", "text": "Rain fell." if is_written else ""}

    return [
        {"level": "act", "title": f"Act {act}", "parts": [chapter(act, n) for n in range(CHAPTERS)]}
        for act in range(ACTS)
    ]


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    storage = make_book(make_settings(tmp_path_factory.mktemp("home")), large_tree())
    with storage.write() as stores:
        for act in stores.nodes.children(stores.nodes.root().key)[:WRITTEN]:
            stores.nodes.change(act.key, status=NodeStatus.DONE.value)
    return storage


def eye(book, folds=Folds()):  # noqa: B008
    with book.read() as stores:
        return fisheye(ChildReader(stores.connection), stores.nodes.open_path(), folds, stores.codex.reading_order())


def labels(rows):
    return [row.line.label if row.line else f"({row.hidden})" for row in rows]


def node_of(book, label):
    with book.read() as stores:
        return stores.nodes.by_label(label).key


def test_a_tree_of_1_500_nodes_is_a_screenful(book):
    rows = eye(book)

    assert len(rows) == 1 + 2 * (BEFORE + 1 + AFTER + 2)
    assert labels(rows)[:7] == ["1", "(8)", "1.9", "1.10", "1.11", "1.12", "1.13"]
    assert labels(rows)[7:13] == ["(26)", "1.13.27", "1.13.28", "1.13.29", "1.13.30", "1.13.31"]
    assert labels(rows)[-1] == "(7)"


def test_the_current_node_is_marked_and_only_its_path_is_unfolded(book):
    rows = eye(book)

    assert [row.line.label for row in rows if row.is_current] == ["1.13.31"]
    assert [row.line.label for row in rows if row.is_open] == ["1", "1.13"]


def test_whatever_is_unfolded_the_lines_and_those_left_out_are_all_there_are(book):
    rows = eye(book, Folds().open(node_of(book, "1.10")))

    assert sum(row.hidden if row.line is None else 1 for row in rows if row.depth == 1) == ACTS
    assert sum(row.hidden if row.line is None else 1 for row in rows if row.depth == 2) == CHAPTERS * 2
    assert sum(row.line is not None and row.line.label.startswith("1.10.") for row in rows) == OPENED + 1


def test_more_is_shown_where_a_person_asks_for_it(book):
    rows = eye(book)
    gap = rows[7]

    wider = eye(book, Folds().widen(gap))

    assert (gap.hidden, gap.is_before) == (26, True)
    assert len(wider) == len(rows) + min(gap.hidden, MORE) - 1
    assert "1.13.1" in labels(wider)


def test_a_person_may_fold_the_open_path_and_unfold_it_again(book):
    act = node_of(book, "1.13")

    folded = Folds().close(act)

    assert not any(label.startswith("1.13.") for label in labels(eye(book, folded)))
    assert labels(eye(book, folded.open(act))) == labels(eye(book))


def test_of_a_finished_book_the_first_level_is_shown(tmp_path):
    storage = make_book(make_settings(tmp_path), [{"level": "chapter", "title": "One", "text": "Rain fell."}])
    with storage.write() as stores:
        stores.nodes.change(stores.nodes.root().key, status=NodeStatus.DONE.value)

    assert labels(eye(storage)) == ["1", "1.1"]
