"""Writing a book to a file: which formats there are, and a file that is there whole or not at all."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bookwright.failpoints import Failpoint
from bookwright.models.errors import InvalidInput, InvalidSetting, UnwritableFolder
from bookwright.models.settings import Settings
from bookwright.models.text.language import Language
from bookwright.storage.files.file_system import whole
from bookwright.storage.stores import BookStorage

ENCODINGS = ("utf-8", "gb18030")
"""What plain text may be written in; both hold every character."""


@dataclass(frozen=True)
class Layout:
    """What an author may choose of a file; each choice is for one format."""

    cover: Path | None = None
    """A JPEG or PNG, for EPUB."""
    is_vertical: bool = False
    """Lines from top to bottom, for EPUB in Japanese."""
    encoding: str = "utf-8"
    """For plain text."""


FORMATS = ("md", "txt", "html", "epub", "docx", "json")
"""What a book can be written as, by the ending of its files."""


def check_layout(layout: Layout, format_name: str, language: Language) -> None:
    """Make sure that every choice means something for a format and a language.

    Raises:
        InvalidSetting: One does not.
    """
    if layout.cover is not None and format_name != "epub":
        raise InvalidSetting("a cover is for `--to epub`; no other format holds one")
    if layout.is_vertical and (format_name, language) != ("epub", Language.JA):
        raise InvalidSetting("vertical writing is for `--to epub` and books in Japanese")
    if layout.encoding not in ENCODINGS:
        raise InvalidSetting(f"no encoding {layout.encoding!r}; there are {', '.join(ENCODINGS)}")
    if layout.encoding != "utf-8" and format_name != "txt":
        raise InvalidSetting(f"{layout.encoding} is for `--to txt`; every other format is in UTF-8")


def check_formats(names: Iterable[str]) -> list[str]:
    """Return the formats' names, each once.

    Raises:
        InvalidSetting: There is no such format.
    """
    wanted = list(dict.fromkeys(names))
    for name in wanted:
        if name not in FORMATS:
            raise InvalidSetting(f"no export format is called {name!r}; formats are {', '.join(FORMATS)}")
    return wanted


def formats_in(names: str) -> list[str]:
    """Return the formats that stand in a list such as `md,epub`.

    Raises:
        InvalidSetting: There is no such format.
    """
    return check_formats(name.strip() for name in names.split(",") if name.strip())


def export_path(book: str, format_name: str, settings: Settings) -> Path:
    """Return where a book's export lies unless told otherwise."""
    return settings.home / "exports" / f"{book}.{format_name}"


def place(wanted: str, book: str, format_name: str) -> Path:
    """Return the file that a person means by a path: a folder gets a file named after the book.

    A folder is what is one, what ends in a slash, and what is not there and has no ending, such as `exports`.
    """
    path = Path(wanted)
    is_new_folder = not path.exists() and not path.suffix
    if path.is_dir() or is_new_folder or wanted.endswith(("/", os.sep)):
        return path / f"{book}.{format_name}"
    return path


def export(storage: BookStorage, format_name: str, path: Path, layout: Layout = Layout()) -> Path:
    """Write a book to a file, replacing what lay there; return the file's path.

    A path that is a folder gets a file named after the book.

    Raises:
        InvalidInput: Nothing of the book is written yet, or the cover is none.
        InvalidSetting: The layout has what the format or the language has not.
        UnwritableFolder: The file cannot be written.
    """
    check_layout(layout, format_name, storage.language)
    if path.is_dir():
        path = path / f"{storage.book}.{format_name}"
    with storage.read() as stores:
        root = stores.nodes.root()
    if not root.written and format_name != "json":
        raise InvalidInput(f"nothing of book {storage.book!r} is written yet; there is nothing to export")
    with _replacing(path) as unfinished:
        _write(storage, format_name, unfinished, layout)
    return path


def write_whole(text: str, path: Path) -> None:
    """Write a text to a file, replacing what lay there.

    Raises:
        UnwritableFolder: The file cannot be written.
    """
    with _replacing(path) as unfinished:
        _write_pieces([text], unfinished)


@contextmanager
def _replacing(path: Path) -> Iterator[Path]:
    """Give a file to write that stands at a path once it is whole."""
    try:
        with whole(path, Failpoint.REPLACE_FILE) as unfinished:
            yield unfinished
    except OSError as error:
        raise UnwritableFolder(f"{str(path)!r} cannot be written ({error.strerror or error})") from None


def _write(storage: BookStorage, format_name: str, path: Path, layout: Layout) -> None:
    """Write a book in one format; what knows it is imported now, so that others need not wait for it."""
    from bookwright.exports.manuscript import Manuscript

    manuscript = Manuscript(storage)
    match format_name:
        case "md":
            from bookwright.exports.markdown import markdown

            _write_pieces(markdown(manuscript), path)
        case "txt":
            from bookwright.exports.text import text

            _write_pieces(text(manuscript), path, layout.encoding)
        case "html":
            from bookwright.exports.html import html_page

            _write_pieces(html_page(manuscript), path)
        case "epub":
            from bookwright.exports.epub import write_epub

            write_epub(manuscript, path, layout.cover, is_vertical=layout.is_vertical)
        case "docx":
            from bookwright.exports.docx import write_docx

            write_docx(manuscript, path)
        case "json":
            from bookwright.exports.json import whole_book

            _write_pieces(whole_book(storage), path)


def _write_pieces(pieces: Iterable[str], path: Path, encoding: str = "utf-8") -> None:
    with path.open("w", encoding=encoding, newline="\n") as file:
        file.writelines(pieces)
