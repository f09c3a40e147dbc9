"""The whole book as JSON, row by row: one object, whose lines `import` reads again.

After a head come the tables, each after those that it refers to, one row a line; the last line is the SHA-256 of
all bytes before it. Keys are numbers from 1 in each table, so the same book is the same file from every database.
It is read line by line, each checked, and nothing is written before the last one was.
"""

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bookwright.models.book import is_book_id
from bookwright.models.errors import InvalidSetting, UnusableBook
from bookwright.storage.engine import migrate
from bookwright.storage.engine.database import Database
from bookwright.storage.stores import BookStorage
from bookwright.storage.tables import nodes
from bookwright.storage.transfer.portable import BookTable, Keys, count_rows, parts, rows
from bookwright.storage.transfer.row_import import TreeCheck, check_row, take_in

_FORMAT = "bookwright-book/2"
_SUM_BEGIN = b'"sha256": "'
_MOST_BYTES = 64 * 2**20
"""Of one line; a line is one row, and no text of a book comes near that."""
_TABLE = re.compile(rb'"([a-z_]+)": \[\n')
_SUM = re.compile(_SUM_BEGIN + rb'([0-9a-f]{64})"\n')


def whole_book(storage: BookStorage) -> Iterator[str]:
    """Yield one JSON object line by line: one committed state of the book, whoever writes it meanwhile."""
    digest = hashlib.sha256()
    for line in _lines(storage):
        digest.update(line.encode())
        yield line
    yield f'{_SUM_BEGIN.decode()}{digest.hexdigest()}"\n}}\n'


def encoded(value: Any) -> str:
    """Return a value on one line."""
    return json.dumps(value, ensure_ascii=False)


def _lines(storage: BookStorage) -> Iterator[str]:
    with storage.database.snapshot() as connection:
        keys = Keys.of(storage.book, connection)
        counts = {part.name: count_rows(part, storage.book, keys, connection) for part in parts()}
        yield "{\n"
        head = {"format": _FORMAT, "revision": migrate.HEAD, "book": storage.book, "rows": counts}
        for name, value in head.items():
            yield f'"{name}": {encoded(value)},\n'
        for part in parts():
            yield f'"{part.name}": ['
            separator = "\n"
            for row in rows(part, storage.book, keys, connection):
                yield separator + encoded(row)
                separator = ",\n"
            yield "\n],\n"


@dataclass(frozen=True)
class Head:
    """What stands before the rows."""

    revision: str
    book: str
    rows: dict[str, int]


def import_book(path: Path, database: Database, name: str | None = None) -> str:
    """Take the book of a file into a database, under its own id or another; return the id.

    Raises:
        UnusableBook: The file is no exported book, or was cut off or changed.
        InvalidInput: A book of that id is there.
        InvalidSetting: `name` can be no book's id.
    """
    if name is not None and not is_book_id(name):
        raise InvalidSetting(f"{name!r} can be no book's id: small letters, digits and hyphens, 80 at most")
    try:
        with path.open("rb") as file:
            head = _checked(file)
            file.seek(0)
            again = _Reader(file)
            if again.head() != head:
                raise UnusableBook("it was changed while it was read")
            take_in(again.rows(head), head.rows, head.book, name or head.book, database)
    except UnusableBook as error:
        raise UnusableBook(f"{str(path)!r} cannot be imported: {error}") from None
    except OSError as error:
        raise UnusableBook(f"{str(path)!r} cannot be read ({error.strerror or error})") from None
    return name or head.book


def _checked(file: BinaryIO) -> Head:
    """Read the whole file once, without keeping anything of it."""
    reader = _Reader(file)
    head = reader.head()
    counts, tree = dict.fromkeys(head.rows, 0), TreeCheck()
    for part, row in reader.rows(head):
        counts[part.name] = counts.get(part.name, 0) + 1
        try:
            check_row(part, row, counts[part.name], head.rows)
            if part.table is nodes:
                tree.take(row)
        except ValueError as error:
            raise reader.fault(str(error)) from None
    if counts != head.rows:
        name = next(name for name in {**counts, **head.rows} if counts.get(name) != head.rows.get(name))
        raise UnusableBook(f"it has {counts.get(name, 0)} rows of {name} and says {head.rows.get(name, 0)}")
    return head


