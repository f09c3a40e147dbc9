"""What a tool is: a name, a description, parameters, and an answer in the protocol's envelope."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from posixpath import normpath
from time import perf_counter
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import ValidationError

from bookwright.agents.tools import legacy
from bookwright.models.errors import ToolFailure
from bookwright.models.frozen import StrictModel
from bookwright.models.talk.tool import ErrorCode, ToolError, ToolResponse, ToolStatus, as_json_value
from bookwright.prompts.render import render_tool

ROOT = "."
"""`context.cwd`: tools always stand at the root of the book's folder."""

_TOLD_PROBLEMS = 3
_LONGEST_TOLD = 200


class Params(StrictModel):
    """The parameters of a tool; a subclass for each."""


P = TypeVar("P", bound=Params)


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
        parameters = self.parameters.model_json_schema()["properties"]
        return render_tool(self.name, locale, parameters=parameters, limits=self.limits)

    def answer(self, raw: Mapping[str, Any]) -> ToolResponse:
        """Check the parameters, run, and fill in what every answer carries: time, place, parameters.

        An exception that is no `ToolFailure` goes through; the registry catches it.
        """
        started = perf_counter()
        try:
            response = legacy.as_response(self.run(self._checked(raw)))
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
    return ToolResponse(
        status=ToolStatus.PARTIAL,
        data=dict(data),
        text=f"{done} {lacking} {advice}",
        stats=dict(stats or {}),
        context=dict(context),
    )


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
    fixed = {"cwd": ROOT, "params_input": as_json_value(raw)}
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
