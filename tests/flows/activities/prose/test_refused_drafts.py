"""A draft whose last revision is refused: a human decides, or the brief does beforehand."""

import pytest

from bookwright.flows.gates import human_fallback
from bookwright.flows.open_book import hold_book
from bookwright.models.book import BookState
from bookwright.models.errors import GateWaiting
from bookwright.models.gate import Decider, FallbackHistory, Gate, GateState, Refusal, Ruling
from bookwright.models.tree.task import TaskNode
from tests.flows.gated import NOTE, SHORT, Desk, Sit

HISTORY = FallbackHistory(
    draft="She told him who had lit the lamp.",
    refusals=(Refusal(reasons=("It says who lit the lamp.",)), Refusal(reasons=("It still does.",))),
)


def unit_in(desk: Desk) -> TaskNode:
    with desk.storage.read() as stores:
        return stores.nodes.root()


def fall_back(desk: Desk, number: int = 1) -> Ruling:
    """What a write activity does once its last revision is refused."""
    with hold_book(desk.book.id, desk.around) as deps:
        return human_fallback(unit_in(desk), deps, HISTORY, number)


def waiting_at(desk: Desk, number: int = 1) -> Gate:
    with pytest.raises(GateWaiting) as waiting:
        fall_back(desk, number)
    return waiting.value.gate


def test_a_refused_draft_waits_with_its_history_and_is_approved_as_it_stands(sit: Sit) -> None:
    desk = sit(**SHORT)
    gate = waiting_at(desk)

    assert (gate.draft, gate.last_issues) == (HISTORY.draft, HISTORY.refusals[-1].reasons)
    assert desk.book.state is BookState.WAITING
    desk.approve(gate)

    assert fall_back(desk) == Ruling(state=GateState.APPROVED, text=HISTORY.draft, by=Decider.COMMAND)


def test_an_author_may_give_a_text_of_their_own(sit: Sit) -> None:
    desk = sit(**SHORT)

    desk.approve(waiting_at(desk), text="  She said nothing.\r\nNothing\x00 at all. ")

    assert fall_back(desk).text == "She said nothing.\nNothing at all."


def test_a_rejected_draft_is_revised_under_the_note_and_may_wait_once_more(sit: Sit) -> None:
    desk = sit(**SHORT)
    desk.reject(waiting_at(desk), NOTE)

    first = fall_back(desk)
    second = waiting_at(desk, number=2)

    assert (first.state, first.note) == (GateState.REJECTED, NOTE)
    assert second.number == 2
    assert unit_in(desk).revision == 1


def test_a_brief_may_accept_a_refused_draft_and_the_gate_stays_as_a_mark(sit: Sit) -> None:
    desk = sit(**SHORT, unattended="accept")

    ruling = fall_back(desk)

    assert (ruling.text, ruling.by) == (HISTORY.draft, Decider.BRIEF)
    with desk.storage.read() as stores:
        assert [gate.state for gate in stores.gates.all()] == [GateState.APPROVED]


def test_a_brief_that_learns_to_accept_lets_a_waiting_draft_pass_but_no_phase(sit: Sit) -> None:
    desk = sit(**SHORT)
    gate = waiting_at(desk)
    with desk.storage.write() as stores:
        stores.books.edit_brief(desk.book.id, desk.book.brief.changed(unattended="accept"))

    assert fall_back(desk).by is Decider.BRIEF
    with desk.storage.read() as stores:
        assert stores.gates.get(gate.id).by is Decider.BRIEF
