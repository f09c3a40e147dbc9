"""Paths as models write them: checked before the file system sees them, then walked from the vault's root.

The way down goes by descriptors and never by a path. Each folder is opened from the one above it without following
links; a link is read and its target walked in the same way. `..` goes back to the descriptor that was come from. So
what was checked is what is used, whoever swaps names meanwhile.
Source: the openat walk of Go's `os.Root` and of `securejoin`, as in openat2(2) RESOLVE_BENEATH.
"""

import errno
import os
import re
import stat
import unicodedata
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Literal

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
_NO_PATH = re.compile("[\0\ud800-\udfff]")
_ANCHORED = re.compile(r"[/\\]|[A-Za-z]:")
_NOT_PORTABLE = frozenset('<>:"|?*\\')
_STAY = "Give a path inside the book's folder, relative to it, such as 'chapters/one.md'."

Folders = Literal["need", "make", "suppose"]
"""What of folders that are missing on the way."""

FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
"""How a folder is opened."""

_MOST_LINKS = 40
_SWAPS = 8
"""How often a name that changes under our hands is looked at anew."""

_CODES = {
    errno.ENOENT: ErrorCode.NOT_FOUND, errno.ENOTDIR: ErrorCode.NOT_FOUND, errno.EACCES: ErrorCode.PERMISSION_DENIED,
    errno.EPERM: ErrorCode.PERMISSION_DENIED, errno.EROFS: ErrorCode.PERMISSION_DENIED,
    errno.ELOOP: ErrorCode.ACCESS_DENIED, errno.EISDIR: ErrorCode.IS_DIRECTORY,
    errno.ENAMETOOLONG: ErrorCode.INVALID_PARAM, errno.EINVAL: ErrorCode.INVALID_PARAM,
    errno.EILSEQ: ErrorCode.INVALID_PARAM,
}  # fmt: skip


def parts_of(path: str) -> list[str]:
    """The names of a path, without empty ones and `.`; `..` stays, for who walks it must count it.

    Raises:
        ToolFailure: The path is absolute, too long, too deep or holds what no path can.
    """
    if _NO_PATH.search(path):
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


@dataclass(frozen=True)
class ReachedPath:
    """Where a path leads, links followed; valid while the `with` that gave it lasts."""

    folder: int
    """Descriptor of the folder it lies in, or of the folder it is."""
    name: str
    """Its name there, never that of a link or a folder; empty where the path is a folder."""
    path: str
    """The path from the root; `.` is the root."""
    found: os.stat_result | None
    """None where nothing is of that name."""

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, which `folder` then holds open."""
        return not self.name


class PathWalk:
    """A walk down from the root, with a descriptor for each folder that was come through."""

    def __init__(self, root: int, prefixes: tuple[str, ...], folders: Folders) -> None:
        self._open = [root]
        self._names: list[str] = []
        self._prefixes = prefixes
        self._folders = folders
        self._looks = 0

    def go(self, names: list[str]) -> ReachedPath:
        """Walk; the last name may be missing, or be anything but a link."""
        waiting = deque(names)
        while waiting:
            name = waiting.popleft()
            if name == "..":
                self._up()
                continue
            found = self._look(name, is_last=not waiting)
            if found is None and self._folders == "suppose":
                return ReachedPath(self._open[-1], [name, *waiting][-1], "/".join([*self._names, name, *waiting]), None)
            if found is None or not (stat.S_ISLNK(found.st_mode) or stat.S_ISDIR(found.st_mode)):
                if waiting:
                    raise NotADirectoryError(errno.ENOTDIR, "no folder", name)
                return ReachedPath(self._open[-1], name, "/".join([*self._names, name]), found)
            if stat.S_ISLNK(found.st_mode):
                waiting.extendleft(reversed(self._target(name)))
            elif not self._down(name):
                waiting.appendleft(name)
        return ReachedPath(self._open[-1], "", "/".join(self._names) or ".", os.fstat(self._open[-1]))

    def close(self) -> None:
        """Let go of every folder."""
        while self._open:
            os.close(self._open.pop())

    def _look(self, name: str, is_last: bool) -> os.stat_result | None:
        for _ in range(_SWAPS):
            with suppress(FileNotFoundError):
                return os.lstat(name, dir_fd=self._open[-1])
            if is_last or self._folders == "suppose":
                return None
            if self._folders == "need":
                break
            with suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=self._open[-1])
        raise FileNotFoundError(errno.ENOENT, "no such folder", name)

    def _down(self, name: str) -> bool:
        """Enter a folder; false where the name is no longer one, so that it has to be looked at again."""
        if len(self._open) > DEEPEST:
            raise OSError(errno.ENAMETOOLONG, "too deep")
        try:
            self._open.append(os.open(name, FOLDER | os.O_NOFOLLOW, dir_fd=self._open[-1]))
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.ENOTDIR, errno.ENOENT, errno.EMLINK) and self._may_look_again():
                return False
            raise
        self._names.append(name)
        return True

    def _target(self, name: str) -> list[str]:
        """The names that a link leads through, from the folder where it lies."""
        if not self._may_look_again():
            raise OSError(errno.ELOOP, "too many links", name)
        try:
            target = os.readlink(name, dir_fd=self._open[-1])
        except OSError as error:
            if error.errno in (errno.EINVAL, errno.ENOENT):
                return [name]
            raise
        if target.startswith("/"):
            target = self._below_root(target)
            while len(self._open) > 1:
                self._up()
        return [part for part in target.split("/") if part not in ("", ".")]

    def _below_root(self, target: str) -> str:
        for prefix in self._prefixes:
            if f"{target}/".startswith(prefix):
                return target[len(prefix) :]
        raise _leaves()

    def _up(self) -> None:
        if not self._names:
            raise _leaves()
        os.close(self._open.pop())
        self._names.pop()

    def _may_look_again(self) -> bool:
        self._looks += 1
        return self._looks <= _MOST_LINKS


@contextmanager
def as_tool_failure(path: str) -> Iterator[None]:
    """Turn what the system says about a path into a failure for the model, without the machine's own paths."""
    try:
        yield
    except OSError as error:
        code = _CODES.get(error.errno or 0, ErrorCode.EXECUTION_ERROR)
        reason = os.strerror(error.errno) if error.errno else type(error).__name__
        advice = {
            ErrorCode.NOT_FOUND: "Use LS or Glob to see what there is.",
            ErrorCode.EXECUTION_ERROR: "The system is at fault, not the call; go on without this file.",
        }.get(code, "Choose another path.")
        raise ToolFailure(code, f"{path[:300]!r}: {reason}.", advice) from None


def _leaves() -> ToolFailure:
    return ToolFailure(
        ErrorCode.ACCESS_DENIED, "The path leads out of the book's folder.", "Stay inside the book's folder."
    )
