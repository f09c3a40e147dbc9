"""Searches by a SearXNG server's JSON API. Source: docs.searxng.org, "Search API"."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

import httpx2

from bookwright.agents.tools.searchers.protocol import SearchResults, hits, no_answer, silent
from bookwright.agents.tools.web.connection import Network, NetworkReach
from bookwright.agents.tools.web.download import (
    Body,
    DownloadBounds,
    Downloader,
    ServerAnswer,
    Truncation,
    phrase,
    port_of,
)
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode

_BOUNDS = DownloadBounds(size=4_000_000, seconds=30, idle_seconds=25, redirects=2, url=8_000)
"""Its own engines may take many seconds; a query in Chinese has nine characters of address for each of its own."""

_CUTS = {Truncation.TIME: ErrorCode.TIMEOUT, Truncation.CONNECTION: ErrorCode.NETWORK_ERROR}


class SearxngSearcher:
    """Asks one server, wherever it stands: the operator named it, so it may be on this machine."""

    name = "SearXNG"

    def __init__(self, url: str, bounds: DownloadBounds = _BOUNDS) -> None:
        place = httpx2.URL(url)
        named = frozenset([(place.raw_host.decode(), port_of(place))])
        self._url = url.rstrip("/")
        self._downloader = Downloader(Network(), NetworkReach(named), bounds)

    def search(self, query: str, limit: int) -> SearchResults:
        """Return up to `limit` pages; it gives some twenty and cannot be asked for fewer."""
        told = urlencode({"q": query, "format": "json"})
        with self._downloader.open(f"{self._url}/search?{told}", "application/json") as reply:
            _require_ok(reply)
            body = reply.read()
        answer = _parsed(body)
        return SearchResults(hits(answer.get("results"), limit), silent(answer.get("unresponsive_engines")))


def _require_ok(reply: ServerAnswer) -> None:
    if reply.status == 429:
        wait = reply.header("retry-after")
        again = f"in {wait} seconds" if wait.isdigit() else "later"
        raise ToolFailure(ErrorCode.RATE_LIMIT, "SearXNG allows no further search for now.", f"Search again {again}.")
    if reply.status == 403:
        message = "SearXNG refuses: most often its JSON format is off."
        raise ToolFailure(ErrorCode.API_ERROR, message, "Its operator adds `json` to search.formats in settings.yml.")
    if reply.status != 200:
        raise no_answer(f"SearXNG answered {phrase(reply.status)}.")


def _parsed(body: Body) -> Mapping[str, Any]:
    if body.cut is not None:
        code = _CUTS.get(body.cut, ErrorCode.API_ERROR)
        raise ToolFailure(code, f"SearXNG's answer is not whole: {body.cut}.", "Search again, or go on without.")
    try:
        answer = json.loads(body.content)
    except (ValueError, RecursionError):
        raise no_answer("SearXNG gave no JSON; perhaps another server stands at its address.") from None
    if not isinstance(answer, dict) or not isinstance(answer.get("results"), list):
        raise no_answer("SearXNG's answer has no list of results.")
    return answer
