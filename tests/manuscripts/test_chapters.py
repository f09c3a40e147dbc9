"""Chapters are found by their wording and their numbers, in four languages; what only looks alike is none."""

import pytest

from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.cutting import MOST
from bookwright.manuscripts.headings.lines import heading_in
from bookwright.manuscripts.manuscript import Block, ManuscriptSource
from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language
from tests.manuscripts.novels import HABITS, PROSE, found_in, write_novel


@pytest.mark.parametrize("name", HABITS)
def test_every_one_of_300_chapters_is_found_with_its_title_its_part_and_all_its_words(name: str):
    habit = HABITS[name]
    novel = write_novel(habit, 300, 8)

    found = found_in(novel.text, habit.language)

    assert [chapter.heading for chapter in found.chapters] == novel.headings
    assert [chapter.title for chapter in found.chapters] == novel.titles
    assert [chapter.text for chapter in found.chapters] == novel.bodies
    assert [part.heading for part in found.parts] == novel.parts


@pytest.mark.parametrize("chapters", [3, 4, 7])
@pytest.mark.parametrize("name", ["en figures", "en words", "zh", "ja", "ko episodes"])
def test_a_book_of_few_chapters_is_found_too(name: str, chapters: int):
    novel = write_novel(HABITS[name], chapters)

    found = found_in(novel.text, HABITS[name].language)

    assert [chapter.heading for chapter in found.chapters] == novel.headings


def test_a_chapter_that_is_missing_does_not_end_the_book():
    text = "\n\n".join(f"Chapter {number}\n\n{PROSE}" for number in (1, 2, 3, 5, 6, 9))

    found = found_in(text)

    assert [chapter.heading for chapter in found.chapters] == [f"Chapter {n}" for n in (1, 2, 3, 5, 6, 9)]


def test_the_halves_of_a_chapter_are_two():
    headings = ["第一章 夜雨", "第二章 渡口（上）", "第二章 渡口（下）", "第三章 归"]

    found = found_in("\n".join(f"{heading}\n{'雨停了，街上没有人。' * 30}" for heading in headings), "zh")

    assert [chapter.heading for chapter in found.chapters] == headings


@pytest.mark.parametrize(
    ("language", "headings"),
    [
        ("zh", ["第一回 灵根育孕源流出，心性修持大道生", "第二回　悟彻菩提真妙理，断魔归本合元神", "第三回 四海千山"]),
        ("zh", ["第1章 你好，陌生人", "第2章 雨夜", "第3章 “走吧”"]),
        ("ja", ["第1話　始まり", "第2話　「さよなら」", "第3話　雨、そして夜"]),
    ],
)  # fmt: skip
def test_a_title_behind_a_space_may_be_of_two_halves_or_what_somebody_says(language: str, headings: list[str]):
    line = "雨停了，街上没有人。" if language == "zh" else "雨が止んだ。誰もいない。"

    chapters = (f"{heading}\n{line * 30}\n第二章 他写完了，她也写完了。" for heading in headings)

    found = found_in("\n".join(chapters), language)

    assert [chapter.heading for chapter in found.chapters] == headings
    assert len(found.chapters[0].paragraphs) == 2


@pytest.mark.parametrize("levels", [(1, 2), (2, 2), (2, 4)])
@pytest.mark.parametrize("numbers", [["Chapter One", "Chapter Two", "Chapter Three"], ["1", "2", "3"]])
def test_a_title_in_a_heading_of_its_own_below_the_number_is_the_chapters(levels: tuple[int, int], numbers: list[str]):
    titles = ["The Lamp", "The Quay", "Home"]
    blocks = [
        block
        for number, title in zip(numbers, titles, strict=True)
        for block in (Block(number, levels[0]), Block(title, levels[1]), Block(PROSE))
    ]

    found = recognise(ManuscriptSource((*blocks, Block("Epilogue", levels[0]), Block(PROSE)), "epub"), Language.EN)

    assert [(one.heading, one.title) for one in found.chapters[:3]] == list(zip(numbers, titles, strict=True))
    assert [one.paragraphs for one in found.chapters] == [(PROSE,)] * 4


