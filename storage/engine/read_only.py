"""Opening the database for somebody who only looks: nothing is created, upgraded or written."""

from contextlib import ExitStack
from typing import Any

from sqlalchemy import event

from bookwright.models.errors import StorageError
from bookwright.models.settings import Settings
from bookwright.storage.engine.database import Database, database_file, open_database
from bookwright.storage.engine.migrate import HEAD, current_revision

_PATIENCE_SECONDS = 1.0
"""How long a look waits for a lock; whoever looks comes again."""


def open_read_only(settings: Settings) -> Database | None:
    """Open the database so that it refuses every write; None where there is none, or nothing is in it yet.

    Raises:
        StorageError: It cannot be reached, or another version of the program wrote it.
    """
    file = database_file(settings)
    if file is not None and not file.exists():
        return None
    hasty = {"busy_seconds": min(settings.busy_seconds, _PATIENCE_SECONDS), "reconnect_seconds": 0.0}
    database = open_database(settings.model_copy(update=hasty))
    _refuse_writes(database)
    with ExitStack() as unless_ours:
        unless_ours.callback(database.dispose)
        with database.read() as connection:
            revision = current_revision(connection)
        if revision is None:
            return None
        if revision != HEAD:
            raise StorageError(
                f"another version wrote this database (revision {revision!r}, this one reads {HEAD!r}); "
                "`bookwright db upgrade` brings an older one up to date"
            )
        unless_ours.pop_all()
    return database


def _refuse_writes(database: Database) -> None:
    statement = "PRAGMA query_only=ON" if database.is_sqlite else "SET default_transaction_read_only = on"

    @event.listens_for(database.engine, "connect")
    def _refuse(connection: Any, _: Any) -> None:
        cursor = connection.cursor()
        cursor.execute(statement)
        cursor.close()
        if not database.is_sqlite:
            connection.commit()
