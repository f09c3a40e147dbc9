"""Turns a page's bytes into text, whatever it says or fails to say of its charset."""

import codecs
import re
from collections.abc import Iterator

_DECLARED_WITHIN = 4_096
"""Bytes in which a page may name its charset. Browsers look at 1024; scripts often come first."""

_GUESSED_FROM = 65_536
"""Bytes that a guess looks at."""

_LONGEST_TYPE = 200
"""Characters of a `Content-Type`."""

_MARKS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DECLARATION = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_PARAMETER = re.compile(r"""charset\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)

_ALIASES = {"x-sjis": "cp932", "windows-31j": "cp932", "x-euc-jp": "euc_jp", "x-gbk": "gb18030", "windows-949": "cp949"}
_SUPERSETS = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "shift_jis": "cp932", "gb2312": "gb18030", "gbk": "gb18030",
    "big5": "big5hkscs", "euc_kr": "cp949", "utf-16": "utf-16-le",
}  # fmt: skip
"""What pages mean by these names. Source: WHATWG Encoding Standard, section 4.2."""

_USED = re.compile(
    r"utf-8|utf-16(-le|-be)?|cp932|euc_jp|iso2022_jp|gb18030|big5hkscs|cp949|cp125\d|iso8859-\d+|koi8-[ru]|tis-620"
)
"""Python's codecs also unpack archives and run escapes; of them a page may name none."""

_SEVEN_BIT = re.compile(r"utf-16.*|iso2022_jp")
"""Charsets whose bytes may pass for UTF-8 and mean something else."""


_JAPANESE_SHIFT = b"\x1b$"


def decode(body: bytes, content_type: str = "") -> str:
    """Return the text of a page. What cannot be read stands as U+FFFD; nothing raises.

    A page that is valid UTF-8 is UTF-8, even if it claims something else; then what it claims counts,
    then what its bytes look like.
    """
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    declared = list(dict.fromkeys(_declared(body, content_type)))
    first = [name for name in declared if _SEVEN_BIT.fullmatch(name)] or ["iso2022_jp"] * (_JAPANESE_SHIFT in body)
    for name in (*first, "utf-8", *declared):
        text = _whole(body, name)
        if text is not None:
            return text
    return body.decode(declared[0] if declared else _guessed(body), "replace")


def _declared(body: bytes, content_type: str) -> Iterator[str]:
    """Yield the codecs that a page names; one in the page itself before a server's habitual Latin-1."""
    by_server = [_codec(name) for name in _PARAMETER.findall(content_type[:_LONGEST_TYPE])]
    by_page = [_codec(name.decode("ascii")) for name in _DECLARATION.findall(body[:_DECLARED_WITHIN])]
    names = [*(name for name in by_server if name != "cp1252"), *by_page, *by_server]
    return (name for name in names if name)


def _codec(label: str) -> str:
    try:
        name = codecs.lookup(_ALIASES.get(label.lower(), label)).name
    except (LookupError, ValueError):
        return ""
    name = _SUPERSETS.get(name, name)
    return name if _USED.fullmatch(name) else ""


def _whole(body: bytes, name: str) -> str | None:
    """Return the text if all bytes can be read; the last character may be cut in two."""
    try:
        return codecs.getincrementaldecoder(name)().decode(body)
    except UnicodeDecodeError:
        return None


def _guessed(body: bytes) -> str:
    from charset_normalizer import from_bytes

    best = from_bytes(body[:_GUESSED_FROM].rpartition(b"\n")[0] or body).best()
    return (_codec(best.encoding) if best else "") or "utf-8"
