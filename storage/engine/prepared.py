"""Statements that every step runs: compiled once and given to SQLite's driver itself.

SQLAlchemy's way to a statement and back takes longer than SQLite's own work.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from sqlalchemy import Connection, Result, Select
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine.result import IteratorResult, SimpleResultMetaData
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.schema import ScalarElementColumnDefault
from sqlalchemy.types import TypeEngine

Values = Mapping[str, Any]
_Take = Callable[[Any], Any] | None
"""What a type makes of a value on its way; None where it leaves it as it is."""


class Prepared:
    """A statement whose values all come from outside.

    Where something listens to the statements of its engine, SQLAlchemy runs it, so that whoever listens hears of
    it as of any other. Prepared for SQLite alone: on a server the way there costs more than all of this.
    """

    def __init__(self, statement: Select[Any] | UpdateBase, *columns: str) -> None:
        """Take a statement; `columns` are those that an insert gets values for."""
        self._statement = statement
        self._columns = columns

    def execute(self, connection: Connection, values: Values | Sequence[Values]) -> Result[Any]:
        """Run it with one set of values, or with several."""
        if connection.dialect.name != sqlite.dialect.name:
            return connection.execute(self._statement, values)
        if isinstance(values, Mapping):
            rows = through_driver(connection, self._text, self._bound(values))
        else:
            rows = through_driver(connection, self._text, [self._bound(each) for each in values])
        return IteratorResult(self._names, iter(rows if self._takes_out is None else map(self._takes_out, rows)))

    def _bound(self, values: Values) -> tuple[Any, ...]:
        filled = {**self._own, **values}
        names, takes = self._slots
        bound = [filled[name] for name in names]
        for place, take in takes:
            bound[place] = take(bound[place])
        return tuple(bound)

    @cached_property
    def _compiled(self) -> SQLCompiler:
        made = self._statement.compile(dialect=sqlite.dialect(), column_keys=self._columns or None)
        assert isinstance(made, SQLCompiler)
        return made

    @cached_property
    def _text(self) -> str:
        return str(self._compiled)

    @cached_property
    def _own(self) -> dict[str, Any]:
        """What stands in the statement itself, or as a default in its table, by name."""
        told = {name: bind.value for name, bind in self._compiled.binds.items() if not bind.required}
        defaults = ((column.key, column.default) for column in self._compiled.insert_prefetch)
        return told | {
            name: default.arg for name, default in defaults if isinstance(default, ScalarElementColumnDefault)
        }

    @cached_property
    def _slots(self) -> tuple[list[str], list[tuple[int, Callable[[Any], Any]]]]:
        """The value's name for each place of the statement; and the places where its type makes something of it."""
        made, dialect = self._compiled, sqlite.dialect()
        names = list(made.positiontup or ())
        takes = [made.binds[name].type.dialect_impl(dialect).bind_processor(dialect) for name in names]
        return names, [(place, take) for place, take in enumerate(takes) if take is not None]

    @cached_property
    def _names(self) -> SimpleResultMetaData:
        return SimpleResultMetaData([str(name) for name in self._statement.exported_columns.keys()])  # noqa: SIM118

    @cached_property
    def _takes_out(self) -> Callable[[Sequence[Any]], Sequence[Any]] | None:
        """What makes a row of what the driver reads; None where nothing has to be made of any value."""
        takes = [_out_of(column.type) for column in self._statement.exported_columns]
        if not any(takes):
            return None
        return lambda row: [value if take is None else take(value) for value, take in zip(row, takes, strict=True)]


def through_driver(connection: Connection, text: str, values: Any = ()) -> Sequence[Sequence[Any]]:
    """Run a statement by its text and return its rows; `values` is a tuple, or a list of them to run it with each."""
    if connection.dispatch.before_cursor_execute or connection.dispatch.after_cursor_execute:
        heard = connection.exec_driver_sql(text, values or None)
        return heard.fetchall() if heard.returns_rows else ()
    driver = connection.connection
    try:
        cursor = driver.cursor()
        if isinstance(values, list):
            cursor.executemany(text, values)
            return ()
        cursor.execute(text, values)
        return cursor.fetchall()
    except connection.dialect.loaded_dbapi.Error as error:  # told as SQLAlchemy tells it
        known = connection.dialect.loaded_dbapi.Error
        raise DBAPIError.instance(text, values, error, known, dialect=connection.dialect) from error


def _out_of(type_: TypeEngine[Any]) -> _Take:
    dialect = sqlite.dialect()
    return type_.dialect_impl(dialect).result_processor(dialect, None)
