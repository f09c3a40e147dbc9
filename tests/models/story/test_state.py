"""The state of the story as structure."""

from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.story.state import Ending, GlobalState, Promise, Settled, lost_promises


def state(*promises: Promise, settled: tuple[Settled, ...] = ()) -> GlobalState:
    return GlobalState(aim="To keep the lamp.", conflict="The owner wants it out.", promises=promises, settled=settled)


OPEN = state(Promise(id="1.1-1", promise="The box is opened."), Promise(id="1.2-1", promise="He comes back."))


def test_a_new_promise_gets_an_id_of_the_unit_that_brought_it() -> None:
    after = state(*OPEN.promises, Promise(promise="A ship."), Promise(promise="A storm.")).numbered(OPEN, "1.3")

    assert [promise.id for promise in after.promises] == ["1.1-1", "1.2-1", "1.3-1", "1.3-2"]


def test_an_id_that_nobody_gave_is_replaced() -> None:
    after = state(OPEN.promises[0], Promise(id="p9", promise="x"), Promise(id="1.1-1", promise="twice"))

    assert [promise.id for promise in after.numbered(OPEN, "1.1").promises] == ["1.1-1", "1.1-2", "1.1-3"]


def test_a_promise_neither_carried_on_nor_settled_is_lost() -> None:
    after = state(settled=(Settled(id="1.2-1", ending=Ending.KEPT),))

    assert [promise.id for promise in lost_promises(OPEN, after)] == ["1.1-1"]


@given(st.lists(st.sampled_from(["", "1.1-1", "1.2-1", "x"]), max_size=12))
def test_ids_are_never_given_twice(claimed: list[str]) -> None:
    after = state(*(Promise(id=name, promise="p") for name in claimed)).numbered(OPEN, "1.1")

    ids = [promise.id for promise in after.promises]
    assert len(set(ids)) == len(ids)
    assert all(ids)
