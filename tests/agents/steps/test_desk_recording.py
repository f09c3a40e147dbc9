"""A paid reply is kept, whatever befalls the database, the lease or the move."""

import pytest

from bookwright.agents.backends.protocol import Request
from bookwright.agents.steps.desk import record_surely
from bookwright.flows.deps import Deps
from bookwright.models.errors import (
    BookPaused,
    DatabaseUnreachable,
    DiskFull,
    LeaseLost,
    NodeNotFound,
)
from bookwright.models.step import Activity, Failure, Reply, StepKey
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal, Move
from tests.agents.steps.shop import DRAFTER, RAIN, Shop, count_words


class Hindered(Journal):
    """A journal whose database refuses at first, or loses its answer after the commit."""

    def __init__(self, deps: Deps, faults: list[Exception] | None = None, lost: list[Exception] | None = None) -> None:
        super().__init__(deps.storage, deps.desk.journal._lease)
        self.faults, self.lost, self.tries = faults or [], lost or [], 0

    def record(self, attempt: Attempt, move: Move | None = None, intent: str = "", *, is_again: bool = False) -> int:
        """Record, or fail before or after."""
        self.tries += 1
        if self.faults:
            raise self.faults.pop()
        step = super().record(attempt, move, intent, is_again=is_again)
        if self.lost:
            raise self.lost.pop()
        return step


def attempt_of(shop: Shop) -> Attempt:
    key = StepKey(book=shop.root.book, node=shop.root.key, revision=1, activity=Activity.WRITE, round=0, step="draft")
    return Attempt(key, 1, "writer", "story/x", ("ask",), Reply(text=RAIN, model="scripted:writer"))


def test_who_lost_the_lease_learns_it_and_records_nothing(shop: Shop) -> None:
    def overtaken(request: Request) -> str:
        with shop.deps.storage.write() as stores:
            stores.books.change(shop.root.book, lease_token=99)
        return RAIN

    shop.backend.lines["draft"] = [overtaken]

    with pytest.raises(LeaseLost):
        shop.run().run(DRAFTER)

    assert shop.calls() == 0


def test_a_paid_reply_is_kept_in_memory_until_the_database_takes_it(shop: Shop) -> None:
    journal = Hindered(shop.deps, faults=[DiskFull("full")])

    step = record_surely(journal, attempt_of(shop), None, "1 critic", patience=60)

    assert [record.id for record in shop.attempts("draft")] == [step]
    assert journal.tries == 2


def test_a_commit_whose_answer_was_lost_is_read_back_and_not_made_twice(shop: Shop) -> None:
    journal = Hindered(shop.deps, lost=[DatabaseUnreachable("the connection broke")])

    step = record_surely(journal, attempt_of(shop), count_words(RAIN), "1 critic", patience=60)

    assert [record.id for record in shop.attempts("draft")] == [step]
    assert (journal.tries, shop.calls()) == (2, 1)
    with shop.deps.stores() as stores:
        assert stores.nodes.root().written == 10


FAULTS = [ZeroDivisionError("a fault of ours"), NodeNotFound("a fault of ours"), BookPaused("a fault of ours")]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: type(fault).__name__)
@pytest.mark.parametrize("is_late", [False, True], ids=["deciding on the move", "making it"])
def test_a_fault_while_its_move_is_made_does_not_cost_the_paid_reply(
    shop: Shop, fault: Exception, is_late: bool
) -> None:
    def fail(*_: object) -> None:
        raise fault

    with pytest.raises(type(fault)):
        shop.run().run(DRAFTER, (lambda text: fail) if is_late else fail)

    (record,) = shop.attempts("draft")
    assert (record.failure, record.reply.text) == (Failure.FAULT, RAIN)
    assert "a fault of ours" in record.detail
