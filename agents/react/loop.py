"""The loop: ask, act, observe, until a reply is the answer. The walk and talks both use it."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Protocol

from bookwright.agents.backends.protocol import Correction, EventKind, Listener, StreamEvent, ToolSpec
from bookwright.agents.backends.schema import compact_schema
from bookwright.agents.react.action import Action, Finish, NoAction, compact, read, write
from bookwright.agents.react.observation import observation
from bookwright.agents.tools.registry import ToolRegistry
from bookwright.agents.tools.tool import complete, failed
from bookwright.models.errors import ToolFailure
from bookwright.models.step import Reply, ToolUse
from bookwright.models.talk.tool import ErrorCode, ToolResponse
from bookwright.prompts.render import render_turn

MAX_STEPS = 12
"""Replies that may act; the last of them is told to finish. Source: DESIGN section 11."""


class Keeper(Protocol):
    """Keeps the turns, so that an interrupted loop goes on where it was."""

    def acted(self, reply: Reply, turn: Action | NoAction) -> int:
        """Keep a reply that acts, before the tool runs; return what the use is to be filed under."""

    def observed(self, use: ToolUse) -> None:
        """Keep what the tool brought, before the next call."""


@dataclass(frozen=True)
class Loop:
    """One question's way to its answer."""

    tools: ToolRegistry
    ask: Callable[[tuple[Correction, ...], tuple[ToolSpec, ...]], Reply]
    """Asks with what was said so far and what may be used; nothing may be used once the steps are gone."""
    keeper: Keeper
    listener: Listener
    room: int
    """Characters of an observation."""
    locale: str = "en"

    def run(self, turns: Sequence[Correction] = (), taken: int = 0) -> Reply:
        """Return the first reply that is no action, as it came. `taken` counts the steps before.

        Raises:
            BackendError: Nothing was delivered.
        """
        said, locale = list(turns), self.locale
        known = tuple(ToolSpec(own.name, own.description(locale), compact_schema(own.parameters)) for own in self.tools)
        while taken < MAX_STEPS:
            reply = self.ask(tuple(said), known)
            turn = acting(reply)
            if turn is None:
                return reply
            taken += 1
            step = self.keeper.acted(reply, turn)
            said.append(shown(reply, self.use(step, turn, taken), self.room, locale))
        return self.ask(tuple(said), ())

    def resume(self, step: int, reply: Reply, ordinal: int) -> None:
        """Run what a kept reply asked for, where nothing was kept of what it brought."""
        self.use(step, acting(reply) or NoAction(""), ordinal)

    def use(self, step: int, turn: Action | NoAction, ordinal: int) -> ToolUse:
        """Run the tool that a reply asked for, and keep what it brought; what cannot be run says why."""
        tool, arguments = (turn.tool, turn.arguments) if isinstance(turn, Action) else ("", "")
        self.listener(StreamEvent(EventKind.TOOL_USE, arguments, tool))
        start = perf_counter()
        response = self._called(turn, ordinal)
        use = ToolUse(
            step=step, ordinal=ordinal, tool=tool, arguments=arguments, status=response.status.value,
            response=response.to_json(), duration_millis=round((perf_counter() - start) * 1000),
        )  # fmt: skip
        self.keeper.observed(use)
        self.listener(StreamEvent(EventKind.TOOL_RESULT, use.response, tool))
        return use

    def _called(self, turn: Action | NoAction, ordinal: int) -> ToolResponse:
        if ordinal >= MAX_STEPS:
            return _refused(render_turn("no_step_left", self.locale))
        if isinstance(turn, NoAction):
            return _refused(render_turn("no_action", self.locale))
        return self.tools.call(turn.tool, compact(turn.arguments))


def acting(reply: Reply) -> Action | NoAction | None:
    """Return what a reply asks for; None for an answer, or for what is no whole reply at all."""
    turn = read(reply.text)
    if isinstance(turn, Finish) or not reply.text.strip() or reply.finish_reason == "refusal":
        return None
    if reply.finish_reason != "stop" and not (isinstance(turn, Action) and _is_json(turn.arguments)):
        return None  # cut off before it said what it wanted
    return turn


def answered(reply: Reply) -> Reply:
    """The reply with the answer alone as its text, without the form around it."""
    turn = read(reply.text)
    return reply.model_copy(update={"text": turn.answer}) if isinstance(turn, Finish) else reply


def shown(reply: Reply, use: ToolUse, room: int, locale: str) -> Correction:
    """Put a reply that acted before the model again, in the form, with what its action brought."""
    turn = read(reply.text)
    told = observation(ToolResponse.model_validate_json(use.response), room)
    left = MAX_STEPS - use.ordinal
    return Correction(write(turn), told if left != 1 else f"{told}\n\n{render_turn('last_step', locale)}")


def _refused(why: str) -> ToolResponse:
    return complete(failed(ToolFailure(ErrorCode.INVALID_PARAM, why, "")), {}, 0.0)


def _is_json(text: str) -> bool:
    try:
        json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return False
    return True
