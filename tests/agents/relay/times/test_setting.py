"""When a unit is set is told in its own words, and how far from other chapters where that can be told."""

import pytest

from bookwright.agents.relay.times.setting import setting_lines, told_setting
from bookwright.models.story_time.times import StoryTime
from bookwright.models.tree.place import ReadingOrder


def book(*times: str) -> ReadingOrder:
    """Chapters with those times; an empty one has none."""
    labels = tuple(f"1.{number}" for number in range(1, len(times) + 1))
    timed = ((label, StoryTime(when=when)) for label, when in zip(labels, times, strict=True) if when)
    return ReadingOrder(chapters=labels, times=tuple(timed))


@pytest.mark.parametrize(
    ("times", "told"),
    [
        (("day 1",), "day 1"),
        (("day 1", "the evening of day 3"), "the evening of day 3, 2 days after chapter 1"),
        (("day 1", "ten years earlier"), "ten years earlier, 10 years before chapter 1"),
        (("day 1", "ten years before chapter 1"), "ten years before chapter 1"),
        (
            ("day 1", "ten years earlier", "day 4"),
            "day 4, 10 years after chapter 2, 3 days after chapter 1",
        ),
        (("day 1", "day 1"), "day 1, the same day as chapter 1"),
        (("1923", "1921"), "1921, 2 years before chapter 1"),
        (("day 1", "the Year of the Fox"), "the Year of the Fox"),
        (("", ""), ""),
    ],
)  # fmt: skip
def test_the_last_chapter_is_set_beside_those_before_it(times: tuple[str, ...], told: str) -> None:
    assert told_setting(f"1.{len(times)}", book(*times), "en") == told


def test_a_part_of_a_chapter_is_set_when_its_chapter_is_and_chinese_is_told_in_chinese() -> None:
    reading = book("第1天", "十年前")

    assert told_setting("1.2.3", reading, "zh") == "十年前，第 1 章之前 10 年"


def test_a_reviewer_is_told_of_the_chapters_around_and_of_no_more_than_fit() -> None:
    lines = setting_lines("1.50", book(*[f"day {number}" for number in range(1, 101)]), "en")

    assert lines[0] == "1.50: day 50"
    assert len(lines) == 17
    assert {"chapter 49 (1.49): day 49", "chapter 51 (1.51): day 51"} < set(lines)
    assert "chapter 1 (1.1): day 1" not in lines
