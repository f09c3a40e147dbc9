"""Where one book's steps are done: rendered, asked, parsed and recorded, each exactly once."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

from bookwright.agents.agent import Agent
from bookwright.agents.answers import answer_limit, shown_again, whole
from bookwright.agents.backends.budget import BudgetLedger
from bookwright.agents.backends.protocol import (
    Correction,
    FailedAttempt,
    FailureListener,
    Listener,
    Prompt,
    Request,
    Sampling,
    StreamEvent,
    ToolSpec,
)
from bookwright.agents.cards import guarded
from bookwright.agents.context.builder import Context
from bookwright.agents.parsing import Check, Parsed, echoes, parse
from bookwright.agents.react.action import Action, NoAction
from bookwright.agents.react.loop import MAX_STEPS, Loop, acting, answered, shown
from bookwright.agents.react.observation import ROOM
from bookwright.agents.recording import keep_surely, record_surely
from bookwright.agents.relay.guard import Guard
from bookwright.agents.small import sampling_extra
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.brief import Brief
from bookwright.models.errors import BookPaused, LeaseLost, NoResult, ReplyLost
from bookwright.models.plain import plain
from bookwright.models.profile import Profile, ProfileName
from bookwright.models.settings import Settings
from bookwright.models.step import Activity, Failure, Reply, StepKey, StepRecord, ToolUse
from bookwright.models.task import TaskNode
from bookwright.prompts import Card, Told, render, render_system
from bookwright.prompts.render import fields_of, render_lookups, render_turn
from bookwright.storage.database import free_megabytes
from bookwright.storage.journal import Attempt, Journal, Move


class Asker(Protocol):
    """Whoever completes prompts: the model service, or a stand-in."""

    def ask(
        self, request: Request, budget: BudgetLedger | None, listener: Listener, on_failure: FailureListener
    ) -> Reply:
        """Complete a prompt within a budget; `on_failure` hears of each try that failed.

        Raises:
            BackendError: Nothing was delivered.
        """
        ...


class ContextSource(Protocol):
    """Whoever knows what a step may know."""

    def build(self, node: TaskNode, unit: TaskNode, activity: Activity, role: str) -> Context:
        """Return the context of one activity."""
        ...


class Toolbox(Protocol):
    """Whoever knows what tools a book has."""

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
class Artefact:
    """What an earlier step of the activity made, or a document put before the activity."""

    tag: str
    text: str

    @property
    def block(self) -> str:
        """The artefact as it stands in a prompt."""
        return f"<{self.tag}>\n{self.text}\n</{self.tag}>"


@dataclass(frozen=True)
class Outcome:
    """What a step came to."""

    value: Any
    """Of the agent's output type; text where it has none."""
    step: int
    """The step's id in the journal."""
    reply: Reply


Conclude = Callable[[Any], Move | None]
"""Given a step's value, what it does to the book; None if only the next step can tell."""


@dataclass(frozen=True)
class Desk:
    """What the steps of one book share."""

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

    def begin(
        self, activity: Activity, node: TaskNode, unit: TaskNode, card: Card, *, context: str, round_: int = 0,
        next_activity: str = "", guard: Guard | None = None,
    ) -> "ActivityRun":  # fmt: skip
        """Sit down to one activity of one node; nothing is built or asked before it is needed.

        `context` is the role whose budget the activity's blocks have; `next_activity` names what
        follows, for the intent. What a `guard` finds goes out of everything that the steps are shown.
        """
        return ActivityRun(self, activity, node, unit, card, context, round_, next_activity, guard or Guard.idle())


_WITHOUT_BLOCKS = (Activity.WRITE, Activity.CLOSE, Activity.MAINTAIN, Activity.PUBLISH)


