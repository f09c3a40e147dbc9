"""Engines on SQLite and Postgres, with every connection set up the way a book needs it."""

from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.exc import ArgumentError
from sqlalchemy.util import LRUCache

from bookwright.models.errors import InvalidSetting
from bookwright.storage.engine.sqlite import sqlite_driver

LOG_BYTES = 16 * 2**20
"""What the write-ahead log is cut back to; it grows past this only while a reader holds an old state."""

_KEPT_STATEMENTS = 512
"""Statements that a connection keeps compiled. The driver's own 128 are fewer than a walk runs, so that those of every
step were compiled anew each time, which took longer than to run them."""

_PATIENCE = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""Seconds, and tries, after which a server that says nothing is gone; an address may set its own."""

_LEAST_IDLE_SECONDS = 5
"""How long a transaction may be idle on Postgres however short the lease: a busy machine is slow."""

_COMPILED: LRUCache[Any, Any] = LRUCache(1_000)
"""What statements of any engine of this process were compiled to: each page of the studio opens the library anew."""


class CommonSqlite(SQLiteDialect_pysqlite):
    """SQLite's dialect, the same for all engines, so that what was compiled for one of them serves the others."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


registry.register("sqlite.common", __name__, CommonSqlite.__name__)
registry.register("postgresql.common", f"{__package__}.common_postgres", "CommonPostgres")  # imported when used


def sqlite_engine(path: str, busy_seconds: float) -> Engine:
    """Return an engine on a file, or on `:memory:`."""
    # Built, not written: a path may hold what means something else in an address.
    address = URL.create("sqlite+common", database=path)
    driver = sqlite_driver()
    arguments = {"timeout": busy_seconds, "cached_statements": _KEPT_STATEMENTS}
    engine = create_engine(address, module=driver, connect_args=arguments)
    engine.update_execution_options(compiled_cache=_COMPILED)

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _: Any) -> None:
        connection.isolation_level = None  # transactions begin in `Database`, not where the driver guesses
        for pragma in (
            "page_size=8192",  # before the first table: 2 KB texts fill a 4 KB page badly
            "journal_mode=WAL",
            "synchronous=FULL",  # a paid reply is worth one sync
            "foreign_keys=ON",
            f"journal_size_limit={LOG_BYTES}",
        ):
            try:
                connection.execute(f"PRAGMA {pragma}")
            except UnicodeDecodeError:  # what SQLite says of a broken file may quote its broken bytes
                raise driver.DatabaseError("database disk image is malformed") from None

    return engine


def postgres_engine(url: str, lease_seconds: float) -> Engine:
    """Return an engine on a server; `InvalidSetting` is raised where its address cannot be used."""
    try:
        address = make_url(url).set(drivername="postgresql+common")
        own = {name: value for name, value in _PATIENCE.items() if name not in address.query}
        engine = create_engine(address, pool_pre_ping=True, connect_args=own)
        engine.update_execution_options(compiled_cache=_COMPILED)
    except (ArgumentError, ValueError, ImportError) as error:
        raise InvalidSetting(f"the database address cannot be used: {error}") from None

    @event.listens_for(engine, "connect")
    def _configure(connection: Any, _: Any) -> None:
        connection.execute("SET synchronous_commit = on")  # whatever the server's own default is
        # A worker that is stopped in the middle of a write must not keep others out for longer than its lease.
        seconds = max(lease_seconds, _LEAST_IDLE_SECONDS)
        connection.execute(f"SET idle_in_transaction_session_timeout = '{round(seconds)}s'")
        connection.commit()

    return engine
