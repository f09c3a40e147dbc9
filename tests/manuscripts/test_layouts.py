"""What formats lay beside, around and into a text: lists, notes, contents with places, stress, glosses."""

from copy import deepcopy
from pathlib import Path

import docx
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn

from bookwright.manuscripts.formats.markdown import read_markdown
from bookwright.manuscripts.reading import read_manuscript
from bookwright.models.text.emphasis import with_emphasis
from bookwright.models.text.language import Language
from tests.manuscripts.test_reading import make_epub, understood

XHTML = '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'


def lines_of(text: str) -> list[str]:
    return [block.text for block in read_markdown(text, "UTF-8").blocks]


def test_items_rows_and_hard_breaks_are_lines_of_their_own_and_wrapped_lines_are_not():
    assert lines_of("- a\n  - b\n- c") == ["- a", "- b", "- c"]
    assert lines_of("1. a\n2. b") == ["1. a", "2. b"]
    assert lines_of("It was\n1984. And") == ["It was 1984. And"]
    assert lines_of("| a | b |\n|---|---|\n| 1 | 2 |") == ["a | b", "1 | 2"]
    assert lines_of("one  \ntwo\\\nthree\nfour") == ["one", "two", "three four"]
    assert lines_of("“Go,” he\nsaid.") == ["“Go,” he said."]
    assert lines_of("雨停了。\n她走了。") == ["雨停了。", "她走了。"]
    assert lines_of("one\n***\ntwo") == ["one", "***", "two"]


def test_tags_pictures_and_notes_are_left_out_of_markdown_and_notes_are_counted():
    source = read_markdown(
        "A<br>b <i>c</i> ![d](e.png) <ruby>漢<rt>かん</rt></ruby>[^1] 1 < 2 <who>"
        "\n\n<hr/>\n\n[^1]: Not\n    this.\n\nZ.",
        "",
    )

    assert [block.text for block in source.blocks] == ["A", "b *c* 漢 1 < 2 <who>", "***", "Z."]
    assert source.notes == ("left out: 1 note to the text",)


def test_chapters_that_share_a_page_are_told_apart_by_the_contents_and_one_may_go_on_on_the_next(tmp_path: Path):
    nav = (
        f'{XHTML}<body><nav epub:type="toc"><ol><li><a href="a.xhtml">The Sea</a><ol>'
        '<li><a href="a.xhtml#one">The Lamp</a></li><li><a href="a.xhtml#two">The Boat</a></li></ol></li>'
        '<li><a href="c.xhtml">The Land</a><ol><li><a href="c.xhtml#one">Home</a></li></ol></li></ol></nav>'
        "</body></html>"
    )
    pages = {
        "a": '<p id="one">The Lamp</p><p>Rain fell.</p><p id="two">It came.</p>', "b": "<p>It went.</p>",
        "c": '<p id="one">It stayed.</p>',
    }  # fmt: skip

    found = understood(make_epub(tmp_path / "a.epub", pages, nav))

    assert [part.heading for part in found.parts] == ["The Sea", "The Land"]
    assert [(one.heading, one.paragraphs, one.part) for one in found.chapters] == [
        ("The Lamp", ("Rain fell.",), 0), ("The Boat", ("It came.", "It went."), 0), ("Home", ("It stayed.",), 1),
    ]  # fmt: skip


def test_notes_and_their_marks_are_left_out_of_an_epub_and_counted(tmp_path: Path):
    pages = {
        "a": '<h1>Chapter 1</h1><p>Rain<a epub:type="noteref" href="#n">1</a> fell<sup><a href="#m">[2]</a></sup> 2'
        "<sup>nd</sup>.</p>"
        '<aside epub:type="footnote" id="n"><p>A note.</p></aside><section role="doc-endnotes"><p>More.</p></section>',
        "b": "<h1>Chapter 2</h1><p>It went.</p>",
    }

    source = read_manuscript(make_epub(tmp_path / "a.epub", pages))

    assert [block.text for block in source.blocks] == ["Chapter 1", "Rain fell 2nd.", "Chapter 2", "It went."]
    assert source.notes == ("left out: 1 note to the text",)


