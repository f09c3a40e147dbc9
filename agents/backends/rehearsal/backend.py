"""The rehearsal author as a backend: `rehearsal:default`, `rehearsal:miss`, `rehearsal:exact`."""

import math

from bookwright.agents.backends.protocol import EventKind, Listener, Request, StreamEvent
from bookwright.agents.backends.rehearsal.answers import answer
from bookwright.agents.backends.rehearsal.lookups import finished, next_action
from bookwright.agents.backends.rehearsal.modes import Mode, mode_of, spoil
from bookwright.agents.backends.rehearsal.step import Step
from bookwright.agents.backends.schema import texts_of
from bookwright.agents.backends.tokens import count_raw
from bookwright.models.settings import Settings
from bookwright.models.step import Reply, Usage

_TOKENIZER = "o200k"
"""The family whose weights count tokens: near what paying providers bill for all four languages."""


class RehearsalBackend:
    """Answers every step of a walk without a model, and says so in whatever it writes.

    What it answers depends on the request alone: on its facts, its output type and its model name.
    """

    def __init__(self, settings: Settings) -> None:
        """Settings are ignored; they are taken because all backends are made with them."""

    async def complete(self, request: Request, listener: Listener) -> Reply:
        """Answer at once.

        Raises:
            RequestRejected: The model's name is no mode of rehearsal.
        """
        mode = mode_of(request.model)
        listener(StreamEvent(EventKind.STARTED))
        step = Step.of(request)
        given = _held_to(request.sampling.max_output_tokens, _said(step, request, mode))
        if given.text:
            listener(StreamEvent(EventKind.TEXT, given.text))
        listener(StreamEvent(EventKind.FINISHED))
        read = sum(map(_tokens, (*texts_of(request), request.prompt.prefill)))
        usage = Usage(input_tokens=read, output_tokens=_tokens(given.text), is_estimate=True)
        # No cost: the service bills it as free, or at a price that the settings give it.
        return given.model_copy(update={"model": request.model, "usage": usage})

    async def close(self) -> None:
        """Nothing is held."""


def _said(step: Step, request: Request, mode: Mode) -> Reply:
    action = next_action(step, request)
    if action is not None:
        return Reply(text=action)
    given = spoil(answer(step, mode), step, mode)
    return finished(step, given) if request.tools else given


def _held_to(limit: int, given: Reply) -> Reply:
    """Cut an answer off where its limit of tokens is reached, as any provider does."""
    tokens = _tokens(given.text)
    if tokens <= limit:
        return given
    return Reply(text=given.text[: len(given.text) * limit // tokens], finish_reason="length")


def _tokens(text: str) -> int:
    return math.ceil(count_raw(text, _TOKENIZER)) if text else 0
