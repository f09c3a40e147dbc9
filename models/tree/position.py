"""A unit's place in the tree in words of its book's language, such as `第1卷第2幕`. Source: S3-085."""

from collections.abc import Sequence

from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.place import ReadingOrder
from bookwright.models.tree.task import TaskNode

_WORDS = {
    Language.EN: ("Volume {}", "Act {}", "Chapter {}", "Scene {}", "Beat {}", "Paragraph {}"),
    Language.ZH: ("第{}卷", "第{}幕", "第{}章", "第{}场", "第{}拍", "第{}段"),
    Language.JA: ("第{}巻", "第{}幕", "第{}章", "第{}場", "第{}拍", "第{}段落"),
    Language.KO: ("제{}권", "제{}막", "제{}장", "제{}장면", "제{}비트", "제{}문단"),
}
"""By level, the book's own aside."""
_BETWEEN = {Language.EN: ", ", Language.KO: " "}


def hierarchical_position(unit: TaskNode, above: Sequence[TaskNode], reading: ReadingOrder, language: Language) -> str:
    """Return where a unit stands, from the coarsest level down; empty for the book itself.

    `above` has the nearest first. Chapters are counted through the whole book, as readers count them; all other units
    among those of the unit above. Nothing of it is stored: it follows from the tree, which an author may change.
    """
    path = [own for own in (*reversed(above), unit) if own.level is not Level.BOOK]
    numbers = (reading.chapter_of(own.label) if own.level is Level.CHAPTER else own.unit_index for own in path)
    words = (_WORDS[language][own.level.depth - 1] for own in path)
    return _BETWEEN.get(language, "").join(word.format(number) for word, number in zip(words, numbers, strict=True))