def test_the_headings_of_a_chapters_scenes_are_none_of_its_titles():
    blocks = [
        block
        for number in (1, 2, 3)
        for block in (Block(f"Chapter {number}", 1), *(Block(f"Scene {sign}", 2) for sign in "AB"), Block(PROSE))
    ]

    found = recognise(ManuscriptSource(blocks, "docx"), Language.EN)

    assert [one.paragraphs for one in found.chapters] == [("Scene A", "Scene B", PROSE)] * 3


@pytest.mark.parametrize("level", [0, 1])
def test_a_heading_in_italics_is_a_heading_without_asterisks(level: int):
    chapters = [(f"*Chapter {number}: The* Titanic *{number}*", "*Not yet.*", PROSE) for number in (1, 2)]
    blocks = [Block(text, level * text.startswith("*Chapter"), True) for chapter in chapters for text in chapter]
    below = [Block(text, 0, True) for number in (1, 2) for text in (f"*Chapter {number}*", "*The Lamp*", PROSE)]

    found, titled = (recognise(ManuscriptSource(each, "docx"), Language.EN) for each in (blocks, below))

    assert [chapter.heading for chapter in found.chapters] == [f"Chapter {n}: The Titanic {n}" for n in (1, 2)]
    assert [chapter.paragraphs for chapter in found.chapters] == [("*Not yet.*", PROSE)] * 2
    assert [chapter.name for chapter in titled.chapters] == [f"Chapter {number}: The Lamp" for number in (1, 2)]


@pytest.mark.parametrize(
    "note",
    ["第三章 送上，求推荐票！", "第三章 晚上发，大家别等了~", "第三章 晚上发，大家别等了", "结局 谁知道，也许没有！"],
)
@pytest.mark.parametrize("between", ["", "雨停了。\n"])
def test_what_an_author_calls_to_readers_heads_no_chapter_and_stays(note: str, between: str):
    line = "雨停了，街上没有人。" * 30

    found = found_in(f"第一章 雨\n{line}\n第二章 晴天\n{line}\n{note}\n{between}第三章 归来\n{line}", "zh")

    assert [chapter.heading for chapter in found.chapters] == ["第一章 雨", "第二章 晴天", "第三章 归来"]
    assert note in found.chapters[1].paragraphs


def test_italics_amid_marked_chapters_stay():
    own = ("*I*", "*One.*", "*Introduction*", "3 *men* stood there!")
    blocks = [Block(text, text.startswith("Ch"), True) for n in (1, 2) for text in (f"Chapter {n}", *own, PROSE)]

    found = recognise(ManuscriptSource(blocks, "docx"), Language.EN)

    assert [chapter.paragraphs for chapter in found.chapters] == [(*own, PROSE)] * 2


def test_a_running_head_is_left_out_and_said():
    text = f"Chapter 1\n\n{PROSE}\n\nChapter 1\n\n{PROSE}\n\nChapter 2\n\n{PROSE}"

    found = found_in(text)

    assert [chapter.paragraphs for chapter in found.chapters] == [(PROSE.strip(),) * 2, (PROSE.strip(),)]
    assert any("repeated" in note for note in found.notes)


def test_a_list_of_numbers_in_a_chapter_begins_no_chapters():
    lines = "\n\n".join(f"{number}. Bread and oil" for number in range(1, 9))
    text = f"Chapter 1\n\n{PROSE}\n\n{lines}\n\nChapter 2\n\n{PROSE}"

    assert len(found_in(text).chapters) == 2


def test_a_text_without_headings_is_cut_at_scene_breaks_and_said_to_be():
    scene = "\n\n".join([PROSE.strip()] * 28)

    found = found_in("\n\n***\n\n".join([scene] * 3))

    assert not found.has_headings
    assert [chapter.text for chapter in found.chapters] == [scene, f"***\n\n{scene}", f"***\n\n{scene}"]
    assert {chapter.opening for chapter in found.chapters} == {PROSE.strip()}
    assert "no headings were found" in found.notes[0]


