"""What stands above a manuscript's first chapter: its title and author, a title page, or a text that is kept."""

import pytest

from bookwright.manuscripts.chapters import recognise, title_and_author
from bookwright.manuscripts.manuscript import Block, ManuscriptSource
from bookwright.models.text.language import Language
from tests.manuscripts.novels import PROSE, found_in


def test_what_stands_before_the_first_heading_is_kept_if_it_is_as_long_as_a_chapter():
    opening = "\n\n".join([PROSE.strip()] * 3)

    found = found_in(f"{opening}\n\nChapter 1\n\n{PROSE}\n\nChapter 2\n\n{PROSE}")

    assert found.chapters[0].text == opening
    assert found.chapters[0].heading == ""


def test_a_title_page_is_left_out_and_said():
    found = found_in(f"THE LAMP\n\nby A. Hand\n\nChapter 1\n\n{PROSE}\n\nChapter 2\n\n{PROSE}")

    assert len(found.chapters) == 2
    assert "THE LAMP" in found.notes[0]


@pytest.mark.parametrize(
    ("above", "heading", "title"),
    [
        ("", "Chapter 1", ""),
        ("The Lamp\n\nby A. Hand\n\n", "CHAPTER SEVEN: The Sea", "The Sea"),
        ("The Lamp\nPart One\n", "Chapter 1", ""),
        ("Contents\n\nChapter 1\n\n", "Chapter 1", ""),
        ("《潮声》\n\n", "第一章 风起", "风起"),
    ],
)
def test_the_only_heading_of_a_text_is_one_where_a_title_page_at_most_stands_above_it(
    above: str, heading: str, title: str
):
    found = found_in(f"{above}{heading}\n\n{PROSE}\n\nCover\n\n{PROSE}")

    assert [(one.heading, one.title, one.paragraphs) for one in found.chapters] == [
        (heading, title, (PROSE.strip(), "Cover", PROSE.strip()))
    ]
    assert found.has_headings
    assert len(found.parts) == ("Part One" in above)


def test_a_title_above_the_only_marked_chapter_is_no_part():
    unnumbered = Block("The Lamp", 1), Block("Prologue", 2), Block(PROSE)
    blocks = Block("The Lamp", 1), Block("Chapter 1: Sea", 2), Block(PROSE)

    found = recognise(ManuscriptSource(blocks, "md"), Language.EN)

    assert (found.title, [chapter.title for chapter in found.chapters], found.parts) == ("The Lamp", ["Sea"], ())
    assert [one.title for one in recognise(ManuscriptSource(unnumbered, "md"), Language.EN).chapters] == ["Prologue"]


@pytest.mark.parametrize("front", [("By nine the rain came.",), ("It was late.", "By Tuesday…", "Nobody spoke")])
def test_a_sentence_above_the_first_heading_is_no_author_and_is_kept(front: tuple[str, ...]):
    found = found_in("\n\n".join([*front, "Chapter 1", PROSE, "Chapter 2", PROSE]))

    assert (found.title, found.author) == ("", "")
    assert [one.paragraphs for one in found.chapters] == [(*front, PROSE.strip()), (PROSE.strip(),)]
    assert found.notes == ("what stands before the first heading became the beginning of the first chapter",)


@pytest.mark.parametrize("line", ["Produced by Judith Boss.", "For my mother.", "A novel.", "Third edition, revised."])
def test_what_stands_on_a_title_page_is_no_beginning_of_the_first_chapter(line: str):
    found = found_in("\n\n".join([line, "Chapter 1", PROSE, "Chapter 2", PROSE]))

    assert [one.paragraphs for one in found.chapters] == [(PROSE.strip(),)] * 2


@pytest.mark.parametrize("line", ["Author: I never meant to write this.", "作者：我没有说过。"])
def test_a_sentence_behind_a_word_for_an_author_leaves_no_line_out(line: str):
    assert found_in("\n\n".join(["The rain", line, PROSE])).chapters[0].paragraphs[:2] == ("The rain", line)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["《潮声》", "作者：佚名"], ("潮声", "佚名")),
        (["潮騒の灯", "美咲 著"], ("潮騒の灯", "")),
        (["등대의 밤", "지은이: 김수진"], ("등대의 밤", "김수진")),
        (["The Lamp", "by Ada Finch"], ("The Lamp", "Ada Finch")),
        (["# The Lamp", "A keeper finds a log in her own hand."], ("The Lamp", "")),
        (["by Ada Finch"], ("", "Ada Finch")),
        (["The Lamp", "By Ludwig van Hand, Jr."], ("The Lamp", "Ludwig van Hand, Jr.")),
        (["The Lamp", "by “Boz” and J. R. R. Hand"], ("The Lamp", "“Boz” and J. R. R. Hand")),
        (["The Lamp", "BY SAKI"], ("The Lamp", "SAKI")),
        (["The Lamp", "By nine the rain came.", "by 鲁迅"], ("The Lamp", "鲁迅")),
        (["By the River", "by Dawn Finch"], ("By the River", "Dawn Finch")),
        (["By God!"], ("By God!", "")),
        (["It rained", "By Tuesday Morning"], ("It rained", "")),
        (["It rained", "By Odell and"], ("It rained", "")),
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
