"""Whether an answer keeps to the protocol: its rules by number, as docs/tool-protocol.md has them."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bookwright.agents.tools.overflow import MOST_BYTES
from bookwright.models.talk.tool import ErrorCode, ToolResponse, ToolStatus
from bookwright.models.text.language import lazy_pattern

SHORTEST_TEXT = 10
"""Characters."""

_KEYS = ("status", "data", "text", "stats", "context")
_STATUSES = frozenset(ToolStatus)
_CODES = frozenset(ErrorCode)
_LARGEST = MOST_BYTES + 4_096
"""The framework's limit, and room for what it says of its cutting."""
_SENTENCE_END = lazy_pattern(r"[.!?。！？…](?=[\s\"'”’)]|$|[\u4e00-\u9fff])")

_Envelope = Mapping[str, Any]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True)

    truncated: bool


class _FolderEntry(BaseModel):
    path: str = Field(min_length=1)
    type: Literal["file", "dir", "link", "other"]


class _Entries(_Shape):
    entries: list[_FolderEntry]


class _Paths(_Shape):
    paths: list[str]


class _Match(BaseModel):
    file: str = Field(min_length=1)
    line: int = Field(ge=1)
    text: str


class _Matches(_Shape):
    matches: list[_Match]


class _Content(_Shape):
    content: str


class _Written(_Shape):
    applied: bool
    operation: Literal["create", "update"]
    diff_preview: str


class _Passage(BaseModel):
    title: str
    text: str


class _Hit(BaseModel):
    title: str
    url: str


class _Passages(_Shape):
    results: list[_Passage]


class _Hits(_Shape):
    results: list[_Hit]


class _FetchedPage(_Shape):
    url: str
    content: str


_DATA_SHAPES: dict[str, tuple[str, type[BaseModel]]] = {
    "LS": ("D001", _Entries),
    "Glob": ("D002", _Paths),
    "Grep": ("D003", _Matches),
    "Read": ("D004", _Content),
    "Write": ("D005", _Written),
    "search_designs": ("D006", _Passages),
    "search_story": ("D006", _Passages),
    "search_references": ("D006", _Passages),
    "web_search": ("D006", _Hits),
    "fetch_page": ("D007", _FetchedPage),
}
"""Rule and shape of the data by the tool's name, for answers that are no errors; more is allowed, less is not."""
_FILE_TOOLS = frozenset({"LS", "Glob", "Grep", "Read", "Write"})
_PATHLESS_TOOLS = frozenset(_DATA_SHAPES) - _FILE_TOOLS


@dataclass(frozen=True)
class RuleViolation:
    """A rule that an answer breaks."""

    rule: str
    """V for structure, S for status, T for text, D for data; then three digits."""
    message: str


def validate(tool_name: str, response: ToolResponse | Mapping[str, Any] | str) -> list[RuleViolation]:
    """Every rule that a tool's answer breaks, by number; an empty list if it keeps to the protocol."""
    try:
        envelope = _plain(response)
    except (ValueError, TypeError, RecursionError) as error:
        return [RuleViolation("V001", f"is no JSON object: {error}")]
    found = [*_structure(tool_name, envelope)]
    if not found:  # what follows relies on the structure
        found = [*_status(envelope), *_text(envelope), *_data(tool_name, envelope)]
    return sorted(found, key=lambda violation: violation.rule)


def _plain(response: ToolResponse | Mapping[str, Any] | str) -> _Envelope:
    """The answer as a reader of its JSON has it."""
    if isinstance(response, ToolResponse):
        response = response.to_json()
    written = response if isinstance(response, str) else json.dumps(response, ensure_ascii=False, allow_nan=False)
    written.encode()
    envelope = json.loads(written, parse_constant=_no_number)
    if not isinstance(envelope, dict):
        raise ValueError(f"it is of type {type(envelope).__name__}")
    return envelope


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _structure(tool_name: str, envelope: _Envelope) -> Iterator[RuleViolation]:
    if unknown := sorted(set(envelope) - {*_KEYS, "error"}):
        yield RuleViolation("V002", f"has keys that the protocol does not know: {', '.join(unknown)}")
    if missing := [key for key in _KEYS if key not in envelope]:
        yield RuleViolation("V003", f"lacks {', '.join(missing)}")
        return
    for rule, key, is_right, wanted in _TYPES:
        if not is_right(envelope[key]):
            yield RuleViolation(rule, f"{key} is no {wanted}")
            return
    yield from _context(tool_name, envelope)
    error = envelope.get("error")
    if error is not None and not _is_error(error):
        yield RuleViolation("V012", "error is not {code, message}, both text")