def test_a_chapter_beyond_any_measure_is_cut_and_said_to_be():
    long = "\n\n".join([PROSE.strip()] * 300)

    found = found_in(f"Chapter 1: Sea\n\n{PROSE}\n\nChapter 2: Land\n\n{long}\n\nChapter 3: Air\n\n{PROSE}")

    lengths = [Language.EN.measure(chapter.text) for chapter in found.chapters]
    assert max(lengths) < MOST["words"]
    assert found.chapters[1].title == "Land (1)"
    assert "\n\n".join(chapter.text for chapter in found.chapters[1:-1]) == long


@pytest.mark.parametrize("lines", [(PROSE, "Chapter 2", PROSE), ("“Stop!”", "Chapter 2", PROSE), (PROSE, "Chapter 2")])
def test_a_heading_alone_amid_a_text_is_a_line_of_it(lines: tuple[str, ...]):
    found = found_in("\n\n".join(lines))

    assert [chapter.paragraphs for chapter in found.chapters] == [tuple(line.strip() for line in lines)]


@pytest.mark.parametrize("part", ["Part One", "Book 2: The Sea", "Volume II", "第一部", "第二卷 海", "卷一"])
def test_the_only_part_above_several_marked_chapters_is_a_part_and_no_title(part: str):
    blocks = Block(part, 1), Block("The Boat", 2), Block(PROSE), Block("The Land", 2), Block(PROSE)

    found = recognise(ManuscriptSource(blocks, "md"), Language.EN)
    titled = recognise(ManuscriptSource((Block("Book of Hours", 1), *blocks[1:]), "md"), Language.EN)

    assert ([one.heading for one in found.parts], [one.part for one in found.chapters]) == ([part], [0, 0])
    assert (found.title, found.notes) == ("", ())
    assert (titled.title, titled.parts) == ("Book of Hours", ())


@pytest.mark.parametrize(("above", "title"), [("THE QUAY", "HOME AGAIN?"), ("Nobody heard her go.", "")])
def test_a_question_below_a_number_is_its_title_where_most_chapters_have_theirs_there(above: str, title: str):
    lines = [above, above, above, "HOME AGAIN?"]
    chapters = [f"CHAPTER {number}\n\n{line}\n\n{PROSE}" for number, line in enumerate(lines, 1)]

    found = found_in("\n\n".join(chapters))

    assert found.chapters[3].title == title
    assert ("HOME AGAIN?" in found.chapters[3].paragraphs) is not bool(title)


def test_the_only_marked_chapter_below_a_title_and_a_text_keeps_its_heading():
    text = [Block(PROSE.strip())] * 9
    blocks = Block("The Lamp", 1), *text, Block("Chapter 1: Sea", 2), *text

    found = recognise(ManuscriptSource(blocks, "md"), Language.EN)

    assert [chapter.title for chapter in found.chapters] == ["", "Sea"]
    assert [chapter.paragraphs.count(PROSE.strip()) for chapter in found.chapters] == [9, 9]
    assert found.has_headings


def test_chapters_that_are_spoken_go_before_the_only_marked_one():
    blocks = [Block("The Lamp", 1)]
    for number in range(1, 4):
        blocks += [Block(f"Chapter {number}", 2 * (number == 3)), Block(PROSE)]

    found = recognise(ManuscriptSource(tuple(blocks), "md"), Language.EN)

    assert [chapter.heading for chapter in found.chapters] == ["Chapter 1", "Chapter 2", "Chapter 3"]


def test_the_end_is_no_part_of_the_last_chapter():
    found = found_in(f"Chapter 1\n\n{PROSE}\n\nChapter 2\n\n{PROSE}\n\nTHE END")

    assert found.chapters[-1].paragraphs == (PROSE.strip(),)


