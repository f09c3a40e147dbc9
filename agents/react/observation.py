"""What tools brought: as a model is shown it, bounded and without its bookkeeping; what an answer rests on. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from bookwright.agents.react.action import OBSERVATION
from bookwright.agents.tools.outside import sources
from bookwright.models.document import Findings, Source, distinct
from bookwright.models.step import ToolUse
from bookwright.models.talk.tool import ToolResponse, ToolStatus
from bookwright.models.text.language import Language
from bookwright.models.text.plain import plain

ROOM: Mapping[str, int] = {Language.EN: 8_000, Language.ZH: 3_200, Language.JA: 3_200, Language.KO: 3_600}
"""Characters of an observation: some 2 000 tokens of the book's language."""

_CUT = "... ({count} characters more; ask for less at once to see them)"
_OUTSIDE = re.compile(r"<(/?)(outside-[0-9a-f]+)>")
_READS, _SEARCHES = "fetch_page", "web_search"


def observation(response: ToolResponse, room: int) -> str:
    """Word a response for the model: its status, with an error's code, and its text, then its data line by line.

    A mark around outside text that the cut would leave open is closed.
    """
    status = f"{response.status} {response.error.code}" if response.error else response.status
    lines = [f"{status}: {response.text}", *_lines(response.data)]
    return OBSERVATION + _bounded(plain("\n".join(lines)).strip(), room)


def _lines(data: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for name, value in data.items():
        if name == "truncated" or value in (None, "", [], {}):  # what is cut is told by the response's text
            continue
        match value:
            case Mapping():
                yield f"{indent}{name}:"
                yield from _lines(value, f"{indent}  ")
            case list():
                yield f"{indent}{name}:"
                for item in value:
                    yield from _item_lines(item, indent)
            case _:
                yield f"{indent}{name}: {value}"


def _item_lines(item: Any, indent: str) -> Iterator[str]:
    if not isinstance(item, Mapping):
        yield f"{indent}- {item}"
        return
    mark = "- "
    for line in _lines(item):
        yield f"{indent}{mark}{line}"
        mark = "  "


def _bounded(text: str, room: int) -> str:
    if len(text) <= room:
        return text
    kept = text[:room].rstrip()
    kept = kept[: kept.rfind("<")] if "<" in kept[-24:] else kept  # no half of a mark
    return f"{kept}\n{_CUT.format(count=len(text) - len(kept))}{_closing_marks(kept)}"


def _closing_marks(text: str) -> str:
    opened = ""
    for found in _OUTSIDE.finditer(text):
        opened = "" if found[1] else found[2]
    return f"\n</{opened}>" if opened else ""


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
