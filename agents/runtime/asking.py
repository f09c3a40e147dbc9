"""What a talk asks of its model: the turns that it has room for, and what it told in return."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import JsonValue

from bookwright.agents.backends import catalogue, windows
from bookwright.agents.backends.protocol import Correction, Prompt, Request, Sampling, ToolSpec
from bookwright.agents.backends.schema import texts_of
from bookwright.agents.backends.tokens import TokenCounter
from bookwright.agents.runtime.agent import Execution
from bookwright.agents.small.sampling import NARROW_MODELS, PROSE
from bookwright.models.settings import Settings
from bookwright.models.step import Reply
from bookwright.models.talk.event import EventPayload, speakable

ROLE = "researcher"
"""The role whose settings talks have, where an agent names no model."""
REPLY = "reply"
"""The name of the `agent:event` that gives a reply as it came, with its bill; `cost` in millionths of a dollar."""

_TEMPERATURE = 0.7
_OUTPUT_TOKENS = 4_096
_OUTPUT_SHARE = 4
"""An answer takes at most one part in so many of what the model holds."""
_NARROW_OUTPUT_TOKENS = 400
"""Of models so small that they talk on without end."""


@dataclass(frozen=True)
class RequestMaker:
    """Makes the requests of one execution."""

    execution: Execution
    model: str
    system: str
    session: str
    counter: TokenCounter
    settings: Settings
    """With the window of the model, where its server was asked for it."""

    def request(self, said: tuple[Correction, ...], first: str, specs: tuple[ToolSpec, ...]) -> Request:
        """Return the request in which everything is said; `first` stands before all turns."""
        seed = hashlib.sha256(f"{self.session} {len(said)}".encode()).digest()[:4]
        return Request(
            model=self.model,
            role=ROLE,
            name=f"{self.execution.tab_id} talk/{self.execution.agent_id}",
            prompt=Prompt(self.system, (first,)),
            sampling=Sampling(_TEMPERATURE, self._output, int.from_bytes(seed, "big") >> 1, extra=self._extra),
            corrections=said,
            cache_key=self.session,
            locale=self.execution.locale,
            tools=specs,
        )

    def fitted(self, request: Request, question: int) -> Request:
        """Leave turns out that the model has no room for; `question` is the place of what was asked last, or -1."""
        said, count = request.corrections, self.counter.estimate
        taken = count(self.model, *texts_of(replace(request, corrections=())))
        allowance = windows.thinking_allowance(self.model, self.settings)
        spare = catalogue.provider_of(self.model).overhead_tokens + allowance
        sizes = [count(self.model, each.reply, each.problem) for each in said]
        room = self._window - self._output - taken - spare
        gone = left_out(sizes, question, room)
        kept = tuple(each for place, each in enumerate(said) if place not in gone)
        return replace(request, corrections=kept)

    @property
    def _window(self) -> int:
        return windows.window_of(self.model, self.settings).tokens

    @property
    def _extra(self) -> dict[str, Any]:
        return dict(PROSE) if self.model in NARROW_MODELS else {}

    @property
    def _output(self) -> int:
        if self.model in NARROW_MODELS:
            return _NARROW_OUTPUT_TOKENS
        return min(_OUTPUT_TOKENS, self._window // _OUTPUT_SHARE)


def as_event(reply: Reply) -> EventPayload:
    """A reply as the model gave it, with its bill."""
    data: dict[str, JsonValue] = {
        "model": reply.model, "finishReason": reply.finish_reason, "inputTokens": reply.usage.input_tokens,
        "outputTokens": reply.usage.output_tokens, "cachedTokens": reply.usage.cached_tokens,
        "isEstimate": reply.usage.is_estimate, "cost": reply.cost, "reasoning": speakable(reply.reasoning),
    }  # fmt: skip
    if reply.session_id:  # the provider's own; a talk goes on by ours
        data["providerSession"] = reply.session_id
    return EventPayload(name=REPLY, text=reply.text, data=data)


def left_out(sizes: Sequence[int], question: int, room: int) -> set[int]:
    """Return the places of the turns to leave out, so that the rest takes no more than `room`.

    The oldest go first, then what tools brought since the question, the oldest first; the question and
    the last turn always stay, even where they are too much.

    Args:
        sizes: Tokens of each turn.
        question: The place of what the person asked last; -1 if that stands before all turns.
        room: Tokens.
    """
    gone: set[int] = set()
    excess = sum(sizes) - room
    for place in (*range(question), *range(question + 1, len(sizes) - 1)):
        if excess <= 0:
            break
        gone.add(place)
        excess -= sizes[place]
    return gone