_TYPES: tuple[tuple[str, str, Callable[[Any], bool], str], ...] = (
    ("V004", "status", lambda value: value in _STATUSES, "known status"),
    ("V005", "data", lambda value: isinstance(value, dict), "object"),
    ("V006", "text", lambda value: isinstance(value, str), "text"),
    ("V007", "stats", lambda value: isinstance(value, dict) and _is_time(value.get("time_ms")), "object with time_ms"),
    ("V008", "context", lambda value: isinstance(value, dict), "object"),
)


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value) and value >= 0


def _is_error(error: object) -> bool:
    if not isinstance(error, dict) or set(error) != {"code", "message"}:
        return False
    return all(isinstance(value, str) for value in error.values())


def _context(tool_name: str, envelope: _Envelope) -> Iterator[RuleViolation]:
    context = envelope["context"]
    if not _is_relative(context.get("cwd")):
        yield RuleViolation("V009", "context.cwd is no path relative to the root")
    params = context.get("params_input")
    if not isinstance(params, dict):
        yield RuleViolation("V010", "context.params_input is no object")
        return
    is_path_involved = (isinstance(params.get("path"), str) and tool_name not in _PATHLESS_TOOLS) or (
        tool_name in _FILE_TOOLS and envelope["status"] != ToolStatus.ERROR
    )
    resolved = context.get("path_resolved")
    if is_path_involved and not isinstance(resolved, str):
        yield RuleViolation("V011", "context.path_resolved is missing, though a path is involved")
    elif is_path_involved and envelope["status"] != ToolStatus.ERROR and not _is_relative(resolved):
        yield RuleViolation("V011", "context.path_resolved leads out of the root")


def _is_relative(path: object) -> bool:
    return isinstance(path, str) and bool(path) and not path.startswith("/") and ".." not in path.split("/")


def _status(envelope: _Envelope) -> Iterator[RuleViolation]:
    data, error = envelope["data"], envelope.get("error")
    if envelope["status"] == ToolStatus.ERROR:
        yield from _of_an_error(data, error)
        return
    if "error" in envelope:
        yield RuleViolation("S002", f"has an error, though its status is {envelope['status']}")
    if envelope["status"] == ToolStatus.PARTIAL:
        return
    if data.get("truncated") is True:
        yield RuleViolation("S005", "is truncated, and its status is not partial")
    if any(value for key, value in data.items() if key.startswith("fallback")):
        yield RuleViolation("S006", "came by a fallback, and its status is not partial")
    if data.get("dry_run") is True or data.get("applied") is False or data.get("failed_items"):
        yield RuleViolation("S007", "was not done wholly, and its status is not partial")


def _of_an_error(data: Mapping[str, Any], error: Mapping[str, Any] | None) -> Iterator[RuleViolation]:
    if error is None:
        yield RuleViolation("S001", "its status is error, and there is no error")
        return
    if error["code"] not in _CODES:
        yield RuleViolation("S003", f"has an unknown error code {error['code']!r}")
    if not error["message"].strip():
        yield RuleViolation("S004", "its error has no message")
    if data:
        yield RuleViolation("S008", "has data, though its status is error")


def _text(envelope: _Envelope) -> Iterator[RuleViolation]:
    text, status = envelope["text"].strip(), envelope["status"]
    sentences = len(_SENTENCE_END.findall(text))
    if not text:
        yield RuleViolation("T001", "has no text")
    elif len(text) < SHORTEST_TEXT:
        yield RuleViolation("T002", f"its text is shorter than {SHORTEST_TEXT} characters")
    if status == ToolStatus.PARTIAL and sentences < 3:
        yield RuleViolation("T003", "its text does not say what was done, what is lacking and what to do next")
    if status == ToolStatus.ERROR and sentences < 2:
        yield RuleViolation("T004", "its text does not say what went wrong and what to do next")


def _data(tool_name: str, envelope: _Envelope) -> Iterator[RuleViolation]:
    pages = envelope["context"].get("truncation_skip") is True
    if not pages and len(json.dumps(envelope, ensure_ascii=False).encode()) > _LARGEST:
        yield RuleViolation("D008", f"is longer than {_LARGEST} bytes, and does not page by itself")
    if tool_name not in _DATA_SHAPES or envelope["status"] == ToolStatus.ERROR:
        return
    rule, shape = _DATA_SHAPES[tool_name]
    try:
        shape.model_validate(envelope["data"], strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        yield RuleViolation(rule, f"data.{'.'.join(map(str, first['loc']))}: {first['msg']}")
