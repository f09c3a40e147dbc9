"""Lines that were wrapped at a column are paragraphs again; lines that their author ended stay lines."""

import textwrap
from pathlib import Path

import pytest

from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.formats.plain_text import blocks_of
from bookwright.manuscripts.manuscript import FoundBook
from bookwright.manuscripts.reading import read_manuscript
from bookwright.models.text.language import Language

STORY = [
    "The lamp on the quay went out before the tide had turned, and nobody in the kitchen asked Ada where she had been. "
    "She hung her coat behind the door and waited for the kettle.",
    "By nine the rain had found the hole in the roof. Odell moved his chair. He had moved it every October for thirty "
    "years and had never once thought of moving the roof.",
    "“Come in,” he said at last, though she was in already, and pushed the other chair an inch towards her with his "
    "foot, as one might push a boat.",
]
HAN = "雨停了，街上没有人，只有一盏灯还亮着。她把信折好，放回抽屉里，什么也没有说。后来他们再也没有提起那一年的事。"
SONNET = [
    "Shall I compare thee to a summer’s day?", "Thou art more lovely and more temperate:",
    "Rough winds do shake the darling buds of May,", "And summer’s lease hath all too short a date;",
]  # fmt: skip
VERSE = ["the lamp is lit upon the quay", "and no one comes to see", "the boats that rock beside the sea", "and sleep"]
LONG_VERSE = [
    "the lamp is lit upon the quay tonight again", "and no one comes along the stones to see it",
    "the boats that rock beside the heavy water", "and sleep until the morning wakes the harbour",
]  # fmt: skip
FREE_VERSE = [
    "The lamp is lit upon the quay tonight, and", "no one comes along the stones", "to see the boats",
    "that rock all night beside the heavy water",
]  # fmt: skip
TALK = [
    "“Where have you been, Ada? We looked for you at the quay all night.”", "“At the lamp.”",
    "“The lamp was out, and you know as well as I do who put it out.”", "She sat down.",
]  # fmt: skip


def wrapped(paragraphs: list[str], width: int = 70, indent: str = "", gap: str = "\n\n") -> str:
    return gap.join(textwrap.fill(one, width, initial_indent=indent) for one in paragraphs)


def texts_of(text: str) -> list[str]:
    return [block.text for block in blocks_of(text)]


def found_in(text: str, folder: Path) -> tuple[FoundBook, tuple[str, str]]:
    (folder / "a.txt").write_text(text, encoding="utf-8")
    source = read_manuscript(folder / "a.txt")
    return recognise(source, Language.EN), (source.title, source.author)


@pytest.mark.parametrize("width", [58, 70, 79])
@pytest.mark.parametrize(("indent", "gap"), [("", "\n\n"), ("  ", "\n"), ("     ", "\n")])
def test_the_paragraphs_of_a_few_wrapped_lines_are_whole_again(width: int, indent: str, gap: str) -> None:
    assert texts_of(wrapped(STORY, width, indent, gap)) == STORY


def test_lines_that_are_wrapped_by_hand_are_a_paragraph_too() -> None:
    lines = ["\n".join(textwrap.wrap(paragraph, 62 + 5 * place)) for place, paragraph in enumerate(STORY)]

    assert texts_of("\n\n".join(lines)) == STORY


@pytest.mark.parametrize("width", [44, 58, 70])
def test_lines_without_capitals_are_a_paragraph_where_they_are_prose(width: int) -> None:
    rest_of_a_page = (
        "and nobody in the kitchen asked where she had been, or why her coat was wet, or whose lamp she had"
    )

    assert texts_of(wrapped([STORY[0].lower()], width)) == [STORY[0].lower()]
    assert texts_of(wrapped([STORY[0], rest_of_a_page])) == [STORY[0], rest_of_a_page]


def test_prose_that_was_set_in_letters_of_several_widths_is_a_paragraph_after_a_page_break_too() -> None:
    rest = (
        "and nobody in that old hall would tell them, still less till all had left, who it was that had lit it at all"
    )
    lines, room = [""], 0.0
    for word in f"{rest}, {rest}, {rest}.".split():  # narrow letters take half a column
        room -= sum(0.5 if letter in "ijltf" else 1 for letter in word) + 1
        lines, room = ([*lines, word], 58.0) if room < 0 else ([*lines[:-1], f"{lines[-1]} {word}".strip()], room)
    ragged = "\n".join(line for line in lines if line)

    assert texts_of(f"{wrapped(STORY * 2)}\f{ragged}") == [*STORY * 2, f"{rest}, {rest}, {rest}."]


