"""A small web of a test's own: twenty pages, a search over them, and the way there for `fetch_page`.

The search answers in the shapes of SearXNG (GET) and of Tavily (POST). `FetchPage(web.wire)` meets
every check that it meets on the real web: names resolve to public addresses, and only the socket
ends at this machine.
"""

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from ipaddress import IPv4Address
from itertools import pairwise
from urllib.parse import urlsplit

import httpcore2

from bookwright.agents.tools.web.connection import Address, Network
from tests.support.local_server import Asked, Canned, LocalServer
from tests.support.local_web_pages import INJECTION, PAGES, WebPage

__all__ = ["INJECTION", "PAGES", "LocalWeb", "WebPage"]

FIRST_ADDRESS = IPv4Address("93.184.216.1")
KEY = "tvly-test"

_FOUND = 10


class LocalWeb:
    """Pages by address. `canned` holds answers that stand before those of the pages, by address."""

    def __init__(self, pages: Sequence[WebPage] = PAGES) -> None:
        self.pages = {page.url: page for page in pages}
        self.canned: dict[str, Canned] = {}
        self.names: dict[str, tuple[Address, ...]] = {
            host: (FIRST_ADDRESS + number,)
            for number, host in enumerate(sorted({urlsplit(page.url).hostname or "" for page in pages}))
        }
        self.unresponsive: list[list[str]] = []
        """What SearXNG says of engines that did not answer: `[["brave", "timeout"]]`."""
        self.resolved: list[str] = []
        """Names that were looked up, in order."""
        self.connected: list[tuple[Address, int]] = []
        """Addresses and ports that a connection was opened to, as far as the client knows."""
        self.server = LocalServer(self._answer)

    @property
    def searxng_url(self) -> str:
        return self.server.url

    @property
    def wire(self) -> Network:
        return Network(resolve=self._resolve, connect=self._connect)

    @property
    def fetched(self) -> list[str]:
        """Addresses of pages that were asked for, in order."""
        return [asked.url for asked in self.server.asked if not asked.host.startswith("127.0.0.1")]

    @property
    def searched(self) -> list[str]:
        """Queries, in order."""
        return [asked.query["q"] for asked in self.server.asked if "q" in asked.query]

    @contextmanager
    def running(self) -> Iterator["LocalWeb"]:
        with self.server.running():
            yield self

    def find(self, query: str) -> list[WebPage]:
        """The pages that share most with a query, best first."""
        wanted = _pieces(query)
        scored = [(len(wanted & _pieces(f"{page.title} {page.text}")), page) for page in self.pages.values()]
        best = sorted(scored, key=lambda pair: -pair[0])
        return [page for score, page in best if score > 0][:_FOUND]

    def _resolve(self, host: str, seconds: float) -> tuple[Address, ...]:
        self.resolved.append(host)
        if host not in self.names:
            raise OSError(f"no address for {host}")
        return self.names[host]

    def _connect(self, address: Address, port: int, seconds: float) -> httpcore2.NetworkStream:
        self.connected.append((address, port))
        return httpcore2.SyncBackend().connect_tcp("127.0.0.1", self.server.port, timeout=seconds, socket_options=())

    def _answer(self, asked: Asked) -> Canned:
        if asked.url in self.canned:
            return self.canned[asked.url]
        if asked.path.endswith("/search"):
            return self._tavily(asked) if asked.method == "POST" else self._searxng(asked)
        page = self.pages.get(asked.url)
        return _html(page) if page else Canned(b"<html><body><p>Not here.</p></body></html>", 404)

    def _searxng(self, asked: Asked) -> Canned:
        if asked.query.get("format") != "json":
            return Canned(b"<!DOCTYPE html><html><body>SearXNG</body></html>", headers={"Content-Type": "text/html"})
        query = asked.query["q"]
        return _json(
            {
                "query": query,
                "number_of_results": 0,
                "results": [_searxng_result(page, place) for place, page in enumerate(self.find(query))],
                "answers": [],
                "corrections": [],
                "infoboxes": [],
                "suggestions": [],
                "unresponsive_engines": self.unresponsive,
            }
        )

    def _tavily(self, asked: Asked) -> Canned:
        if asked.headers.get("authorization") != f"Bearer {KEY}":
            return _json({"detail": {"error": "Unauthorized: missing or invalid API key."}}, 401)
        body = json.loads(asked.body)
        found = self.find(body["query"])[: body.get("max_results", 5)]
        return _json(
            {
                "query": body["query"],
                "follow_up_questions": None,
                "answer": None,
                "images": [],
                "results": [
                    {"url": page.url, "title": page.title, "content": _snippet(page), "score": 0.9, "raw_content": None}
                    for page in found
                ],
                "response_time": 0.4,
                "request_id": "00000000-0000-0000-0000-000000000000",
            }
        )


def _searxng_result(page: WebPage, place: int) -> dict[str, object]:
    parts = urlsplit(page.url)
    return {
        "url": page.url,
        "title": page.title,
        "content": _snippet(page),
        "publishedDate": f"{page.date}T00:00:00",
        "thumbnail": "",
        "engine": "local",
        "template": "default.html",
        "parsed_url": [*parts, ""],
        "img_src": "",
        "priority": "",
        "engines": ["local"],
        "positions": [place + 1],
        "score": 1 / (place + 1),
        "category": "general",
    }


def _snippet(page: WebPage) -> str:
    return page.text.strip().splitlines()[0][:160]


def _html(page: WebPage) -> Canned:
    body = "".join(f"<p>{escape(line)}</p>" for line in page.text.strip().splitlines())
    html = (
        f'<!DOCTYPE html><html lang="{page.language}"><head><meta charset="{page.charset}">'
        f'<title>{escape(page.title)}</title><meta property="article:published_time" content="{page.date}">'
        "<script>let tracked = true;</script></head><body>"
        '<nav><ul><li><a href="/">Menu entry one</a></li><li><a href="/about">Menu entry two</a></li></ul></nav>'
        f"<main><article><h1>{escape(page.title)}</h1>{body}</article></main>"
        '<footer><a href="/terms">Terms of use and other small print</a></footer></body></html>'
    )
    return Canned(html.encode(page.charset), headers={"Content-Type": "text/html"})


def _json(value: object, status: int = 200) -> Canned:
    return Canned(json.dumps(value).encode(), status, {"Content-Type": "application/json"})


def _pieces(text: str) -> set[str]:
    """Words of scripts that have spaces, pairs of characters of those that have none."""
    words = set(re.findall(r"[a-z0-9]{3,}|[\uac00-\ud7af]{2,}", text.lower()))
    runs = re.findall("[\u3040-\u30ff\u4e00-\u9fff]{2,}", text)
    return words | {pair for run in runs for pair in map("".join, pairwise(run))}
