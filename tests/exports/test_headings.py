"""Chapters and parts that follow an author's own are numbered and headed on, in the author's way."""

import pytest

from bookwright.exports.headings import Numbering
from bookwright.manuscripts.headings.numbers import (
    han_numeral,
    in_han,
    in_words,
    roman,
    roman_numeral,
    word_numeral,
    written_like,
)
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level

EN, ZH, JA, KO = Language.EN, Language.ZH, Language.JA, Language.KO


def headed(language: Language, own: list[str], *titles: str) -> list[str]:
    """Return the headings of chapters that follow an author's."""
    numbers = Numbering(language)
    assert [numbers.chapter(heading, is_own=True) for heading in own] == own
    return [numbers.chapter(title, is_own=False) for title in titles]


@pytest.mark.parametrize(
    ("language", "last", "follows"),
    [
        (ZH, "第三十章 风起", "第三十一章 X"),
        (ZH, "第十二回", "第十三回"),
        (ZH, "第12话 夜雨", "第13话 X"),
        (ZH, "第099章风", "第100章X"),
        (ZH, "【第十九章】 风", "【第二十章】 X"),
        (ZH, "第一〇九章　风", "第一一〇章　X"),
        (ZH, "一、风起", "二、X"),
        (ZH, "正文 第九章 风起", "正文 第十章 X"),
        (ZH, "楔子", "第1章 X"),
        (JA, "第十二話　来客", "第十三話　X"),
        (JA, "第５話　来客", "第６話　X"),
        (JA, "第九十九章", "第百章"),
        (JA, "其の十二", "其の十三"),
        (KO, "5화. 시작", "6화. X"),
        (KO, "제12장 바다", "제13장 X"),
        (KO, "제십이장", "제십삼장"),
        (KO, "에필로그", "제1장 X"),
        (EN, "Chapter Twelve: The Boat", "Chapter Thirteen: X"),
        (EN, "CHAPTER TWENTY", "CHAPTER TWENTY-ONE"),
        (EN, "Chapter the Twelfth", "Chapter the Thirteenth"),
        (EN, "CHAPTER XII. THE BOAT", "CHAPTER XIII. X"),
        (EN, "Chapter Ⅻ", "Chapter ⅩⅢ"),
        (EN, "Ch. 12 - The Boat", "Ch. 13 - X"),
        (EN, "~ Chapter 12 ~", "~ Chapter 13 ~"),
        (EN, "The Boat", "X"),
        (ZH, "第二章 云涌（二更）", "第三章 X"),
        (ZH, "【第二章 云涌（求月票）】", "【第三章 X】"),
        (EN, "Chapter 2: The Boat (again)", "Chapter 3: X"),
        (ZH, "【第二章 云（一）涌】", "【第三章 X】"),
        (EN, "[Chapter 2: The (old) Boat]", "[Chapter 3: X]"),
        (ZH, "【第二章 “云涌”】", "【第三章 X】"),
    ],
)
def test_a_chapter_behind_the_authors_last_is_worded_like_it(language: Language, last: str, follows: str) -> None:
    assert headed(language, [last], "X") == [follows]


@pytest.mark.parametrize(
    ("own", "follows"),
    [
        (["I", "II", "III"], ["IV", "V"]),
        (["1", "2", "3"], ["4", "5"]),
        (["1. The Lamp", "2. The Boat"], ["3. X", "4. Y"]),
        (["One", "Two", "Three"], ["Four", "Five"]),
        (["The Lamp", "1984", "The Boat"], ["X", "Y"]),
        (["", "", ""], ["", ""]),
        (["", "Chapter One", "Chapter Two"], ["Chapter Three", "Chapter Four"]),
        (["Chapter One: The Lamp", "Chapter Two", "Chapter Three: Tide"], ["Chapter Four: X", "Chapter Five: Y"]),
        (["Chapter One", "Epilogue"], ["Chapter Two", "Chapter Three"]),
    ],
)
def test_bare_numbers_titles_alone_and_no_headings_at_all_are_habits_too(own: list[str], follows: list[str]) -> None:
    assert headed(EN, own, "X", "Y") == follows


