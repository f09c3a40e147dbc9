"""Times of units are put in order where that can be told, and nothing is said where it cannot."""

import pytest

from bookwright.models.story_time.clock import StoryClock
from bookwright.models.story_time.times import Comparison, StoryTime, asked_time

BEFORE, SAME, AFTER = Comparison.BEFORE, Comparison.SAME, Comparison.AFTER


def clock_of(*times: str) -> StoryClock:
    """A book whose chapters have those times; an empty one has none."""
    labels = [f"1.{number}" for number in range(1, len(times) + 1)]
    return StoryClock(
        [(label, StoryTime(when=when)) for label, when in zip(labels, times, strict=True) if when], labels
    )


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ("day 1", "the evening of day 3", BEFORE), ("day 3", "the evening of day 3", None), ("day 3", "第三天", SAME),
        ("night of day 3", "dawn of day 4", BEFORE), ("1923", "March 1924", BEFORE), ("March 1923", "1923", None),
        ("12 March 1923", "1923年3月13日", BEFORE), ("day 3", "1923", None), ("10 March", "12 March", BEFORE),
        ("20 December", "3 January", None), ("the Year of the Fox", "day 1", None), ("44 BC", "12 AD 100", BEFORE),
        ("day 3", "the next morning", BEFORE), ("1923", "ten years earlier", AFTER), ("day 3", "meanwhile", SAME),
        ("day 3", "an hour later", BEFORE), ("the Year of the Fox", "two days later", BEFORE), ("", "两天后", None),
        ("", "two days before chapter 1", AFTER), ("1923", "a few days later", BEFORE), ("day 2", "before 1.1", AFTER),
    ],
)  # fmt: skip
def test_two_chapters_are_told_in_order_where_it_can_be_decided(
    one: str, other: str, wanted: Comparison | None
) -> None:
    clock = clock_of(one, other)

    assert clock.compare("1.1", "1.2") == wanted
    turned = {BEFORE: AFTER, AFTER: BEFORE}
    assert clock.compare("1.2", "1.1") == turned.get(wanted, wanted) if wanted else wanted is None


def test_a_flashback_that_goes_on_is_counted_within_itself_and_the_present_goes_on_behind_it() -> None:
    clock = clock_of("day 3", "ten years earlier", "two days later", "day 4")

    assert [clock.compare("1.2", other) for other in ("1.1", "1.3", "1.4")] == [BEFORE, BEFORE, BEFORE]
    assert clock.compare("1.3", "1.1") is BEFORE


def test_one_day_with_its_date_ties_all_others_to_the_calendar() -> None:
    clock = clock_of("day 3, 12 March 1923", "14 March 1923", "day 4")

    assert [clock.compare("1.3", other) for other in ("1.1", "1.2")] == [AFTER, BEFORE]
    assert clock.has_come(StoryTime(when="day 5"), "1.2") is True


def test_a_part_has_the_time_of_the_unit_above_and_a_unit_that_of_its_parts() -> None:
    times = [("1.1", "day 1"), ("1.2.1", "day 2"), ("1.2.2", "day 4"), ("1.3", "day 3")]
    clock = StoryClock([(label, StoryTime(when=when)) for label, when in times], ["1.1", "1.2", "1.3"])

    assert clock.compare("1.1.7", "1.2") is BEFORE
    assert clock.compare("1.2", "1.3") is None, "it lies between the parts"
    assert clock.compare("1.2.2", "1.3") is AFTER
    assert str(clock.time_of("1.1.7.2")) == "day 1"
    assert clock.time_of("1.2") is None


def test_orders_of_an_author_sort_times_that_nobody_can_read() -> None:
    fox, hare = StoryTime(when="the Year of the Fox", order=2), StoryTime(when="the Year of the Hare", order=3)
    clock = StoryClock([("1.1", hare), ("1.2", fox)], ["1.1", "1.2"])

    assert clock.compare("1.1", "1.2") is AFTER
    assert clock.has_come(asked_time("2.5"), "1.1") is True
    assert clock.has_come(asked_time("2.5"), "1.2") is False


def test_times_that_are_counted_from_each_other_are_a_circle() -> None:
    clock = clock_of("a day after chapter 2", "a day after chapter 1", "day 1")

    assert set(clock.circles) == {"1.1", "1.2"}
    assert clock.compare("1.3", "1.1") is None


def test_a_thousand_chapters_that_each_go_on_from_the_last_are_read() -> None:
    clock = clock_of("day 1", *["the next day"] * 2_999)

    assert clock.compare("1.2", "1.3000") is BEFORE
    assert clock.at("1.3000")[0].low == 3000


def test_what_has_come_and_what_was_told_are_two_things() -> None:
    clock, fire = clock_of("day 1", "day 5", "day 2"), StoryTime(when="day 4")

    assert [clock.has_come(fire, f"1.{n}") for n in (1, 2, 3)] == [False, True, False]
    assert [clock.was_told(fire, f"1.{n}") for n in (1, 2, 3)] == [False, True, True]
    assert clock.has_come(StoryTime(when="whenever"), "1.1") is None
