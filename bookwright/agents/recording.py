"""Recording a paid reply, or what a tool brought, also where the database cannot take it at once."""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from bookwright.agents.backends.protocol import FailedAttempt
from bookwright.agents.parsing import Parsed
from bookwright.agents.react.action import Action, NoAction
from bookwright.models.errors import LeaseLost, ReplyLost, StorageError
from bookwright.models.step import Failure, Reply, ToolUse
from bookwright.storage.journal import Attempt, Journal, Move

if TYPE_CHECKING:
    from bookwright.agents.asking import Asking

FIRST_WAIT, LONGEST_WAIT = 0.5, 8.0
"""Seconds between tries to record a paid reply that the database could not take; each is twice the last."""

_TOLD_CHARACTERS = 200
"""Of an action, in the log."""

_T = TypeVar("_T")


def record_surely(
    journal: Journal, attempt: Attempt, move: Move | None, intent: str, *, patience: float, again: bool = False
) -> int:
    """Record a paid reply, trying again for `patience` seconds while the database cannot take it.

    `again` says that an earlier try to record it may have arrived.

    Raises:
        ReplyLost: It still cannot; the reply is lost with this process, and only then.
    """
    advice = f"`bookwright resume {attempt.key.book}` asks for the last answer again, which could not be kept"
    return _patiently(lambda is_again: journal.record(attempt, move, intent, again=again or is_again), advice, patience)


def keep_surely(keep: Callable[[], None], book: str, *, patience: float) -> None:
    """Keep what a tool brought, in the same way.

    Raises:
        ReplyLost: It cannot be kept; nothing that was paid for a model is lost.
    """
    advice = f"`bookwright resume {book}` uses the last tool again, whose answer could not be kept"
    _patiently(lambda is_again: keep(), advice, patience)


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


class Recorder:
    """Records one try and every delivery that failed before it, numbering them on."""

    def __init__(self, asking: "Asking", blocks: tuple[str, ...]) -> None:
        self._asking = asking
        self._blocks = blocks

    @property
    def number(self) -> int:
        """Which attempt comes next, from 1."""
        return len(self._asking.desk.journal.attempts(self._asking.key)) + 1

    def acted(self, reply: Reply, turn: Action | NoAction) -> int:
        """Record a reply that asks for a tool; returns the step's id."""
        told = f"{turn.tool} {turn.arguments}" if isinstance(turn, Action) else "neither an action nor an answer"
        return self._keep(reply, Failure.TOOL_USE, " ".join(told.split())[:_TOLD_CHARACTERS], None)

    def observed(self, use: ToolUse) -> None:
        """Record what a tool brought, before it goes into a prompt."""
        desk, book = self._asking.desk, self._asking.key.book
        keep_surely(lambda: desk.journal.record_tool_use(use), book, patience=desk.settings.record_seconds)

    def record(self, reply: Reply, parsed: Parsed) -> int:
        """Record a delivered reply with its outcome and its move; returns the step's id."""
        if parsed.failure is not None:
            return self._keep(reply, parsed.failure, parsed.detail, None)
        try:
            move = self._asking.conclude(parsed.value) if self._asking.conclude else None
            return self._keep(reply, None, "", move)
        except (LeaseLost, ReplyLost):
            raise  # nothing more can be written
        except Exception as fault:  # whatever is wrong must not cost a paid reply: it is kept, then told
            self._keep(reply, Failure.FAULT, f"{type(fault).__name__}: {fault}"[:500], None, again=True)
            raise

    def record_undelivered(self, failed: FailedAttempt) -> None:
        """Record a try that the provider did not answer wholly."""
        failure = Failure.BROKEN_STREAM if failed.reply.text else Failure.UNAVAILABLE
        self._keep(failed.reply, failure, str(failed.error)[:500], None)

    def _keep(
        self, reply: Reply, failure: Failure | None, detail: str, move: Move | None, *, again: bool = False
    ) -> int:
        asking = self._asking
        attempt = Attempt(
            key=asking.key, attempt=self.number, role=asking.agent.role, template=asking.agent.prompt,
            prompt=(asking.system, *self._blocks), reply=reply, failure=failure, detail=detail,
            stores_prompt=asking.desk.stores_prompts,
        )  # fmt: skip
        following = asking.next_step or asking.run.next_activity
        intent = asking.key.step if failure else following
        return record_surely(
            asking.desk.journal, attempt, move, f"{asking.run.node.label} {intent}",
            patience=asking.desk.settings.record_seconds, again=again,
        )  # fmt: skip
