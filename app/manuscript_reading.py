"""What was found in a manuscript, and the book that it would become; nothing is written yet."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.manuscript import FoundBook, FoundChapter, ManuscriptSource
from bookwright.manuscripts.reading import read_manuscript
from bookwright.models.brief import MAX_LENGTH, MIN_LENGTH, Brief, make_brief
from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language, script_shares
from bookwright.storage.engine.database import Database

_FIRST_WORDS = 40
_SAMPLE = 20_000
"""Characters that tell a text's language."""
_MAINLY, _HARDLY = 0.5, 0.1
"""Of a text's letters, in the script of a language."""
_OPENING = 300
_BEGINS = {
    Language.EN: "A story that is written already and gone on with. It begins: {}",
    Language.ZH: "一部已经写成、还要接着写的作品。开头是：{}",
    Language.JA: "すでに書かれ、これから続きを書く作品。書き出し：{}",
    Language.KO: "이미 쓰였고 이어서 쓸 작품. 첫머리: {}",
}


@dataclass(frozen=True)
class ManuscriptReading:
    """A manuscript that was read and understood; nothing is written yet."""

    file: Path
    source: ManuscriptSource
    found: FoundBook
    brief: Brief


def read_for_import(
    file: Path, given: Mapping[str, Any], encoding: str = "", pattern: str = "", more: int | None = None
) -> ManuscriptReading:
    """Read a manuscript and say what book it would become; `given` are values of its brief that were named.

    Raises:
        InvalidInput: It cannot be read, or makes no book.
    """
    source = read_manuscript(file, encoding)
    language = _language(source, given.get("language"))
    found = recognise(source, language, pattern)
    length = sum(language.measure(paragraph) for chapter in found.chapters for paragraph in chapter.paragraphs)
    if more is not None and not 1 <= more <= MAX_LENGTH - length:
        raise InvalidInput(f"--words is {more:,}; a book has at most {MAX_LENGTH:,}, and {length:,} are there")
    if length < MIN_LENGTH:
        raise InvalidInput(f"{str(file)!r} holds {length:,} {language.length_unit}; a book has at least {MIN_LENGTH}")
    told = {
        "title": source.title[:200] or found.title or file.stem[:200],
        "pen_name": source.author[:120] or found.author,
        "premise": _premise(found, language),
    }
    brief = make_brief({**told, **given, "language": language.value, "length": length})
    return ManuscriptReading(file, source, found, brief)


def _language(source: ManuscriptSource, told: str | None) -> Language:
    """Return the language that was told, as far as the text is in it; else the one that the text is in."""
    shares = script_shares(_sample(source))
    best = max(shares, key=lambda language: shares[language])
    if not told:
        if shares[best] < _MAINLY:
            raise InvalidInput(f"its language cannot be told; name it with --language ({', '.join(Language)})")
        return best
    try:
        language = Language(told)
    except ValueError:
        raise InvalidInput(f"--language is {told!r}; it can be {', '.join(Language)}") from None
    if shares[language] < _HARDLY and shares[best] >= _MAINLY:
        raise InvalidInput(
            f"--language is {told!r}, and the text is {best.english_name}; leave the option out, or see --encoding"
        )
    return language


def _sample(source: ManuscriptSource) -> str:
    """Return enough of a text to tell its language, not from its beginning, where licences stand."""
    pieces, size = [], 0
    for block in source.blocks[len(source.blocks) // 3 :]:
        pieces.append(block.text)
        size += len(block.text)
        if size >= _SAMPLE:
            break
    return "\n".join(pieces)


def _premise(found: FoundBook, language: Language) -> str:
    text = " ".join(islice(found.chapters[0].paragraphs, 6))
    head = text if len(text) <= _OPENING else text[:_OPENING].rpartition(" " if language is Language.EN else "。")[0]
    return _BEGINS[language].format(head or text[:_OPENING])


def check_new(file: Path, digest: str, database: Database) -> None:
    """Make sure that no book was made of a file yet.

    Raises:
        InvalidInput: One was; the message names it.
    """
    from bookwright.flows.intake.manuscript_import import find_imports

    known = find_imports(database, digest)
    if known:
        raise InvalidInput(
            f"{str(file)!r} was imported already, as {known[0].id}; `bookwright resume {known[0].id}` goes on with it, "
            "--again makes another book of it"
        )


def chapter_row(number: int, chapter: FoundChapter, found: FoundBook, brief: Brief) -> dict[str, Any]:
    """Return what is told of a chapter that was found, by the names that it and its part have in the book."""
    return {
        "number": number, "part": found.parts[chapter.part].name if chapter.part is not None else "",
        "heading": chapter.name,
        "length": sum(map(brief.language.measure, chapter.paragraphs)),
        "begins": chapter.opening[:_FIRST_WORDS],
    }  # fmt: skip
