"""The limit: one insert of one reply a transaction, in the settings that this engine uses."""

from collections.abc import Sequence
from pathlib import Path

from bench.peers.ledger import Ledger
from bookwright.storage.database import sqlite_driver


def walk(home: Path, keys: Sequence[str], ledger: Ledger) -> None:
    """Go on behind the last row."""
    connection = sqlite_driver().connect(str(home / "journal.db"), isolation_level=None)
    for pragma in ("page_size=8192", "journal_mode=WAL", "synchronous=FULL"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute("CREATE TABLE IF NOT EXISTS steps (id INTEGER PRIMARY KEY, key TEXT, reply TEXT)")
    done = connection.execute("SELECT count(*) FROM steps").fetchone()[0]
    for key in keys[done:]:
        reply = ledger.step(key)
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO steps (key, reply) VALUES (?, ?)", (key, reply))
        connection.execute("COMMIT")
    connection.close()