class ActivityRun:
    """The steps of one activity, in order. A recorded step is never asked again."""

    def __init__(
        self, desk: Desk, activity: Activity, node: TaskNode, unit: TaskNode, card: Card, context_role: str,
        round_: int, next_activity: str, guard: Guard,
    ) -> None:  # fmt: skip
        self._desk = desk
        self._activity = activity
        self._node = node
        self._unit = unit
        self.card = card
        self._context_role = context_role
        self._round = round_
        self._next_activity = next_activity
        self.guard = guard
        self._context: Context | None = None
        self._read: set[str] = set()
        self._shown: list[int] = []
        self.artefacts: list[Artefact] = []
        self.shared = 0
        """How many leading blocks the step asked last had in common with the one after it."""

    @property
    def context(self) -> Context:
        """The activity's context, built when it is first needed and then kept."""
        if self._context is None:
            if self._is_told_by_template or self._activity is Activity.REVIEW:
                self._context = Context(blocks=(), sources=(), stable=0)
            else:
                context = self._desk.contexts.build(self._node, self._unit, self._activity, self._context_role)
                self._context = replace(context, blocks=tuple(map(self.guard.redact, context.blocks)))
        return self._context

    @property
    def is_small(self) -> bool:
        """Whether the book has the profile for weak models, which see plain texts and no tags."""
        return self._desk.profile.name is ProfileName.SMALL

    @property
    def _is_told_by_template(self) -> bool:
        """A weak model copies whatever blocks it sees: its templates hold the premise, and that is all.

        Only below the book, where something was decided that the premise does not tell, are blocks shown.
        """
        return self.is_small and (self._unit.parent is None or self._activity in _WITHOUT_BLOCKS)

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
        self._read |= fields_of(agent.prompt, self._desk.locale)
        may_be_cut = may_be_cut or self.is_small
        done = self._desk.journal.attempts(key)
        outcome = self._found(agent, done[-1], conclude) if done and done[-1].failure is None else None
        if outcome is None:
            asking = _Asking(self, agent, key, prefill, bare, may_be_cut, check, conclude, next_step)
            outcome = asking.until_it_stands()
        if agent.artefact:
            text = outcome.value if isinstance(outcome.value, str) else plain(outcome.reply.text)
            self.add(agent.artefact, text)
        return outcome

    def is_done(self, step: str) -> bool:
        """True if a step is on record with a result."""
        done = self._desk.journal.attempts(self._key(step))
        return bool(done) and done[-1].failure is None

    def failures(self, step: str) -> int:
        """How many answers to a step are on record without one that stands."""
        done = self._desk.journal.attempts(self._key(step))
        if done and done[-1].failure is None:
            return 0
        return sum(record.failure not in _NO_ANSWER for record in done)

    def uses(self, *agents: Agent) -> list[ToolUse]:
        """What tools have brought to the steps of some agents, oldest first."""
        attempts = [record for agent in agents for record in self._desk.journal.attempts(self._key(agent.name))]
        return [record.tool_use for record in attempts if record.tool_use is not None]

    def make_late(self, step: str, move: Move) -> None:
        """Make the move of a step that was recorded without one, because what was to follow it came to nothing.

        It is made once, however often the walk comes here.
        """
        record = self._desk.journal.attempts(self._key(step))[-1]
        if not record.has_move:
            self._desk.journal.move_late(record, move)

    def _key(self, step: str) -> StepKey:
        return StepKey(
            book=self._node.book, node=self._node.key, revision=self._node.revision, activity=self._activity,
            round=self._round, step=step,
        )  # fmt: skip

    def _found(self, agent: Agent, record: StepRecord, conclude: Conclude | None) -> Outcome | None:
        """Return what a recorded step came to; None if this agent cannot read it, and so has to ask.

        A move that was not made with it is made now: the profile or the brief may have changed
        since, so that what was a step on the way is the last one.
        """
        reply = answered(record.reply) if agent.tools else record.reply
        parsed = parse(agent, whole(reply, agent), self._desk.brief.language, "")
        if parsed.failure is not None:
            return None
        if conclude is not None and not record.has_move and (move := conclude(parsed.value)) is not None:
            self._desk.journal.move_late(record, move)
        return Outcome(parsed.value, record.id, reply)


