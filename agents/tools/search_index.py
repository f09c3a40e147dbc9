"""`search_designs`, `search_story`, `search_references`: what the book itself knows, found by meaning and by name."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from bookwright.agents.tools.tool import Params, Tool, success
from bookwright.models.document import DocumentKind
from bookwright.models.errors import BackendError, BackendUnavailable, ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse
from bookwright.storage.index.knowledge import KnowledgeIndex
from bookwright.storage.index.passages import Passage

_SPARE = 8
"""Passages asked for beyond the limit, in place of those that tell too much."""

_LONGEST_TITLE = 120


class SearchIndexParams(Params):
    """What to look for in the book."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=400)]
    limit: int = Field(default=8, ge=1, le=20)
    """Passages are a sentence or three each."""


@dataclass(frozen=True)
class IndexView:
    """A book's index as it may be seen from one place of the book."""

    index: KnowledgeIndex
    before: tuple[int, ...] | None = None
    """Reading order of the place; what comes there or later is not seen. None to see all."""
    names: Collection[str] = ()
    """Names of the book, which no rule would find in scripts without capitals."""

    def search(self, query: str, kind: DocumentKind, limit: int) -> list[Passage]:
        """Return up to `limit` passages, best first.

        Raises:
            ToolFailure: NETWORK_ERROR or API_ERROR of the embedding server.
        """
        try:
            found = self.index.search([query], [kind], limit + _SPARE, before=self.before, known=self.names)
        except BackendUnavailable:
            message = "The server that compares meanings does not answer."
            raise ToolFailure(ErrorCode.NETWORK_ERROR, message, "Search again later, or go on without.") from None
        except BackendError:
            message = "The server that compares meanings refuses."
            raise ToolFailure(ErrorCode.API_ERROR, message, "Go on without.") from None
        return [passage for passage in found if not self._tells_later(passage)][:limit]

    def _tells_later(self, passage: Passage) -> bool:
        """A summary of a unit that the place lies in tells what follows the place, too."""
        is_summary = passage.kind is DocumentKind.SUMMARY
        return is_summary and self.before is not None and self.before[: len(passage.order)] == passage.order


class SearchIndex(Tool[SearchIndexParams]):
    """Searches the passages of one kind of document."""

    parameters = SearchIndexParams

    def __init__(self, name: str, kind: DocumentKind, what: str, view: IndexView) -> None:
        """`what` is what is found, as the answer calls it."""
        self.name = name
        self._kind = kind
        self._what = what
        self._view = view

    def run(self, params: SearchIndexParams) -> ToolResponse:
        """Return passages with where they stand."""
        found = self._view.search(params.query, self._kind, params.limit)
        told = "" if found else " Ask in other words, or take it that the book does not tell."
        return success(
            {"results": [_entry(passage) for passage in found], "truncated": False},
            f"Found {len(found)} passages of {self._what} about {params.query!r}.{told}",
            stats={"results": len(found)},
        )


def index_tools(view: IndexView) -> list[Tool[Any]]:
    """The tools that look into the book.

    The designs tell the book's future too: they are for those who plan, never for those who write prose.
    """
    return [
        SearchIndex("search_designs", DocumentKind.DESIGN, "the designs", view),
        SearchIndex("search_story", DocumentKind.SUMMARY, "the story", view),
        SearchIndex("search_references", DocumentKind.FINDINGS, "the findings", view),
    ]


def _entry(passage: Passage) -> dict[str, Any]:
    return {
        "label": passage.label,
        "level": passage.level,
        "kind": passage.kind.value,
        "title": (passage.title or passage.goal)[:_LONGEST_TITLE],
        "position": passage.chunk + 1,
        "text": passage.text,
        "document": passage.document,
    }
