"""Reading a manuscript's file, whatever its format, or saying why not."""

import hashlib
import re
from dataclasses import replace
from pathlib import Path

from bookwright.manuscripts.formats import docx, epub
from bookwright.manuscripts.formats.archive import opened
from bookwright.manuscripts.formats.encoding import decode
from bookwright.manuscripts.formats.markdown import read_markdown, without_comments
from bookwright.manuscripts.formats.page import read_html
from bookwright.manuscripts.formats.plain_text import blocks_of, title_and_author_above
from bookwright.manuscripts.manuscript import ManuscriptSource
from bookwright.models.errors import InvalidInput

MOST_BYTES = 100 * 2**20
"""Of a file: five million words are some 30 of them, with pictures a book may have more."""

_MARKDOWN = frozenset((".md", ".markdown", ".mkd"))
_PAGES = frozenset((".html", ".htm", ".xhtml"))
_HTML = re.compile(r"(?:\s|<\?[^>]*>)*<(?:!doctype html|html)\b", re.IGNORECASE)
_INSIDE = re.compile(r"<head\b|<body\b|</html>", re.IGNORECASE)
_BEGIN = 10_000
"""Characters within which a page says that it is one."""
_FOREIGN = {
    b"%PDF-": "a PDF file; export it as text, EPUB or Word",
    b"{\\rtf": "an RTF file; save it as .docx or .txt",
    b"\xd0\xcf\x11\xe0": "an old or protected Word file; save it as .docx without a password",
    b"BOOKMOBI": "a Kindle file; convert it to EPUB",
    b"\x89PNG": "a picture", b"\xff\xd8\xff": "a picture", b"GIF8": "a picture",
    b"\x1f\x8b": "compressed; unpack it first",
    b"7z\xbc\xaf": "compressed; unpack it first", b"Rar!": "compressed; unpack it first",
}  # fmt: skip


def read_manuscript(path: Path, encoding: str = "") -> ManuscriptSource:
    """Read a manuscript.

    Raises:
        InvalidInput: It cannot be read, is empty, too large, protected, or of a format that is not known.
    """
    try:
        return _read(path, encoding)
    except InvalidInput as error:
        raise InvalidInput(f"{str(path)!r} cannot be imported: {error}") from None
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from None


def digest_of(path: Path) -> str:
    """Return what tells a file from others: the hash of its bytes.

    Raises:
        InvalidInput: It cannot be read.
    """
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be read: {error.strerror or error}") from None


def _read(path: Path, encoding: str) -> ManuscriptSource:
    if path.is_dir():
        raise InvalidInput("it is a folder; name one file")
    size = path.stat().st_size
    if size > MOST_BYTES:
        raise InvalidInput(f"it has {size:,} bytes; a manuscript may have {MOST_BYTES:,}")
    with path.open("rb") as file:
        head = file.read(68)
    _check_known(head)
    source = _read_archive(path) if head.startswith(b"PK\x03\x04") else _read_text(path, encoding)
    if not any(block.text and not block.level for block in source.blocks):
        raise InvalidInput("there is no text in it")
    return source


def _check_known(head: bytes) -> None:
    if not head:
        raise InvalidInput("it is empty")
    for mark, what in _FOREIGN.items():
        if head.startswith(mark) or (mark == b"BOOKMOBI" and head[60:68] == mark):
            raise InvalidInput(f"it is {what}")


def _read_archive(path: Path) -> ManuscriptSource:
    with opened(path) as archive:
        if docx.DOCUMENT in archive:
            return docx.read_docx(archive)
        if epub.CONTAINER in archive:
            return epub.read_epub(archive)
    raise InvalidInput("it is an archive and neither an EPUB nor a Word document; save it as .docx, or unpack it first")


def _read_text(path: Path, encoding: str) -> ManuscriptSource:
    decoded = decode(path.read_bytes(), encoding)
    notes = (
        (f"read as {decoded.encoding}, which is a guess: {decoded.doubt}; --encoding decides",) if decoded.doubt else ()
    )
    suffix, begin = path.suffix.lower(), without_comments(decoded.text[:_BEGIN])
    is_page = suffix in _PAGES or (_HTML.match(begin) and _INSIDE.search(decoded.text))
    if is_page or suffix in _MARKDOWN:
        source = (read_html if is_page else read_markdown)(decoded.text, decoded.encoding)
        return replace(source, notes=(*notes, *source.notes))
    told = title_and_author_above(decoded.text)
    return ManuscriptSource(tuple(blocks_of(decoded.text)), "txt", *told, encoding=decoded.encoding, notes=notes)
