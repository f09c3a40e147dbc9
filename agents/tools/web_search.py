"""`web_search`: pages about a query, from the search service that the operator has chosen."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from bookwright.agents.tools.outside import Outside, today
from bookwright.agents.tools.searchers.protocol import Searcher, SearchResults
from bookwright.agents.tools.searchers.searxng import SearxngSearcher
from bookwright.agents.tools.searchers.tavily import TavilySearcher
from bookwright.agents.tools.tool import Params, Tool, partial, success
from bookwright.models.errors import ToolFailure
from bookwright.models.settings import Settings
from bookwright.models.talk.tool import ErrorCode, ToolResponse

_ADVICE = "Read the pages that matter with fetch_page, or search again in other words."


class WebSearchParams(Params):
    """What to search for."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
    limit: int = Field(default=5, ge=1, le=10)


class WebSearch(Tool[WebSearchParams]):
    """Asks the first service; where that fails, the next, and says so."""

    name = "web_search"
    parameters = WebSearchParams

    def __init__(self, searchers: Sequence[Searcher]) -> None:
        self._searchers = tuple(searchers)

    def run(self, params: WebSearchParams) -> ToolResponse:
        """Return titles, addresses, snippets and dates, best first."""
        if not self._searchers:
            message = "No search service is set up: there is neither TAVILY_API_KEY nor searxng_url."
            raise ToolFailure(ErrorCode.API_ERROR, message, "Work from what you know and mark it as unverified.")
        failures: list[tuple[Searcher, ToolFailure]] = []
        for searcher in self._searchers:
            try:
                found = searcher.search(params.query, params.limit)
            except ToolFailure as failure:
                failures.append((searcher, failure))
                continue
            return _answer(params, searcher, found, failures)
        raise failures[0][1]


def searchers(settings: Settings) -> tuple[Searcher, ...]:
    """Return the search services that the settings name, the one to ask first at the front; often none."""
    chosen: list[Searcher] = []
    if settings.tavily_api_key.get_secret_value().strip():
        chosen.append(TavilySearcher(settings.tavily_api_key))
    if settings.searxng_url:
        chosen.append(SearxngSearcher(settings.searxng_url))
    return tuple(chosen)


def _answer(
    params: WebSearchParams, searcher: Searcher, found: SearchResults, failures: Sequence[tuple[Searcher, ToolFailure]]
) -> ToolResponse:
    if not found.hits and found.silent:
        message = f"{searcher.name} found nothing, and {_engines(found)} did not answer."
        raise ToolFailure(ErrorCode.API_ERROR, message, "Search again later, or in other words.")
    outside = Outside()
    mark = outside.mark
    data: dict[str, Any] = {
        "results": [
            {"title": mark(hit.title), "url": hit.url, "snippet": mark(hit.snippet), "date": hit.date}
            for hit in found.hits
        ],
        "truncated": False,
        "accessed": today(),
        "service": searcher.name,
    }
    done = f"Found {len(found.hits)} pages about {params.query!r} with {searcher.name}."
    told = f"{outside.notice} {_ADVICE}" if found.hits else "No page was found. Search in other or fewer words."
    lacking = _lacking(found, failures)
    if not lacking:
        return success(data, f"{done} {told}", stats={"results": len(found.hits)})
    data |= _failed(found, failures)
    return partial(data, done, lacking, told, stats={"results": len(found.hits)})


def _lacking(found: SearchResults, failures: Sequence[tuple[Searcher, ToolFailure]]) -> str:
    told = [f"{searcher.name} was asked first and failed: {failure.message}" for searcher, failure in failures]
    if found.silent:
        told.append(f"{_engines(found)} did not answer, so pages may be missing.")
    return " ".join(told)


def _engines(found: SearchResults) -> str:
    names = [engine.engine for engine in found.silent]
    return f"{len(names)} of its search engines ({', '.join(names[:5])}{', ...' if len(names) > 5 else ''})"


def _failed(found: SearchResults, failures: Sequence[tuple[Searcher, ToolFailure]]) -> Mapping[str, Any]:
    items = [{"name": searcher.name, "reason": failure.message} for searcher, failure in failures]
    items += [{"name": engine.engine, "reason": engine.reason} for engine in found.silent]
    return {"failed_items": items, "fallback": bool(failures)}
