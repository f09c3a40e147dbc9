"""A disk that is full in the middle of a fork or a merge leaves all as it was."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event

from bookwright.app.branches.forks import branch_tree
from bookwright.app.branches.merging import MergeOrder, merge
from bookwright.models.errors import StorageError
from tests.app.branches.grove import Grove, rewrite


def fork(grove: Grove, origin: str, branch: str) -> None:
    """Make another branch."""
    grove.fork(origin, name="she leaves")


def take_over(grove: Grove, origin: str, branch: str) -> None:
    """Merge the one that is there."""
    merge(grove.open(origin), MergeOrder(branch))


@pytest.mark.parametrize("work", [fork, take_over])
def test_without_room_nothing_is_changed_and_with_some_it_is_done(
    grove: Grove, origin: str, work: Callable[[Grove, str, str], None]
) -> None:
    branch = grove.fork(origin, name="she stays")
    rewrite(grove, branch, "1.5", " ".join(f"She counted lamp {number}, and it burned." for number in range(20_000)))
    before, tree = grove.rows(origin), branch_tree(grove.open(origin)).facts()

    with full(grove), pytest.raises(StorageError, match="make room"):
        work(grove, origin, branch)

    assert (grove.rows(origin), branch_tree(grove.open(origin)).facts()) == (before, tree)
    work(grove, origin, branch)
    assert (grove.rows(origin), len(branch_tree(grove.open(origin)).rows)) != (before, len(tree["branches"]))


@contextmanager
def full(grove: Grove) -> Iterator[None]:
    """Let the database's file not grow by a page."""

    def hold_down(connection: Any, *rest: Any) -> None:
        connection.execute("PRAGMA max_page_count = 1")  # never less than there are

    grove.database.dispose()  # a thread keeps its connection
    event.listen(grove.database.engine, "checkout", hold_down)
    yield
    event.remove(grove.database.engine, "checkout", hold_down)
    grove.database.dispose()
