"""Length as a contract: shares, grants, and what comes of them whatever children really write."""

import random
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bookwright.models.text.length import (
    LAST_KEEPS,
    TOLERANCE,
    LengthRange,
    LengthRecord,
    division_is_over,
    grant_child_length,
    is_off,
    length_class,
    range_of,
    range_of_last,
    spread,
    spread_after,
)
from bookwright.models.tree.level import Level, child_level, usual_child_length

MAX_UNIT = 3_000


@given(st.integers(0, 10_000_000), st.lists(st.integers(-5, 10**12), min_size=1, max_size=40))
def test_shares_add_up_and_are_never_below_one(total: int, weights: list[int]) -> None:
    shares = spread(total, weights)

    assert len(shares) == len(weights)
    assert sum(shares) == max(total, len(weights))
    assert min(shares) >= 1


@given(st.integers(100, 1_000_000), st.lists(st.integers(1, 10_000), min_size=2, max_size=24))
def test_a_heavier_child_gets_no_less(total: int, weights: list[int]) -> None:
    shares = spread(total, weights)

    by_weight = [share for _, share in sorted(zip(weights, shares, strict=True))]
    assert by_weight == sorted(by_weight)


def test_no_weights_give_no_shares() -> None:
    assert spread(100, []) == []


def test_shares_are_in_proportion() -> None:
    assert spread(3_000, [1, 2]) == [1_000, 2_000]


@pytest.mark.parametrize(
    ("length", "counts_words", "name"),
    [
        (199_999, False, "short"),
        (200_000, False, "medium"),
        (1_000_000, False, "medium"),
        (1_000_001, False, "long"),
        (119_999, True, "short"),
        (120_000, True, "medium"),
        (600_000, True, "medium"),
        (600_001, True, "long"),
    ],
)
def test_class_bounds_convert_where_words_count(length: int, counts_words: bool, name: str) -> None:
    assert length_class(length, counts_words) == name


@pytest.mark.parametrize(("actual", "is_missed"), [(850, False), (849, True), (1_150, False), (1_151, True)])
def test_a_draft_is_off_beyond_the_tolerance(actual: int, is_missed: bool) -> None:
    assert is_off(1_000, actual) is is_missed


@given(st.lists(st.tuples(st.integers(0, 10_000), st.integers(0, 100_000)), max_size=30), st.integers(1, 10_000))
def test_what_is_asked_stays_within_bounds_whatever_a_model_delivered(
    drafts: list[tuple[int, int]], target: int
) -> None:
    record = LengthRecord()
    for asked, delivered in drafts:
        record = record.updated(asked, delivered)

    assert 0.25 <= record.ratio <= 4.0
    assert 1 <= record.to_ask(target) <= round(target / 0.6)


def test_a_model_that_writes_too_little_is_asked_for_more() -> None:
    record = LengthRecord()
    for _ in range(20):
        record = record.updated(1_000, 700)

    assert record.to_ask(700) == pytest.approx(1_000, rel=0.01)


@given(
    remaining=st.integers(1, 1_000_000),
    proposed=st.none() | st.integers(1, 10**9),
    usual=st.integers(1, 200_000),
    level=st.sampled_from([Level.VOLUME, Level.ACT, Level.CHAPTER]),
    limit=st.none() | st.integers(50, 20_000),
)
def test_a_grant_is_positive_within_its_limit_and_the_last_takes_all_the_rest(
    remaining: int, proposed: int | None, usual: int, level: Level, limit: int | None
) -> None:
    granted = grant_child_length(remaining, proposed, usual, level.bounds, limit)

    assert 1 <= granted.length <= remaining
    assert limit is None or granted.length <= limit
    assert granted.is_last == (granted.length == remaining)


@given(
    total=st.integers(6_000, 140_000),
    proposals=st.none() | st.integers(1, 100_000),
    seed=st.integers(0, 10_000),
    miss=st.floats(0, 0.5),
)
def test_a_book_of_chapters_lands_within_the_miss_of_its_last_chapter(
    total: int, proposals: int | None, seed: int, miss: float
) -> None:
    chance = random.Random(seed)
    lengths, written = _divided(total, Level.CHAPTER, proposals, lambda target, _: _missed(target, miss, chance))

    owed = max(lengths[-1] * miss + 1, Level.CHAPTER.usual_length * TOLERANCE)
    overrun = lengths[-2] * (miss + 1 - LAST_KEEPS) + 1 if len(lengths) > 1 else 0  # what the last does not pay
    assert -owed <= written - total <= owed + overrun
    assert len(lengths) <= total / (Level.CHAPTER.bounds[0] * 0.5) + 2


