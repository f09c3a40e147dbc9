"""Gates: where a book rests for a human, and who decides. Source: DESIGN section 6, "Gates"."""

import threading
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event

from bookwright.flows.open_book import hold_book
from bookwright.flows.stopping import Limits
from bookwright.models.book import BookState
from bookwright.models.errors import BookHeld, BookPaused, GateDecided, GateWaiting, InvalidInput
from bookwright.models.gate import Decider, Gate, GateKind, GateState
from bookwright.models.ruling import approval
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import TaskType
from bookwright.storage.lease import Lease
from tests.flows.gated import CHAPTERS, NOTE, SHORT, Desk, Sit, living


def opened_by(desk: Desk) -> list[tuple[str, str]]:
    """The gates of a book that is written to its end, each approved as it opens."""
    met: list[tuple[str, str]] = []
    while True:
        try:
            desk.run()
            return met
        except GateWaiting as waiting:
            met.append((waiting.gate.kind.value, waiting.gate.label))
            desk.approve(waiting.gate)


def test_a_book_rests_at_every_gate_that_its_brief_names_and_nowhere_else(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["outline", "book_design", "volume_design", "chapter"])

    met = opened_by(desk)

    chapters = [node.label for node in living(desk, TaskType.WRITE) if node.depth == 1]
    assert met == [("outline", "1"), ("book_design", "1"), *(("chapter", label) for label in chapters)]
    assert len(chapters) >= 2
    assert desk.book.state is BookState.FINISHED


def test_a_book_in_one_piece_stands_in_a_chapters_place(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["chapter"])

    assert opened_by(desk) == [("chapter", "1")]


def test_a_book_without_gates_looks_for_one_once_in_a_run(sit: Sit) -> None:
    desk = sit(**CHAPTERS)
    asked: list[str] = []

    @event.listens_for(desk.database.engine, "before_cursor_execute")
    def hear(connection: object, cursor: object, statement: str, *_: object) -> None:
        asked.extend([statement] if "gates.is_settled IS" in statement else [])  # notes are read as public words

    desk.run()

    assert len(asked) == 1
    assert desk.book.calls > 10


def test_a_waiting_book_is_free_and_says_so_and_running_it_again_pays_nothing(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])

    first = desk.wait()
    paid = desk.book.calls
    again = desk.wait()

    book = desk.book
    assert (book.state, book.lease_owner, book.calls) == (BookState.WAITING, None, paid)
    assert book.reason == f"gate {first.id}, outline of the book, waits for a decision"
    assert f"bookwright approve {book.id} {first.id}" in book.advice
    assert again == first
    assert not first.is_settled


