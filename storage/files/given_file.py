"""Reads a file that a person names: its bytes or its text, bounded in size."""

from pathlib import Path
from typing import BinaryIO

from bookwright.models.errors import InvalidInput

MOST_TEXT_BYTES = 4_000_000


def read_bytes(
    path: Path, what: str, most: int, raises: type[InvalidInput] = InvalidInput, stream: BinaryIO | None = None
) -> bytes:
    """Return the bytes of a file, or of an open `stream` that stands for it; `what` names it in messages.

    Raises:
        InvalidInput: It cannot be read or has more than `most` bytes; `raises` is the kind of it.
    """
    try:
        with stream or path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise raises(f"the {what} {str(path)!r} cannot be read: {error.strerror or error}") from None
    if len(content) > most:
        raise raises(f"the {what} {str(path)!r} has more than {most:,} bytes")
    return content


def read_text(
    path: Path,
    what: str,
    most: int = MOST_TEXT_BYTES,
    raises: type[InvalidInput] = InvalidInput,
    stream: BinaryIO | None = None,
) -> str:
    """Return a UTF-8 file as text, without a byte order mark; see `read_bytes`.

    Raises:
        InvalidInput: It cannot be read, has more than `most` bytes, or is not UTF-8.
    """
    try:
        return read_bytes(path, what, most, raises, stream).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise raises(f"the {what} {str(path)!r} is not UTF-8 text; save it as UTF-8 first") from None


def named_file(value: str, beside: Path | None, endings: tuple[str, ...]) -> Path | None:
    """Return the file that a value names in the place of a text, by its last letters; None if it is the text itself.

    The name is relative to the file `beside` in which the value stands, or to the working folder.
    """
    if "\n" in value or not value.endswith(endings):
        return None
    return (beside.parent if beside else Path()) / value
