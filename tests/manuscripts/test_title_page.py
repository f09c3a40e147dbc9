"""What is taken for a title page, and what is not."""

import pytest

from bookwright.manuscripts.title_page import title_and_author


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["《潮声》", "作者：佚名"], ("潮声", "佚名")),
        (["潮騒の灯", "美咲 著"], ("潮騒の灯", "")),
        (["등대의 밤", "지은이: 김수진"], ("등대의 밤", "김수진")),
        (["The Lamp", "by Ada Finch"], ("The Lamp", "Ada Finch")),
        (["# The Lamp", "A keeper finds a log in her own hand."], ("The Lamp", "")),
        (["by Ada Finch"], ("", "Ada Finch")),
        (["Copyright 2020 by somebody", "The Lamp"], ("", "")),
        (["Downloaded from www.free.example"], ("", "")),
        (["It was late when she came."], ("", "")),
        (["about 6,000 words"], ("", "")),
        (["A novel", "2020"], ("", "")),
        (["长篇小说"], ("", "")),
        (["a line"] * 13, ("", "")),
        ([], ("", "")),
    ],
)
def test_the_first_short_line_is_the_title_and_an_author_is_named_by_a_word_for_it(
    lines: list[str], told: tuple[str, str]
) -> None:
    found = title_and_author(lines)

    assert found == told
