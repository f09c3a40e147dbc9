"""The limit: one insert of one reply a transaction, in the settings that this engine uses."""

from collections.abc import Sequence
from pathlib import Path

from bench.peers.ledger import Ledger
from bookwright.storage.engine.sqlite import sqlite_driver


class RawJournal:
    """Replies in the order in which they came, and nothing else."""

    def __init__(self, folder: Path) -> None:
        self._connection = sqlite_driver().connect(str(folder / "raw.db"), isolation_level=None)
        for pragma in ("page_size=8192", "journal_mode=WAL", "synchronous=FULL"):
            self._connection.execute(f"PRAGMA {pragma}")
        self._connection.execute("CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY, key TEXT, reply BLOB)")

    def __len__(self) -> int:
        return int(self._connection.execute("SELECT coalesce(max(id), 0) FROM steps").fetchone()[0])

    def record(self, key: str, reply: str | bytes) -> None:
        """Keep one reply, durably."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.execute("INSERT INTO steps (key, reply) VALUES (?, ?)", (key, reply))
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Fold the log into the file."""
        self._connection.close()


def walk(home: Path, keys: Sequence[str], ledger: Ledger) -> None:
    """Go on behind the last reply."""
    journal = RawJournal(home)
    for key in keys[len(journal) :]:
        journal.record(key, ledger.step(key))
    journal.close()
