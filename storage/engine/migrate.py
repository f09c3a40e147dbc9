"""Brings a database's schema to the version that this code knows."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookwright.failpoints import Failpoint
from bookwright.models.errors import DatabaseTooNew

if TYPE_CHECKING:  # `version` asks for the revision alone
    from sqlalchemy import Connection

    from bookwright.storage.engine.database import Database

HEAD = "0023"
"""The newest revision; a test holds it to the migrations folder."""

_LOCK = 0x626F6F6B
"""Any number that nobody else locks in the same database."""

_MIGRATIONS = Path(__file__).parents[2] / "migrations"


def current_revision(connection: "Connection") -> str | None:
    """The revision a database stands at; None for an empty one."""
    from sqlalchemy import column, inspect, select, table

    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(select(column("version_num")).select_from(table("alembic_version"))).scalar_one_or_none()


def upgrade(database: "Database") -> bool:
    """Create or upgrade the schema; tell whether anything was done. Safe to call at every start.

    Raises:
        DatabaseTooNew: A newer version of the program wrote this database.
    """
    with database.read() as connection:
        revision = current_revision(connection)
    if revision == HEAD:
        return False
    if revision is not None and revision not in known_revisions():
        raise DatabaseTooNew(
            f"the database stands at revision {revision!r}, which this version does not know; "
            "install a newer bookwright"
        )
    from alembic import command  # slow to import, and needed once in a database's life
    from sqlalchemy import func, select

    config = _config()
    with database.write(Failpoint.MIGRATE) as connection:
        if not database.is_sqlite:  # SQLite's write lock keeps a second worker out by itself
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
    return True


def known_revisions() -> set[str]:
    """Return every revision that this version can read, by bringing it to the newest one."""
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def _config() -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config
