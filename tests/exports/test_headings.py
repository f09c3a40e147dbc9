"""Chapters that follow an author's own are numbered on, in the author's way."""

import pytest

from bookwright.exports.headings import ChapterNumbers
from bookwright.manuscripts.numbers import han_numeral, in_han
from bookwright.models.language import Language


@pytest.mark.parametrize(
    ("language", "last", "follows"),
    [
        (Language.ZH, "第三十章 风起", "第三十一章 X"),
        (Language.ZH, "第十九回 灯市", "第二十回 X"),
        (Language.ZH, "第099章 风", "第100章 X"),
        (Language.ZH, "楔子", "第1章 X"),
        (Language.JA, "第5話　来客", "第6話 X"),
        (Language.JA, "第５話　来客", "第６話 X"),
        (Language.KO, "5화. 시작", "6화 X"),
        (Language.KO, "제5장 바다", "제6장 X"),
        (Language.EN, "Chapter Five: The Boat", "Chapter 6: X"),
    ],
)
def test_a_chapter_behind_the_authors_last_is_worded_like_it(language: Language, last: str, follows: str) -> None:
    numbers = ChapterNumbers(language)
    own = numbers.heading(last, is_own=True)

    heading = numbers.heading("X", is_own=False)

    assert (own, heading) == (last, follows)


def test_every_number_is_read_as_it_is_spelt() -> None:
    assert [in_han(han_numeral(number)) for number in range(1, 10_000)] == list(range(1, 10_000))
    assert [han_numeral(number) for number in (10, 19, 110, 1001)] == ["十", "十九", "一百一十", "一千零一"]
