"""Manuscripts in their formats, and files that are none."""

import zipfile
from contextlib import suppress
from pathlib import Path

import docx
import pytest

from bookwright.manuscripts.chapters import recognise
from bookwright.manuscripts.formats import archive
from bookwright.manuscripts.manuscript import FoundBook
from bookwright.manuscripts.reading import read_manuscript
from bookwright.models.errors import InvalidInput
from bookwright.models.text.language import Language

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OPS/book.opf"/></rootfiles></container>'
)
ENCRYPTED = (
    '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">'
    '<e:EncryptedData><e:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/></e:EncryptedData>'
    "</encryption>"
)


def understood(path: Path, language: Language = Language.EN) -> FoundBook:
    return recognise(read_manuscript(path), language)


def make_epub(path: Path, pages: dict[str, str], nav: str = "", sheet: str = "", **parts: str) -> Path:
    """Write an EPUB whose spine has the pages in their order."""
    items = "".join(f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in pages)
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    contents = '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>' if nav else ""
    contents += '<item id="css" href="book.css" media-type="text/css"/>' if sheet else ""
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/" version="3.0">'
        "<metadata><dc:title>Night Watch</dc:title><dc:creator>A. Hand</dc:creator><dc:language>en</dc:language>"
        "</metadata>"
        f"<manifest>{items}{contents}</manifest><spine>{spine}</spine></package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr("mimetype", "application/epub+zip")
        file.writestr("META-INF/container.xml", CONTAINER)
        file.writestr("OPS/book.opf", package)
        for name, body in pages.items():
            file.writestr(f"OPS/{name}.xhtml", f'<html xmlns="http://www.w3.org/1999/xhtml"><body>{body}</body></html>')
        if nav:
            file.writestr("OPS/nav.xhtml", nav)
        if sheet:
            file.writestr("OPS/book.css", sheet)
        for name, text in parts.items():
            file.writestr(f"META-INF/{name}.xml", text)
    return path


def test_a_word_file_gives_its_headings_paragraphs_and_title(tmp_path: Path):
    document = docx.Document()
    document.core_properties.title, document.core_properties.author = "Night Watch", "A. Hand"
    document.add_heading("Night Watch", 0)
    for number in (1, 2):
        document.add_heading(f"Chapter {number}", 1)
        document.add_paragraph("Rain fell.")
        document.add_paragraph("The lamp went out.\nNobody saw it.")
    document.save(str(tmp_path / "a.docx"))

    source = read_manuscript(tmp_path / "a.docx")

    assert (source.title, source.author) == ("Night Watch", "A. Hand")
    assert [chapter.heading for chapter in recognise(source, Language.EN).chapters] == ["Chapter 1", "Chapter 2"]
    assert understood(tmp_path / "a.docx").chapters[0].paragraphs == (
        "Rain fell.",
        "The lamp went out.",
        "Nobody saw it.",
    )


def test_an_epub_is_read_in_the_order_of_its_spine_without_glosses_and_navigation(tmp_path: Path):
    pages = {
        "b": "<h1>Chapter 1</h1><p>Rain <em>fell</em>.<br/>It <ruby>rained<rt>gloss</rt></ruby>.</p><hr/>"
        "<p>Then not.</p>",
        "a": "<h1>Chapter 2</h1><nav><a>skip</a></nav><div>The lamp<p>went out.</p></div><script>x()</script>",
    }

    source = read_manuscript(make_epub(tmp_path / "a.epub", pages))

    first, second = recognise(source, Language.EN).chapters
    assert (source.title, source.author, source.language) == ("Night Watch", "A. Hand", "en")
    assert first.paragraphs == ("Rain *fell*.", "It rained.", "* * *", "Then not.")
    assert second.paragraphs == ("The lamp", "went out.")


def test_a_line_end_in_a_pages_source_ends_no_paragraph(tmp_path: Path):
    page = "<h1>Chapter 1</h1><p>The <i>Titanic</i> sank\nin April<!-- of\n -->\nof that <b>year</b>\n.</p>"

    found = read_manuscript(make_epub(tmp_path / "a.epub", {"a": page}))

    assert [block.text for block in found.blocks] == ["Chapter 1", "The *Titanic* sank in April of that year ."]