@dataclass(frozen=True)
class _Asking:
    """One step that is still to be asked, with up to a bounded number of tries."""

    run: ActivityRun
    agent: Agent
    key: StepKey
    prefill: str
    bare: bool
    may_be_cut: bool
    check: Check | None
    conclude: Conclude | None
    next_step: str

    @property
    def desk(self) -> Desk:
        return self.run._desk

    @property
    def name(self) -> str:
        return f"{self.run._node.label} {self.key.activity}/{self.key.step}"

    @cached_property
    def tools(self) -> ToolRegistry | None:
        """What the step may use before it answers; None where it is asked plainly."""
        return self.desk.tools.registry(self.agent.tools, self.run._unit) if self.agent.tools else None

    def until_it_stands(self) -> Outcome:
        """Ask until a reply is a result; each try is recorded with what was wrong with it."""
        blocks, stable = self._blocks()
        recorder = _Recorder(self, blocks)
        for _ in range(self.desk.settings.max_repairs + 1):
            reply = self._reply(blocks, stable, recorder)
            answer = answered(reply) if self.agent.tools else reply
            parsed = self._no_answer(reply) or self._parse(answer, blocks)
            step = recorder.record(reply, parsed)
            if parsed.failure is None:
                return Outcome(parsed.value, step, answer)
        raise NoResult(
            f"{self.name}: {self.desk.settings.max_repairs + 1} answers in a row were no result "
            f"(the last: {parsed.failure}, {parsed.detail[:200]})",
            f"`bookwright log {self.key.book} {self.run._node.label}` shows them; resume to try again, "
            "or choose another model for this role",
        )

    def _reply(self, blocks: tuple[str, ...], stable: int, recorder: "_Recorder") -> Reply:
        """Ask for the answer, letting the model look up what it wants before; each look is recorded.

        What is on record of an interrupted try is neither asked nor looked up again.
        """
        earlier = self.desk.journal.attempts(self.key)
        looks = [record for record in earlier if record.failure is Failure.TOOL_USE]
        loop = Loop(
            tools=self.tools or ToolRegistry(()),
            ask=lambda said, tools: self._ask(blocks, stable, said, tools, recorder),
            keeper=recorder,
            listener=lambda event: self.desk.listener(self.name, event),
            room=ROOM[self.desk.brief.language],
            locale=self.desk.locale,
        )
        if looks and looks[-1].tool_use is None:
            loop.resume(looks[-1].id, looks[-1].reply, len(looks))
            earlier = self.desk.journal.attempts(self.key)
        return loop.run(self._turns(earlier), len(looks) if self.tools else MAX_STEPS)

    def _turns(self, earlier: list[StepRecord]) -> list[Correction]:
        """What was said before, oldest first: every look, and the last answer that can be put right."""
        room = ROOM[self.desk.brief.language]
        last = next((record.id for record in reversed(earlier) if record.failure in _CORRECTABLE), 0)
        turns = []
        for record in earlier:
            if record.tool_use is not None:
                turns.append(shown(record.reply, record.tool_use, room, self.desk.locale))
            elif record.id == last and record.failure is not None:
                reply, language = record.reply, self.desk.brief.language
                turns.append(shown_again(reply, record.failure, record.detail, language, self.desk.locale))
        return turns

    def _no_answer(self, reply: Reply) -> Parsed | None:
        """Refuse a reply that asks for a tool once nothing may be used any more."""
        if self.tools is None or acting(reply) is None:
            return None
        return Parsed(failure=Failure.UNPARSABLE, detail=render_turn("no_answer", self.desk.locale))

    def _parse(self, reply: Reply, blocks: tuple[str, ...]) -> Parsed:
        if self.may_be_cut:
            reply = whole(reply, self.agent)
        asked = echoes(self._system(), blocks, is_tagged=not self.run.is_small)
        return parse(self.agent, reply, self.desk.brief.language, asked, self.check)

    def _blocks(self) -> tuple[tuple[str, ...], int]:
        tail = render(self.agent.prompt, self.run.shown_card, self.desk.locale)
        if self.bare:
            return (tail,), 0
        artefacts = tuple(made.text if self.run.is_small else made.block for made in self.run.artefacts)
        before = (*self.run.context.blocks, *artefacts)
        blocks = (*before, *self._lookups(), tail)
        stable = self._stable(len(before))
        return blocks, stable if self.tools is None else len(blocks)  # each look is followed by the same prompt

    def _lookups(self) -> tuple[str, ...]:
        """How the step may look things up; or that nothing can be, to those who bring facts."""
        has_web, is_researcher = self.desk.tools.has_web, self.agent.is_researcher
        if self.tools is None and (has_web or not self.agent.tools or not is_researcher):
            return ()
        steps = 0 if self.tools is None else MAX_STEPS
        return (render_lookups(steps, self.desk.locale, has_web=has_web, is_researcher=is_researcher),)

    def _stable(self, count: int) -> int:
        """Return how many of the blocks before the tail are worth a place in a provider's cache.

        All of them where another step follows; after the last one only what the step before it has
        put there already, for writing to a cache costs more than reading without one.
        """
        is_last = self.conclude is not None and not self.next_step
        if not is_last:
            self.run.shared = count
        return max(self.run.shared, self.run.context.stable)

    def _ask(
        self, blocks: tuple[str, ...], stable: int, corrections: tuple[Correction, ...], tools: tuple[ToolSpec, ...],
        recorder: "_Recorder",
    ) -> Reply:  # fmt: skip
        self._may_go_on()
        guard = self.run.guard
        corrections = tuple(Correction(guard.redact(turn.reply), guard.redact(turn.problem)) for turn in corrections)
        said = [part for turn in corrections for part in (turn.reply, turn.problem)]
        guard.require((self._system(), *blocks, *said, self.prefill), self.name)
        number = recorder.number
        fallbacks = self.desk.settings.fallbacks
        request = Request(
            model=self.desk.model_of(self.agent.role),
            role=self.agent.role,
            name=self.name,
            prompt=Prompt(self._system(), blocks, stable, self.prefill, 0 if self.bare else self.run.context.stable),
            sampling=self._sampling(number),
            output=self.agent.output,
            fallbacks=fallbacks.get(self.agent.role) or fallbacks.get("default") or (),
            corrections=corrections,
            tools=tools,
            cache_key=self.key.book,
            facts=self._facts(number),
            locale=self.desk.locale,
        )
        return self.desk.models.ask(
            request, self.desk.budget, lambda event: self.desk.listener(self.name, event), recorder.record_undelivered
        )

    def _system(self) -> str:
        return render_system(self.run.shown_card.book, self.desk.locale, is_small=self.run.is_small)

    def _may_go_on(self) -> None:
        """Check, before anything is paid, that the answer can be kept and is still wanted."""
        self.desk.journal.keep()
        if self.desk.journal.stop_requested:
            raise BookPaused("asked to rest", f"`bookwright resume {self.key.book}` goes on")
        free = free_megabytes(self.desk.settings)
        if free < self.desk.settings.free_megabytes:
            raise BookPaused(
                f"only {free} MB are free where the book is kept", f"make room and `bookwright resume {self.key.book}`"
            )

    def _sampling(self, number: int) -> Sampling:
        identity = f"{self.desk.brief.seed} {self.key.model_dump_json()} {number}"
        seed = int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], "big") >> 1
        limit = answer_limit(self.agent, self.run.card, self.desk.profile, self.desk.brief.language)
        extra = {}
        if self.desk.profile.name is ProfileName.SMALL:
            brief, model = self.desk.brief, self.desk.model_of(self.agent.role)
            extra = sampling_extra(brief.language, is_prose=self.agent.is_prose, premise=brief.premise, model=model)
        return Sampling(self.agent.temperature, limit, seed, extra=extra)

    def _facts(self, number: int) -> dict[str, Any]:
        card = self.run.shown_card
        return {
            "activity": self.key.activity.value, "step": self.key.step, "template": self.agent.prompt,
            "label": self.run._node.label, "level": card.unit.level, "attempt": number, "card": card,
            "artefacts": tuple(self.run.artefacts), "language": self.desk.brief.language.value,
            "seed": self.desk.brief.seed,
        }  # fmt: skip


_NO_ANSWER = (Failure.UNAVAILABLE, Failure.BROKEN_STREAM, Failure.TOOL_USE)
_CORRECTABLE = (Failure.UNPARSABLE, Failure.WRONG_LANGUAGE, Failure.CUT_OFF)
"""Failures worth showing to the model; a refusal or an echo would only be repeated."""

_TOLD_CHARACTERS = 200
"""Of an action, in the log."""


class _Recorder:
    """Records one try and every delivery that failed before it, numbering them on."""

    def __init__(self, asking: _Asking, blocks: tuple[str, ...]) -> None:
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
            prompt=(asking._system(), *self._blocks), reply=reply, failure=failure, detail=detail,
            stores_prompt=asking.desk.stores_prompts,
        )  # fmt: skip
        following = asking.next_step or asking.run._next_activity
        intent = asking.key.step if failure else following
        return record_surely(
            asking.desk.journal, attempt, move, f"{asking.run._node.label} {intent}",
            patience=asking.desk.settings.record_seconds, again=again,
        )  # fmt: skip