class _Reader:
    """Reads the lines of one file in order."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self._number = 0
        self._sum = ""
        """Of what stands before the line of the sum."""

    def head(self) -> Head:
        """Read what stands before the rows.

        Raises:
            UnusableBook: It is no head of ours.
        """
        begin = self._file.read(2)
        if begin != b"{\n":
            raise UnusableBook("it is no book that `export --to json` wrote")
        self._digest.update(begin)
        self._number = 1
        values = {name: self._member(name) for name in ("format", "revision", "book", "rows")}
        if values["format"] != _FORMAT:
            raise UnusableBook(f"its format is {str(values['format'])[:40]!r}; this version reads {_FORMAT!r}")
        head = Head(str(values["revision"]), str(values["book"]), values["rows"])
        if head.revision != migrate.HEAD and head.revision not in migrate.known_revisions():
            raise UnusableBook(f"a newer version wrote it (revision {head.revision[:20]!r}); install that one")
        known = {part.name for part in parts()}
        counts = head.rows if isinstance(head.rows, dict) else {"": 0}
        if not all(name in known and type(count) is int and count >= 0 for name, count in counts.items()):
            raise self.fault("its rows are of tables that this version does not know")
        if not is_book_id(head.book):
            raise self.fault(f"{head.book[:40]!r} can be no book's id")
        return head

    def rows(self, head: Head) -> Iterator[tuple[BookTable, dict[str, Any]]]:
        """Yield every row with its table; the end is checked against the sum.

        Raises:
            UnusableBook: A line is not what it should be, or the file was cut off or changed.
        """
        by_name = {part.name: part for part in parts() if part.name in head.rows}
        while table := _TABLE.fullmatch(line := self._line()):
            part = by_name.pop(table[1].decode(), None)
            if part is None:
                raise self.fault("a table comes twice, or is none of a book")
            while (line := self._line()) != b"],\n":
                yield part, self._row(line)
        self._end(line)

    def _end(self, line: bytes) -> None:
        told = _SUM.fullmatch(line)
        if told is None:
            raise self.fault("it is not laid out as it was written")
        if told[1].decode() != self._sum or self._line() != b"}\n" or self._file.read(1):
            raise UnusableBook("its sum is not the one at its end; it was changed after it was written")

    def _row(self, line: bytes) -> dict[str, Any]:
        value = self._read(line.removesuffix(b"\n").removesuffix(b","))
        if not isinstance(value, dict):
            raise self.fault("it is no row")
        return value

    def _member(self, name: str) -> Any:
        value = self._read(b"{" + self._line().removesuffix(b",\n") + b"}")
        if not isinstance(value, dict) or list(value) != [name]:
            raise self.fault(f"{name!r} is missing")
        return value[name]

    def _read(self, piece: bytes) -> Any:
        try:
            return json.loads(piece)
        except (ValueError, RecursionError):
            raise self.fault("it is no JSON, or not laid out as it was written") from None

    def _line(self) -> bytes:
        line = self._file.readline(_MOST_BYTES)
        self._number += 1
        if not line.endswith(b"\n"):
            is_cut = len(line) < _MOST_BYTES
            raise self.fault("the file ends here; it was cut off" if is_cut else "it is too long for a row")
        if line.startswith(_SUM_BEGIN):
            self._sum = self._digest.hexdigest()
        self._digest.update(line)
        return line

    def fault(self, complaint: str) -> UnusableBook:
        """Return what is to be raised about the line that was read last."""
        return UnusableBook(f"line {self._number}: {complaint}")
