"""Interfaces that a desk needs from outside: model calls, contexts and tools."""

from typing import Protocol

from bookwright.agents.backends.protocol import FailureListener, Listener, Request
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.context.builder import Context
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.step import Activity, Reply
from bookwright.models.tree.task import TaskNode


class Asker(Protocol):
    """Completes prompts: the model service, or a stand-in."""

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Complete a prompt within a budget; `on_failure` hears of each try that failed.

        Raises:
            BackendError: Nothing was delivered.
        """
        ...


class ContextSource(Protocol):
    """Builds the context of an activity."""

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str) -> Context:
        """Return the context of one activity."""
        ...


class Toolbox(Protocol):
    """Gives the tools of a book."""

    @property
    def has_web(self) -> bool:
        """Whether anything outside the book can be looked up."""
        ...

    def registry(self, names: tuple[str, ...], unit: TaskNode) -> ToolRegistry | None:
        """Return those of the named tools that are of use to a unit's steps; None where none is."""
        ...


class NoTools:
    """The toolbox of a book that has none."""

    has_web = False

    def registry(self, names: tuple[str, ...], unit: TaskNode) -> ToolRegistry | None:
        """Return nothing."""
        return None
