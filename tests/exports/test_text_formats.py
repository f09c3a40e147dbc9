"""Markdown, text and JSON: what stands in front, what is escaped, how scenes are set apart."""

import os
import subprocess
import sys
from typing import get_args

import pytest

from bookwright.exports.files import FORMATS, Layout, check_formats, export, export_path, place
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.markup import to_markdown, to_xhtml
from bookwright.exports.text import oversized
from bookwright.models.errors import InvalidInput, InvalidSetting, UnwritableFolder
from bookwright.models.talk.command import Export
from bookwright.models.text.emphasis import without_emphasis
from bookwright.models.text.prose import is_scene_break
from bookwright.studio.routes.files import ABOUT
from tests.support.books import finish, make_book, make_settings

RAIN = {"level": "scene", "title": "a", "text": "Rain fell.\n\n“Go,” he said."}
SUN = {"level": "scene", "title": "b", "text": "Sun."}
SCENES = [{"level": "chapter", "title": "A", "parts": [RAIN, SUN]}]


def exported(storage, name, tmp_path):
    return export(storage, name, tmp_path / f"book.{name}").read_text("utf-8")


def test_markdown_has_pandocs_front_matter(tmp_path):
    storage = make_book(make_settings(tmp_path), SCENES, title='The "Lamp": a tale', pen_name="A. Hand")
    finish(storage, "A keeper\n\ncounts *ships*.")

    text = exported(storage, "md", tmp_path)

    assert text == (
        '---\ntitle: "The \\"Lamp\\": a tale"\nauthor: "A. Hand"\nlang: "en"\n'
        'description: "A keeper counts *ships*."\n---\n'
        "\n# Chapter 1: A\n\nRain fell.\n\n“Go,” he said.\n\n* * *\n\nSun.\n"
    )


def test_text_is_laid_out_for_chinese_platforms(tmp_path):
    parts = [{"level": "chapter", "title": "灯", "text": "雨落了。\n\n他等。"}]
    storage = make_book(make_settings(tmp_path), parts, title="灯塔", language="zh", pen_name="某人")

    text = exported(storage, "txt", tmp_path)

    assert text == "灯塔\n\n某人\n\n第1章 灯\n\n\u3000\u3000雨落了。\n\u3000\u3000他等。\n"


def test_japanese_speech_is_set_flush_left(tmp_path):
    storage = make_book(make_settings(tmp_path), "雨が降った。\n\n「行け」", title="灯台", language="ja")

    text = exported(storage, "txt", tmp_path)

    assert text.endswith("\n\u3000雨が降った。\n「行け」\n")


@pytest.mark.parametrize(
    ("prose", "markdown"),
    [
        ("<script>x</script>", "\\<script\\>x\\</script\\>"),
        ("It &amp; it & that", "It \\&amp; it & that"),
        ("# no heading", "\\# no heading"),
        ("- no list", "\\- no list"),
        ("12. no list", "12\\. no list"),
        ("1984 was over.", "1984 was over."),
        ("*He waited*, 2 * 3 and a_b", "*He waited*, 2 \\* 3 and a\\_b"),
        ("$5 [or] @six", "\\$5 \\[or\\] \\@six"),
        ("> said nobody", "\\> said nobody"),
        ("(1) no list", "\\(1) no list"),
        ("iv) no list", "iv\\) no list"),
        ("i. no list", "i\\. no list"),
        ("A.", "A\\."),
        ("A. Hand went.", "A. Hand went."),
        ("#. no list", "#\\. no list"),
        ("::: no division", "\\:\\:\\: no division"),
        ("--- no rule", "\\-\\-\\- no rule"),
    ],
)
def test_prose_means_in_markdown_what_it_says(prose, markdown):
    assert to_markdown(prose) == markdown


def test_html_in_prose_is_text_in_xhtml():
    assert to_xhtml('<b onclick="x">&lt; *so* </b>') == '&lt;b onclick="x"&gt;&amp;lt; <em>so</em> &lt;/b&gt;'
    assert without_emphasis("*so* be it") == "so be it"
    assert without_emphasis("the *d*s in it") == "the ds in it"
    assert without_emphasis("5 *6*7 is *6*fold") == "5 *6*7 is *6*fold"


@pytest.mark.parametrize(
    ("paragraph", "is_break"),
    [
        *((text, True) for text in ("***", "——", "◇", "—" * 40, "⁂", "•", "·　·　·", "───", "×　×　×", "~ § ~")),
        *((text, True) for text in ("===", "~", "· · ·", "+++")),
        *((text, False) for text in ("……", "No", "…", "？！", "——！")),
        *((text, False) for text in ("······", "•••", "×××", "～～～", "〜", "+", "= =")),
    ],
)
def test_a_scene_break_has_no_letters(paragraph, is_break):
    assert is_scene_break(paragraph) is is_break


def test_what_no_file_can_hold_is_left_out(tmp_path):
    storage = make_book(make_settings(tmp_path), "A bell\x07 rang\ud800.")

    assert "A bell rang.\n" in exported(storage, "txt", tmp_path)


