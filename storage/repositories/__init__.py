"""Books, documents, codex, gates and sessions as collections of one transaction."""

from sqlalchemy import Connection


class Repository:
    """Rows of one book in one transaction. Those that every transaction makes do without: a call more is dear there."""

    def __init__(self, connection: Connection, book: str) -> None:
        self._connection = connection
        self._book = book