def test_marks_in_brackets_that_link_to_a_note_are_left_out_and_other_links_stay(tmp_path: Path):
    page = (
        '<p>Rain<a href="#n">[1]</a> fell<a id="r" href="n.xhtml#m">*</a>, see chapter <a href="b.xhtml#b">3</a>, '
        '<a href="#x">here</a>. 雨<a href="#z">〔注1〕</a>停了<a href="#y">①</a>。</p>'
    )

    source = read_manuscript(make_epub(tmp_path / "a.epub", {"a": page}))

    assert [block.text for block in source.blocks] == ["Rain fell, see chapter 3, here. 雨停了。"]


def test_what_an_epub_calls_cover_title_page_and_copyright_is_no_chapter(tmp_path: Path):
    pages = {
        "t": '<section epub:type="titlepage"><h1>Night Watch</h1><p>A. Hand</p></section>',
        "c": '<section epub:type="copyright-page"><p>No part is to be copied.</p><p>It is forbidden.</p></section>',
        **{f"c{number}": f"<h1>Chapter {number}</h1><p>Rain fell.</p>" for number in (1, 2)},
    }

    found = understood(make_epub(tmp_path / "a.epub", pages))

    assert [(chapter.heading, chapter.paragraphs) for chapter in found.chapters] == [
        (f"Chapter {number}", ("Rain fell.",)) for number in (1, 2)
    ]


def test_a_word_file_keeps_its_stress_and_loses_what_is_hidden_struck_out_or_a_note(tmp_path: Path):
    document = docx.Document()
    document.add_paragraph("Chapter 1\t3", style=document.styles.add_style("toc 1", 1))
    for number in (1, 2):
        document.add_heading(f"Chapter {number}", 1).runs[0].italic = True
        paragraph = document.add_paragraph("He ")
        for text in ("could ", "not"):
            paragraph.add_run(text).italic = True
        paragraph.add_run(" say").font.hidden = number == 2
        paragraph.add_run("").element.append(OxmlElement("w:footnoteReference"))
        run = paragraph.add_run("well")
        run.element.append(OxmlElement("w:noBreakHyphen"))
        struck = OxmlElement("w:del")
        struck.append(paragraph.add_run("gone").element)
        paragraph._p.append(struck)
    document.paragraphs[-1].paragraph_format.tab_stops.add_tab_stop(1)
    assert document.paragraphs[-1]._p.find(f".//{qn('w:tabs')}") is not None
    document.save(str(tmp_path / "a.docx"))

    source = read_manuscript(tmp_path / "a.docx")

    assert [block.text for block in source.blocks] == [
        "Chapter 1", "He *could not* saywell-", "Chapter 2", "He *could notwell*-",
    ]  # fmt: skip
    assert source.notes == ("left out: 2 notes to the text",)


def test_what_a_word_file_stresses_by_a_style_of_its_letters_is_stressed(tmp_path: Path):
    document = docx.Document()
    paragraph = document.add_paragraph("He ")
    paragraph.add_run("could", style="Emphasis")
    paragraph.add_run(" not", style="Emphasis").italic = False
    paragraph.add_run(" say", style="Strong")
    for name, above, is_italic in (("Thought", "Emphasis", None), ("Aloud", "Thought", False), ("Call", "Aloud", None)):
        style = document.styles.add_style(name, WD_STYLE_TYPE.CHARACTER)
        style.base_style, style.font.italic = document.styles[above], is_italic
        paragraph.add_run(f" {name}", style=style)
    document.save(str(tmp_path / "a.docx"))

    assert [block.text for block in read_manuscript(tmp_path / "a.docx").blocks] == [
        "He *could* not say *Thought* Aloud Call"
    ]


