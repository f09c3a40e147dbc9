"""Files that are there whole or not at all, processes that left some unfinished, room, and kinds of mounts."""

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bookwright.failpoints import Failpoint, around
from bookwright.models.errors import DiskFull, InvalidSetting

NETWORK = frozenset(
    "nfs nfs4 cifs smb3 smbfs afs ncpfs ceph glusterfs lustre beegfs gpfs orangefs ocfs2 davfs davfs2 vboxsf prl_fs "
    "fuse.sshfs fuse.glusterfs fuse.ceph fuse.davfs fuse.davfs2 fuse.rclone fuse.s3fs fuse.gcsfuse fuse.goofys "
    "fuse.vmhgfs-fuse fuse.blobfuse fuse.blobfuse2 fuse.juicefs".split()
)
"""Kinds of mounts whose memory two hosts do not share, which SQLite's log needs. Source: sqlite.org/wal.html."""

UNSURE = frozenset({"9p", "virtiofs", "drvfs", "fuse", "fuseblk"})
"""Kinds that pass a host's files through: good enough for one machine, not vouched for."""

VOLATILE = frozenset({"tmpfs", "ramfs"})
"""Kinds that a restart of the machine empties."""

_MOUNTS = Path("/proc/mounts")

_PART = ".bookwright.part"
_PARTS = re.compile(
    rf"\..+\.(?P<process>\d{{1,9}}){re.escape(_PART)}(-wal|-shm|-journal)?"
    r"|\.(bookwright.*|[a-z0-9][a-z0-9-]*\.(md|txt|html|epub|docx|json))\.(?P<process_before>\d{1,9})\.part(-.*)?"
)
"""Names of unfinished files, and as earlier versions called theirs."""


@dataclass(frozen=True)
class Mount:
    """Where a file system is mounted, and of which kind it is."""

    point: str
    kind: str


def require_local(path: Path, mounts: str) -> None:
    """Raise `InvalidSetting` if a path lies on a network."""
    mount = mount_of(path, mounts)
    if mount is not None and mount.kind in NETWORK:
        raise InvalidSetting(
            f"the database {str(path)!r} would lie on a network ({mount.kind} at {mount.point}), where SQLite loses "
            "data; set BOOKWRIGHT_HOME to a folder of this machine, or BOOKWRIGHT_DATABASE_URL to a Postgres server"
        )


def read_mounts() -> str:
    """Return the kernel's list of mounts; empty where there is none to read."""
    try:
        return _MOUNTS.read_text(encoding="utf-8", errors="surrogateescape")
    except OSError:
        return ""


def mount_of(path: Path, mounts: str) -> Mount | None:
    """Return the mount that a path lies on; None if the list does not say. Of two at one point the later counts."""
    wanted = path.resolve()
    lines = (line.split() for line in reversed(mounts.splitlines()))
    found = (Mount(_unescaped(fields[1]), fields[2]) for fields in lines if len(fields) >= 3)
    above = {str(wanted), *map(str, wanted.parents)}
    holding = (mount for mount in found if mount.point in above)
    return max(holding, key=lambda mount: len(mount.point), default=None)


def dated(path: Path, word: str) -> Path:
    """Return a free name beside a file: `bookwright.db.replaced-20260131-235959`."""
    stem = f"{path.name}.{word}-{time.strftime('%Y%m%d-%H%M%S')}"
    names = (path.with_name(stem if number == 1 else f"{stem}-{number}") for number in range(1, 1_000))
    return next(name for name in names if not name.exists())


@contextmanager
def whole(path: Path, point: Failpoint) -> Iterator[Path]:
    """Hand out a temporary file beside `path`, and move it there once it is on the disk; `point` names the move."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with scratch(path) as unfinished:
        yield unfinished
        sync(unfinished)
        with around(point):
            unfinished.replace(path)
        if os.name == "posix":  # elsewhere a folder cannot be opened
            sync(path.parent)


@contextmanager
def scratch(path: Path) -> Iterator[Path]:
    """Hand out the name of a temporary file beside `path`; what it leaves is removed, as is what a killed one left."""
    for left in path.parent.glob(".*.part*"):
        _remove_if_orphaned(left)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}{_PART}")
    try:
        yield unfinished
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Make sure that a file, or the names in a folder, outlive a power cut."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def require_room(folder: Path, size: int) -> None:
    """Raise `DiskFull` unless so many bytes can be written, before anything is."""
    free = shutil.disk_usage(folder).free
    if free < size:
        raise DiskFull(f"{size // 2**20 + 1:,} MB are needed in {str(folder)!r} and {free // 2**20:,} MB are free")


def _remove_if_orphaned(path: Path) -> None:
    """Remove a part of ours, of whatever file, whose process has died; another program's is left alone."""
    found = _PARTS.fullmatch(path.name)
    if found is None:
        return
    process = int(found["process"] or found["process_before"])
    if process != os.getpid() and not lives(process):
        path.unlink(missing_ok=True)


def _unescaped(field: str) -> str:
    """Undo how /proc/mounts writes blanks: as a backslash and three octal digits."""
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), field)


def lives(process: int) -> bool:
    """True if it runs, and where that cannot be asked."""
    if os.name != "posix":
        return True  # elsewhere signal 0 is no mere question
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass  # another user's
    return True
