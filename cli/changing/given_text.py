"""A text that a person gives as a file, or by standard input."""

import sys
from pathlib import Path

from bookwright.models.errors import InvalidInput

MAX_TEXT_BYTES = 4_000_000


def read_text(path: Path | None) -> str:
    """Return a text file's words.

    Raises:
        InvalidInput: It cannot be read, is too large, or is no UTF-8 text.
    """
    assert path is not None
    try:
        with sys.stdin.buffer if str(path) == "-" else path.open("rb") as file:
            content = file.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        raise InvalidInput(f"the text {str(path)!r} cannot be read: {error.strerror}") from None
    if len(content) > MAX_TEXT_BYTES:
        raise InvalidInput(f"the text {str(path)!r} has more than {MAX_TEXT_BYTES:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"the text {str(path)!r} is not UTF-8") from None