def test_a_gate_that_is_taken_out_of_the_brief_still_waits(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    with desk.storage.write() as stores:
        stores.books.edit_brief(desk.book.id, desk.book.brief.changed(gates=[], unattended="accept"))

    assert desk.wait() == gate


def test_a_design_gate_that_is_asked_for_too_late_stops_nothing(sit: Sit) -> None:
    desk = sit(**CHAPTERS, gates=["chapter"])
    desk.approve(desk.wait())
    with desk.storage.write() as stores:
        stores.books.edit_brief(desk.book.id, desk.book.brief.changed(gates=["outline", "book_design"]))

    assert desk.run().state is BookState.FINISHED


def test_a_volumes_design_is_waited_for_once_it_is_made(sit: Sit) -> None:
    desk = sit(length=400_000, profile="economy", gates=["volume_design"])

    gate = desk.wait()

    assert (gate.kind, gate.label.count(".")) == (GateKind.VOLUME_DESIGN, 1)
    with desk.storage.read() as stores:
        volume = stores.nodes.get(gate.node)
        assert volume.level is Level.VOLUME
        assert stores.nodes.children(volume.key, TaskType.WRITE) == []


def test_a_second_decision_is_told_that_the_first_one_stands(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    desk.approve(gate)

    with pytest.raises(GateDecided, match="was approved already; the first decision stands"):
        desk.reject(gate, NOTE)

    with desk.storage.read() as stores:
        assert stores.gates.get(gate.id).state is GateState.APPROVED


def test_of_many_who_decide_at_once_one_does(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    ends: list[str] = []
    barrier = threading.Barrier(6)

    def decide(number: int) -> None:
        barrier.wait()
        try:
            desk.reject(gate, f"note {number}") if number % 2 else desk.approve(gate)
            ends.append("decided")
        except GateDecided:
            ends.append("late")

    threads = [threading.Thread(target=decide, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(ends) == ["decided", *["late"] * 5]


def test_deciding_while_a_worker_holds_the_book_changes_nothing_but_the_gate(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    with desk.storage.write() as stores:
        lease = Lease.take(stores.connection, desk.book.id, "somebody", 60)
        stores.books.set_state(desk.book.id, BookState.WRITING)

    desk.approve(gate)

    assert (desk.book.state, desk.book.lease_owner) == (BookState.WRITING, "somebody")
    with pytest.raises(BookHeld):
        desk.run()
    with desk.storage.write() as stores:
        lease.release(stores.connection)
    assert desk.run().state is BookState.FINISHED


def test_a_worker_that_leaves_at_a_gate_that_was_just_decided_only_rests(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()

    with pytest.raises(GateWaiting):
        decide_and_leave(desk, gate)

    assert (desk.book.state, desk.book.reason) == (
        BookState.PAUSED,
        f"gate {gate.id}, outline of the book, was approved",
    )


def test_a_book_that_is_asked_to_rest_before_its_worker_has_the_lease_rests_before_its_first_call(sit: Sit) -> None:
    desk = sit(**SHORT)
    with desk.storage.write() as stores:
        stores.books.ask_to_rest(desk.storage.book)

    with pytest.raises(BookPaused, match="asked to rest"):
        desk.run()

    assert (desk.asked.requests, desk.book.calls, desk.book.stop_requested) == ([], 0, False)
    assert desk.run().state is BookState.FINISHED


def test_a_book_that_was_to_rest_before_its_run_was_handed_in_is_written(sit: Sit) -> None:
    desk = sit(**SHORT)
    with desk.storage.write() as stores:
        stores.books.ask_to_rest(desk.storage.book)
    desk.around = replace(desk.around, wished_since=desk.book.stop_requested_at + 1)

    assert desk.run().state is BookState.FINISHED


@pytest.mark.parametrize(
    ("wishes", "reason"), [(SHORT | {"budget": {"tokens": 900}}, "the budget of"), (CHAPTERS, "reached chapter 1")]
)
def test_a_book_that_came_to_a_pool_is_said_to_go_on_there(sit: Sit, wishes: dict[str, Any], reason: str) -> None:
    desk = sit(**wishes)
    desk.around = replace(desk.around, goes_on_by="bookwright submit --book", limits=Limits.parse("chapter:1", None))

    with pytest.raises(BookPaused) as rest:
        desk.run()

    assert reason in rest.value.reason
    assert f"`bookwright submit --book {desk.book.id}` goes on" in desk.book.advice
    assert "bookwright resume" not in desk.book.advice


def decide_and_leave(desk: Desk, gate: Gate) -> None:
    with hold_book(desk.book.id, desk.around):
        desk.approve(gate)
        raise GateWaiting(gate)


def test_a_gate_that_a_died_worker_opened_is_met_by_the_next_one(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()
    with desk.storage.write() as stores:  # as it is between the record of the plan and the end of the lease
        Lease.take(stores.connection, desk.book.id, "a dead worker", -1)
        stores.books.set_state(desk.book.id, BookState.WRITING)

    assert desk.wait() == gate
    assert desk.book.state is BookState.WAITING


def test_a_phase_takes_no_text_of_ones_own(sit: Sit) -> None:
    desk = sit(**SHORT, gates=["outline"])
    gate = desk.wait()

    with pytest.raises(InvalidInput, match="takes no text of your own"):
        approval(gate, Decider.COMMAND, text="My own outline.")
