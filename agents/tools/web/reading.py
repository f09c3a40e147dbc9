"""Makes of a web page the text that a person came for.

Its bytes become text whatever it says or fails to say of its charset.
"""

import codecs
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Any

from bookwright.agents.tools.outside import clean, one_line
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

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

ACCEPTED = "text/html, application/xhtml+xml, text/plain;q=0.9, text/*;q=0.8"

_LONGEST_HTML = 1_000_000
"""Characters of a page's source that the extractor gets: its time grows with them."""

_LEAST_TEXT = 60
"""Characters below which the extractor doubts what it found and takes menus, too."""

_LONGEST_TITLE = 200
_BINARY_WITHIN = 8_192
_HTML_WITHIN = 1_024
_HTML = ("text/html", "application/xhtml+xml")
_TEXT = re.compile(r"text/.*|application/(xhtml\+xml|json|xml)")
_UNTOLD = ("", "application/octet-stream", "binary/octet-stream")
_KINDS = {"application/pdf": "a PDF file", "image": "an image", "audio": "a sound", "video": "a film"}
"""Only these are named: what else a server writes there are its own words."""

_XML_HEAD = re.compile(r"\A\s*<\?xml[^>]*\?>")
_HAS_A_FRAME = re.compile("<(html|body)\\b", re.IGNORECASE)
_LOOKS_LIKE_HTML = re.compile(rb"<(!doctype html|html|head|body|title|p|div|h1)\b", re.IGNORECASE)


@dataclass(frozen=True)
class WebPage:
    """A page as it is read; its texts are clean, but written by strangers."""

    title: str
    date: str
    """When it was published or last changed, `YYYY-MM-DD`; empty where it does not say."""
    text: str
    is_source_cut: bool = False


def require_readable(content_type: str, url: str) -> None:
    """Refuse by its declared type what is no text, before any of it is loaded.

    Raises:
        ToolFailure: BINARY_FILE.
    """
    media = _media(content_type)
    if media not in _UNTOLD and not _TEXT.fullmatch(media):
        raise _not_text(media, url)


def read_page(body: bytes, content_type: str, url: str) -> WebPage:
    """Return title, date and text of a page, without menus, advertising and scripts.

    Raises:
        ToolFailure: BINARY_FILE for what is no text after all, NOT_FOUND for a page without any.
    """
    media = _media(content_type)
    if body.startswith(b"%PDF-"):
        raise _not_text("application/pdf", url)
    text = _decode(body, content_type)
    if "\0" in text[:_BINARY_WITHIN]:
        raise _not_text(media, url)
    if media in _HTML or (not media.startswith("text/") and _LOOKS_LIKE_HTML.search(body[:_HTML_WITHIN])):
        page = _from_html(text, url)
    else:
        page = WebPage(title="", date="", text=clean(text))
    if not page.text:
        message = "The page holds no text that can be read; it may be made by scripts in a browser."
        raise ToolFailure(ErrorCode.NOT_FOUND, message, "Try another source.")
    return page


def _from_html(source: str, url: str) -> WebPage:
    html = _XML_HEAD.sub("", source[:_LONGEST_HTML])
    if not _HAS_A_FRAME.search(html):
        html = f"<html><body>{html}</body></html>"  # the extractor takes a bare paragraph for no page
    found = _extracted(html, url)
    text = (found.text if found else "") or _extractor().html2txt(html)
    return WebPage(
        title=one_line((found.title if found else "") or "", _LONGEST_TITLE),
        date=(found.date if found else "") or "",
        text=clean(text),
        is_source_cut=len(source) > _LONGEST_HTML,
    )


def _extracted(html: str, url: str) -> Any:
    """Return what the library makes of a page; None for a page that it cannot read."""
    try:
        return _extractor().bare_extraction(html, url=url, with_metadata=True, include_comments=False, config=_config())
    except Exception:  # the edge to libraries that read strangers' pages: an odd one trips any of their assertions
        return None


@cache
def _extractor() -> ModuleType:
    """The library, loaded when it is first needed, and silent: a page that is no HTML is nobody's news."""
    import trafilatura

    for name in ("trafilatura", "htmldate", "courlan"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    return trafilatura


@cache
def _config() -> Any:
    """The library's settings, but for Chinese, in which 60 characters are what 250 are in English."""
    from trafilatura.settings import use_config

    config = use_config()
    config["DEFAULT"]["MIN_EXTRACTED_SIZE"] = str(_LEAST_TEXT)
    return config


def _media(content_type: str) -> str:
    return content_type.partition(";")[0].strip().lower()


def _not_text(media: str, url: str) -> ToolFailure:
    kind = _KINDS.get(media) or _KINDS.get(media.partition("/")[0], "a file that is no text")
    message = f"What stands there is {kind}, which cannot be read."
    return ToolFailure(ErrorCode.BINARY_FILE, message, "Look for a web page that tells the same.", path_resolved=url)


def _decode(body: bytes, content_type: str) -> str:
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
