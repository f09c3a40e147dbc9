"""Text that every database, file and provider takes."""

import re
import unicodedata
from collections.abc import Callable

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
"""Characters that no book holds and no EPUB may; Postgres refuses the first."""
_WITHOUT_CONTROLS = {code: None for code in range(128) if _CONTROLS.match(chr(code))}


class CharacterTable(dict[int, str]):
    """What each character becomes when a text is translated; told by a function when one is first met."""

    def __init__(self, become: Callable[[str], str]) -> None:
        self._become = become

    def __missing__(self, code: int) -> str:
        self[code] = self._become(chr(code))
        return self[code]


def plain(text: str) -> str:
    """Take out control characters and lone surrogates; two halves that came apart become one again."""
    if text.isascii():
        return text.translate(_WITHOUT_CONTROLS)
    text = _CONTROLS.sub("", text)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "ignore")
    return text


def one_line(text: str) -> str:
    """Return a text on one line, as every database takes it and in its usual composition."""
    return " ".join(unicodedata.normalize("NFC", plain(text)).split())
