"""Word files: reopened by another library, the form of a manuscript, the order that the schema asks for."""

import re
import tracemalloc
import zipfile
from pathlib import Path

import docx
import pytest
from lxml import etree

from bookwright.exports.docx import length_line, rounded
from bookwright.exports.files import export
from bookwright.models.text.language import Language
from tests.support.books import make_book, make_settings

RAIN = "Rain fell & it was <b>cold</b>.\n\n***\n\n“Go,” *he* said."
PARTS = [
    {"level": "act", "title": "Night", "parts": [{"level": "chapter", "title": "The Lamp", "text": RAIN}]},
    {"level": "act", "title": "Day", "parts": [{"level": "chapter", "title": "The Log", "text": "Sun."}]},
]
W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
ORDER = {
    "pPr": "pStyle keepNext keepLines pageBreakBefore widowControl tabs spacing ind jc outlineLvl rPr sectPr".split(),
    "rPr": "rFonts b i sz szCs em lang".split(),
    "sectPr": "headerReference type pgSz pgMar pgNumType".split(),
    "style": "name basedOn next qFormat pPr rPr".split(),
    "settings": "zoom defaultTabStop characterSpacingControl compat themeFontLang".split(),
}
"""The children of an element as ECMA-376 orders them, as far as we write them."""


def manuscript(tmp_path, parts=PARTS, **brief):
    brief = {"title": "The Lamp & the Sea", "pen_name": "Ann Hand", **brief}
    storage = make_book(make_settings(tmp_path), parts, **brief)
    return export(storage, "docx", tmp_path / "book.docx")


def lines(path):
    return [(each.style.name, each.text) for each in docx.Document(str(path)).paragraphs]


def test_the_manuscript_has_the_standard_form(tmp_path):
    path = manuscript(tmp_path, contact="Ann Hand\n1 Sea Road")

    assert lines(path) == [
        ("Contact", "Ann Hand\tabout 10 words"), ("Contact", "1 Sea Road"),
        ("Title", "The Lamp & the Sea"), ("Author", "by Ann Hand"), ("Normal", ""),
        ("Heading 1", "Part 1: Night"), ("Heading 2", "Chapter 1: The Lamp"),
        ("Body Text", "Rain fell & it was <b>cold</b>."), ("Scene Break", "#"), ("Body Text", "“Go,” he said."),
        ("Heading 1", "Part 2: Day"), ("Heading 2", "Chapter 2: The Log"), ("Body Text", "Sun."), ("End", "END"),
    ]  # fmt: skip


def test_pages_are_double_spaced_with_margins_of_an_inch_and_a_header_after_the_title_page(tmp_path):
    document = docx.Document(str(manuscript(tmp_path)))

    defaults = document.styles.element.find(f"{W}docDefaults")
    assert defaults.find(f".//{W}spacing").get(f"{W}line") == "480"
    assert defaults.find(f".//{W}sz").get(f"{W}val") == "24"
    assert defaults.find(f".//{W}rFonts").get(f"{W}ascii") == "Times New Roman"
    title, body = document.sections
    assert {body.left_margin.inches, body.right_margin.inches, body.top_margin.inches, body.bottom_margin.inches} == {1}
    assert (body.page_width.inches, body.page_height.inches) == (8.5, 11)
    assert [each.text for each in title.header.paragraphs] in ([], [""])
    assert body.header.paragraphs[0].text == "Hand / THE LAMP & THE SEA / "
    assert b'w:instr=" PAGE "' in etree.tostring(body.header._element)
    assert document.styles["Heading 2"].paragraph_format.space_before.twips == 15_840 // 3 - 1_440
    assert document.styles["Body Text"].paragraph_format.first_line_indent.inches == 0.5


@pytest.mark.parametrize(
    ("language", "font", "size", "break_", "end"),
    [
        ("zh", "SimSun", "约10字", "＊＊＊", "（全文完）"),
        ("ja", "MS Mincho", "約10字（400字詰原稿用紙約1枚）", "＊", "（了）"),
        ("ko", "Batang", "약 10자 (200자 원고지 약 1매)", "＊＊＊", "― 끝 ―"),
    ],
)
def test_eastern_manuscripts_follow_the_customs_of_their_markets(tmp_path, language, font, size, break_, end):
    text = {"zh": "雨落了。", "ja": "「行け」。", "ko": "비가 온다."}[language]
    parts = [{"level": "chapter", "title": "一", "text": f"{text}\n\n***\n\n{text}"}]

    path = manuscript(tmp_path, parts, language=language, pen_name="夏目")

    document = docx.Document(str(path))
    told = [each.text for each in document.paragraphs]
    assert document.styles.element.find(f".//{W}rFonts").get(f"{W}eastAsia") == font
    assert told[0] == f"夏目\t{size}"
    assert told[-2:] == [text, end]
    assert told[-3] == break_
    assert document.paragraphs[-2].style.name == ("Body Text Flush" if language == "ja" else "Body Text")


def test_every_element_stands_where_the_schema_wants_it(tmp_path):
    path = manuscript(tmp_path, contact="Ann")

    seen = 0
    with zipfile.ZipFile(path) as archive:
        for name in ("word/document.xml", "word/styles.xml", "word/settings.xml", "word/header1.xml"):
            for element in etree.fromstring(archive.read(name)).iter():
                kind = element.tag.removeprefix(W)
                if kind in ORDER:
                    children = [child.tag.removeprefix(W) for child in element]
                    assert children == sorted(children, key=ORDER[kind].index), (name, kind, children)
                    seen += 1
    assert seen > 30


def test_stress_is_set_and_its_asterisks_are_not(tmp_path):
    runs = [run for each in docx.Document(str(manuscript(tmp_path))).paragraphs for run in each.runs]

    assert [run.text for run in runs if run.italic] == ["he"]


def test_every_part_is_named_and_every_relation_leads_somewhere(tmp_path):
    with zipfile.ZipFile(manuscript(tmp_path)) as archive:
        names = set(archive.namelist())
        kinds = archive.read("[Content_Types].xml").decode()
        relations = archive.read("word/_rels/document.xml.rels").decode()

    assert {f"/{name}" for name in names if not name.endswith(".rels")} - {"/[Content_Types].xml"} == set(
        re.findall(r'PartName="([^"]+)"', kinds)
    )
    assert {f"word/{target}" for target in re.findall(r'Target="([^"]+)"', relations)} <= names


@pytest.mark.parametrize(
    ("length", "told"), [(3, 10), (149, 150), (1_049, 1_000), (4_360, 4_400), (89_600, 90_000), (5_000_499, 5_000_000)]
)
def test_a_length_is_rounded_as_editors_want_it(length, told):
    assert rounded(length) == told
    assert length_line(length, Language.EN) == f"about {told:,} words"


def test_memory_does_not_grow_with_the_book(tmp_path):
    def peak(chapters):
        folder = tmp_path / str(chapters)
        parts = [{"level": "chapter", "title": "A", "text": "Rain fell on the sea.\n\n" * 400}] * chapters
        storage = make_book(make_settings(folder), parts)
        export(storage, "docx", folder / "warm.docx")
        tracemalloc.start()
        export(storage, "docx", folder / "book.docx")
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert peak(40) < peak(4) + 200_000
    assert Path(tmp_path / "40" / "book.docx").stat().st_size > 0