def test_pages_without_headings_have_those_of_the_contents(tmp_path: Path):
    nav = (
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body>'
        '<nav epub:type="toc">'
        '<a href="one.xhtml">The Sea</a><a href="two.xhtml#start">The Land</a></nav></body></html>'
    )
    pages = {"one": "<p>Rain fell.</p>", "two": "<p>The Land</p><p>The lamp went out.</p>"}

    found = understood(make_epub(tmp_path / "a.epub", pages, nav))

    assert [(chapter.title, chapter.text) for chapter in found.chapters] == [
        ("The Sea", "Rain fell."), ("The Land", "The lamp went out."),
    ]  # fmt: skip


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_page_of_html_is_read_as_what_it_shows(tmp_path: Path, encoding: str):
    body = "<p>雨停了，\n<em>没有人</em>。</p><hr>\n<p>灯灭了。</p>"
    chapters = "".join(f"<h2>第{number}章 雨</h2>{body}" for number in (1, 2))
    head = f'<meta charset="{encoding}"><title>夜雨</title><meta name="author" content="林昭"><style>p {{}}</style>'
    page = f'<?xml version="1.0" encoding="{encoding}"?>\n<!DOCTYPE html><html lang="zh"><head>{head}</head>'
    (tmp_path / "a.html").write_bytes(f"{page}<body><h1>夜雨</h1>{chapters}</body></html>".encode(encoding))

    source = read_manuscript(tmp_path / "a.html")

    assert (source.format, source.title, source.author, source.language) == ("html", "夜雨", "林昭", "zh")
    assert [(one.heading, one.paragraphs) for one in recognise(source, Language.ZH).chapters] == [
        (f"第{number}章 雨", ("雨停了， *没有人*。", "* * *", "灯灭了。")) for number in (1, 2)
    ]


def test_a_text_within_pre_keeps_its_lines_and_a_page_is_one_by_its_name(tmp_path: Path):
    text = "Chapter 1\n\nIt rained.\nAnd <i>rained</i>.\n\nChapter 2\n\nIt cleared."
    (tmp_path / "a.html").write_text(f'<!-- encoding="nobody" --><body><pre>{text}</pre>')

    blocks = [(block.text, block.is_apart) for block in read_manuscript(tmp_path / "a.html").blocks]

    assert blocks == [
        ("Chapter 1", True), ("It rained.", True), ("And *rained*.", False), ("Chapter 2", True), ("It cleared.", True)
    ]  # fmt: skip


@pytest.mark.parametrize("begin", ["<html> was the first thing she typed.", "<!-- a -->\n" * 40 + "It rained."])
def test_a_text_that_only_begins_like_a_page_is_a_text(tmp_path: Path, begin: str):
    (tmp_path / "a.txt").write_text(f"{begin}\n\nAnd it cleared.")

    source = read_manuscript(tmp_path / "a.txt")

    assert (source.format, source.blocks[-1].text) == ("txt", "And it cleared.")


def test_markdown_gives_its_front_matter_headings_of_both_forms_and_text_without_marks(tmp_path: Path):
    file = tmp_path / "a.md"
    file.write_text(
        '---\ntitle: "Night: Watch"\nauthor: A. Hand\nlang: en\n---\n\nSea {#sea}\n===\n'
        "\nRain\n**fell** \\*on\\* [us](http://x).\n"
        "\n# Land #\n\n<!-- no -->The _lamp_.\n\n* * *\n\nOut.\n",
        encoding="utf-8",
    )

    source = read_manuscript(file)

    assert (source.title, source.author, source.language) == ("Night: Watch", "A. Hand", "en")
    assert [(chapter.title, chapter.paragraphs) for chapter in recognise(source, Language.EN).chapters] == [
        ("Sea", ("Rain *fell* *on* us.",)), ("Land", ("The *lamp*.", "* * *", "Out.")),
    ]  # fmt: skip


def test_bold_italics_of_markdown_are_emphasis_and_a_rule_right_below_a_sentence_is_a_break(tmp_path: Path):
    sentence = "He ***never*** and ___once___ and **now** left."
    text = f"The Lamp\n---\n\n{sentence}\n---\nRain fell.\n\n他走了。\n---\n雨停了。\n\nChapter 2.\n===\n"
    text += "\nThe End of the world.\n=====\n\nWashington, D.C.\n-----\n"
    (tmp_path / "a.md").write_text(text, "utf-8")

    told = [(block.text, block.level) for block in read_manuscript(tmp_path / "a.md").blocks]

    assert told[:4] == [
        ("The Lamp", 2), ("He *never* and *once* and *now* left.", 0), ("---", 0), ("Rain fell.", 0),
    ]  # fmt: skip
    assert told[4:] == [("他走了。", 0), ("---", 0), ("雨停了。", 0), ("Chapter 2.", 1),
        ("The End of the world.", 1), ("Washington, D.C.", 2),
    ]  # fmt: skip


