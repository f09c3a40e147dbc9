"""The tools that an agent may use, and the one place where they are called."""

import difflib
import json
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import perf_counter
from typing import Any, NoReturn

from bookwright.agents.tools.overflow import Overflow
from bookwright.agents.tools.tool import Tool, complete, failed, with_path
from bookwright.agents.tools.validate import validate
from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode, ToolResponse

_log = logging.getLogger(__name__)
_LONGEST_NAME = 80
_ADVICE = "Go on without it, or try other parameters."

Permit = Callable[[str, Mapping[str, Any]], Mapping[str, Any]]
"""Given a tool's name and its parameters, returns those to use; raises `ToolFailure` where it may not be used."""


class ToolRegistry:
    """Tools by name. `call` always returns an envelope, whatever the model or a tool does."""

    def __init__(
        self, tools: Iterable[Tool[Any]], overflow: Overflow | None = None, permit: Permit | None = None
    ) -> None:
        """`overflow` keeps the whole of answers that are cut; without it the rest is lost. `permit` decides on uses."""
        self._tools: dict[str, Tool[Any]] = {}
        self._overflow = overflow or Overflow()
        self._permit = permit or (lambda name, params: params)
        for tool in tools:
            self.add(tool)

    def add(self, tool: Tool[Any]) -> None:
        """Register one more tool.

        Raises:
            ValueError: There is one of that name.
        """
        if tool.name in self._tools:
            raise ValueError(f"there are two tools named {tool.name!r}")
        self._tools[tool.name] = tool

    def __iter__(self) -> Iterator[Tool[Any]]:
        return iter(self._tools.values())

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def __len__(self) -> int:
        return len(self._tools)

    def only(self, allowed: Iterable[str] | None = None, disallowed: Iterable[str] = ()) -> "ToolRegistry":
        """A registry of fewer tools: those allowed (all if None) without those disallowed."""
        wanted = set(self._tools if allowed is None else allowed) - set(disallowed)
        return ToolRegistry((tool for tool in self if tool.name in wanted), self._overflow, self._permit)

    def permitted(self, permit: Permit) -> "ToolRegistry":
        """A registry of the same tools, of which each use is decided on before it runs."""
        return ToolRegistry(self, self._overflow, permit)

    def call(self, name: str, raw: Mapping[str, Any] | str) -> ToolResponse:
        """Call a tool with parameters as the model gave them: an object, or its JSON.

        Never raises: an unknown tool, parameters that cannot be used and an exception in a tool are
        answers too. An answer of more than 2000 lines or 51200 bytes is cut, unless its tool pages.
        """
        started = perf_counter()
        params: Mapping[str, Any] = raw if isinstance(raw, Mapping) else {"input": raw}
        try:
            params = raw if isinstance(raw, Mapping) else _parsed(raw)
            response = self._named(name).answer(self._permit(name, params))
        except ToolFailure as failure:
            response = complete(with_path(failed(failure), params), params, perf_counter() - started)
        except Exception as error:  # the edge: what a tool does wrong must not end a book
            _log.exception("the tool %r failed", name)
            message = f"The tool failed unexpectedly ({type(error).__name__})."
            unforeseen = ToolFailure(ErrorCode.INTERNAL_ERROR, message, _ADVICE)
            response = complete(failed(unforeseen), params, perf_counter() - started)
        return self._overflow.cut(str(name), _kept_to_rules(str(name), response))

    def _named(self, name: str) -> Tool[Any]:
        if name in self._tools:
            return self._tools[name]
        shown = str(name)[:_LONGEST_NAME]
        near = difflib.get_close_matches(shown, self._tools, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        advice = f"{hint}The tools are: {', '.join(self._tools) or 'none'}."
        raise ToolFailure(ErrorCode.INTERNAL_ERROR, f"There is no tool {shown!r}.", advice)


def _kept_to_rules(name: str, response: ToolResponse) -> ToolResponse:
    """The answer, or an error in its place where its status does not tell the truth. Source: S1-015, S1-025."""
    broken = [each for each in validate(name, response) if each.rule.startswith("S")]
    if not broken:
        return response
    _log.error("the tool %r breaks the protocol: %s", name, "; ".join(f"{own.rule} {own.message}" for own in broken))
    told = failed(ToolFailure(ErrorCode.INTERNAL_ERROR, f"The tool's answer breaks rule {broken[0].rule}.", _ADVICE))
    return response.model_copy(update={"status": told.status, "data": {}, "text": told.text, "error": told.error})


def _parsed(raw: str) -> Mapping[str, Any]:
    advice = 'Give the parameters as one JSON object, such as {"path": "."}.'
    try:
        value = json.loads(raw, parse_constant=_refuse_constant)
    except (ValueError, RecursionError, TypeError) as error:
        message = f"The parameters are not JSON: {str(error)[:160]}."
        raise ToolFailure(ErrorCode.INVALID_PARAM, message, advice) from None
    if not isinstance(value, dict):
        raise ToolFailure(ErrorCode.INVALID_PARAM, "The parameters are JSON, but not an object.", advice)
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")
