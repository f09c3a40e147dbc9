"""What an answer rests on, read off the uses of tools that came before it. Pure."""

from collections.abc import Iterable

from bookwright.agents.tools.outside import sources
from bookwright.models.document import Findings, Source, distinct
from bookwright.models.step import ToolUse
from bookwright.models.talk.tool import ToolResponse, ToolStatus

_READS, _SEARCHES = "fetch_page", "web_search"


def findings(uses: Iterable[ToolUse], answer: str) -> Findings:
    """Return the pages that were read and those of the lists that the answer names; of none of these, all listed."""
    read: list[Source] = []
    listed: list[Source] = []
    is_verified = False
    for use in uses:
        if use.status == ToolStatus.ERROR or use.tool not in (_READS, _SEARCHES):
            continue
        is_verified = True
        (read if use.tool == _READS else listed).extend(sources(_response(use)))
    named = [source for source in listed if source.address in answer]
    return Findings(sources=distinct([*read, *named] or listed), is_verified=is_verified)


def documents(uses: Iterable[ToolUse]) -> tuple[int, ...]:
    """Return the ids of the book's own documents whose passages were found, in ascending order."""
    entries = [
        entry for use in uses if use.tool not in (_READS, _SEARCHES) for entry in _response(use).data.get("results", ())
    ]
    found = {entry.get("document") for entry in entries if isinstance(entry, dict)}
    return tuple(sorted(document for document in found if isinstance(document, int)))


def _response(use: ToolUse) -> ToolResponse:
    return ToolResponse.model_validate_json(use.response)
