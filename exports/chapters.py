"""The texts of a book's chapters, one in memory at a time, and those of its beginning that tell its style."""

from collections.abc import Iterator
from itertools import islice, takewhile

from bookwright.agents.relay.style_guide import ENOUGH
from bookwright.exports.manuscript import Chapter, Manuscript
from bookwright.models.tree.task import NodeStatus
from bookwright.storage.stores import BookStorage


def chapter_texts(storage: BookStorage) -> Iterator[tuple[Chapter, str]]:
    """Yield the written chapters in reading order, each with its text."""
    manuscript = Manuscript(storage)
    for chapter in manuscript.chapters():
        paragraphs = [paragraph for scene in manuscript.scenes(chapter) for paragraph in scene]
        if paragraphs:
            yield chapter, "\n\n".join(paragraphs)


def first_chapters(storage: BookStorage, count: int | None = None) -> list[str]:
    """Return the texts of the first chapters: so many, or as many as are enough to tell a style."""
    texts = (text for _, text in chapter_texts(storage))
    return list(islice(texts, count)) if count else _enough(texts, storage)


def accepted_beginning(storage: BookStorage) -> list[str]:
    """Return the closed chapters that the book begins with, if they are enough to tell its style; else none."""
    closed = takewhile(lambda pair: pair[0].unit.status is NodeStatus.DONE, chapter_texts(storage))
    texts = _enough((text for _, text in closed), storage)
    return texts if _length(texts, storage) >= ENOUGH[storage.language.length_unit] else []


def _enough(texts: Iterator[str], storage: BookStorage) -> list[str]:
    found: list[str] = []
    for text in texts:
        found.append(text)
        if _length(found, storage) >= ENOUGH[storage.language.length_unit]:
            break
    return found


def _length(texts: list[str], storage: BookStorage) -> int:
    return sum(map(storage.language.measure, texts))