@pytest.mark.parametrize("name", [name for name in FORMATS if name != "json"])
def test_an_unwritten_book_is_not_exported(tmp_path, name):
    storage = make_book(make_settings(tmp_path), [{"level": "chapter", "title": "A"}])

    with pytest.raises(InvalidInput, match="nothing of book 'lamp' is written yet"):
        export(storage, name, tmp_path / "book")

    assert not (tmp_path / "book").exists()


def test_an_export_replaces_the_one_before_and_leaves_nothing_beside_it(tmp_path):
    settings = make_settings(tmp_path)
    storage = make_book(settings, "Rain.")
    path = export_path("lamp", "txt", settings)

    export(storage, "txt", path)
    export(storage, "txt", path)

    assert [file.name for file in path.parent.iterdir()] == ["lamp.txt"]


def test_a_folder_gets_a_file_named_after_the_book(tmp_path):
    storage = make_book(make_settings(tmp_path), "Rain.")

    assert export(storage, "md", tmp_path) == tmp_path / "lamp.md"


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    storage = make_book(make_settings(tmp_path / "home"), "Rain.")
    (tmp_path / "file").write_text("")

    with pytest.raises(UnwritableFolder, match=r"file/book\.md"):
        export(storage, "md", tmp_path / "file" / "book.md")


def test_an_unknown_format_is_refused():
    with pytest.raises(InvalidSetting, match="'docs'; formats are md, txt, html, epub, docx, json"):
        check_formats(["md", "docs"])


@pytest.mark.parametrize(
    ("wanted", "file"),
    [
        ("there", "there/lamp.epub"), ("new", "new/lamp.epub"), ("new/deep", "new/deep/lamp.epub"),
        ("v1.2/", "v1.2/lamp.epub"), ("mine.epub", "mine.epub"), ("new/mine.book", "new/mine.book"), ("plain", "plain"),
    ],
)  # fmt: skip
def test_a_path_without_an_ending_is_a_folder_unless_it_is_a_file(tmp_path, wanted, file):
    (tmp_path / "there").mkdir()
    (tmp_path / "plain").write_text("")

    assert place(f"{tmp_path}/{wanted}", "lamp", "epub") == tmp_path / file


def test_text_is_written_in_the_encoding_that_old_platforms_want(tmp_path):
    parts = [{"level": "chapter", "title": "灯", "text": "雨落了。𠀀"}]
    storage = make_book(make_settings(tmp_path), parts, title="灯塔", language="zh")

    path = export(storage, "txt", tmp_path / "book.txt", Layout(encoding="gb18030"))

    assert path.read_bytes().decode("gb18030") == "灯塔\n\n第1章 灯\n\n\u3000\u3000雨落了。𠀀\n"


@pytest.mark.parametrize(
    ("name", "layout", "complaint"),
    [
        ("md", Layout(encoding="gb18030"), "gb18030 is for `--to txt`"),
        ("txt", Layout(encoding="utf-7"), "no encoding 'utf-7'; there are utf-8, gb18030"),
        ("epub", Layout(is_vertical=True), "vertical writing is for"),
        ("docx", Layout(cover=__file__), "a cover is for `--to epub`"),
    ],
)
def test_a_choice_that_a_format_does_not_have_is_refused(tmp_path, name, layout, complaint):
    storage = make_book(make_settings(tmp_path), "Rain.")

    with pytest.raises(InvalidSetting, match=complaint):
        export(storage, name, tmp_path / "book", layout)


def test_chapters_that_no_platform_takes_are_named(tmp_path):
    parts = [{"level": "chapter", "title": f"{n}", "text": "雨" * n} for n in (20_000, 20_001)]
    storage = make_book(make_settings(tmp_path), parts, language="zh")

    assert oversized(Manuscript(storage)) == ["第2章 20001"]


def test_what_a_killed_export_left_goes_with_the_next_one(tmp_path):
    storage = make_book(make_settings(tmp_path), "Rain.")
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    folder = tmp_path / "out"
    folder.mkdir()
    left = [f".lamp.epub.{dead.pid}.part", f".other.md.{dead.pid}.part", f".other.docx.{dead.pid}.bookwright.part"]
    not_ours = [f".film.mkv.{dead.pid}.part", f".lamp.epub.{os.getppid()}.bookwright.part"]
    for name in left + not_ours:
        (folder / name).write_text("half")

    export(storage, "epub", folder)

    assert sorted(file.name for file in folder.iterdir()) == sorted([*not_ours, "lamp.epub"])


def test_a_full_disk_is_told_once_and_nothing_else_is_said():
    program = (
        "from datetime import datetime\nfrom pathlib import Path\nfrom bookwright.exports.package import Package\n"
        "try:\n with Package(Path('/dev/full'), datetime(2026, 1, 1)) as package:\n  package.put('a', ['rain' * 99])\n"
        "except OSError as error:\n print(error.errno)"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert (done.stdout, done.stderr, done.returncode) == ("28\n", "", 0)


def test_a_wish_and_the_page_know_every_format():
    wished = get_args(Export.model_fields["format"].annotation)

    assert set(wished) == set(ABOUT) == set(FORMATS)
