"""Files that their owner alone can read: new ones, those of an older data folder, and which ones others can."""

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from tempfile import NamedTemporaryFile

_OTHERS = 0o077
"""What a mode gives to the group and to everybody."""

_usual_masks: list[int] = []


def keep_private() -> None:
    """Let nobody else read what this process and its children make from here on."""
    _usual_masks.append(os.umask(_OTHERS))


def share(path: Path) -> None:
    """Give a file that a person wants somewhere else the mode that a new file of theirs has."""
    if _usual_masks:
        path.chmod(0o666 & ~_usual_masks[0])


def make_private(folder: Path) -> None:
    """Make a folder that nobody else can look into; close one that is there, with all that lies in it.

    What is not ours to close stays as it is; `doctor` names it.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_open_to_others(folder):
        return
    _close(folder)  # first, so that nobody comes in meanwhile, nor after a crash in the middle
    for path in _inside(folder):
        _close(path)


def write_once(path: Path, text: str) -> str:
    """Put a text into a new private file and return it; where another process was first, return its text."""
    make_private(path.parent)
    with NamedTemporaryFile("w", encoding="utf-8", dir=path.parent) as file:  # private from its first byte
        file.write(text)
        file.flush()
        with suppress(FileExistsError):
            os.link(file.name, path)
    return path.read_text(encoding="utf-8").strip()


def is_open_to_others(path: Path) -> bool:
    """True where somebody but its owner may do something with a file or folder; False for what is not there."""
    with suppress(OSError):
        mode = path.lstat().st_mode
        return os.name == "posix" and not stat.S_ISLNK(mode) and bool(mode & _OTHERS)
    return False


def open_to_others(folder: Path, limit: int) -> list[Path]:
    """Return what others can read of a folder, at most so much; nothing if they cannot even enter it."""
    if not folder.exists() or not is_open_to_others(folder):
        return []
    return list(islice((path for path in _inside(folder) if is_open_to_others(path)), limit)) or [folder]


def _inside(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (Path(place, name) for name in (*folders, *files))


def _close(path: Path) -> None:
    if is_open_to_others(path):
        with suppress(OSError):
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~_OTHERS)
