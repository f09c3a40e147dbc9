"""Statements that every step runs: compiled once, since SQLAlchemy's way to one takes longer than SQLite's own work."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, CursorResult, Executable
from sqlalchemy.dialects import sqlite
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.elements import ClauseElement

Values = Mapping[str, Any]


class Prepared:
    """A statement whose values all come from outside; events of the engine hear of it as of any other.

    Prepared for SQLite alone: on a server the way there costs more than all of this.
    """

    def __init__(self, statement: Executable, *columns: str) -> None:
        """Take a statement; `columns` are those that an insert gets values for."""
        self._statement = statement
        self._columns = columns

    def execute(self, connection: Connection, values: Values | Sequence[Values]) -> CursorResult[Any]:
        """Run it with one set of values, or with several."""
        if connection.dialect.name != sqlite.dialect.name:
            return connection.execute(self._statement, values)
        given = (self._bound(values),) if isinstance(values, Mapping) else tuple(map(self._bound, values))
        return connection.exec_driver_sql(self._text, given[0] if len(given) == 1 else list(given))

    def _bound(self, values: Values) -> tuple[Any, ...]:
        filled = self._own | dict(values)
        return tuple(filled[name] if take is None else take(filled[name]) for name, take in self._slots)

    @cached_property
    def _compiled(self) -> SQLCompiler:
        assert isinstance(self._statement, ClauseElement)
        made = self._statement.compile(dialect=sqlite.dialect(), column_keys=self._columns or None)
        assert isinstance(made, SQLCompiler)
        return made

    @cached_property
    def _text(self) -> str:
        return str(self._compiled)

    @cached_property
    def _own(self) -> dict[str, Any]:
        """What stands in the statement itself, by name."""
        return {name: bind.value for name, bind in self._compiled.binds.items() if not bind.required}

    @cached_property
    def _slots(self) -> list[tuple[str, Callable[[Any], Any] | None]]:
        """For each place of the statement: the value's name, and what its type makes of it."""
        made, dialect = self._compiled, sqlite.dialect()
        types = {name: bind.type.dialect_impl(dialect) for name, bind in made.binds.items()}
        return [(name, types[name].bind_processor(dialect)) for name in made.positiontup or ()]
