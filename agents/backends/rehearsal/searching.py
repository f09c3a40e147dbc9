"""A search service for rehearsals: an estimate must neither wait for the web nor pay for it."""

from bookwright.agents.tools.searchers.protocol import SearchHit, SearchResults

_SNIPPET = "Rehearsed: what a page about this would say in its first two lines, which is about as much as is shown. "


class RehearsedSearcher:
    """Finds pages that are not there, as many and as long as a real service does."""

    name = "rehearsal"

    def search(self, query: str, limit: int) -> SearchResults:
        """Return pages about a query."""
        return SearchResults(
            tuple(
                SearchHit(
                    f"Rehearsed page {number} about: {query}", f"https://rehearsal.invalid/{number}", _SNIPPET * 3, ""
                )
                for number in range(1, limit + 1)
            )
        )