def test_east_asian_lines_of_one_width_are_a_paragraph_and_paragraphs_of_one_line_stay_as_they_are() -> None:
    lines = [HAN[start : start + 24] for start in range(0, len(HAN), 24)]
    paragraphs = ["　　雨停了，街上没有人。", "　　“你看过了吗？”他问，可是她已经走远了。", f"　　{HAN}"] * 4

    assert texts_of("\n\n".join(["\n".join(lines)] * 2)) == [HAN] * 2
    assert texts_of("\n".join(paragraphs)) == [one.strip() for one in paragraphs]


@pytest.mark.parametrize("lines", [SONNET, VERSE, LONG_VERSE, FREE_VERSE, TALK])
@pytest.mark.parametrize("around", [[], STORY, STORY * 4, STORY[:1] * 3])
def test_verses_and_answers_stay_lines_alone_and_among_wrapped_paragraphs(lines: list[str], around: list[str]) -> None:
    text = "\n\n".join(part for part in (wrapped(around), "\n".join(lines), wrapped(around)) if part)

    assert texts_of(text) == [*around, *lines, *around]


def test_a_break_between_scenes_stays_where_it_is() -> None:
    assert texts_of(wrapped([*STORY[:2], "* * *", STORY[2]], gap="\n")) == [*STORY[:2], "* * *", STORY[2]]


@pytest.mark.parametrize("count", [1, 6])
@pytest.mark.parametrize(
    "head",
    [
        "The Lamp\nby Jane Doe",
        "The Lamp\n\nby Jane Doe",
        f"{'The Lamp':^70}\n{'By':^70}\n{'Jane Doe':^70}",
        f"{'The Lamp':^70}\n\n\n{'by':^70}\n\n{'Jane Doe':^70}",
    ],
)
def test_the_title_and_the_author_above_a_wrapped_text_are_told_apart(tmp_path: Path, head: str, count: int) -> None:
    chapters = "\n\n\n".join(f"Chapter {number}\n\n{wrapped(STORY)}" for number in range(1, count + 1))

    found, _ = found_in(f"{head}\n\n\n{chapters if count > 1 else wrapped(STORY)}", tmp_path)

    assert (found.title, found.author) == ("The Lamp", "Jane Doe")
    assert [chapter.paragraphs for chapter in found.chapters] == [tuple(STORY)] * count
    assert [note.partition(" (")[0] for note in found.notes] == [
        "left out: what stands before the first heading" if count > 1 else "left out: what stands above the text"
    ]


@pytest.mark.parametrize(
    "second",
    ["By nine the rain had come.", "by the river that nobody crosses", "by now", "By Tuesday", "By Ada it was told"],
)
@pytest.mark.parametrize("first", ["“Stop!”", "It rained"])
def test_a_first_line_of_a_story_is_no_title_page(tmp_path: Path, first: str, second: str) -> None:
    found, _ = found_in(f"{first}\n\n{second}\n\n{wrapped(STORY)}", tmp_path)

    assert (found.title, found.author) == ("", "")
    assert found.chapters[0].paragraphs == (first, second, *STORY)


def test_what_a_library_of_free_books_says_above_a_text_is_its_title_and_author(tmp_path: Path) -> None:
    head = "The Project Gutenberg eBook of The Lamp\n\nTitle: The Lamp\n\nAuthor: Jane Doe\n\nLanguage: English"
    start, end = (f"*** {word} OF THE PROJECT GUTENBERG EBOOK THE LAMP ***" for word in ("START", "END"))

    found, told = found_in(f"{head}\n\n{start}\n\nTHE\nLAMP\n\n{wrapped(STORY)}\n\n{end}\n\nTitle: No", tmp_path)

    assert told == ("The Lamp", "Jane Doe")
    assert found.chapters[0].paragraphs == ("THE", "LAMP", *STORY)
