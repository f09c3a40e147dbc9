"""Which turns of a talk go before a model that has not room for all."""

from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.runtime.talk import left_out

SIZES = st.lists(st.integers(0, 100), max_size=12)


def test_the_oldest_go_first_and_no_more_than_has_to():
    assert left_out([10, 10, 10, 10], question=3, room=40) == set()
    assert left_out([10, 10, 10, 10], question=3, room=25) == {0, 1}


def test_then_goes_what_tools_brought_but_never_the_question_or_the_last():
    assert left_out([10, 10, 10, 10], question=1, room=20) == {0, 2}
    assert left_out([10, 10, 10, 10], question=1, room=0) == {0, 2}
    assert left_out([10, 10], question=-1, room=0) == {0}


@given(SIZES, st.integers(-1, 11), st.integers(0, 500))
def test_what_stays_fits_wherever_it_can(sizes, question, room):
    question = min(question, len(sizes) - 1)

    gone = left_out(sizes, question, room)

    kept = [place for place in range(len(sizes)) if place not in gone]
    assert question not in gone
    assert len(sizes) - 1 not in gone
    assert sum(sizes[place] for place in kept) <= room or set(kept) <= {question, len(sizes) - 1}
