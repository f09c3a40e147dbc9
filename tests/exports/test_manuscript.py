"""Which headings a manuscript has, in which order, and where its scenes are set apart."""

import pytest

from bookwright.app.changes.gates import subject_text
from bookwright.exports.manuscript import Chapter, Manuscript, ManuscriptPart, chapter_texts
from bookwright.flows.revision.revise import chosen, with_prose
from bookwright.models.document import DocumentKind, NewDocument
from bookwright.models.errors import InvalidInput, NodeNotFound
from bookwright.models.gate import Gate, GateKind
from tests.support.books import make_book, make_settings


def headings(manuscript, label="1"):
    return [section.heading for section in manuscript.sections(label)]


def test_the_tenth_chapter_comes_after_the_second(tmp_path):
    parts = [{"level": "chapter", "title": f"Night {n}", "text": f"Night {n} fell."} for n in range(1, 12)]

    manuscript = Manuscript(make_book(make_settings(tmp_path), parts))

    assert headings(manuscript) == [f"Chapter {n}: Night {n}" for n in range(1, 12)]
    assert [section.unit.label for section in manuscript.sections()][8:] == ["1.9", "1.10", "1.11"]


def test_volumes_and_acts_are_parts_and_chapters_count_through(tmp_path):
    chapter = {"level": "chapter", "title": "", "text": "It rained."}
    act = {"level": "act", "title": "Low Tide", "parts": [chapter, chapter]}
    parts = [{"level": "volume", "title": "Salt", "parts": [act]}, {"level": "volume", "title": "Iron", "parts": [act]}]

    sections = list(Manuscript(make_book(make_settings(tmp_path), parts)).sections())

    assert [section.heading for section in sections] == [
        "Volume 1: Salt", "Part 1: Low Tide", "Chapter 1", "Chapter 2",
        "Volume 2: Iron", "Part 1: Low Tide", "Chapter 3", "Chapter 4",
    ]  # fmt: skip
    assert [section.depth for section in sections] == [0, 1, 2, 2, 0, 1, 2, 2]
    assert [type(section) for section in sections[:3]] == [ManuscriptPart, ManuscriptPart, Chapter]


def test_a_unit_in_a_chapters_place_is_headed(tmp_path):
    parts = [
        {"level": "scene", "title": "The Door", "text": "It opened."},
        {"level": "act", "title": "The Sea", "text": "An act that was written at once."},
    ]

    manuscript = Manuscript(make_book(make_settings(tmp_path), parts))

    assert headings(manuscript) == ["Chapter 1: The Door", "Chapter 2: The Sea"]


def test_a_book_of_one_piece_has_no_heading_of_its_own(tmp_path):
    manuscript = Manuscript(make_book(make_settings(tmp_path), "One piece.\n\nTwo paragraphs."))

    [chapter] = manuscript.sections()

    assert chapter.heading == ""
    assert manuscript.scenes(chapter) == [("One piece.", "Two paragraphs.")]


def test_of_a_unit_that_has_its_text_twice_a_gate_and_an_editor_show_what_is_printed(tmp_path):
    """As an older version left it: a text of its own, and parts that came later."""
    scenes = [{"level": "scene", "title": f"Scene {n}", "text": f"She lit lamp {n}."} for n in (1, 2)]
    storage = make_book(make_settings(tmp_path), [{"level": "chapter", "title": "The Lamps", "parts": scenes}])
    with storage.write() as stores:
        chapter = stores.nodes.by_label("1.1")
        stores.documents.add(NewDocument(node=chapter.key, kind=DocumentKind.PROSE, text="She lit all lamps."), None)
    gate = Gate(id=1, book="lamp", node=chapter.key, revision=1, kind=GateKind.UNIT, state="waiting", created_at=0)

    [(_, printed)] = chapter_texts(storage)

    with storage.read() as stores:
        shown = subject_text(gate, stores)
        assert with_prose(chapter, stores) == ["1.1.1", "1.1.2"]
        for kind in (None, DocumentKind.PROSE):
            with pytest.raises(InvalidInput, match=r"its text in parts; name one of them: 1\.1\.1, 1\.1\.2"):
                chosen(stores, chapter, kind)
    assert shown == printed == "She lit lamp 1.\n\nShe lit lamp 2."


def test_scenes_are_set_apart_and_beats_run_on(tmp_path):
    scene = {"level": "scene", "title": "b", "parts": [
        {"level": "beat", "title": "x", "text": "He knocked."}, {"level": "beat", "title": "y", "text": "He waited."},
    ]}  # fmt: skip
    chapter = {"level": "chapter", "title": "A", "parts": [{"level": "scene", "title": "a", "text": "Rain."}, scene]}
    manuscript = Manuscript(make_book(make_settings(tmp_path), [chapter, scene]))

    first, second = manuscript.sections()

    assert manuscript.scenes(first) == [("Rain.",), ("He knocked.", "He waited.")]
    assert manuscript.scenes(second) == [("He knocked.", "He waited.")]


def test_a_mark_between_paragraphs_is_a_scene_break(tmp_path):
    manuscript = Manuscript(make_book(make_settings(tmp_path), "***\n\nRain.\n\n* * *\n\nSun.\n\n---"))

    [chapter] = manuscript.sections()

    assert manuscript.scenes(chapter) == [("Rain.",), ("Sun.",)]


def test_what_is_not_written_yet_is_left_out(tmp_path):
    written = {"level": "chapter", "title": "A", "text": "Rain."}
    planned = {"level": "chapter", "title": "B"}
    parts = [{"level": "volume", "title": "V", "parts": [written, planned]},
             {"level": "volume", "title": "W", "parts": [planned]}]  # fmt: skip

    manuscript = Manuscript(make_book(make_settings(tmp_path), parts))

    assert headings(manuscript) == ["Volume 1: V", "Chapter 1: A"]


def test_one_node_is_read_with_its_number_in_the_whole_book(tmp_path):
    chapters = [{"level": "chapter", "title": t, "parts": [{"level": "scene", "title": "s", "text": t}]} for t in "AB"]
    manuscript = Manuscript(make_book(make_settings(tmp_path), chapters))

    assert headings(manuscript, "1.2") == ["Chapter 2: B"]
    assert headings(manuscript, "1.2.1") == ["s"]
    with pytest.raises(NodeNotFound):
        headings(manuscript, "1.3")


@pytest.mark.parametrize(
    ("language", "expected"),
    [("en", "Chapter 1: 灯"), ("zh", "第1章 灯"), ("ja", "第1章 灯"), ("ko", "제1장 灯")],
)
def test_headings_speak_the_books_language(tmp_path, language, expected):
    parts = [{"level": "chapter", "title": "灯", "text": "灯亮了。"}]

    manuscript = Manuscript(make_book(make_settings(tmp_path), parts, language=language))

    assert headings(manuscript) == [expected]


@pytest.mark.parametrize("title", ["Chapter Nine: Salt", "第十二章 海", "제3장 바다", "PART II"])
def test_a_title_that_brings_its_number_is_taken_as_it_is(tmp_path, title):
    parts = [{"level": "chapter", "title": title, "text": "Rain."}]

    manuscript = Manuscript(make_book(make_settings(tmp_path), parts))

    assert headings(manuscript) == [title]
