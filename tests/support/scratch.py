"""Where tests write: into memory if it has the room, since every write of a book is awaited."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM_BYTES = 8 << 30
"""All tests leave some 5 GB behind."""


@contextmanager
def temporary_files(memory: Path = MEMORY, room: int = ROOM_BYTES) -> Iterator[None]:
    """Have all temporary files of this process and its children where they cost least, and none of them stay there.

    Whoever says by TMPDIR where they are to be finds them there, afterwards, too.
    """
    if "TMPDIR" in os.environ or not _has_room(memory, room):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="bookwright-tests-", dir=memory, ignore_cleanup_errors=True) as folder:
        Path(folder).chmod(0o711)  # Postgres, which root may not run, enters as another user
        os.environ["TMPDIR"] = tempfile.tempdir = folder
        try:
            yield
        finally:
            del os.environ["TMPDIR"]
            tempfile.tempdir = None


def _has_room(memory: Path, room: int) -> bool:
    """True if programs can be run from there, too, and there is so much space."""
    if not os.access(memory, os.W_OK):
        return False
    found = os.statvfs(memory)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= room
