"""What a tool is: a name, a description, parameters, and an answer in the protocol's envelope.

An answer is made by `success` or `partial`, or, where what it lacks is gathered while it is made, by `PartialReasons`.
Answers of tools that do not speak the protocol, in plain text, JSON or objects of other keys, are taken in;
`ENABLE_LEGACY_ADAPTER=false` turns that off, and such a tool then answers with INTERNAL_ERROR.
"""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import lru_cache
from posixpath import normpath
from time import perf_counter
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import ValidationError

from bookwright.models.errors import ToolFailure
from bookwright.models.frozen import StrictModel
from bookwright.models.talk.tool import ErrorCode, ToolError, ToolResponse, ToolStatus, as_json_value
from bookwright.prompts.render import render_part

_TOLD_PROBLEMS = 3
_LONGEST_TOLD = 200

_ADAPTER_OFF = frozenset({"false", "0", "no", "off"})
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


class Params(StrictModel):
    """The parameters of a tool; a subclass for each."""


P = TypeVar("P", bound=Params)


@lru_cache(maxsize=128)
def _properties(parameters: type[Params]) -> dict[str, Any]:
    return dict(parameters.model_json_schema()["properties"])


class Tool(ABC, Generic[P]):
    """One thing an agent can do. A subclass names itself and its parameters and gives `run`."""

    name: str
    """As the model writes it; its description is `prompts/tools/{name}.md.j2`."""
    parameters: ClassVar[type[Params]]
    limits: ClassVar[Mapping[str, int | float | str]] = {}
    """Limits that are not those of a single parameter, for the description."""

    @abstractmethod
    def run(self, params: P) -> ToolResponse:
        """Do it. The answer comes from `success` or `partial`; no result is `raise ToolFailure(...)`."""

    def description(self, locale: str = "en") -> str:
        """What the model is told of the tool, in a prompt language."""
        properties = _properties(self.parameters)
        return render_part(f"tools/{self.name}", locale, parameters=properties, limits=self.limits)

    def answer(self, raw: Mapping[str, Any]) -> ToolResponse:
        """Check the parameters, run, and fill in what every answer carries: time, place, parameters.

        An exception that is no `ToolFailure` goes through; the registry catches it.
        """
        started = perf_counter()
        try:
            response = _as_response(self.run(self._checked(raw)))
        except ToolFailure as failure:
            response = failed(failure)
            if "path" in self.parameters.model_fields:
                response = with_path(response, raw)
        return complete(response, raw, perf_counter() - started)

    def _checked(self, raw: Mapping[str, Any]) -> Any:
        try:
            return self.parameters.model_validate(dict(raw))
        except (ValidationError, RecursionError) as error:
            known = ", ".join(self.parameters.model_fields)
            advice = f"{self.name} takes: {known}. Correct the parameters and call again."
            raise ToolFailure(ErrorCode.INVALID_PARAM, _problems(error), advice) from None


def success(
    data: Mapping[str, Any], text: str, *, stats: Mapping[str, Any] | None = None, **context: Any
) -> ToolResponse:
    """Done wholly as asked. `context` takes `path_resolved` where a path was asked for."""
    return ToolResponse(
        status=ToolStatus.SUCCESS, data=dict(data), text=text, stats=dict(stats or {}), context=dict(context)
    )


def partial(
    data: Mapping[str, Any], done: str, lacking: str, advice: str, *,
    stats: Mapping[str, Any] | None = None, **context: Any,
) -> ToolResponse:  # fmt: skip
    """Usable, but less than asked: what was done, what is lacking, what to do about it, as sentences."""
    whole = success(data, f"{done} {lacking} {advice}", stats=stats, **context)
    return whole.model_copy(update={"status": ToolStatus.PARTIAL})


def with_path(response: ToolResponse, raw: Mapping[str, Any]) -> ToolResponse:
    """The failure with the path that was asked for, where it was not found what that leads to."""
    if not isinstance(path := as_json_value(raw.get("path")), str):
        return response
    return response.model_copy(update={"context": {"path_resolved": normpath(path)} | response.context})


def failed(failure: ToolFailure) -> ToolResponse:
    """No result, and what to do about it."""
    return ToolResponse(
        status=ToolStatus.ERROR,
        text=f"{failure.message} {failure.advice}",
        context=dict(failure.context),
        error=ToolError(code=failure.code, message=failure.message),
    )


def complete(response: ToolResponse, raw: Mapping[str, Any], seconds: float) -> ToolResponse:
    """The response with its time, the tools' place and the parameters as they were received."""
    fixed = {"cwd": ".", "params_input": as_json_value(raw)}  # tools always stand at the root of the book's folder
    return response.model_copy(
        update={
            "text": as_json_value(response.text),
            "data": as_json_value(response.data),
            "stats": {"time_ms": 0} | as_json_value(response.stats) | {"time_ms": round(seconds * 1000, 2)},
            "context": fixed | as_json_value(response.context) | fixed,
        }
    )


def _problems(error: ValidationError | RecursionError) -> str:
    if isinstance(error, RecursionError):
        return "The parameters are nested too deeply."
    found = [
        f"{'.'.join(str(part) for part in each['loc'])[:_LONGEST_TOLD] or 'parameters'}: {each['msg'][:_LONGEST_TOLD]}"
        for each in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f" (and {len(found) - _TOLD_PROBLEMS} more)" if len(found) > _TOLD_PROBLEMS else ""
    return f"Invalid parameters: {'; '.join(found[:_TOLD_PROBLEMS])}{more}."


def counted(number: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


class PartialReasons:
    """Reasons why an answer is only partial, each with what to do about it."""

    def __init__(self) -> None:
        self._lacking: list[str] = []
        self._advice: list[str] = []
        self._data: dict[str, Any] = {"truncated": False}

    def add(self, lacking: str, advice: str, **data: Any) -> None:
        """Add one reason, as sentences, and what it says in the answer's data."""
        self._lacking.append(lacking)
        self._advice.append(advice)
        self._data |= data

    def answer(self, data: Mapping[str, Any], done: str, stats: Mapping[str, Any], **context: Any) -> ToolResponse:
        """Success if nothing is lacking, else partial."""
        data = {**data, **self._data}
        if not self._lacking:
            return success(data, done, stats=stats, **context)
        return partial(data, done, " ".join(self._lacking), " ".join(self._advice), stats=stats, **context)


def _as_response(answer: object) -> ToolResponse:
    """A tool's answer in the protocol's form, converted if it has another.

    Raises:
        ToolFailure: It has another form, and the adapter is off or can make nothing of it.
    """
    if isinstance(answer, ToolResponse):
        return answer
    if os.environ.get("ENABLE_LEGACY_ADAPTER", "true").strip().casefold() in _ADAPTER_OFF:
        raise _unusable(f"The tool answered with {type(answer).__name__}, which is not the protocol's envelope.")
    value = _parsed(answer) if isinstance(answer, str | bytes) else as_json_value(answer)
    if not isinstance(value, dict):
        value = {"result": value}
    return _envelope(value) if "status" in value else _converted(value)


def _guess_code(wording: str) -> ErrorCode:
    """The error code that a sentence speaks of."""
    lowered = wording.casefold()
    told = (code for code, words in _WORDS if any(word in lowered for word in words))
    return next(told, ErrorCode.INTERNAL_ERROR)


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
    found = ErrorCode(code) if code in set(ErrorCode) else _guess_code(message)
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