def test_the_large_initial_of_a_word_file_begins_its_paragraph_or_is_one(tmp_path: Path):
    document = docx.Document()
    for number in (1, 2):
        document.add_heading(f"Chapter {number}", 1)
        initial, frame = document.add_paragraph(), OxmlElement("w:framePr")
        initial.add_run("O").italic = number == 2
        frame.set(qn("w:dropCap"), "drop")
        initial._p.get_or_add_pPr().append(frame)
        document.add_paragraph("nce it rained.")
        document._body._element.insert_element_before(deepcopy(initial._p), "w:sectPr")
    document.save(str(tmp_path / "a.docx"))

    found = understood(tmp_path / "a.docx")

    assert [chapter.paragraphs for chapter in found.chapters] == [
        ("Once it rained.", "O"), ("*Once* it rained.", "*O*"),
    ]  # fmt: skip


def test_numbers_that_word_sets_before_headings_by_itself_are_theirs(tmp_path: Path):
    document = docx.Document()
    lists = document.part.numbering_part.element
    forms = ("upperRoman", "Part %1"), ("chineseCountingThousand", "第%2章"), ("bullet", "•")
    levels = "".join(
        f'<w:lvl w:ilvl="{depth}"><w:start w:val="{2 - depth}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{text}"/>'
        "</w:lvl>"
        for depth, (form, text) in enumerate(forms)
    )
    lists.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="99">{levels}</w:abstractNum>'))
    number = lists.add_num(99).numId
    for depth in range(3):
        style = document.styles[f"Heading {depth + 1}"].element.get_or_add_pPr().get_or_add_numPr()
        style.get_or_add_numId().val, style.get_or_add_ilvl().val = number, depth
    for depth, text in ((1, ""), (2, ""), (2, "雨"), (3, "A"), (1, "Sea"), (2, "")):
        document.add_heading(text, depth)
    anew = lists.add_num(99)
    anew.add_lvlOverride(1).add_startOverride(5)
    for text, other in (("Interlude", 0), ("", number), ("夜", anew.numId)):
        numbered = document.add_heading(text, 2)._p.get_or_add_pPr().get_or_add_numPr()
        numbered.get_or_add_ilvl().val, numbered.get_or_add_numId().val = 1, other
    document.add_paragraph("Rain fell.")
    document.save(str(tmp_path / "a.docx"))

    assert [(block.text, block.level) for block in read_manuscript(tmp_path / "a.docx").blocks] == [
        ("Part II", 1), ("第一章", 2), ("第二章 雨", 2), ("A", 3), ("Part III Sea", 1), ("第一章", 2), ("Interlude", 2),
        ("第二章", 2), ("第五章 夜", 2), ("Rain fell.", 0),
    ]  # fmt: skip


def test_chapters_that_word_counts_on_through_parts_are_counted_on(tmp_path: Path):
    document = docx.Document()
    lists = document.part.numbering_part.element
    levels = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="Part %1"/></w:lvl>'
        '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlRestart w:val="0"/>'
        '<w:isLgl/><w:lvlText w:val="%1.%2"/></w:lvl>'
        '<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="none"/><w:lvlText w:val="%3 a"/></w:lvl>'
    )
    lists.insert(0, parse_xml(f'<w:abstractNum {nsdecls("w")} w:abstractNumId="99">{levels}</w:abstractNum>'))
    number = lists.add_num(99).numId
    for text, depth in (("Sea", 1), ("Salt", 2), ("Shore", 1), ("Sand", 2), ("Stone", 3)):
        numbered = document.add_heading(text, depth)._p.get_or_add_pPr().get_or_add_numPr()
        numbered.get_or_add_ilvl().val, numbered.get_or_add_numId().val = depth - 1, number
    document.add_paragraph("Rain fell.")
    document.save(str(tmp_path / "a.docx"))

    assert [block.text for block in read_manuscript(tmp_path / "a.docx").blocks] == [
        "Part I Sea", "1.1 Salt", "Part II Shore", "2.2 Sand", "Stone", "Rain fell.",
    ]  # fmt: skip


