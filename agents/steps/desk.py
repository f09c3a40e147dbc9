"""What the steps of one book share: its brief, journal, models and contexts, and the interfaces of what is outside."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bookwright.agents.backends.protocol import FailureListener, Listener, Request, StreamEvent
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.context.builder import Context
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.brief import Brief
from bookwright.models.profile import Profile
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Reply, StepKey, StepRecord
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.journal import Journal


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


@dataclass(frozen=True)
class Desk:
    """Where one book's steps are done."""

    brief: Brief
    profile: Profile
    settings: Settings
    journal: Journal
    models: Asker
    budget: BudgetLedger | None
    contexts: ContextSource
    model_of: Callable[[str], str]
    """`provider:model` by role."""
    listener: Callable[[str, StreamEvent], None]
    """Hears every event of a call, with the step's name."""
    count_tokens: Callable[[str], int]
    """How many tokens a text is likely to have; the same each time it is asked."""
    locale: str = "en"
    stores_prompts: bool = True
    tools: Toolbox = field(default_factory=NoTools)
    clock: Callable[[], float] = time.monotonic
    """Seconds by which it is told how long something takes."""
    may_ask: Callable[[], None] = lambda: None
    """Raises where no further call is to be made for what is in hand."""
    meanwhile: Callable[[], None] = lambda: None
    """Called right before a model is asked: begins what can be done while the answer is waited for."""

    def is_concluded(self, activity: Activity, node: TaskNode, step: str) -> bool:
        """True if a step of an activity's first round is on record with a result and with what it does to the book."""
        done = self.result(step_key(activity, node, step))
        return done is not None and done.has_move

    def is_done(self, activity: Activity, node: TaskNode, step: str, round_: int = 0) -> bool:
        """True if a step of an activity is on record with a result."""
        return self.result(step_key(activity, node, step, round_)) is not None

    def result(self, key: StepKey) -> StepRecord | None:
        """Return the attempt at a step that is its result; None while there is none on record."""
        done = self.journal.attempts(key)
        return done[-1] if done and done[-1].failure is None else None


def step_key(activity: Activity, node: TaskNode, step: str, round_: int = 0) -> StepKey:
    """Return the key of a step of an activity of a node, as the node stands."""
    return StepKey(
        book=node.book, node=node.key, revision=node.revision, activity=activity, round=round_, step=step
    )  # fmt: skip
