"""The steps of one activity, in order, each asked once and found on record from then on."""

from collections.abc import Sequence
from typing import Any

from bookwright.agents.agent import Agent
from bookwright.agents.react.loop import answered
from bookwright.agents.steps.answers import Check, Conclude, Outcome, parse, whole
from bookwright.agents.steps.asking import Asking
from bookwright.agents.steps.desk import record_surely, step_key
from bookwright.agents.steps.material import ActivityMaterial
from bookwright.models.step import CODE, Failure, Reply, StepKey, ToolUse
from bookwright.models.text.plain import plain
from bookwright.storage.steps.attempts import Attempt
from bookwright.storage.steps.journal import Move

_DETAIL_CHARACTERS = 500

_NO_ANSWER = (Failure.UNAVAILABLE, Failure.BROKEN_STREAM, Failure.TOOL_USE)


class ActivityRun(ActivityMaterial):
    """The steps of one activity, in order. A recorded step is never asked again."""

    def run(
        self,
        agent: Agent,
        conclude: Conclude | None = None,
        *,
        step: str = "",
        check: Check | None = None,
        prefill: str = "",
        is_bare: bool = False,
        may_be_cut: bool = False,
        next_step: str = "",
    ) -> Outcome:
        """Do one step, or find it done, and return what it came to.

        Args:
            conclude: Given the value, returns the move that is recorded with it.
            step: The step's name where it differs from the agent's.
            check: Says what is wrong with a value of the right shape; empty if nothing is.
            prefill: Words that the reply must go on from.
            is_bare: Leave context and artefacts out; the template holds all there is to know.
            may_be_cut: A reply that reached its limit is a result; the caller trims it.
            next_step: What comes next, for the intent; the next activity if it is empty.

        Raises:
            NoResult: No try gave a result.
            BookPaused: The book is to rest.
            BackendError: Nothing was delivered.
        """
        self.reads(agent)
        may_be_cut = may_be_cut or self.is_small
        key = self._key(step or agent.name)
        asking = Asking(self, agent, key, prefill, is_bare, may_be_cut, check, conclude, next_step)
        outcome = self._found(agent, key, conclude) or asking.until_it_stands()
        if agent.artefact:
            text = outcome.value if isinstance(outcome.value, str) else plain(outcome.reply.text)
            self.add(agent.artefact, text, is_prose=agent.is_prose)
        return outcome

    def run_all(self, agents: Sequence[Agent], conclude: Conclude, check: Check | None = None) -> None:
        """Do the steps of a workflow in order; `conclude` and `check` are the last one's. Raises what `run` does."""
        for agent in agents[:-1]:
            self.run(agent)
        self.run(agents[-1], conclude, check=check)

    def is_done(self, step: str) -> bool:
        """True if a step is on record with a result."""
        return self.desk.is_done(self.activity, self.node, step, self.round)

    def failures(self, step: str) -> int:
        """How many answers to a step are on record without one that stands."""
        if self.is_done(step):
            return 0
        return sum(record.failure not in _NO_ANSWER for record in self.desk.journal.attempts(self._key(step)))

    def first_answer(self, agent: Agent, step: str) -> Any:
        """The first answer to a step that has the right shape, though it may have been sent back; None if none has."""
        replies = (record.reply for record in self.desk.journal.attempts(self._key(step)))
        read = (parse(agent, reply, self.desk.brief.language, "") for reply in replies)
        return next((one.value for one in read if one.failure is None), None)

    def uses(self, *agents: Agent) -> list[ToolUse]:
        """What tools have brought to the steps of some agents, oldest first."""
        attempts = [record for agent in agents for record in self.desk.journal.attempts(self._key(agent.name))]
        return [record.tool_use for record in attempts if record.tool_use is not None]

    def by_code(self, step: str, text: str, detail: str, move: Move | None = None) -> None:
        """Record what code has done by itself as a step of its own, with what it came to; once, and nobody is asked."""
        key = self._key(step)
        if self.desk.journal.attempts(key):
            return
        attempt = Attempt(
            key=key, attempt=1, role=CODE, template="", prompt=(), detail=detail[:_DETAIL_CHARACTERS],
            reply=Reply(text=text, model=CODE, cost=0),
        )  # fmt: skip
        intent = f"{self.node.label} {self.next_activity}"
        record_surely(self.desk.journal, attempt, move, intent, patience=self.desk.settings.record_seconds)

    def make_late(self, step: str, move: Move) -> None:
        """Make the move of a step that was recorded without one, because what was to follow it came to nothing.

        It is made once, however often the walk comes here.
        """
        record = self.desk.journal.attempts(self._key(step))[-1]
        if not record.has_move:
            self.desk.journal.move_late(record, move)

    def _key(self, step: str) -> StepKey:
        return step_key(self.activity, self.node, step, self.round)

    def _found(self, agent: Agent, key: StepKey, conclude: Conclude | None) -> Outcome | None:
        """Return what a recorded step came to; None if there is none, or none that this agent can read.

        A move that was not made with it is made now: the profile or the brief may have changed
        since, so that what was a step on the way is the last one.
        """
        record = self.desk.result(key)
        if record is None:
            return None
        reply = answered(record.reply) if agent.tools else record.reply
        parsed = parse(agent, whole(reply, agent), self.desk.brief.language, "")
        if parsed.failure is not None:
            return None
        if conclude is not None and not record.has_move and (move := conclude(parsed.value)) is not None:
            self.desk.journal.move_late(record, move)
        return Outcome(parsed.value, record.id, reply)
