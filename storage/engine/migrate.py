"""Brings a database's schema to the version that this code knows."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bookwright.failpoints import Failpoint
from bookwright.models.errors import DatabaseTooNew

if TYPE_CHECKING:  # `version` asks for the revision alone
    from sqlalchemy import Connection

    from bookwright.storage.engine.database import Database

HEAD = "0024"
"""The newest revision; a test holds it to the migrations folder."""

_LOCK = 0x626F6F6B
"""Any number that nobody else locks in the same database."""

_VERSION_TABLE = """CREATE TABLE IF NOT EXISTS alembic_version
(version_num VARCHAR(32) NOT NULL, CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num))"""

_MIGRATIONS = Path(__file__).parents[2] / "migrations"


def current_revision(connection: "Connection") -> str | None:
    """The revision a database stands at; None for an empty one."""
    if not connection.dialect.has_table(connection, "alembic_version"):
        return None
    return connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar_one_or_none()


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
            f"the database stands at revision {revision!r}, unknown to this version; install a newer bookwright"
        )
    with database.write(Failpoint.MIGRATE) as connection:
        if not database.is_sqlite:  # SQLite's write lock keeps a second worker out by itself
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        found = current_revision(connection)  # by now another worker may have done it
        if found is None and database.is_sqlite:  # partial indexes of Postgres stand in migrations alone
            _create(connection)
        elif found != HEAD:
            from alembic import command  # slow to import, and seldom needed in a database's life

            config = _config()
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
    return True


def _create(connection: "Connection") -> None:
    """Make the newest tables at once; a test holds them to what all migrations in a row make on SQLite."""
    for statement in _statements():
        connection.exec_driver_sql(statement)


@cache
def _statements() -> tuple[str, ...]:
    """What makes them on SQLite, and the rows that they begin with; worked out once for all libraries of a process."""
    from sqlalchemy import create_mock_engine
    from sqlalchemy.dialects import sqlite

    from bookwright.storage.tables import metadata

    made, dialect = [_VERSION_TABLE], sqlite.dialect()
    engine = create_mock_engine("sqlite://", lambda each, *_, **__: made.append(str(each.compile(dialect=dialect))))
    metadata.create_all(engine, checkfirst=False)
    counted = "INSERT INTO studio (id, deleted_cost, deleted_tokens) VALUES (1, 0, 0)"
    return *made, counted, f"INSERT INTO alembic_version (version_num) VALUES ('{HEAD}')"


def known_revisions() -> set[str]:
    """Return every revision that this version can read, by bringing it to the newest one."""
    from alembic.script import ScriptDirectory

    return {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}


def _config() -> Any:
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    return config
