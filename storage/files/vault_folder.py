"""A folder of files that are there whole or not at all, and a list of what was put into it.

Nothing is ever written through a link: whatever stands inside is reached step by step from the folder itself.
"""

import json
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from bookwright.storage.files.file_system import lives
from bookwright.storage.vault_rows import VaultMark

OWN = ".bookwright"
"""Where the folder keeps what it knows of itself."""
_LIST, _UNFINISHED = "manifest.jsonl", ".tmp"
_NOFOLLOW, _CLOEXEC = getattr(os, "O_NOFOLLOW", 0), getattr(os, "O_CLOEXEC", 0)
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _NOFOLLOW | _CLOEXEC
_READ = os.O_RDONLY | _NOFOLLOW | getattr(os, "O_NONBLOCK", 0) | _CLOEXEC
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NOFOLLOW | _CLOEXEC
_MORE = os.O_WRONLY | os.O_APPEND | _NOFOLLOW | _CLOEXEC
_LONGEST_READ = 64_000_000


@dataclass(frozen=True)
class ListedPage:
    """A page as it was last put into the folder."""

    path: str
    stamp: str
    seal: str = ""
    """Of what was written."""


class VaultFolder:
    """One book's folder. Paths are relative, with slashes, and hold no `..`.

    What cannot be done raises `OSError` and leaves what was there as it was.
    """

    def __init__(self, root: Path) -> None:
        self.root = root

    def read(self, path: str) -> bytes | None:
        """Return a file's content, None where there is nothing; links are not followed, and other things refused."""
        try:
            with self._parent(path) as (folder, name):
                handle = os.open(name, _READ, dir_fd=folder)
        except FileNotFoundError:
            return None
        with open(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(f"{path!r} is a folder, a pipe or a device, not a file")
            return file.read(_LONGEST_READ)

    def has(self, path: str) -> bool:
        """Tell whether anything has that name."""
        return self._status(path) is not None

    def holds(self, path: str) -> bool:
        """Tell whether anything but an empty file has that name, as a power cut may leave one."""
        found = self._status(path)
        return found is not None and (found.st_size > 0 or not stat.S_ISREG(found.st_mode))

    def write(self, path: str, content: bytes) -> None:
        """Put a file in its place, whole or not at all, over one that is there.

        Not synced to the disk: what a power cut takes is made again.
        """
        beside = f"{os.getpid()}-{secrets.token_hex(6)}{_UNFINISHED}"
        with self._folder((OWN,), make=True) as own, self._parent(path, make=True) as (folder, name):
            try:
                with open(os.open(beside, _NEW, 0o644, dir_fd=own), "wb") as file:
                    file.write(content)
                os.rename(beside, name, src_dir_fd=own, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(beside, dir_fd=own)
                raise

    def remove(self, path: str) -> None:
        """Take a file out, and the folders that are empty without it."""
        with suppress(FileNotFoundError), self._parent(path) as (folder, name):
            os.unlink(name, dir_fd=folder)
        self._drop_empty(path)

    def move(self, path: str, to: str) -> None:
        """Give a file another name that nothing has yet, and take out the folders that are empty without it."""
        with self._parent(path) as (folder, name), self._parent(to, make=True) as (other, wanted):
            if self.holds(to):
                raise OSError(f"{to!r} is there already")
            os.rename(name, wanted, src_dir_fd=folder, dst_dir_fd=other)
        self._drop_empty(path)

    def _drop_empty(self, path: str) -> None:
        """Take out the folders above a file that is gone, as far as nothing else is in them."""
        *parts, _ = path.split("/")
        while parts:
            with suppress(OSError), self._folder(tuple(parts[:-1])) as folder:
                os.rmdir(parts[-1], dir_fd=folder)
            parts.pop()

    def files(self, apart_from: Iterable[str] = ()) -> list[str]:
        """Return all that is no folder, links too, in order; nothing of some top folders, nor of the folder's own."""
        left_out = {OWN, *apart_from}
        found = []
        for folder, folders, files in os.walk(self.root):
            base = Path(folder).relative_to(self.root)
            if base == Path():
                folders[:] = [name for name in folders if name not in left_out]
            links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
            found += [(base / name).as_posix() for name in (*files, *links)]
        return sorted(found)

    def clear_unfinished(self) -> None:
        """Remove what a worker that is gone left half-written."""
        with suppress(FileNotFoundError), self._folder((OWN,)) as own:
            for name in os.listdir(own):
                process = name.partition("-")[0]
                if name.endswith(_UNFINISHED) and process.isdecimal() and not lives(int(process)):
                    os.unlink(name, dir_fd=own)

    def _status(self, path: str) -> os.stat_result | None:
        with suppress(OSError), self._parent(path) as (folder, name):
            return os.stat(name, dir_fd=folder, follow_symlinks=False)
        return None

    @contextmanager
    def _parent(self, path: str, *, make: bool = False) -> Iterator[tuple[int, str]]:
        if not _is_inside(path):
            raise OSError(f"{path!r} leads out of the folder")
        *parts, name = path.split("/")
        with self._folder(tuple(parts), make=make) as folder:
            yield folder, name

    @contextmanager
    def _folder(self, parts: tuple[str, ...], *, make: bool = False) -> Iterator[int]:
        if make:
            self.root.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = os.open(self.root, _FOLDER & ~_NOFOLLOW)  # the way to it is the person's own
        try:
            for part in parts:
                inner = _stepped(handle, part, make=make)
                os.close(handle)
                handle = inner
            yield handle
        finally:
            os.close(handle)


class VaultList:
    """What a folder holds by its book's account, by the pages' keys; kept in the folder, and no loss where it is lost.

    Lines are only added, each change one; a line that was cut off is as if never written. What cannot be kept or
    removed raises `OSError`.
    """

    def __init__(self, folder: VaultFolder, head: str) -> None:
        """Read it; one with another `head`, such as of another format, is as if it were not there."""
        self._folder = folder
        self._head = head
        self.pages: dict[str, ListedPage] = {}
        self.mark = VaultMark()
        self._lines = 0
        with suppress(OSError):
            lines = (folder.read(f"{OWN}/{_LIST}") or b"").splitlines()
            if lines and _value(lines[0]) == {"vault": head}:
                self._lines = len(lines)
                for line in lines[1:]:
                    self._take(_value(line))

    def note(self, pages: dict[str, ListedPage | None], mark: VaultMark) -> None:
        """Keep what was put in or taken out (None), and how far the folder has followed its book."""
        for key, listed in pages.items():
            if listed is None:
                self.pages.pop(key, None)
            else:
                self.pages[key] = listed
        if not pages and mark == self.mark:
            return
        self.mark = mark
        self._lines += len(pages) + 1
        if self._lines > 2 * len(self.pages) + 100 or not self._folder.has(f"{OWN}/{_LIST}"):
            self._write_anew()
        else:
            self._append([*map(_line_of, pages.items()), {"mark": list(mark)}])

    def drop(self) -> None:
        """Remove the list; the folder goes with it where nothing else is in it."""
        self.pages, self.mark = {}, VaultMark()
        self._folder.clear_unfinished()
        self._folder.remove(f"{OWN}/{_LIST}")
        with suppress(OSError):
            os.rmdir(self._folder.root)

    def _take(self, value: dict[str, object]) -> None:
        match value:
            case {"mark": [int(newest), int(record)]}:
                self.mark = VaultMark(newest, record)
            case {"key": str(key), "path": str(path), "stamp": str(stamp), "seal": str(seal)} if _is_inside(path):
                self.pages[key] = ListedPage(path, stamp, seal)
            case {"key": str(key), "path": None}:
                self.pages.pop(key, None)

    def _append(self, values: list[dict[str, object]]) -> None:
        path = self._folder.root / OWN / _LIST
        with open(os.open(path, _MORE), "wb") as file:
            file.write(b"\n" + b"".join(map(_encoded, values)))  # a line that was cut off stays alone

    def _write_anew(self) -> None:
        values: list[dict[str, object]] = [
            {"vault": self._head},
            *map(_line_of, self.pages.items()),
            {"mark": list(self.mark)},
        ]
        self._folder.write(f"{OWN}/{_LIST}", b"".join(map(_encoded, values)))
        self._lines = len(values)


def _is_inside(path: str) -> bool:
    """False for what climbs out of the folder; the list lies where anybody may write."""
    return not any(part in ("", ".", "..") for part in path.split("/"))


def _stepped(handle: int, part: str, *, make: bool) -> int:
    """Open a folder in another."""
    try:
        return os.open(part, _FOLDER, dir_fd=handle)
    except NotADirectoryError:
        raise OSError(f"{part!r} is a link or a file, no folder") from None
    except FileNotFoundError:
        if not make:
            raise
        with suppress(FileExistsError):
            os.mkdir(part, dir_fd=handle)
        return os.open(part, _FOLDER, dir_fd=handle)


def _line_of(item: tuple[str, ListedPage | None]) -> dict[str, object]:
    key, listed = item
    return {"key": key} | (asdict(listed) if listed else {"path": None})


def _encoded(value: dict[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _value(line: bytes) -> dict[str, object]:
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
