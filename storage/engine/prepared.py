"""Statements that every step runs: compiled once and given to SQLite's driver itself; batches for those of many rows.

SQLAlchemy's way to a statement and back takes longer than SQLite's own work.
"""

import json
import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, cached_property, partial
from importlib import import_module
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Select, Table
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.schema import ScalarElementColumnDefault

Values = dict[str, Any]
_LIST = re.compile(r"\(__\[POSTCOMPILE_\w+\]\)")
"""What SQLAlchemy puts where a list is to come. SQLite reads one as JSON, so that the text is one for any length."""

_Item = TypeVar("_Item")


class Rows(list[Any]):
    """What a statement returned, all of it; a row is a tuple whose values go by the names of their columns, too.

    Who asks for the only row gets a `ValueError` where there are others, or none.
    """

    def first(self) -> Any:
        """Return the first row; None where there is none."""
        return self[0] if self else None

    def one(self) -> Any:
        """Return the only row."""
        (row,) = self
        return row

    def scalar_one(self) -> Any:
        """Return the first value of the only row."""
        return self.one()[0]


class Prepared:
    """A statement whose values all come from outside; an expanding one is a list.

    Where something listens to the statements of its engine, SQLAlchemy runs it, so that whoever listens hears of
    it as of any other. Prepared for SQLite alone: on a server the way there costs more than all of this.
    """

    def __init__(self, statement: Select[Any] | UpdateBase, *columns: str) -> None:
        """Take a statement; `columns` are those that an insert gets values for."""
        self._statement = statement
        self._columns = columns

    def execute(self, connection: Connection, values: Values | Sequence[Values]) -> Rows:
        """Run it with one set of values, or with several."""
        if connection.dialect.name != sqlite.dialect.name:
            found = connection.execute(self._statement, values)
            return Rows(found if found.returns_rows else ())
        if isinstance(values, dict):
            rows = through_driver(connection, self._text, self._bound(values))
        else:
            rows = through_driver(connection, self._text, [self._bound(each) for each in values])
        return Rows(map(self._row, rows))

    def _bound(self, values: Values) -> tuple[Any, ...]:
        filled = {**self._own, **values} if self._own or self._takes_in else values
        for name, take in self._takes_in.items():
            filled[name] = take(filled[name])
        return tuple([filled[name] for name in self._places])

    @cached_property
    def _compiled(self) -> SQLCompiler:
        made = self._statement.compile(dialect=sqlite.dialect(), column_keys=self._columns or None)
        assert isinstance(made, SQLCompiler)
        return made

    @cached_property
    def _text(self) -> str:
        return _LIST.sub("(SELECT value FROM json_each(?))", str(self._compiled))

    @cached_property
    def _own(self) -> dict[str, Any]:
        """What stands in the statement itself, or as a default in its table, by name."""
        told = {name: bind.value for name, bind in self._compiled.binds.items() if not bind.required}
        defaults = ((column.key, column.default) for column in self._compiled.insert_prefetch)
        return told | {
            name: default.arg for name, default in defaults if isinstance(default, ScalarElementColumnDefault)
        }

    @cached_property
    def _places(self) -> list[str]:
        """The value's name for each place of the statement."""
        return list(self._compiled.positiontup or ())

    @cached_property
    def _takes_in(self) -> dict[str, Callable[[Any], Any]]:
        """The values of which their types make something, by name."""
        made, dialect = self._compiled, sqlite.dialect()
        takes = ((name, made.binds[name].type.dialect_impl(dialect).bind_processor(dialect)) for name in self._places)
        lists: dict[str, Any] = {name: json.dumps for name, bind in made.binds.items() if bind.expanding}
        return {name: take for name, take in takes if take is not None} | lists

    @cached_property
    def _row(self) -> Callable[[Iterable[Any]], tuple[Any, ...]]:
        """What makes a row of what the driver reads."""
        columns, dialect = self._statement.exported_columns, sqlite.dialect()
        make = partial(tuple.__new__, namedtuple("Row", map(str, columns.keys()), rename=True))
        made = (column.type.dialect_impl(dialect).result_processor(dialect, None) for column in columns)
        takes = [(place, take) for place, take in enumerate(made) if take is not None]

        def converted(read: Iterable[Any]) -> tuple[Any, ...]:
            row = list(read)
            for place, take in takes:
                row[place] = take(row[place])
            return make(row)

        return converted if takes else make


def through_driver(connection: Connection, text: str, values: Any = ()) -> Sequence[Sequence[Any]]:
    """Run a statement by its text and return its rows; `values` is a tuple, or a list of them to run it with each."""
    listeners = connection.engine.dispatch
    if listeners.before_cursor_execute or listeners.after_cursor_execute:
        heard = connection.exec_driver_sql(text, values or None)
        return heard.fetchall() if heard.returns_rows else ()
    cursor = connection.connection.cursor()
    try:
        if isinstance(values, list):
            cursor.executemany(text, values)
            return ()
        cursor.execute(text, values)
        return cursor.fetchall()
    except connection.dialect.loaded_dbapi.Error as error:  # told as SQLAlchemy tells it
        known = connection.dialect.loaded_dbapi.Error
        raise DBAPIError.instance(text, values, error, known, dialect=connection.dialect) from error


@cache
def insert_new(table: Table, dialect: str, *columns: str) -> Prepared:
    """A statement that gives rows these columns and leaves those that are there, for one of the two databases."""
    module = import_module(f"sqlalchemy.dialects.{dialect}")  # the other's drivers need not be there
    return Prepared(module.insert(table).on_conflict_do_nothing(), *columns)


def batches(items: Iterable[_Item], size: int = 500) -> Iterator[list[_Item]]:
    """Yield the items in order, at most `size` at a time."""
    rest = iter(items)
    while batch := list(islice(rest, size)):
        yield batch
