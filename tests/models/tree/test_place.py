"""Places in the tree in words of a book's language."""

import pytest

from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ReadingOrder, hierarchical_position
from bookwright.models.tree.plan import TaskType
from bookwright.models.tree.task import TaskNode

READING = ReadingOrder(chapters=("1.2.1.1", "1.2.1.2", "1.3.1.1"))


def unit(label: str, level: Level, index: int) -> TaskNode:
    """A unit with its place among its siblings."""
    return TaskNode(
        key=len(label), book="b", label=label, level=level, task_type=TaskType.WRITE, goal="g", unit_index=index
    )


BOOK = unit("1", Level.BOOK, 1)
VOLUME, ACT = unit("1.3", Level.VOLUME, 2), unit("1.3.1", Level.ACT, 1)
CHAPTER, SCENE = unit("1.3.1.1", Level.CHAPTER, 1), unit("1.3.1.1.4", Level.SCENE, 3)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        (Language.ZH, "第2卷第1幕"),
        (Language.JA, "第2巻第1幕"),
        (Language.KO, "제2권 제1막"),
        (Language.EN, "Volume 2, Act 1"),
    ],
)
def test_an_act_is_placed_in_its_volume(language: Language, told: str) -> None:
    assert hierarchical_position(ACT, (VOLUME, BOOK), READING, language) == told


def test_chapters_are_counted_through_the_book_and_scenes_in_their_chapter() -> None:
    place = hierarchical_position(SCENE, (CHAPTER, ACT, VOLUME, BOOK), READING, Language.ZH)

    assert place == "第2卷第1幕第3章第3场"


def test_the_book_itself_has_no_place() -> None:
    assert hierarchical_position(BOOK, (), READING, Language.EN) == ""
