"""A text that a person gives as a file, or by standard input."""

import sys
from pathlib import Path

from bookwright.storage.files import given_file


def read_text(path: Path) -> str:
    """Return the words of a text file, or of standard input where the path is `-`.

    Raises:
        InvalidInput: It cannot be read, is too large, or is no UTF-8 text.
    """
    return given_file.read_text(path, "text", stream=sys.stdin.buffer if str(path) == "-" else None)
