"""Which level a unit divides into, and how its children are made. Source: DESIGN section 4."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.tree.level import Level, child_level, division_is_incremental, usual_child_length


@pytest.mark.parametrize(
    ("level", "length", "child"),
    [
        (Level.BOOK, 5_000_000, Level.VOLUME),
        (Level.BOOK, 500_000, Level.VOLUME),
        (Level.BOOK, 150_000, Level.VOLUME),
        (Level.BOOK, 149_999, Level.ACT),
        (Level.BOOK, 60_000, Level.ACT),
        (Level.BOOK, 20_000, Level.CHAPTER),
        (Level.BOOK, 6_000, Level.CHAPTER),
        (Level.BOOK, 5_999, Level.SCENE),
        (Level.BOOK, 1_000, Level.BEAT),
        (Level.BOOK, 100, Level.PARAGRAPH),
        (Level.VOLUME, 150_000, Level.ACT),
        (Level.ACT, 30_000, Level.CHAPTER),
        (Level.CHAPTER, 3_000, Level.SCENE),
        (Level.SCENE, 1_000, Level.BEAT),
        (Level.BEAT, 300, Level.PARAGRAPH),
        (Level.PARAGRAPH, 5_000_000, None),
        (Level.BOOK, 2, None),
    ],
)
def test_a_unit_divides_into_the_coarsest_level_that_fits_it_three_times(
    level: Level, length: int, child: Level | None
) -> None:
    assert child_level(level, length) is child


@given(st.sampled_from(Level), st.integers(3, 10_000_000))
def test_a_child_is_finer_and_its_least_length_fits_three_times(level: Level, length: int) -> None:
    child = child_level(level, length)

    if level is Level.PARAGRAPH:
        assert child is None
    else:
        assert child is not None
        assert child.depth > level.depth
        assert child.bounds[0] * 3 <= length


def test_levels_go_from_the_book_down_to_the_paragraph() -> None:
    assert [level.depth for level in Level] == list(range(7))
    assert Level.BOOK.finer == tuple(Level)[1:]
    assert Level.PARAGRAPH.finer == ()
    assert Level.ACT.is_at_least(Level.ACT)
    assert Level.ACT.is_at_least(Level.CHAPTER)
    assert not Level.CHAPTER.is_at_least(Level.ACT)


@pytest.mark.parametrize("level", Level)
def test_the_usual_length_lies_within_the_bounds(level: Level) -> None:
    low, high = level.bounds

    assert low <= level.usual_length <= high


def test_a_coarser_level_is_usually_longer() -> None:
    lengths = [level.usual_length for level in Level if level is not Level.BOOK]

    assert all(above > below for above, below in pairwise(lengths))


@pytest.mark.parametrize(
    ("child", "max_unit_length", "length"),
    [
        (Level.VOLUME, 300, 150_000),
        (Level.ACT, 300, 30_000),
        (Level.CHAPTER, 3_000, 3_000),
        (Level.CHAPTER, 300, 300),
        (Level.SCENE, 700, 700),
        (Level.SCENE, 300, 300),
        (Level.BEAT, 10_000, 300),
    ],
)
def test_only_levels_that_are_written_are_held_to_what_may_be_written_at_once(
    child: Level, max_unit_length: int, length: int
) -> None:
    assert usual_child_length(child, max_unit_length) == length


def test_children_are_made_one_at_a_time_down_to_the_chapter() -> None:
    incremental = [level for level in Level if division_is_incremental(level)]

    assert incremental == [Level.BOOK, Level.VOLUME, Level.ACT, Level.CHAPTER]
