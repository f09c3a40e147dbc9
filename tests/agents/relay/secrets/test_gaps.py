"""Leaks go out of a draft by the sentence, and the gaps can be filled."""

import pytest

from bookwright.agents.relay.secrets.reviewing import has_fillings, without

TEXT = 'One went out. Two stayed in.\n\n"Three," said four. Five came.'


def spans(*words: str) -> list[tuple[int, int]]:
    return [(TEXT.index(word), TEXT.index(word) + len(word)) for word in words]


def test_a_sentence_that_holds_a_leak_becomes_a_numbered_gap() -> None:
    gapped = without(TEXT, spans("stayed", "Five"))

    assert gapped.shown == 'One went out. [gap 1]\n\n"Three," said four. [gap 2]'
    assert [lost.strip() for lost in gapped.lost] == ["Two stayed in.", "Five came."]


def test_fillings_stand_where_the_gaps_were_and_paragraphs_stay() -> None:
    gapped = without(TEXT, spans("stayed", "Five"))

    filled = gapped.filled("@gap 2\nSix left.\n\n@gap 1\nRain fell.")

    assert filled == 'One went out. Rain fell.\n\n"Three," said four. Six left.'


@pytest.mark.parametrize("answer", ["", "@gap 9\nNowhere.", "no mark at all"])
def test_a_gap_that_nobody_fills_closes_up(answer: str) -> None:
    assert without(TEXT, spans("stayed")).filled(answer) == 'One went out.\n\n"Three," said four. Five came.'


def test_neighbouring_sentences_make_one_gap_and_a_text_may_be_all_gap() -> None:
    gapped = without(TEXT, [(0, len(TEXT))])

    assert gapped.shown == "[gap 1]"
    assert not gapped.holds_text
    assert gapped.filled("@gap 1\nAnew.") == "Anew."


def test_without_a_leak_a_text_is_left_as_it_is() -> None:
    assert without(TEXT, []).filled("") == TEXT


def test_an_answer_without_a_mark_fills_nothing() -> None:
    assert not has_fillings("It rained.")
    assert has_fillings("  @gap 1 \nIt rained.")
