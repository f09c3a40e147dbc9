"""EPUB: order and nesting of the contents, covers, what a reader's program is told."""

import re
import struct
import zipfile
import zlib

import pytest

from bookwright.exports.files import Layout, export
from bookwright.models.errors import InvalidInput
from tests.support.books import make_book, make_settings


def png(width=8, height=12):
    """The smallest white picture of that size."""
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(b"".join(b"\0" + b"\xff" * width for _ in range(height)))), (b"IEND", b""),
    ]  # fmt: skip
    chunks = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


JPEG = bytes.fromhex(
    "ffd8ffe000104a46494600010100000100010000ffdb004300" + "01" * 64 + "ffc0000b080001000101011100"
    "ffc4001f0000010501010101010100000000000000000102030405060708090a0bffc400b5100002010303020403050504040000017d"
    "01020300041105122131410613516107227114328191a1082342b1c11552d1f02433627282090a161718191a25262728292a34353637"
    "38393a434445464748494a535455565758595a636465666768696a737475767778797a838485868788898a92939495969798999aa2a3"
    "a4a5a6a7a8a9aab2b3b4b5b6b7b8b9bac2c3c4c5c6c7c8c9cad2d3d4d5d6d7d8d9dae1e2e3e4e5e6e7e8e9eaf1f2f3f4f5f6f7f8f9fa"
    "ffda0008010100003f00fbd0ffd9"
)


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


@pytest.mark.parametrize(("name", "picture", "kind"), [("a.png", png(), "png"), ("odd.bin", JPEG, "jpeg")])
def test_a_cover_of_the_authors_choice_passes_known_by_its_content(tmp_path, name, picture, kind):
    storage = make_book(make_settings(tmp_path), "Rain fell.", title="Lamp")
    (tmp_path / name).write_bytes(picture)

    path = export(storage, "epub", tmp_path / "book.epub", Layout(cover=tmp_path / name))

    with zipfile.ZipFile(path) as archive:
        package = archive.read("EPUB/content.opf").decode()
        (held,) = (entry for entry in archive.namelist() if entry.startswith("EPUB/cover.") and "xhtml" not in entry)
        assert archive.read(held) == picture
    assert f'media-type="image/{kind}" properties="cover-image"' in package


@pytest.mark.parametrize(
    ("picture", "complaint"),
    [
        (b"GIF89a", "neither JPEG nor PNG"), (b"", "neither JPEG nor PNG"), (png()[:-6], "broken: it ends too early"),
        (png().replace(b"IDAT", b"IDAX"), "other bytes than it says"), (png(width=0), "no width or height"),
        (JPEG[:-2], "broken: it ends too early"), (JPEG[:40], "is broken"), (b"\xff\xd8 no picture", "is broken"),
        (None, "cannot be read"),
    ],
)  # fmt: skip
def test_a_cover_that_is_no_picture_is_refused(tmp_path, picture, complaint):
    storage = make_book(make_settings(tmp_path), "Rain fell.")
    if picture is not None:
        (tmp_path / "cover").write_bytes(picture)

    with pytest.raises(InvalidInput, match=complaint):
        export(storage, "epub", tmp_path / "book.epub", Layout(cover=tmp_path / "cover"))

    assert not (tmp_path / "book.epub").exists()


def test_a_japanese_book_can_run_from_top_to_bottom_and_right_to_left(tmp_path):
    parts = [{"level": "chapter", "title": "灯", "text": "雨が降った。\n\n***\n\n「行け」"}]
    storage = make_book(make_settings(tmp_path), parts, title="灯台" * 40, language="ja")

    path = export(storage, "epub", tmp_path / "book.epub", Layout(is_vertical=True))

    with zipfile.ZipFile(path) as archive:
        assert b'page-progression-direction="rtl"' in archive.read("EPUB/content.opf")
        assert b"writing-mode: vertical-rl" in archive.read("EPUB/style.css")


def test_the_cover_shows_the_title_in_lines_that_fit(tmp_path):
    storage = make_book(make_settings(tmp_path), "Rain.", title="The <Long> Lamp " * 10, pen_name="A. & B.")

    with zipfile.ZipFile(export(storage, "epub", tmp_path / "book.epub")) as archive:
        cover = archive.read("EPUB/cover.svg").decode()
        order = re.findall(r'idref="([^"]+)"', archive.read("EPUB/content.opf").decode())

    lines = re.findall(r'font-size="(\d+)">([^<]*)<', cover)
    assert " ".join(line for _, line in lines[:-1]) == " ".join(["The &lt;Long&gt; Lamp"] * 10)
    assert all(
        int(size) * len(line.replace("&lt;", "<").replace("&gt;", ">")) * 0.62 <= 1_280 for size, line in lines[:-1]
    )
    assert lines[-1][1] == "A. &amp; B."
    assert order[:3] == ["cover", "title", "nav"]
