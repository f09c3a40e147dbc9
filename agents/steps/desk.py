"""What the steps of one book share: its brief, journal, models and contexts, and the interfaces of what is outside.

Recording a paid reply, or what a tool brought, also where the database cannot take it at once.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from bookwright.agents.agent import Agent
from bookwright.agents.backends.protocol import FailedAttempt, FailureListener, Listener, Request, StreamEvent
from bookwright.agents.backends.spending.budget import BudgetLedger
from bookwright.agents.context.builder import Context
from bookwright.agents.react.action import Action, NoAction
from bookwright.agents.steps.answers import Conclude, Parsed
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.brief import Brief
from bookwright.models.errors import LeaseLost, ReplyLost, StorageError
from bookwright.models.profile import Profile
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Failure, Reply, StepKey, StepRecord, ToolUse
from bookwright.models.tree.task import TaskNode
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Journal, Move

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds between tries to record a paid reply that the database could not take; each is twice the last."""

_ACTION_CHARACTERS = 200
"""Of an action, in the log."""

_SHORTFALL_CHARACTERS = 500
"""Of what a context had to do without."""

_T = TypeVar("_T")


class Asker(Protocol):
    """Completes prompts: the model service, or a stand-in."""

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Complete a prompt within a budget; `on_failure` hears of each try that failed.

        Raises:
            BackendError: Nothing was delivered.
        """


class ContextSource(Protocol):
    """Builds the context of an activity."""

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str, *only: str) -> Context:
        """Return the context of one activity; with tags in `only` the blocks of these alone."""


class Toolbox(Protocol):
    """Gives the tools of a book."""

    @property
    def has_web(self) -> bool:
        """Whether anything outside the book can be looked up."""

    def registry(self, names: tuple[str, ...], unit: TaskNode) -> ToolRegistry | None:
        """Return those of the named tools that are of use to a unit's steps; None where none is."""


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
    return StepKey(book=node.book, node=node.key, revision=node.revision, activity=activity, round=round_, step=step)


def record_surely(
    journal: Journal, attempt: Attempt, move: Move | None, intent: str, *, patience: float, is_again: bool = False
) -> int:
    """Record a paid reply, trying again for `patience` seconds while the database cannot take it.

    `is_again` says that an earlier try to record it may have arrived.

    Raises:
        ReplyLost: It still cannot; the reply is lost with this process, and only then.
    """
    advice = f"{journal.way_on} asks for the last answer again, which could not be kept"
    return _patiently(
        lambda was_tried: journal.record(attempt, move, intent, is_again=is_again or was_tried), advice, patience
    )


def _patiently(write: Callable[[bool], _T], advice: str, patience: float) -> _T:
    deadline = time.monotonic() + patience
    wait, is_again = FIRST_WAIT, False
    while True:
        try:
            return write(is_again)
        except StorageError as error:
            if time.monotonic() + wait > deadline:
                raise ReplyLost(str(error), advice) from error
        time.sleep(wait)
        wait, is_again = min(2 * wait, LONGEST_WAIT), True


@dataclass(frozen=True)
class Recorder:
    """Records the tries of one step and every delivery that failed before one, numbering them on."""

    desk: Desk
    agent: Agent
    key: StepKey
    label: str
    """The node's, for the intent."""
    prompt: tuple[str, ...]
    """The system frame and the blocks."""
    card: tuple[str, ...]
    """What the last block was rendered from, as it is stored."""
    conclude: Conclude | None
    following: str
    """What comes after the step, for the intent."""
    shortfall: str = ""
    """What its context had to do without."""

    @property
    def number(self) -> int:
        """Which attempt comes next, from 1."""
        return len(self.desk.journal.attempts(self.key)) + 1

    def acted(self, reply: Reply, turn: Action | NoAction) -> int:
        """Record a reply that asks for a tool; returns the step's id."""
        told = f"{turn.tool} {turn.arguments}" if isinstance(turn, Action) else "neither an action nor an answer"
        return self._keep(reply, Failure.TOOL_USE, " ".join(told.split())[:_ACTION_CHARACTERS], None)

    def observed(self, use: ToolUse) -> None:
        """Record what a tool brought, before it goes into a prompt, as surely as a reply.

        Raises:
            ReplyLost: It cannot be kept; nothing that was paid for a model is lost.
        """
        journal = self.desk.journal
        advice = f"{journal.way_on} uses the last tool again, whose answer could not be kept"
        _patiently(lambda is_again: journal.record_tool_use(use), advice, self.desk.settings.record_seconds)

    def record(self, reply: Reply, parsed: Parsed) -> int:
        """Record a delivered reply with its outcome and its move; returns the step's id."""
        if parsed.failure is not None:
            return self._keep(reply, parsed.failure, parsed.detail, None)
        try:
            move = self.conclude(parsed.value) if self.conclude else None
            return self._keep(reply, None, self.shortfall[:_SHORTFALL_CHARACTERS], move)
        except (LeaseLost, ReplyLost):
            raise  # nothing more can be written
        except Exception as fault:  # whatever is wrong must not cost a paid reply: it is kept, then told
            self._keep(reply, Failure.FAULT, f"{type(fault).__name__}: {fault}"[:500], None, is_again=True)
            raise

    def record_undelivered(self, failed: FailedAttempt) -> None:
        """Record a try that the provider did not answer wholly."""
        failure = Failure.BROKEN_STREAM if failed.reply.text else Failure.UNAVAILABLE
        self._keep(failed.reply, failure, str(failed.error)[:500], None)

    def _keep(
        self, reply: Reply, failure: Failure | None, detail: str, move: Move | None, *, is_again: bool = False
    ) -> int:
        attempt = Attempt(
            key=self.key, attempt=self.number, role=self.agent.role, template=self.agent.prompt, prompt=self.prompt,
            reply=reply, failure=failure, detail=detail, stores_prompt=self.desk.stores_prompts, card=self.card,
        )  # fmt: skip
        intent = f"{self.label} {self.key.step if failure else self.following}"
        patience = self.desk.settings.record_seconds
        return record_surely(self.desk.journal, attempt, move, intent, patience=patience, is_again=is_again)