def test_a_number_that_a_model_puts_into_a_title_gives_way_to_the_authors() -> None:
    assert headed(EN, ["Chapter Twelve: A"], "Chapter 13: B", "Epilogue", "C") == [
        "Chapter Thirteen: B", "Epilogue", "Chapter Fourteen: C",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "own", "follows"),
    [
        (
            EN,
            ["Part One", "/Chapter 1", "/Chapter 2", "Part Two", "/Chapter 1"],
            ["/Chapter 2", "Part Three", "/Chapter 1"],
        ),
        (EN, ["BOOK I", "/I", "/II", "BOOK II", "/III"], ["/IV", "BOOK III", "/V"]),
        (
            EN,
            ["Part Two", "/Part Two, Chapter 1", "/Part Two, Chapter 2"],
            ["/Part Two, Chapter 3", "Part Three", "/Part Three, Chapter 1"],
        ),
        (EN, ["The Sea", "/One", "The Shore", "/One"], ["/Two", "X", "/One"]),
        (ZH, ["第一卷 江湖", "/第一章 风起"], ["/第二章 X", "第二卷 X", "/第三章 X"]),
        (ZH, ["卷一", "/第一卷 第九章 风"], ["/第一卷 第十章 X", "卷二", "/第二卷 第一章 X"]),
        (JA, ["第一部", "/第１話"], ["/第２話", "第二部", "/第３話"]),
        (JA, ["第一部", "/第１話", "第二部", "/プロローグ", "/第１話"], ["/第２話", "第三部", "/第１話"]),
        (KO, ["제1부", "/1화", "제2부", "/1화"], ["/2화", "제3부", "/1화"]),
    ],
)
def test_parts_go_on_and_chapters_count_in_them_as_the_author_has_it(
    language: Language, own: list[str], follows: list[str]
) -> None:
    """What begins with a slash is a chapter."""
    numbers = Numbering(language)

    def told(heading: str, *, is_own: bool) -> str:
        if heading.startswith("/"):
            return f"/{numbers.chapter(heading[1:] if is_own else 'X', is_own=is_own)}"
        return numbers.part(Level.ACT, 9, heading if is_own else "X", is_own=is_own)

    assert [told(heading, is_own=True) for heading in own] == own
    assert [told(heading, is_own=False) for heading in follows] == follows


def test_a_book_that_is_all_ours_numbers_what_brings_no_number() -> None:
    numbers = Numbering(EN)

    headings = [
        numbers.chapter(title, is_own=False)
        for title in ("Prologue", "The Lamp", "Chapter Two: The Boat", "Tide", "", "1984")
    ]

    assert headings == [
        "Prologue", "Chapter 1: The Lamp", "Chapter Two: The Boat", "Chapter 3: Tide", "Chapter 4", "Chapter 5: 1984",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("language", "titles", "expected"),
    [
        (ZH, ["清库", "没老", "第八回", "热的"], ["第1章 清库", "第2章 没老", "第3章 第八回", "第4章 热的"]),
        (ZH, ["第八回", "热的"], ["第八回", "第9章 热的"]),  # the first chapter says where a book begins
        (ZH, ["清库", "第二回", "热的"], ["第1章 清库", "第二回", "第3章 热的"]),
        (EN, ["Salt", "Chapter 9", "Tide"], ["Chapter 1: Salt", "Chapter 2: Chapter 9", "Chapter 3: Tide"]),
        (EN, ["Chapter 1", "Chapter 3", "Tide"], ["Chapter 1", "Chapter 3", "Chapter 4: Tide"]),
        (ZH, ["第一章", "第二章", "第一章"], ["第一章", "第二章", "第一章"]),  # a second part counts anew
    ],
)
def test_a_number_alone_that_is_another_chapters_is_a_name(
    language: Language, titles: list[str], expected: list[str]
) -> None:
    assert headed(language, [], *titles) == expected


def test_every_number_is_read_as_it_is_spelt() -> None:
    assert [in_han(han_numeral(number)) for number in range(1, 10_000)] == list(range(1, 10_000))
    assert [in_words(word_numeral(number)) for number in range(1, 1_000)] == list(range(1, 1_000))
    assert [roman(roman_numeral(number)) for number in range(1, 4_000)] == list(range(1, 4_000))
    assert [han_numeral(number) for number in (10, 19, 110, 1001)] == ["十", "十九", "一百一十", "一千零一"]


@pytest.mark.parametrize(
    ("own", "number", "language", "like"),
    [
        ("Twenty One", 22, EN, "Twenty Two"),
        ("Twenty-one", 22, EN, "Twenty-two"),
        ("ninety-nine", 101, EN, "one hundred and one"),
        ("One Hundred Five", 106, EN, "One Hundred Six"),
        ("Twentieth", 21, EN, "Twenty-First"),
        ("nine", 1_000, EN, "1000"),
        ("ＸＩＩ", 13, EN, "ＸＩＩＩ"),
        ("九十九", 101, ZH, "一百零一"),
        ("九十九", 111, JA, "百十一"),
        ("구십구", 101, KO, "백일"),
    ],
)
def test_a_number_is_spelt_as_another_is(own: str, number: int, language: Language, like: str) -> None:
    assert written_like(own, number, language) == like
