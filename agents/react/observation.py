"""What a model is shown of a tool's answer: the envelope without its bookkeeping, bounded. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bookwright.agents.react.action import OBSERVATION
from bookwright.models.talk.tool import ToolResponse
from bookwright.models.text.language import Language
from bookwright.models.text.plain import plain

ROOM = {Language.EN: 8_000, Language.ZH: 3_200, Language.JA: 3_200, Language.KO: 3_600}
"""Characters of an observation: some 2 000 tokens of the book's language."""

_CUT = "... ({count} characters more; ask for less at once to see them)"
_OUTSIDE = re.compile(r"<(/?)(outside-[0-9a-f]+)>")
_TRUNCATED = "truncated"
"""A field that the response's text speaks of."""


def observation(response: ToolResponse, room: int) -> str:
    """Word a response for the model: its status, with an error's code, and its text, then its data line by line.

    A mark around outside text that the cut would leave open is closed.
    """
    status = f"{response.status} {response.error.code}" if response.error else response.status
    lines = [f"{status}: {response.text}", *_lines(response.data)]
    return OBSERVATION + _bounded(plain("\n".join(lines)).strip(), room)


def _lines(data: Mapping[str, Any], indent: str = "") -> Iterator[str]:
    for name, value in data.items():
        if name == _TRUNCATED or value in (None, "", [], {}):
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
