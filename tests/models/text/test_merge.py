"""Two changes of a text: which are taken together, which are shown to a person."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.text.merge import has_marks, merged

BASE = "One fell. Two rose.\n\nThree sat.\n\nFour ran. Five slept.\n"

TEXTS = st.lists(st.sampled_from(["One. ", "Two! ", "三。", "four\n", "\n\n", "Five? "]), max_size=12).map("".join)


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


@given(base=TEXTS, other=TEXTS)
def test_whoever_changes_alone_wins(base, other):
    assert merged(base, other, base).text == merged(base, base, other).text == other


@given(base=TEXTS, mine=TEXTS, theirs=TEXTS)
def test_which_side_is_which_makes_no_difference_where_there_is_no_conflict(base, mine, theirs):
    one, other = merged(base, mine, theirs), merged(base, theirs, mine)

    assert one.conflicts == other.conflicts
    assert one.conflicts or one.text == other.text
