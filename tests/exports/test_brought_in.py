"""What an author brought along is exported as they set it: their headings, and their breaks, no more and no less."""

import re
import zipfile
from pathlib import Path

import pytest

from bookwright.exports.files import export
from bookwright.exports.manuscript import Manuscript
from bookwright.flows.intake.manuscript_import import bring_in
from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.manuscript import FoundBook, FoundChapter, FoundPart
from bookwright.manuscripts.reading import read_manuscript
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.text.language import Language
from bookwright.models.tree.level import Level
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.storage.stores import BookStorage
from tests.support.books import make_brief_of, make_settings, new_library

BARE = FoundBook(
    tuple(FoundChapter("", "", text) for text in (("A went.",), ("***", "B went."), ("C went.",))), has_headings=False
)


def brought(tmp_path: Path, found: FoundBook, *own: str, piece: int = 9_000) -> BookStorage:
    """Bring a manuscript in, and put chapters of ours behind it."""
    database = new_library(make_settings(tmp_path))
    brief = make_brief_of(title="Sea")
    book = bring_in(database, found, brief, "ab" * 32, piece)
    storage = BookStorage(database, book.id, brief.language)
    with storage.write() as stores:
        root = stores.nodes.root()
        for text in own:
            item = PlanNode(task_type=TaskType.WRITE, title="Ours", goal="go on")
            [unit] = stores.nodes.add(root, [item], level=Level.CHAPTER.value)
            document = stores.documents.add(NewDocument(node=unit.key, kind=DocumentKind.PROSE, text=text), None)
            stores.nodes.add_written(unit, document.length)
    return storage


def exported(storage: BookStorage, name: str, tmp_path: Path) -> str:
    path = export(storage, name, tmp_path / f"book.{name}")
    if not zipfile.is_zipfile(path):
        return path.read_text("utf-8")
    with zipfile.ZipFile(path) as archive:
        return "\n".join(archive.read(part).decode("utf-8", "replace") for part in sorted(archive.namelist()))


def test_a_text_without_headings_runs_on_and_its_breaks_stay_where_they_were(tmp_path: Path) -> None:
    storage = brought(tmp_path, BARE, "D went.")

    text = exported(storage, "txt", tmp_path)

    assert text == "Sea\n\nA went.\n\n* * *\n\nB went.\n\nC went.\n\n* * *\n\nD went.\n"
    assert exported(storage, "md", tmp_path).endswith(text.removeprefix("Sea\n"))


def test_no_format_lists_or_heads_what_has_no_heading(tmp_path: Path) -> None:
    storage = brought(tmp_path, BARE, "D went.")

    epub, html, docx = (exported(storage, name, tmp_path) for name in ("epub", "html", "docx"))

    assert re.findall(r'<li><a href="(.*?)">(.*?)</a>', epub) == [("section-00001.xhtml", "Sea")]
    assert epub.count('<itemref idref="section-') == 4
    assert (epub.count("<hr/>"), html.count("<hr>"), docx.count('w:val="SceneBreak"/></w:pPr>')) == (2, 2, 2)
    assert "<nav" not in html
    assert re.findall(r'<w:pStyle w:val="(Heading\d)"/></w:pPr>', docx) == ["Heading1"]


def test_a_chapter_that_was_taken_in_in_pieces_has_no_break_that_is_not_its_authors(tmp_path: Path) -> None:
    paragraphs = ("It rained on all of them.", "They went on and on.", "***", "It was over at last.")
    storage = brought(tmp_path, FoundBook((FoundChapter("XII", "", paragraphs),)), piece=5)
    manuscript = Manuscript(storage)

    [chapter] = manuscript.sections()

    with storage.read() as stores:
        assert len(stores.nodes.children(chapter.unit.key)) > 2
    assert chapter.heading == "XII"
    assert manuscript.scenes(chapter) == [paragraphs[:2], paragraphs[3:]]


def test_a_part_with_a_text_of_its_own_is_headed_once(tmp_path: Path) -> None:
    parts = (FoundPart("BOOK ONE", ""), FoundPart("BOOK TWO", ""))
    chapters = (FoundChapter("I", "", ("A.",), 0), FoundChapter("", "", ("B.",), 1))
    storage = brought(tmp_path, FoundBook(chapters, parts))

    text = exported(storage, "txt", tmp_path)

    assert text == "Sea\n\nBOOK ONE\n\nI\n\nA.\n\nBOOK TWO\n\nB.\n"


@pytest.mark.parametrize("name", ["epub", "docx", "html", "md"])
def test_chapters_beside_the_parts_come_back_from_an_export_beside_them(tmp_path: Path, name: str) -> None:
    headings = [("Prologue", None), ("Chapter 1", 0), ("Chapter 2", 0), ("Chapter 3", 1), ("Epilogue", None)]
    chapters = tuple(FoundChapter(heading, "", ("A went. " * 20,), part) for heading, part in headings)
    storage = brought(tmp_path, FoundBook(chapters, (FoundPart("Part One", ""), FoundPart("Part Two", ""))))

    found = recognise(read_manuscript(export(storage, name, tmp_path / f"book.{name}")), Language.EN)

    assert [part.heading for part in found.parts] == ["Part One", "Part Two"]
    assert [(chapter.heading, chapter.part) for chapter in found.chapters] == headings
