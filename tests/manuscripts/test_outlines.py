"""An author's outline in its many forms, and what is none."""

import pytest

from bookwright.manuscripts.outlines import read_outline
from bookwright.models.errors import InvalidInput
from bookwright.models.tree.outline import OutlineUnit, length_of

NOTES = """\
# The Lamp

A keeper finds a log in her own hand.

## Characters

- Ada wants to leave.

## Chapters

### Chapter 1: The Log (3,000 words)

Ada finds the log.

The lamp fails at nine.

- The bell rings twice.

#### The room

Cold.

### Chapter 2: The Boat

Goal: The wrong man comes.

### Chapter 3: Tide
"""


def test_headings_that_say_chapter_are_units_and_others_notes_on_the_book():
    outline = read_outline(NOTES)

    assert outline.title == "The Lamp"
    assert outline.design == "A keeper finds a log in her own hand.\n\n\n## Characters\n\n- Ada wants to leave."
    first, second, third = outline.units
    assert (first.title, first.length, first.goal) == ("Chapter 1: The Log", 3_000, "Ada finds the log.")
    assert first.design == "The lamp fails at nine.\n\n- The bell rings twice.\n\n\n#### The room\n\nCold."
    assert second == OutlineUnit(title="Chapter 2: The Boat", goal="The wrong man comes.")
    assert third == OutlineUnit(title="Chapter 3: Tide")


def test_a_line_says_when_a_chapter_is_set_and_is_no_part_of_its_goal():
    first, second = read_outline(
        "# T\n\n## A\nWhen: day 3, evening\n\nShe waits.\n\n## 乙\n\n时间：十年前\n她等着。"
    ).units

    assert (first.story_time, first.goal) == ("day 3, evening", "She waits.")
    assert (second.story_time, second.goal) == ("十年前", "她等着。")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("# T\n\n## A\nx\n\n## B\n\n## C", [("A", 0), ("B", 0), ("C", 0)]),
        ("# A\n\n# B", [("A", 0), ("B", 0)]),
        ("# 灯\n## 第一卷 雾\n### 第一章 日志\n### 第二章 船\n## 第二卷\n### 第三章 潮", [
            ("第一卷 雾", 2), ("第二卷", 1),
        ]),
        ("## Part 1\n## Chapter 1\n## Chapter 2\n## Part 2\n## Chapter 3", [("Part 1", 2), ("Part 2", 1)]),
        ("# T\n## Part One\n### A\n#### n\nd\n### B\n## Part Two\n### C\n## Epilogue", [
            ("Part One", 2), ("Part Two", 1), ("Epilogue", 0),
        ]),
        ("A log.\n\n1. **The Log**: found\n   - a bell\n2. The Boat — comes\n3. Tide", [
            ("The Log", 0), ("The Boat", 0), ("Tide", 0),
        ]),
        ("# T\n\n## 章節\n\n- 日誌：発見する\n- 船", [("日誌", 0), ("船", 0)]),
        ("T\n===\n\nOne\n---\n\nTwo\n---\n", [("One", 0), ("Two", 0)]),
    ],
)  # fmt: skip
def test_parts_and_chapters_are_told_apart(text: str, shape: list[tuple[str, int]]):
    outline = read_outline(text)

    assert [(unit.title, len(unit.units)) for unit in outline.units] == shape


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("## Volume 1\n### Part 1\n#### Chapter 1\n#### Chapter 2\n### Part 2\n#### Chapter 3\n## Volume 2", [2, 1]),
        ("## 第一卷\n## 第一部\n## 第一章\n## 第二部\n## 第二章\n## 第三章", [1, 2]),
    ],
)
def test_volumes_hold_parts_by_their_headings_levels_and_by_their_words(text: str, shape: list[int]):
    outline = read_outline(text)

    assert outline.has_volumes
    assert [len(part.units) for part in outline.units[0].units] == shape
    assert outline.units[0].weight == 3


def test_items_in_a_part_are_its_chapters_and_those_in_a_chapter_notes_on_it():
    outline = read_outline(
        "1. Part One\n   1. Chapter 1: A: comes\n      - a bell\n   2. Chapter 2: B\n2. Part Two\n   - C\n"
    )

    first, second = outline.units
    assert [(unit.title, unit.goal) for unit in first.units] == [("Chapter 1: A", "comes"), ("Chapter 2: B", "")]
    assert first.units[0].design == "- a bell"
    assert [unit.title for unit in second.units] == ["C"]


def test_lines_that_say_chapter_will_do_where_there_is_neither_heading_nor_list():
    outline = read_outline("A log.\n\n**Chapter 1: The Log**\n\nFound.\n\n第二章 船（2000字）\n来る\n")

    assert outline.design == "A log."
    assert [(unit.title, unit.goal, unit.length) for unit in outline.units] == [
        ("Chapter 1: The Log", "Found.", None), ("第二章 船", "来る", 2_000),
    ]  # fmt: skip


def test_what_is_commented_out_or_fenced_is_no_chapter():
    outline = read_outline("# T\n\n<!-- ## Chapter 8 -->\n\n```\n## Chapter 9\n```\n\n## Chapter 1\n\n## Chapter 2\n")

    assert [unit.title for unit in outline.units] == ["Chapter 1", "Chapter 2"]


def test_a_list_in_japanese_keeps_titles_behind_a_wide_space():
    outline = read_outline("- 第一章　日誌（約3000字）：見つける\n- 第二章　船\n")

    assert [(unit.title, unit.goal, unit.length) for unit in outline.units] == [
        ("第一章　日誌", "見つける", 3_000), ("第二章　船", "", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "line", ["Length: 2,500 words", "- **Length**: 2500", "字数：2500", "長さ：2500文字", "분량: 2500자", "Words: 2.5k"]
)
def test_a_chapters_length_is_read_in_four_languages(line: str):
    outline = read_outline(f"# A\n\n{line}\n\n# B")

    assert outline.units[0].length == 2_500
    assert length_of(outline.units) is None


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("## Volume 1\n### Part 1\n#### Chapter 1\n##### Chapter 2\n## Volume 2\n", "nests deeper"),
        ("", "names no chapters"), ("A story about a lamp.", "names no chapters"),
        ("# Only a title\n\ntext", "names no chapters"),
        ("# Book\n# Other\n## Chapter 1\nx", "two titles"), ("# A\n# B\n# A", "twice"),
        ("## Low\n# High\n## Chapter 1", "comes first"),
    ],
)  # fmt: skip
def test_what_is_no_outline_is_refused(text: str, complaint: str):
    with pytest.raises(InvalidInput, match=complaint):
        read_outline(text)
