"""What every tool answers with: one envelope of fixed keys."""

import json
import math
import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from pydantic import Field, model_validator

from bookwright.models.frozen import StrictModel

_DEEPEST = 24
"""Levels of nesting that an envelope may carry; what lies deeper is told in a word."""

_SURROGATES = re.compile("[\ud800-\udfff]")


class ToolStatus(StrEnum):
    """How far a tool did what it was asked."""

    SUCCESS = "success"
    """Wholly: nothing cut, nothing in another way than asked."""
    PARTIAL = "partial"
    """Usable, but less than asked: cut, by a fallback, a dry run, or with some items failed."""
    ERROR = "error"
    """Nothing that can be used."""


class ErrorCode(StrEnum):
    """Why a tool has nothing to give."""

    NOT_FOUND = "NOT_FOUND"
    ACCESS_DENIED = "ACCESS_DENIED"
    """Outside of what tools may reach: beyond the vault, or an address that is not public."""
    PERMISSION_DENIED = "PERMISSION_DENIED"
    """The operating system refuses."""
    INVALID_PARAM = "INVALID_PARAM"
    TIMEOUT = "TIMEOUT"
    """The time ran out before anything was found; with something found the answer is partial."""
    INTERNAL_ERROR = "INTERNAL_ERROR"
    """An unknown tool, or one that failed in a way nobody foresaw."""
    EXECUTION_ERROR = "EXECUTION_ERROR"
    """The system failed at it: a full disk, an input or output error."""
    IS_DIRECTORY = "IS_DIRECTORY"
    BINARY_FILE = "BINARY_FILE"
    CONFLICT = "CONFLICT"
    """Changed by somebody else since it was read."""
    NETWORK_ERROR = "NETWORK_ERROR"
    API_ERROR = "API_ERROR"
    """A service answered that it cannot."""
    RATE_LIMIT = "RATE_LIMIT"


class ToolError(StrictModel):
    """Why there is no result."""

    code: ErrorCode
    message: str


class ToolResponse(StrictModel):
    """One tool's answer. Source: docs/tool-protocol.md."""

    status: ToolStatus
    data: dict[str, Any] = Field(default_factory=dict)
    """What was found or done, in the tool's own fields; empty on an error, never null."""
    text: str
    """For the model: what was done, what is lacking, what to do next."""
    stats: dict[str, Any] = Field(default_factory=dict)
    """Figures; `time_ms` is always there once the registry hands it on."""
    context: dict[str, Any] = Field(default_factory=dict)
    """`cwd`, `params_input`, and `path_resolved` where a path was asked for."""
    error: ToolError | None = None

    @model_validator(mode="after")
    def _error_goes_with_its_status(self) -> "ToolResponse":
        if (self.error is not None) != (self.status is ToolStatus.ERROR):
            raise ValueError("an error stands in a response whose status is error, and in no other")
        return self

    def to_dict(self) -> dict[str, Any]:
        """The envelope: the keys of the protocol and no other; `error` only on an error."""
        return self.model_dump(mode="json", exclude={"error"} if self.error is None else None)

    def to_json(self) -> str:
        """The envelope on one line, as text that can be stored and sent anywhere."""
        return json.dumps(as_json_value(self.to_dict()), ensure_ascii=False, allow_nan=False)


def as_json_value(value: object, depth: int = _DEEPEST) -> Any:
    """Make of anything what JSON can carry: no NaN, no lone surrogate, no bytes, no endless nesting."""
    match value:
        case None | bool():
            return value
        case str():
            return str.__str__(value) if value.isascii() else _SURROGATES.sub("\N{REPLACEMENT CHARACTER}", value)
        case int():
            return int(value) if value.bit_length() <= 1024 else f"an integer of {value.bit_length()} bits"
        case float():
            return float(value) if math.isfinite(value) else repr(value)
        case Mapping() if depth:
            return {as_json_value(str(key)): as_json_value(item, depth - 1) for key, item in value.items()}
        case list() | tuple() if depth:
            return [as_json_value(item, depth - 1) for item in value]
    return f"<{type(value).__name__}>"


def status_and_text(envelope: str) -> tuple[str, str]:
    """Return the status and the text of an envelope, for whoever looks on; of what is none no status and all of it."""
    try:
        told = json.loads(envelope)
    except ValueError:
        return "", envelope
    if not isinstance(told, Mapping):
        return "", envelope
    return str(told.get("status", "")), str(told.get("text", ""))
