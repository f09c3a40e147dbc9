"""The steps of one activity, in order, each asked once and found on record from then on."""

from dataclasses import replace
from typing import TYPE_CHECKING

from bookwright.agents.agent import Agent
from bookwright.agents.answers import whole
from bookwright.agents.artefact import Artefact, Conclude, Outcome
from bookwright.agents.asking import Asking
from bookwright.agents.cards import guarded
from bookwright.agents.context.builder import Context
from bookwright.agents.parsing import Check, parse
from bookwright.agents.react.loop import answered
from bookwright.agents.relay.guard import Guard
from bookwright.models.plain import plain
from bookwright.models.profile import ProfileName
from bookwright.models.step import Activity, Failure, StepKey, StepRecord, ToolUse
from bookwright.models.task import TaskNode
from bookwright.prompts import Card, Told
from bookwright.prompts.render import fields_of
from bookwright.storage.journal import Move

if TYPE_CHECKING:
    from bookwright.agents.desk import Desk

_NO_ANSWER = (Failure.UNAVAILABLE, Failure.BROKEN_STREAM, Failure.TOOL_USE)
_WITHOUT_BLOCKS = (Activity.WRITE, Activity.CLOSE, Activity.MAINTAIN, Activity.PUBLISH)


class ActivityRun:
    """The steps of one activity, in order. A recorded step is never asked again."""

    def __init__(
        self, desk: "Desk", activity: Activity, node: TaskNode, unit: TaskNode, card: Card, context_role: str,
        round_: int, next_activity: str, guard: Guard,
    ) -> None:  # fmt: skip
        self.desk = desk
        self._activity = activity
        self.node = node
        self.unit = unit
        self.card = card
        self._context_role = context_role
        self._round = round_
        self.next_activity = next_activity
        self.guard = guard
        self._context: Context | None = None
        self._read: set[str] = set()
        self._shown: list[int] = []
        self.artefacts: list[Artefact] = []
        self.leading = 0
        """How many of the artefacts stand before the context."""
        self.shared = 0
        """How many leading blocks the step asked last had in common with the one after it."""

    @property
    def context(self) -> Context:
        """The activity's context, built when it is first needed and then kept."""
        if self._context is None:
            if self._is_told_by_template or self._activity is Activity.REVIEW:
                self._context = Context(blocks=(), sources=(), stable=0)
            else:
                context = self.desk.contexts.build(self.node, self.unit, self._activity, self._context_role)
                self._context = replace(context, blocks=tuple(map(self.guard.redact, context.blocks)))
        return self._context

    @property
    def round(self) -> int:
        """The activity's round."""
        return self._round

    @property
    def is_small(self) -> bool:
        """Whether the book has the profile for weak models, which see plain texts and no tags."""
        return self.desk.profile.name is ProfileName.SMALL

    @property
    def _is_told_by_template(self) -> bool:
        """A weak model copies whatever blocks it sees: its templates hold the premise, and that is all.

        Only below the book, where something was decided that the premise does not tell, are blocks shown.
        """
        return self.is_small and (self.unit.parent is None or self._activity in _WITHOUT_BLOCKS)

    @property
    def sources(self) -> tuple[int, ...]:
        """Ids of the documents whose text stands in the activity's prompts so far."""
        fields = (getattr(self.card, name, None) for name in sorted(self._read))
        told = (source for field in fields if isinstance(field, Told) for source in field.sources)
        return tuple(dict.fromkeys((*self.context.sources, *self._shown, *told)))

    def rests_on(self, *documents: int) -> None:
        """Say that the text of some documents stands in the prompts that follow, beside the context and the card."""
        self._shown.extend(documents)

    @property
    def shown_card(self) -> Card:
        """The card as templates see it."""
        return guarded(self.card, self.guard)

    def add(self, tag: str, text: str) -> None:
        """Put a text before the steps that follow."""
        self.artefacts.append(Artefact(tag, self.guard.redact(text)))

    def lead_with(self, tag: str, text: str) -> None:
        """Put a text before everything else, where all who judge a finished text have it, so that a cache serves it."""
        self.artefacts.insert(self.leading, Artefact(tag, self.guard.redact(text)))
        self.leading += 1

    def run(
        self,
        agent: Agent,
        conclude: Conclude | None = None,
        *,
        step: str = "",
        check: Check | None = None,
        prefill: str = "",
        bare: bool = False,
        may_be_cut: bool = False,
        next_step: str = "",
    ) -> Outcome:
        """Do one step, or find it done, and return what it came to.

        Args:
            agent: Who is asked.
            conclude: Given the value, returns the move that is recorded with it.
            step: The step's name where it differs from the agent's.
            check: Says what is wrong with a value of the right shape; empty if nothing is.
            prefill: Words that the reply must go on from.
            bare: Leave context and artefacts out; the template holds all there is to know.
            may_be_cut: A reply that reached its limit is a result; the caller trims it.
            next_step: What comes next, for the intent; the next activity if it is empty.

        Raises:
            NoResult: No try gave a result.
            BookPaused: The book is to rest.
            BackendError: Nothing was delivered.
        """
        key = self._key(step or agent.name)
        self._read |= fields_of(agent.prompt, self.desk.locale, agent.folder)
        may_be_cut = may_be_cut or self.is_small
        done = self.desk.journal.attempts(key)
        outcome = self._found(agent, done[-1], conclude) if done and done[-1].failure is None else None
        if outcome is None:
            asking = Asking(self, agent, key, prefill, bare, may_be_cut, check, conclude, next_step)
            outcome = asking.until_it_stands()
        if agent.artefact:
            text = outcome.value if isinstance(outcome.value, str) else plain(outcome.reply.text)
            self.add(agent.artefact, text)
        return outcome

    def is_done(self, step: str) -> bool:
        """True if a step is on record with a result."""
        return self.desk.is_done(self._activity, self.node, step, self._round)

    def failures(self, step: str) -> int:
        """How many answers to a step are on record without one that stands."""
        done = self.desk.journal.attempts(self._key(step))
        if done and done[-1].failure is None:
            return 0
        return sum(record.failure not in _NO_ANSWER for record in done)

    def uses(self, *agents: Agent) -> list[ToolUse]:
        """What tools have brought to the steps of some agents, oldest first."""
        attempts = [record for agent in agents for record in self.desk.journal.attempts(self._key(agent.name))]
        return [record.tool_use for record in attempts if record.tool_use is not None]

    def make_late(self, step: str, move: Move) -> None:
        """Make the move of a step that was recorded without one, because what was to follow it came to nothing.

        It is made once, however often the walk comes here.
        """
        record = self.desk.journal.attempts(self._key(step))[-1]
        if not record.has_move:
            self.desk.journal.move_late(record, move)

    def _key(self, step: str) -> StepKey:
        return StepKey(
            book=self.node.book, node=self.node.key, revision=self.node.revision, activity=self._activity,
            round=self._round, step=step,
        )  # fmt: skip

    def _found(self, agent: Agent, record: StepRecord, conclude: Conclude | None) -> Outcome | None:
        """Return what a recorded step came to; None if this agent cannot read it, and so has to ask.

        A move that was not made with it is made now: the profile or the brief may have changed
        since, so that what was a step on the way is the last one.
        """
        reply = answered(record.reply) if agent.tools else record.reply
        parsed = parse(agent, whole(reply, agent), self.desk.brief.language, "")
        if parsed.failure is not None:
            return None
        if conclude is not None and not record.has_move and (move := conclude(parsed.value)) is not None:
            self.desk.journal.move_late(record, move)
        return Outcome(parsed.value, record.id, reply)
