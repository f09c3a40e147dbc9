"""A diff by words tells both texts, calls nothing changed that is not, and takes work that grows with the text.

Of two changes of a text, which are taken together and which are shown to a person.
"""

import gc
import sys
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.diff import has_marks, merged, word_diff

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

    gc.disable()  # what ends garbage of other tests would be counted, too
    sys.setprofile(count)
    try:
        list(word_diff(before, after))
    finally:
        sys.setprofile(None)
        gc.enable()
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


BASE = "One fell. Two rose.\n\nThree sat.\n\nFour ran. Five slept.\n"

SENTENCES = st.lists(st.sampled_from(["One. ", "Two! ", "三。", "four\n", "\n\n", "Five? "]), max_size=12).map("".join)


@pytest.mark.parametrize(
    ("mine", "theirs", "result"),
    [
        pytest.param(BASE, BASE, BASE, id="neither"),
        pytest.param(BASE.replace("One", "1"), BASE, BASE.replace("One", "1"), id="mine"),
        pytest.param(BASE, BASE.replace("One", "1"), BASE.replace("One", "1"), id="theirs"),
        pytest.param(BASE.replace("One", "1"), BASE.replace("One", "1"), BASE.replace("One", "1"), id="both alike"),
        pytest.param(
            BASE.replace("One", "1"), BASE.replace("Four", "4"), BASE.replace("One", "1").replace("Four", "4"),
            id="different paragraphs",
        ),
        pytest.param(
            BASE.replace("Three sat.\n\n", ""), BASE + "\nSix.", BASE.replace("Three sat.\n\n", "") + "\nSix.",
            id="one takes out, one adds",
        ),
        pytest.param(
            BASE.replace("Four", "4"), "Nought. " + BASE, "Nought. " + BASE.replace("Four", "4"), id="one adds in front"
        ),
    ],
)  # fmt: skip
def test_changes_of_different_sentences_are_taken_together(mine, theirs, result):
    found = merged(BASE, mine, theirs)

    assert (found.text, found.conflicts) == (result, 0)


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        pytest.param(BASE.replace("One", "1"), BASE.replace("One", "Uno"), id="the same sentence"),
        pytest.param(BASE.replace("One", "1"), BASE.replace("Two", "2"), id="sentences that touch"),
        pytest.param(BASE.replace("One fell. ", ""), BASE.replace("One", "1"), id="taken out and changed"),
    ],
)
def test_changes_of_one_place_stand_between_marks_with_what_both_began_with(mine, theirs):
    found = merged(BASE, mine, theirs)

    assert found.conflicts == 1
    assert has_marks(found.text)
    assert all(words in found.text for words in ("One fell.", "Three sat.", "Four ran. Five slept."))


def test_a_long_text_of_equal_sentences_is_laid_together_at_its_ends():
    """Each of a hundred thousand sentences equals each other one: matching all with all would never end."""
    base = "A beginning. " + "Word word. " * 100_000 + "An end."

    found = merged(base, base.replace("A beginning", "Another"), base.replace("An end", "The end"))

    assert (found.conflicts, found.text[:8], found.text[-8:]) == (0, "Another.", "The end.")


def test_a_text_without_a_conflict_has_no_marks():
    assert not has_marks(BASE + "a <<<<<<< yours b")


@given(base=SENTENCES, other=SENTENCES)
def test_whoever_changes_alone_wins(base, other):
    assert merged(base, other, base).text == merged(base, base, other).text == other


@given(base=SENTENCES, mine=SENTENCES, theirs=SENTENCES)
def test_which_side_is_which_makes_no_difference_where_there_is_no_conflict(base, mine, theirs):
    one, other = merged(base, mine, theirs), merged(base, theirs, mine)

    assert one.conflicts == other.conflicts
    assert one.conflicts or one.text == other.text
