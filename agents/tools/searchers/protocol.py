"""What a search of the web asks of a service, how its answers are read, and which addresses lead to the same page."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Protocol
from urllib.parse import SplitResult, parse_qsl, urlencode, urlsplit

import httpx2

from bookwright.agents.tools.outside import one_line
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

_LONGEST_TITLE = 200
_LONGEST_SNIPPET = 600
_LONGEST_URL = 1_000
_LONGEST_NAME = 80

_ISO_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?!\d)")
_DATES = ("publishedDate", "published_date", "pubdate")

_TRACKING = re.compile(r"utm_\w+|gclid|dclid|fbclid|msclkid|yclid|igshid|mc_[ce]id|_ga|spm", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True)
class SearchHit:
    """One page that was found; its texts are clean and bounded, but written by strangers."""

    title: str
    url: str
    snippet: str
    date: str
    """`YYYY-MM-DD`, or empty."""


@dataclass(frozen=True)
class Silent:
    """A search engine behind the service that gave nothing."""

    engine: str
    reason: str


@dataclass(frozen=True)
class SearchResults:
    """What a service answered, best first."""

    hits: tuple[SearchHit, ...]
    silent: tuple[Silent, ...] = ()


class Searcher(Protocol):
    """A service that searches the web."""

    @property
    def name(self) -> str:
        """The service as a person calls it."""

    def search(self, query: str, limit: int) -> SearchResults:
        """Return up to `limit` pages about a query.

        Raises:
            ToolFailure: NETWORK_ERROR, TIMEOUT, RATE_LIMIT or API_ERROR.
        """


def no_answer(message: str, code: ErrorCode = ErrorCode.API_ERROR) -> ToolFailure:
    """Return what to raise where a service gave nothing that can be used."""
    return ToolFailure(code, message, "Search again later, or go on without.")


def hits(entries: object, limit: int) -> tuple[SearchHit, ...]:
    """Read a service's list of results; what is no page is left out, and of the same page the first stays."""
    found: dict[str, SearchHit] = {}
    for entry in entries if isinstance(entries, list) else ():
        hit = _hit(entry) if isinstance(entry, Mapping) else None
        if hit is not None:
            found.setdefault(canonical(hit.url), hit)
        if len(found) == limit:
            break
    return tuple(found.values())


def silent(entries: object) -> tuple[Silent, ...]:
    """Read a list of pairs: an engine, and why it gave nothing."""
    pairs: Iterable[Any] = entries if isinstance(entries, list) else ()
    found = [pair for pair in pairs if isinstance(pair, list | tuple) and pair]
    return tuple(
        Silent(one_line(str(pair[0]), _LONGEST_NAME), one_line(str(pair[1]), _LONGEST_NAME) if len(pair) > 1 else "")
        for pair in found
    )


def _hit(entry: Mapping[str, Any]) -> SearchHit | None:
    place = _web_address(entry.get("url"))
    if place is None:
        return None
    title = one_line(_text(entry.get("title")), _LONGEST_TITLE) or place.host
    snippet = one_line(_text(entry.get("content")), _LONGEST_SNIPPET)
    date = next((day for name in _DATES if (day := _day(_text(entry.get(name))))), "")
    return SearchHit(title, str(place), snippet, date)


def _web_address(url: object) -> httpx2.URL | None:
    """Return an address in its encoded form, which holds no space and no sentence."""
    if not isinstance(url, str) or len(url) > _LONGEST_URL:
        return None
    try:
        place = httpx2.URL(url.strip())
    except (httpx2.InvalidURL, ValueError):
        return None
    is_web = place.scheme in ("http", "https") and place.host and not place.userinfo
    return place if is_web and len(str(place)) <= _LONGEST_URL else None


def _day(text: str) -> str:
    if found := _ISO_DATE.match(text.strip()):
        return found[1]
    try:
        return parsedate_to_datetime(text).date().isoformat()
    except (ValueError, TypeError):  # TypeError: older Pythons raise it for an empty text
        return ""


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def canonical(url: str) -> str:
    """Return the key under which an address is the same as another: without scheme, `www.` and what only tracks.

    It is for comparing, not for fetching. What is no address is its own key.
    """
    try:
        parts = urlsplit(url.strip())
        host = (parts.hostname or "").rstrip(".").removeprefix("www.")
        port = parts.port
    except ValueError:
        return url.strip()
    place = host if port in (None, _DEFAULT_PORTS.get(parts.scheme)) else f"{host}:{port}"
    return f"{place}{parts.path.rstrip('/')}{_query(parts)}"


def _query(parts: SplitResult) -> str:
    kept = [pair for pair in parse_qsl(parts.query, keep_blank_values=True) if not _TRACKING.fullmatch(pair[0])]
    return f"?{urlencode(kept)}" if kept else ""
