"""The pruner: what stays, in which order, within how many tokens."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.agents.context.pruner import GAP, ContextPiece, Pruner, fair_shares
from bookwright.models.text.binding import binding_lines
from bookwright.storage.index.ranking import weights
from tests.agents.context.books import count_words
from tests.places import RECORDED

PRUNER = Pruner(count_words, {})


def focused(words: str) -> Pruner:
    return Pruner(count_words, weights(words))


TEXT = """## Cast
Ines keeps the lamp. She is tired of the sea. Bruno owns the island and the lamp. He is rich.

## Weather
It rains for a week. The roof leaks. Nobody mends it.
"""


def piece(number: int, text: str) -> ContextPiece:
    return ContextPiece(f"[{number}]", text, document=number, node=number, order=(number,))


def test_what_fits_stands_as_it_is():
    assert PRUNER.condense(TEXT, 1_000) == TEXT


def test_the_sentences_that_share_words_with_the_task_stay_in_order_under_their_heading():
    text = focused("What does Bruno own, and who keeps the lamp?").condense(TEXT, 28)

    assert text == f"## Cast\nInes keeps the lamp. {GAP} Bruno owns the island and the lamp. {GAP}"


def test_chinese_sentences_are_joined_without_spaces():
    text = "林小雨守着灯塔。今天下雨。没有船来。布鲁诺欠她的钱。" * 2

    assert " " not in focused("林小雨的灯塔").condense(text, 14)


def test_of_a_text_that_fits_in_no_part_only_the_mark_stays():
    assert PRUNER.condense("word " * 200, 10) == GAP
    assert PRUNER.condense("word " * 200, 0) == ""


DESIGN = (RECORDED / "design.md").read_text(encoding="utf-8").strip()
"""A design of 343 words where 300 were asked for; it came back as 213, cut inside sentences and § lines."""


@pytest.mark.parametrize("room", range(60, 640, 20))
def test_what_stays_of_the_recorded_design_are_whole_lines_and_those_that_bind_first(room):
    text = focused("the inspector reads the book on the quay").condense(DESIGN, room)

    lines, kept = DESIGN.splitlines(), [line for line in text.splitlines() if line != GAP]
    assert all(line in lines for line in kept)
    assert count_words(text) <= room
    assert GAP in text.splitlines()
    if room > count_words("\n".join(binding_lines(DESIGN))) + 20:
        assert binding_lines(text) == binding_lines(DESIGN)


def test_whoever_reads_some_of_several_pieces_is_told_that_there_were_more():
    cut = PRUNER.evenly([piece(number, "One line. " * 30) for number in range(9)], 200)

    assert cut.text.endswith(f"\n\n{GAP}")
    assert len(cut.sources) < 9


def test_short_pieces_stay_whole_and_long_ones_share_the_rest():
    long = " ".join(f"Sentence {number} says nothing much." for number in range(50))

    cut = PRUNER.evenly([piece(1, "Short."), piece(2, long), piece(3, long)], 300)

    assert "[1]\nShort." in cut.text
    assert cut.sources == {1, 2, 3}
    assert count_words(cut.text) <= 300


def test_the_first_pieces_are_chosen_and_printed_in_reading_order():
    pieces = [piece(3, "Third. " * 10), piece(1, "First. " * 10), piece(2, "Second. " * 100)]

    cut = PRUNER.in_order(pieces, 70)

    assert cut.sources == {1, 3}
    assert cut.text.index("[1]") < cut.text.index("[3]")


def test_passages_of_one_origin_stand_under_one_heading():
    pieces = [ContextPiece("[1]", "One.", 1, 1, (1, 0)), ContextPiece("[1]", "Two.", 1, 1, (1, 1))]

    assert PRUNER.in_order(pieces, 100).text == "[1]\nOne.\nTwo."


def test_growing_leaves_what_stands_unchanged():
    pieces = [piece(number, " ".join(f"Line {number}.{i} is here." for i in range(40))) for number in range(4)]

    grown = [PRUNER.growing(pieces[:count], 400, expected=4).text for count in range(5)]

    assert all(later.startswith(earlier) for earlier, later in pairwise(grown))
    assert count_words(grown[-1]) <= 400


@pytest.mark.parametrize(("text", "room", "expected"), [
    ("One.\n\nTwo.\n\nThree.", 100, "One.\n\nTwo.\n\nThree."),
    ("One.\n\nTwo.\n\nThree.", 5, "Two.\n\nThree."),
    ("One. Two. Three.", 4, "Two. Three."),
    ("One. Two. Three.", 1, ""),
    ("", 10, ""),
])  # fmt: skip
def test_a_tail_begins_with_a_paragraph_or_else_a_sentence(text, room, expected):
    assert PRUNER.tail(text, room) == expected


@given(st.lists(st.integers(0, 500), max_size=12), st.integers(0, 1_000))
def test_fair_shares_spend_no_more_than_there_is_and_waste_none(costs, room):
    shares = fair_shares(costs, room)

    assert sum(shares) <= room
    assert all(share <= cost for share, cost in zip(shares, costs, strict=True))
    assert sum(costs) > room or shares == costs


@given(st.text(alphabet='ab. 雨。\n#…"”', max_size=400), st.integers(0, 120))
def test_no_cut_exceeds_its_room(text, room):
    pieces = [piece(number, text) for number in range(3)]
    pruner = focused("ab 雨雨")

    for cut in (pruner.evenly(pieces, room), pruner.in_order(pieces, room)):
        assert count_words(cut.text) <= room
    assert count_words(pruner.growing(pieces, room, 3).text) <= room
    assert count_words(pruner.condense(text, room)) <= room
    assert count_words(pruner.tail(text, room)) <= room