def test_the_stress_of_an_epub_stands_around_words_and_asterisks_of_its_author_stay(tmp_path: Path):
    lines = (
        "<p>The <i>Titanic </i>sank, <em>un</em>likely as <i><em>that</em></i> is.</p>"
        "<p><i>Dear Ada,<br/>come.</i></p><p>***</p><p>He said f**k, 他<em>没有</em>动。</p>"
        "<p><i>Oh, f**k off, you.</i> <i>* * *</i></p>"
    )

    source = read_manuscript(make_epub(tmp_path / "a.epub", {"a": lines}))

    assert [block.text for block in source.blocks] == [
        "The *Titanic* sank, *unlikely* as *that* is.", "*Dear Ada,*", "*come.*", "***", "He said f**k, 他*没有*动。",
        "*Oh,* f**k *off, you.* * * *",
    ]  # fmt: skip


def test_italics_are_read_beside_a_word_of_any_length_and_in_several_parts_of_one():
    word = "a" * 300_000

    told = with_emphasis([(f"{word} x", False), ("y", True), ("z", False), ("w", True), (" he", False)])

    assert told == f"{word} *xyzw* he"


def test_what_a_style_sheet_sets_in_italics_is_stressed_in_an_epub_and_a_page(tmp_path: Path):
    sheet = (
        "@charset 'utf-8';\n/* so */ .c1, span.c-2 { color: red; font-style: italic }\n.c3 { font-style: normal }\n"
        "@media all { .c4 { FONT-STYLE : oblique } }\n.c3 > b, .c5:hover { font-style: italic } p.c6{font-style:italic}"
        "/* .c3 { font-style: italic } */ .c5 { /* font-style: italic */ } .c6 .c3, .c6.c3 { font-style: italic }"
        ".c7 { font: italic 1em serif } .c5 { font-style: italic } .c5 { font: normal 1em serif }"
    )
    page = (
        '<h1><span class="c1">Chapter 1</span></h1><p class="c3">He <span class="x c1">could not</span> '
        '<span class="c-2">un</span>say <b style="color: red; font-style:italic">it</b>, <i class="c4">so</i> '
        '<u class="c4">he</u> <u class="c5">left</u>.</p><div class="c6"><p>Dear Ada,</p><p>come.</p></div>'
        '<p>He <u class="c7">came</u>.</p>'
    )
    (tmp_path / "a.html").write_text(f"<html><head><style>{sheet}</style></head><body>{page}</body></html>")

    for path in (make_epub(tmp_path / "a.epub", {"a": page}, sheet=sheet), tmp_path / "a.html"):
        assert [block.text for block in read_manuscript(path).blocks] == [
            "Chapter 1", "He *could not* *unsay* *it*, *so* *he* left.", "*Dear Ada,*", "*come.*", "He *came*.",
        ]  # fmt: skip


def test_japanese_text_in_the_shifts_of_old_mails_is_read(tmp_path: Path):
    text = "第一章\n\n" + "雨が降った。" * 60 + "\n\n第二章\n\n" + "灯が消えた。" * 60
    (tmp_path / "a.txt").write_bytes(text.encode("iso2022_jp"))

    source = read_manuscript(tmp_path / "a.txt")

    assert source.encoding == "ISO-2022-JP"
    assert len(understood(tmp_path / "a.txt", Language.JA).chapters) == 2


def test_a_part_and_its_chapter_in_one_line_are_both_found(tmp_path: Path):
    prose = "The lamp on the quay went out before the tide had turned. " * 3
    for name, pattern in (("en", "Part {}, Chapter {}"), ("ko", "제{}부 제{}장")):
        chapters = [f"{pattern.format(part, number)}\n\n{prose}" for part in (1, 2) for number in (1, 2)]
        (tmp_path / f"{name}.txt").write_text("\n\n".join(chapters), "utf-8")

        found = understood(tmp_path / f"{name}.txt")

        assert [part.heading for part in found.parts] == [
            pattern.format(part, "").rstrip(" ,제장Chapter") for part in (1, 2)
        ]
        assert [one.part for one in found.chapters] == [0, 0, 1, 1]
