"""What all tables are made of: the metadata they belong to, and types of columns that both databases take."""

import sqlalchemy
from sqlalchemy import BigInteger, ColumnElement, Dialect, Integer, MetaData, TypeDecorator, literal_column

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Text(TypeDecorator[str]):
    """Text that every database takes: NUL and lone surrogates are left out or replaced.

    A model may put either into a title or its reasoning, and a paid reply must not be lost for it.
    """

    impl = sqlalchemy.Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Return the text without what Postgres or UTF-8 refuses."""
        if value is None or (value.isascii() and "\x00" not in value):
            return value
        return value.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")


Name = sqlalchemy.Text
"""Text that only the program itself makes: hashes, words of the domain; nothing is to be taken out of it."""

Key = BigInteger().with_variant(Integer, "sqlite")
"""SQLite gives row ids only to INTEGER keys; Postgres wants the wider type."""


def first_rows(count: int) -> ColumnElement[int]:
    """A limit, in the statement itself: SQLite plans it anew whenever a bound limit is bound again."""
    return literal_column(str(count))


ONE = first_rows(1)
