"""A diff by words tells both texts, calls nothing changed that is not, and takes work that grows with the text."""

import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.word_diff import word_diff

PIECES = st.sampled_from(
    ["Rain", "fell", " ", " ", ". ", "\n", "\n\n", "“No!” ", "雨", "が", "降る", "。", "비가 ", "  ", "…"]
)
TEXTS = st.lists(PIECES, max_size=60).map("".join)


def story(sentences: int, name: str) -> str:
    """Paragraphs of four sentences, of which each names somebody and each is another one."""
    told = [f"On day {number} {name} went to the sea and counted {number * 7} boats." for number in range(sentences)]
    return "\n\n".join(" ".join(told[start : start + 4]) for start in range(0, sentences, 4))


def work_of(before: str, after: str) -> int:
    """How many functions a diff calls, Python's own among them: SequenceMatcher looks each candidate up by one."""
    calls = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        list(word_diff(before, after))
    finally:
        sys.setprofile(None)
    return calls


@given(TEXTS, TEXTS)
def test_the_halves_of_the_changes_make_up_the_two_texts(before: str, after: str) -> None:
    changes = list(word_diff(before, after))

    assert "".join(old for old, _ in changes) == before
    assert "".join(new for _, new in changes) == after
    assert all(old or new for old, new in changes)


@given(TEXTS)
def test_a_text_does_not_differ_from_itself(text: str) -> None:
    assert all(old == new for old, new in word_diff(text, text))


def test_a_name_that_changed_in_every_sentence_is_all_that_changed() -> None:
    changes = {(old, new) for old, new in word_diff(story(40, "Mira"), story(40, "Myra")) if old != new}

    assert changes == {("Mira", "Myra")}


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ("The red lamp.", "The green lamp.", [("The ", "The "), ("red", "green"), (" ", " "), ("lamp.", "lamp.")]),
        ("One. Two.", "One. Three. Two.", [("One. ", "One. "), ("", "Three. "), ("Two.", "Two.")]),
        ("One.", "One.\n\nTwo.", [("One.", "One."), ("", "\n\n"), ("", "Two.")]),
        ("一只猫。", "一只狗。", [("一", "一"), ("只", "只"), ("猫", "狗"), ("。", "。")]),
    ],
)
def test_what_changed_is_told_by_words_and_characters(before: str, after: str, changes: list[tuple[str, str]]) -> None:
    assert list(word_diff(before, after)) == changes


@pytest.mark.parametrize("other", ["Mira", "Myra", "nobody at all"])
def test_twice_the_text_is_twice_the_work(other: str) -> None:
    work = [work_of(story(size, "Mira"), story(size, other)) for size in (200, 400, 800)]

    assert all(larger <= 2.3 * smaller for smaller, larger in pairwise(work))


def test_a_text_that_was_rewritten_is_told_as_replaced_and_not_searched() -> None:
    before = " ".join(f"word{number}" for number in range(4_000))
    after = " ".join(f"other{number}" for number in range(4_001))

    assert list(word_diff(before, after)) == [(before, after)]
    assert work_of(before, after) < 200
