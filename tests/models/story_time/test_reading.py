"""Times in words are read in four languages, and what nobody can read says nothing."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookwright.models.story_time.reading import read_time
from bookwright.models.story_time.times import StoryTime, TimeReading, day_number, stated_time, story_time

EVENING, NIGHT, DAWN = (0.7, 0.85), (0.85, 1.17), (0.17, 0.27)


@pytest.mark.parametrize(
    ("words", "number", "part"),
    [
        ("the evening of day 3", 3, EVENING), ("On the third day, at dusk", 3, EVENING), ("第三天晚上", 3, EVENING),
        ("第 12 天", 12, None), ("三日目の夜", 3, NIGHT), ("셋째 날 저녁", 3, EVENING), ("3일째 새벽", 3, DAWN),
        ("day twenty-one", 21, None),
    ],
)  # fmt: skip
def test_a_day_that_the_story_counts_is_read_with_its_part(
    words: str, number: int, part: tuple[float, float] | None
) -> None:
    assert read_time(words) == TimeReading(number=number, part=part)


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("12 March 1923", (1923, 3, 12)), ("March 12th, 1923", (1923, 3, 12)), ("1923-03-12", (1923, 3, 12)),
        ("March 1923", (1923, 3, None)), ("1923", (1923, None, None)), ("the year 312", (312, None, None)),
        ("44 BC", (-43, None, None)), ("12 March", (None, 3, 12)), ("1923年3月12日", (1923, 3, 12)),
        ("一九二三年三月", (1923, 3, None)), ("民国十二年", (1923, None, None)), ("昭和20年8月15日", (1945, 8, 15)),
        ("1923년 3월 12일", (1923, 3, 12)), ("31 February 1923", (1923, None, None)),
    ],
)  # fmt: skip
def test_a_date_is_read_as_far_as_it_goes(words: str, wanted: tuple[int | None, ...]) -> None:
    found = read_time(words)

    assert (found.year, found.month, found.day) == wanted


@pytest.mark.parametrize(
    ("words", "anchor", "days"),
    [
        ("two days before 1.4", "1.4", -2), ("the day after chapter 3", "#3", 1), ("the next morning", "", 1),
        ("the same evening as 1.2", "1.2", 0), ("chapter 4", "#4", 0), ("次日", "", 1), ("第二章之后两天", "#2", 2),
        ("两天后的清晨", "", 2), ("翌朝", "", 1), ("第3章の二日前", "#3", -2), ("사흘 뒤", "", 3),
        ("2장보다 이틀 전", "#2", -2),
        ("3 weeks later", "", 21), ("ten years before chapter 2", "#2", -3652), ("十年前", "", -3652),
        ("第二章十年前", "#2", -3652), ("10년 전", "", -3652), ("ten years before the story begins", "^", -3652),
    ],
)  # fmt: skip
def test_a_distance_is_read_with_what_it_is_counted_from(words: str, anchor: str, days: int) -> None:
    offset = read_time(words).offset

    assert offset is not None
    assert (offset.anchor, round((offset.low + offset.high) / 2)) == (anchor, days)


@pytest.mark.parametrize(
    "words",
    ["the Year of the Fox", "ten years before the war", "the day after the wedding", "战争爆发十年后", "康熙三年",
     "the 1920s", "one day", "三年目の春", "long ago", "1920年代"],
)  # fmt: skip
def test_what_is_counted_from_something_that_nobody_knows_is_not_compared(words: str) -> None:
    assert not read_time(words).is_comparable


@given(st.dates())
def test_days_are_numbered_as_the_calendar_does(day: date) -> None:
    assert day_number(day.year, day.month, day.day) == day.toordinal()


@given(st.text(max_size=60))
def test_reading_ends_whatever_it_is_given(words: str) -> None:
    assert isinstance(read_time(words), TimeReading)


def test_a_line_of_a_design_says_when_its_unit_is_set() -> None:
    assert stated_time("She waits.\n- **When:** the evening of day 3\n") == "the evening of day 3"
    assert stated_time("时间：第三天晚上") == "第三天晚上"
    assert stated_time("She asks when: nobody answers") == ""
    assert story_time("  ") is None
    assert story_time(" day\n3 ") == StoryTime(when="day 3")


@pytest.mark.parametrize(
    ("words", "day", "weekday"),
    [
        ("Monday 20 to Wednesday 22 October 1913", 22, 2),
        ("Tuesday 28 October to Friday 31 October 1913", 28, 1),
        ("20 October 1913, a Monday", 20, 0),
        ("1913年10月20日（月曜日）から水曜日まで", 20, 0),
    ],
)
def test_the_day_of_the_week_is_that_of_the_day_that_is_read(words: str, day: int, weekday: int) -> None:
    found = read_time(words)

    assert (found.day, found.weekday) == (day, weekday)
