"""One step that is still to be asked: rendered, sent, parsed, and asked again while the answer is no result."""

import hashlib
import logging
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bookwright.agents.agent import Agent
from bookwright.agents.backends.protocol import Correction, Prompt, Request, Sampling, ToolSpec
from bookwright.agents.cards import guarded
from bookwright.agents.react.loop import MAX_STEPS, Loop, acting, answered, shown
from bookwright.agents.react.observation import ROOM
from bookwright.agents.small.sampling import sampling_extra
from bookwright.agents.steps import answers
from bookwright.agents.steps.answers import Check, Conclude, Outcome, Parsed
from bookwright.agents.steps.desk import Desk, Recorder
from bookwright.agents.steps.material import ActivityMaterial
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.models.errors import BookPaused, NoResult
from bookwright.models.step import Failure, Reply, StepKey, StepRecord
from bookwright.prompts.card import Card
from bookwright.prompts.render import render, render_part, render_system, render_turn
from bookwright.prompts.stored_card import parts_of
from bookwright.storage.engine.database import free_megabytes

_log = logging.getLogger(__name__)

_NO_TOOLS = ToolRegistry(())
_CORRECTABLE = (Failure.UNPARSABLE, Failure.WRONG_LANGUAGE, Failure.CUT_OFF)
"""Failures worth showing to the model; a refusal or an echo would only be repeated."""


