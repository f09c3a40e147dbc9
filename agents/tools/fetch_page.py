"""`fetch_page`: the readable text of one page of the public web, in parts of bounded length."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from bookwright.agents.tools.outside import Outside, today
from bookwright.agents.tools.tool import Params, Tool, partial, success
from bookwright.agents.tools.web.connection import Network, NetworkReach
from bookwright.agents.tools.web.download import DownloadBounds, Downloader, ServerAnswer, Truncation, phrase
from bookwright.agents.tools.web.reading import ACCEPTED, WebPage, read_page, require_readable
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse

_KNOWN_PAGES = 8
"""Pages kept, so that reading on in one does not fetch it again."""

_MOST = 12_000
"""Characters of one answer: below the 51200 bytes of the protocol in any script."""


class FetchPageParams(Params):
    """Which page, and which part of its text."""

    url: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=2_000)]
    start: int = Field(default=0, ge=0, le=10_000_000)
    limit: int = Field(default=6_000, ge=200, le=_MOST)


@dataclass(frozen=True)
class _Kept:
    """A page that was read."""

    url: str
    page: WebPage
    cut: str
    """Why not all of it is there; empty where it is whole."""
    accessed: str


class FetchPage(Tool[FetchPageParams]):
    """Reads public pages only, on the web's two ports; see `web/connection.py` for how that is held to.

    What may be reached is no parameter: no setting and no test can open this machine's own network.
    A test gives a `Network` that leads the names of a made-up web to its own server.
    """

    name = "fetch_page"
    parameters = FetchPageParams

    def __init__(self, wire: Network | None = None, bounds: DownloadBounds | None = None) -> None:
        self._downloader = Downloader(wire or Network(), NetworkReach(), bounds or DownloadBounds())
        self._fetched = lru_cache(_KNOWN_PAGES)(self._fetch)

    def run(self, params: FetchPageParams) -> ToolResponse:
        """Return title, date and a part of the text."""
        kept = self._fetched(params.url)
        text = kept.page.text
        if params.start >= len(text):
            message = f"The page has {len(text)} characters; none stands at {params.start}."
            raise ToolFailure(ErrorCode.INVALID_PARAM, message, "Give a smaller start.", path_resolved=kept.url)
        return _answer(params, kept)

    def _fetch(self, url: str) -> _Kept:
        with self._downloader.open(url, ACCEPTED) as reply:
            _require_ok(reply)
            content_type = reply.header("content-type")
            require_readable(content_type, reply.url)
            body = reply.read()
        if body.cut is not None and not body.content:
            code = ErrorCode.TIMEOUT if body.cut is Truncation.TIME else ErrorCode.NETWORK_ERROR
            raise ToolFailure(code, f"Nothing of the page came: {body.cut}.", "Try another source.")
        page = read_page(body.content, content_type, reply.url)
        cut = body.cut or (Truncation.SIZE if page.is_source_cut else None)
        return _Kept(reply.url, page, str(cut or ""), today())


def _require_ok(reply: ServerAnswer) -> None:
    if 200 <= reply.status < 300:
        return
    if reply.status in (404, 410):
        code, advice = ErrorCode.NOT_FOUND, "Search for where it stands now."
    elif reply.status == 429:
        code, advice = ErrorCode.RATE_LIMIT, "Try another source, or this one later."
    else:
        code, advice = ErrorCode.API_ERROR, "Try another source."
    raise ToolFailure(code, f"The server answered {phrase(reply.status)}.", advice, path_resolved=reply.url)


def _answer(params: FetchPageParams, kept: _Kept) -> ToolResponse:
    page, outside = kept.page, Outside()
    end = min(params.start + params.limit, len(page.text))
    data: dict[str, Any] = {
        "url": kept.url,
        "title": outside.mark(page.title),
        "date": page.date,
        "content": outside.mark(page.text[params.start : end]),
        "start": params.start,
        "end": end,
        "total": len(page.text),
        "truncated": end < len(page.text) or bool(kept.cut),
        "accessed": kept.accessed,
    }
    done = f"Read characters {params.start} to {end} of {len(page.text)} of {kept.url}. {outside.notice}"
    context: dict[str, Any] = {"path_resolved": kept.url, "truncation_skip": True}
    if not data["truncated"]:
        return success(data, done, **context)
    lacking = "The page goes on." if end < len(page.text) else f"The rest is missing: {kept.cut}."
    advice = f"Read on with start {end}." if end < len(page.text) else "Look for the rest in another source."
    return partial(data, done, lacking, advice, **context)