@given(total=st.integers(20_000, 140_000), seed=st.integers(0, 10_000))
def test_a_book_of_twenty_thousand_words_lands_within_three_percent_when_units_land_within_fifteen(
    total: int, seed: int
) -> None:
    chance = random.Random(seed)
    before: list[int] = []

    def write(target: int, is_last: bool) -> int:
        miss = _missed(target, TOLERANCE, chance)
        if is_last:  # it is mended, if the book needs it
            wanted = range_of_last(target, sum(before), total)
            miss = min(max(miss, wanted.low), wanted.high)
        before.append(miss)
        return miss

    _, written = _divided(total, Level.CHAPTER, None, write)

    assert abs(written - total) <= 0.03 * total


@given(total=st.integers(150_000, 5_000_000), seed=st.integers(0, 10_000))
def test_the_division_of_a_long_book_ends(total: int, seed: int) -> None:
    chance = random.Random(seed)
    level = child_level(Level.BOOK, total)
    assert level is not None

    lengths, _ = _divided(total, level, None, lambda target, _: _missed(target, 0.5, chance))

    assert 1 <= len(lengths) <= total / (level.bounds[0] * 0.5) + 2


def test_the_end_of_a_division_is_shared_so_that_no_child_is_a_stump() -> None:
    lengths, _ = _divided(6_500, Level.CHAPTER, None, lambda target, _: target)

    assert lengths == [2_167, 2_167, 2_166]


def test_the_last_child_keeps_nearly_what_it_was_planned_for_though_the_one_before_overran() -> None:
    granted = grant_child_length(1_500, None, 2_500, Level.CHAPTER.bounds, MAX_UNIT, before=2_000)

    assert (granted.length, granted.is_last) == (1_900, True)


def test_what_elders_overran_is_paid_by_the_next_in_small_shares_and_last_by_the_last() -> None:
    assert spread_after(2_340, [600, 600, 600, 600]) == [580, 580, 580, 600]
    assert spread_after(1_000, [600, 600, 600]) == [570, 570, 600]
    assert spread_after(530, [600]) == [570]
    assert spread_after(590, [600]) == [590]


def test_what_elders_left_is_shared_by_all_that_wait() -> None:
    assert spread_after(1_320, [600, 600]) == [660, 660]
    assert spread_after(304, [50, 50, 204]) == [50, 50, 204]
    assert spread_after(306, [50, 50, 204]) == [50, 50, 206]


@example([50, 50, 289, 50, 50, 50, 245], 207)  # rounding took a word of the last one's at each of six divisions
@given(st.lists(st.integers(50, 5_000), min_size=2, max_size=12), st.integers(0, 10_000))
def test_the_last_of_a_unit_keeps_its_share_whatever_its_elders_write(planned: list[int], seed: int) -> None:
    chance, total, written = random.Random(seed), sum(planned), 0
    waiting = list(planned)
    while len(waiting) > 1:
        written += _missed(waiting.pop(0), TOLERANCE, chance)
        before, waiting = waiting, spread_after(total - written, waiting)
        assert all(new >= int(old * 0.95) - 1 for old, new in zip(before, waiting, strict=True))

    assert waiting[0] >= int(planned[-1] * LAST_KEEPS)


@pytest.mark.parametrize(
    ("target", "before", "total", "wanted"),
    [
        (3_000, 0, 3_000, LengthRange(2_850, 3_150)),  # a single short book: 5 %
        (2_700, 5_300, 8_000, LengthRange(2_430, 2_970)),  # a chapter may be 10 % off where the book bears it
        (2_900, 20_000, 23_000, LengthRange(2_610, 3_190)),
        (2_000, 21_600, 23_000, LengthRange(1_800, 2_090)),
        (2_000, 22_000, 23_000, LengthRange(1_800, 2_040)),  # it does not pay for what others overran
    ],
)
def test_the_last_unit_may_miss_what_its_book_has_room_for(
    target: int, before: int, total: int, wanted: LengthRange
) -> None:
    assert range_of_last(target, before, total) == wanted


def test_a_range_holds_its_ends() -> None:
    assert range_of(1_000) == LengthRange(850, 1_150)
    assert [range_of(1_000).hold(length) for length in (849, 850, 1_150, 1_151)] == [False, True, True, False]


def test_a_division_is_over_when_no_child_is_worth_what_is_left() -> None:
    assert division_is_over(449, 3_000)
    assert not division_is_over(450, 3_000)
    assert division_is_over(-1, 3_000)


def _missed(target: int, miss: float, chance: random.Random) -> int:
    return max(1, round(target * chance.uniform(1 - miss, 1 + miss)))


def _divided(
    total: int, level: Level, proposed: int | None, write: Callable[[int, bool], int]
) -> tuple[list[int], int]:
    """Divide as the walk does: each child after the former is written."""
    usual = usual_child_length(level, MAX_UNIT)
    limit = None if level.is_at_least(Level.ACT) else MAX_UNIT
    lengths: list[int] = []
    written = 0
    while not lengths or not division_is_over(total - written, usual):
        before = lengths[-1] if lengths and total > written else None
        granted = grant_child_length(total - written, proposed, usual, level.bounds, limit, before=before)
        lengths.append(granted.length)
        written += write(granted.length, granted.is_last)
        if granted.is_last:
            break
    return lengths, written
