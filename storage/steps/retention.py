"""Lets go of prompts that nobody will ask for again, and gives their room back.

Of a book's texts only those go that stand in no other place than the prompts and cards of old steps: a text that is
a reply, a tool's answer, a document, or part of a prompt or card that is kept, stays. Steps keep their rows, with the
hashes of what was asked, so a bill and a history never change.
"""

import shutil
from dataclasses import dataclass

from sqlalchemy import ColumnElement, Connection, and_, delete, false, func, or_, select

from bookwright.failpoints import Failpoint
from bookwright.models.settings import Settings
from bookwright.storage.branches.lineage import of_heirs
from bookwright.storage.engine.database import Database, database_file, database_now
from bookwright.storage.engine.prepared import batches
from bookwright.storage.lease import Lease, holders
from bookwright.storage.tables import documents, steps, texts, tool_uses

_DAY = 86_400.0
_STEPS_AT_ONCE = 1_000

_asked = (steps.c.prompt + " " + func.coalesce(steps.c.card, "")).label("asked")
"""Hashes of a step's prompt, and of the card that it was rendered from."""


@dataclass(frozen=True)
class Keep:
    """Which steps keep their prompts: the newest, the recent, or both."""

    last: int | None = None
    """So many of the newest steps."""
    days: float | None = None
    """Those that were recorded in so many days, by the database's clock."""


@dataclass(frozen=True)
class Freed:
    """What was let go."""

    book: str
    steps: int
    """Steps whose prompt can no longer be shown, or rendered anew, whole."""
    texts: int
    bytes: int
    """As stored, that is compressed."""


def let_go(database: Database, lease: Lease, keep: Keep) -> Freed:
    """Let go of a book's old prompts, a thousand steps at a time, so that other books are not held up.

    Raises:
        LeaseLost: Another worker took the book over; what was let go stays so.
    """
    with database.read() as connection:
        is_kept = _kept_steps(connection, lease.book, keep)
        needed = _needed(connection, lease.book, is_kept)
    freed = Freed(lease.book, 0, 0, 0)
    last = 0
    while True:
        with database.write(Failpoint.PRUNE) as connection:
            lease.fence(connection)
            rows = connection.execute(
                select(steps.c.id, _asked)
                .where(steps.c.book == lease.book, steps.c.id > last, ~is_kept)
                .order_by(steps.c.id)
                .limit(_STEPS_AT_ONCE)
            ).all()
            if not rows:
                return freed
            last = rows[-1].id
            old = {row.id: set(row.asked.split()) - needed for row in rows}
            counts = [_remove(connection, lease.book, some) for some in batches(sorted(set().union(*old.values())))]
        freed = Freed(
            lease.book,
            freed.steps + sum(map(bool, old.values())),
            freed.texts + sum(count for count, _ in counts),
            freed.bytes + sum(size for _, size in counts),
        )


def give_back(database: Database, settings: Settings) -> bool:
    """Return room to the file system, and tell whether that was done.

    SQLite rewrites its file, which takes as much room again for a moment and keeps others from writing; so it
    is left where a book is being written, and the room is used by what is written next. Postgres keeps the
    room for what is written next.
    """
    file = database_file(settings)
    if file is None:
        with database.read() as connection:
            connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql("VACUUM texts")
        return False
    with database.read() as connection:
        is_busy = any(holder.is_alive for holder in holders(connection))
    if is_busy or shutil.disk_usage(file.parent).free < 2 * file.stat().st_size:
        return False
    with database.look() as connection:
        connection.exec_driver_sql("VACUUM")
        connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")
    return True


def _kept_steps(connection: Connection, book: str, keep: Keep) -> ColumnElement[bool]:
    conditions: list[ColumnElement[bool]] = [false()]
    if keep.last:
        newest = select(steps.c.id).where(steps.c.book == book).order_by(steps.c.id.desc()).limit(1)
        first = connection.execute(newest.offset(keep.last - 1)).scalar_one_or_none()
        conditions.append(steps.c.id >= (first or 0))
    if keep.days is not None:
        now = connection.execute(select(database_now())).scalar_one()
        conditions.append(steps.c.recorded_at >= now - keep.days * _DAY)
    return or_(*conditions)


def _needed(connection: Connection, book: str, is_kept: ColumnElement[bool]) -> set[str]:
    """Return the hashes of all texts that must stay, for the book or for its branches."""
    needed: set[str] = set()
    for kept in (steps.c.reply, tool_uses.c.response, documents.c.text_hash, documents.c.data_hash):
        hashes = select(kept).where(of_heirs(kept.table.c.book, book), kept.is_not(None))
        needed.update(connection.execute(hashes).scalars())
    for asked in connection.execute(select(_asked).where(steps.c.book == book, is_kept)).scalars():
        needed.update(asked.split())
    return needed


def _remove(connection: Connection, book: str, hashes: list[str]) -> tuple[int, int]:
    """Remove texts; return how many there were and their size."""
    chosen = and_(texts.c.book == book, texts.c.hash.in_(hashes))
    size = func.coalesce(func.sum(func.length(texts.c.body)), 0)
    count, total = connection.execute(select(func.count(), size).where(chosen)).one()
    if count:
        connection.execute(delete(texts).where(chosen))
    return count, total
