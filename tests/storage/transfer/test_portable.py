"""What a book's rows are in a file: every table of a book is told, or is listed as one that is made again."""

import pytest

from bookwright.storage.tables import metadata
from bookwright.storage.transfer.portable import LOCAL, MADE_AGAIN, SOFT_REFERENCES, is_number, is_of_a_book, parts

OF_NO_BOOK = {"studio", "paces"}


def test_every_table_of_a_book_is_exported_or_listed_as_made_again() -> None:
    exported = {part.name for part in parts()}

    assert exported | set(MADE_AGAIN) | OF_NO_BOOK == set(metadata.tables)
    assert exported & set(MADE_AGAIN) == set()


def test_every_column_of_an_exported_table_is_told_or_listed_as_local() -> None:
    for part in parts():
        told = {column.name for column in part.columns}
        assert told | LOCAL.get(part.name, frozenset()) | {"book"} >= set(part.table.c.keys()), part.name


def test_every_column_that_may_hold_a_key_is_known_as_one() -> None:
    """A new one belongs to `SOFT_REFERENCES` unless it has a foreign key."""
    unknown = {
        f"{part.name}.{column.name}"
        for part in parts()
        for column in part.columns
        if is_number(column) and column.name != part.key and column.name not in part.references
    }

    assert unknown == set()


def test_what_is_said_of_tables_is_said_of_tables_that_are_there() -> None:
    assert set(MADE_AGAIN) | set(LOCAL) | OF_NO_BOOK <= set(metadata.tables)
    for (table, column), target in SOFT_REFERENCES.items():
        assert is_number(metadata.tables[table].c[column])
        assert target in metadata.tables


def test_a_table_stands_after_those_that_it_refers_to() -> None:
    seen: set[str] = set()
    for part in parts():
        owners = {key.column.table.name for key in part.table.foreign_keys} - {part.name}
        assert owners <= seen, part.name
        seen.add(part.name)


@pytest.mark.parametrize(
    ("table", "is_its"), [("session_messages", True), ("document_inputs", True), ("studio", False)]
)
def test_a_table_is_of_a_book_also_through_another(table: str, is_its: bool) -> None:
    assert is_of_a_book(metadata.tables[table]) is is_its
