"""The whole book as JSON, row by row: one object, whose lines `import` reads again.

After a head come the tables, each after those that it refers to, one row a line; the last line is the SHA-256 of
all bytes before it. Keys are numbers from 1 in each table, so the same book is the same file from every database.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from bookwright.storage.engine import migrate
from bookwright.storage.stores import BookStorage
from bookwright.storage.transfer.portable import Keys, count_rows, parts, rows

FORMAT = "bookwright-book/2"
SUM = "sha256"


def whole_book(storage: BookStorage) -> Iterator[str]:
    """Yield one JSON object line by line: one committed state of the book, whoever writes it meanwhile."""
    digest = hashlib.sha256()
    for line in _lines(storage):
        digest.update(line.encode())
        yield line
    yield f'"{SUM}": "{digest.hexdigest()}"\n}}\n'


def encoded(value: Any) -> str:
    """Return a value on one line."""
    return json.dumps(value, ensure_ascii=False)


def _lines(storage: BookStorage) -> Iterator[str]:
    with storage.database.snapshot() as connection:
        keys = Keys.of(storage.book, connection)
        counts = {part.name: count_rows(part, storage.book, keys, connection) for part in parts()}
        yield "{\n"
        head = {"format": FORMAT, "revision": migrate.HEAD, "book": storage.book, "rows": counts}
        for name, value in head.items():
            yield f'"{name}": {encoded(value)},\n'
        for part in parts():
            yield f'"{part.name}": ['
            separator = "\n"
            for row in rows(part, storage.book, keys, connection):
                yield separator + encoded(row)
                separator = ",\n"
            yield "\n],\n"
