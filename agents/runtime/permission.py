"""Who may use which tool: lists, modes, and a function that is asked before each use."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bookwright.models.errors import ToolFailure
from bookwright.models.talk.tool import ErrorCode


@dataclass(frozen=True)
class Allowed:
    """The tool may be used, with this input."""

    input: Mapping[str, Any]


@dataclass(frozen=True)
class Denied:
    """The tool may not be used; the model is told why."""

    message: str


Permission = Allowed | Denied
CanUseTool = Callable[[str, Mapping[str, Any]], Permission]
"""Given a tool's name and its input; called before every single use."""


def allow(name: str, given: Mapping[str, Any]) -> Permission:
    """Allow a use as it is: what holds where nobody decides."""
    return Allowed(given)


EDITING_TOOLS = frozenset({"Write"})
"""Tools that change something."""


class PermissionMode(StrEnum):
    """What is decided without asking. Source: REQUIREMENTS S4-024."""

    DEFAULT = "default"
    """Nothing: the permission function decides."""
    ACCEPT_EDITS = "acceptEdits"
    """Tools that change something may be used; the function decides on the others."""
    PLAN = "plan"
    """Tools that change something may not be used; the function decides on the others."""
    BYPASS = "bypassPermissions"
    """Every tool may be used."""


@dataclass(frozen=True)
class PermissionGuard:
    """Decides on each use of a tool, as a registry asks it to."""

    mode: PermissionMode
    can_use_tool: CanUseTool

    def __call__(self, name: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the parameters to use.

        Raises:
            ToolFailure: It may not be used.
        """
        permission = self._decided(name, params)
        if isinstance(permission, Allowed):
            return permission.input
        advice = "Go on without it, or say what you need it for."
        raise ToolFailure(ErrorCode.PERMISSION_DENIED, f"{name} may not be used: {permission.message}.", advice)

    def _decided(self, name: str, params: Mapping[str, Any]) -> Permission:
        edits = name in EDITING_TOOLS
        if self.mode is PermissionMode.PLAN and edits:
            return Denied("only reading is allowed while a plan is made")
        if self.mode is PermissionMode.BYPASS or (self.mode is PermissionMode.ACCEPT_EDITS and edits):
            return Allowed(params)
        return self.can_use_tool(name, params)