@pytest.mark.parametrize("mark", ["<!-- a\n", "**a ", "<rt>"])
def test_marks_of_markdown_that_nothing_ends_are_text_however_many_there_are(tmp_path: Path, mark: str):
    path = tmp_path / "marks.md"
    path.write_text(f"Rain fell. <!-- Not this. -->\n\n{mark * 50_000}\n", encoding="utf-8")

    first, *rest = read_manuscript(path).blocks

    assert first.text == "Rain fell."
    assert sum(block.text.count(mark.strip()) for block in rest) == 50_000


def test_lines_wrapped_at_a_column_are_paragraphs_again(tmp_path: Path):
    line = "the quick brown keeper climbed over the lazy stair and lit"
    (tmp_path / "a.txt").write_text("\n\n".join(["\n".join([line] * 6 + ["the lamp."])] * 9), encoding="utf-8")

    source = read_manuscript(tmp_path / "a.txt")

    assert [block.text for block in source.blocks] == [" ".join([line] * 6 + ["the lamp."])] * 9


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (b"", "is empty"), (b"   \n\n ", "no text in it"), (b"%PDF-1.7 ...", "a PDF file"),
        (b"{\\rtf1 ...", "an RTF file"),
        (b"\xd0\xcf\x11\xe0 ...", "protected Word file"), (b"\x89PNG\r\n", "a picture"), (b"PK\x03\x04 cut", "damaged"),
        (b"ab\x00cd", "null bytes"),
    ],
)  # fmt: skip
def test_what_is_no_manuscript_is_refused(tmp_path: Path, content: bytes, complaint: str):
    (tmp_path / "a.txt").write_bytes(content)

    with pytest.raises(InvalidInput, match=complaint):
        read_manuscript(tmp_path / "a.txt")


def test_an_archive_that_is_no_book_a_protected_one_and_a_bomb_are_refused(tmp_path: Path):
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as file:
        file.writestr("a.txt", "text")
    make_epub(tmp_path / "drm.epub", {"a": "<p>x</p>"}, encryption=ENCRYPTED)
    make_epub(tmp_path / "bomb.epub", {"a": "<p>x</p>" + " " * (archive.MOST_OF_ONE + 1)})

    for name, complaint in (("z.zip", "neither an EPUB"), ("drm.epub", "DRM"), ("bomb.epub", "more than any book")):
        with pytest.raises(InvalidInput, match=complaint):
            read_manuscript(tmp_path / name)


def test_a_page_in_an_encoding_that_nobody_knows_is_refused(tmp_path: Path):
    make_epub(tmp_path / "a.epub", {"a": '<?xml encoding="nonsense"?><p>Rain.</p>'})

    with pytest.raises(InvalidInput, match=r"its page .* cannot be read"):
        read_manuscript(tmp_path / "a.epub")


def test_an_archive_whose_parts_are_damaged_is_refused(tmp_path: Path):
    make_epub(tmp_path / "a.epub", {"a": "".join(f"<p>Ship {number} passed.</p>" for number in range(900))})
    content = (tmp_path / "a.epub").read_bytes()
    read, places = 0, range(60, len(content), len(content) // 60)
    for place in places:
        (tmp_path / "a.epub").write_bytes(content[:place] + bytes([content[place] ^ 0x55]) + content[place + 1 :])

        with suppress(InvalidInput):
            read_manuscript(tmp_path / "a.epub")
            read += 1

    assert read < len(places) / 2  # a byte that says nothing of a part, such as its date, does no harm


def test_a_word_file_that_defines_entities_loads_nothing(tmp_path: Path):
    (tmp_path / "secret").write_text("the secret", encoding="utf-8")
    body = (
        f'<!DOCTYPE d [<!ENTITY x SYSTEM "file://{tmp_path}/secret">]>'
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        "<w:p><w:r><w:t>Rain fell.</w:t></w:r><w:r><w:t>&x;</w:t></w:r></w:p></w:body></w:document>"
    )
    with zipfile.ZipFile(tmp_path / "a.docx", "w") as file:
        file.writestr("word/document.xml", body)

    source = read_manuscript(tmp_path / "a.docx")

    assert [block.text for block in source.blocks] == ["Rain fell."]


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path: Path):
    for path in (tmp_path / "none.txt", tmp_path):
        with pytest.raises(InvalidInput):
            read_manuscript(path)
