"""Texts by content hash, stored once per book, compressed."""

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache

from sqlalchemy import Connection, bindparam, func, select

from bookwright.storage.branches.lineage import ancestors_of, of_lineage
from bookwright.storage.engine.prepared import Prepared, insert_new
from bookwright.storage.tables import ONE, texts

_LEVEL = 3
_WINDOW_BITS = range(10, zlib.MAX_WBITS + 1)
_MOST_MEMORY = 9
_OF_HASH = select(texts.c.body).where(texts.c.hash == bindparam("hash"))
_GET = Prepared(
    select(
        func.coalesce(  # what an origin has is looked for only where the book itself has it not
            _OF_HASH.where(texts.c.book == bindparam("book")).scalar_subquery(),
            _OF_HASH.where(texts.c.book.in_(ancestors_of(bindparam("book")))).limit(ONE).scalar_subquery(),
        )
    )
)


@lru_cache(maxsize=32)
def text_hash(text: str) -> str:
    """The name of a text: 24 hexadecimal digits of its SHA-256 (UTF-8, lone surrogates as they are).

    The last ones are remembered: the steps of an activity have most of their prompts in common.
    """
    return bytes_hash(_encoded(text))


def bytes_hash(encoded: bytes) -> str:
    """The name of a text that is encoded already."""
    return hashlib.sha256(encoded).hexdigest()[:24]


@lru_cache(maxsize=32)
def packed(encoded: bytes) -> bytes:
    """Compress a text. For a short one zlib's own room, which it clears each time, is about as small as the text."""
    bits = min(max(len(encoded).bit_length(), _WINDOW_BITS[0]), _WINDOW_BITS[-1])
    packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, bits, min(bits - 4, _MOST_MEMORY))
    return packer.compress(encoded) + packer.flush()


def unpacked(body: bytes) -> str:
    """Read a stored body."""
    return zlib.decompress(body).decode("utf-8", "surrogatepass")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class TextStore:
    """The texts of one book in one transaction; a branch reads those of its origins, too."""

    def __init__(self, connection: Connection, book: str) -> None:
        self._connection = connection
        self._book = book
        self._stored: set[str] = set()

    def put(self, items: Mapping[str, str]) -> None:
        """Store texts under their hashes; what is there already stays."""
        rows = [
            {"book": self._book, "hash": key, "body": packed(_encoded(text))}
            for key, text in items.items()
            if key not in self._stored  # a reply and the document made of it are one text
        ]
        if rows:
            insert_new(texts, self._connection.dialect.name, *rows[0]).execute(self._connection, rows)
            self._stored.update(items)

    def get(self, key: str) -> str:
        """Return the text of that hash; `KeyError` where it is not stored (its prompt was let go by retention)."""
        body = self._body(key)
        if body is None:
            raise KeyError(key)
        return unpacked(body)

    def _body(self, key: str) -> bytes | None:
        found: bytes | None = _GET.execute(self._connection, {"book": self._book, "hash": key}).scalar_one()
        return found

    def get_many(self, keys: Iterable[str]) -> dict[str, str]:
        """Return the texts of those hashes; unknown ones are left out."""
        wanted = list(dict.fromkeys(keys))
        if len(wanted) < 2:  # one is mostly what is wanted, and has a statement that is there already
            return {key: unpacked(body) for key in wanted if (body := self._body(key)) is not None}
        readable = select(texts.c.hash, texts.c.body).where(of_lineage(texts.c.book, self._book))
        return {key: unpacked(body) for key, body in self._connection.execute(readable.where(texts.c.hash.in_(wanted)))}
