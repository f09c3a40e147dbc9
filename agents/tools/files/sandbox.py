"""The sandbox: one folder whose files tools may reach, and no others."""

import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from pathlib import Path

from bookwright.agents.tools.files.paths import FOLDER, Folders, PathWalk, ReachedPath, as_tool_failure, parts_of
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

TEMPORARY = ".bookwright-"
"""What the names of half-written files begin with."""

_NEAR_AMONG = 2_000
_FILE = os.O_RDONLY | sum(getattr(os, name, 0) for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC"))


class Sandbox:
    """One folder, the files of which can be reached and no others."""

    def __init__(self, root: Path) -> None:
        """`root` exists; links on the way to it are the person's own and are trusted."""
        self.root = root
        self._prefixes = tuple({str(root).rstrip("/") + "/", os.path.realpath(root).rstrip("/") + "/"})

    @contextmanager
    def place(self, path: str, *, folders: Folders = "need") -> Iterator[ReachedPath]:
        """Go where a path leads. Missing folders on the way are an error, are made, or are supposed to be made.

        Raises:
            ToolFailure: The path leaves the vault, leads through what is no folder, or cannot be gone.
        """
        names = parts_of(path)
        with as_tool_failure(path):
            walk = PathWalk(os.open(self.root, FOLDER), self._prefixes, folders)
        try:
            with as_tool_failure(path):
                place = walk.go(names)
            yield place
        finally:
            walk.close()

    @contextmanager
    def file(self, path: str) -> Iterator[tuple[int, ReachedPath]]:
        """Open a regular file to read. Devices, pipes and sockets are refused and never waited for.

        Raises:
            ToolFailure: There is none, it is a folder or no regular file, or it cannot be opened.
        """
        with self.place(path) as place:
            if place.is_folder:
                advice = "Use LS to see what is in it."
                raise ToolFailure(ErrorCode.IS_DIRECTORY, f"{path!r} is a folder.", advice, path_resolved=place.path)
            if place.found is None:
                raise _missing(path, place)
            _check_regular(path, place.found)
            with as_tool_failure(path):
                descriptor = os.open(place.name, _FILE, dir_fd=place.folder)
            try:
                _check_regular(path, os.fstat(descriptor))
                yield descriptor, place
            finally:
                os.close(descriptor)

    @contextmanager
    def folder(self, path: str) -> Iterator[ReachedPath]:
        """Open a folder.

        Raises:
            ToolFailure: There is none, or it is no folder.
        """
        with self.place(path) as place:
            if place.found is None:
                raise _missing(path, place)
            if not place.is_folder:
                advice = "Give the folder that it lies in."
                raise ToolFailure(ErrorCode.INVALID_PARAM, f"{path!r} is no folder.", advice, path_resolved=place.path)
            yield place

    def replace(self, path: str, place: ReachedPath, content: bytes) -> None:
        """Write a file whole or not at all: beside it first, then under its name.

        Raises:
            ToolFailure: Something else stands there, the file changed since `place` was found, or it cannot be kept.
        """
        mode = stat.S_IMODE(place.found.st_mode) if place.found else 0o644
        beside = f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
        with as_tool_failure(path):
            try:
                _write_new(beside, place.folder, content, mode)
                _check_unchanged(path, place)
                os.rename(beside, place.name, src_dir_fd=place.folder, dst_dir_fd=place.folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(beside, dir_fd=place.folder)
                raise


def kind_of(found: os.stat_result) -> str:
    """`file`, `dir`, `link`, or `other` for devices, pipes and sockets."""
    kinds = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(found.st_mode), "other")


def _check_regular(path: str, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        message = f"{path!r} is a device, a pipe or a socket, not a file."
        raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Choose a regular file.")


def _check_unchanged(path: str, place: ReachedPath) -> None:
    try:
        now: os.stat_result | None = os.lstat(place.name, dir_fd=place.folder)
    except FileNotFoundError:
        now = None
    if _version(now) != _version(place.found):
        message = f"{path!r} was changed by somebody else meanwhile; nothing was written."
        raise ToolFailure(ErrorCode.CONFLICT, message, "Read it again, then write.", path_resolved=place.path)


def _version(found: os.stat_result | None) -> tuple[int, ...] | None:
    return found and (found.st_ino, found.st_mtime_ns, found.st_size, stat.S_IFMT(found.st_mode))


def _write_new(name: str, folder: int, content: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with open(os.open(name, flags, mode, dir_fd=folder), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _missing(path: str, place: ReachedPath) -> ToolFailure:
    names: list[str] = []
    with suppress(OSError), os.scandir(place.folder) as entries:
        names = [entry.name for entry, _ in zip(entries, range(_NEAR_AMONG), strict=False)]
    near = get_close_matches(place.name, names, n=1)
    hint = f"Did you mean {'/'.join([*place.path.split('/')[:-1], *near])!r}? " if near else ""
    advice = f"{hint}Use LS or Glob to see what there is."
    return ToolFailure(ErrorCode.NOT_FOUND, f"There is no {path!r}.", advice, path_resolved=place.path)
