"""Takes in the answers of tools that do not speak the protocol: plain text, JSON or objects of other keys.

`ENABLE_LEGACY_ADAPTER=false` turns it off; such a tool then answers with INTERNAL_ERROR.
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolError, ToolResponse, ToolStatus, as_json_value

_OFF = frozenset({"false", "0", "no", "off"})
_LONGEST_TEXT = 500
_WORDS = (
    (ErrorCode.NOT_FOUND, ("not found", "no such", "does not exist", "missing", "不存在", "找不到")),
    (ErrorCode.ACCESS_DENIED, ("access denied", "outside", "forbidden", "escape", "越界", "禁止")),
    (ErrorCode.PERMISSION_DENIED, ("permission", "not permitted", "read-only", "权限")),
    (ErrorCode.TIMEOUT, ("timeout", "timed out", "time out", "超时")),
    (ErrorCode.IS_DIRECTORY, ("is a directory", "is a folder", "是目录")),
    (ErrorCode.BINARY_FILE, ("binary", "二进制")),
    (ErrorCode.RATE_LIMIT, ("rate limit", "too many requests", "429", "限流")),
    (ErrorCode.NETWORK_ERROR, ("network", "connection", "unreachable", "网络")),
    (ErrorCode.INVALID_PARAM, ("invalid", "required", "parameter", "argument", "无效", "参数")),
    (ErrorCode.EXECUTION_ERROR, ("no space", "disk", "i/o", "磁盘")),
)
"""What an error's wording says of its code; the first that fits."""


def as_response(answer: object) -> ToolResponse:
    """A tool's answer in the protocol's form, converted if it has another.

    Raises:
        ToolFailure: It has another form, and the adapter is off or can make nothing of it.
    """
    if isinstance(answer, ToolResponse):
        return answer
    if os.environ.get("ENABLE_LEGACY_ADAPTER", "true").strip().casefold() in _OFF:
        raise _unusable(f"The tool answered with {type(answer).__name__}, which is not the protocol's envelope.")
    value = _parsed(answer) if isinstance(answer, str | bytes) else as_json_value(answer)
    if not isinstance(value, dict):
        value = {"result": value}
    return _envelope(value) if "status" in value else _converted(value)


def guess_code(wording: str) -> ErrorCode:
    """The error code that a sentence speaks of."""
    lowered = wording.casefold()
    for code, words in _WORDS:
        if any(word in lowered for word in words):
            return code
    return ErrorCode.INTERNAL_ERROR


def _parsed(answer: str | bytes) -> Any:
    try:
        return as_json_value(json.loads(answer))
    except (ValueError, RecursionError):
        raise _unusable("The tool's answer is not JSON.") from None


def _envelope(value: dict[str, Any]) -> ToolResponse:
    try:
        return ToolResponse.model_validate(value)
    except ValueError:
        raise _unusable("The tool's answer has a status and is still not the protocol's envelope.") from None


def _converted(value: dict[str, Any]) -> ToolResponse:
    if error := value.get("error"):
        return _error(error)
    data = value["data"] if isinstance(value.get("data"), dict) else value
    text = value.get("text") or value.get("message") or "The tool answered; see its data."
    is_partial = data.get("truncated") is True or any(data[key] for key in data if key.startswith("fallback"))
    if is_partial:
        text = f"{text} The result is not whole. Ask for less at a time."
    return ToolResponse(
        status=ToolStatus.PARTIAL if is_partial else ToolStatus.SUCCESS, data=data, text=_bounded_sentence(str(text))
    )


def _error(error: object) -> ToolResponse:
    known = error if isinstance(error, Mapping) else {}
    message = _bounded_sentence(str(known.get("message") or error))
    code = known.get("code")
    found = ErrorCode(code) if code in set(ErrorCode) else guess_code(message)
    return ToolResponse(
        status=ToolStatus.ERROR,
        text=f"{message.rstrip('.')}. Try other parameters, or go on without this tool.",
        error=ToolError(code=found, message=message),
    )


def _bounded_sentence(text: str) -> str:
    text = " ".join(text[: _LONGEST_TEXT * 4].split())
    return (text if len(text) >= 10 else f"The tool answered: {text}")[:_LONGEST_TEXT]


def _unusable(message: str) -> ToolFailure:
    return ToolFailure(ErrorCode.INTERNAL_ERROR, message, "Go on without this tool.")
