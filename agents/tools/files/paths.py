"""Paths as models write them: relative to the vault, checked before the file system sees them. Pure."""

import re
import unicodedata

from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

LONGEST_PATH = 1024
"""Characters of a path."""
LONGEST_NAME = 255
"""Bytes of one name in UTF-8, which most file systems share."""
DEEPEST = 64
"""Folders below each other; as many may be open at once."""
VERSION_CONTROL = frozenset({".git", ".hg", ".svn", ".bzr", ".jj"})

_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])\s*([.:].*)?", re.IGNORECASE)
_ANCHORED = re.compile(r"[/\\]|[A-Za-z]:")
_NOT_PORTABLE = frozenset('<>:"|?*\\')
_STAY = "Give a path inside the book's folder, relative to it, such as 'chapters/one.md'."


def parts_of(path: str) -> list[str]:
    """The names of a path, without empty ones and `.`; `..` stays, for who walks it must count it.

    Raises:
        ToolFailure: The path is absolute, too long, too deep or holds what no path can.
    """
    if "\0" in path or any(unicodedata.category(character) == "Cs" for character in path):
        raise ToolFailure(ErrorCode.INVALID_PARAM, "The path holds a character that no path can.", _STAY)
    if len(path) > LONGEST_PATH:
        raise ToolFailure(ErrorCode.INVALID_PARAM, f"The path is longer than {LONGEST_PATH} characters.", _STAY)
    if _ANCHORED.match(path):
        raise ToolFailure(ErrorCode.ACCESS_DENIED, f"{path!r} is an absolute path.", _STAY)
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if len(parts) > DEEPEST:
        raise ToolFailure(ErrorCode.INVALID_PARAM, f"The path is deeper than {DEEPEST} folders.", _STAY)
    for part in parts:
        if len(part.encode()) > LONGEST_NAME:
            message = f"A name in the path is longer than {LONGEST_NAME} bytes."
            raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Use a shorter name.")
    return parts


def check_writable(path: str) -> None:
    """Refuse `..`, names that not every system can hold, and the folders of version control.

    Raises:
        ToolFailure: One of the path's names is such a name.
    """
    for part in parts_of(path):
        if part == "..":
            raise ToolFailure(ErrorCode.ACCESS_DENIED, "A path to write to goes down only, without '..'.", _STAY)
        if part.casefold() in VERSION_CONTROL:
            raise ToolFailure(ErrorCode.ACCESS_DENIED, f"{part!r} belongs to version control.", _STAY)
        if reason := _unportable(part):
            message = f"The name {part!r} {reason}."
            raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Choose a plain name, such as 'notes.md'.")


def _unportable(name: str) -> str:
    if _DEVICE.fullmatch(name):
        return "is a device on Windows"
    if any(character in _NOT_PORTABLE or unicodedata.category(character) == "Cc" for character in name):
        return "holds a character that file names cannot have everywhere"
    if name[-1] in ". ":
        return "ends in a dot or a blank, which Windows drops"
    return ""