@dataclass(frozen=True)
class Asking:
    """One step that is still to be asked, with up to a bounded number of tries."""

    material: ActivityMaterial
    agent: Agent
    key: StepKey
    prefill: str
    is_bare: bool
    may_be_cut: bool
    check: Check | None
    conclude: Conclude | None
    next_step: str

    @property
    def desk(self) -> Desk:
        """Where the step is done."""
        return self.material.desk

    @property
    def name(self) -> str:
        """The step as logs and streams name it."""
        return f"{self.material.node.label} {self.key.activity}/{self.key.step}"

    @cached_property
    def tools(self) -> ToolRegistry | None:
        """What the step may use before it answers; None where it is asked plainly."""
        return self.desk.tools.registry(self.agent.tools, self.material.unit) if self.agent.tools else None

    def until_it_stands(self) -> Outcome:
        """Ask until a reply is a result; each try is recorded with what was wrong with it."""
        for _ in range(self.desk.settings.max_repairs + 1):
            reply = self._reply()
            answer = answered(reply) if self.agent.tools else reply
            parsed = self._parsed(reply, answer)
            step = self.recorder.record(reply, parsed)
            if parsed.failure is None:
                self.material.forget_warnings()
                return Outcome(parsed.value, step, answer)
        raise NoResult(
            f"{self.name}: {self.desk.settings.max_repairs + 1} answers in a row were no result "
            f"(the last: {parsed.failure}, {parsed.detail[:200]})",
            f"`bookwright log {self.key.book} {self.material.node.label}` shows them; {self.desk.journal.way_on} "
            "tries again, and another model for this role may do better",
        )

    @cached_property
    def recorder(self) -> Recorder:
        """Keeps each try."""
        return Recorder(
            desk=self.desk, agent=self.agent, key=self.key, label=self.material.node.label,
            prompt=(self.system, *self.blocks), card=parts_of(self.card, self.desk.locale), conclude=self.conclude,
            following=self.next_step or self.material.next_activity, shortfall=self.material.shortfall,
        )  # fmt: skip

    def _reply(self) -> Reply:
        """Ask for the answer, letting the model look up what it wants before; each look is recorded.

        What is on record of an interrupted try is neither asked nor looked up again.
        """
        earlier = self.desk.journal.attempts(self.key)
        looks = [record for record in earlier if record.failure is Failure.TOOL_USE]
        loop = Loop(
            tools=self.tools or _NO_TOOLS,
            ask=self._ask,
            keeper=self.recorder,
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
                turns.append(answers.shown_again(reply, record.failure, record.detail, language, self.desk.locale))
        return turns

    def _parsed(self, reply: Reply, answer: Reply) -> Parsed:
        """Read the answer of a reply; there is none in one that asks for a tool once nothing may be used any more."""
        if self.tools is not None and acting(reply) is not None:
            return Parsed(failure=Failure.UNPARSABLE, detail=render_turn("no_answer", self.desk.locale))
        if self.may_be_cut:
            answer = answers.whole(answer, self.agent)
        asked = answers.echoes(self.system, self.blocks, is_tagged=not self.material.is_small)
        return answers.parse(self.agent, answer, self.desk.brief.language, asked, self.check)

    @cached_property
    def blocks(self) -> tuple[str, ...]:
        """What is asked: context and artefacts, how to look things up, and last the step's own part."""
        tail = render(self.agent.prompt, self.card, self.desk.locale, self.agent.folder)
        return (tail,) if self.is_bare else (*self.material.blocks, *self._lookups(), tail)

    def _lookups(self) -> tuple[str, ...]:
        """How the step may look things up; or that nothing can be, to those who bring facts."""
        has_web, is_researcher = self.desk.tools.has_web, self.agent.is_researcher
        if self.tools is None and (has_web or not self.agent.tools or not is_researcher):
            return ()
        steps = 0 if self.tools is None else MAX_STEPS
        told = {"steps": steps, "has_web": has_web, "is_researcher": is_researcher}
        return (render_part("react/method", self.desk.locale, **told),)

    @cached_property
    def stable(self) -> int:
        """How many leading blocks are worth a place in a provider's cache.

        All before the tail where another step follows; after the last one only what the step before it has
        put there already, for writing to a cache costs more than reading without one.
        """
        if self.is_bare:
            return 0
        is_last = self.conclude is not None and not self.next_step
        if not is_last:
            self.material.shared = len(self.material.blocks)
        if self.tools is not None:
            return len(self.blocks)  # each look is followed by the same prompt
        return max(self.material.shared, self.material.stable)

    def _ask(self, corrections: tuple[Correction, ...], tools: tuple[ToolSpec, ...]) -> Reply:
        self._may_go_on()
        desk, role, name = self.desk, self.agent.role, self.name
        model, fallbacks = desk.model_of(role), desk.settings.fallbacks
        _log.debug("%s asks %s as %s", name, model, role)
        number = self.recorder.number
        of_unit = 0 if self.is_bare else self.material.stable  # leading blocks that its other activities have, too
        request = Request(
            model=model,
            role=role,
            name=name,
            prompt=Prompt(self.system, self.blocks, self.stable, self.prefill, of_unit),
            sampling=self._sampling(number),
            output=self.agent.output,
            fallbacks=fallbacks.get(role) or fallbacks.get("default") or (),
            corrections=self._checked(corrections),
            tools=tools,
            cache_key=self.key.book,
            facts=self._facts(number),
            locale=desk.locale,
        )
        desk.meanwhile()
        return desk.models.ask(
            request, desk.budget, lambda event: desk.listener(name, event), self.recorder.record_undelivered
        )

    def _checked(self, corrections: tuple[Correction, ...]) -> tuple[Correction, ...]:
        """Let nothing secret into the prompt; a writer is shown its own prose again as it is."""
        guard = self.material.guard_now
        if guard.is_idle:
            return corrections
        if self.agent.role == "writer" and self.agent.artefact != "plan":
            own = {made.text for made in self.material.artefacts if made.is_prose} | {self.prefill}
            guard = guard.beside((*own, *(turn.reply for turn in corrections)))
        corrections = tuple(Correction(guard.redact(turn.reply), guard.redact(turn.problem)) for turn in corrections)
        said = (part for turn in corrections for part in (turn.reply, turn.problem))
        guard.require((self.system, *self.blocks, self.prefill, *said), self.name)
        return corrections

    @cached_property
    def card(self) -> Card:
        """What the step's template reads."""
        return guarded(self.material.card, self.material.guard_now, self.material.left_out)

    @cached_property
    def system(self) -> str:
        """The frame that all agents of the book share."""
        return render_system(self.card.book, self.desk.locale, is_small=self.material.is_small)

    def _may_go_on(self) -> None:
        """Check, before anything is paid, that the answer can be kept and is still wanted."""
        self.desk.journal.keep()
        self.desk.may_ask()
        if self.desk.journal.stop_requested:
            raise BookPaused("asked to rest", f"{self.desk.journal.way_on} goes on")
        wanted = self.desk.settings.free_megabytes
        if wanted and (free := free_megabytes(self.desk.settings)) < wanted:
            advice = f"make room, and {self.desk.journal.way_on} goes on"
            raise BookPaused(f"only {free} MB are free where the book is kept", advice)

    def _sampling(self, number: int) -> Sampling:
        brief, profile = self.desk.brief, self.desk.profile
        identity = f"{brief.seed} {self.key.model_dump_json()} {number}"
        seed = int.from_bytes(hashlib.sha256(identity.encode()).digest()[:4], "big") >> 1
        limit = answers.answer_limit(self.agent, self.material.card, profile, brief.language)
        extra = {}
        if profile.is_small:
            model = self.desk.model_of(self.agent.role)
            extra = sampling_extra(brief.language, is_prose=self.agent.is_prose, premise=brief.premise, model=model)
        return Sampling(self.agent.temperature, limit, seed, extra=extra)

    def _facts(self, number: int) -> dict[str, Any]:
        return {
            "activity": self.key.activity.value, "step": self.key.step, "template": self.agent.prompt,
            "label": self.material.node.label, "level": self.card.unit.level, "attempt": number, "card": self.card,
            "artefacts": tuple(self.material.artefacts), "language": self.desk.brief.language.value,
            "seed": self.desk.brief.seed,
        }  # fmt: skip
