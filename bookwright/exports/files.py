"""Writing a book to a file: which formats there are, and a file that is there whole or not at all."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bookwright.exports.epub import write_epub
from bookwright.exports.json import whole_book
from bookwright.exports.manuscript import Manuscript
from bookwright.exports.markdown import markdown
from bookwright.exports.text import text
from bookwright.failpoints import Failpoint, around
from bookwright.models.errors import InvalidInput, InvalidSetting, UnwritableFolder
from bookwright.models.settings import Settings
from bookwright.storage.stores import BookStorage

FORMATS: dict[str, Callable[[BookStorage, Path], None]] = {
    "md": lambda storage, path: _write_pieces(markdown(Manuscript(storage)), path),
    "txt": lambda storage, path: _write_pieces(text(Manuscript(storage)), path),
    "epub": lambda storage, path: write_epub(Manuscript(storage), path),
    "json": lambda storage, path: _write_pieces(whole_book(storage), path),
}
"""What writes each format, by the ending of its files."""


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


def export_path(book: str, format_name: str, settings: Settings) -> Path:
    """Return where a book's export lies unless told otherwise."""
    return settings.home / "exports" / f"{book}.{format_name}"


def export(storage: BookStorage, format_name: str, path: Path) -> Path:
    """Write a book to a file, replacing what lay there; return the file's path.

    A path that is a folder gets a file named after the book.

    Raises:
        InvalidInput: Nothing of the book is written yet.
        UnwritableFolder: The file cannot be written.
    """
    if path.is_dir():
        path = path / f"{storage.book}.{format_name}"
    with storage.read() as stores:
        root = stores.nodes.root()
    if not root.written and format_name != "json":
        raise InvalidInput(f"nothing of book {storage.book!r} is written yet; there is nothing to export")
    try:
        with replacing(path) as unfinished:
            FORMATS[format_name](storage, unfinished)
    except OSError as error:
        raise _unwritable(path, error) from None
    return path


def write_whole(text: str, path: Path) -> None:
    """Write a text to a file, replacing what lay there.

    Raises:
        UnwritableFolder: The file cannot be written.
    """
    try:
        with replacing(path) as unfinished:
            _write_pieces([text], unfinished)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> UnwritableFolder:
    return UnwritableFolder(f"{str(path)!r} cannot be written ({error.strerror or error})")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Hand out a temporary file beside `path` and move it there once it is whole and on the disk."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield unfinished
        with unfinished.open("rb") as whole:
            os.fsync(whole.fileno())
        with around(Failpoint.REPLACE_FILE):
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _write_pieces(pieces: Iterable[str], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(pieces)
