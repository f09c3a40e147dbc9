"""What a walk took is scaled to the whole book, level by level."""

from pathlib import Path

from bookwright.app.estimates.bill import tally
from bookwright.models.step import Activity
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.lease import Lease
from bookwright.storage.steps.journal import Journal
from tests.cli.shelf import attempt
from tests.support.books import make_book, make_settings

ACT = {"level": "act", "title": "An Act", "parts": [{"level": "chapter", "title": "A Night", "text": "Rain. " * 200}]}
VOLUMES = [
    {"level": "volume", "title": "The First", "parts": [ACT, ACT, {"level": "act", "title": "The Last"}]},
    {"level": "volume", "title": "The Second"},
]


def test_plans_of_acts_and_volumes_are_counted_for_all_of_a_book_of_which_one_act_is_closed(tmp_path: Path) -> None:
    storage = make_book(make_settings(tmp_path), VOLUMES, length=2_000)
    with storage.write() as stores:
        lease = Lease.take(stores.connection, storage.book, "the test", 60)
        planned = [stores.nodes.by_label(label) for label in ("1.1", "1.1.1", "1.1.2")]
        stores.nodes.change(planned[1].key, status=NodeStatus.DONE.value)
    journal = Journal(storage, lease)
    for node in planned:
        journal.record(attempt(node, "planner", "a plan", Activity.PLAN))

    found = tally(storage)
    storage.database.dispose()

    volumes, acts = 2, 10  # of 1,000 words, as the one that was begun; of 200, as the one that is closed
    assert sum(bill.calls for bill in found.roles.values()) == volumes + acts


def test_what_lies_behind_the_first_act_stands_for_the_book_where_enough_is_closed_there(tmp_path: Path) -> None:
    storage = make_book(make_settings(tmp_path), VOLUMES, length=2_000)
    with storage.write() as stores:
        lease = Lease.take(stores.connection, storage.book, "the test", 60)
        first, second = (stores.nodes.by_label(label) for label in ("1.1.1.1", "1.1.2.1"))
        for label in ("1.1.1", "1.1.1.1", "1.1.2.1"):
            stores.nodes.change(stores.nodes.by_label(label).key, status=NodeStatus.DONE.value)
    journal = Journal(storage, lease)
    for step, node in enumerate((first, second, second)):  # more is asked where something was told before
        journal.record(attempt(node, f"draft.{step}", "Rain."))

    found = tally(storage)
    storage.database.dispose()

    assert found.roles["writer"].calls == 10 * 2  # chapters of 200 words, with two calls each
