"""What is in a database, to be compared with what a restore makes of it."""

from sqlalchemy import Column, select

from bookwright.models.settings import Settings
from bookwright.storage.engine.database import open_database
from bookwright.storage.tables import metadata

Content = dict[str, list[str]]


def content(settings: Settings) -> Content:
    """All rows of all tables, without what a restore changes on purpose."""
    changed = {"lease_owner", "lease_expires", "lease_token", "state", "reason", "advice"}
    database = open_database(settings)
    with database.read() as connection:
        found = {
            table.name: sorted(
                map(repr, connection.execute(select(*(c for c in table.c if not skipped(c, changed)))).all())
            )
            for table in metadata.sorted_tables
        }
    database.dispose()
    return found


def skipped(column: Column[object], changed: set[str]) -> bool:
    return column.name in changed or (column.table.name, column.name) == ("passages", "id")
