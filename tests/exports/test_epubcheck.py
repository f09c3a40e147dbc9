"""The checker of the W3C finds nothing in an EPUB, in four languages, of a book or of a world."""

import pytest

from bookwright.exports.files import Layout, export
from tests.exports.test_epub import JPEG, contents, png
from tests.exports.test_pages import make_atlas
from tests.support.books import finish, make_book, make_settings
from tests.support.epub_checker import running_checker

TEXTS = {
    "en": ("The <Lamp> & the Sea", "Rain fell. <b>No</b> *bell* rang &amp; nobody came."),
    "zh": ("灯塔", "雨落了。<b>没有</b>钟声。"),
    "ja": ("灯台", "雨が降った。「行け」<i>と</i>言った。"),
    "ko": ("등대", "비가 내렸다. <b>종</b>은 울리지 않았다."),
}


pytestmark = pytest.mark.slow  # a Java machine reads every book


@pytest.fixture(scope="module")
def checker():
    """One checker for all books."""
    with running_checker() as running:
        yield running


def layout(language, folder):
    """What each language's book is tried with: a cover of either kind, vertical lines."""
    pictures = {"en": png(), "ko": JPEG}
    if language in pictures:
        (folder / "picture").write_bytes(pictures[language])
        return Layout(cover=folder / "picture")
    return Layout(is_vertical=language == "ja")


@pytest.mark.parametrize("language", TEXTS)
def test_it_finds_nothing_in_any_language(checker, tmp_path, language):
    title, text = TEXTS[language]
    scene = {"level": "scene", "title": "s", "text": f"{text}\n\n***\n\n{text}"}
    chapter = {"level": "chapter", "title": title, "parts": [scene, scene]}
    act = {"level": "act", "title": title, "parts": [chapter]}
    volume = {"level": "volume", "title": title, "parts": [act, act]}
    parts = [volume, {"level": "volume", "title": "", "parts": [chapter]}]
    storage = make_book(make_settings(tmp_path), parts, title=title, language=language, pen_name="A. & B.")
    finish(storage, f"{text}\n\n{text}")

    path = export(storage, "epub", tmp_path / "book.epub", layout(language, tmp_path))

    assert checker.messages(path) == []
    assert [depth for depth, _ in contents(path)] == [1, 2, 3, 2, 3, 1, 2]


def test_a_book_of_one_piece_passes_without_author_or_blurb(checker, tmp_path):
    storage = make_book(make_settings(tmp_path), "Rain fell.", title="Lamp")

    path = export(storage, "epub", tmp_path / "book.epub")

    assert checker.messages(path) == []
    assert contents(path) == [(1, "Lamp")]


def test_it_finds_nothing_in_a_world(checker, tmp_path):
    atlas = make_atlas(make_settings(tmp_path))

    path = export(atlas, "epub", tmp_path / "atlas.epub")

    assert checker.messages(path) == []
    assert [title for _, title in contents(path)][:2] == ["Ground", "What is known"]


def test_it_finds_what_is_wrong(checker, tmp_path):
    broken = tmp_path / "broken.epub"
    broken.write_bytes(b"no archive")

    assert checker.messages(broken) != []
