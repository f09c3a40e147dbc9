"""Cuts an answer that is too long for a prompt, and keeps all of it in a file of the vault."""

import json
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from bookwright.agents.tools.files.sandbox import Sandbox
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ToolError, ToolResponse, ToolStatus

MOST_LINES = 2_000
MOST_BYTES = 51_200
FOLDER = "agent-log/tool-output"
"""Where whole answers are kept, from the vault's root."""

_KEPT_FILES = 50
_LARGEST_FILE = 5_000_000
_A_LINE = MOST_BYTES / MOST_LINES
"""What a line break costs, so that one sum bounds both lines and bytes."""
_DATA, _TEXT, _ECHO = 36_000, 3_000, 4_000
"""Cost of the parts that an answer that is cut still holds."""
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]")


@dataclass(frozen=True)
class Overflow:
    """Cuts answers to 2000 lines and 51200 bytes."""

    vault: Sandbox | None = None
    """Where the whole answer is kept; None to let go of the rest."""

    def cut(self, name: str, response: ToolResponse) -> ToolResponse:
        """The answer as it may stand in a prompt; one that says `truncation_skip` in its context stays as it is."""
        if self._fits(response) or response.context.get("truncation_skip") is True:
            return response
        size, lines = _extent(response)
        context = {key: fit(value, _ECHO) for key, value in response.context.items()}
        if self._fits(without_input := response.model_copy(update={"context": context})):
            return without_input  # what was given is long, not what came of it
        if response.error is not None:
            told = ToolError(code=response.error.code, message=fit(response.error.message, _TEXT))
            return response.model_copy(update={"text": fit(response.text, _TEXT), "error": told, "context": context})
        truncation = {
            "direction": "head", "max_lines": MOST_LINES, "max_bytes": MOST_BYTES,
            "original_lines": lines, "original_bytes": size, "full_output_path": self._keep(name, response),
        }  # fmt: skip
        return response.model_copy(
            update={
                "status": ToolStatus.PARTIAL,
                "data": fit(response.data, _DATA) | {"truncated": True, "truncation": truncation},
                "text": f"{fit(response.text, _TEXT)} {_notice(truncation)}",
                "stats": fit(response.stats, _ECHO),
                "context": context,
            }
        )

    def _fits(self, response: ToolResponse) -> bool:
        size, lines = _extent(response)
        return size <= MOST_BYTES and lines <= MOST_LINES

    def _keep(self, name: str, response: ToolResponse) -> str | None:
        """Write the whole answer to a file and say where; None where that is not possible."""
        if self.vault is None:
            return None
        path = f"{FOLDER}/{time.time_ns()}-{_NOT_IN_A_NAME.sub('', name)[:40] or 'tool'}.txt"
        try:
            with self.vault.place(path, folders="make") as place:
                self.vault.replace(path, place, _as_file(response))
                _let_go_of_old(place.folder)
        except ToolFailure:
            return None
        return path


def _extent(response: ToolResponse) -> tuple[int, int]:
    """How many bytes and lines an answer has."""
    return len(response.to_json().encode()), _breaks(response.to_dict()) + 1


def fit(value: Any, room: float) -> Any:
    """Shorten a JSON value to a cost of about `room` bytes, in its shape: texts and lists give way, figures stay."""
    if _cost(value) <= room:
        return value
    match value:
        case str():
            return _fit_text(value, room)
        case list():
            return _fit_list(value, room)
        case dict():
            return _fit_object(value, room)
    return value


def _fit_text(text: str, room: float) -> str:
    kept = len(text)
    while kept > 0 and (cost := _cost(text[:kept])) > room:
        kept = min(int(kept * room / cost), kept - 1)
    return text[: max(kept, 0)]


def _fit_list(items: list[Any], room: float) -> list[Any]:
    kept: list[Any] = []
    for item in items:
        cost = _cost(item)
        if cost > room:
            if not kept:
                kept.append(fit(item, room))
            break
        kept.append(item)
        room -= cost
    return kept


def _fit_object(value: dict[str, Any], room: float) -> dict[str, Any]:
    """The small values whole, and what is left shared among the large ones."""
    fitted: dict[str, Any] = {}
    waiting = sorted(value, key=lambda key: _cost(value[key]))
    for number, key in enumerate(waiting):
        if (room := room - _cost(key)) <= 0:
            break
        fitted[key] = fit(value[key], room / (len(waiting) - number))
        room -= _cost(fitted[key])
    return {key: fitted[key] for key in value if key in fitted}


def _cost(value: Any) -> float:
    return len(json.dumps(value, ensure_ascii=False).encode()) + 2 + _breaks(value) * _A_LINE


def _breaks(value: Any) -> int:
    match value:
        case str():
            return value.count("\n")
        case list():
            return sum(map(_breaks, value))
        case dict():
            return sum(map(_breaks, value.values()))
    return 0


def _notice(truncation: Mapping[str, Any]) -> str:
    path = truncation["full_output_path"]
    advice = f"Read {path!r} for the whole." if path else "Ask for less at a time."
    return f"The answer was too long ({truncation['original_bytes']} bytes); this is its beginning. {advice}"


def _as_file(response: ToolResponse) -> bytes:
    """The answer for `Read`: texts as they are, an item of a list on a line."""
    parts = [response.text]
    for key, value in response.to_dict()["data"].items():
        match value:
            case str():
                parts.append(f"## {key}\n{value}")
            case list():
                parts.append(f"## {key}\n" + "\n".join(json.dumps(item, ensure_ascii=False) for item in value))
            case _:
                parts.append(f"## {key}\n{json.dumps(value, ensure_ascii=False)}")
    return "\n\n".join(parts).encode()[:_LARGEST_FILE]


def _let_go_of_old(folder: int) -> None:
    for name in sorted(os.listdir(folder))[:-_KEPT_FILES]:
        with suppress(OSError):
            os.unlink(name, dir_fd=folder)
