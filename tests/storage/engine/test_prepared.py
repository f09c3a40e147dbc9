"""A statement that is prepared does what the same statement does unprepared."""

from collections.abc import Iterator

import pytest
from sqlalchemy import (
    Connection,
    Integer,
    MetaData,
    Table,
    bindparam,
    create_engine,
    event,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError
from sqlalchemy.schema import Column

from bookwright.storage.engine.prepared import Prepared
from bookwright.storage.tables.columns import Text

_NOTES = Table(
    "notes", MetaData(), Column("id", Integer, primary_key=True), Column("note", Text), Column("n", Integer),
    Column("kind", Text, default="plain"),
)  # fmt: skip
_ADD = Prepared(insert(_NOTES).values(n=7).returning(_NOTES.c.id), "note")


@pytest.fixture
def connection() -> Iterator[Connection]:
    """An empty table."""
    engine = create_engine("sqlite://")
    _NOTES.metadata.create_all(engine)
    with engine.connect() as connection:
        yield connection


def test_values_go_through_their_types_and_others_stand_in_the_statement(connection: Connection) -> None:
    found = _ADD.execute(connection, {"note": "a\x00b\ud800"}).scalar_one()

    assert connection.execute(select(_NOTES)).all() == [(found, "ab?", 7, "plain")]


def test_several_sets_of_values_are_written_at_once(connection: Connection) -> None:
    heard: list[bool] = []
    event.listen(connection.engine, "before_cursor_execute", lambda *call: heard.append(call[5]))
    Prepared(insert(_NOTES), "note").execute(connection, [{"note": "a"}, {"note": "b"}])

    assert heard == [True]
    assert connection.execute(select(_NOTES.c.note).order_by(_NOTES.c.id)).scalars().all() == ["a", "b"]


def test_rows_are_the_same_whether_somebody_listens_or_not(connection: Connection) -> None:
    notes = Prepared(select(_NOTES, literal(True).label("is_told")).where(_NOTES.c.n == bindparam("n")))
    _ADD.execute(connection, {"note": "a"})
    unheard = notes.execute(connection, {"n": 7})
    heard: list[str] = []
    event.listen(connection.engine, "before_cursor_execute", lambda *call: heard.append(call[2]))

    assert notes.execute(connection, {"n": 7}) == unheard
    assert [row._asdict() for row in unheard] == [{"id": 1, "note": "a", "n": 7, "kind": "plain", "is_told": True}]
    assert unheard[0].is_told is True
    assert len(heard) == 1


def test_what_the_table_gives_by_default_is_given(connection: Connection) -> None:
    Prepared(insert(_NOTES), "note").execute(connection, {"note": "a"})

    assert connection.execute(select(_NOTES.c.kind)).scalar_one() == "plain"


def test_an_error_of_the_driver_is_told_as_sqlalchemy_tells_it(connection: Connection) -> None:
    add = Prepared(insert(_NOTES), "id", "note")
    add.execute(connection, {"id": 1, "note": "a"})

    with pytest.raises(IntegrityError, match="UNIQUE constraint failed"):
        add.execute(connection, {"id": 1, "note": "b"})


def test_a_value_that_is_missing_is_not_taken_for_none(connection: Connection) -> None:
    statement = update(_NOTES).where(_NOTES.c.id == bindparam("at")).values(n=bindparam("number"))

    with pytest.raises(KeyError):
        Prepared(statement).execute(connection, {"at": 1})


@pytest.mark.parametrize("ids", [[], [1], [3, 1]])
def test_a_list_of_values_may_be_of_any_length(connection: Connection, ids: list[int]) -> None:
    Prepared(insert(_NOTES), "note").execute(connection, [{"note": note} for note in "abc"])
    some = _NOTES.c.id.in_(bindparam("ids", expanding=True)) & _NOTES.c.note.in_(bindparam("notes", expanding=True))
    own = (_NOTES.c.kind == bindparam("kind"), _NOTES.c.id.in_([1, 3, 9]))
    notes = Prepared(select(_NOTES.c.id).where(some, *own).order_by(_NOTES.c.id))
    values = {"kind": "plain", "ids": ids, "notes": ["c", "a"]}

    assert [row.id for row in notes.execute(connection, values)] == sorted(ids)
