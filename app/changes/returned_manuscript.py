"""A manuscript that was exported, edited elsewhere (in Word, say) and comes back: its changed texts as edits."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory

from bookwright.app.access import OpenBook
from bookwright.exports.files import FORMATS, export
from bookwright.exports.manuscript import Manuscript
from bookwright.flows.revision.revise import chosen, with_prose
from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.manuscript import FoundChapter, ManuscriptSource
from bookwright.manuscripts.reading import read_manuscript
from bookwright.models.document import DocumentKind
from bookwright.models.edit import TextEdit
from bookwright.models.errors import InvalidInput
from bookwright.models.text.prose import is_scene_break, paragraphs
from bookwright.storage.stores import Stores

Measure = Callable[[str], int]
Found = tuple[FoundChapter, ...]

_BREAK = "* * *"


@dataclass(frozen=True)
class ChangedText:
    """One text of the book that reads otherwise in the file."""

    place: str
    """As every verb takes it."""
    edit: TextEdit
    before: int
    """Its length so far, in the book's unit."""
    after: int


@dataclass(frozen=True)
class ReturnedManuscript:
    """What an edited file holds beside the book as it stands."""

    changed: tuple[ChangedText, ...]
    unchanged: int
    """Chapters that read as they stand."""
    unclear: tuple[str, ...]
    """Chapters that changed in a way that cannot be laid over their parts; nothing is done to them."""


def read_back(opened: OpenBook, file: Path, encoding: str = "") -> ReturnedManuscript:
    """Compare an edited file, chapter by chapter, with what the same export would give now; nothing is changed.

    Raises:
        InvalidInput: It cannot be read, or has neither the book's chapters nor the title page of its export.
    """
    manuscript = Manuscript(opened.storage)
    read = _own_export(opened, file), read_manuscript(file, encoding)
    own, returned = (replace(source, title=manuscript.cover().title) for source in read)
    sections = list(manuscript.chapters())
    if len(sections) == 1:  # whose heading, if it has one, nobody could tell from a title page
        here, there = _of_one_piece(own, returned, manuscript, file)
    else:
        here, there = (recognise(source, opened.storage.language).chapters for source in (own, returned))
    if not len(sections) == len(here) == len(there):
        raise InvalidInput(
            f"{str(file)!r} has {len(there):,} chapters and the book {len(sections):,}: leave headings as they are, "
            "each in a paragraph of its own. What is a book of its own `bookwright import` takes in"
        )
    changed: list[ChangedText] = []
    unclear: list[str] = []
    unchanged = 0
    with opened.storage.read() as stores:
        for section, was, now in zip(sections, here, there, strict=True):
            if was.paragraphs == now.paragraphs:
                unchanged += 1
            elif (found := _changed(section.unit.label, was, now, stores, opened.storage.language.measure)) is None:
                unclear.append(stores.name_of(section.unit))
            else:
                changed += found
                unchanged += not found
    return ReturnedManuscript(tuple(changed), unchanged, tuple(unclear))


def _own_export(opened: OpenBook, file: Path) -> ManuscriptSource:
    """The book as the same reader finds it in the same format, so that what a format cannot hold is no change."""
    form = file.suffix[1:].lower()
    if form not in FORMATS or form in ("html", "json"):
        raise InvalidInput(f"{str(file)!r} comes from no export that is read back; those are docx, epub, md and txt")
    with TemporaryDirectory() as folder:
        return read_manuscript(export(opened.storage, form, Path(folder) / f"book.{form}"), "")


def _of_one_piece(
    own: ManuscriptSource, returned: ManuscriptSource, manuscript: Manuscript, file: Path
) -> tuple[Found, Found]:
    """Return a story of one chapter as its export has it and as it came back, without the lines around its text.

    Title, author and heading stand before it, in Word END below it; exports of earlier versions had the blurb, too.

    Raises:
        InvalidInput: The lines before the text were changed, or it cannot be told which they are.
    """
    lines, edited = ([block.text for block in source.blocks] for source in (own, returned))
    here, there = ([_letters(line) for line in both] for both in (lines, edited))
    (story,) = manuscript.chapters()
    prose = [_letters(line) for scene in manuscript.scenes(story) for line in (_BREAK, *scene)][1:]
    places = range(len(here) - len(prose) + 1)
    starts = [at for at in places if (here[at], here[at + len(prose) - 1]) == (prose[0], prose[-1])]
    if not starts or there[: starts[0]] != here[: starts[0]]:
        raise InvalidInput(
            f"{str(file)!r} begins otherwise than an export of this story would: leave the lines before its text as "
            f"they are ({lines[0]!r} ...), or export it anew if the story was changed since"
        )
    start, end = starts[0], starts[0] + len(prose)
    blurb, below = [_letters(line) for line in manuscript.cover().blurb.splitlines() if line.strip()], here[end:]
    begins = start + len(blurb) * (there[start : start + len(blurb)] == blurb)
    ends = len(there) - len(below) * (there[len(there) - len(below) :] == below)
    texts = lines[start:end], edited[begins:ends]
    first, second = (FoundChapter("", "", tuple(text)) for text in texts)
    return (first,), (second,)


def _letters(line: str) -> str:
    """A line without marks, which formats write differently, and without figures: a title page counts words."""
    return re.sub(r"[\W\d_]", "", line)


def _changed(
    label: str, was: FoundChapter, now: FoundChapter, stores: Stores, measure: Measure
) -> list[ChangedText] | None:
    """Lay a changed chapter over the texts that it consists of; None where that cannot be told."""
    parts = with_prose(stores.nodes.by_label(label), stores)
    if len(parts) == 1:
        marks = {line for line in was.paragraphs if is_scene_break(line)}  # as this format writes a break
        lines = (_BREAK if line in marks else line for line in now.paragraphs)
        return [_text(parts[0], "\n\n".join(lines), stores, measure)]
    old, new = _scenes(was.paragraphs), _scenes(now.paragraphs)
    texts = (chosen(stores, stores.nodes.by_label(part), DocumentKind.PROSE).text for part in parts)
    counts = [len(_scenes(tuple(paragraphs(text)))) for text in texts]
    if not sum(counts) == len(old) == len(new):
        return None
    found, start = [], 0
    for part, count in zip(parts, counts, strict=True):
        before, after = old[start : start + count], new[start : start + count]
        start += count
        if before != after:
            found.append(_text(part, f"\n\n{_BREAK}\n\n".join("\n\n".join(scene) for scene in after), stores, measure))
    return found


def _text(label: str, text: str, stores: Stores, measure: Measure) -> ChangedText:
    node = stores.nodes.by_label(label)
    stands = chosen(stores, node, DocumentKind.PROSE)
    edit = TextEdit(label=label, kind=DocumentKind.PROSE, text=text, seen=stands.version)
    return ChangedText(stores.name_of(node), edit, measure(stands.text), measure(text))


def _scenes(held: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [tuple(scene) for is_break, scene in groupby(held, is_scene_break) if not is_break]
