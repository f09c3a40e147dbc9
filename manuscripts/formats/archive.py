"""Opening what is a ZIP file inside (EPUB, Word), with bounds: nothing is unpacked to disk, nothing without end."""

import lzma
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bookwright.models.errors import InvalidInput

MOST_PARTS = 20_000
MOST_UNPACKED = 400 * 2**20
"""Bytes of all the parts that are read; pictures are not."""
MOST_OF_ONE = 64 * 2**20
_IS_ENCRYPTED = 0x1
_DAMAGED = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, OSError, ValueError, zlib.error, lzma.LZMAError,
)  # fmt: skip


class Archive:
    """The parts of one file by their names."""

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._parts = {posixpath.normpath(info.filename): info for info in file.infolist()}
        self._left = MOST_UNPACKED

    def __contains__(self, name: str) -> bool:
        return posixpath.normpath(name) in self._parts

    def read(self, name: str) -> bytes:
        """Return one part.

        Raises:
            InvalidInput: It is not there, encrypted, damaged, or larger than any text.
        """
        info = self._parts.get(posixpath.normpath(name))
        if info is None:
            raise InvalidInput(f"its part {name!r} is missing")
        if info.flag_bits & _IS_ENCRYPTED:
            raise InvalidInput("it is encrypted; import a copy without protection")
        try:
            with self._file.open(info) as part:
                content = part.read(min(MOST_OF_ONE, self._left) + 1)
        except _DAMAGED as error:
            raise InvalidInput(f"its part {name!r} cannot be read ({error})") from None
        if len(content) > min(MOST_OF_ONE, self._left):
            raise InvalidInput(f"its part {name!r} unpacks to more than any book has; it is not read")
        self._left -= len(content)
        return content


@contextmanager
def opened(path: Path) -> Iterator[Archive]:
    """Open a file that should be an archive.

    Raises:
        InvalidInput: It is none, or has more parts than any book.
    """
    try:
        file = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, EOFError, ValueError, NotImplementedError):
        raise InvalidInput("it is damaged or cut off: its list of parts cannot be read") from None
    with file:
        if len(file.infolist()) > MOST_PARTS:
            raise InvalidInput(f"it has more than {MOST_PARTS:,} parts, which no book has")
        yield Archive(file)


def xml_of(content: bytes, name: str) -> Any:
    """Read a part that has to be XML; it may neither load nor define anything.

    Raises:
        InvalidInput: It is none.
    """
    from lxml import etree  # a second's tenth, which only an import needs

    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=False)
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise InvalidInput(f"its part {name!r} is no XML ({str(error)[:80]})") from None