@pytest.mark.parametrize("last", ["END", "(The End)", "全文完"])
def test_what_stands_below_the_last_page_of_a_text_without_headings_is_left_out(last: str):
    assert [chapter.text for chapter in found_in(f"{PROSE}\n\n{last}").chapters] == [PROSE.strip()]


def test_an_authors_own_pattern_decides():
    text = f"=== Sea ===\n\n{PROSE}\n\n=== Land ===\n\n{PROSE}"

    found = found_in(text, pattern=r"=== (?P<title>.+) ===")

    assert [chapter.title for chapter in found.chapters] == ["Sea", "Land"]


@pytest.mark.parametrize(
    ("pattern", "complaint"), [("(", "no regular expression"), ("Scroll", "no line of it matches")]
)
def test_a_pattern_that_finds_nothing_is_refused(pattern: str, complaint: str):
    with pytest.raises(InvalidInput, match=complaint):
        found_in(PROSE, pattern=pattern)


def test_marked_headings_are_believed_at_the_level_where_the_chapters_are():
    blocks = [Block("A Novel", 1), Block("by A. Hand")]
    for part in ("North", "South"):
        blocks.append(Block(part, 2))
        for chapter in ("Sea", "Land"):
            blocks += [Block(f"{part} {chapter}", 3), Block(PROSE), Block("a scene", 4), Block(PROSE)]

    found = recognise(ManuscriptSource(tuple(blocks), "docx"), Language.EN)

    assert [part.title for part in found.parts] == ["North", "South"]
    assert [(chapter.title, chapter.part) for chapter in found.chapters] == [
        ("North Sea", 0), ("North Land", 0), ("South Sea", 1), ("South Land", 1),
    ]  # fmt: skip
    assert found.chapters[0].paragraphs == (PROSE, "a scene", PROSE)


def test_a_marked_table_of_contents_and_an_epilogue_beside_the_parts_are_no_parts():
    blocks = [Block("Contents", 1), Block("Chapter 1"), Block("Chapter 2")]
    blocks += [Block("Part One", 1), Block("Chapter 1", 2), Block(PROSE), Block("Chapter 2", 2), Block(PROSE)]
    blocks += [Block("Epilogue", 1), Block(PROSE)]

    found = recognise(ManuscriptSource(tuple(blocks), "docx"), Language.EN)

    assert [(chapter.heading, chapter.part) for chapter in found.chapters] == [
        ("Chapter 1", 0), ("Chapter 2", 0), ("Epilogue", None),
    ]  # fmt: skip


def test_a_text_without_line_ends_is_cut_between_sentences():
    text = PROSE * 400

    found = found_in(text)

    assert len(found.chapters) > 5
    assert all(paragraph.endswith(".") for chapter in found.chapters for paragraph in chapter.paragraphs)
    assert " ".join(chapter.text.replace("\n\n", " ") for chapter in found.chapters) == text.strip()


def test_a_chapter_that_nobody_could_sum_up_at_one_look_is_cut_and_named_in_a_note():
    text = f"Chapter 1: The Quay\n\n{PROSE}\n\nChapter 2: The Stair\n\n" + f"{PROSE}\n\n" * 250

    found = found_in(text)

    assert [chapter.heading for chapter in found.chapters][:3] == [
        "Chapter 1: The Quay", "Chapter 2: The Stair (1)", "Chapter 2: The Stair (2)",
    ]  # fmt: skip
    assert found.notes == (
        f"'Chapter 2: The Stair' is too long for one chapter and was cut into {len(found.chapters) - 1}",
    )


@pytest.mark.parametrize(
    "line", ["chapter " + "th" * 40 + "!", "[" * 80, "1" * 85, "第" + "一" * 80, "I" * 80, ". " * 45]
)
def test_no_line_takes_long_to_be_read_as_no_heading(line: str):
    assert heading_in(line) is None or heading_in(line).is_weak
